/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a test for many seeds, on all CPUs; one that fails in any way is named. */
#ifndef PROTO_SEEDS_H
#define PROTO_SEEDS_H

#include <stdio.h>

#include "wire/shim.h"

#define CHECK(c, ...)                                                                              \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			printf("# failed: %s (%s:%d)\n# ", #c, __FILE__, __LINE__);                \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
			seeds_failed();                                                            \
		}                                                                                  \
	} while (0)

__attribute__((noreturn)) void seeds_failed(void);

/*
 * Calls one(seed) for 1 .. n (GLASS_SEEDS: up to that one), in GLASS_JOBS processes (as
 * many as there are CPUs), or for GLASS_SEED alone in this process, for a debugger.
 * A seed must not depend on what ran before. test: T= of the Makefile. sums: nsums
 * counters that one() adds to; they are added up over all processes.
 */
void seeds_run(const char *test, u64 n, void (*one)(u64 seed), u64 *sums, u32 nsums);

#endif
