/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ring of a capture: records of different length, each in a slot. Writers reserve slots one
 * after the other, and fill them in any order. One reader at a time drains the ring. A writer never
 * waits: if there is no room for a record, it only counts that.
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
	spinlock_t lock; /* protects tail and drops; irqs off */
	u64 tail; /* free-running; place of the next slot */
	u64 drops; /* records for which there was no room */
	u64 head; /* free-running; place of the oldest slot; the reader writes it, with release */
	wait_queue_head_t wait; /* readers wait here for records */
	struct delayed_work wake; /* wakes them a little later, for several records at once */
};

void glass_cap_ring_init(struct glass_cap_ring *ring);
/* Allocates size bytes (a power of two), once. 0 or -ENOMEM. May sleep. */
int glass_cap_ring_alloc(struct glass_cap_ring *ring, u32 size);
/* Frees the ring. No writer or reader may use it any more. May sleep. */
void glass_cap_ring_free(struct glass_cap_ring *ring);

/*
 * Reserves a record with `data` bytes after it. The record is zeroed, except len, time_ns and
 * drops. NULL: no room, and the ring has counted that. The caller must commit or discard the
 * record. Any context, as the next two.
 */
struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data);
/*
 * Makes the record readable. A waiting reader is woken with some delay, for several records at
 * once.
 */
void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r);
/* Gives the record up: no reader sees it. */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r);

/*
 * Returns the oldest record, or NULL: there is none, or it is being written. One reader at a time.
 */
struct glass_cap_record *glass_cap_ring_oldest(struct glass_cap_ring *ring);
/* Consumes the record that glass_cap_ring_oldest() returned. */
void glass_cap_ring_passed(struct glass_cap_ring *ring, const struct glass_cap_record *r);

/* May there be a record to read? Only a hint: any task may call it, while another one reads. */
bool glass_cap_ring_readable(struct glass_cap_ring *ring);

#endif
