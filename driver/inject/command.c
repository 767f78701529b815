// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Executes the commands of inject/rules, and ends rules whose lifetime is over. rules/parse.c
 * parses the commands.
 *
 * The command `add` adds a rule. A rule on packets, completions or verbs is then in force
 * (force.c). A rule on an object, a port or the device acts before the write() of the command
 * returns. Each rule stays listed until it is deleted.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>

#include "compat/workqueue.h"
#include "inject/command.h"
#include "inject/inject.h"
#include "model/device.h"
#include "observe/observe.h"

/*
 * Sets in->error to the reason why a command is refused. glass_inject_command() adds the position
 * of the wrong pair.
 */
static int inject_refuse(struct glass_inject *in, enum glass_rule_error_kind kind,
			 enum glass_rule_key key)
{
	glass_rule_error_set(&in->error, kind, key);
	return -EINVAL;
}

static int refuse_beyond(struct glass_inject *in, enum glass_rule_error_kind kind,
			 enum glass_rule_key key, u64 low, u64 high)
{
	inject_refuse(in, kind, key);
	in->error.bounded = true;
	in->error.low = low;
	in->error.high = high;
	return -EINVAL;
}

static int no_such_port(struct glass_inject *in)
{
	return refuse_beyond(in, GLASS_RE_NO_OBJECT, GLASS_RK_PORT, 1, in->dev->num_ports);
}

static int no_such_object(struct glass_inject *in, const struct glass_rule *rule)
{
	static const u8 keys[GLASS_KIND_COUNT] = {
		[GLASS_KIND_QP] = GLASS_RK_QPN, [GLASS_KIND_CQ] = GLASS_RK_CQN,
		[GLASS_KIND_SRQ] = GLASS_RK_SRQN, [GLASS_KIND_PORT] = GLASS_RK_PORT,
		[GLASS_KIND_DEVICE] = GLASS_RK_ACT,
	};

	if (rule->port > in->dev->num_ports || rule->kind == GLASS_KIND_PORT)
		return no_such_port(in);
	return inject_refuse(in, GLASS_RE_NO_OBJECT, keys[rule->kind]);
}

/*
 * Refuses a rule if the device does not have the lowest port that the rule selects. Accepts any
 * port while the device is unplugged. Accepts every rule on an object, because glass_inject_aim()
 * checks the port of the object. Returns 0 or -EINVAL.
 */
static int check_port(struct glass_inject *in, const struct glass_rule *rule)
{
	const struct glass_cond *port = glass_select_get(&rule->select, GLASS_SEL_PORT);

	if (rule->site == 'O' || !port || !in->dev || port->low <= in->dev->num_ports)
		return 0;
	return no_such_port(in);
}

/*
 * Refuses a rule that cannot act here. At a port of a switch or passive CA, a rule can only drop
 * packets, and cannot select by properties of QPs or processes. At a port of an HCA, a rule cannot
 * select a node. Returns 0 or -EINVAL.
 */
static int check_place(struct glass_inject *in, const struct glass_rule *rule)
{
	static const u8 unknown[] = {
		GLASS_RK_PID, GLASS_RK_COMM, GLASS_RK_QPN, GLASS_RK_NQP, GLASS_RK_PQP,
		GLASS_RK_QPTYPE, GLASS_RK_STATE, GLASS_RK_RPSN, GLASS_RK_ROUND,
	};
	u32 i;

	if (!in->at_nodes)
		return glass_rule_has(rule, GLASS_RK_NODE) ?
			       inject_refuse(in, GLASS_RE_NO_NODE, GLASS_RK_NODE) : 0;
	if (rule->action != GLASS_ACT_DROP)
		return inject_refuse(in, GLASS_RE_NODE_ACTION, GLASS_RK_ACT);
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		if (glass_rule_has(rule, unknown[i]))
			return inject_refuse(in, GLASS_RE_NODE_KEY, unknown[i]);
	return 0;
}

/*
 * If the rule has tie=, ties it to a process, or to the open file to which the command was written.
 * Returns 0, or -EINVAL if there is no such process.
 */
static int rule_tie(struct glass_inject *in, struct glass_live_rule *r, struct file *file)
{
	if (!glass_rule_has(&r->rule, GLASS_RK_TIE))
		return 0;
	if (r->rule.tie_fd) {
		r->tie_file = file;
		return 0;
	}
	r->tie_pid = find_get_pid(r->rule.value[GLASS_RK_TIE]);
	if (r->tie_pid)
		return 0;
	return inject_refuse(in, GLASS_RE_NO_PROCESS, GLASS_RK_TIE);
}

