/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Misuse of verbs that the engine detects, and reports as findings (observe/lint.h). Callers test
 * glass_linting() first, and call when an error has happened or is about to. No function changes
 * the state of an object. The caller holds the QP's lock unless said otherwise.
 */
#ifndef GLASS_ENGINE_LINT_H
#define GLASS_ENGINE_LINT_H

#include "model/device.h"

/* A device's graveyard remembers the keys of this many regions, the last deregistered ones. */
#define GLASS_GRAVES 512

struct glass_grave {
	u64 when; /* ktime_get_ns() of the deregistration; 0: unused */
	u32 key; /* lkey */
	pid_t pid; /* of the region's owner */
	char comm[TASK_COMM_LEN];
};

struct glass_graveyard {
	spinlock_t lock; /* irqs off */
	u32 next; /* number of the next grave; it is at next % GLASS_GRAVES */
	struct glass_grave grave[GLASS_GRAVES];
};

/*
 * Reports a finding about qp. other: another QP that the finding is about, or NULL. The caller
 * holds a reference to each. The finding goes to qp's program, or, if that is not linted for
 * `code`, to other's. Returns -EINVAL when the finding must become an error of the verb, else 0.
 */
__printf(6, 7) int glass_lint_qp(const struct glass_qp *qp, const struct glass_qp *other, u32 code,
				 u64 seen, u64 expected, const char *fmt, ...);

/* The QP that qp is connected to, with a reference; NULL: no adapter of this host has it. */
struct glass_qp *glass_lint_peer(const struct glass_qp *qp);

/*
 * The QP's access by `key` was refused with `err`. GLASS_MEM_OK: it was granted, but only because
 * behaviour equal_keys (memory.c) is on. access: enum ib_access_flags; 0: a local read.
 */
void glass_lint_memory(struct glass_qp *qp, enum glass_access_by by, u32 key, u64 addr, u64 len,
		       u32 access, enum glass_mem err);
/* The name of a remote right (GLASS_ACC_*); of FLUSH rights, the names of both. */
const char *glass_lint_right(u32 rights);
/* An MR is deregistered: remembers its key in the graveyard. No QP's lock. */
void glass_lint_bury(const struct glass_mr *mr);

/* The QP drops a packet. */
void glass_lint_drop(struct glass_qp *qp, const struct glass_pkt *pkt, enum glass_drop why);
/* A packet arrived for a QPN that has no QP. No lock. */
void glass_lint_no_qp(struct glass_dev *dev, const struct glass_pkt *pkt);
/* The P_Key of a packet differs from its QP's. */
void glass_lint_pkey(struct glass_qp *qp, u16 mine, const struct glass_pkt *pkt);
/* A send request ends with an error. */
void glass_lint_failed(struct glass_qp *qp, const struct glass_swqe *w, enum glass_wc_status status);
/* The QP received an RNR NAK for psn. wait: until its retry, ns. */
void glass_lint_rnr(struct glass_qp *qp, u32 psn, u64 wait);
/* The AH of a send (number `ah`) belongs to pdn, which is not the QP's PD. */
void glass_lint_ah_pd(struct glass_qp *qp, u32 ah, u32 pdn);
/* The engine took n send requests from the QP's ring. */
void glass_lint_posted(struct glass_qp *qp, u32 n);
/* The QP went to ERR, or now its CQ got the completion with the cause. */
void glass_lint_qp_failed(struct glass_qp *qp);
/* An asynchronous event goes to program `who`. The caller may hold any lock. */
void glass_lint_event(const struct glass_lint_client *who, enum glass_event ev);
/* A CQ holds `used` completions now. The caller holds the CQ's lock, and perhaps a QP's. */
void glass_lint_cq_fill(const struct glass_cq *cq, u32 used);
/* A QP was attached to a CQ. No lock. */
void glass_lint_cq_caps(const struct glass_cq *cq);
/* A CQ overran. The caller holds no spinlock. */
void glass_lint_cq_overrun(const struct glass_cq *cq);
/*
 * A CQ that ignores overruns lost a completion. Reports only the CQ's first loss. The caller holds
 * the CQ's lock.
 */
void glass_lint_cq_lost(struct glass_cq *cq);
/* An SRQ was empty when a message came. The caller holds the SRQ's lock. */
void glass_lint_srq_dry(const struct glass_srq *srq);
/*
 * A program arms a CQ. The work checks later whether the program waits for an event that cannot
 * come. The caller holds the CQ's lock.
 */
void glass_lint_armed(struct glass_cq *cq);
void glass_lint_armed_work(struct work_struct *work);
/*
 * modify_qp is about to move a QP to RTR or RTS. Returns 0, or the error that the verb must return.
 */
int glass_lint_connected(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask);

#endif
