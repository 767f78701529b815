/* SPDX-License-Identifier: GPL-2.0-only */
/* inspect_check: queue pairs. */
#ifndef CHECK_INSPECT_QP_H
#define CHECK_INSPECT_QP_H

#include "check.h"
#include "dump.h"

#define NO_TIMEOUT 31 /* 2.4 hours: no retry comes between */

/* As make_pair(), but b takes nothing: it stays in INIT and drops what comes. */
static struct pair make_stalled(struct vt_qp_opts o, uint8_t rd_atomic)
{
	struct pair p = { vt_qp(&A, o), vt_qp(&B, o) };
	struct vt_path to_b = path_to(&B, p.b->qp_num, PSN_B);

	to_b.timeout = NO_TIMEOUT;
	to_b.rd_atomic = rd_atomic;
	to_b.mtu = IBV_MTU_1024;
	vt_to_init(p.a, A.port, VT_ACCESS_ALL);
	vt_to_init(p.b, B.port, VT_ACCESS_ALL);
	vt_to_rts(p.a, A.port, PSN_A, &to_b);
	return p;
}

static char *inspect_qp(struct vt_end *e, struct ibv_qp *qp)
{
	return inspect(e->name, "qp 0x%x\n", qp->qp_num);
}

static char *qp_until(struct vt_end *e, struct ibv_qp *qp, const char *section, const char *key,
		      const char *want)
{
	char line[32];

	snprintf(line, sizeof(line), "qp %u", qp->qp_num);
	return inspect_until(e->name, line, section, key, want);
}

static char *qp_waits(struct vt_end *e, struct ibv_qp *qp, const char *want)
{
	char *answer = qp_until(e, qp, "why", "waits_for", want);

	/* the table says the same: at rest both see the same state */
	want_text(inspect_key(answer, "", "waits_for"), "waits_for of the object", want);
	CHECK(strlen(inspect_key(answer, "why", "why")) > 10, "no sentence");
	return answer;
}

