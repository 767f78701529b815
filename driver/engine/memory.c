// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The protocol core's access to memory (proto/env.h): finds the region of a key, checks the access,
 * finds the kernel addresses of a range, and copies. An access holds a reference to the MR until
 * the access is done. A packet holds a reference to each MR of its payload until the packet is
 * delivered. dereg_mr and rereg_mr wait for these references before they unpin or release the
 * memory.
 */
#include <linux/atomic.h>
#include <linux/mm.h>

#include "engine/engine.h"
#include "engine/lint.h"
#include "engine/memory.h"
#include "engine/odp.h"

#ifdef CONFIG_HIGHMEM
#error "Glass needs every page in the kernel's direct map (a 64-bit kernel)"
#endif

/*
 * Behaviour equal_keys of strict mode (model/strict.h): a region's lkey also works as its rkey, and
 * its rkey as its lkey, because on some adapters the two are one number. `remote` means that `key`
 * was used as an rkey, otherwise as an lkey. The caller has found no region whose rkey (or lkey) is
 * `key`. Returns the region with a reference, or NULL.
 */
static noinline struct glass_mr *find_equal(struct glass_dev *dev, u32 key, bool remote)
{
	if (!glass_strict(&dev->strict, GLASS_BEHAVIOR_EQUAL_KEYS))
		return NULL;
	return remote ? glass_mr_find(dev, key) : glass_mr_find_remote(dev, key);
}

/*
 * Checks an access by the key of a window. On success *out is the window's region, with a
 * reference, and *addr becomes the address in that region. Does not check the region's rights: the
 * bind has checked them (region_get() of keys.c).
 */
static enum glass_mem window_get(struct glass_qp *qp, struct glass_mr *win, u32 key, u64 *addr,
				 u64 len, u32 access, struct glass_mr **out)
{
	enum glass_mem err = GLASS_MEM_OK;
	unsigned long flags;

	spin_lock_irqsave(&win->window_lock, flags);
	if (win->key != key || !win->region)
		err = GLASS_MEM_KEY;
	else if (!glass_same_domain(qp, win))
		err = GLASS_MEM_PD;
	else if ((win->window_type == 2 && win->qp_born != qp->born) || (access & ~win->access))
		err = GLASS_MEM_ACCESS;
	else
		err = glass_mr_check_range(win, *addr, len);
	if (!err && glass_ref_get(&win->region->ref)) {
		*addr = *addr - win->iova + win->region_addr;
		*out = win->region;
	} else if (!err) {
		err = GLASS_MEM_KEY;
	}
	spin_unlock_irqrestore(&win->window_lock, flags);
	return err;
}

/*
 * Checks an access to [*addr, *addr + len) by a key. `by` is the source of the key. `access` is the
 * set of rights that the access needs (enum ib_access_flags), or 0 for a local read. On success
 * *out is the region, with a reference. If the key is a window's, *out is the window's region, and
 * *addr becomes the address in that region.
 */
static __always_inline enum glass_mem get_region(struct glass_qp *qp, enum glass_access_by by,
						 u32 key, u64 *addr, u64 len, u32 access,
						 struct glass_mr **out)
{
	struct glass_mr *mr = access & GLASS_REMOTE_ACCESS ? glass_mr_find_remote(qp->dev, key) :
						       glass_mr_find(qp->dev, key);
	enum glass_mem err;

	if (!mr) {
		mr = find_equal(qp->dev, key, access & GLASS_REMOTE_ACCESS);
		if (glass_linting())
			glass_lint_memory(qp, by, key, *addr, len, access,
					  mr ? GLASS_MEM_OK : GLASS_MEM_KEY);
		if (!mr)
			return GLASS_MEM_KEY;
	}
	if (unlikely(mr->kind == GLASS_MR_WINDOW)) {
		/* a window has an rkey, but no lkey */
		err = access & GLASS_REMOTE_ACCESS ?
		      window_get(qp, mr, key, addr, len, access, out) : GLASS_MEM_KEY;
		glass_ref_put(&mr->ref);
		return err;
	}
	if (unlikely(mr->kind == GLASS_MR_FAST)) {
		/*
		 * Pairs with smp_mb() in mr_retire_key(): either mr_retire_key() sees the new
		 * reference, or the code below sees `valid` false.
		 */
		smp_mb__after_atomic();
		/*
		 * The acquire pairs with the release in reg_mr(): an access that sees `valid` true
		 * also sees the other fields as reg_mr() has set them.
		 */
		if (!smp_load_acquire(&mr->valid) || READ_ONCE(mr->key) != key) {
			glass_ref_put(&mr->ref);
			return GLASS_MEM_KEY;
		}
	}
	if (mr->pdn != glass_domain(qp, by))
		err = GLASS_MEM_PD;
	else if (access & ~mr->access)
		err = GLASS_MEM_ACCESS;
	else
		err = glass_mr_check_range(mr, *addr, len);
	if (err) {
		glass_ref_put(&mr->ref);
		if (glass_linting())
			glass_lint_memory(qp, by, key, *addr, len, access, err);
		return err;
	}
	*out = mr;
	return GLASS_MEM_OK;
}

