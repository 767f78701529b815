/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions of the engine that detect misuse of verbs, and report it as findings (observe/lint.h).
 * Callers test glass_linting() first. The functions change nothing in an object but its lint state
 * (for example glass_qp.lint). The caller holds the lock of the QP, unless a function's comment
 * names another lock, or says "Needs no lock".
 */
#ifndef GLASS_ENGINE_LINT_H
#define GLASS_ENGINE_LINT_H

#include "model/device.h"

/*
 * A device's graveyard (struct glass_graveyard) has the keys of the last GLASS_GRAVES regions that
 * were deregistered.
 */
#define GLASS_GRAVES 512

struct glass_grave {
	u64 when; /* ktime_get_ns() of the deregistration; 0: the entry is unused */
	u32 key; /* the region's lkey */
	pid_t pid; /* of the region's owner */
	char comm[TASK_COMM_LEN];
};

struct glass_graveyard {
	spinlock_t lock; /* taken with interrupts off */
	u32 next; /* the next region gets grave[next % GLASS_GRAVES] */
	struct glass_grave grave[GLASS_GRAVES];
};

/*
 * Reports a finding about qp. If the finding is about two QPs, `other` is the second one, else
 * NULL. The finding is attributed to qp's program or, if lint does not check that program for
 * `code`, to the program of `other`. Returns -EINVAL if the finding must become an error of the
 * verb, else 0. The caller holds a reference to each of the two QPs. Needs no lock.
 */
__printf(6, 7) int glass_lint_qp(const struct glass_qp *qp, const struct glass_qp *other, u32 code,
				 u64 seen, u64 expected, const char *fmt, ...);

/* As glass_lint_qp(), for a finding whose call stack (observe/where.h) the caller knows. */
__printf(7, 8) int glass_lint_qp_at(u32 stack, const struct glass_qp *qp,
				    const struct glass_qp *other, u32 code, u64 seen, u64 expected,
				    const char *fmt, ...);

/*
 * Surround work on a request of the QP, or on a packet for it, so that findings get the call stack of
 * the post. flow: of the request, or 0 for the one at req.cur. Call them only if glass_linting(),
 * asked once for both: lint may be switched off in between. The caller holds qp->lock.
 */
static inline void glass_lint_begin(struct glass_qp *qp, u64 flow)
{
	lockdep_assert_held(&qp->lock);
	qp->lint.flow = flow;
	WRITE_ONCE(qp->lint.by, current);
}

static inline void glass_lint_end(struct glass_qp *qp)
{
	WRITE_ONCE(qp->lint.by, NULL);
}

/* glass_pqp_rx() of the QP's core, as part of lint's work on the packet. The caller holds qp->lock. */
static __always_inline void glass_core_rx(struct glass_qp *qp, const struct glass_pkt *pkt,
					  const struct glass_rx_meta *meta, u64 now)
{
	/* one branch, not one in each of begin and end: this is the path of all packets */
	if (glass_linting()) {
		glass_lint_begin(qp, pkt->flow);
		glass_pqp_rx(&qp->core, pkt, meta, now);
		glass_lint_end(qp);
	} else {
		glass_pqp_rx(&qp->core, pkt, meta, now);
	}
}

/* lint_where.c: returns the call stack of the post of the send with this index. 0: unknown. */
u32 glass_lint_posted_from(const struct glass_qp *qp, u32 index);
/*
 * lint_where.c: return the call stack (observe/where.h) of the post of the send that qp or `other`
 * works on, if it is qp's; and of what a finding with this code is about. 0: unknown. `other` may be
 * NULL. Need no lock.
 */
u32 glass_lint_send_stack(const struct glass_qp *qp, const struct glass_qp *other);
u32 glass_lint_stack(const struct glass_qp *qp, const struct glass_qp *other, u32 code);
/*
 * lint_where.c: returns the call stack of the post of the send that has just arrived at qp. 0: unknown,
 * as lint does not look, or the sender is not the peer to which qp is connected. The caller holds
 * qp->lock.
 */
u32 glass_lint_arrived_from(const struct glass_qp *qp);
/*
 * lint_where.c: notes which verb set the attributes in `mask` (GLASS_QPA_*). Called whether or not
 * lint is on, because it may be turned on later.
 */
void glass_lint_modified(struct glass_qp *qp, u32 mask);
/* lint_where.c: returns the call stack of the other side of a finding about qp; 0: unknown. */
u32 glass_lint_peer_stack(const struct glass_qp *other, const struct glass_qp *qp, u32 code);

