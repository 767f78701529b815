// SPDX-License-Identifier: GPL-2.0-only
/* The peer is given the remote key. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	wr.wr.rdma.rkey = mb->rkey;
	post_send(&a, &wr);
	status = wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
