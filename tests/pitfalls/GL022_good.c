// SPDX-License-Identifier: GPL-2.0-only
/* Memory and queue pair allow what the peer does. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	struct ibv_qp_attr rtr, rts;
	int status;

	add_qps(&a, &b);
	connect_end(&a, &b);

	/* lesson */
	rtr = rtr_attr(&b, &a);
	rtr.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	modify(b.qp, &rtr, RTR_MASK | IBV_QP_ACCESS_FLAGS);
	/* end of lesson */
	rts = rts_attr(&b);
	modify(b.qp, &rts, RTS_MASK);

	post_send(&a, &wr);
	status = wait_done(&a);
	finish(&a, &b, ma, mb);
	return status;
}
