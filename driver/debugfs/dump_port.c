// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of the device's ports, the switch, the switch's ports and the switch's forwarding
 * tables. The tables of ports also show the ports' counters.
 */
#include "debugfs/dump.h"

static const char *const port_states[] = GLASS_WORDS(GLASS_PORT_STATES);

/* Fills the columns of GLASS_COLUMNS_PORT_REST, which begin at `first`. */
static void rest_row(struct glass_row *r, u32 first, const struct glass_port *p)
{
	static const u8 ctr[] = {
		GLASS_CTR_UC_XMIT_PKTS, GLASS_CTR_UC_RCV_PKTS, GLASS_CTR_SYMBOL_ERR,
		GLASS_CTR_LINK_RECOVERY, GLASS_CTR_RCV_REMPHYS, GLASS_CTR_RCV_SWITCH_RELAY,
		GLASS_CTR_LOCAL_INTEGRITY, GLASS_CTR_BUFFER_OVERRUN, GLASS_CTR_XMIT_WAIT,
	};
	u32 i;

	static_assert(GLASS_COL_PORT_COUNT - GLASS_COL_PORT_tx_ucast == ARRAY_SIZE(ctr));
	static_assert(GLASS_COL_PORT_xmit_wait - GLASS_COL_PORT_tx_ucast == ARRAY_SIZE(ctr) - 1);
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		glass_row_num(r, first + i, p->ctr[ctr[i]]);
}

static void speed_row(struct glass_row *r, u32 width, u32 speed, const struct glass_port *p)
{
	static const char *const words[] = GLASS_WORDS(GLASS_SPEEDS);

	if (p->state < GLASS_PORT_INIT)
		return;
	glass_row_num(r, width, glass_port_lanes(p));
	glass_row_word(r, speed, words[glass_port_lane_speed(p)]);
}

/*
 * Sets `column` to the name of a port, such as "glass0:1" or "switch0:3". Leaves it unset if
 * end.node is NULL (no cable), or if the port belongs to an HCA that is not plugged in.
 */
static void end_column(struct glass_row *r, u32 column, struct glass_net_end end)
{
	const struct glass_link_port *lp = glass_link_port_at(end);

	if (lp)
		glass_row_text(r, column, "%s:%u", lp->name, lp->num);
	else if (end.node && end.node->sw)
		glass_row_text(r, column, "switch%u:%u", end.node->index, end.port);
}

void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp)
{
	const struct glass_port *p = hp->link.port;
	u32 i, npkeys = 0;

	glass_row_num(r, GLASS_COL_PORT_port, p->num);
	if (p->state < ARRAY_SIZE(port_states))
		glass_row_word(r, GLASS_COL_PORT_state, port_states[p->state]);
	glass_row_num(r, GLASS_COL_PORT_phys_state, p->phys_state);
	glass_row_num(r, GLASS_COL_PORT_lid, p->lid);
	glass_row_num(r, GLASS_COL_PORT_lmc, p->lmc);
	glass_row_num(r, GLASS_COL_PORT_sm_lid, p->sm_lid);
	glass_row_num(r, GLASS_COL_PORT_sm_sl, p->sm_sl);
	glass_row_num(r, GLASS_COL_PORT_gid_prefix, p->gid_prefix);
	glass_row_num(r, GLASS_COL_PORT_guid, p->guid);
	glass_row_num(r, GLASS_COL_PORT_mtu, glass_mtu_bytes(p->mtu_active));
	glass_row_num(r, GLASS_COL_PORT_cap_mask, p->cap_mask);
	glass_row_num(r, GLASS_COL_PORT_tx_words, p->ctr[GLASS_CTR_XMIT_DATA]);
	glass_row_num(r, GLASS_COL_PORT_rx_words, p->ctr[GLASS_CTR_RCV_DATA]);
	glass_row_num(r, GLASS_COL_PORT_tx_pkts, p->ctr[GLASS_CTR_XMIT_PKTS]);
	glass_row_num(r, GLASS_COL_PORT_rx_pkts, p->ctr[GLASS_CTR_RCV_PKTS]);
	glass_row_num(r, GLASS_COL_PORT_tx_mcast, p->ctr[GLASS_CTR_MC_XMIT_PKTS]);
	glass_row_num(r, GLASS_COL_PORT_rx_mcast, p->ctr[GLASS_CTR_MC_RCV_PKTS]);
	glass_row_num(r, GLASS_COL_PORT_link_downed, p->ctr[GLASS_CTR_LINK_DOWNED]);
	glass_row_num(r, GLASS_COL_PORT_rcv_errors, p->ctr[GLASS_CTR_RCV_ERR]);
	glass_row_num(r, GLASS_COL_PORT_xmit_discards, p->ctr[GLASS_CTR_XMIT_DISCARDS]);
	glass_row_num(r, GLASS_COL_PORT_xmit_constraint, p->ctr[GLASS_CTR_XMIT_CONSTRAINT]);
	glass_row_num(r, GLASS_COL_PORT_rcv_constraint, p->ctr[GLASS_CTR_RCV_CONSTRAINT]);
	glass_row_num(r, GLASS_COL_PORT_vl15_dropped, p->ctr[GLASS_CTR_VL15_DROPPED]);
	glass_row_num(r, GLASS_COL_PORT_qp1_dropped, p->ctr[GLASS_CTR_QP1_DROPPED]);
	glass_row_num(r, GLASS_COL_PORT_mkey_viol, p->mkey_viol);
	glass_row_num(r, GLASS_COL_PORT_pkey_viol, p->pkey_viol);
	glass_row_num(r, GLASS_COL_PORT_qkey_viol, p->qkey_viol);
	end_column(r, GLASS_COL_PORT_peer, *hp->link.far);
	speed_row(r, GLASS_COL_PORT_width, GLASS_COL_PORT_speed, p);
	for (i = 0; i < p->pkey_len; i++)
		npkeys += p->pkeys[i] != 0;
	glass_row_num(r, GLASS_COL_PORT_num_pkeys, npkeys);
	rest_row(r, GLASS_COL_PORT_tx_ucast, p);
}

