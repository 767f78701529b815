// SPDX-License-Identifier: GPL-2.0-only
/* The queue pair is reset while its completions wait to be polled. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;
	int status;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);
	post_send(&a, &wr);
	status = wait_done(&a); /* b has received it */

	/* lesson */
	modify(b.qp, &reset, IBV_QP_STATE);
	if (!try_wc(&b, &wc, 0))
		status = 1; /* nobody ever learns of the message */
	/* end of lesson */

	b.outstanding = 0;
	finish(&a, &b, ma, mb);
	return status;
}
