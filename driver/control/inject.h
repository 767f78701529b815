/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the files of inject/ share. */
#ifndef GLASS_CONTROL_INJECT_H
#define GLASS_CONTROL_INJECT_H

#include "control/files.h"

/*
 * inject.c. Obeys one command that came through that open file. 0, or a negative errno, and
 * for -EINVAL and -ENOSPC c->last_error says why. May sleep.
 */
int glass_inject_command(struct glass_control *c, struct file *file, const char *line, size_t len);
/* An open file of rules is closed: what was tied to it ends. May sleep. */
void glass_inject_closed(struct glass_control *c, struct file *file);

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
 * What is left of a command when it let inject.lock go. It may wait for as long as a program
 * lets a page of its memory not come: no lock that others need is held meanwhile.
 */
struct glass_inject_rest {
	struct glass_dev *dev; /* stays registered until then; NULL: nothing is left */
	bool acts; /* aim holds */
	bool stepped; /* packets go on their way that waited for a step */
	bool all_leave; /* all rules that are leaving are deleted after that */
	char leaves[GLASS_RULE_NAME]; /* or that one, or "": none */
	struct glass_aim aim;
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

/* inject_heal.c. Those with rest, which begins as zeros, are called under inject.lock. */
/* The device is kept for the rest. False: it is going, or coming just now. */
bool glass_inject_keep(struct glass_control *c, struct glass_inject_rest *rest);
/* As glass_hold_step(), on c->dev; rest waits for them. NULL: nobody does. */
u32 glass_inject_step(struct glass_control *c, u32 id, u64 n, struct glass_inject_rest *rest);
/* A rule is out of force and healed, and stays listed. rest as in glass_inject_step(). May sleep. */
void glass_inject_end(struct glass_control *c, struct glass_live_rule *r, enum glass_over why,
		      struct glass_inject_rest *rest);
/* The same, and it is deleted: now, or in glass_inject_finish(). May sleep. */
void glass_inject_delete(struct glass_control *c, struct glass_live_rule *r,
			 struct glass_inject_rest *rest);
void glass_inject_delete_all(struct glass_control *c, struct glass_inject_rest *rest);
/* Does what is left. Without inject.lock. May sleep for as long as a program wants. */
void glass_inject_finish(struct glass_control *c, struct glass_inject_rest *rest);

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
