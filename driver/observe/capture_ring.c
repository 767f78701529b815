// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The ring of a capture (capture_ring.h). */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat/workqueue.h"
#include "observe/capture_ring.h"
#include "wire/packet.h"
#include "wire/serial.h"

/* A waiting reader is woken at most this many jiffies after a record has become readable. */
#define WAKE_DELAY (HZ / 100)

/*
 * A ring consists of records whose lengths are multiples of 8 bytes. None crosses the ring's end.
 * If the next record is longer than the gap before the end, one of kind SKIP fills that gap; of it,
 * only `len` and `kind` exist.
 *
 * Kinds that only the ring uses. A writer stores SKIP, or the kind of a whole record, by a release;
 * a reader loads `kind` by an acquire.
 */
enum {
	CAP_BUSY = 0, /* being written */
	CAP_SKIP = 0xff, /* readers skip the record */
};

static_assert(sizeof(struct glass_cap_record) % 8 == 0);
static_assert(offsetofend(struct glass_cap_record, len) <= 8);
static_assert(offsetofend(struct glass_cap_record, kind) <= 8);
static_assert(sizeof(struct glass_cap_record) + GLASS_PKT_WIRE_MAX + 8 <= GLASS_CAP_RECORD_MAX);

static struct glass_cap_record *record_at(const struct glass_cap_ring *ring, u64 at)
{
	return (struct glass_cap_record *)(ring->bytes + (at & (ring->size - 1)));
}

static void wake_fn(struct work_struct *work)
{
	wake_up_interruptible(&container_of(to_delayed_work(work), struct glass_cap_ring,
					    wake)->wait);
}

void glass_cap_ring_init(struct glass_cap_ring *ring)
{
	spin_lock_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	INIT_DELAYED_WORK(&ring->wake, wake_fn);
}

int glass_cap_ring_alloc(struct glass_cap_ring *ring, u32 size)
{
	/* zeroed, because readers also get the padding behind the data */
	ring->bytes = vzalloc(size);
	ring->size = size;
	return ring->bytes ? 0 : -ENOMEM;
}

void glass_cap_ring_free(struct glass_cap_ring *ring)
{
	cancel_delayed_work_sync(&ring->wake);
	vfree(ring->bytes);
	ring->bytes = NULL;
}

/*
 * Fills the gap of `gap` bytes before the ring's end, if there is room for it and for a record of
 * `len` bytes behind it. The caller holds ring->lock.
 */
static noinline bool cap_ring_skip(struct glass_cap_ring *ring, u64 head, u32 gap, u32 len)
{
	struct glass_cap_record *r = record_at(ring, ring->tail);

	if (ring->tail + gap + len - head > ring->size)
		return false;
	r->len = gap;
	WRITE_ONCE(r->kind, CAP_BUSY);
	/* pairs with the acquires of `tail` by the reader, as in glass_cap_ring_reserve() */
	smp_store_release(&ring->tail, ring->tail + gap);
	/*
	 * Store SKIP after the new tail. The reader may look at this record already: it may have
	 * read an old, higher tail, which a discard has lowered since then. If the reader saw SKIP
	 * before the new tail, it could move `head` beyond the tail. Pairs with the acquire of
	 * `kind` by glass_cap_ring_gather().
	 */
	smp_store_release(&r->kind, CAP_SKIP);
	return true;
}

struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data)
{
	u32 len = sizeof(struct glass_cap_record) + ALIGN(data, 8), to_end;
	struct glass_cap_record *r;
	unsigned long flags;
	u64 head;

	spin_lock_irqsave(&ring->lock, flags);
	to_end = ring->size - (ring->tail & (ring->size - 1));
	/*
	 * Pairs with the releases of `head` by the reader. The reader no longer uses the records
	 * before `head`, so writers may overwrite them.
	 */
	head = smp_load_acquire(&ring->head);
	if (unlikely(len > to_end && !cap_ring_skip(ring, head, to_end, len)))
		goto full;
	if (unlikely(ring->tail + len - head > ring->size))
		goto full;
	r = record_at(ring, ring->tail);
	r->len = len;
	r->header = sizeof(*r);
	r->version = GLASS_CAP_VERSION;
	WRITE_ONCE(r->kind, CAP_BUSY);
	r->time_ns = ktime_get_real_ns();
	r->drops = ring->drops;
	/*
	 * Pairs with the acquires of `tail` by the reader: a reader that sees the new tail also
	 * sees that the new record is BUSY.
	 */
	smp_store_release(&ring->tail, ring->tail + len);
	spin_unlock_irqrestore(&ring->lock, flags);
	return r;
full:
	ring->drops++;
	spin_unlock_irqrestore(&ring->lock, flags);
	return NULL;
}

