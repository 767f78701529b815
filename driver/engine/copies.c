// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Delivers multicast datagrams to the members of a group, and defers copies (copies.h). */
#include <linux/slab.h>

#include "engine/copies.h"
#include "engine/engine.h"
#include "engine/mcast.h"
#include "engine/packet.h"
#include "wire/serial.h"

/*
 * A delivery at one port skips members at other ports. For every MEMBERS_A_PACKET skipped members,
 * the delivery takes 1, the cost of a packet, from the sender's turn (glass_tx.left).
 */
#define MEMBERS_A_PACKET 32

/*
 * Returns the index of the first member that joined at `joined` or later, or set->n if there is
 * none.
 */
static u32 first_from(const struct glass_mcast_set *set, u64 joined)
{
	u32 low = 0, high = set->n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (set->member[mid].joined < joined)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- deferred copies (copies.h) */

static void datagram_put(struct glass_datagram *d, const struct glass_bill *bill)
{
	if (--d->users)
		return;
	glass_share_returned(bill, d->bytes);
	kfree(d);
}

/*
 * Returns a copy of the datagram with its payload, charged to the bill's user. Returns NULL if
 * there is no memory, or if the user's share is used up. The allocation does not sleep, because
 * this is the packet path.
 */
static struct glass_datagram *datagram_of(const struct glass_pkt *pkt, const struct glass_bill *bill)
{
	u32 bytes = struct_size_t(struct glass_datagram, data, pkt->len);
	struct glass_datagram *d;

	if (!glass_share_lend(bill, bytes))
		return NULL;
	d = kmalloc(bytes, GFP_NOWAIT | __GFP_NOWARN);
	if (!d) {
		glass_share_returned(bill, bytes);
		return NULL;
	}
	d->users = 0;
	d->bytes = bytes;
	d->of = pkt;
	d->pkt = *pkt;
	d->pkt.seg = &d->seg;
	d->pkt.nseg = pkt->len ? 1 : 0;
	/* only captures need the wire bytes, and they have copied them already */
	d->pkt.wire = NULL;
	d->pkt.wire_len = 0;
	d->seg.addr = d->data;
	d->seg.len = glass_pkt_copy_payload(pkt, 0, d->data, pkt->len);
	return d;
}

/*
 * Called when c has no copies left: lets observers write the record of the arrival (copies.h), and
 * frees c.
 */
static void copies_free(struct glass_copies *c, const struct glass_bill *bill)
{
	glass_watch_copied(c);
	list_del(&c->node);
	datagram_put(c->datagram, bill);
	kfree(c);
	glass_share_returned(bill, sizeof(*c));
}

/*
 * Defers the copies for the members whose `joined` is from `next` to `last`: the sender
 * (run->tx.qp) makes them in its next turns. Returns the new entry of the sender's list `copies`.
 * Returns NULL if there is no memory, or if the share of the sender's user is used up. All entries
 * of the list belong to this datagram, because the sender sends no other packet before the list is
 * empty.
 */
static struct glass_copies *copies_defer(struct glass_dev *dev, u32 port,
					 const struct glass_pkt *pkt, struct glass_run *run,
					 u64 next, u64 last)
{
	struct glass_qp *qp = (struct glass_qp *)run->tx.qp;
	const struct glass_bill *bill = &qp->bill;
	struct glass_datagram *d = NULL;
	struct glass_copies *c;

	if (!glass_share_lend(bill, sizeof(*c)))
		return NULL;
	c = kmalloc(sizeof(*c), GFP_NOWAIT | __GFP_NOWARN);
	if (!c)
		goto err;
	/*
	 * The new entry shares the copy of the datagram with the previous entry, unless an
	 * injection rule replaced the packet at the port of one of the two entries.
	 */
	if (pkt == &run->tx.pkt && !list_empty(&qp->copies))
		d = list_last_entry(&qp->copies, struct glass_copies, node)->datagram;
	if (!d || d->of != pkt)
		d = datagram_of(pkt, bill);
	if (!d)
		goto err;
	d->users++;
	c->datagram = d;
	c->hca = dev->index;
	c->port = port;
	c->next = next;
	c->last = last;
	c->fate = pkt->fate ? *pkt->fate : (struct glass_fate){};
	c->slots.n = 0;
	c->when = 0;
	list_add_tail(&c->node, &qp->copies);
	qp->turn = GLASS_TURN_COPIES;
	return c;

err:
	kfree(c);
	glass_share_returned(bill, sizeof(*c));
	return NULL;
}

/*
 * Drops the copies for those members at this port whose index is at least `from`, and whose
 * `joined` is at most `last`. May sleep.
 */
static void copies_drop_rest(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     const struct glass_mcast_set *set, u32 from, u64 last)
{
	for (; from < set->n && set->member[from].joined <= last; from++) {
		if (READ_ONCE(set->member[from].qp->core.attr.port) != port)
			continue;
		glass_port_drop(dev, port, GLASS_AT_RX, pkt, GLASS_DROP_NOT_COPIED);
		cond_resched();
	}
}

/*
 * Returns the adapter with that index, or NULL if it is unplugged. The caller is a lane or doorbell
 * (engine.h). The adapter remains valid until this lane or doorbell has finished its work:
 * hca_take_down() (hca.c) removes the adapter from f->hca, and then waits for all lanes and
 * doorbells (glass_engine_quiesce()).
 */
static struct glass_dev *hca_at(struct glass_fabric *f, u32 index)
{
	struct glass_dev *dev;

	spin_lock_irq(&f->lock);
	dev = f->hca[index];
	spin_unlock_irq(&f->lock);
	return dev;
}

/*
 * Makes the deferred copies of `c` at a port of `dev`. Returns true if no copy is left, or false if
 * the turn is used up. If `run` is NULL, drops the copies instead. May sleep if `run` is NULL, or
 * in strict mode.
 */
static bool go_on(struct glass_copies *c, struct glass_dev *dev, struct glass_run *run)
{
	struct glass_pkt *pkt = &c->datagram->pkt;
	struct glass_mcast_set *set = glass_mcast_set_of(dev, pkt->grh.dgid);
	bool done = true;
	u32 i;

	if (!set)
		return true;
	pkt->fate = &c->fate;
	i = first_from(set, c->next);
	if (!run) {
		copies_drop_rest(dev, c->port, pkt, set, i, c->last);
		i = set->n;
	}
	for (; i < set->n && set->member[i].joined <= c->last; i++) {
		struct glass_qp *qp = set->member[i].qp;

		if (READ_ONCE(qp->core.attr.port) != c->port)
			continue;
		if (run->tx.left <= 0) {
			c->next = set->member[i].joined;
			done = false;
			break;
		}
		glass_qp_receive(qp, c->port, pkt, true, run);
		run->tx.left -= glass_cost(pkt->len);
	}
	glass_mcast_set_put(set);
	return done;
}

void glass_copies_go_on(struct glass_qp *qp, struct glass_run *run)
{
	struct glass_copies *c, *next;
	struct glass_dev *dev;

	list_for_each_entry_safe(c, next, &qp->copies, node) {
		dev = hca_at(qp->dev->fabric, c->hca);
		if (dev && !go_on(c, dev, run))
			return;
		copies_free(c, &qp->bill);
	}
	qp->turn = GLASS_TURN;
}

void glass_copies_drop(struct glass_qp *qp)
{
	glass_copies_go_on(qp, NULL);
}

/* ---- delivery */

u32 glass_mcast_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	struct glass_mcast_set *set = glass_mcast_set_of(dev, pkt->grh.dgid);
	u32 i, n = 0, skipped = 0;
	u64 last;

	if (!set)
		return 0;
	last = set->member[set->n - 1].joined;
	for (i = 0; i < set->n; i++) {
		struct glass_qp *qp = set->member[i].qp;

		if (READ_ONCE(qp->core.attr.port) != port) {
			skipped++;
			continue;
		}
		n++;
		if (run && run->tx.left <= 0) {
			run->tx.rest = copies_defer(dev, port, pkt, run, set->member[i].joined,
						    last);
			if (!run->tx.rest)
				copies_drop_rest(dev, port, pkt, set, i, last);
			break;
		}
		glass_qp_receive(qp, port, pkt, true, run);
		if (run)
			run->tx.left -= glass_cost(pkt->len);
		else
			/*
			 * There is no turn to charge: a program wrote the packet to the debugfs
			 * file `raw`, or an injection rule delayed or held it.
			 */
			cond_resched();
	}
	/* charge the turn for the members at other ports, which the loop skipped */
	if (run)
		run->tx.left -= skipped / MEMBERS_A_PACKET;
	glass_mcast_set_put(set);
	return n;
}
