// SPDX-License-Identifier: GPL-2.0-only
/* Sends as soon as it is connected. */
#include "pair.h"

INLINE int push(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, wr, &bad); /* MARK:peer */
}

INLINE void say_hello(struct end *e, struct ibv_mr *mr)
{
	struct ibv_sge sge = sge_of(mr, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	if (push(e->qp, &wr)) /* MARK:peer from */
		die("post_send");
	e->outstanding++;
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_attr rtr, rts;
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("late"), &e, mr);
	rtr = rtr_attr(&e, &r.end);
	rts = rts_attr(&e);
	give_up_early(&rts);
	connect_with(&e, &rtr, &rts);
	meet(&r);
	say_hello(&e, mr);
	wait_done(&e);
	meet(&r);
	leave(&r, &e, mr);
	return 0;
}
