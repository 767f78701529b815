/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The protocol core of one queue pair (QP): requester, responder and state machine, in plain C
 * without kernel objects.
 *
 * How it is driven. The engine (driver/engine in the kernel, the tests in user space) owns a struct
 * glass_pqp. It serialises all calls on it by one lock per QP; the core never touches a second QP.
 * It calls:
 *
 *   glass_req_next()    next request packet to send, if the protocol allows one
 *   glass_resp_next()   next response packet (ACK, NAK, READ data, atomic ACK)
 *   glass_pqp_rx()      a packet arrived for this QP
 *   glass_pqp_timer()   the time in pqp->deadline has come
 *   glass_pqp_modify()  a state transition
 *   glass_pqp_fail()    an error from outside (injection, CQ overrun, bad ring)
 *
 * The core gets memory, receive WQEs, completions and events from the functions of proto/env.h. The
 * linker binds them: the kernel module and the user-space library each have their own. The engine
 * pulls the packets to send one at a time, into its own memory, so it bounds the work. The core has
 * one timer, pqp->deadline, which the engine reads after each call.
 */
#ifndef GLASS_PROTO_QP_H
#define GLASS_PROTO_QP_H

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
	u8 path_bits; /* the SLID is the port's base LID plus these */
	u8 port;
	u8 has_grh;
	u8 tclass;
	u8 hop_limit;
	u32 flow_label;
	u8 static_rate;
	u8 sgid_index;
	u8 sgid[16];
	u8 dgid[16];
};

/* glass_swqe.flags; the same bits as GLASS_WQE_* of the ABI */
#define GLASS_SWQE_FENCE BIT(0)
#define GLASS_SWQE_SIGNALED BIT(1)
#define GLASS_SWQE_SOLICITED BIT(2)
#define GLASS_SWQE_INLINE BIT(3)

/*
 * A send WQE: the driver's private, checked snapshot of an entry of the send ring
 * (glass_swqe_take()). op is known, num_sge and the inline length are within the QP's limits, and
 * len is the sum of the lengths, without overflow. If the check failed, `status` is not
 * GLASS_WC_SUCCESS: the core sends nothing of the WQE, and completes it with that status after all
 * earlier WQEs.
 */
struct glass_swqe {
	u64 wr_id;
	u8 op; /* enum glass_wr_op */
	u8 flags; /* GLASS_SWQE_* */
	u8 num_sge; /* 0 when inline */
	u8 status; /* enum glass_wc_status */
	u32 len; /* message bytes */
	__be32 imm;
	u32 rkey;
	u64 raddr;
	u64 cmp_add; /* compare operand, or addend */
	u64 swap;
	/*
	 * More about rkey and raddr above. rkey of SEND_INV and LOCAL_INV: the key to invalidate;
	 * of BIND_MW: its low 8 bits become those of the window's R_Key; of REG_MR: the region's
	 * new key. raddr of BIND_MW, REG_MR and FLUSH: where the range begins.
	 */
	u64 blen; /* BIND_MW, REG_MR, FLUSH: length of the range in bytes */
	u32 mw_rkey; /* BIND_MW: the window's current R_Key */
	u32 mr_lkey; /* BIND_MW: the region */
	u32 access; /* BIND_MW, REG_MR: GLASS_ACC_*; FLUSH: GLASS_FETH_* */
	u32 xrc_srq; /* XRC: SRQ of the peer */
	u64 flow; /* id that ties the work request to its packets, as in glass_pkt */
	u64 post_ns; /* when the snapshot was taken, ns */
	/* UD */
	u32 dqpn;
	u32 qkey; /* as the program gave it; with GLASS_QKEY_CTRL the QP's own is sent instead */
	u16 pkey_index; /* GSI only */
	struct glass_av av;
	/* filled by the core */
	u32 psn; /* PSN of the first packet */
	u32 npsn; /* PSNs that the message takes: one a packet; a READ: one a response packet */
	u32 tries; /* how often its transmission was begun, or resumed by a retry */
	/*
	 * num_sge SGEs, or len bytes of inline data. A slot of the ring has room for more than this
	 * type: glass_pqp.sq_stride
	 */
	union {
		struct glass_sge sge[1];
		u8 data[16];
	};
};

