/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A world for the protocol core in user space: memory regions, queues and
 * completion logs behind proto/env.h, and a wire between two endpoints.
 */
#ifndef PROTO_ENV_H
#define PROTO_ENV_H

#include <stdio.h>
#include <stdlib.h>

#include "proto/env.h"

#define PE_MRS 12
#define PE_SQ 64
#define PE_SQ_STRIDE 2560
#ifndef PE_RQ
#define PE_RQ 512
#endif
#ifndef PE_CQES
#define PE_CQES 8192
#endif
/* XRC: the SRQs there are, one in each of two domains */
#define PE_SRQ 0x51
#define PE_SRQ_OTHER 0x52
#define PE_TRAIN 15 /* longest train: 1 + this many packets */

struct pe_mr {
	u32 key; /* 0: free */
	u32 pd;
	u64 va;
	u32 len;
	u8 *mem;
	u16 access;
	bool invalid; /* by LOCAL_INV or the peer, until REG_MR */
};

/* An endpoint: a QP and what it can reach. The QP is the first member. */
struct pe_ep {
	struct glass_pqp q;
	struct pe_ep *peer;
	u32 pd;
	struct pe_mr mr[PE_MRS];
	struct pe_ep *mem_of; /* whose regions it uses; NULL: its own */
	struct pe_ep *rq_of; /* whose receives it takes, an SRQ's; NULL: its own */
	u8 *sq;
	struct glass_rwqe rq[PE_RQ];
	u32 rq_head, rq_tail;
	int take_fails; /* what the next glass_env_take_rwqe() answers, if not 0 */
	bool write_fails, gather_fails;
	u32 absent; /* so many accesses find no page, from the next one on */
	bool imm_event; /* glass_env_imm_event() */
	struct glass_cqe cqe[PE_CQES];
	u32 ncqe, ncqe_seen;
	u32 events[GLASS_EV_COUNT];
	u32 drops[GLASS_DROP_COUNT];
	u64 drop_at; /* stats.rx_pkts at the last drop: a packet dies once */
	u32 retries[4];
	u32 recovered; /* so often una moved after tries in vain */
	u32 nstates; /* state changes noted */
	u32 atomics; /* carried out in this endpoint's memory */
	u32 srq_pd; /* the SRQ's domain, if there is one */
	u32 xrc_pd; /* XRC target: domain of the SRQ named last; 0: of none */
	u32 flushes, locals; /* FLUSHes of the peer; local operations, also those that failed */
	u32 local_later, invalidate_later; /* so many tries of them find the memory still in use */
	int refs; /* gathers without a put */
	/* called for each completion, as a program that polls at once */
	void (*on_complete)(struct pe_ep *ep, const struct glass_cqe *cqe);
	/* called after an atomic, for tests that keep a record */
	void (*on_atomic)(struct pe_ep *ep, u64 va, u8 bop, u64 cmp, u64 swap_add, u64 orig);
	/* instead of what is done otherwise, for tests that keep a record */
	bool (*on_local)(struct pe_ep *ep, const struct glass_swqe *w);
	void (*on_invalidate)(struct pe_ep *ep, u32 key);
	/* called after a FLUSH, with the length that it named */
	void (*on_flush)(struct pe_ep *ep, u32 len);
	void *user;
};

/* A packet that was handed out: its payload is the sender's memory */
struct pe_tx {
	struct glass_pkt pkt;
	struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_rx_meta meta;
};

/* A packet on the wire, with its own copy of the payload */
struct pe_wire {
	struct glass_pkt pkt;
	struct glass_seg seg;
	struct glass_rx_meta meta;
	u64 when;
	u64 order;
	struct pe_wire *next;
	u8 data[GLASS_MTU_MAX * (1 + PE_TRAIN)];
};

struct pe_cfg {
	enum glass_qp_type type;
	u16 mtu;
	u8 timeout, retry_cnt, rnr_retry, min_rnr_timer, rd_atomic;
	u32 psn;
	bool srq;
	bool has_grh;
	u32 sq_entries;
	const struct glass_av *av; /* NULL: to the peer, whose LID is its QP number */
};

#define PE_CFG_DEFAULT                                                                             \
	{                                                                                          \
		.type = GLASS_QPT_RC, .mtu = 1024, .timeout = 14, .retry_cnt = 3, .rnr_retry = 3,  \
		.min_rnr_timer = 12, .rd_atomic = 4, .psn = 0xfffff0, .sq_entries = PE_SQ,         \
	}

/* Two endpoints, connected, and a virtual clock */
struct pe_pair {
	struct pe_ep a, b;
	u64 now;
	/* drop it? Called for each packet of pe_run(). NULL: none */
	bool (*lose)(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt);
	u32 count; /* for lose */
	u32 sent; /* packets handed out */
};

/* Address of byte `off` of the region with this key */
static inline u64 pe_va(u32 key, u64 off)
{
	return ((u64)key << 32 | 0x1000) + off;
}

struct pe_mr *pe_mr_add(struct pe_ep *ep, u32 key, u32 len, u16 access);
void pe_mr_del(struct pe_mr *mr);
struct pe_mr *pe_mr_find(struct pe_ep *ep, u32 key);

void pe_ep_init(struct pe_ep *ep, const struct pe_cfg *cfg, u32 qpn);
void pe_ep_free(struct pe_ep *ep);
void pe_to_init(struct pe_ep *ep, const struct pe_cfg *cfg);
/* Room for at least n answers to READs and atomics; keeps what is there. */
void pe_res_room(struct pe_ep *ep, u32 n);
void pe_to_rtr(struct pe_ep *ep, const struct pe_cfg *cfg, u64 now);
void pe_to_rts(struct pe_ep *ep, const struct pe_cfg *cfg, u64 now);
/* Flushes all that is posted, in pieces. */
void pe_flush(struct pe_ep *ep);
int pe_state(struct pe_ep *ep, enum glass_qp_state to, u64 now);

struct pe_pair *pe_pair_new(const struct pe_cfg *cfg);
void pe_pair_free(struct pe_pair *p);

/* A send WQE to fill; pe_post() makes it visible. */
struct glass_swqe *pe_wqe(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id);
void pe_post(struct pe_ep *ep);
void pe_recv(struct pe_ep *ep, u64 wr_id, u64 addr, u32 len, u32 lkey);

/* Hands out one packet (answers first); false: none. pe_sent() must follow. */
bool pe_next(struct pe_ep *ep, struct pe_tx *tx, u64 now);
/* It was delivered: lets go of its payload and tells the core. */
void pe_sent(struct pe_ep *ep, struct pe_tx *tx);
/* Both, with a copy between them */
bool pe_pull(struct pe_ep *ep, struct pe_wire *w, u64 now);
/* Runs until nothing moves: packets first, then timers up to `until` */
void pe_run(struct pe_pair *p, u64 until);
/* The same, packets only */
void pe_settle(struct pe_pair *p);

/* The next unseen completion, or NULL */
const struct glass_cqe *pe_cqe(struct pe_ep *ep);

/* What glass_env_ecn_on() returns */
extern bool pe_ecn_on;

u8 pe_byte(u32 i);
void pe_fill(u8 *mem, u32 len, u32 seed);

#endif
