/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Symbol lists of the trace events, made from the tables of the vocabulary, and
 * the few tables that only trace events use.
 */
#ifndef GLASS_OBSERVE_WORDS_H
#define GLASS_OBSERVE_WORDS_H

#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

/*
 * The pairs of a __print_symbolic(). The numbers are literal in the tables, so
 * that user space reads them from the event's format. The last pair is what a
 * field without a value holds.
 */
#define GLASS_SYM(n, w, v) { v, #w },
#define GLASS_SYMBOLS(TABLE) TABLE(GLASS_SYM) { 0xff, "-" }

/* Bits of a send WQE's flags (GLASS_WQE_* of the provider ABI) for __print_flags() */
#define GLASS_WQE_FLAGS                                                                            \
	{ 0x1, "fence" }, { 0x2, "signaled" }, { 0x4, "solicited" }, { 0x8, "inline" }

/* Why a requester goes back: X(NAME, word, value), values as enum glass_retry */
#define GLASS_RETRY_WHYS(X)                                                                        \
	X(TIMEOUT, timeout, 0) /* no answer in time */                                             \
	X(NAK_SEQ, nak_seq, 1) /* the peer found a hole */                                         \
	X(RNR, rnr, 2) /* the peer had no receive WQE */                                           \
	X(IMPLIED, implied, 3) /* an ACK passed an unanswered READ or atomic */

#ifndef GLASS_VERBS
/* Verbs, by the names of the kernel's operations: X(NAME, word, value) */
#define GLASS_VERBS(X)                                                                             \
	X(QUERY_DEVICE, query_device, 0)                                                           \
	X(MODIFY_DEVICE, modify_device, 1)                                                         \
	X(QUERY_PORT, query_port, 2)                                                               \
	X(MODIFY_PORT, modify_port, 3)                                                             \
	X(QUERY_GID, query_gid, 4)                                                                 \
	X(QUERY_PKEY, query_pkey, 5)                                                               \
	X(ALLOC_UCONTEXT, alloc_ucontext, 6)                                                       \
	X(DEALLOC_UCONTEXT, dealloc_ucontext, 7)                                                   \
	X(MMAP, mmap, 8)                                                                           \
	X(ALLOC_PD, alloc_pd, 9)                                                                   \
	X(DEALLOC_PD, dealloc_pd, 10)                                                              \
	X(CREATE_AH, create_ah, 11)                                                                \
	X(MODIFY_AH, modify_ah, 12)                                                                \
	X(QUERY_AH, query_ah, 13)                                                                  \
	X(DESTROY_AH, destroy_ah, 14)                                                              \
	X(GET_DMA_MR, get_dma_mr, 15)                                                              \
	X(REG_MR, reg_mr, 16)                                                                      \
	X(REREG_MR, rereg_mr, 17)                                                                  \
	X(DEREG_MR, dereg_mr, 18)                                                                  \
	X(ALLOC_MR, alloc_mr, 19)                                                                  \
	X(MAP_MR_SG, map_mr_sg, 20)                                                                \
	X(ALLOC_MW, alloc_mw, 21)                                                                  \
	X(DEALLOC_MW, dealloc_mw, 22)                                                              \
	X(CREATE_CQ, create_cq, 23)                                                                \
	X(MODIFY_CQ, modify_cq, 24)                                                                \
	X(RESIZE_CQ, resize_cq, 25)                                                                \
	X(DESTROY_CQ, destroy_cq, 26)                                                              \
	X(POLL_CQ, poll_cq, 27)                                                                    \
	X(REQ_NOTIFY_CQ, req_notify_cq, 28)                                                        \
	X(CREATE_SRQ, create_srq, 29)                                                              \
	X(MODIFY_SRQ, modify_srq, 30)                                                              \
	X(QUERY_SRQ, query_srq, 31)                                                                \
	X(DESTROY_SRQ, destroy_srq, 32)                                                            \
	X(POST_SRQ_RECV, post_srq_recv, 33)                                                        \
	X(CREATE_QP, create_qp, 34)                                                                \
	X(MODIFY_QP, modify_qp, 35)                                                                \
	X(QUERY_QP, query_qp, 36)                                                                  \
	X(DESTROY_QP, destroy_qp, 37)                                                              \
	X(POST_SEND, post_send, 38)                                                                \
	X(POST_RECV, post_recv, 39)                                                                \
	X(ATTACH_MCAST, attach_mcast, 40)                                                          \
	X(DETACH_MCAST, detach_mcast, 41)                                                          \
	X(ALLOC_XRCD, alloc_xrcd, 42)                                                              \
	X(DEALLOC_XRCD, dealloc_xrcd, 43)                                                          \
	X(PROCESS_MAD, process_mad, 44)                                                            \
	X(REPORT, report, 45)

