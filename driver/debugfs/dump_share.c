// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of shares (model/share.h). It shows how much memory the programs of each user have, and
 * how many objects of the device.
 */
#include "debugfs/row.h"

/* The position of a row is uid * PER_USER + kind of share (enum glass_share_of) + 1. */
#define PER_USER 16

static_assert(GLASS_SHARE_COUNT <= PER_USER);

static bool share_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	static const char *const words[] = GLASS_WORDS(GLASS_SHARES);
	struct glass_share_info info = { .of = (*pos - 1) % PER_USER };
	unsigned long uid = (*pos - 1) / PER_USER;

	if (!glass_share_next(dev, &uid, &info))
		return false;
	glass_row_num(r, GLASS_COL_SHARE_uid, info.uid);
	glass_row_enum(r, GLASS_COL_SHARE_what, words, info.of);
	glass_row_num(r, GLASS_COL_SHARE_used, info.used);
	if (info.limit != U64_MAX)
		glass_row_num(r, GLASS_COL_SHARE_limit, info.limit);
	glass_row_num(r, GLASS_COL_SHARE_refused, info.refused);
	glass_row_num(r, GLASS_COL_SHARE_exempt, info.exempt);
	if (info.all != U64_MAX)
		glass_row_num(r, GLASS_COL_SHARE_all_used, info.all);
	if (info.all_limit != U64_MAX)
		glass_row_num(r, GLASS_COL_SHARE_all_limit, info.all_limit);
	*pos = (loff_t)uid * PER_USER + info.of + 1;
	return true;
}

DEFINE_GLASS_TABLE(share, SHARE, share_next);
