// SPDX-License-Identifier: GPL-2.0-only
/* Fills an SRQ with receives that are too short for the client's answers. */
#include "pair.h"

#define POOL  8
#define BYTES 256

INLINE int refill(struct ibv_srq *srq, struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *bad;

	return ibv_post_srq_recv(srq, wr, &bad); /* MARK:finding */
}

INLINE void fill(struct ibv_srq *srq, struct ibv_mr *mr, int from, int to)
{
	for (; from < to; from++) {
		struct ibv_sge sge = sge_of(mr, from * BYTES, BYTES);
		struct ibv_recv_wr wr = recv_of(from, &sge);

		if (refill(srq, &wr)) /* MARK:finding from */
			die("post_srq_recv");
	}
}

static struct ibv_srq *make_srq(struct end *e)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = POOL, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(e->pd, &attr);

	if (!srq)
		die("create_srq");
	return srq;
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, POOL * BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_init_attr attr = qp_attr(&e, IBV_QPT_RC);
	struct ibv_srq *srq = make_srq(&e);
	struct remote r;

	attr.srq = srq;
	add_qp_with(&e, &attr);
	fill(srq, mr, 0, POOL);
	exchange(&r, wait_for_client("srq"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	wait_done(&e);
	e.outstanding = 0;
	meet(&r);
	remove_qp(&e);
	ibv_destroy_srq(srq);
	unreg(mr);
	close_end(&e);
	return 0;
}
