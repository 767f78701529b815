/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The injection rules of a device. Commands (command.c) add and end rules; hooks (hooks.h) ask whether a
 * rule fires, and do what it wants. This file decides and keeps the books.
 *
 * Locks: glass_inject.lock (mutex; what rules there are) is outside of all of the
 * engine's, glass_inject.books (spinlock, irqs off) inside of them.
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

/* Is there a rule for anything that passes by, on any device? A static branch. */
DECLARE_STATIC_KEY_FALSE(glass_inject_key);

static inline bool glass_injecting(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_inject_key);
}

/* Memory that is freed one RCU grace period later; the first member of what it is in. */
struct glass_inject_retired {
	struct rcu_head rcu;
	struct glass_inject *in; /* counts its bytes */
	size_t bytes;
};

/* A rule that is listed. */
struct glass_live_rule {
	struct glass_inject_retired retired;
	struct list_head node; /* glass_inject.rules */
	struct hlist_node named; /* glass_inject.names */
	struct glass_rule rule; /* sealed: does not change */
	/* where it is in force, under glass_inject.lock; NULL: nowhere */
	struct glass_rule_tier *tier;
	u32 at;
	u32 followers; /* rules whose `after` it is; under glass_inject.lock */
	u64 born; /* QPs that the device had created before */
	u64 added_ns;
	u32 id; /* never given again */
	u8 over; /* enum glass_over; under books */
	/* under books */
	u64 hit, eligible;
	struct glass_live_rule *after; /* NULL: none, or it is gone and had fired often enough */
	bool after_never; /* it is gone, and had not */
	struct pid *tie_pid;
	void *tie_file; /* compared, never followed */
	struct hlist_node tied; /* glass_inject.tied, while there is a tie_file */
	/* of actions on ports, under glass_inject.lock */
	u64 was; /* the value before it was changed */
	u32 flaps; /* left to begin */
	u64 next_ns; /* when the link goes or comes next; 0: not again */
	bool broken; /* the port is not as it was: to be healed */
	bool leaving; /* to be deleted as soon as what it let go is through; under glass_inject.lock */
};

/* Rules in force that were added one after another. Nothing changes but that rule[] gets holes. */
struct glass_rule_tier {
	struct glass_inject_retired retired;
	u32 n;
	/* under glass_inject.lock */
	u32 holes; /* NULLs in rule[] */
	u32 *to; /* n numbers: where the rules go in a copy that is being made */
	struct glass_live_rule __rcu **rule;
	struct glass_index index; /* last: it has a tail */
};

#define GLASS_INJECT_TIERS 8

/* All that are in force for one site, oldest first. */
struct glass_rule_set {
	struct glass_inject_retired retired;
	u32 tiers;
	u32 wants, dirs; /* of all indexes */
	struct glass_rule_tier *tier[GLASS_INJECT_TIERS];
};

enum glass_inject_site {
	GLASS_INJECT_PACKETS,
	GLASS_INJECT_COMPLETIONS,
	GLASS_INJECT_VERBS,
	GLASS_INJECT_SITES,
};

/* One firing. Selectors that hold are in `what`; of objects only kind, num and port. */
struct glass_firing {
	u64 seq; /* from 1 */
	u64 when; /* ktime_get_ns() */
	char rule[GLASS_RULE_NAME];
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind */
	u8 site; /* enum glass_inject_site; of objects, ports and devices GLASS_INJECT_SITES */
	u8 dir, role;
	u32 num, port;
	u32 keys; /* BIT(GLASS_SEL_*) of what follows */
	u32 qpn, psn, rpsn, round, len, op, cqn;
	u64 nqp; /* 0: a QP that is older than the rule */
	u64 msg, wr_id;
	u64 n; /* number in its stream */
	u64 extra; /* delay in ns, or the first bit that flips, plus one; by action; 0: none */
	bool open; /* extra is not known yet: readers of the journal wait before it */
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

#define GLASS_INJECT_NAME_BITS 9

struct glass_inject {
	struct mutex lock; /* outermost; all from dev to verbs, and sweep_at. `away` and set[] are read without it */
	struct glass_dev *dev; /* NULL while it is unplugged */
	/*
	 * The device's, also while it is unplugged: it cannot be renamed then. Written under dirs_lock of debugfs/,
	 * too, but when the folder is made; read under one of both, or while the device is not registered.
	 */
	char name[IB_DEVICE_NAME_MAX];
	bool open; /* commands may come */
	char last_error[GLASS_RULE_ERROR]; /* why the last command was refused */
	char last_added[GLASS_RULE_NAME]; /* the name of the rule that the last `add` made */
	u32 away; /* rules that keep the device unplugged */
	struct work_struct plug; /* takes the device away, or brings it back */
	struct list_head rules; /* struct glass_live_rule, oldest first */
	u32 nrules, auto_name, last_id;
	struct hlist_head names[1 << GLASS_INJECT_NAME_BITS]; /* the same rules by name */
	struct hlist_head tied; /* those that end when a file is closed */
	u32 verbs[GLASS_VERB_COUNT]; /* rules in force that make it fail */
	atomic_long_t retired; /* bytes that wait for a grace period; written by callbacks */
	struct glass_rule_set __rcu *set[GLASS_INJECT_SITES]; /* NULL: none in force */
	unsigned long generation; /* grows after each change of set[]; read without lock */

