/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The injection rules of a device. Commands (command.c) add and end rules. Hooks (hooks.h) ask
 * whether a rule fires, and carry out its action. The functions here decide that, and record each
 * firing in a journal.
 *
 * A rule is listed until it is deleted. It is in force while hooks can find it, and over when it
 * may fire no more. A site is a place with hooks: packets, completions or verbs. Other rules, on
 * objects, ports and the device, act when they are added. A stream is the packets or completions of
 * one QP in one direction and role (arriving datagrams: of one sender), or the calls of one verb by
 * one process. A rule counts each stream apart.
 *
 * Locks: glass_inject.lock (mutex; the list of rules) is taken before all locks of the engine;
 * glass_inject.books (spinlock, irqs off; streams, counts, journal) is taken after them.
 */
#ifndef GLASS_INJECT_INJECT_H
#define GLASS_INJECT_INJECT_H

#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "rules/index.h"
#include "rules/parse.h"
#include "rules/trigger.h"

struct glass_dev;

/* A static branch: on while a rule on packets, completions or verbs is listed for any device. */
DECLARE_STATIC_KEY_FALSE(glass_inject_key);

static inline bool glass_injecting(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_inject_key);
}

/* First member of a structure that is freed one RCU grace period after glass_force_retire(). */
struct glass_inject_retired {
	struct rcu_head rcu;
	struct glass_inject *in; /* glass_inject.retired counts the bytes */
	size_t bytes; /* of the whole structure */
};

/* A listed rule. */
struct glass_live_rule {
	struct glass_inject_retired retired;
	struct list_head node; /* glass_inject.rules */
	struct hlist_node named; /* glass_inject.names */
	struct glass_rule rule; /* sealed: immutable */
	/* its place while it is in force: an entry of this tier; else NULL; glass_inject.lock */
	struct glass_rule_tier *tier;
	u32 at;
	u32 followers; /* number of rules whose `after` is this one; under glass_inject.lock */
	u64 born; /* number of QPs that the device created before the rule */
	u64 added_ns;
	u32 id; /* never reused */
	u8 over; /* enum glass_over; under books */
	/* under books */
	u64 hit, eligible;
	/* the rule that must fire first; NULL: none, or it was deleted after it fired enough */
	struct glass_live_rule *after;
	bool after_never; /* that rule was deleted before it fired enough: this one never fires */
	struct pid *tie_pid; /* the rule ends with this process; NULL: none */
	void *tie_file; /* the rule ends when this file is closed; only compared; NULL: none */
	struct hlist_node tied; /* glass_inject.tied, while there is a tie_file */
	/* for actions on ports and the device, under glass_inject.lock */
	u64 was; /* the port's value before the change */
	u32 flaps; /* flaps that have not ended */
	u64 next_ns; /* ktime_get_ns() of the next link change or the end of an unplug; 0: none */
	bool broken; /* the port is changed or the device unplugged: the rule's end must undo it */
	/* delete the rule when its released packets are delivered; under glass_inject.lock */
	bool leaving;
};

/*
 * A tier: some of a site's rules in force, in the order in which they were added, with an index.
 * Hooks read it under RCU. It never changes, except that entries of rule[] become NULL (holes).
 */
struct glass_rule_tier {
	struct glass_inject_retired retired;
	u32 n;
	/* under glass_inject.lock */
	u32 holes; /* NULLs in rule[] */
	u32 *to; /* n numbers: the rules' places in a copy that is being made */
	struct glass_live_rule __rcu **rule; /* n entries */
	struct glass_index index; /* last member: flexible array */
};

#define GLASS_INJECT_TIERS 8 /* most tiers of a site */

/* All rules in force of one site, oldest first. */
struct glass_rule_set {
	struct glass_inject_retired retired;
	u32 tiers;
	u32 wants, dirs; /* those of the tiers' indexes, ORed */
	struct glass_rule_tier *tier[GLASS_INJECT_TIERS];
};

enum glass_inject_site {
	GLASS_INJECT_PACKETS,
	GLASS_INJECT_COMPLETIONS,
	GLASS_INJECT_VERBS,
	GLASS_INJECT_SITES,
};

/*
 * One firing, an entry of the journal. For rules on objects, ports and the device only kind, num,
 * port, pid and comm describe the target; the other values are 0.
 */