/*
 * mr_get() is get_region() for GLASS_BY_QP, and mr_get_recv() is get_region() for GLASS_BY_RECV.
 * They are two functions because a seventh parameter, `by`, would not be in a register.
 */
static noinline enum glass_mem mr_get(struct glass_qp *qp, u32 key, u64 *addr, u64 len, u32 access,
				      struct glass_mr **out)
{
	return get_region(qp, GLASS_BY_QP, key, addr, len, access, out);
}

static noinline enum glass_mem mr_get_recv(struct glass_qp *qp, u32 key, u64 *addr, u64 len,
					   u32 access, struct glass_mr **out)
{
	return get_region(qp, GLASS_BY_RECV, key, addr, len, access, out);
}

/*
 * Returns the kernel address of addr. *piece gets the number of bytes, at most len, that are
 * contiguous from this address on. The caller has checked that [addr, addr + len) is inside the
 * region, and that the region is not on-demand.
 */
static void *mr_piece(const struct glass_mr *mr, u64 addr, u32 len, u32 *piece)
{
	u64 off;
	u32 in_page;

	if (mr->kind == GLASS_MR_DMA) {
		*piece = len;
		return (void *)(uintptr_t)addr;
	}
	if (mr->linear) {
		*piece = len;
		return mr->linear + (addr - mr->iova);
	}
	off = addr - mr->iova + mr->first_off;
	/* fast path with constants; only regions of kernel consumers can have another page size */
	if (likely(mr->page_shift == PAGE_SHIFT)) {
		in_page = offset_in_page(off);
		*piece = min_t(u32, len, PAGE_SIZE - in_page);
		return mr->pages[off >> PAGE_SHIFT] + in_page;
	}
	in_page = off & ((1U << mr->page_shift) - 1);
	*piece = min(len, (1U << mr->page_shift) - in_page);
	return mr->pages[off >> mr->page_shift] + in_page;
}

/*
 * If the region has a list of pages of PAGE_SIZE bytes, returns the list's entry for addr's page,
 * and sets *off to the offset of addr in this page. Otherwise returns NULL, and does not set *off.
 */
static __always_inline void **mr_pages(const struct glass_mr *mr, u64 addr, u32 *off)
{
	u64 at = addr - mr->iova + mr->first_off;

	if (unlikely(mr->kind == GLASS_MR_DMA || mr->linear || mr->page_shift != PAGE_SHIFT))
		return NULL;
	*off = offset_in_page(at);
	return mr->pages + (at >> PAGE_SHIFT);
}

/*
 * Appends memory to the packet's payload. Returns false if seg[] already has GLASS_PKT_SEGS
 * entries.
 */
static bool add_seg(struct glass_pkt *pkt, void *p, u32 piece)
{
	struct glass_seg *last = &pkt->seg[pkt->nseg - 1];

	if (pkt->nseg && last->addr + last->len == p) {
		last->len += piece;
		return true;
	}
	if (pkt->nseg == GLASS_PKT_SEGS)
		return false;
	pkt->seg[pkt->nseg].addr = p;
	pkt->seg[pkt->nseg++].len = piece;
	return true;
}

/*
 * As add_segs(), but for an on-demand region. Also takes a reference to each page, and puts the
 * page into tx->page. glass_env_payload_put() drops these references.
 */
