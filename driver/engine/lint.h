/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Misuse of verbs that the engine detects. Each function is called behind glass_linting(), when an
 * error has happened or is about to. None changes state. Callers hold the QP's lock unless said
 * otherwise.
 */
#ifndef GLASS_ENGINE_LINT_H
#define GLASS_ENGINE_LINT_H

#include "model/device.h"

/* The keys of the last deregistered regions. */
#define GLASS_GRAVES 512

struct glass_grave {
	u64 when; /* ktime_get_ns() */
	u32 key;
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

struct glass_graveyard {
	spinlock_t lock; /* irqs off */
	u32 next;
	struct glass_grave grave[GLASS_GRAVES];
};

/*
 * Reports a finding about qp. other: the other QP concerned, or NULL; the caller holds a reference
 * to each. The finding goes to qp's program if that is linted, else to other's. Returns the result
 * of glass_lint_found().
 */
__printf(6, 7) int glass_lint_qp(const struct glass_qp *qp, const struct glass_qp *other, u32 code,
				 u64 seen, u64 expected, const char *fmt, ...);

/* The QP at the other end of a connection, with a reference; NULL: it is not here. */
struct glass_qp *glass_lint_peer(const struct glass_qp *qp);

/*
 * A key refused the QP's access; or, GLASS_MEM_OK, behaviour equal_keys accepted it. access: as in
 * mr_get().
 */
void glass_lint_memory(struct glass_qp *qp, enum glass_access_by by, u32 key, u64 addr, u64 len,
		       u32 access, enum glass_mem err);
/* The names of GLASS_ACC_*: all of them for FLUSH, otherwise one. */
const char *glass_lint_right(u32 rights);
/* An MR is deregistered: remember its key. */
void glass_lint_bury(const struct glass_mr *mr);

/* The QP drops a packet. */
void glass_lint_drop(struct glass_qp *qp, const struct glass_pkt *pkt, enum glass_drop why);
/* A packet found no QP. No lock. */
void glass_lint_no_qp(struct glass_dev *dev, const struct glass_pkt *pkt);
/* The P_Key of a packet differs from its QP's. */
void glass_lint_pkey(struct glass_qp *qp, u16 mine, const struct glass_pkt *pkt);
/* A send request ends with an error. */
void glass_lint_failed(struct glass_qp *qp, const struct glass_swqe *w, enum glass_wc_status status);
/* The QP received an RNR NAK. */
void glass_lint_rnr(struct glass_qp *qp, u32 psn, u64 wait);
/* The AH of a send belongs to another PD. */
void glass_lint_ah_pd(struct glass_qp *qp, u32 ah, u32 pdn);
/* A send request was taken from the ring. */
void glass_lint_posted(struct glass_qp *qp, u32 n);
/* The QP went to ERR. */
void glass_lint_qp_failed(struct glass_qp *qp);
/* An event goes to a program. The caller may hold any lock. */
void glass_lint_event(const struct glass_lint_client *who, enum glass_event ev);
/* A CQ has `used` completions. Under the CQ's lock; the QP's is held, or not. */
void glass_lint_cq_fill(const struct glass_cq *cq, u32 used);
/* A QP was attached to a CQ. No lock. */
void glass_lint_cq_caps(const struct glass_cq *cq);
/* A CQ overran. Under no spinlock. */
void glass_lint_cq_overrun(const struct glass_cq *cq);
/*
 * A CQ that ignores overruns lost a completion; only the first is reported. The caller holds its
 * lock.
 */
void glass_lint_cq_lost(struct glass_cq *cq);
/* An SRQ was empty when a message came. Under the SRQ's lock. */
void glass_lint_srq_dry(const struct glass_srq *srq);
/* A CQ is armed. Under the CQ's lock. The work function checks it later. */
void glass_lint_armed(struct glass_cq *cq);
void glass_lint_armed_work(struct work_struct *work);
/* modify_qp is about to move a QP to RTR or RTS. Returns 0, or the error that it must fail with. */
int glass_lint_connected(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask);

#endif
