// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables `connected` and `ports` of a story (story.h), and its key dlid_port: the QPs that name
 * the failed QP as their peer, the port that has its destination LID, and the ports in between.
 */
#include <linux/slab.h>

#include "debugfs/story.h"
#include "fabric/trace.h"
#include "link/ether.h"
#include "link/fabric.h"
#include "model/netcable.h"

DEFINE_GLASS_FIELDS(story_connected, GLASS_COLUMNS_STORY_CONNECTED);
DEFINE_GLASS_FIELDS(story_ports, GLASS_COLUMNS_STORY_PORT);

static const char *const way_qp_states[] = GLASS_WORDS(GLASS_QP_STATES);

/* ---- connected */

#define SCAN_MOST 65536 /* QPs that are looked at for a failure */
#define SCAN_AT_ONCE 64 /* of these, with interrupts off */
#define CONNECTED_SHOWN 8 /* rows */

#define CONNECTED(name) GLASS_COL_STORY_CONNECTED_##name

/* A QP that is connected to the one that failed. */
struct connected_qp {
	u32 qpn, port;
	u8 state;
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

/* The destination of a QP that is connected to the one that failed. */
struct wanted {
	u32 qpn;
	u16 lid; /* base LID of its port */
	u8 lmc;
	const u8 *gid; /* of an Ethernet port: the GID from which it sends; else NULL */
	u32 seen; /* QPs that were looked at */
};

static bool is_connected(const struct glass_qp *qp, const struct wanted *w)
{
	const struct glass_pqp *q = &qp->core;
	u16 dlid = READ_ONCE(q->attr.av.dlid);

	if (READ_ONCE(q->attr.dest_qpn) != w->qpn || READ_ONCE(q->state) < GLASS_QPS_RTR)
		return false;
	/* a QP that changes its address meanwhile may be shown, or not */
	if (w->gid)
		return data_race(q->attr.av.ethernet && !memcmp(q->attr.av.dgid, w->gid, 16));
	return dlid >> w->lmc == w->lid >> w->lmc;
}

/*
 * Finds the next QP of the device, from number *index on, that is connected. Looks at few QPs at
 * once: returns -EAGAIN if there may be others. Returns 0, and describes the QP in *c, or -ENOENT.
 */
static int scan_qps(struct glass_dev *dev, unsigned long *index, struct wanted *w,
		    struct connected_qp *c)
{
	const struct glass_qp *qp;
	int ret = -EAGAIN;
	u32 i;

	/* xa_lock keeps the QP valid: a QP is removed from the xarray before it is freed */
	xa_lock_irq(&dev->qps);
	for (i = 0; i < SCAN_AT_ONCE && ret == -EAGAIN; i++, ++*index) {
		qp = xa_find(&dev->qps, index, ULONG_MAX, XA_PRESENT);
		if (!qp) {
			ret = -ENOENT;
			break;
		}
		w->seen++;
		if (!is_connected(qp, w))
			continue;
		c->qpn = *index;
		c->port = READ_ONCE(qp->core.attr.port);
		c->state = READ_ONCE(qp->core.state);
		c->pid = qp->owner.pid;
		memcpy(c->comm, qp->owner.comm, sizeof(c->comm));
		ret = 0;
	}
	xa_unlock_irq(&dev->qps);
	return ret;
}

static void connected_row(struct glass_lines *l, struct glass_dev *dev, const struct connected_qp *c)
{
	if (!glass_lines_begin(l))
		return;
	glass_row_text(&l->row, CONNECTED(dev), "%s", glass_dev_name(dev));
	glass_row_num(&l->row, CONNECTED(port), c->port);
	glass_row_num(&l->row, CONNECTED(qpn), c->qpn);
	if (c->port && c->port <= dev->num_ports)
		glass_row_num(&l->row, CONNECTED(lid), READ_ONCE(dev->node_ports[c->port].lid));
	glass_row_enum(&l->row, CONNECTED(state), way_qp_states, c->state);
	glass_row_num(&l->row, CONNECTED(pid), c->pid);
	glass_row_text(&l->row, CONNECTED(comm), "%.*s", (int)sizeof(c->comm), c->comm);
	glass_lines_row(l, &glass_fields_story_connected);
	glass_lines_end(l);
}

/* Prints the QPs of a device, and counts them in *n. Returns false if there are too many QPs. */
static bool device_connected(struct glass_lines *l, struct glass_dev *dev, struct wanted *w, u32 *n)
{
	unsigned long index = 0;
	struct connected_qp c;
	int ret;

	for (;;) {
		ret = scan_qps(dev, &index, w, &c);
		if (ret == -ENOENT)
			return true;
		if (!ret && ++*n <= CONNECTED_SHOWN)
			connected_row(l, dev, &c);
		if (w->seen >= SCAN_MOST)
			return false;
		cond_resched();
	}
}

/*
 * Do ports in other network namespaces have the GID from which the QP sends, too? Then QPs that send to it may
 * be those of a network of their own, and may have the same numbers.
 */
static bool gid_is_shared(const struct glass_story *s, const struct glass_dev *dev, u32 port)
{
	const struct glass_ether *own = dev->ports[port].link.ether, *e;
	const struct glass_dev *hca;
	bool shared = false;
	u32 i, p;

	spin_lock_irq(&s->fabric->lock);
	for (i = 0; own && !shared && i < ARRAY_SIZE(s->fabric->hca); i++) {
		hca = s->fabric->hca[i];
		for (p = 1; hca && p <= hca->num_ports; p++) {
			e = hca->ports[p].link.ether;
			shared |= e && READ_ONCE(e->net) != READ_ONCE(own->net) &&
				  glass_ether_has_gid(e, s->sgid);
		}
	}
	spin_unlock_irq(&s->fabric->lock);
	return shared;
}

void glass_story_connected(struct glass_lines *l, const struct glass_story *s,
			   struct glass_failure *f, struct glass_dev *dev)
{
	struct wanted w = { .qpn = f->num };
	bool all = true;
	u32 i, n = 0;

