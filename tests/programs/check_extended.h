/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: other sizes, extended queues, clocks, domains, vectors. */
#ifndef CHECK_EXTENDED_H
#define CHECK_EXTENDED_H

#include "check.h"

/* Posts n signaled WRITEs of nothing to speak of, with wr_id from `first` on, and waits until they are done. */
static void complete_some(struct pair *p, struct ibv_mr *ma, struct ibv_mr *mb, uint64_t first, int n,
			  struct ibv_cq *fence)
{
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_wc wc;

	for (; n; n--, first++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, first, &sge, mb, 0);

		vt_post(p->a, &wr);
	}
	/* a message with a receive on the other side comes after all of them */
	if (fence) {
		struct ibv_send_wr wr = wr_of(IBV_WR_SEND, first, &sge);

		vt_recv(p->b, 1, mb, 64, 64);
		vt_post(p->a, &wr);
		vt_wc_ok(fence, &wc);
	}
}

/* Waits for a message from B, which comes after B's acknowledgements: A has the completions of all that B has got. */
static void await_answer(struct pair *p, struct ibv_mr *ma, struct ibv_mr *mb)
{
	struct ibv_sge sge = vt_sge(mb, 0, 8);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;

	vt_recv(p->a, 1, ma, 32, 32);
	vt_post(p->b, &wr);
	vt_wc_ok(p->a->recv_cq, &wc);
	vt_wc_ok(p->b->send_cq, &wc);
}

/* A CQ takes its completions along to any other size, and what does not fit is refused. */
static void resize_cq(void)
{
	struct ibv_cq *cq = vt_cq(&A, 4, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq }), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 128);
	static const int sizes[] = { 100, 12, 2000, 64, 63 };
	uint64_t first = 0, seen = 0;
	struct ibv_wc wc;
	size_t i;

	connect_pair_tuned(&p, (struct tune){});
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		CHECK(!ibv_resize_cq(cq, sizes[i]), "resize_cq to %d: %s", sizes[i], strerror(errno));
		CHECK(cq->cqe >= sizes[i], "room for %d, not %d", cq->cqe, sizes[i]);
		/* of seven, four stay and are carried over to the next size */
		complete_some(&p, ma, mb, first, 6, p.b->recv_cq);
		await_answer(&p, ma, mb);
		first += 7;
		for (; seen < first - 4; seen++) {
			vt_wc_ok(cq, &wc);
			CHECK(wc.wr_id == seen, "completion %llu instead of %llu",
			      (unsigned long long)wc.wr_id, (unsigned long long)seen);
		}
		CHECK(ibv_resize_cq(cq, 3), "four completions fit in three places");
	}
	CHECK(ibv_resize_cq(cq, A.dev_attr.max_cqe + 1) && ibv_resize_cq(cq, 0), "a size that cannot be");
	for (; seen < first; seen++) {
		vt_wc_ok(cq, &wc);
		CHECK(wc.wr_id == seen, "completion %llu instead of %llu", (unsigned long long)wc.wr_id,
		      (unsigned long long)seen);
	}
	vt_empty(cq);
}

/* The same with completions that come meanwhile. */
static void resize_cq_under_load(void)
{
	struct ibv_cq *cq = vt_cq(&A, 64, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 32 }), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	uint64_t posted = 0, seen = 0;
	struct ibv_wc wc;
	int i;

	connect_pair_tuned(&p, (struct tune){});
	for (i = 0; i < 200; i++) {
		int n = 32 - (int)(posted - seen);

		complete_some(&p, ma, mb, posted, n, NULL);
		posted += n;
		CHECK(!ibv_resize_cq(cq, i % 2 ? 64 : 33 + i), "resize_cq: %s", strerror(errno));
		for (n = 1 + i % 20; n; n--, seen++) {
			vt_wc_ok(cq, &wc);
			CHECK(wc.wr_id == seen, "completion %llu instead of %llu",
			      (unsigned long long)wc.wr_id, (unsigned long long)seen);
		}
	}
	for (; seen < posted; seen++)
		vt_wc_ok(cq, &wc);
}

static void post_srq(struct ibv_srq *srq, struct ibv_mr *mr, uint64_t wr_id, int want)
{
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_srq_recv(srq, &wr, &bad);

	CHECK(err == want, "post_srq_recv %llu: %s", (unsigned long long)wr_id, strerror(err));
}

