/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The protocol core of one queue pair (QP): requester, responder and state machine, in plain C
 * without kernel objects.
 *
 * The engine (driver/engine in the kernel, the tests in user space) owns a struct glass_pqp, and
 * serialises all calls on it. In the kernel, the QP's spinlock does that. The core never touches a
 * second QP. The main calls of the engine:
 *
 *   glass_req_next()    next request packet to send, if the protocol allows one
 *   glass_resp_next()   next response packet (ACK, NAK, READ data, atomic ACK)
 *   glass_pqp_rx()      a packet arrived for this QP
 *   glass_pqp_timer()   the time in pqp->deadline has come
 *   glass_pqp_modify()  a state transition
 *   glass_pqp_fail()    an error from outside (injection, CQ overrun, bad ring)
 *
 * The core calls the functions of proto/env.h to access memory, to take receive WQEs, to complete
 * WQEs and to raise events. The kernel module has one set of these functions, the tests in user
 * space have another. The engine asks for one packet at a time, which the core writes into memory
 * of the engine. So the engine bounds the work. The core runs no timer: after each call of the
 * core, the engine arms a timer for pqp->deadline.
 */
#ifndef GLASS_PROTO_QP_H
#define GLASS_PROTO_QP_H

#include "proto/rate.h"
#include "wire/packet.h"
#include "uapi/glass-counters.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-inspect.h"

struct glass_sge {
	u64 addr;
	u32 len;
	u32 lkey;
};

/* Address vector, from an AH or from modify_qp */
struct glass_av {
	u16 dlid;
	u8 sl;
	u8 path_bits; /* path bits of the SLID: the low LMC bits are added to the port's base LID */
	u8 port;
	u8 has_grh;
	u8 ethernet; /* of an Ethernet port: dlid is 0, or, for a group, GLASS_LID_MCAST_BASE */
	u8 tclass;
	u8 hop_limit;
	u8 static_rate; /* enum ib_rate; only stored: it limits nothing */
	u8 sgid_index; /* index of sgid in the port's GID table */
	u32 flow_label;
	u8 sgid[16];
	u8 dgid[16];
};

/*
 * May packets to this address be sent as trains? The packets of a train have no GRH but that of an Ethernet
 * port, which stands for the header of IP.
 */
static inline bool glass_av_trains(const struct glass_av *av)
{
	return !av->has_grh || av->ethernet;
}

/* Bits of glass_swqe.flags: the same as GLASS_WQE_* of the ABI */
#define GLASS_SWQE_FENCE BIT(0)
#define GLASS_SWQE_SIGNALED BIT(1)
#define GLASS_SWQE_SOLICITED BIT(2)
#define GLASS_SWQE_INLINE BIT(3)

/*
 * A send WQE: the driver's private, checked snapshot of an entry of the send ring
 * (glass_swqe_take()). If `status` is GLASS_WC_SUCCESS, the check has passed. In that case op is
 * less than GLASS_OP_COUNT, num_sge and the length of inline data are within the QP's limits, and
 * len is at most GLASS_MSG_MAX. Otherwise the core sends nothing of the WQE, and completes it with
 * that status after all earlier WQEs.
 */
struct glass_swqe {
	u64 wr_id;
	u8 op; /* enum glass_wr_op; GLASS_OP_COUNT: the number in the ring was too large */
	u8 flags; /* GLASS_SWQE_* */
	u8 num_sge; /* 0 if the data is inline, or if there is none */
	u8 status; /* enum glass_wc_status */
	u32 len; /* bytes of the message: the sum of the SGEs, or of the inline data */
	__be32 imm;
	u32 rkey;
	u64 flow; /* id that ties the work request to its packets, as in glass_pkt */
	u64 post_ns; /* time in ns when the snapshot was taken */
	/* filled by the core */
	u32 psn; /* PSN of the first packet */
	/* number of PSNs: one for each packet; READ: one for each response packet; local: 0 */
	u32 npsn;
	/*
	 * how often the core sent the first packet, plus the retries that began at a later packet
	 */
	u32 tries;
	u16 pkey_index; /* GSI, SMI: index of the packet's P_Key; UD: not used */
	/*
	 * rkey above and raddr below name memory of the peer, except in these operations:
	 * - SEND_INV, LOCAL_INV: rkey is the key to invalidate.
	 * - REG_MR: rkey is the region's new key, and raddr is the first address that the key maps.
	 * - BIND_MW: the low 8 bits of rkey become the low 8 bits of the window's R_Key. The window
	 *   begins at address raddr of the region.
	 */
	union {
		struct { /* connected QPs */
			u64 raddr;
			u32 xrc_srq; /* XRC: number of the peer's SRQ */
			union {
				struct { /* CMP_SWAP, FETCH_ADD */
					u64 cmp_add; /* compare operand, or addend */
					u64 swap;
				};
				struct {
					u64 blen; /* BIND_MW, REG_MR, FLUSH: bytes from raddr on */
					u32 mw_rkey; /* BIND_MW: the window's current R_Key */
					u32 mr_lkey; /* BIND_MW: L_Key of the region */
					u32 access; /* BIND_MW, REG_MR: GLASS_ACC_*; FLUSH: GLASS_FETH_* */
				};
			};
		};
		struct { /* datagram QPs */
			u32 dqpn;
			/* if GLASS_QKEY_CTRL is set, the core sends the QP's Q_Key instead */
			u32 qkey;
			struct glass_av av;
		};
	};
	/*
	 * num_sge SGEs, or len bytes of inline data. The snapshot is larger than this type: it has
	 * glass_pqp.sq_stride bytes.
	 */
	union {
		struct glass_sge sge[1];
		u8 data[16];
	};
};

