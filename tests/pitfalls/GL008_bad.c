// SPDX-License-Identifier: GPL-2.0-only
/* The first receive is posted when the peer has sent already. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_attr rtr, rts;
	int status;

	add_qps(&a, &b);

	/* lesson */
	rtr = rtr_attr(&b, &a);
	modify(b.qp, &rtr, RTR_MASK);
	connect_end(&a, &b);
	post_send(&a, &wr);
	wait_event(&b, IBV_EVENT_COMM_EST); /* a message is there */
	rts = rts_attr(&b);
	modify(b.qp, &rts, RTS_MASK);
	post_recv(&b, 1, mb, 0, 64); /* too late for the message's first try */
	/* end of lesson */

	status = wait_done(&a) | wait_done(&b);
	finish(&a, &b, ma, mb);
	return status;
}
