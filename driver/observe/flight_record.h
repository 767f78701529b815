/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder's record of a packet, and the functions that write it. These functions are
 * inline, because they run for every packet. Only engine/packet.c, engine/direct_parts.h and
 * observe/flight.c call them; other code calls the functions of observe/flight.h. The writer copies
 * the decoded headers without converting them, and copies only the fields that the packet's opcode uses. Readers convert the
 * record to wire bytes.
 */
#ifndef GLASS_OBSERVE_FLIGHT_RECORD_H
#define GLASS_OBSERVE_FLIGHT_RECORD_H

#include <linux/percpu.h>

#include "observe/flight.h"
#include "observe/hops.h"
#include "wire/opcode.h"
#include "wire/serial.h"

/* The recorded part of struct glass_pkt: all fields before the payload and the GRH. */
#define GLASS_FLIGHT_HEAD offsetof(struct glass_pkt, nseg)

struct glass_flight_record {
	u64 seq; /* number of the record on its CPU; 0: being written, or never written */
	u64 pair; /* glass_flight_open() wrote end[] for this pair of QPs; 0: glass_flight_write() did */
	u64 when; /* ktime_get_ns() */
	struct glass_flight_end end[2]; /* by enum glass_dir */
	u8 head[GLASS_FLIGHT_HEAD]; /* fields that the opcode does not use have stale values */
	/* the numbers of valid bytes of payload[] and of valid entries of hop[], see below */
	u32 snap;
	struct glass_grh grh; /* the packet's GRH; if the packet has none, that of an older one */
	u8 payload[GLASS_FLIGHT_SNAP] __aligned(8);
	struct glass_fate_hop hop[GLASS_FATE_HOPS];
};

/*
 * glass_flight_record.snap has two numbers. The bits below bit GLASS_FLIGHT_NHOPS are the number of
 * payload bytes. This bit and those above it are the number of hops. One field has both numbers, so
 * that a record without hops needs no extra instruction.
 */
#define GLASS_FLIGHT_NHOPS 16

static inline u32 glass_flight_snap_bytes(const struct glass_flight_record *r)
{
	return r->snap & (BIT(GLASS_FLIGHT_NHOPS) - 1);
}

static inline u32 glass_flight_nhops(const struct glass_flight_record *r)
{
	return min_t(u32, r->snap >> GLASS_FLIGHT_NHOPS, GLASS_FATE_HOPS);
}

struct glass_flight_ring {
	/* number of records written so far; only the ring's CPU changes it, with preemption off */
	u64 next;
	struct glass_flight_record *records;
};

DECLARE_PER_CPU(struct glass_flight_ring, glass_flight_rings);

/*
 * ktime_get_ns() at which the recorder stops; 0: it runs. Later packets are recorded only if
 * glass_flight_late() allows it.
 */
extern u64 glass_flight_frozen_at;
/*
 * May a packet later than glass_flight_frozen_at be recorded? True only for the next few packets
 * that the failed QP sends or receives; each call that returns true uses up one of them. tx, rx:
 * the two ends of the packet's path; NULL: the packet was not seen at this end.
 */
bool glass_flight_late(const struct glass_flight_end *tx, const struct glass_flight_end *rx);

/*
 * Copies the fields of a packet from the field `from` to the field before `to`, at most 64 bytes.
 * The compiler turns a memcpy() of at most 64 bytes into moves. The compiler turns a longer one
 * into "rep movs", whose start costs more than all these moves.
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

/*
 * Fills *s from the packet's payload. Call it before the packet is delivered, because the peer's
 * answer may free the payload.
 */
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

/* Takes a record of this CPU's ring to write. Readers do not see it until its `seq` is set. With preemption off. */
static __always_inline struct glass_flight_record *glass_flight_begin(const struct glass_flight_ring *ring, u64 when)
{
	struct glass_flight_record *r = &ring->records[ring->next & (GLASS_FLIGHT_RECORDS - 1)];

	WRITE_ONCE(r->seq, 0);
	/*
	 * pairs with the smp_rmb() of copy_record(): a reader that gets a word of the new record
	 * sees that seq has changed
	 */
	smp_wmb();
	r->when = when;
	return r;
}