/* An SRQ keeps what is posted, in its order; no message is lost. */
static void resize_srq(void)
{
	struct ibv_srq *srq = vt_srq(&B, 8, 1);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .srq = srq }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_srq_attr attr = { .max_wr = 20 };
	uint64_t posted, taken;
	struct ibv_wc wc;

	CHECK(A.dev_attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE, "the device does not say that it can");
	connect_pair_tuned(&p, (struct tune){});
	for (posted = 0; posted < 8; posted++)
		post_srq(srq, mb, posted, 0);
	post_srq(srq, mb, 99, ENOMEM);
	CHECK(!ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), "resize of the SRQ: %s", strerror(errno));
	for (; posted < 20; posted++)
		post_srq(srq, mb, posted, 0);
	post_srq(srq, mb, 99, ENOMEM);
	for (taken = 0; taken < 13; taken++) {
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.wr_id == taken, "receive %llu instead of %llu", (unsigned long long)wc.wr_id,
		      (unsigned long long)taken);
	}
	/* seven are left: not into six places; and a limit must fit */
	attr.max_wr = 6;
	CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), "seven receives fit in six places");
	attr = (struct ibv_srq_attr){ .max_wr = 7, .srq_limit = 8 };
	CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), "a limit above the size");
	attr.srq_limit = 2;
	CHECK(!ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), "resize: %s", strerror(errno));
	CHECK(!ibv_query_srq(srq, &attr) && attr.max_wr == 7 && attr.srq_limit == 2, "max_wr %u limit %u",
	      attr.max_wr, attr.srq_limit);
	post_srq(srq, mb, 99, ENOMEM);
	for (; taken < 20; taken++) {
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.wr_id == taken, "receive %llu instead of %llu", (unsigned long long)wc.wr_id,
		      (unsigned long long)taken);
	}
	CHECK(vt_event(B.ctx, IBV_EVENT_SRQ_LIMIT_REACHED, srq), "no event of the limit");
}

static struct ibv_qp *make_qp_ex(struct vt_end *e, struct ibv_cq *cq, struct ibv_pd *pd, uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 3, .max_recv_sge = 1,
			 .max_inline_data = 100 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = ops,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(e->ctx, &attr);

	if (qp)
		vt_track(VT_QP, qp);
	return qp;
}

#define ALL_OPS                                                                                    \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |    \
	 IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |                                 \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* Chains of extended work requests, all or nothing. */
