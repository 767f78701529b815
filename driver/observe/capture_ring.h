/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ring of a capture: records of different length. Writers reserve slots at once and in order,
 * and fill them in any order; one reader at a time. A writer never waits: a record without room is
 * counted.
 */
#ifndef GLASS_OBSERVE_CAPTURE_RING_H
#define GLASS_OBSERVE_CAPTURE_RING_H

#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "uapi/glass-capture.h"

struct glass_cap_ring {
	u8 *bytes; /* NULL: none yet */
	u32 size; /* a power of two */
	spinlock_t lock; /* tail, drops; irqs off */
	u64 tail; /* free-running; place of the next slot */
	u64 drops; /* records that had no room */
	u64 head; /* free-running; the reader's, released by it */
	wait_queue_head_t wait; /* of readers */
	struct delayed_work wake;
};

void glass_cap_ring_init(struct glass_cap_ring *ring);
/* Allocates size bytes (a power of two), once. 0 or -ENOMEM. May sleep. */
int glass_cap_ring_alloc(struct glass_cap_ring *ring, u32 size);
/* Frees the ring. No writer or reader may use it any more. May sleep. */
void glass_cap_ring_free(struct glass_cap_ring *ring);

/*
 * Reserves a record with `data` bytes behind it: zeroed, except len, time_ns and drops. NULL: no
 * room, which is counted. The caller must commit or discard it.
 */
struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data);
/* Makes the record readable. Does not wake a waiting reader for each. */
void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r);
/* Drops the record. */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r);

/* The oldest record, or NULL: there is none, or it is being written. One reader at a time. */
struct glass_cap_record *glass_cap_ring_oldest(struct glass_cap_ring *ring);
/* Consumes the record that glass_cap_ring_oldest() returned. */
void glass_cap_ring_passed(struct glass_cap_ring *ring, const struct glass_cap_record *r);

/* May a reader continue? Also for non-readers: a hint. */
bool glass_cap_ring_readable(struct glass_cap_ring *ring);

#endif
