/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Limits, helpers and functions that the files of the protocol core share. */
#ifndef GLASS_PROTO_INTERNAL_H
#define GLASS_PROTO_INTERNAL_H

#include "proto/env.h"
#include "wire/opcode.h"

/*
 * An RC or XRC requester sends no further packet while this many PSNs are unacknowledged. This
 * limit bounds the number of packets that the engine gets without an ACK, and the number of WQEs
 * that one ACK can complete.
 */
#define GLASS_REQ_WINDOW 128

/*
 * At most this many local operations (LOCAL_INV, BIND_MW, REG_MR) of a QP are carried out but not
 * complete, because they wait for earlier requests to complete.
 */
#define GLASS_LOCAL_WINDOW 48

/*
 * A QP carries out at most this many local operations at once (GLASS_LEFT_LOCALS). Then other QPs
 * have a turn.
 */
#define GLASS_LOCAL_SLICE 32

/* Within a long message, one packet in this many asks for an ACK. */
#define GLASS_ACKREQ_EVERY 32

/* Half of the PSN space: the limit of outstanding PSNs (IBA 9.7.2). */
#define GLASS_PSN_HALF 0x800000u

/*
 * A QP that fails flushes at most this many WQEs at once. The engine's later calls of
 * glass_pqp_flush() flush the rest.
 */
#define GLASS_FLUSH_PIECE 32

/*
 * The RNR timer code (0.64 ms) of an RNR NAK whose cause is not a missing receive WQE. The
 * responder sends such an RNR NAK if a page is absent, or if a SEND with Invalidate names a key
 * whose memory is in use.
 */
#define GLASS_RNR_PAGE 12

/* If the packet is a CNP of the QP's peer, processes it and returns true. */
bool glass_pqp_cnp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now);

/* A value of glass_resp_state.last_op (qp.h). */
#define GLASS_LAST_NONE 0xff

/*
 * Returns how far the free-running index `a` is ahead of `b`, or a negative number if it is behind.
 */
static inline s32 glass_idx_cmp(u32 a, u32 b)
{
	return (s32)(a - b);
}

/* Returns how far PSN `a` is ahead of PSN `b`, modulo 2^24. */
static inline u32 glass_psn_dist(u32 a, u32 b)
{
	return (a - b) & GLASS_PSN_MASK;
}

/* Returns the BTH transport of all packets of a QP of this type. */
static inline u8 glass_transport(enum glass_qp_type type)
{
	switch (type) {
	case GLASS_QPT_RC:
		return GLASS_TR_RC;
	case GLASS_QPT_UC:
		return GLASS_TR_UC;
	case GLASS_QPT_XRC_INI:
	case GLASS_QPT_XRC_TGT:
		return GLASS_TR_XRC;
	default:
		return GLASS_TR_UD;
	}
}

static inline bool glass_is_datagram(const struct glass_pqp *q)
{
	return q->type == GLASS_QPT_UD || q->type == GLASS_QPT_GSI || q->type == GLASS_QPT_SMI;
}

/* Returns the slot of the answer with this free-running index; q->res_slots must not be 0. */
static inline struct glass_rd_res *glass_res_at(const struct glass_pqp *q, u32 index)
{
	return &q->res[index & (q->res_slots - 1)];
}

/*
 * Is the operation a READ, an atomic, a FLUSH or an ATOMIC WRITE? The responder answers these with
 * more than an ACK, and max_rd_atomic limits how many are outstanding.
 */
static inline bool glass_op_is_rd_atomic(u8 op)
{
	return glass_wr_is(op, GLASS_WRF_ANSWER);
}

/* Is the operation carried out locally, without a packet? */
static inline bool glass_op_is_local(u8 op)
{
	return glass_wr_is(op, GLASS_WRF_LOCAL);
}

