/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The protocol core: one queue pair's requester, responder and state machine,
 * as plain C that knows no kernel object.
 *
 * How it is driven. The engine owns a struct glass_pqp, serialises all calls
 * on it (one lock per QP; the core never touches a second QP) and calls:
 *
 *   glass_req_next()    next request packet to send, if the protocol allows one
 *   glass_resp_next()   next response packet (ACK, NAK, READ data, atomic ACK)
 *   glass_pqp_rx()      a packet arrived for this QP
 *   glass_pqp_timer()   the time in pqp->deadline has come
 *   glass_pqp_modify()  a state transition
 *   glass_pqp_fail()    an error from outside (injection, CQ overrun, bad ring)
 *
 * What the core needs of the world (memory, receive WQEs, completions, events)
 * it asks through the functions of proto/env.h, bound at link time: the kernel
 * and the user-space library each bring their own. Packets that are to be sent
 * are pulled one at a time into memory of the caller, so that work is bounded
 * by who pulls. Timers are one number, pqp->deadline, that the engine looks at
 * after each call.
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
	u8 path_bits; /* added to the port's base LID: the SLID */
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
 * A send WQE: the driver's private, checked snapshot of a posted entry: op known, num_sge and
 * inline length within the QP's limits, sum of lengths in len without overflow. `status` other than
 * GLASS_WC_SUCCESS: the check failed; the core completes the WQE with that status in its turn, and
 * sends nothing.
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
	 * rkey: SEND_INV and LOCAL_INV: the key to invalidate; BIND_MW: its low 8 bits become those
	 * of the window's R_Key; REG_MR: the region's new key. raddr: where the range begins.
	 */
	u64 blen; /* BIND_MW, REG_MR, FLUSH: bytes from raddr on */
	u32 mw_rkey; /* BIND_MW: the window's current R_Key */
	u32 mr_lkey; /* BIND_MW: the region */
	u32 access; /* BIND_MW, REG_MR: GLASS_ACC_*; FLUSH: GLASS_FETH_* */
	u32 xrc_srq; /* XRC: SRQ of the peer */
	u64 flow;
	u64 post_ns; /* when the snapshot was taken */
	/* UD */
	u32 dqpn;
	u32 qkey; /* as given by the program */
	u16 pkey_index; /* GSI only */
	struct glass_av av;
	/* filled by the core */
	u32 psn; /* PSN of the first packet */
	u32 npsn; /* PSNs of the message: packets, or for READ response packets */
	u32 tries; /* how often its transmission began */
	/* num_sge SGEs, or len bytes of inline data */
	union {
		struct glass_sge sge[1];
		u8 data[16];
	};
};

/* A receive WQE: private snapshot, checked (num_sge within limits, len = sum). */
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
	u32 vendor; /* injected vendor error, or 0: made of cause and syndrome */
	u8 sl;
	u8 dlid_path_bits;
	u16 slid;
	u16 pkey_index;
	u32 byte_len;
	__be32 imm;
	u32 inv_key; /* with has_inv: the key that the peer invalidated */
	u32 src_qp;
	u32 wqe_index; /* send: free-running index */
	u64 flow; /* of the work request (receive: the peer's); 0 when flushed unused */
	bool is_send;
	bool has_grh;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool from_srq;
	u32 xrc_srq; /* XRC receive: the SRQ whose CQ gets this completion */
};

/*
 * A responder's answer to one READ, atomic, FLUSH or ATOMIC WRITE, kept for duplicates (IBA
 * 9.7.5.1.4).
 */
