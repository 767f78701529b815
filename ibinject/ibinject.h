/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of ibinject share: exit statuses and the commands. */
#ifndef IBINJECT_H
#define IBINJECT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/cli.h"

/*
 * Exit statuses. A command that runs a program (run, scenario, record, replay) ends with that
 * program's status, and tells its own errors as 120 more than these.
 */
enum status {
	ST_OK = 0,
	ST_FAILED = 1,	  /* the driver refused it, or reading or writing failed */
	ST_USAGE = 2,	  /* a command line, rule, filter or file that is none */
	ST_NO_DEVICE = 3, /* no such device or object, or not root */
	ST_UNMET = 4,	  /* an expectation of a scenario did not come true; journals differ */
	ST_PROGRAM = 120,
};

/* One command of the program: argv[0] is its name. */
struct command {
	const char *name;
	const char *args; /* for the list of commands */
	const char *meaning;
	int (*run)(int argc, char **argv);
};

int cmd_add(int argc, char **argv);
int cmd_del(int argc, char **argv);
int cmd_clear(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_hold_step(int argc, char **argv);
int cmd_release(int argc, char **argv);
int cmd_held(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_scenario(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_journal_diff(int argc, char **argv);
int cmd_help(int argc, char **argv);
/* qp, cq, srq, port, device */
int cmd_object(int argc, char **argv);
/* wc, and each action on packets, completions and verbs by its name */
int cmd_action(int argc, char **argv);

/* All commands but the actions; ends with one without a name. main.c */
extern const struct command commands[];

/* As "ibinject NAME --help", which ends the program; -1: there is no such command. */
int help_of_command(const char *name);

/* Runs what the command line says. */
int ibinject_main(int argc, char **argv);

/*
 * Parses the options of a command with argp, which ends the program when they are wrong.
 * What it is called in messages is "ibinject NAME".
 */
struct argp;
void parse_options(const struct argp *argp, int argc, char **argv, void *input);

/* A line of program argument list: words joined by blanks. Ends the program when memory is short.
 */
char *join_words(char *const *words, int n);

#endif
