/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of injection rules share: random numbers with a seed that is printed. */
#ifndef INJECT_H
#define INJECT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/index.h"
#include "rules/parse.h"
#include "rules/trigger.h"

/* GLASS_SEED replays the run that printed it. */
static inline unsigned int test_seed(const char *test)
{
	const char *given = getenv("GLASS_SEED");
	unsigned int seed = given ? strtoul(given, NULL, 0) : (unsigned int)time(NULL) | 1;

	printf("# %s: GLASS_SEED=%u\n", test, seed);
	return seed;
}

static inline uint64_t below(unsigned int *seed, uint64_t n)
{
	return ((uint64_t)rand_r(seed) << 31 | (uint64_t)rand_r(seed)) % n;
}

/* A rule that must be taken, as rule number 1 of a device that has made `born` QPs. */
static inline void take_rule(struct glass_rule *r, const char *text, uint64_t born)
{
	struct glass_rule_error error;

	if (glass_rule_parse(text, strlen(text), r, &error))
		fail_msg("%s: %s", text, glass_rule_error_word(error.kind));
	if (!r->name[0])
		strcpy(r->name, "r1");
	glass_rule_seal(r, born);
}

#endif