/*
 * Is more than a quarter of the ring in use? Then a waiting reader is woken at once, even if no
 * record is readable, because the reader also frees records that are skipped.
 */
static bool cap_ring_fills(const struct glass_cap_ring *ring)
{
	return READ_ONCE(ring->tail) - READ_ONCE(ring->head) > ring->size / 4;
}

/*
 * Wakes a waiting reader, at once or within WAKE_DELAY. Call it when a record is no longer BUSY: it
 * or a later one may have become readable.
 */
static void tell_reader(struct glass_cap_ring *ring)
{
	if (!wq_has_sleeper(&ring->wait))
		return;
	if (unlikely(cap_ring_fills(ring)))
		wake_up_interruptible(&ring->wait);
	/*
	 * If the work is pending, the reader that it wakes sees this record: the barrier of
	 * wq_has_sleeper() pairs with that of the workqueue between `pending` and wake_fn().
	 */
	else if (!delayed_work_pending(&ring->wake))
		queue_delayed_work(system_percpu_wq, &ring->wake, WAKE_DELAY);
}

void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r, u8 kind)
{
	/* pairs with the acquire of glass_cap_ring_gather(): a record with a kind is whole */
	smp_store_release(&r->kind, kind);
	tell_reader(ring);
}

/*
 * If the record is the newest, gives its room back to writers. That is safe: the record is BUSY,
 * and readers stop at such a record. If it is not the newest, marks it to be skipped.
 */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r)
{
	unsigned long flags;
	bool newest;
	u64 at;

	spin_lock_irqsave(&ring->lock, flags);
	at = ring->tail - r->len;
	newest = record_at(ring, at) == r;
	if (newest)
		WRITE_ONCE(ring->tail, at);
	spin_unlock_irqrestore(&ring->lock, flags);
	if (newest)
		return;
	/* pairs with the acquire of glass_cap_ring_gather(): this writer has left the record */
	smp_store_release(&r->kind, CAP_SKIP);
	/*
	 * A reader may have stopped at this record while it was BUSY, although a later one was
	 * whole. So wake the reader again.
	 */
	tell_reader(ring);
}

u32 glass_cap_ring_gather(struct glass_cap_ring *ring, u32 room, const void **from, u64 *end)
{
	u64 at = ring->head;
	u32 done = 0, skipped = 0;

	/* pairs with the release of `tail` by glass_cap_ring_reserve() */
	while (at != smp_load_acquire(&ring->tail)) {
		struct glass_cap_record *r = record_at(ring, at);
		/* pairs with the releases of `kind` by writers */
		u8 kind = smp_load_acquire(&r->kind);

		if (kind == CAP_BUSY)
			break;
		/* adjacent records end at a skipped one, and at the ring's end */
		if (done && (kind == CAP_SKIP || (void *)r == ring->bytes))
			break;
		if (kind != CAP_SKIP) {
			if (r->len > room - done)
				break;
			if (!done)
				*from = r;
			done += r->len;
		}
		at += r->len;
		if (kind == CAP_SKIP && ++skipped % GLASS_CAP_SKIPS == 0) {
			glass_cap_ring_passed(ring, at);
			cond_resched();
		}
	}
	*end = at;
	return done;
}

void glass_cap_ring_passed(struct glass_cap_ring *ring, u64 end)
{
	/*
	 * Pairs with the acquire of glass_cap_ring_reserve(): the records are read before a writer
	 * overwrites them.
	 */
	smp_store_release(&ring->head, end);
}

bool glass_cap_ring_readable(struct glass_cap_ring *ring)
{
	u64 head = READ_ONCE(ring->head);

	/* pairs with the release of `tail` by glass_cap_ring_reserve() */
	if (head == smp_load_acquire(&ring->tail))
		return false;
	/* pairs with the releases of `kind` by writers */
	return smp_load_acquire(&record_at(ring, head)->kind) != CAP_BUSY;
}