/*
 * The driver's private, checked snapshot of a receive WQE. num_sge is within the limit of the QP or
 * SRQ, and len is the sum of the SGEs' lengths in bytes. Both are 0 if the WQE is malformed.
 */
#define GLASS_RWQE_SGE_MAX 30
struct glass_rwqe {
	u64 wr_id;
	u32 num_sge;
	u32 stack; /* call stack of the post, from the program (uapi/glass-where.h); opaque */
	u64 len;
	struct glass_sge sge[GLASS_RWQE_SGE_MAX];
};

/* A completion that the core makes. The engine converts it to the CQE in the CQ's ring. */
struct glass_cqe {
	u64 wr_id;
	enum glass_wc_status status;
	enum glass_wc_op op;
	u8 cause; /* enum glass_cause */
	u8 syndrome; /* AETH syndrome that caused an error, else 0 */
	/*
	 * vendor error, set by an injection rule; 0: the engine computes it from cause and syndrome
	 */
	u32 vendor;
	u8 sl;
	u8 dlid_path_bits;
	u16 slid;
	u16 pkey_index;
	u32 byte_len;
	__be32 imm; /* valid with has_imm */
	u32 inv_key; /* valid with has_inv: the key that the peer invalidated */
	u32 src_qp;
	u32 wqe_index; /* send: the WQE's free-running index */
	/* flow of the send WQE, or of the peer's request; 0: the receive WQE is flushed */
	u64 flow;
	bool is_send;
	bool has_grh;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool from_srq;
	u32 xrc_srq; /* XRC receive: the SRQ whose CQ gets this completion */
};

/*
 * A responder's answer to one READ, atomic, FLUSH or ATOMIC WRITE. The responder keeps it to answer
 * duplicates of the request (IBA 9.7.5.1.4).
 */
struct glass_rd_res {
	/* 0: never used; else GLASS_BOP_READ_REQ, _CMP_SWAP, _FETCH_ADD, _FLUSH or _ATOMIC_WRITE */
	u8 kind;
	/*
	 * 1: the answer was sent in full before, and is sent again only for a duplicate of the
	 * request. If its memory can no longer be read, the QP does not go to ERR.
	 */
	u8 replay;
	u32 psn; /* first PSN of the answer */
	u32 npsn; /* number of its PSNs */
	/*
	 * Packets of the answer are counted from 0. `start` is the first packet to send. It is not
	 * 0 if a duplicate READ asks only for the rest of the data.
	 */
	u32 start;
	u32 next; /* the next packet to send */
	u32 end; /* number of packets of the whole answer; next == end: it was sent in full */
	u32 msn; /* MSN that the answer carries */
	u32 rkey; /* READ: the data are `len` bytes at (rkey, va) */
	u32 len;
	u32 xrc_srq; /* XRC: the SRQ that the request named */
	u64 va;
	u64 orig; /* atomic: the original value */
	u64 flow, wr_id; /* of the request, for observers */
};

#define GLASS_MAX_RD_ATOMIC 128