struct glass_firing {
	u64 seq; /* from 1 */
	u64 when; /* ktime_get_ns() */
	char rule[GLASS_RULE_NAME];
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind */
	u8 site; /* enum glass_inject_site; of objects, ports and devices GLASS_INJECT_SITES */
	u8 dir, role; /* enum glass_dir, enum glass_role */
	u32 num, port;
	u32 keys; /* BIT(GLASS_SEL_*) of the valid fields below */
	u32 qpn, psn, rpsn, round, len, op, cqn;
	u64 nqp; /* 0: a QP that is older than the rule */
	u64 msg, wr_id;
	u64 n; /* number in its stream */
	u64 extra; /* by action: delay in ns, or the first flipped bit plus one; 0: none */
	bool open; /* extra is not known yet: journal readers stop before this entry */
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

#define GLASS_INJECT_NAME_BITS 9

struct glass_inject {
	/* protects dev to verbs, and sweep_at; `away` and set[] may be read without it */
	struct mutex lock;
	struct glass_dev *dev; /* NULL while it is unplugged */
	/*
	 * The device's name, also while it is unplugged: it cannot be renamed then. Written under
	 * dirs_lock of debugfs/, too, except when the folder is made. Read under either lock, or
	 * while the device is not registered.
	 */
	char name[IB_DEVICE_NAME_MAX];
	bool open; /* between glass_inject_open() and glass_inject_close(): sweeps may work */
	struct glass_rule_error error; /* of the last command; kind 0: it was accepted */
	char last_error[GLASS_RULE_ERROR]; /* `error` as text, if its kind is not 0 */
	char last_added[GLASS_RULE_NAME]; /* the name of the rule that the last `add` made */
	u32 away; /* rules that keep the device unplugged */
	struct work_struct plug; /* unplugs the device, or plugs it in again */
	struct list_head rules; /* struct glass_live_rule, oldest first */
	u32 nrules, auto_name, last_id;
	struct hlist_head names[1 << GLASS_INJECT_NAME_BITS]; /* the same rules by name */
	struct hlist_head tied; /* rules that end when a file is closed */
	u32 verbs[GLASS_VERB_COUNT]; /* per verb: number of rules in force that make it fail */
	atomic_long_t retired; /* bytes of retired memory; RCU callbacks subtract what they free */
	struct glass_rule_set __rcu *set[GLASS_INJECT_SITES]; /* NULL: none in force */
	unsigned long generation; /* increases after each change of set[]; read without lock */

	spinlock_t books; /* streams to journal; irqs off */
	struct hlist_head *streams; /* STREAM_BUCKETS; allocated with the first rule */
	u32 nstreams;
	u64 fired; /* seq of the last firing */
	u64 fired_by[GLASS_ACT_COUNT]; /* firings by action */
	u64 no_room; /* how often there was no room for a stream, or to carry out a firing */
	/* ring of GLASS_INJECT_JOURNAL firings, by (seq - 1) modulo that; NULL before any rule */
	struct glass_firing *journal;

