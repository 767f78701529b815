// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of multicast groups. */
#include "debugfs/dump.h"
#include "engine/packet.h"

void glass_mcast_row(struct glass_row *r, const struct glass_mcast_info *g)
{
	u64 now = ktime_get_ns();

	glass_row_text(r, GLASS_COL_MCAST_mgid, "%pI6", g->mgid.raw);
	glass_row_num(r, GLASS_COL_MCAST_mlid, g->mlid);
	glass_row_num(r, GLASS_COL_MCAST_members, g->n);
	glass_row_num(r, GLASS_COL_MCAST_created, g->created_ns);
	glass_row_num(r, GLASS_COL_MCAST_age, now > g->created_ns ? now - g->created_ns : 0);
}

/* The position of a row is the group's id + 1. */
static bool mcast_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_mcast_info g;

	if (!glass_mcast_next(dev, *pos - 1, &g))
		return false;
	glass_mcast_row(r, &g);
	*pos = g.id + 1;
	return true;
}

DEFINE_GLASS_TABLE(mcast, MCAST, mcast_next);
