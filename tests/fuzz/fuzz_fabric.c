// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fabric that changes: nodes are made and removed, HCAs unplugged, cables plugged, pulled and
 * removed, while subnet managers write tables and ports, and packets cross it. An input is a script
 * of such events. After each of them links, limits and states agree at both ends of all cables. Each
 * packet is carried twice from the same state, by the walk alone and by the fast path and the walk:
 * with the same end and the same counters. What leaves by a port arrives at its far end, and a trace
 * foretells where a data packet ends. All memory of a node is freed with it.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/trace.h"
#include "fabric_world.h"
#include "mgmt/notice.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define EVENTS 300

static struct glass_net net;
static struct glass_way way;

/* ---- the state of all nodes ---- */

static void save(void)
{
	u32 i;

	for (i = 0; i < NODES; i++)
		if (thing[i]) {
			memcpy(thing[i]->was, thing[i]->ports,
			       (thing[i]->num_ports + 1) * sizeof(*thing[i]->ports));
			thing[i]->node_was = *node_of(thing[i]);
		}
}

/* Exchanges the state with the saved one. */
static void swap(void)
{
	u32 i;

	for (i = 0; i < NODES; i++) {
		struct thing *t = thing[i];
		struct glass_node node;
		struct glass_port port;
		u32 k;

		if (!t)
			continue;
		node = *node_of(t);
		*node_of(t) = t->node_was;
		t->node_was = node;
		for (k = 0; k <= t->num_ports; k++) {
			port = t->ports[k];
			t->ports[k] = t->was[k];
			t->was[k] = port;
		}
	}
}

/* All of two ports is equal but the route, which the fast path remembers. */
static bool same_port(const struct glass_port *a, const struct glass_port *b)
{
	struct glass_port x = *a, y = *b;

	memset(&x.route, 0, sizeof(x.route));
	memset(&y.route, 0, sizeof(y.route));
	return !memcmp(&x, &y, sizeof(x));
}

static bool same_as_saved(void)
{
	u32 i, k;

	for (i = 0; i < NODES; i++) {
		if (!thing[i])
			continue;
		if (memcmp(&thing[i]->node_was, node_of(thing[i]), sizeof(thing[i]->node_was)))
			return false;
		for (k = 0; k <= thing[i]->num_ports; k++)
			if (!same_port(&thing[i]->was[k], &thing[i]->ports[k]))
				return false;
	}
	return true;
}

static u64 more(const struct glass_port *p, const struct glass_port *was, u32 ctr)
{
	return p->ctr[ctr] - was->ctr[ctr];
}

/* An end of a cable, now and as it was */
static struct glass_port *port_at(struct glass_net_end e, const struct glass_port **was)
{
	struct thing *t = thing_of(e.node);

	*was = &t->was[e.port];
	return &t->ports[e.port];
}

/* ---- what holds at any time ---- */

static void check_cable(struct glass_net_end a)
{
	struct glass_net_end b = a.node->ends[a.port];
	const struct glass_port *p = glass_net_port(a), *q = glass_net_port(b);

	if (!b.node) {
		FUZZ_CHECK(!p || p->state == GLASS_PORT_DOWN, "node %u port %u: state %u, no cable",
			   a.node->index, a.port, p->state);
		FUZZ_CHECK(!p || !p->cable.cut, "node %u port %u: a cable that is gone is pulled",
			   a.node->index, a.port);
		return;
	}
	FUZZ_CHECK(thing[b.node->index] == thing_of(b.node), "a cable to a node that is gone");
	FUZZ_CHECK(b.node->ends[b.port].node == a.node && b.node->ends[b.port].port == a.port,
		   "a cable of one end");
	FUZZ_CHECK(b.node->ends[b.port].pulled == b.pulled && b.node->ends[b.port].mtu == b.mtu &&
		   b.node->ends[b.port].width == b.width, "a cable with two kinds of limits");
	if (!p)
		return;
	FUZZ_CHECK(p->state == GLASS_PORT_DOWN || (q && !b.pulled), "node %u port %u: state %u",
		   a.node->index, a.port, p->state);
	FUZZ_CHECK(p->cable.cut == b.pulled && p->cable.mtu == b.mtu && p->cable.width == b.width &&
		   p->cable.speed == b.speed && p->cable.ext == b.speed_ext,
		   "node %u port %u does not know its cable", a.node->index, a.port);
	if (!q)
		return;
	FUZZ_CHECK((p->state == GLASS_PORT_DOWN) == (q->state == GLASS_PORT_DOWN),
		   "a cable in the states %u and %u", p->state, q->state);
	if (p->state == GLASS_PORT_DOWN)
		return;
	FUZZ_CHECK(glass_port_lanes(p) == glass_port_lanes(q) &&
		   glass_port_lane_speed(p) == glass_port_lane_speed(q), "a link of two widths");
	FUZZ_CHECK(p->width_active == q->width_active && p->speed_active == q->speed_active &&
		   p->speed_ext_active == q->speed_ext_active, "a link of two rates");
	FUZZ_CHECK(!(p->width_active & ~b.width) && !(p->speed_active & ~b.speed) &&
		   !(p->speed_ext_active & ~b.speed_ext), "a link beyond its cable");
	FUZZ_CHECK(p->mtu_active <= b.mtu, "MTU code %u by a cable of %u", p->mtu_active, b.mtu);
}

