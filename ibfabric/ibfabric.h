/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of ibfabric: exit statuses and commands. */
#ifndef IBFABRIC_H
#define IBFABRIC_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/cli.h"

enum status {
	ST_OK = 0,
	ST_FAILED =
		1, /* the driver or a limit refused, a file is wrong, or a packet does not arrive */
	ST_USAGE = 2,	  /* the command line is wrong */
	ST_NO_FABRIC = 3, /* no module with a fabric, no configfs or debugfs, not root, or a kernel
			   * that is locked down */
};

/* Commands: argv[0] is the name. They return an exit status. */
int cmd_load(int argc, char **argv);
int cmd_save(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_make(int argc, char **argv);
int cmd_add(int argc, char **argv);
int cmd_remove(int argc, char **argv);
int cmd_clear(int argc, char **argv);
/* cut and plug */
int cmd_cable(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* Runs the command line. */
int ibfabric_main(int argc, char **argv);

/*
 * Parses the options of a command with argp, which exits on errors. Messages name the program
 * "ibfabric NAME".
 */
void parse_options(const struct argp *argp, int argc, char **argv, void *input);

/* Reads a number of an option, from least to most. Exits by argp_error() if it is none. */
unsigned int option_number(const char *arg, const char *option, unsigned int least,
			   unsigned int most, struct argp_state *state);

#endif
