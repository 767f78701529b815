/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Triggers: does a rule fire on a packet, completion or verb that its selectors match?
 * Each stream has its own state. Random numbers are a keyed hash of the rule's seed and
 * name, the stream and the place in it, so that concurrent work cannot change them.
 */
#ifndef GLASS_RULES_TRIGGER_H
#define GLASS_RULES_TRIGGER_H

#include "rules/parse.h"

/* The state of a rule for one stream; zero at first. */
struct glass_stream {
	u64 n; /* eligible so far */
	u64 fired;
	u32 burst; /* number of further firings */
	u32 phase; /* of every= */
	u8 state; /* of the loss model, or the last decision of prob with corr */
};

/*
 * The place of a decision. id identifies the stream; it is the same in a second run of
 * the same traffic. Packets of connections also have PSN and round.
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

/* A random number; the same for the same rule, stream, place and purpose. */
u64 glass_rule_random(const struct glass_rule *r, const struct glass_stream *s,
		      const struct glass_place *p, u32 what);

/*
 * Does the rule fire on one more eligible item of the stream? Updates the stream's
 * state. The caller checks count, time limits and `after`.
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

/* Parses "0.5" or "5%" into *p, in units of 1/GLASS_PROB_ONE; false: no probability. */
bool glass_prob_parse(const char *text, size_t len, u64 *p);

#endif
