/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ABI between glass.ko and its libibverbs provider.
 *
 * Rings are memory that driver and program share through mmap. The driver does not
 * trust it, because the program can write to it: it copies an entry once into private
 * memory and checks the copy. Indices are free-running 32-bit counters;
 * slot = index & (entries - 1), entries is a power of two.
 *
 * When a QP goes to RESET, the driver sets producer and consumer of its send and
 * receive rings to 0. The provider does the same with its own copies.
 *
 * Every structure has the same layout for 32- and 64-bit programs; reserved fields
 * are zero. A structure that grows needs a new GLASS_ABI_VERSION.
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
 * The header of a ring in shared memory. Each index has a cache line of its own. The entries have
 * a place of their own (glass_ring_info): a resize of a CQ or an SRQ moves them, and not the header.
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
	 * Send and receive queues: not 0 means that the driver will read
	 * `producer` again. After a program has written `producer`, it issues a
	 * full memory barrier and reads this field. If it is 0, the program must
	 * ring the doorbell: by lseek() (GLASS_DOORBELL_WHENCE), or by
	 * ibv_cmd_post_send() without a work request, which costs more. For a
	 * receive queue it is 0 only in the error state: there the driver must
	 * flush each receive that is posted.
	 */
	__u32 awake;
	__u32 pad2[15];
	__u32 reserved[16];
};

#define GLASS_RING_HDR_BYTES 256

/*
 * A place in the memory that a context shares with its program. That memory consists of a few
 * areas. The program maps an area once, when it first gets a place in it. It may unmap an area in
 * which it has no ring.
 */
struct glass_ring_place {
	__aligned_u64 area; /* number of the area, never reused in its context */
	__aligned_u64 mmap_offset; /* offset for mmap(); the length is mmap_bytes */
	__u32 mmap_bytes; /* size of the whole area */
	__u32 offset; /* in the area, a multiple of 64 */
};

/* Place and shape of a ring, in the response to its creation. */
struct glass_ring_info {
	struct glass_ring_place hdr; /* struct glass_ring_hdr */
	struct glass_ring_place entries;
	__u32 num; /* entries: a power of two, at least the number requested; 0: no ring */
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
	/* UD: the address handle's number (glass_create_ah_resp), destination QP and Q_Key */
	__u32 ah_num;
	__u32 remote_qpn;
	__u32 remote_qkey;
	__u32 pkey_index; /* used only for QP1 of the kernel; ignored for others */
	__u32 xrc_srqn; /* XRC: the peer's SRQ (glass_create_srq_resp) */
	/*
	 * BIND_MW: mw_rkey names the window. The low 8 bits of its R_Key become those of `rkey`.
	 * The window then grants `access` to `length` bytes of the region mr_lkey, from remote_addr
	 * on; with length 0 it grants nothing.
	 * REG_MR: the region of `rkey` gets `length` bytes from remote_addr on.
	 * FLUSH: the peer flushes `length` bytes from remote_addr on; `access` has the kind.
	 */
	__u32 mw_rkey;
	__u32 mr_lkey;
	__u32 access; /* enum ibv_access_flags; FLUSH: GLASS_FLUSH_* */
	__aligned_u64 length;
	__u32 reserved[8];
};

/* glass_abi_send_wqe.access of a FLUSH: placement type and selectivity level, as in the FETH */
#define GLASS_FLUSH_GLOBAL (1u << 0)
#define GLASS_FLUSH_PERSISTENT (1u << 1)
#define GLASS_FLUSH_RANGE (0u << 4)
#define GLASS_FLUSH_MR (1u << 4) /* the whole region, whatever remote_addr is */

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
#define GLASS_CQE_SEND (1u << 3) /* completes a send WQE: wqe_index is valid */
#define GLASS_CQE_SRQ (1u << 4) /* completes a receive of an SRQ */
#define GLASS_CQE_INV (1u << 5) /* the peer's SEND_INV invalidated the key in imm (host order) */

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
	 * Send completions: free-running index of the completed WQE. The
	 * program may reuse all slots up to and including it.
	 */
	__u32 wqe_index;
	__aligned_u64 timestamp_ns; /* CLOCK_MONOTONIC_RAW */
	__aligned_u64 flow; /* id of the send request, also for a receive; as in trace events */
};