struct glass_rd_res {
	u8 kind; /* 0 free, else GLASS_BOP_READ_REQ, _CMP_SWAP, _FETCH_ADD, _FLUSH or _ATOMIC_WRITE */
	u8 replay; /* answered in full before: a failure of this replay affects only the peer */
	u32 psn; /* first PSN */
	u32 npsn;
	u32 start; /* READ: first packet of this answer */
	u32 next; /* next packet of the answer to send */
	u32 end; /* packets of the whole answer; next == end: answered */
	u32 msn;
	u32 rkey;
	u32 len;
	u32 xrc_srq; /* XRC: the request's SRQ */
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
#define GLASS_MIG_REARM 1 /* becomes ARMED when the peer also asks for it */
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
	 * Free-running indices into the ring of snapshots: tail <= cur <= head; [tail, cur) is
	 * outstanding, [cur, head) is to be sent.
	 */
	u32 head; /* the engine adds snapshots here */
	u32 cur; /* WQE being sent */
	u32 tail; /* oldest WQE without completion */
	u32 begun; /* first WQE never started: cur <= begun <= head */
	u32 cur_off; /* packets of cur that need no sending (READ: responses received) */
	u32 psn; /* next PSN to send */
	u32 max_psn; /* highest PSN sent so far plus one: where a retry starts back from */
	u32 una; /* oldest PSN not acknowledged */
	u32 rd_atomic; /* READs and atomics outstanding */
	u32 locals; /* local operations done but not complete: they wait for earlier requests */
	u32 locals_ran; /* local operations done since GLASS_LEFT_LOCALS was last set */
	u32 page_psn; /* with GLASS_PAGES_ANSWER: una at the time its answer found no page */
	u8 cur_err; /* enum glass_wc_status of cur, once all before it is done */
	u8 retry_left;
	u8 rnr_left;
	u32 round; /* retransmissions since una moved */
	u32 window; /* limit of outstanding PSNs: 1 from an unanswered try until una moves */
	bool rnr_wait; /* waiting for rnr_until */
	u64 rnr_until; /* ns */
	u64 ack_deadline; /* ns, 0 = not running */
	u32 since_ackreq; /* packets since the last AckReq */
	bool sent_pending; /* the WQE at tail completes when its packet is delivered */
	bool nak_seq_seen; /* the hole at una was reported and handled */
	u32 ssn;
	u32 credit_lsn;
	bool credit_valid;
	/*
	 * With GLASS_LENT_FLUSH: the error of the WQE at tail; fail_status 0: it is flushed like
	 * the others.
	 */
	u8 fail_status; /* enum glass_wc_status */
	u8 fail_cause; /* enum glass_cause */
	u8 fail_syndrome;
};

struct glass_resp_state {
	u32 epsn; /* expected PSN */
	u32 msn;
	u32 ack_psn; /* PSN of the pending ACK or NAK */
	u8 ack_syndrome;
	bool ack_pending;
	bool ack_later; /* the owed ACK may wait: the requester does not need it soon */
	bool nak_sent; /* NAK or RNR NAK sent, and epsn not received since: hole_reported() */
	u32 nak_psn; /* PSN of the packet that caused it */
	u8 last_op; /* BTH operation of the last request packet, ~0 none */
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
	/* XRC: the SRQ of the current request or answer; it decides the memory's domain */
	u32 xrc_srq;
	u32 rwqe_srq; /* XRC: the SRQ that rwqe was taken from */
	u32 msg_srq; /* XRC: the SRQ of the message being received */
	/* READ and atomic answers in glass_pqp.res, oldest first */
	u32 res_head; /* free-running: next slot to fill */
	u32 res_tail; /* oldest kept (for duplicates) */
	u32 res_cur; /* first to be answered; res_head: none */
	u32 res_todo; /* answers that were never sent in full */
};

/* Counters of the QP since its creation: only u64 fields. */
struct glass_pqp_stats {
#define GLASS_STATS_FIELD(name, unit, meaning) u64 name;
	GLASS_COUNTERS_QP(GLASS_STATS_FIELD)
#undef GLASS_STATS_FIELD
};

/* The last error of a QP and the first since it left RESET */
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
 * The core's part of a QP. The engine fills the fields of the first group once
 * at creation and leaves the rest to the core.
 */
struct glass_pqp {
	enum glass_qp_type type;
	u32 qpn;
	bool has_srq;
	bool sig_all; /* every send WQE makes a completion */
	bool is_user;
	void *sq; /* snapshots, sq_stride bytes each */
	u32 sq_stride;
	u32 sq_entries; /* a power of two */
	u32 max_sge;
	u32 max_inline; /* bytes */

	/* ring of answers, in memory of the caller of glass_pqp_res_room() */
	struct glass_rd_res *res;
	u32 res_slots; /* 0, or a power of two up to GLASS_MAX_RD_ATOMIC */