	struct delayed_work sweep; /* glass_inject_sweep() */
	unsigned long sweep_at; /* jiffies: the sweep's last due time; under lock */
	atomic64_t born; /* QPs that were created on the device */
	atomic64_t left; /* objects that programs left for the kernel to destroy */
};

void glass_inject_init(struct glass_inject *in);
/* Frees the rules. No hook may run any more. May sleep. */
void glass_inject_exit(struct glass_inject *in);

/*
 * open: sets the device's name; call it before the files of inject/ are made. close: call it after
 * they are removed; waits for a sweep that runs, and later ones do nothing. May sleep.
 */
void glass_inject_open(struct glass_inject *in, const char *name);
void glass_inject_close(struct glass_inject *in);
/* Call it when the device was renamed. May sleep. */
void glass_inject_rename(struct glass_inject *in, const char *name);

/*
 * came: the device is plugged in; applies the effects of rules to its ports. goes: it is about to
 * be unplugged; rules no longer change it. May sleep.
 */
void glass_inject_came(struct glass_inject *in, struct glass_dev *dev);
void glass_inject_goes(struct glass_inject *in);

/*
 * Work function of glass_inject.sweep: ends rules whose time or process has ended, and carries out
 * link changes that are due.
 */
void glass_inject_sweep(struct work_struct *work);

/* ---- the list of rules. The caller holds glass_inject.lock. May sleep. */

/*
 * Adds a parsed rule: chooses name and seed if it has none, and puts it in force if it is for
 * packets, completions or verbs. r is from kzalloc(), with rule and ties filled. Returns 0 and owns
 * r, or returns -ENOMEM and the caller keeps r. No listed rule may have the name.
 */
int glass_inject_add_rule(struct glass_inject *in, struct glass_live_rule *r);
/* The rule of that name, or NULL. */
struct glass_live_rule *glass_inject_find(struct glass_inject *in, const char *name);
/* Takes a rule out of force and marks it as over; it stays listed, with the reason. */
void glass_inject_end_rule(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/* The same for all rules, at once. */
void glass_inject_end_all(struct glass_inject *in, enum glass_over why);
/* Ends a rule, removes it from the list, and frees it. */
void glass_inject_del_rule(struct glass_inject *in, struct glass_live_rule *r);
/* Takes rules that are over out of force. Returns whether any was in force. */
bool glass_inject_tidy(struct glass_inject *in);
/* Schedules the sweep in this many jiffies; an earlier one is not postponed. */
void glass_inject_sweep_in(struct glass_inject *in, unsigned long wait);
/* BIT_ULL(GLASS_VERB_*) of the verbs that rules in force make fail. */
u64 glass_inject_verbs(const struct glass_inject *in);

/* ---- firings and the journal */

/* Records the firing of a rule on an object, a port or the device (dev: its name). */
void glass_inject_done(struct glass_inject *in, const char *dev, struct glass_live_rule *r,
		       struct glass_firing *f);
/* Sets `extra` of the journal entry of a firing, which journal readers wait for. Any context. */
void glass_inject_note_extra(struct glass_inject *in, u64 seq, u64 extra);
/* Counts a firing that could not be carried out, as for lack of memory. Any context. */
void glass_inject_no_room(struct glass_inject *in);

/* Copies the firing of that number, or the oldest later one in the journal; false: none. */
bool glass_inject_firing(struct glass_inject *in, u64 seq, struct glass_firing *out);

/*
 * A packet, completion or verb that passes a hook: its stream, and its place in the stream.
 */
struct glass_passing {
	enum glass_inject_site site;
	const char *dev; /* name */
	u64 born; /* the QP's number among all of the device, 0: there is no QP */
	u32 qpn; /* verbs: enum glass_verb */
	u32 source; /* arriving datagrams: the sender; verbs: the process */
	u8 dir; /* enum glass_dir */
	u8 role; /* enum glass_role */
	bool fixed; /* psn and round are valid */
	u32 rpsn, round;
};

/* The action that a rule orders; parameters have the names of the rule's keys (glass-inject.h). */
struct glass_hit {
	enum glass_action action;
	u64 seq; /* of the firing */
	u32 id; /* of the rule */
	char rule[GLASS_RULE_NAME];
	u64 random; /* for the hook's random decisions */
	u64 time; /* delays, in ns */
	u32 copies, gap, bits, at, keep, vendor;
	u32 err; /* errno of a verb */
	u8 what, crc, code, timer, timers, status;
	bool has_at, has_keep, has_timer;
};

/* Are rules of that site and direction in force? *keys: their BIT(GLASS_SEL_*). Any context. */
static inline bool glass_inject_wants(const struct glass_inject *in, enum glass_inject_site site,
				      enum glass_dir dir, u32 *keys)
{
	const struct glass_rule_set *set;
	bool yes;

	rcu_read_lock();
	set = rcu_dereference(in->set[site]);
	yes = set && (set->dirs & BIT(dir));
	*keys = yes ? set->wants : 0;
	rcu_read_unlock();
	return yes;
}

/*
 * At which sites can a rule match for a QP? s: the QP's constant properties (GLASS_SEL_OF_QP).
 * Returns bits, 1 << enum glass_inject_site; *of: the generation of rules for which they are true.
 * Any context.
 */
u32 glass_inject_concerned(const struct glass_inject *in, const struct glass_subject *s,
			   unsigned long *of);

/* Does a rule fire? If so, the firing is in the journal, and *hit has the action. Any context. */
bool glass_inject_ask(struct glass_inject *in, const struct glass_subject *s,
		      const struct glass_passing *p, struct glass_hit *hit);

#endif
