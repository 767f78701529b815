// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lint's findings about keys and memory (lint.h). */
#include <linux/swab.h>

#include "engine/engine.h"
#include "engine/lint.h"

#define REMOTE                                                                                     \
	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC |                \
	 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

void glass_lint_bury(const struct glass_mr *mr)
{
	struct glass_graveyard *y = READ_ONCE(mr->dev->graveyard);
	struct glass_grave *g;
	unsigned long flags;

	if (!y || !mr->owner.lint)
		return;
	spin_lock_irqsave(&y->lock, flags);
	g = &y->grave[y->next++ % GLASS_GRAVES];
	g->when = ktime_get_ns();
	g->key = mr->key;
	g->pid = mr->owner.pid;
	memcpy(g->comm, mr->owner.comm, sizeof(g->comm));
	spin_unlock_irqrestore(&y->lock, flags);
}

/* Does the graveyard have this lkey? *out gets the youngest grave that has it. */
static bool find_grave(struct glass_dev *dev, u32 key, struct glass_grave *out)
{
	struct glass_graveyard *y = READ_ONCE(dev->graveyard);
	unsigned long flags;
	bool found = false;
	u32 i;

	if (!y)
		return false;
	spin_lock_irqsave(&y->lock, flags);
	for (i = 0; i < GLASS_GRAVES && !found; i++) {
		const struct glass_grave *g = &y->grave[(y->next - 1 - i) % GLASS_GRAVES];

		found = g->when && g->key == key;
		if (found)
			*out = *g;
	}
	spin_unlock_irqrestore(&y->lock, flags);
	return found;
}

/* An access to report (glass_lint_memory()), and the QPs that findings about it name. */
struct refused {
	struct glass_qp *qp; /* the QP that looked the key up */
	struct glass_qp *peer; /* requester of a remote access; NULL: local access, or unknown */
	/*
	 * `blame` is the peer, or qp if `peer` is NULL. Most findings are attributed to the program
	 * of `blame`. `other` is qp if `blame` is the peer, else NULL.
	 */
	const struct glass_qp *blame, *other;
	const char *what; /* kind of the key: "lkey" or "rkey" */
	bool remote;
	enum glass_access_by by;
	u32 key, access;
	u64 addr, len;
};

/*
 * Reports an lkey that was used as rkey, or an rkey that was used as lkey. `taken` means that
 * behaviour equal_keys (memory.c) accepted the key. Returns false, and reports nothing, if no
 * region has the key as a key of the other kind.
 */
static bool other_key(const struct refused *x, bool taken)
{
	struct glass_mr *mr = glass_mr_find(x->qp->dev, x->remote ? x->key : x->key ^ GLASS_RKEY_BIT);

	if (!mr)
		return false;
	glass_lint_qp(x->blame, x->other, GLASS_LINT_LKEY_AS_RKEY, x->key, x->key ^ GLASS_RKEY_BIT,
		      "0x%x is the %s of a region; its %s is 0x%x%s", x->key,
		      x->remote ? "lkey" : "rkey", x->what, x->key ^ GLASS_RKEY_BIT,
		      taken ? "; equal_keys let it pass" : "");
	glass_ref_put(&mr->ref);
	return true;
}

/*
 * Reports an access with a key that does not exist: no region has it as rkey (for a remote access)
 * or as lkey (for a local one).
 */
