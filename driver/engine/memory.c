// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The core's memory: keys to regions, regions to kernel addresses, copies. User
 * pages stay pinned by their umem while a struct glass_ref of the MR is held.
 */
#include <linux/atomic.h>
#include <linux/mm.h>

#include "engine/engine.h"

#ifdef CONFIG_HIGHMEM
#error "Glass needs every page in the kernel's direct map (a 64-bit kernel)"
#endif

struct glass_mr *glass_mr_find(struct glass_dev *dev, u32 key)
{
	struct glass_mr *mr;

	rcu_read_lock();
	mr = xa_load(&dev->mrs, key >> 8);
	if (mr && (mr->key != key || !glass_ref_get(&mr->ref)))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

static enum glass_mem check_range(const struct glass_mr *mr, u64 addr, u64 len)
{
	if (mr->kind == GLASS_MR_DMA)
		return GLASS_MEM_OK;
	if (addr < mr->iova || len > mr->length || addr - mr->iova > mr->length - len)
		return GLASS_MEM_BOUNDS;
	return GLASS_MEM_OK;
}

static enum glass_mem mr_get(struct glass_qp *qp, u32 key, u64 addr, u64 len, u32 access,
			     struct glass_mr **out)
{
	struct glass_mr *mr = glass_mr_find(qp->dev, key);
	enum glass_mem err;

	if (!mr)
		return GLASS_MEM_KEY;
	if (mr->pd != qp->pd)
		err = GLASS_MEM_PD;
	else if (access & ~mr->access)
		err = GLASS_MEM_ACCESS;
	else
		err = check_range(mr, addr, len);
	if (err) {
		glass_ref_put(&mr->ref);
		return err;
	}
	*out = mr;
	return GLASS_MEM_OK;
}

/*
 * The kernel address of addr inside a checked region, and how many bytes from
 * there on (at most len) lie together.
 */
static void *mr_piece(const struct glass_mr *mr, u64 addr, u32 len, u32 *piece)
{
	u64 off;

	if (mr->kind == GLASS_MR_DMA) {
		*piece = len;
		return (void *)(uintptr_t)addr;
	}
	off = addr - mr->iova + mr->first_off;
	*piece = min_t(u32, len, PAGE_SIZE - offset_in_page(off));
	return mr->pages[off >> PAGE_SHIFT] + offset_in_page(off);
}

static bool add_segs(struct glass_pkt *pkt, const struct glass_mr *mr, u64 addr, u32 len)
{
	u32 piece;

	pkt->len += len;
	while (len) {
		void *p = mr_piece(mr, addr, len, &piece);
		struct glass_seg *last = &pkt->seg[pkt->nseg - 1];

		if (pkt->nseg && last->addr + last->len == p) {
			last->len += piece;
		} else {
			if (pkt->nseg == GLASS_PKT_SEGS)
				return false;
			pkt->seg[pkt->nseg].addr = p;
			pkt->seg[pkt->nseg++].len = piece;
		}
		addr += piece;
		len -= piece;
	}
	return true;
}

void glass_env_payload_put(struct glass_pqp *q, struct glass_pkt *pkt)
{
	struct glass_tx *tx = container_of(pkt, struct glass_tx, pkt);

	while (tx->nmr)
		glass_ref_put(&tx->mr[--tx->nmr]->ref);
}

static enum glass_mem gather_fail(struct glass_pqp *q, struct glass_pkt *pkt, enum glass_mem err)
{
	glass_env_payload_put(q, pkt);
	pkt->nseg = 0;
	pkt->len = 0;
	return err;
}

static enum glass_mem gather_one(struct glass_pqp *q, struct glass_pkt *pkt, u32 key, u64 addr,
				 u32 len, u32 access)
{
	struct glass_tx *tx = container_of(pkt, struct glass_tx, pkt);
	struct glass_mr *mr;
	enum glass_mem err;

	if (tx->nmr == GLASS_TX_MRS)
		return GLASS_MEM_FAULT;
	err = mr_get(core_to_qp(q), key, addr, len, access, &mr);
	if (err)
		return err;
	tx->mr[tx->nmr++] = mr;
	return add_segs(pkt, mr, addr, len) ? GLASS_MEM_OK : GLASS_MEM_FAULT;
}

enum glass_mem glass_env_gather(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u32 off,
				u32 len, struct glass_pkt *pkt)
{
	enum glass_mem err;

	for (; nsge && len; sge++, nsge--) {
		u32 part;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		part = min(len, sge->len - off);
		err = gather_one(q, pkt, sge->lkey, sge->addr + off, part, 0);
		if (err)
			return gather_fail(q, pkt, err);
		len -= part;
		off = 0;
	}
	return len ? gather_fail(q, pkt, GLASS_MEM_BOUNDS) : GLASS_MEM_OK;
}

enum glass_mem glass_env_gather_remote(struct glass_pqp *q, u32 rkey, u64 va, u32 len,
				       struct glass_pkt *pkt)
{
	enum glass_mem err;

