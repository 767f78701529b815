/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Triggers: does a rule fire on what its selectors let through? Every stream has
 * a state of its own, and what is random is a keyed hash of the rule's seed and
 * name, the stream, and the place in it: nothing that runs beside has a say.
 */
#ifndef GLASS_RULES_TRIGGER_H
#define GLASS_RULES_TRIGGER_H

#include "rules/parse.h"

/* The state of a rule for one stream; zero at first. */
struct glass_stream {
	u64 n; /* eligible so far */
	u64 fired;
	u32 burst; /* so many more fire */
	u32 phase; /* of every= */
	u8 state; /* of the loss model, or the last decision of prob with corr */
};

/*
 * Where a decision is made. id tells the stream, the same in a second run of the
 * same traffic. Packets of connections have a place, too: PSN and round.
 */
struct glass_place {
	u64 id;
	bool fixed; /* psn and round hold */
	u32 psn; /* relative to the first */
	u32 round;
};

/* The purpose of a random number */
enum glass_random {
	GLASS_RANDOM_FIRE,
	GLASS_RANDOM_FIRE2, /* the second of a step of the loss model */
	GLASS_RANDOM_DELAY,
	GLASS_RANDOM_PART,
};

/* A keyed hash (SipHash-2-4) of four numbers. */
u64 glass_hash(const u64 key[2], u64 a, u64 b, u64 c, u64 d);

/* The same rule, stream, place and purpose: the same number. */
u64 glass_rule_random(const struct glass_rule *r, const struct glass_stream *s,
		      const struct glass_place *p, u32 what);

/*
 * One more that is eligible came by: does the rule fire? count and what has to
 * do with time or other rules is the caller's.
 */
bool glass_rule_fires(const struct glass_rule *r, struct glass_stream *s,
		      const struct glass_place *p);

/* The delay of a rule with time, jitter and dist, in ns. */
u64 glass_rule_delay(const struct glass_rule *r, u64 random);

/* A number below n from a random number. n is less than 2^32. */
static inline u32 glass_below(u64 random, u32 n)
{
	return (u64)(u32)random * n >> 32;
}

/* "0.5", "5%" as parts of 2^32 (GLASS_PROB_ONE); false: it is none. */
bool glass_prob_parse(const char *text, size_t len, u64 *p);

#endif
