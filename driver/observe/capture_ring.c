// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The ring of a capture (capture_ring.h). */
#include <linux/ktime.h>
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
 * The head of a slot. A ring consists of slots whose sizes are multiples of 8 bytes. No slot
 * crosses the ring's end. If the next slot is longer than the gap before the end, a slot without a
 * record fills that gap.
 */
struct slot {
	u32 bytes; /* of the whole slot */
	/* SLOT_*; a writer stores READY and SKIP by a release, a reader loads them by an acquire */
	u32 state;
};

enum {
	SLOT_BUSY, /* being written */
	SLOT_READY, /* a record follows */
	SLOT_SKIP, /* no record follows: readers skip the slot */
};

static_assert(sizeof(struct slot) == 8);
static_assert(sizeof(struct glass_cap_record) % 8 == 0);
static_assert(sizeof(struct slot) + sizeof(struct glass_cap_record) + GLASS_PKT_WIRE_MAX + 8 <=
	      GLASS_CAP_RECORD_MAX);

static struct slot *slot_at(const struct glass_cap_ring *ring, u64 at)
{
	return (struct slot *)(ring->bytes + (at & (ring->size - 1)));
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
	/* to copy each record from vmalloc memory to the user would look up its area each time */
	ring->batch = kmalloc(GLASS_CAP_BATCH, GFP_KERNEL);
	if (ring->bytes && ring->batch)
		return 0;
	glass_cap_ring_free(ring);
	return -ENOMEM;
}

void glass_cap_ring_free(struct glass_cap_ring *ring)
{
	cancel_delayed_work_sync(&ring->wake);
	vfree(ring->bytes);
	ring->bytes = NULL;
	kfree(ring->batch);
	ring->batch = NULL;
}

struct glass_cap_record *glass_cap_ring_reserve(struct glass_cap_ring *ring, u32 data)
{
	u32 bytes = sizeof(struct slot) + sizeof(struct glass_cap_record) + ALIGN(data, 8);
	struct glass_cap_record *r = NULL;
	struct slot *slot, *gap = NULL;
	unsigned long flags;
	u32 to_end, skip;
	u64 head;

	spin_lock_irqsave(&ring->lock, flags);
	to_end = ring->size - (ring->tail & (ring->size - 1));
	skip = bytes > to_end ? to_end : 0;
	/*
	 * Pairs with the releases of `head` by the reader. The reader no longer uses the slots
	 * before `head`, so writers may overwrite them.
	 */
	head = smp_load_acquire(&ring->head);
	if (ring->tail + skip + bytes - head > ring->size) {
		ring->drops++;
		goto out;
	}
	if (skip) {
		gap = slot_at(ring, ring->tail);
		gap->bytes = skip;
		WRITE_ONCE(gap->state, SLOT_BUSY);
	}
	slot = slot_at(ring, ring->tail + skip);
	slot->bytes = bytes;
	WRITE_ONCE(slot->state, SLOT_BUSY);
	r = (struct glass_cap_record *)(slot + 1);
	memset(r, 0, sizeof(*r));
	r->len = bytes - sizeof(*slot);
	r->time_ns = ktime_get_real_ns();
	r->drops = ring->drops;
	/*
	 * Pairs with the acquires of `tail` by the reader: a reader that sees the new tail also
	 * sees that the new slots are BUSY.
	 */
	smp_store_release(&ring->tail, ring->tail + skip + bytes);
	if (gap) {
		/*
		 * Store SKIP after the new tail. The reader may look at this slot already: it may
		 * have read an old, higher tail, which a discard has lowered since then. If the
		 * reader saw SKIP before the new tail, it could move `head` beyond the tail.
		 */
		smp_store_release(&gap->state, SLOT_SKIP);
	}
out:
	spin_unlock_irqrestore(&ring->lock, flags);
	return r;
}

/*
 * Is more than a quarter of the ring in use? Then a waiting reader is woken at once, even if no
 * record is readable, because the reader also frees slots without a record.
 */
static bool cap_ring_fills(const struct glass_cap_ring *ring)
{
	return READ_ONCE(ring->tail) - READ_ONCE(ring->head) > ring->size / 4;
}

/*
 * Wakes a waiting reader, at once or within WAKE_DELAY. Call it when a slot is no longer BUSY: a
 * record in this slot or in a later one may have become readable.
 */
static void tell_reader(struct glass_cap_ring *ring)
{
	if (!wq_has_sleeper(&ring->wait))
		return;
	if (cap_ring_fills(ring))
		wake_up_interruptible(&ring->wait);
	else
		queue_delayed_work(system_percpu_wq, &ring->wake, WAKE_DELAY);
}

void glass_cap_ring_commit(struct glass_cap_ring *ring, struct glass_cap_record *r)
{
	struct slot *slot = (struct slot *)r - 1;

	/* pairs with the acquire of glass_cap_ring_gather(): a record that is READY is whole */
	smp_store_release(&slot->state, SLOT_READY);
	tell_reader(ring);
}

/*
 * If the record's slot is the newest, gives the slot's room back to writers. That is safe: the slot
 * is BUSY, and readers stop at a BUSY slot. If the slot is not the newest, marks it to be skipped.
 */
void glass_cap_ring_discard(struct glass_cap_ring *ring, struct glass_cap_record *r)
{
	struct slot *slot = (struct slot *)r - 1;
	unsigned long flags;
	u64 at;

	spin_lock_irqsave(&ring->lock, flags);
	at = ring->tail - slot->bytes;
	if (slot_at(ring, at) == slot) {
		WRITE_ONCE(ring->tail, at);
		slot = NULL;
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	if (!slot)
		return;
	/* pairs with the acquire of glass_cap_ring_gather(): this writer no longer uses the slot */
	smp_store_release(&slot->state, SLOT_SKIP);
	/*
	 * A reader may have stopped at this slot while it was BUSY, although a later slot was
	 * READY. So wake the reader again.
	 */
	tell_reader(ring);
}

u32 glass_cap_ring_gather(struct glass_cap_ring *ring, u32 room, u64 *end)
{
	u64 at = ring->head;
	u32 done = 0;

	room = min_t(u32, room, GLASS_CAP_BATCH);
	/* pairs with the release of `tail` by glass_cap_ring_reserve() */
	while (at != smp_load_acquire(&ring->tail)) {
		struct slot *slot = slot_at(ring, at);
		/* pairs with the releases of READY and SKIP by writers */
		u32 state = smp_load_acquire(&slot->state);

		if (state == SLOT_BUSY)
			break;
		if (state == SLOT_READY) {
			struct glass_cap_record *r = (struct glass_cap_record *)(slot + 1);

			if (r->len > room - done)
				break;
			memcpy(ring->batch + done, r, r->len);
			done += r->len;
		}
		at += slot->bytes;
	}
	*end = at;
	return done;
}

void glass_cap_ring_passed(struct glass_cap_ring *ring, u64 end)
{
	/*
	 * Pairs with the acquire of glass_cap_ring_reserve(): the records are read before a writer
	 * reuses their slots.
	 */
	smp_store_release(&ring->head, end);
}

bool glass_cap_ring_readable(struct glass_cap_ring *ring)
{
	u64 head = READ_ONCE(ring->head);

	/* pairs with the release of `tail` by glass_cap_ring_reserve() */
	if (head == smp_load_acquire(&ring->tail))
		return false;
	/* pairs with the releases of READY and SKIP by writers */
	return smp_load_acquire(&slot_at(ring, head)->state) != SLOT_BUSY;
}
