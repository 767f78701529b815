/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The environment of the protocol core: the functions that it calls for memory, receive WQEs,
 * completions and reports. The program that links the core defines them: driver/engine in the
 * kernel, tests/unit/world in user space. Calls are direct, never through a pointer. The core makes
 * them while its caller serialises the QP (in the kernel under the QP's spinlock, so none of them
 * sleeps). They must not call back into the core.
 */
#ifndef GLASS_PROTO_ENV_H
#define GLASS_PROTO_ENV_H

#include "proto/qp.h"

/* Result of a memory access */
enum glass_mem {
	GLASS_MEM_OK = 0,
	GLASS_MEM_KEY, /* no such key, or revoked */
	GLASS_MEM_PD, /* key of another protection domain */
	GLASS_MEM_BOUNDS, /* outside the region */
	GLASS_MEM_ACCESS, /* region does not allow this access */
	GLASS_MEM_ALIGN, /* atomic not aligned to 8 */
	GLASS_MEM_FAULT, /* memory is gone */
	/*
	 * A page of on-demand memory is absent. Some bytes may be written already. The environment
	 * brings the page in, and calls glass_pqp_pages() when that has succeeded or failed.
	 * glass_env_invalidate() and glass_env_local_op() return this value for another reason: see
	 * there.
	 */
	GLASS_MEM_LATER,
};

/*
 * Collects bytes [off, off + len) of an SGE list for reading: appends segments to pkt (from
 * pkt->nseg on, at most GLASS_PKT_SEGS). Takes the references that keep them valid until
 * glass_env_payload_put(pkt). On error no reference is left, and pkt->nseg and pkt->len are 0.
 */
enum glass_mem glass_env_gather(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u32 off,
				u32 len, struct glass_pkt *pkt);

/* As glass_env_gather(), from (rkey, va) of a region that grants REMOTE_READ. */
enum glass_mem glass_env_gather_remote(struct glass_pqp *q, u32 rkey, u64 va, u32 len,
				       struct glass_pkt *pkt);

/* Drops the references that a gather took. */
void glass_env_payload_put(struct glass_pqp *q, struct glass_pkt *pkt);

/*
 * Copies len bytes of pkt's payload, from its byte pkt_off on, to offset off of the SGE list of a
 * READ. Each SGE's region must grant LOCAL_WRITE.
 */
enum glass_mem glass_env_scatter(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u64 off,
				 const struct glass_pkt *pkt, u32 pkt_off, u32 len);

/* As glass_env_scatter(), but copies plain bytes (an atomic's result). */
enum glass_mem glass_env_scatter_bytes(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge,
				       u64 off, const void *bytes, u32 len);

/*
 * Copies pkt's whole payload into a receive at offset off. The regions must grant LOCAL_WRITE, and
 * be of the QP's protection domain, or of the SRQ's if the receive came from one.
 */
enum glass_mem glass_env_scatter_recv(struct glass_pqp *q, const struct glass_rwqe *w, u64 off,
				      const struct glass_pkt *pkt);

/* As glass_env_scatter_recv(), but copies plain bytes to offset 0 (the GRH of a UD message). */
enum glass_mem glass_env_scatter_recv_bytes(struct glass_pqp *q, const struct glass_rwqe *w,
					    const void *bytes, u32 len);

/* May the peer access [va, va+len) under rkey? access: GLASS_ACC_REMOTE_*. */
enum glass_mem glass_env_remote_check(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 access);

/*
 * Checks key, range and rights, also after glass_env_remote_check(). Writes pkt's payload to (rkey,
 * va).
 */
enum glass_mem glass_env_remote_write(struct glass_pqp *q, u32 rkey, u64 va,
				      const struct glass_pkt *pkt);

/*
 * Carries out an atomic on the 64-bit word at (rkey, va); bop is GLASS_BOP_CMP_SWAP or
 * GLASS_BOP_FETCH_ADD. Atomic with respect to all other atomics of the device. *orig gets the
 * previous value in host order.
 */
enum glass_mem glass_env_atomic(struct glass_pqp *q, u32 rkey, u64 va, u8 bop, u64 cmp, u64 swap_add,
				u64 *orig);

/*
 * Stores the 8 bytes of an ATOMIC WRITE at (rkey, va), all at once; the region must
 * grant REMOTE_WRITE.
 */