/* The attributes of a QP. Numbers are in host byte order, with the ranges of ibv_modify_qp(3). */
struct glass_qp_attr {
	enum glass_qp_state state;
	enum glass_qp_state cur_state;
	u16 mtu; /* bytes: 256 ... 4096 */
	u16 pkey_index;
	u8 port;
	u8 timeout; /* 4.096 us * 2^timeout; 0: no timeout */
	u8 retry_cnt;
	u8 rnr_retry; /* 7: no limit */
	u8 min_rnr_timer; /* code of IBA table 45 */
	u8 max_rd_atomic; /* initiator depth */
	u8 max_dest_rd_atomic; /* responder resources */
	u16 access; /* GLASS_ACC_* */
	u8 mig_state; /* GLASS_MIG_* */
	bool sqd_async; /* en_sqd_async_notify */
	u32 qkey;
	u32 sq_psn;
	u32 rq_psn;
	u32 dest_qpn;
	struct glass_av av;
	/* the alternate path (IBA 17.2.8); if alt.dlid is 0, none is loaded */
	struct glass_av alt;
	u16 alt_pkey_index;
	u8 alt_port;
	u8 alt_timeout;
};

/* States of path migration (IBA 17.2.8); values as enum ib_mig_state */
#define GLASS_MIG_MIGRATED 0
/* in this state, a packet with MigReq 0 makes the QP ARMED: the peer has an alternate path, too */
#define GLASS_MIG_REARM 1
#define GLASS_MIG_ARMED 2

/* Access bits; values as enum ib_access_flags */
#define GLASS_ACC_LOCAL_WRITE BIT(0)
#define GLASS_ACC_REMOTE_WRITE BIT(1)
#define GLASS_ACC_REMOTE_READ BIT(2)
#define GLASS_ACC_REMOTE_ATOMIC BIT(3)
#define GLASS_ACC_MW_BIND BIT(4)
#define GLASS_ACC_FLUSH_GLOBAL BIT(8)
#define GLASS_ACC_FLUSH_PERSISTENT BIT(9)

/* Bits of attribute masks; values as enum ib_qp_attr_mask */
#define GLASS_QPA_STATE BIT(0)
#define GLASS_QPA_CUR_STATE BIT(1)
#define GLASS_QPA_EN_SQD_ASYNC_NOTIFY BIT(2)
#define GLASS_QPA_ACCESS_FLAGS BIT(3)
#define GLASS_QPA_PKEY_INDEX BIT(4)
#define GLASS_QPA_PORT BIT(5)
#define GLASS_QPA_QKEY BIT(6)
#define GLASS_QPA_AV BIT(7)
#define GLASS_QPA_PATH_MTU BIT(8)
#define GLASS_QPA_TIMEOUT BIT(9)
#define GLASS_QPA_RETRY_CNT BIT(10)
#define GLASS_QPA_RNR_RETRY BIT(11)
#define GLASS_QPA_RQ_PSN BIT(12)
#define GLASS_QPA_MAX_QP_RD_ATOMIC BIT(13)
#define GLASS_QPA_ALT_PATH BIT(14)
#define GLASS_QPA_MIN_RNR_TIMER BIT(15)
#define GLASS_QPA_SQ_PSN BIT(16)
#define GLASS_QPA_MAX_DEST_RD_ATOMIC BIT(17)
#define GLASS_QPA_PATH_MIG_STATE BIT(18)
#define GLASS_QPA_CAP BIT(19)
#define GLASS_QPA_DEST_QPN BIT(20)

/* Is the type reliable and connected: RC, or one of the two halves of XRC (annex A14)? */
static inline bool glass_type_is_rc(enum glass_qp_type type)
{
	return type == GLASS_QPT_RC || type == GLASS_QPT_XRC_INI || type == GLASS_QPT_XRC_TGT;
}

static inline bool glass_type_is_connected(enum glass_qp_type type)
{
	return glass_type_is_rc(type) || type == GLASS_QPT_UC;
}