/* common.c, fail.c */
void glass_set_state(struct glass_pqp *q, enum glass_qp_state to, enum glass_cause cause, u64 now);
void glass_note_error(struct glass_pqp *q, enum glass_cause cause, u8 status, u8 syndrome,
		      u8 opcode, u32 psn, u64 wr_id, u64 now);
void glass_count_failed(struct glass_pqp *q, enum glass_wc_status status);
void glass_proto_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason);
/* Makes pkt a packet with a GRH, and fills the GRH. The caller has set opcode, len and pad. */
void glass_fill_grh(struct glass_pkt *pkt, const struct glass_av *av);
void glass_to_err(struct glass_pqp *q, enum glass_cause cause, bool keep_answers, u64 now);
/*
 * Completes the receive WQE in q->resp.rwqe. `pkt` is the packet that completes the WQE, or NULL if
 * the WQE is flushed.
 */
void glass_recv_complete(struct glass_pqp *q, const struct glass_pkt *pkt, u16 pkey_index,
			 u8 path_bits, enum glass_wc_status status, enum glass_wc_op op,
			 enum glass_cause cause, u32 byte_len);

bool glass_migrate(struct glass_pqp *q);

/*
 * Fills the fields of LRH, BTH and GRH that follow from the address vector, mig_state (GLASS_MIG_*),
 * the opcode and the payload length. The caller has set opcode and len.
 */
static inline void glass_fill_headers(struct glass_pkt *pkt, const struct glass_av *av, u8 mig_state)
{
	pkt->sl = av->sl;
	pkt->lnh = GLASS_LNH_LOCAL;
	pkt->lver = 0;
	pkt->dlid = av->dlid;
	pkt->mig = mig_state == GLASS_MIG_MIGRATED;
	pkt->pad = -pkt->len & 3;
	pkt->tver = 0;
	if (unlikely(av->has_grh))
		glass_fill_grh(pkt, av);
}

/* Fills what all answers have in common. The caller has set opcode, without the transport, more and len. */
static inline void glass_fill_answer(struct glass_pqp *q, struct glass_pkt *pkt)
{
	pkt->opcode |= glass_transport(q->type);
	pkt->se = 0;
	pkt->ack_req = 0;
	pkt->ack_later = 0;
	pkt->dqpn = q->attr.dest_qpn;
	glass_fill_headers(pkt, &q->attr.av, q->attr.mig_state);
	q->stats.tx_pkts += 1 + pkt->more;
	q->stats.tx_bytes += pkt->len;
}

static inline void glass_update_deadline(struct glass_pqp *q)
{
	q->deadline = q->req.rnr_wait ? q->req.rnr_until : q->req.ack_deadline;
}

/* req.c */
/* Puts the completion of w, the WQE with this index, into the send CQ. */
void glass_req_tell(struct glass_pqp *q, const struct glass_swqe *w, u32 index, enum glass_wc_status status,
		    enum glass_cause cause, u8 syndrome);
/* Completes the local operations at tail that the QP has carried out: all requests before them are complete. */
void glass_req_locals_done(struct glass_pqp *q);
/* Completes the WQE at tail; on success, the local operations behind it, too. See glass_complete_wqe(). */
void glass_req_complete(struct glass_pqp *q, enum glass_wc_status status, enum glass_cause cause,
			u8 syndrome);
u32 glass_req_flush(struct glass_pqp *q, u32 max); /* returns how many it flushed */
void glass_req_drained(struct glass_pqp *q);
void glass_req_fail(struct glass_pqp *q, enum glass_wc_status status, u8 syndrome, u8 opcode,
		    u64 now);
void glass_req_seek(struct glass_pqp *q);
void glass_req_go_back(struct glass_pqp *q);
bool glass_req_work(const struct glass_pqp *q, u64 now);

/*
 * Completes the WQE at tail. First frees the WQE's slot in the send ring, then publishes the
 * completion, because a kernel consumer's handler may run at once and post into this slot.
 */
