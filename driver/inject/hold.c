// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Holds packets until a step releases them (hold.h). */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "inject/env.h"
#include "inject/hold.h"
#include "inject/later.h"

/*
 * Identifies a QP with frozen timers, without holding a reference. After the QP is destroyed,
 * another QP may get the same number, but not the same `born`.
 */
struct frozen {
	u8 hca; /* index of the QP's device in glass_fabric.hca[] */
	u32 port, qpn;
	u64 born; /* glass_qp.born */
};

/* Marks in glass_hold.held. In this file, a stream is the packets of one QP in one direction. */
#define HIT XA_MARK_0 /* waits for a step; a packet without HIT waits only for earlier packets */
#define FREE XA_MARK_1 /* may go on now: first in its stream, without HIT, and not `going` */

/* A held packet */
struct held {
	struct hlist_node last_of; /* in glass_hold.last_of, while it is the last of its stream */
	struct held *behind; /* the next packet of the stream; NULL: none */
	bool first; /* it is the first packet of its stream */
	struct glass_waiting *w; /* the copy of the packet */
	/*
	 * `num`, `when` and `qpn` are as in struct glass_held_info. `rule` and `name` are id and
	 * name of the rule that stopped this packet, or the packet behind which this one waits.
	 */
	u64 num;
	u64 when;
	u32 rule;
	u32 qpn;
	bool going; /* it is being delivered, and later packets of the stream still wait */
	bool freezes; /* the timers of the QPs in frozen[] stand still until this packet goes on */
	u32 nfrozen; /* entries of frozen[] */
	struct frozen frozen[2]; /* the packet's QP, and its peer if the peer is on this host */
	char name[GLASS_RULE_NAME];
};

static bool is_hit(struct glass_hold *hold, const struct held *h)
{
	return xa_get_mark(&hold->held, h->num, HIT);
}

static u64 stream_key(u64 born, u8 dir)
{
	return born << 1 | (dir == GLASS_DIR_RX);
}

/* Returns the last held packet of a stream, or NULL. */
static struct held *last_of(struct glass_hold *hold, u64 born, u8 dir)
{
	struct held *h;

	lockdep_assert_held(&hold->lock);
	hash_for_each_possible(hold->last_of, h, last_of, stream_key(born, dir))
		if (h->w->born == born && h->w->dir == dir)
			return h;
	return NULL;
}

/* Makes h the first of its stream. */
static void set_first(struct glass_hold *hold, struct held *h)
{
	h->first = true;
	if (!is_hit(hold, h))
		xa_set_mark(&hold->held, h->num, FREE);
}

/*
 * Returns the first packet with the mark FREE, and sets its `going`. Returns NULL if there is none.
 * The packet stays in hold->held until take_out(), so that later packets of its stream still wait.
 */
static struct held *take_free(struct glass_hold *hold)
{
	unsigned long num = 0;
	struct held *h;

	spin_lock_irq(&hold->lock);
	h = xa_find(&hold->held, &num, ULONG_MAX, FREE);
	if (h) {
		h->going = true;
		xa_clear_mark(&hold->held, num, FREE);
	}
	spin_unlock_irq(&hold->lock);
	return h;
}

/* Removes a packet after its delivery. The next packet of its stream becomes the first. */
static void take_out(struct glass_hold *hold, struct held *h)
{
	spin_lock_irq(&hold->lock);
	xa_erase(&hold->held, h->num);
	hold->n--;
	if (h->behind)
		set_first(hold, h->behind);
	else
		hash_del(&h->last_of);
	spin_unlock_irq(&hold->lock);
}

/* Finds a frozen QP, and takes a reference to it. Returns NULL if the QP was destroyed. */
static struct glass_qp *find_frozen(struct glass_fabric *f, const struct frozen *z)
{
	struct glass_qp *qp = NULL;
	unsigned long flags;

	/* the lock keeps the device valid until a reference to the QP does so */
	spin_lock_irqsave(&f->lock, flags);
	if (f->hca[z->hca])
		qp = glass_qp_find(f->hca[z->hca], z->port, z->qpn);
	spin_unlock_irqrestore(&f->lock, flags);
	if (qp && qp->born != z->born) {
		glass_ref_put(&qp->ref);
		qp = NULL;
	}
	return qp;
}

