/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Selectors of injection rules: the conditions of a rule, and the values of a packet, completion or
 * verb that the conditions test.
 */
#ifndef GLASS_RULES_SELECT_H
#define GLASS_RULES_SELECT_H

#include "rules/word.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-inject.h"
#include "wire/packet.h"

#define GLASS_E_SEL(n, w, v, s, m) GLASS_SEL_##n,
enum glass_selector { GLASS_INJECT_KEYS_SELECT(GLASS_E_SEL) GLASS_SEL_COUNT };

/*
 * A condition on the value that a subject (struct glass_subject) has for the selector `key`. The
 * condition holds if:
 * key GLASS_SEL_COMM: the name matches glass_select.comm
 * key GLASS_SEL_NODE: the name matches glass_select.node
 * words 0: the value is from low to high
 * words 1: the value is the number of a bit that is set in low; high is not used
 */
struct glass_cond {
	u8 key; /* enum glass_selector */
	u8 words; /* does the selector take words? */
	u64 low, high;
};

struct glass_select {
	u32 n;
	u32 keys; /* BIT(GLASS_SEL_*) of the conditions in cond[] */
	struct glass_cond cond[GLASS_SEL_COUNT];
	struct glass_name comm; /* valid if keys has GLASS_SEL_COMM */
	struct glass_name node; /* valid if keys has GLASS_SEL_NODE */
};

/*
 * The subject: a packet, completion or verb, with the values that conditions test. For a selector
 * that takes words, the value is the number of the word's bit.
 */
struct glass_subject {
	u32 keys; /* BIT(GLASS_SEL_*) of the values that the subject has */
	u64 value[GLASS_SEL_COUNT]; /* for NQP: N, if the QP is the N-th that the device created */
	char comm[GLASS_NAME_BYTES];
	const char *node; /* name of a switch or passive CA; valid if keys has GLASS_SEL_NODE */
};

static inline void glass_subject_set(struct glass_subject *s, enum glass_selector key, u64 v)
{
	s->keys |= BIT(key);
	s->value[key] = v;
}

/*
 * Adds a condition. Does nothing and returns false if the selector has a condition already.
 */
bool glass_select_add(struct glass_select *sel, enum glass_selector key, bool words, u64 low,
		      u64 high);
/* Returns the condition on a selector, or NULL. */
const struct glass_cond *glass_select_get(const struct glass_select *sel, enum glass_selector key);

/* Do all conditions hold? A condition does not hold if the subject lacks the value. */
bool glass_select_holds(const struct glass_select *sel, const struct glass_subject *s);
/* The same for the conditions on values that the subject has: may it match, with the others? */
bool glass_select_may(const struct glass_select *sel, const struct glass_subject *s);

/*
 * Sets the values that struct glass_pkt has. Sets CLASS, METHOD and ATTR only if `want`
 * (BIT(GLASS_SEL_*)) has one of the three, because reading them from the MAD takes extra time.
 */
void glass_subject_packet(struct glass_subject *s, const struct glass_pkt *pkt, u32 want);

/*
 * Returns the words of a selector for rules of this site (glass_rule.site). Returns NULL if the
 * selector takes numbers or a name.
 */
const struct glass_word *glass_select_words(enum glass_selector key, char site);

/*
 * The value of GLASS_SEL_OP for a completion with the operation `wcop` (enum glass_wc_op). (For a
 * packet, the value is its BTH operation.)
 */
#define GLASS_WCOP_BIT(wcop) ((wcop) & 0x80 ? 16 + ((wcop) & 1) : (wcop) & 15)

static inline u32 glass_wcop_bit(u32 wcop)
{
	return GLASS_WCOP_BIT(wcop);
}

/* BTH operations that are responses, and those that are requests, as bits */
#define GLASS_RESPONSE_OPS GLASS_BTHS_DO(ANSWER)
#define GLASS_REQUEST_OPS (GLASS_BTHS_ON(GLASS_ON_ALL) & ~GLASS_RESPONSE_OPS)

static inline bool glass_pkt_is_response(const struct glass_pkt *pkt)
{
	return GLASS_RESPONSE_OPS >> (pkt->opcode & GLASS_BOP_MASK) & 1;
}

#endif