/* What ibv_query_qp() tells is what inspect tells. */
static void check_query(struct vt_end *e, struct ibv_qp *qp)
{
	static const char *const states[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	char *s, gid[64];
	int i, n = 0;

	CHECK(!ibv_query_qp(qp, &a, 0x1fffff, &init), "query_qp failed");
	s = inspect_qp(e, qp);
	want_num(inspect_key(s, "", "qpn"), "qpn", qp->qp_num);
	want_text(inspect_key(s, "", "state"), "state", states[a.qp_state]);
	want_text(inspect_key(s, "", "qptype"), "qptype",
		  qp->qp_type == IBV_QPT_RC ? "rc" : qp->qp_type == IBV_QPT_UC ? "uc" : "ud");
	want_num(inspect_key(s, "", "pid"), "pid", getpid());
	want_num(inspect_key(s, "", "port"), "port", a.port_num);
	want_num(inspect_key(s, "", "pkey_index"), "pkey_index", a.pkey_index);
	want_num(inspect_key(s, "", "sq_max"), "sq_max", a.cap.max_send_wr);
	want_num(inspect_key(s, "sq", "max"), "sq.max", a.cap.max_send_wr);
	want_num(inspect_key(s, "attr", "max_send_sge"), "max_send_sge", a.cap.max_send_sge);
	want_num(inspect_key(s, "attr", "max_inline"), "max_inline", a.cap.max_inline_data);
	want_text(inspect_key(s, "attr", "sig_all"), "sig_all", init.sq_sig_all ? "yes" : "no");
	if (!qp->srq) {
		want_num(inspect_key(s, "", "rq_max"), "rq_max", a.cap.max_recv_wr);
		want_num(inspect_key(s, "rq", "max"), "rq.max", a.cap.max_recv_wr);
		want_num(inspect_key(s, "attr", "max_recv_sge"), "max_recv_sge", a.cap.max_recv_sge);
	}
	if (a.qp_state >= IBV_QPS_RTS)
		want_num(inspect_key(s, "requester", "psn"), "psn", a.sq_psn);
	if (qp->qp_type == IBV_QPT_UD) {
		want_num(inspect_key(s, "", "qkey"), "qkey", a.qkey);
		want_text(inspect_key(s, "peer", "qpn"), "peer.qpn", NULL);
		return;
	}
	want_text(inspect_key(s, "attr", "access"), "access",
		  a.qp_access_flags == VT_ACCESS_ALL ?
			  "local_write|remote_write|remote_read|remote_atomic" :
			  NULL);
	want_num(inspect_key(s, "", "mtu"), "mtu", 128 << a.path_mtu);
	want_num(inspect_key(s, "", "dest_qpn"), "dest_qpn", a.dest_qp_num);
	want_num(inspect_key(s, "", "dlid"), "dlid", a.ah_attr.dlid);
	want_num(inspect_key(s, "", "sl"), "sl", a.ah_attr.sl);
	want_num(inspect_key(s, "responder", "epsn"), "epsn", a.rq_psn);
	want_num(inspect_key(s, "attr", "path_bits"), "path_bits", a.ah_attr.src_path_bits);
	want_text(inspect_key(s, "attr", "grh"), "grh", a.ah_attr.is_global ? "yes" : "no");
	if (a.ah_attr.is_global) {
		for (i = 0; i < 16; i += 2)
			n += snprintf(gid + n, sizeof(gid) - n, "%s%02x%02x", i ? ":" : "",
				      a.ah_attr.grh.dgid.raw[i], a.ah_attr.grh.dgid.raw[i + 1]);
		want_text(inspect_key(s, "attr", "dgid"), "dgid", gid);
		want_num(inspect_key(s, "attr", "sgid_index"), "sgid_index",
			 a.ah_attr.grh.sgid_index);
		want_num(inspect_key(s, "attr", "hop_limit"), "hop_limit",
			 a.ah_attr.grh.hop_limit);
	}
	if (qp->qp_type == IBV_QPT_UC)
		return;
	want_num(inspect_key(s, "attr", "min_rnr_timer"), "min_rnr_timer", a.min_rnr_timer);
	want_num(inspect_key(s, "attr", "max_dest_rd_atomic"), "max_dest_rd_atomic",
		 a.max_dest_rd_atomic);
	if (a.qp_state < IBV_QPS_RTS)
		return;
	want_num(inspect_key(s, "", "timeout"), "timeout", a.timeout);
	want_num(inspect_key(s, "", "retry_cnt"), "retry_cnt", a.retry_cnt);
	want_num(inspect_key(s, "", "rnr_retry"), "rnr_retry", a.rnr_retry);
	want_num(inspect_key(s, "", "max_rd_atomic"), "max_rd_atomic", a.max_rd_atomic);
	/* 4.096 us * 2^timeout */
	want_num(inspect_key(s, "timers", "ack_timeout"), "ack_timeout",
		 a.timeout ? 4096ull << a.timeout : 0);
}

static void test_attributes(void)
{
	struct pair p = make_pair(), q;
	struct vt_path to = path_to(&B, 0x77, 5);
	struct ibv_qp *ud = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UD, .inl = 300 });
	struct ibv_qp *uc = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UC, .sig_all = true });
	struct vt_path none = {};
	char *s;

	check_query(&A, p.a);
	check_query(&B, p.b);
	vt_to_init(ud, A.port, 0);
	vt_to_rts(ud, A.port, 99, &none);
	check_query(&A, ud);
	opt_gid = 0;
	q = make_pair_tuned((struct vt_qp_opts){ .wr = 5, .sge = 7, .inl = 33 },
			    (struct tune){ .timeout = 3, .retry = 2, .rnr_timer = 9 });
	opt_gid = -1;
	check_query(&A, q.a);
	check_query(&B, q.b);
	vt_to_init(uc, A.port, 0);
	CHECK(!ibv_modify_qp(uc,
			     &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
						    .path_mtu = IBV_MTU_512,
						    .dest_qp_num = to.qpn,
						    .rq_psn = to.psn,
						    .ah_attr = { .dlid = to.lid,
								 .sl = 3,
								 .port_num = A.port } },
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				     IBV_QP_RQ_PSN),
	      "UC to RTR");
	check_query(&A, uc);

	/* the peer, which is here, and the one that does not exist */
	s = inspect_qp(&A, p.a);
	want_text(inspect_key(s, "peer", "dev"), "peer.dev", B.name);
	want_num(inspect_key(s, "peer", "port"), "peer.port", B.port);
	want_num(inspect_key(s, "peer", "qpn"), "peer.qpn", p.b->qp_num);
	want_num(inspect_key(s, "peer", "dest_qpn"), "peer.dest_qpn", p.a->qp_num);
	want_num(inspect_key(s, "peer", "pid"), "peer.pid", getpid());
	want_text(inspect_key(s, "peer", "comm"), "peer.comm", "inspect_check");
	want_text(inspect_key(s, "peer", "state"), "peer.state", "rts");
	s = inspect_qp(&A, uc);
	want_text(inspect_key(s, "peer", "dev"), "peer.dev", B.name);
	want_num(inspect_key(s, "peer", "qpn"), "peer.qpn", 0x77777 & 0x77);
	want_text(inspect_key(s, "peer", "state"), "peer.state", NULL);
}

/* ---- the send queue */

/* One request and what inspect must say of it. */
struct sent {
	struct ibv_send_wr wr;
	struct ibv_sge sge[4];
	const char *op, *flags;
	uint32_t len, npsn;
};