	if (!len)
		return GLASS_MEM_OK;
	err = gather_one(q, pkt, rkey, va, len, IB_ACCESS_REMOTE_READ);
	return err ? gather_fail(q, pkt, err) : GLASS_MEM_OK;
}

/* Reads a payload front to back. */
struct cursor {
	const struct glass_seg *seg;
	u32 off;
};

static void cursor_init(struct cursor *c, const struct glass_pkt *pkt, u32 off)
{
	c->seg = pkt->seg;
	while (off && off >= c->seg->len) {
		off -= c->seg->len;
		c->seg++;
	}
	c->off = off;
}

static void cursor_read(struct cursor *c, void *to, u32 len)
{
	while (len) {
		u32 part = min(len, c->seg->len - c->off);

		memcpy(to, c->seg->addr + c->off, part);
		to += part;
		len -= part;
		c->off += part;
		if (c->off == c->seg->len) {
			c->seg++;
			c->off = 0;
		}
	}
}

static void mr_write(const struct glass_mr *mr, u64 addr, struct cursor *from, u32 len)
{
	u32 piece;

	while (len) {
		void *p = mr_piece(mr, addr, len, &piece);

		cursor_read(from, p, piece);
		addr += piece;
		len -= piece;
	}
}

static enum glass_mem scatter(struct glass_qp *qp, const struct glass_sge *sge, u32 nsge, u64 off,
			      struct cursor *from, u32 len)
{
	struct glass_mr *mr;
	enum glass_mem err;

	for (; nsge && len; sge++, nsge--) {
		u32 part;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		part = min_t(u32, len, sge->len - off);
		err = mr_get(qp, sge->lkey, sge->addr + off, part, IB_ACCESS_LOCAL_WRITE, &mr);
		if (err)
			return err;
		mr_write(mr, sge->addr + off, from, part);
		glass_ref_put(&mr->ref);
		len -= part;
		off = 0;
	}
	return len ? GLASS_MEM_BOUNDS : GLASS_MEM_OK;
}

enum glass_mem glass_env_scatter(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u64 off,
				 const struct glass_pkt *pkt, u32 pkt_off, u32 len)
{
	struct cursor from;

	if (!len)
		return GLASS_MEM_OK;
	if (pkt_off > pkt->len || len > pkt->len - pkt_off)
		return GLASS_MEM_BOUNDS;
	cursor_init(&from, pkt, pkt_off);
	return scatter(core_to_qp(q), sge, nsge, off, &from, len);
}

enum glass_mem glass_env_scatter_bytes(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge,
				       u64 off, const void *bytes, u32 len)
{
	struct glass_seg seg = { .addr = (void *)bytes, .len = len };
	struct cursor from = { .seg = &seg };

	return len ? scatter(core_to_qp(q), sge, nsge, off, &from, len) : GLASS_MEM_OK;
}

enum glass_mem glass_env_remote_check(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 access)
{
	struct glass_mr *mr;
	enum glass_mem err = mr_get(core_to_qp(q), rkey, va, len, access, &mr);

	if (!err)
		glass_ref_put(&mr->ref);
	return err;
}

enum glass_mem glass_env_remote_write(struct glass_pqp *q, u32 rkey, u64 va,
				      const struct glass_pkt *pkt)
{
	struct cursor from;
	struct glass_mr *mr;
	enum glass_mem err;

	if (!pkt->len)
		return GLASS_MEM_OK;
	err = mr_get(core_to_qp(q), rkey, va, pkt->len, IB_ACCESS_REMOTE_WRITE, &mr);
	if (err)
		return err;
	cursor_init(&from, pkt, 0);
	mr_write(mr, va, &from, pkt->len);
	atomic64_inc(&mr->remote_writes);
	glass_ref_put(&mr->ref);
	return GLASS_MEM_OK;
}

enum glass_mem glass_env_atomic(struct glass_pqp *q, u32 rkey, u64 va, u8 bop, u64 cmp, u64 swap_add,
				u64 *orig)
{
	struct glass_mr *mr;
	enum glass_mem err;
	u32 piece;
	u64 *p;

	if (va & 7)
		return GLASS_MEM_ALIGN;
	err = mr_get(core_to_qp(q), rkey, va, 8, IB_ACCESS_REMOTE_ATOMIC, &mr);
	if (err)
		return err;
	p = mr_piece(mr, va, 8, &piece);
	if (piece < 8 || !IS_ALIGNED((uintptr_t)p, 8)) {
		/* a region whose iova is not congruent to its memory */
		glass_ref_put(&mr->ref);
		return GLASS_MEM_ALIGN;
	}
	if (bop == GLASS_BOP_CMP_SWAP)
		*orig = cmpxchg64(p, cmp, swap_add);
	else
		*orig = atomic64_fetch_add(swap_add, (atomic64_t *)p);
	atomic64_inc(&mr->atomics);
	glass_ref_put(&mr->ref);
	return GLASS_MEM_OK;
}
