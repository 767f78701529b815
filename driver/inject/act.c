// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Carries out rules on objects (QPs, CQs, SRQs), rules with act=event, and rules with
 * act=device_fatal. Such a rule acts on its target once, when the rule is added.
 */
#include <linux/sched/signal.h>

#include "inject/command.h"
#include "inject/env.h"

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
	/* pid_task() also finds a zombie; its task has PF_EXITING */
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

static bool aim_at_qp(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim)
{
	if (rule->port > dev->num_ports)
		return false;
	aim->qp = glass_qp_find(dev, rule->port, rule->num);
	if (aim->qp)
		note_owner(f, &aim->qp->owner);
	return aim->qp;
}

static bool aim_at_cq(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim)
{
	aim->cq = glass_cq_find(dev, rule->num);
	if (aim->cq)
		note_owner(f, &aim->cq->owner);
	return aim->cq;
}

static bool aim_at_srq(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		       struct glass_aim *aim)
{
	aim->srq = glass_srq_find(dev, rule->num);
	if (aim->srq)
		note_owner(f, &aim->srq->owner);
	return aim->srq;
}

bool glass_inject_aim(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim)
{
	aim->action = rule->action;
	aim->kind = rule->kind;
	aim->event = rule->value[GLASS_RK_EVENT];
	switch (rule->kind) {
	case GLASS_KIND_QP:
		return aim_at_qp(dev, rule, f, aim);
	case GLASS_KIND_CQ:
		return aim_at_cq(dev, rule, f, aim);
	case GLASS_KIND_SRQ:
		return aim_at_srq(dev, rule, f, aim);
	case GLASS_KIND_PORT:
	case GLASS_KIND_DEVICE:
		/* a rule on the device has num 0: then aim->port is 0, which means the device */
		aim->port = rule->num;
		return rule->num <= dev->num_ports;
	default:
		return false;
	}
}

void glass_inject_miss(const struct glass_aim *aim)
{
	switch (aim->kind) {
	case GLASS_KIND_QP:
		glass_ref_put(&aim->qp->ref);
		break;
	case GLASS_KIND_CQ:
		glass_ref_put(&aim->cq->ref);
		break;
	case GLASS_KIND_SRQ:
		glass_ref_put(&aim->srq->ref);
		break;
	}
}

static void act_on_srq(struct glass_srq *srq, const struct glass_aim *aim)
{
	if (aim->action == GLASS_ACT_EVENT)
		glass_inject_env_srq_event(srq, aim->event);
	else if (aim->action == GLASS_ACT_SRQ_LIMIT)
		glass_inject_env_srq_limit(srq);
	else
		glass_inject_env_fail_srq(srq);
}

void glass_inject_act(struct glass_dev *dev, const struct glass_aim *aim)
{
	bool event = aim->action == GLASS_ACT_EVENT;

	switch (aim->kind) {
	case GLASS_KIND_QP:
		if (event)
			glass_inject_env_qp_event(aim->qp, aim->event);
		else
			glass_inject_env_fail_qp(aim->qp);
		break;
	case GLASS_KIND_CQ:
		if (event)
			glass_inject_env_cq_event(aim->cq);
		else
			glass_inject_env_fail_cq(aim->cq);
		break;
	case GLASS_KIND_SRQ:
		act_on_srq(aim->srq, aim);
		break;
	default:
		if (event)
			glass_inject_env_port_event(dev, aim->port, (enum ib_event_type)aim->event);
		else
			glass_inject_env_fail_device(dev);
		break;
	}
	glass_inject_miss(aim);
}
