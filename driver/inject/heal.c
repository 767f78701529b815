// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Ends rules: takes them out of force, undoes their effects, and deletes them. */
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "inject/command.h"
#include "inject/hooks.h"
#include "inject/hold.h"
#include "inject/later.h"

bool glass_inject_keep(struct glass_inject *in, struct glass_inject_rest *rest)
{
	lockdep_assert_held(&in->lock);
	if (!rest->dev && in->dev && ib_device_try_get(&in->dev->ib))
		rest->dev = in->dev;
	return rest->dev;
}

u32 glass_inject_step(struct glass_inject *in, u32 id, u64 n, struct glass_inject_rest *rest)
{
	u32 went = glass_hold_step(in->dev, id, n);

	if (went && rest && glass_inject_keep(in, rest))
		rest->stepped = true;
	return went;
}

/* Undoes act=unplug of a rule. The device returns unless another rule keeps it unplugged. */
static void plug_in(struct glass_inject *in, struct glass_live_rule *r)
{
	lockdep_assert_held(&in->lock);
	if (!r->broken)
		return;
	r->broken = false;
	r->next_ns = 0;
	WRITE_ONCE(in->away, in->away - 1);
	queue_work(system_dfl_wq, &in->plug);
}

/*
 * Must the end of the rule wait for hooks that have found the rule? Such a hook may still queue a
 * packet (act=hold) or a completion (act=cqe_delay). The end of the rule must release this packet
 * or completion, too. With act=delay and act=reorder no wait is needed: the packet goes on when its
 * delay is over.
 */
static bool is_slow(const struct glass_live_rule *r)
{
	return r->rule.action == GLASS_ACT_HOLD || r->rule.action == GLASS_ACT_CQE_DELAY;
}

/*
 * Undoes the effects of a rule that is out of force. If is_slow(r), the caller has waited for the
 * end of each hook that found the rule.
 */
static void rule_heal(struct glass_inject *in, struct glass_live_rule *r,
		      struct glass_inject_rest *rest)
{
	struct glass_dev *dev = in->dev;

	lockdep_assert_held(&in->lock);
	if (r->rule.action == GLASS_ACT_UNPLUG) {
		plug_in(in, r);
		return;
	}
	/* the device is unplugged: queued packets, late completions and changed ports are gone */
	if (!dev)
		return;
	switch (r->rule.site) {
	case 'P':
		if (r->rule.action == GLASS_ACT_HOLD)
			glass_inject_step(in, r->id, GLASS_INJECT_WAITING, rest);
		glass_later_release(dev, r->id);
		break;
	case 'C':
		if (r->rule.action == GLASS_ACT_CQE_DELAY)
			glass_late_release(dev, r->id);
		break;
	case 'N':
		glass_inject_mend(dev, r);
		break;
	}
}

void glass_inject_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest)
{
	glass_inject_end_rule(in, r, why);
	if (is_slow(r))
		synchronize_rcu();
	rule_heal(in, r, rest);
}

/*
 * Deletes a rule. But if the command has released held packets, leaves the deletion to
 * glass_inject_finish(), which first waits for the delivery of these packets. Until then, the
 * listed rule keeps glass_injecting() true. So hooks queue later packets of a QP behind the
 * released ones (glass_hold_behind()). Otherwise the later packets would overtake the released
 * ones.
 */
static void rule_drop(struct glass_inject *in, struct glass_live_rule *r,
		      struct glass_inject_rest *rest)
{
	r->leaving = true;
	if (!rest->stepped)
		glass_inject_del_rule(in, r);
}

void glass_inject_delete(struct glass_inject *in, struct glass_live_rule *r,
			 struct glass_inject_rest *rest)
{
	glass_inject_end(in, r, GLASS_OVER_COUNT, rest);
	memcpy(rest->leaves, r->rule.name, sizeof(rest->leaves));
	rule_drop(in, r, rest);
}

void glass_inject_delete_all(struct glass_inject *in, struct glass_inject_rest *rest)
{
	struct glass_live_rule *r, *before;
	bool slow = false;

	lockdep_assert_held(&in->lock);
	glass_inject_end_all(in, GLASS_OVER_COUNT);
	list_for_each_entry(r, &in->rules, node)
		slow |= is_slow(r);
	if (slow)
		synchronize_rcu();
	list_for_each_entry(r, &in->rules, node)
		rule_heal(in, r, rest);
	rest->all_leave = true;
	list_for_each_entry_safe_reverse(r, before, &in->rules, node)
		rule_drop(in, r, rest);
}

/*
 * Deletes the rules that rule_drop() has left to this function: the rule that *rest names, or all
 * rules whose `leaving` is set. Skips a rule that another command has deleted meanwhile.
 */
static void rules_drop_rest(struct glass_inject *in, const struct glass_inject_rest *rest)
{
	struct glass_live_rule *r, *before;

	mutex_lock(&in->lock);
	if (rest->all_leave) {
		list_for_each_entry_safe_reverse(r, before, &in->rules, node)
			if (r->leaving)
				glass_inject_del_rule(in, r);
	} else if (rest->leaves[0]) {
		r = glass_inject_find(in, rest->leaves);
		if (r && r->leaving)
			glass_inject_del_rule(in, r);
	}
	mutex_unlock(&in->lock);
}

void glass_inject_finish(struct glass_inject *in, struct glass_inject_rest *rest)
{
	if (!rest->dev)
		return;
	if (rest->acts)
		glass_inject_act(rest->dev, &rest->aim);
	if (rest->stepped)
		glass_hold_flush(rest->dev);
	ib_device_put(&rest->dev->ib);
	if (rest->stepped)
		rules_drop_rest(in, rest);
}