struct glass_req_state {
	/*
	 * Free-running indices into the ring of snapshots: tail <= cur <= begun <= head. WQEs in
	 * [tail, begun) were started and are not complete. WQEs in [cur, head) must be sent, or
	 * sent again.
	 */
	u32 head; /* the engine adds snapshots here */
	u32 cur; /* the WQE that is sent next, or is being sent */
	u32 tail; /* the oldest WQE that is not complete */
	u32 begun; /* the first WQE that was never started */
	/*
	 * Index, from 0, of the packet of the WQE at cur that is sent next. A retry sets it to the
	 * number of this WQE's packets that the peer has acknowledged; for a READ, to the number of
	 * response packets that have come.
	 */
	u32 cur_off;
	u32 psn; /* next PSN to send */
	u32 max_psn; /* highest PSN sent so far, plus one; during a retry psn is lower */
	u32 una; /* oldest PSN not acknowledged */
	/* number of outstanding READs, atomics, FLUSHes and ATOMIC WRITEs, up to max_rd_atomic */
	u32 rd_atomic;
	/*
	 * number of local operations that were carried out, but wait for earlier requests to
	 * complete
	 */
	u32 locals;
	u32 locals_ran; /* local operations carried out since GLASS_LEFT_LOCALS was last set */
	/*
	 * una at the time when GLASS_PAGES_ANSWER was set in `pages`; valid while this bit is set
	 */
	u32 page_psn;
	/*
	 * If this is not GLASS_WC_SUCCESS, the WQE at cur fails with this status once all WQEs
	 * before it are complete.
	 */
	u8 cur_err;
	u8 retry_left;
	u8 rnr_left;
	u32 round; /* retries since una last moved */
	u32 window; /* limit of outstanding PSNs; 1 after a timeout or RNR NAK, until una moves */
	bool rnr_wait; /* the requester sends nothing until rnr_until */
	u64 rnr_until; /* ns */
	u64 ack_deadline; /* time in ns when the ACK timer expires; 0: it does not run */
	u32 since_ackreq; /* packets since the last AckReq */
	/*
	 * For UD and UC: the engine has got the last packet of the WQE at tail, and the WQE
	 * completes when that packet is delivered (glass_req_sent()).
	 */
	bool sent_pending;
	/* the requester has acted on the loss of the packet at una: ignore further NAKs for it */
	bool nak_seq_seen;
	u32 hole_psn; /* if nak_seq_seen is set: PSN of the packet that showed the loss */
	/*
	 * the most answers that may still come to transmissions which the requester has repeated;
	 * each of them may restart the ACK timer
	 */
	u32 old_answers;
	u32 ssn; /* number of messages begun (IBA: SSN) */
	u32 credit_lsn; /* ssn up to which the peer granted credits (IBA: LSN) */
	bool credit_valid; /* the peer grants credits; false: no limit */
	/*
	 * The error of the WQE at tail, while that WQE cannot complete because a packet is lent
	 * (GLASS_LENT_OUT). If fail_status is 0, there is no such error.
	 */
	u8 fail_status; /* enum glass_wc_status */
	u8 fail_cause; /* enum glass_cause */
	u8 fail_syndrome;
};

struct glass_resp_state {
	u32 epsn; /* expected PSN */
	u32 msn;
	u32 ack_psn; /* PSN of the pending NAK or RNR NAK; an ACK has the PSN epsn - 1 */
	u8 ack_syndrome; /* of the pending ACK (GLASS_AETH_ACK), NAK or RNR NAK */
	bool ack_pending; /* an ACK, NAK or RNR NAK is owed */
	/*
	 * An ACK is owed, but may wait: glass_resp_ack_later(). The timer of such ACKs reads this
	 * without the QP's lock. So it is written by WRITE_ONCE(), except by a reset.
	 */
	bool ack_later;
	/* a NAK or RNR NAK is owed or was sent, and no request was accepted since */
	bool nak_sent;
	u32 nak_psn; /* PSN of the packet that caused that NAK or RNR NAK */
	/*
	 * The BTH operation of the last accepted request packet. GLASS_LAST_NONE: there was none
	 * yet, or (RC, XRC) that packet ended its message.
	 */
	u8 last_op;
	bool comm_est; /* the event COMM_EST was raised */
	bool last_wqe_reached; /* the event QP_LAST_WQE_REACHED was raised */
	bool in_msg; /* a message has begun, and its last packet has not come */
	bool rwqe_valid; /* rwqe below was taken, and is not complete */
	u32 msg_len; /* bytes of the message so far */
	u64 va; /* WRITE: where the next bytes go */
	u32 rkey; /* WRITE */
	u32 left; /* WRITE: bytes of dma_len still to come */
	u64 flow, wr_id; /* of the last accepted request */
	u64 nak_flow, nak_wr_id; /* of the packet that caused the pending NAK or RNR NAK */
	struct glass_rwqe rwqe;
	/*
	 * XRC: number of the SRQ in the present request, which is the one being received or
	 * answered. Memory accesses use the protection domain of this SRQ.
	 */
	u32 xrc_srq;
	u32 rwqe_srq; /* XRC: number of the SRQ that rwqe was taken from */
	u32 msg_srq; /* XRC: number of the SRQ that the message being received names */
	/* free-running indices into the answers in glass_pqp.res, the oldest first */
	u32 res_head; /* the next slot to fill */
	u32 res_tail; /* the oldest answer, kept for duplicates */
	u32 res_cur; /* the next answer to send; equal to res_head if there is none */
	u32 res_todo; /* number of answers that were never sent in full */
};