	spinlock_t books; /* everything below; irqs off */
	struct hlist_head *streams; /* STREAM_BUCKETS; made with the first rule */
	u32 nstreams;
	u64 fired; /* seq of the last firing */
	u64 fired_by[GLASS_ACT_COUNT];
	u64 no_room;
	struct glass_firing *journal; /* GLASS_INJECT_JOURNAL, by (seq - 1) % that; or NULL */

	struct delayed_work sweep; /* lifetimes */
	unsigned long sweep_at; /* jiffies: when it was to run last; under lock */
	atomic64_t born; /* QPs that were created on the device */
	atomic64_t left; /* objects that programs left for the kernel to destroy */
};

void glass_inject_init(struct glass_inject *in);
/* Nothing asks any more. */
void glass_inject_exit(struct glass_inject *in);

/* Commands may come for the device of that name; and none comes any more. close waits for the sweep. */
void glass_inject_open(struct glass_inject *in, const char *name);
void glass_inject_close(struct glass_inject *in);
/* The device has another name. */
void glass_inject_rename(struct glass_inject *in, const char *name);

/*
 * The device comes, and what rules do to its ports is done; or it goes, and
 * nothing is done to it any more. May sleep.
 */
void glass_inject_came(struct glass_inject *in, struct glass_dev *dev);
void glass_inject_goes(struct glass_inject *in);

/* Work: ends rules whose time or process is over. */
void glass_inject_sweep(struct work_struct *work);

/*
 * Adds a parsed rule: chooses name and seed when there are none, and puts it in
 * force unless it is for an object. r is the caller's, from kzalloc(), with rule
 * and the ties filled; it is taken when this returns 0. Else -ENOMEM. The name must be free.
 */
int glass_inject_add_rule(struct glass_inject *in, struct glass_live_rule *r);
struct glass_live_rule *glass_inject_find(struct glass_inject *in, const char *name);
/* Takes a rule out of force; it stays listed, with the reason. */
void glass_inject_end_rule(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/* The same for all rules, at once. */
void glass_inject_end_all(struct glass_inject *in, enum glass_over why);
/* Takes it off the list, too, and frees it. */
void glass_inject_del_rule(struct glass_inject *in, struct glass_live_rule *r);
/* Puts those out of force that are over. Returns whether any was in force. */
bool glass_inject_tidy(struct glass_inject *in);
/* The sweep runs in so many jiffies, or sooner: one that is due before is not put off. Under lock. */
void glass_inject_sweep_in(struct glass_inject *in, unsigned long wait);
/* BIT_ULL(GLASS_VERB_*) of the verbs that rules in force make fail. Under lock. */
u64 glass_inject_verbs(const struct glass_inject *in);

/* An action on an object was done. */
void glass_inject_done(struct glass_inject *in, const char *dev, struct glass_live_rule *r,
		       struct glass_firing *f);
/* What was random of a firing is known now. Any context. */
void glass_inject_note_extra(struct glass_inject *in, u64 seq, u64 extra);
/* A firing that did not happen after all: no memory. */
void glass_inject_no_room(struct glass_inject *in);

/* The firing of that number or the oldest after it that is remembered; false: none. */
bool glass_inject_firing(struct glass_inject *in, u64 seq, struct glass_firing *out);

/* Where something passes by: what a stream is told by, and the place in it. */
struct glass_passing {
	enum glass_inject_site site;
	const char *dev; /* name */
	u64 born; /* the QP's number among all of the device, 0: there is no QP */
	u32 qpn; /* verbs: enum glass_verb */
	u32 source; /* datagrams that arrive: whose; verbs: the process */
	u8 dir; /* enum glass_dir */
	u8 role; /* enum glass_role */
	bool fixed; /* psn and round hold */
	u32 rpsn, round;
};

/* What a rule wants to be done. */
struct glass_hit {
	enum glass_action action;
	u64 seq; /* of the firing */
	u32 id; /* of the rule */
	char rule[GLASS_RULE_NAME];
	u64 random; /* for what the hook decides */
	u64 time; /* delays, in ns */
	u32 copies, gap, bits, at, keep, vendor;
	u32 err; /* errno of a verb */
	u8 what, crc, code, timer, timers, status;
	bool has_at, has_keep, has_timer;
};

/* Selectors that rules of that site look at, and directions they are for; 0: there are none. */
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
 * Can a rule of a site hold for what passes at a queue pair? s: what is always the
 * same of it (GLASS_SEL_OF_QP). The sites, 1 << enum glass_inject_site, and in *of
 * the generation of rules that it holds for. Any context.
 */
u32 glass_inject_concerned(const struct glass_inject *in, const struct glass_subject *s,
			   unsigned long *of);

/*
 * Asks the rules: does one fire? It is in the books then, and *hit tells what to
 * do. Any context.
 */
bool glass_inject_ask(struct glass_inject *in, const struct glass_subject *s,
		      const struct glass_passing *p, struct glass_hit *hit);

#endif