/*
 * Returns the QP that qp is connected to, with a reference. Returns NULL if qp is not connected, or
 * if there is no such QP on this host.
 */
struct glass_qp *glass_lint_peer(const struct glass_qp *qp);

/*
 * Called when an access by the QP was refused for the reason `err`, or with err GLASS_MEM_OK when
 * `key` was accepted only because behaviour equal_keys (memory.c) is on. `by` is the source of the
 * key. `access` is the set of rights that the access needs (enum ib_access_flags), or 0 for a local
 * read.
 */
void glass_lint_memory(struct glass_qp *qp, enum glass_access_by by, u32 key, u64 addr, u64 len,
		       u32 access, enum glass_mem err);
/* Returns the name of a remote right (GLASS_ACC_*), or of both FLUSH rights. Needs no lock. */
const char *glass_lint_right(u32 rights);
/* Called when a program's MR is deregistered: puts its key into the graveyard. Needs no lock. */
void glass_lint_bury(const struct glass_mr *mr);

/* Called when the QP drops a packet. Ignores responses. */
void glass_lint_drop(struct glass_qp *qp, const struct glass_pkt *pkt, enum glass_drop why);
/* Called when a packet arrived for a QPN that has no QP. Needs no lock. */
void glass_lint_no_qp(struct glass_dev *dev, const struct glass_pkt *pkt);
/* Called when the P_Key of a packet does not match `mine`, the P_Key of the receiving QP. */
void glass_lint_pkey(struct glass_qp *qp, u16 mine, const struct glass_pkt *pkt);
/* Called when a send request ends with an error. */
void glass_lint_failed(struct glass_qp *qp, const struct glass_swqe *w, enum glass_wc_status status);
/* Called when the QP received an RNR NAK for `psn`. The QP retries after `wait` ns. */
void glass_lint_rnr(struct glass_qp *qp, u32 psn, u64 wait);
/* Called when a send request names AH number `ah`, which is of another PD (number `pdn`). */
void glass_lint_ah_pd(struct glass_qp *qp, u32 ah, u32 pdn);
/* Called when the engine took n send requests from the QP's ring. */
void glass_lint_posted(struct glass_qp *qp, u32 n);
/*
 * Called when the QP goes to ERR. If the core makes the completion with the error only after the
 * transition to ERR or SQE, this function is called again after that completion
 * (glass_env_note_told()).
 */
void glass_lint_qp_failed(struct glass_qp *qp);
/*
 * Called when a QP, CQ or SRQ has raised an event. `who` is the lint client (observe/lint.h) of the
 * user context that gets the event, or NULL if a kernel consumer gets it. Needs no lock, but the
 * caller may hold any lock.
 */
void glass_lint_event(const struct glass_lint_client *who, enum glass_event ev);
/*
 * Called when a completion was added to a CQ, which now holds `used` completions. The caller holds
 * the CQ's lock, and perhaps the lock of a QP.
 */
void glass_lint_cq_fill(const struct glass_cq *cq, u32 used);
/* Called when a QP was attached to a CQ. `cq` may be NULL. Needs no lock. */
void glass_lint_cq_caps(const struct glass_cq *cq);
/*
 * Called when a CQ overran, or when an injection rule made it fail as if it had. The caller holds
 * no spinlock.
 */
void glass_lint_cq_overrun(const struct glass_cq *cq);
/*
 * Called when a CQ that ignores overruns lost a completion. Reports only the CQ's first loss. The
 * caller holds the CQ's lock.
 */
void glass_lint_cq_lost(struct glass_cq *cq);
/* Called when a message found an SRQ empty. The caller holds the SRQ's lock. */
void glass_lint_srq_dry(const struct glass_srq *srq);
/*
 * Called when a CQ was armed: starts a work item (glass_lint_cq_state.work), which checks later
 * whether the program waits for an event that does not come. The caller holds the CQ's lock.
 */
void glass_lint_armed(struct glass_cq *cq);
/* The function of the work item that glass_lint_armed() starts. */
void glass_lint_armed_work(struct work_struct *work);
/*
 * Called when modify_qp is about to move a QP to RTR or RTS. *a has the verb's attributes. `mask`
 * says which of them the verb sets (GLASS_QPA_*). Returns 0, or the error that the verb must
 * return.
 */
int glass_lint_connected(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask);

#endif
