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

/* An area of the driver's memory (struct glass_ring_place), mapped as long as a ring lies in it. */
struct glass_area {
	uint64_t number;
	uint8_t *mem;
	size_t bytes;
	unsigned int users; /* rings' headers and entries */
};

/* The areas of a context that are mapped. */
struct glass_areas {
	pthread_mutex_t lock; /* all of it */
	int cmd_fd;
	void *by_number; /* of tsearch(): struct glass_area */
	struct glass_area *spare; /* one without users, or NULL */
	unsigned int users; /* of all areas */
};

void glass_areas_init(struct glass_areas *areas, int cmd_fd);
/* Unmaps the spare. Areas of rings that the program left stay. */
void glass_areas_exit(struct glass_areas *areas);

struct glass_ring {
	/* NULL: this queue has no ring. Never changes: who polls looks at it without the lock. */
	struct glass_ring_hdr *hdr;
	uint8_t *entries;
	uint32_t num; /* a power of two */
	uint32_t stride;
	struct glass_area *hdr_area, *entries_area;
};

/* Finds or maps the places of a ring; one without entries has none. 0 or an errno value. */
int glass_ring_map(struct glass_ring *ring, struct glass_areas *areas,
		   const struct glass_ring_info *info, uint32_t min_stride);
void glass_ring_unmap(struct glass_ring *ring, struct glass_areas *areas);

/*
 * The ring got other entries by a resize. 0, or an errno value: then *ring is as it was, but its
 * entries are not the queue's any more.
 */
int glass_ring_follow(struct glass_ring *ring, struct glass_areas *areas,
		      const struct glass_ring_info *info);

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
