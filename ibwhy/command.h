/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a command, and finds the failures that are new and its own. */
#ifndef IBWHY_COMMAND_H
#define IBWHY_COMMAND_H

#include "box.h"

/*
 * Runs the command until it ends. *box gets the failures since then; mine(box, i) tells whether one
 * of them is of a process of the command, or of a peer of one. Returns the command's exit status,
 * or one of ibwhy's own after cli_error(); *ran tells whether it ran.
 */
int command_run(char **argv, struct box *box, bool *ran);
bool command_owns(const struct why_story *s);
void command_free(void);

#endif
