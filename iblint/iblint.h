/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of iblint share. */
#ifndef IBLINT_H
#define IBLINT_H

#include "lib/cli.h"

/*
 * Exit statuses: that of the command that was run, but for these, which are iblint's own whether
 * there is a command or not.
 */
enum status {
	ST_OK = 0,
	ST_FOUND = 120,	    /* findings that --fail-on names */
	ST_FAILED = 121,    /* the driver refused it, or reading or writing failed */
	ST_USAGE = 122,	    /* a command line or a file of suppressions that is none */
	ST_NO_DEVICE = 123, /* no adapter or process like that, or not root */
};

/* Runs what the command line says. Returns the exit status. */
int iblint_main(int argc, char **argv);

#endif
