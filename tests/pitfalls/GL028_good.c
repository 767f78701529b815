// SPDX-License-Identifier: GPL-2.0-only
/* One side asks no more than the other answers. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_REMOTE_READ);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_READ, 1, &sge, mb);
	struct ibv_qp_attr rtr, rts;
	int status;

	add_qps(&a, &b);

	/* lesson */
	rtr = rtr_attr(&b, &a);
	rtr.max_dest_rd_atomic = 4; /* what b answers at a time */
	rts = rts_attr(&b);
	connect_with(&b, &rtr, &rts);

	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	rts.max_rd_atomic = 4; /* what a asks at a time: not more than that */
	connect_with(&a, &rtr, &rts);
	/* end of lesson */

	post_send(&a, &wr);
	status = wait_done(&a);
	finish(&a, &b, ma, mb);
	return status;
}