static void check_all(void)
{
	u32 i, port;

	for (i = 0; i < NODES; i++)
		for (port = 1; thing[i] && port <= thing[i]->num_ports; port++)
			check_cable(glass_net_end(&thing[i]->net, port));
}

/* ---- packets ---- */

/* An HCA's port that a copy of a multicast packet reached */
static bool has_copy(struct glass_net_end at)
{
	return glass_port_set_has(way.to, at.node->index * GLASS_TOPO_MAX_HCA_PORTS + at.port - 1);
}

/*
 * What left by `a` arrived at the other end, if that one receives data. from: the port that sent
 * the packet, of which the owner counts; an arrival at an HCA is the owner's to count, too.
 */
static void check_carried(struct glass_net_end a, struct glass_net_end from, u32 packets, u32 words)
{
	struct glass_net_end b = a.node->ends[a.port];
	const struct glass_port *was, *far_was, *p = port_at(a, &was), *far;
	u64 out = more(p, was, GLASS_CTR_XMIT_PKTS), data = more(p, was, GLASS_CTR_XMIT_DATA);
	u64 in, arrived;

	FUZZ_CHECK(out == more(p, was, GLASS_CTR_UC_XMIT_PKTS) + more(p, was, GLASS_CTR_MC_XMIT_PKTS),
		   "packets that are neither unicast nor multicast");
	if (!b.node) {
		FUZZ_CHECK(!out, "%llu packets left by a port without a cable", (unsigned long long)out);
		return;
	}
	if (a.node == from.node && a.port == from.port) {
		out += packets;
		data += words;
	}
	if (is_hca(b.node)) {
		/* an answer of the net is one packet, whatever the first one was */
		arrived = way.kind == GLASS_WAY_COPIES ? has_copy(b) ? packets : 0 :
			  way.kind == GLASS_WAY_ARRIVED && way.at.node == b.node &&
			  way.at.port == b.port && way.pkt->vl != GLASS_VL_SMP ? 1u + way.pkt->more : 0;
		FUZZ_CHECK(out == arrived, "%llu packets left for HCA %u, and %llu arrived",
			   (unsigned long long)out, b.node->index, (unsigned long long)arrived);
		return;
	}
	far = port_at(b, &far_was);
	in = more(far, far_was, GLASS_CTR_RCV_PKTS);
	if (far_was->state < GLASS_PORT_ARMED) {
		FUZZ_CHECK(!in, "%llu packets arrived in state %u", (unsigned long long)in,
			   far_was->state);
		return;
	}
	FUZZ_CHECK(in == out && more(far, far_was, GLASS_CTR_RCV_DATA) == data,
		   "node %u port %u sent %llu packets, and %llu arrived at node %u port %u",
		   a.node->index, a.port, (unsigned long long)out, (unsigned long long)in,
		   b.node->index, b.port);
}

/* packets, words: of data that the port `from` sent, beside answers of nodes */
static void check_counters(struct glass_net_end from, u32 packets, u32 words)
{
	u32 i, port;

	for (i = 0; i < NODES; i++)
		for (port = 1; thing[i] && port <= thing[i]->num_ports; port++)
			check_carried(glass_net_end(&thing[i]->net, port), from, packets, words);
}

static void check_way(const struct glass_pkt *pkt)
{
	u32 most = way.pkt->vl == GLASS_VL_SMP ? GLASS_NET_MAX_SMP_HOPS :
		   way.own ? 2 * GLASS_NET_MAX_HOPS + 1 : GLASS_NET_MAX_HOPS;

	/* a passive CA is one more at the end */
	FUZZ_CHECK(way.hops <= most + 1, "%u hops", way.hops);
	FUZZ_CHECK(way.own || way.pkt == pkt, "another packet");
	FUZZ_CHECK(way.kind != GLASS_WAY_ARRIVED || is_hca(way.at.node) || !pkt, "arrived at no HCA");
	FUZZ_CHECK(way.kind != GLASS_WAY_DROPPED || (way.why > GLASS_DROP_NONE &&
						     way.why < GLASS_DROP_COUNT), "reason %u", way.why);
	FUZZ_CHECK(!way.at.node || thing[way.at.node->index] == thing_of(way.at.node), "a lost node");
	FUZZ_CHECK(!way.trap || thing[way.trap->index] == thing_of(way.trap), "a trap of a lost node");
	FUZZ_CHECK(!way.cut, "a packet left by a port without a cable");
}

