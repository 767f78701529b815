// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* advise_mr: brings in pages of on-demand regions before they are needed. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "engine/engine.h"
#include "engine/odp.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

/* An advise_mr may have at most this many SGEs. The limit bounds the memory of a struct advice. */
#define GLASS_ADVISE_MAX 1024

/* An SGE of an advise_mr. */
struct piece {
	struct glass_mr *mr; /* with a reference, which advice_follow() drops */
	u64 addr; /* the SGE's address; the region's first byte has address mr->iova */
	u64 len; /* bytes */
};

/*
 * The request of an advise_mr. With the flag FLUSH, the verb itself carries out the request.
 * Without the flag, the verb queues `work`, which does so later.
 */
struct advice {
	struct work_struct work;
	struct glass_bill bill;
	/*
	 * `write`: the pages must become writable (PREFETCH_WRITE). `fault`: absent pages must be
	 * brought in; false for PREFETCH_NO_FAULT, and after an error of the verb. `wait`: the verb
	 * waits for the pages (FLUSH).
	 */
	bool write, fault, wait;
	u32 n; /* number of entries of piece[] */
	struct piece piece[];
};

/*
 * Carries out the request *a, drops the references to its regions, and frees *a. If a->fault is
 * false, brings in no pages. PREFETCH_NO_FAULT needs none: it asks only for translations of present
 * pages, and the driver keeps no translations. Returns 0 or the error of glass_odp_prefetch().
 */
static int advice_follow(struct advice *a)
{
	int err = 0;
	u32 i;

	for (i = 0; i < a->n; i++) {
		if (a->fault && !err)
			err = glass_odp_prefetch(a->piece[i].mr, a->piece[i].addr, a->piece[i].len,
						 a->write, a->wait);
		glass_ref_put(&a->piece[i].mr->ref);
	}
	glass_bill_close(&a->bill);
	kvfree(a);
	return err;
}

static void advice_work(struct work_struct *work)
{
	advice_follow(container_of(work, struct advice, work));
}

/*
 * Adds an SGE to the advice. The SGE must be in an on-demand region of this PD. If the advice asks
 * for writable pages, the region must allow LOCAL_WRITE. Returns 0 or a negative errno.
 */
static int add_piece(struct advice *a, struct ib_pd *pd, const struct ib_sge *sge)
{
	struct glass_mr *mr = glass_mr_find(to_gdev(pd->device), sge->lkey);
	int err = -ENOENT;

	if (!mr)
		return -EINVAL;
	if (mr->pd != pd)
		goto out;
	err = -EINVAL;
	if (mr->kind != GLASS_MR_ODP || sge->addr < mr->iova || sge->length > mr->length ||
	    sge->addr - mr->iova > mr->length - sge->length)
		goto out;
	err = -EPERM;
	if (a->write && !(mr->access & IB_ACCESS_LOCAL_WRITE))
		goto out;
	a->piece[a->n].mr = mr;
	a->piece[a->n].addr = sge->addr;
	a->piece[a->n++].len = sge->length;
	return 0;
out:
	glass_ref_put(&mr->ref);
	return err;
}

static int mr_advise(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		     struct ib_sge *sg, u32 n)
{
	struct glass_bill bill;
	struct advice *a;
	int err = 0;
	u32 i;

	/* refuse ib_advise_mr() of ib_core: a kernel consumer's PD has no user context */
	if (!glass_context_of(pd))
		return -EOPNOTSUPP;
	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	if (!n || n > GLASS_ADVISE_MAX)
		return -EINVAL;
	err = glass_bill_open(&bill, &glass_context_of(pd)->payer, GLASS_SHARE_MEMORY, 0,
			      struct_size(a, piece, n));
	if (err)
		return err;
	a = kvzalloc(struct_size(a, piece, n), GLASS_GFP_ASKED);
	if (!a) {
		glass_bill_close(&bill);
		return -ENOMEM;
	}
	a->bill = bill;
	a->write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	a->fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	a->wait = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	for (i = 0; !err && i < n; i++)
		err = add_piece(a, pd, &sg[i]);
	if (err) {
		a->fault = false;
		advice_follow(a);
		return err;
	}
	if (a->wait)
		return advice_follow(a);
	/*
	 * A dereg_mr of the region may return before this work has ended: it waits only until the
	 * work has dropped its reference. When the module is unloaded, glass_work_exit() waits for
	 * the end of the work.
	 */
	INIT_WORK(&a->work, advice_work);
	queue_work(glass_slow_wq, &a->work);
	return 0;
}

int glass_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sg, u32 n, struct uverbs_attr_bundle *attrs)
{
	struct glass_dev *dev = to_gdev(pd->device);
	int err;

	glass_enter(dev, ADVISE_MR, PD, to_gpd(pd)->pdn, "advice=%u flags=0x%x num_sge=%u", advice,
		    flags, n);
	err = glass_verb_fault(dev, ADVISE_MR, true);
	if (!err)
		err = mr_advise(pd, advice, flags, sg, n);
	glass_leave(dev, ADVISE_MR, PD, to_gpd(pd)->pdn, err);
	return err;
}
