/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The folders wire, proto, mgmt, fabric and rules are compiled into glass.ko and into a user-space
 * library for unit tests, fuzzing and simulation. This header declares all functions and types of
 * the kernel that these folders use. For the library, it has replacements of them. No other header
 * differs between module and library.
 */
#ifndef GLASS_WIRE_SHIM_H
#define GLASS_WIRE_SHIM_H

#ifdef __KERNEL__

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kasan-checks.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include "compat/unaligned.h"

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>

/* Has the processor fast short REP MOVSB, so that memcpy() is this instruction? */
#define glass_cpu_has_fsrm() cpu_feature_enabled(X86_FEATURE_FSRM)
/* Has it fast REP MOVSB for long copies? */
#define glass_cpu_has_erms() cpu_feature_enabled(X86_FEATURE_ERMS)
#else
#define glass_cpu_has_fsrm() false
#define glass_cpu_has_erms() false
#endif

/*
 * Allocates memory in any context, or returns NULL. No memory cgroup is charged, because the memory
 * is for the fabric, which belongs to root.
 */
static inline void *glass_alloc_atomic(size_t size)
{
	return kmalloc(size, GFP_ATOMIC | __GFP_NOWARN);
}

/* Frees memory that glass_alloc_atomic() has returned. Does nothing if p is NULL. */
static inline void glass_free(const void *p)
{
	kfree(p);
}

#else /* user space */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <endian.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define min(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) min_a_ = (a);                                                        \
		__typeof__(b) min_b_ = (b);                                                        \
		min_a_ < min_b_ ? min_a_ : min_b_;                                                 \
	})
#define max(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) max_a_ = (a);                                                        \
		__typeof__(b) max_b_ = (b);                                                        \
		max_a_ > max_b_ ? max_a_ : max_b_;                                                 \
	})
#define min_t(t, a, b) min((t)(a), (t)(b))
#define max_t(t, a, b) max((t)(a), (t)(b))
#define likely(x) __builtin_expect(!!(x), 1)
#define noinline __attribute__((noinline))
#define unlikely(x) __builtin_expect(!!(x), 0)
#define fallthrough __attribute__((__fallthrough__))
#define static_assert _Static_assert
#define __force
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#ifndef smp_wmb /* a test (test_place.c) may define its own */
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#define barrier() __asm__ __volatile__("" : : : "memory")
#define data_race(x) (x)
#define glass_cpu_has_fsrm() false
#ifndef glass_cpu_has_erms /* a test (test_copy.c) may define its own */
#define glass_cpu_has_erms() false
#endif
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)

/* A sanitizer looks at the first and the last byte here. `len` is not 0. */
static inline void kasan_check_read(const void *p, size_t len)
{
	(void)*(const volatile u8 *)p;
	(void)((const volatile u8 *)p)[len - 1];
}

static inline void kasan_check_write(void *p, size_t len)
{
	volatile u8 *b = p;

	b[0] = b[0];
	b[len - 1] = b[len - 1];
}

static inline void *glass_alloc_atomic(size_t size)
{
	return malloc(size);
}

static inline void glass_free(const void *p)
{
	free((void *)p);
}

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return (u16)(b[0] << 8 | b[1]);
}

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
}

static inline u64 get_unaligned_be64(const void *p)
{
	return (u64)get_unaligned_be32(p) << 32 | get_unaligned_be32((const u8 *)p + 4);
}

static inline void put_unaligned_be16(u16 v, void *p)
{
	u8 *b = p;

	b[0] = v >> 8;
	b[1] = v;
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	u8 *b = p;

	b[0] = v >> 24;
	b[1] = v >> 16;
	b[2] = v >> 8;
	b[3] = v;
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	put_unaligned_be32(v >> 32, p);
	put_unaligned_be32(v, (u8 *)p + 4);
}

#endif /* __KERNEL__ */

#endif