/* The owner's part, after the packet */
static void after_packet(void)
{
	struct glass_net_end changed = way.changed;
	u32 a, b;

	if (changed.node)
		glass_net_link_update(changed, &a, &b);
}

static struct glass_hop hop[GLASS_TRACE_HOPS];

/* Does a data packet for no QP that nodes have end where the trace said? */
static void check_trace(u32 n, bool slow)
{
	const struct glass_hop *last = &hop[n - 1];
	enum glass_drop why = last->why;

	/* P_Keys and lengths are not considered */
	if (way.kind == GLASS_WAY_DROPPED &&
	    (way.why == GLASS_DROP_BAD_PKEY || way.why == GLASS_DROP_BAD_LEN))
		return;
	FUZZ_CHECK(way.at.node == last->node, "ended at node %d, and the trace at %u (%u hops)",
		   way.at.node ? (int)way.at.node->index : -1, last->node->index, n);
	if (is_hca(last->node)) {
		FUZZ_CHECK(way.kind == GLASS_WAY_ARRIVED && way.at.port == last->in,
			   "not at port %u of the HCA", last->in);
	} else {
		FUZZ_CHECK(way.kind == GLASS_WAY_DROPPED && way.why == (why ?: GLASS_DROP_NO_QP),
			   "%u, and the trace says %u", way.why, why);
		FUZZ_CHECK(way.at.port == (why == GLASS_DROP_PORT_DOWN && last->out ? last->out : last->in),
			   "at port %u", way.at.port);
	}
	if (slow)
		FUZZ_CHECK(way.hops == n - 1 - (is_hca(last->node) || why == GLASS_DROP_LOOP),
			   "%u hops, and %u in the trace", way.hops, n);
}

/* The packet by the fast path and the walk, from the state before: nothing differs. */
static void carry_fast(struct glass_net_end at, const struct glass_pkt *pkt)
{
	struct glass_way walked = way;
	u8 answer[GLASS_MAD_BYTES];
	u32 hops;

	if (walked.own)
		memcpy(answer, walked.pkt->seg[0].addr, sizeof(answer));
	swap();
	if (glass_net_fast(&at, pkt, glass_pkt_words(pkt), &hops)) {
		FUZZ_CHECK(walked.kind == GLASS_WAY_ARRIVED && !walked.own &&
			   walked.at.node == at.node && walked.at.port == at.port,
			   "arrived at node %u port %u", at.node->index, at.port);
		FUZZ_CHECK(same_as_saved(), "the fast path counts in another way");
		return;
	}
	glass_net_walk(&net, at, hops, pkt, &way);
	FUZZ_CHECK(way.hops == walked.hops, "%u hops, and %u by the walk", way.hops, walked.hops);
	FUZZ_CHECK(way.kind == walked.kind && way.why == walked.why && way.own == walked.own &&
		   way.cut == walked.cut,
		   "kind %u, reason %u; and by the walk %u, %u", way.kind, way.why, walked.kind,
		   walked.why);
	FUZZ_CHECK(way.at.node == walked.at.node && way.at.port == walked.at.port, "another end");
	if (way.own)
		FUZZ_CHECK(!memcmp(answer, way.pkt->seg[0].addr, sizeof(answer)), "another answer");
	FUZZ_CHECK(same_as_saved(), "the fast path and the walk count in another way");
}

static struct glass_pkt data_pkt(u16 dlid, u32 len)
{
	static u8 bytes[GLASS_MTU_MAX];
	static struct glass_seg seg;

	seg = (struct glass_seg){ .addr = bytes, .len = len };
	return (struct glass_pkt){
		.lnh = GLASS_LNH_LOCAL, .slid = fuzz_below(LIDS), .dlid = dlid,
		.opcode = GLASS_BOP_SEND_ONLY, .dqpn = 77, .pkey = 0xffff,
		.len = len, .nseg = 1, .seg = &seg,
	};
}

