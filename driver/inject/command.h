/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The commands of inject/rules in debugfs, and functions that the source files of inject/ share. */
#ifndef GLASS_INJECT_COMMAND_H
#define GLASS_INJECT_COMMAND_H

#include "model/device.h"
#include "inject/inject.h"

/*
 * command.c. Executes one command (docs/inject-abi.md), which a program wrote to `file`, an open
 * file of inject/rules. Returns 0 or a negative errno. After -EINVAL or -ENOSPC, in->error and
 * in->last_error have the reason. May sleep.
 */
int glass_inject_command(struct glass_inject *in, struct file *file, const char *line, size_t len);
/*
 * Call this when `file`, an open file of inject/rules, is closed. Ends the rules that are tied to
 * it. May sleep.
 */
void glass_inject_closed(struct glass_inject *in, struct file *file);

/* An action and its target: a QP, CQ or SRQ, a port, or the device. */
struct glass_aim {
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind, of the target */
	u8 port; /* if kind is PORT: number of the port; if kind is DEVICE: 0 */
	u32 event; /* the event to raise, enum glass_event; only with action EVENT */
	union { /* the target if it is a QP, CQ or SRQ; this pointer holds a reference to it */
		struct glass_qp *qp;
		struct glass_cq *cq;
		struct glass_srq *srq;
	};
};

/*
 * The work that a command, or the close of a file, must do without holding glass_inject.lock.
 * glass_inject_finish() does this work. It may wait for the delivery of packets into the memory of
 * programs. A program can delay an access to its memory without limit (FUSE, userfaultfd). So the
 * caller of glass_inject_finish() must hold no lock that others need.
 */
struct glass_inject_rest {
	struct glass_dev *dev; /* stays registered until the work is done; NULL: there is no work */
	bool acts; /* carry out the action of `aim` */
	bool stepped; /* the command released held packets: wait until they are delivered */
	/* after these packets are delivered: delete each rule whose `leaving` is set */
	bool all_leave;
	/*
	 * after these packets are delivered: delete the rule of this name if its `leaving` is set.
	 * The name is empty if there is no such rule.
	 */
	char leaves[GLASS_RULE_NAME];
	struct glass_aim aim; /* valid with `acts` */
};

/*
 * act.c. Finds the target of a rule and fills *aim. If the target is a QP, CQ or SRQ, takes a
 * reference to it, and notes its owner in *f. Returns false if there is no such object or port. The
 * caller keeps the device registered until it has called glass_inject_act() or glass_inject_miss().
 */
bool glass_inject_aim(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim);
/* Carries out the action, and drops the reference of *aim. May sleep. */
void glass_inject_act(struct glass_dev *dev, const struct glass_aim *aim);
/* Drops the reference of *aim, and does not act. */
void glass_inject_miss(const struct glass_aim *aim);

/*
 * heal.c has the functions from here to glass_inject_finish(). The caller of all except
 * glass_inject_finish() holds glass_inject.lock. They note in *rest the work that is left for
 * glass_inject_finish(). Before the first call, the caller sets *rest to zero.
 */
/*
 * Keeps the device registered until glass_inject_finish(). Returns false if the device is
 * unplugged, or if ib_core is unregistering it.
 */
bool glass_inject_keep(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Calls glass_hold_step() for in->dev, and returns its result. in->dev must not be NULL.
 * glass_inject_finish() then waits for the delivery of the released packets, unless rest is NULL or
 * ib_core is unregistering the device.
 */
u32 glass_inject_step(struct glass_inject *in, u32 id, u64 n, struct glass_inject_rest *rest);
/*
 * Marks the rule as over (`why` is the reason), takes the rule out of force, and undoes its
 * effects. The rule stays listed. If rest is NULL, nothing waits for the delivery of the packets
 * that the rule held. May sleep.
 */
void glass_inject_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest);
/*
 * End one rule, or all rules, as glass_inject_end() does, and delete them. But if the command has
 * released held packets, glass_inject_finish() deletes the rules, after the delivery of these
 * packets. rest must not be NULL. May sleep.
 */
void glass_inject_delete(struct glass_inject *in, struct glass_live_rule *r,
			 struct glass_inject_rest *rest);
void glass_inject_delete_all(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Does the work in *rest. The caller holds no lock. May sleep for as long as a program delays an
 * access to its memory.
 */
void glass_inject_finish(struct glass_inject *in, struct glass_inject_rest *rest);

/*
 * port.c. The caller of these functions holds glass_inject.lock.
 *
 * glass_inject_can_break() returns whether the rule can change its port. For a rule that changes an
 * entry of the port's P_Key or GID table, it sets *entries to the number of entries in this table.
 * It returns false if the table has no entry with the rule's index.
 */
bool glass_inject_can_break(struct glass_dev *dev, const struct glass_rule *rule, u64 *entries);
/* glass_inject_break() applies the rule to its port. glass_inject_mend() undoes it. May sleep. */
void glass_inject_break(struct glass_dev *dev, struct glass_live_rule *r);
void glass_inject_mend(struct glass_dev *dev, struct glass_live_rule *r);
/*
 * For a rule with act=port_flap: takes the link down, or up again if the rule has taken it down.
 * Sets r->next_ns to the time of the next change. Call this when r->next_ns has come. Returns false
 * if this was the last change. May sleep.
 */
bool glass_inject_flap(struct glass_dev *dev, struct glass_live_rule *r, u64 now);

/*
 * act.c. Does the main thread of the process still run? Returns false if it is exiting or a zombie.
 * Any context.
 */
bool glass_inject_alive(struct pid *pid);
/* act.c. Writes the selector that names an object in a rule, such as "qpn=0x11" or "cqn=4". */
void glass_inject_object(char *to, size_t len, enum glass_kind kind, u32 num);

#endif