static void check_wqe(const char *s, int i, const struct sent *x, const char *state, uint32_t psn)
{
	const char *e = inspect_entry(s, "sq", "wqe", i);
	enum ibv_wr_opcode op = x->wr.opcode;
	bool atomic = op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
	bool rdma = atomic || op == IBV_WR_RDMA_WRITE || op == IBV_WR_RDMA_WRITE_WITH_IMM ||
		    op == IBV_WR_RDMA_READ;
	bool imm = op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool begun = strcmp(state, "waiting") && strcmp(state, "posted");

	CHECK(e, "there is no line of WQE %d", i);
	want_num(entry_key(e, "index"), "index", i);
	want_text(entry_key(e, "state"), "state", state);
	want_text(entry_key(e, "op"), "op", x->op);
	want_num(entry_key(e, "wr_id"), "wr_id", x->wr.wr_id);
	want_num(entry_key(e, "len"), "len", x->len);
	want_text(entry_key(e, "flags"), "flags", x->flags);
	want_text(entry_key(e, "sge"), "sge",
		  x->wr.send_flags & IBV_SEND_INLINE || !x->wr.num_sge ?
			  NULL :
			  sge_text(x->wr.sg_list, x->wr.num_sge));
	if (begun) {
		want_num(entry_key(e, "psn"), "psn", psn & 0xffffff);
		want_num(entry_key(e, "npsn"), "npsn", x->npsn);
		want_num(entry_key(e, "tries"), "tries", 1);
	} else {
		want_text(entry_key(e, "psn"), "psn", NULL);
		want_text(entry_key(e, "tries"), "tries", NULL);
	}
	if (imm)
		want_num(entry_key(e, "imm"), "imm", ntohl(x->wr.imm_data));
	else
		want_text(entry_key(e, "imm"), "imm", NULL);
	if (rdma) {
		want_num(entry_key(e, "raddr"), "raddr",
			 atomic ? x->wr.wr.atomic.remote_addr : x->wr.wr.rdma.remote_addr);
		want_num(entry_key(e, "rkey"), "rkey",
			 atomic ? x->wr.wr.atomic.rkey : x->wr.wr.rdma.rkey);
	} else {
		want_text(entry_key(e, "raddr"), "raddr", NULL);
	}
	if (op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		want_num(entry_key(e, "cmp"), "cmp", x->wr.wr.atomic.compare_add);
		want_num(entry_key(e, "swap"), "swap", x->wr.wr.atomic.swap);
	} else if (atomic) {
		want_num(entry_key(e, "add"), "add", x->wr.wr.atomic.compare_add);
	}
	CHECK(num_of(entry_key(e, "age"), "age") < 60000000000ull, "an age of more than a minute");
}

