/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: queues, their limits, notification, and what RESET and destroy leave. */
#ifndef CHECK_QUEUE_H
#define CHECK_QUEUE_H

#include "check.h"

static void get_cq_event(struct ibv_comp_channel *ch, struct ibv_cq *want)
{
	struct ibv_cq *cq;
	void *context;

	CHECK(vt_readable(ch->fd, VT_WAIT_MS), "no completion event within %d ms", VT_WAIT_MS);
	CHECK(!ibv_get_cq_event(ch, &cq, &context), "get_cq_event failed");
	ibv_ack_cq_events(cq, 1);
	CHECK(cq == want, "event of another CQ");
}

static void send_small(struct pair *p, struct ibv_mr *ma, uint64_t wr_id, int flags)
{
	struct ibv_sge sge = vt_sge(ma, 0, 16);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, wr_id, &sge);

	wr.send_flags = flags;
	vt_post(p->a, &wr);
}

static void cq_events(void)
{
	struct ibv_comp_channel *ch = vt_channel(&B);
	struct ibv_cq *cq = vt_cq(&B, 64, ch);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .rcq = cq }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_wc wc;
	int i;

	connect_pair_tuned(&p, (struct tune){});
	for (i = 0; i < 20; i++)
		vt_recv(p.b, i, mb, 0, 64);

	/* any completion, each time armed */
	for (i = 0; i < 5; i++) {
		CHECK(!ibv_req_notify_cq(cq, 0), "req_notify_cq failed");
		send_small(&p, ma, i, IBV_SEND_SIGNALED);
		get_cq_event(ch, cq);
		vt_wc_ok(cq, &wc);
		vt_wc_ok(p.a->send_cq, &wc);
	}
	/* not armed: silence */
	send_small(&p, ma, 5, IBV_SEND_SIGNALED);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(cq, &wc);
	round_trips(3);
	CHECK(!vt_readable(ch->fd, 0), "an event without being armed");

	/* solicited only */
	CHECK(!ibv_req_notify_cq(cq, 1), "req_notify_cq failed");
	send_small(&p, ma, 6, IBV_SEND_SIGNALED);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(cq, &wc);
	round_trips(3);
	CHECK(!vt_readable(ch->fd, 0), "an event although the message was not solicited");
	send_small(&p, ma, 7, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	get_cq_event(ch, cq);
	vt_wc_ok(cq, &wc);
	vt_wc_ok(p.a->send_cq, &wc);

	/* an error completion counts as solicited */
	CHECK(!ibv_req_notify_cq(cq, 1), "req_notify_cq failed");
	vt_to_state(p.b, IBV_QPS_ERR);
	get_cq_event(ch, cq);
	vt_wc(cq, &wc);
	CHECK(wc.status == IBV_WC_WR_FLUSH_ERR, "status %s", ibv_wc_status_str(wc.status));
}

/* Requests without signal complete silently and give their room back all the same. */
static void unsignaled(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .wr = 16 }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 512);
	int round, i;

	for (round = 0; round < 40; round++) {
		for (i = 0; i < 16; i++) {
			struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, round * 16 + i, &sge, mb, 0);

			if (i != 15)
				wr.send_flags = 0;
			vt_post(p.a, &wr);
		}
		vt_wc_is(p.a->send_cq, round * 16 + 15, IBV_WC_SUCCESS);
		vt_empty(p.a->send_cq);
	}
}

/* sq_sig_all: every request completes, flag or no flag. */
static void sig_all(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .sig_all = true }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	int i;

	for (i = 0; i < 8; i++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);

		wr.send_flags = 0;
		vt_post(p.a, &wr);
	}
	for (i = 0; i < 8; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_SUCCESS);
}