static noinline_for_stack enum glass_mem add_segs_on_demand(struct glass_qp *qp, struct glass_tx *tx,
							    struct glass_mr *mr, u64 addr, u32 len)
{
	while (len) {
		u32 off = offset_in_page(glass_odp_addr(mr, addr));
		long i, n;

		n = glass_odp_take(qp, mr, addr, len, &tx->page[tx->npages],
				   GLASS_PKT_SEGS - tx->npages);
		if (n <= 0)
			return n ? GLASS_MEM_FAULT : GLASS_MEM_LATER;
		for (i = 0; i < n; i++) {
			u32 piece = min_t(u32, len, PAGE_SIZE - off);

			if (!add_seg(&tx->pkt, page_address(tx->page[tx->npages + i]) + off, piece)) {
				tx->npages += n;
				return GLASS_MEM_FAULT;
			}
			off = 0;
			addr += piece;
			len -= piece;
		}
		tx->npages += n;
	}
	return GLASS_MEM_OK;
}

/* Appends [addr, addr + len) of the region to the payload of tx. The caller has checked the range. */
static enum glass_mem add_segs(struct glass_qp *qp, struct glass_tx *tx, struct glass_mr *mr, u64 addr,
			       u32 len)
{
	u32 piece, off;
	void **page;

	tx->pkt.len += len;
	if (unlikely(mr->kind == GLASS_MR_ODP))
		return add_segs_on_demand(qp, tx, mr, addr, len);
	page = mr_pages(mr, addr, &off);
	if (likely(page))
		return glass_segs_of_pages(&tx->pkt, page, off, len);
	while (len) {
		void *p = mr_piece(mr, addr, len, &piece);

		if (!add_seg(&tx->pkt, p, piece))
			return GLASS_MEM_FAULT;
		addr += piece;
		len -= piece;
	}
	return GLASS_MEM_OK;
}

