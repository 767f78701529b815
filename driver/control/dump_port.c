// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Ports, as subnet management knows them, and their counters. */
#include "control/row.h"

static const char *const port_states[] = GLASS_WORDS(GLASS_PORT_STATES);

/* Under the fabric's lock. */
static void port_row(struct glass_row *r, const struct glass_port *p)
{
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
}

/* Positions: the port's number. */
static bool port_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	unsigned long flags;

	if (*pos > dev->num_ports)
		return false;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	port_row(r, &dev->node_ports[*pos]);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	return true;
}

DEFINE_GLASS_TABLE(port, PORT, port_next);