/*
 * A receive WQE: private, checked snapshot. num_sge is within limits, len is the sum of the
 * lengths.
 */
#define GLASS_RWQE_SGE_MAX 30
struct glass_rwqe {
	u64 wr_id;
	u32 num_sge;
	u64 len;
	struct glass_sge sge[GLASS_RWQE_SGE_MAX];
};

/* A completion on its way to a CQ. */
struct glass_cqe {
	u64 wr_id;
	enum glass_wc_status status;
	enum glass_wc_op op;
	u8 cause; /* enum glass_cause */
	u8 syndrome; /* AETH syndrome that caused an error, else 0 */
	u32 vendor; /* vendor error that an injection rule set; 0: made of cause and syndrome */
	u8 sl;
	u8 dlid_path_bits;
	u16 slid;
	u16 pkey_index;
	u32 byte_len;
	__be32 imm;
	u32 inv_key; /* with has_inv: the key that the peer invalidated */
	u32 src_qp;
	u32 wqe_index; /* send: the WQE's free-running index */
	u64 flow; /* of the work request; receive: of the peer's request, 0 if flushed */
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
	u8 replay; /* was sent in full before: if it fails now, the QP does not go to ERR */
	u32 psn; /* first PSN */
	u32 npsn;
	/* READ: index of the first packet to send; not 0 if a duplicate asks for the rest */
	u32 start;
	u32 next; /* index of the next packet to send */
	u32 end; /* number of packets of the whole answer; next == end: sent in full */
	u32 msn;
	u32 rkey;
	u32 len;
	u32 xrc_srq; /* XRC: the SRQ that the request named */
	u64 va;
	u64 orig; /* atomic: the original value */
	u64 flow, wr_id; /* of the request, for observers */
};

#define GLASS_MAX_RD_ATOMIC 128

/* QP attributes of the core; host order, ranges as in ibv_modify_qp(3). */
struct glass_qp_attr {
	enum glass_qp_state state;
	enum glass_qp_state cur_state;
	u16 mtu; /* bytes: 256 ... 4096 */
	u16 pkey_index;
	u8 port;
	u8 timeout; /* 4.096 us * 2^timeout; 0 = none */
	u8 retry_cnt;
	u8 rnr_retry; /* 7 = unlimited */
	u8 min_rnr_timer; /* IBA table 45 */
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
	/* the alternate path (IBA 17.2.8); alt.dlid 0: none is loaded */
	struct glass_av alt;
	u16 alt_pkey_index;
	u8 alt_port;
	u8 alt_timeout;
};

/* Path migration (IBA 17.2.8); as enum ib_mig_state */
#define GLASS_MIG_MIGRATED 0
#define GLASS_MIG_REARM 1 /* becomes ARMED when the peer has an alternate path, too (MigReq 0) */
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

/* Reliable connected: RC, and the two halves of XRC (annex A14) */
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
	 * [tail, begun) were started and have no completion; those in [cur, head) are to be sent,
	 * or sent again.
	 */
	u32 head; /* the engine adds snapshots here */
	u32 cur; /* WQE being sent */
	u32 tail; /* oldest WQE without completion */
	u32 begun; /* first WQE that was never started */
	u32 cur_off; /* packets of cur that are sent or acknowledged; READ: responses received */
	u32 psn; /* next PSN to send */
	u32 max_psn; /* highest PSN sent so far, plus one; during a retry psn is lower */
	u32 una; /* oldest PSN not acknowledged */
	/* outstanding READs, atomics, FLUSHes and ATOMIC WRITEs: max_rd_atomic limits them */
	u32 rd_atomic;
	/* local operations that were carried out; their completions wait for earlier requests */
	u32 locals;
	u32 locals_ran; /* local operations carried out since GLASS_LEFT_LOCALS was last set */
	u32 page_psn; /* with GLASS_PAGES_ANSWER: una when the answer to it found no page */
	u8 cur_err; /* status with which cur fails once all WQEs before it are complete; 0: none */
	u8 retry_left;
	u8 rnr_left;
	u32 round; /* tries since una moved */
	u32 window; /* limit of outstanding PSNs: 1 from a timeout or RNR NAK until una moves */
	bool rnr_wait; /* waiting for rnr_until */
	u64 rnr_until; /* ns */
	u64 ack_deadline; /* ns, 0 = not running */
	u32 since_ackreq; /* packets since the last AckReq */
	/* UD and UC: the WQE at tail completes when its last packet is delivered */
	bool sent_pending;
	bool nak_seq_seen; /* ignore further reports of a hole (a missing packet) at una */
	u32 ssn; /* messages begun (IBA: SSN) */
	u32 credit_lsn; /* ssn up to which the peer granted credits (IBA: LSN) */
	bool credit_valid; /* the peer grants credits; false: no limit */
	/*
	 * While GLASS_LENT_FLUSH postpones the flush: the error of the WQE at tail. fail_status 0:
	 * that WQE is flushed like the others.
	 */
	u8 fail_status; /* enum glass_wc_status */
	u8 fail_cause; /* enum glass_cause */
	u8 fail_syndrome;
};