/*
 * The sweep (glass_inject_sweep()) checks rules with ttl=, and rules that are tied to a process, at
 * this interval. The driver gets no notice when a process ends.
 */
#define SWEEP_JIFFIES max(HZ / 20, 1)

static bool has_lifetime(const struct glass_live_rule *r)
{
	return !READ_ONCE(r->over) && (glass_rule_has(&r->rule, GLASS_RK_TTL) || r->tie_pid);
}

/*
 * Returns the number of jiffies until the sweep must check a rule again. Returns 0 if no check is
 * needed. `now` is ktime_get_ns().
 */
static unsigned long rule_next_look(const struct glass_live_rule *r, u64 now)
{
	unsigned long wait = has_lifetime(r) ? SWEEP_JIFFIES : 0;

	if (r->next_ns && !READ_ONCE(r->over)) {
		unsigned long next = r->next_ns > now ? nsecs_to_jiffies(r->next_ns - now) + 1 : 1;

		wait = wait ? min(wait, next) : next;
	}
	return wait;
}

static void rule_unplug(struct glass_inject *in, struct glass_live_rule *r)
{
	lockdep_assert_held(&in->lock);
	r->broken = true;
	if (glass_rule_has(&r->rule, GLASS_RK_TIME))
		r->next_ns = ktime_get_ns() + max_t(u64, r->rule.value[GLASS_RK_TIME], 1);
	WRITE_ONCE(in->away, in->away + 1);
	queue_work(system_dfl_wq, &in->plug);
}

/*
 * Adds a rule on a port or the device, and records its firing. A rule on a port changes the port at
 * once. After in->lock is released, glass_inject_finish() carries out act=device_fatal, and the
 * work in->plug carries out act=unplug.
 */
static int add_at_once(struct glass_inject *in, struct glass_live_rule *r,
		       struct glass_inject_rest *rest)
{
	struct glass_firing f = { .kind = r->rule.kind, .num = r->rule.num };
	u64 entries;
	int err;

	if (r->rule.site == 'N' && !glass_inject_can_break(in->dev, &r->rule, &entries))
		return refuse_beyond(in, GLASS_RE_NO_ENTRY, GLASS_RK_INDEX, 0, entries - 1);
	if (r->rule.action == GLASS_ACT_DEVICE_FATAL && !glass_inject_keep(in, rest))
		return inject_refuse(in, GLASS_RE_UNPLUGGED, GLASS_RK_ACT);
	err = glass_inject_add_rule(in, r);
	if (err)
		return err;
	if (r->rule.site == 'N')
		glass_inject_break(in->dev, r);
	else if (r->rule.action == GLASS_ACT_DEVICE_FATAL)
		rest->acts = glass_inject_aim(in->dev, &r->rule, &f, &rest->aim);
	else
		rule_unplug(in, r);
	glass_inject_done(in, in->name, r, &f);
	return 0;
}

/*
 * Adds a rule on an object, or a rule with act=event on a port or the device. Records its firing.
 * glass_inject_finish() carries out the action after in->lock is released.
 */
static int add_action(struct glass_inject *in, struct glass_live_rule *r,
		      struct glass_inject_rest *rest)
{
	struct glass_rule *rule = &r->rule;
	struct glass_firing f = { .kind = rule->kind, .num = rule->num, .port = rule->port };
	int err;

	if (!glass_inject_keep(in, rest))
		return inject_refuse(in, GLASS_RE_UNPLUGGED, GLASS_RK_ACT);
	if (!glass_inject_aim(in->dev, rule, &f, &rest->aim))
		return no_such_object(in, rule);
	if (!glass_rule_has(rule, GLASS_RK_COUNT)) {
		rule->given[GLASS_RK_COUNT / 64] |= 1ULL << GLASS_RK_COUNT % 64;
		rule->value[GLASS_RK_COUNT] = 1;
		memcpy(rule->text + rule->text_len, " count=1", 8);
		rule->text_len += 8;
	}
	err = glass_inject_add_rule(in, r);
	if (err) {
		glass_inject_miss(&rest->aim);
		return err;
	}
	/*
	 * record the firing under the lock, so that no reader of the list sees the rule without its
	 * firing
	 */
	glass_inject_done(in, in->name, r, &f);
	rest->acts = true;
	return 0;
}

static int add_rule(struct glass_inject *in, struct glass_live_rule *r, struct file *file,
		    struct glass_inject_rest *rest)
{
	struct glass_rule *rule = &r->rule;
	unsigned long wait;
	int err;