static void thaw_qps(struct glass_fabric *f, const struct frozen *z, u32 n)
{
	struct glass_qp *qp;
	u32 i;

	for (i = 0; i < n; i++) {
		qp = find_frozen(f, &z[i]);
		if (!qp)
			continue;
		glass_inject_env_thaw(qp);
		glass_ref_put(&qp->ref);
	}
}

static void free_held(struct held *h)
{
	kfree(h->w);
	kfree(h);
}

static void hold_work(struct work_struct *work)
{
	struct glass_hold *hold = container_of(work, struct glass_hold, work);
	struct glass_dev *dev = hold->dev;
	struct held *h;

	while ((h = take_free(hold))) {
		if (h->w->dir == GLASS_DIR_TX)
			glass_inject_env_send(dev, h->w->port, &h->w->pkt, NULL);
		else
			glass_inject_env_deliver(dev, h->w->port, &h->w->pkt, NULL);
		take_out(hold, h);
		if (h->freezes)
			thaw_qps(dev->fabric, h->frozen, h->nfrozen);
		free_held(h);
	}
}

int glass_hold_init(struct glass_dev *dev)
{
	struct glass_hold *hold = kzalloc(sizeof(*hold), GFP_KERNEL);

	if (!hold)
		return -ENOMEM;
	hold->dev = dev;
	spin_lock_init(&hold->lock);
	xa_init(&hold->held);
	hash_init(hold->last_of);
	INIT_WORK(&hold->work, hold_work);
	dev->hold = hold;
	return 0;
}

void glass_hold_exit(struct glass_dev *dev)
{
	unsigned long num;
	struct held *h;

	cancel_work_sync(&dev->hold->work);
	xa_for_each(&dev->hold->held, num, h) {
		/* a frozen peer on another device lives on, and needs its timers */
		if (h->freezes)
			thaw_qps(dev->fabric, h->frozen, h->nfrozen);
		free_held(h);
	}
	xa_destroy(&dev->hold->held);
	kfree(dev->hold);
	dev->hold = NULL;
}

static struct held *held_alloc(const struct glass_passing *p, u32 port, const struct glass_pkt *pkt)
{
	struct held *h = kzalloc(sizeof(*h), GFP_NOWAIT | __GFP_NOWARN);

	if (!h)
		return NULL;
	h->w = glass_later_copy(pkt, pkt->wire_len);
	if (!h->w) {
		kfree(h);
		return NULL;
	}
	h->w->port = port;
	h->w->dir = p->dir;
	h->w->role = p->role;
	h->w->born = p->born;
	h->qpn = p->qpn;
	h->when = ktime_get_ns();
	return h;
}

/*
 * Appends a packet. If `hit` is true, the packet waits for a step. Returns false if
 * GLASS_INJECT_WAITING packets are held, or if there is no memory.
 */
static bool hold_append(struct glass_hold *hold, struct held *h, bool hit)
{
	struct held *before;

	lockdep_assert_held(&hold->lock);
	if (hold->n >= GLASS_INJECT_WAITING ||
	    xa_err(xa_store(&hold->held, hold->last + 1, h, GFP_NOWAIT | __GFP_NOWARN)))
		return false;
	h->num = ++hold->last;
	if (!hold->n++)
		glass_inject_changed(hold->dev->inject);
	if (hit)
		xa_set_mark(&hold->held, h->num, HIT);
	before = last_of(hold, h->w->born, h->w->dir);
	if (before) {
		before->behind = h;
		hash_del(&before->last_of);
	} else {
		set_first(hold, h);
	}
	hash_add(hold->last_of, &h->last_of, stream_key(h->w->born, h->w->dir));
	return true;
}

u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit)
{
	struct glass_hold *hold = dev->hold;
	struct held *h = held_alloc(p, port, pkt);
	unsigned long flags;
	u64 num = 0;

	if (!h)
		return 0;
	h->rule = hit->id;
	memcpy(h->name, hit->rule, sizeof(h->name));
	spin_lock_irqsave(&hold->lock, flags);
	if (hold_append(hold, h, true))
		num = h->num;
	spin_unlock_irqrestore(&hold->lock, flags);
	if (!num)
		free_held(h);
	return num;
}

bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt)
{
	struct glass_hold *hold = dev->hold;
	struct held *h = NULL, *before;
	unsigned long flags;
	bool waits;

	spin_lock_irqsave(&hold->lock, flags);
	waits = last_of(hold, p->born, p->dir);
	spin_unlock_irqrestore(&hold->lock, flags);
	if (waits)
		h = held_alloc(p, port, pkt);
	if (!h) {
		if (waits)
			glass_inject_no_room(dev->inject);
		return false;
	}
	spin_lock_irqsave(&hold->lock, flags);
	before = last_of(hold, p->born, p->dir);
	if (before) {
		h->rule = before->rule;
		memcpy(h->name, before->name, sizeof(h->name));
	}
	waits = before && hold_append(hold, h, false);
	spin_unlock_irqrestore(&hold->lock, flags);
	if (!waits)
		free_held(h);
	return waits;
}

/*
 * Finds the port of this host that has the LID, and a QP with this number at that port. Takes a
 * reference to the QP. Returns NULL if there is no such port or QP.
 */
static struct glass_qp *peer_of(struct glass_dev *dev, u16 dlid, u32 qpn)
{
	struct glass_fabric *f = dev->fabric;
	struct glass_qp *qp = NULL;
	unsigned long flags;
	u32 i, port;

	spin_lock_irqsave(&f->lock, flags);
	for (i = 0; i < ARRAY_SIZE(f->hca) && !qp; i++) {
		struct glass_dev *d = f->hca[i];

		for (port = 1; d && port <= d->num_ports && !qp; port++)
			if (glass_port_has_lid(&d->node_ports[port], dlid))
				qp = glass_qp_find(d, port, qpn);
	}
	spin_unlock_irqrestore(&f->lock, flags);
	return qp;
}

static void freeze_qp(struct glass_qp *qp, struct frozen *z)
{
	z->hca = qp->dev->index;
	z->port = max(qp->special_port, 1U);
	z->qpn = qp->core.qpn;
	z->born = qp->born;
	glass_inject_env_freeze(qp);
}

void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit)
{
	struct glass_hold *hold = dev->hold;
	struct frozen z[2];
	struct glass_qp *peer;
	struct held *h;
	bool gone = true;
	u32 n = 0;

	if (!qp || !glass_type_is_rc(qp->core.type) || hit->timers != GLASS_TIMERS_FROZEN)
		return;
	freeze_qp(qp, &z[n++]);
	peer = peer_of(dev, READ_ONCE(qp->core.attr.av.dlid), READ_ONCE(qp->core.attr.dest_qpn));
	if (peer && peer != qp && glass_type_is_rc(peer->core.type))
		freeze_qp(peer, &z[n++]);
	spin_lock_irq(&hold->lock);
	h = xa_load(&hold->held, num);
	if (h && !h->going) {
		h->freezes = true;
		h->nfrozen = n;
		memcpy(h->frozen, z, sizeof(z));
		gone = false;
	}
	spin_unlock_irq(&hold->lock);
	if (gone)
		thaw_qps(dev->fabric, z, n);
	if (peer)
		glass_ref_put(&peer->ref);
}

u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n)
{
	struct glass_hold *hold = dev->hold;
	unsigned long num;
	struct held *h;
	u32 went = 0;

	spin_lock_irq(&hold->lock);
	xa_for_each_marked(&hold->held, num, h, HIT) {
		if (went >= n)
			break;
		if (id && h->rule != id)
			continue;
		xa_clear_mark(&hold->held, num, HIT);
		if (h->first)
			xa_set_mark(&hold->held, num, FREE);
		went++;
	}
	spin_unlock_irq(&hold->lock);
	if (went)
		queue_work(system_highpri_wq, &hold->work);
	return went;
}

void glass_hold_flush(struct glass_dev *dev)
{
	flush_work(&dev->hold->work);
}

bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info)
{
	struct glass_hold *hold = dev->hold;
	unsigned long at = num;
	struct held *h;

	spin_lock_irq(&hold->lock);
	h = xa_find(&hold->held, &at, ULONG_MAX, XA_PRESENT);
	while (h && h->going)
		h = xa_find_after(&hold->held, &at, ULONG_MAX, XA_PRESENT);
	if (h) {
		info->num = h->num;
		info->when = h->when;
		info->hit = is_hit(hold, h);
		info->frozen = h->freezes;
		memcpy(info->rule, h->name, sizeof(info->rule));
		info->port = h->w->port;
		info->dir = h->w->dir;
		info->qpn = h->qpn;
		info->pkt = h->w->pkt;
	}
	spin_unlock_irq(&hold->lock);
	return h;
}
