/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The injection rules of a device, or those at the ports of switches and passive CAs (nodes.c).
 * Commands (command.c) add and end rules. Hooks (hooks.h) call glass_inject_ask(), which decides
 * whether a rule fires. The hook carries out the action of the rule that fires. A journal records
 * each firing.
 *
 * A rule is listed until it is deleted. A rule is in force while hooks can find it. A rule is over
 * when it can never fire again. Hooks ask the rules of one site (enum glass_inject_site): packets,
 * completions or verbs. No hook asks the rules on objects (QPs, CQs, SRQs), ports and the device:
 * these rules act when they are added. Rules on ports act again when an unplugged device returns.
 *
 * A rule counts each stream separately. A stream is one of these:
 * - the packets of one QP in one direction and role (enum glass_role); arriving datagrams of a QP
 *   have one stream for each sender
 * - the arriving multicast packets of one sender; they belong to no QP
 * - the completions of sends, or of receives, of one QP
 * - the calls of one verb by one process
 * - at a port of a switch or passive CA: the packets in one direction and role that have the same
 *   SLID and, except for datagrams, the same destination QPN
 *
 * Locks: glass_inject.lock (a mutex) protects the list of rules. Take it before all locks of the
 * engine. glass_inject.books (a spinlock, irqs off) protects streams, counts and the journal. Take
 * it after all locks of the engine.
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

/* First member of a structure that glass_force_retire() frees after an RCU grace period. */
struct glass_inject_retired {
	struct rcu_head rcu;
	struct glass_inject *in; /* its member `retired` counts the bytes until they are freed */
	size_t bytes; /* of the whole structure */
};

/* The process that added a rule. */
struct glass_rule_setter {
	pid_t pid;
	u32 uid; /* in the first user namespace */
	char comm[TASK_COMM_LEN];
};

/*
 * A listed rule. Its members change only under glass_inject.lock, unless their comment names
 * another lock.
 */
struct glass_live_rule {
	struct glass_inject_retired retired;
	struct list_head node; /* glass_inject.rules */
	struct hlist_node named; /* glass_inject.names */
	struct glass_rule rule; /* does not change after glass_rule_seal() */
	/* while the rule is in force, tier->rule[at] points to the rule; otherwise tier is NULL */
	struct glass_rule_tier *tier;
	u32 at;
	u32 followers; /* number of rules whose `after` points to this rule */
	u64 born; /* number of QPs that the device created before the rule */
	u64 added_ns; /* ktime_get_ns() when the rule was added */
	struct glass_rule_setter setter; /* set before the rule is listed */
	u32 id; /* from 1, never reused */
	u8 over; /* enum glass_over; changes under glass_inject.books */
	/*
	 * Under glass_inject.books. hit: how often the rule fired. eligible: how often the
	 * selectors matched while the rule could fire (rule_in_time() in books.c).
	 */
	u64 hit, eligible;
	/*
	 * this rule can fire only after the rule `after` has fired rule.value[GLASS_RK_AFTER]
	 * times; NULL: there is no such rule, or it was deleted
	 */
	struct glass_live_rule *after;
	/*
	 * the rule of `after` was deleted before it had fired often enough: this rule never fires
	 */
	bool after_never;
	struct pid *tie_pid; /* the rule ends when this process ends; NULL: none */
	/* the rule ends when this file is closed, but holds no reference to it; NULL: none */
	void *tie_file;
	struct hlist_node tied; /* in glass_inject.tied while tie_file is not NULL */
	/* the members from `was` to `broken` are for actions on ports and the device */
	u64 was; /* while `broken`: the port's old value; unused if the rule changes the link */
	u32 flaps; /* act=port_flap: how often the link must still come up again */
	u64 next_ns; /* ktime_get_ns() of the next link change or the end of an unplug; 0: none */
	/* the rule has changed the port or unplugged the device, and has not undone this yet */
	bool broken;
	/* a command is deleting the rule, but glass_inject_finish() may remove it (rule_drop()) */
	bool leaving;
};

/*
 * A tier has some of the rules that are in force at one site, in the order in which they were
 * added. It also has the index of these rules (rules/index.h). Hooks read the tier under RCU. The
 * only change that hooks can see is a hole: when a rule is taken out of force, its entry becomes
 * NULL.
 */
struct glass_rule_tier {
	struct glass_inject_retired retired;
	u32 n; /* entries of rule[], including holes */
	/* under glass_inject.lock, not for hooks */
	u32 holes; /* NULLs in rule[] */
	/* used while the tier is copied: the new index of rule[i]; GLASS_INDEX_NONE for a hole */
	u32 *to;
	struct glass_live_rule __rcu **rule;
	struct glass_index index; /* last member: flexible array */
};

