/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Misuse of verbs that the engine detects, and reports as findings (observe/lint.h). Callers test
 * glass_linting() first. The functions change no object except for lint's own state in it. The
 * caller holds the lock of the QP, unless a comment names another lock or says "no lock".
 */
#ifndef GLASS_ENGINE_LINT_H
#define GLASS_ENGINE_LINT_H

#include "model/device.h"

/* The graveyard of a device has the keys of this many regions: those deregistered last. */
#define GLASS_GRAVES 512

struct glass_grave {
	u64 when; /* ktime_get_ns() of the deregistration; 0: the entry is unused */
	u32 key; /* the region's lkey */
	pid_t pid; /* of the region's owner */
	char comm[TASK_COMM_LEN];
};

struct glass_graveyard {
	spinlock_t lock; /* irqs off */
	u32 next; /* the next region gets grave[next % GLASS_GRAVES] */
	struct glass_grave grave[GLASS_GRAVES];
};

/*
 * Reports a finding about qp. other: another QP that the finding is about, or NULL. The finding is
 * attributed to qp's program, or, if this program is not linted for `code`, to the program of
 * `other`. Returns -EINVAL when the finding must become an error of the verb, else 0. The caller
 * holds a reference to each of the two QPs. No lock.
 */
__printf(6, 7) int glass_lint_qp(const struct glass_qp *qp, const struct glass_qp *other, u32 code,
				 u64 seen, u64 expected, const char *fmt, ...);

/*
 * Returns the QP that qp is connected to, with a reference; NULL: qp is not connected, or its peer
 * is not on this host.
 */
struct glass_qp *glass_lint_peer(const struct glass_qp *qp);

/*
 * An access by the QP was refused with `err`. GLASS_MEM_OK: `key` was accepted, but only because
 * behaviour equal_keys (memory.c) is on. by: the source of the key. access: the right that the
 * access needs (enum ib_access_flags); 0: a local read.
 */
void glass_lint_memory(struct glass_qp *qp, enum glass_access_by by, u32 key, u64 addr, u64 len,
		       u32 access, enum glass_mem err);
/* Returns the name of a remote right (GLASS_ACC_*), or the names of both FLUSH rights. No lock. */
const char *glass_lint_right(u32 rights);
/* An MR is deregistered: remembers its key in the graveyard. No lock. */
void glass_lint_bury(const struct glass_mr *mr);

/* The QP drops a packet. */
void glass_lint_drop(struct glass_qp *qp, const struct glass_pkt *pkt, enum glass_drop why);
/* A packet arrived for a QPN that has no QP. No lock. */
void glass_lint_no_qp(struct glass_dev *dev, const struct glass_pkt *pkt);
/* The P_Key of a packet does not match `mine`, the P_Key of the receiving QP. */
void glass_lint_pkey(struct glass_qp *qp, u16 mine, const struct glass_pkt *pkt);
/* A send request ends with an error. */
void glass_lint_failed(struct glass_qp *qp, const struct glass_swqe *w, enum glass_wc_status status);
/* The QP received an RNR NAK for psn. wait: time until the QP tries again, ns. */
void glass_lint_rnr(struct glass_qp *qp, u32 psn, u64 wait);
/* A send request names AH number `ah`, which belongs to PD number pdn and not to the QP's PD. */
void glass_lint_ah_pd(struct glass_qp *qp, u32 ah, u32 pdn);
/* The engine took n send requests from the QP's ring. */
void glass_lint_posted(struct glass_qp *qp, u32 n);
/*
 * The QP went to ERR. Or: the core has just written the completion whose error moved the QP to ERR
 * or SQE earlier (glass_env_note_told()).
 */
void glass_lint_qp_failed(struct glass_qp *qp);
/*
 * A QP, CQ or SRQ raised an asynchronous event. who: the client of the user context that gets it;
 * NULL: a kernel consumer gets it. The caller may hold any lock.
 */
void glass_lint_event(const struct glass_lint_client *who, enum glass_event ev);
/* A CQ holds `used` completions now. The caller holds the CQ's lock, and perhaps a QP's. */
void glass_lint_cq_fill(const struct glass_cq *cq, u32 used);
/* A QP was attached to a CQ. No lock. */
void glass_lint_cq_caps(const struct glass_cq *cq);
/* A CQ overran, or an injection rule made it fail as if it had. The caller holds no spinlock. */
void glass_lint_cq_overrun(const struct glass_cq *cq);
/*
 * A CQ that ignores overruns lost a completion. Reports only the CQ's first loss. The caller holds
 * the CQ's lock.
 */
void glass_lint_cq_lost(struct glass_cq *cq);
/* An SRQ was empty when a message came. The caller holds the SRQ's lock. */
void glass_lint_srq_dry(const struct glass_srq *srq);
/*
 * A program arms a CQ: starts the work that checks later whether the program waits for an event
 * that does not come. The caller holds the CQ's lock.
 */
void glass_lint_armed(struct glass_cq *cq);
/* The function of that work (glass_lint_cq_state.work). No lock. */
void glass_lint_armed_work(struct work_struct *work);
/*
 * modify_qp is about to move a QP to RTR or RTS. Returns 0, or the error that the verb must return.
 */
int glass_lint_connected(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask);

#endif