enum glass_mem glass_env_atomic_write(struct glass_pqp *q, u32 rkey, u64 va, u64 word);

/*
 * Carries out a FLUSH of [va, va + len) under rkey; feth (GLASS_FETH_*): selectivity level (range
 * or whole region) and placement types. The region must grant these types.
 */
enum glass_mem glass_env_flush(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 feth);

/*
 * Invalidates `key` for the peer (SEND with Invalidate): a kernel region that was registered by
 * work request, or a memory window of type 2 that is bound to this QP. GLASS_MEM_LATER: the key is
 * disabled, but an access still uses the memory; the caller must call again later.
 */
enum glass_mem glass_env_invalidate(struct glass_pqp *q, u32 key);

/*
 * Carries out a LOCAL_INV, BIND_MW or REG_MR. GLASS_MEM_LATER: as for glass_env_invalidate(). Any
 * other error: the key, the memory or the rights do not allow it.
 */
enum glass_mem glass_env_local_op(struct glass_pqp *q, const struct glass_swqe *w);

/*
 * XRC target: from this call on, the QP's accesses to memory use the protection domain of this SRQ.
 * False: there is no such SRQ in the QP's XRC domain.
 */
bool glass_env_xrc_srq(struct glass_pqp *q, u32 srqn);

/*
 * Gets the address vector of the AH with this number. False: there is no such AH, or its protection
 * domain is not the QP's.
 */
bool glass_env_ah(struct glass_pqp *q, u32 num, struct glass_av *av);

/*
 * Takes the next receive WQE from the QP's RQ or SRQ (XRC: the SRQ q->resp.rwqe_srq) into *out.
 * Returns 1: taken; 0: none is posted; -EINVAL: the WQE is malformed, but consumed, and *out has at
 * least its wr_id; -EIO: the ring or the SRQ is broken.
 */
int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out);

/*
 * Strict mode imitates adapters that differ from Glass. True: if memory refuses a WRITE with
 * immediate data, the QP raises an event, and completes no receive WQE with an error.
 */
bool glass_env_imm_event(const struct glass_pqp *q);

/* Number of receive WQEs posted and not taken, for AETH credits. SRQ: 0. */
u32 glass_env_rq_count(struct glass_pqp *q);

/* Appends a completion to the QP's send or receive CQ (cqe->is_send). */
void glass_env_complete(struct glass_pqp *q, const struct glass_cqe *cqe);

/* Raises an affiliated asynchronous event of this QP. */
void glass_env_event(struct glass_pqp *q, enum glass_event ev);

/*
 * The functions from here on are reports of the core. The environment traces, counts or checks
 * them, and acts on some of them (state changes, RNR NAKs, recovery).
 */
/*
 * The core has written the completion whose error moved the QP to ERR or SQE. Called only if that
 * came later than the transition, because the QP's packet was lent (GLASS_LENT_FLUSH).
 */
void glass_env_note_told(struct glass_pqp *q);
void glass_env_note_state(struct glass_pqp *q, enum glass_qp_state from, enum glass_qp_state to,
			  enum glass_cause cause);
void glass_env_note_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason);
/* The peer accepts retransmissions again: una moved after this many unanswered tries. */
void glass_env_recovered(struct glass_pqp *q, u32 tries);
/*
 * Why a retry began. IMPLIED: an implied NAK (an answer came, and one that must precede it is
 * missing).
 */
enum glass_retry {
	GLASS_RETRY_TIMEOUT,
	GLASS_RETRY_NAK_SEQ,
	GLASS_RETRY_RNR,
	GLASS_RETRY_IMPLIED,
};
/* A retry begins at `psn`; left: the retries that remain of the budget that it uses. */
void glass_env_note_retry(struct glass_pqp *q, enum glass_retry why, u32 psn, u32 left);
/*
 * An RNR NAK was received (dir RX) or is owed (TX). wait: ns; left: retries that remain, 7 =
 * unlimited; TX: 0.
 */
void glass_env_note_rnr(struct glass_pqp *q, enum glass_dir dir, u32 psn, u64 wait, u32 left);
/* The core carries out a local work request. (The engine itself reports the start of others.) */
void glass_env_note_start(struct glass_pqp *q, const struct glass_swqe *w);
/* A work request is done, with or without a completion. */
void glass_env_note_done(struct glass_pqp *q, const struct glass_swqe *w,
			 enum glass_wc_status status);

#endif