static __always_inline void glass_complete_wqe(struct glass_pqp *q, enum glass_wc_status status,
					       enum glass_cause cause, u8 syndrome)
{
	struct glass_req_state *r = &q->req;
	u32 index = r->tail;
	const struct glass_swqe *w = glass_swqe_at(q, index);

	glass_env_note_done(q, w, status);
	if (unlikely(status != GLASS_WC_SUCCESS))
		glass_count_failed(q, status);
	if (glass_op_is_rd_atomic(w->op) && glass_idx_cmp(index, r->cur) < 0 && r->rd_atomic)
		r->rd_atomic--;
	if (unlikely(r->locals) && glass_op_is_local(w->op) && glass_idx_cmp(index, r->begun) < 0)
		r->locals--;
	if (unlikely(r->begun == index))
		r->begun++;
	if (unlikely(r->cur == index)) {
		r->cur++;
		r->cur_off = 0;
		r->cur_err = GLASS_WC_SUCCESS;
	}
	/* pairs with put_send(): the engine has read the slot before a consumer fills it again */
	smp_store_release(&r->tail, index + 1);
	if (status != GLASS_WC_SUCCESS || q->sig_all || (w->flags & GLASS_SWQE_SIGNALED))
		glass_req_tell(q, w, index, status, cause, syndrome);
}

/* glass_req_complete() with success */
static __always_inline void glass_req_succeed(struct glass_pqp *q)
{
	glass_complete_wqe(q, GLASS_WC_SUCCESS, GLASS_CAUSE_NONE, 0);
	if (unlikely(q->req.locals))
		glass_req_locals_done(q);
}

/* req_rx.c */
void glass_req_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now);
void glass_req_timeout(struct glass_pqp *q, u64 now);
void glass_req_progress(struct glass_pqp *q, u64 now);
bool glass_take_credits(struct glass_req_state *r, const struct glass_pkt *pkt);

/* resp.c, resp_tx.c */
void glass_resp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now);
void glass_resp_skip_done(struct glass_pqp *q);
struct glass_rd_res *glass_new_res(struct glass_pqp *q);
void glass_push_res(struct glass_pqp *q, struct glass_rd_res *e, const struct glass_pkt *pkt, u16 info,
		    u32 npsn);
u8 glass_credit_syndrome(struct glass_pqp *q);

/* ud.c, uc.c */
void glass_ud_rx(struct glass_pqp *q, const struct glass_pkt *pkt,
		 const struct glass_rx_meta *meta, u64 now);
void glass_uc_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now);

/* Properties of a request packet: its place in the message, its operation and its headers */
enum {
	GLASS_RQ_START = BIT(0), /* first or only */
	GLASS_RQ_END = BIT(1), /* last or only */
	GLASS_RQ_SEND = BIT(2),
	GLASS_RQ_WRITE = BIT(3),
	GLASS_RQ_IMM = BIT(4),
	GLASS_RQ_READ = BIT(5),
	GLASS_RQ_ATOMIC = BIT(6),
	GLASS_RQ_INV = BIT(7),
	GLASS_RQ_FLUSH = BIT(8),
	GLASS_RQ_ATOMIC_WRITE = BIT(9),
};

/* The GLASS_RQ_* bits of each BTH operation: 0 for a response, or for an invalid operation */
extern const u16 glass_rq_info[32];

/* Returns the completion that glass_recv_complete() makes. */
static __always_inline struct glass_cqe
glass_recv_cqe(const struct glass_pqp *q, const struct glass_pkt *pkt, u16 pkey_index, u8 path_bits,
	       enum glass_wc_status status, enum glass_wc_op op, enum glass_cause cause, u32 byte_len)
{
	struct glass_cqe cqe = {
		.wr_id = q->resp.rwqe.wr_id,
		.status = status,
		.op = op,
		.cause = cause,
		.dlid_path_bits = path_bits,
		.pkey_index = pkey_index,
		.byte_len = byte_len,
		.flow = pkt ? pkt->flow : 0,
		.from_srq = q->has_srq,
		.xrc_srq = q->resp.rwqe_srq,
		.solicited = status != GLASS_WC_SUCCESS,
	};

