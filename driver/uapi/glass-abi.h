/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ABI between glass.ko and its libibverbs provider.
 *
 * Rings are memory that driver and program share through mmap. Everything in
 * them that the program can write is hostile to the driver: it copies an entry
 * once into private memory and checks the copy. Indices are free-running 32-bit
 * counters; slot = index & (entries - 1), entries is a power of two.
 *
 * A QP that goes to RESET starts anew: the driver sets producer and consumer of
 * its send and receive rings to 0, and the provider its own copies of them.
 *
 * Every structure is laid out alike for 32- and 64-bit programs; reserved
 * fields are zero. A structure that grows gets a new GLASS_ABI_VERSION.
 */
#ifndef GLASS_UAPI_ABI_H
#define GLASS_UAPI_ABI_H

#include <linux/types.h>

#include "glass-lint-set.h"

#define GLASS_ABI_VERSION 4

#define GLASS_MAX_SGE 30
#define GLASS_MAX_INLINE 2048
#define GLASS_CACHELINE 64

/*
 * The header of a ring in shared memory. Each index stands alone in a cache line. Where the entries
 * lie is told apart; those of a CQ or an SRQ that is resized move, its header stays.
 *
 * Send and receive queues: the program writes entries and then `producer`
 * (release); the driver reads entries and then writes `consumer` (release).
 * Completion queue: the driver produces and the program consumes.
 */
struct glass_ring_hdr {
	__u32 producer;
	__u32 pad0[15];
	__u32 consumer;
	__u32 pad1[15];
	/*
	 * Send and receive queues: not 0 while the driver is sure to look at
	 * `producer` again. A program that has moved `producer` and, after a
	 * full memory barrier, reads 0 here must ring the doorbell
	 * (GLASS_DOORBELL_WHENCE or, the same at more cost, a post_send with no
	 * work request by ibv_cmd_post_send). A receive queue is awake
	 * except in the error state, where each receive posted is flushed.
	 */
	__u32 awake;
	__u32 pad2[15];
	__u32 reserved[16];
};

#define GLASS_RING_HDR_BYTES 256

/*
 * A place in the memory that a context shares with its program: a few areas, each of which the
 * program maps once, when it is first told of a place in it. It may unmap an area in which it
 * has no ring.
 */
struct glass_ring_place {
	__aligned_u64 area; /* number of the area: no other area of the context ever has it */
	__aligned_u64 mmap_offset; /* to hand to mmap(); length is mmap_bytes */
	__u32 mmap_bytes; /* of all the area */
	__u32 offset; /* in the area, a multiple of 64 */
};

/* Where a ring lies and what shape it has; answered at creation. */
struct glass_ring_info {
	struct glass_ring_place hdr; /* struct glass_ring_hdr */
	struct glass_ring_place entries;
	__u32 num; /* entries: a power of two, at least what was asked for; 0: no ring */
	__u32 stride; /* bytes of one entry, a multiple of 64 */
};

struct glass_abi_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/* glass_abi_send_wqe.flags; the low bits as enum ibv_send_flags */
#define GLASS_WQE_FENCE (1u << 0)
#define GLASS_WQE_SIGNALED (1u << 1)
#define GLASS_WQE_SOLICITED (1u << 2)
#define GLASS_WQE_INLINE (1u << 3)

/*
 * A send work request: this header, then num_sge SGEs, or inline_len bytes of
 * data when GLASS_WQE_INLINE is set. LOCAL_INV, BIND_MW, REG_MR and FLUSH have no
 * data, an ATOMIC_WRITE has 8 bytes.
 */
struct glass_abi_send_wqe {
	__aligned_u64 wr_id;
	__u32 opcode; /* enum glass_wr_op */
	__u32 flags; /* GLASS_WQE_* */
	__u32 num_sge;
	__u32 inline_len; /* bytes */
	__u32 imm; /* network order, as in ibv_send_wr; SEND_INV, LOCAL_INV: the key, host order */
	__u32 rkey;
	__aligned_u64 remote_addr;
	__aligned_u64 compare_add;
	__aligned_u64 swap;
	/* UD: the address handle's number (glass_create_ah_resp) */
	__u32 ah_num;
	__u32 remote_qpn;
	__u32 remote_qkey;
	__u32 pkey_index; /* honoured for the kernel's own QP1 only */
	__u32 xrc_srqn; /* XRC: the peer's SRQ (glass_create_srq_resp) */
	/*
	 * BIND_MW: the window whose R_Key is mw_rkey gets the low 8 bits of `rkey` as its own and grants
	 * `access` to `length` bytes from remote_addr on of the region mr_lkey; with length
	 * 0 it grants nothing. REG_MR: the region of `rkey` is `length` bytes from
	 * remote_addr on. FLUSH: `length` bytes from remote_addr on, as access says.
	 */
	__u32 mw_rkey;
	__u32 mr_lkey;
	__u32 access; /* enum ibv_access_flags; FLUSH: GLASS_FLUSH_* */
	__aligned_u64 length;
	__u32 reserved[8];
};

/* glass_abi_send_wqe.access of a FLUSH: the fields of the FETH */
#define GLASS_FLUSH_GLOBAL (1u << 0)
#define GLASS_FLUSH_PERSISTENT (1u << 1)
#define GLASS_FLUSH_RANGE (0u << 4)
#define GLASS_FLUSH_MR (1u << 4) /* all of the region, wherever remote_addr points */

#define GLASS_SEND_WQE_HDR_BYTES 128

struct glass_abi_recv_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved[13];
	/* num_sge SGEs follow */
};

#define GLASS_RECV_WQE_HDR_BYTES 64

