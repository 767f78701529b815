// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The files that list the switches, their ports, and the entries of their forwarding tables. */
#include "debugfs/dump.h"

void glass_swport_row(struct glass_row *r, const struct glass_fabric_node *n, u32 port)
{
	const struct glass_port *p = &n->ports[port];

	glass_row_num(r, GLASS_COL_SWPORT_port, p->num);
	if (port)
		glass_row_end(r, GLASS_COL_SWPORT_peer, n->net.ends[port]);
	glass_row_enum(r, GLASS_COL_SWPORT_state, glass_port_state_words, p->state);
	glass_row_num(r, GLASS_COL_SWPORT_phys_state, p->phys_state);
	glass_row_num(r, GLASS_COL_SWPORT_mtu, glass_mtu_bytes(p->mtu_active));
	glass_row_speed(r, GLASS_COL_SWPORT_width, GLASS_COL_SWPORT_speed, p);
	glass_row_counters(r, GLASS_COL_SWPORT_tx_words, p);
	glass_row_rest(r, GLASS_COL_SWPORT_tx_ucast, p);
	glass_row_num(r, GLASS_COL_SWPORT_switch, glass_fabric_number(n));
}

bool glass_lft_used(const struct glass_switch *sw, u32 lid)
{
	return lid <= READ_ONCE(sw->fdb.lft_top) &&
	       glass_fdb_port(&sw->fdb, lid) <= sw->node.num_ports;
}

static void glass_lft_row(struct glass_row *r, struct glass_fabric_node *n, u32 lid)
{
	u32 port = glass_fdb_port(&n->sw->fdb, lid);

	glass_row_num(r, GLASS_COL_LFT_lid, lid);
	glass_row_num(r, GLASS_COL_LFT_port, port);
	glass_row_end(r, GLASS_COL_LFT_peer, port ? n->net.ends[port] : glass_net_end(&n->net, 0));
	glass_row_num(r, GLASS_COL_LFT_switch, glass_fabric_number(n));
}

/* Does the entry at this index of the multicast forwarding table have any port? Any context. */
static bool glass_mft_used(const struct glass_switch *sw, u32 index)
{
	const u64 *set = glass_fdb_mcast(&sw->fdb, index);

	return READ_ONCE(set[0]) | READ_ONCE(set[1]) | READ_ONCE(set[2]) | READ_ONCE(set[3]);
}

void glass_mft_row(struct glass_row *r, u32 number, u32 num_ports, u32 index, const u64 *set)
{
	size_t room = sizeof(r->pool) - r->pool_used, used = 0;
	char *text = r->pool + r->pool_used;
	u32 port;

	glass_row_num(r, GLASS_COL_MFT_mlid, GLASS_LID_MCAST_BASE + index);
	glass_row_num(r, GLASS_COL_MFT_switch, number);
	/* skip bits of ports that the switch does not have: a subnet manager may have set them */
	for (port = 0; port <= num_ports; port++)
		if (set[port / 64] >> (port % 64) & 1)
			used += scnprintf(text + used, room - used, "%s%u", used ? "|" : "", port);
	if (!used)
		return;
	r->pool_used += used + 1;
	glass_row_word(r, GLASS_COL_MFT_mports, text);
}

void glass_switch_row(struct glass_row *r, const struct glass_fabric_node *n)
{
	const struct glass_switch *sw = n->sw;
	const struct glass_port *p = &n->ports[0];

	glass_row_num(r, GLASS_COL_SWITCH_switch, glass_fabric_number(n));
	glass_row_num(r, GLASS_COL_SWITCH_guid, sw->node.guid);
	glass_row_text(r, GLASS_COL_SWITCH_name, "%.*s", GLASS_NODE_DESC_BYTES, sw->node.desc);
	glass_row_num(r, GLASS_COL_SWITCH_ports, sw->node.num_ports);
	glass_row_num(r, GLASS_COL_SWITCH_lid, p->lid);
	glass_row_num(r, GLASS_COL_SWITCH_sm_lid, p->sm_lid);
	glass_row_num(r, GLASS_COL_SWITCH_lft_top, sw->fdb.lft_top);
	glass_row_num(r, GLASS_COL_SWITCH_def_mcast, sw->fdb.def_mcast_primary);
	glass_row_num(r, GLASS_COL_SWITCH_def_mcast_other, sw->fdb.def_mcast_not_primary);
	glass_row_bool(r, GLASS_COL_SWITCH_port_change, sw->fdb.port_state_change);
	glass_row_bool(r, GLASS_COL_SWITCH_trap, sw->node.trap_pending);
	glass_row_text(r, GLASS_COL_SWITCH_node, "%s", n->name);
}

/*
 * Fills the columns that count the used entries of the two forwarding tables. Does not take the
 * fabric's lock, because the tables are large, and interrupts are off under that lock.
 */
static void glass_switch_row_rest(struct glass_row *r, const struct glass_switch *sw)
{
	u32 i, n = 0;

	for (i = 0; i < GLASS_LFT_LIDS; i++)
		n += glass_lft_used(sw, i);
	glass_row_num(r, GLASS_COL_SWITCH_lft_entries, n);
	for (i = 0, n = 0; i < GLASS_MFT_LIDS; i++)
		n += glass_mft_used(sw, i);
	glass_row_num(r, GLASS_COL_SWITCH_mft_entries, n);
}

