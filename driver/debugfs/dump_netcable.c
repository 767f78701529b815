// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The file fabric/netdevs: the table of the netdev cables. */
#include <linux/fs.h>
#include <linux/module.h>

#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "link/fabric.h"
#include "model/netcable.h"

static struct glass_fabric *fabric;

#define WORD(n, w) #w,
static const char *const state_words[] = { GLASS_CABLE_STATES(WORD) };
static const char *const trouble_words[] = { GLASS_CABLE_TROUBLES(WORD) };

static void netdev_columns(struct glass_row *r, struct glass_netcable *c)
{
	struct glass_netdev_info info;

	glass_row_text(r, GLASS_COL_NETCABLE_netdev, "%s", c->netdev);
	if (!glass_netdev_info(&c->nd, &info))
		return;
	glass_row_num(r, GLASS_COL_NETCABLE_netns, info.netns);
	glass_row_num(r, GLASS_COL_NETCABLE_ifindex, info.ifindex);
	glass_row_num(r, GLASS_COL_NETCABLE_netdev_mtu, info.mtu);
	glass_row_text(r, GLASS_COL_NETCABLE_mac, "%pM", info.mac);
	glass_row_num(r, GLASS_COL_NETCABLE_flight, glass_netdev_flight(&c->nd));
}

static void cable_columns(struct glass_row *r, const struct glass_netcable *c)
{
	struct glass_net_end a = c->far_ends[1];

	if (a.node) {
		glass_row_text(r, GLASS_COL_NETCABLE_a, "%s:%u",
			       glass_fabric_node(a.node)->name, a.port);
		glass_row_num(r, GLASS_COL_NETCABLE_width, glass_width_lanes(a.width));
		glass_row_word(r, GLASS_COL_NETCABLE_speed,
			       glass_speed_words[glass_top_speed(a.speed, a.speed_ext)]);
		glass_row_bool(r, GLASS_COL_NETCABLE_pulled, a.pulled);
	}
	glass_row_num(r, GLASS_COL_NETCABLE_mtu, glass_mtu_bytes(c->mtu));
	glass_row_num(r, GLASS_COL_NETCABLE_silence, c->training.silence);
	glass_row_bool(r, GLASS_COL_NETCABLE_vcrc, c->vcrc);
}

static void training_columns(struct glass_row *r, const struct glass_netcable *c)
{
	const struct glass_training *t = &c->training;

	glass_row_word(r, GLASS_COL_NETCABLE_state, state_words[t->state]);
	glass_row_word(r, GLASS_COL_NETCABLE_trouble, trouble_words[t->trouble]);
	if (t->trouble == GLASS_TROUBLE_SAME_GUID || t->trouble == GLASS_TROUBLE_VERSION || t->trouble == GLASS_TROUBLE_THIRD) {
		glass_row_text(r, GLASS_COL_NETCABLE_other, "%s:%u", t->other.node, t->other.port);
		glass_row_text(r, GLASS_COL_NETCABLE_other_host, "%s", t->other.host);
	}
	glass_row_num(r, GLASS_COL_NETCABLE_ups, c->ups);
	if (t->state < GLASS_CABLE_HEARD)
		return;
	glass_row_text(r, GLASS_COL_NETCABLE_peer, "%s:%u", t->peer.node, t->peer.port);
	glass_row_text(r, GLASS_COL_NETCABLE_peer_host, "%s", t->peer.host);
	glass_row_num(r, GLASS_COL_NETCABLE_peer_guid, t->peer.guid);
	glass_row_text(r, GLASS_COL_NETCABLE_peer_mac, "%pM", t->peer_mac);
	glass_row_num(r, GLASS_COL_NETCABLE_link_mtu, c->link_mtu);
	if (t->state != GLASS_CABLE_UP)
		return;
	glass_row_bool(r, GLASS_COL_NETCABLE_link_vcrc,
		       c->vcrc || !(t->peer.flags & GLASS_HELLO_NO_VCRC));
	glass_row_num(r, GLASS_COL_NETCABLE_up_for, ktime_get_ns() - c->came_up);
}

static void count_columns(struct glass_row *r, const struct glass_netcable *c)
{
	const struct glass_netcable_stats *s = &c->stats;
	const struct {
		u32 column;
		const atomic64_t *value;
	} columns[] = {
		{ GLASS_COL_NETCABLE_tx_frames, &s->tx_frames },
		{ GLASS_COL_NETCABLE_tx_packets, &s->tx_packets },
		{ GLASS_COL_NETCABLE_tx_bytes, &s->tx_bytes },
		{ GLASS_COL_NETCABLE_tx_dropped, &s->tx_dropped },
		{ GLASS_COL_NETCABLE_rx_frames, &s->rx_frames },
		{ GLASS_COL_NETCABLE_rx_packets, &s->rx_packets },
		{ GLASS_COL_NETCABLE_rx_bytes, &s->rx_bytes },
		{ GLASS_COL_NETCABLE_rx_undelivered, &s->rx_undelivered },
		{ GLASS_COL_NETCABLE_tx_hellos, &s->tx_hellos },
		{ GLASS_COL_NETCABLE_rx_hellos, &s->rx_hellos },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		glass_row_num(r, columns[i].column, atomic64_read(columns[i].value));
	for (i = GLASS_RULE_NONE + 1; i < GLASS_RULE_COUNT; i++)
		glass_row_num(r, GLASS_COL_NETCABLE_bad_short + i - 1,
			      atomic64_read(&s->rule[i]));
	glass_row_num(r, GLASS_COL_NETCABLE_waits,
		      READ_ONCE(c->fabric->congestion[c->slot].waits));
	glass_row_num(r, GLASS_COL_NETCABLE_lost, c->lost + c->lost_now);
}

static bool netcable_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	int walk = srcu_read_lock(&fabric->walks);
	struct glass_netcable *c = NULL;

	/* the position is the slot + 1 */
	spin_lock_irq(&fabric->lock);
	for (; *pos <= GLASS_NETCABLES_MAX; ++*pos) {
		c = fabric->netcables[*pos - 1];
		if (c && c->open)
			break;
		c = NULL;
	}
	if (c) {
		netdev_columns(r, c);
		cable_columns(r, c);
		training_columns(r, c);
		count_columns(r, c);
	}
	spin_unlock_irq(&fabric->lock);
	srcu_read_unlock(&fabric->walks, walk);
	return c;
}

DEFINE_GLASS_TABLE(netcable, NETCABLE, netcable_next);
DEFINE_GLASS_TABLE_FILE(netcable);

void glass_netcable_files(struct dentry *dir, struct glass_fabric *f)
{
	fabric = f;
	debugfs_create_file("netdevs", 0400, dir, NULL, &netcable_fops);
}