/* A full send queue refuses, names the request, and works again after polling. */
static void sq_full(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .wr = 16 }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	int fit[2], round, i, err;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 10000; i++) {
			struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0), *bad;

			err = ibv_post_send(p.a, &wr, &bad);
			if (!err)
				continue;
			CHECK(err == ENOMEM, "a full queue says: %s", strerror(err));
			CHECK(bad == &wr, "bad_wr does not name the refused request");
			break;
		}
		CHECK(i < 10000, "the queue never was full though nobody polled");
		CHECK(i >= 16, "only %d of 16 requests fit", i);
		fit[round] = i;
		for (i = 0; i < fit[round]; i++)
			vt_wc_is(p.a->send_cq, i, IBV_WC_SUCCESS);
	}
	CHECK(fit[0] == fit[1], "first %d requests fit, then %d", fit[0], fit[1]);
	/* a list that is too long: what fits is done, bad_wr names the first that was not */
	{
		struct ibv_send_wr wr[600], *bad = NULL;
		int n = fit[0] + 2;

		CHECK(n <= 600, "queue of %d", fit[0]);
		for (i = 0; i < n; i++) {
			wr[i] = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);
			wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		}
		CHECK(ibv_post_send(p.a, wr, &bad) == ENOMEM, "a list that is too long was taken");
		CHECK(bad == &wr[fit[0]], "bad_wr is request %td, not %d", bad - wr, fit[0]);
		for (i = 0; i < fit[0]; i++)
			vt_wc_is(p.a->send_cq, i, IBV_WC_SUCCESS);
		vt_empty(p.a->send_cq);
	}
}

static void rq_full(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .wr = 16 }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(mb, 0, 64);
	struct ibv_wc wc;
	int i, n, err = 0;

	for (n = 0; n < 10000 && !err; n++) {
		struct ibv_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad = NULL;

		err = ibv_post_recv(p.b, &wr, &bad);
		CHECK(!err || bad == &wr, "bad_wr does not name the refused request");
	}
	n--;
	CHECK(err == ENOMEM, "a full receive queue says: %s", strerror(err));
	CHECK(n >= 16, "only %d of 16 receives fit", n);
	for (i = 0; i < n; i++) {
		send_small(&p, ma, i, IBV_SEND_SIGNALED);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.wr_id == (unsigned int)i, "receive %llu, not %d",
		      (unsigned long long)wc.wr_id, i);
	}
	vt_recv(p.b, 1, mb, 0, 64);
}

static void wrong_state(void)
{
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){});
	struct ibv_mr *mr = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge), *bad;
	struct vt_path path = path_to(&A, qp->qp_num, 1);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	int err, i;

	for (i = 0; i < 3; i++) {
		bad = NULL;
		err = ibv_post_send(qp, &wr, &bad);
		CHECK(err > 0 && bad == &wr, "post_send in state %d returned %d", i, err);
		if (i == 0) {
			err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
			CHECK(err > 0, "RESET to RTS returned %d", err);
			state_is(qp, IBV_QPS_RESET, "the QP");
			attr.qp_state = IBV_QPS_INIT;
			err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
			CHECK(err > 0, "INIT without its attributes returned %d", err);
			vt_to_init(qp, A.port, VT_ACCESS_ALL);
		} else if (i == 1) {
			attr.qp_state = IBV_QPS_RTS;
			err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
			CHECK(err > 0, "INIT to RTS returned %d", err);
			state_is(qp, IBV_QPS_INIT, "the QP");
			err = vt_try_rtr(qp, A.port, &path);
			CHECK(!err, "INIT to RTR: %s", strerror(err));
		}
	}
	wr.opcode = IBV_WR_BIND_MW + 50;
	CHECK(!vt_try_rts(qp, 1, &path), "RTR to RTS failed");
	CHECK(ibv_post_send(qp, &wr, &bad) > 0, "an operation that does not exist was accepted");
}