/* Counters of the QP since its creation: only u64 fields. */
struct glass_pqp_stats {
#define GLASS_STATS_FIELD(name, unit, meaning) u64 name;
	GLASS_COUNTERS_QP(GLASS_STATS_FIELD)
#undef GLASS_STATS_FIELD
};

/* An error of a QP. struct glass_pqp has the first and the last one since RESET. */
struct glass_error {
	u8 cause; /* enum glass_cause */
	u8 status; /* enum glass_wc_status */
	u8 syndrome;
	u8 opcode; /* BTH opcode of the packet that failed or reported the error; 0: none */
	u32 psn;
	u64 wr_id;
	u64 when; /* ns */
};

/*
 * The core's part of a QP. The engine fills the first group of fields once, at creation. It leaves
 * the rest to the core, except attr.port (glass_pqp_init()), and fields whose comment says that the
 * engine sets them.
 */
struct glass_pqp {
	enum glass_qp_type type;
	u32 qpn;
	bool has_srq; /* receives come from an SRQ; XRC target: from the SRQs that requests name */
	bool sig_all; /* every send WQE makes a completion */
	bool is_user; /* the QP belongs to a program, not to a kernel consumer */
	void *sq; /* ring of snapshots of send WQEs (struct glass_swqe), sq_stride bytes each */
	u32 sq_stride;
	u32 sq_entries; /* a power of two */
	u32 max_sge;
	u32 max_inline; /* bytes */

	/* ring of answers, in memory that the caller of glass_pqp_res_room() gave to the core */
	struct glass_rd_res *res;
	u32 res_slots; /* 0, or a power of two up to GLASS_MAX_RD_ATOMIC */

	enum glass_qp_state state;
	/*
	 * How often `state` or `attr` changed, in the lower half (glass_pqp_changed()). The engine sets the upper half at
	 * creation, so that no two QPs of a device have the same value, and counts up when it marks the QP as dead.
	 */
	u64 changes;
	struct glass_qp_attr attr;
	struct glass_req_state req;
	struct glass_resp_state resp;
	/*
	 * A train is one struct glass_pkt for several packets (glass_pkt.more). The longest train
	 * has 1 + max_more packets. If max_more is 0, there are no trains. The engine sets max_more
	 * each time before it asks for a packet. It sets 0 for XRC, and while an observer or an
	 * injection rule needs single packets.
	 */
	u16 max_more;
	/* Set by the engine: requests may permit the peer to postpone their ACKs. */
	bool ack_later;
	/*
	 * Set by the engine before glass_pqp_rx(): the responder does not postpone the ACK, even
	 * if the packet permits that (glass_pkt.ack_later).
	 */
	bool ack_soon;
	u8 lent; /* GLASS_LENT_* */
	u8 left; /* GLASS_LEFT_* */
	/* GLASS_PAGES_*: accesses that found a page absent since the last glass_pqp_pages() */
	u8 pages;
	/* Set by the engine: bytes of the longest datagram that the port sends. */
	u16 port_mtu;
	struct glass_pqp_stats stats;
	struct glass_error first_error;
	struct glass_error last_error;
	/* In SQD: the queue has drained. If modify_qp asked for it, SQ_DRAINED was raised, too. */
	bool sqd_drained_told;
	bool mig_refused; /* PATH_MIG_ERR was raised since the QP last became ARMED */
	u64 state_since; /* ns */
	struct glass_rate rate; /* how fast the QP may send after CNPs */
	u64 cnp_ns; /* when it has sent the last CNP; 0: none yet */
	u64 deadline; /* time in ns when the engine must call glass_pqp_timer(); 0: never */
};

/*
 * The QP's packet in flight (from glass_req_next() or glass_resp_next()) is lent: the engine reads
 * the packet's buffers without the QP's lock. The engine sets this bit. It ends the loan by
 * glass_pqp_returned(). If no other bit of `lent` is set, or the QP is being destroyed, the engine
 * may clear `lent` instead.
 *
 * During the loan no send WQE completes in error. The completion would return the buffer to its
 * owner, which could then write to the buffer, and the peer would receive the new contents. A WQE
 * may complete with success during the loan, if the peer acknowledges the WQE. The peer then has
 * the data, and drops the packet in flight as a duplicate. Injected faults are an exception: after
 * a forged ACK, the peer may lack the data.
 */
#define GLASS_LENT_OUT BIT(0)
#define GLASS_LENT_FLUSH BIT(1) /* flush the send queue when the loan ends; set by the core */
/* A verb waits for the end of the loan, which clears this bit. The engine sets and tests it. */
#define GLASS_LENT_AWAITED BIT(2)

