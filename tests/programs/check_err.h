/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: what goes wrong on purpose, and how both sides learn of it. */
#ifndef CHECK_ERR_H
#define CHECK_ERR_H

#include "check.h"

static struct ibv_send_wr send_of(uint64_t wr_id, struct ibv_sge *sge)
{
	return wr_of(IBV_WR_SEND, wr_id, sge);
}

/* A SEND without receive waits; it arrives when one is posted. */
static void rnr_late_receive(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .rnr_timer = 1 });
	struct ibv_mr *ma = vt_buf(&A, 8192), *mb = vt_buf(&B, 8192);
	struct ibv_sge sge = vt_sge(ma, 0, 8000);
	struct ibv_send_wr wr = send_of(1, &sge);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 5; i++) {
		vt_fill(ma->addr, 8000, i);
		vt_post(p.a, &wr);
		round_trips(5);
		vt_empty(p.a->send_cq);
		vt_recv(p.b, 2, mb, 0, 8192);
		vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.byte_len == 8000, "byte_len %u", wc.byte_len);
		vt_verify(mb->addr, 8000, i, "late receive");
	}
	vt_empty(p.b->recv_cq);
	state_is(p.a, IBV_QPS_RTS, "the sender");
}

static void rnr_exceeded(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .no_rnr_retry = true, .rnr_timer = 1 });
	struct ibv_mr *ma = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = send_of(1, &sge);

	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
	state_is(p.a, IBV_QPS_ERR, "the sender");
	state_is(p.b, IBV_QPS_RTS, "the peer");
}

static void retry_exceeded(void)
{
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){});
	struct vt_path nowhere = path_to(&B, 0xfffff0, 1);
	struct ibv_mr *ma = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = send_of(1, &sge), next = send_of(2, &sge);

	nowhere.timeout = 10;
	nowhere.retry = 2;
	vt_to_init(qp, A.port, VT_ACCESS_ALL);
	vt_to_rts(qp, A.port, 1, &nowhere);
	vt_post(qp, &wr);
	vt_post(qp, &next);
	vt_wc_is(qp->send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	vt_wc_is(qp->send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	state_is(qp, IBV_QPS_ERR, "the sender");
}

/* A peer that is destroyed in mid-traffic is the same to the sender. */
static void peer_gone(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .timeout = 10, .retry = 2 });
	struct ibv_mr *ma = vt_buf(&A, 65536), *mb = vt_buf(&B, 65536);
	struct ibv_sge sge = vt_sge(ma, 0, 65536);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 60; i++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);

		vt_post(p.a, &wr);
		if (i == 10)
			vt_drop(p.b);
	}
	for (i = 0; i < 60; i++) {
		vt_wc(p.a->send_cq, &wc);
		CHECK(wc.wr_id == (unsigned int)i, "wr_id %llu, not %d", (unsigned long long)wc.wr_id, i);
		if (wc.status != IBV_WC_SUCCESS)
			break;
	}
	CHECK(i < 60 && wc.status == IBV_WC_RETRY_EXC_ERR, "request %d: %s", i,
	      ibv_wc_status_str(wc.status));
	for (i++; i < 60; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
}

/* The responder refuses; both QPs end in error, and the responder hears an event. */
static void refused(enum ibv_wr_opcode op, uint32_t rkey_xor, size_t off, uint32_t len, int mr_access)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 8192);
	struct ibv_mr *mb = vt_mr_of(B.pd, vt_mem(8192), 8192, mr_access);
	struct ibv_sge sge = vt_sge(ma, 0, len);
	struct ibv_send_wr wr = rdma_of(op, 1, &sge, mb, off);

	if (op >= IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = (uintptr_t)mb->addr + off;
		wr.wr.atomic.rkey = mb->rkey ^ rkey_xor;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.rkey ^= rkey_xor;
	}
	memset(ma->addr, 0xff, 8192);
	vt_drain_events(B.ctx);
	vt_recv(p.b, 7, ma, 0, 0);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_ACCESS_ERR);
	CHECK(vt_event(B.ctx, IBV_EVENT_QP_ACCESS_ERR, p.b), "no QP_ACCESS_ERR event at the responder");
	vt_wc_is(p.b->recv_cq, 7, IBV_WC_WR_FLUSH_ERR);
	state_is(p.a, IBV_QPS_ERR, "the requester");
	state_is(p.b, IBV_QPS_ERR, "the responder");
	vt_verify_same(mb->addr, 8192, 0, "memory that was protected");
}