struct glass_resp_state {
	u32 epsn; /* expected PSN */
	u32 msn;
	u32 ack_psn; /* PSN of the pending NAK; an ACK has epsn - 1 */
	u8 ack_syndrome;
	bool ack_pending;
	bool ack_later; /* an ACK is owed, but may wait: glass_resp_ack_later() */
	/* a NAK or RNR NAK is owed or was sent, and epsn has not come since: hole_reported() */
	bool nak_sent;
	u32 nak_psn; /* PSN of the packet that caused that NAK */
	/* BTH operation of the last request packet; RC: GLASS_LAST_NONE between messages */
	u8 last_op;
	bool comm_est; /* COMM_EST reported */
	bool last_wqe_reached;
	/* message being received */
	bool in_msg;
	bool rwqe_valid;
	u32 msg_len; /* bytes so far */
	u64 va; /* WRITE: next address */
	u32 rkey;
	u32 left; /* WRITE: bytes of dma_len still to come */
	u64 flow, wr_id; /* of the last accepted request */
	u64 nak_flow, nak_wr_id; /* of the packet that caused the pending NAK */
	struct glass_rwqe rwqe;
	/* XRC: the SRQ that the current request or answer names; its protection domain applies */
	u32 xrc_srq;
	u32 rwqe_srq; /* XRC: the SRQ that rwqe was taken from */
	u32 msg_srq; /* XRC: the SRQ of the message being received */
	/* READ and atomic answers in glass_pqp.res, oldest first */
	u32 res_head; /* free-running: next slot to fill */
	u32 res_tail; /* oldest kept (for duplicates) */
	u32 res_cur; /* next answer to send; res_head: none */
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
	u8 opcode; /* BTH opcode of the failed packet, else 0 */
	u32 psn;
	u64 wr_id;
	u64 when; /* ns */
};

/*
 * The core's part of a QP. The engine fills the first group of fields once, at creation. It leaves
 * the rest to the core, except fields whose comment says that the engine sets them.
 */
struct glass_pqp {
	enum glass_qp_type type;
	u32 qpn;
	bool has_srq;
	bool sig_all; /* every send WQE makes a completion */
	bool is_user;
	void *sq; /* ring of send WQEs (struct glass_swqe), sq_stride bytes each */
	u32 sq_stride;
	u32 sq_entries; /* a power of two */
	u32 max_sge;
	u32 max_inline; /* bytes */

	/* ring of answers, in the memory that glass_pqp_res_room() got from its caller */
	struct glass_rd_res *res;
	u32 res_slots; /* 0, or a power of two up to GLASS_MAX_RD_ATOMIC */