/* All operations to a peer that never answers: each is there, as it was posted. */
static void test_sends(void)
{
	struct pair p = make_stalled((struct vt_qp_opts){ .wr = 20, .sge = 4, .inl = 64 }, 4);
	struct ibv_mr *m = vt_buf(&A, 65536), *r = vt_buf(&B, 65536);
	struct sent x[] = {
		{ .op = "send", .flags = "signaled", .len = 100 + 2000, .npsn = 3,
		  .wr = { .opcode = IBV_WR_SEND, .num_sge = 2, .send_flags = IBV_SEND_SIGNALED },
		  .sge = { vt_sge(m, 1, 100), vt_sge(m, 5000, 2000) } },
		{ .op = "send_imm", .flags = "signaled|solicited", .len = 0, .npsn = 1,
		  .wr = { .opcode = IBV_WR_SEND_WITH_IMM, .num_sge = 0, .imm_data = htonl(0xdeadbeef),
			  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED } },
		{ .op = "write", .flags = NULL, .len = 1024, .npsn = 1,
		  .wr = { .opcode = IBV_WR_RDMA_WRITE, .num_sge = 1,
			  .wr.rdma = { (uintptr_t)r->addr + 7, r->rkey } },
		  .sge = { vt_sge(m, 64, 1024) } },
		{ .op = "write_imm", .flags = "signaled|inline", .len = 33, .npsn = 1,
		  .wr = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .num_sge = 2, .imm_data = htonl(7),
			  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
			  .wr.rdma = { (uintptr_t)r->addr, r->rkey } },
		  .sge = { vt_sge(m, 0, 30), vt_sge(m, 100, 3) } },
		{ .op = "read", .flags = "signaled", .len = 10000, .npsn = 10,
		  .wr = { .opcode = IBV_WR_RDMA_READ, .num_sge = 3, .send_flags = IBV_SEND_SIGNALED,
			  .wr.rdma = { (uintptr_t)r->addr + 4096, r->rkey } },
		  .sge = { vt_sge(m, 0, 3000), vt_sge(m, 8192, 3000), vt_sge(m, 16384, 4000) } },
		{ .op = "cmp_swap", .flags = "signaled", .len = 8, .npsn = 1,
		  .wr = { .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .num_sge = 1,
			  .send_flags = IBV_SEND_SIGNALED,
			  .wr.atomic = { (uintptr_t)r->addr, 0x1122334455667788, 0x99, r->rkey } },
		  .sge = { vt_sge(m, 24, 8) } },
		{ .op = "fetch_add", .flags = NULL, .len = 8, .npsn = 1,
		  .wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .num_sge = 1,
			  .wr.atomic = { (uintptr_t)r->addr + 8, 41, 0, r->rkey } },
		  .sge = { vt_sge(m, 32, 8) } },
		{ .op = "send", .flags = "fence|signaled", .len = 5, .npsn = 1,
		  .wr = { .opcode = IBV_WR_SEND, .num_sge = 1,
			  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE },
		  .sge = { vt_sge(m, 40, 5) } },
		{ .op = "send", .flags = "signaled", .len = 6, .npsn = 1,
		  .wr = { .opcode = IBV_WR_SEND, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED },
		  .sge = { vt_sge(m, 48, 6) } },
	};
	unsigned int i, n = ARRAY_LEN(x), fenced = 7;
	uint32_t psn = PSN_A;
	char *s, head[32];

	for (i = 0; i < n; i++) {
		x[i].wr.wr_id = 0xabc0000000000000ull + i * 0x101;
		x[i].wr.sg_list = x[i].sge;
		x[i].wr.next = i + 1 < n ? &x[i + 1].wr : NULL;
	}
	vt_post(p.a, &x[0].wr);
	s = qp_waits(&A, p.a, "fence");
	CHECK(inspect_count(s, "sq", "wqe") == (int)n, "%d WQEs are shown, %u were posted",
	      inspect_count(s, "sq", "wqe"), n);
	for (i = 0; i < n; i++) {
		check_wqe(s, i, &x[i], i < fenced ? "sent" : "waiting", psn);
		psn += i < fenced ? x[i].npsn : 0;
	}
	want_num(inspect_key(s, "", "sq_used"), "sq_used", n);
	want_num(inspect_key(s, "sq", "used"), "sq.used", n);
	want_num(inspect_key(s, "sq", "slots"), "sq.slots", 32);
	want_num(inspect_key(s, "", "sq_sent"), "sq_sent", fenced);
	want_num(inspect_key(s, "", "rd_atomic"), "rd_atomic", 3);
	want_num(inspect_key(s, "requester", "una"), "una", PSN_A);
	want_num(inspect_key(s, "requester", "psn"), "psn", psn & 0xffffff);
	want_num(inspect_key(s, "requester", "max_psn"), "max_psn", psn & 0xffffff);
	want_num(inspect_key(s, "requester", "tail"), "tail", 0);
	want_num(inspect_key(s, "requester", "begun"), "begun", fenced);
	want_num(inspect_key(s, "requester", "head"), "head", n);
	want_num(inspect_key(s, "requester", "producer"), "producer", n);
	want_num(inspect_key(s, "requester", "ssn"), "ssn", fenced);
	want_num(inspect_key(s, "attr", "first_psn"), "first_psn", PSN_A);
	CHECK(num_of(inspect_key(s, "timers", "ack_in"), "ack_in") > 3600000000000ull,
	      "the ACK timer fires within the hour");
	want_text(inspect_key(s, "timers", "rnr_in"), "rnr_in", NULL);
	CHECK(num_of(inspect_key(s, "", "oldest_age"), "oldest_age") <= num_of(inspect_key(s, "", "age"), "age"),
	      "a request older than its QP");
	snprintf(head, sizeof(head), "# glass 1 inspect: qp 0x%x\n", p.a->qp_num);
	CHECK(!strncmp(s, head, strlen(head)), "the answer begins with %.60s", s);

	/* in ERR they are gone, and the error is not one of them */
	vt_to_state(p.a, IBV_QPS_ERR);
	s = qp_waits(&A, p.a, "poll");
	CHECK(!inspect_count(s, "sq", "wqe"), "WQEs after the flush");
	want_text(inspect_key(s, "first_error", "cause"), "first_error", NULL);
}

