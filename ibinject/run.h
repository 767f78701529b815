/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the commands that run a program. */
#ifndef IBINJECT_RUN_H
#define IBINJECT_RUN_H

#include "lib/child.h"
#include "session.h"

/*
 * Returns the exit status for an error of the command itself, which depends on whether it runs a
 * program.
 */
static inline int own_status(int status, bool program)
{
	return program && status && status < ST_PROGRAM ? ST_PROGRAM + status : status;
}

/*
 * Returns the argv[] behind "--", and ends the command's own at "--" with NULL. Returns NULL if
 * there is no "--".
 */
char **split_program(int *argc, char **argv);

#endif