	enum glass_qp_state state;
	struct glass_qp_attr attr;
	struct glass_req_state req;
	struct glass_resp_state resp;
	/*
	 * The longest train (one struct glass_pkt for several packets: glass_pkt.more) has 1 +
	 * max_more packets. Set by the engine before it asks for a packet; 0: no trains, because an
	 * observer or an injection rule needs single packets, or on XRC.
	 */
	u16 max_more;
	/* the engine sets it: requests may mark their ACK as postponable (glass_pkt.ack_later) */
	bool ack_later;
	/* the engine sets it before each packet that arrives: ACK it at once, marked or not */
	bool ack_soon;
	u8 lent; /* GLASS_LENT_* */
	u8 left; /* GLASS_LEFT_* */
	/* GLASS_PAGES_*: accesses that found a page absent since the last glass_pqp_pages() */
	u8 pages;
	/* longest datagram that the port sends, bytes; set by the engine, at first GLASS_MTU_MAX */
	u16 port_mtu;
	struct glass_pqp_stats stats;
	struct glass_error first_error;
	struct glass_error last_error;
	/* in SQD: the queue has drained; the event, if asked for, was raised */
	bool sqd_drained_told;
	bool mig_refused; /* PATH_MIG_ERR was raised since the last arming */
	u64 state_since; /* ns */
	/* When to call glass_pqp_timer(), ns; 0 = never. The engine reads it after each call. */
	u64 deadline;
};

/*
 * The QP's packet in flight (of glass_req_next() or glass_resp_next()) is lent: the engine reads
 * its buffers without the QP's lock. The engine sets this bit. It ends the loan by
 * glass_pqp_returned(), or by clearing the bit if no other is set. Meanwhile no send WQE completes
 * in error: the completion would return the buffer to its owner, which may then write to it, and
 * the peer would receive the new contents. A WQE may succeed meanwhile: the peer has acknowledged
 * it, so it has the data already and drops the packet, unless an injected fault misleads one of
 * them.
 */
#define GLASS_LENT_OUT BIT(0)
#define GLASS_LENT_FLUSH BIT(1) /* flush the send queue when the loan ends; set by the core */
/* a verb waits for the end of the loan; the engine sets and tests it, the core does not */
#define GLASS_LENT_AWAITED BIT(2)

/*
 * The accesses that found a page of on-demand memory absent. The packet path does not test these
 * bits: each time that it runs the QP, it looks the page up again.
 */
#define GLASS_PAGES_SEND BIT(0) /* payload of a request */
#define GLASS_PAGES_ANSWER BIT(1) /* destination of the answer to a READ or an atomic */
#define GLASS_PAGES_PEER BIT(2) /* memory that a request of the peer writes or reads */

/* Work that a call left over, because it bounds its work. */
/* in ERR or SQE: glass_pqp_flush() may not have reached all posted WQEs */
#define GLASS_LEFT_FLUSH BIT(0)
/*
 * glass_req_next() did GLASS_LOCAL_SLICE local operations, or cannot do the next yet: call it again
 */
#define GLASS_LEFT_LOCALS BIT(1)

static inline struct glass_swqe *glass_swqe_at(const struct glass_pqp *q, u32 index)
{
	return (struct glass_swqe *)((u8 *)q->sq +
				     (size_t)(index & (q->sq_entries - 1)) * q->sq_stride);
}

/* Free slots in the ring of snapshots. */
static inline u32 glass_sq_room(const struct glass_pqp *q)
{
	return q->sq_entries - (READ_ONCE(q->req.head) - READ_ONCE(q->req.tail));
}

/* The Q_Key of QP1, and the bit of controlled Q_Keys (IBA 10.2.5) */
#define GLASS_QP1_QKEY 0x80010000u
#define GLASS_QKEY_CTRL 0x80000000u

/* Longest message (IBA 9.7.7) */
#define GLASS_MSG_MAX 0x80000000u

/*
 * Puts the core's part of a QP into RESET. The caller has filled the first group of *q. attr.mtu of
 * a datagram QP (UD, GSI, SMI) becomes GLASS_MTU_MAX, the limit for receives; port_mtu limits
 * sends. The engine then sets attr.port of GSI and SMI, because no modify sets it. A later RESET
 * keeps attr.mtu and attr.port of these QPs.
 */
void glass_pqp_init(struct glass_pqp *q);

