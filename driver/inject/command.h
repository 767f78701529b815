/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared among the files of inject/. */
#ifndef GLASS_INJECT_COMMAND_H
#define GLASS_INJECT_COMMAND_H

#include "model/device.h"
#include "inject/inject.h"

/*
 * command.c. Executes one command from that open file. Returns 0 or a negative errno; for -EINVAL
 * and -ENOSPC in->error and in->last_error have the reason. May sleep.
 */
int glass_inject_command(struct glass_inject *in, struct file *file, const char *line, size_t len);
/* Ends the rules that are tied to a file that is closed. May sleep. */
void glass_inject_closed(struct glass_inject *in, struct file *file);

/* The target of an action, with a reference to the object. */
struct glass_aim {
	u8 action; /* enum glass_action */
	u8 kind; /* enum glass_kind */
	u8 port; /* of an event; 0: the device's */
	u32 event;
	union {
		struct glass_qp *qp;
		struct glass_cq *cq;
		struct glass_srq *srq;
	};
};

/*
 * Work that a command must finish after it releases inject.lock. It delivers packets into memory of
 * programs, and a program can delay a page of that memory without limit (FUSE, userfaultfd): so the
 * caller must hold no lock that others need.
 */
struct glass_inject_rest {
	struct glass_dev *dev; /* stays registered until then; NULL: nothing is left */
	bool acts; /* carry out the action on aim */
	bool stepped; /* held packets were released: wait until they are delivered */
	bool all_leave; /* then delete every rule that is marked as leaving */
	char leaves[GLASS_RULE_NAME]; /* then delete the rule of this name; "": none */
	struct glass_aim aim; /* valid with `acts` */
};

/*
 * act.c. Finds the target of a rule and notes its owner. False: there is no such object. The caller
 * then calls glass_inject_act(), which carries out the action and may wait for the object's lock,
 * or glass_inject_miss(), which only drops the reference. The device remains registered meanwhile.
 */
bool glass_inject_aim(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim);
void glass_inject_act(struct glass_dev *dev, const struct glass_aim *aim);
void glass_inject_miss(const struct glass_aim *aim);

/*
 * heal.c. Callers of functions with a struct glass_inject_rest hold inject.lock. The functions note
 * in it the work of glass_inject_finish(), after the lock is released. The struct begins as zeros.
 */
/* Keeps the device registered until then. False: it is just being registered or unregistered. */
bool glass_inject_keep(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Releases held packets, as glass_hold_step(), on in->dev. glass_inject_finish() waits until they
 * are delivered; with rest NULL the caller does not wait.
 */
u32 glass_inject_step(struct glass_inject *in, u32 id, u64 n, struct glass_inject_rest *rest);
/*
 * Puts the rule out of force and undoes what it did; it stays listed. rest as in
 * glass_inject_step(). May sleep.
 */
void glass_inject_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest);
/*
 * The same, and deletes the rule: now, or in glass_inject_finish() when packets are released. May
 * sleep.
 */
void glass_inject_delete(struct glass_inject *in, struct glass_live_rule *r,
			 struct glass_inject_rest *rest);
void glass_inject_delete_all(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Carries out the work in `rest`, without inject.lock. Sleeps for as long as a program delays its
 * pages.
 */
void glass_inject_finish(struct glass_inject *in, struct glass_inject_rest *rest);

/*
 * port.c. Can the rule apply to a port of this device? False: its index is not among the *entries
 * of the port's table. The caller holds inject.lock, also for the next functions.
 */
bool glass_inject_can_break(struct glass_dev *dev, const struct glass_rule *rule, u64 *entries);
/* Break applies the rule to its port, mend undoes it. May sleep. */
void glass_inject_break(struct glass_dev *dev, struct glass_live_rule *r);
void glass_inject_mend(struct glass_dev *dev, struct glass_live_rule *r);
/*
 * Takes the link of a flapping port down or up; call it when that is due. False: that was the last
 * change.
 */
bool glass_inject_flap(struct glass_dev *dev, struct glass_live_rule *r, u64 now);

/* Is the process there, or has it ended? */
bool glass_inject_alive(struct pid *pid);
/* "qpn=0x11" or "cqn=4", as a rule names its object. */
void glass_inject_object(char *to, size_t len, enum glass_kind kind, u32 num);

#endif
