// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Sends packets over netdev cables (netcable.h). */
#include <linux/hash.h>

#include "link/env.h"
#include "link/link.h"
#include "link/netcable.h"
#include "observe/hops.h"
#include "observe/observe.h"
#include "wire/opcode.h"
#include "wire/serial.h"
#include "wire/train.h"

/* A frame has at most this many bytes, also if the interface carries more. */
#define FRAME_MOST 16384

/*
 * If this many bytes are on their way, packets are dropped. (A QP waits at
 * GLASS_NETDEV_FLIGHT or GLASS_NETDEV_FLIGHT_LONG, but the agents of switches, for example, cannot
 * wait.)
 */
#define FLIGHT_MOST (GLASS_NETDEV_FLIGHT_LONG + 3 * GLASS_NETDEV_FLIGHT)

bool glass_netcable_take(struct glass_net_node *n, struct glass_netcable_hop *hop)
{
	struct glass_netcable *c = glass_netcable_of(n);
	const struct glass_training *t;

	if (!c)
		return false;
	lockdep_assert_held(&c->fabric->lock);
	t = &c->training;
	if (t->state != GLASS_CABLE_UP || !glass_ref_get(&c->ref))
		return false;
	hop->cable = c;
	hop->gfp = GFP_NOIO;
	hop->session = t->peer.session;
	memcpy(hop->mac, t->peer_mac, sizeof(hop->mac));
	hop->no_vcrc = !c->vcrc && (t->peer.flags & GLASS_HELLO_NO_VCRC);
	return true;
}

static void fill_header(const struct glass_netcable_hop *hop, u8 *to, u32 count)
{
	struct glass_frame f = {
		.kind = GLASS_FRAME_PACKETS,
		.count = count,
		.flags = hop->no_vcrc ? GLASS_FRAME_NO_VCRC : 0,
		.session = hop->session,
	};

	glass_frame_put(&f, to);
}

/*
 * Sends a frame of `count` packets, and frees it. If `run` is not NULL, it processes the frame at once where
 * it arrives on this host (glass_frames_hold()).
 */
static bool send_frame(struct glass_netcable *c, const struct glass_netcable_hop *hop,
		       const struct glass_pkt *pkt, struct sk_buff *skb, u32 count,
		       struct glass_run *run)
{
	u32 bytes = skb->len;
	bool holding;
	int err;

	/* packets of a connection stay in one queue of the interface, and so in order */
	skb_set_hash(skb, hash_32((u32)pkt->dlid << 8 ^ pkt->dqpn, 32), PKT_HASH_TYPE_L4);
	fill_header(hop, skb->data, count);
	atomic64_inc(&c->session_tx);
	holding = glass_frames_hold(run, pkt);
	err = glass_netdev_send(&c->nd, skb, hop->mac);
	if (holding)
		glass_frames_release(run);
	if (unlikely(err)) {
		atomic64_dec(&c->session_tx);
		WRITE_ONCE(c->refusing, true);
		return false;
	}
	if (unlikely(READ_ONCE(c->refusing)))
		WRITE_ONCE(c->refusing, false);
	atomic64_inc(&c->stats.tx_frames);
	atomic64_add(count, &c->stats.tx_packets);
	atomic64_add(bytes, &c->stats.tx_bytes);
	return true;
}

/* Returns the number of bytes that a frame may have behind its header. */
static u32 room_of_frame(const struct glass_netcable *c)
{
	u32 most = min_t(u32, READ_ONCE(c->netdev_mtu), FRAME_MOST);

	return most > GLASS_FRAME_HDR_BYTES ? most - GLASS_FRAME_HDR_BYTES : 0;
}

/* Sends the bytes of a packet that an injection rule has corrupted or truncated. */
static bool send_wire(struct glass_netcable *c, const struct glass_netcable_hop *hop,
		      const struct glass_pkt *pkt)
{
	u32 len = pkt->wire_len;
	struct sk_buff *skb;

	if (hop->no_vcrc) {
		/* without its VCRC, the packet would be whole again */
		if (pkt->spoilt == GLASS_DROP_BAD_VCRC)
			return false;
		if (len == glass_pkt_wire_bytes(pkt))
			len -= GLASS_VCRC_BYTES;
	}
	if (len > room_of_frame(c))
		return false;
	skb = glass_netdev_alloc(&c->nd, GLASS_FRAME_HDR_BYTES + len, hop->gfp);
	if (!skb)
		return false;
	skb_put(skb, GLASS_FRAME_HDR_BYTES);
	skb_put_data(skb, pkt->wire, len);
	return send_frame(c, hop, pkt, skb, 1, NULL);
}

