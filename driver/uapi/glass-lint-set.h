/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sets of lint codes, which driver, provider, tools and the control page use. The code with
 * the number n is bit n % 64 of word n / 64.
 *
 * The name of a code has three digits (GL999), so a set has bits for at least 1000 numbers.
 * When the table of glass-lint.h gets a new code, the size of a set and the version of the
 * ABI stay the same.
 */
#ifndef GLASS_UAPI_LINT_SET_H
#define GLASS_UAPI_LINT_SET_H

#include <linux/types.h>

#include "glass-lint.h"

#define GLASS_LINT_WORDS 16
#define GLASS_LINT_BITS (64 * GLASS_LINT_WORDS)

struct glass_lint_set {
	__aligned_u64 w[GLASS_LINT_WORDS];
};

_Static_assert(GLASS_LINT_COUNT <= 999, "the name of a lint code has three digits");
_Static_assert(GLASS_LINT_BITS > 999, "a set has no bit for some lint codes");

/* For access to a set by words: the index of a code's word, and the code's bit in this word */
#define GLASS_LINT_WORD(code) ((code) / 64)
#define GLASS_LINT_BIT(code) (1ULL << ((code) % 64))

/*
 * Is the code in the set? A code of GLASS_LINT_BITS or more is in no set, and glass_lint_set_add()
 * ignores it.
 */
static inline _Bool glass_lint_set_has(const struct glass_lint_set *s, __u32 code)
{
	return code < GLASS_LINT_BITS && (s->w[GLASS_LINT_WORD(code)] & GLASS_LINT_BIT(code));
}

static inline void glass_lint_set_add(struct glass_lint_set *s, __u32 code)
{
	if (code < GLASS_LINT_BITS)
		s->w[GLASS_LINT_WORD(code)] |= GLASS_LINT_BIT(code);
}

static inline void glass_lint_set_add_all(struct glass_lint_set *s, const struct glass_lint_set *of)
{
	__u32 i;

	for (i = 0; i < GLASS_LINT_WORDS; i++)
		s->w[i] |= of->w[i];
}

static inline void glass_lint_set_del_all(struct glass_lint_set *s, const struct glass_lint_set *of)
{
	__u32 i;

	for (i = 0; i < GLASS_LINT_WORDS; i++)
		s->w[i] &= ~of->w[i];
}

/* Does s have all codes of the set `of`? */
static inline _Bool glass_lint_set_has_all(const struct glass_lint_set *s,
					   const struct glass_lint_set *of)
{
	__u32 i;

	for (i = 0; i < GLASS_LINT_WORDS; i++)
		if (of->w[i] & ~s->w[i])
			return 0;
	return 1;
}

static inline _Bool glass_lint_set_is_empty(const struct glass_lint_set *s)
{
	__u32 i;

	for (i = 0; i < GLASS_LINT_WORDS; i++)
		if (s->w[i])
			return 0;
	return 1;
}

#endif
