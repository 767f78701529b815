/* SPDX-License-Identifier: GPL-2.0-only */
/* First causes in memory: R_Keys and L_Keys, rights, addresses. */
#ifndef CAUSES_MEMORY_H
#define CAUSES_MEMORY_H

#include "causes_ends.h"

/* The operations that name remote memory, and the right that each needs */
static const struct remote_op {
	enum ibv_wr_opcode op;
	int right;
	const char *word;
} remote_ops[] = {
	{ IBV_WR_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE, "remote_write" },
	{ IBV_WR_RDMA_READ, IBV_ACCESS_REMOTE_READ, "remote_read" },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_ACCESS_REMOTE_ATOMIC, "remote_atomic" },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, IBV_ACCESS_REMOTE_ATOMIC, "remote_atomic" },
};

static const struct remote_op *any_remote_op(void)
{
	const struct remote_op *o = &remote_ops[plan.variant % ARRAY_LEN(remote_ops)];

	plan.op = o->op;
	return o;
}

/* ---- R_Keys */

/* A's request to an address of B under a key, which B refuses: both QPs fail for the same cause. */
static void refused_key(const char *cause, uint32_t rkey, uint64_t addr, const char *says)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	truth(A, cause, "%s", says);
	truth(B, cause, "%s", says);
	if (mine(A)) {
		wr = request(&sge, plan.op, plan.len);
		if (is_atomic(plan.op)) {
			wr.wr.atomic.rkey = rkey;
			wr.wr.atomic.remote_addr = addr;
		} else {
			wr.wr.rdma.rkey = rkey;
			wr.wr.rdma.remote_addr = addr;
		}
		vt_post(ends[A].qp, &wr);
	}
	fails(IBV_WC_REM_ACCESS_ERR);
}

static char *key_says(char *to, size_t size, uint32_t rkey, const char *more)
{
	snprintf(to, size, "0x%x%s", rkey, more);
	return to;
}

/* Tells A a region of B. */
static void tell_region(struct ibv_mr *mr)
{
	if (mine(B)) {
		shared->value[0] = mr->rkey;
		shared->value[1] = (uintptr_t)mr->addr;
		shared->value[2] = mr->length;
	}
	meet();
}

/* B binds a window of type 2 for A. Returns its key. */
static uint32_t bind_window(struct ibv_mr *mr)
{
	struct ibv_mw *mw = ibv_alloc_mw(ends[B].dev.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	CHECK(mw, "alloc_mw: %s", strerror(errno));
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = mr, .addr = (uintptr_t)mr->addr, .length = mr->length,
							  .mw_access_flags = VT_ACCESS_ALL & ~IBV_ACCESS_LOCAL_WRITE };
	vt_post(ends[B].qp, &wr);
	vt_wc_ok(ends[B].scq, &wc);
	return wr.bind_mw.rkey;
}

static struct ibv_mr *window_region(void)
{
	return vt_mr_of(ends[B].dev.pd, vt_mem(BYTES), BYTES, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND);
}

static void invalidate_by_b(uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = rkey };
	struct ibv_wc wc;

	vt_post(ends[B].qp, &wr);
	vt_wc_ok(ends[B].scq, &wc);
}

/* A's SEND with invalidate ends B's window. */
static void invalidate_by_a(uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV, .send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = rkey };
	struct ibv_wc wc;

	if (mine(B))
		vt_recv(ends[B].qp, 0, ends[B].mr, 0, BYTES);
	meet();
	if (mine(A)) {
		vt_post(ends[A].qp, &wr);
		vt_wc_ok(ends[A].scq, &wc);
	}
	if (mine(B))
		vt_wc_ok(ends[B].rcq, &wc);
}

static void run_key_stale(void)
{
	static const char *const hows[] = { "|deregistered it", "|LOCAL_INV", "|SEND with invalidate" };
	unsigned int how = plan.variant % ARRAY_LEN(hows);
	struct ibv_mr *mr = NULL;
	char says[100];

	plan.variant /= ARRAY_LEN(hows);
	make_ends();
	connect_both();
	good_messages(0);
	if (mine(B)) {
		mr = window_region();
		shared->value[0] = how ? bind_window(mr) : mr->rkey;
		shared->value[1] = (uintptr_t)mr->addr;
	}
	meet();
	if (how == 0 && mine(B))
		vt_drop(mr);
	if (how == 1 && mine(B))
		invalidate_by_b(shared->value[0]);
	if (how == 2)
		invalidate_by_a(shared->value[0]);
	meet();
	any_remote_op();
	refused_key("key_stale", shared->value[0], shared->value[1], key_says(says, sizeof(says), shared->value[0], hows[how]));
}

static void run_key_unknown(void)
{
	uint32_t rkey;
	char says[100];

	make_ends();
	connect_both();
	good_messages(0);
	any_remote_op();
	/* an index that the adapter never gave */
	rkey = shared->end[B].rkey ^ between(0x1000, 0x7fff) << 12;
	refused_key("key_unknown", rkey, shared->end[B].addr, key_says(says, sizeof(says), rkey, ""));
}

static void run_key_other_pd(void)
{
	char says[100], more[40];
	struct ibv_mr *mr = NULL;
	struct ibv_pd *pd;

	make_ends();
	connect_both();
	good_messages(0);
	if (mine(B)) {
		pd = ibv_alloc_pd(ends[B].dev.ctx);
		CHECK(pd, "alloc_pd: %s", strerror(errno));
		vt_track(VT_PD, pd);
		mr = vt_mr_of(pd, vt_mem(BYTES), BYTES, VT_ACCESS_ALL);
	}
	tell_region(mr);
	any_remote_op();
	snprintf(more, sizeof(more), "|(pid %d)", shared->end[B].pid);
	refused_key("key_other_pd", shared->value[0], shared->value[1], key_says(says, sizeof(says), shared->value[0], more));
}

