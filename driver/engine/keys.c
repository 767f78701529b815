// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work requests that change what a key stands for: invalidation, memory windows,
 * registration by work request (IBA 10.6.4 to 10.6.7, 10.8.3). All run under their QP's lock.
 */
#include <linux/jiffies.h>

#include "engine/engine.h"
#include "engine/keys.h"
#include "engine/lint.h"

static_assert(GLASS_ACC_MW_BIND == IB_ACCESS_MW_BIND &&
	      GLASS_ACC_FLUSH_GLOBAL == IB_ACCESS_FLUSH_GLOBAL &&
	      GLASS_ACC_FLUSH_PERSISTENT == IB_ACCESS_FLUSH_PERSISTENT);

/* Copies of one packet take microseconds: a reference held longer than this is leaked. */
#define RETIRE_JIFFIES (HZ / 5)
/* Looks at the references before the caller comes again later. */
#define RETIRE_LOOKS 64

/*
 * From here on the key does not work. False: something that began before still reads or writes the
 * memory, which its owner frees next.
 */
static bool mr_retire_key(struct glass_mr *mr)
{
	WRITE_ONCE(mr->valid, false);
	/* pairs with the one in mr_get() */
	smp_mb();
	/* two references: the creator's and the caller's */
	if (refcount_read(&mr->ref.count) > 2)
		return false;
	/* what they did comes before what the owner does */
	smp_mb();
	return true;
}

/* Lets go of the region that a window was bound to. */
static void mw_unbind_region(struct glass_mr *region)
{
	if (region)
		atomic_dec(&region->windows);
}

void glass_window_unbind(struct glass_mr *win)
{
	struct glass_mr *region;
	unsigned long flags;

	spin_lock_irqsave(&win->window_lock, flags);
	region = win->region;
	win->region = NULL;
	spin_unlock_irqrestore(&win->window_lock, flags);
	mw_unbind_region(region);
}

/* Windows of type 2 only, and only by the QP that they are bound to. */
static bool invalidate_window(struct glass_qp *qp, struct glass_mr *win, u32 key)
{
	struct glass_mr *region;
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&win->window_lock, flags);
	region = win->region;
	ok = region && win->key == key && win->window_type == 2 && win->qp_born == qp->born;
	if (ok)
		win->region = NULL;
	spin_unlock_irqrestore(&win->window_lock, flags);
	if (ok)
		mw_unbind_region(region);
	return ok;
}

/* again: the same QP began this before. Returns without a reference to the region. */
static enum glass_mem try_invalidate(struct glass_qp *qp, u32 key, bool remote, bool again)
{
	struct glass_mr *mr = glass_mr_find(qp->dev, key);
	enum glass_mem err = GLASS_MEM_OK;

	if (!mr)
		return GLASS_MEM_KEY;
	if (!glass_same_domain(qp, mr))
		err = GLASS_MEM_PD;
	else if (mr->kind == GLASS_MR_WINDOW)
		err = invalidate_window(qp, mr, key) ? GLASS_MEM_OK : GLASS_MEM_ACCESS;
	else if (mr->kind != GLASS_MR_FAST || (remote && !again && !READ_ONCE(mr->valid)))
		err = GLASS_MEM_ACCESS;
	else if (!mr_retire_key(mr))
		err = GLASS_MEM_LATER;
	glass_ref_put(&mr->ref);
	return err;
}

/*
 * Does not wait: who still copies may be a context that is preempted. Between two looks it holds no reference,
 * because another QP that invalidates the same region looks at all references. So two LOCAL_INVs of one key complete
 * well, and neither before the memory is free.
 */
static enum glass_mem mr_invalidate_key(struct glass_qp *qp, u32 key, bool remote)
{
	struct glass_retiring *r = &qp->retiring[remote];
	bool again = r->key == key;
	enum glass_mem err;
	int looks;

	lockdep_assert_held(&qp->lock);
	for (looks = 0; looks < RETIRE_LOOKS; looks++) {
		err = try_invalidate(qp, key, remote, again);
		if (err != GLASS_MEM_LATER) {
			r->key = 0;
			return err;
		}
		again = true;
		cpu_relax();
	}
	if (r->key != key) {
		r->key = key;
		r->since = jiffies;
	} else if (time_after(jiffies, r->since + RETIRE_JIFFIES)) {
		r->key = 0;
		return GLASS_MEM_FAULT;
	}
	return GLASS_MEM_LATER;
}

enum glass_mem glass_env_invalidate(struct glass_pqp *q, u32 key)
{
	return mr_invalidate_key(core_to_qp(q), key, true);
}

/* The object of a key whatever its last 8 bits are now, with a reference. */
static struct glass_mr *find_by_index(struct glass_dev *dev, u32 key)
{
	struct glass_mr *mr;

