/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Selects the packets of a capture. A match line consists of KEY=VALUE pairs, all of which must
 * hold. The keys are those of GLASS_MATCH_KEYS. Tools translate their filter language into such
 * lines (lib/filter.h).
 */
#ifndef GLASS_RULES_MATCH_H
#define GLASS_RULES_MATCH_H

#include "rules/word.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

#define GLASS_MATCH_COMM_BYTES GLASS_NAME_BYTES

/*
 * The values that a match line allows for one key. For a key with numbers: the numbers from low to
 * high. For a key with words: the numbers of the bits that are set in `words`.
 */
struct glass_match_values {
	u64 low, high;
	u64 words;
};

/* A parsed match line. */
struct glass_match {
	u32 keys; /* BIT(GLASS_MATCH_*) of the keys that the line has */
	struct glass_match_values want[GLASS_MATCH_COUNT];
	struct glass_name comm;
};

/* The values of a packet. A pair does not hold if the packet lacks a value for the pair's key. */
struct glass_match_subject {
	u32 keys; /* BIT(GLASS_MATCH_*) of the keys for which the packet has a value */
	u64 value[GLASS_MATCH_COUNT]; /* for OP: the BTH operation */
	char comm[GLASS_MATCH_COMM_BYTES];
};

/*
 * Parses a match line "KEY=VALUE KEY=VALUE ..." of len bytes, which needs no NUL. A number is
 * decimal or 0x, and LOW..HIGH is a range of numbers. The keys op, dir, qptype and reason take one
 * or more words, joined by commas. The key comm takes a name, in which * and ? are wildcards, and
 * %XX stands for a byte.
 *
 * Returns 0, or -EINVAL if the text is empty, if a key is unknown or given twice, or if a value is
 * invalid. After -EINVAL, *bad_at and *bad_len are the offset and the length of the wrong word.
 * *bad_len is 0 if the text is empty.
 */
int glass_match_parse(const char *text, size_t len, struct glass_match *m, size_t *bad_at,
		      size_t *bad_len);

/* Do all pairs of the line hold? Ignores pairs whose key is in `except` (BIT(GLASS_MATCH_*)). */
bool glass_match_holds(const struct glass_match *m, const struct glass_match_subject *s,
		       u32 except);

/*
 * Does the line allow this drop reason? 0 is the reason of a packet that was not dropped. The
 * result is true if the line has no key `reason`.
 */
static inline bool glass_match_reason(const struct glass_match *m, enum glass_drop reason)
{
	return !(m->keys & BIT(GLASS_MATCH_REASON)) ||
	       m->want[GLASS_MATCH_REASON].words >> reason & 1;
}

/* Sets the values that struct glass_pkt has; leaves all other values unchanged. */
void glass_match_packet(struct glass_match_subject *s, const struct glass_pkt *pkt);

static inline void glass_match_set(struct glass_match_subject *s, enum glass_match_key key, u64 v)
{
	s->keys |= BIT(key);
	s->value[key] = v;
}

#endif
