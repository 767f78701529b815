/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program for a tool: starts it, forwards signals to it and waits for it. */
#ifndef GLASS_LIB_CHILD_H
#define GLASS_LIB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: there is no program */
	bool ended;
	bool apart;   /* in its own process group, with /dev/null as input and output */
	bool stopped; /* a signal arrived while no program ran, or one that is apart */
	bool killed;  /* a signal ended it */
	int status;   /* of the program that ended, as in the shell's $? */
};

/* Blocks SIGCHLD, SIGINT, SIGTERM and SIGHUP, which from then on only child_wait() receives. */
void child_prepare(void);

/*
 * Makes this process the parent of orphans of the program, which child_wait() then reaps.
 * but: the pid of a child that the caller itself waits for, or 0.
 */
void child_adopt(pid_t but);

/*
 * Starts the program argv, or none if argv is NULL. Returns 0, or an exit status after cli_error().
 */
int child_start(struct child *c, char **argv);

/*
 * As child_start(), but with /dev/null as input and output and in its own process group.
 * child_end() kills the whole group.
 */
int child_start_apart(struct child *c, char **argv);

/* Waits up to this many ms (-1: forever) for the program to end. Returns c->ended || c->stopped. */
bool child_wait(struct child *c, int milliseconds);

/* Sends SIGTERM, after 5 s SIGKILL, and waits until the program has ended. */
void child_end(struct child *c);

#endif
