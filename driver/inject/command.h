/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the files of inject/ share. */
#ifndef GLASS_INJECT_COMMAND_H
#define GLASS_INJECT_COMMAND_H

#include "model/device.h"
#include "inject/inject.h"

/*
 * inject.c. Obeys one command that came through that open file. 0, or a negative errno, and
 * for -EINVAL and -ENOSPC in->last_error says why. May sleep.
 */
int glass_inject_command(struct glass_inject *in, struct file *file, const char *line, size_t len);
/* An open file of rules is closed: what was tied to it ends. May sleep. */
void glass_inject_closed(struct glass_inject *in, struct file *file);

/* What an action is done to, with a reference to the object. */
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
 * What a command has still to do after it released inject.lock. Doing it delivers packets into
 * memory of programs, and a program can delay a page of that memory for as long as it likes (FUSE,
 * userfaultfd): therefore no lock that others need is held meanwhile.
 */
struct glass_inject_rest {
	struct glass_dev *dev; /* stays registered until then; NULL: nothing is left */
	bool acts; /* the action is to be done to aim */
	bool stepped; /* held packets were let go: wait until they are delivered */
	bool all_leave; /* then delete every rule that is marked as leaving */
	char leaves[GLASS_RULE_NAME]; /* then delete the rule of this name; "": none */
	struct glass_aim aim; /* when acts */
};

/*
 * inject_act.c. Finds what a rule is to be done to and notes whose it is. False: there is
 * no such object. It is followed by glass_inject_act(), which does it and may wait for the
 * object's lock, or by glass_inject_miss(), which does not. The device stays registered meanwhile.
 */
bool glass_inject_aim(struct glass_dev *dev, const struct glass_rule *rule, struct glass_firing *f,
		      struct glass_aim *aim);
void glass_inject_act(struct glass_dev *dev, const struct glass_aim *aim);
void glass_inject_miss(const struct glass_aim *aim);

/*
 * inject_heal.c. The functions with a struct glass_inject_rest are called under inject.lock and
 * note in it what glass_inject_finish() has to do after the lock was released. It begins as zeros.
 */
/* Keeps the device registered until then. False: it is just being registered or unregistered. */
bool glass_inject_keep(struct glass_inject *in, struct glass_inject_rest *rest);
/*
 * Lets held packets go, as glass_hold_step() does, on in->dev. glass_inject_finish() waits until
 * they are delivered; with rest NULL nobody does.
 */
u32 glass_inject_step(struct glass_inject *in, u32 id, u64 n, struct glass_inject_rest *rest);
/*
 * Puts the rule out of force and undoes what it did; it stays listed. rest as in
 * glass_inject_step(). May sleep.
 */
void glass_inject_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest);
/*
 * The same, and deletes the rule: now, or in glass_inject_finish() when packets are let go. May
 * sleep.
 */
void glass_inject_delete(struct glass_inject *in, struct glass_live_rule *r,
			 struct glass_inject_rest *rest);
void glass_inject_delete_all(struct glass_inject *in, struct glass_inject_rest *rest);
/* Does what rest notes, without inject.lock. Sleeps for as long as a program delays its pages. */
void glass_inject_finish(struct glass_inject *in, struct glass_inject_rest *rest);

/*
 * inject_port.c. Can the rule be done to a port of this device? False: word and *why
 * tell what not. The caller holds inject.lock, as for those that follow.
 */
bool glass_inject_can_break(struct glass_dev *dev, const struct glass_rule *rule,
			    char word[GLASS_RULE_NAME], const char **why);
/* Does it, and undoes it. May sleep. */
void glass_inject_break(struct glass_dev *dev, struct glass_live_rule *r);
void glass_inject_mend(struct glass_dev *dev, struct glass_live_rule *r);
/* It is time for the link to go or to come. False: that was the last. */
bool glass_inject_flap(struct glass_dev *dev, struct glass_live_rule *r, u64 now);

/* Is the process there, or has it ended? */
bool glass_inject_alive(struct pid *pid);
/* "qpn=0x11" or "cqn=4", as a rule names its object. */
void glass_inject_object(char *to, size_t len, enum glass_kind kind, u32 num);

#endif
