// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Takes snapshots (inspect.h) of ports, switches and multicast groups. */
#include "debugfs/inspect.h"
#include "engine/packet.h"
#include "model/ether.h"

static const char *const inspect_member_states[] = GLASS_WORDS(GLASS_QP_STATES);

/* Adds a section with n entries. The section's only key is `entries`; its value is n. */
static void list_section(struct glass_snap *s, enum glass_section section, enum glass_entry entry,
			 u32 n,
			 void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i))
{
	glass_row_num(glass_snap_section(s, section), GLASS_AT(LIST, entries), n);
	glass_snap_entries(s, entry, n, fill);
}

/* ---- a port */

enum { MEM_PKEYS, MEM_GIDS };

struct snap_pkey {
	u32 index;
	u16 pkey;
};

struct snap_gid {
	u32 index;
	u8 gid[16];
};

static void fill_pkey(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct snap_pkey *e = glass_snap_at(s, MEM_PKEYS, i);

	glass_row_num(r, GLASS_AT(PORT_PKEY, index), e->index);
	glass_row_num(r, GLASS_AT(PORT_PKEY, pkey), e->pkey);
}

static void fill_gid(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct snap_gid *e = glass_snap_at(s, MEM_GIDS, i);

	glass_row_num(r, GLASS_AT(PORT_GID, index), e->index);
	glass_row_text(r, GLASS_AT(PORT_GID, gid), "%pI6", e->gid);
}

/* Adds a GID to the snapshot. */
static void snap_gid(struct glass_snap *s, u32 *n, u32 index, const u8 gid[16])
{
	struct snap_gid *e = glass_snap_at(s, MEM_GIDS, (*n)++);

	e->index = index;
	memcpy(e->gid, gid, sizeof(e->gid));
}

/* Takes the GIDs of a port. Returns their number. Called under fabric->lock. */
static u32 snap_gids(struct glass_snap *s, const struct glass_port *p, const struct glass_ether *e)
{
	const struct glass_ether_gid *g;
	u32 i, n = 0;
	u8 gid[16];

	for (i = 0; i < p->guid_len; i++)
		if (!glass_port_gid(p, i, gid))
			snap_gid(s, &n, i, gid);
	if (!e)
		return n;
	rcu_read_lock();
	for (i = 0; i < GLASS_ETHER_GIDS; i++) {
		g = rcu_dereference(e->gid[i]);
		if (g)
			snap_gid(s, &n, i, g->gid);
	}
	rcu_read_unlock();
	return n;
}

int glass_inspect_port(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_dev *dev = s->dev;
	const struct glass_port *p;
	u32 i, npkeys = 0, ngids;
	unsigned long flags;
	int err;

	if (!name->num || name->num > dev->num_ports)
		return -ENOENT;
	err = glass_snap_alloc(s, MEM_PKEYS, GLASS_PKEYS, sizeof(struct snap_pkey));
	if (!err)
		err = glass_snap_alloc(s, MEM_GIDS, max(GLASS_GIDS, GLASS_ETHER_GIDS),
				       sizeof(struct snap_gid));
	if (err)
		return err;
	p = &dev->node_ports[name->num];
	spin_lock_irqsave(&dev->fabric->lock, flags);
	glass_port_row(glass_snap_object(s, &glass_table_port), &dev->ports[name->num]);
	for (i = 0; i < p->pkey_len; i++)
		if (p->pkeys[i])
			*(struct snap_pkey *)glass_snap_at(s, MEM_PKEYS, npkeys++) =
				(struct snap_pkey){ i, p->pkeys[i] };
	ngids = snap_gids(s, p, dev->ports[name->num].link.ether);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	list_section(s, GLASS_SEC_port_pkeys, GLASS_ENT_port_pkey, npkeys, fill_pkey);
	list_section(s, GLASS_SEC_port_gids, GLASS_ENT_port_gid, ngids, fill_gid);
	return 0;
}

/* ---- switches */

enum { MEM_PORTS, MEM_LIDS, MEM_MLIDS, MEM_SWITCH };

/* The values of a switch that fill_lid() and fill_mlid() need. */
struct snap_switch {
	u32 number, num_ports;
	char name[GLASS_FABRIC_NAME_MAX + 1];
};

/*
 * Copies a row together with the texts in its pool. Makes the copy's pointers to these texts point
 * into the pool of the copy.
 */
static void copy_row(struct glass_row *to, const struct glass_row *from)
{
	u32 i;

	*to = *from;
	for (i = 0; i < GLASS_ROW_COLUMNS; i++)
		if (test_bit(i, from->has) && from->text[i] >= from->pool &&
		    from->text[i] < from->pool + sizeof(from->pool))
			to->text[i] = to->pool + (from->text[i] - from->pool);
}

static void fill_swport(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	copy_row(r, glass_snap_at(s, MEM_PORTS, i));
}

struct snap_lid {
	u16 lid;
	u8 port;
};

static void fill_lid(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct snap_lid *e = glass_snap_at(s, MEM_LIDS, i);
	const struct glass_row *port = glass_snap_at(s, MEM_PORTS, e->port);
	const struct snap_switch *sw = glass_snap_at(s, MEM_SWITCH, 0);

	glass_row_num(r, GLASS_COL_LFT_lid, e->lid);
	glass_row_num(r, GLASS_COL_LFT_port, e->port);
	glass_row_num(r, GLASS_COL_LFT_switch, sw->number);
	if (!e->port)
		glass_row_text(r, GLASS_COL_LFT_peer, "%s:0", sw->name);
	else if (test_bit(GLASS_COL_SWPORT_peer, port->has))
		glass_row_text(r, GLASS_COL_LFT_peer, "%s", port->text[GLASS_COL_SWPORT_peer]);
}

