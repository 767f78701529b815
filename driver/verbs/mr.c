// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/api.h"
#include "verbs/verbs.h"

#define GLASS_MR_ACCESS                                                                            \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |                  \
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_RELAXED_ORDERING)

static struct glass_mr *mr_alloc(struct ib_pd *pd, int access, bool user)
{
	struct glass_dev *dev = to_gdev(pd->device);
	struct glass_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	glass_ref_init(&mr->ref);
	mr->dev = dev;
	mr->pd = pd;
	mr->pdn = to_gpd(pd)->pdn;
	mr->access = access & ~IB_ACCESS_RELAXED_ORDERING;
	glass_owner_fill(&mr->owner, user);
	return mr;
}

/*
 * Gives the MR a key and lets the packet path find it. The low byte changes
 * from one key to the next, so that a stale key does not fit its successor.
 */
static int mr_publish(struct glass_mr *mr)
{
	struct glass_dev *dev = mr->dev;
	u8 variant = atomic_inc_return(&dev->key_variant);
	u32 index;
	int err;

	/* the number first: readers compare the key, which is 0 until it is whole */
	err = glass_number(&dev->mrs, &index, mr, 1, GLASS_MAX_MR, &dev->mr_next);
	if (err)
		return err;
	mr->ib.lkey = index << 8 | variant;
	mr->ib.rkey = mr->ib.lkey;
	smp_store_release(&mr->key, mr->ib.lkey);
	atomic_inc(&to_gpd(mr->pd)->nmr);
	return 0;
}

struct ib_mr *glass_get_dma_mr(struct ib_pd *pd, int access)
{
	struct glass_mr *mr = mr_alloc(pd, access, false);
	int err = -ENOMEM;

	glass_enter(to_gdev(pd->device), GET_DMA_MR, PD, to_gpd(pd)->pdn, "access=0x%x", access);
	if (mr) {
		mr->kind = GLASS_MR_DMA;
		mr->length = U64_MAX;
		err = mr_publish(mr);
	}
	glass_leave(to_gdev(pd->device), GET_DMA_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

static int mr_pin(struct glass_mr *mr, struct ib_device *ib, u64 start, u64 length, u64 iova,
		  int access)
{
	struct sg_page_iter it;
	u32 n = 0;

	mr->umem = ib_umem_get(ib, start, length, access);
	if (IS_ERR(mr->umem)) {
		int err = PTR_ERR(mr->umem);

		mr->umem = NULL;
		return err;
	}
	mr->npages = ib_umem_num_pages(mr->umem);
	mr->pages = kvmalloc_array(mr->npages, sizeof(*mr->pages), GFP_KERNEL_ACCOUNT);
	if (!mr->pages)
		return -ENOMEM;
	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &it, 0)
		mr->pages[n++] = page_address(sg_page_iter_page(&it));
	if (WARN_ON(n != mr->npages))
		return -EINVAL;
	mr->start = start;
	mr->length = length;
	mr->iova = iova;
	mr->first_off = offset_in_page(start);
	return 0;
}

struct ib_mr *glass_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				struct ib_udata *udata)
{
	struct glass_mr *mr = NULL;
	int err;

	glass_enter(to_gdev(pd->device), REG_MR, PD, to_gpd(pd)->pdn,
		    "start=0x%llx len=%llu iova=0x%llx access=0x%x", start, length, virt_addr, access);
	err = glass_verb_fault(to_gdev(pd->device), REG_MR, true);
	if (err)
		goto out;
	err = -EOPNOTSUPP;
	if (access & ~GLASS_MR_ACCESS)
		goto out;
	err = -EINVAL;
	if (length > GLASS_MAX_MR_SIZE || virt_addr + length < virt_addr)
		goto out;
	err = -ENOMEM;
	mr = mr_alloc(pd, access, true);
	if (!mr)
		goto out;
	mr->kind = GLASS_MR_USER;
	err = mr_pin(mr, pd->device, start, length, virt_addr, access);
	if (!err)
		err = mr_publish(mr);
	if (err) {
		kvfree(mr->pages);
		if (mr->umem)
			ib_umem_release(mr->umem);
	}
out:
	glass_leave(to_gdev(pd->device), REG_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

int glass_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct glass_mr *mr = to_gmr(ib);
	int err;

	glass_enter_bare(mr->dev, DEREG_MR, MR, mr->key);
	err = glass_verb_fault(mr->dev, DEREG_MR, glass_program_asks(udata));
	if (err) {
		glass_leave(mr->dev, DEREG_MR, MR, mr->key, err);
		return err;
	}
	glass_note_left(mr->dev, udata);
	xa_erase_irq(&mr->dev->mrs, mr->key >> 8);
	glass_ref_kill(&mr->ref);
	atomic_dec(&to_gpd(mr->pd)->nmr);
	kvfree(mr->pages);
	if (mr->umem)
		ib_umem_release(mr->umem);
	glass_leave(mr->dev, DEREG_MR, MR, mr->key, 0);
	kfree_rcu(mr, rcu);
	return 0;
}
