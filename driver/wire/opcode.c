// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of valid opcodes, made from GLASS_BTH_TABLE. */
#include "wire/opcode.h"

#define EXT(h)                                                                                     \
	(((h) & GLASS_HDR_XRCETH ? GLASS_XRCETH_BYTES : 0) +                                       \
	 ((h) & GLASS_HDR_DETH ? GLASS_DETH_BYTES : 0) +                                           \
	 GLASS_HDR_BYTES(h))

#define IS_ANSWER(does) ((does) == GLASS_DOES_ANSWER)

/* The last packet of a SEND, or of a message with immediate data, completes a receive. */
#define ENDS(h, part, does)                                                                        \
	((part) & (GLASS_OPF_LAST | GLASS_OPF_ONLY) &&                                             \
	 ((does) == GLASS_DOES_SEND || (h) & GLASS_HDR_IMM))

#define FLAGS(h, part, does)                                                                       \
	(GLASS_OPF_VALID | (part) | (IS_ANSWER(does) ? GLASS_OPF_RESPONSE : GLASS_OPF_REQUEST) |   \
	 ((does) == GLASS_DOES_SEND ? GLASS_OPF_SEND : 0) | (ENDS(h, part, does) ? GLASS_OPF_RECV : 0))

/*
 * The entry of an opcode of transport T. `on` is the set of transports that have the operation; if
 * T is not in the set, the entry is empty. `h` is the set of headers that the operation has on
 * every transport. `more` is the set of headers that T adds.
 */
#define ENTRY(T, text, v, on, more, h, part, does)                                                 \
	[GLASS_TR_##T | (v)] = {                                                                   \
		.word = (on) & GLASS_ON_##T ? (text) : NULL,                                       \
		.flags = (on) & GLASS_ON_##T ? FLAGS(h, part, does) : 0,                           \
		.hdrs = (on) & GLASS_ON_##T ? (h) | (more) : 0,                                    \
		.ext_bytes = (on) & GLASS_ON_##T ? EXT((h) | (more)) : 0,                          \
	},

#define OPCODE(X, n, w, v, packet, on, header, part, kind)                                         \
	ENTRY(RC, "rc_" #w, v, GLASS_ON_##on, 0, GLASS_HDR_##header, GLASS_PART_##part,            \
	      GLASS_DOES_##kind)                                                                   \
	ENTRY(UC, "uc_" #w, v, GLASS_ON_##on, 0, GLASS_HDR_##header, GLASS_PART_##part,            \
	      GLASS_DOES_##kind)                                                                   \
	ENTRY(UD, "ud_" #w, v, GLASS_ON_##on, GLASS_HDR_DETH, GLASS_HDR_##header,                  \
	      GLASS_PART_##part, GLASS_DOES_##kind)                                                \
	ENTRY(XRC, "xrc_" #w, v, GLASS_ON_##on,                                                    \
	      IS_ANSWER(GLASS_DOES_##kind) ? 0 : GLASS_HDR_XRCETH, GLASS_HDR_##header,             \
	      GLASS_PART_##part, GLASS_DOES_##kind)

const struct glass_opcode glass_opcodes[256] = {
	GLASS_BTH_TABLE(OPCODE, )
	[GLASS_OPCODE_CNP] = { .word = "cnp", .flags = GLASS_OPF_VALID | GLASS_PART_ONLY },
};
