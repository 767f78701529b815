/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Selectors of injection rules: the conditions of a rule, and the values of a packet, completion or
 * verb that they test.
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
 * A condition. Without `words`: the value is from low to high. With `words`: the value's bit is in
 * low.
 */
struct glass_cond {
	u8 key; /* enum glass_selector */
	u8 words;
	u64 low, high;
};

struct glass_select {
	u32 n;
	u32 keys; /* BIT(GLASS_SEL_*) of the conditions in cond[] */
	struct glass_cond cond[GLASS_SEL_COUNT];
	struct glass_name comm;
};

/*
 * The values of a packet, completion or verb (the subject) that a rule selects by. The value of a
 * selector with words is the number of the word's bit.
 */
struct glass_subject {
	u32 keys; /* BIT(GLASS_SEL_*) of the values that the subject has */
	u64 value[GLASS_SEL_COUNT]; /* NQP: the QP is the N-th that the device created */
	char comm[GLASS_NAME_BYTES];
};

static inline void glass_subject_set(struct glass_subject *s, enum glass_selector key, u64 v)
{
	s->keys |= BIT(key);
	s->value[key] = v;
}

/* Adds a condition. False: the key has a condition already, which remains. */
bool glass_select_add(struct glass_select *sel, enum glass_selector key, bool words, u64 low,
		      u64 high);
/* The condition of a key, or NULL. */
const struct glass_cond *glass_select_get(const struct glass_select *sel, enum glass_selector key);

/* Do all conditions hold? A condition on a value that the subject lacks does not. */
bool glass_select_holds(const struct glass_select *sel, const struct glass_subject *s);

/*
 * Sets the values that come from a packet's headers. CLASS, METHOD and ATTR come from a MAD and
 * cost more: the function sets them only if `want` (BIT(GLASS_SEL_*)) has one of them.
 */
void glass_subject_packet(struct glass_subject *s, const struct glass_pkt *pkt, u32 want);

/* The words of a selector at that site ('P' or 'C'). NULL: the selector takes numbers or a name. */
const struct glass_word *glass_select_words(enum glass_selector key, char site);

/*
 * GLASS_SEL_OP of a completion: the bit of its enum glass_wc_op. (Of a packet: the BTH operation.)
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