#define L IBV_ACCESS_LOCAL_WRITE
static void bad_rkey_write(void) { refused(IBV_WR_RDMA_WRITE, 0x100, 0, 64, VT_ACCESS_ALL); }
static void bad_rkey_read(void) { refused(IBV_WR_RDMA_READ, 0x55, 0, 64, VT_ACCESS_ALL); }
static void bad_rkey_atomic(void) { refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 0, 8, VT_ACCESS_ALL); }
static void write_beyond(void) { refused(IBV_WR_RDMA_WRITE, 0, 8192 - 63, 64, VT_ACCESS_ALL); }
static void read_beyond(void) { refused(IBV_WR_RDMA_READ, 0, 1, 8192, VT_ACCESS_ALL); }
static void write_readonly(void) { refused(IBV_WR_RDMA_WRITE, 0, 0, 64, L | IBV_ACCESS_REMOTE_READ); }
static void read_writeonly(void) { refused(IBV_WR_RDMA_READ, 0, 0, 64, L | IBV_ACCESS_REMOTE_WRITE); }
static void atomic_without_right(void)
{
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 0, 8, L | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
}
#undef L

static void rkey_of_other_pd(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_pd *pd = ibv_alloc_pd(B.ctx);
	struct ibv_send_wr wr;
	struct ibv_mr *mb;

	CHECK(pd, "alloc_pd failed");
	vt_track(VT_PD, pd);
	mb = vt_mr_of(pd, vt_mem(64), 64, VT_ACCESS_ALL);
	wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb, 0);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_ACCESS_ERR);
}

static void rkey_after_dereg(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb, 0);

	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
	vt_drop(mb);
	vt_buf(&B, 64);
	wr.wr_id = 2;
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 2, IBV_WC_REM_ACCESS_ERR);
}

/* The QP itself does not allow what the MR would. */
static void qp_forbids_write(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){},
					(struct tune){ .access_b = IBV_ACCESS_REMOTE_READ });
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb, 0);
	struct ibv_wc wc;

	memset(ma->addr, 1, 64);
	vt_post(p.a, &wr);
	vt_wc(p.a->send_cq, &wc);
	CHECK(wc.status == IBV_WC_REM_INV_REQ_ERR || wc.status == IBV_WC_REM_ACCESS_ERR,
	      "status %s", ibv_wc_status_str(wc.status));
	vt_verify_same(mb->addr, 64, 0, "memory that was protected");
}

static void atomic_misaligned(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_send_wr wr = wr_of(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge);
	struct ibv_wc wc;

	wr.wr.atomic.remote_addr = (uintptr_t)mb->addr + 4;
	wr.wr.atomic.rkey = mb->rkey;
	wr.wr.atomic.compare_add = 1;
	vt_post(p.a, &wr);
	vt_wc(p.a->send_cq, &wc);
	CHECK(wc.status == IBV_WC_REM_INV_REQ_ERR, "status %s", ibv_wc_status_str(wc.status));
	vt_verify_same(mb->addr, 64, 0, "the word");
}

