/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBFLOW_H
#define GLASS_IBFLOW_H

#include "common/shared.h"

/* Places where a message is seen: X(NAME, word) */
#define IBFLOW_HOPS(X)          \
	X(POSTED, posted)       \
	X(TAKEN, taken)         \
	X(BEGUN, begun)         \
	X(SENT, sent)           \
	X(ARRIVED, arrived)     \
	X(DROPPED, dropped)     \
	X(RNR, rnr)             \
	X(AGAIN, again)         \
	X(DONE, done)           \
	X(COMPLETED, completed) \
	X(POLLED, polled)

#define IBFLOW_E(name, word) HOP_##name,
enum ibflow_hop { IBFLOW_HOPS(IBFLOW_E) HOP_COUNT };

struct ibflow_event {
	struct event_head head; /* type: enum ibflow_hop; pid only for HOP_POSTED and HOP_POLLED */
	__u64 flow;
	__u32 psn, len;
	__u32 qpn; /* for packets the destination QPN */
	__u8 port;
	__u8 op;   /* for packets the BTH opcode */
	__u8 what; /* status, reason of a retry or drop, direction of an RNR NAK, or tries */
	__u8 syndrome;
};

#endif
