/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by BPF programs and the programs that load them. */
#ifndef GLASS_BPF_SHARED_H
#define GLASS_BPF_SHARED_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define BPF_DEV_LEN  24 /* longer names of devices are truncated */
#define BPF_COMM_LEN 16

/*
 * Filter keys that BPF programs can match: X(KEY, field of the filter language, words). The third
 * argument says how values become numbers. NUM: they are numbers. TEXT: by a hash. SIGNED: numbers
 * that may be negative. Otherwise: by a table of the vocabulary.
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

/* num_ranges > 0: the number must be in one of the ranges. 0: its bit in words must be set. */
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
 * active: a filter is set; if it has no terms, no event matches. A constant for the verifier, which
 * removes the matching code from a tool without a filter.
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

/* XORed into SIGNED values, so that they compare as unsigned */
#define SIGN_BIAS (1ULL << 63)

/* Position of a field in a tracepoint's record: offset | size << 16; 0: it lacks the field */
#define AT_SIZE_SHIFT 16

/* The head of every event in the ring buffer */
struct event_head {
	__u64 ns;   /* CLOCK_MONOTONIC */
	__u32 type; /* defined by the tool */
	__u32 pid;
	char comm[BPF_COMM_LEN];
	union dev_name dev;
};

/* Key of the process that created a QP (or CQ) */
struct owner_key {
	__u64 dev;  /* hash of the name */
	__u32 kind; /* enum glass_kind */
	__u32 num;
};

struct owner {
	__u32 pid;
	union comm_name comm;
};

#define HIST_SLOTS 40 /* slot n: 2^n .. 2^(n+1)-1; the last one also has everything larger */

struct hist {
	__u64 count, sum, min, max;
	__u64 slot[HIST_SLOTS];
};

#endif
