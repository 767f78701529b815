// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The net (net.h): cables, and the way of a packet from switch to switch. */
#include "fabric/ca.h"
#include "fabric/net.h"
#include "mgmt/notice.h"

void glass_net_add(struct glass_net_node *n, u32 index, struct glass_node *node,
		   struct glass_switch *sw, u32 num_ports, struct glass_net_end *ends)
{
	memset(n, 0, sizeof(*n));
	n->index = index;
	n->node = node;
	n->sw = sw;
	n->num_ports = num_ports;
	n->ends = ends;
	memset(ends, 0, (num_ports + 1) * sizeof(*ends));
}

static bool end_exists(struct glass_net_end e)
{
	return e.node && e.port && e.port <= e.node->num_ports;
}

int glass_net_plug(struct glass_net_end a, struct glass_net_end b)
{
	if (!end_exists(a) || !end_exists(b) || (a.node == b.node && a.port == b.port))
		return -EINVAL;
	if (a.node->ends[a.port].node || b.node->ends[b.port].node)
		return -EBUSY;
	b.node->ends[b.port] = a;
	/* the entries of a cable differ in node and port only */
	a.node->ends[a.port] = a;
	a.node->ends[a.port].node = b.node;
	a.node->ends[a.port].port = b.port;
	return 0;
}

void glass_net_pull(struct glass_net_end a, bool pulled)
{
	struct glass_net_end *far = &a.node->ends[a.port];

	far->pulled = pulled;
	if (far->node)
		far->node->ends[far->port].pulled = pulled;
}

/* Copies the limits of a cable to a port. `far` is the port's entry in glass_net_node.ends. */
static void set_cable(struct glass_port *p, const struct glass_net_end *far)
{
	p->cable = (struct glass_cable_caps){
		.width = far->width,
		.speed = far->speed,
		.ext = far->speed_ext,
		.mtu = far->mtu,
		.cut = far->pulled,
	};
}

static void forget_cable(struct glass_net_end e)
{
	struct glass_net_end none = glass_net_end(NULL, 0);
	struct glass_port *p = glass_net_port(e);

	e.node->ends[e.port] = none;
	if (p)
		set_cable(p, &none);
}

void glass_net_link_update(struct glass_net_end a, u32 *chg_a, u32 *chg_b)
{
	struct glass_net_end b = a.node->ends[a.port];
	struct glass_port *pa = glass_net_port(a), *pb = glass_net_port(b);

	*chg_a = 0;
	*chg_b = 0;
	if (b.node && pa)
		set_cable(pa, &b);
	if (pb)
		set_cable(pb, &b);
	if (pa && pb)
		glass_link_update(a.node->node, pa, b.node->node, pb, chg_a, chg_b);
	else if (pa)
		*chg_a = glass_link_alone(a.node->node, pa);
	else if (pb)
		*chg_b = glass_link_alone(b.node->node, pb);
}

void glass_net_unplug(struct glass_net_end a, u32 *chg_a, u32 *chg_b)
{
	struct glass_net_end b = a.node->ends[a.port];

	glass_net_pull(a, true);
	glass_net_link_update(a, chg_a, chg_b);
	forget_cable(a);
	forget_cable(b);
}

static void way_drop(struct glass_way *way, enum glass_drop why)
{
	way->kind = GLASS_WAY_DROPPED;
	way->why = why;
}

static void note_trap(struct glass_way *way, struct glass_net_node *n)
{
	if (unlikely(glass_trap_sendable(n->node)))
		way->trap = n;
}

static void way_lose(struct glass_way *way, struct glass_net_node *n, u32 port,
		     enum glass_drop why)
{
	struct glass_way_lost *lost;

	if (way->nlost < GLASS_WAY_LOST) {
		lost = &way->lost[way->nlost];
		lost->at = glass_net_end(n, port);
		lost->why = why;
	}
	way->nlost++;
}