/*
 * Returns how many packets of a train fit into a frame, and how many bytes each takes at most. A
 * port of an HCA sends what its QPs send, also beyond the MTU of its link: such a packet does not
 * fit, and the result is 0.
 */
static u32 packets_of_frame(const struct glass_netcable *c, const struct glass_pkt *pkt, u32 *bytes)
{
	u32 room = room_of_frame(c);
	struct glass_pkt one, last;

	if (!pkt->more) {
		*bytes = glass_pkt_wire_bytes(pkt);
		return *bytes <= room;
	}
	/* the first packet or the last one has the longest headers (RETH; AETH, ImmDt, IETH) */
	if (glass_train_part(pkt, 0, &one) || glass_train_part(pkt, pkt->more, &last))
		return 0;
	*bytes = max(glass_pkt_wire_bytes(&one), glass_pkt_wire_bytes(&last));
	return min_t(u32, room / *bytes, 255);
}

static bool send_train(struct glass_netcable *c, const struct glass_netcable_hop *hop,
		       const struct glass_pkt *pkt, struct glass_run *run)
{
	u32 n = 1 + pkt->more, i = 0, off = 0, each, most, k;
	struct sk_buff *skb;
	bool all = true;
	int len;

	most = packets_of_frame(c, pkt, &each);
	if (!most)
		return false;
	if (pkt->more || pkt->len > GLASS_AT_ONCE || pkt->dlid >= GLASS_LID_MCAST_BASE)
		run = NULL;
	while (i < n) {
		u32 count = min(most, n - i);

		skb = glass_netdev_alloc(&c->nd, GLASS_FRAME_HDR_BYTES + count * each, hop->gfp);
		if (!skb)
			return false;
		skb_put(skb, GLASS_FRAME_HDR_BYTES);
		for (k = 0; k < count; k++) {
			len = glass_frame_build(pkt, i + k, &off, hop->no_vcrc,
						skb_tail_pointer(skb), each);
			if (len < 0) {
				kfree_skb(skb);
				return false;
			}
			skb_put(skb, len);
		}
		i += count;
		all &= send_frame(c, hop, pkt, skb, count, run);
	}
	return all;
}

/* ---- batches */

/* A packet that joins a batch has at most this many bytes on the wire. */
#define BATCH_PACKET_MOST 512
/* The bytes of a batch's frame: about as many as fit into 2 KiB with what the kernel adds. */
#define BATCH_MOST 1664

static bool same_hop(const struct glass_netcable_hop *a, const struct glass_netcable_hop *b)
{
	return a->cable == b->cable && a->session == b->session && a->no_vcrc == b->no_vcrc &&
	       ether_addr_equal(a->mac, b->mac);
}

/*
 * May packets be batched? While single packets are observed, the fate of a packet must be known
 * when it has been sent. After the interface has refused a frame, it may refuse the next one, too.
 */
static bool may_batch(const struct glass_netcable *c, const struct glass_pkt *pkt)
{
	return !pkt->more && !pkt->wire && glass_pkt_wire_bytes(pkt) <= BATCH_PACKET_MOST &&
	       !glass_capturing() && !glass_hops_wanted() && !READ_ONCE(c->refusing) &&
	       glass_netdev_flight(&c->nd) < GLASS_NETDEV_FLIGHT;
}

/* A frame has packets for one queue pair only (rule bad_mixed). */
static bool may_join(const struct glass_batch *b, const struct glass_netcable_hop *hop,
		     const struct glass_pkt *pkt)
{
	return pkt->dlid == b->pkts[0].dlid && pkt->dqpn == b->pkts[0].dqpn &&
	       b->skb->len + glass_pkt_wire_bytes(pkt) <= b->most && same_hop(&b->hop, hop);
}