/* Receives may be posted in INIT and are used after RTR. */
static void recv_in_init(void)
{
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct vt_path to_a = path_to(&A, p.a->qp_num, PSN_A), to_b = path_to(&B, p.b->qp_num, PSN_B);
	struct ibv_wc wc;

	vt_to_init(p.a, A.port, VT_ACCESS_ALL);
	vt_to_init(p.b, B.port, VT_ACCESS_ALL);
	vt_recv(p.b, 4, mb, 0, 64);
	vt_to_rts(p.b, B.port, PSN_B, &to_a);
	vt_to_rts(p.a, A.port, PSN_A, &to_b);
	send_small(&p, ma, 3, IBV_SEND_SIGNALED);
	vt_wc_ok(p.b->recv_cq, &wc);
	CHECK(wc.wr_id == 4, "receive of wr_id %llu", (unsigned long long)wc.wr_id);
}

static void query_tells(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .timeout = 11, .retry = 5, .rnr_timer = 9 });
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(p.a, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_CAP, &init), "query_qp failed");
	CHECK(a.qp_state == IBV_QPS_RTS, "state %d", a.qp_state);
	CHECK(a.dest_qp_num == p.b->qp_num, "dest_qp_num 0x%x", a.dest_qp_num);
	CHECK(a.ah_attr.dlid == B.attr.lid, "dlid 0x%x", a.ah_attr.dlid);
	CHECK(a.timeout == 11 && a.retry_cnt == 5 && a.rnr_retry == 7, "timeout %d retry %d rnr %d",
	      a.timeout, a.retry_cnt, a.rnr_retry);
	CHECK(a.min_rnr_timer == 9, "min_rnr_timer %d", a.min_rnr_timer);
	CHECK(a.rq_psn == PSN_B && a.sq_psn == PSN_A, "rq_psn 0x%x sq_psn 0x%x", a.rq_psn, a.sq_psn);
	CHECK(a.port_num == A.port && a.path_mtu == A.attr.active_mtu, "port %d mtu %d", a.port_num,
	      a.path_mtu);
	CHECK(a.max_rd_atomic == 16 && a.max_dest_rd_atomic == 16, "rd_atomic %d %d",
	      a.max_rd_atomic, a.max_dest_rd_atomic);
	CHECK(init.cap.max_send_wr >= 64 && init.cap.max_recv_wr >= 64 &&
	      init.cap.max_send_sge >= 4, "capabilities are less than asked for");
	CHECK((a.qp_access_flags & 0xe) == (VT_ACCESS_ALL & 0xe), "access 0x%x", a.qp_access_flags);
}

/* Two QPs on one CQ: destroying one takes its completions away, and only those. */
static void destroy_purges(void)
{
	struct ibv_cq *cq = vt_cq(&A, 128, NULL);
	struct vt_qp_opts o = { .scq = cq, .rcq = cq };
	struct pair p = { vt_qp(&A, o), vt_qp(&B, (struct vt_qp_opts){}) };
	struct pair q = { vt_qp(&A, o), vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_sge bsge = vt_sge(mb, 0, 8);
	int i;

	connect_pair_tuned(&p, (struct tune){});
	connect_pair_tuned(&q, (struct tune){});
	for (i = 0; i < 20; i++) {
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb, 0);
		struct ibv_send_wr back = wr_of(IBV_WR_SEND, i, &bsge);
		struct ibv_wc wc;

		vt_recv(p.a, 1000 + i, ma, 0, 64);
		vt_post(i % 3 ? p.a : q.a, &wr);
		/* its answer makes sure that the WRITE before it is complete here */
		vt_post(p.b, &back);
		vt_wc_ok(p.b->send_cq, &wc);
	}
	/* READs of both end all that was outstanding */
	{
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_READ, 500, &sge, mb, 0);
		struct ibv_qp *probe = q.a;
		struct ibv_wc wc;
		int seen = 0;

		vt_drop(p.a);
		vt_post(probe, &wr);
		for (i = 0;; seen++) {
			vt_wc_ok(cq, &wc);
			CHECK(wc.qp_num == q.a->qp_num, "a completion of the destroyed QP");
			if (wc.wr_id == 500)
				break;
			CHECK(wc.wr_id == (unsigned int)i, "wr_id %llu, not %d",
			      (unsigned long long)wc.wr_id, i);
			i += 3;
		}
		CHECK(seen == 7, "%d completions of the other QP, not 7", seen);
	}
	vt_empty(cq);
}

