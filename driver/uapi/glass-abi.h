/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ABI between glass.ko and its libibverbs provider.
 *
 * Rings are memory that driver and program share through mmap(). A program can write to its rings
 * at any time, so the driver does not trust them. The driver copies an entry once into private
 * memory, and checks and uses only the copy. Indices are free-running 32-bit counters. The number
 * of entries is a power of two. The entry of an index is in the slot index & (entries - 1).
 *
 * When a QP goes to RESET, the driver sets `producer` and `consumer` of its send and receive rings
 * to 0. The provider sets its own copies of these indices to 0, too.
 *
 * Every structure has the same layout for 32-bit and 64-bit programs. Reserved fields are zero. A
 * structure that grows needs a new GLASS_ABI_VERSION.
 */
#ifndef GLASS_UAPI_ABI_H
#define GLASS_UAPI_ABI_H

#include <linux/types.h>

#include "glass-lint-set.h"

#define GLASS_ABI_VERSION 5

#define GLASS_MAX_SGE 30
#define GLASS_MAX_INLINE 2048
#define GLASS_CACHELINE 64

/*
 * The header of a ring in shared memory. Each index has a cache line of its own. The entries are
 * elsewhere (glass_ring_info.entries), because the resize of a CQ or an SRQ moves the entries, but
 * not the header.
 *
 * In send and receive queues, the program writes entries and then `producer` (release). The driver
 * reads entries and then writes `consumer` (release). In a completion queue, the driver produces
 * and the program consumes.
 */
struct glass_ring_hdr {
	__u32 producer;
	__u32 pad0[15];
	__u32 consumer;
	__u32 pad1[15];
	/*
	 * Used only in send and receive queues. While this field is not 0, the driver will read
	 * `producer` again. After a program has written `producer`, the program issues a full
	 * memory barrier and reads this field. If the field is 0, the program must ring the
	 * doorbell: by lseek() (GLASS_DOORBELL_WHENCE), or by ibv_cmd_post_send() without a work
	 * request, which costs more. The field of a receive queue is 0 only while the QP is in the
	 * error state: the driver must flush each receive that is posted then. The field of an SRQ
	 * is never 0.
	 */
	__u32 awake;
	__u32 pad2[15];
	__u32 reserved[16];
};

#define GLASS_RING_HDR_BYTES 256

/*
 * A place in the memory that a context shares with its program. This memory consists of a few
 * areas. The provider maps a whole area when the driver names the first place in this area. The
 * provider may unmap an area in which it has no ring. It must map the area again for a later ring.
 */
struct glass_ring_place {
	__aligned_u64 area; /* number of the area, never reused in its context */
	__aligned_u64 mmap_offset; /* offset of the area for mmap() */
	__u32 mmap_bytes; /* bytes of the whole area, the length for mmap() */
	__u32 offset; /* offset of the place in the area, in bytes: a multiple of 64 */
};

/* Place and shape of a ring, in the response to its creation or its resize. */
struct glass_ring_info {
	struct glass_ring_place hdr; /* place of the struct glass_ring_hdr */
	struct glass_ring_place entries; /* place of slot 0 */
	/* number of entries: a power of two, at least the number requested; 0: there is no ring */
	__u32 num;
	__u32 stride; /* bytes of one entry: a multiple of 64 */
};

struct glass_abi_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/* glass_abi_send_wqe.flags; values as enum ibv_send_flags */
#define GLASS_WQE_FENCE (1u << 0)
#define GLASS_WQE_SIGNALED (1u << 1)
#define GLASS_WQE_SOLICITED (1u << 2)
#define GLASS_WQE_INLINE (1u << 3)

/*
 * A send work request: this header, and then its data. The data are num_sge SGEs (struct
 * glass_abi_sge) or, with GLASS_WQE_INLINE, inline_len bytes. LOCAL_INV, BIND_MW, REG_MR and FLUSH
 * have no data. An ATOMIC_WRITE has 8 bytes of data.
 */