/*
 * Bits of glass_pqp.pages: the accesses that found a page of on-demand memory absent. The packet
 * path does not test these bits; only glass_pqp_pages(), glass_req_waits() and glass_resp_waits()
 * do.
 */
#define GLASS_PAGES_SEND BIT(0) /* payload of a request */
#define GLASS_PAGES_ANSWER BIT(1) /* destination of the answer to a READ or an atomic */
#define GLASS_PAGES_PEER BIT(2) /* memory that a request of the peer writes or reads */

/* Bits of glass_pqp.left: work that a call of the core left for a later call */
/* in ERR or SQE: there may be posted WQEs that were not flushed yet */
#define GLASS_LEFT_FLUSH BIT(0)
/*
 * glass_req_next() carried out GLASS_LOCAL_SLICE local operations, or cannot carry out the next one
 * yet. The engine must call glass_req_next() again.
 */
#define GLASS_LEFT_LOCALS BIT(1)

/* Does `changes` tell changes of this QP? After 2^32 - 1 of them it does not. */
static inline bool glass_pqp_counts(const struct glass_pqp *q)
{
	return (u32)q->changes != ~0U;
}

/* Counts a change of the state or the attributes. */
static inline void glass_pqp_changed(struct glass_pqp *q)
{
	if (glass_pqp_counts(q))
		q->changes++;
}

static inline struct glass_swqe *glass_swqe_at(const struct glass_pqp *q, u32 index)
{
	return (struct glass_swqe *)((u8 *)q->sq +
				     (size_t)(index & (q->sq_entries - 1)) * q->sq_stride);
}

/* Returns the number of free slots in the ring of snapshots. */
static inline u32 glass_sq_room(const struct glass_pqp *q)
{
	return q->sq_entries - (READ_ONCE(q->req.head) - READ_ONCE(q->req.tail));
}

/* The Q_Key of QP1, and the bit of controlled Q_Keys (IBA 10.2.5) */
#define GLASS_QP1_QKEY 0x80010000u
#define GLASS_QKEY_CTRL 0x80000000u

/* Bytes of the longest message (IBA 9.7.7) */
#define GLASS_MSG_MAX 0x80000000u

/*
 * Puts the core's part of a QP into RESET. The caller has filled the first group of fields of *q.
 * attr.mtu and port_mtu become GLASS_MTU_MAX. For a datagram QP (UD, GSI, SMI), attr.mtu limits
 * receives, port_mtu limits sends, and no modify changes either of them. After this call, the
 * caller sets attr.port of a GSI or SMI QP, because no modify sets it. A later RESET keeps attr.mtu
 * of datagram QPs, and attr.port of GSI and SMI.
 */
void glass_pqp_init(struct glass_pqp *q);

/*
 * Checks a transition and its mask against tables 91 to 93 of the IBA (10.3.1), and the values of
 * the attributes. Changes nothing. If the mask has GLASS_QPA_CUR_STATE, attr->cur_state must be the
 * QP's state. Returns 0 or -EINVAL. After -EINVAL, *bad_bit is 0 if the transition does not exist.
 * Otherwise it is one mask bit: the lowest that is missing; else the lowest that is not allowed;
 * else the lowest whose attribute has a bad value.
 */
int glass_pqp_check_modify(const struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask,
			   u32 *bad_bit);

/*
 * Gives the QP room for `slots` answers (struct glass_rd_res). `mem` is zeroed memory of the caller
 * for as many structs. `slots` is a power of two, and more than q->res_slots. Returns the memory of
 * the previous call, which the caller owns again. The first call returns NULL.
 */
struct glass_rd_res *glass_pqp_res_room(struct glass_pqp *q, struct glass_rd_res *mem, u32 slots);

/*
 * Checks a modify like glass_pqp_check_modify(), and applies it. Returns 0 or -EINVAL. Returns
 * -ENOMEM if there is no room for max_dest_rd_atomic answers (glass_pqp_res_room()). A transition
 * to ERR flushes a few posted WQEs. glass_pqp_flush() flushes the rest. While a packet is lent
 * (GLASS_LENT_OUT), no send WQE is flushed. RESET drops all WQEs, and makes no completions for
 * them. It leaves the send ring empty, with all indices at the old head. glass_pqp_sq_rewind() can
 * change them. `now` is the time in ns.
 */
int glass_pqp_modify(struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask, u64 now);
/*
 * As glass_pqp_modify(), but without the check: the caller has called glass_pqp_check_modify(), which
 * returned 0, and has changed nothing since. Returns 0 or -ENOMEM.
 */
int glass_pqp_modify_checked(struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask, u64 now);

