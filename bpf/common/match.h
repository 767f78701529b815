/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches events against the filter. Compiled into BPF programs and into their unit test. The
 * including file defines a struct bpf_filter named filter.
 */
#ifndef GLASS_BPF_MATCH_H
#define GLASS_BPF_MATCH_H

#include "common/shared.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Known facts of an event: v[key] is valid if bit key of have is set */
struct facts {
	__u64 v[KEY_COUNT];
	__u64 have;
};

#define FACT(f, key, value)                     \
	do {                                    \
		(f)->v[KEY_##key] = (value);    \
		(f)->have |= 1ULL << KEY_##key; \
	} while (0)

static __always_inline bool pair_fits(int t, int p, const struct facts *f)
{
	__u32 key = filter.term[t].pair[p].key, n = filter.term[t].pair[p].num_ranges, r;
	__u64 v;

	if (key >= KEY_COUNT || !(f->have >> key & 1))
		return false;
	v = f->v[key];
	if (!n)
		return v < 256 && filter.term[t].pair[p].words[v >> 6 & 3] >> (v & 63) & 1;
	for (r = 0; r < FILTER_RANGES && r < n; r++)
		if (v >= filter.term[t].pair[p].range[r][0] &&
		    v <= filter.term[t].pair[p].range[r][1])
			return true;
	return false;
}

/* Call this only if filter.active: otherwise the caller need not gather facts. */
static __always_inline bool filter_fits(const struct facts *f)
{
	__u32 t, p;

	for (t = 0; t < FILTER_TERMS && t < filter.num_terms; t++) {
		bool fits = true;

		for (p = 0; fits && p < FILTER_PAIRS && p < filter.term[t].num_pairs; p++)
			fits = pair_fits(t, p, f);
		if (fits)
			return true;
	}
	return false;
}

/* As filter_fits(), with incomplete facts: could the event match? */
static __always_inline bool filter_may_fit(const struct facts *f)
{
	__u32 t, p;

	for (t = 0; t < FILTER_TERMS && t < filter.num_terms; t++) {
		bool may = true;

		for (p = 0; may && p < FILTER_PAIRS && p < filter.term[t].num_pairs; p++)
			may = !(f->have >> (filter.term[t].pair[p].key & 63) & 1) ||
			      pair_fits(t, p, f);
		if (may)
			return true;
	}
	return false;
}

#define FACT_TEXT(f, key, name) FACT(f, key, hash_words((name).word, sizeof(name) / 8))

#endif
