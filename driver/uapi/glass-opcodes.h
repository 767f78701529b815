/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The operations of packets (BTH opcodes) and of work requests. Each has one row with all its
 * properties. Driver, provider, tools, tests and docs take the properties from the row.
 * docs/opcodes.md is made from these tables.
 *
 * A row of GLASS_BTH_TABLE is R(X, NAME, word, value, ...). A row of GLASS_WR_TABLE is R(X, E,
 * NAME, word, value, ...); the comment on that table explains E. R is a macro that selects columns,
 * and X is an argument for R. For example, GLASS_ROW and GLASS_WR_ROW call X with NAME, word and
 * value. A row of each other table is X(NAME, word, value), as in glass-vocab.h.
 */
#ifndef GLASS_UAPI_OPCODES_H
#define GLASS_UAPI_OPCODES_H

#define GLASS_ROW(X, n, w, v, ...) X(n, w, v)
#define GLASS_WR_ROW(X, E, n, w, v, ...) X(E##n, w, v)

/* BTH opcode: transport (upper three bits) and operation (lower five) */
#define GLASS_TRANSPORTS(X)                                                                        \
	X(RC, rc, 0)                                                                               \
	X(UC, uc, 1)                                                                               \
	X(RD, rd, 2)                                                                               \
	X(UD, ud, 3)                                                                               \
	X(CNP, cnp, 4)                                                                             \
	X(XRC, xrc, 5)

/* Sets of transports that have an operation: bits, 1 << value of GLASS_TRANSPORTS */
#define GLASS_ON_RC (1 << 0)
#define GLASS_ON_UC (1 << 1)
#define GLASS_ON_UD (1 << 3)
#define GLASS_ON_XRC (1 << 5)
#define GLASS_ON_RELIABLE (GLASS_ON_RC | GLASS_ON_XRC)
#define GLASS_ON_CONNECTED (GLASS_ON_RELIABLE | GLASS_ON_UC)
#define GLASS_ON_ALL (GLASS_ON_CONNECTED | GLASS_ON_UD)

/* Extended headers, in the order in which they follow the BTH, except GLASS_HDR_FETH */
#define GLASS_HDR_XRCETH (1 << 0) /* each request on XRC has it, so it is not in the table */
#define GLASS_HDR_DETH (1 << 1) /* each packet on UD has it, so it is not in the table */
#define GLASS_HDR_RETH (1 << 2)
#define GLASS_HDR_ATOMICETH (1 << 3)
#define GLASS_HDR_AETH (1 << 4)
#define GLASS_HDR_ATOMICACK (1 << 5)
#define GLASS_HDR_IMM (1 << 6)
#define GLASS_HDR_IETH (1 << 7)
#define GLASS_HDR_FETH (1 << 8) /* it comes before the RETH */
#define GLASS_HDR_NONE 0

/*
 * Properties of the packets of an opcode: request or response, place in the message, rule for the
 * payload, and use of a receive WQE
 */
#define GLASS_OPF_VALID (1 << 0) /* the opcode exists */
#define GLASS_OPF_REQUEST (1 << 1)
#define GLASS_OPF_RESPONSE (1 << 2)
#define GLASS_OPF_FIRST (1 << 3)
#define GLASS_OPF_MIDDLE (1 << 4)
#define GLASS_OPF_LAST (1 << 5)
#define GLASS_OPF_ONLY (1 << 6)
#define GLASS_OPF_PAYLOAD (1 << 7) /* the packet may have payload */
#define GLASS_OPF_FULL (1 << 8) /* the payload is exactly one path MTU */
#define GLASS_OPF_NONEMPTY (1 << 9) /* the payload is at least one byte */
#define GLASS_OPF_RECV (1 << 10) /* the packet completes a receive WQE */
#define GLASS_OPF_SEND (1 << 11) /* the packet is part of a SEND: a receive WQE gets its payload */

