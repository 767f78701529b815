/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rate at which a QP of an Ethernet port sends after it has got CNPs: a simple form of DCQCN
 * (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1).
 * A CNP cuts the rate by a part that depends on how many CNPs came lately (alpha). Then the rate
 * rises again: first to half of the distance from where it was (fast recovery), later also beyond
 * it. There are no timers: glass_rate_sent() makes up for the time that has passed.
 */
#ifndef GLASS_PROTO_RATE_H
#define GLASS_PROTO_RATE_H

#include "wire/shim.h"

/* Rates are in bytes per ms. At this one, 10 Gbit/s, a QP begins, and is not limited any more. */
#define GLASS_RATE_LINE 1250000u
#define GLASS_RATE_LEAST 1250u /* 10 Mbit/s */
#define GLASS_RATE_STEP 5000u /* 40 Mbit/s: what each later increase adds */
#define GLASS_RATE_ALPHA_ONE (1u << 16) /* alpha is a fraction of this */
#define GLASS_RATE_ALPHA_SHIFT 4 /* alpha changes by 1/16 of its distance */
#define GLASS_RATE_CUT_NS 50000 /* the rate is cut once in this time */
#define GLASS_RATE_ALPHA_NS 55000 /* alpha falls once in this time */
#define GLASS_RATE_RAISE_NS 300000 /* the rate rises once in this time */
#define GLASS_RATE_FAST 5 /* so many increases are fast recovery */
#define GLASS_RATE_ROUNDS 512 /* after so many increases, the QP is not limited any more */
/* A QP need not wait for a shorter time than this; the next packet makes up for it. */
#define GLASS_RATE_SLACK_NS 20000

struct glass_rate {
	u32 now; /* 0: the QP is not limited */
	u32 target;
	u32 alpha;
	u32 rounds; /* increases since the last cut */
	u64 cut_ns, alpha_ns, raise_ns; /* when the last cut, change of alpha and increase were due */
	u64 next_ns; /* when the next packet may leave */
};

/* The QP has got a CNP. */
void glass_rate_cut(struct glass_rate *r, u64 now);
/*
 * The QP, which is limited, has sent a packet of this size. Returns for how many ns it must wait
 * before the next one: at most about 4 ms for a packet of 4 KiB.
 */
u64 glass_rate_sent(struct glass_rate *r, u32 bytes, u64 now);

#endif
