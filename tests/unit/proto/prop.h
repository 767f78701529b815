/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the RC property test share. */
#ifndef PROP_H
#define PROP_H

#include "proto_budget.h"
#include "proto_seeds.h"

#define MAX_WR 120
#define SRC_LEN 32768
#define GUARD 16
#define BLANK 0xcc

/* Keys; K_ALIEN is a region of another protection domain, K_NONE is none */
enum {
	K_SRC = 0x100,
	K_RMT = 0x200,
	K_LOC = 0x300,
	K_RCV = 0x400,
	K_ATM = 0x500,
	K_ALIEN = 0x600,
	K_NONE = 0x999,
	K_WR = 0x10000, /* what WR number n invalidates, binds or registers: K_WR + n */
};

enum bad { GOOD, BAD_RKEY, BAD_LKEY, BAD_STATUS, BAD_RECV, BAD_RECV_MEM };

struct wr {
	enum glass_wr_op op;
	enum bad bad;
	u8 how; /* a bad key is bad in different ways */
	bool signaled, solicited, fence, inl, consumes;
	u32 len, imm;
	u32 src; /* offset into K_SRC, here, or at the peer for READ */
	u32 dst; /* offset into the peer's K_RMT or, READ and atomics, into K_LOC */
	u32 nsge;
	u64 operand, cmp, orig;
	u32 word;
	u32 executed; /* atomics, flushes, invalidations, local operations */
	u32 recv; /* number of the receive WQE that it takes */
};

static inline bool op_is_send(enum glass_wr_op op)
{
	return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM || op == GLASS_OP_SEND_INV;
}

/* Does it write to the peer's K_RMT? */
static inline bool op_writes(enum glass_wr_op op)
{
	return op <= GLASS_OP_WRITE_IMM || op == GLASS_OP_ATOMIC_WRITE;
}

/* Does its answer bring data? */
static inline bool op_reads(enum glass_wr_op op)
{
	return op >= GLASS_OP_READ && op <= GLASS_OP_FETCH_ADD;
}

/* Does more than an ACK answer it? */
static inline bool op_answered(enum glass_wr_op op)
{
	return op_reads(op) || op == GLASS_OP_FLUSH || op == GLASS_OP_ATOMIC_WRITE;
}

static inline bool op_local(enum glass_wr_op op)
{
	return op == GLASS_OP_LOCAL_INV || op == GLASS_OP_BIND_MW || op == GLASS_OP_REG_MR;
}

struct rwr {
	u32 off, len; /* in K_RCV */
	u32 wr; /* the peer's WR that will fill it */
};

struct side {
	struct pe_ep *ep;
	struct side *peer;
	struct wr wr[MAX_WR];
	struct rwr rwr[MAX_WR];
	u32 nwr, posted, nrwr, rposted;
	u32 rmt_len, loc_len, rcv_len; /* sizes of the regions, as handed out */
	u64 post_at, recv_at, sqd_at, rts_at;
	u64 ack_at; /* an ACK that could come later comes now, at the latest */
	struct pe_budget budget;
	bool responder_err;
};

struct sim {
	struct side s[2];
	struct pe_cfg cfg[2];
	u64 now, order;
	struct pe_wire *wire; /* by time */
	u32 loss, dup, reorder, damage; /* per 1000 */
	u32 delay, jitter; /* ns */
	u64 blackout; /* nothing arrives after */
	bool trains, ack_later;
	bool bytes; /* packets travel as wire bytes */
	bool fair; /* losses and delays that a full budget survives */
	u32 tx;
};

extern struct sim *sim;

/* prop_watch.c: what must hold at each step, and the budgets, seen from outside */
struct pe_before prop_before(struct side *s);
void prop_after(struct side *s, struct pe_before b, const struct glass_pkt *rx);
void prop_sent(struct side *s, const struct glass_pkt *pkt);
u32 prop_retries(struct side *s);

/* prop_verdict.c: what must hold in the end. The first returns how many WRs succeeded. */
u32 prop_check_sends(struct side *s);
void prop_check_recvs(struct side *s, u32 good);

#endif
