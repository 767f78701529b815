// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The hook for completions (hooks.h). */
#include <linux/ktime.h>
#include <linux/sched.h>

#include "inject/env.h"
#include "inject/hooks.h"

static void describe_completion(struct glass_subject *s, struct glass_passing *p,
				const struct glass_qp *qp, const struct glass_cq *cq,
				const struct glass_cqe *c)
{
	s->keys = 0;
	s->value[GLASS_SEL_PORT] = 0;
	s->value[GLASS_SEL_PSN] = 0;
	s->value[GLASS_SEL_MSG] = 0;
	p->born = qp->born;
	p->qpn = qp->core.qpn;
	glass_subject_set(s, GLASS_SEL_CQN, cq->cqn);
	glass_subject_set(s, GLASS_SEL_QPN, p->qpn);
	glass_subject_set(s, GLASS_SEL_NQP, qp->born);
	if (qp->born_here)
		glass_subject_set(s, GLASS_SEL_PQP, qp->born_here);
	if (qp->core.attr.port)
		glass_subject_set(s, GLASS_SEL_PORT, qp->core.attr.port);
	glass_subject_set(s, GLASS_SEL_QPTYPE, qp->core.type);
	glass_subject_set(s, GLASS_SEL_STATE, qp->core.state);
	glass_subject_set(s, GLASS_SEL_OP, glass_wcop_bit(c->op));
	glass_subject_set(s, GLASS_SEL_WR_ID, c->wr_id);
	glass_subject_set(s, GLASS_SEL_LEN, c->byte_len);
	if (c->is_send)
		glass_subject_set(s, GLASS_SEL_MSG, (u64)c->wqe_index + 1);
	else if (!qp->core.has_srq)
		p->taken = qp->rq_consumer;
	if (c->flow)
		glass_subject_set(s, GLASS_SEL_FLOW, c->flow);
	glass_subject_set(s, GLASS_SEL_PID, qp->owner.pid);
	s->keys |= BIT(GLASS_SEL_COMM);
	memcpy(s->comm, qp->owner.comm, sizeof(s->comm));
}

u32 glass_inject_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c)
{
	struct glass_passing p = {
		.site = GLASS_INJECT_COMPLETIONS,
		.dev = glass_dev_name(qp->dev),
		.dir = c->is_send ? GLASS_DIR_TX : GLASS_DIR_RX,
	};
	struct glass_subject s;
	struct glass_hit hit;
	bool fired, late = false;
	u32 want;

	lockdep_assert_held(&qp->lock);
	/* a completion with an error passes unchanged */
	if (c->status != GLASS_WC_SUCCESS ||
	    !glass_inject_wants(qp->dev->inject, p.site, p.dir, &want))
		return 1;
	describe_completion(&s, &p, qp, cq, c);
	/*
	 * Ask the rules and delay the completion in one RCU read section. Both the end of a rule
	 * and an unplug wait for this section before they release late completions. So they also
	 * release the completion that is added here.
	 */
	rcu_read_lock();
	fired = READ_ONCE(qp->dev->registered) && glass_inject_ask(qp->dev->inject, &s, &p, &hit);
	if (fired && hit.action == GLASS_ACT_CQE_DELAY)
		late = glass_late_add(qp, cq, c, hit.id, hit.time);
	rcu_read_unlock();
	if (!fired)
		return 1;
	switch (hit.action) {
	case GLASS_ACT_CQE_LOSE:
		return 0;
	case GLASS_ACT_CQE_DUP:
		return 2;
	case GLASS_ACT_CQE_DELAY:
		return late ? 0 : 1;
	case GLASS_ACT_CQE_ERROR:
		c->status = hit.status;
		c->cause = GLASS_CAUSE_INJECTED;
		c->syndrome = 0;
		c->vendor = hit.vendor;
		/* do not fail the QP here: the protocol core is in the middle of an operation */
		qp->inject_fail = true;
		glass_inject_env_kick(qp);
		return 1;
	default:
		return 1;
	}
}
