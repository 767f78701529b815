// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of device memories. */
#include "debugfs/row.h"

static bool dm_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_dm *dm;
	unsigned long flags;

	xa_lock_irqsave(&dev->dms, flags);
	dm = glass_table_find(&dev->dms, pos);
	if (dm) {
		glass_row_num(r, GLASS_COL_DM_dmn, dm->dmn);
		glass_row_ctxn(r, GLASS_COL_DM_ctxn, dm->map->rdma.ucontext);
		glass_row_num(r, GLASS_COL_DM_len, dm->length);
		glass_row_num(r, GLASS_COL_DM_nmr, atomic_read(&dm->nmr));
		glass_row_owner(r, GLASS_COL_DM_pid, &dm->owner);
	}
	xa_unlock_irqrestore(&dev->dms, flags);
	return dm;
}

DEFINE_GLASS_TABLE(dm, DM, dm_next);