	enum glass_qp_state state;
	struct glass_qp_attr attr;
	struct glass_req_state req;
	struct glass_resp_state resp;
	/*
	 * The longest train has 1 + max_more packets (struct glass_pkt.more). The engine sets it: 0
	 * while packets are observed.
	 */
	u16 max_more;
	bool ack_later; /* requests may mark their ACK as postponable; set like max_more */
	bool ack_soon; /* acknowledge such requests at once all the same; set before each packet */
	u8 lent; /* GLASS_LENT_* */
	u8 left; /* GLASS_LEFT_* */
	/* GLASS_PAGES_* since the last glass_pqp_pages(), for reports of what the QP waits for */
	u8 pages;
	/* longest datagram that the port sends; set by the engine, GLASS_MTU_MAX at first */
	u16 port_mtu;
	struct glass_pqp_stats stats;
	struct glass_error first_error;
	struct glass_error last_error;
	bool sqd_drained_told;
	bool mig_refused; /* PATH_MIG_ERR was raised since the last arming */
	u64 state_since; /* ns */
	/* When to call glass_pqp_timer(), ns; 0 = never. The engine reads it after each call. */
	u64 deadline;
};

/*
 * The packet from glass_req_next() is being read without the QP's lock. The engine sets the flag,
 * and clears it with glass_pqp_returned(). Meanwhile no send WQE completes in error: the completion
 * would return the buffer to an owner that may write to it, and the peer would receive the new
 * contents. A WQE that succeeds meanwhile was acknowledged: the peer has the data already, and
 * drops the packet, unless an injected fault misleads one of them.
 */
#define GLASS_LENT_OUT BIT(0)
#define GLASS_LENT_FLUSH BIT(1) /* flush the send queue when the packet returns; set by the core */
/* a verb waits for the packet's return; the engine's, the core ignores it */
#define GLASS_LENT_AWAITED BIT(2)

/*
 * The accesses that found a page of on-demand memory absent. Packets do not test these bits: the
 * context that runs the QP looks for the page again.
 */
#define GLASS_PAGES_SEND BIT(0) /* payload of a request */
#define GLASS_PAGES_ANSWER BIT(1) /* destination of the answer to a READ or an atomic */
#define GLASS_PAGES_PEER BIT(2) /* memory that a request of the peer writes or reads */

/* Work that a bounded call left over. */
/* in ERR or SQE: glass_pqp_flush() may not have reached all posted WQEs */
#define GLASS_LEFT_FLUSH BIT(0)
/* glass_req_next() did many local operations, or cannot do the next yet: call it again */
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

/* The Q_Key of QP1 (IBA 10.2.5), and the bit of controlled Q_Keys */
#define GLASS_QP1_QKEY 0x80010000u
#define GLASS_QKEY_CTRL 0x80000000u

/* Longest message (IBA 9.7.7) */
#define GLASS_MSG_MAX 0x80000000u

/*
 * Puts the core's part of a QP into RESET. The creation group must be filled. attr.mtu of a
 * datagram QP (UD, GSI, SMI) becomes GLASS_MTU_MAX, the limit for receives; port_mtu limits sends.
 * The engine sets attr.port of GSI and SMI, which no modify sets. Both survive a later RESET.
 */
void glass_pqp_init(struct glass_pqp *q);

/*
 * Checks a transition and its mask against the IBA's table (10.3.1, tables 91
 * to 93) and the ranges of the attributes, without changing anything. A current
 * state in *attr (GLASS_QPA_CUR_STATE) must be the true one. Returns 0 or
 * -EINVAL; *bad_bit gets the first missing or extra mask bit, or the bit of the
 * value that is out of range (0 when the transition itself does not exist).
 */
int glass_pqp_check_modify(const struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask,
			   u32 *bad_bit);

/*
 * Gives the QP room for `slots` answers to READs and atomics. mem: zeroed memory of the caller;
 * slots: a power of two, more than q->res_slots. Returns the old memory, NULL at first, which the
 * caller owns again.
 */
struct glass_rd_res *glass_pqp_res_room(struct glass_pqp *q, struct glass_rd_res *mem, u32 slots);

/*
 * Applies a checked modify. -ENOMEM: there is no room for max_dest_rd_atomic answers. ERR flushes:
 * send WQEs in order, as soon as none of them is lent; the receive WQE in progress and all posted
 * ones. RESET drops all state without completions, and leaves the send ring empty at the engine's
 * head (glass_pqp_sq_rewind() moves it). now: ns.
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
 * In ERR, and for the send queue in SQE: flushes at most max posted work requests. Returns how
 * many. GLASS_LEFT_FLUSH in q->left afterwards: there may be more. Call it after new posts, and
 * while that bit is set: a QP that fails flushes only a few itself.
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
 * May complete WQEs that fail, and return false then. The payload of an inline WQE, and *av, may
 * point into the snapshot. So the caller delivers or copies the packet before it adds snapshots:
 * any later call may complete an RC WQE.
 */
