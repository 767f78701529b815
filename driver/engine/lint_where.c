// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The call stacks that lint's findings about QPs name (lint.h). */
#include "engine/engine.h"
#include "engine/lint.h"
#include "model/ring.h"

/* The program writes to the ring at any time: the result is opaque. */
u32 glass_lint_posted_from(const struct glass_qp *qp, u32 index)
{
	const struct glass_abi_send_wqe *w;

	if (!qp->core.is_user || !qp->sq.num)
		return 0;
	w = glass_ring_at(&qp->sq, index);
	return glass_where_stack(glass_lint_where(qp->owner.lint), READ_ONCE(w->stack));
}

/* Does the calling thread send a packet of the QP, or deliver one to it? Then it holds the lock. */
static bool is_at_work(const struct glass_qp *qp)
{
	return READ_ONCE(qp->lint.by) == current;
}

u32 glass_lint_send_stack(const struct glass_qp *qp, const struct glass_qp *other)
{
	const struct glass_qp *at[] = { qp, other };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		u64 flow;

		if (!at[i] || !is_at_work(at[i]))
			continue;
		flow = at[i]->lint.flow;
		if (!flow && at[i] == qp)
			return glass_lint_posted_from(qp, qp->core.req.cur);
		if (flow >> 32 == glass_flow_high(qp))
			return glass_lint_posted_from(qp, (u32)flow);
	}
	return 0;
}

u32 glass_lint_arrived_from(const struct glass_qp *qp)
{
	struct glass_qp *peer;
	u32 stack;

	lockdep_assert_held(&qp->lock);
	if (!is_at_work(qp))
		return 0;
	peer = glass_lint_peer(qp);
	if (!peer)
		return 0;
	stack = glass_lint_send_stack(peer, qp);
	glass_ref_put(&peer->ref);
	return stack;
}

/* Returns the stack of the post of the receive that the QP fills. */
static u32 recv_stack(const struct glass_qp *qp)
{
	const struct glass_lint_client *who = qp->srq ? qp->srq->owner.lint : qp->owner.lint;

	return is_at_work(qp) ? glass_where_stack(glass_lint_where(who), qp->core.resp.rwqe.stack) :
				0;
}

#define RIGHTS (GLASS_QPA_ACCESS_FLAGS | GLASS_QPA_PKEY_INDEX | GLASS_QPA_QKEY)
#define PATH                                                                                       \
	(GLASS_QPA_AV | GLASS_QPA_PATH_MTU | GLASS_QPA_RQ_PSN | GLASS_QPA_DEST_QPN |               \
	 GLASS_QPA_MAX_DEST_RD_ATOMIC)
#define SENDS                                                                                      \
	(GLASS_QPA_TIMEOUT | GLASS_QPA_RETRY_CNT | GLASS_QPA_RNR_RETRY | GLASS_QPA_SQ_PSN |        \
	 GLASS_QPA_MAX_QP_RD_ATOMIC)

void glass_lint_modified(struct glass_qp *qp, u32 mask)
{
	u32 stack = glass_lint_now(qp->owner.lint);

	if (!stack)
		return;
	if (mask & RIGHTS)
		WRITE_ONCE(qp->lint.rights_from, stack);
	if (mask & PATH)
		WRITE_ONCE(qp->lint.path_from, stack);
	if (mask & SENDS)
		WRITE_ONCE(qp->lint.sends_from, stack);
}

/*
 * Returns the stack of the verb that set the attribute which a finding is about; 0: the finding is
 * about no attribute, or the verb is unknown. `peer`: of the side that the finding calls the peer.
 */
static u32 attribute_stack(const struct glass_qp *qp, u32 code, bool peer)
{
	switch (code) {
	case GLASS_LINT_KEY_MISMATCH:
	case GLASS_LINT_REMOTE_ACCESS_DENIED:
		return peer ? 0 : READ_ONCE(qp->lint.rights_from);
	case GLASS_LINT_PSN_MISMATCH:
		return peer ? READ_ONCE(qp->lint.sends_from) : READ_ONCE(qp->lint.path_from);
	case GLASS_LINT_WRONG_PEER:
	case GLASS_LINT_MTU_MISMATCH:
		return READ_ONCE(qp->lint.path_from);
	case GLASS_LINT_TOO_MANY_RD_ATOMIC:
		return peer ? READ_ONCE(qp->lint.path_from) : 0;
	case GLASS_LINT_NO_RETRIES:
	case GLASS_LINT_NO_TIMEOUT:
	case GLASS_LINT_ENDLESS_RNR:
		return peer ? 0 : READ_ONCE(qp->lint.sends_from);
	default:
		return 0;
	}
}

/* A verb that is being called has not set its attributes yet. */
static u32 verb_stack(const struct glass_qp *qp, u32 code)
{
	return glass_lint_now(qp->owner.lint) ?: attribute_stack(qp, code, false) ?:
						  READ_ONCE(qp->owner.changed_stack) ?:
						  qp->owner.stack;
}

u32 glass_lint_stack(const struct glass_qp *qp, const struct glass_qp *other, u32 code)
{
	switch (code) {
	case GLASS_LINT_RECV_TOO_SHORT:
	case GLASS_LINT_NO_ROOM_FOR_GRH:
		return recv_stack(qp);
	case GLASS_LINT_UD_TOO_LONG:
	case GLASS_LINT_AH_OTHER_PD:
	case GLASS_LINT_ATOMIC_ALIGNMENT:
	case GLASS_LINT_TOO_MANY_RD_ATOMIC:
	case GLASS_LINT_POSTS_IN_ERR:
	case GLASS_LINT_WINDOW_KEY_INDEX:
		return glass_lint_send_stack(qp, other) ?: glass_lint_now(qp->owner.lint);
	case GLASS_LINT_MR_OTHER_PD:
	case GLASS_LINT_LKEY_AS_RKEY:
	case GLASS_LINT_STALE_KEY:
	case GLASS_LINT_SINK_NOT_WRITABLE:
	case GLASS_LINT_OUTSIDE_MR:
	case GLASS_LINT_BYTE_ORDER:
		/* a work request names the memory: a send, or the receive that a message fills */
		return glass_lint_send_stack(qp, other) ?: recv_stack(qp);
	default:
		return verb_stack(qp, code);
	}
}

u32 glass_lint_peer_stack(const struct glass_qp *other, const struct glass_qp *qp, u32 code)
{
	u32 stack = attribute_stack(other, code, true) ?: glass_lint_send_stack(other, qp);

	/* attributes that do not match: either side may be the wrong one */
	if (!stack && (code == GLASS_LINT_WRONG_PEER || code == GLASS_LINT_MTU_MISMATCH ||
		       code == GLASS_LINT_PSN_MISMATCH))
		stack = verb_stack(other, code);
	return stack;
}
