/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the rules that may match a subject without testing all of them. Each rule
 * is filed under its most selective condition on a number: only the rules whose
 * range contains the subject's value are tested. Rules without such a condition are
 * filed under the bits of op.
 */
#ifndef GLASS_RULES_INDEX_H
#define GLASS_RULES_INDEX_H

#include "rules/parse.h"

struct glass_index_entry {
	u64 low, high;
	u64 reach; /* the highest `high` of this and those before it in its group */
	u32 ops; /* rules without a range: BTH operations that may hold */
	u32 rule; /* the caller's number; rules are tested in ascending order */
	u32 wants, dirs; /* the rule's part of glass_index.wants and .dirs */
};

struct glass_index {
	u32 wants; /* BIT(GLASS_SEL_*) of all conditions of all rules */
	u32 dirs; /* BIT(GLASS_DIR_*) that rules are for */
	u32 groups; /* BIT(GLASS_SEL_*) that rules are filed under */
	u32 begin[GLASS_SEL_COUNT + 2]; /* of each group; the last are rules without a range */
	u32 n;
	struct glass_index_entry entry[];
};

static inline size_t glass_index_bytes(u32 rules)
{
	return sizeof(struct glass_index) + rules * sizeof(struct glass_index_entry);
}

/* Makes x, which has room for one entry, the index of rule number 0. */
void glass_index_one(struct glass_index *x, const struct glass_rule *r);

#define GLASS_INDEX_NONE ~0U

/*
 * Merges the indexes a and b (b may be NULL) into x. Rule i of a gets the number to_a[i] in x, or is left out if that is
 * GLASS_INDEX_NONE; to_b says the same for b. Numbers keep their order, and those of b are higher than those of a. The
 * caller gives x room for all rules that are not left out. Takes time in proportion to a->n + b->n.
 */
void glass_index_merge(struct glass_index *x, const struct glass_index *a, const u32 *to_a,
		       const struct glass_index *b, const u32 *to_b);

/*
 * Writes the rules that may match s to out[], ascending. Returns their number. If it is more
 * than max, out[] is not valid.
 */
u32 glass_index_find(const struct glass_index *x, const struct glass_subject *s, u32 *out, u32 max);

/* Selectors whose value is constant for a queue pair */
#define GLASS_SEL_OF_QP                                                                            \
	(BIT(GLASS_SEL_QPN) | BIT(GLASS_SEL_NQP) | BIT(GLASS_SEL_PQP) | BIT(GLASS_SEL_PID) |       \
	 BIT(GLASS_SEL_COMM))

/*
 * May any rule match a packet or completion of a queue pair? s has only the QP's constant
 * selectors (GLASS_SEL_OF_QP). False: no rule can match. True: one may match.
 */
bool glass_index_concerns(const struct glass_index *x, const struct glass_subject *s);

#endif