	err = check_place(in, rule);
	if (err)
		return err;
	if (!in->dev && (rule->site == 'O' || rule->site == 'N' ||
			rule->action == GLASS_ACT_DEVICE_FATAL))
		return inject_refuse(in, GLASS_RE_UNPLUGGED, GLASS_RK_ACT);
	if (rule->name[0] && glass_inject_find(in, rule->name))
		return inject_refuse(in, GLASS_RE_NAME_TAKEN, GLASS_RK_NAME);
	if (in->nrules >= GLASS_INJECT_RULES) {
		refuse_beyond(in, GLASS_RE_TOO_MANY_RULES, GLASS_RK_KEYS, 0, GLASS_INJECT_RULES);
		return -ENOSPC;
	}
	err = check_port(in, rule);
	if (err)
		return err;
	if (rule->after[0]) {
		r->after = glass_inject_find(in, rule->after);
		if (!r->after)
			return inject_refuse(in, GLASS_RE_NO_RULE, GLASS_RK_AFTER);
	}
	if (rule->site == 'O')
		return add_action(in, r, rest);
	err = rule_tie(in, r, file);
	if (err)
		return err;
	err = rule->site == 'N' || rule->site == 'D' ? add_at_once(in, r, rest) :
						       glass_inject_add_rule(in, r);
	if (err) {
		put_pid(r->tie_pid);
		return err;
	}
	if (r->tie_file)
		hlist_add_head(&r->tied, &in->tied);
	wait = rule_next_look(r, ktime_get_ns());
	if (wait)
		glass_inject_sweep_in(in, wait);
	return 0;
}

static int del_rule(struct glass_inject *in, const struct glass_rule *rule,
		    struct glass_inject_rest *rest)
{
	struct glass_live_rule *r = glass_inject_find(in, rule->name);

	if (!r)
		return inject_refuse(in, GLASS_RE_NO_RULE, GLASS_RK_NAME);
	glass_inject_delete(in, r, rest);
	return 0;
}

/*
 * Carries out the commands `step` and `release`. Returns -EINVAL if there is no rule of the given
 * name, or if `step` finds no packet that waits for a step. Otherwise returns 0.
 */
static int command_release(struct glass_inject *in, const struct glass_rule *rule,
			   struct glass_inject_rest *rest)
{
	bool all = rule->command == GLASS_RULE_RELEASE;
	struct glass_live_rule *r = NULL;

	if (rule->name[0]) {
		r = glass_inject_find(in, rule->name);
		if (!r)
			return inject_refuse(in, GLASS_RE_NO_RULE, GLASS_RK_NAME);
	}
	/*
	 * The hit of a rule can be seen before its packet is in the list of held packets. Both happen
	 * in one RCU section (inject_try_packet()). So wait for this section, in order to find each
	 * packet whose hit the caller may have seen.
	 */
	if (in->dev)
		synchronize_rcu();
	if (in->dev && glass_inject_step(in, r ? r->id : 0,
					all ? GLASS_INJECT_WAITING : rule->value[GLASS_RK_NTH],
					rest))
		return 0;
	if (all)
		return 0;
	return inject_refuse(in, GLASS_RE_NO_PACKET, GLASS_RK_KEYS);
}

/*
 * Writes into the device's control page (glass-abi.h) which verbs of GLASS_PROVIDER_VERBS may fail
 * because of the rules in force. At each call of such a verb, the provider asks the driver whether
 * the call must fail (GLASS_REPORT_VERB).
 */
static void tell_providers(struct glass_inject *in)
{
	struct glass_control_page *page = in->dev ? in->dev->control : NULL;
	u64 verbs = glass_inject_verbs(in);

	verbs &= GLASS_PROVIDER_VERBS;
	if (!page || page->verb_faults == verbs)
		return;
	WRITE_ONCE(page->verb_faults, verbs);
	if (verbs)
		atomic_or(GLASS_CTL_VERB_FAULTS, (atomic_t *)&page->flags);
	else
		atomic_andnot(GLASS_CTL_VERB_FAULTS, (atomic_t *)&page->flags);
	atomic_inc((atomic_t *)&page->generation);
}

static int command_run(struct glass_inject *in, struct glass_live_rule *r, struct file *file,
		       struct glass_inject_rest *rest)
{
	switch (r->rule.command) {
	case GLASS_RULE_ADD:
		return add_rule(in, r, file, rest);
	case GLASS_RULE_DEL:
		return del_rule(in, &r->rule, rest);
	case GLASS_RULE_CLEAR:
		glass_inject_delete_all(in, rest);
		return 0;
	case GLASS_RULE_STEP:
	case GLASS_RULE_RELEASE:
		return command_release(in, &r->rule, rest);
	}
	return -EINVAL;
}