	rcu_read_lock();
	mr = xa_load(&dev->mrs, key >> 8);
	if (mr && !glass_ref_get(&mr->ref))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

/*
 * The list that was mapped last becomes the region's memory. Without a new list the region keeps
 * the one it has: a consumer may map once and register many times (rtrs-srv does).
 */
static void take_list(struct glass_mr *mr)
{
	struct glass_page_list *list = &mr->mapped;
	unsigned long flags;

	spin_lock_irqsave(&list->lock, flags);
	if (list->fresh) {
		swap(mr->pages, list->pages);
		/* glass_fill_res_mr() looks at these two and at the access below */
		WRITE_ONCE(mr->npages, list->npages);
		WRITE_ONCE(mr->page_shift, list->page_shift);
		mr->first_off = list->first_off;
		mr->list_length = list->length;
		list->fresh = false;
	}
	spin_unlock_irqrestore(&list->lock, flags);
}

static bool reg_mr(struct glass_qp *qp, const struct glass_swqe *w)
{
	struct glass_mr *mr;
	bool ok;

	/* page lists are the kernel's */
	if (qp->core.is_user)
		return false;
	mr = find_by_index(qp->dev, w->rkey);
	if (!mr)
		return false;
	ok = mr->kind == GLASS_MR_FAST && glass_same_domain(qp, mr) && !mr->valid;
	if (ok) {
		take_list(mr);
		ok = mr->npages && w->blen <= mr->list_length &&
		     w->raddr + w->blen >= w->raddr;
	}
	if (ok) {
		mr->iova = w->raddr;
		mr->length = w->blen;
		WRITE_ONCE(mr->access, w->access & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
						    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC));
		WRITE_ONCE(mr->key, w->rkey);
		/* with all of the above: whoever sees it may use the region */
		smp_store_release(&mr->valid, true);
	}
	glass_ref_put(&mr->ref);
	return ok;
}

#define WINDOW_ACCESS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* The region that a window is to be bound to, counted in its `windows`; NULL: it may not. */
static struct glass_mr *region_get(struct glass_qp *qp, const struct glass_swqe *w)
{
	struct glass_mr *mr = glass_mr_find(qp->dev, w->mr_lkey);
	bool writes = w->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC);
	bool ok;

	if (!mr)
		return NULL;
	ok = mr->kind == GLASS_MR_USER && glass_same_domain(qp, mr) && (mr->access & IB_ACCESS_MW_BIND) &&
	     (!writes || (mr->access & IB_ACCESS_LOCAL_WRITE)) && w->raddr >= mr->iova &&
	     w->blen <= mr->length && w->raddr - mr->iova <= mr->length - w->blen &&
	     atomic_inc_unless_negative(&mr->windows);
	glass_ref_put(&mr->ref);
	return ok ? mr : NULL;
}

/*
 * Of an R_Key the program owns the low 8 bits (IBA 10.6.7; ibv_inc_rkey(3)); the index stays the window's,
 * whatever is above them in the work request.
 */
static u32 window_key(const struct glass_swqe *w)
{
	return (w->mw_rkey & ~0xffU) | (w->rkey & 0xff);
}

static bool bind_window(struct glass_qp *qp, struct glass_mr *win, const struct glass_swqe *w)
{
	bool zero_based = w->access & IB_ZERO_BASED;
	struct glass_mr *region = NULL, *old;
	u32 key = window_key(w);
	unsigned long flags;
	bool ok;

	/* the right to write here is the region's, and is said along by many */
	if (w->access & ~(WINDOW_ACCESS | IB_ZERO_BASED | IB_ACCESS_LOCAL_WRITE))
		return false;
	if (w->blen) {
		region = region_get(qp, w);
		if (!region)
			return false;
	}
	spin_lock_irqsave(&win->window_lock, flags);
	old = win->region;
	/*
	 * Type 2 is bound once, to something, until it is invalidated, and the program
	 * chooses its key. Only it may begin at 0.
	 */
	if (win->window_type == 2)
		ok = !old && region;
	else
		ok = win->key == w->mw_rkey && w->rkey == key && !zero_based;
	if (ok) {
		WRITE_ONCE(win->key, key);
		win->region = region;
		win->region_addr = w->raddr;
		win->iova = zero_based ? 0 : w->raddr;
		win->length = w->blen;
		win->access = w->access & WINDOW_ACCESS;
		win->qp_born = qp->born;
		win->qpn = qp->core.qpn;
	}
	spin_unlock_irqrestore(&win->window_lock, flags);
	mw_unbind_region(ok ? old : region);
	return ok;
}

static bool bind_mw(struct glass_qp *qp, const struct glass_swqe *w)
{
	struct glass_mr *win;
	bool ok;

	win = find_by_index(qp->dev, w->mw_rkey);
	if (!win)
		return false;
	ok = win->kind == GLASS_MR_WINDOW && glass_same_domain(qp, win) && bind_window(qp, win, w);
	glass_ref_put(&win->ref);
	if (ok && w->rkey != window_key(w) && glass_linting())
		glass_lint_qp(qp, NULL, GLASS_LINT_WINDOW_KEY_INDEX, w->rkey, window_key(w),
			      "R_Key 0x%x was asked for the window 0x%x: only its low 8 bits count, the window has 0x%x",
			      w->rkey, w->mw_rkey, window_key(w));
	return ok;
}

enum glass_mem glass_env_local_op(struct glass_pqp *q, const struct glass_swqe *w)
{
	struct glass_qp *qp = core_to_qp(q);

	lockdep_assert_held(&qp->lock);
	switch (w->op) {
	case GLASS_OP_BIND_MW:
		return bind_mw(qp, w) ? GLASS_MEM_OK : GLASS_MEM_ACCESS;
	case GLASS_OP_REG_MR:
		return reg_mr(qp, w) ? GLASS_MEM_OK : GLASS_MEM_ACCESS;
	case GLASS_OP_LOCAL_INV:
		return mr_invalidate_key(qp, w->rkey, false);
	default:
		return GLASS_MEM_ACCESS;
	}
}
