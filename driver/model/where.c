// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/slab.h>

#include "model/shared.h"
#include "model/where.h"

struct where_memory {
	struct glass_where where;
	/*
	 * The memory and its bill. It has no mmap offset of its own: the entry by which programs
	 * map the memory is glass_ucontext.where_map, which goes with the context.
	 */
	struct glass_mmap *kept;
};

/* May sleep. */
static void where_memory_free(struct glass_where *w)
{
	struct where_memory *m = container_of(w, struct where_memory, where);

	/* stays charged while a program still maps it */
	glass_shared_drop(m->kept);
	kfree(m);
}

/* Allocates and charges the memory. Returns it or an ERR_PTR. */
static struct where_memory *where_memory_alloc(struct glass_ucontext *uctx)
{
	size_t bytes = PAGE_ALIGN(sizeof(struct glass_where_area));
	struct where_memory *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	struct glass_payer payer = uctx->payer;
	int err = -ENOMEM;

	if (!m)
		return ERR_PTR(-ENOMEM);
	m->kept = kzalloc(sizeof(*m->kept), GFP_KERNEL_ACCOUNT);
	if (!m->kept)
		goto err_memory;
	/* a program that nobody can look at goes on all the same: a refusal is no finding */
	payer.quiet = true;
	err = glass_bill_open(&m->kept->bill, &payer, GLASS_SHARE_MEMORY, 0, bytes + sizeof(*m));
	if (err)
		goto err_kept;
	m->kept->bytes = bytes;
	m->kept->mapped = true;
	m->kept->mem = glass_shared_alloc(bytes);
	if (m->kept->mem)
		return m;
	err = -ENOMEM;
	glass_bill_close(&m->kept->bill);
err_kept:
	kfree(m->kept);
err_memory:
	kfree(m);
	return ERR_PTR(err);
}

static int where_make(struct glass_ucontext *uctx)
{
	struct where_memory *m = where_memory_alloc(uctx);
	struct glass_where *w;
	int err;

	lockdep_assert_held(&uctx->where_lock);
	if (IS_ERR(m))
		return PTR_ERR(m);
	w = &m->where;
	w->area = m->kept->mem;
	w->of = uctx->lint.lint;
	w->pid = uctx->lint.tgid;
	memcpy(w->comm, uctx->lint.comm, sizeof(w->comm));
	w->free = where_memory_free;
	uctx->where_map = glass_mmap_create(uctx, m->kept->mem, m->kept->bytes, false);
	if (IS_ERR(uctx->where_map)) {
		err = PTR_ERR(uctx->where_map);
		goto err_memory;
	}
	uctx->where_map->lent = true;
	err = glass_where_add(w);
	if (err)
		goto err_map;
	/* pairs with the acquire of glass_lint_where() */
	smp_store_release(&uctx->lint.where, w);
	return 0;

err_map:
	rdma_user_mmap_entry_remove(&uctx->where_map->rdma);
err_memory:
	uctx->where_map = NULL;
	where_memory_free(w);
	return err;
}

int glass_where_open(struct glass_ucontext *uctx, bool asked, struct glass_where_resp *resp)
{
	int err = 0;

	if (!asked && !READ_ONCE(uctx->lint.stacks))
		return -ENOENT;
	mutex_lock(&uctx->where_lock);
	if (!uctx->where_map)
		err = where_make(uctx);
	if (!err)
		*resp = (struct glass_where_resp){
			.mmap_offset = rdma_user_mmap_get_offset(&uctx->where_map->rdma),
			.mmap_bytes = uctx->where_map->bytes,
		};
	mutex_unlock(&uctx->where_lock);
	return err;
}

void glass_where_close(struct glass_ucontext *uctx)
{
	if (uctx->where_map)
		rdma_user_mmap_entry_remove(&uctx->where_map->rdma);
	mutex_destroy(&uctx->where_lock);
}