struct glass_abi_send_wqe {
	__aligned_u64 wr_id;
	__u32 opcode; /* enum glass_wr_op */
	__u32 flags; /* GLASS_WQE_* */
	__u32 num_sge;
	__u32 inline_len; /* bytes */
	/* immediate data (network order); SEND_INV, LOCAL_INV: key to invalidate (host order) */
	__u32 imm;
	__u32 rkey; /* of the peer's memory; BIND_MW, REG_MR: see mw_rkey */
	__aligned_u64 remote_addr;
	__aligned_u64 compare_add; /* CMP_SWAP: value to compare with; FETCH_ADD: value to add */
	__aligned_u64 swap; /* CMP_SWAP: value to write */
	/* datagrams: address handle (glass_create_ah_resp.ah_num), destination QPN, Q_Key */
	__u32 ah_num;
	__u32 remote_qpn;
	__u32 remote_qkey;
	__u32 pkey_index; /* index of the P_Key, for QP1 of the kernel; other QPs ignore it */
	__u32 xrc_srqn; /* for XRC: number of the peer's SRQ (glass_create_srq_resp) */
	/*
	 * BIND_MW: mw_rkey is the present R_Key of the window. For a window of type 2, the low 8
	 * bits of mw_rkey are ignored. The new R_Key has the upper 24 bits of mw_rkey and the low 8
	 * bits of `rkey`. The window then grants `access` to `length` bytes of the region mr_lkey,
	 * from remote_addr on. If `length` is 0, a window of type 1 grants nothing, and a bind of a
	 * window of type 2 fails.
	 *
	 * REG_MR: the upper 24 bits of `rkey` name the region. `rkey` becomes the key of this
	 * region. The region then begins at address remote_addr, has `length` bytes, and grants
	 * `access`.
	 *
	 * FLUSH: the peer flushes `length` bytes from remote_addr on, as `access` says.
	 */
	__u32 mw_rkey;
	__u32 mr_lkey;
	__u32 access; /* enum ibv_access_flags; FLUSH: GLASS_FLUSH_* */
	__aligned_u64 length;
	__u32 stack; /* call stack of the post, as in glass-where.h; 0: unknown */
	__u32 reserved[3];
};

/* glass_abi_send_wqe.access of a FLUSH: placement type and selectivity level, as in the FETH */
#define GLASS_FLUSH_GLOBAL (1u << 0)
#define GLASS_FLUSH_PERSISTENT (1u << 1)
#define GLASS_FLUSH_RANGE (0u << 4)
#define GLASS_FLUSH_MR (1u << 4) /* the whole region of `rkey`; remote_addr is ignored */

/* with one SGE, a WQE has two cache lines */
#define GLASS_SEND_WQE_HDR_BYTES 112

struct glass_abi_recv_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 stack; /* call stack of the post, as in glass-where.h; 0: unknown */
	/* num_sge SGEs follow */
};

#define GLASS_RECV_WQE_HDR_BYTES 16

/* glass_abi_cqe.flags */
#define GLASS_CQE_GRH (1u << 0)
#define GLASS_CQE_IMM (1u << 1)
#define GLASS_CQE_SOLICITED (1u << 2)
#define GLASS_CQE_SEND (1u << 3) /* it completes a send WQE, and wqe_index is valid */
#define GLASS_CQE_SRQ (1u << 4) /* it completes a receive of an SRQ */
#define GLASS_CQE_INV (1u << 5) /* the peer's SEND_INV has invalidated the key in `imm` */

/* A completion, 64 bytes. */
struct glass_abi_cqe {
	__aligned_u64 wr_id;
	__u32 status; /* enum glass_wc_status */
	__u32 opcode; /* enum glass_wc_op */
	/* syndrome << 8 | cause (enum glass_cause), or the `vendor` value of an injection rule */
	__u32 vendor_err;
	__u32 byte_len;
	__u32 imm; /* immediate data (network order); with GLASS_CQE_INV: a key (host order) */
	__u32 qp_num;
	__u32 src_qp;
	__u16 slid;
	__u16 pkey_index;
	__u8 sl;
	__u8 dlid_path_bits;
	__u16 flags; /* GLASS_CQE_* */
	/*
	 * For send completions: free-running index of the completed WQE. Its slot and the slots of
	 * all earlier WQEs are free again.
	 */
	__u32 wqe_index;
	__aligned_u64 timestamp_ns; /* CLOCK_MONOTONIC_RAW */
	/* id of the send request, as in trace events; for a receive, id of the peer's request */
	__aligned_u64 flow;
};

/*
 * Flags of the control page of a device. Programs can only read this page. A provider maps it at
 * glass_alloc_ucontext_resp.control_mmap_offset, and ignores flags that it does not know.
 */
#define GLASS_CTL_LINT (1u << 0)
#define GLASS_CTL_STRICT (1u << 1)
#define GLASS_CTL_VERB_FAULTS (1u << 2)
#define GLASS_CTL_WHERE (1u << 3) /* somebody wants call stacks of some program (glass-where.h) */

struct glass_control_page {
	__u32 version; /* GLASS_ABI_VERSION */
	__u32 flags; /* GLASS_CTL_* */
	__u32 generation; /* increases with each change of the page */
	__u32 pad;
	/*
	 * With GLASS_CTL_VERB_FAULTS: a set of verbs, as bits (1 << enum glass_verb). The provider
	 * carries out these verbs without the driver, and an injection rule may make them fail.
	 * Before each call of such a verb, the provider asks the driver whether the call must fail
	 * (GLASS_REPORT_VERB).
	 */
	__aligned_u64 verb_faults;
	/* With GLASS_CTL_LINT: the codes of all scopes that exist (docs/lint-abi.md) */
	struct glass_lint_set lint_codes;
	/* With GLASS_CTL_STRICT: the behaviors that are on, as bits (1 << enum glass_behavior) */
	__u32 strict;
	__u32 reserved[985];
};