	glass_lines_block(l, GLASS_STORY_CONNECTED_BYTES);
	glass_lines_header(l, GLASS_HEADER("connected", GLASS_COLUMNS_STORY_CONNECTED));
	if (!dev || f->object != GLASS_KIND_QP || !s->local || !glass_snap_has_peer(&s->local->peer) || !f->port)
		return;
	if (s->ethernet) {
		w.gid = s->sgid;
		if (f->port > dev->num_ports || gid_is_shared(s, dev, f->port)) {
			f->missing |= BIT(GLASS_MISSING_CONNECTED);
			return;
		}
	} else {
		spin_lock_irq(&s->fabric->lock);
		w.lid = dev->node_ports[f->port].lid;
		w.lmc = dev->node_ports[f->port].lmc;
		spin_unlock_irq(&s->fabric->lock);
	}
	/* a port without LID has no peer that could find it */
	for (i = 0; (w.lid || w.gid) && all && i < ARRAY_SIZE(s->fabric->hca); i++) {
		struct glass_dev *hca = glass_story_hold(s->fabric, i);

		if (!hca)
			continue;
		all = device_connected(l, hca, &w, &n);
		ib_device_put(&hca->ib);
	}
	f->connected = n;
	f->has_connected = all;
	if (!all)
		f->missing |= BIT(GLASS_MISSING_CONNECTED);
}

/* ---- ports */

#define PORTS_MOST 32 /* rows */

#define PORT(name) GLASS_COL_STORY_PORT_##name

#define PORT_CHANGE_WORD(n, w, v, meaning) [v] = #w,
static const char *const port_changes[] = { GLASS_PORT_CHANGES(PORT_CHANGE_WORD) };

/*
 * The ports of a story, while they are collected. Memory of one failure. The nodes are valid in the
 * section of fabric->walks in which they were found.
 */
struct way_ports {
	struct glass_hop hop[GLASS_TRACE_HOPS]; /* scratch memory */
	u32 n;
	struct way_port {
		const struct glass_net_node *node;
		u32 port;
	} at[PORTS_MOST];
};

static void add_port(struct way_ports *w, const struct glass_net_node *node, u32 port)
{
	u32 i;

	/* the far end of a netdev cable is a port of another fabric */
	if (!node || !port || (node->owners && node->index >= GLASS_TOPO_MAX_HCAS))
		return;
	for (i = 0; i < w->n; i++)
		if (w->at[i].node == node && w->at[i].port == port)
			return;
	if (w->n < PORTS_MOST)
		w->at[w->n++] = (struct way_port){ .node = node, .port = port };
}

/* Adds a port, and the other end of its cable. */
static void way_add_cable(struct way_ports *w, const struct glass_net_node *node, u32 port)
{
	if (!node || !port || port > node->num_ports)
		return;
	add_port(w, node, port);
	add_port(w, node->ends[port].node, node->ends[port].port);
}

/* Adds the ports on the way from a port of an HCA to a LID. */
static void add_way(struct way_ports *w, struct glass_fabric *fabric, u32 hca, u32 port, u16 dlid)
{
	struct glass_fabric_node *n = hca < ARRAY_SIZE(fabric->hcas) ? fabric->hcas[hca] : NULL;
	u32 i, hops;

	lockdep_assert_held(&fabric->lock);
	if (!n || !port || port > n->net.num_ports)
		return;
	way_add_cable(w, &n->net, port);
	if (!dlid || dlid >= GLASS_LID_MCAST_BASE)
		return;
	hops = glass_net_trace(glass_net_end(&n->net, port), dlid, w->hop);
	for (i = 0; i < hops; i++) {
		add_port(w, w->hop[i].node, w->hop[i].in);
		way_add_cable(w, w->hop[i].node, w->hop[i].out);
	}
}

/* Adds the ports of switches that found a port down, by the drop log of a device. */
static void add_drops(struct way_ports *w, const struct glass_story *s, const struct glass_failure *f,
		      struct glass_dev *dev, bool local)
{
	struct glass_fabric *fabric = s->fabric;
	struct glass_fabric_node *n;
	struct glass_dropped e;
	u64 seq = 0;