bool glass_req_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		    u16 *pkey_index, u64 now);

/*
 * Call when the packet from glass_req_next() was delivered and its payload is not read any more. A
 * datagram or UC message completes here and not before, because the completion returns the buffer
 * to its owner. The next glass_req_next() completes it, too.
 */
void glass_req_sent(struct glass_pqp *q);

/*
 * Ends the loan (GLASS_LENT_OUT): no context reads the packet any more. Performs the flush that was
 * postponed meanwhile, if the QP's state still asks for it. Call before glass_req_sent().
 */
void glass_pqp_returned(struct glass_pqp *q, u64 now);

/* Gets the next response packet; as glass_req_next(). RC only. */
bool glass_resp_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		     u16 *pkey_index, u64 now);

/*
 * May one of the two functions above have work at `now`? Cheap. Also true when glass_req_next()
 * would only complete a WQE in error, or when the next packet waits for a page.
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
 * Is an ACK owed that may be coalesced with later ones (IBA 9.7.5.1.2)? The engine calls
 * glass_pqp_ack_now() within GLASS_ACK_LATER_NS; then glass_resp_next() hands it out. If another
 * packet acknowledged the request meanwhile, there is nothing to do.
 */
#define GLASS_ACK_LATER_NS 16000000
static inline bool glass_resp_ack_later(const struct glass_pqp *q)
{
	return q->resp.ack_later;
}
void glass_pqp_ack_now(struct glass_pqp *q);

/*
 * The reason why the requester's oldest request waits, as far as the core knows; NOTHING: it has
 * none. For the responder: RECV, MESSAGE, ENGINE or NOTHING.
 */
enum glass_wait glass_req_waits(const struct glass_pqp *q, u64 now);
enum glass_wait glass_resp_waits(const struct glass_pqp *q);

/*
 * Receives a packet for this QP. The port has checked LRH, GRH, P_Key and the destination. The core
 * checks Q_Key, source, transport, opcode, length, PSN and memory. pkey_index: the index of its
 * P_Key in the port's table. dlid_path_bits: those of the DLID.
 */
struct glass_rx_meta {
	u16 pkey_index;
	u8 dlid_path_bits;
};
void glass_pqp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, const struct glass_rx_meta *meta,
		  u64 now);

/*
 * Migrates the QP if this packet on `port` is the peer's first on the alternate path. Call it
 * before checking port and P_Key of the QP. pkey_ok: the packet's P_Key matches the one at
 * attr.alt_pkey_index of that port. Returns whether the QP migrated; if not, the packet is an
 * ordinary one.
 */
bool glass_pqp_migrate_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u8 port, bool pkey_ok);

/* Call when the deadline has passed; calling early is harmless. */
void glass_pqp_timer(struct glass_pqp *q, u64 now);

/*
 * Finds the place of this packet's payload, if it is an expected WRITE. False: it is not. Does not
 * check the memory.
 */
bool glass_pqp_write_at(const struct glass_pqp *q, const struct glass_pkt *pkt, u32 *rkey, u64 *va);

/*
 * Call when an absent page (GLASS_MEM_LATER) is there, or will not come. The requester asks again
 * for an answer that was dropped because of it. The caller then runs the QP.
 */
void glass_pqp_pages(struct glass_pqp *q);

/* Shifts all pending deadlines of the QP by this many ns. */
void glass_pqp_shift(struct glass_pqp *q, u64 ns);

/* How many packets (PSNs) a message of len bytes takes: at least one. */
static inline u32 glass_npkts(u32 len, u16 mtu)
{
	return len ? (u32)(((u64)len + mtu - 1) / mtu) : 1;
}

/* The ns of a local ACK timeout exponent (IBA 9.7.6.1.3); 0 for 0. */
u64 glass_ack_timeout_ns(u8 exponent);
/* Nanoseconds of an RNR timer code 0..31 (IBA 9.7.5.2.8, table 45). */
u64 glass_rnr_timer_ns(u8 code);

/*
 * How long a requester waits before try number `round` after an RNR NAK with that code, ns. At
 * least the code's time, which is a minimum (IBA 9.7.5.2.8). After GLASS_PATIENT_ROUNDS unanswered
 * tries each wait is longer, up to GLASS_PATIENCE_NS, or the code's time if that is more.
 */
u64 glass_rnr_wait_ns(u8 code, u32 round);
#define GLASS_PATIENT_ROUNDS 8
#define GLASS_PATIENCE_NS 64000000ULL

#endif
