/* SPDX-License-Identifier: GPL-2.0-only */
/* What all unit tests include: cmocka, and random numbers that can be replayed. */
#ifndef GLASS_TESTS_UNIT_HARNESS_H
#define GLASS_TESTS_UNIT_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static uint64_t rnd_state;
/* what each test starts from again, so that one test alone draws the same numbers */
static uint64_t rnd_group_seed;

#ifdef GLASS_FUZZ
/* The worlds of these tests under tests/fuzz: what is random is drawn from an input. */
uint64_t fuzz_rnd(void);
uint32_t fuzz_rnd_below(uint32_t n);
void fuzz_rnd_fill(void *buf, size_t len);
#define rnd fuzz_rnd
#define rnd_below fuzz_rnd_below
#define rnd_fill fuzz_rnd_fill
#else
/* splitmix64 */
static inline uint64_t rnd(void)
{
	uint64_t z = rnd_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline uint32_t rnd_below(uint32_t n)
{
	return rnd() % n;
}

static inline void rnd_fill(void *buf, size_t len)
{
	uint8_t *b = buf;

	while (len--)
		*b++ = rnd();
}
#endif

/* Group set-up: takes GLASS_SEED or the clock, and says what it took. */
static inline int rnd_group(void **state)
{
	const char *env = getenv("GLASS_SEED");
	struct timespec ts;

	(void)state;
	if (env) {
		rnd_group_seed = strtoull(env, NULL, 0);
	} else {
		clock_gettime(CLOCK_REALTIME, &ts);
		rnd_group_seed = (uint64_t)ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	}
	printf("# replay with GLASS_SEED=%llu\n", (unsigned long long)rnd_group_seed);
	fflush(stdout);
	return 0;
}

/* Test set-up */
static inline int rnd_restart(void **state)
{
	(void)state;
	rnd_state = rnd_group_seed;
	return 0;
}

#endif