static void extended_post(void)
{
	struct ibv_cq *cq = vt_cq(&A, 64, NULL);
	struct pair p = { make_qp_ex(&A, cq, A.pd, ALL_OPS), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	char *a = ma->addr, *b = mb->addr;
	struct ibv_data_buf bufs[2];
	struct ibv_sge sge[3];
	struct ibv_qp_ex *x;
	struct ibv_wc wc;
	uint64_t i;

	CHECK(p.a, "create_qp_ex: %s", strerror(errno));
	CHECK(!make_qp_ex(&A, cq, A.pd, IBV_QP_EX_WITH_TSO) && errno == EOPNOTSUPP,
	      "an operation that is not known was promised, or %s", strerror(errno));
	x = ibv_qp_to_qp_ex(p.a);
	CHECK(x, "no extended QP");
	CHECK(!ibv_qp_to_qp_ex(p.b), "a plain QP is extended");
	/* not before RTS */
	ibv_wr_start(x);
	ibv_wr_send(x);
	CHECK(ibv_wr_complete(x) == EINVAL, "posted in RESET");
	connect_pair_tuned(&p, (struct tune){});

	/* one doorbell: WRITE of three pieces, WRITE with inline data of two, READ, two atomics, SEND */
	vt_fill(a, 300, 1);
	memset(b, 0, 4096);
	*(uint64_t *)(b + 1024) = 5;
	vt_recv(p.b, 50, mb, 2048, 64);
	sge[0] = vt_sge(ma, 0, 100);
	sge[1] = vt_sge(ma, 100, 0);
	sge[2] = vt_sge(ma, 100, 200);
	bufs[0] = (struct ibv_data_buf){ a, 60 };
	bufs[1] = (struct ibv_data_buf){ a + 60, 40 };
	ibv_wr_start(x);
	x->wr_id = 10;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(x, mb->rkey, (uintptr_t)b);
	ibv_wr_set_sge_list(x, 3, sge);
	x->wr_id = 11;
	ibv_wr_rdma_write(x, mb->rkey, (uintptr_t)b + 512);
	ibv_wr_set_inline_data_list(x, 2, bufs);
	x->wr_id = 12;
	ibv_wr_rdma_read(x, mb->rkey, (uintptr_t)b);
	ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a + 2048, 300);
	x->wr_id = 13;
	ibv_wr_atomic_fetch_add(x, mb->rkey, (uintptr_t)b + 1024, 3);
	ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a + 3072, 8);
	x->wr_id = 14;
	ibv_wr_atomic_cmp_swp(x, mb->rkey, (uintptr_t)b + 1024, 8, 99);
	ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a + 3080, 8);
	x->wr_id = 15;
	ibv_wr_send_imm(x, htobe32(0x1234));
	ibv_wr_set_inline_data(x, a, 20);
	CHECK(!ibv_wr_complete(x), "wr_complete failed");
	for (i = 10; i < 16; i++)
		vt_wc_is(cq, i, IBV_WC_SUCCESS);
	vt_wc_ok(p.b->recv_cq, &wc);
	CHECK(wc.wr_id == 50 && wc.imm_data == htobe32(0x1234) && wc.byte_len == 20, "the receive is wrong");
	vt_verify(b, 300, 1, "WRITE of three pieces");
	vt_verify(b + 512, 100, 1, "inline WRITE");
	vt_verify(a + 2048, 300, 1, "READ");
	CHECK(*(uint64_t *)(a + 3072) == 5 && *(uint64_t *)(a + 3080) == 8 && *(uint64_t *)(b + 1024) == 99,
	      "the atomics are wrong");

	/* too much inline data, an empty list too long, more than fits: nothing is posted */
	ibv_wr_start(x);
	ibv_wr_rdma_write(x, mb->rkey, (uintptr_t)b);
	ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a, 8);
	ibv_wr_send(x);
	ibv_wr_set_inline_data(x, a, 4096);
	CHECK(ibv_wr_complete(x) == ENOMEM, "4096 bytes inline");
	ibv_wr_start(x);
	ibv_wr_rdma_read(x, mb->rkey, (uintptr_t)b);
	ibv_wr_set_inline_data(x, a, 8);
	CHECK(ibv_wr_complete(x) == EINVAL, "a READ with inline data");
	ibv_wr_start(x);
	for (i = 0; i < 9; i++) {
		ibv_wr_rdma_write(x, mb->rkey, (uintptr_t)b);
		ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a, 8);
	}
	CHECK(ibv_wr_complete(x) == ENOMEM, "nine requests in eight places");
	ibv_wr_start(x);
	ibv_wr_send(x);
	ibv_wr_abort(x);
	vt_empty(cq);
	/* and all places are free */
	ibv_wr_start(x);
	for (i = 0; i < 8; i++) {
		x->wr_id = 20 + i;
		ibv_wr_rdma_write(x, mb->rkey, (uintptr_t)b);
		ibv_wr_set_sge(x, ma->lkey, (uintptr_t)a, 8);
	}
	CHECK(!ibv_wr_complete(x), "wr_complete failed");
	for (i = 0; i < 8; i++)
		vt_wc_is(cq, 20 + i, IBV_WC_SUCCESS);
}

static struct ibv_cq_ex *make_cq_ex(struct vt_end *e, uint64_t wc_flags, struct ibv_pd *pd, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 64,
		.wc_flags = wc_flags,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS | (pd ? IBV_CQ_INIT_ATTR_MASK_PD : 0),
		.flags = flags,
		.parent_domain = pd,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(e->ctx, &attr);

	if (cq)
		vt_track(VT_CQ, ibv_cq_ex_to_cq(cq));
	return cq;
}

/* Waits for the next completion. */
static void start_poll(struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = {};
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	int ret;

	while ((ret = ibv_start_poll(cq, &attr)) == ENOENT)
		CHECK(vt_now_ms() < until, "no completion within %d ms", VT_WAIT_MS);
	CHECK(!ret, "start_poll: %s", strerror(ret));
}

static uint64_t raw_clock(struct vt_end *e)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	CHECK(!ibv_query_rt_values_ex(e->ctx, &values) && values.comp_mask == IBV_VALUES_MASK_RAW_CLOCK,
	      "query_rt_values failed");
	return values.raw_clock.tv_sec * 1000000000ull + values.raw_clock.tv_nsec;
}