/* RESET forgets posts and completions; the QP can be used again, many times. */
static void reset_and_reuse(void)
{
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .wr = 16 }),
			  vt_qp(&B, (struct vt_qp_opts){ .wr = 16 }) };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_wc wc;
	int round, i;

	for (round = 0; round < 5; round++) {
		connect_pair_tuned(&p, (struct tune){});
		pair_works(&p);
		/* leave completions, receives and a send behind */
		for (i = 0; i < 7 + round; i++)
			vt_recv(p.b, i, mb, 0, 64);
		for (i = 0; i < 3; i++)
			send_small(&p, ma, i, IBV_SEND_SIGNALED);
		vt_wc_ok(p.b->recv_cq, &wc);
		if (round & 1)
			vt_to_state(p.b, IBV_QPS_ERR);
		vt_to_state(p.a, IBV_QPS_RESET);
		vt_to_state(p.b, IBV_QPS_RESET);
		vt_empty(p.a->send_cq);
		vt_empty(p.a->recv_cq);
		vt_empty(p.b->send_cq);
		vt_empty(p.b->recv_cq);
	}
}

static void srq_shared(void)
{
	enum { N = 4 };
	struct ibv_srq *srq = vt_srq(&B, 64, 2);
	struct ibv_cq *cq = vt_cq(&B, 128, NULL);
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 64 * 1024);
	struct pair p[N];
	int i, from[64] = {};
	struct ibv_wc wc;

	for (i = 0; i < N; i++) {
		p[i].a = vt_qp(&A, (struct vt_qp_opts){});
		p[i].b = vt_qp(&B, (struct vt_qp_opts){ .rcq = cq, .srq = srq });
		connect_pair_tuned(&p[i], (struct tune){});
	}
	for (i = 0; i < 32; i++) {
		struct ibv_sge sge = vt_sge(mb, i * 1024, 1024);
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
	}
	for (i = 0; i < 32; i++) {
		struct ibv_sge sge = vt_sge(ma, 0, 1 + i * 17);
		struct ibv_send_wr wr = wr_of(IBV_WR_SEND, i, &sge);

		vt_fill(ma->addr, 1 + i * 17, i);
		vt_post(p[i % N].a, &wr);
		vt_wc_ok(p[i % N].a->send_cq, &wc);
		vt_wc_ok(cq, &wc);
		CHECK(wc.qp_num == p[i % N].b->qp_num, "message %d: qp_num 0x%x", i, wc.qp_num);
		CHECK(wc.byte_len == 1 + i * 17u, "message %d: byte_len %u", i, wc.byte_len);
		CHECK(wc.wr_id < 32 && !from[wc.wr_id]++, "message %d: wr_id %llu twice", i,
		      (unsigned long long)wc.wr_id);
		vt_verify((char *)mb->addr + wc.wr_id * 1024, wc.byte_len, i, "message over SRQ");
	}
	/* a receive posted to a QP that has an SRQ makes no sense */
	{
		struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;

		CHECK(ibv_post_recv(p[0].b, &wr, &bad) > 0, "post_recv to a QP with SRQ succeeded");
	}
}

/* B's SRQ in a protection domain that no QP has, and memory there. */
struct other_domain {
	struct ibv_srq *srq;
	struct ibv_mr *mr;
};

static struct other_domain other_domain(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_pd *pd = ibv_alloc_pd(B.ctx);
	struct other_domain d;

	CHECK(pd, "alloc_pd: %s", strerror(errno));
	vt_track(VT_PD, pd);
	d.srq = ibv_create_srq(pd, &attr);
	CHECK(d.srq, "create_srq: %s", strerror(errno));
	vt_track(VT_SRQ, d.srq);
	d.mr = vt_mr_of(pd, vt_mem(8192), 8192, VT_ACCESS_ALL);
	return d;
}

