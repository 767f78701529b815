// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The opcode table. */
#include "wire/opcode.h"

#define X GLASS_HDR_XRCETH
#define D GLASS_HDR_DETH
#define R GLASS_HDR_RETH
#define T GLASS_HDR_ATOMICETH
#define A GLASS_HDR_AETH
#define K GLASS_HDR_ATOMICACK
#define I GLASS_HDR_IMM
#define V GLASS_HDR_IETH
#define F GLASS_HDR_FETH

#define EXT(h)                                                                                     \
	(((h) & X ? GLASS_XRCETH_BYTES : 0) + ((h) & D ? GLASS_DETH_BYTES : 0) +                   \
	 ((h) & R ? GLASS_RETH_BYTES : 0) + ((h) & T ? GLASS_ATOMICETH_BYTES : 0) +                \
	 ((h) & A ? GLASS_AETH_BYTES : 0) + ((h) & K ? GLASS_ATOMICACKETH_BYTES : 0) +             \
	 ((h) & I ? GLASS_IMM_BYTES : 0) + ((h) & V ? GLASS_IETH_BYTES : 0) +                       \
	 ((h) & F ? GLASS_FETH_BYTES : 0))

#define OP(w, h, f)                                                                                \
	{                                                                                          \
		.word = (w), .flags = GLASS_OPF_VALID | (f), .hdrs = (h), .ext_bytes = EXT(h),     \
	}

#define REQ GLASS_OPF_REQUEST
#define RSP GLASS_OPF_RESPONSE
#define DATA GLASS_OPF_PAYLOAD
#define FIRST (GLASS_OPF_FIRST | DATA | GLASS_OPF_FULL | GLASS_OPF_NONEMPTY)
#define MIDDLE (GLASS_OPF_MIDDLE | DATA | GLASS_OPF_FULL | GLASS_OPF_NONEMPTY)
#define LAST (GLASS_OPF_LAST | DATA | GLASS_OPF_NONEMPTY)
#define ONLY (GLASS_OPF_ONLY | DATA)
#define SEND GLASS_OPF_SEND
#define RECV GLASS_OPF_RECV

/* What RC, UC and XRC have in common; h: headers that every request carries */
#define SENDS_AND_WRITES(t, w, h)                                                                  \
	[t | GLASS_BOP_SEND_FIRST] = OP(w "_send_first", h, REQ | SEND | FIRST),                   \
	[t | GLASS_BOP_SEND_MIDDLE] = OP(w "_send_middle", h, REQ | SEND | MIDDLE),                \
	[t | GLASS_BOP_SEND_LAST] = OP(w "_send_last", h, REQ | SEND | RECV | LAST),               \
	[t | GLASS_BOP_SEND_LAST_IMM] =                                                            \
		OP(w "_send_last_imm", (h) | I, REQ | SEND | RECV | LAST),                         \
	[t | GLASS_BOP_SEND_ONLY] = OP(w "_send_only", h, REQ | SEND | RECV | ONLY),               \
	[t | GLASS_BOP_SEND_ONLY_IMM] =                                                            \
		OP(w "_send_only_imm", (h) | I, REQ | SEND | RECV | ONLY),                         \
	[t | GLASS_BOP_WRITE_FIRST] = OP(w "_write_first", (h) | R, REQ | FIRST),                  \
	[t | GLASS_BOP_WRITE_MIDDLE] = OP(w "_write_middle", h, REQ | MIDDLE),                     \
	[t | GLASS_BOP_WRITE_LAST] = OP(w "_write_last", h, REQ | LAST),                           \
	[t | GLASS_BOP_WRITE_LAST_IMM] = OP(w "_write_last_imm", (h) | I, REQ | RECV | LAST),      \
	[t | GLASS_BOP_WRITE_ONLY] = OP(w "_write_only", (h) | R, REQ | ONLY),                     \
	[t | GLASS_BOP_WRITE_ONLY_IMM] =                                                           \
		OP(w "_write_only_imm", (h) | R | I, REQ | RECV | ONLY)

/* What RC and XRC have besides */
#define RELIABLE(t, w, h)                                                                          \
	[t | GLASS_BOP_READ_REQ] = OP(w "_read_req", (h) | R, REQ | GLASS_OPF_ONLY),               \
	[t | GLASS_BOP_READ_RESP_FIRST] = OP(w "_read_resp_first", A, RSP | FIRST),                \
	[t | GLASS_BOP_READ_RESP_MIDDLE] = OP(w "_read_resp_middle", 0, RSP | MIDDLE),             \
	[t | GLASS_BOP_READ_RESP_LAST] = OP(w "_read_resp_last", A, RSP | LAST),                   \
	[t | GLASS_BOP_READ_RESP_ONLY] = OP(w "_read_resp_only", A, RSP | ONLY),                   \
	[t | GLASS_BOP_ACK] = OP(w "_ack", A, RSP | GLASS_OPF_ONLY),                               \
	[t | GLASS_BOP_ATOMIC_ACK] = OP(w "_atomic_ack", A | K, RSP | GLASS_OPF_ONLY),             \
	[t | GLASS_BOP_CMP_SWAP] = OP(w "_cmp_swap", (h) | T, REQ | GLASS_OPF_ONLY),               \
	[t | GLASS_BOP_FETCH_ADD] = OP(w "_fetch_add", (h) | T, REQ | GLASS_OPF_ONLY),             \
	[t | GLASS_BOP_SEND_LAST_INV] =                                                            \
		OP(w "_send_last_inv", (h) | V, REQ | SEND | RECV | LAST),                         \
	[t | GLASS_BOP_SEND_ONLY_INV] =                                                            \
		OP(w "_send_only_inv", (h) | V, REQ | SEND | RECV | ONLY),                         \
	[t | GLASS_BOP_FLUSH] = OP(w "_flush", (h) | F | R, REQ | GLASS_OPF_ONLY),                 \
	[t | GLASS_BOP_ATOMIC_WRITE] =                                                             \
		OP(w "_atomic_write", (h) | R, REQ | ONLY | GLASS_OPF_NONEMPTY)

#define RESERVED { .word = "reserved" }

const struct glass_opcode glass_opcodes[256] = {
	SENDS_AND_WRITES(GLASS_TR_RC, "rc", 0),
	RELIABLE(GLASS_TR_RC, "rc", 0),
	[0x15] = RESERVED,
	[0x18 ... 0x1b] = RESERVED,
	[0x1e ... 0x1f] = RESERVED,
	SENDS_AND_WRITES(GLASS_TR_UC, "uc", 0),
	[0x2c ... 0x63] = RESERVED,
	[GLASS_TR_UD | GLASS_BOP_SEND_ONLY] = OP("ud_send_only", D, REQ | SEND | RECV | ONLY),
	[GLASS_TR_UD | GLASS_BOP_SEND_ONLY_IMM] =
		OP("ud_send_only_imm", D | I, REQ | SEND | RECV | ONLY),
	[0x66 ... 0x9f] = RESERVED,
	SENDS_AND_WRITES(GLASS_TR_XRC, "xrc", X),
	RELIABLE(GLASS_TR_XRC, "xrc", X),
	[0xb5] = RESERVED,
	[0xb8 ... 0xbb] = RESERVED,
	[0xbe ... 0xff] = RESERVED,
};
