// SPDX-License-Identifier: GPL-2.0-only
/* Registers the buffer once. */
#include "pitfall.h"

#define MESSAGES 64

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	char *buf = aligned_alloc(4096, 4096);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	int i, status = 0;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	mr = ibv_reg_mr(a.pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		die("reg_mr: %s", strerror(errno));
	for (i = 0; i < MESSAGES; i++) {
		memset(buf, i, 64);
		sge = sge_of(mr, 0, 64);
		wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, mb);
		post_send(&a, &wr);
		status |= wait_done(&a);
	}
	ibv_dereg_mr(mr);
	/* end of lesson */

	remove_qp(&a);
	remove_qp(&b);
	unreg(mb);
	free(buf);
	close_ends(&a, &b);
	return status;
}