/*
 * The control page of a device: read-only to programs, one page mapped at the
 * offset of glass_alloc_ucontext_resp. A provider ignores flags that it does
 * not know.
 */
#define GLASS_CTL_LINT (1u << 0)
#define GLASS_CTL_STRICT (1u << 1)
#define GLASS_CTL_VERB_FAULTS (1u << 2)

struct glass_control_page {
	__u32 version; /* GLASS_ABI_VERSION */
	__u32 flags; /* GLASS_CTL_* */
	__u32 generation; /* increases with each change of the page */
	__u32 pad;
	/*
	 * With GLASS_CTL_VERB_FAULTS: bits, 1 << enum glass_verb, of verbs that a provider carries
	 * out without the driver and an injection rule may make fail. Before each call of such a
	 * verb, the provider asks the driver whether it must fail (GLASS_REPORT_VERB).
	 */
	__aligned_u64 verb_faults;
	/* With GLASS_CTL_LINT: codes for which at least one program is linted. */
	struct glass_lint_set lint_codes;
	/* With GLASS_CTL_STRICT: the behaviors that are on, 1 << enum glass_behavior. */
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
 * resize_cq: the ring with its new entries. The driver has copied the unpolled completions to them.
 * The provider must not poll during the call, nor use the old entries after it.
 */
struct glass_resize_cq_resp {
	struct glass_ring_info ring;
};

/*
 * modify_srq with IBV_SRQ_MAX_WR: the address to which the driver writes the struct glass_ring_info
 * of the ring with its new entries. The driver has copied the posted receives to them. The provider
 * must not post during the call, nor use the old entries after it.
 */
struct glass_modify_srq_req {
	__aligned_u64 ring_info;
};

/* alloc_dm (GLASS_ATTR_ALLOC_DM_RESP) and GLASS_METHOD_DM_QUERY: the device memory to map */
struct glass_dm_resp {
	__u32 dmn;
	__u32 reserved;
	__aligned_u64 length; /* bytes requested */
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_bytes;
};

/* create_qp: the requested capabilities are in the core's command */
struct glass_create_qp_resp {
	__u32 qpn;
	/*
	 * Upper 32 bits of the flow of each of the QP's send WQEs; the lower 32 are the
	 * WQE's free-running index.
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
 * GLASS_METHOD_REPORT: a provider reports events in user space that the driver
 * cannot see. Its one attribute is a struct glass_report.
 */
#define GLASS_REPORT_COUNTS 0
#define GLASS_REPORT_FINDING 1
/*
 * A question, not a report: must the verb with the number in `seen` fail? If the method
 * returns an error, the verb fails with it. Otherwise the provider carries the verb out.
 */
#define GLASS_REPORT_VERB 2
/*
 * GLASS_REPORT_FINDING: a lint finding about an object of the context. The method's result tells
 * the provider how to go on. No error: continue. EINVAL: fail the verb with EINVAL. ENOENT: this
 * process is not linted for that code; do not report the code again until the control page's
 * generation changes. ENXIO: there is no such object, or it belongs to another program.
 */

struct glass_report {
	__u16 version; /* GLASS_ABI_VERSION */
	__u16 kind; /* GLASS_REPORT_* */
	/* GLASS_REPORT_FINDING: as the columns of lint/findings (GLASS_COLUMNS_LINT) */
	__u32 lint_code; /* the number of GLnnn */
	__u32 object_kind; /* enum glass_kind */
	__u32 object_num;
	__aligned_u64 seen; /* GLASS_REPORT_VERB: enum glass_verb */
	__aligned_u64 expected;
	/* GLASS_REPORT_COUNTS: increments since the last report (GLASS_COLUMNS_UCONTEXT) */
	__u32 posts_refused; /* for lack of room */
	__u32 posts_invalid;
	__u32 events_unacked;
	__u32 bad_wr_reused;
};

#endif
