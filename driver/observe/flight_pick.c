// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Picks packets out of the flight recorder (flight_pick.h). */
#include <linux/sched.h>

#include "observe/flight_pick.h"
#include "observe/flight_record.h"

static bool end_is(const struct glass_flight_end *end, const struct glass_pick_qp *qp)
{
	return qp->known && end->port && end->flags & GLASS_CAP_HAS_QP && end->dev == qp->hca &&
	       end->qpn == qp->qpn;
}

/*
 * Is it the arrival of a packet with the PSN that failed, which has come to the peer through a network? Then
 * the record of its departure, if there is one, is another. The peer may have no QP of this number.
 */
static bool is_arrival_at_peer(const struct glass_flight_record *r, const struct glass_pick *p)
{
	const struct glass_flight_end *tx = &r->end[GLASS_DIR_TX], *rx = &r->end[GLASS_DIR_RX];
	const struct glass_pkt *pkt = (const struct glass_pkt *)r->head;

	return p->has_psn && p->peer.known &&
	       data_race(!tx->port && rx->port && rx->dev == p->peer.hca && pkt->dqpn == p->peer.qpn &&
			 pkt->psn == p->psn);
}

/*
 * Does the record concern the QP or its peer? Sets *dir. The answer may be wrong if the record is
 * being written; pick_record() detects that.
 */
static bool is_wanted(const struct glass_flight_record *r, const struct glass_pick *p, u8 *dir)
{
	const struct glass_flight_end *tx = &r->end[GLASS_DIR_TX], *rx = &r->end[GLASS_DIR_RX];

	if (data_race(r->when <= p->from || r->when > p->to))
		return false;
	*dir = GLASS_DIR_TX;
	if (data_race(end_is(tx, &p->local)))
		return true;
	*dir = GLASS_DIR_RX;
	if (data_race(end_is(tx, &p->peer) || end_is(rx, &p->local)))
		return true;
	*dir = GLASS_DIR_TX;
	return is_arrival_at_peer(r, p);
}

/* Is record (when, seq) older than *x? */
static bool is_older(u64 when, u64 seq, const struct glass_picked *x)
{
	return when != x->when ? when < x->when : seq < x->seq;
}

/* Has p->skip this record, or newer ones in its place? */
static bool is_skipped(const struct glass_pick *p, u64 when, u64 seq, u8 dir)
{
	const struct glass_pick *skip = p->skip;
	u32 i, n = skip ? skip->n[dir] : 0;

	for (i = 0; i < n; i++)
		if (skip->at[dir][i].when == when && skip->at[dir][i].seq == seq)
			return true;
	return n && n == skip->most && is_older(when, seq, &skip->at[dir][n - 1]);
}

static void copy_picked(struct glass_picked *to, const struct glass_flight_record *from, u64 seq,
			u8 dir)
{
	memset(&to->pkt, 0, sizeof(to->pkt));
	/* glass_flight_write() may overwrite the record during the copy: it waits for no reader */
	data_race(memcpy(&to->pkt, from->head, sizeof(from->head)));
	data_race(memcpy(to->end, from->end, sizeof(to->end)));
	to->when = data_race(from->when);
	to->seq = seq;
	to->dir = dir;
}

/* Adds a record to those that were picked, at its place by time, unless there are `most` better ones. */
static void pick_record(struct glass_pick *p, const struct glass_flight_record *from, u64 seq, u8 dir)
{
	struct glass_picked *list = p->at[dir];
	u64 when = data_race(from->when);
	u32 at = 0, n = p->n[dir];

	while (at < n && is_older(when, seq, &list[at]))
		at++;
	if (is_skipped(p, when, seq, dir))
		return;
	if (n == p->most) {
		if (at == (p->oldest ? 0 : n))
			return;
		/* the newest one, or the oldest one, makes room */
		n--;
		if (p->oldest) {
			at--;
			memmove(&list[0], &list[1], n * sizeof(*list));
		}
	}
	memmove(&list[at + 1], &list[at], (n - at) * sizeof(*list));
	copy_picked(&list[at], from, seq, dir);
	/*
	 * pairs with the smp_wmb() of glass_flight_write(): if the copy has a word of a newer
	 * record, seq has changed
	 */
	smp_rmb();
	if (READ_ONCE(from->seq) != seq)
		memmove(&list[at], &list[at + 1], (n - at) * sizeof(*list));
	else
		n++;
	p->n[dir] = n;
}

/* Picks from the ring of a CPU, from its newest record on back. */
static void pick_ring(struct glass_pick *p, const struct glass_flight_ring *ring)
{
	const struct glass_flight_record *records = READ_ONCE(ring->records), *r;
	u64 next = READ_ONCE(ring->next), when = 0, seq;
	u32 i;
	u8 dir;

	for (i = 1; records && i <= GLASS_FLIGHT_RECORDS && i <= next; i++) {
		r = &records[(next - i) & (GLASS_FLIGHT_RECORDS - 1)];
		/* pairs with the release of glass_flight_write() */
		seq = smp_load_acquire(&r->seq);
		if (!seq)
			continue;
		when = data_race(r->when);
		if (when <= p->from)
			return;
		if (is_wanted(r, p, &dir))
			pick_record(p, r, seq, dir);
	}
	if (records && next > GLASS_FLIGHT_RECORDS)
		p->complete_from = max(p->complete_from, when);
}

bool glass_flight_pick(struct glass_pick *p)
{
	u64 frozen = READ_ONCE(glass_flight_frozen_at);
	int cpu;

	for_each_possible_cpu(cpu) {
		pick_ring(p, &per_cpu(glass_flight_rings, cpu));
		cond_resched();
	}
	return glass_flight_on() && (!frozen || frozen > p->to);
}
