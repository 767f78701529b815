/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of ibinject: exit statuses and commands. */
#ifndef IBINJECT_H
#define IBINJECT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/cli.h"

/*
 * Exit statuses. A command that runs a program (run, scenario, record, replay) exits with the
 * program's status. Its own errors are these values plus 120.
 */
enum status {
	ST_OK = 0,
	ST_FAILED = 1,	  /* the driver refused a request, or a read or write failed */
	ST_USAGE = 2,	  /* invalid command line, rule, filter or file */
	ST_NO_DEVICE = 3, /* no such device or object, not root, or a kernel that is locked down */
	ST_UNMET = 4,	  /* an expectation of a scenario failed, or journals differ */
	ST_PROGRAM = 120,
};

/* A command of ibinject: argv[0] is its name */
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
/* wc, and all actions on packets, completions and verbs, by name */
int cmd_action(int argc, char **argv);

/* All commands except actions; terminated by an entry without a name. main.c */
extern const struct command commands[];

/* Prints "ibinject NAME --help" and exits. Returns -1 if the command does not exist. */
int help_of_command(const char *name);

/* Runs the command line. */
int ibinject_main(int argc, char **argv);

/*
 * Parses the options of a command with argp, which exits on errors. Messages name the program
 * "ibinject NAME".
 */
struct argp;
void parse_options(const struct argp *argp, int argc, char **argv, void *input);

/*
 * Joins words of an argument list by blanks. The caller frees the result. Exits if out of memory.
 */
char *join_words(char *const *words, int n);

#endif
