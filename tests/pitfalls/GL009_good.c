// SPDX-License-Identifier: GPL-2.0-only
/* A receive for each message, and an end to the wait should one be missing. */
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
	post_recv(&b, 1, mb, 0, 64);
	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	connect_end(&b, &a);

	/* lesson */
	rts.rnr_retry = 6;
	connect_with(&a, &rtr, &rts);
	post_send(&a, &wr);
	status = wait_done(&a) | wait_done(&b);
	post_recv(&b, 2, mb, 0, 64); /* before the peer may send again */
	post_send(&a, &wr);
	/* end of lesson */

	status |= wait_done(&a) | wait_done(&b);
	finish(&a, &b, ma, mb);
	return status;
}
