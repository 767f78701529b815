/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Selectors of injection rules: conditions, and the values of packets, completions and verbs that they test. */
#ifndef GLASS_RULES_SELECT_H
#define GLASS_RULES_SELECT_H

#include "rules/word.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-inject.h"
#include "wire/packet.h"

#define GLASS_E_SEL(n, w, v, s, m) GLASS_SEL_##n,
enum glass_selector { GLASS_INJECT_KEYS_SELECT(GLASS_E_SEL) GLASS_SEL_COUNT };

/* One condition. Numbers: low to high. Words: low has the bits of those that match. */
struct glass_cond {
	u8 key; /* enum glass_selector */
	u8 words;
	u64 low, high;
};

struct glass_select {
	u32 n;
	u32 keys; /* BIT(GLASS_SEL_*) of those in cond[] */
	struct glass_cond cond[GLASS_SEL_COUNT];
	struct glass_name comm;
};

/* The values of a packet, completion or verb that a rule selects by. Words are the numbers of their bits. */
struct glass_subject {
	u32 keys; /* BIT(GLASS_SEL_*): what it has */
	u64 value[GLASS_SEL_COUNT]; /* NQP: the QP's number among all of the device */
	char comm[GLASS_NAME_BYTES];
};

static inline void glass_subject_set(struct glass_subject *s, enum glass_selector key, u64 v)
{
	s->keys |= BIT(key);
	s->value[key] = v;
}

/* Adds a condition; false when that key has one already. */
bool glass_select_add(struct glass_select *sel, enum glass_selector key, bool words, u64 low,
		      u64 high);
/* The condition of a key, or NULL. */
const struct glass_cond *glass_select_get(const struct glass_select *sel, enum glass_selector key);

/* Do all conditions hold? */
bool glass_select_holds(const struct glass_select *sel, const struct glass_subject *s);

/*
 * Fills in the selectors that come from a packet's headers. CLASS, METHOD and ATTR come from a MAD and
 * cost more: they are filled in only when `want`, a set of BIT(GLASS_SEL_*), has one of them.
 */
void glass_subject_packet(struct glass_subject *s, const struct glass_pkt *pkt, u32 want);

/* The words of a selector for that site ('P' or 'C'), or NULL: it has numbers or a name. */
const struct glass_word *glass_select_words(enum glass_selector key, char site);

/* Bit of a completion in GLASS_SEL_OP (packets: the BTH operation). Constant if wcop is. */
#define GLASS_WCOP_BIT(wcop) ((wcop) & 0x80 ? 16 + ((wcop) & 1) : (wcop) & 15)

static inline u32 glass_wcop_bit(u32 wcop)
{
	return GLASS_WCOP_BIT(wcop);
}

/* BTH operations that are requests, and those that are responses */
#define GLASS_RESPONSE_OPS GLASS_BTHS_DO(ANSWER)
#define GLASS_REQUEST_OPS (GLASS_BTHS_ON(GLASS_ON_ALL) & ~GLASS_RESPONSE_OPS)

static inline bool glass_pkt_is_response(const struct glass_pkt *pkt)
{
	return GLASS_RESPONSE_OPS >> (pkt->opcode & GLASS_BOP_MASK) & 1;
}

#endif
