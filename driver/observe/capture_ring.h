/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ring of a capture: records of different lengths, as a program gets them. Writers reserve them
 * one after the other, and fill them in any order. One reader at a time takes them out. A writer
 * never waits: if there is no room for a record, the record is lost and counted.
 */
#ifndef GLASS_OBSERVE_CAPTURE_RING_H
#define GLASS_OBSERVE_CAPTURE_RING_H

#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "uapi/glass-capture.h"

/* The reader takes at most so many bytes of records at once, to give their room back soon. */
#define GLASS_CAP_BATCH (8 * GLASS_CAP_RECORD_MAX)
/*
 * After so many skipped records in a row, the reader gives their room back and lets other tasks run: the largest ring may
 * have 400,000 of them.
 */
#define GLASS_CAP_SKIPS 1024

struct glass_cap_ring {
	u8 *bytes; /* the memory of the ring; NULL: not allocated */
	u32 size; /* bytes, a power of two */
	spinlock_t lock; /* protects tail and drops; irqs off */
	/* position of the next record, not wrapped: modulo size, it is an offset in bytes[] */
	u64 tail;
	u64 drops; /* number of records for which there was no room */
	u64 head; /* position of the oldest record, like `tail`; stored by a release */
	wait_queue_head_t wait; /* readers wait here for records */
	struct delayed_work wake; /* wakes the readers with a delay, for several records at once */
};

void glass_cap_ring_init(struct glass_cap_ring *ring);
/* Allocates size bytes, a power of two. Call it once. Returns 0 or -ENOMEM. May sleep. */
int glass_cap_ring_alloc(struct glass_cap_ring *ring, u32 size);
/* Frees the memory. No writer or reader may use the ring any more. May sleep. */
void glass_cap_ring_free(struct glass_cap_ring *ring);

/*
 * Reserves a record with room for `data` bytes after it. Sets len, header, version, time_ns and
 * drops of the record. The caller sets all others but `kind`, which the ring uses. NULL: there is
 * no room; the record is counted as lost. The caller must pass the record to
 * glass_cap_ring_commit() or glass_cap_ring_discard(). All three may be called in any context.
 */
struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data);
/*
 * Makes the record readable, with this kind (GLASS_CAP_PACKET or _MARK). Wakes a waiting reader: at
 * once if more than a quarter of the ring is in use, else up to 10 ms later, so that the reader
 * gets several records at once.
 */
void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r, u8 kind);
/* Gives up the record: no reader gets it. */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r);

/*
 * Finds the oldest records that lie together: whole ones, at most `room` bytes, from *from on.
 * Returns the number of bytes; 0: there is no record, or the oldest one is still being written or
 * has no room. Sets *end for glass_cap_ring_passed(). Until that is called, the records remain in
 * the ring, but for those that readers skip. The caller is the only reader. May sleep.
 */
u32 glass_cap_ring_gather(struct glass_cap_ring *ring, u32 room, const void **from, u64 *end);
/* Removes what glass_cap_ring_gather() went through. The caller is the only reader. */
void glass_cap_ring_passed(struct glass_cap_ring *ring, u64 end);

/*
 * Is there probably a record to read? The answer is only a hint. Any task may call this function,
 * also while another task reads.
 */
bool glass_cap_ring_readable(struct glass_cap_ring *ring);

#endif