int glass_inject_command(struct glass_inject *in, struct file *file, const char *line, size_t len)
{
	struct glass_inject_rest rest = {};
	struct glass_live_rule *r;
	bool added;
	u32 away;
	int err;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	r->setter.pid = task_tgid_nr(current);
	r->setter.uid = from_kuid(&init_user_ns, current_uid());
	get_task_comm(r->setter.comm, current);
	mutex_lock(&in->lock);
	away = in->away;
	err = glass_rule_parse(line, len, &r->rule, &in->error);
	added = !err && r->rule.command == GLASS_RULE_ADD;
	if (!err) {
		err = command_run(in, r, file, &rest);
		glass_rule_error_place(&in->error, line, len);
	}
	if (in->error.kind)
		glass_rule_error_text(in->last_error, &in->error, line, len, in->name);
	if (!err && added)
		strscpy(in->last_added, r->rule.name, sizeof(in->last_added));
	tell_providers(in);
	away ^= in->away;
	mutex_unlock(&in->lock);
	/* wait, but without in->lock, which others need, until the command has taken effect */
	glass_inject_finish(in, &rest);
	if (away)
		flush_work(&in->plug);
	if (err || !added)
		kfree(r);
	return err;
}

void glass_inject_closed(struct glass_inject *in, struct file *file)
{
	struct glass_inject_rest rest = {};
	struct glass_live_rule *r;
	struct hlist_node *next;

	mutex_lock(&in->lock);
	hlist_for_each_entry_safe(r, next, &in->tied, tied) {
		if (r->tie_file != file)
			continue;
		r->tie_file = NULL;
		hlist_del_init(&r->tied);
		glass_inject_end(in, r, GLASS_OVER_TIE, &rest);
	}
	tell_providers(in);
	mutex_unlock(&in->lock);
	glass_inject_finish(in, &rest);
}

/*
 * The sweep calls this when r->next_ns has come. For act=port_flap, changes the link. Returns false
 * if the rule must end: this was its last change, its action is unplug, or the device is unplugged.
 */
static bool goes_on(struct glass_inject *in, struct glass_live_rule *r, u64 now)
{
	if (r->rule.action == GLASS_ACT_UNPLUG || !in->dev)
		return false;
	return glass_inject_flap(in->dev, r, now);
}

void glass_inject_came(struct glass_inject *in, struct glass_dev *dev)
{
	struct glass_live_rule *r;

	mutex_lock(&in->lock);
	in->dev = dev;
	list_for_each_entry(r, &in->rules, node)
		if (r->rule.site == 'N' && !READ_ONCE(r->over) && !r->broken)
			glass_inject_break(dev, r);
	tell_providers(in);
	mutex_unlock(&in->lock);
}

void glass_inject_goes(struct glass_inject *in)
{
	struct glass_live_rule *r;

	mutex_lock(&in->lock);
	in->dev = NULL;
	/* do not undo the changes of ports: the device that returns has new ports */
	list_for_each_entry(r, &in->rules, node)
		if (r->rule.site == 'N') {
			r->broken = false;
			r->next_ns = 0;
		}
	mutex_unlock(&in->lock);
}

/*
 * Ends rules whose ttl or process has ended, rules with act=unplug whose time is over, and rules
 * with act=port_flap after their last link change. Carries out link changes that are due. Takes out
 * of force all rules that are over.
 */
void glass_inject_sweep(struct work_struct *work)
{
	struct glass_inject *in = container_of(to_delayed_work(work), struct glass_inject, sweep);
	struct glass_live_rule *r;
	unsigned long again = 0, wait;
	u64 now;

	mutex_lock(&in->lock);
	if (!in->open) {
		/* the platform device is being removed: glass_inject_exit() will end all rules */
		mutex_unlock(&in->lock);
		return;
	}
	now = ktime_get_ns();
	list_for_each_entry(r, &in->rules, node) {
		enum glass_over why = GLASS_OVER_NO;

		if (!rule_next_look(r, now))
			continue;
		if (glass_rule_has(&r->rule, GLASS_RK_TTL) &&
		    now - r->added_ns >= r->rule.value[GLASS_RK_TTL])
			why = GLASS_OVER_TTL;
		if (r->tie_pid && !glass_inject_alive(r->tie_pid))
			why = GLASS_OVER_TIE;
		if (!why && r->next_ns && now >= r->next_ns && !goes_on(in, r, now))
			why = GLASS_OVER_COUNT;
		if (why) {
			glass_inject_end(in, r, why, NULL);
			continue;
		}
		wait = rule_next_look(r, now);
		again = again ? min(again, wait) : wait;
	}
	glass_inject_tidy(in);
	tell_providers(in);
	if (again)
		glass_inject_sweep_in(in, again);
	mutex_unlock(&in->lock);
}