static void no_key(const struct refused *x)
{
	u32 bit = x->remote ? GLASS_RKEY_BIT : 0;
	struct glass_grave g;
	struct glass_mr *mr;
	u64 ms;

	if (find_grave(x->qp->dev, x->key ^ bit, &g)) {
		ms = div_u64(ktime_get_ns() - g.when, NSEC_PER_MSEC);
		glass_lint_qp(x->blame, x->other, GLASS_LINT_STALE_KEY, x->key, 0,
			      "%s 0x%x: %s (pid %d) deregistered that memory %llu ms earlier", x->what,
			      x->key, g.comm, g.pid, ms);
		return;
	}
	mr = glass_mr_find(x->qp->dev, swab32(x->key) ^ bit);
	if (mr) {
		glass_lint_qp(x->blame, x->other, GLASS_LINT_BYTE_ORDER, x->key, mr->key,
			      "there is no %s 0x%x, but there is 0x%x: the bytes are in the wrong order",
			      x->what, x->key, mr->key ^ bit);
		glass_ref_put(&mr->ref);
		return;
	}
	if (other_key(x, false))
		return;
	/* is the requester on another adapter, and did it send a key of that adapter? */
	mr = x->peer && x->peer->dev != x->qp->dev ? glass_mr_find(x->peer->dev, x->key) : NULL;
	if (x->peer && !mr && x->peer->dev != x->qp->dev)
		mr = glass_mr_find(x->peer->dev, x->key ^ bit);
	if (mr) {
		if (mr->pd == x->peer->pd)
			glass_lint_qp(x->blame, x->other, GLASS_LINT_LKEY_AS_RKEY, x->key, 0,
				      "remote key 0x%x is of a region of the sender itself", x->key);
		glass_ref_put(&mr->ref);
		return;
	}
	if (x->remote)
		glass_lint_qp(x->qp, x->peer, GLASS_LINT_REMOTE_ACCESS_DENIED, x->key, 0,
			      "no memory region has the rkey 0x%x", x->key);
	else
		glass_lint_qp(x->blame, x->other, GLASS_LINT_STALE_KEY, x->key, 0,
			      "no memory region has the lkey 0x%x: it was deregistered, or never existed", x->key);
}

/*
 * Is `addr` a damaged address of the region: one whose eight bytes were reversed, or one that was
 * cut to 32 bits? If so, *how gets a text for the finding, which names the damage.
 */
static bool address_is_spoilt(const struct glass_mr *mr, u64 addr, const char **how)
{
	u64 end = mr->iova + mr->length;
	u64 swapped = swab64(addr);

	if (swapped >= mr->iova && swapped < end) {
		*how = "the bytes of the address are in the wrong order";
		return true;
	}
	if (mr->iova >> 32 && ((addr >> 32) == 0 || (addr >> 31) == 0x1ffffffffULL) &&
	    (u32)addr >= (u32)mr->iova && (u32)addr - (u32)mr->iova < mr->length) {
		*how = "the address was cut to 32 bits";
		return true;
	}
	return false;
}

static void lint_out_of_region(const struct refused *x, const struct glass_mr *mr)
{
	u64 end = mr->iova + mr->length, last = x->addr + x->len;
	const char *how;

	if (address_is_spoilt(mr, x->addr, &how)) {
		glass_lint_qp(x->blame, x->other, GLASS_LINT_BYTE_ORDER, x->addr, mr->iova,
			      "address 0x%llx is outside of the region at 0x%llx: %s", x->addr,
			      mr->iova, how);
		return;
	}
	if (x->addr < mr->iova)
		glass_lint_qp(x->blame, x->other, GLASS_LINT_OUTSIDE_MR, x->addr, mr->iova,
			      "%llu bytes at 0x%llx begin %llu bytes before the region of %s 0x%x",
			      x->len, x->addr, mr->iova - x->addr, x->what, x->key);
	else
		glass_lint_qp(x->blame, x->other, GLASS_LINT_OUTSIDE_MR, last, end,
			      "%llu bytes at 0x%llx end %llu bytes behind the region of %s 0x%x (%llu bytes)",
			      x->len, x->addr, last - end, x->what, x->key, mr->length);
}

static void lint_access_denied(const struct refused *x, const struct glass_mr *mr)
{
	if (!x->remote)
		glass_lint_qp(x->blame, x->other, GLASS_LINT_SINK_NOT_WRITABLE, mr->access,
			      x->access,
			      "data came for memory of lkey 0x%x, which was registered without LOCAL_WRITE",
			      x->key);
	else
		glass_lint_qp_at(mr->owner.stack, x->qp, x->peer, GLASS_LINT_REMOTE_ACCESS_DENIED,
				 mr->access & REMOTE, x->access,
			      "access 0x%x is asked, but the region of rkey 0x%x grants 0x%x, not %s: the MR refused",
			      x->access, x->key, mr->access & REMOTE,
			      glass_lint_right(x->access & ~mr->access));
}