static void srq_recv(struct ibv_srq *srq, uint64_t wr_id, struct ibv_mr *mr)
{
	struct ibv_sge sge = vt_sge(mr, 0, 4096);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
}

/* The SRQ's domain counts for the memory of receives, the QP's for all other memory. */
static void srq_domain_of(enum ibv_qp_type type)
{
	struct other_domain d = other_domain();
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .type = type }),
			  vt_qp(&B, (struct vt_qp_opts){ .type = type, .srq = d.srq }) };
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 8192);
	struct ibv_sge sa = vt_sge(ma, 0, 3000), sb = vt_sge(mb, 0, 8);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sa);
	struct ibv_wc wc;

	connect_pair_tuned(&p, (struct tune){});
	vt_fill(ma->addr, 3000, type);
	srq_recv(d.srq, 5, d.mr);
	vt_post(p.a, &wr);
	vt_wc_is(p.b->recv_cq, 5, IBV_WC_SUCCESS);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
	vt_verify(d.mr->addr, 3000, type, "a message into the SRQ's domain");
	wr = rdma_of(IBV_WR_RDMA_WRITE, 2, &sa, mb, 0);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 2, IBV_WC_SUCCESS);
	/* behind it */
	srq_recv(d.srq, 6, d.mr);
	wr = wr_of(IBV_WR_SEND, 3, &sa);
	vt_post(p.a, &wr);
	vt_wc_is(p.b->recv_cq, 6, IBV_WC_SUCCESS);
	vt_wc_is(p.a->send_cq, 3, IBV_WC_SUCCESS);
	vt_verify(mb->addr, 3000, type, "a WRITE into the QP's domain");
	if (type == IBV_QPT_RC) {
		wr = rdma_of(IBV_WR_RDMA_READ, 4, &sb, ma, 8);
		vt_post(p.b, &wr);
		vt_wc_is(p.b->send_cq, 4, IBV_WC_SUCCESS);
		CHECK(!memcmp(mb->addr, (char *)ma->addr + 8, 8), "a READ into the QP's domain");
	}
	srq_recv(d.srq, 7, mb);
	wr = wr_of(IBV_WR_SEND, 5, &sa);
	vt_post(p.a, &wr);
	vt_wc(p.b->recv_cq, &wc);
	CHECK(wc.wr_id == 7 && wc.status == IBV_WC_LOC_PROT_ERR, "receive of the QP's domain: wr_id %llu, %s",
	      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	vt_wc_is(p.a->send_cq, 5, type == IBV_QPT_RC ? IBV_WC_REM_OP_ERR : IBV_WC_SUCCESS);
}

static void srq_domain(void) { srq_domain_of(IBV_QPT_RC); }
static void srq_domain_uc(void) { srq_domain_of(IBV_QPT_UC); }

