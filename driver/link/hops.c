// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hops: packets at the ports of switches and passive CAs (observe/hops.h). While anything wants
 * hops, the functions here ask the injection rules about the packets, and pass them to captures,
 * the trace event and the flight recorder. All functions but glass_link_taps() are called under the
 * fabric's lock.
 */
#include "inject/hooks.h"
#include "link/internal.h"
#include "observe/hops.h"
#include "observe/observe.h"
#include "wire/mad.h"

static enum glass_drop hop_admit(struct glass_net *net, struct glass_net_end at,
				 enum glass_dir dir, const struct glass_pkt *pkt)
{
	struct glass_fabric *f = container_of(net, struct glass_fabric, net);
	const struct glass_fabric_node *n = glass_fabric_node(at.node);

	lockdep_assert_held(&f->lock);
	/* a port that is down drops the packet by itself */
	if (dir == GLASS_DIR_RX && !glass_port_receives(glass_net_port(at), pkt->vl))
		return GLASS_DROP_NONE;
	return glass_inject_at_node(f->inject, n->name, n->id, at.port, dir, pkt) ?
		       GLASS_DROP_INJECTED : GLASS_DROP_NONE;
}

static noinline_for_stack void hop_capture(const struct glass_fabric_node *n, u32 port,
					   enum glass_dir dir, const struct glass_pkt *pkt,
					   enum glass_drop why)
{
	const struct glass_view view = {
		.dev = n->id,
		.port = port,
		.dir = dir,
		.node = n->name,
	};
	struct glass_fate fate = { .reason = why };
	struct glass_capture_slots slots;

	if (why == GLASS_DROP_INJECTED && pkt->fate)
		memcpy(fate.rule, pkt->fate->rule, sizeof(fate.rule));
	glass_capture_begin(&slots, &view, pkt);
	glass_capture_end(&slots, &fate);
}

/* Remembers a hop for the flight recorder. Arrival at a node and departure share an entry. */
static void hop_remember(struct glass_fate *fate, const struct glass_fabric_node *n, u32 port,
			 enum glass_dir dir)
{
	u16 number = glass_fabric_number(n);
	struct glass_fate_hop *h;

	if (fate->nhops && fate->nhops <= GLASS_FATE_HOPS && dir == GLASS_DIR_TX) {
		h = &fate->hop[fate->nhops - 1];
		if (h->node == number && !h->out) {
			h->out = port;
			return;
		}
	}
	if (fate->nhops >= GLASS_FATE_HOPS)
		return;
	h = &fate->hop[fate->nhops++];
	h->node = number;
	h->in = dir == GLASS_DIR_RX ? port : 0;
	h->out = dir == GLASS_DIR_TX ? port : 0;
}

static bool is_response_mad(const struct glass_pkt *pkt)
{
	const u8 *mad;

	if (pkt->dqpn > 1 || !pkt->nseg || pkt->seg[0].len < GLASS_MAD_HDR_BYTES)
		return false;
	mad = pkt->seg[0].addr;
	return mad[GLASS_MAD_METHOD] & GLASS_MM_RESPONSE;
}

/*
 * Is this the answer of a node to the packet that the HCA sent? It shares the fate of that packet,
 * but its way is another one.
 */
static bool is_answer_of_node(const struct glass_fabric *f, const struct glass_pkt *pkt)
{
	return f->sent && pkt != f->sent && is_response_mad(pkt) && !is_response_mad(f->sent);
}

static void hop_seen(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
		     const struct glass_pkt *pkt, enum glass_drop why)
{
	struct glass_fabric *f = container_of(net, struct glass_fabric, net);
	const struct glass_fabric_node *n = glass_fabric_node(at.node);

	trace_glass_hop(n->name, at.port, pkt, dir, why);
	if (glass_capturing())
		hop_capture(n, at.port, dir, pkt, why);
	if (pkt->fate && glass_flight_hops_on() && !is_answer_of_node(f, pkt))
		hop_remember(pkt->fate, n, at.port, dir);
}

static const struct glass_net_taps taps = {
	.admit = hop_admit,
	.seen = hop_seen,
};

const struct glass_net_taps *glass_link_taps(void)
{
	return glass_hops_wanted() ? &taps : NULL;
}
