// SPDX-License-Identifier: GPL-2.0-only
/* The buffer is used again when its completion was polled. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 4096);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	memset(ma->addr, 'x', 4096);
	post_send(&a, &wr);
	status = wait_done(&a);
	memset(ma->addr, 'y', 4096);
	/* end of lesson */

	if (*(char *)mb->addr != 'x')
		status = 1;
	finish(&a, &b, ma, mb);
	return status;
}