#define GLASS_PART_FIRST (GLASS_OPF_FIRST | GLASS_OPF_PAYLOAD | GLASS_OPF_FULL | GLASS_OPF_NONEMPTY)
#define GLASS_PART_MIDDLE (GLASS_OPF_MIDDLE | GLASS_OPF_PAYLOAD | GLASS_OPF_FULL | GLASS_OPF_NONEMPTY)
#define GLASS_PART_LAST (GLASS_OPF_LAST | GLASS_OPF_PAYLOAD | GLASS_OPF_NONEMPTY)
#define GLASS_PART_ONLY (GLASS_OPF_ONLY | GLASS_OPF_PAYLOAD)
#define GLASS_PART_WORD (GLASS_OPF_ONLY | GLASS_OPF_PAYLOAD | GLASS_OPF_NONEMPTY) /* 8 bytes */
#define GLASS_PART_BARE GLASS_OPF_ONLY /* no payload */

/* Kinds of operations: what the responder does for a request, or ANSWER, which is a response */
#define GLASS_DOES_SEND 1
#define GLASS_DOES_WRITE 2
#define GLASS_DOES_READ 3
#define GLASS_DOES_ATOMIC 4
#define GLASS_DOES_FLUSH 5
#define GLASS_DOES_ATOMIC_WRITE 6
#define GLASS_DOES_ANSWER 7

/*
 * Sets of NAKs with which a responder may refuse a request (IBA 9.7.4.1 and table 57, annex A19).
 * The bit of a NAK is 1 << its NAK code. The RNR NAK has the bit GLASS_NAKS_RNR. The responder
 * sends an RNR NAK if no receive is posted, or if a page of its on-demand memory is absent. So a
 * WRITE or an atomic may get one, too.
 */
#define GLASS_NAKS_RNR (1 << 5)
#define GLASS_NAKS_NONE 0
#define GLASS_NAKS_READ (1 << 0 | 1 << 1 | 1 << 2) /* PSN sequence, invalid request, remote access */
#define GLASS_NAKS_WRITE (GLASS_NAKS_READ | GLASS_NAKS_RNR)
#define GLASS_NAKS_WRITE_IMM (GLASS_NAKS_WRITE | 1 << 3) /* remote operational error */
#define GLASS_NAKS_SEND (1 << 0 | 1 << 1 | 1 << 3 | GLASS_NAKS_RNR)
#define GLASS_NAKS_SEND_INV (GLASS_NAKS_SEND | 1 << 2)

/*
 * Operations of packets: the lower five bits of a BTH opcode (IBA 9.2.1 and table 38, annexes A14
 * and A19). Further columns:
 * packet  row of GLASS_PKT_OPS with the operation's word in rules, filters and tools
 * on      the transports that have the operation, GLASS_ON_*
 * header  extended headers, GLASS_HDR_*
 * part    place in the message and rule for the payload, GLASS_PART_*
 * kind    GLASS_DOES_*
 */
