// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Triggers of injection rules, and their random numbers; see trigger.h. */
#include "rules/trigger.h"

static u64 rotate_left(u64 v, u32 n)
{
	return v << n | v >> (64 - n);
}

static void sip_rounds(u64 v[4], u32 n)
{
	while (n--) {
		v[0] += v[1];
		v[1] = rotate_left(v[1], 13) ^ v[0];
		v[0] = rotate_left(v[0], 32);
		v[2] += v[3];
		v[3] = rotate_left(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate_left(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate_left(v[1], 17) ^ v[2];
		v[2] = rotate_left(v[2], 32);
	}
}

u64 glass_hash(const u64 key[2], u64 a, u64 b, u64 c, u64 d)
{
	const u64 words[5] = { a, b, c, d, 32ULL << 56 };
	u64 v[4] = {
		key[0] ^ 0x736f6d6570736575ULL,
		key[1] ^ 0x646f72616e646f6dULL,
		key[0] ^ 0x6c7967656e657261ULL,
		key[1] ^ 0x7465646279746573ULL,
	};
	u32 i;

	for (i = 0; i < 5; i++) {
		v[3] ^= words[i];
		sip_rounds(v, 2);
		v[0] ^= words[i];
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void glass_rule_seal(struct glass_rule *r, u64 born)
{
	u64 h = 0xcbf29ce484222325ULL;
	const char *c;
	u32 i;

	for (c = r->name; *c; c++)
		h = (h ^ (u8)*c) * 0x100000001b3ULL;
	r->secret[0] = r->value[GLASS_RK_SEED];
	r->secret[1] = h;
	for (i = 0; i < r->select.n; i++) {
		struct glass_cond *c2 = &r->select.cond[i];

		if (c2->key == GLASS_SEL_NQP) {
			c2->low += born;
			c2->high += born;
		}
	}
}

u64 glass_rule_random(const struct glass_rule *r, const struct glass_stream *s,
		      const struct glass_place *p, u32 what)
{
	if (p->fixed)
		return glass_hash(r->secret, p->id, (u64)p->round << 32 | p->psn, 1, what);
	return glass_hash(r->secret, p->id, s->n, 0, what);
}

/*
 * Returns a random number for a trigger that has a state. The number depends on the stream, and on
 * the item's number in the stream, but not on PSN and round.
 */
static u32 random_step(const struct glass_rule *r, const struct glass_stream *s,
		       const struct glass_place *p, u32 what)
{
	return glass_hash(r->secret, p->id, s->n, 2, what);
}

static bool rule_probable(const struct glass_rule *r, struct glass_stream *s,
			  const struct glass_place *p)
{
	if (!glass_rule_has(r, GLASS_RK_CORR))
		return (u32)glass_rule_random(r, s, p, GLASS_RANDOM_FIRE) < r->value[GLASS_RK_PROB];
	/*
	 * With the probability `corr`, the rule repeats its last decision. Otherwise it makes a new
	 * one. So the correlation of successive decisions is `corr`, and the share of firings is
	 * `prob`, as without `corr`. (netem averages random numbers, which lowers the share.)
	 */
	if (s->n > 1 + r->value[GLASS_RK_SKIP] &&
	    random_step(r, s, p, GLASS_RANDOM_FIRE2) < r->value[GLASS_RK_CORR])
		return s->state;
	s->state = random_step(r, s, p, GLASS_RANDOM_FIRE) < r->value[GLASS_RK_PROB];
	return s->state;
}

/*
 * Gilbert-Elliott model: a good state (0) and a bad state (1), each with its own probability of
 * loss. glass_rule.chain has the probabilities.
 */
static bool gilbert_elliott(const struct glass_rule *r, struct glass_stream *s,
			    const struct glass_place *p)
{
	u32 move = random_step(r, s, p, GLASS_RANDOM_FIRE);
	u32 lose = random_step(r, s, p, GLASS_RANDOM_FIRE2);

	if (!s->state) {
		s->state = move < r->chain[0];
		return lose < r->chain[3];
	}
	s->state = move >= r->chain[1];
	return lose < r->chain[2];
}

/*
 * The states of the model loss4. In a name such as p13, each digit is the number of a state. The
 * values here are the same numbers, except that state 1 has the value 0, because a new stream is
 * all zeros and must begin in state 1.
 */
enum {
	SENT_IN_GAP = 0, /* state 1 in p13, p31 and p14 */
	SENT_IN_BURST = 2,
	LOST_IN_BURST = 3,
	LOST_IN_GAP = 4,
};

static bool four_states(const struct glass_rule *r, struct glass_stream *s,
			const struct glass_place *p)
{
	const u64 p13 = r->chain[0], p31 = r->chain[1], p32 = r->chain[2];
	const u64 p23 = r->chain[3], p14 = r->chain[4];
	u32 x = random_step(r, s, p, GLASS_RANDOM_FIRE);

	switch (s->state) {
	case SENT_IN_GAP:
		if (x < p14)
			s->state = LOST_IN_GAP;
		else if (x < p14 + p13)
			s->state = LOST_IN_BURST;
		break;
	case SENT_IN_BURST:
		if (x < p23)
			s->state = LOST_IN_BURST;
		break;
	case LOST_IN_BURST:
		if (x < p32)
			s->state = SENT_IN_BURST;
		else if (x < p32 + p31)
			s->state = SENT_IN_GAP;
		break;
	default:
		s->state = SENT_IN_GAP;
	}
	return s->state == LOST_IN_GAP || s->state == LOST_IN_BURST;
}

/*
 * Do all triggers of the rule hold: nth, every, and one of prob, gemodel and loss4? Evaluates all
 * of them, even if one does not hold, so that each updates its state.
 */
static bool rule_triggers(const struct glass_rule *r, struct glass_stream *s,
			  const struct glass_place *p)
{
	u64 m = s->n - r->value[GLASS_RK_SKIP];
	bool yes = true;

	if (glass_rule_has(r, GLASS_RK_NTH))
		yes = m >= r->value[GLASS_RK_NTH] && m <= r->nth_high;
	if (glass_rule_has(r, GLASS_RK_EVERY)) {
		s->phase++;
		if (s->phase >= r->value[GLASS_RK_EVERY])
			s->phase = 0;
		else
			yes = false;
	}
	if (glass_rule_has(r, GLASS_RK_PROB))
		yes &= rule_probable(r, s, p);
	else if (glass_rule_has(r, GLASS_RK_GEMODEL))
		yes &= gilbert_elliott(r, s, p);
	else if (glass_rule_has(r, GLASS_RK_LOSS4))
		yes &= four_states(r, s, p);
	return yes;
}

bool glass_rule_fires(const struct glass_rule *r, struct glass_stream *s,
		      const struct glass_place *p)
{
	s->n++;
	if (s->n <= r->value[GLASS_RK_SKIP])
		return false;
	if (s->burst) {
		s->burst--;
	} else {
		if (!rule_triggers(r, s, p))
			return false;
		if (glass_rule_has(r, GLASS_RK_BURST))
			s->burst = r->value[GLASS_RK_BURST] - 1;
	}
	if (glass_rule_has(r, GLASS_RK_BUDGET) && s->fired >= r->value[GLASS_RK_BUDGET])
		return false;
	s->fired++;
	return true;
}