/*
 * Records a packet. `sent`: the packet was seen at the sending end, *tx. `arrived`: the packet was
 * seen at the receiving end, *rx. The port and the reason of each end come from tx_port, tx_reason,
 * rx_port and rx_reason, not from *tx and *rx. The port is 0 at an end where the packet was not
 * seen. *snap: the payload, from before the packet was delivered. when: ktime_get_ns(). Process
 * context.
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
	r = glass_flight_begin(ring, when);
	r->pair = 0;
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
	if (glass_hops_wanted() && sent && glass_flight_hops && pkt->fate) {
		r->snap |= (u32)pkt->fate->nhops << GLASS_FLIGHT_NHOPS;
		memcpy(r->hop, pkt->fate->hop, sizeof(r->hop));
	}
	/* pairs with the acquire of copy_record(): a reader of the new seq sees all words */
	smp_store_release(&r->seq, ++ring->next);
out:
	put_cpu_ptr(&glass_flight_rings);
}

/* A record that glass_flight_open() has begun */
struct glass_flight_begun {
	struct glass_flight_record *record; /* NULL: none */
	u64 seq;
};

/*
 * Begins the record of a packet that is about to go from *tx to *rx, without hops.
 * The payload is copied only once, before the delivery. Readers see the record after
 * glass_flight_close(), which the same task calls after the delivery on the same CPU. Process context, with a
 * spinlock held. `pair`: a number, not 0, that always comes with these two QPs and ports. An old record of the pair
 * has both ends already.
 */
static __always_inline struct glass_flight_begun
glass_flight_open(const struct glass_flight_end *tx, u8 tx_port, const struct glass_flight_end *rx, u8 rx_port,
		  u64 pair, const struct glass_pkt *pkt, u64 when)
{
	u64 frozen = READ_ONCE(glass_flight_frozen_at);
	struct glass_flight_begun o = {};
	struct glass_flight_record *r;
	struct glass_flight_ring *ring;

	if (unlikely(frozen) && when > frozen && !glass_flight_late(tx, rx))
		return o;
	/* with PREEMPT_RT, the holder of a spinlock may be preempted */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	ring = this_cpu_ptr(&glass_flight_rings);
	if (unlikely(!ring->records))
		goto out;
	r = glass_flight_begin(ring, when);
	if (r->pair != pair) {
		r->pair = pair;
		memcpy(&r->end[GLASS_DIR_TX], tx, sizeof(*tx));
		r->end[GLASS_DIR_TX].port = tx_port;
		r->end[GLASS_DIR_TX].reason = GLASS_DROP_NONE;
		memcpy(&r->end[GLASS_DIR_RX], rx, sizeof(*rx));
		r->end[GLASS_DIR_RX].port = rx_port;
	}
	glass_flight_headers(r, pkt);
	if (!pkt->nseg) {
		r->snap = 0;
	} else if (likely(pkt->seg[0].len >= GLASS_FLIGHT_SNAP)) {
		memcpy(r->payload, pkt->seg[0].addr, GLASS_FLIGHT_SNAP);
		r->snap = GLASS_FLIGHT_SNAP;
	} else {
		r->snap = glass_pkt_copy_payload(pkt, 0, r->payload, GLASS_FLIGHT_SNAP);
	}
	o.record = r;
	o.seq = ++ring->next;
out:
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
	return o;
}

/* Ends a record. rx_reason: why the receiver dropped the packet. */
static __always_inline void glass_flight_close(const struct glass_flight_begun *o, u8 rx_reason)
{
	struct glass_flight_record *r = o->record;

	if (!r)
		return;
	/* with PREEMPT_RT, others may have used the whole ring since */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		struct glass_flight_ring *ring = get_cpu_ptr(&glass_flight_rings);
		bool ours = ring->next - o->seq < GLASS_FLIGHT_RECORDS;

		if (ours) {
			r->end[GLASS_DIR_RX].reason = rx_reason;
			smp_store_release(&r->seq, o->seq);
		}
		put_cpu_ptr(&glass_flight_rings);
		return;
	}
	r->end[GLASS_DIR_RX].reason = rx_reason;
	/* pairs with the acquire of copy_record(), as in glass_flight_write() */
	smp_store_release(&r->seq, o->seq);
}

#endif