#define GLASS_INJECT_TIERS 8 /* maximum number of tiers of a site */

/* All rules in force of one site. The first tier has the oldest rules. */
struct glass_rule_set {
	struct glass_inject_retired retired;
	u32 tiers;
	u32 wants, dirs; /* OR of the tiers' index.wants; OR of their index.dirs */
	struct glass_rule_tier *tier[GLASS_INJECT_TIERS];
};

enum glass_inject_site {
	GLASS_INJECT_PACKETS,
	GLASS_INJECT_COMPLETIONS,
	GLASS_INJECT_VERBS,
	GLASS_INJECT_SITES,
};

/*
 * One firing, an entry of the journal. If the rule is on an object, a port or the device, only
 * kind, num, port, pid and comm describe the target. The other members from dir to open are 0.
 */
struct glass_firing {
	u64 seq; /* from 1 */
	u64 when; /* ktime_get_ns() */
	char rule[GLASS_RULE_NAME];
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind */
	u8 site; /* enum glass_inject_site; GLASS_INJECT_SITES: an object, a port or the device */
	u8 dir, role; /* enum glass_dir, enum glass_role */
	/*
	 * num: the number of the QP, CQ, SRQ or port that `kind` says; 0 for the device, and for a
	 * verb. port: the port of the packet or completion; for a rule on QP0 or QP1 the port of
	 * this QP; else 0.
	 */
	u32 num, port;
	u32 keys; /* BIT(GLASS_SEL_*) of the values that the packet, completion or call has */
	/*
	 * op: the value of the selector OP. For a verb, qpn and op are enum glass_verb. rpsn,
	 * round: as in struct glass_passing. len: as the selector LEN.
	 */
	u32 qpn, psn, rpsn, round, len, op, cqn;
	/* the QP is the nqp-th one made since the rule was added; 0: an older QP, or none */
	u64 nqp;
	u64 msg, wr_id;
	u64 n; /* how many items of the stream the selectors have matched, including this one */
	u32 taken; /* as in struct glass_passing */
	/* act=delay: the delay, ns; act=corrupt: the first flipped bit plus one; else 0 */
	u64 extra;
	bool open; /* extra is not known yet: journal readers stop before this entry */
	/* the process that owns the QP or the object; for a verb: the calling process */
	pid_t pid;
	char comm[TASK_COMM_LEN];
	struct glass_rule_setter setter; /* of the rule */
	/* the switch or passive CA at whose port the rule fired; empty: the device */
	char node[GLASS_NODE_NAME_BYTES];
};

#define GLASS_INJECT_NAME_BITS 9

struct glass_inject {
	/*
	 * Protects the members from dev to verbs, and sweep_at. But `away` may be read without the
	 * lock. Also protects changes of set[] and generation.
	 */
	struct mutex lock;
	struct glass_dev *dev; /* NULL while the device is unplugged */
	/*
	 * The device's name. While the device is unplugged, the name stays and cannot change. A
	 * rename also holds dirs_lock of debugfs/. A reader holds either lock, or reads while the
	 * device is not registered.
	 */
	char name[IB_DEVICE_NAME_MAX];
	/*
	 * Are these the rules at ports of switches and passive CAs? Then `dev` is always NULL, and
	 * rules can only drop packets. Set before the first command.
	 */
	bool at_nodes;
	bool open; /* from glass_inject_open() to glass_inject_close(); else a sweep does nothing */
	/* why the last command was refused; kind 0: it was accepted, or there was no memory */
	struct glass_rule_error error;
	char last_error[GLASS_RULE_ERROR]; /* `error` as text, if its kind is not 0 */
	char last_added[GLASS_RULE_NAME]; /* the name of the rule that the last `add` made */
	u32 away; /* number of rules that keep the device unplugged */
	struct work_struct plug; /* unplugs the device, or plugs it in again */
	struct list_head rules; /* struct glass_live_rule, oldest first */
	/* length of the list; N of the last name rN that the driver chose; id of the last rule */
	u32 nrules, auto_name, last_id;
	struct hlist_head names[1 << GLASS_INJECT_NAME_BITS]; /* the same rules by name */
	struct hlist_head tied; /* rules that end when a file is closed */
	u32 verbs[GLASS_VERB_COUNT]; /* for each verb: number of rules in force that make it fail */
	/*
	 * size in bytes of the structures that are retired, but not freed yet
	 * (glass_force_retire())
	 */
	atomic_long_t retired;
	/* read under RCU; NULL: no rule of that site is in force */
	struct glass_rule_set __rcu *set[GLASS_INJECT_SITES];
	unsigned long generation; /* increases after each change of set[]; read without lock */
	/*
	 * How often something has changed after which the hooks may have to look at packets that they left
	 * alone before (glass_inject_leaves()). Without a lock.
	 */
	atomic_long_t changes;

