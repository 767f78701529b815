// SPDX-License-Identifier: GPL-2.0-only
/* Asks for as many as it posts. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	struct ibv_qp_init_attr attr = qp_attr(&a, IBV_QPT_RC);
	int i, err = 0, status = 0;

	/* lesson */
	attr.cap.max_send_wr = 16;
	/* end of lesson */
	add_qp_with(&a, &attr);
	add_qp(&b, IBV_QPT_RC);
	connect_ends(&a, &b);

	/* lesson */
	for (i = 0; i < 16 && !err; i++)
		err = try_send(&a, &wr);
	while (a.outstanding)
		status |= wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return err ? 1 : status;
}
