// SPDX-License-Identifier: GPL-2.0-only
/* Sends a list of which one message is too long for the server's SRQ. */
#include "pair.h"

INLINE int push_list(struct ibv_qp *qp, struct ibv_send_wr *first)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, first, &bad); /* MARK:peer */
}

INLINE void answer(struct end *e, struct ibv_mr *mr)
{
	struct ibv_sge small = sge_of(mr, 0, 100), large = sge_of(mr, 0, 2000);
	struct ibv_send_wr second = wr_of(IBV_WR_SEND, 2, &large);
	struct ibv_send_wr first = wr_of(IBV_WR_SEND, 1, &small);

	first.next = &second;
	if (push_list(e->qp, &first)) /* MARK:peer from */
		die("post_send");
	e->outstanding += 2;
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("srq"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	answer(&e, mr);
	wait_done(&e);
	wait_done(&e);
	leave(&r, &e, mr);
	return 0;
}