	spinlock_t books; /* protects the members from streams to journal; irqs off */
	/* hash table of streams (STREAM_BUCKETS of books.c); NULL before the first rule */
	struct hlist_head *streams;
	u32 nstreams;
	u64 fired; /* seq of the last firing; 0: none */
	u64 fired_by[GLASS_ACT_COUNT]; /* firings by action */
	/*
	 * How often memory or room was lacking for a stream, an action or a late completion. Also
	 * counts packets on which a rule with act=nak, rnr or ack fired, and to which no answer can
	 * be forged.
	 */
	u64 no_room;
	/* ring of firings: index (seq - 1) % GLASS_INJECT_JOURNAL; NULL before the first rule */
	struct glass_firing *journal;

	struct delayed_work sweep; /* glass_inject_sweep() */
	unsigned long sweep_at; /* due time that glass_inject_sweep_in() set last, in jiffies */
	atomic64_t born; /* number of QPs that were created on the device */
	/* number of objects that a program did not destroy, so that the kernel destroyed them */
	atomic64_t left;
};

void glass_inject_init(struct glass_inject *in);
/* Frees the rules, streams and journal. The caller makes sure that no hook runs. May sleep. */
void glass_inject_exit(struct glass_inject *in);

/*
 * glass_inject_open() sets the device's name; call it before the files of inject/ in debugfs are
 * made. Call glass_inject_close() after the files are removed: it waits until no sweep runs, and a
 * later sweep does nothing. May sleep.
 */
void glass_inject_open(struct glass_inject *in, const char *name);
void glass_inject_close(struct glass_inject *in);
/* Notes the new name of a device that was renamed. May sleep. */
void glass_inject_rename(struct glass_inject *in, const char *name);

/*
 * Call glass_inject_came() before a device is registered: it applies the rules on ports to the
 * device. Call glass_inject_goes() before a device is unregistered: afterwards rules no longer
 * change its ports. May sleep.
 */
void glass_inject_came(struct glass_inject *in, struct glass_dev *dev);
void glass_inject_goes(struct glass_inject *in);

/*
 * Work function of glass_inject.sweep: ends rules whose time or process has ended, carries out link
 * changes that are due, and takes out of force the rules that are over.
 */
void glass_inject_sweep(struct work_struct *work);

/* ---- the list of rules. The caller holds glass_inject.lock. May sleep. */

/*
 * Adds a parsed rule. Chooses a name and a seed if the command did not give them. Puts the rule in
 * force if it is on packets, completions or verbs. The caller has allocated r by kzalloc(), and has
 * set rule, after, tie_pid and tie_file. No listed rule may have the same name. Returns 0 or
 * -ENOMEM. On success, the list owns r; on -ENOMEM, the caller keeps r.
 */
int glass_inject_add_rule(struct glass_inject *in, struct glass_live_rule *r);
/* The rule of that name, or NULL. */
struct glass_live_rule *glass_inject_find(struct glass_inject *in, const char *name);
/*
 * Marks a rule as over, and takes it out of force. The rule stays listed. `why` is the reason. A
 * rule that is over already keeps its first reason.
 */
