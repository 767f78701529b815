/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A ring shared with the driver, as the program's side sees it. */
#ifndef GLASS_PROVIDER_QUEUE_H
#define GLASS_PROVIDER_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* A lock that costs nothing when a program promised that one thread at a time is there. */
struct glass_lock {
	pthread_spinlock_t spin;
	bool single;
};

static inline void glass_lock_init(struct glass_lock *l, bool single)
{
	pthread_spin_init(&l->spin, PTHREAD_PROCESS_PRIVATE);
	l->single = single;
}

static inline void glass_lock_destroy(struct glass_lock *l)
{
	pthread_spin_destroy(&l->spin);
}

static inline void glass_lock(struct glass_lock *l)
{
	if (!l->single)
		pthread_spin_lock(&l->spin);
}

static inline void glass_unlock(struct glass_lock *l)
{
	if (!l->single)
		pthread_spin_unlock(&l->spin);
}

struct glass_ring {
	struct glass_ring_hdr *hdr; /* NULL: this queue has no ring */
	uint8_t *entries;
	uint32_t num; /* a power of two */
	uint32_t stride;
	size_t bytes;
};

/* Maps a ring; a ring without entries stays unmapped. 0 or an errno value. */
int glass_ring_map(struct glass_ring *ring, int cmd_fd, const struct glass_ring_info *info,
		   uint32_t min_stride);
void glass_ring_unmap(struct glass_ring *ring);

static inline void *glass_ring_at(const struct glass_ring *ring, uint32_t index)
{
	return ring->entries + (size_t)(index & (ring->num - 1)) * ring->stride;
}

/*
 * The indices. A plain word in memory that another address space writes too:
 * always one load or store of the whole word.
 */
static inline uint32_t glass_load_acquire(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic(uint32_t) *)word, memory_order_acquire);
}

static inline uint32_t glass_load_relaxed(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic(uint32_t) *)word, memory_order_relaxed);
}

static inline void glass_store_release(uint32_t *word, uint32_t value)
{
	atomic_store_explicit((_Atomic(uint32_t) *)word, value, memory_order_release);
}

/* Between moving our index and reading whether the other side sleeps. */
static inline void glass_full_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

#endif
