// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The index of injection rules; see index.h. */
#include "rules/index.h"

/*
 * The selectors that take a range of numbers, the most selective first. A rule is filed under the
 * first of these selectors that it has.
 */
static const u8 telling[] = {
	GLASS_SEL_QPN,	GLASS_SEL_NQP, GLASS_SEL_WR_ID, GLASS_SEL_FLOW, GLASS_SEL_MSG,
	GLASS_SEL_RPSN, GLASS_SEL_PSN, GLASS_SEL_RKEY,	GLASS_SEL_MSN,	GLASS_SEL_PID,
	GLASS_SEL_PQP,	GLASS_SEL_CQN, GLASS_SEL_QKEY,	GLASS_SEL_DLID, GLASS_SEL_SLID,
	GLASS_SEL_PKEY, GLASS_SEL_ATTR, GLASS_SEL_LEN,	GLASS_SEL_SYNDROME, GLASS_SEL_ROUND,
	GLASS_SEL_SL,	GLASS_SEL_PORT,
};

#define NO_RANGE GLASS_SEL_COUNT /* the group of rules that are filed under no selector */

/*
 * Returns a number for a name without wildcards. A rule that selects this name is filed under the
 * number. Two names may have the same number.
 */
static u64 name_number(const char *name)
{
	u64 v[2] = { 0, 0 };

	memcpy(v, name, strnlen(name, GLASS_NAME_BYTES));
	return v[0] * 0x9e3779b97f4a7c15ULL ^ v[1];
}

static_assert(GLASS_NAME_BYTES == 2 * sizeof(u64));

/*
 * Sets the range (low, high) and the operations (ops) of a rule's entry. Returns the group of the
 * entry, which is a selector or NO_RANGE.
 */
static u32 file_under(const struct glass_rule *r, struct glass_index_entry *e)
{
	const struct glass_cond *c;
	u32 i;

	c = glass_select_get(&r->select, GLASS_SEL_OP);
	e->ops = c ? c->low : ~0U;
	for (i = 0; i < ARRAY_SIZE(telling); i++) {
		c = glass_select_get(&r->select, telling[i]);
		if (c && !c->words) {
			e->low = c->low;
			e->high = c->high;
			return c->key;
		}
	}
	if (r->select.keys & BIT(GLASS_SEL_COMM) && !r->select.comm.wild) {
		e->low = name_number(r->select.comm.text);
		e->high = e->low;
		return GLASS_SEL_COMM;
	}
	e->low = 0;
	e->high = ~0ULL;
	return NO_RANGE;
}

/*
 * Stores an entry at index `at`, which is behind all entries of x. The caller stores the entries of
 * a group in ascending order of `low`.
 */
static void file_at(struct glass_index *x, u32 group, u32 at, const struct glass_index_entry *e)
{
	u64 before = at > x->begin[group] ? x->entry[at - 1].reach : 0;

	x->entry[at] = *e;
	x->entry[at].reach = max(before, e->high);
	x->n++;
	x->wants |= e->wants;
	x->dirs |= e->dirs;
	if (group != NO_RANGE)
		x->groups |= BIT(group);
}

void glass_index_one(struct glass_index *x, const struct glass_rule *r)
{
	const struct glass_cond *dirs = glass_select_get(&r->select, GLASS_SEL_DIR);
	struct glass_index_entry e = {
		.wants = r->select.keys,
		.dirs = dirs ? (u32)dirs->low : ~0U,
	};
	u32 group = file_under(r, &e), g;

	memset(x, 0, sizeof(*x));
	file_at(x, group, 0, &e);
	for (g = group + 1; g <= NO_RANGE + 1; g++)
		x->begin[g] = 1;
}

void glass_index_merge(struct glass_index *x, const struct glass_index *a, const u32 *to_a,
		       const struct glass_index *b, const u32 *to_b)
{
	u32 group;

	memset(x, 0, sizeof(*x));
	for (group = 0; group <= NO_RANGE; group++) {
		u32 i = a->begin[group], a_end = a->begin[group + 1];
		u32 j = b ? b->begin[group] : 0, b_end = b ? b->begin[group + 1] : 0;

		while (i < a_end || j < b_end) {
			bool from_a = j == b_end ||
				      (i < a_end && a->entry[i].low <= b->entry[j].low);
			struct glass_index_entry e = from_a ? a->entry[i++] : b->entry[j++];

			e.rule = (from_a ? to_a : to_b)[e.rule];
			if (e.rule != GLASS_INDEX_NONE)
				file_at(x, group, x->n, &e);
		}
		x->begin[group + 1] = x->n;
	}
}

struct found {
	u32 *out;
	u32 n, max;
};

/*
 * Inserts a rule's number into f->out, which stays in ascending order. Returns false if there is no
 * room.
 */
static bool found_put(struct found *f, u32 rule)
{
	u32 at = f->n;

	if (f->n == f->max) {
		f->n++;
		return false;
	}
	while (at && f->out[at - 1] > rule) {
		f->out[at] = f->out[at - 1];
		at--;
	}
	f->out[at] = rule;
	f->n++;
	return true;
}

/*
 * Adds to *f those rules of a group that have v in their range, and at least one of `ops` among
 * their operations. Returns false if there is no room.
 *
 * The entries of a group are in ascending order of `low`. A binary search finds the last entry
 * whose `low` is at most v. From there the function goes backwards. It stops at an entry whose
 * `reach` is less than v: neither this entry nor an earlier one of the group has a `high` of v or
 * more.
 */
static bool find_in_group(const struct glass_index *x, u32 group, u64 v, u32 ops,
			  struct found *f)
{
	u32 low = x->begin[group], high = x->begin[group + 1];

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (x->entry[middle].low <= v)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > x->begin[group] && x->entry[low].reach >= v)
		if (x->entry[low].high >= v && (x->entry[low].ops & ops) &&
		    !found_put(f, x->entry[low].rule))
			return false;
	return true;
}

u32 glass_index_find(const struct glass_index *x, const struct glass_subject *s, u32 *out, u32 max)
{
	u32 ops = s->keys & BIT(GLASS_SEL_OP) ? BIT(s->value[GLASS_SEL_OP] & 31) : ~0U;
	struct found f = { out, 0, max };
	u32 groups = x->groups & (s->keys | BIT(GLASS_SEL_COMM));
	u32 i;

	while (groups) {
		u32 group = __builtin_ctz(groups);
		u64 v = s->value[group];

		groups &= groups - 1;
		if (group == GLASS_SEL_COMM)
			v = name_number(s->comm);
		if (!find_in_group(x, group, v, ops, &f))
			return f.n;
	}
	for (i = x->begin[NO_RANGE]; i < x->begin[NO_RANGE + 1]; i++)
		if ((x->entry[i].ops & ops) && !found_put(&f, x->entry[i].rule))
			return f.n;
	return f.n;
}

bool glass_index_concerns(const struct glass_index *x, const struct glass_subject *s)
{
	u32 one;

	return x->groups & ~GLASS_SEL_OF_QP || glass_index_find(x, s, &one, 1);
}
