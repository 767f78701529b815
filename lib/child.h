/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that a tool runs: started, waited for, its signals passed on. */
#ifndef GLASS_LIB_CHILD_H
#define GLASS_LIB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: there is no program */
	bool ended;
	bool apart;   /* in a process group of its own, and says nothing */
	bool stopped; /* a signal asked to end while there is no program, or one apart */
	bool killed;  /* a signal ended it */
	int status;   /* of what has ended: as a shell has it in $? */
};

/* From now on SIGCHLD, SIGINT, SIGTERM and SIGHUP are taken by child_wait(). */
void child_prepare(void);

/*
 * What the processes of a program leave behind becomes this process' child, and child_wait() reaps it.
 * but: a child of this process' own that it waits for itself, or 0.
 */
void child_adopt(pid_t but);

/* Starts it; argv NULL: there is none. Returns 0, or an exit status, told. */
int child_start(struct child *c, char **argv);

/*
 * The same apart: without input and output, in a process group of its own, which
 * child_end() ends whole.
 */
int child_start_apart(struct child *c, char **argv);

/* Waits at most so long (-1: without end) for its end. Returns c->ended || c->stopped. */
bool child_wait(struct child *c, int milliseconds);

/* Asks it to end, and waits. */
void child_end(struct child *c);

#endif
