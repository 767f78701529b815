// SPDX-License-Identifier: GPL-2.0-only
/* The receiver expects another first PSN than the sender uses. */
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
	a.psn = 0x1000;
	b.psn = 0x2000;

	/* lesson */
	rtr = rtr_attr(&b, &a);
	rtr.rq_psn = b.psn; /* its own, instead of the peer's */
	rts = rts_attr(&b);
	connect_with(&b, &rtr, &rts);
	/* end of lesson */

	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	give_up_early(&rts);
	connect_with(&a, &rtr, &rts);
	post_send(&a, &wr);
	status = wait_done(&a);
	finish(&a, &b, ma, mb);
	return status;
}