/*
 * Checks a transition and its mask against the IBA's table (10.3.1, tables 91 to 93), and the
 * values of the attributes. Changes nothing. A current state in *attr (GLASS_QPA_CUR_STATE) must be
 * the true one. Returns 0 or -EINVAL. *bad_bit gets the mask bit that is missing, not allowed, or
 * of a bad value (the lowest of several); 0: the transition does not exist.
 */
int glass_pqp_check_modify(const struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask,
			   u32 *bad_bit);

/*
 * Gives the QP room for `slots` answers to READs and atomics. mem: zeroed memory of the caller;
 * slots: a power of two, more than q->res_slots. Returns the old memory, which the caller owns
 * again; NULL the first time.
 */
struct glass_rd_res *glass_pqp_res_room(struct glass_pqp *q, struct glass_rd_res *mem, u32 slots);

/*
 * Checks a modify as glass_pqp_check_modify(), and applies it. Returns 0, -EINVAL, or -ENOMEM: no
 * room for max_dest_rd_atomic answers (glass_pqp_res_room()). A transition to ERR flushes a few
 * posted WQEs; glass_pqp_flush() flushes the rest. While a packet is lent (GLASS_LENT_OUT), no send
 * WQE is flushed. RESET drops all state without completions. It leaves the send ring empty, with
 * all indices at the old head; glass_pqp_sq_rewind() can change them. now: ns.
 */
int glass_pqp_modify(struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask, u64 now);

/* Sets all indices of an empty send ring to `index`. Only in RESET. */
void glass_pqp_sq_rewind(struct glass_pqp *q, u32 index);

/*
 * Moves the QP to ERR for an external cause, with the affiliated event `ev` (GLASS_EV_COUNT: none).
 * In ERR it does nothing, in RESET it only raises ev.
 */
void glass_pqp_fail(struct glass_pqp *q, enum glass_cause cause, enum glass_event ev, u64 now);

/*
 * Flushes at most max posted work requests: in ERR those of both queues, in SQE those of the send
 * queue. Returns how many. If GLASS_LEFT_FLUSH is set in q->left afterwards, there may be more. The
 * engine calls it while that bit is set, and after new posts: a transition to ERR flushes only a
 * few.
 */
u32 glass_pqp_flush(struct glass_pqp *q, u32 max);

/*
 * Gets the next request packet. Returns true and fills *pkt if there is one; pkt->seg must point to
 * GLASS_PKT_SEGS entries.
 *
 * Payload memory from glass_env_gather() remains referenced until the caller calls
 * glass_env_payload_put(). All wire fields of *pkt are set, except SLID and VL, which the port
 * sets. *av gets the address vector in force. *pkey_index gets the P_Key index; the caller sets
 * pkt->pkey, because it owns the P_Key table.
 *
 * If a WQE fails, completes it and returns false. The payload of an inline WQE, and *av, may point
 * into the snapshot. Any later call may complete an RC WQE and free its snapshot. So the caller
 * delivers or copies the packet before it adds snapshots.
 */
bool glass_req_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		    u16 *pkey_index, u64 now);

/*
 * Call when the packet from glass_req_next() was delivered and its payload is not read any more. A
 * datagram or UC message completes here and not before, because the completion returns the buffer
 * to its owner. Without this call, the next glass_req_next() completes it.
 */
void glass_req_sent(struct glass_pqp *q);

/*
 * Ends the loan (GLASS_LENT_OUT): no context reads the packet any more. If the core postponed a
 * flush meanwhile, and the QP's state still asks for it, performs it. Call before glass_req_sent().
 */
void glass_pqp_returned(struct glass_pqp *q, u64 now);

/* Gets the next response packet; as glass_req_next(). RC only. */
bool glass_resp_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		     u16 *pkey_index, u64 now);

/*
 * May glass_resp_next() or glass_req_next() have work at `now`? Cheap. Also true if
 * glass_req_next() would only complete a WQE in error, if the next packet waits for a page, or if a
 * flush is left.
 */
bool glass_pqp_has_work(const struct glass_pqp *q, u64 now);

/* Does the responder owe its peer an answer (ACK, NAK, READ data, atomic result)? */
static inline bool glass_resp_owed(const struct glass_pqp *q)
{
	return q->resp.ack_pending || q->resp.res_cur != q->resp.res_head;
}

