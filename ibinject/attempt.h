/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of a program that is tried again and again: how it ended. */
#ifndef IBINJECT_ATTEMPT_H
#define IBINJECT_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct attempt {
	bool hung;    /* it did not end in time, and was killed with all its processes */
	bool crashed; /* a signal ended it */
	int status;   /* else: its exit status, as a shell has it in $? */
	uint64_t ms;
	int64_t left; /* objects on all devices that it did not destroy */
};

/*
 * Runs it apart, without input and output, for limit_ms at most. 0; 130: a signal asked to stop;
 * else an exit status, told: it cannot be run.
 */
int attempt(struct attempt *a, char **program, uint64_t limit_ms);

/* The same, and look(data) is called again and again while it runs, until that says true. */
int attempt_watched(struct attempt *a, char **program, uint64_t limit_ms, bool (*look)(void *data),
		    void *data);

/* Did it fail in any way? */
static inline bool attempt_failed(const struct attempt *a)
{
	return a->hung || a->crashed || a->status;
}

#endif