/* Sets all indices of an empty send ring to `index`. The QP must be in RESET. */
void glass_pqp_sq_rewind(struct glass_pqp *q, u32 index);

/*
 * Moves the QP to ERR for an external cause, and raises the affiliated event `ev`. GLASS_EV_COUNT
 * stands for no event. Does nothing if the QP is in ERR. If the QP is in RESET, only raises `ev`.
 */
void glass_pqp_fail(struct glass_pqp *q, enum glass_cause cause, enum glass_event ev, u64 now);

/*
 * Flushes at most `max` posted WQEs: in ERR those of both queues, in SQE those of the send queue.
 * Returns how many it flushed. In other states returns 0. If the error of a WQE had to wait for the
 * end of a loan (fail_status), this WQE completes first, and does not count. While a packet is
 * lent, the function leaves the send queue to glass_pqp_returned(). If GLASS_LEFT_FLUSH is set in
 * q->left afterwards, there may be more WQEs to flush. The engine calls glass_pqp_flush() while
 * that bit is set, and after new posts.
 */
u32 glass_pqp_flush(struct glass_pqp *q, u32 max);

/*
 * Gets the next request packet. Returns true and fills *pkt if there is one. pkt->seg must point to
 * GLASS_PKT_SEGS entries.
 *
 * Payload memory from glass_env_gather() remains referenced until the caller calls
 * glass_env_payload_put(). The core sets all fields of *pkt that the opcode needs on the wire,
 * except SLID, VL and P_Key, which the caller sets. For that purpose *av points to the packet's
 * address vector, and *pkey_index is the index of the packet's P_Key.
 *
 * If the next WQE fails, the function completes that WQE and returns false. The payload of an
 * inline WQE, and *av, may point into the snapshot. Any later call of the core may complete an RC
 * WQE, and so make its slot in the ring free. The next snapshot that the caller adds may overwrite
 * that slot. Therefore the caller delivers or copies the packet before it adds snapshots.
 */
bool glass_req_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		    u16 *pkey_index, u64 now);

/*
 * Call when the packet from glass_req_next() was delivered, and its payload is not read any more. A
 * datagram or UC message completes here and not before, because the completion returns the buffer
 * to its owner. Without this call, the next glass_req_next() completes the message.
 */
void glass_req_sent(struct glass_pqp *q);

/*
 * Call when no context reads the lent packet any more, and before glass_req_sent(). Ends the loan
 * (GLASS_LENT_OUT). If the core postponed a flush, and the QP is still in ERR or SQE, flushes a few
 * WQEs as the transition would have done.
 */
void glass_pqp_returned(struct glass_pqp *q, u64 now);

/* As glass_req_next(), but gets the next response packet. Only RC and XRC have responses. */
bool glass_resp_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		     u16 *pkey_index, u64 now);

/*
 * May glass_resp_next() or glass_req_next() have work at `now`? Also true if glass_req_next() would
 * only complete a WQE in error, if the next packet waits for a page, or if GLASS_LEFT_FLUSH is set.
 */
bool glass_pqp_has_work(const struct glass_pqp *q, u64 now);

/*
 * Does the responder owe its peer an answer (ACK, NAK, READ data, atomic result)? An ACK that may
 * wait (resp.ack_later) does not count.
 */
static inline bool glass_resp_owed(const struct glass_pqp *q)
{
	return q->resp.ack_pending || q->resp.res_cur != q->resp.res_head;
}

/*
 * May there be a packet to send? Call this after glass_req_sent(). True does not promise a packet:
 * only a call of glass_resp_next() or glass_req_next() shows whether there is one. False means that
 * the responder owes nothing, and that no WQE is left to send.
 */
static inline bool glass_pqp_may_send(const struct glass_pqp *q)
{
	return glass_resp_owed(q) || q->req.cur != q->req.head;
}

/*
 * Does the responder owe an ACK that it may coalesce with later ones (IBA 9.7.5.1.2)? If so, the
 * engine calls glass_pqp_ack_now() within about GLASS_ACK_LATER_NS. After that call,
 * glass_resp_next() returns the ACK. If another packet has acknowledged the request meanwhile,
 * glass_pqp_ack_now() does nothing.
 */
#define GLASS_ACK_LATER_NS 16000000
static inline bool glass_resp_ack_later(const struct glass_pqp *q)
{
	return q->resp.ack_later;
}
void glass_pqp_ack_now(struct glass_pqp *q);

/*
 * Returns what the requester waits for, or GLASS_WAIT_NOTHING if all its WQEs are complete. Never
 * returns GLASS_WAIT_PORT: the core does not know the state of the port.
 */
