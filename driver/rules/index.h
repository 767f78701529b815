/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the injection rules that may match a subject (a packet, completion or verb), without
 * testing each rule. A rule is filed under one of its conditions: the most selective one of those
 * that test a number; if there is none, the one that tests for a process name without wildcards. A
 * search finds the rules for which this condition holds, and the rules without such a condition. A
 * search leaves out the rules that do not select the subject's operation.
 */
#ifndef GLASS_RULES_INDEX_H
#define GLASS_RULES_INDEX_H

#include "rules/parse.h"

struct glass_index_entry {
	u64 low, high; /* the range of the condition under which the rule is filed */
	u64 reach; /* the highest `high` of this entry and of the earlier entries of its group */
	u32 ops; /* operations that the rule selects, as bits; without op=: all bits */
	u32 rule; /* number of the rule; the caller tests rules in the order of their numbers */
	u32 wants, dirs; /* bits that this rule adds to these members of struct glass_index */
};

struct glass_index {
	u32 wants; /* BIT(GLASS_SEL_*) of all conditions of all rules */
	u32 dirs; /* BIT(GLASS_DIR_*) that rules select; a rule without dir= has all bits */
	u32 groups; /* BIT(GLASS_SEL_*) of the conditions under which rules are filed */
	/*
	 * A group has the rules that are filed under one selector. The group GLASS_SEL_COUNT has
	 * the rules that are filed under no selector. The entries of group g are those from index
	 * begin[g] to index begin[g + 1] - 1.
	 */
	u32 begin[GLASS_SEL_COUNT + 2];
	u32 n; /* number of entries */
	struct glass_index_entry entry[]; /* group by group, in each group by ascending `low` */
};

/* Returns the bytes that an index of this many rules needs. */
static inline size_t glass_index_bytes(u32 rules)
{
	return sizeof(struct glass_index) + rules * sizeof(struct glass_index_entry);
}

/* Makes x the index of one rule, whose number is 0. x must have room for one entry. */
void glass_index_one(struct glass_index *x, const struct glass_rule *r);

#define GLASS_INDEX_NONE ~0U

/*
 * Merges the indexes *a and *b into *x; b may be NULL. The rule with the number i in *a gets the
 * number to_a[i] in *x. If to_a[i] is GLASS_INDEX_NONE, *x does not get this rule. to_b[] has the
 * numbers for the rules of *b in the same way. The new numbers must keep the order of the rules,
 * and the new numbers for *b must be higher than those for *a. *x must have room for all rules that
 * it gets. The time is proportional to a->n + b->n.
 */
void glass_index_merge(struct glass_index *x, const struct glass_index *a, const u32 *to_a,
		       const struct glass_index *b, const u32 *to_b);

/*
 * Writes the numbers of the rules that may match s to out[], in ascending order, and returns how
 * many there are. out[] must have room for `max` numbers. If there are more than `max`, returns a
 * number greater than `max`, and out[] is not valid.
 */
u32 glass_index_find(const struct glass_index *x, const struct glass_subject *s, u32 *out, u32 max);

/* The selectors whose values never change for a queue pair; glass_index_concerns() uses them */
#define GLASS_SEL_OF_QP                                                                            \
	(BIT(GLASS_SEL_QPN) | BIT(GLASS_SEL_NQP) | BIT(GLASS_SEL_PQP) | BIT(GLASS_SEL_PID) |       \
	 BIT(GLASS_SEL_COMM))

/*
 * May a rule match any packet or completion of this queue pair? s has values only for selectors of
 * GLASS_SEL_OF_QP. The result may be true although no rule matches, but never the other way round.
 */
bool glass_index_concerns(const struct glass_index *x, const struct glass_subject *s);

#endif
