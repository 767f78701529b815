/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: CQs that ignore overruns, in which the oldest completion makes room. */
#ifndef CHECK_OVERRUN_H
#define CHECK_OVERRUN_H

#include <pthread.h>

#include "check.h"

#define ROOM 4 /* completions that such a CQ holds here */

static struct ibv_cq_ex *make_careless(struct vt_end *e, int cqe)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(e->ctx, &attr);

	CHECK(cq, "create_cq_ex with IGNORE_OVERRUN: %s", strerror(errno));
	vt_track(VT_CQ, ibv_cq_ex_to_cq(cq));
	return cq;
}

/* Messages with these wr_ids at the sender, the receiver and as immediate data, all received. */
static void messages(struct pair *p, struct ibv_mr *ma, struct ibv_mr *mb, uint64_t first, uint64_t end)
{
	struct ibv_sge sge = vt_sge(ma, 0, 16);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND_WITH_IMM, 0, &sge);
	struct ibv_wc wc;

	for (; first < end; first++) {
		vt_recv(p->b, first, mb, 0, 64);
		wr.wr_id = first;
		wr.imm_data = htobe32(first);
		vt_post(p->a, &wr);
		vt_wc_ok(p->a->send_cq, &wc);
	}
}

static void got_exactly(struct ibv_cq *cq, uint32_t qpn, uint64_t first, uint64_t end)
{
	struct ibv_wc wc[4 * ROOM];
	int i, n = ibv_poll_cq(cq, 4 * ROOM, wc);

	CHECK(n == (int)(end - first), "%d completions instead of %d", n, (int)(end - first));
	for (i = 0; i < n; i++)
		CHECK(wc[i].wr_id == first + i && wc[i].status == IBV_WC_SUCCESS &&
			      wc[i].qp_num == qpn && be32toh(wc[i].imm_data) == first + i,
		      "completion %d has wr_id %llu, status %d, QP 0x%x", i,
		      (unsigned long long)wc[i].wr_id, wc[i].status, wc[i].qp_num);
	CHECK(!ibv_poll_cq(cq, 1, wc), "another completion, wr_id %llu", (unsigned long long)wc[0].wr_id);
}

static void overrun_ignored(void)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(make_careless(&B, ROOM));
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);

	connect_pair_tuned(&p, (struct tune){});
	messages(&p, ma, mb, 0, ROOM);
	got_exactly(cq, p.b->qp_num, 0, ROOM);
	messages(&p, ma, mb, 10, 12 + 3 * ROOM);
	got_exactly(cq, p.b->qp_num, 12 + 2 * ROOM, 12 + 3 * ROOM);
	messages(&p, ma, mb, 50, 52);
	got_exactly(cq, p.b->qp_num, 50, 52);
	state_is(p.b, IBV_QPS_RTS, "the QP whose CQ overran");
	CHECK(!vt_readable(B.ctx->async_fd, 0), "an asynchronous event");
	pair_works(&p);
}

static void overrun_ignored_extended(void)
{
	struct ibv_cq_ex *cq = make_careless(&B, ROOM);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}),
			  vt_qp(&B, (struct vt_qp_opts){ .rcq = ibv_cq_ex_to_cq(cq) }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_poll_cq_attr attr = {};
	uint64_t i;
	int ret;

	connect_pair_tuned(&p, (struct tune){});
	messages(&p, ma, mb, 0, 3 * ROOM);
	i = 2 * ROOM;
	ret = ibv_start_poll(cq, &attr);
	CHECK(!ret && cq->wr_id == i && cq->status == IBV_WC_SUCCESS, "%d, wr_id %llu", ret,
	      (unsigned long long)cq->wr_id);
	/* the completion that is being read stays what it was */
	messages(&p, ma, mb, 100, 100 + 2 * ROOM);
	CHECK(be32toh(ibv_wc_read_imm_data(cq)) == i && ibv_wc_read_opcode(cq) == IBV_WC_RECV &&
		      ibv_wc_read_byte_len(cq) == 16 && ibv_wc_read_qp_num(cq) == p.b->qp_num,
	      "a completion with other values");
	ret = ibv_next_poll(cq);
	for (i = 100 + ROOM; i < 100 + 2 * ROOM; i++, ret = ibv_next_poll(cq))
		CHECK(!ret && cq->wr_id == i && be32toh(ibv_wc_read_imm_data(cq)) == i, "%d, wr_id %llu",
		      ret, (unsigned long long)cq->wr_id);
	CHECK(ret == ENOENT, "next_poll: %s", strerror(ret));
	ibv_end_poll(cq);
}