static uint64_t wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Completions say when they came, by the adapter's clock and by the wall's. */
static void timestamps(void)
{
	uint64_t flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	struct ibv_cq_ex *cq = make_cq_ex(&B, flags, NULL, 0);
	struct ibv_device_attr_ex attr = {};
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 48);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND_WITH_IMM, 1, &sge);
	uint64_t raw, wall, last = 0;
	struct pair p;
	struct ibv_wc wc;
	int i;

	CHECK(cq, "create_cq_ex: %s", strerror(errno));
	CHECK(!make_cq_ex(&B, IBV_WC_EX_WITH_FLOW_TAG, NULL, 0) && errno == EOPNOTSUPP,
	      "flow tags were promised, or %s", strerror(errno));
	CHECK(!ibv_query_device_ex(B.ctx, NULL, &attr) && attr.completion_timestamp_mask == UINT64_MAX &&
		      attr.hca_core_clock == 1000000,
	      "mask %llx, clock %llu kHz", (unsigned long long)attr.completion_timestamp_mask,
	      (unsigned long long)attr.hca_core_clock);
	p = (struct pair){ vt_qp(&A, (struct vt_qp_opts){}),
			   vt_qp(&B, (struct vt_qp_opts){ .rcq = ibv_cq_ex_to_cq(cq) }) };
	connect_pair_tuned(&p, (struct tune){});
	wr.imm_data = htobe32(77);
	for (i = 0; i < 3; i++)
		vt_recv(p.b, i, mb, 0, 64);
	for (i = 0; i < 3; i++) {
		raw = raw_clock(&B);
		wall = wall_clock();
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
		start_poll(cq);
		CHECK(cq->wr_id == (uint64_t)i && cq->status == IBV_WC_SUCCESS, "wr_id %llu status %d",
		      (unsigned long long)cq->wr_id, cq->status);
		CHECK(ibv_wc_read_opcode(cq) == IBV_WC_RECV && ibv_wc_read_byte_len(cq) == 48 &&
			      ibv_wc_read_wc_flags(cq) & IBV_WC_WITH_IMM &&
			      ibv_wc_read_imm_data(cq) == htobe32(77) &&
			      ibv_wc_read_qp_num(cq) == p.b->qp_num && ibv_wc_read_slid(cq) == A.attr.lid,
		      "a completion with other values");
		CHECK(ibv_wc_read_completion_ts(cq) >= raw && ibv_wc_read_completion_ts(cq) <= raw_clock(&B) &&
			      ibv_wc_read_completion_ts(cq) > last,
		      "time %llu is not between before and after",
		      (unsigned long long)ibv_wc_read_completion_ts(cq));
		last = ibv_wc_read_completion_ts(cq);
		/* the two clocks do not run at quite the same rate */
		CHECK(ibv_wc_read_completion_wallclock_ns(cq) + 1000000 >= wall &&
			      ibv_wc_read_completion_wallclock_ns(cq) <= wall_clock() + 1000000,
		      "the wall's time %llu is not between before and after",
		      (unsigned long long)ibv_wc_read_completion_wallclock_ns(cq));
		CHECK(ibv_next_poll(cq) == ENOENT, "more completions than messages");
		ibv_end_poll(cq);
	}
}

/* More completions than a batch, and a CQ whose ring goes round meanwhile; with and without locks. */
static void extended_poll(void)
{
	struct ibv_td_init_attr none = {};
	struct ibv_td *td = ibv_alloc_td(A.ctx, &none);
	struct ibv_parent_domain_init_attr domain = { .pd = A.pd, .td = td };
	struct ibv_pd *pd = ibv_alloc_parent_domain(A.ctx, &domain);
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 128);
	unsigned int mark = vt_nthings;
	int round;

	CHECK(td && pd, "parent domain: %s", strerror(errno));
	CHECK(ibv_dealloc_td(td) == EBUSY, "a thread domain in use was freed");
	for (round = 0; round < 2; round++) {
		struct ibv_pd *with = round ? pd : A.pd;
		struct ibv_cq_ex *cq = make_cq_ex(&A, IBV_WC_STANDARD_FLAGS, round ? pd : NULL, 0);
		struct pair p;
		uint64_t posted = 0, seen = 0;

		CHECK(cq, "create_cq_ex: %s", strerror(errno));
		p = (struct pair){ make_qp_ex(&A, ibv_cq_ex_to_cq(cq), with, ALL_OPS),
				   vt_qp(&B, (struct vt_qp_opts){}) };
		connect_pair_tuned(&p, (struct tune){});
		while (seen < 300) {
			complete_some(&p, ma, mb, posted, 6, p.b->recv_cq);
			posted += 7;
			start_poll(cq);
			do {
				CHECK(cq->wr_id == seen && !cq->status, "wr_id %llu, not %llu",
				      (unsigned long long)cq->wr_id, (unsigned long long)seen);
				seen++;
			} while (!ibv_next_poll(cq));
			ibv_end_poll(cq);
			while (seen < posted) {
				start_poll(cq);
				CHECK(cq->wr_id == seen, "wr_id %llu, not %llu",
				      (unsigned long long)cq->wr_id, (unsigned long long)seen);
				seen++;
				ibv_end_poll(cq);
			}
		}
		CHECK(!vt_drop_to(mark), "clean-up failed");
	}
	CHECK(!ibv_dealloc_pd(pd), "the parent domain could not be freed");
	CHECK(!ibv_dealloc_td(td), "the thread domain could not be freed");
}

