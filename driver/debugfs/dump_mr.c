// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of memory regions and of memory windows. The xarray glass_dev.mrs contains both. The
 * index of an entry is its key >> 8.
 */
#include "debugfs/row.h"
#include "uapi/glass-fields.h"

static const struct glass_flag access_flags[] = {
#define ACCESS_FLAG(n, w, v) { v, #w },
	GLASS_ACCESS_FLAGS(ACCESS_FLAG)
#undef ACCESS_FLAG
};

#define ACCESS_CHECK(n, w, v) static_assert(IB_ACCESS_##n == (v));
#define IB_ACCESS_ZERO_BASED IB_ZERO_BASED
GLASS_ACCESS_FLAGS(ACCESS_CHECK)

static const char *const dump_mr_kinds[] = GLASS_WORDS(GLASS_MR_KINDS);
#define KIND_CHECK(n, w, v) static_assert(GLASS_MR_##n == (v));
GLASS_MR_KINDS(KIND_CHECK)

static void mr_row(struct glass_row *r, struct glass_mr *mr)
{
	const u32 remote = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
			   IB_ACCESS_REMOTE_ATOMIC;
	/*
	 * rereg_mr sets the key to 0, and then waits until references such as the caller's are
	 * dropped. If the key is 0, show the lkey, because rereg_mr will set the key back to this
	 * value.
	 */
	u32 key = READ_ONCE(mr->key) ?: mr->ib.lkey;
	/*
	 * While the caller has its reference, rereg_mr changes neither this field nor the fields
	 * below. But a REG_MR work request may change a fast region now. Then the row may mix
	 * values of the old and the new registration.
	 */
	u32 access = data_race(mr->access);

	glass_row_num(r, GLASS_COL_MR_mrn, key >> 8);
	glass_row_num(r, GLASS_COL_MR_pdn, mr->pdn);
	glass_row_enum(r, GLASS_COL_MR_mrkind, dump_mr_kinds, mr->kind);
	if (mr->kind == GLASS_MR_FAST)
		glass_row_bool(r, GLASS_COL_MR_valid, READ_ONCE(mr->valid));
	if (mr->kind != GLASS_MR_DMA && mr->kind != GLASS_MR_FAST) {
		glass_row_num(r, GLASS_COL_MR_start, mr->start);
		glass_row_num(r, GLASS_COL_MR_windows, max(atomic_read(&mr->windows), 0));
	}
	if (mr->kind != GLASS_MR_DMA) {
		glass_row_num(r, GLASS_COL_MR_iova, data_race(mr->iova));
		glass_row_num(r, GLASS_COL_MR_len, data_race(mr->length));
		glass_row_num(r, GLASS_COL_MR_pages, data_race(mr->npages));
	}
	if (mr->kind == GLASS_MR_USER || mr->kind == GLASS_MR_FAST)
		glass_row_num(r, GLASS_COL_MR_page_size, 1ULL << data_race(mr->page_shift));
	if (mr->dm)
		glass_row_num(r, GLASS_COL_MR_dmn, mr->dm->dmn);
	if (mr->kind == GLASS_MR_ODP) {
		glass_row_num(r, GLASS_COL_MR_demanded, atomic64_read(&mr->demanded));
		glass_row_num(r, GLASS_COL_MR_prefetched, atomic64_read(&mr->prefetched));
	}
	glass_row_num(r, GLASS_COL_MR_lkey, key);
	if (access & remote)
		glass_row_num(r, GLASS_COL_MR_rkey, mr->rkey ?: key);
	glass_row_flags(r, GLASS_COL_MR_access, access, access_flags, ARRAY_SIZE(access_flags));
	glass_row_owner(r, GLASS_COL_MR_pid, &mr->owner);
	glass_row_stacks(r, GLASS_COL_MR_stack, &mr->owner);
	glass_row_num(r, GLASS_COL_MR_remote_reads, atomic64_read(&mr->remote_reads));
	glass_row_num(r, GLASS_COL_MR_remote_writes, atomic64_read(&mr->remote_writes));
	glass_row_num(r, GLASS_COL_MR_atomics, atomic64_read(&mr->atomics));
	glass_row_memory(r, GLASS_COL_MR_memory, glass_mr_memory(mr));
}

static void mw_row(struct glass_row *r, struct glass_mr *win)
{
	unsigned long flags;

	glass_row_num(r, GLASS_COL_MW_pdn, win->pdn);
	glass_row_num(r, GLASS_COL_MW_mwtype, win->window_type);
	glass_row_owner(r, GLASS_COL_MW_pid, &win->owner);
	glass_row_stack(r, GLASS_COL_MW_stack, win->owner.stack);
	spin_lock_irqsave(&win->window_lock, flags);
	/* read the key under the lock, because a bind changes it */
	glass_row_num(r, GLASS_COL_MW_mwn, win->key >> 8);
	glass_row_num(r, GLASS_COL_MW_rkey, win->key);
	if (win->region) {
		glass_row_num(r, GLASS_COL_MW_mrn, win->region->key >> 8);
		glass_row_num(r, GLASS_COL_MW_iova, win->iova);
		glass_row_num(r, GLASS_COL_MW_len, win->length);
		glass_row_flags(r, GLASS_COL_MW_access, win->access, access_flags,
				ARRAY_SIZE(access_flags));
		if (win->window_type == 2)
			glass_row_num(r, GLASS_COL_MW_qpn, win->qpn);
	}
	spin_unlock_irqrestore(&win->window_lock, flags);
}

/*
 * Returns the first memory region at or after *pos, with a reference, and sets *pos to its
 * position. If `window` is true, does the same for memory windows. NULL: there is none.
 */
static struct glass_mr *key_at(struct glass_dev *dev, loff_t *pos, bool window)
{
	struct glass_mr *mr;
	unsigned long flags;

	for (;; ++*pos) {
		bool alive;

		xa_lock_irqsave(&dev->mrs, flags);
		mr = glass_table_find(&dev->mrs, pos);
		alive = mr && (mr->kind == GLASS_MR_WINDOW) == window && glass_ref_get(&mr->ref);
		xa_unlock_irqrestore(&dev->mrs, flags);
		if (!mr || alive)
			return mr;
	}
}

static bool mr_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_mr *mr = key_at(dev, pos, false);

	if (!mr)
		return false;
	mr_row(r, mr);
	glass_ref_put(&mr->ref);
	return true;
}

static bool mw_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_mr *win = key_at(dev, pos, true);

	if (!win)
		return false;
	mw_row(r, win);
	glass_ref_put(&win->ref);
	return true;
}

DEFINE_GLASS_TABLE(mr, MR, mr_next);
DEFINE_GLASS_TABLE(mw, MW, mw_next);
