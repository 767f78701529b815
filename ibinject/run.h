/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that run a program have in common. */
#ifndef IBINJECT_RUN_H
#define IBINJECT_RUN_H

#include "lib/child.h"
#include "session.h"

/* The status with which a command that runs a program ends for an error of its own */
static inline int own_status(int status, bool program)
{
	return program && status && status < ST_PROGRAM ? ST_PROGRAM + status : status;
}

/*
 * Splits off the program: argv[] behind "--", which takes its place with NULL. NULL: there is none.
 */
char **split_program(int *argc, char **argv);

#endif