/*
 * Returns the SRQ in whose PD the region must be, with a reference. Returns NULL if the region must
 * be in the QP's PD, or if the SRQ does not exist any more.
 */
static struct glass_srq *srq_that_counts(const struct refused *x)
{
	const struct glass_qp *qp = x->qp;

	if (!qp->pd)
		return glass_srq_find(qp->dev, qp->core.resp.xrc_srq);
	if (x->by == GLASS_BY_QP || !qp->srq || !glass_ref_get(&qp->srq->ref))
		return NULL;
	return qp->srq;
}

static void other_pd(const struct refused *x, const struct glass_mr *mr)
{
	struct glass_srq *srq;

	if (x->peer && mr->pd == x->peer->pd && x->peer->pd != x->qp->pd) {
		glass_lint_qp(x->blame, x->other, GLASS_LINT_LKEY_AS_RKEY, x->key, 0,
			      "remote key 0x%x is of a region of the sender itself", x->key);
		return;
	}
	srq = srq_that_counts(x);
	if (srq)
		glass_lint_qp(x->qp, x->peer, GLASS_LINT_MR_OTHER_PD, mr->pdn, srq->pdn,
			      "%s 0x%x is of PD %u (%s, pid %d), but SRQ %u, from which QP 0x%x receives, is of PD %u (%s, pid %d)",
			      x->what, x->key, mr->pdn, mr->owner.comm, mr->owner.pid, srq->srqn,
			      x->qp->core.qpn, srq->pdn, srq->owner.comm, srq->owner.pid);
	else
		glass_lint_qp(x->qp, x->peer, GLASS_LINT_MR_OTHER_PD, mr->pdn, x->qp->pdn,
			      "%s 0x%x is of PD %u (%s, pid %d), but QP 0x%x is of PD %u (%s, pid %d)",
			      x->what, x->key, mr->pdn, mr->owner.comm, mr->owner.pid,
			      x->qp->core.qpn, x->qp->pdn, x->qp->owner.comm, x->qp->owner.pid);
	if (srq)
		glass_ref_put(&srq->ref);
}

void glass_lint_memory(struct glass_qp *qp, enum glass_access_by by, u32 key, u64 addr, u64 len,
		       u32 access, enum glass_mem err)
{
	struct refused x = {
		.qp = qp,
		.remote = access & REMOTE,
		.by = by,
		.what = access & REMOTE ? "rkey" : "lkey",
		.key = key,
		.access = access,
		.addr = addr,
		.len = len,
		.blame = qp,
	};
	struct glass_mr *mr;

	if (!qp->core.is_user)
		return;
	if (x.remote)
		x.peer = glass_lint_peer(qp);
	if (x.peer) {
		x.blame = x.peer;
		x.other = qp;
	}
	if (err == GLASS_MEM_OK) {
		other_key(&x, true);
		goto out;
	}
	if (err == GLASS_MEM_KEY) {
		no_key(&x);
		goto out;
	}
	mr = glass_mr_find(qp->dev, x.remote ? key ^ GLASS_RKEY_BIT : key);
	if (!mr && glass_strict(&qp->dev->strict, GLASS_BEHAVIOR_EQUAL_KEYS))
		mr = glass_mr_find(qp->dev, x.remote ? key : key ^ GLASS_RKEY_BIT);
	if (!mr)
		goto out;
	if (err == GLASS_MEM_PD)
		other_pd(&x, mr);
	else if (err == GLASS_MEM_ACCESS)
		lint_access_denied(&x, mr);
	else if (err == GLASS_MEM_BOUNDS)
		lint_out_of_region(&x, mr);
	glass_ref_put(&mr->ref);
out:
	if (x.peer)
		glass_ref_put(&x.peer->ref);
}