void glass_env_payload_put(struct glass_pqp *q, struct glass_pkt *pkt)
{
	struct glass_tx *tx = container_of(pkt, struct glass_tx, pkt);

	if (unlikely(tx->npages)) {
		glass_odp_put_pages(tx->page, tx->npages);
		tx->npages = 0;
	}
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

static __always_inline enum glass_mem gather_one(struct glass_pqp *q, struct glass_pkt *pkt,
						 u32 key, u64 addr, u32 len, u32 access)
{
	struct glass_tx *tx = container_of(pkt, struct glass_tx, pkt);
	struct glass_mr *mr;
	enum glass_mem err;

	if (tx->nmr == GLASS_TX_MRS)
		return GLASS_MEM_FAULT;
	err = mr_get(core_to_qp(q), key, &addr, len, access, &mr);
	if (err)
		return err;
	tx->mr[tx->nmr++] = mr;
	return add_segs(core_to_qp(q), tx, mr, addr, len);
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

/* A write to an on-demand region looks up at most this many pages at a time. */
#define GLASS_ODP_PAGES 16

static noinline_for_stack enum glass_mem write_on_demand(struct glass_qp *qp, struct glass_mr *mr, u64 addr,
							 struct glass_cursor *from, u32 len,
							 bool polled)
{
	struct page *pages[GLASS_ODP_PAGES];
	long i, n = 1;

	glass_odp_begin(mr);
	while (len) {
		u32 off = offset_in_page(glass_odp_addr(mr, addr));

		n = glass_odp_find(qp, mr, addr, len, true, pages, ARRAY_SIZE(pages));
		if (n <= 0)
			break;
		for (i = 0; i < n; i++) {
			u32 piece = min_t(u32, len, PAGE_SIZE - off);

			glass_write_piece(page_address(pages[i]) + off, from, piece, len, polled);
			off = 0;
			addr += piece;
			len -= piece;
		}
		glass_odp_written(mr, pages, n);
	}
	glass_odp_end(mr);
	return n > 0 ? GLASS_MEM_OK : n ? GLASS_MEM_FAULT : GLASS_MEM_LATER;
}

/* `polled` means the same as in glass_write_piece(). */
static __always_inline void write_pieces(struct glass_mr *mr, u64 addr, struct glass_cursor *from,
					 u32 len, bool polled)
{
	u32 piece, off;
	void **page = mr_pages(mr, addr, &off);

	for (; page && len; page++, off = 0) {
		piece = min_t(u32, len, PAGE_SIZE - off);
		glass_write_piece(*page + off, from, piece, len, polled);
		len -= piece;
	}
	while (len) {
		void *p = mr_piece(mr, addr, len, &piece);

		glass_write_piece(p, from, piece, len, polled);
		addr += piece;
		len -= piece;
	}
}

/*
 * write_many() and write_many_polled() write data that has several pieces. They are out of line, so
 * that mr_write() saves fewer registers for a write of one piece.
 */
static noinline void write_many(struct glass_mr *mr, u64 addr, struct glass_cursor *from, u32 len)
{
	write_pieces(mr, addr, from, len, false);
}

static noinline void write_many_polled(struct glass_mr *mr, u64 addr, struct glass_cursor *from,
				       u32 len)
{
	write_pieces(mr, addr, from, len, true);
}

static __always_inline enum glass_mem mr_write(struct glass_qp *qp, struct glass_mr *mr, u64 addr,
					       struct glass_cursor *from, u32 len, bool polled)
{
	u32 piece;
	void *p;

	if (unlikely(mr->kind == GLASS_MR_ODP))
		return write_on_demand(qp, mr, addr, from, len, polled);
	if (unlikely(!len))
		return GLASS_MEM_OK;
	p = mr_piece(mr, addr, len, &piece);
	if (likely(piece == len))
		glass_write_piece(p, from, len, len, polled);
	else if (polled)
		write_many_polled(mr, addr, from, len);
	else
		write_many(mr, addr, from, len);
	return GLASS_MEM_OK;
}

static enum glass_mem memory_scatter(struct glass_qp *qp, enum glass_access_by by,
				     const struct glass_sge *sge, u32 nsge, u64 off,
				     struct glass_cursor *from, u32 len)
{
	struct glass_mr *mr;
	enum glass_mem err;
	u64 addr;

	for (; nsge && len; sge++, nsge--) {
		u32 part;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		part = min_t(u32, len, sge->len - off);
		addr = sge->addr + off;
		err = by == GLASS_BY_RECV ?
			      mr_get_recv(qp, sge->lkey, &addr, part, IB_ACCESS_LOCAL_WRITE, &mr) :
			      mr_get(qp, sge->lkey, &addr, part, IB_ACCESS_LOCAL_WRITE, &mr);
		if (err)
			return err;
		err = mr_write(qp, mr, addr, from, part, false);
		glass_ref_put(&mr->ref);
		if (err)
			return err;
		len -= part;
		off = 0;
	}
	return len ? GLASS_MEM_BOUNDS : GLASS_MEM_OK;
}

enum glass_mem glass_env_scatter(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u64 off,
				 const struct glass_pkt *pkt, u32 pkt_off, u32 len)
{
	struct glass_cursor from;

	if (!len)
		return GLASS_MEM_OK;
	if (pkt_off > pkt->len || len > pkt->len - pkt_off)
		return GLASS_MEM_BOUNDS;
	glass_cursor_init(&from, pkt, pkt_off);
	return memory_scatter(core_to_qp(q), GLASS_BY_QP, sge, nsge, off, &from, len);
}

enum glass_mem glass_env_scatter_recv(struct glass_pqp *q, const struct glass_rwqe *w, u64 off,
				      const struct glass_pkt *pkt)
{
	struct glass_cursor from;

	if (!pkt->len)
		return GLASS_MEM_OK;
	glass_cursor_init(&from, pkt, 0);
	return memory_scatter(core_to_qp(q), GLASS_BY_RECV, w->sge, w->num_sge, off, &from,
			      pkt->len);
}

enum glass_mem glass_env_scatter_bytes(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge,
				       u64 off, const void *bytes, u32 len)
{
	struct glass_seg seg = { .addr = (void *)bytes, .len = len };
	struct glass_cursor from = { .seg = &seg };

	return len ? memory_scatter(core_to_qp(q), GLASS_BY_QP, sge, nsge, off, &from, len)
		   : GLASS_MEM_OK;
}

enum glass_mem glass_env_scatter_recv_bytes(struct glass_pqp *q, const struct glass_rwqe *w,
					    const void *bytes, u32 len)
{
	struct glass_seg seg = { .addr = (void *)bytes, .len = len };
	struct glass_cursor from = { .seg = &seg };

	return memory_scatter(core_to_qp(q), GLASS_BY_RECV, w->sge, w->num_sge, 0, &from, len);
}

enum glass_mem glass_env_remote_check(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 access)
{
	struct glass_mr *mr;
	enum glass_mem err = mr_get(core_to_qp(q), rkey, &va, len, access, &mr);

	if (!err)
		glass_ref_put(&mr->ref);
	return err;
}

#define WRITE_TAIL 8 /* glass_write_tail() places at most this many bytes, at the end of a packet */
/* The other bytes of the packet follow about WRITE_WAITS / 2 to WRITE_WAITS us later. */
#define WRITE_WAITS 2000

/*
 * Places the last bytes of a WRITE packet. Returns the number of bytes placed. This is 0 unless the
 * packet is a WRITE of at least 2 bytes that the QP allows, and the memory is a pinned region of a
 * program.
 */
static u32 place_tail(struct glass_qp *qp, const struct glass_pkt *pkt)
{
	u32 tail = min_t(u32, WRITE_TAIL, pkt->len / 2), rkey;
	struct glass_cursor from;
	struct glass_mr *mr;
	u64 va;

	lockdep_assert_held(&qp->lock);
	if (!tail || !glass_pqp_write_at(&qp->core, pkt, &rkey, &va))
		return 0;
	if (qp->core.type == GLASS_QPT_XRC_TGT && !glass_env_xrc_srq(&qp->core, pkt->xrc_srq))
		return 0;
	/*
	 * report no errors here: glass_qp_receive() handles the packet afterwards, and reports them
	 */
	mr = glass_mr_find_remote(qp->dev, rkey);
	if (!mr)
		return 0;
	if (mr->kind != GLASS_MR_USER || mr->pdn != glass_domain(qp, GLASS_BY_QP) ||
	    !(mr->access & IB_ACCESS_REMOTE_WRITE) || glass_mr_check_range(mr, va, pkt->len) != GLASS_MEM_OK)
		tail = 0;
	glass_cursor_init(&from, pkt, pkt->len - tail);
	if (tail)
		mr_write(qp, mr, va + pkt->len - tail, &from, tail, false);
	glass_ref_put(&mr->ref);
	return tail;
}

u32 glass_write_tail(struct glass_qp *qp, const struct glass_pkt *pkt)
{
	lockdep_assert_held(&qp->lock);
	if (!glass_strict(&qp->dev->strict, GLASS_BEHAVIOR_WRITE_REORDER) || !pkt->len || !place_tail(qp, pkt))
		return 0;
	return WRITE_WAITS / 2 + glass_strict_hash(&qp->dev->strict, GLASS_BEHAVIOR_WRITE_REORDER, qp->born,
						   pkt->psn) % (WRITE_WAITS / 2);
}

enum glass_mem glass_env_remote_write(struct glass_pqp *q, u32 rkey, u64 va,
				      const struct glass_pkt *pkt)
{
	struct glass_cursor from;
	struct glass_mr *mr;
	enum glass_mem err;

	if (!pkt->len)
		return GLASS_MEM_OK;
	err = mr_get(core_to_qp(q), rkey, &va, pkt->len, IB_ACCESS_REMOTE_WRITE, &mr);
	if (err)
		return err;
	glass_cursor_init(&from, pkt, 0);
	err = mr_write(core_to_qp(q), mr, va, &from, pkt->len, true);
	if (!err)
		atomic64_inc(&mr->remote_writes);
	glass_ref_put(&mr->ref);
	return err;
}

/* An operation on a 64-bit word: an ATOMIC WRITE if orig is NULL, else an atomic. */
struct word_op {
	u8 bop; /* for an atomic: GLASS_BOP_CMP_SWAP or GLASS_BOP_FETCH_ADD */
	u64 cmp, swap_add; /* operands of an atomic; an ATOMIC WRITE writes swap_add */
	u64 *orig; /* gets the previous value of the word; NULL: an ATOMIC WRITE */
};

/*
 * Executes *op on the word at p. `room` is the number of contiguous bytes from p on. Returns
 * GLASS_MEM_OK or GLASS_MEM_ALIGN.
 */
static __always_inline enum glass_mem do_word(u64 *p, u32 room, const struct word_op *op)
{
	/*
	 * the request's va is aligned, but p may not be: the region's iova and its memory may
	 * differ modulo 8
	 */
	if (room < 8 || !IS_ALIGNED((uintptr_t)p, 8))
		return GLASS_MEM_ALIGN;
	if (!op->orig)
		/* earlier writes become visible first; pairs with the program's load-acquire */
		smp_store_release(p, op->swap_add);
	else if (op->bop == GLASS_BOP_CMP_SWAP)
		*op->orig = cmpxchg64(p, op->cmp, op->swap_add);
	else
		*op->orig = atomic64_fetch_add(op->swap_add, (atomic64_t *)p);
	return GLASS_MEM_OK;
}

static noinline_for_stack enum glass_mem do_word_on_demand(struct glass_qp *qp, struct glass_mr *mr, u64 va,
							   const struct word_op *op)
{
	u32 off = offset_in_page(glass_odp_addr(mr, va));
	enum glass_mem err = GLASS_MEM_FAULT;
	struct page *page;
	long n;

	glass_odp_begin(mr);
	n = glass_odp_find(qp, mr, va, 1, true, &page, 1);
	if (n > 0) {
		err = do_word(page_address(page) + off, PAGE_SIZE - off, op);
		if (!err)
			glass_odp_written(mr, &page, 1);
	} else if (!n) {
		err = GLASS_MEM_LATER;
	}
	glass_odp_end(mr);
	return err;
}

static __always_inline enum glass_mem word_access(struct glass_qp *qp, u32 rkey, u64 va, u32 access, const struct word_op *op)
{
	struct glass_mr *mr;
	enum glass_mem err;
	u32 piece;

	if (va & 7)
		return GLASS_MEM_ALIGN;
	err = mr_get(qp, rkey, &va, 8, access, &mr);
	if (err)
		return err;
	if (unlikely(mr->kind == GLASS_MR_ODP)) {
		err = do_word_on_demand(qp, mr, va, op);
	} else {
		u64 *p = mr_piece(mr, va, 8, &piece);

		err = do_word(p, piece, op);
	}
	if (!err)
		atomic64_inc(op->orig ? &mr->atomics : &mr->remote_writes);
	glass_ref_put(&mr->ref);
	return err;
}

enum glass_mem glass_env_atomic(struct glass_pqp *q, u32 rkey, u64 va, u8 bop, u64 cmp, u64 swap_add,
				u64 *orig)
{
	struct word_op op = { .bop = bop, .cmp = cmp, .swap_add = swap_add, .orig = orig };

	return word_access(core_to_qp(q), rkey, va, IB_ACCESS_REMOTE_ATOMIC, &op);
}

enum glass_mem glass_env_atomic_write(struct glass_pqp *q, u32 rkey, u64 va, u64 word)
{
	struct word_op op = { .swap_add = word };

	return word_access(core_to_qp(q), rkey, va, IB_ACCESS_REMOTE_WRITE, &op);
}

/*
 * There is nothing to flush, because the adapter writes by CPU to coherent memory. So a FLUSH only
 * checks the access, and orders earlier writes before its answer.
 */
enum glass_mem glass_env_flush(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 feth)
{
	u32 access = (feth & GLASS_FETH_GLOBAL ? IB_ACCESS_FLUSH_GLOBAL : 0) |
		     (feth & GLASS_FETH_PERSISTENT ? IB_ACCESS_FLUSH_PERSISTENT : 0);
	bool whole = (feth & GLASS_FETH_LEVEL) == GLASS_FETH_MR;
	struct glass_mr *mr;
	enum glass_mem err;

	if (whole) {
		/* check the access at the region's first byte; mr_get() refuses an unknown rkey */
		mr = glass_mr_find_remote(core_to_qp(q)->dev, rkey);
		if (!mr)
			mr = find_equal(core_to_qp(q)->dev, rkey, true);
		if (mr) {
			va = mr->iova;
			glass_ref_put(&mr->ref);
		}
		len = 0;
	}
	err = mr_get(core_to_qp(q), rkey, &va, len, access, &mr);
	if (err)
		return err;
	/* earlier writes become visible before the answer of the FLUSH */
	smp_mb();
	glass_ref_put(&mr->ref);
	return GLASS_MEM_OK;
}