#define GLASS_BTH_TABLE(R, X)                                                                                          \
	R(X, SEND_FIRST, send_first, 0x00, SEND, CONNECTED, NONE, FIRST, SEND)                                         \
	R(X, SEND_MIDDLE, send_middle, 0x01, SEND, CONNECTED, NONE, MIDDLE, SEND)                                      \
	R(X, SEND_LAST, send_last, 0x02, SEND, CONNECTED, NONE, LAST, SEND)                                            \
	R(X, SEND_LAST_IMM, send_last_imm, 0x03, SEND_IMM, CONNECTED, IMM, LAST, SEND)                                 \
	R(X, SEND_ONLY, send_only, 0x04, SEND, ALL, NONE, ONLY, SEND)                                                  \
	R(X, SEND_ONLY_IMM, send_only_imm, 0x05, SEND_IMM, ALL, IMM, ONLY, SEND)                                       \
	R(X, WRITE_FIRST, write_first, 0x06, WRITE, CONNECTED, RETH, FIRST, WRITE)                                     \
	R(X, WRITE_MIDDLE, write_middle, 0x07, WRITE, CONNECTED, NONE, MIDDLE, WRITE)                                  \
	R(X, WRITE_LAST, write_last, 0x08, WRITE, CONNECTED, NONE, LAST, WRITE)                                        \
	R(X, WRITE_LAST_IMM, write_last_imm, 0x09, WRITE_IMM, CONNECTED, IMM, LAST, WRITE)                             \
	R(X, WRITE_ONLY, write_only, 0x0a, WRITE, CONNECTED, RETH, ONLY, WRITE)                                        \
	R(X, WRITE_ONLY_IMM, write_only_imm, 0x0b, WRITE_IMM, CONNECTED, RETH_IMM, ONLY, WRITE)                        \
	R(X, READ_REQ, read_req, 0x0c, READ, RELIABLE, RETH, BARE, READ)                                               \
	R(X, READ_RESP_FIRST, read_resp_first, 0x0d, READ_RESP, RELIABLE, AETH, FIRST, ANSWER)                         \
	R(X, READ_RESP_MIDDLE, read_resp_middle, 0x0e, READ_RESP, RELIABLE, NONE, MIDDLE, ANSWER)                      \
	R(X, READ_RESP_LAST, read_resp_last, 0x0f, READ_RESP, RELIABLE, AETH, LAST, ANSWER)                            \
	R(X, READ_RESP_ONLY, read_resp_only, 0x10, READ_RESP, RELIABLE, AETH, ONLY, ANSWER)                            \
	R(X, ACK, ack, 0x11, ACK, RELIABLE, AETH, BARE, ANSWER)                                                        \
	R(X, ATOMIC_ACK, atomic_ack, 0x12, ATOMIC_ACK, RELIABLE, AETH_ATOMICACK, BARE, ANSWER)                         \
	R(X, CMP_SWAP, cmp_swap, 0x13, CMP_SWAP, RELIABLE, ATOMICETH, BARE, ATOMIC)                                    \
	R(X, FETCH_ADD, fetch_add, 0x14, FETCH_ADD, RELIABLE, ATOMICETH, BARE, ATOMIC)                                 \
	R(X, SEND_LAST_INV, send_last_inv, 0x16, SEND_INV, RELIABLE, IETH, LAST, SEND)                                 \
	R(X, SEND_ONLY_INV, send_only_inv, 0x17, SEND_INV, RELIABLE, IETH, ONLY, SEND)                                 \
	R(X, FLUSH, flush, 0x1c, FLUSH, RELIABLE, FETH_RETH, BARE, FLUSH)                                              \
	R(X, ATOMIC_WRITE, atomic_write, 0x1d, ATOMIC_WRITE, RELIABLE, RETH, WORD, ATOMIC_WRITE)

#define GLASS_HDR_RETH_IMM (GLASS_HDR_RETH | GLASS_HDR_IMM)
#define GLASS_HDR_AETH_ATOMICACK (GLASS_HDR_AETH | GLASS_HDR_ATOMICACK)
#define GLASS_HDR_FETH_RETH (GLASS_HDR_FETH | GLASS_HDR_RETH)

#define GLASS_BTH_OPS(X) GLASS_BTH_TABLE(GLASS_ROW, X)

/*
 * GLASS_PKT_SET(P) is the set of BTH operations whose `packet` is P, as bits. GLASS_PKT_P
 * (glass-enums.h) is the number of row P in GLASS_PKT_OPS, from 0 on. It is not the value of that
 * row.
 */
#define GLASS_PKT_BIT(P, n, w, v, packet, ...) | (GLASS_PKT_##packet == (P) ? 1u << (v) : 0)
#define GLASS_PKT_SET(P) (0u GLASS_BTH_TABLE(GLASS_PKT_BIT, GLASS_PKT_##P))

/*
 * The operation of a packet, without its place in the message. Each packet of a SEND is "send",
 * with two exceptions: the packet with immediate data is "send_imm", and the packet with a key to
 * invalidate is "send_inv". Packets of a WRITE are "write" and "write_imm" in the same way. The
 * value is a set of BTH operations (bit n: operation n of GLASS_BTH_OPS). Each operation is in
 * exactly one set.
 */
