/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A ring shared with the driver, as the provider sees it. */
#ifndef GLASS_PROVIDER_QUEUE_H
#define GLASS_PROVIDER_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <util/compiler.h>

#include "abi.h"

/*
 * A lock that does nothing if the program promised to use the object from one thread at a time. It spins. Inline, because
 * a call of pthread_spin_lock() makes its caller save registers. Tools that look for data races by the calls of libpthread (helgrind, DRD) do
 * not see it.
 */
struct glass_lock {
	atomic_int free; /* 1: free; less: held */
	bool single;
};

static inline void glass_lock_init(struct glass_lock *l, bool single)
{
	atomic_init(&l->free, 1);
	l->single = single;
}

/* glass_lock() while another thread holds the lock */
void glass_lock_wait(struct glass_lock *l);

static inline void glass_lock(struct glass_lock *l)
{
	if (likely(!l->single) && unlikely(atomic_fetch_sub_explicit(&l->free, 1, memory_order_acquire) != 1))
		glass_lock_wait(l);
}

static inline void glass_unlock(struct glass_lock *l)
{
	if (likely(!l->single))
		atomic_store_explicit(&l->free, 1, memory_order_release);
}

/* An area of the driver's memory (struct glass_ring_place), mapped while it has rings */
struct glass_area {
	uint64_t number;
	uint8_t *mem;
	size_t bytes;
	unsigned int users; /* references by rings: one for the header, one for the entries */
};

/* The mapped areas of a context */
struct glass_areas {
	pthread_mutex_t lock; /* protects all of it */
	int cmd_fd;
	void *by_number; /* a tree of tsearch(): struct glass_area */
	struct glass_area *spare; /* an area without users, or NULL */
	unsigned int users; /* sum over all areas */
};

void glass_areas_init(struct glass_areas *areas, int cmd_fd);
/* Unmaps the spare. Areas of rings that the program did not destroy stay mapped. */
void glass_areas_exit(struct glass_areas *areas);

struct glass_ring {
	/* NULL: this queue has no ring. Never changes: pollers read it without the lock. */
	struct glass_ring_hdr *hdr;
	uint8_t *entries;
	uint32_t num; /* a power of two */
	uint32_t stride;
	struct glass_area *hdr_area, *entries_area;
};

/* Maps the places of a ring that has entries. Returns 0 or an errno value. */
int glass_ring_map(struct glass_ring *ring, struct glass_areas *areas,
		   const struct glass_ring_info *info, uint32_t min_stride);
void glass_ring_unmap(struct glass_ring *ring, struct glass_areas *areas);

/*
 * Switches to the entries of a resize. Returns 0, or an errno value: then *ring is unchanged, but
 * its entries are no longer those of the queue.
 */
int glass_ring_follow(struct glass_ring *ring, struct glass_areas *areas,
		      const struct glass_ring_info *info);

static inline void *glass_ring_at(const struct glass_ring *ring, uint32_t index)
{
	return ring->entries + (size_t)(index & (ring->num - 1)) * ring->stride;
}

/*
 * Access to the indices. They are plain words in memory that the driver writes, too. Each access
 * must be a single load or store of the whole word.
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

/* Orders the store of our index before the load of whether the other side sleeps. */
static inline void glass_full_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

#endif
