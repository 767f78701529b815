/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The environment of the protocol core: the functions that the core calls for memory, receive WQEs,
 * completions, events and reports. The program that links the core defines them: driver/engine in
 * the kernel, tests/unit/world in user space. In the kernel, the core calls these functions with
 * the QP's spinlock held. None of these functions sleeps, or calls back into the core.
 */
#ifndef GLASS_PROTO_ENV_H
#define GLASS_PROTO_ENV_H

#include "proto/qp.h"

/* Result of a memory access */
enum glass_mem {
	GLASS_MEM_OK = 0,
	GLASS_MEM_KEY, /* no region or bound window has this key, or the key was invalidated */
	GLASS_MEM_PD, /* the key is of another protection domain */
	GLASS_MEM_BOUNDS, /* the range is not inside the region or the SGE list */
	GLASS_MEM_ACCESS, /* the region or window does not grant this access, or not to this QP */
	GLASS_MEM_ALIGN, /* the word of an atomic or ATOMIC WRITE is not aligned to 8 bytes */
	/* the memory cannot be accessed, or one packet would need too many segments or regions */
	GLASS_MEM_FAULT,
	/*
	 * A page of on-demand memory is absent. An access that writes may have written some bytes.
	 * The environment brings the page in, and when that has succeeded or failed, the engine
	 * calls glass_pqp_pages(). glass_env_invalidate() and glass_env_local_op() return this
	 * value for another reason: see there.
	 */
	GLASS_MEM_LATER,
};

/* Are ECN marks answered by CNPs, and CNPs obeyed? */
bool glass_env_ecn_on(void);

/*
 * Collects bytes [off, off + len) of an SGE list for reading. Appends segments for these bytes to
 * pkt->seg, behind the pkt->nseg segments that are there already. The packet has at most
 * GLASS_PKT_SEGS segments in all. Takes references that keep the segments valid until
 * glass_env_payload_put(). On error no reference is left, and pkt->nseg and pkt->len are 0.
 */
enum glass_mem glass_env_gather(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u32 off,
				u32 len, struct glass_pkt *pkt);

/* As glass_env_gather(), but reads len bytes at (rkey, va). The region must grant REMOTE_READ. */
enum glass_mem glass_env_gather_remote(struct glass_pqp *q, u32 rkey, u64 va, u32 len,
				       struct glass_pkt *pkt);

/*
 * Drops the references that the two functions above took for pkt. Only the engine calls this
 * function, without the QP's lock.
 */
void glass_env_payload_put(struct glass_pqp *q, struct glass_pkt *pkt);

/*
 * Copies len bytes of pkt's payload into the SGE list of a READ. `pkt_off` is the offset in the
 * payload, and `off` is the offset in the list. Each SGE's region must grant LOCAL_WRITE.
 */
enum glass_mem glass_env_scatter(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u64 off,
				 const struct glass_pkt *pkt, u32 pkt_off, u32 len);

/* As glass_env_scatter(), but copies plain bytes (an atomic's result). */
enum glass_mem glass_env_scatter_bytes(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge,
				       u64 off, const void *bytes, u32 len);

/*
 * Copies pkt's whole payload into the SGE list of a receive WQE. `off` is the offset in the list.
 * Each SGE's region must grant LOCAL_WRITE. If the WQE came from an SRQ, the region must be of the
 * SRQ's protection domain, else of the QP's.
 */
enum glass_mem glass_env_scatter_recv(struct glass_pqp *q, const struct glass_rwqe *w, u64 off,
				      const struct glass_pkt *pkt);

/* As glass_env_scatter_recv(), but copies plain bytes (the GRH of a datagram) to offset 0. */
enum glass_mem glass_env_scatter_recv_bytes(struct glass_pqp *q, const struct glass_rwqe *w,
					    const void *bytes, u32 len);

/*
 * Checks an access of the peer to [va, va + len) under rkey. `access` is a GLASS_ACC_REMOTE_*
 * right. Returns GLASS_MEM_OK if the access is allowed.
 */
enum glass_mem glass_env_remote_check(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 access);

/*
 * Writes pkt's payload to (rkey, va). Checks key, range and rights, even if the caller has called
 * glass_env_remote_check().
 */
enum glass_mem glass_env_remote_write(struct glass_pqp *q, u32 rkey, u64 va,
				      const struct glass_pkt *pkt);

/*
 * Carries out an atomic on the 64-bit word at (rkey, va). `bop` is GLASS_BOP_CMP_SWAP, or
 * GLASS_BOP_FETCH_ADD, which adds swap_add and ignores `cmp`. The operation is atomic with respect
 * to all other atomics of the device. *orig gets the previous value in host order. The region must
 * grant REMOTE_ATOMIC.
 */
enum glass_mem glass_env_atomic(struct glass_pqp *q, u32 rkey, u64 va, u8 bop, u64 cmp, u64 swap_add,
				u64 *orig);

/*
 * Stores the 8 bytes of an ATOMIC WRITE at (rkey, va), all at once. The region must grant
 * REMOTE_WRITE.
 */
enum glass_mem glass_env_atomic_write(struct glass_pqp *q, u32 rkey, u64 va, u64 word);

/*
 * Carries out a FLUSH of [va, va + len) under rkey. `feth` (GLASS_FETH_*) has the selectivity level
 * (this range or the whole region) and the placement types. The region must grant FLUSH access for
 * each of these types.
 */
enum glass_mem glass_env_flush(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 feth);