#define GLASS_PKT_OPS(X)                                                                           \
	X(SEND, send, GLASS_PKT_SET(SEND))                                                         \
	X(SEND_IMM, send_imm, GLASS_PKT_SET(SEND_IMM))                                             \
	X(SEND_INV, send_inv, GLASS_PKT_SET(SEND_INV))                                             \
	X(WRITE, write, GLASS_PKT_SET(WRITE))                                                      \
	X(WRITE_IMM, write_imm, GLASS_PKT_SET(WRITE_IMM))                                          \
	X(READ, read, GLASS_PKT_SET(READ))                                                         \
	X(READ_RESP, read_resp, GLASS_PKT_SET(READ_RESP))                                          \
	X(ACK, ack, GLASS_PKT_SET(ACK))                                                            \
	X(ATOMIC_ACK, atomic_ack, GLASS_PKT_SET(ATOMIC_ACK))                                       \
	X(CMP_SWAP, cmp_swap, GLASS_PKT_SET(CMP_SWAP))                                             \
	X(FETCH_ADD, fetch_add, GLASS_PKT_SET(FETCH_ADD))                                          \
	X(FLUSH, flush, GLASS_PKT_SET(FLUSH))                                                      \
	X(ATOMIC_WRITE, atomic_write, GLASS_PKT_SET(ATOMIC_WRITE))

/*
 * The operation that a completion reports. The values are those of enum ibv_wc_opcode, except that
 * the value of REG_MR is Glass's own. Only consumers in the kernel post REG_MR. The driver's
 * glass_poll_cq() gives them IB_WC_REG_MR in place of this value.
 */
#define GLASS_WC_OPS(X)                                                                            \
	X(SEND, send, 0)                                                                           \
	X(WRITE, write, 1)                                                                         \
	X(READ, read, 2)                                                                           \
	X(CMP_SWAP, cmp_swap, 3)                                                                   \
	X(FETCH_ADD, fetch_add, 4)                                                                 \
	X(BIND_MW, bind_mw, 5)                                                                     \
	X(LOCAL_INV, local_inv, 6)                                                                 \
	X(FLUSH, flush, 8)                                                                         \
	X(ATOMIC_WRITE, atomic_write, 9)                                                           \
	X(REG_MR, reg_mr, 10)                                                                      \
	X(RECV, recv, 128)                                                                         \
	X(RECV_WRITE_IMM, recv_write_imm, 129)

/* Properties of work requests */
#define GLASS_WRF_USER (1 << 0) /* programs may post it */
#define GLASS_WRF_KERNEL (1 << 1) /* consumers in the kernel may post it */
#define GLASS_WRF_INLINE (1 << 2) /* programs may ask for inline data */
#define GLASS_WRF_REMOTE (1 << 3) /* it names memory of the peer: address and R_Key */
#define GLASS_WRF_IMM (1 << 4) /* it carries immediate data */
#define GLASS_WRF_KEY (1 << 5) /* it carries a key to invalidate, instead of immediate data */
#define GLASS_WRF_RECV (1 << 6) /* it takes a receive WQE of the peer, and therefore a credit */
/* its response is more than an ACK: max_rd_atomic limits how many may be outstanding */
#define GLASS_WRF_ANSWER (1 << 7)
#define GLASS_WRF_RESULT (1 << 8) /* the data of the answer go to the SGEs */
#define GLASS_WRF_WORD (1 << 9) /* its data, or its result, is 8 bytes long */
#define GLASS_WRF_NO_DATA (1 << 10) /* it has neither SGEs nor inline data */
#define GLASS_WRF_LOCAL (1 << 11) /* it is carried out without a packet */
/* only ibv_wr_*() can post it, because struct ibv_send_wr has no fields for it */
#define GLASS_WRF_EXTENDED (1 << 12)

