// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Copies of long payload (copy.h). */
#include "wire/copy.h"

#if GLASS_COPIES_LONG

#define ROUND 256 /* bytes that copy_rounds() copies at a time */

#define COPY_32(at)                                                                                \
	"	movq " #at "+0x00(%1), %%r8\n"                                                     \
	"	movq " #at "+0x08(%1), %%r9\n"                                                     \
	"	movq " #at "+0x10(%1), %%r10\n"                                                    \
	"	movq " #at "+0x18(%1), %%r11\n"                                                    \
	"	movq %%r8, " #at "+0x00(%0)\n"                                                     \
	"	movq %%r9, " #at "+0x08(%0)\n"                                                     \
	"	movq %%r10, " #at "+0x10(%0)\n"                                                    \
	"	movq %%r11, " #at "+0x18(%0)\n"

/* `len` is a multiple of ROUND, and not 0. In C, a compiler may make a call of memcpy() of it. */
static inline void copy_rounds(void *to, const void *from, size_t len)
{
	asm volatile("1:\n"
		     COPY_32(0x00) COPY_32(0x20) COPY_32(0x40) COPY_32(0x60)
		     COPY_32(0x80) COPY_32(0xa0) COPY_32(0xc0) COPY_32(0xe0)
		     "	add $256, %1\n"
		     "	add $256, %0\n"
		     "	sub $256, %2\n"
		     "	jnz 1b"
		     : "+r"(to), "+r"(from), "+r"(len)
		     :
		     : "r8", "r9", "r10", "r11", "memory", "cc");
}

void glass_copy_long(void *to, const void *from, size_t len)
{
	size_t rounds = len & ~(size_t)(ROUND - 1);

	kasan_check_read(from, len);
	kasan_check_write(to, len);
	if (glass_cpu_has_erms()) {
		asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
		return;
	}
	copy_rounds(to, from, rounds);
	data_race(memcpy((u8 *)to + rounds, (const u8 *)from + rounds, len - rounds));
}

#endif
