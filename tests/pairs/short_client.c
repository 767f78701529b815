// SPDX-License-Identifier: GPL-2.0-only
/* Sends a header of a kilobyte. */
#include "pair.h"

INLINE void push(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (ibv_post_send(qp, wr, &bad)) /* MARK:peer */
		die("post_send");
}

INLINE void send_header(struct end *e, struct ibv_mr *mr)
{
	struct ibv_sge sge = sge_of(mr, 0, 1024);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	push(e->qp, &wr); /* MARK:peer from */
	e->outstanding++;
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("short"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	send_header(&e, mr);
	wait_done(&e);
	leave(&r, &e, mr);
	return 0;
}