/* What no receive names is refused in the SRQ's domain, by R_Key and by L_Key. */
static void srq_domain_is_for_receives(void)
{
	static const enum ibv_wr_opcode remote[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						     IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct other_domain d = other_domain();
	struct ibv_mr *ma = vt_buf(&A, 64);
	struct ibv_sge sa = vt_sge(ma, 0, 8), sb = vt_sge(d.mr, 0, 8);
	size_t i;

	for (i = 0; i <= ARRAY_LEN(remote); i++) {
		struct pair p = { vt_qp(&A, (struct vt_qp_opts){}),
				  vt_qp(&B, (struct vt_qp_opts){ .srq = d.srq }) };
		struct ibv_send_wr wr;

		connect_pair_tuned(&p, (struct tune){});
		if (i < ARRAY_LEN(remote)) {
			wr = rdma_of(remote[i], i, &sa, d.mr, 0);
			if (remote[i] == IBV_WR_ATOMIC_FETCH_AND_ADD) {
				wr.wr.atomic.remote_addr = (uintptr_t)d.mr->addr;
				wr.wr.atomic.rkey = d.mr->rkey;
			}
			vt_post(p.a, &wr);
			vt_wc_is(p.a->send_cq, i, IBV_WC_REM_ACCESS_ERR);
		} else {
			wr = rdma_of(IBV_WR_RDMA_READ, i, &sb, ma, 0);
			vt_post(p.b, &wr);
			vt_wc_is(p.b->send_cq, i, IBV_WC_LOC_PROT_ERR);
		}
	}
}

static void srq_limit(void)
{
	struct ibv_srq *srq = vt_srq(&B, 32, 1);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .srq = srq }) };
	struct ibv_srq_attr attr = { .srq_limit = 5 };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(mb, 0, 64);
	struct ibv_wc wc;
	int i, n;

	connect_pair_tuned(&p, (struct tune){});
	for (n = 0; n < 1000; n++) {
		struct ibv_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad;
		int err = ibv_post_srq_recv(srq, &wr, &bad);

		if (!err)
			continue;
		CHECK(err == ENOMEM && bad == &wr, "a full SRQ says: %s", strerror(err));
		break;
	}
	CHECK(n >= 32 && n < 1000, "%d receives fit", n);
	vt_drain_events(B.ctx);
	CHECK(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "modify_srq failed");
	CHECK(!ibv_query_srq(srq, &attr) && attr.srq_limit == 5, "limit is %u, not 5",
	      attr.srq_limit);
	for (i = 0; i < n - 5; i++) {
		send_small(&p, ma, i, IBV_SEND_SIGNALED);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
	}
	while (vt_readable(B.ctx->async_fd, 0)) {
		struct ibv_async_event ev;

		CHECK(!ibv_get_async_event(B.ctx, &ev), "get_async_event failed");
		ibv_ack_async_event(&ev);
		CHECK(ev.event_type != IBV_EVENT_SRQ_LIMIT_REACHED, "limit event with 5 receives left");
	}
	send_small(&p, ma, i, IBV_SEND_SIGNALED);
	CHECK(vt_event(B.ctx, IBV_EVENT_SRQ_LIMIT_REACHED, srq), "no SRQ_LIMIT_REACHED event");
	CHECK(!ibv_query_srq(srq, &attr) && attr.srq_limit == 0, "limit is still %u",
	      attr.srq_limit);
	/* armed when it is too late: the message that finds the SRQ empty raises the event */
	for (;;) {
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		if (++i == n)
			break;
		send_small(&p, ma, i, IBV_SEND_SIGNALED);
	}
	attr.srq_limit = 5;
	CHECK(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "modify_srq of an empty SRQ failed");
	send_small(&p, ma, i, IBV_SEND_SIGNALED);
	CHECK(vt_event(B.ctx, IBV_EVENT_SRQ_LIMIT_REACHED, srq),
	      "no SRQ_LIMIT_REACHED event of an empty SRQ");
	CHECK(!ibv_query_srq(srq, &attr) && attr.srq_limit == 0, "limit is still %u",
	      attr.srq_limit);
	attr.srq_limit = 100000;
	CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT) > 0, "a limit beyond the size was taken");
}

/* A QP with an SRQ that goes to error tells when it takes no more from it. */
static void last_wqe(void)
{
	struct ibv_srq *srq = vt_srq(&B, 32, 1);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){ .srq = srq }) };

	connect_pair_tuned(&p, (struct tune){});
	vt_drain_events(B.ctx);
	vt_to_state(p.b, IBV_QPS_ERR);
	CHECK(vt_event(B.ctx, IBV_EVENT_QP_LAST_WQE_REACHED, p.b), "no QP_LAST_WQE_REACHED event");
}