/* What stops a queue, each by its word. */
static void test_waits(void)
{
	struct ibv_mr *m = vt_buf(&A, 1 << 20), *r = vt_buf(&B, 1 << 20);
	struct ibv_sge sge = vt_sge(m, 0, 64), all = vt_sge(m, 0, 200 * 1024);
	struct ibv_send_wr send = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_send_wr read = rdma_of(IBV_WR_RDMA_READ, 2, &sge, r, 0);
	struct ibv_send_wr big = wr_of(IBV_WR_SEND, 3, &all);
	struct pair p;
	char *s;

	p = make_stalled((struct vt_qp_opts){}, 1);
	s = qp_waits(&A, p.a, "nothing");
	want_text(inspect_key(s, "", "oldest_age"), "oldest_age", NULL);
	qp_until(&A, p.a, "requester", "run", "idle");
	vt_post(p.a, &send);
	qp_waits(&A, p.a, "ack");

	p = make_stalled((struct vt_qp_opts){}, 1);
	vt_post(p.a, &read);
	qp_waits(&A, p.a, "response");
	vt_post(p.a, &read);
	s = qp_waits(&A, p.a, "reads");
	want_text(entry_key(inspect_entry(s, "sq", "wqe", 1), "state"), "state of the second READ",
		  "waiting");

	p = make_stalled((struct vt_qp_opts){}, 1);
	vt_post(p.a, &big);
	s = qp_waits(&A, p.a, "window");
	want_text(entry_key(inspect_entry(s, "sq", "wqe", 0), "state"), "state of a long message",
		  "sending");
	want_num(entry_key(inspect_entry(s, "sq", "wqe", 0), "sent"), "packets sent", 128);
	want_num(inspect_key(s, "requester", "cur_off"), "cur_off", 128);

	p = make_stalled((struct vt_qp_opts){}, 1);
	vt_to_state(p.a, IBV_QPS_SQD);
	vt_post(p.a, &send);
	s = qp_waits(&A, p.a, "state");
	CHECK(inspect_count(s, "sq", "wqe") == 1, "the request in SQD is not shown");
}

/* No receive: the sender waits for the RNR timer, the receiver for its program. */
static void test_rnr(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .timeout = NO_TIMEOUT });
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr send = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_attr slow = { .min_rnr_timer = 0 }; /* 655 ms, the longest */
	struct ibv_wc wc;
	char *s;

	CHECK(!ibv_modify_qp(p.b, &slow, IBV_QP_MIN_RNR_TIMER), "modify of min_rnr_timer");
	vt_post(p.a, &send);
	qp_waits(&A, p.a, "rnr");
	s = qp_waits(&B, p.b, "recv");
	want_num(inspect_key(s, "timers", "rnr_told"), "rnr_told", 655360000);
	want_text(inspect_key(s, "responder", "nak_sent"), "nak_sent", "yes");
	want_num(inspect_key(s, "responder", "ack_syndrome"), "ack_syndrome", 0x20);
	want_num(inspect_key(s, "rq", "used"), "rq.used", 0);
	s = qp_waits(&A, p.a, "rnr");
	CHECK(num_of(inspect_key(s, "timers", "rnr_in"), "rnr_in") <= 655360000, "rnr_in too long");
	want_text(entry_key(inspect_entry(s, "sq", "wqe", 0), "state"), "state after RNR", "again");
	vt_recv(p.b, 9, mb, 0, 4096);
	vt_wc_ok(p.b->recv_cq, &wc);
	vt_wc_ok(p.a->send_cq, &wc);
	qp_waits(&A, p.a, "nothing");
	qp_waits(&B, p.b, "nothing");
}

/* Who was told that it is too early does not come again: then it is not the receive that is missing. */
static void test_receive_came_late(void)
{
	struct ibv_srq *srq = vt_srq(&B, 8, 1);
	struct vt_qp_opts takers[] = { {}, { .srq = srq } };
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 64), room = vt_sge(mb, 0, 64);
	struct ibv_send_wr send = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_recv_wr recv = { .wr_id = 2, .sg_list = &room, .num_sge = 1 }, *bad;
	size_t i;

	for (i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, takers[i]) };

		connect_pair_tuned(&p, (struct tune){ .timeout = NO_TIMEOUT });
		vt_post(p.a, &send);
		qp_waits(&B, p.b, "recv");
		vt_to_state(p.a, IBV_QPS_ERR);
		if (takers[i].srq)
			CHECK(!ibv_post_srq_recv(srq, &recv, &bad), "post_srq_recv");
		else
			CHECK(!ibv_post_recv(p.b, &recv, &bad), "post_recv");
		qp_waits(&B, p.b, "message");
	}
}

/* The peer's credits: as many receives as it posted, and one message over nothing. */
static void test_credits(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .timeout = NO_TIMEOUT });
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr send = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;
	char *s;

	vt_recv(p.b, 9, mb, 0, 64);
	vt_recv(p.b, 9, mb, 0, 64);
	vt_post(p.a, &send);
	vt_wc_ok(p.a->send_cq, &wc);
	s = qp_waits(&A, p.a, "nothing");
	want_num(inspect_key(s, "", "credits"), "credits", 1);
	want_num(inspect_key(s, "requester", "credit_ssn"), "credit_ssn", 2);
	vt_post(p.a, &send);
	vt_wc_ok(p.a->send_cq, &wc);
	want_num(inspect_key(inspect_qp(&A, p.a), "", "credits"), "credits", 0);
	vt_to_state(p.b, IBV_QPS_ERR);
	vt_post(p.a, &send);
	qp_waits(&A, p.a, "ack");
	vt_post(p.a, &send);
	s = qp_waits(&A, p.a, "credits");
	want_num(inspect_key(s, "", "credits"), "credits", 0);
}