#define GLASS_WRF_BOTH (GLASS_WRF_USER | GLASS_WRF_KERNEL)
#define GLASS_WRF_ATOMIC (GLASS_WRF_REMOTE | GLASS_WRF_ANSWER | GLASS_WRF_RESULT | GLASS_WRF_WORD)

/*
 * Work requests. The values are those of enum ibv_wr_opcode, if that enum has the operation.
 * Further columns:
 * verb     name in the verbs API, after IBV_WR_ and IB_WR_
 * wc       operation of the completion, of GLASS_WC_OPS
 * on       the transports that have the operation, GLASS_ON_*
 * naks     NAKs with which a responder may refuse the request, GLASS_NAKS_*
 * packets  MANY(first, middle, last, only), ONE(only), or NONE: operations of GLASS_BTH_TABLE
 * how      GLASS_WRF_*
 * The names READ and WRITE are also macros of the kernel. Therefore a macro that passes NAME on to
 * another macro pastes E, which is empty, before NAME: then the preprocessor does not expand NAME.
 */
#define GLASS_WR_TABLE(R, X, E)                                                                                        \
	R(X, E, WRITE, write, 0, RDMA_WRITE, WRITE, CONNECTED, WRITE,                                                  \
	  MANY(WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY),                                                     \
	  GLASS_WRF_BOTH | GLASS_WRF_INLINE | GLASS_WRF_REMOTE)                                                        \
	R(X, E, WRITE_IMM, write_imm, 1, RDMA_WRITE_WITH_IMM, WRITE, CONNECTED, WRITE_IMM,                             \
	  MANY(WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST_IMM, WRITE_ONLY_IMM),                                             \
	  GLASS_WRF_BOTH | GLASS_WRF_INLINE | GLASS_WRF_REMOTE | GLASS_WRF_IMM | GLASS_WRF_RECV)                       \
	R(X, E, SEND, send, 2, SEND, SEND, ALL, SEND,                                                                  \
	  MANY(SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY), GLASS_WRF_BOTH | GLASS_WRF_INLINE | GLASS_WRF_RECV)     \
	R(X, E, SEND_IMM, send_imm, 3, SEND_WITH_IMM, SEND, ALL, SEND,                                                 \
	  MANY(SEND_FIRST, SEND_MIDDLE, SEND_LAST_IMM, SEND_ONLY_IMM),                                                 \
	  GLASS_WRF_BOTH | GLASS_WRF_INLINE | GLASS_WRF_IMM | GLASS_WRF_RECV)                                          \
	R(X, E, READ, read, 4, RDMA_READ, READ, RELIABLE, READ,                                                        \
	  ONE(READ_REQ), GLASS_WRF_BOTH | GLASS_WRF_REMOTE | GLASS_WRF_ANSWER | GLASS_WRF_RESULT)                      \
	R(X, E, CMP_SWAP, cmp_swap, 5, ATOMIC_CMP_AND_SWP, CMP_SWAP, RELIABLE, WRITE,                                  \
	  ONE(CMP_SWAP), GLASS_WRF_BOTH | GLASS_WRF_ATOMIC)                                                            \
	R(X, E, FETCH_ADD, fetch_add, 6, ATOMIC_FETCH_AND_ADD, FETCH_ADD, RELIABLE, WRITE,                             \
	  ONE(FETCH_ADD), GLASS_WRF_BOTH | GLASS_WRF_ATOMIC)                                                           \
	R(X, E, LOCAL_INV, local_inv, 7, LOCAL_INV, LOCAL_INV, CONNECTED, NONE,                                        \
	  NONE, GLASS_WRF_BOTH | GLASS_WRF_KEY | GLASS_WRF_NO_DATA | GLASS_WRF_LOCAL) /* invalidates a key */ \
	R(X, E, BIND_MW, bind_mw, 8, BIND_MW, BIND_MW, CONNECTED, NONE,                                                \
	  NONE, GLASS_WRF_USER | GLASS_WRF_NO_DATA | GLASS_WRF_LOCAL)                                                  \
	R(X, E, SEND_INV, send_inv, 9, SEND_WITH_INV, SEND, RELIABLE, SEND_INV,                                        \
	  MANY(SEND_FIRST, SEND_MIDDLE, SEND_LAST_INV, SEND_ONLY_INV),                                                 \
	  GLASS_WRF_BOTH | GLASS_WRF_INLINE | GLASS_WRF_KEY | GLASS_WRF_RECV)                                          \
	R(X, E, FLUSH, flush, 14, FLUSH, FLUSH, RELIABLE, READ,                                                        \
	  ONE(FLUSH), GLASS_WRF_USER | GLASS_WRF_REMOTE | GLASS_WRF_ANSWER | GLASS_WRF_NO_DATA | GLASS_WRF_EXTENDED)   \
	R(X, E, ATOMIC_WRITE, atomic_write, 15, ATOMIC_WRITE, ATOMIC_WRITE, RELIABLE, WRITE,                           \
	  ONE(ATOMIC_WRITE),                                                                                           \
	  GLASS_WRF_USER | GLASS_WRF_REMOTE | GLASS_WRF_ANSWER | GLASS_WRF_WORD | GLASS_WRF_EXTENDED)                  \
	R(X, E, REG_MR, reg_mr, 16, REG_MR, REG_MR, CONNECTED, NONE,                                                   \
	  NONE, GLASS_WRF_KERNEL | GLASS_WRF_NO_DATA | GLASS_WRF_LOCAL) /* only consumers in the kernel post it */