/* A local error: its request says so, those behind it are flushed in order. */
static void local_error(struct ibv_sge *sge, enum ibv_wr_opcode op, enum ibv_wc_status status)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 8192);
	struct ibv_sge good = vt_sge(ma, 0, 64);
	int i;

	vt_recv(p.a, 50, ma, 0, 64);
	for (i = 0; i < 6; i++) {
		struct ibv_send_wr wr = rdma_of(i == 2 ? op : IBV_WR_RDMA_WRITE, i, i == 2 ? sge : &good, mb, 0);
		struct ibv_send_wr *bad;
		int err = ibv_post_send(p.a, &wr, &bad);

		/* the QP may be in error by the time of the later posts: they are accepted all the same */
		CHECK(!err, "post %d: %s", i, strerror(err));
	}
	vt_wc_is(p.a->send_cq, 0, IBV_WC_SUCCESS);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
	vt_wc_is(p.a->send_cq, 2, status);
	for (i = 3; i < 6; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	vt_wc_is(p.a->recv_cq, 50, IBV_WC_WR_FLUSH_ERR);
	state_is(p.a, IBV_QPS_ERR, "the requester");
}

static void bad_lkey(void)
{
	struct ibv_mr *mr = vt_buf(&A, 8192);
	struct ibv_sge sge = vt_sge(mr, 0, 64);

	sge.lkey ^= 0x200;
	local_error(&sge, IBV_WR_SEND, IBV_WC_LOC_PROT_ERR);
}

static void lkey_beyond(void)
{
	struct ibv_mr *mr = vt_buf(&A, 8192);
	struct ibv_sge sge = vt_sge(mr, 8000, 193);

	local_error(&sge, IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR);
}

static void lkey_of_other_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(A.ctx);
	struct ibv_sge sge;
	struct ibv_mr *mr;

	CHECK(pd, "alloc_pd failed");
	vt_track(VT_PD, pd);
	mr = vt_mr_of(pd, vt_mem(64), 64, VT_ACCESS_ALL);
	sge = vt_sge(mr, 0, 64);
	local_error(&sge, IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR);
}

static void read_into_readonly(void)
{
	struct ibv_mr *mr = vt_mr_of(A.pd, vt_mem(64), 64, 0);
	struct ibv_sge sge = vt_sge(mr, 0, 64);

	local_error(&sge, IBV_WR_RDMA_READ, IBV_WC_LOC_PROT_ERR);
}

static void short_receive(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 16384), *mb = vt_buf(&B, 16384);
	struct ibv_sge sge = vt_sge(ma, 0, 10000);
	struct ibv_send_wr wr = send_of(1, &sge);

	memset(mb->addr, 0x3c, 16384);
	vt_recv(p.b, 2, mb, 0, 9999);
	vt_recv(p.b, 3, mb, 0, 16384);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_INV_REQ_ERR);
	vt_wc_is(p.b->recv_cq, 2, IBV_WC_LOC_LEN_ERR);
	vt_wc_is(p.b->recv_cq, 3, IBV_WC_WR_FLUSH_ERR);
	state_is(p.a, IBV_QPS_ERR, "the sender");
	state_is(p.b, IBV_QPS_ERR, "the receiver");
	vt_verify_same((char *)mb->addr + 9999, 16384 - 9999, 0x3c, "behind the receive buffer");
}

static void bad_receive_lkey(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64), bad_sge = vt_sge(mb, 0, 64);
	struct ibv_recv_wr rwr = { .wr_id = 2, .sg_list = &bad_sge, .num_sge = 1 }, *bad;
	struct ibv_send_wr wr = send_of(1, &sge);

	bad_sge.lkey ^= 0x300;
	CHECK(!ibv_post_recv(p.b, &rwr, &bad), "post_recv failed");
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_OP_ERR);
	vt_wc_is(p.b->recv_cq, 2, IBV_WC_LOC_PROT_ERR);
	state_is(p.b, IBV_QPS_ERR, "the receiver");
}

