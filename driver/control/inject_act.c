// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Actions on objects: done at once, to one that is there. */
#include <linux/sched/signal.h>

#include "control/dump.h"
#include "control/inject.h"
#include "engine/engine.h"

void glass_inject_object(char *to, size_t len, enum glass_kind kind, u32 num)
{
	snprintf(to, len, kind == GLASS_KIND_QP ? "%s=0x%x" : "%s=%u", glass_rule_selector(kind),
		 num);
}

bool glass_inject_alive(struct pid *pid)
{
	struct task_struct *task;
	bool alive;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	/* a process that ended and was not waited for yet has ended */
	alive = task && !(READ_ONCE(task->flags) & PF_EXITING);
	rcu_read_unlock();
	return alive;
}

static void note_owner(struct glass_firing *f, const struct glass_owner *o)
{
	f->pid = o->pid;
	memcpy(f->comm, o->comm, sizeof(f->comm));
	f->comm[sizeof(f->comm) - 1] = 0;
}

static bool act_on_qp(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f)
{
	struct glass_qp *qp;

	if (rule->port > dev->num_ports)
		return false;
	qp = glass_qp_find(dev, rule->port, rule->num);
	if (!qp)
		return false;
	note_owner(f, &qp->owner);
	if (rule->action == GLASS_ACT_EVENT)
		glass_qp_inject_event(qp, rule->value[GLASS_RK_EVENT]);
	else
		glass_qp_inject_fatal(qp);
	glass_ref_put(&qp->ref);
	return true;
}

static bool act_on_cq(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f)
{
	struct glass_cq *cq = glass_cq_find(dev, rule->num);

	if (!cq)
		return false;
	note_owner(f, &cq->owner);
	if (rule->action == GLASS_ACT_EVENT)
		glass_cq_inject_event(cq);
	else
		glass_cq_inject_overrun(cq);
	glass_ref_put(&cq->ref);
	return true;
}

static bool act_on_srq(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f)
{
	struct glass_srq *srq = glass_srq_find(dev, rule->num);

	if (!srq)
		return false;
	note_owner(f, &srq->owner);
	if (rule->action == GLASS_ACT_EVENT)
		glass_srq_inject_event(srq, rule->value[GLASS_RK_EVENT]);
	else if (rule->action == GLASS_ACT_SRQ_LIMIT)
		glass_srq_inject_limit(srq);
	else
		glass_srq_inject_fatal(srq);
	glass_ref_put(&srq->ref);
	return true;
}

bool glass_inject_act(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f)
{
	switch (rule->kind) {
	case GLASS_KIND_QP:
		return act_on_qp(dev, rule, f);
	case GLASS_KIND_CQ:
		return act_on_cq(dev, rule, f);
	case GLASS_KIND_SRQ:
		return act_on_srq(dev, rule, f);
	case GLASS_KIND_PORT:
	case GLASS_KIND_DEVICE:
		/* the only action on these here is an event; num of the device is 0 */
		if (rule->num > dev->num_ports)
			return false;
		glass_port_event(dev, rule->num, (enum ib_event_type)rule->value[GLASS_RK_EVENT]);
		return true;
	default:
		return false;
	}
}