/* A queue full of what nobody will hear of, and completions that nobody polls. */
static void test_program_at_fault(void)
{
	struct ibv_cq *cq = vt_cq(&A, 4, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 8, .inl = 16 }),
			  vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 16);
	struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, 5, &sge, mb, 0), *bad;
	struct ibv_wc wc;
	char *s, num[16];
	int i;

	connect_pair_tuned(&p, (struct tune){});
	for (i = 0; i < 3; i++)
		vt_post(p.a, &write);
	s = qp_waits(&A, p.a, "poll");
	vt_post(p.a, &write);
	s = qp_waits(&A, p.a, "cq_full");
	snprintf(num, sizeof(num), "%u", (unsigned int)num_of(inspect_key(s, "", "scqn"), "scqn"));
	s = inspect(A.name, "cq %s", num);
	want_num(inspect_key(s, "", "used"), "used", 4);
	want_num(inspect_key(s, "", "max"), "max", 4);
	for (i = 0; i < 4; i++)
		vt_wc_ok(cq, &wc);
	qp_waits(&A, p.a, "nothing");

	write.send_flags = 0;
	for (i = 0; i < 8; i++)
		vt_post(p.a, &write);
	CHECK(ibv_post_send(p.a, &write, &bad) == ENOMEM, "a ninth request was taken");
	s = qp_waits(&A, p.a, "no_signaled");
	want_num(inspect_key(s, "", "sq_unsignaled"), "sq_unsignaled", 8);
	want_num(inspect_key(s, "", "sq_used"), "sq_used", 0);
	want_num(inspect_key(s, "requester", "told"), "told", 4);
	want_num(inspect_key(s, "requester", "tail"), "tail", 12);

	/* in ERR each request completes: that none is signaled is no reason to wait */
	vt_to_state(p.a, IBV_QPS_ERR);
	qp_waits(&A, p.a, "nothing");
}

/* ---- the receive queue */

static void test_recvs(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .wr = 10, .sge = 3 }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 65536);
	struct ibv_sge sa = vt_sge(ma, 0, 50);
	struct ibv_send_wr send = wr_of(IBV_WR_SEND, 1, &sa);
	struct ibv_sge sge[7][3];
	struct ibv_recv_wr wr, *bad;
	struct ibv_wc wc;
	uint32_t len[7] = {};
	const char *e;
	char *s;
	int i, k;

	for (i = 0; i < 7; i++) {
		for (k = 0; k < i % 4; k++) {
			sge[i][k] = vt_sge(mb, 1000 * i + k, 100 * i + k);
			len[i] += 100 * i + k;
		}
		wr = (struct ibv_recv_wr){ .wr_id = ~0ull - i, .sg_list = sge[i], .num_sge = i % 4 };
		CHECK(!ibv_post_recv(p.b, &wr, &bad), "post_recv %d", i);
	}
	s = inspect_qp(&B, p.b);
	want_num(inspect_key(s, "", "rq_used"), "rq_used", 7);
	want_num(inspect_key(s, "rq", "used"), "rq.used", 7);
	want_num(inspect_key(s, "rq", "slots"), "rq.slots", 16);
	want_num(inspect_key(s, "rq", "consumer"), "consumer", 0);
	want_num(inspect_key(s, "rq", "producer"), "producer", 7);
	CHECK(inspect_count(s, "rq", "rwqe") == 7, "%d receives are shown",
	      inspect_count(s, "rq", "rwqe"));
	for (i = 0; i < 7; i++) {
		e = inspect_entry(s, "rq", "rwqe", i);
		want_num(entry_key(e, "index"), "index", i);
		want_text(entry_key(e, "state"), "state", "posted");
		want_num(entry_key(e, "wr_id"), "wr_id", ~0ull - i);
		want_num(entry_key(e, "num_sge"), "num_sge", i % 4);
		want_num(entry_key(e, "len"), "len", len[i]);
		want_text(entry_key(e, "sge"), "sge", i % 4 ? sge_text(sge[i], i % 4) : NULL);
	}
	/* the first takes a message of no bytes, the second one of 50 */
	send.num_sge = 0;
	vt_post(p.a, &send);
	vt_wc_ok(p.b->recv_cq, &wc);
	send.num_sge = 1;
	vt_post(p.a, &send);
	vt_wc_ok(p.b->recv_cq, &wc);
	vt_wc_ok(p.a->send_cq, &wc);
	s = inspect_qp(&B, p.b);
	CHECK(inspect_count(s, "rq", "rwqe") == 5, "not two fewer");
	want_num(entry_key(inspect_entry(s, "rq", "rwqe", 0), "index"), "index", 2);
	want_num(inspect_key(s, "responder", "msn"), "msn", 2);
	want_num(inspect_key(s, "responder", "epsn"), "epsn", (PSN_A + 2) & 0xffffff);
}

