/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of iblint. */
#ifndef IBLINT_H
#define IBLINT_H

#include "lib/cli.h"

/*
 * Exit statuses of iblint itself, with or without a command. Otherwise iblint exits with the status
 * of the command.
 */
enum status {
	ST_OK = 0,
	ST_FOUND = 120,	    /* a finding matches --fail-on */
	ST_FAILED = 121,    /* the driver refused a request, or a read or write failed */
	ST_USAGE = 122,	    /* invalid command line or file of suppressions */
	ST_NO_DEVICE = 123, /* no such adapter or process, not root, or a kernel that is locked down */
};

/* Runs the command line. Returns the exit status. */
int iblint_main(int argc, char **argv);

#endif