/* alloc_ucontext: fails with EPROTO if abi_version is not that of the driver */
struct glass_alloc_ucontext_req {
	__u32 abi_version;
	__u32 reserved;
};

struct glass_alloc_ucontext_resp {
	__u32 abi_version;
	__u32 flags; /* always 0: no flag is defined */
	__aligned_u64 control_mmap_offset; /* offset of the control page for mmap() */
	__u32 control_bytes; /* length of the control page for mmap() */
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
 * resize_cq: the ring with its new entries. The driver has copied all completions that were not
 * polled yet into the new entries. The provider must not poll during the call. After a call that
 * has succeeded, the provider must not use the old entries.
 */
struct glass_resize_cq_resp {
	struct glass_ring_info ring;
};

/*
 * modify_srq with IBV_SRQ_MAX_WR. The driver makes new entries, copies the posted receives into
 * the new entries, and describes the ring in *ring_info. The provider must not post during the
 * call. After a call that has succeeded, the provider must not use the old entries.
 */
struct glass_modify_srq_req {
	__aligned_u64 ring_info; /* address of a struct glass_ring_info of the program */
};

/*
 * Describes a device memory: the response of alloc_dm (GLASS_ATTR_ALLOC_DM_RESP) and of
 * GLASS_METHOD_DM_QUERY.
 */
struct glass_dm_resp {
	__u32 dmn;
	__u32 reserved;
	__aligned_u64 length; /* bytes requested */
	__aligned_u64 mmap_offset; /* offset for mmap() */
	__aligned_u64 mmap_bytes; /* length for mmap() */
};

/* create_qp: the requested capabilities are in the command of uverbs */
struct glass_create_qp_resp {
	__u32 qpn;
	/*
	 * Upper 32 bits of the flow of each send WQE of the QP. The lower 32 bits are the
	 * free-running index of the WQE.
	 */
	__u32 flow_high;
	struct glass_ring_info sq;
	struct glass_ring_info rq; /* num 0: the QP has no receive queue of its own */
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
 * GLASS_METHOD_REPORT: a provider reports counts or a lint finding to the driver, or asks whether a
 * verb must fail. The attribute of the method is a struct glass_report.
 */
#define GLASS_REPORT_COUNTS 0
#define GLASS_REPORT_FINDING 1
/*
 * A question, not a report: must a verb fail? The number of the verb is in `seen`. If the method
 * returns an error, the verb fails with this error. Otherwise the provider carries out the verb.
 */
#define GLASS_REPORT_VERB 2
/*
 * GLASS_REPORT_FINDING: a lint finding about an object of the context. The result of the method
 * tells the provider how to go on:
 *   EINVAL, EBUSY  the verb must fail with this error
 *   ENOENT         lint does not check this process for the code; the provider does not report the
 *                  code again until `generation` of the control page changes
 *   ENXIO          there is no such object, or it belongs to another program
 * After success, and after all errors but EINVAL and EBUSY, the provider carries out the verb.
 */

struct glass_report {
	__u16 version; /* GLASS_ABI_VERSION */
	__u16 kind; /* GLASS_REPORT_* */
	/* GLASS_REPORT_FINDING: the columns code, kind, num, seen and expected of lint/findings */
	__u32 lint_code; /* enum glass_lint_number */
	__u32 object_kind; /* enum glass_kind */
	__u32 object_num;
	__aligned_u64 seen; /* GLASS_REPORT_VERB: enum glass_verb */
	__aligned_u64 expected;
	/*
	 * GLASS_REPORT_COUNTS: the next four fields are counts since the last report. The driver
	 * adds each count to the column of the same name (GLASS_COLUMNS_UCONTEXT). Glass's provider
	 * sends 0 in events_unacked and bad_wr_reused.
	 */
	__u32 posts_refused;
	/*
	 * With GLASS_REPORT_FINDING and the code POST_NO_ROOM or ROUNDED_UP_CAPS, this field is not
	 * a count: it names the limit that was exceeded. 0 stands for the number of work requests
	 * in the queue. 1 stands for the number of SGEs (POST_NO_ROOM), or of bytes of inline data
	 * (ROUNDED_UP_CAPS).
	 */
	__u32 posts_invalid;
	__u32 events_unacked;
	__u32 bad_wr_reused;
};

#endif
