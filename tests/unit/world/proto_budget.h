/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an RC requester may spend on its oldest packet, seen from outside: from packets, notes of
 * retries and the clock. Functions that check return what is wrong, or NULL.
 */
#ifndef PROTO_BUDGET_H
#define PROTO_BUDGET_H

#include "proto_env.h"

struct pe_budget {
	u32 una; /* the oldest PSN without an answer */
	u32 tx_una; /* how often it was sent */
	u32 retries0, rnr0; /* retries before it became the oldest */
	u32 rounds0; /* all of them, on whichever path */
	u64 tick; /* when it became the oldest, or was sent last */
	u64 rnr_until; /* nothing is sent before */
	u64 rnr_latest; /* and the timer is not set to later than this */
	bool in_vain; /* a try was in vain: the oldest alone is sent, until una moves */
	bool was_err;
};

/* Counts, state and attributes before a call of the core */
struct pe_before {
	u32 retries, rnr, timeouts, migrations;
	u64 changes;
	enum glass_qp_state state;
	struct glass_qp_attr attr;
};

/* Retries that the retry count limits; those for RNR NAKs have a limit of their own. */
u32 pe_retries(const struct pe_ep *ep);
struct pe_before pe_before(const struct pe_ep *ep);

/* After each call of the core. rx: the packet that it was given, or NULL. */
const char *pe_budget_after(struct pe_budget *b, const struct pe_ep *ep, const struct pe_before *before,
			    const struct glass_pkt *rx, u64 now);
/* A request packet was handed out. */
const char *pe_budget_sent(struct pe_budget *b, const struct glass_pkt *pkt, u64 now);

#endif
