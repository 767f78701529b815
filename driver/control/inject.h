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

/*
 * inject_act.c. Does to an object what a rule wants and notes whose it was. False:
 * there is no such object. May sleep.
 */
bool glass_inject_act(struct glass_dev *dev, const struct glass_rule *rule,
		      struct glass_firing *f);
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
