// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Allocation of memory windows; engine/keys.c binds them. */
#include <linux/slab.h>

#include "engine/keys.h"
#include "observe/gone.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

int glass_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_mw *mw = to_gmw(ib);
	struct glass_mr *win = NULL;
	int err;

	glass_enter(dev, ALLOC_MW, PD, to_gpd(ib->pd)->pdn, "type=%u", ib->type);
	err = glass_verb_fault(dev, ALLOC_MW, udata);
	if (err)
		goto out;
	err = -EINVAL;
	if (ib->type != IB_MW_TYPE_1 && ib->type != IB_MW_TYPE_2)
		goto out;
	err = -ENOMEM;
	win = glass_mr_alloc(ib->pd, 0, udata);
	if (!win)
		goto out;
	win->kind = GLASS_MR_WINDOW;
	win->owner.stack = glass_lint_now(glass_lint_of(udata));
	win->window_type = ib->type == IB_MW_TYPE_1 ? 1 : 2;
	spin_lock_init(&win->window_lock);
	err = glass_mr_publish(win);
	if (err)
		goto out;
	mw->window = win;
	ib->rkey = win->key;
out:
	glass_leave(dev, ALLOC_MW, MW, err ? 0 : ib->rkey, err);
	if (err)
		glass_mr_free(win);
	return err;
}

int glass_dealloc_mw(struct ib_mw *ib)
{
	struct glass_mr *win = to_gmw(ib)->window;
	struct glass_dev *dev = win->dev;
	u32 key = READ_ONCE(win->key); /* a bind (keys.c) may change it concurrently */
	struct glass_ucontext *uctx = glass_context_of(win->pd);
	struct glass_gone_by gone;

	glass_enter_bare(dev, DEALLOC_MW, MW, key);
	glass_gone_caller(&gone, GLASS_GONE_DEREG, !(current->flags & PF_EXITING),
			  !READ_ONCE(dev->registered), uctx ? &uctx->lint : NULL);
	glass_key_end(win, &gone);
	xa_erase_irq(&dev->mrs, key >> 8);
	glass_forget_mr(win, key >> 8);
	glass_ref_kill(&win->ref);
	glass_window_unbind(win);
	atomic_dec(&to_gpd(win->pd)->nmw);
	glass_bill_close(&win->bill);
	glass_leave(dev, DEALLOC_MW, MW, key, 0);
	kfree_rcu(win, rcu);
	return 0;
}
