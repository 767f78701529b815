// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of all kinds. The work requests that register and invalidate fast regions
 * (GLASS_MR_FAST) are in engine/keys.c.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "compat/dmabuf.h"
#include "engine/keys.h"
#include "engine/odp.h"
#include "engine/strict.h"
#include "observe/gone.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

GLASS_IMPORT_DMA_BUF();

#define GLASS_MR_ACCESS                                                                            \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |                  \
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_FLUSH_GLOBAL | IB_ZERO_BASED |    \
	 IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB | IB_ACCESS_RELAXED_ORDERING)

static struct glass_payer mr_payer(struct ib_pd *pd, bool user)
{
	if (user)
		return glass_context_of(pd)->payer;
	return (struct glass_payer){ .dev = to_gdev(pd->device) };
}

void glass_mr_free(struct glass_mr *mr)
{
	if (!mr)
		return;
	glass_bill_close(&mr->pages_bill);
	glass_bill_close(&mr->bill);
	kfree(mr);
}

struct glass_mr *glass_mr_alloc(struct ib_pd *pd, int access, bool user)
{
	struct glass_payer payer = mr_payer(pd, user);
	struct glass_dev *dev = to_gdev(pd->device);
	struct glass_bill bill;
	struct glass_mr *mr;

	if (glass_bill_open(&bill, &payer, GLASS_SHARE_MR, 1, sizeof(*mr) + GLASS_OBJECT_BYTES))
		return NULL;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr) {
		glass_bill_close(&bill);
		return NULL;
	}
	mr->bill = bill;
	glass_ref_init(&mr->ref);
	mr->dev = dev;
	mr->pd = pd;
	mr->pdn = to_gpd(pd)->pdn;
	mr->access = access;
	mr->page_shift = PAGE_SHIFT;
	glass_owner_fill(&mr->owner, user);
	return mr;
}

/*
 * The low byte of the key changes with each new key. So a stale key hardly ever equals the key of a
 * later MR with the same index.
 */
int glass_mr_publish(struct glass_mr *mr)
{
	struct glass_dev *dev = mr->dev;
	u8 variant = atomic_inc_return(&dev->key_variant);
	u32 index;
	int err;

	/* from here on glass_mr_find() finds the MR, but returns NULL as long as mr->key is 0 */
	err = glass_number(&dev->mrs, &index, mr, 1, GLASS_MAX_MR, &dev->mr_next);
	if (err)
		return err;
	mr->ib.lkey = index << 8 | variant;
	glass_gone_key_given(dev->index, mr->ib.lkey);
	if (mr->kind == GLASS_MR_USER)
		mr->rkey = mr->ib.lkey ^ GLASS_RKEY_BIT;
	mr->ib.rkey = mr->rkey ?: mr->ib.lkey;
	/* pairs with the acquire in glass_mr_find(): a look-up that sees the key sees all fields */
	smp_store_release(&mr->key, mr->ib.lkey);
	glass_remember_mr(mr, index);
	if (mr->kind == GLASS_MR_WINDOW)
		atomic_inc(&to_gpd(mr->pd)->nmw);
	else
		glass_count_of_pd(mr->pd, nmr, 1);
	return 0;
}

struct ib_mr *glass_get_dma_mr(struct ib_pd *pd, int access)
{
	struct glass_mr *mr = glass_mr_alloc(pd, access, false);
	int err = -ENOMEM;

