// SPDX-License-Identifier: GPL-2.0-only
/* An ACK timeout, after which a lost packet is sent again. */
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
	connect_end(&b, &a);
	rtr = rtr_attr(&a, &b);

	/* lesson */
	rts = rts_attr(&a);
	rts.timeout = 14; /* 4.096 us * 2^14 = 67 ms */
	connect_with(&a, &rtr, &rts);
	/* end of lesson */

	post_send(&a, &wr);
	status = wait_done(&a) | wait_done(&b);
	finish(&a, &b, ma, mb);
	return status;
}
