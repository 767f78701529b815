// SPDX-License-Identifier: GPL-2.0-only
/* A READ into memory that may be written to. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_REMOTE_READ);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *ma;
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE); /* the adapter writes here */
	sge = sge_of(ma, 0, 64);
	wr = rdma_of(IBV_WR_RDMA_READ, 1, &sge, mb);
	post_send(&a, &wr);
	status = wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
