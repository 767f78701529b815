/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The vocabulary: the words that driver, provider, tools, tests and docs share,
 * as tables. Macros expand a table to enums, string tables and trace symbol
 * lists, so that each word stands in only one place. tracepoints/generate takes
 * the comment after a row as the word's meaning.
 *
 * A row is X(NAME, word, value), unless a table says otherwise. Words consist of
 * lower-case letters, digits and _.
 */
#ifndef GLASS_UAPI_VOCAB_H
#define GLASS_UAPI_VOCAB_H

#include "glass-opcodes.h"

/* QP types; values as enum ib_qp_type */
#define GLASS_QP_TYPES(X)                                                                          \
	X(SMI, smi, 0)                                                                             \
	X(GSI, gsi, 1)                                                                             \
	X(RC, rc, 2)                                                                               \
	X(UC, uc, 3)                                                                               \
	X(UD, ud, 4)                                                                               \
	X(XRC_INI, xrc_ini, 9)                                                                     \
	X(XRC_TGT, xrc_tgt, 10)

/* QP states; values as enum ib_qp_state */
#define GLASS_QP_STATES(X)                                                                         \
	X(RESET, reset, 0)                                                                         \
	X(INIT, init, 1)                                                                           \
	X(RTR, rtr, 2)                                                                             \
	X(RTS, rts, 3)                                                                             \
	X(SQD, sqd, 4)                                                                             \
	X(SQE, sqe, 5)                                                                             \
	X(ERR, err, 6)

/* Path migration; values as enum ib_mig_state */
#define GLASS_MIG_STATES(X)                                                                        \
	X(MIGRATED, migrated, 0)                                                                   \
	X(REARM, rearm, 1)                                                                         \
	X(ARMED, armed, 2)

/* Completion statuses; values as enum ibv_wc_status */
#define GLASS_WC_STATUSES(X)                                                                       \
	X(SUCCESS, success, 0)                                                                     \
	X(LOC_LEN_ERR, loc_len_err, 1)                                                             \
	X(LOC_QP_OP_ERR, loc_qp_op_err, 2)                                                         \
	X(LOC_EEC_OP_ERR, loc_eec_op_err, 3)                                                       \
	X(LOC_PROT_ERR, loc_prot_err, 4)                                                           \
	X(WR_FLUSH_ERR, wr_flush_err, 5)                                                           \
	X(MW_BIND_ERR, mw_bind_err, 6)                                                             \
	X(BAD_RESP_ERR, bad_resp_err, 7)                                                           \
	X(LOC_ACCESS_ERR, loc_access_err, 8)                                                       \
	X(REM_INV_REQ_ERR, rem_inv_req_err, 9)                                                     \
	X(REM_ACCESS_ERR, rem_access_err, 10)                                                      \
	X(REM_OP_ERR, rem_op_err, 11)                                                              \
	X(RETRY_EXC_ERR, retry_exc_err, 12)                                                        \
	X(RNR_RETRY_EXC_ERR, rnr_retry_exc_err, 13)                                                \
	X(LOC_RDD_VIOL_ERR, loc_rdd_viol_err, 14)                                                  \
	X(REM_INV_RD_REQ_ERR, rem_inv_rd_req_err, 15)                                              \
	X(REM_ABORT_ERR, rem_abort_err, 16)                                                        \
	X(INV_EECN_ERR, inv_eecn_err, 17)                                                          \
	X(INV_EEC_STATE_ERR, inv_eec_state_err, 18)                                                \
	X(FATAL_ERR, fatal_err, 19)                                                                \
	X(RESP_TIMEOUT_ERR, resp_timeout_err, 20)                                                  \
	X(GENERAL_ERR, general_err, 21)

/* Asynchronous events; values as enum ibv_event_type (and enum ib_event_type) */
#define GLASS_EVENTS(X)                                                                            \
	X(CQ_ERR, cq_err, 0)                                                                       \
	X(QP_FATAL, qp_fatal, 1)                                                                   \
	X(QP_REQ_ERR, qp_req_err, 2)                                                               \
	X(QP_ACCESS_ERR, qp_access_err, 3)                                                         \
	X(COMM_EST, comm_est, 4)                                                                   \
	X(SQ_DRAINED, sq_drained, 5)                                                               \
	X(PATH_MIG, path_mig, 6)                                                                   \
	X(PATH_MIG_ERR, path_mig_err, 7)                                                           \
	X(DEVICE_FATAL, device_fatal, 8)                                                           \
	X(PORT_ACTIVE, port_active, 9)                                                             \
	X(PORT_ERR, port_err, 10)                                                                  \
	X(LID_CHANGE, lid_change, 11)                                                              \
	X(PKEY_CHANGE, pkey_change, 12)                                                            \
	X(SM_CHANGE, sm_change, 13)                                                                \
	X(SRQ_ERR, srq_err, 14)                                                                    \
	X(SRQ_LIMIT_REACHED, srq_limit_reached, 15)                                                \
	X(QP_LAST_WQE_REACHED, qp_last_wqe_reached, 16)                                            \
	X(CLIENT_REREGISTER, client_reregister, 17)                                                \
	X(GID_CHANGE, gid_change, 18)

