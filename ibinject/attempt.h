/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of a program that is run repeatedly, and its outcome. */
#ifndef IBINJECT_ATTEMPT_H
#define IBINJECT_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct attempt {
	bool hung;    /* did not end in time: killed with all its processes */
	bool crashed; /* a signal ended it */
	int status;   /* if not crashed: its exit status, as in the shell's $? */
	uint64_t ms;
	int64_t left; /* objects that it leaked, on all devices */
};

/*
 * Runs the program for at most limit_ms, with /dev/null as input and output, in its own process
 * group. Returns 0; 130 if a signal asked to stop; or an exit status after an error message if the
 * program cannot run.
 */
int attempt(struct attempt *a, char **program, uint64_t limit_ms);

/* As attempt(), but calls look(data) repeatedly while the program runs, until look returns true. */
int attempt_watched(struct attempt *a, char **program, uint64_t limit_ms, bool (*look)(void *data),
		    void *data);

/* Did the run fail in any way? */
static inline bool attempt_failed(const struct attempt *a)
{
	return a->hung || a->crashed || a->status;
}

#endif
