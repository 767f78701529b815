// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Delays packets (later.h). */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "compat/hrtimer.h"
#include "inject/env.h"
#include "inject/later.h"
#include "wire/serial.h"

struct glass_later {
	struct glass_dev *dev;
	spinlock_t lock; /* protects the members from waiting to gaps; irqs off */
	struct list_head waiting; /* struct glass_waiting, sorted by due, earliest first */
	u32 n; /* number of packets in `waiting` */
	u32 gaps; /* number of packets in `waiting` that others must still overtake */
	struct hrtimer timer;
	struct work_struct work;
};

static enum hrtimer_restart timer_fn(struct hrtimer *t)
{
	queue_work(system_highpri_wq, &container_of(t, struct glass_later, timer)->work);
	return HRTIMER_NORESTART;
}

/*
 * If the first packet is due, removes it from the list and returns it. If the first packet is not
 * due, starts the timer for it and returns NULL. If there is no packet, returns NULL.
 */
static struct glass_waiting *take_due(struct glass_later *l)
{
	struct glass_waiting *w;

	spin_lock_irq(&l->lock);
	w = list_first_entry_or_null(&l->waiting, struct glass_waiting, node);
	if (w && w->due > ktime_get_ns()) {
		hrtimer_start(&l->timer, ns_to_ktime(w->due), HRTIMER_MODE_ABS_SOFT);
		w = NULL;
	}
	if (w) {
		list_del(&w->node);
		l->n--;
		l->gaps -= w->gap > 0;
	}
	spin_unlock_irq(&l->lock);
	return w;
}

static void later_deliver(struct glass_dev *dev, struct glass_waiting *w)
{
	if (w->dir == GLASS_DIR_TX)
		glass_inject_env_send(dev, w->port, &w->pkt, NULL);
	else
		glass_inject_env_deliver(dev, w->port, &w->pkt, NULL);
	kfree(w);
}

static void later_work(struct work_struct *work)
{
	struct glass_later *l = container_of(work, struct glass_later, work);
	struct glass_waiting *w;

	while ((w = take_due(l)))
		later_deliver(l->dev, w);
}

int glass_later_init(struct glass_dev *dev)
{
	struct glass_later *l = kzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return -ENOMEM;
	l->dev = dev;
	spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->waiting);
	INIT_WORK(&l->work, later_work);
	glass_hrtimer_setup(&l->timer, timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	dev->later = l;
	return 0;
}

void glass_later_exit(struct glass_dev *dev)
{
	struct glass_later *l = dev->later;
	struct glass_waiting *w, *next;
	LIST_HEAD(gone);

	/*
	 * Empty the list first. While the list has a packet, the timer queues the work, and the
	 * work starts the timer: each would start the other again after its cancellation.
	 */
	spin_lock_irq(&l->lock);
	list_splice_init(&l->waiting, &gone);
	spin_unlock_irq(&l->lock);
	hrtimer_cancel(&l->timer);
	cancel_work_sync(&l->work);
	list_for_each_entry_safe(w, next, &gone, node)
		kfree(w);
	dev->later = NULL;
	kfree(l);
}

struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more)
{
	struct glass_waiting *w;

	/* packet path: do not wait for memory */
	w = kmalloc(sizeof(*w) + pkt->len + more, GFP_NOWAIT | __GFP_NOWARN);
	if (!w)
		return NULL;
	memset(w, 0, sizeof(*w));
	w->pkt = *pkt;
	w->pkt.fate = NULL;
	w->pkt.more = 0;
	w->pkt.seg = &w->seg;
	w->pkt.nseg = pkt->len ? 1 : 0;
	w->seg.addr = w->data;
	w->seg.len = glass_pkt_copy_payload(pkt, 0, w->data, pkt->len);
	if (pkt->wire && more >= pkt->wire_len) {
		memcpy(w->data + pkt->len, pkt->wire, pkt->wire_len);
		w->pkt.wire = w->data + pkt->len;
	}
	return w;
}

/*
 * Inserts a packet into the list by its due time. Searches from the end, because most packets are
 * due after all packets in the list.
 */
static void put_in(struct glass_later *l, struct glass_waiting *w)
{
	struct glass_waiting *before;

	lockdep_assert_held(&l->lock);
	list_for_each_entry_reverse(before, &l->waiting, node)
		if (before->due <= w->due)
			break;
	/* if the loop ends without a break, &before->node is the list head */
	list_add(&w->node, &before->node);
}

bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w)
{
	struct glass_later *l = dev->later;
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&l->lock, flags);
	room = l->n < GLASS_INJECT_WAITING;
	if (room) {
		put_in(l, w);
		l->n++;
		if (w->gap && !l->gaps++)
			glass_inject_changed(dev->inject);
		if (l->waiting.next == &w->node)
			hrtimer_start(&l->timer, ns_to_ktime(w->due), HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock_irqrestore(&l->lock, flags);
	if (!room)
		kfree(w);
	return room;
}

bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role)
{
	struct glass_later *l = dev->later;
	struct glass_waiting *w, *next;
	unsigned long flags;
	bool any = false;

	if (!READ_ONCE(l->gaps))
		return false;
	spin_lock_irqsave(&l->lock, flags);
	list_for_each_entry_safe(w, next, &l->waiting, node) {
		if (!w->gap || w->born != born || w->dir != dir || w->role != role || --w->gap)
			continue;
		l->gaps--;
		w->due = 0;
		list_move(&w->node, &l->waiting);
		any = true;
	}
	spin_unlock_irqrestore(&l->lock, flags);
	return any;
}

bool glass_later_gaps(const struct glass_dev *dev)
{
	return READ_ONCE(dev->later->gaps);
}

void glass_later_kick(struct glass_dev *dev)
{
	queue_work(system_highpri_wq, &dev->later->work);
}

void glass_later_release(struct glass_dev *dev, u32 id)
{
	struct glass_later *l = dev->later;
	struct glass_waiting *w;
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	/* make the rule's packets due, and move them to the front, in the same order */
	list_for_each_entry(w, &l->waiting, node)
		if (!id || w->rule == id)
			w->due = 0;
	{
		struct glass_waiting *next;
		LIST_HEAD(now);

		list_for_each_entry_safe(w, next, &l->waiting, node)
			if (!w->due)
				list_move_tail(&w->node, &now);
		list_splice(&now, &l->waiting);
	}
	spin_unlock_irqrestore(&l->lock, flags);
	glass_later_kick(dev);
}

void glass_later_flush(struct glass_dev *dev)
{
	flush_work(&dev->later->work);
}

u32 glass_later_waiting(struct glass_dev *dev)
{
	return READ_ONCE(dev->later->n);
}