/*
 * Call after glass_req_sent(). False: neither half has a packet to send at any time. True: call
 * glass_resp_next() and glass_req_next() to find out.
 */
static inline bool glass_pqp_may_send(const struct glass_pqp *q)
{
	return glass_resp_owed(q) || q->req.cur != q->req.head;
}

/*
 * Does the responder owe an ACK that it may coalesce with later ones (IBA 9.7.5.1.2)? The engine
 * calls glass_pqp_ack_now() within about GLASS_ACK_LATER_NS; glass_resp_next() then fills the ACK.
 * If another packet has acknowledged the request by then, glass_pqp_ack_now() does nothing.
 */
#define GLASS_ACK_LATER_NS 16000000
static inline bool glass_resp_ack_later(const struct glass_pqp *q)
{
	return q->resp.ack_later;
}
void glass_pqp_ack_now(struct glass_pqp *q);

/*
 * Why the requester's oldest request waits, as far as the core knows; GLASS_WAIT_NOTHING: there is
 * no request. The responder waits for PAGE, ENGINE, RECV, MESSAGE or NOTHING.
 */
enum glass_wait glass_req_waits(const struct glass_pqp *q, u64 now);
enum glass_wait glass_resp_waits(const struct glass_pqp *q);

/*
 * Receives a packet for this QP. The port has checked LRH, GRH, P_Key and the destination. The core
 * checks Q_Key, source, transport, opcode, length, PSN and memory. pkey_index: index of the
 * packet's P_Key in the port's table. dlid_path_bits: the path bits of its DLID.
 */
struct glass_rx_meta {
	u16 pkey_index;
	u8 dlid_path_bits;
};
void glass_pqp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, const struct glass_rx_meta *meta,
		  u64 now);

/*
 * Migrates the QP if this packet, which arrived at `port`, is the peer's first on the alternate
 * path. Call it before the packet's port and P_Key are compared with those of the QP. pkey_ok: the
 * P_Key matches the one at attr.alt_pkey_index of that port. Returns whether the QP migrated; if
 * not, the packet is an ordinary one.
 */
bool glass_pqp_migrate_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u8 port, bool pkey_ok);

/* Call when the deadline has passed; calling early is harmless. */
void glass_pqp_timer(struct glass_pqp *q, u64 now);

/*
 * If this packet is a WRITE that the QP expects: returns true, and sets *rkey and *va to the place
 * of its payload. Does not check the memory.
 */
bool glass_pqp_write_at(const struct glass_pqp *q, const struct glass_pkt *pkt, u32 *rkey, u64 *va);

/*
 * Call when an absent page (GLASS_MEM_LATER) is there, or will not come. If the requester dropped
 * an answer because of the page, it asks for the answer again. The caller then runs the QP.
 */
void glass_pqp_pages(struct glass_pqp *q);

/* Shifts all pending deadlines of the QP by this many ns. */
void glass_pqp_shift(struct glass_pqp *q, u64 ns);

/* How many packets (PSNs) a message of len bytes takes: at least one. */
static inline u32 glass_npkts(u32 len, u16 mtu)
{
	return len ? (u32)(((u64)len + mtu - 1) / mtu) : 1;
}

/* Nanoseconds of a local ACK timeout exponent 0..31 (IBA 9.7.6.1.3); 0 (no timeout) for 0. */
u64 glass_ack_timeout_ns(u8 exponent);
/* Nanoseconds of an RNR timer code 0..31 (IBA 9.7.5.2.8, table 45). */
u64 glass_rnr_timer_ns(u8 code);

/*
 * Returns how long (ns) a requester waits before try number `round`, after an RNR NAK with this
 * code: at least the code's time, which is a minimum (IBA 9.7.5.2.8). After GLASS_PATIENT_ROUNDS
 * unanswered tries each wait is longer, up to GLASS_PATIENCE_NS, or the code's time if that is
 * more.
 */
u64 glass_rnr_wait_ns(u8 code, u32 round);
#define GLASS_PATIENT_ROUNDS 8
#define GLASS_PATIENCE_NS 64000000ULL

#endif
