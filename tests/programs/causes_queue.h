/* SPDX-License-Identifier: GPL-2.0-only */
/* First causes in queues: receives, completion queues, requests; and those that a command makes from outside. */
#ifndef CAUSES_QUEUE_H
#define CAUSES_QUEUE_H

#include "absent_pages.h"
#include "causes_ends.h"

/* ---- receives */

static const enum ibv_wr_opcode receive_ops[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM };

/* B posts some receives, and A sends more. */
static void run_no_recv(void)
{
	unsigned int i, posted = between(0, 5);

	make_ends();
	connect_both();
	good_messages(posted);
	truth(A, "no_recv", "(pid %d) did not post", shared->end[B].pid);
	for (i = 0; mine(A) && i <= posted; i++) {
		plan.op = receive_ops[chance() % ARRAY_LEN(receive_ops)];
		post_request();
	}
	fails(IBV_WC_RNR_RETRY_EXC_ERR);
}

static void run_recv_short(void)
{
	uint32_t room = between(0, 5000);

	make_ends();
	connect_both();
	good_messages(0);
	if (mine(B))
		vt_recv(ends[B].qp, 7, ends[B].mr, 0, room);
	plan.op = plan.variant & 1 ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
	plan.len = room + between(1, 20000);
	truth(A, "recv_short", "%u bytes", plan.len);
	/* B never sees the whole message, and the records have no receive that was consumed */
	truth(B, "recv_short", "(pid %d)", shared->end[A].pid);
	meet();
	if (mine(A))
		post_request();
	fails(IBV_WC_REM_INV_REQ_ERR);
}

/* ---- completion queues */

/* In the place of the queues of an end: a CQ of a few entries. It must happen before the QP is made. */
static void make_small_end(int e, unsigned int entries)
{
	struct end *x = &ends[e];
	struct vt_qp_opts o = { .wr = DEPTH, .sge = 1 };

	make_end(e);
	vt_drop(x->qp);
	x->scq = x->rcq = o.scq = o.rcq = vt_cq(&x->dev, entries, NULL);
	x->qp = vt_qp(&x->dev, o);
	shared->end[e].qpn = x->qp->qp_num;
}

/* Waits for the event of the CQ that overran. */
static void wait_overrun(int e)
{
	CHECK(vt_event(ends[e].dev.ctx, IBV_EVENT_CQ_ERR, ends[e].scq), "no event of the CQ");
}