	glass_enter(to_gdev(pd->device), GET_DMA_MR, PD, to_gpd(pd)->pdn, "access=0x%x", access);
	if (mr) {
		mr->kind = GLASS_MR_DMA;
		mr->length = U64_MAX;
		err = glass_mr_publish(mr);
	}
	glass_leave(to_gdev(pd->device), GET_DMA_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		glass_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

/*
 * The memory of a program's region (GLASS_MR_USER or GLASS_MR_ODP). struct glass_mr has
 * corresponding fields, which rereg_mr replaces together with the memory. umem and pages are NULL
 * for an on-demand region. odp is NULL for other regions.
 */
struct mr_memory {
	enum glass_mr_kind kind;
	u64 start, length, iova;
	struct ib_umem *umem;
	void **pages;
	u32 npages, first_off;
	struct glass_odp *odp;
	struct glass_bill bill;
};

static void memory_drop(struct mr_memory *m)
{
	kvfree(m->pages);
	if (m->umem)
		ib_umem_release(m->umem);
	glass_odp_put(m->odp);
	glass_bill_close(&m->bill);
}

/*
 * Pins the memory, and fills m->pages. Returns 0 or a negative errno; after an error, the caller
 * calls memory_drop().
 */
static int memory_pin(struct mr_memory *m, struct ib_pd *pd, int access)
{
	u64 npages = (PAGE_ALIGN(m->start + m->length) - PAGE_ALIGN_DOWN(m->start)) >> PAGE_SHIFT;
	struct glass_payer payer = mr_payer(pd, true);
	struct ib_device *ib = pd->device;
	struct sg_page_iter it;
	u32 n = 0;
	int err;

	err = glass_bill_open(&m->bill, &payer, GLASS_SHARE_MEMORY, 0, npages * sizeof(*m->pages));
	if (err)
		return err;
	m->umem = ib_umem_get(ib, m->start, m->length, access);
	if (IS_ERR(m->umem)) {
		err = PTR_ERR(m->umem);
		m->umem = NULL;
		return err;
	}
	/* also charge the scatterlist of ib_umem: one entry for each contiguous run of pages */
	err = glass_bill_add(&m->bill, &payer,
			     m->umem->sgt_append.sgt.orig_nents * sizeof(struct scatterlist));
	if (err)
		return err;
	m->npages = ib_umem_num_pages(m->umem);
	m->pages = kvmalloc_array(m->npages, sizeof(*m->pages), GLASS_GFP_ASKED);
	if (!m->pages)
		return -ENOMEM;
	for_each_sgtable_page(&m->umem->sgt_append.sgt, &it, 0)
		m->pages[n++] = page_address(sg_page_iter_page(&it));
	if (WARN_ON(n != m->npages))
		return -EINVAL;
	m->first_off = offset_in_page(m->start);
	return 0;
}

/*
 * Do these arguments of reg_mr or rereg_mr ask for an implicit on-demand region? Such a region
 * covers all addresses of the process. It has start 0 and the greatest length.
 */
static bool is_implicit(int access, u64 start, u64 length)
{
	return access & IB_ACCESS_ON_DEMAND && !start && length == U64_MAX;
}

/*
 * Gets the memory that reg_mr or rereg_mr asks for. Returns 0 or a negative errno. After an error,
 * the caller does not call memory_drop().
 */
static int mr_memory_get(struct mr_memory *m, struct ib_pd *pd, u64 start, u64 length, u64 iova,
			 int access)
{
	int err = 0;

	*m = (struct mr_memory){
		.kind = access & IB_ACCESS_ON_DEMAND ? GLASS_MR_ODP : GLASS_MR_USER,
		.start = start,
		.length = length,
		.iova = access & IB_ZERO_BASED ? 0 : iova,
	};
	if (!is_implicit(access, start, length) &&
	    (length > GLASS_MAX_MR_SIZE || iova + length < iova || start + length < start))
		return -EINVAL;
	if (m->kind == GLASS_MR_ODP) {
		m->odp = glass_odp_get();
		if (IS_ERR(m->odp)) {
			err = PTR_ERR(m->odp);
			m->odp = NULL;
		}
	} else {
		err = memory_pin(m, pd, access);
	}
	if (err)
		memory_drop(m);
	return err;
}

/*
 * Installs the memory *m in a region; *m gets the old memory. Call it only while look-ups do not
 * find the region. WRITE_ONCE() is for readers without a reference, such as glass_fill_res_mr(),
 * which reads `kind` and `npages`.
 */
static void memory_swap(struct glass_mr *mr, struct mr_memory *m)
{
	struct mr_memory had = {
		.umem = mr->umem,
		.pages = mr->pages,
		.odp = mr->odp,
		.bill = mr->pages_bill,
	};

	WRITE_ONCE(mr->kind, m->kind);
	WRITE_ONCE(mr->start, m->start);
	WRITE_ONCE(mr->length, m->length);
	WRITE_ONCE(mr->iova, m->iova);
	mr->umem = m->umem;
	mr->pages = m->pages;
	WRITE_ONCE(mr->npages, m->npages);
	mr->first_off = m->first_off;
	mr->odp = m->odp;
	mr->pages_bill = m->bill;
	*m = had;
}

struct ib_mr *glass_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				GLASS_DMAH_PARAM struct ib_udata *udata)
{
	struct mr_memory memory;
	struct glass_mr *mr = NULL;
	int err;