/* To ERR by modify: all that is posted is flushed in order, and what is posted after. */
static void flush(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	int i;

	for (i = 0; i < 20; i++)
		vt_recv(p.a, i, ma, 0, 64);
	/* nobody receives them: they wait for the end */
	for (i = 0; i < 10; i++) {
		struct ibv_send_wr wr = send_of(i, &sge);

		wr.send_flags = i % 2 ? IBV_SEND_SIGNALED : 0;
		vt_post(p.a, &wr);
	}
	vt_to_state(p.a, IBV_QPS_ERR);
	for (i = 0; i < 20; i++)
		vt_wc_is(p.a->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	/* unsignaled requests, too, are told of when they fail */
	for (i = 0; i < 10; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	for (i = 0; i < 100; i++) {
		struct ibv_send_wr wr = send_of(i, &sge);

		vt_recv(p.a, i, ma, 0, 64);
		vt_post(p.a, &wr);
		vt_wc_is(p.a->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
		vt_wc_is(p.a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	}
	vt_empty(p.a->send_cq);
	vt_empty(p.a->recv_cq);
}

/* Error by the peer's doing while receives are posted; more posts later are flushed too. */
static void flush_after_error(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb, 1 << 20);
	int i;

	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_ACCESS_ERR);
	CHECK(vt_event(B.ctx, IBV_EVENT_QP_ACCESS_ERR, p.b), "no QP_ACCESS_ERR event");
	for (i = 0; i < 10; i++) {
		/* neither provider was told by its program that the QP is in error */
		vt_recv(p.b, i, mb, 0, 64);
		vt_wc_is(p.b->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
		vt_recv(p.a, i, ma, 0, 64);
		vt_wc_is(p.a->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	}
}

/* A completion queue that is too small: the event, and the QP in error. */
static void cq_overrun(void)
{
	struct ibv_cq *cq = vt_cq(&A, 4, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq }), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_wc wc[64];
	uint64_t until;
	int i, n;

	connect_pair_tuned(&p, (struct tune){});
	vt_drain_events(A.ctx);
	for (i = 0; i < 60; i++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);

		vt_post(p.a, &wr);
	}
	if (cq->cqe >= 60)
		skip("the smallest CQ is larger than the test");
	CHECK(vt_event(A.ctx, IBV_EVENT_CQ_ERR, cq), "no CQ_ERR event");
	for (until = vt_now_ms() + VT_WAIT_MS; vt_state(p.a) != IBV_QPS_ERR && vt_now_ms() < until;)
		sched_yield();
	state_is(p.a, IBV_QPS_ERR, "the QP of the CQ");
	n = ibv_poll_cq(cq, 64, wc);
	CHECK(n >= 0 && n <= cq->cqe, "poll_cq returned %d from a CQ of %d", n, cq->cqe);
}

static const struct check err_checks[] = {
	{ "rnr_late_receive", rnr_late_receive },
	{ "rnr_exceeded", rnr_exceeded },
	{ "retry_exceeded", retry_exceeded },
	{ "peer_gone", peer_gone },
	{ "bad_rkey_write", bad_rkey_write },
	{ "bad_rkey_read", bad_rkey_read },
	{ "bad_rkey_atomic", bad_rkey_atomic },
	{ "write_beyond", write_beyond },
	{ "read_beyond", read_beyond },
	{ "write_readonly", write_readonly },
	{ "read_writeonly", read_writeonly },
	{ "atomic_without_right", atomic_without_right },
	{ "rkey_of_other_pd", rkey_of_other_pd },
	{ "rkey_after_dereg", rkey_after_dereg },
	{ "qp_forbids_write", qp_forbids_write },
	{ "atomic_misaligned", atomic_misaligned },
	{ "bad_lkey", bad_lkey },
	{ "lkey_beyond", lkey_beyond },
	{ "lkey_of_other_pd", lkey_of_other_pd },
	{ "read_into_readonly", read_into_readonly },
	{ "short_receive", short_receive },
	{ "bad_receive_lkey", bad_receive_lkey },
	{ "flush", flush },
	{ "flush_after_error", flush_after_error },
	{ "cq_overrun", cq_overrun },
};

#endif