/* A data packet of an HCA: to a LID, or to a group */
static void data(void)
{
	struct thing *t = pick_hca();
	struct glass_net_end from;
	struct glass_pkt pkt;
	u32 hops = 0, words, len;
	u8 how;

	if (!t)
		return;
	from = pick_end(t);
	how = fuzz_u8();
	len = how & 4 ? fuzz_below(4097) : 64;
	pkt = data_pkt(how & 1 ? GLASS_LID_MCAST_BASE + fuzz_below(how & 2 ? 4 : 0x3ffe) : pick_lid(),
		       len);
	if (how & 8)
		pkt.pkey = fuzz_u16();
	if (how & 0x10 && !(how & 1))
		pkt.more = fuzz_u8() & 7;
	words = glass_pkt_words(&pkt);
	if (pkt.dlid < GLASS_LID_MCAST_BASE) {
		save();
		hops = glass_net_trace(from, pkt.dlid, hop);
		FUZZ_CHECK(hops >= 1 && hops <= GLASS_TRACE_HOPS, "%u hops", hops);
		FUZZ_CHECK(same_as_saved(), "a trace changed something");
	}
	if (!glass_port_sends(&t->ports[from.port], 0)) {
		FUZZ_CHECK(!hops || (hops == 1 && hop[0].why == GLASS_DROP_PORT_DOWN),
			   "the trace leaves a port that is down");
		return;
	}
	if (pkt.dlid < GLASS_LID_MCAST_BASE && glass_port_has_lid(&t->ports[from.port], pkt.dlid)) {
		FUZZ_CHECK(hops == 1 && !hop[0].why && !hop[0].out, "a trace of a loopback");
		return;
	}
	save();
	glass_net_walk(&net, from.node->ends[from.port], 0, &pkt, &way);
	check_way(&pkt);
	check_counters(from, 1 + pkt.more, words);
	if (hops)
		check_trace(hops, true);
	if (!glass_lid_is_mcast(pkt.dlid))
		carry_fast(from.node->ends[from.port], &pkt);
	after_packet();
}

static void make_smp(struct glass_net_end from, u8 mad[256])
{
	struct thing *to = pick();
	u8 how = fuzz_u8(), path = fuzz_u8();
	struct glass_net_end at;
	u32 i, hops;

	/* along cables, mostly: the first hop leaves the HCA */
	at = from.node->ends[from.port];
	for (hops = 1; hops < 1u + (path & 7) && at.node && at.node->sw; hops++) {
		mad[GLASS_SMP_INITIAL_PATH + hops + 1] = 1 + fuzz_below(at.node->num_ports);
		at = at.node->ends[mad[GLASS_SMP_INITIAL_PATH + hops + 1]];
	}
	if (at.node && path & 8)
		to = thing_of(at.node);
	if (to->net.node) {
		u8 set_mad[256] = { 0 };

		make_set(node_of(to), set_mad);
		memcpy(mad, set_mad, GLASS_SMP_INITIAL_PATH);
	}
	if (how & 1)
		mad[GLASS_MAD_METHOD] = how & 2 ? GLASS_MM_GET : GLASS_MM_TRAP_REPRESS;
	if (how & 4)
		put_unaligned_be64(node_of(to)->ports[!to->sw].mkey, mad + GLASS_SMP_MKEY);
	put_unaligned_be32(node_of(to)->trap_tid, mad + GLASS_MAD_TID + 4);
	if (how & 8)
		return;
	mad[GLASS_MAD_CLASS] = GLASS_MC_SM_DR;
	put_unaligned_be16(how & 0x10 ? fuzz_u16() : GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_SLID);
	put_unaligned_be16(how & 0x20 ? fuzz_below(LIDS) : GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_DLID);
	mad[GLASS_SMP_HOP_CNT] = hops;
	mad[GLASS_SMP_HOP_PTR] = 1;
	if (path & 0x10)
		mad[GLASS_SMP_HOP_CNT] = fuzz_u8() & 63;
	if (path & 0x20)
		mad[GLASS_SMP_HOP_PTR] = fuzz_u8();
	for (i = 1; path & 0x40 && i <= mad[GLASS_SMP_HOP_CNT] && fuzz_left(); i++)
		mad[GLASS_SMP_INITIAL_PATH + i] = fuzz_u8() & 7;
}