enum glass_wait glass_req_waits(const struct glass_pqp *q, u64 now);
/*
 * Returns what the responder waits for: GLASS_WAIT_PAGE, GLASS_WAIT_ENGINE, GLASS_WAIT_RECV,
 * GLASS_WAIT_MESSAGE or GLASS_WAIT_NOTHING.
 */
enum glass_wait glass_resp_waits(const struct glass_pqp *q);

/* Values that the port passes with a received packet, for the completion of a datagram */
struct glass_rx_meta {
	u16 pkey_index; /* index of the packet's P_Key in the port's table */
	u8 dlid_path_bits; /* path bits of the packet's DLID; multicast: 0 */
};
/*
 * Receives a packet for this QP. The port has checked LRH, GRH, P_Key and the destination. The core
 * checks Q_Key, source, transport, opcode, length, PSN and memory.
 */
void glass_pqp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, const struct glass_rx_meta *meta,
		  u64 now);

/*
 * CNPs (RoCEv2, IBA annex A17.9.3), of connected QPs at Ethernet ports.
 *
 * glass_pqp_marked(): the QP gets a packet that a switch has marked (CE). Returns whether the engine
 * must send a CNP to its peer: at most one in GLASS_CNP_EVERY_NS. glass_pqp_cnp() fills it, as
 * glass_req_next() does; its payload is *seg. glass_pqp_rx() processes CNPs that arrive.
 */
#define GLASS_CNP_EVERY_NS 50000
bool glass_pqp_marked(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now);
void glass_pqp_cnp(const struct glass_pqp *q, struct glass_pkt *cnp, struct glass_seg *seg);

/*
 * Migrates the QP to its alternate path if the packet asks for that (MigReq 1), and if the packet's
 * port, P_Key and source are those of the alternate path. If one of the three differs, the QP keeps
 * its path, and raises PATH_MIG_ERR, but only for the first such packet since it last became ARMED.
 * Does nothing if MigReq is 0, or if the QP is not ARMED.
 *
 * Call this before the packet's port and P_Key are compared with those of the QP. `port` is where
 * the packet arrived. `pkey_ok` means that the packet's P_Key matches the one at
 * attr.alt_pkey_index of that port. Returns whether the QP migrated.
 */
bool glass_pqp_migrate_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u8 port, bool pkey_ok);

/* Call when pqp->deadline has passed; calling early is harmless. */
void glass_pqp_timer(struct glass_pqp *q, u64 now);

/*
 * Returns true if the packet is part of a WRITE that the QP would accept now. In that case *rkey
 * and *va name the place of its payload. Does not check the memory.
 */
bool glass_pqp_write_at(const struct glass_pqp *q, const struct glass_pkt *pkt, u32 *rkey, u64 *va);

/*
 * Call when a page that was absent (GLASS_MEM_LATER) has come, or will not come. If the requester
 * dropped an answer because of a page, it will request that answer again. After this call, the
 * caller must ask the QP for packets (glass_resp_next(), glass_req_next()).
 */
void glass_pqp_pages(struct glass_pqp *q);

/* Postpones all pending deadlines of the QP by this many ns. */
void glass_pqp_shift(struct glass_pqp *q, u64 ns);

/* Returns how many packets (PSNs) a message of len bytes takes: at least one. */
static inline u32 glass_npkts(u32 len, u16 mtu)
{
	/* most messages have one packet, and need no division */
	return len > mtu ? (u32)(((u64)len + mtu - 1) / mtu) : 1;
}

/*
 * Returns the local ACK timeout in ns for an exponent from 0 to 31 (IBA 9.7.6.1.3). A result of 0
 * means that there is no timeout.
 */
static inline u64 glass_ack_timeout_ns(u8 exponent)
{
	return exponent ? 4096ULL << (exponent & 31) : 0;
}

/* Returns the time in ns for an RNR timer code from 0 to 31 (IBA 9.7.5.2.8, table 45). */
u64 glass_rnr_timer_ns(u8 code);

/*
 * Returns how many ns a requester waits after an RNR NAK with this code, before retry number
 * `round` (from 1). The IBA's time for the code (glass_rnr_timer_ns()) is only a minimum
 * (9.7.5.2.8). The first GLASS_PATIENT_ROUNDS waits are as long as this minimum. Each later wait is
 * twice the previous one, up to GLASS_PATIENCE_NS. If the minimum is longer than GLASS_PATIENCE_NS,
 * every wait is as long as the minimum.
 */
u64 glass_rnr_wait_ns(u8 code, u32 round);
#define GLASS_PATIENT_ROUNDS 8
#define GLASS_PATIENCE_NS 64000000ULL

#endif