/* Beyond the end of the region, or before its begin */
static void run_key_bounds(void)
{
	struct ibv_mr *mr = NULL;
	uint32_t size = 8 * between(16, 512);
	uint64_t addr;
	char says[100];

	make_ends();
	connect_both();
	good_messages(0);
	if (mine(B))
		mr = vt_mr_of(ends[B].dev.pd, (char *)vt_mem(BYTES) + 4096, size, VT_ACCESS_ALL);
	tell_region(mr);
	any_remote_op();
	if (is_atomic(plan.op))
		plan.len = 8;
	else
		plan.len = between(1, size);
	addr = shared->value[1];
	addr = plan.variant / 4 % 2 ? addr - 8 : addr + size - plan.len + (is_atomic(plan.op) ? 8 : between(1, plan.len));
	refused_key("key_bounds", shared->value[0], addr, key_says(says, sizeof(says), shared->value[0], ""));
}

static void run_key_access(void)
{
	const struct remote_op *o;
	struct ibv_mr *mr = NULL;
	char says[100], more[60];

	make_ends();
	connect_both();
	good_messages(0);
	o = any_remote_op();
	if (mine(B))
		mr = vt_mr_of(ends[B].dev.pd, vt_mem(BYTES), BYTES,
			      between(0, 1) ? VT_ACCESS_ALL & ~o->right : IBV_ACCESS_LOCAL_WRITE);
	tell_region(mr);
	snprintf(more, sizeof(more), "|%s|(pid %d)", o->word, shared->end[B].pid);
	refused_key("key_access", shared->value[0], shared->value[1], key_says(says, sizeof(says), shared->value[0], more));
}

/* ---- invalid requests to memory */

static void run_qp_access(void)
{
	const struct remote_op *o = any_remote_op();
	struct vt_path to;

	make_ends();
	connect_end(A);
	to = path_of(B);
	if (mine(B)) {
		vt_to_init(ends[B].qp, 1, between(0, 1) ? VT_ACCESS_ALL & ~o->right : 0);
		vt_to_rts(ends[B].qp, 1, plan.psn[B], &to);
	}
	meet();
	truth(A, "qp_access", "%s", o->word);
	truth(B, "qp_access", "%s", o->word);
	if (mine(A))
		post_request();
	fails(IBV_WC_REM_INV_REQ_ERR);
}

static void run_misaligned(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	make_ends();
	connect_both();
	good_messages(0);
	truth(A, "misaligned", "%s", "");
	truth(B, "misaligned", "%s", "");
	if (mine(A)) {
		wr = request(&sge, plan.variant & 1 ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP, 8);
		wr.wr.atomic.remote_addr += between(1, 7);
		vt_post(ends[A].qp, &wr);
	}
	fails(IBV_WC_REM_INV_REQ_ERR);
}

/* ---- L_Keys: A's request has one SGE */

static void refused_lkey(const char *cause, uint32_t lkey, uint64_t addr)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	if (mine(A)) {
		truth(A, cause, "0x%x", lkey);
		wr = request(&sge, plan.op, plan.len);
		sge.lkey = lkey;
		sge.addr = addr;
		vt_post(ends[A].qp, &wr);
	}
	fails(IBV_WC_LOC_PROT_ERR);
}

static void begin_lkey(void)
{
	make_ends();
	connect_both();
	good_messages(0);
	plan.op = any_remote_op()->op;
}

static void run_lkey_stale(void)
{
	struct ibv_mr *mr;
	uint32_t lkey = 0;
	uint64_t addr = 0;

	begin_lkey();
	if (mine(A)) {
		mr = vt_buf(&ends[A].dev, BYTES);
		lkey = mr->lkey;
		addr = (uintptr_t)mr->addr;
		vt_drop(mr);
	}
	refused_lkey("lkey_stale", lkey, addr);
}

static void run_lkey_unknown(void)
{
	begin_lkey();
	refused_lkey("lkey_unknown", mine(A) ? ends[A].mr->lkey ^ between(0x1000, 0x7fff) << 12 : 0,
		     mine(A) ? (uintptr_t)ends[A].mr->addr : 0);
}

static void run_lkey_other_pd(void)
{
	struct ibv_mr *mr = NULL;
	struct ibv_pd *pd;

	begin_lkey();
	if (mine(A)) {
		pd = ibv_alloc_pd(ends[A].dev.ctx);
		CHECK(pd, "alloc_pd: %s", strerror(errno));
		vt_track(VT_PD, pd);
		mr = vt_mr_of(pd, vt_mem(BYTES), BYTES, VT_ACCESS_ALL);
	}
	refused_lkey("lkey_other_pd", mr ? mr->lkey : 0, mr ? (uintptr_t)mr->addr : 0);
}

static void run_lkey_bounds(void)
{
	begin_lkey();
	refused_lkey("lkey_bounds", mine(A) ? ends[A].mr->lkey : 0,
		     mine(A) ? (uintptr_t)ends[A].mr->addr + BYTES - (is_atomic(plan.op) ? 4 : plan.len / 2) : 0);
}

/* An answer goes into a region without local write. */
static void run_lkey_access(void)
{
	struct ibv_mr *mr = NULL;

	plan.variant = 1 + plan.variant % 3;
	begin_lkey();
	if (mine(A))
		mr = vt_mr_of(ends[A].dev.pd, vt_mem(BYTES), BYTES, IBV_ACCESS_REMOTE_READ);
	refused_lkey("lkey_access", mr ? mr->lkey : 0, mr ? (uintptr_t)mr->addr : 0);
}

#endif
