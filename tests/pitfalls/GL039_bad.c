// SPDX-License-Identifier: GPL-2.0-only
/* The queue pair is destroyed with work under way. */
#include "pitfall.h"

#define BYTES 65536

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, BYTES);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	int i;

	add_qps(&a, &b);
	connect_ends(&a, &b);
	for (i = 0; i < DEPTH; i++)
		post_send(&a, &wr);

	/* lesson */
	ibv_destroy_qp(a.qp); /* which of the WRITEs happened? */
	/* end of lesson */

	a.qp = NULL;
	remove_qp(&b);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return 0;
}