	glass_enter(to_gdev(pd->device), REG_MR, PD, to_gpd(pd)->pdn,
		    "start=0x%llx len=%llu iova=0x%llx access=0x%x", start, length, virt_addr, access);
	/* refuse ib_reg_user_mr() of ib_core: a kernel consumer's PD has no user context */
	err = -EOPNOTSUPP;
	if (!glass_context_of(pd))
		goto out;
	err = glass_verb_fault(to_gdev(pd->device), REG_MR, true);
	if (err)
		goto out;
	err = -EOPNOTSUPP;
	if (access & ~GLASS_MR_ACCESS)
		goto out;
	err = glass_linting() ? glass_lint_reg_mr(udata, pd, start, length, access) : 0;
	if (err)
		goto out;
	err = mr_memory_get(&memory, pd, start, length, virt_addr, access);
	if (err && glass_linting())
		glass_lint_reg_mr_failed(udata, pd, start, length, err);
	if (err)
		goto out;
	mr = glass_mr_alloc(pd, access, true);
	err = -ENOMEM;
	if (!mr) {
		memory_drop(&memory);
		goto out;
	}
	glass_owner_lint(&mr->owner, glass_lint_of(udata));
	memory_swap(mr, &memory);
	err = glass_mr_publish(mr);
	if (err) {
		memory_swap(mr, &memory);
		memory_drop(&memory);
	}
out:
	glass_leave(to_gdev(pd->device), REG_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		glass_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

/*
 * Hides the region until mr_show(): look-ups do not find it, so an access fails as with a wrong
 * key. When this function returns, no access to the region is in progress. May sleep.
 */
static void mr_hide(struct glass_mr *mr)
{
	WRITE_ONCE(mr->key, 0);
	glass_ref_kill(&mr->ref);
	/*
	 * mr_show() sets the reference count to 1 again. Before that, wait for look-ups that may
	 * still try to increment the old count.
	 */
	synchronize_rcu();
}

static void mr_show(struct glass_mr *mr)
{
	glass_ref_init(&mr->ref);
	/*
	 * pairs with the acquire in glass_mr_find(): a look-up that sees the key sees the new
	 * memory
	 */
	smp_store_release(&mr->key, mr->ib.lkey);
}

struct ib_mr *glass_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length,
				  u64 virt_addr, int access, struct ib_pd *pd,
				  struct ib_udata *udata)
{
	struct glass_mr *mr = to_gmr(ib);
	struct mr_memory memory = {};
	struct glass_gone_by gone;
	u32 key = ib->lkey;
	int err;

	glass_enter(mr->dev, REREG_MR, MR, key,
		    "flags=0x%x start=0x%llx len=%llu iova=0x%llx access=0x%x", flags, start, length,
		    virt_addr, access);
	err = glass_verb_fault(mr->dev, REREG_MR, true);
	if (err)
		goto out;
	glass_owner_changes(&mr->owner);
	err = -EOPNOTSUPP;
	if (mr->kind != GLASS_MR_USER && mr->kind != GLASS_MR_ODP)
		goto out;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	/* ON_DEMAND and ZERO_BASED may change only together with the memory (REREG_TRANS) */
	if (access & ~GLASS_MR_ACCESS ||
	    (!(flags & IB_MR_REREG_TRANS) &&
	     (access ^ mr->access) & (IB_ACCESS_ON_DEMAND | IB_ZERO_BASED)))
		goto out;
	/*
	 * Get new memory if REREG_TRANS asks for it. Without REREG_TRANS, the addresses stay the
	 * same. But if the pages were pinned only for reading, and the new access flags allow
	 * writing, pin them again.
	 */
	if (flags & IB_MR_REREG_TRANS)
		err = mr_memory_get(&memory, mr->pd, start, length, virt_addr, access);
	else if (!mr->umem || !ib_access_writable(access) || mr->umem->writable)
		err = 0;
	else if (mr->umem->owning_mm != current->mm) /* not the registering process */
		err = -EINVAL;
	else
		err = mr_memory_get(&memory, mr->pd, mr->start, mr->length, mr->iova, access);
	if (err)
		goto out;
	if (!glass_region_close(mr)) {
		err = -EBUSY; /* windows are bound to the region; dereg_mr returns the same error */
		memory_drop(&memory);
		goto out;
	}