	if (pkt) {
		u16 info = glass_rq_info[pkt->opcode & GLASS_BOP_MASK];

		cqe.sl = pkt->sl;
		cqe.slid = pkt->slid;
		/* has_grh: the receive buffer begins with the GRH; only a datagram's buffer does */
		cqe.has_grh = glass_is_datagram(q) && pkt->lnh == GLASS_LNH_GLOBAL;
		cqe.src_qp = glass_is_datagram(q) ? pkt->sqpn : q->attr.dest_qpn;
		if (status == GLASS_WC_SUCCESS) {
			cqe.has_imm = info & GLASS_RQ_IMM;
			cqe.imm = cqe.has_imm ? pkt->imm : 0;
			cqe.has_inv = info & GLASS_RQ_INV;
			cqe.inv_key = cqe.has_inv ? pkt->ieth : 0;
			cqe.solicited = pkt->se;
		}
	}
	return cqe;
}

/*
 * For the first packet of a WRITE: does the check in glass_env_remote_write() suffice, so that the
 * responder need not call glass_env_remote_check()? It does for an "only" packet without immediate
 * data. If more packets follow, glass_env_remote_write() checks the range of the first only. With
 * immediate data, it checks too late, because the responder takes a receive WQE before it writes.
 */
static inline bool glass_rq_checked_by_write(u16 info)
{
	return (info & (GLASS_RQ_END | GLASS_RQ_IMM)) == GLASS_RQ_END;
}

/* Makes the responder owe an ACK for all requests that it has accepted. */
static inline void glass_owe_ack(struct glass_resp_state *p)
{
	WRITE_ONCE(p->ack_later, false);
	p->ack_pending = true;
	p->ack_syndrome = GLASS_AETH_ACK;
}

/*
 * Accepts a packet or train that takes npsn PSNs: advances the expected PSN, records the opcode,
 * and owes an ACK if the packet asks for one.
 */
static inline void glass_resp_accept(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u32 npsn)
{
	struct glass_resp_state *p = &q->resp;

	p->epsn = glass_psn_add(p->epsn, npsn);
	p->last_op = info & GLASS_RQ_END ? GLASS_LAST_NONE : pkt->opcode & GLASS_BOP_MASK;
	p->in_msg = !(info & GLASS_RQ_END);
	p->nak_sent = false;
	p->flow = pkt->flow;
	p->wr_id = pkt->wr_id;
	if (info & GLASS_RQ_END) {
		p->msn = glass_psn_add(p->msn, 1);
		q->stats.rx_msgs++;
	}
	/* an ACK replaces a pending NAK or RNR NAK: the packet that the NAK asks for has come */
	if (p->ack_pending || (pkt->ack_req && (!pkt->ack_later || q->ack_soon)))
		glass_owe_ack(p);
	else if (pkt->ack_req)
		WRITE_ONCE(p->ack_later, true);
}

/*
 * Returns GLASS_DROP_NONE if the packet comes from the connected peer (IBA 9.6.1.2), else the
 * reason to drop the packet.
 */
static inline enum glass_drop glass_source_fault(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	const struct glass_av *av = &q->attr.av;
	bool grh = pkt->lnh == GLASS_LNH_GLOBAL;

	if (unlikely(pkt->slid != av->dlid))
		return GLASS_DROP_WRONG_SLID;
	if (unlikely(grh != !!av->has_grh) ||
	    (grh && unlikely(memcmp(pkt->grh.sgid, av->dgid, sizeof(av->dgid)))))
		return GLASS_DROP_BAD_GRH;
	return GLASS_DROP_NONE;
}

#endif