/* A MAD of an HCA: an SMP, or a GMP to a switch or a passive CA */
static void mad(void)
{
	struct thing *t = pick_hca();
	u8 bytes[GLASS_MAD_BYTES] = { 0 }, how;
	struct glass_net_end from;
	struct glass_pkt pkt;
	struct glass_seg seg = { .addr = bytes, .len = sizeof(bytes) };
	bool smp;

	if (!t)
		return;
	from = pick_end(t);
	how = fuzz_u8();
	smp = how & 1;
	pkt = data_pkt(how & 2 ? GLASS_LID_PERMISSIVE : pick_lid(), sizeof(bytes));
	/* so that an answer comes back, mostly */
	if (t->ports[from.port].lid && !(how & 4))
		pkt.slid = t->ports[from.port].lid;
	pkt.seg = &seg;
	pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	if (how & 8)
		pkt.slid = fuzz_u16();
	if (smp) {
		make_smp(from, bytes);
		pkt.vl = GLASS_VL_SMP;
		pkt.dqpn = 0;
		if (bytes[GLASS_MAD_CLASS] == GLASS_MC_SM_DR)
			pkt.dlid = how & 0x10 ? pkt.dlid : GLASS_LID_PERMISSIVE;
	} else {
		static const u16 attrs[] = { 1, 0x12, 0x1d, 0x10, 0x11, 2, 0x12, 0x1d };

		bytes[GLASS_MAD_BASE_VERSION] = bytes[GLASS_MAD_CLASS_VERSION] = 1;
		bytes[GLASS_MAD_CLASS] = GLASS_MC_PM;
		bytes[GLASS_MAD_METHOD] = how & 0x10 ? GLASS_MM_SET : GLASS_MM_GET;
		put_unaligned_be16(attrs[fuzz_u8() & 7], bytes + GLASS_MAD_ATTR);
		bytes[GLASS_PM_DATA + 1] = fuzz_u8();
		put_unaligned_be16(0xffff, bytes + GLASS_PM_DATA + 2);
		pkt.dqpn = 1;
		pkt.qkey = 0x80010000;
		switch (how >> 5) {
		case 1:
			pkt.dqpn = fuzz_u8() & 3;
			break;
		case 2:
			pkt.qkey = fuzz_u8();
			break;
		case 3:
			pkt.pkey = fuzz_u16();
			break;
		case 4:
			pkt.len = seg.len = fuzz_u8();
			break;
		case 5:
			bytes[GLASS_MAD_CLASS] = fuzz_u8();
			bytes[GLASS_MAD_METHOD] = fuzz_u8();
			break;
		}
	}
	if (!glass_port_sends(&t->ports[from.port], pkt.vl))
		return;
	save();
	glass_net_walk(&net, from.node->ends[from.port], 0, &pkt, &way);
	check_way(&pkt);
	check_counters(from, !smp, smp ? 0 : glass_pkt_words(&pkt));
	if (!smp && !glass_lid_is_mcast(pkt.dlid))
		carry_fast(from.node->ends[from.port], &pkt);
	after_packet();
}

static void trap(void)
{
	struct thing *t = pick();
	u8 how = fuzz_u8();
	bool sendable;

	if (!t || !t->net.node)
		return;
	if (how & 1)
		glass_trap_local_change(node_of(t), 1 + (how >> 1) % t->num_ports, GLASS_LOCAL_DESC);
	if (how & 0x80)
		net.now += (u64)fuzz_u16() << 20;
	save();
	sendable = glass_trap_sendable(node_of(t));
	FUZZ_CHECK(glass_net_trap(&net, &t->net, &way) == sendable, "a trap");
	if (!sendable)
		return;
	FUZZ_CHECK(way.own, "a trap of nobody");
	check_way(NULL);
	check_counters(glass_net_end(NULL, 0), 0, 0);
	after_packet();
}

int LLVMFuzzerTestOneInput(const uint8_t *data_bytes, size_t size)
{
	u32 i;
	u8 how;

	fuzz_begin(data_bytes, size);
	memset(&net, 0xa5, sizeof(net));
	net.now = 0;
	net.groups = 0;
	net.slot = 0;
	net.taps = NULL;
	how = fuzz_u8();
	switch (how & 7) {
	case 1:
		make_chain(60 + (how >> 3) % 10);
		break;
	case 2:
	case 3:
		make_chain(1 + (how >> 3 & 7));
		break;
	case 4:
	case 5:
		make_star(1 + (how >> 3 & 15) % 6, how & 0x80);
		break;
	case 6:
		make_circle(how);
		break;
	}
	check_all();
	for (i = 0; i < EVENTS && fuzz_left(); i++) {
		u8 event = fuzz_u8() & 15;

		if (event < 2)
			change_node();
		else if (event < 5)
			change_cable();
		else if (event < 8)
			manage();
		else if (event < 9)
			trap();
		else if (event < 12)
			mad();
		else
			data();
		check_all();
	}
	for (i = 0; i < NODES; i++)
		if (thing[i])
			drop(i);
	return 0;
}