/* A READ and an atomic stay with the responder, answered. */
static void test_answers(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 65536), *mb = vt_buf(&B, 65536);
	struct ibv_sge sge = vt_sge(ma, 0, 20000), eight = vt_sge(ma, 0, 8);
	struct ibv_send_wr read = rdma_of(IBV_WR_RDMA_READ, 1, &sge, mb, 100);
	struct ibv_send_wr add = wr_of(IBV_WR_ATOMIC_FETCH_AND_ADD, 2, &eight);
	uint32_t packets = (20000 + (128 << B.attr.active_mtu) - 1) / (128 << B.attr.active_mtu);
	struct ibv_wc wc;
	const char *e;
	char *s;

	((uint64_t *)mb->addr)[0] = 4711;
	add.wr.atomic.remote_addr = (uintptr_t)mb->addr;
	add.wr.atomic.compare_add = 5;
	add.wr.atomic.rkey = mb->rkey;
	vt_post(p.a, &read);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_post(p.a, &add);
	vt_wc_ok(p.a->send_cq, &wc);
	s = qp_until(&B, p.b, "responder", "answers_todo", "0");
	want_num(inspect_key(s, "responder", "answers"), "answers", 2);
	e = inspect_entry(s, "responder", "answer", 0);
	CHECK(e, "no answer");
	want_text(entry_key(e, "op"), "op", "read");
	want_text(entry_key(e, "state"), "state", "done");
	want_num(entry_key(e, "psn"), "psn", PSN_A);
	want_num(entry_key(e, "npsn"), "npsn", packets);
	want_num(entry_key(e, "sent"), "sent", packets);
	want_num(entry_key(e, "va"), "va", (uintptr_t)mb->addr + 100);
	want_num(entry_key(e, "len"), "len", 20000);
	want_num(entry_key(e, "rkey"), "rkey", mb->rkey);
	want_text(entry_key(e, "orig"), "orig", NULL);
	e = inspect_entry(s, "responder", "answer", 1);
	CHECK(e, "no second answer");
	want_text(entry_key(e, "op"), "op", "fetch_add");
	want_num(entry_key(e, "orig"), "orig", 4711);
	want_num(entry_key(e, "msn"), "msn", 2);
	want_num(entry_key(e, "psn"), "psn", (PSN_A + packets) & 0xffffff);
}

/* ---- states and errors */

static void test_history(void)
{
	static const char *const path[] = { "reset", "init", "rtr", "rts", "sqd", "rts", "err" };
	struct pair p = make_pair();
	const char *e;
	uint64_t when, last = 0;
	char *s;
	int i, n;

	vt_to_state(p.a, IBV_QPS_SQD);
	vt_to_state(p.a, IBV_QPS_RTS);
	vt_to_state(p.a, IBV_QPS_ERR);
	s = inspect_qp(&A, p.a);
	want_num(inspect_key(s, "history", "changes"), "changes", 6);
	for (i = 0; i < 6; i++) {
		e = inspect_entry(s, "history", "change", i);
		CHECK(e, "change %d is not there", i);
		want_text(entry_key(e, "from"), "from", path[i]);
		want_text(entry_key(e, "to"), "to", path[i + 1]);
		want_text(entry_key(e, "cause"), "cause", "verb");
		when = num_of(entry_key(e, "when"), "when");
		CHECK(when >= last && num_of(entry_key(e, "age"), "age") < 60000000000ull,
		      "change %d is out of order", i);
		last = when;
	}
	/* the last 16 of many */
	for (n = 6; n < 40; n += 3) {
		vt_to_state(p.a, IBV_QPS_RESET);
		vt_to_init(p.a, A.port, 0);
		vt_to_state(p.a, IBV_QPS_ERR);
	}
	s = inspect_qp(&A, p.a);
	want_num(inspect_key(s, "history", "changes"), "changes", n);
	CHECK(inspect_count(s, "history", "change") == 16, "%d changes are shown",
	      inspect_count(s, "history", "change"));
	want_text(entry_key(inspect_entry(s, "history", "change", 15), "to"), "last state", "err");
}