/* Direction of a packet, as its port sees it */
#define GLASS_DIRS(X)                                                                              \
	X(TX, tx, 0)                                                                               \
	X(RX, rx, 1)

/* Port states; values as enum ib_port_state */
#define GLASS_PORT_STATES(X)                                                                       \
	X(NOP, nop, 0)                                                                             \
	X(DOWN, down, 1)                                                                           \
	X(INIT, init, 2)                                                                           \
	X(ARMED, armed, 3)                                                                         \
	X(ACTIVE, active, 4)

/* Causes: why a QP left a state, and why an error of a QP occurred */
#define GLASS_CAUSES(X)                                                                            \
	X(NONE, none, 0)                                                                           \
	X(VERB, verb, 1) /* modify_qp asked for it */                                              \
	X(LOC_LEN, loc_len, 2) /* message longer than the buffer or the limit */                   \
	X(LOC_QP_OP, loc_qp_op, 3) /* work request that this QP cannot do */                       \
	X(LOC_PROT, loc_prot, 4) /* local SGE outside its MR, or a bad lkey */                     \
	X(REM_INV_REQ, rem_inv_req, 5) /* peer sent NAK invalid request */                         \
	X(REM_ACCESS, rem_access, 6) /* peer sent NAK remote access */                             \
	X(REM_OP, rem_op, 7) /* peer sent NAK remote operational error */                          \
	X(BAD_RESP, bad_resp, 8) /* response that does not fit its request */                             \
	X(RETRY_EXC, retry_exc, 9) /* no answer in retry_cnt + 1 tries */                          \
	X(RNR_EXC, rnr_exc, 10) /* receiver not ready in rnr_retry + 1 tries */                    \
	X(RESP_INV_REQ, resp_inv_req, 11) /* responder got an invalid request */                   \
	X(RESP_ACCESS, resp_access, 12) /* responder refused a remote access */                    \
	X(RESP_OP, resp_op, 13) /* responder could not use its own receive WQE */                  \
	X(CQ_OVERRUN, cq_overrun, 14) /* a CQ attached to the QP overran */                        \
	X(BAD_RING, bad_ring, 15) /* ring indices that a correct program never writes */           \
	X(INJECTED, injected, 16) /* fault injected through debugfs */                             \
	X(SQ_ERROR, sq_error, 17) /* UD or UC send failed: SQE */                                  \
	X(SRQ_ERROR, srq_error, 18) /* the SRQ is in error */                                      \
	X(DESTROY, destroy, 19)                                                                    \
	X(MW_BIND, mw_bind, 20) /* a key could not be bound, registered or invalidated */

/*
 * Why a packet was dropped. A reason whose meaning begins with "frame" occurs only for frames from
 * glassN/raw, and for packets that an injection rule has corrupted or truncated.
 */
#define GLASS_DROP_REASONS(X)                                                                      \
	X(NONE, none, 0)                                                                           \
	GLASS_DROP_CLASSES(X)