/* Completions of a QP that is destroyed go, those of others stay, and the CQ goes on. */
static void overrun_ignored_destroy(void)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(make_careless(&B, ROOM));
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
	struct pair q = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	uint32_t qpn = p.b->qp_num;

	connect_pair_tuned(&p, (struct tune){});
	connect_pair_tuned(&q, (struct tune){});
	messages(&q, ma, mb, 0, 5);
	messages(&p, ma, mb, 6, 7);
	messages(&q, ma, mb, 7, 8);
	messages(&p, ma, mb, 7, 8);
	vt_drop(q.b);
	got_exactly(cq, qpn, 6, 8);
	messages(&p, ma, mb, 20, 20 + 2 * ROOM);
	got_exactly(cq, qpn, 20 + ROOM, 20 + 2 * ROOM);
}

static void overrun_ignored_resize(void)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(make_careless(&B, ROOM));
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	int ret;

	connect_pair_tuned(&p, (struct tune){});
	messages(&p, ma, mb, 0, 3 * ROOM);
	ret = ibv_resize_cq(cq, ROOM - 1);
	CHECK(ret == EINVAL, "resize to less than what is in it: %s", strerror(ret));
	ret = ibv_resize_cq(cq, 2 * ROOM);
	CHECK(!ret, "resize: %s", strerror(ret));
	messages(&p, ma, mb, 3 * ROOM, 4 * ROOM);
	got_exactly(cq, p.b->qp_num, 2 * ROOM, 4 * ROOM);
	messages(&p, ma, mb, 100, 103 + 2 * ROOM);
	got_exactly(cq, p.b->qp_num, 103, 103 + 2 * ROOM);
	/* a size that grows brings nothing back of what was lost */
	messages(&p, ma, mb, 200, 200 + 4 * ROOM);
	ret = ibv_resize_cq(cq, 4 * ROOM);
	CHECK(!ret, "resize: %s", strerror(ret));
	got_exactly(cq, p.b->qp_num, 200 + 2 * ROOM, 200 + 4 * ROOM);
}

struct flood {
	struct ibv_qp *qp;
	struct ibv_send_wr wr;
	unsigned int n;
	int err;
};

static void *post_flood(void *arg)
{
	struct flood *f = arg;
	struct ibv_send_wr *bad;
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	for (; f->wr.wr_id < f->n; f->wr.wr_id++) {
		while ((f->err = ibv_post_send(f->qp, &f->wr, &bad)) == ENOMEM && vt_now_ms() < until)
			sched_yield();
		if (f->err)
			break;
	}
	return NULL;
}

/*
 * Completions are polled while others overwrite them: what is polled is whole, in order and newer
 * than before, and the last one is never lost.
 */
static void overrun_ignored_race(void)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(make_careless(&A, ROOM));
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 256 }),
			  vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct flood f = { .qp = p.a, .wr = rdma_of(IBV_WR_RDMA_WRITE, 0, &sge, mb, 0), .n = 20000 };
	uint64_t next = 0, until = vt_now_ms() + VT_WAIT_MS;
	pthread_t thread;
	struct ibv_wc wc;
	bool wrong = false;

	connect_pair_tuned(&p, (struct tune){});
	CHECK(!pthread_create(&thread, NULL, post_flood, &f), "no thread");
	while (next < f.n && !wrong && vt_now_ms() < until)
		while (!wrong && ibv_poll_cq(cq, 1, &wc) == 1) {
			wrong = wc.wr_id < next || wc.status != IBV_WC_SUCCESS ||
				wc.qp_num != p.a->qp_num || wc.opcode != IBV_WC_RDMA_WRITE;
			next = wc.wr_id + 1;
		}
	pthread_join(thread, NULL);
	CHECK(!wrong, "completion of wr_id %llu, status %d, QP 0x%x, opcode %d", (unsigned long long)wc.wr_id,
	      wc.status, wc.qp_num, wc.opcode);
	CHECK(!f.err, "post_send: %s", strerror(f.err));
	CHECK(next == f.n, "the completions ended at %llu of %u", (unsigned long long)next, f.n);
}

static const struct check overrun_checks[] = {
	{ "overrun_ignored", overrun_ignored },
	{ "overrun_ignored_extended", overrun_ignored_extended },
	{ "overrun_ignored_destroy", overrun_ignored_destroy },
	{ "overrun_ignored_resize", overrun_ignored_resize },
	{ "overrun_ignored_race", overrun_ignored_race },
};

#endif