static void test_errors(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, 0x5151, &sge, mb, 4090);
	char *s;

	vt_post(p.a, &write);
	vt_wc_is(p.a->send_cq, 0x5151, IBV_WC_REM_ACCESS_ERR);
	s = inspect_qp(&A, p.a);
	want_text(inspect_key(s, "", "state"), "state", "err");
	want_text(inspect_key(s, "first_error", "cause"), "cause", "rem_access");
	want_text(inspect_key(s, "first_error", "status"), "status", "rem_access_err");
	want_num(inspect_key(s, "first_error", "wr_id"), "wr_id", 0x5151);
	want_num(inspect_key(s, "first_error", "syndrome"), "syndrome", 0x62);
	want_text(inspect_key(s, "first_error", "opcode"), "opcode", "rc_ack");
	want_num(inspect_key(s, "first_error", "psn"), "psn", PSN_A);
	want_text(inspect_key(s, "last_error", "cause"), "last cause", "rem_access");
	want_text(entry_key(inspect_entry(s, "history", "change", 3), "cause"), "cause of ERR",
		  "rem_access");
	s = qp_until(&B, p.b, "", "state", "err");
	want_text(inspect_key(s, "first_error", "cause"), "cause at the peer", "resp_access");
	want_text(inspect_key(s, "first_error", "opcode"), "opcode at the peer", "rc_write_only");
	want_text(inspect_key(s, "first_error", "status"), "status at the peer", NULL);
	/* RESET forgets errors and keeps the history */
	vt_to_state(p.a, IBV_QPS_RESET);
	s = inspect_qp(&A, p.a);
	want_text(inspect_key(s, "first_error", "cause"), "cause after RESET", NULL);
	want_num(inspect_key(s, "history", "changes"), "changes", 5);
}

/* Datagrams: where they go; what the other transports say does not apply. */
static void test_datagram(void)
{
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UD });
	struct ibv_ah_attr to = { .dlid = B.attr.lid, .port_num = A.port };
	struct ibv_ah *ah = ibv_create_ah(A.pd, &to);
	struct ibv_mr *m = vt_buf(&A, 4096);
	struct ibv_sge sge = vt_sge(m, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 77, &sge);
	struct vt_path none = {};
	const char *e;
	char *s;

	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	vt_to_init(qp, A.port, 0);
	vt_to_rts(qp, A.port, 1, &none);
	vt_to_state(qp, IBV_QPS_SQD);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 0x123456;
	wr.wr.ud.remote_qkey = 0x5678;
	vt_post(qp, &wr);
	s = qp_waits(&A, qp, "state");
	e = inspect_entry(s, "sq", "wqe", 0);
	CHECK(e, "the request is not shown");
	want_text(entry_key(e, "state"), "state", "waiting");
	want_num(entry_key(e, "dqpn"), "dqpn", 0x123456);
	want_num(entry_key(e, "qkey"), "qkey", 0x5678);
	want_num(entry_key(e, "dlid"), "dlid", B.attr.lid);
	want_text(entry_key(e, "raddr"), "raddr", NULL);
	want_text(inspect_key(s, "requester", "una"), "una", NULL);
	want_text(inspect_key(s, "responder", "msn"), "msn", NULL);

	/* where it went stays known after the request is done */
	CHECK(!ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE), "SQD to RTS");
	s = qp_waits(&A, qp, "poll");
	CHECK(!inspect_count(s, "sq", "wqe"), "the request is not done");
	want_num(inspect_key(s, "sent_to", "qpn"), "sent_to.qpn", 0x123456);
	want_num(inspect_key(s, "sent_to", "dlid"), "sent_to.dlid", B.attr.lid);
	want_text(inspect_key(s, "sent_to", "dev"), "sent_to.dev", B.name);
	want_num(inspect_key(s, "sent_to", "port"), "sent_to.port", B.port);
	want_text(inspect_key(s, "sent_to", "state"), "state of no queue pair", NULL);
	wr.wr.ud.remote_qpn = qp->qp_num;
	to.dlid = A.attr.lid;
	ah = ibv_create_ah(A.pd, &to);
	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	wr.wr.ud.ah = ah;
	vt_post(qp, &wr);
	s = qp_until(&A, qp, "sent_to", "dev", A.name);
	want_text(inspect_key(s, "sent_to", "state"), "state of itself", "rts");
	want_num(inspect_key(s, "sent_to", "pid"), "pid of itself", getpid());
}

static const struct check inspect_qp_checks[] = {
	{ "attributes", test_attributes },
	{ "sends", test_sends },
	{ "waits", test_waits },
	{ "rnr", test_rnr },
	{ "receive_came_late", test_receive_came_late },
	{ "credits", test_credits },
	{ "program_at_fault", test_program_at_fault },
	{ "recvs", test_recvs },
	{ "answers", test_answers },
	{ "history", test_history },
	{ "errors", test_errors },
	{ "datagram", test_datagram },
};

#endif
