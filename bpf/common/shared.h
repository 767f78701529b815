/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs and the programs that load them share. */
#ifndef GLASS_BPF_SHARED_H
#define GLASS_BPF_SHARED_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define BPF_DEV_LEN  24 /* longer names of devices are cut */
#define BPF_COMM_LEN 16

/*
 * What a filter can be asked of in the kernel: X(KEY, field of the filter
 * language, how its words become numbers). NUM: it has none. TEXT: a hash.
 * SIGNED: a number that may be negative. Else a table of the vocabulary.
 */
#define FILTER_KEYS(X)                        \
	X(DEV, dev, TEXT)                     \
	X(PID, pid, NUM)                      \
	X(COMM, comm, TEXT)                   \
	X(QPN, qpn, NUM)                      \
	X(PORT, port, NUM)                    \
	X(OP, op, GLASS_WR_OPS)               \
	X(WC_OP, op, GLASS_WC_OPS)            \
	X(LEN, len, NUM)                      \
	X(WR_ID, wr_id, NUM)                  \
	X(FLOW, flow, NUM)                    \
	X(STATUS, status, GLASS_WC_STATUSES)  \
	X(REASON, reason, GLASS_DROP_REASONS) \
	X(PLACE, place, GLASS_DROP_PLACES)    \
	X(DQPN, dqpn, NUM)                    \
	X(PSN, psn, NUM)                      \
	X(VERB, verb, GLASS_VERBS)            \
	X(RET, ret, SIGNED)                   \
	X(EVENT, event, GLASS_EVENTS)         \
	X(KIND, kind, GLASS_KINDS)            \
	X(NUM, num, NUM)                      \
	X(FROM, from, GLASS_QP_STATES)        \
	X(TO, to, GLASS_QP_STATES)            \
	X(CAUSE, cause, GLASS_CAUSES)         \
	X(WHY, why, GLASS_RETRY_WHYS)         \
	X(DIR, dir, GLASS_DIRS)               \
	X(CLASS, class, GLASS_MAD_CLASSES)    \
	X(METHOD, method, GLASS_MAD_METHODS)  \
	X(ATTR, attr, NUM)                    \
	X(TID, tid, NUM)

#define FILTER_KEY_ENUM(key, field, words) KEY_##key,
enum filter_key { FILTER_KEYS(FILTER_KEY_ENUM) KEY_COUNT };

#define FILTER_TERMS  8 /* joined by || */
#define FILTER_PAIRS  8 /* in a term, joined by && */
#define FILTER_RANGES 4 /* in a pair of numbers, joined by || */

/* A number is in one of the ranges (num_ranges of them), or (0) its bit in words is set. */
struct filter_pair {
	__u32 key;
	__u32 num_ranges;
	union {
		__u64 range[FILTER_RANGES][2];
		__u64 words[4];
	};
};

struct filter_term {
	__u32 num_pairs;
	__u32 pad;
	struct filter_pair pair[FILTER_PAIRS];
};

/*
 * active: there is a filter; without terms nothing fits it. Constant for the
 * verifier, so that a tool without a filter runs none of its code.
 */
struct bpf_filter {
	__u32 active;
	__u32 num_terms;
	struct filter_term term[FILTER_TERMS];
};

union dev_name {
	char text[BPF_DEV_LEN];
	__u64 word[BPF_DEV_LEN / 8];
};

union comm_name {
	char text[BPF_COMM_LEN];
	__u64 word[BPF_COMM_LEN / 8];
};

static inline __u64 hash_words(const __u64 *w, int n)
{
	__u64 h = 0;
	int i;

#ifdef __bpf__
#pragma unroll
#endif
	for (i = 0; i < n; i++)
		h = (h ^ w[i]) * 0x9e3779b97f4a7c15ULL + (h >> 29);
	return h;
}

/* SIGNED keys compare as if unsigned */
#define SIGN_BIAS (1ULL << 63)

/* Where a tracepoint's record has a field: offset, and size << 16; 0: it has no such field. */
#define AT_SIZE_SHIFT 16

/* Every event in the ring buffer begins like this. */
struct event_head {
	__u64 ns;   /* CLOCK_MONOTONIC */
	__u32 type; /* the tool's own */
	__u32 pid;
	char comm[BPF_COMM_LEN];
	union dev_name dev;
};

/* The process that made a queue pair (or CQ) */
struct owner_key {
	__u64 dev;  /* hash of the name */
	__u32 kind; /* enum glass_kind */
	__u32 num;
};

struct owner {
	__u32 pid;
	union comm_name comm;
};

#define HIST_SLOTS 40 /* slot n: 2^n .. 2^(n+1)-1; the last: all that is more */

struct hist {
	__u64 count, sum, min, max;
	__u64 slot[HIST_SLOTS];
};

#endif
