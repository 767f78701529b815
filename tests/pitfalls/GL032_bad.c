// SPDX-License-Identifier: GPL-2.0-only
/* a is connected to b, but b to somebody else. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1"), c = open_end("glass0");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_attr rtr, rts;
	int status;

	add_qps(&a, &b);
	add_qp(&c, IBV_QPT_RC);
	post_recv(&b, 1, mb, 0, 64);
	c.psn = a.psn;

	/* lesson */
	connect_end(&b, &c); /* the QPN of another connection */
	/* end of lesson */

	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	give_up_early(&rts);
	connect_with(&a, &rtr, &rts);
	post_send(&a, &wr);
	status = wait_done(&a); /* b has the message, its ACK went to c */
	close_end(&c);
	finish(&a, &b, ma, mb);
	return status;
}