void glass_inject_end_rule(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/* As glass_inject_end_rule(), for all rules at once. */
void glass_inject_end_all(struct glass_inject *in, enum glass_over why);
/* Ends a rule, removes it from the list, and frees it after an RCU grace period. */
void glass_inject_del_rule(struct glass_inject *in, struct glass_live_rule *r);
/* Takes out of force the rules that are over. Returns whether there were any. */
bool glass_inject_tidy(struct glass_inject *in);
/* Schedules the sweep in `wait` jiffies. A pending sweep that is due earlier keeps its time. */
void glass_inject_sweep_in(struct glass_inject *in, unsigned long wait);
/* BIT_ULL(GLASS_VERB_*) of the verbs that rules in force make fail. */
u64 glass_inject_verbs(const struct glass_inject *in);

/* ---- firings and the journal */

/*
 * Records the firing of a rule on an object, a port or the device. `dev` is the device's name. The
 * caller has set kind, num, port, pid and comm of *f. Process context.
 */
void glass_inject_done(struct glass_inject *in, const char *dev, struct glass_live_rule *r,
		       struct glass_firing *f);
/*
 * Sets `extra` of the firing with this number, and closes its journal entry, so that journal
 * readers can go past it. Does nothing if the journal no longer has the firing. Any context.
 */
void glass_inject_note_extra(struct glass_inject *in, u64 seq, u64 extra);
/* Adds 1 to glass_inject.no_room. Any context. */
void glass_inject_no_room(struct glass_inject *in);

/*
 * Copies the firing with this number. If the journal no longer has that firing, copies the oldest
 * one that it has. Returns false if there is no such firing yet, or if its entry is still `open`.
 * Process context.
 */
bool glass_inject_firing(struct glass_inject *in, u64 seq, struct glass_firing *out);

/*
 * A packet, completion or call of a verb that passes a hook: its stream, and its place in this
 * stream.
 */
struct glass_passing {
	enum glass_inject_site site;
	const char *dev; /* name of the device */
	/*
	 * NULL, or the name of the switch or passive CA at whose port the packet is. Such a packet
	 * has no QP here.
	 */
	const char *node;
	u64 born; /* glass_qp.born; 0: there is no QP */
	/* the QPN; of a verb: enum glass_verb; at a node: a number for the node and its port */
	u32 qpn;
	/*
	 * Of an arriving datagram: a mix of the sender's LID and QPN. At a node: the sender's LID
	 * for a datagram, else a mix of the sender's LID and the destination QPN. Of a verb: the
	 * pid. Else 0.
	 */
	u32 source;
	u8 dir; /* enum glass_dir; of a completion: TX for a send, RX for a receive */
	u8 role; /* enum glass_role; of a completion or verb: 0 */
	bool fixed; /* rpsn and round are valid, because this is a packet of a connected QP */
	/*
	 * rpsn: the PSN relative to the first PSN of the requester. round: 1 for the first
	 * transmission of a PSN, more for the later ones.
	 */
	u32 rpsn, round;
	/* of the completion of a receive without SRQ: how many receives of the QP messages took; else 0 */
	u32 taken;
};

/*
 * The action that a rule orders, with its parameters. The member for a parameter has the name of
 * the key in the rule (glass-inject.h), and the default value if the rule does not give the key.
 */
struct glass_hit {
	enum glass_action action;
	u64 seq; /* of the firing */
	u32 id; /* of the rule */
	char rule[GLASS_RULE_NAME];
	u64 random; /* random number for the choices of the action */
	u64 time; /* how long to delay, ns */
	u32 copies, gap, bits, at, keep, vendor;
	u32 err; /* errno of a verb */
	u8 what, crc, code, timer, timers, status;
	bool has_at, has_keep, has_timer; /* does the rule give at=, keep=, timer=? */
};

/*
 * Is a rule of that site and direction in force? Sets *keys to BIT(GLASS_SEL_*) of all selectors
 * that rules of the site have, or to 0 if the result is false. Any context.
 */
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

/* Call after a change that glass_inject.changes counts. Any context. */
static inline void glass_inject_changed(struct glass_inject *in)
{
	/* pairs with the acquire in glass_inject_ask_leaves(): a context that reads this count sees the change */
	atomic_long_fetch_inc_release(&in->changes);
}

/*
 * Returns the sites at which a rule in force may match a packet or completion of a QP, as BIT(enum
 * glass_inject_site). `s` has the properties of the QP that do not change (GLASS_SEL_OF_QP). Sets
 * *of to the glass_inject.generation for which the result holds. Any context.
 */
u32 glass_inject_concerned(const struct glass_inject *in, const struct glass_subject *s,
			   unsigned long *of);

/*
 * Fills *s with the values that every packet has for selectors: those of the packet, the port, and
 * p->dir. Also sets p->role. `want` has the selectors of the rules (glass_subject_packet()). The
 * journal copies some values that the packet may lack; the function sets these to 0.
 */
static inline void glass_inject_describe(struct glass_subject *s, struct glass_passing *p, u32 port,
					 const struct glass_pkt *pkt, u32 want)
{
	s->keys = 0;
	memset(s->comm, 0, sizeof(s->comm));
	s->value[GLASS_SEL_PID] = 0;
	s->value[GLASS_SEL_MSG] = 0;
	s->value[GLASS_SEL_WR_ID] = 0;
	s->value[GLASS_SEL_CQN] = 0;
	glass_subject_set(s, GLASS_SEL_PORT, port);
	glass_subject_set(s, GLASS_SEL_DIR, p->dir);
	glass_subject_packet(s, pkt, want);
	p->role = glass_pkt_is_response(pkt) ? GLASS_ROLE_RESP : GLASS_ROLE_REQ;
}

/*
 * Asks the rules that are in force at p->site, oldest first, until one fires. `s` has the values
 * that selectors test. Returns true if a rule fires; then the journal has the firing, and *hit has
 * the action. Any context.
 */
bool glass_inject_ask(struct glass_inject *in, const struct glass_subject *s,
		      const struct glass_passing *p, struct glass_hit *hit);

#endif