/* glass_abi_cqe.flags */
#define GLASS_CQE_GRH (1u << 0)
#define GLASS_CQE_IMM (1u << 1)
#define GLASS_CQE_SOLICITED (1u << 2)
#define GLASS_CQE_SEND (1u << 3) /* completes a send WQE: wqe_index holds */
#define GLASS_CQE_SRQ (1u << 4)
#define GLASS_CQE_INV (1u << 5) /* the peer invalidated the key in imm (host order) */

/* A completion, 64 bytes. */
struct glass_abi_cqe {
	__aligned_u64 wr_id;
	__u32 status; /* enum glass_wc_status */
	__u32 opcode; /* enum glass_wc_op */
	__u32 vendor_err; /* syndrome << 8 | cause (enum glass_cause) */
	__u32 byte_len;
	__u32 imm; /* network order; with GLASS_CQE_INV a key */
	__u32 qp_num;
	__u32 src_qp;
	__u16 slid;
	__u16 pkey_index;
	__u8 sl;
	__u8 dlid_path_bits;
	__u16 flags; /* GLASS_CQE_* */
	/*
	 * Send completions: free-running index of the completed WQE. All
	 * slots up to and with it may be used again.
	 */
	__u32 wqe_index;
	__aligned_u64 timestamp_ns; /* CLOCK_MONOTONIC_RAW */
	__aligned_u64 flow; /* of the message, as in trace events; the peer's for a receive */
};

/*
 * The control page of a device: read-only to programs, one page mapped at the
 * offset of glass_alloc_ucontext_resp. The provider's part of each flag is
 * reserved: a provider that does not know a flag ignores it.
 */
#define GLASS_CTL_LINT (1u << 0)
#define GLASS_CTL_STRICT (1u << 1)
#define GLASS_CTL_VERB_FAULTS (1u << 2)

struct glass_control_page {
	__u32 version; /* GLASS_ABI_VERSION */
	__u32 flags; /* GLASS_CTL_* */
	__u32 generation; /* grows whenever something in the page changes */
	__u32 pad;
	/*
	 * With GLASS_CTL_VERB_FAULTS: verbs that a provider does without the driver, 1 <<
	 * enum glass_verb, and that it asks about before it does them (GLASS_REPORT_VERB).
	 */
	__aligned_u64 verb_faults;
	/* With GLASS_CTL_LINT: codes that any program is looked at for. */
	struct glass_lint_set lint_codes;
	/* With GLASS_CTL_STRICT: 1 << enum glass_behavior. */
	__u32 strict;
	__u32 reserved[985];
};

/* alloc_ucontext */
struct glass_alloc_ucontext_req {
	__u32 abi_version;
	__u32 reserved;
};

struct glass_alloc_ucontext_resp {
	__u32 abi_version;
	__u32 flags;
	__aligned_u64 control_mmap_offset;
	__u32 control_bytes;
	__u32 max_inline; /* bytes */
	__u32 max_sge;
	__u32 reserved;
};

struct glass_alloc_pd_resp {
	__u32 pdn;
	__u32 reserved;
};

struct glass_create_cq_resp {
	__u32 cqn;
	__u32 reserved;
	struct glass_ring_info ring;
};

/*
 * resize_cq: the ring with other entries, into which the driver has copied what was not polled;
 * nobody polls meanwhile. The old entries are the driver's again.
 */
struct glass_resize_cq_resp {
	struct glass_ring_info ring;
};

/*
 * modify_srq with IBV_SRQ_MAX_WR: where the driver writes the struct glass_ring_info of the ring
 * with other entries. It has copied what is posted; nobody posts meanwhile.
 */
struct glass_modify_srq_req {
	__aligned_u64 ring_info;
};

/* alloc_dm (GLASS_ATTR_ALLOC_DM_RESP) and query of a device memory: the memory to map */
struct glass_dm_resp {
	__u32 dmn;
	__u32 reserved;
	__aligned_u64 length; /* bytes that were asked for */
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_bytes;
};

/* create_qp: the program's capabilities travel in the core's command */
struct glass_create_qp_resp {
	__u32 qpn;
	/*
	 * Upper half of the flow of each of its send WQEs; the lower is the WQE's
	 * free-running index.
	 */
	__u32 flow_high;
	struct glass_ring_info sq;
	struct glass_ring_info rq; /* num 0 when the QP uses an SRQ */
};

struct glass_create_srq_resp {
	__u32 srqn;
	__u32 reserved;
	struct glass_ring_info rq;
};

struct glass_create_ah_resp {
	__u32 ah_num;
	__u32 reserved;
};

/*
 * The report method: what a provider saw in user space and the driver cannot
 * see. Driver-specific method of UVERBS_OBJECT_DEVICE, one PTR_IN attribute.
 */
#define GLASS_REPORT_COUNTS 0
#define GLASS_REPORT_FINDING 1
/*
 * No report but a question: is the verb whose number is in `seen` to fail? The method's
 * error is the verb's then; without one it is not.
 */
#define GLASS_REPORT_VERB 2
/*
 * GLASS_REPORT_FINDING: a lint finding about an object of the context. The method's error
 * tells the provider what to do: none: go on; EINVAL: the verb is to fail with it;
 * ENOENT: nobody wants that code of this process, until the control page's generation moves;
 * ENXIO: there is no such object, or it is not of this program.
 */

struct glass_report {
	__u16 version; /* GLASS_ABI_VERSION */
	__u16 kind; /* GLASS_REPORT_* */
	__u32 lint_code; /* GLASS_REPORT_FINDING: the number of GLnnn */
	__u32 object_kind;
	__u32 object_num;
	__aligned_u64 seen;
	__aligned_u64 expected;
	/* GLASS_REPORT_COUNTS: what was added since the last report */
	__u32 posts_refused; /* for lack of room */
	__u32 posts_invalid;
	__u32 events_unacked;
	__u32 bad_wr_reused;
};

#endif