	while (dev && glass_drops_find(&dev->drops, seq, &e)) {
		seq = e.seq + 1;
		if (e.reason != GLASS_DROP_PORT_DOWN || !e.at[0] ||
		    !glass_story_is_drop(&e, s, f, local))
			continue;
		spin_lock_irq(&fabric->lock);
		n = glass_fabric_find(fabric, e.at);
		if (n)
			way_add_cable(w, &n->net, e.at_port);
		spin_unlock_irq(&fabric->lock);
	}
}

/*
 * Adds the ports of the way to the peer before a route was lost (story_route.c): one of them may be the
 * reason.
 */
static void add_lost_way(struct way_ports *w, const struct glass_story *s, struct glass_dev *dev)
{
	struct glass_route_hop hop[GLASS_STORY_HOPS];
	u32 i, n = glass_story_route(s, dev, hop);

	spin_lock_irq(&s->fabric->lock);
	for (i = 0; i < n; i++)
		way_add_cable(w, hop[i].node, hop[i].port);
	spin_unlock_irq(&s->fabric->lock);
}

/* The name of a node, with one of its ports. A device has the name that other tables have. */
static const char *node_name(const struct glass_net_node *node, u32 port)
{
	const struct glass_link_port *lp = node->owners && port ? node->owners[port] : NULL;

	return lp ? lp->name : container_of(node, struct glass_fabric_node, net)->name;
}

void glass_story_port_name(char to[GLASS_BOX_PORT], const struct glass_net_node *node, u32 port)
{
	snprintf(to, GLASS_BOX_PORT, "%s:%u", node_name(node, port), port);
}

static void port_row(struct glass_row *r, const struct way_port *at)
{
	const struct glass_port *p = at->node->node ? &at->node->node->ports[at->port] : NULL;
	const struct glass_net_end *far = &at->node->ends[at->port];
	u64 now = ktime_get_ns();
	const struct glass_link_port *lp = at->node->owners ? at->node->owners[at->port] : NULL;
	char name[GLASS_BOX_PORT];

	glass_row_text(r, PORT(node), "%s", node_name(at->node, at->port));
	glass_row_num(r, PORT(port), at->port);
	if (glass_netcable_of(far->node)) {
		glass_row_text(r, PORT(netdev), "%s", glass_netcable_of(far->node)->netdev);
	} else if (lp && lp->ether) {
		glass_row_text(r, PORT(netdev), "%s", lp->ether->netdev);
	} else if (far->node) {
		glass_story_port_name(name, far->node, far->port);
		glass_row_text(r, PORT(cable), "%s", name);
	}
	if (!p)
		return;
	glass_row_enum(r, PORT(state), glass_port_state_words, p->state);
	glass_row_num(r, PORT(phys), p->phys_state);
	if (!at->node->sw) {
		glass_row_num(r, PORT(lid), p->lid);
		glass_row_num(r, PORT(sm_lid), p->sm_lid);
	}
	if (!p->changed)
		return;
	glass_row_num(r, PORT(when), p->changed);
	glass_row_num(r, PORT(age), now > p->changed ? now - p->changed : 0);
	glass_row_enum(r, PORT(what), port_changes, p->changed_by);
}

/* Prints the ports. The caller is in the section of fabric->walks in which it found them. */
static void print_ports(struct glass_lines *l, struct glass_fabric *fabric, const struct way_ports *w)
{
	const struct glass_fabric_node *n;
	u32 i;

	for (i = 0; i < w->n && glass_lines_begin(l); i++) {
		n = container_of(w->at[i].node, struct glass_fabric_node, net);
		spin_lock_irq(&fabric->lock);
		if (!n->gone)
			port_row(&l->row, &w->at[i]);
		spin_unlock_irq(&fabric->lock);
		if (!test_bit(PORT(node), l->row.has))
			continue;
		glass_lines_row(l, &glass_fields_story_ports);
		glass_lines_end(l);
	}
}

void glass_story_ports(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f,
		       struct glass_dev *dev, struct glass_dev *peer)
{
	struct way_ports *w;
	int walk;

