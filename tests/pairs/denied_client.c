// SPDX-License-Identifier: GPL-2.0-only
/* Writes to the server's memory. */
#include "pair.h"

INLINE void push(struct end *e, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (ibv_post_send(e->qp, wr, &bad)) /* MARK:peer */
		die("post_send");
	e->outstanding++;
}

INLINE void store(struct end *e, struct ibv_mr *mr, const struct remote *r)
{
	struct ibv_sge sge = sge_of(mr, 0, 128);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, &r->mr);

	push(e, &wr); /* MARK:peer from */
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("denied"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	store(&e, mr, &r);
	wait_done(&e);
	leave(&r, &e, mr);
	return 0;
}
