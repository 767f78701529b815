// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of the device's ports, and columns that all tables of ports have. */
#include "debugfs/dump.h"

const char *const glass_port_state_words[] = GLASS_WORDS(GLASS_PORT_STATES);

void glass_row_counters(struct glass_row *r, u32 first, const struct glass_port *p)
{
	static const u8 ctr[] = {
		GLASS_CTR_XMIT_DATA, GLASS_CTR_RCV_DATA, GLASS_CTR_XMIT_PKTS,
		GLASS_CTR_RCV_PKTS, GLASS_CTR_MC_XMIT_PKTS, GLASS_CTR_MC_RCV_PKTS,
		GLASS_CTR_LINK_DOWNED, GLASS_CTR_RCV_ERR, GLASS_CTR_XMIT_DISCARDS,
		GLASS_CTR_XMIT_CONSTRAINT, GLASS_CTR_RCV_CONSTRAINT, GLASS_CTR_VL15_DROPPED,
	};
	u32 i;

	static_assert(GLASS_COL_SWPORT_tx_ucast - GLASS_COL_SWPORT_tx_words == ARRAY_SIZE(ctr));
	static_assert(GLASS_COL_SWPORT_vl15_dropped + 1 == GLASS_COL_SWPORT_tx_ucast);
	for (i = 0; i < ARRAY_SIZE(ctr); i++)
		glass_row_num(r, first + i, p->ctr[ctr[i]]);
}

void glass_row_rest(struct glass_row *r, u32 first, const struct glass_port *p)
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

const char *const glass_speed_words[] = GLASS_WORDS(GLASS_SPEEDS);

void glass_row_speed(struct glass_row *r, u32 width, u32 speed, const struct glass_port *p)
{
	if (p->state < GLASS_PORT_INIT)
		return;
	glass_row_num(r, width, glass_port_lanes(p));
	glass_row_word(r, speed, glass_speed_words[glass_port_lane_speed(p)]);
}

void glass_row_end(struct glass_row *r, u32 column, struct glass_net_end end)
{
	const struct glass_link_port *lp = glass_link_port_at(end);

	if (lp)
		glass_row_text(r, column, "%s:%u", lp->name, lp->num);
	else if (end.node && !end.node->owners)
		glass_row_text(r, column, "%s:%u", glass_fabric_node(end.node)->name, end.port);
}

void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp)
{
	const struct glass_port *p = hp->link.port;
	u32 i, npkeys = 0;

	glass_row_num(r, GLASS_COL_PORT_port, p->num);
	if (p->state < ARRAY_SIZE(glass_port_state_words))
		glass_row_word(r, GLASS_COL_PORT_state, glass_port_state_words[p->state]);
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
	glass_row_end(r, GLASS_COL_PORT_peer, *hp->link.far);
	glass_row_speed(r, GLASS_COL_PORT_width, GLASS_COL_PORT_speed, p);
	for (i = 0; i < p->pkey_len; i++)
		npkeys += p->pkeys[i] != 0;
	glass_row_num(r, GLASS_COL_PORT_num_pkeys, npkeys);
	glass_row_rest(r, GLASS_COL_PORT_tx_ucast, p);
}

/* The position of a row is the port's number. */
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