/* Counts a packet at port p of a node that drops the packet because its route is a circle. */
static void count_circle(struct glass_port *p, const struct glass_pkt *pkt)
{
	if (!glass_port_receives(p, pkt->vl))
		return;
	glass_port_count_rx(p, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
	p->ctr[GLASS_CTR_RCV_SWITCH_RELAY] += 1 + pkt->more;
}

/*
 * Asks the taps whether the packet may pass this port. Returns GLASS_DROP_NONE if so. Otherwise
 * reports the drop to the taps, and returns the reason. A packet that is dropped on arrival counts
 * as received with an error. A packet that is dropped as it leaves remains counted as sent, as if
 * the cable had lost it.
 */
static enum glass_drop tap_admit(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
				 const struct glass_pkt *pkt)
{
	enum glass_drop why;

	if (likely(!net->taps))
		return GLASS_DROP_NONE;
	why = net->taps->admit(net, at, dir, pkt);
	if (!why)
		return GLASS_DROP_NONE;
	if (dir == GLASS_DIR_RX)
		glass_net_port(at)->ctr[GLASS_CTR_RCV_ERR] += 1 + pkt->more;
	net->taps->seen(net, at, dir, pkt, why);
	return why;
}

static void tap_seen(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
		     const struct glass_pkt *pkt, enum glass_drop why)
{
	if (unlikely(net->taps) && at.port)
		net->taps->seen(net, at, dir, pkt, why);
}

/*
 * Asks the taps whether the packet may leave by this port. Then reports the packet, or its drop, to
 * the taps. Returns GLASS_DROP_NONE, or the reason of the drop.
 */
static enum glass_drop tap_send(struct glass_net *net, struct glass_net_end at,
				const struct glass_pkt *pkt)
{
	enum glass_drop why = tap_admit(net, at, GLASS_DIR_TX, pkt);

	if (!why)
		tap_seen(net, at, GLASS_DIR_TX, pkt, GLASS_DROP_NONE);
	return why;
}

/* The switches that still have to forward a multicast packet, and the number of copies made so far. */
struct queue {
	struct glass_net_node *first, **last;
	u32 copies;
};

static void queue_add(struct queue *q, struct glass_net_node *n)
{
	n->next = NULL;
	*q->last = n;
	q->last = &n->next;
}

/*
 * A copy of a multicast packet reaches a passive CA: counts the copy, or records that it was lost
 * there. The copy goes no further, because a passive CA has no QPs in multicast groups.
 */
static void count_passive(struct glass_net *net, struct glass_way *way, struct glass_net_end at)
{
	struct glass_port *p = glass_net_port(at);
	const struct glass_pkt *pkt = way->pkt;
	enum glass_drop why = tap_admit(net, at, GLASS_DIR_RX, pkt);

	if (likely(!why)) {
		why = glass_port_receives(p, pkt->vl) ? GLASS_DROP_NONE : GLASS_DROP_PORT_DOWN;
		tap_seen(net, at, GLASS_DIR_RX, pkt, why);
	}
	if (unlikely(why)) {
		way_lose(way, at.node, at.port, why);
		return;
	}
	glass_port_count_rx(p, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
	glass_port_data_seen(p);
}

/*
 * Returns the reason why the switch dropped the copy for this port. Returns GLASS_DROP_NONE if it
 * sent the copy, or if there was no copy for this port.
 */
static enum glass_drop copy_lost(const struct glass_fwd *fwd, u32 port)
{
	if (unlikely(glass_port_set_has(fwd->down, port)))
		return GLASS_DROP_PORT_DOWN;
	if (unlikely(glass_port_set_has(fwd->too_long, port)))
		return GLASS_DROP_BAD_LEN;
	if (unlikely(glass_port_set_has(fwd->denied, port)))
		return GLASS_DROP_BAD_PKEY;
	return GLASS_DROP_NONE;
}

/* A copy reaches this port of a switch that does not forward it: this one, or too many others, did so already. */
static void lose_circle(struct glass_net *net, struct glass_net_end to, struct glass_way *way)
{
	count_circle(glass_net_port(to), way->pkt);
	tap_seen(net, to, GLASS_DIR_RX, way->pkt, GLASS_DROP_LOOP);
	way_lose(way, to.node, to.port, GLASS_DROP_LOOP);
}

/*
 * Carries the copies of a multicast packet that switch `n` has made (*fwd) over their cables.
 * way->to gets the HCA ports that a copy reaches, and way->lost gets the dropped copies. *q gets
 * each switch that a copy reaches for the first time.
 */
static void fan_out(struct glass_net *net, struct glass_net_node *n, const struct glass_fwd *fwd,
		    struct glass_way *way, struct queue *q)
{
	struct glass_net_end from, to;
	enum glass_drop why;
	u32 port, bit;

	for (port = 1; port <= n->num_ports; port++) {
		why = copy_lost(fwd, port);
		if (likely(!why) && !glass_port_set_has(fwd->ports, port))
			continue;
		q->copies++;
		from = glass_net_end(n, port);
		if (unlikely(why))
			tap_seen(net, from, GLASS_DIR_TX, way->pkt, why);
		else
			why = tap_send(net, from, way->pkt);
		if (unlikely(why)) {
			way_lose(way, n, port, why);
			continue;
		}
		to = n->ends[port];
		if (!to.node) {
			way_lose(way, n, port, GLASS_DROP_PORT_DOWN);
		} else if (!to.node->sw && !to.node->owners) {
			count_passive(net, way, to);
		} else if (!to.node->sw) {
			bit = to.node->index * GLASS_TOPO_MAX_HCA_PORTS + to.port - 1;
			way->to[bit / 64] |= 1ULL << (bit % 64);
		} else if (to.node->seen == net->groups) {
			/* each switch forwards a packet once */
			lose_circle(net, to, way);
		} else {
			to.node->seen = net->groups;
			to.node->in_port = to.port;
			queue_add(q, to.node);
		}
	}
}

/*
 * Carries a multicast packet on from switch `n`, whose verdict *fwd has the first copies. Each
 * switch forwards the packet at most once. Otherwise tables that lead in a circle would multiply
 * it.
 */
static void net_walk_group(struct glass_net *net, struct glass_net_node *n, struct glass_fwd *fwd,
		       struct glass_way *way)
{
	struct queue q = { .last = &q.first };
	struct glass_net_end in;
	enum glass_drop why;

	way->kind = GLASS_WAY_COPIES;
	n->seen = ++net->groups;
	fan_out(net, n, fwd, way, &q);
	for (; q.first; q.first = q.first->next) {
		n = q.first;
		in = glass_net_end(n, n->in_port);
		if (unlikely(q.copies >= GLASS_NET_MAX_COPIES)) {
			lose_circle(net, in, way);
			continue;
		}
		way->hops++;
		why = tap_admit(net, in, GLASS_DIR_RX, way->pkt);
		if (unlikely(why)) {
			way_lose(way, n, n->in_port, why);
			continue;
		}
		glass_switch_rx(n->sw, n->in_port, way->pkt, fwd);
		note_trap(way, n);
		why = fwd->kind == GLASS_FWD_SET ? GLASS_DROP_NONE : fwd->why;
		tap_seen(net, in, GLASS_DIR_RX, way->pkt, why);
		if (likely(!why))
			fan_out(net, n, fwd, way, &q);
		else
			way_lose(way, n, n->in_port, why);
	}
}

/* Builds the packet of the last verdict. That packet replaces way->pkt as the packet on its way. */
static void take_own(struct glass_net *net, struct glass_way *way)
{
	u32 i = net->slot = !net->slot;

	glass_fwd_pkt(&net->fwd[i], &net->pkt[i], &net->seg[i]);
	if (way->pkt)
		net->pkt[i].fate = way->pkt->fate;
	way->pkt = &net->pkt[i];
	way->own = true;
}

static u32 max_hops(const struct glass_way *way)
{
	if (way->pkt->vl == GLASS_VL_SMP)
		return GLASS_NET_MAX_SMP_HOPS;
	/* for an answer, way->hops also counts the way of the request, and the answering node */
	return way->own ? 2 * GLASS_NET_MAX_HOPS + 1 : GLASS_NET_MAX_HOPS;
}

/* Carries way->pkt, which arrives at `at`, to the end of its way. */
static void net_walk_on(struct glass_net *net, struct glass_net_end at, struct glass_way *way)
{
	struct glass_net_node *n;
	struct glass_fwd *fwd;
	enum glass_drop why;

	for (;;) {
		way->at = at;
		n = at.node;
		if (!n) {
			way->cut = true;
			way_drop(way, GLASS_DROP_PORT_DOWN);
			return;
		}
		if (n->owners) {
			way->kind = GLASS_WAY_ARRIVED;
			return;
		}
		/* no limit at a passive CA: it only answers requests, so it adds to no circle */
		if (n->sw && way->hops >= max_hops(way)) {
			count_circle(&n->node->ports[at.port], way->pkt);
			tap_seen(net, at, GLASS_DIR_RX, way->pkt, GLASS_DROP_LOOP);
			way_drop(way, GLASS_DROP_LOOP);
			return;
		}
		why = tap_admit(net, at, GLASS_DIR_RX, way->pkt);
		if (unlikely(why)) {
			way_drop(way, why);
			return;
		}
		way->hops++;
		/* not fwd[slot]: way->pkt may refer to it */
		fwd = &net->fwd[!net->slot];
		if (way->pkt->vl == GLASS_VL_SMP)
			n->node->now = net->now;
		if (n->sw)
			glass_switch_rx(n->sw, at.port, way->pkt, fwd);
		else
			glass_ca_rx(n->node, at.port, way->pkt, fwd);
		note_trap(way, n);
		if (fwd->changes & GLASS_CHG_LINK)
			way->changed = glass_net_end(n, GLASS_CHG_PORT(fwd->changes));
		/* below, a drop at an output port is reported for that port, not for this one */
		why = fwd->kind == GLASS_FWD_DROP && !fwd->own && !fwd->port ? fwd->why :
									       GLASS_DROP_NONE;
		tap_seen(net, at, GLASS_DIR_RX, way->pkt, why);
		switch (fwd->kind) {
		case GLASS_FWD_MAD:
			take_own(net, way);
			fallthrough;
		case GLASS_FWD_PORT:
			way->at = glass_net_end(n, fwd->port);
			why = tap_send(net, way->at, way->pkt);
			if (unlikely(why)) {
				way_drop(way, why);
				return;
			}
			at = n->ends[fwd->port];
			break;
		case GLASS_FWD_SET:
			net_walk_group(net, n, fwd, way);
			return;
		case GLASS_FWD_CONSUMED:
			way->kind = GLASS_WAY_CONSUMED;
			return;
		case GLASS_FWD_DROP:
		default:
			if (fwd->port)
				way->at.port = fwd->port;
			if (fwd->own)
				take_own(net, way);
			tap_seen(net, glass_net_end(n, fwd->port), GLASS_DIR_TX, way->pkt, fwd->why);
			way_drop(way, fwd->why);
			return;
		}
	}
}

static void way_init(struct glass_way *way, const struct glass_pkt *pkt)
{
	memset(way, 0, sizeof(*way));
	way->pkt = pkt;
}

void glass_net_walk(struct glass_net *net, struct glass_net_end at, u32 hops,
		    const struct glass_pkt *pkt, struct glass_way *way)
{
	way_init(way, pkt);
	way->hops = hops;
	net_walk_on(net, at, way);
}

bool glass_net_trap(struct glass_net *net, struct glass_net_node *n, struct glass_way *way)
{
	struct glass_fwd *fwd = &net->fwd[!net->slot];
	enum glass_drop why;

	if (n->sw ? !glass_switch_trap(n->sw, fwd) : !glass_ca_trap(n->node, fwd))
		return false;
	way_init(way, NULL);
	way->at = glass_net_end(n, fwd->port);
	take_own(net, way);
	if (fwd->kind != GLASS_FWD_MAD) {
		way_drop(way, fwd->why);
		return true;
	}
	if (!n->sw && glass_port_has_lid(&n->node->ports[fwd->port], fwd->dlid)) {
		way->kind = GLASS_WAY_ARRIVED; /* the subnet manager is at the same port */
		return true;
	}
	/* the taps are for switches and passive CAs, not for HCAs */
	why = n->owners ? GLASS_DROP_NONE : tap_send(net, way->at, way->pkt);
	if (unlikely(why))
		way_drop(way, why);
	else
		net_walk_on(net, n->ends[fwd->port], way);
	return true;
}