/*
 * Returns the first node of f->nodes with an id of at least *id, and sets *id to the node's id.
 * Returns NULL if there is none. The caller is in an SRCU read section of f->walks.
 */
static struct glass_fabric_node *node_from(struct glass_fabric *f, unsigned long *id)
{
	return xa_find(&f->nodes, id, ULONG_MAX, XA_PRESENT);
}

struct glass_fabric_node *glass_switch_from(struct glass_fabric *f, u32 *number)
{
	unsigned long id = (unsigned long)*number + GLASS_FABRIC_FIRST_ID;
	struct glass_fabric_node *n;

	for (; (n = node_from(f, &id)); id++) {
		if (n->kind != GLASS_FABRIC_SWITCH)
			continue;
		*number = glass_fabric_number(n);
		return n;
	}
	return NULL;
}

/*
 * The position of a row has two parts. The upper bits are the number of the switch. The low
 * ROW_BITS bits are the index of the row among the rows of this switch, from 1 on. Each row is read
 * in an SRCU read section of its own (f->walks).
 */
#define ROW_BITS 20
#define POS_ROW(pos) ((u32)(pos) & (BIT(ROW_BITS) - 1))
#define POS_SWITCH(pos) ((u32)((pos) >> ROW_BITS))

/*
 * Fills *r with the first row at or after *pos, and sets *pos to its position. Returns false if
 * there is no such row.
 *
 * Calls fill() for one switch after the other until it returns true. fill() is called without a
 * lock. If the switch has a row whose index is at least *row, fill() fills *r with the first such
 * row, sets *row to its index, and returns true. Otherwise it returns false.
 */
static bool next_of_switches(struct glass_fabric *f, loff_t *pos, struct glass_row *r,
			     bool (*fill)(struct glass_fabric *f, struct glass_fabric_node *n,
					  u32 *row, struct glass_row *r))
{
	u32 number = POS_SWITCH(*pos), row = POS_ROW(*pos);
	int walk = srcu_read_lock(&f->walks);
	struct glass_fabric_node *n;
	bool found = false;
	u32 asked = number;

	while ((n = glass_switch_from(f, &number))) {
		if (number != asked || !row)
			row = 1;
		found = fill(f, n, &row, r);
		if (found)
			break;
		number++;
		asked = number;
		row = 0;
		cond_resched();
	}
	srcu_read_unlock(&f->walks, walk);
	*pos = (loff_t)number << ROW_BITS | row;
	return found;
}

static bool fill_switch_row(struct glass_fabric *f, struct glass_fabric_node *n, u32 *row,
			struct glass_row *r)
{
	unsigned long flags;

	if (*row != 1)
		return false;
	spin_lock_irqsave(&f->lock, flags);
	glass_switch_row(r, n);
	spin_unlock_irqrestore(&f->lock, flags);
	glass_switch_row_rest(r, n->sw);
	return true;
}

static bool switch_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_switches(dev->fabric, pos, r, fill_switch_row);
}

/* The index of a row is the port's number + 1. */
static bool fill_swport_row(struct glass_fabric *f, struct glass_fabric_node *n, u32 *row,
			struct glass_row *r)
{
	unsigned long flags;

	if (*row - 1 > n->net.num_ports)
		return false;
	spin_lock_irqsave(&f->lock, flags);
	glass_swport_row(r, n, *row - 1);
	spin_unlock_irqrestore(&f->lock, flags);
	return true;
}

static bool swport_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_switches(dev->fabric, pos, r, fill_swport_row);
}

/* The index of a row is the LID + 1. Skips empty entries without taking the fabric's lock. */
static bool fill_lft_row(struct glass_fabric *f, struct glass_fabric_node *n, u32 *row,
		     struct glass_row *r)
{
	unsigned long flags;
	bool found = false;

	for (; !found && *row - 1 < GLASS_LFT_LIDS; *row += !found) {
		if (!glass_lft_used(n->sw, *row - 1))
			continue;
		spin_lock_irqsave(&f->lock, flags);
		found = glass_lft_used(n->sw, *row - 1);
		if (found)
			glass_lft_row(r, n, *row - 1);
		spin_unlock_irqrestore(&f->lock, flags);
	}
	return found;
}

static bool lft_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_switches(dev->fabric, pos, r, fill_lft_row);
}

/*
 * The index of a row is the index of the entry + 1. Skips empty entries without taking the fabric's
 * lock.
 */
static bool fill_mft_row(struct glass_fabric *f, struct glass_fabric_node *n, u32 *row,
		      struct glass_row *r)
{
	unsigned long flags;
	bool found = false;

	for (; !found && *row - 1 < GLASS_MFT_LIDS; *row += !found) {
		if (!glass_mft_used(n->sw, *row - 1))
			continue;
		spin_lock_irqsave(&f->lock, flags);
		found = glass_mft_used(n->sw, *row - 1);
		if (found)
			glass_mft_row(r, glass_fabric_number(n), n->net.num_ports, *row - 1,
				      glass_fdb_mcast(&n->sw->fdb, *row - 1));
		spin_unlock_irqrestore(&f->lock, flags);
	}
	return found;
}

static bool mft_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	return next_of_switches(dev->fabric, pos, r, fill_mft_row);
}

DEFINE_GLASS_TABLE(switch, SWITCH, switch_next);
DEFINE_GLASS_TABLE(swport, SWPORT, swport_next);
DEFINE_GLASS_TABLE(lft, LFT, lft_next);
DEFINE_GLASS_TABLE(mft, MFT, mft_next);