	glass_lines_block(l, GLASS_STORY_PORTS_BYTES);
	glass_lines_header(l, GLASS_HEADER("ports", GLASS_COLUMNS_STORY_PORT));
	if (f->object != GLASS_KIND_QP || !f->port)
		return;
	w = kvzalloc(sizeof(*w), GFP_KERNEL);
	if (!w) {
		f->missing |= BIT(GLASS_MISSING_MEMORY);
		return;
	}
	walk = srcu_read_lock(&s->fabric->walks);
	spin_lock_irq(&s->fabric->lock);
	add_way(w, s->fabric, f->hca, f->port, s->local ? s->local->peer.dlid : 0);
	if (f->peer_dev[0] && s->local)
		add_way(w, s->fabric, f->peer_hca, s->local->peer.port, s->lid);
	spin_unlock_irq(&s->fabric->lock);
	add_lost_way(w, s, dev);
	add_drops(w, s, f, dev, true);
	if (peer != dev)
		add_drops(w, s, f, peer, false);
	print_ports(l, s->fabric, w);
	srcu_read_unlock(&s->fabric->walks, walk);
	kvfree(w);
}

/* ---- dlid_port */

/*
 * Looks for the LID at all ports of a node. Writes the name of the port, and returns the number of
 * ports that have the LID. The caller holds the fabric's lock.
 */
static u32 find_lid(const struct glass_fabric_node *n, u16 lid, char name[GLASS_BOX_PORT])
{
	u32 port, found = 0;

	if (!n->net.node || n->gone)
		return 0;
	/* only port 0 of a switch has LIDs */
	for (port = n->net.sw ? 0 : 1; port <= (n->net.sw ? 0 : n->net.num_ports); port++) {
		if (!glass_port_has_lid(&n->net.node->ports[port], lid))
			continue;
		glass_story_port_name(name, &n->net, port);
		found++;
	}
	return found;
}

/* The same for all nodes of the fabric; stops at the second port. */
static u32 find_lid_owners(struct glass_fabric *fabric, u16 lid, char name[GLASS_BOX_PORT])
{
	int walk = srcu_read_lock(&fabric->walks);
	const struct glass_fabric_node *n;
	unsigned long id = 0;
	u32 found = 0;

	for (; found < 2 && (n = xa_find(&fabric->nodes, &id, ULONG_MAX, XA_PRESENT)); id++) {
		spin_lock_irq(&fabric->lock);
		found += find_lid(n, lid, name);
		spin_unlock_irq(&fabric->lock);
		cond_resched();
	}
	srcu_read_unlock(&fabric->walks, walk);
	return found;
}

static bool has_netcables(struct glass_fabric *fabric)
{
	bool has = false;
	u32 i;

	spin_lock_irq(&fabric->lock);
	for (i = 0; i < GLASS_NETCABLES_MAX; i++)
		has |= !!fabric->netcables[i];
	spin_unlock_irq(&fabric->lock);
	return has;
}

/*
 * Follows the way to the LID. Returns true, and writes the name of its last port, if that is the
 * port that has the LID.
 */
static bool follow_way(const struct glass_story *s, const struct glass_failure *f, u16 lid,
		   char name[GLASS_BOX_PORT])
{
	struct glass_hop *hop = kvcalloc(GLASS_TRACE_HOPS, sizeof(*hop), GFP_KERNEL);
	struct glass_fabric_node *n;
	const struct glass_hop *end;
	bool arrives = false;

	if (!hop)
		return false;
	spin_lock_irq(&s->fabric->lock);
	n = s->fabric->hcas[f->hca];
	if (n && f->port && f->port <= n->net.num_ports) {
		end = &hop[glass_net_trace(glass_net_end(&n->net, f->port), lid, hop) - 1];
		arrives = !end->why &&
			  (!end->node->owners || end->node->index < GLASS_TOPO_MAX_HCAS);
		if (arrives)
			glass_story_port_name(name, end->node, end->node->sw ? 0 : end->in ?: f->port);
	}
	spin_unlock_irq(&s->fabric->lock);
	kvfree(hop);
	return arrives;
}

void glass_story_dlid_port(const struct glass_story *s, struct glass_failure *f)
{
	u16 lid = s->local ? s->local->peer.dlid : 0;
	char name[GLASS_BOX_PORT];
	u32 found;

	if (f->object != GLASS_KIND_QP || !lid || lid >= GLASS_LID_MCAST_BASE)
		return;
	if (follow_way(s, f, lid, name)) {
		strscpy(f->dlid_port, name, sizeof(f->dlid_port));
		return;
	}
	found = find_lid_owners(s->fabric, lid, name);
	if (found == 1)
		strscpy(f->dlid_port, name, sizeof(f->dlid_port));
	else if (!found && !has_netcables(s->fabric))
		strscpy(f->dlid_port, "none", sizeof(f->dlid_port));
	else
		f->missing |= BIT(GLASS_MISSING_DLID_PORT);
}