/* SQD: what is posted waits, the event tells that the queue is drained, RTS goes on. */
static void sqd(void)
{
	struct pair p = make_pair();
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_wc wc;
	int err;

	vt_drain_events(A.ctx);
	err = ibv_modify_qp(p.a, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	CHECK(!err, "modify to SQD: %s", strerror(err));
	CHECK(vt_event(A.ctx, IBV_EVENT_SQ_DRAINED, p.a), "no SQ_DRAINED event");
	vt_recv(p.b, 1, mb, 0, 64);
	send_small(&p, ma, 9, IBV_SEND_SIGNALED);
	round_trips(10);
	vt_empty(p.a->send_cq);
	vt_to_state(p.a, IBV_QPS_RTS);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(p.b->recv_cq, &wc);
}

/* What cannot end, for want of a receive, is said to be draining, however often it is tried. */
static void sqd_draining(void)
{
	struct pair p = make_pair();
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_qp_init_attr init;
	struct ibv_wc wc;
	int i;

	vt_drain_events(A.ctx);
	send_small(&p, ma, 9, IBV_SEND_SIGNALED);
	round_trips(2);
	CHECK(!ibv_modify_qp(p.a, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "modify to SQD failed");
	for (i = 0; i < 1000; i++) {
		CHECK(!ibv_query_qp(p.a, &attr, IBV_QP_STATE, &init), "query_qp failed");
		CHECK(attr.sq_draining, "it says that it is drained (asked %d times)", i + 1);
	}
	vt_recv(p.b, 1, mb, 0, 64);
	CHECK(vt_event(A.ctx, IBV_EVENT_SQ_DRAINED, p.a), "no SQ_DRAINED event");
	CHECK(!ibv_query_qp(p.a, &attr, IBV_QP_STATE, &init) && !attr.sq_draining, "it says that it is draining");
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(p.b->recv_cq, &wc);
}

/* What the peer's program has received is acknowledged, though its QP goes to RESET at once. */
static void reset_after_receive(void)
{
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 20; i++) {
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
		unsigned int mark = vt_nthings;
		struct pair p = make_pair();

		vt_recv(p.b, 1, mb, 0, 64);
		vt_drain_events(A.ctx);
		/* that nobody waits for its completion lets the ACK take its time */
		send_small(&p, ma, 9, 0);
		vt_wc_ok(p.b->recv_cq, &wc);
		vt_to_state(p.b, IBV_QPS_RESET);
		CHECK(!ibv_modify_qp(p.a, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY),
		      "modify to SQD failed");
		CHECK(vt_event(A.ctx, IBV_EVENT_SQ_DRAINED, p.a), "not acknowledged");
		CHECK(!vt_drop_to(mark), "clean-up failed");
	}
}

/* Objects in use cannot be destroyed. */
static void busy_objects(void)
{
	struct pair p = make_pair();
	struct ibv_pd *pd = ibv_alloc_pd(A.ctx);
	struct ibv_mr *mr;

	CHECK(pd, "alloc_pd failed");
	vt_track(VT_PD, pd);
	mr = vt_mr_of(pd, vt_mem(64), 64, 0);
	CHECK(ibv_dealloc_pd(pd) > 0, "a PD with an MR could be deallocated");
	CHECK(ibv_destroy_cq(p.a->send_cq) > 0, "a CQ in use could be destroyed");
	vt_drop(mr);
	pair_works(&p);
}

static const struct check queue_checks[] = {
	{ "cq_events", cq_events },
	{ "unsignaled", unsignaled },
	{ "sig_all", sig_all },
	{ "sq_full", sq_full },
	{ "rq_full", rq_full },
	{ "wrong_state", wrong_state },
	{ "recv_in_init", recv_in_init },
	{ "query_tells", query_tells },
	{ "destroy_purges", destroy_purges },
	{ "reset_and_reuse", reset_and_reuse },
	{ "srq_shared", srq_shared },
	{ "srq_domain", srq_domain },
	{ "srq_domain_uc", srq_domain_uc },
	{ "srq_domain_is_for_receives", srq_domain_is_for_receives },
	{ "srq_limit", srq_limit },
	{ "last_wqe", last_wqe },
	{ "sqd", sqd },
	{ "sqd_draining", sqd_draining },
	{ "reset_after_receive", reset_after_receive },
	{ "busy_objects", busy_objects },
};

#endif
