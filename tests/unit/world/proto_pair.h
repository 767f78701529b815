/* SPDX-License-Identifier: GPL-2.0-only */
/* Two connected endpoints with memory, short words to drive them, and what they report. */
#ifndef PROTO_PAIR_H
#define PROTO_PAIR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "proto_env.h"

/* The regions at each end, BIG bytes each */
#define SRC 0x101 /* local: what is sent */
#define DST 0x202 /* remote: all rights */
#define LOC 0x303 /* local, writable: what is read, and receive buffers */
#define BIG 65536

u8 *mem(struct pe_ep *ep, u32 key);

struct pe_pair *make(const struct pe_cfg *cfg);
struct pe_pair *make_default(void);
struct pe_pair *make_type(enum glass_qp_type type, bool grh);

/*
 * A send WQE from the start of SRC (READ and atomics: into LOC) to the start of the
 * peer's DST; a datagram goes to the peer of endpoint a. What is returned may still
 * be changed.
 */
struct glass_swqe *post(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id, u32 len);
/* A receive WQE at the start of LOC */
void recv_(struct pe_ep *ep, u64 wr_id, u32 len);

/* The next completion; a receive completes as a receive, whatever its status. */
void expect_send(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status);
const struct glass_cqe *expect_recv(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status);
void expect_none(struct pe_ep *ep);
u32 all_events(struct pe_ep *ep);

/* The next packet of A without handing it to B, and packets by hand */
void pull_a(struct pe_pair *p, struct pe_wire *w);
void give_a(struct pe_pair *p, struct pe_wire *w);
void give_b(struct pe_pair *p, struct pe_wire *w);

/* For pe_pair.lose: the packet number `count`, from 1 */
bool lose_nth(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt);

#endif
