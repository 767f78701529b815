// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The file fabric/ethernet: the table of the Ethernet ports. */
#include <linux/fs.h>
#include <linux/module.h>

#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "model/ether.h"

static struct glass_fabric *fabric;

static void ether_netdev_columns(struct glass_row *r, struct glass_ether *e)
{
	struct glass_netdev_info info;

	if (!glass_netdev_info(&e->nd, &info)) {
		glass_row_text(r, GLASS_COL_ETHER_netdev, "%s", e->netdev);
		return;
	}
	glass_row_text(r, GLASS_COL_ETHER_netdev, "%s", info.name);
	glass_row_num(r, GLASS_COL_ETHER_netns, info.netns);
	glass_row_num(r, GLASS_COL_ETHER_ifindex, info.ifindex);
	glass_row_num(r, GLASS_COL_ETHER_netdev_mtu, info.mtu);
	glass_row_text(r, GLASS_COL_ETHER_mac, "%pM", info.mac);
	glass_row_num(r, GLASS_COL_ETHER_flight, glass_netdev_flight(&e->nd));
}

static void ether_columns(struct glass_row *r, const struct glass_ether *e)
{
	const struct glass_ether_stats *s = &e->stats;
	u32 i, n = 0;

	if (e->lp)
		glass_row_word(r, GLASS_COL_ETHER_state,
			       e->lp->port->state == GLASS_PORT_ACTIVE ? "active" : "down");
	for (i = 0; i < GLASS_ETHER_GIDS; i++)
		n += !!rcu_access_pointer(e->gid[i]);
	glass_row_num(r, GLASS_COL_ETHER_gids, n);
	glass_row_num(r, GLASS_COL_ETHER_tx_packets, atomic64_read(&s->tx_packets));
	glass_row_num(r, GLASS_COL_ETHER_tx_bytes, atomic64_read(&s->tx_bytes));
	glass_row_num(r, GLASS_COL_ETHER_tx_no_route, atomic64_read(&s->tx_no_route));
	glass_row_num(r, GLASS_COL_ETHER_tx_dropped, atomic64_read(&s->tx_dropped));
	glass_row_num(r, GLASS_COL_ETHER_waits, READ_ONCE(e->congestion.waits));
	glass_row_num(r, GLASS_COL_ETHER_rx_packets, atomic64_read(&s->rx_packets));
	glass_row_num(r, GLASS_COL_ETHER_rx_bytes, atomic64_read(&s->rx_bytes));
#define RULE_ROW(name, unit, meaning) glass_row_num(r, GLASS_COL_ETHER_##name, atomic64_read(&s->rule[GLASS_ROCE_##name]));
	GLASS_COLUMNS_ROCE_RULES(RULE_ROW)
#undef RULE_ROW
}

static bool ether_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	int walk = srcu_read_lock(&fabric->walks);
	struct glass_fabric_node *n = NULL;

	/* the position is the number of the HCA + 1 */
	spin_lock_irq(&fabric->lock);
	for (; *pos <= GLASS_TOPO_MAX_HCAS; ++*pos) {
		n = fabric->hcas[*pos - 1];
		if (n && n->ether)
			break;
		n = NULL;
	}
	if (n) {
		glass_row_text(r, GLASS_COL_ETHER_dev, "%s", n->ether->lp ? n->ether->lp->name : n->name);
		ether_netdev_columns(r, n->ether);
		ether_columns(r, n->ether);
	}
	spin_unlock_irq(&fabric->lock);
	srcu_read_unlock(&fabric->walks, walk);
	return n;
}

DEFINE_GLASS_TABLE(ether, ETHER, ether_next);
DEFINE_GLASS_TABLE_FILE(ether);

void glass_ether_files(struct dentry *dir, struct glass_fabric *f)
{
	fabric = f;
	debugfs_create_file("ethernet", 0400, dir, NULL, &ether_fops);
}
