// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* For the snapshot (inspect.h) of a queue pair: finds its peer, if that is on this host. */
#include "debugfs/inspect.h"
#include "link/ether.h"

static const char *const peer_states[] = GLASS_WORDS(GLASS_QP_STATES);

/* A port that has the LID or GID to which a QP sends, and the QP with the peer's number there. */
struct peer_port {
	const struct glass_dev *hca; /* NULL: none */
	u32 port;
	bool found; /* the adapter has such a QP, and the fields below are valid */
	u8 state;
	u32 dest_qpn;
	u32 qp_port; /* the port that this QP uses */
	struct glass_owner owner;
};

/* Fills *at with a port and the QP with this number. The caller holds the fabric's lock. */
static void look_at_port(struct peer_port *at, struct glass_dev *hca, u32 port, u32 qpn)
{
	const struct glass_qp *qp;

	memset(at, 0, sizeof(*at));
	at->hca = hca;
	at->port = port;
	/* xa_lock keeps the QP valid: a QP is removed from the xarray before it is freed */
	xa_lock(&hca->qps);
	qp = xa_load(&hca->qps, qpn);
	if (qp) {
		at->found = true;
		at->state = READ_ONCE(qp->core.state);
		at->dest_qpn = READ_ONCE(qp->core.attr.dest_qpn);
		at->qp_port = READ_ONCE(qp->core.attr.port);
		at->owner = qp->owner;
	}
	xa_unlock(&hca->qps);
}

/* Does the peer have this port? The caller holds the fabric's lock. */
static bool is_peers_port(const struct glass_snap_peer *p, const struct glass_dev *hca, u32 port)
{
	const struct glass_ether *e = hca->ports[port].link.ether;

	if (p->ethernet)
		return e && glass_ether_has_gid(e, p->dgid);
	return glass_port_has_lid(&hca->node_ports[port], p->dlid);
}

/* The network namespace of an Ethernet port, to compare; of other ports NULL */
static const struct net *net_of_port(const struct glass_dev *hca, u32 port)
{
	const struct glass_ether *e = hca->ports[port].link.ether;

	return e ? READ_ONCE(e->net) : NULL;
}

/*
 * Finds the port of this host that has the LID or GID of p, and the QP p->qpn there, for the QP `self`.
 * Ports of different subnets may have the same LID. If several ports have it, this is the port with a QP
 * p->qpn that uses this port and is connected to a QP with the number of `self`. Returns false if there is
 * no such port, or more than one, or if namespaces share the GID: containers often do, and number their
 * QPs alike. The caller holds the fabric's lock.
 */
static bool find_port(struct glass_fabric *fabric, const struct glass_snap_peer *p, u32 self,
		      struct peer_port *found)
{
	u32 i, port, nports = 0, nfit = 0;
	const struct net *net = NULL;
	struct peer_port at;
	bool apart = false;

	lockdep_assert_held(&fabric->lock);
	for (i = 0; i < ARRAY_SIZE(fabric->hca); i++) {
		struct glass_dev *hca = fabric->hca[i];

		for (port = 1; hca && port <= hca->num_ports; port++) {
			bool fits;

			if (!is_peers_port(p, hca, port))
				continue;
			apart |= nports && net_of_port(hca, port) != net;
			net = net_of_port(hca, port);
			look_at_port(&at, hca, port, p->qpn);
			fits = at.found && at.qp_port == port && at.dest_qpn == self;
			if (!nports++ || (fits && !nfit))
				*found = at;
			nfit += fits;
		}
	}
	return nports == 1 || (nfit == 1 && !apart);
}

void glass_snap_find_peer(struct glass_fabric *fabric, struct glass_snap_peer *p, u32 self)
{
	struct peer_port at;
	unsigned long flags;

	spin_lock_irqsave(&fabric->lock, flags);
	if (find_port(fabric, p, self, &at)) {
		p->port = at.port;
		strscpy(p->dev, at.hca->ib.name, sizeof(p->dev));
		p->hca = at.hca->index;
		p->found = at.found;
		p->state = at.state;
		p->dest_qpn = at.dest_qpn;
		p->owner = at.owner;
	}
	spin_unlock_irqrestore(&fabric->lock, flags);
}

void glass_snap_peer_row(struct glass_row *r, const struct glass_snap_peer *p)
{
	glass_row_num(r, GLASS_AT(QP_PEER, qpn), p->qpn);
	if (!p->port)
		return;
	glass_row_text(r, GLASS_AT(QP_PEER, dev), "%s", p->dev);
	glass_row_num(r, GLASS_AT(QP_PEER, port), p->port);
	if (!p->found)
		return;
	glass_row_enum(r, GLASS_AT(QP_PEER, state), peer_states, p->state);
	glass_row_num(r, GLASS_AT(QP_PEER, dest_qpn), p->dest_qpn);
	glass_row_num(r, GLASS_AT(QP_PEER, pid), p->owner.pid);
	glass_row_text(r, GLASS_AT(QP_PEER, comm), "%.*s", (int)sizeof(p->owner.comm),
		       p->owner.comm);
}

void glass_snap_sent_to_row(struct glass_row *r, const struct glass_snap_peer *p)
{
	if (!p->port)
		return;
	glass_row_text(r, GLASS_AT(QP_SENT_TO, dev), "%s", p->dev);
	glass_row_num(r, GLASS_AT(QP_SENT_TO, port), p->port);
	if (!p->found)
		return;
	glass_row_enum(r, GLASS_AT(QP_SENT_TO, state), peer_states, p->state);
	glass_row_num(r, GLASS_AT(QP_SENT_TO, pid), p->owner.pid);
	glass_row_text(r, GLASS_AT(QP_SENT_TO, comm), "%.*s", (int)sizeof(p->owner.comm),
		       p->owner.comm);
}

void glass_snap_address(struct glass_snap_peer *p, const struct glass_av *av, u32 qpn)
{
	p->qpn = qpn;
	p->dlid = av->dlid;
	p->ethernet = av->ethernet && av->has_grh && !av->dlid;
	if (p->ethernet)
		memcpy(p->dgid, av->dgid, sizeof(p->dgid));
}