#define GLASS_E_VERB(n, w, v) GLASS_VERB_##n = (v),

enum glass_verb { GLASS_VERBS(GLASS_E_VERB) GLASS_VERB_COUNT };
#endif

/* BTH opcode: transport (upper three bits) and operation (lower five) */
#define GLASS_TRANSPORTS(X)                                                                        \
	X(RC, rc, 0)                                                                               \
	X(UC, uc, 1)                                                                               \
	X(RD, rd, 2)                                                                               \
	X(UD, ud, 3)                                                                               \
	X(CNP, cnp, 4)                                                                             \
	X(XRC, xrc, 5)

#define GLASS_BTH_OPS(X)                                                                           \
	X(SEND_FIRST, send_first, 0x00)                                                            \
	X(SEND_MIDDLE, send_middle, 0x01)                                                          \
	X(SEND_LAST, send_last, 0x02)                                                              \
	X(SEND_LAST_IMM, send_last_imm, 0x03)                                                      \
	X(SEND_ONLY, send_only, 0x04)                                                              \
	X(SEND_ONLY_IMM, send_only_imm, 0x05)                                                      \
	X(WRITE_FIRST, write_first, 0x06)                                                          \
	X(WRITE_MIDDLE, write_middle, 0x07)                                                        \
	X(WRITE_LAST, write_last, 0x08)                                                            \
	X(WRITE_LAST_IMM, write_last_imm, 0x09)                                                    \
	X(WRITE_ONLY, write_only, 0x0a)                                                            \
	X(WRITE_ONLY_IMM, write_only_imm, 0x0b)                                                    \
	X(READ_REQ, read_req, 0x0c)                                                                \
	X(READ_RESP_FIRST, read_resp_first, 0x0d)                                                  \
	X(READ_RESP_MIDDLE, read_resp_middle, 0x0e)                                                \
	X(READ_RESP_LAST, read_resp_last, 0x0f)                                                    \
	X(READ_RESP_ONLY, read_resp_only, 0x10)                                                    \
	X(ACK, ack, 0x11)                                                                          \
	X(ATOMIC_ACK, atomic_ack, 0x12)                                                            \
	X(CMP_SWAP, cmp_swap, 0x13)                                                                \
	X(FETCH_ADD, fetch_add, 0x14)                                                              \
	X(SEND_LAST_INV, send_last_inv, 0x16)                                                      \
	X(SEND_ONLY_INV, send_only_inv, 0x17)

/* Management classes of MADs (IBA 13.4.4) and methods (13.4.5) */
#define GLASS_MAD_CLASSES(X)                                                                       \
	X(SUBN, subn, 0x01)                                                                        \
	X(SUBN_ADM, subn_adm, 0x03)                                                                \
	X(PERF, perf, 0x04)                                                                        \
	X(BM, bm, 0x05)                                                                            \
	X(DEV_MGMT, dev_mgmt, 0x06)                                                                \
	X(CM, cm, 0x07)                                                                            \
	X(SNMP, snmp, 0x08)                                                                        \
	X(SUBN_DR, subn_dr, 0x81)

#define GLASS_MAD_METHODS(X)                                                                       \
	X(GET, get, 0x01)                                                                          \
	X(SET, set, 0x02)                                                                          \
	X(SEND, send, 0x03)                                                                        \
	X(TRAP, trap, 0x05)                                                                        \
	X(REPORT, report, 0x06)                                                                    \
	X(TRAP_REPRESS, trap_repress, 0x07)                                                        \
	X(GET_TABLE, get_table, 0x12)                                                              \
	X(GET_TRACE_TABLE, get_trace_table, 0x13)                                                  \
	X(GET_MULTI, get_multi, 0x14)                                                              \
	X(DELETE, delete, 0x15)                                                                    \
	X(GET_RESP, get_resp, 0x81)                                                                \
	X(REPORT_RESP, report_resp, 0x86)                                                          \
	X(GET_TABLE_RESP, get_table_resp, 0x92)                                                    \
	X(GET_MULTI_RESP, get_multi_resp, 0x94)                                                    \
	X(DELETE_RESP, delete_resp, 0x95)

#endif
