// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Memory regions. */
#include "control/row.h"

static const struct glass_flag access_flags[] = {
#define ACCESS_FLAG(n, w, v) { v, #w },
	GLASS_ACCESS_FLAGS(ACCESS_FLAG)
#undef ACCESS_FLAG
};

#define ACCESS_CHECK(n, w, v) static_assert(IB_ACCESS_##n == (v));
#define IB_ACCESS_ZERO_BASED IB_ZERO_BASED
GLASS_ACCESS_FLAGS(ACCESS_CHECK)

static void mr_row(struct glass_row *r, struct glass_mr *mr)
{
	const u32 remote = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
			   IB_ACCESS_REMOTE_ATOMIC;

	glass_row_num(r, GLASS_COL_MR_mrn, mr->key >> 8);
	glass_row_num(r, GLASS_COL_MR_pdn, mr->pdn);
	glass_row_word(r, GLASS_COL_MR_mrkind, mr->kind == GLASS_MR_DMA ? "dma" : "user");
	if (mr->kind != GLASS_MR_DMA) {
		glass_row_num(r, GLASS_COL_MR_start, mr->start);
		glass_row_num(r, GLASS_COL_MR_iova, mr->iova);
		glass_row_num(r, GLASS_COL_MR_len, mr->length);
		glass_row_num(r, GLASS_COL_MR_pages, mr->npages);
	}
	glass_row_num(r, GLASS_COL_MR_lkey, mr->key);
	if (mr->access & remote)
		glass_row_num(r, GLASS_COL_MR_rkey, mr->key);
	glass_row_flags(r, GLASS_COL_MR_access, mr->access, access_flags, ARRAY_SIZE(access_flags));
	glass_row_owner(r, GLASS_COL_MR_pid, &mr->owner);
	glass_row_num(r, GLASS_COL_MR_remote_reads, atomic64_read(&mr->remote_reads));
	glass_row_num(r, GLASS_COL_MR_remote_writes, atomic64_read(&mr->remote_writes));
	glass_row_num(r, GLASS_COL_MR_atomics, atomic64_read(&mr->atomics));
}

static bool mr_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_mr *mr;
	unsigned long flags;

	for (;; ++*pos) {
		bool alive;

		xa_lock_irqsave(&dev->mrs, flags);
		mr = glass_table_find(&dev->mrs, pos);
		alive = mr && glass_ref_get(&mr->ref);
		xa_unlock_irqrestore(&dev->mrs, flags);
		if (!mr)
			return false;
		if (!alive)
			continue;
		mr_row(r, mr);
		glass_ref_put(&mr->ref);
		return true;
	}
}

DEFINE_GLASS_TABLE(mr, MR, mr_next);
