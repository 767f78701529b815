/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Copies of payload. */
#ifndef GLASS_WIRE_COPY_H
#define GLASS_WIRE_COPY_H

#include "wire/shim.h"

/* glass_copy_long() pays for at least as many bytes. */
#define GLASS_COPY_LONG 512

/*
 * 1: memcpy() moves long payload slower than the processor can. x86-64: only a processor with FSRM
 * (fast short REP MOVSB) has a memcpy() of one instruction. The memcpy() of others spends a third
 * of its instructions on its loop. KMSAN does not see stores of assembler.
 */
#if defined(__x86_64__) && !defined(CONFIG_KMSAN)
#define GLASS_COPIES_LONG 1
#else
#define GLASS_COPIES_LONG 0
#endif

/* The same as memcpy() of at least GLASS_COPY_LONG bytes, front to back. Any context. */
void glass_copy_long(void *to, const void *from, size_t len);

/*
 * Copies `len` bytes of payload, front to back. data_race() keeps KCSAN from reporting programs
 * that let two transfers write to the same memory, or that use memory during a transfer.
 */
static __always_inline void glass_copy(void *to, const void *from, u32 len)
{
	if (GLASS_COPIES_LONG && len >= GLASS_COPY_LONG && !glass_cpu_has_fsrm())
		glass_copy_long(to, from, len);
	else
		data_race(memcpy(to, from, len));
}

#endif