struct snap_mlid {
	u32 index;
	u64 set[GLASS_PORT_WORDS];
};

static void fill_mlid(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct snap_mlid *e = glass_snap_at(s, MEM_MLIDS, i);
	const struct snap_switch *sw = glass_snap_at(s, MEM_SWITCH, 0);

	glass_mft_row(r, sw->number, sw->num_ports, e->index, e->set);
}

/*
 * Fills the snapshot of a switch. The caller is in an SRCU read section of fabric->walks, which
 * keeps the switch valid.
 */
static int snap_switch(struct glass_snap *s, struct glass_fabric *fabric,
		       const struct glass_fabric_node *n)
{
	u32 i, nlids = 0, nmlids = 0, num_ports = n->net.num_ports;
	struct glass_row *object;
	struct snap_switch *sw;
	unsigned long flags;
	int err;

	err = glass_snap_alloc(s, MEM_PORTS, num_ports + 1, sizeof(struct glass_row));
	if (!err)
		err = glass_snap_alloc(s, MEM_LIDS, GLASS_LFT_LIDS, sizeof(struct snap_lid));
	if (!err)
		err = glass_snap_alloc(s, MEM_MLIDS, GLASS_MFT_LIDS, sizeof(struct snap_mlid));
	if (!err)
		err = glass_snap_alloc(s, MEM_SWITCH, 1, sizeof(struct snap_switch));
	if (err)
		return err;
	sw = glass_snap_at(s, MEM_SWITCH, 0);
	sw->number = glass_fabric_number(n);
	sw->num_ports = num_ports;
	strscpy(sw->name, n->name, sizeof(sw->name));
	object = glass_snap_object(s, &glass_table_switch);
	spin_lock_irqsave(&fabric->lock, flags);
	glass_switch_row(object, n);
	spin_unlock_irqrestore(&fabric->lock, flags);
	for (i = 0; i <= num_ports; i++) {
		struct glass_row *r = glass_snap_at(s, MEM_PORTS, i);

		glass_row_clear(r);
		spin_lock_irqsave(&fabric->lock, flags);
		glass_swport_row(r, n, i);
		spin_unlock_irqrestore(&fabric->lock, flags);
	}
	/*
	 * The forwarding tables are copied without the lock. The lock would not make the copy
	 * consistent, because a subnet manager changes the tables by many SMPs.
	 */
	for (i = 0; i < GLASS_LFT_LIDS; i++)
		if (glass_lft_used(n->sw, i))
			*(struct snap_lid *)glass_snap_at(s, MEM_LIDS, nlids++) =
				(struct snap_lid){ i, min_t(u32, glass_fdb_port(&n->sw->fdb, i),
							    num_ports) };
	for (i = 0; i < GLASS_MFT_LIDS; i++) {
		struct snap_mlid *e = glass_snap_at(s, MEM_MLIDS, nmlids);

		e->index = i;
		memcpy(e->set, glass_fdb_mcast(&n->sw->fdb, i), sizeof(e->set));
		nmlids += e->set[0] || e->set[1] || e->set[2] || e->set[3];
	}
	glass_row_num(object, GLASS_COL_SWITCH_lft_entries, nlids);
	glass_row_num(object, GLASS_COL_SWITCH_mft_entries, nmlids);
	list_section(s, GLASS_SEC_switch_ports, GLASS_ENT_switch_port, num_ports + 1, fill_swport);
	list_section(s, GLASS_SEC_switch_lft, GLASS_ENT_switch_lid, nlids, fill_lid);
	list_section(s, GLASS_SEC_switch_mft, GLASS_ENT_switch_mlid, nmlids, fill_mlid);
	return 0;
}

int glass_inspect_switch(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_fabric *fabric = s->dev->fabric;
	int walk = srcu_read_lock(&fabric->walks), err = -ENOENT;
	struct glass_fabric_node *n;
	u32 number = name->num;

	n = glass_switch_from(fabric, &number);
	if (n && number == name->num)
		err = snap_switch(s, fabric, n);
	srcu_read_unlock(&fabric->walks, walk);
	return err;
}

/* ---- a multicast group */

enum { MEM_MEMBERS };

static void fill_member(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct glass_mcast_member *m = glass_snap_at(s, MEM_MEMBERS, i);

	glass_row_num(r, GLASS_AT(MCAST_MEMBER, qpn), m->qpn);
	if (m->port)
		glass_row_num(r, GLASS_AT(MCAST_MEMBER, port), m->port);
	glass_row_enum(r, GLASS_AT(MCAST_MEMBER, state), inspect_member_states, m->state);
	glass_row_num(r, GLASS_AT(MCAST_MEMBER, pid), m->owner.pid);
	glass_row_text(r, GLASS_AT(MCAST_MEMBER, comm), "%.*s", (int)sizeof(m->owner.comm),
		       m->owner.comm);
}

int glass_inspect_mcast(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_mcast_info g;
	int err;

	err = glass_snap_alloc(s, MEM_MEMBERS, GLASS_MAX_MCAST_QP,
			       sizeof(struct glass_mcast_member));
	if (err)
		return err;
	if (!glass_mcast_members(s->dev, name->mgid, &g, s->mem[MEM_MEMBERS]))
		return -ENOENT;
	glass_mcast_row(glass_snap_object(s, &glass_table_mcast), &g);
	list_section(s, GLASS_SEC_mcast_members, GLASS_ENT_mcast_member, g.n, fill_member);
	return 0;
}