/* A does not poll its send CQ; or B does not poll its receive CQ, and A sends on. */
static void run_cq_overrun(void)
{
	int at = plan.variant & 1 ? A : B;
	unsigned int i, n;
	char says[60];

	if (mine(at))
		make_small_end(at, between(1, 20));
	if (mine(!at))
		make_end(!at);
	if (mine(at))
		shared->value[0] = ends[at].scq->cqe;
	meet();
	connect_both();
	n = shared->value[0] + 1;
	CHECK(n < DEPTH, "a CQ of %u entries is too large", n - 1);
	snprintf(says, sizeof(says), "(pid %d) did not poll", shared->end[at].pid);
	if (mine(at))
		truth_of(at, "cq", 0, "cq_overrun", says);
	truth(at, "cq_overrun", "%s", says);
	for (i = 0; mine(B) && i < n; i++)
		vt_recv(ends[B].qp, i, ends[B].mr, 0, BYTES);
	meet();
	plan.op = at == A ? IBV_WR_RDMA_WRITE : receive_ops[plan.variant / 2 % ARRAY_LEN(receive_ops)];
	for (i = 0; mine(A) && i < n; i++)
		post_request();
	if (mine(at))
		wait_overrun(at);
	meet();
	if (at == A)
		return;
	/* what A sends now finds a QP in ERR */
	truth(A, "peer_err", "first error|cq_overrun");
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* ---- requests */

/* Gives B a buffer of absent pages: until they come, answers to READs of it wait. */
static struct absent_pages hold_pages(void)
{
	struct absent_pages pages = absent_pages(BYTES);
	struct ibv_mr *mr = vt_mr_of(ends[B].dev.pd, pages.at, BYTES, VT_ACCESS_ALL | IBV_ACCESS_ON_DEMAND);

	shared->end[B].addr = (uintptr_t)pages.at;
	shared->end[B].rkey = mr->rkey;
	return pages;
}

/* More READs at once than B answers: the first answers wait for a page until B has refused a READ. */
static void run_read_depth(void)
{
	struct ibv_send_wr wr[16];
	struct ibv_sge sge[16];
	struct vt_path to;
	unsigned int i;
	struct absent_pages pages = {};

	/* B answers late */
	plan.timeout = 18;
	plan.retry = 7;
	make_ends();
	if (mine(B))
		pages = hold_pages();
	connect_end(A);
	to = path_of(B);
	to.rd_atomic = between(1, 2);
	connect_by(B, &to);
	meet();
	truth(A, "read_depth", "(max_dest_rd_atomic)|answers %u at once", to.rd_atomic);
	truth(B, "read_depth", "%s", "");
	for (i = 0; mine(A) && i < ARRAY_LEN(wr); i++) {
		/* so short that the window of PSNs has room for several answers */
		wr[i] = request(&sge[i], IBV_WR_RDMA_READ, between(1, 4096));
		wr[i].next = i + 1 < ARRAY_LEN(wr) ? &wr[i + 1] : NULL;
	}
	if (mine(A))
		vt_post(ends[A].qp, wr);
	if (mine(B)) {
		CHECK(vt_event(ends[B].dev.ctx, IBV_EVENT_QP_REQ_ERR, ends[B].qp), "B refuses no request");
		bring_pages(&pages);
	}
	fails(IBV_WC_REM_INV_REQ_ERR);
}

static void run_modify_err(void)
{
	unsigned int i, n = between(1, 8);

	/* nothing shall fail before */
	plan.rnr_retry = 7;
	plan.rnr_timer = 20;
	make_ends();
	connect_both();
	good_messages(0);
	truth(A, "modify_err", "(pid %d) called modify_qp", shared->end[A].pid);
	plan.op = receive_ops[plan.variant % ARRAY_LEN(receive_ops)];
	for (i = 0; mine(A) && i < n; i++)
		post_request();
	if (mine(A))
		vt_to_state(ends[A].qp, IBV_QPS_ERR);
	fails(IBV_WC_WR_FLUSH_ERR);
}

/* A READ or an atomic of a QP that may have none outstanding */
static void run_bad_request(void)
{
	struct ibv_qp_attr none = { .qp_state = IBV_QPS_RTS, .sq_psn = plan.psn[A], .timeout = plan.timeout,
				    .retry_cnt = plan.retry, .rnr_retry = 7 };
	struct vt_path to;

	make_ends();
	connect_end(B);
	to = path_of(A);
	if (mine(A)) {
		vt_to_init(ends[A].qp, 1, VT_ACCESS_ALL);
		CHECK(!vt_try_rtr(ends[A].qp, 1, &to), "to RTR");
		CHECK(!ibv_modify_qp(ends[A].qp, &none, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC), "to RTS");
	}
	meet();
	truth(A, "bad_request", "%s", "");
	plan.op = plan.variant & 1 ? IBV_WR_RDMA_READ : IBV_WR_ATOMIC_FETCH_AND_ADD;
	if (mine(A))
		post_request();
	fails(IBV_WC_LOC_QP_OP_ERR);
}

static void run_bad_bind(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED };

	make_ends();
	connect_both();
	good_messages(0);
	truth(A, "bad_bind", "%s", "");
	wr.invalidate_rkey = between(0x100000, 0xfffffff);
	if (mine(A))
		vt_post(ends[A].qp, &wr);
	fails(IBV_WC_MW_BIND_ERR);
}

/* ---- from outside: the command makes the cause */

/* cause: what the command makes; says: what the verdict must name beside (the option --says) */
static const char *outside_cause, *outside_says = "";

static void run_outside(void)
{
	enum ibv_wc_status got;

	make_ends();
	connect_both();
	good_messages(1);
	truth(A, outside_cause, "%s", outside_says);
	run_command(command);
	meet();
	/* B has a receive, but not for each sort of request */
	if (mine(A)) {
		post_request();
		got = wait_failure(A, ends[A].scq);
		fprintf(stderr, "status %d\n", got);
	}
}

/* ---- programs that hang: they print `ready`, and end after SIGTERM */

static void hang(void)
{
	if (!mine(A)) {
		for (;;)
			pause();
	}
	printf("qp dev=%s num=0x%x pid=%d peer=%s:0x%x peer_pid=%d\n", ends[A].dev.name, shared->end[A].qpn, shared->end[A].pid,
	       devices[B ^ plan.swap], shared->end[B].qpn, shared->end[B].pid);
	fflush(stdout);
	vt_hold_end();
	vt_wait_for_end();
	exit(0);
}

/* A sends for ever to a QP without receives. */
static void run_hang_no_recv(void)
{
	plan.rnr_retry = 7;
	make_ends();
	connect_both();
	good_messages(0);
	plan.op = receive_ops[plan.variant % ARRAY_LEN(receive_ops)];
	if (mine(A))
		post_request();
	hang();
}

/* Both ends have receives posted, and wait for the other one to send. */
static void run_hang_cycle(void)
{
	make_ends();
	connect_both();
	good_messages(1);
	if (mine(A))
		vt_recv(ends[A].qp, 1, ends[A].mr, 0, BYTES);
	meet();
	hang();
}

/* A's request completes; the command loses the completion by a rule. */
static void run_hang_lost(void)
{
	make_ends();
	connect_both();
	good_messages(1);
	run_command(command);
	plan.op = IBV_WR_RDMA_WRITE;
	if (mine(A))
		post_request();
	hang();
}

/* A's request waits; the command holds it by a rule. */
static void run_hang_held(void)
{
	make_ends();
	connect_both();
	good_messages(1);
	run_command(command);
	if (mine(A))
		post_request();
	hang();
}

#endif