#define GLASS_WR_OPS(X) GLASS_WR_TABLE(GLASS_WR_ROW, X, )

/*
 * Sets of work requests, as bits (1 << value). GLASS_WRS_WITH(F) has the work requests with at
 * least one property of the set F (GLASS_WRF_*). GLASS_WRS_ON(T) has the work requests that at
 * least one transport of the set T (GLASS_ON_*) supports.
 */
#define GLASS_WR_BIT_HOW(F, E, n, w, v, verb, wc, on, naks, packets, how) | ((how) & (F) ? 1u << (v) : 0)
#define GLASS_WR_BIT_ON(T, E, n, w, v, verb, wc, on, naks, packets, how) | (GLASS_ON_##on & (T) ? 1u << (v) : 0)
#define GLASS_WRS_WITH(F) (0u GLASS_WR_TABLE(GLASS_WR_BIT_HOW, F, ))
#define GLASS_WRS_ON(T) (0u GLASS_WR_TABLE(GLASS_WR_BIT_ON, T, ))

/*
 * Sets of BTH operations, as bits (1 << value). GLASS_BTHS_WITH(H) has the operations with at least
 * one header of the set H (GLASS_HDR_*). GLASS_BTHS_DO(K) has the operations of the kind
 * GLASS_DOES_K. GLASS_BTHS_ON(T) has the operations that at least one transport of the set T
 * (GLASS_ON_*) supports.
 */
#define GLASS_BTH_BIT_HDR(H, n, w, v, packet, on, header, ...) | (GLASS_HDR_##header & (H) ? 1u << (v) : 0)
#define GLASS_BTH_BIT_KIND(K, n, w, v, packet, on, header, part, kind) | (GLASS_DOES_##kind == (K) ? 1u << (v) : 0)
#define GLASS_BTH_BIT_ON(T, n, w, v, packet, on, ...) | (GLASS_ON_##on & (T) ? 1u << (v) : 0)
#define GLASS_BTHS_WITH(H) (0u GLASS_BTH_TABLE(GLASS_BTH_BIT_HDR, H))
#define GLASS_BTHS_DO(K) (0u GLASS_BTH_TABLE(GLASS_BTH_BIT_KIND, GLASS_DOES_##K))
#define GLASS_BTHS_ON(T) (0u GLASS_BTH_TABLE(GLASS_BTH_BIT_ON, T))

#endif