/* The position of a row: the port's number. */
static bool port_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	unsigned long flags;

	if (*pos > dev->num_ports)
		return false;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	glass_port_row(r, &dev->ports[*pos]);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	return true;
}

DEFINE_GLASS_TABLE(port, PORT, port_next);

void glass_swport_row(struct glass_row *r, struct glass_fabric *fabric, u32 port)
{
	static const u8 ctr[] = {
		GLASS_CTR_XMIT_DATA, GLASS_CTR_RCV_DATA, GLASS_CTR_XMIT_PKTS,
		GLASS_CTR_RCV_PKTS, GLASS_CTR_MC_XMIT_PKTS, GLASS_CTR_MC_RCV_PKTS,
		GLASS_CTR_LINK_DOWNED, GLASS_CTR_RCV_ERR, GLASS_CTR_XMIT_DISCARDS,
		GLASS_CTR_XMIT_CONSTRAINT, GLASS_CTR_RCV_CONSTRAINT, GLASS_CTR_VL15_DROPPED,
	};
	const struct glass_port *p = &fabric->sw_ports[port];
	u32 i;

	static_assert(GLASS_COL_SWPORT_tx_ucast - GLASS_COL_SWPORT_tx_words == ARRAY_SIZE(ctr));
	static_assert(GLASS_COL_SWPORT_vl15_dropped + 1 == GLASS_COL_SWPORT_tx_ucast);
	glass_row_num(r, GLASS_COL_SWPORT_port, p->num);
	if (port)
		end_column(r, GLASS_COL_SWPORT_peer, fabric->sw_ends[port]);
	glass_row_enum(r, GLASS_COL_SWPORT_state, port_states, p->state);
	glass_row_num(r, GLASS_COL_SWPORT_phys_state, p->phys_state);
	glass_row_num(r, GLASS_COL_SWPORT_mtu, glass_mtu_bytes(p->mtu_active));
	speed_row(r, GLASS_COL_SWPORT_width, GLASS_COL_SWPORT_speed, p);
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		glass_row_num(r, GLASS_COL_SWPORT_tx_words + i, p->ctr[ctr[i]]);
	rest_row(r, GLASS_COL_SWPORT_tx_ucast, p);
}

bool glass_lft_used(const struct glass_fabric *fabric, u32 lid)
{
	const struct glass_switch *sw = &fabric->sw;

	return lid <= READ_ONCE(sw->fdb.lft_top) &&
	       glass_fdb_port(&sw->fdb, lid) <= sw->node.num_ports;
}

static void glass_lft_row(struct glass_row *r, struct glass_fabric *fabric, u32 lid)
{
	u32 port = glass_fdb_port(&fabric->sw.fdb, lid);

	glass_row_num(r, GLASS_COL_LFT_lid, lid);
	glass_row_num(r, GLASS_COL_LFT_port, port);
	end_column(r, GLASS_COL_LFT_peer,
		   port ? fabric->sw_ends[port] :
			  (struct glass_net_end){ &fabric->sw_node, 0 });
}