	glass_gone_caller(&gone, GLASS_GONE_REREG, true, false, mr->owner.lint);
	glass_key_bury(mr, &gone);
	mr_hide(mr);
	if (memory.umem || memory.odp)
		memory_swap(mr, &memory);
	WRITE_ONCE(mr->access, access);
	if (flags & IB_MR_REREG_PD) {
		glass_count_of_pd(mr->pd, nmr, -1);
		mr->pd = pd;
		mr->pdn = to_gpd(pd)->pdn;
		glass_count_of_pd(pd, nmr, 1);
	}
	mr_show(mr);
	glass_region_open(mr);
	memory_drop(&memory);
out:
	glass_leave(mr->dev, REREG_MR, MR, key, err);
	return ERR_PTR(err); /* err 0 gives NULL: the region keeps its struct ib_mr */
}

struct ib_mr *glass_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs)
{
	struct glass_dm *dm = to_gdm(ibdm);
	struct glass_mr *mr = NULL;
	int err;

	glass_enter(dm->dev, REG_MR, PD, to_gpd(pd)->pdn, "dmn=%u offset=%llu len=%llu access=0x%x",
		    dm->dmn, attr->offset, attr->length, attr->access_flags);
	err = glass_verb_fault(dm->dev, REG_MR, true);
	if (!err && attr->access_flags & ~(GLASS_MR_ACCESS & ~IB_ACCESS_ON_DEMAND))
		err = -EOPNOTSUPP;
	if (err)
		goto out;
	/* ib_uverbs has checked that the range is within the DM */
	mr = glass_mr_alloc(pd, attr->access_flags, true);
	err = -ENOMEM;
	if (!mr)
		goto out;
	glass_owner_lint(&mr->owner, &glass_context_of(pd)->lint);
	mr->kind = GLASS_MR_DM;
	mr->length = attr->length;
	mr->linear = dm->map->mem + attr->offset;
	mr->dm = dm;
	err = glass_mr_publish(mr);
	if (!err)
		atomic_inc(&dm->nmr);
out:
	glass_leave(dm->dev, REG_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		glass_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

static void dmabuf_drop(struct glass_mr *mr)
{
	dma_buf_end_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	dma_buf_vunmap_unlocked(mr->dmabuf, &mr->dmabuf_map);
	dma_buf_put(mr->dmabuf);
}

/*
 * Connects a dma-buf with the region, until dmabuf_drop(). The adapter is software, so the CPU
 * accesses the buffer. Therefore this function asks the exporter to map the buffer into the
 * kernel's address space, and begins a CPU access to the buffer. The mapping also keeps the buffer
 * in place. Returns 0 or a negative errno.
 */
static int dmabuf_get(struct glass_mr *mr, int fd, u64 offset, u64 length)
{
	struct glass_payer payer = mr_payer(mr->pd, true);
	int err;

	mr->dmabuf = dma_buf_get(fd);
	if (IS_ERR(mr->dmabuf))
		return PTR_ERR(mr->dmabuf);
	err = -EINVAL;
	if (offset > mr->dmabuf->size || length > mr->dmabuf->size - offset)
		goto err_put;
	/* charge an estimate of the memory that the exporter needs to map all of the buffer */
	err = glass_bill_open(&mr->pages_bill, &payer, GLASS_SHARE_MEMORY, 0,
			      (mr->dmabuf->size >> PAGE_SHIFT) * 2 * sizeof(void *));
	if (err)
		goto err_put;
	err = dma_buf_vmap_unlocked(mr->dmabuf, &mr->dmabuf_map);
	if (err)
		goto err_put;
	err = -EOPNOTSUPP;
	if (mr->dmabuf_map.is_iomem)
		goto err_unmap;
	err = dma_buf_begin_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	if (err)
		goto err_unmap;
	mr->linear = mr->dmabuf_map.vaddr + offset;
	return 0;

err_unmap:
	dma_buf_vunmap_unlocked(mr->dmabuf, &mr->dmabuf_map);
err_put:
	dma_buf_put(mr->dmabuf);
	return err;
}

struct ib_mr *glass_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr,
				       int fd, int access, GLASS_DMAH_PARAM glass_dmabuf_extra *extra)
{
	struct glass_dev *dev = to_gdev(pd->device);
	struct glass_mr *mr = NULL;
	int err;

	glass_enter(dev, REG_MR, PD, to_gpd(pd)->pdn,
		    "dmabuf=%d offset=%llu len=%llu iova=0x%llx access=0x%x", fd, offset, length,
		    virt_addr, access);
	err = glass_verb_fault(dev, REG_MR, true);
	if (err)
		goto out;
	err = -EOPNOTSUPP;
	if (access & ~(GLASS_MR_ACCESS & ~IB_ACCESS_ON_DEMAND))
		goto out;
	err = -EINVAL;
	if (!length || length > GLASS_MAX_MR_SIZE || virt_addr + length < virt_addr)
		goto out;
	mr = glass_mr_alloc(pd, access, true);
	err = -ENOMEM;
	if (!mr)
		goto out;
	err = dmabuf_get(mr, fd, offset, length);
	if (err)
		goto out;
	glass_owner_lint(&mr->owner, &glass_context_of(pd)->lint);
	mr->kind = GLASS_MR_DMABUF;
	mr->iova = access & IB_ZERO_BASED ? 0 : virt_addr;
	mr->length = length;
	err = glass_mr_publish(mr);
	if (err)
		dmabuf_drop(mr);
out:
	glass_leave(dev, REG_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		glass_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

struct ib_mr *glass_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct glass_dev *dev = to_gdev(pd->device);
	struct glass_mr *mr = NULL;
	int err = -EOPNOTSUPP;

	glass_enter(dev, ALLOC_MR, PD, to_gpd(pd)->pdn, "type=%u max_num_sg=%u", type, max_num_sg);
	if (type != IB_MR_TYPE_MEM_REG)
		goto out;
	err = -EINVAL;
	if (!max_num_sg || max_num_sg > GLASS_MAX_FAST_PAGES)
		goto out;
	err = -ENOMEM;
	mr = glass_mr_alloc(pd, 0, false);
	if (!mr)
		goto out;
	mr->kind = GLASS_MR_FAST;
	mr->max_pages = max_num_sg;
	spin_lock_init(&mr->mapped.lock);
	mr->pages = kvmalloc_array(max_num_sg, sizeof(*mr->pages), GLASS_GFP_ASKED);
	mr->mapped.pages = kvmalloc_array(max_num_sg, sizeof(*mr->pages), GLASS_GFP_ASKED);
	if (!mr->pages || !mr->mapped.pages)
		goto out;
	err = glass_mr_publish(mr);
out:
	glass_leave(dev, ALLOC_MR, MR, err ? 0 : mr->key, err);
	if (err) {
		if (mr) {
			kvfree(mr->pages);
			kvfree(mr->mapped.pages);
		}
		glass_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

static int add_page(struct ib_mr *ib, u64 addr)
{
	struct glass_mr *mr = to_gmr(ib);
	struct glass_page_list *list = &mr->mapped;

	lockdep_assert_held(&list->lock);
	if (list->npages == mr->max_pages)
		return -ENOMEM;
	/* the device has no DMA (ib_uses_virt_dma()): a DMA address is a kernel address */
	list->pages[list->npages++] = (void *)(uintptr_t)addr;
	return 0;
}

/*
 * Stages a page list. A REG_MR work request installs the list later (engine/keys.c). Until then the
 * key may still give access to the old pages. Each page has ib->page_size bytes; the consumer
 * chooses this size. One kernel address for each page is enough, because a page of any size is
 * contiguous in the kernel's direct map. The first page may begin before the region, and the last
 * page may end after it.
 */
int glass_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset)
{
	struct glass_mr *mr = to_gmr(ib);
	struct glass_page_list *list = &mr->mapped;
	u32 key = READ_ONCE(mr->key); /* a queued REG_MR may change its low bits */
	unsigned long flags;
	int n = -EINVAL;

	/* valid=1 in the trace: the key still works, for example until a queued LOCAL_INV runs */
	glass_enter(mr->dev, MAP_MR_SG, MR, key, "sg_nents=%d valid=%d", sg_nents,
		    READ_ONCE(mr->valid));
	if (mr->kind == GLASS_MR_FAST && is_power_of_2(ib->page_size) &&
	    ib->page_size & GLASS_PAGE_SIZES) {
		spin_lock_irqsave(&list->lock, flags);
		list->npages = 0;
		n = ib_sg_to_pages(ib, sg, sg_nents, sg_offset, add_page);
		list->page_shift = ilog2(ib->page_size);
		list->first_off = ib->iova & (ib->page_size - 1);
		list->length = ib->length;
		list->fresh = n > 0;
		spin_unlock_irqrestore(&list->lock, flags);
	}
	glass_leave(mr->dev, MAP_MR_SG, MR, key, n);
	return n;
}

/*
 * Removes a region from glass_dev.mrs, so that look-ups do not find it any more. Then waits for
 * accesses in progress, and frees the region. May sleep.
 */
static void mr_release(struct glass_mr *mr)
{
	u32 index = READ_ONCE(mr->key) >> 8;
	struct mr_memory memory = {};

	xa_erase_irq(&mr->dev->mrs, index);
	glass_forget_mr(mr, index);
	glass_ref_kill(&mr->ref);
	memory_swap(mr, &memory);
	memory_drop(&memory);
	kvfree(mr->mapped.pages);
	if (mr->dmabuf)
		dmabuf_drop(mr);
	if (mr->dm)
		atomic_dec(&mr->dm->nmr);
	glass_bill_close(&mr->bill);
	kfree_rcu(mr, rcu);
}

int glass_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	enum glass_destroyer by = glass_destroyer(udata, ib->uobject);
	struct glass_mr *mr = to_gmr(ib);
	u32 key = READ_ONCE(mr->key); /* a queued REG_MR may change its low bits */
	struct glass_gone_by gone;
	int err;

	glass_enter_bare(mr->dev, DEREG_MR, MR, key);
	err = glass_verb_fault(mr->dev, DEREG_MR, by == GLASS_BY_PROGRAM);
	if (!err && !glass_region_close(mr))
		err = -EBUSY; /* windows are bound to the region (IBA 11.2.8.5) */
	if (err) {
		glass_leave(mr->dev, DEREG_MR, MR, key, err);
		return err;
	}
	glass_note_left(mr->dev, by, udata, MR, &mr->owner);
	glass_gone_caller(&gone, GLASS_GONE_DEREG, by != GLASS_BY_CLOSE, !READ_ONCE(mr->dev->registered),
			  mr->owner.lint);
	glass_key_end(mr, &gone);
	if (glass_linting())
		glass_lint_bury(mr);
	glass_count_of_pd(mr->pd, nmr, -1);
	glass_leave(mr->dev, DEREG_MR, MR, key, 0);
	/* in strict mode, the region may outlive the user context, which contains *owner.lint */
	mr->owner.lint = NULL;
	if (mr->kind == GLASS_MR_USER &&
	    glass_strict(&mr->dev->strict, GLASS_BEHAVIOR_RELAXED_INVALIDATION))
		glass_strict_forget_mr(mr, mr_release);
	else
		mr_release(mr);
	return 0;
}