#define GLASS_DROP_CLASSES(X)                                                                      \
	X(PORT_DOWN, port_down, 1) /* the state of a port on its path blocks it */                 \
	X(NO_ROUTE, no_route, 2) /* switch: the DLID has no LFT or MFT entry, or only the input port */ \
	X(BAD_LRH, bad_lrh, 3) /* frame: not an LRH of this fabric */                              \
	X(BAD_GRH, bad_grh, 4) /* a GRH is missing, unexpected, or has GIDs of other ports */      \
	X(BAD_BTH, bad_bth, 5) /* an opcode that is unknown, or not allowed here */                \
	X(BAD_AETH, bad_aeth, 6) /* RC answer: a reserved syndrome */                              \
	X(BAD_LEN, bad_len, 7) /* a length that fits neither opcode nor MTU nor DMA length */      \
	X(BAD_ICRC, bad_icrc, 8) /* frame: the invariant CRC is wrong */                           \
	X(BAD_VCRC, bad_vcrc, 9) /* frame: the variant CRC is wrong */                             \
	X(WRONG_LID, wrong_lid, 10) /* the DLID is not of the port where it arrived */             \
	X(WRONG_SLID, wrong_slid, 11) /* RC, UC: not from the LID of the peer */                   \
	X(NO_QP, no_qp, 12) /* the destination QP does not exist */                                \
	X(QP_STATE, qp_state, 13) /* the destination QP cannot receive in its state */             \
	X(QP_TYPE, qp_type, 14) /* the opcode is not of the QP's transport */                      \
	X(WRONG_PORT, wrong_port, 15) /* the QP is on another port */                              \
	X(BAD_PKEY, bad_pkey, 16) /* the P_Key does not match that of the QP */                    \
	X(BAD_QKEY, bad_qkey, 17) /* UD: the Q_Key is not that of the QP */                        \
	X(BAD_PSN, bad_psn, 18) /* RC request: PSNs before it are missing (NAK), or it is stale */ \
	X(DUPLICATE, duplicate, 19) /* RC request that was executed before: answered again only */ \
	X(BAD_SEQ, bad_seq, 20) /* opcode out of sequence in its message; UC: or a PSN gap */      \
	X(NO_RECV, no_recv, 21) /* UD, UC: no receive is posted */                                 \
	X(RNR_WAIT, rnr_wait, 22) /* RC: no receive is posted; the peer retries after an RNR NAK */ \
	X(NAK_WAIT, nak_wait, 23) /* RC: it follows a PSN gap that a NAK has reported */           \
	X(MSG_TOO_LONG, msg_too_long, 24) /* longer than the receive, or than 2^31 bytes */        \
	X(BAD_RECV, bad_recv, 25) /* the receive is malformed, or its queue or SRQ failed */       \
	X(LOCAL_PROT, local_prot, 26) /* the local memory of the receive or READ refuses the data */ \
	X(ACCESS, access, 27) /* the QP or the R_Key do not grant this remote access */            \
	X(MISALIGNED, misaligned, 28) /* atomic: the address is not a multiple of 8 */             \
	X(RD_ATOMIC, rd_atomic, 29) /* READ or atomic beyond max_dest_rd_atomic */                 \
	X(STALE_RESP, stale_resp, 30) /* RC response without outstanding request, or repeated */   \
	X(BAD_RESP, bad_resp, 31) /* RC answer that does not fit its request */                    \
	X(SMP_ROUTE, smp_route, 32) /* directed route that is invalid or leads to no port */       \
	X(MAD_INVALID, mad_invalid, 33) /* MAD that its agent discards */                          \
	X(BAD_MKEY, bad_mkey, 34) /* SMP without the M_Key: its agent discards it */               \
	X(NO_MCAST, no_mcast, 35) /* no QP of the port is attached to the group */                 \
	X(INJECTED, injected, 36) /* an injection rule dropped it */                               \
	X(PAGE_WAIT, page_wait, 37) /* a page of its on-demand memory is not present */            \
	X(NOT_COPIED, not_copied, 38) /* multicast: sender destroyed before this copy, or no memory */ \
	X(LOOP, loop, 39) /* the tables of the switches lead it in a circle */                     \
	X(CABLE_FULL, cable_full, 40) /* netdev cable: its network interface did not take the frame */

/*
 * Where a packet was dropped. A report of a drop at TX, LINK or SWITCH names the sender's port. A
 * report of any other drop names the receiver's port.
 */
#define GLASS_DROP_PLACES(X)                                                                       \
	X(TX, tx, 0) /* at the sending port */                                                     \
	X(LINK, link, 1) /* on the cable: its other end accepts no packets */                      \
	X(SWITCH, switch, 2) /* in the switch */                                                   \
	X(RX, rx, 3) /* at the port that received it */                                            \
	X(QP, qp, 4) /* in the destination QP */                                                   \
	X(AGENT, agent, 5) /* in the management agent of its destination */

/* Speeds of a lane of a link */
#define GLASS_SPEEDS(X)                                                                            \
	X(SDR, sdr, 0)                                                                             \
	X(DDR, ddr, 1)                                                                             \
	X(QDR, qdr, 2)                                                                             \
	X(FDR, fdr, 3)                                                                             \
	X(EDR, edr, 4)                                                                             \
	X(HDR, hdr, 5)                                                                             \
	X(NDR, ndr, 6)

