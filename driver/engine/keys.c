// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Operations that change the meaning of a key: LOCAL_INV, SEND with Invalidate, BIND_MW and REG_MR
 * (IBA 10.6.4 to 10.6.7, 10.8.3). The caller holds the lock of the QP that carries out the work
 * request or receives the SEND.
 */
#include <linux/jiffies.h>

#include "engine/engine.h"
#include "engine/keys.h"
#include "engine/lint.h"
#include "observe/gone.h"

static_assert(GLASS_ACC_MW_BIND == IB_ACCESS_MW_BIND &&
	      GLASS_ACC_FLUSH_GLOBAL == IB_ACCESS_FLUSH_GLOBAL &&
	      GLASS_ACC_FLUSH_PERSISTENT == IB_ACCESS_FLUSH_PERSISTENT);

/*
 * An invalidation fails if accesses hold references to the region for longer than this. This limit
 * is for leaked references, which would stall the QP for ever: a packet holds its references for
 * microseconds, or for some milliseconds if its context is preempted.
 */
#define RETIRE_JIFFIES (HZ / 5)
/* An invalidation polls the refcount at most this many times before it returns GLASS_MEM_LATER. */
#define RETIRE_LOOKS 64

void glass_key_bury(const struct glass_mr *mr, const struct glass_gone_by *by)
{
	struct glass_gone_key g = {
		.by = *by,
		.lkey = READ_ONCE(mr->key),
		.rkey = READ_ONCE(mr->rkey) ?: READ_ONCE(mr->key),
		.hca = mr->dev->index,
		.kind = mr->kind,
		.pdn = READ_ONCE(mr->pdn),
		.access = READ_ONCE(mr->access),
		.addr = READ_ONCE(mr->iova),
		.len = READ_ONCE(mr->length),
		.pid = mr->owner.pid,
		.uid = mr->owner.uid,
	};

	memcpy(g.comm, mr->owner.comm, sizeof(g.comm));
	glass_gone_key(&g);
}

void glass_key_end(struct glass_mr *mr, const struct glass_gone_by *by)
{
	if (!glass_key_works(mr))
		return;
	glass_key_bury(mr, by);
	/* pairs with smp_load_acquire() in find_key() (story_gone.c): who sees this finds the key in the log */
	smp_store_release(&mr->ended, true);
}

/*
 * As glass_key_bury(), for a key that the QP's current request ends, or one of its peer: a SEND with
 * Invalidate (GLASS_GONE_SEND_INV), of which lint knows the post if it looks at this QP.
 */
static void bury_by_qp(const struct glass_mr *mr, const struct glass_qp *qp, enum glass_gone_how how)
{
	struct glass_gone_by by = { .how = how, .pid = qp->owner.pid };

	if (how == GLASS_GONE_SEND_INV)
		by.stack = glass_lint_arrived_from(qp);
	else
		by.stack = glass_lint_posted_from(qp, qp->core.req.cur);
	memcpy(by.comm, qp->owner.comm, sizeof(by.comm));
	glass_key_bury(mr, &by);
}

/*
 * Disables the key of a region. Returns false if an access that began earlier still uses the
 * memory. In that case the invalidation must not complete yet, because the consumer may free the
 * memory when it has completed.
 */
static bool mr_retire_key(struct glass_mr *mr)
{
	WRITE_ONCE(mr->valid, false);
	/* pairs with smp_mb__after_atomic() in get_region() (memory.c) */
	smp_mb();
	/* two of the references are not accesses: the creator's and the caller's */
	if (refcount_read(&mr->ref.count) > 2)
		return false;
	/*
	 * Orders past accesses before the consumer's next use of the memory. Pairs with the release
	 * in glass_ref_put(), by which each access ends.
	 */
	smp_mb();
	return true;
}

/*
 * Decrements the region's count of bound windows. The region can be deregistered only while the
 * count is 0.
 */
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

/* Invalidates a window. Returns false unless it is of type 2, has this key, and is bound to qp. */
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

/*
 * Tries once to invalidate a key. `remote` means that the peer asks for it (SEND with Invalidate).
 * `again` means that this QP has tried before, so the region may be invalid already. Holds no
 * reference to the region when it returns.
 */
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
	if (err == GLASS_MEM_OK)
		bury_by_qp(mr, qp, remote ? GLASS_GONE_SEND_INV : GLASS_GONE_LOCAL_INV);
	glass_ref_put(&mr->ref);
	return err;
}

/*
 * Invalidates a key, for the peer if `remote` is true, else for a LOCAL_INV. Polls only briefly for
 * the end of accesses, because the context of an access may be preempted. Returns GLASS_MEM_LATER
 * if an access still uses the memory: the caller must call again. Returns GLASS_MEM_FAULT if
 * accesses have used the memory for more than RETIRE_JIFFIES since the first call.
 *
 * Between two tries, this function holds no reference, because another QP that invalidates the same
 * region would count it as an access. So two QPs can carry out a LOCAL_INV of the same key: both
 * succeed, and neither completes while the memory is in use.
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

/*
 * Finds the region or window by the index in the upper 24 bits of `key`, and ignores the low 8
 * bits. Returns it with a reference, or NULL.
 */
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
 * Installs the page list of the last map_mr_sg() as the region's memory. Without a new list, the
 * region keeps its memory: a consumer may call map_mr_sg() once and post many REG_MRs (rtrs-srv
 * does).
 */
static void take_list(struct glass_mr *mr)
{
	struct glass_page_list *list = &mr->mapped;
	unsigned long flags;

	spin_lock_irqsave(&list->lock, flags);
	if (list->fresh) {
		swap(mr->pages, list->pages);
		/* glass_fill_res_mr() reads npages, page_shift and access without a lock */
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

	/* only kernel consumers have page lists */
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
		/* publishes the fields above; pairs with smp_load_acquire() in get_region() */
		smp_store_release(&mr->valid, true);
	}
	glass_ref_put(&mr->ref);
	return ok;
}

#define WINDOW_ACCESS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/*
 * Finds the region that a bind names, and increments its count of windows. This count keeps the
 * region from being deregistered, so the window needs no reference to the region. Returns NULL if
 * the bind is not allowed.
 */
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
 * Returns the R_Key that a window has after this bind. The program chooses only its low 8 bits (IBA
 * 10.6.7; ibv_inc_rkey(3)). The upper 24 bits are those of the present R_Key, even if the work
 * request asks for others.
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

	/* allow and ignore LOCAL_WRITE: windows do not have this right, but many programs set it */
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
	 * Type 2: the length must not be 0, and the window must not be bound.
	 *
	 * Type 1: the bind replaces the window's binding, or only ends it if the length is 0. The
	 * work request must name the window's present R_Key and a new R_Key with the same upper 24
	 * bits, and must not ask for a zero-based window.
	 */
	if (win->window_type == 2)
		ok = !old && region;
	else
		ok = win->key == w->mw_rkey && w->rkey == key && !zero_based;
	if (ok && (old || win->key != key))
		bury_by_qp(win, qp, GLASS_GONE_BIND);
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
			      "R_Key 0x%x was requested for window 0x%x: only the low 8 bits count, and the window now has 0x%x",
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
