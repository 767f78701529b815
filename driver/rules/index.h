/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the injection rules that may match a subject (a packet, completion or verb), without
 * testing all of them. Each rule is filed under its most selective condition on a number. A search
 * finds the rules whose range contains the subject's value, and the rules without such a condition.
 * It leaves out rules that select other operations.
 */
#ifndef GLASS_RULES_INDEX_H
#define GLASS_RULES_INDEX_H

#include "rules/parse.h"

struct glass_index_entry {
	u64 low, high;
	u64 reach; /* the highest `high` of this entry and of those before it in its group */
	u32 ops; /* bits of the operations that the rule selects; all if it selects none */
	u32 rule; /* the caller's number; rules are tested in ascending order */
	u32 wants, dirs; /* the rule's part of glass_index.wants and .dirs */
};

struct glass_index {
	u32 wants; /* BIT(GLASS_SEL_*) of all conditions of all rules */
	u32 dirs; /* BIT(GLASS_DIR_*) of the directions that rules select */
	u32 groups; /* BIT(GLASS_SEL_*) that rules are filed under */
	/* index of each group's first entry; group GLASS_SEL_COUNT: no range */
	u32 begin[GLASS_SEL_COUNT + 2];
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
 * Merges the indexes a and b (b may be NULL) into x. Rule i of a gets the number to_a[i] in x; it
 * is left out if that is GLASS_INDEX_NONE. to_b is the same for b. The new numbers must keep the
 * order of the rules, those of b after those of a. The caller gives x room for all rules that are
 * not left out. Takes time in proportion to a->n + b->n.
 */
void glass_index_merge(struct glass_index *x, const struct glass_index *a, const u32 *to_a,
		       const struct glass_index *b, const u32 *to_b);

/*
 * Writes the numbers of the rules that may match s to out[], ascending. Returns how many. If there
 * are more than max, returns more than max, and out[] is not valid.
 */
u32 glass_index_find(const struct glass_index *x, const struct glass_subject *s, u32 *out, u32 max);

/* Selectors whose value does not change during the life of a queue pair */
#define GLASS_SEL_OF_QP                                                                            \
	(BIT(GLASS_SEL_QPN) | BIT(GLASS_SEL_NQP) | BIT(GLASS_SEL_PQP) | BIT(GLASS_SEL_PID) |       \
	 BIT(GLASS_SEL_COMM))

/*
 * May any rule match a packet or completion of this queue pair? s has only the selectors of
 * GLASS_SEL_OF_QP. False: no rule can match. True: one may match.
 */
bool glass_index_concerns(const struct glass_index *x, const struct glass_subject *s);

#endif