/* Begins a frame. It has the caller's reference to the cable. Returns false if it cannot. */
static bool batch_begin(struct glass_batch *b, const struct glass_netcable_hop *hop,
			struct glass_link_port *from)
{
	u32 most = min_t(u32, GLASS_FRAME_HDR_BYTES + room_of_frame(hop->cable), BATCH_MOST);

	if (most < 2 * BATCH_PACKET_MOST)
		return false;
	b->skb = glass_netdev_alloc(&hop->cable->nd, most, hop->gfp);
	if (!b->skb)
		return false;
	skb_put(b->skb, GLASS_FRAME_HDR_BYTES);
	b->most = most;
	b->hop = *hop;
	b->from = from;
	b->count = 0;
	return true;
}

static bool batch_add(struct glass_batch *b, const struct glass_pkt *pkt)
{
	struct glass_pkt *copy = &b->pkts[b->count];
	u32 off = 0;
	int len;

	len = glass_frame_build(pkt, 0, &off, b->hop.no_vcrc, skb_tail_pointer(b->skb),
				b->most - b->skb->len);
	if (unlikely(len < 0))
		return false;
	skb_put(b->skb, len);
	*copy = *pkt;
	copy->seg = NULL;
	copy->nseg = 0;
	copy->fate = NULL;
	b->count++;
	return true;
}

void glass_link_flush(struct glass_run *run)
{
	struct glass_batch *b = glass_run_batch(run);
	struct glass_netcable *c = b->hop.cable;
	struct sk_buff *skb = b->skb;
	u32 i;

	b->skb = NULL;
	if (unlikely(!b->count)) {
		kfree_skb(skb);
	} else if (unlikely(!send_frame(c, &b->hop, &b->pkts[b->count - 1], skb, b->count, run))) {
		atomic64_add(b->count, &c->stats.tx_dropped);
		for (i = 0; i < b->count; i++)
			glass_drop_note(b->from->drops, b->from->name, b->from->num, GLASS_AT_LINK,
					&b->pkts[i], GLASS_DROP_CABLE_FULL);
	}
	glass_ref_put(&c->ref);
}

/*
 * Puts a packet into the run's batch. Sends the batch if it cannot wait for another packet. Returns
 * false if the packet is not in the batch. Otherwise the batch has the reference to the cable.
 */
static bool send_batched(struct glass_run *run, const struct glass_netcable_hop *hop,
			 struct glass_link_port *from, const struct glass_pkt *pkt, bool follows)
{
	struct glass_batch *b = glass_run_batch(run);
	bool begun = b->skb;

	if (!begun && (!follows || !batch_begin(b, hop, from)))
		return false;
	if (unlikely(!batch_add(b, pkt))) {
		if (!begun) {
			/* the reference remains the caller's */
			kfree_skb(b->skb);
			b->skb = NULL;
		}
		return false;
	}
	if (begun)
		glass_ref_put(&hop->cable->ref);
	if (!follows || b->count == GLASS_BATCH_PACKETS)
		glass_link_flush(run);
	return true;
}

bool glass_netcable_send(const struct glass_netcable_hop *hop, struct glass_link_port *from,
			 const struct glass_pkt *pkt, struct glass_run *run,
			 struct glass_congestion **slow)
{
	struct glass_batch *b = run ? glass_run_batch(run) : NULL;
	struct glass_netcable *c = hop->cable;
	bool sent = false;

	if (b) {
		bool may = may_batch(c, pkt);

		if (b->skb && (!may || !may_join(b, hop, pkt)))
			glass_link_flush(run);
		if (may && send_batched(run, hop, from, pkt, glass_run_follows(run, pkt)))
			return true;
		if (unlikely(b->skb))
			glass_link_flush(run);
	}
	if (likely(glass_netdev_flight(&c->nd) < FLIGHT_MOST))
		sent = unlikely(pkt->wire) ? send_wire(c, hop, pkt) : send_train(c, hop, pkt, run);
	if (unlikely(!sent))
		atomic64_add(1 + pkt->more, &c->stats.tx_dropped);
	if (glass_netdev_flight(&c->nd) >= glass_netcable_limit(READ_ONCE(c->netdev_mtu), pkt->len))
		*slow = &c->fabric->congestion[c->slot];
	glass_ref_put(&c->ref);
	return sent;
}
