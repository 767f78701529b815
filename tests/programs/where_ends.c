// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failures of which a line of this program is the first cause; comments mark the lines, for suite
 * why-report. The peer is a QP of the same process, on glass1.
 *
 *	where_ends dereg      a WRITE to a region that was deregistered
 *	where_ends local_inv  a WRITE by the key of a window that LOCAL_INV has ended
 *	where_ends send_inv   the same, by a SEND with Invalidate of glass0
 *	where_ends destroy    a WRITE to a QP that was destroyed
 *	where_ends receive    a SEND that is longer than the receive
 *	where_ends srq        the same with a shared receive queue
 *
 * Exit status 1: the failure has happened.
 */
#include "vt.h"

#define LEN 4096
#define SHORT 512

static struct vt_end a, b;
static struct ibv_qp *qa, *qb;
static struct ibv_mr *ma, *mb;
static struct ibv_srq *srq;

static void connect_pair(bool shared)
{
	struct vt_path to_a = { .timeout = 10, .retry = 1 }, to_b = { .timeout = 10, .retry = 1 };

	vt_open(&a, "glass0", 1, 0);
	vt_open(&b, "glass1", 1, 0);
	ma = vt_buf(&a, LEN);
	mb = vt_buf(&b, LEN);
	if (shared)
		srq = vt_srq(&b, 16, 1);
	qa = vt_qp(&a, (struct vt_qp_opts){ .type = IBV_QPT_RC, .wr = 16, .sge = 1 });
	qb = vt_qp(&b, (struct vt_qp_opts){ .type = IBV_QPT_RC, .srq = srq, .wr = 16, .sge = 1 });
	to_a.lid = a.attr.lid;
	to_a.qpn = qa->qp_num;
	to_b.lid = b.attr.lid;
	to_b.qpn = qb->qp_num;
	vt_to_init(qa, 1, VT_ACCESS_ALL);
	vt_to_init(qb, 1, VT_ACCESS_ALL);
	vt_to_rts(qa, 1, 0, &to_b);
	vt_to_rts(qb, 1, 0, &to_a);
}

/* Posts a request of glass0 that fails. Returns when it has. */
static void fail_by(enum ibv_wr_opcode op, uint32_t key)
{
	struct ibv_sge sge = vt_sge(ma, 0, LEN);
	struct ibv_send_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = (uintptr_t)mb->addr;
	wr.wr.rdma.rkey = key;
	vt_post(qa, &wr);
	vt_wc(qa->send_cq, &wc);
	CHECK(wc.status != IBV_WC_SUCCESS, "the request of op %d has not failed", op);
}

static void dereg(void)
{
	static char memory[LEN];
	struct ibv_mr *mr;
	uint32_t key;

	connect_pair(false);
	mr = ibv_reg_mr(b.pd, memory, LEN, VT_ACCESS_ALL);
	CHECK(mr, "reg_mr: %s", strerror(errno));
	key = mr->rkey;
	ibv_dereg_mr(mr); /* MARK:dereg */
	fail_by(IBV_WR_RDMA_WRITE, key);
}

/* Binds a window of glass1 for glass0. Returns its key. */
static uint32_t bind_window(void)
{
	struct ibv_send_wr bind = { .wr_id = 1, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_mw *mw;

	mb = vt_mr_of(b.pd, mb->addr, LEN, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	mw = ibv_alloc_mw(b.pd, IBV_MW_TYPE_2);
	CHECK(mw, "alloc_mw: %s", strerror(errno));
	bind.bind_mw.mw = mw;
	bind.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	bind.bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = mb, .addr = (uintptr_t)mb->addr, .length = LEN,
							    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	vt_post(qb, &bind);
	vt_wc_is(qb->send_cq, 1, IBV_WC_SUCCESS);
	return bind.bind_mw.rkey;
}

static void local_inv(void)
{
	struct ibv_send_wr inv = { .wr_id = 2, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED }, *bad;
	uint32_t key;

	connect_pair(false);
	key = bind_window();
	inv.invalidate_rkey = key;
	CHECK(!ibv_post_send(qb, &inv, &bad), "post_send"); /* MARK:local_inv */
	vt_wc_is(qb->send_cq, 2, IBV_WC_SUCCESS);
	fail_by(IBV_WR_RDMA_WRITE, key);
}

static void send_inv(void)
{
	struct ibv_send_wr inv = { .wr_id = 2, .opcode = IBV_WR_SEND_WITH_INV, .send_flags = IBV_SEND_SIGNALED }, *bad;
	uint32_t key;

	connect_pair(false);
	key = bind_window();
	vt_recv(qb, 3, mb, 0, LEN);
	inv.invalidate_rkey = key;
	CHECK(!ibv_post_send(qa, &inv, &bad), "post_send"); /* MARK:send_inv */
	vt_wc_is(qa->send_cq, 2, IBV_WC_SUCCESS);
	fail_by(IBV_WR_RDMA_WRITE, key);
}

static void destroy(void)
{
	connect_pair(false);
	ibv_destroy_qp(qb); /* MARK:destroy */
	fail_by(IBV_WR_RDMA_WRITE, mb->rkey);
}

/* A receive that is too short, of the QP or of its SRQ */
static void receive(bool shared)
{
	struct ibv_recv_wr wr = { .wr_id = 3, .num_sge = 1 }, *bad;
	struct ibv_sge sge;
	int err;

	connect_pair(shared);
	sge = vt_sge(mb, 0, SHORT);
	wr.sg_list = &sge;
	if (shared)
		err = ibv_post_srq_recv(srq, &wr, &bad); /* MARK:srq */
	else
		err = ibv_post_recv(qb, &wr, &bad); /* MARK:receive */
	CHECK(!err, "the receive is refused: %s", strerror(err));
	fail_by(IBV_WR_SEND, 0);
}

static void of_qp(void)
{
	receive(false);
}

static void of_srq(void)
{
	receive(true);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*run)(void);
	} ways[] = { { "dereg", dereg }, { "local_inv", local_inv }, { "send_inv", send_inv }, { "destroy", destroy },
		    { "receive", of_qp }, { "srq", of_srq } };
	size_t i;

	vt_limit(60);
	for (i = 0; argc == 2 && i < ARRAY_LEN(ways); i++)
		if (!strcmp(argv[1], ways[i].word)) {
			ways[i].run();
			return 1;
		}
	fprintf(stderr, "Usage: where_ends dereg|local_inv|send_inv|destroy|receive|srq\n");
	return 2;
}