/* Events of a CQ come by whatever vector it has. */
static void completion_vectors(void)
{
	struct ibv_comp_channel *ch = vt_channel(&B);
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	unsigned int mark = vt_nthings;
	int vector, i;

	CHECK(B.ctx->num_comp_vectors >= 1, "no completion vector");
	CHECK(!ibv_create_cq(B.ctx, 8, NULL, ch, B.ctx->num_comp_vectors), "a vector that is not there");
	for (vector = 0; vector < B.ctx->num_comp_vectors; vector++) {
		struct ibv_cq *cq = ibv_create_cq(B.ctx, 8, NULL, ch, vector), *got;
		struct ibv_sge sge = vt_sge(ma, 0, 8);
		struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
		struct ibv_wc wc;
		struct pair p;
		void *context;

		CHECK(cq, "create_cq on vector %d: %s", vector, strerror(errno));
		vt_track(VT_CQ, cq);
		p = (struct pair){ vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
		connect_pair_tuned(&p, (struct tune){});
		for (i = 0; i < 20; i++) {
			CHECK(!ibv_req_notify_cq(cq, 0), "req_notify_cq failed");
			vt_recv(p.b, i, mb, 0, 64);
			vt_post(p.a, &wr);
			CHECK(vt_readable(ch->fd, VT_WAIT_MS), "no event of vector %d", vector);
			CHECK(!ibv_get_cq_event(ch, &got, &context) && got == cq, "the event of another CQ");
			ibv_ack_cq_events(cq, 1);
			vt_wc_ok(cq, &wc);
			vt_wc_ok(p.a->send_cq, &wc);
		}
		CHECK(!vt_drop_to(mark), "clean-up failed");
	}
}

/* An XRC initiator has no receive queue: the CQ that it was made with for one may go before it. */
static void xrc_initiator_and_recv_cq(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = A.pd,
		.cap = { .max_send_wr = 8, .max_send_sge = 1 },
	};
	struct ibv_cq *unused;
	void *again[64];
	struct ibv_qp *qp;
	size_t i;

	if (!(A.dev_attr.device_cap_flags & IBV_DEVICE_XRC))
		skip("the device has no XRC");
	attr.send_cq = vt_cq(&A, 16, NULL);
	unused = ibv_create_cq(A.ctx, 4, NULL, NULL, 0);
	attr.recv_cq = unused;
	CHECK(unused, "create_cq: %s", strerror(errno));
	qp = ibv_create_qp_ex(A.ctx, &attr);
	CHECK(qp, "create_qp: %s", strerror(errno));
	CHECK(!ibv_destroy_cq(unused), "the CQ of nothing is in use: %s", strerror(errno));
	/* what it lay in is another's now, who writes to all of it */
	for (i = 0; i < ARRAY_LEN(again); i++) {
		size_t bytes = 16 * (i + 1);

		again[i] = malloc(bytes);
		CHECK(again[i], "no memory");
		memset(again[i], 0xff, bytes);
	}
	CHECK(!ibv_destroy_qp(qp), "destroy_qp: %s", strerror(errno));
	for (i = 0; i < ARRAY_LEN(again); i++)
		free(again[i]);
}

static const struct check extended_checks[] = {
	{ "xrc_initiator_and_recv_cq", xrc_initiator_and_recv_cq },
	{ "resize_cq", resize_cq },
	{ "resize_cq_under_load", resize_cq_under_load },
	{ "resize_srq", resize_srq },
	{ "extended_post", extended_post },
	{ "timestamps", timestamps },
	{ "extended_poll", extended_poll },
	{ "completion_vectors", completion_vectors },
};

#endif
