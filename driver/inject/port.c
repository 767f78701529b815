// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Rules on ports: a rule changes its port, and the end of the rule undoes the change. */
#include <linux/ktime.h>

#include "inject/command.h"
#include "inject/env.h"

#define DEFAULT_FLAP_NS 100000000

static struct glass_link_port *link_of(struct glass_dev *dev, const struct glass_live_rule *r)
{
	return &dev->ports[r->rule.num].link;
}

bool glass_inject_can_break(struct glass_dev *dev, const struct glass_rule *rule, u64 *entries)
{
	const struct glass_port *p = &dev->node_ports[rule->num];

	switch (rule->action) {
	case GLASS_ACT_PKEY_CHANGE:
		*entries = p->pkey_len;
		break;
	case GLASS_ACT_GID_CHANGE:
		*entries = p->guid_len;
		break;
	default:
		return true;
	}
	return rule->value[GLASS_RK_INDEX] < *entries;
}

/*
 * Replaces the LID, the SM LID, a P_Key or a GUID of the port by `value`. The rule's action says
 * which of these. Returns the old value. The caller holds fabric->lock.
 */
static u64 port_exchange_value(struct glass_port *p, const struct glass_rule *rule, u64 value)
{
	u32 index = rule->value[GLASS_RK_INDEX];
	u64 was;

	switch (rule->action) {
	case GLASS_ACT_LID_CHANGE:
		was = p->lid;
		WRITE_ONCE(p->lid, value);
		return was;
	case GLASS_ACT_SM_CHANGE:
		was = p->sm_lid;
		WRITE_ONCE(p->sm_lid, value);
		return was;
	case GLASS_ACT_PKEY_CHANGE:
		was = p->pkeys[index];
		WRITE_ONCE(p->pkeys[index], value);
		return was;
	default:
		was = p->guids[index];
		WRITE_ONCE(p->guids[index], value);
		return was;
	}
}

static u32 change_of(enum glass_action action)
{
	switch (action) {
	case GLASS_ACT_LID_CHANGE:
		return GLASS_CHG_LID;
	case GLASS_ACT_SM_CHANGE:
		return GLASS_CHG_SM;
	case GLASS_ACT_PKEY_CHANGE:
		return GLASS_CHG_PKEY;
	default:
		return GLASS_CHG_GID;
	}
}

static u64 new_value(const struct glass_rule *rule)
{
	bool lid = rule->action == GLASS_ACT_LID_CHANGE || rule->action == GLASS_ACT_SM_CHANGE;

	return rule->value[lid ? GLASS_RK_LID : GLASS_RK_VALUE];
}

static bool is_link(const struct glass_rule *rule)
{
	return rule->action == GLASS_ACT_PORT_DOWN || rule->action == GLASS_ACT_PORT_FLAP;
}

/*
 * If `out` is true, pulls the cable out of the rule's port. Otherwise plugs it in again, unless
 * another rule keeps it out.
 */
static void port_pull_cable(struct glass_dev *dev, struct glass_live_rule *r, bool out)
{
	struct glass_link_port *lp = link_of(dev, r);

	spin_lock_irq(&dev->fabric->lock);
	lp->port->pulled += out ? 1 : -1;
	spin_unlock_irq(&dev->fabric->lock);
	r->broken = out;
	glass_inject_env_port_changed(lp, GLASS_CHG_LINK);
}

static u64 flap_ns(const struct glass_rule *rule)
{
	/* at least 1 ms, the shortest jiffy: the sweep changes the link at most once per jiffy */
	return max_t(u64, glass_rule_has(rule, GLASS_RK_TIME) ? rule->value[GLASS_RK_TIME] :
								DEFAULT_FLAP_NS, NSEC_PER_MSEC);
}

void glass_inject_break(struct glass_dev *dev, struct glass_live_rule *r)
{
	struct glass_rule *rule = &r->rule;
	struct glass_link_port *lp = link_of(dev, r);

	lockdep_assert_held(&dev->inject->lock);
	if (is_link(rule)) {
		if (rule->action == GLASS_ACT_PORT_FLAP) {
			r->flaps = 1;
			if (glass_rule_has(rule, GLASS_RK_FLAPS))
				r->flaps = rule->value[GLASS_RK_FLAPS];
			r->next_ns = ktime_get_ns() + flap_ns(rule);
		}
		port_pull_cable(dev, r, true);
		return;
	}
	spin_lock_irq(&dev->fabric->lock);
	r->was = port_exchange_value(lp->port, rule, new_value(rule));
	glass_inject_env_port_note(lp, change_of(rule->action));
	spin_unlock_irq(&dev->fabric->lock);
	r->broken = true;
	glass_inject_env_port_changed(lp, change_of(rule->action));
}

void glass_inject_mend(struct glass_dev *dev, struct glass_live_rule *r)
{
	struct glass_link_port *lp = link_of(dev, r);
	u64 was;

	lockdep_assert_held(&dev->inject->lock);
	r->next_ns = 0;
	if (!r->broken)
		return;
	if (is_link(&r->rule)) {
		port_pull_cable(dev, r, false);
		return;
	}
	spin_lock_irq(&dev->fabric->lock);
	was = port_exchange_value(lp->port, &r->rule, r->was);
	/* if a subnet manager has set another value meanwhile, put that value back */
	if (was != new_value(&r->rule))
		port_exchange_value(lp->port, &r->rule, was);
	glass_inject_env_port_note(lp, change_of(r->rule.action));
	spin_unlock_irq(&dev->fabric->lock);
	r->broken = false;
	glass_inject_env_port_changed(lp, change_of(r->rule.action));
}

bool glass_inject_flap(struct glass_dev *dev, struct glass_live_rule *r, u64 now)
{
	lockdep_assert_held(&dev->inject->lock);
	r->next_ns = now + flap_ns(&r->rule);
	if (!r->broken) {
		port_pull_cable(dev, r, true);
		return true;
	}
	port_pull_cable(dev, r, false);
	return --r->flaps;
}