/* Injection actions; glass-inject.h has their meanings and parameters */
#define GLASS_ACTIONS(X)                                                                           \
	X(QP_FATAL, qp_fatal, 0)                                                                   \
	X(CQ_OVERRUN, cq_overrun, 1)                                                               \
	X(SRQ_FATAL, srq_fatal, 2)                                                                 \
	X(DROP, drop, 3)                                                                           \
	X(DUP, dup, 4)                                                                             \
	X(DELAY, delay, 5)                                                                         \
	X(REORDER, reorder, 6)                                                                     \
	X(CORRUPT, corrupt, 7)                                                                     \
	X(TRUNCATE, truncate, 8)                                                                   \
	X(HOLD, hold, 9)                                                                           \
	X(NAK, nak, 10)                                                                            \
	X(RNR, rnr, 11)                                                                            \
	X(ACK, ack, 12)                                                                            \
	X(CQE_ERROR, cqe_error, 13)                                                                \
	X(CQE_DELAY, cqe_delay, 14)                                                                \
	X(CQE_LOSE, cqe_lose, 15)                                                                  \
	X(CQE_DUP, cqe_dup, 16)                                                                    \
	X(SRQ_LIMIT, srq_limit, 17)                                                                \
	X(EVENT, event, 18)                                                                        \
	X(FAIL, fail, 19)                                                                          \
	X(PORT_DOWN, port_down, 20)                                                                \
	X(PORT_FLAP, port_flap, 21)                                                                \
	X(LID_CHANGE, lid_change, 22)                                                              \
	X(PKEY_CHANGE, pkey_change, 23)                                                            \
	X(GID_CHANGE, gid_change, 24)                                                              \
	X(SM_CHANGE, sm_change, 25)                                                                \
	X(DEVICE_FATAL, device_fatal, 26)                                                          \
	X(UNPLUG, unplug, 27)                                                                      \
	X(ECN, ecn, 28)                                                                            \
	X(CNP, cnp, 29)

/* Why a requester sends again; values as enum glass_retry */
#define GLASS_RETRY_WHYS(X)                                                                        \
	X(TIMEOUT, timeout, 0) /* no answer in time */                                             \
	X(NAK_SEQ, nak_seq, 1) /* NAK: the peer found a PSN gap */                                 \
	X(RNR, rnr, 2) /* the peer had no receive WQE */                                           \
	X(IMPLIED, implied, 3) /* an ACK passed an unanswered READ or atomic */

/* Verbs, named like the operations of struct ib_device_ops; REPORT is GLASS_METHOD_REPORT */
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
	X(REPORT, report, 45)                                                                      \
	X(ADVISE_MR, advise_mr, 46)                                                                \
	X(ALLOC_DM, alloc_dm, 47)                                                                  \
	X(DEALLOC_DM, dealloc_dm, 48)

/* Management classes of MADs (IBA 13.4.4), and their methods (IBA 13.4.5) */
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

/*
 * Keys of the match lines of captures (glass-capture.h). Their names and meanings are those of
 * glass-fields.h.
 */
#define GLASS_MATCH_KEYS(X)                                                                        \
	X(PORT, port, 0)                                                                           \
	X(DIR, dir, 1)                                                                             \
	X(PID, pid, 2)                                                                             \
	X(COMM, comm, 3) /* the whole name */                                                      \
	X(QPN, qpn, 4) /* of the QP at this end */                                                 \
	X(QPTYPE, qptype, 5)                                                                       \
	X(OP, op, 6) /* GLASS_PKT_OPS */                                                           \
	X(PSN, psn, 7)                                                                             \
	X(MSN, msn, 8) /* AETH */                                                                  \
	X(WR_ID, wr_id, 9)                                                                         \
	X(FLOW, flow, 10)                                                                          \
	X(LEN, len, 11) /* payload bytes */                                                        \
	X(SLID, slid, 12)                                                                          \
	X(DLID, dlid, 13)                                                                          \
	X(SL, sl, 14)                                                                              \
	X(PKEY, pkey, 15)                                                                          \
	X(QKEY, qkey, 16) /* DETH */                                                               \
	X(RKEY, rkey, 17) /* RETH, AtomicETH */                                                    \
	X(SYNDROME, syndrome, 18) /* AETH */                                                       \
	X(REASON, reason, 19) /* why it was dropped; none: it was not */

/*
 * Resources that are limited for each user. The limit is called the user's share. A user has one
 * share of MEMORY on the whole machine. Of each other resource, a user has one share on each
 * adapter.
 */
#define GLASS_SHARES(X)                                                                            \
	X(MEMORY, memory, 0) /* bytes of kernel memory */                                          \
	X(QP, qp, 1)                                                                               \
	X(CQ, cq, 2)                                                                               \
	X(SRQ, srq, 3)                                                                             \
	X(MR, mr, 4) /* memory regions and windows */                                              \
	X(PD, pd, 5)                                                                               \
	X(XRCD, xrcd, 6)                                                                           \
	X(AH, ah, 7)                                                                               \
	X(DM, dm, 8)                                                                               \
	X(DM_BYTES, dm_bytes, 9) /* bytes of device memory */                                      \
	X(MCAST, mcast, 10) /* multicast groups */                                                 \
	X(MCAST_QP, mcast_qp, 11) /* queue pairs in one group */

#endif
