/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Triggers decide whether a rule fires on an item that the rule's selectors match. An item is a
 * packet, a completion or a call of a verb. A rule has a state for each stream of items. A stream
 * is, for example, the requests that a QP sends (inject/inject.h lists all kinds).
 *
 * A random number is a hash of the stream and of the place in the stream. The key of the hash is
 * made of the rule's seed and name. The hash depends on nothing that concurrent work can change.
 */
#ifndef GLASS_RULES_TRIGGER_H
#define GLASS_RULES_TRIGGER_H

#include "rules/parse.h"

/* The state of a rule for one stream. At first it is all zeros. */
struct glass_stream {
	u64 n; /* items that the rule's selectors have matched within the rule's time limits */
	u64 fired; /* items on which the rule has fired */
	u32 burst; /* burst=: the rule still fires on this number of further items */
	u32 phase; /* every=: items since the last one that every= selected, without bursts */
	u8 state; /* for gemodel and loss4: the model's state; for corr: the last decision */
};

/* The place of a decision: the stream, and for a packet of a connected QP also PSN and round */
struct glass_place {
	u64 id; /* the stream's id, which is the same when the same programs run again */
	bool fixed; /* psn and round are valid */
	u32 psn; /* relative to the requester's first PSN */
	u32 round; /* 1 for the first transmission, more for retransmissions */
};

/* The purpose of a random number */
enum glass_random {
	GLASS_RANDOM_FIRE,
	GLASS_RANDOM_FIRE2, /* a second number for the same decision as GLASS_RANDOM_FIRE */
	GLASS_RANDOM_DELAY,
	GLASS_RANDOM_PART,
};

/* Returns a keyed hash (SipHash-2-4) of four numbers. */
u64 glass_hash(const u64 key[2], u64 a, u64 b, u64 c, u64 d);

/*
 * Returns a random number, which is always the same for the same rule, stream, place and purpose.
 * `what` is the purpose (enum glass_random).
 */
u64 glass_rule_random(const struct glass_rule *r, const struct glass_stream *s,
		      const struct glass_place *p, u32 what);

/*
 * Call this for each item of the stream that the rule's selectors match. Returns whether the rule
 * fires, and updates the stream's state. The caller checks count, time limits and `after`.
 */
bool glass_rule_fires(const struct glass_rule *r, struct glass_stream *s,
		      const struct glass_place *p);

/*
 * Returns a delay in ns for a rule with time= and perhaps jitter= and dist=. `random` is a random
 * number.
 */
u64 glass_rule_delay(const struct glass_rule *r, u64 random);

/* Returns a number from 0 to n - 1, made of the lower 32 bits of a random number. */
static inline u32 glass_below(u64 random, u32 n)
{
	return (u64)(u32)random * n >> 32;
}

/*
 * Parses a probability, such as "0.5" or "5%", into *p, in units of 1/GLASS_PROB_ONE. Returns false
 * if the text is no probability.
 */
bool glass_prob_parse(const char *text, size_t len, u64 *p);

#endif
