// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What happens to packets at the ports of switches and passive CAs while somebody wants to know it
 * or to break it (observe/hops.h): injection rules, captures, the trace event and the flight
 * recorder. All functions are called under the fabric's lock.
 */
#include "inject/inject.h"
#include "link/internal.h"
#include "observe/hops.h"
#include "observe/observe.h"
#include "wire/opcode.h"

/* What a rule can select by, and where in its stream the packet is. */
static void describe_hop(struct glass_subject *s, struct glass_passing *p,
			 const struct glass_fabric_node *n, u32 port, enum glass_dir dir,
			 const struct glass_pkt *pkt, u32 want)
{
	s->keys = 0;
	memset(s->comm, 0, sizeof(s->comm));
	s->value[GLASS_SEL_PID] = 0;
	s->value[GLASS_SEL_MSG] = 0;
	s->value[GLASS_SEL_WR_ID] = 0;
	s->value[GLASS_SEL_CQN] = 0;
	s->keys |= BIT(GLASS_SEL_NODE);
	s->node = n->name;
	glass_subject_set(s, GLASS_SEL_PORT, port);
	glass_subject_set(s, GLASS_SEL_DIR, dir);
	glass_subject_packet(s, pkt, want);
	p->node = n->name;
	p->qpn = n->id << 8 | port;
	p->source = (u32)pkt->slid << 16 ^ pkt->dqpn;
	p->role = glass_pkt_is_response(pkt) ? GLASS_ROLE_RESP : GLASS_ROLE_REQ;
}

static noinline_for_stack enum glass_drop hop_admit(struct glass_net *net, struct glass_net_end at,
						    enum glass_dir dir, const struct glass_pkt *pkt)
{
	struct glass_fabric *f = container_of(net, struct glass_fabric, net);
	struct glass_passing p = {
		.site = GLASS_INJECT_PACKETS,
		.dev = GLASS_FABRIC_RULES,
		.dir = dir,
	};
	struct glass_subject s;
	struct glass_hit hit;
	u32 want;

	lockdep_assert_held(&f->lock);
	/* a train was in flight when the first rule was added; a port that is down drops by itself */
	if (pkt->more || !glass_inject_wants(f->inject, p.site, dir, &want) ||
	    (dir == GLASS_DIR_RX && !glass_port_receives(glass_net_port(at), pkt->vl)))
		return GLASS_DROP_NONE;
	describe_hop(&s, &p, glass_fabric_node(at.node), at.port, dir, pkt, want);
	if (!glass_inject_ask(f->inject, &s, &p, &hit))
		return GLASS_DROP_NONE;
	if (pkt->fate)
		memcpy(pkt->fate->rule, hit.rule, sizeof(pkt->fate->rule));
	return GLASS_DROP_INJECTED;
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

/* Remembers a hop for the flight recorder: arrival and departure at a node are one entry. */
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

static void hop_seen(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
		     const struct glass_pkt *pkt, enum glass_drop why)
{
	const struct glass_fabric_node *n = glass_fabric_node(at.node);

	trace_glass_hop(n->name, at.port, pkt, dir, why);
	if (glass_capturing())
		hop_capture(n, at.port, dir, pkt, why);
	if (pkt->fate && glass_flight_hops_on())
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
