/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder's record of a packet, and its writer. The writer is inline, because every
 * packet passes here: engine/packet.c and flight.c use it; other code calls observe/flight.h. It
 * copies words unchanged, and only those that the packet's opcode uses; readers decode them.
 */
#ifndef GLASS_OBSERVE_FLIGHT_RECORD_H
#define GLASS_OBSERVE_FLIGHT_RECORD_H

#include <linux/percpu.h>

#include "observe/flight.h"
#include "wire/opcode.h"
#include "wire/serial.h"

/* The recorded part of struct glass_pkt: all fields before the payload and the GRH. */
#define GLASS_FLIGHT_HEAD offsetof(struct glass_pkt, nseg)

struct glass_flight_record {
	u64 seq; /* 0: being written, or never written; the writer releases it */
	u64 when; /* ktime_get_ns() */
	struct glass_flight_end end[2]; /* by enum glass_dir */
	u8 head[GLASS_FLIGHT_HEAD]; /* fields that the opcode does not use are of an older packet */
	u16 snap; /* valid bytes of payload */
	struct glass_grh grh; /* if the packet has one; else of an older packet */
	u8 payload[GLASS_FLIGHT_SNAP] __aligned(8);
};

struct glass_flight_ring {
	u64 next; /* number of records written; only this CPU writes it, with preemption off */
	struct glass_flight_record *records;
};

DECLARE_PER_CPU(struct glass_flight_ring, glass_flight_rings);

/* ktime_get_ns() at which the recorder stops: later packets are not recorded. 0: it runs. */
extern u64 glass_flight_frozen_at;
/* Must a packet after that time be recorded: is it one of the next few of the failed QP? */
bool glass_flight_late(const struct glass_flight_end *tx, const struct glass_flight_end *rx);

/*
 * Copies the fields of a packet from `from` on, up to but not including `to`. At most 64 bytes,
 * which become moves: a longer memcpy() becomes "rep movs", whose start costs more than the whole
 * copy.
 */
#define GLASS_FLIGHT_COPY(r, pkt, from, to)                                                        \
	do {                                                                                       \
		static_assert(!(offsetof(struct glass_pkt, from) % 8));                            \
		static_assert(offsetof(struct glass_pkt, to) - offsetof(struct glass_pkt, from) <= \
			      64);                                                                 \
		memcpy((r)->head + offsetof(struct glass_pkt, from),                               \
		       (const u8 *)(pkt) + offsetof(struct glass_pkt, from),                       \
		       offsetof(struct glass_pkt, to) - offsetof(struct glass_pkt, from));         \
	} while (0)

static __always_inline void glass_flight_headers(struct glass_flight_record *r,
						 const struct glass_pkt *pkt)
{
	u16 hdrs = glass_opcodes[pkt->opcode].hdrs;

	GLASS_FLIGHT_COPY(r, pkt, vl, va);
	if (hdrs)
		GLASS_FLIGHT_COPY(r, pkt, va, swap_add);
	if (unlikely(hdrs & ~(GLASS_HDR_RETH | GLASS_HDR_AETH)))
		GLASS_FLIGHT_COPY(r, pkt, swap_add, nseg);
	if (unlikely(pkt->lnh == GLASS_LNH_GLOBAL))
		r->grh = pkt->grh;
}

/* Call it before the packet is delivered: the peer's answer may free its payload. */
static __always_inline void glass_flight_snap(struct glass_flight_snap *s,
					      const struct glass_pkt *pkt)
{
	if (!pkt->nseg) {
		s->len = 0;
	} else if (likely(pkt->seg[0].len >= GLASS_FLIGHT_SNAP)) {
		memcpy(s->data, pkt->seg[0].addr, GLASS_FLIGHT_SNAP);
		s->len = GLASS_FLIGHT_SNAP;
	} else {
		s->len = glass_pkt_copy_payload(pkt, 0, s->data, GLASS_FLIGHT_SNAP);
	}
}

/*
 * Records a packet. sent, arrived: was it seen at the sending, the receiving end? tx, rx: the two
 * ends, whose port and reason are parameters of their own. snap: taken before the packet was
 * delivered; the payload itself is not read. when: ktime_get_ns(). Process context.
 */
static __always_inline void
glass_flight_write(bool sent, const struct glass_flight_end *tx, u8 tx_port, u8 tx_reason,
		   bool arrived, const struct glass_flight_end *rx, u8 rx_port, u8 rx_reason,
		   const struct glass_pkt *pkt, const struct glass_flight_snap *snap, u64 when)
{
	u64 frozen = READ_ONCE(glass_flight_frozen_at);
	struct glass_flight_record *r;
	struct glass_flight_ring *ring;

	if (unlikely(frozen) && when > frozen &&
	    !glass_flight_late(sent ? tx : NULL, arrived ? rx : NULL))
		return;
	ring = get_cpu_ptr(&glass_flight_rings);
	if (unlikely(!ring->records))
		goto out;
	r = &ring->records[ring->next & (GLASS_FLIGHT_RECORDS - 1)];
	WRITE_ONCE(r->seq, 0);
	/* pairs with the smp_rmb() of copy_record(): a reader of a new word sees seq changed */
	smp_wmb();
	r->when = when;
	if (sent)
		memcpy(&r->end[GLASS_DIR_TX], tx, sizeof(*tx));
	r->end[GLASS_DIR_TX].port = tx_port;
	r->end[GLASS_DIR_TX].reason = tx_reason;
	if (arrived)
		memcpy(&r->end[GLASS_DIR_RX], rx, sizeof(*rx));
	r->end[GLASS_DIR_RX].port = rx_port;
	r->end[GLASS_DIR_RX].reason = rx_reason;
	glass_flight_headers(r, pkt);
	r->snap = snap->len;
	if (snap->len)
		memcpy(r->payload, snap->data, GLASS_FLIGHT_SNAP);
	/* pairs with the acquire of copy_record(): a reader of the number sees all words */
	smp_store_release(&r->seq, ++ring->next);
out:
	put_cpu_ptr(&glass_flight_rings);
}

#endif
