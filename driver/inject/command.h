/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Commands to injection rules, and functions that the files of inject/ share. */
#ifndef GLASS_INJECT_COMMAND_H
#define GLASS_INJECT_COMMAND_H

#include "model/device.h"
#include "inject/inject.h"

/*
 * command.c. Executes one command (docs/inject-abi.md). file: the open file of inject/rules to
 * which it was written. Returns 0 or a negative errno; for -EINVAL and -ENOSPC in->error and
 * in->last_error have the reason. May sleep.
 */
int glass_inject_command(struct glass_inject *in, struct file *file, const char *line, size_t len);
/* Ends the rules that are tied to this open file, when it is closed. May sleep. */
void glass_inject_closed(struct glass_inject *in, struct file *file);

/* The target of an action on an object: holds a reference to a QP, CQ or SRQ. */
struct glass_aim {
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind */
	u8 port; /* of an event; 0: the event is the device's */
	u32 event; /* enum glass_event; action EVENT */
	union {
		struct glass_qp *qp;
		struct glass_cq *cq;
		struct glass_srq *srq;
	};
};

/*
 * Work that a command leaves for glass_inject_finish(), after it releases glass_inject.lock. That
 * work may wait for packets that are delivered into memory of programs. A program can delay a page
 * of that memory without limit (FUSE, userfaultfd). So the caller must hold no lock that others
 * need.
 */
struct glass_inject_rest {
	struct glass_dev *dev; /* stays registered until the work is done; NULL: there is no work */
	bool acts; /* carry out the action on aim */
	bool stepped; /* held packets were released: wait until they are delivered */
	bool all_leave; /* after that, delete every rule that is marked as leaving */
	char leaves[GLASS_RULE_NAME]; /* after that, delete the rule of this name; "": none */
	struct glass_aim aim; /* valid with `acts` */
};

/*
 * act.c. glass_inject_aim() finds the target of a rule, takes a reference to it, and notes its
 * owner in *f. False: there is no such object. Each of the others drops the reference:
 * glass_inject_act() carries out the action first, and may sleep; glass_inject_miss() does not. The
 * caller keeps the device registered until then.
 */
bool glass_inject_aim(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim);
void glass_inject_act(struct glass_dev *dev, const struct glass_aim *aim);
void glass_inject_miss(const struct glass_aim *aim);

/*
 * heal.c. The caller of these functions, except glass_inject_finish(), holds glass_inject.lock.
 * They note in *rest, all zeros at first, the work that glass_inject_finish() must do later.
 */
/*
 * Keeps the device registered until glass_inject_finish(). False: it is not registered, or is just
 * being unregistered.
 */
bool glass_inject_keep(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Calls glass_hold_step() for in->dev, and returns its result. glass_inject_finish() waits until
 * the released packets are delivered; with rest NULL nobody waits.
 */
u32 glass_inject_step(struct glass_inject *in, u32 id, u64 n, struct glass_inject_rest *rest);
/*
 * Takes the rule out of force and undoes its effects; it stays listed. rest as in
 * glass_inject_step(). May sleep.
 */
void glass_inject_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest);
/*
 * The same, and deletes the rule (all rules): now, or in glass_inject_finish() if packets were
 * released. May sleep.
 */
void glass_inject_delete(struct glass_inject *in, struct glass_live_rule *r,
			 struct glass_inject_rest *rest);
void glass_inject_delete_all(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Does the work in *rest. The caller holds no lock. Sleeps for as long as a program delays its
 * pages.
 */
void glass_inject_finish(struct glass_inject *in, struct glass_inject_rest *rest);

/*
 * port.c. The caller of these functions holds glass_inject.lock. Can the rule apply to its port?
 * False: the rule's index is beyond the table of the port, which has *entries entries.
 */
bool glass_inject_can_break(struct glass_dev *dev, const struct glass_rule *rule, u64 *entries);
/* break applies the rule to its port, mend undoes that. May sleep. */
void glass_inject_break(struct glass_dev *dev, struct glass_live_rule *r);
void glass_inject_mend(struct glass_dev *dev, struct glass_live_rule *r);
/*
 * Takes the link of a flapping port down or up; call it at r->next_ns. False: that was the last
 * change. May sleep.
 */
bool glass_inject_flap(struct glass_dev *dev, struct glass_live_rule *r, u64 now);

/* act.c. Does the process still run? A zombie does not. Any context. */
bool glass_inject_alive(struct pid *pid);
/* act.c. Writes an object as a rule names it: "qpn=0x11" or "cqn=4". */
void glass_inject_object(char *to, size_t len, enum glass_kind kind, u32 num);

#endif
