/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ring of a capture: records of different length. Writers take their places
 * at once and in order, and fill them in whatever order they get done; one reader
 * at a time. A writer never waits: what has no room is counted.
 */
#ifndef GLASS_OBSERVE_CAPTURE_RING_H
#define GLASS_OBSERVE_CAPTURE_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "uapi/glass-capture.h"

struct glass_cap_ring {
	u8 *bytes; /* NULL: none yet */
	u32 size; /* a power of two */
	spinlock_t lock; /* tail, drops; irqs off */
	u64 tail; /* free-running; where the next slot goes */
	u64 drops; /* records that had no room */
	u64 head; /* free-running; the reader's, released by it */
	wait_queue_head_t wait; /* of readers */
	struct delayed_work wake;
};

void glass_cap_ring_init(struct glass_cap_ring *ring);
/* Room for size bytes (a power of two), once. 0 or -ENOMEM. May sleep. */
int glass_cap_ring_alloc(struct glass_cap_ring *ring, u32 size);
/* Nobody writes or reads any more. May sleep. */
void glass_cap_ring_free(struct glass_cap_ring *ring);

/*
 * The place of a record with so many bytes behind it: zeroed but for len, time_ns and
 * drops. NULL: no room, counted. To be followed by commit or discard.
 */
struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data);
/* The record may be read. A reader that waits is not woken for each. */
void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r);
/* The record is not wanted. */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r);

/* The oldest record, or NULL: there is none, or it is being written. One reader at a time. */
struct glass_cap_record *glass_cap_ring_oldest(struct glass_cap_ring *ring);
/* The reader is done with the record that glass_cap_ring_oldest() gave. */
void glass_cap_ring_passed(struct glass_cap_ring *ring, const struct glass_cap_record *r);

/* May a reader go on? Looks without being one: a hint. */
bool glass_cap_ring_readable(struct glass_cap_ring *ring);

#endif