/*
 * Invalidates `key` for the peer (SEND with Invalidate). The key must be that of a kernel
 * consumer's region that was registered by a work request, or that of a type 2 memory window bound
 * to this QP. If an access that began earlier still uses the region's memory, only disables the
 * key, and returns GLASS_MEM_LATER. The caller must then call again later.
 */
enum glass_mem glass_env_invalidate(struct glass_pqp *q, u32 key);

/*
 * Carries out a LOCAL_INV, BIND_MW or REG_MR. GLASS_MEM_LATER (only for LOCAL_INV) means the same
 * as from glass_env_invalidate(). Any other error means that the operation is not possible, and
 * that the WQE must fail.
 */
enum glass_mem glass_env_local_op(struct glass_pqp *q, const struct glass_swqe *w);

/*
 * Called for an XRC target. From this call on, the QP's accesses to memory use the protection
 * domain of this SRQ. Returns false if the QP's XRC domain has no SRQ with this number. All
 * accesses before the next call then fail.
 */
bool glass_env_xrc_srq(struct glass_pqp *q, u32 srqn);

/*
 * Gets the address vector of the AH with this number. Returns false if there is no such AH, or if
 * its protection domain is not that of the QP.
 */
bool glass_env_ah(struct glass_pqp *q, u32 num, struct glass_av *av);

/*
 * Takes the next receive WQE into *out, from the QP's RQ or SRQ. For XRC, takes it from the SRQ
 * with number q->resp.rwqe_srq. Returns one of these values:
 * - 1: a WQE was taken.
 * - 0: no WQE is posted.
 * - -EINVAL: a WQE was consumed, but it is malformed. *out has its wr_id and no SGEs.
 * - -EIO: the ring's indices are impossible, or the SRQ has failed or is gone.
 */
int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out);

/*
 * Called when a WRITE with immediate data may not access the memory that it names. The result says
 * how the QP must report this error:
 * - true: the QP raises an event. Some adapters do that, and strict mode imitates them.
 * - false: a receive WQE completes with an error. But if no receive WQE is posted, the QP raises
 *   the event in this case, too.
 */
bool glass_env_imm_event(const struct glass_pqp *q);

/*
 * Returns how many posted receive WQEs were not taken yet, for AETH credits. Returns 0 if the QP
 * has an SRQ.
 */
u32 glass_env_rq_count(struct glass_pqp *q);

/*
 * Appends a completion to the QP's send CQ (cqe->is_send) or receive CQ. If an XRC target completes
 * a receive, the completion goes to the CQ of the SRQ with number cqe->xrc_srq instead.
 */
void glass_env_complete(struct glass_pqp *q, const struct glass_cqe *cqe);

/* Raises an affiliated asynchronous event of this QP. */
void glass_env_event(struct glass_pqp *q, enum glass_event ev);

/*
 * All functions below receive reports of the core. The environment traces, counts or checks the
 * reports, and acts on some of them (state changes, RNR NAKs, recovery).
 */
/*
 * The WQE that moved the QP to ERR or SQE has completed with its error, but only after that
 * transition: a packet was lent (GLASS_LENT_OUT) and postponed the completion. Not called if the
 * WQE completed before the transition.
 */
void glass_env_note_told(struct glass_pqp *q);
/* The QP's state has changed. The flush of a QP in ERR or SQE comes after this call. */
void glass_env_note_state(struct glass_pqp *q, enum glass_qp_state from, enum glass_qp_state to,
			  enum glass_cause cause);
/* The QP drops a received packet. */
void glass_env_note_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason);
/*
 * The peer answers again: after `tries` retries, una (the oldest PSN without an answer) has moved.
 */
void glass_env_recovered(struct glass_pqp *q, u32 tries);
/* Why a retry begins */
enum glass_retry {
	GLASS_RETRY_TIMEOUT, /* the ACK timer expired */
	GLASS_RETRY_NAK_SEQ, /* the peer sent a NAK "PSN sequence error" */
	GLASS_RETRY_RNR, /* the peer sent an RNR NAK */
	/*
	 * implied NAK: an answer came, but the answer to an earlier READ, atomic, FLUSH or ATOMIC
	 * WRITE is missing
	 */
	GLASS_RETRY_IMPLIED,
};
/*
 * A retry begins at `psn`. After an RNR NAK, `left` is how many retries of attr.rnr_retry remain,
 * or 7 if there is no limit. Otherwise it is how many retries of attr.retry_cnt remain.
 */
void glass_env_note_retry(struct glass_pqp *q, enum glass_retry why, u32 psn, u32 left);
/*
 * The QP has received an RNR NAK with this PSN (`dir` is RX), or owes its peer one (`dir` is TX).
 * For RX, the QP's requester waits for `wait` ns, and `left` is the number of RNR retries that
 * remain (7 means no limit). For TX, the peer must wait for at least `wait` ns, and `left` is 0.
 * Not called for an RNR NAK that comes when no RNR retry remains.
 */
void glass_env_note_rnr(struct glass_pqp *q, enum glass_dir dir, u32 psn, u64 wait, u32 left);
/*
 * The core calls this function when it has carried out a local work request, or has found that it
 * cannot carry out the request. For any other work request, the engine calls it, each time the core
 * has given the request's first packet to the engine.
 */
void glass_env_note_start(struct glass_pqp *q, const struct glass_swqe *w);
/*
 * A send work request ends, with or without a completion. Not called for work requests that RESET
 * drops.
 */
void glass_env_note_done(struct glass_pqp *q, const struct glass_swqe *w,
			 enum glass_wc_status status);

#endif
