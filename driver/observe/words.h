/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Lists of symbols for the trace events, made from the tables of words in uapi/. */
#ifndef GLASS_OBSERVE_WORDS_H
#define GLASS_OBSERVE_WORDS_H

#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

/*
 * The pairs (value, word) of a __print_symbolic(), for a table of uapi/. The values in the tables
 * are literal numbers, because user space reads the pairs as text from the event's format file. The
 * last pair prints "-" for 0xff. This number means that there is no value.
 */
#define GLASS_SYM(n, w, v) { v, #w },
#define GLASS_SYMBOLS(TABLE) TABLE(GLASS_SYM) { 0xff, "-" }

/* The flags of a send WQE (GLASS_WQE_* of uapi/glass-abi.h) for __print_flags() */
#define GLASS_WQE_FLAGS                                                                            \
	{ 0x1, "fence" }, { 0x2, "signaled" }, { 0x4, "solicited" }, { 0x8, "inline" }

#endif
