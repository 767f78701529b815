/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of ibwhy. */
#ifndef IBWHY_H
#define IBWHY_H

#include "lib/cli.h"

/*
 * Exit statuses of ibwhy itself, with or without a command. Otherwise ibwhy exits with the status of
 * the command.
 */
enum status {
	ST_OK = 0,
	ST_NONE = 120,	    /* there is no such failure, or no such process */
	ST_FAILED = 121,    /* a read or write failed */
	ST_USAGE = 122,	    /* invalid command line */
	ST_NO_DEVICE = 123, /* no Glass, not root, or a kernel that is locked down */
};

/* Runs the command line. Returns the exit status. */
int ibwhy_main(int argc, char **argv);

#endif
