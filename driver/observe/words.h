/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Symbol lists of the trace events, made from the tables of the vocabulary.
 */
#ifndef GLASS_OBSERVE_WORDS_H
#define GLASS_OBSERVE_WORDS_H

#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

/*
 * The pairs of a __print_symbolic(). The tables have literal numbers, because user space reads the
 * pairs from the event's format. The last pair is for a field without a value.
 */
#define GLASS_SYM(n, w, v) { v, #w },
#define GLASS_SYMBOLS(TABLE) TABLE(GLASS_SYM) { 0xff, "-" }

/* Bits of a send WQE's flags (GLASS_WQE_* of the provider ABI) for __print_flags() */
#define GLASS_WQE_FLAGS                                                                            \
	{ 0x1, "fence" }, { 0x2, "signaled" }, { 0x4, "solicited" }, { 0x8, "inline" }

#endif
