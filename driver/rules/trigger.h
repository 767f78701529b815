/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Triggers: does a rule fire on a packet, completion or verb (an item) that its selectors match? A
 * rule keeps its state for each stream: a QP's requests or answers in one direction (if it receives
 * datagrams: those of one sender), the completions of one QP in one CQ, or one process's calls of
 * one verb. A random number is a keyed hash: of the rule's seed and name, of the stream, and of the
 * place in the stream. So concurrent work cannot change it.
 */
#ifndef GLASS_RULES_TRIGGER_H
#define GLASS_RULES_TRIGGER_H

#include "rules/parse.h"

/* The state of a rule for one stream; zero at first. */
struct glass_stream {
	u64 n; /* items so far that the rule's selectors matched, within its time limits */
	u64 fired;
	u32 burst; /* firings that still follow, by burst= */
	u32 phase; /* counts for every= */
	u8 state; /* of the loss model; with corr the last decision of prob */
};

/*
 * The place of a decision. id identifies the stream; it is the same when the same traffic runs
 * again. Packets of connections also have PSN and round.
 */
struct glass_place {
	u64 id;
	bool fixed; /* psn and round are valid */
	u32 psn; /* relative to the requester's first PSN */
	u32 round; /* 1: first transmission; higher: retransmissions */
};

/* The purpose of a random number */
enum glass_random {
	GLASS_RANDOM_FIRE,
	GLASS_RANDOM_FIRE2, /* second number for one decision */
	GLASS_RANDOM_DELAY,
	GLASS_RANDOM_PART,
};

/* A keyed hash (SipHash-2-4) of four numbers. */
u64 glass_hash(const u64 key[2], u64 a, u64 b, u64 c, u64 d);

/*
 * Returns a random number; always the same for the same rule, stream, place and purpose (what: enum
 * glass_random).
 */
u64 glass_rule_random(const struct glass_rule *r, const struct glass_stream *s,
		      const struct glass_place *p, u32 what);

/*
 * Call for each item of the stream that the rule's selectors match. Returns whether the rule fires,
 * and updates the stream's state. The caller checks count, time limits and `after`.
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

/* Parses "0.5" or "5%" into *p, in units of 1/GLASS_PROB_ONE. False: the text is no probability. */
bool glass_prob_parse(const char *text, size_t len, u64 *p);

#endif