/* Has the MLID at this index of the table any port? Any context. */
static bool glass_mft_used(const struct glass_fabric *fabric, u32 index)
{
	const u64 *set = glass_fdb_mcast(&fabric->sw.fdb, index);

	return READ_ONCE(set[0]) | READ_ONCE(set[1]) | READ_ONCE(set[2]) | READ_ONCE(set[3]);
}

void glass_mft_row(struct glass_row *r, u32 num_ports, u32 index, const u64 *set)
{
	size_t room = sizeof(r->pool) - r->pool_used, used = 0;
	char *text = r->pool + r->pool_used;
	u32 port;

	glass_row_num(r, GLASS_COL_MFT_mlid, GLASS_LID_MCAST_BASE + index);
	/* skip ports that the switch does not have: a subnet manager may have set their bits */
	for (port = 0; port <= num_ports; port++)
		if (set[port / 64] >> (port % 64) & 1)
			used += scnprintf(text + used, room - used, "%s%u", used ? "|" : "", port);
	if (!used)
		return;
	r->pool_used += used + 1;
	glass_row_word(r, GLASS_COL_MFT_mports, text);
}

void glass_switch_row(struct glass_row *r, struct glass_fabric *fabric)
{
	const struct glass_switch *sw = &fabric->sw;
	const struct glass_port *p = &fabric->sw_ports[0];

	lockdep_assert_held(&fabric->lock);
	glass_row_num(r, GLASS_COL_SWITCH_switch, 0);
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
}

/*
 * Fills the columns with the number of used entries of each forwarding table. Runs without the
 * fabric's lock, because the tables are large, and interrupts are off under that lock.
 */
static void glass_switch_row_rest(struct glass_row *r, const struct glass_fabric *fabric)
{
	u32 i, n = 0;

	for (i = 0; i < GLASS_LFT_LIDS; i++)
		n += glass_lft_used(fabric, i);
	glass_row_num(r, GLASS_COL_SWITCH_lft_entries, n);
	for (i = 0, n = 0; i < GLASS_MFT_LIDS; i++)
		n += glass_mft_used(fabric, i);
	glass_row_num(r, GLASS_COL_SWITCH_mft_entries, n);
}

static bool switch_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	unsigned long flags;

	if (*pos != 1)
		return false;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	glass_switch_row(r, dev->fabric);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	glass_switch_row_rest(r, dev->fabric);
	return true;
}

/* The position of a row: the port's number + 1. */
static bool swport_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	unsigned long flags;

	if (*pos - 1 > dev->fabric->sw.node.num_ports)
		return false;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	glass_swport_row(r, dev->fabric, *pos - 1);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	return true;
}

/* The position of a row: LID + 1. Skips empty entries without taking the fabric's lock. */
static bool lft_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_fabric *fabric = dev->fabric;
	unsigned long flags;
	bool found = false;

	for (; !found && *pos - 1 < GLASS_LFT_LIDS; *pos += !found) {
		if (!glass_lft_used(fabric, *pos - 1))
			continue;
		spin_lock_irqsave(&fabric->lock, flags);
		found = glass_lft_used(fabric, *pos - 1);
		if (found)
			glass_lft_row(r, fabric, *pos - 1);
		spin_unlock_irqrestore(&fabric->lock, flags);
	}
	return found;
}

/*
 * The position of a row: the index of the entry + 1. Skips empty entries without taking the
 * fabric's lock.
 */
static bool mft_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_fabric *fabric = dev->fabric;
	unsigned long flags;
	bool found = false;

	for (; !found && *pos - 1 < GLASS_MFT_LIDS; *pos += !found) {
		if (!glass_mft_used(fabric, *pos - 1))
			continue;
		spin_lock_irqsave(&fabric->lock, flags);
		found = glass_mft_used(fabric, *pos - 1);
		if (found)
			glass_mft_row(r, fabric->sw.node.num_ports, *pos - 1,
				      glass_fdb_mcast(&fabric->sw.fdb, *pos - 1));
		spin_unlock_irqrestore(&fabric->lock, flags);
	}
	return found;
}

DEFINE_GLASS_TABLE(switch, SWITCH, switch_next);
DEFINE_GLASS_TABLE(swport, SWPORT, swport_next);
DEFINE_GLASS_TABLE(lft, LFT, lft_next);
DEFINE_GLASS_TABLE(mft, MFT, mft_next);
