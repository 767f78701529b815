// SPDX-License-Identifier: GPL-2.0-only
/* All completions are polled before the queue pair is reset. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	int status;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);
	post_send(&a, &wr);
	status = wait_done(&a);

	/* lesson */
	to_err(b.qp); /* what is not done yet comes back flushed */
	while (b.outstanding)
		status |= wait_done(&b);
	modify(b.qp, &reset, IBV_QP_STATE);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
