// SPDX-License-Identifier: GPL-2.0-only
/* RDMA WRITE with immediate data, and a receive for each. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE_WITH_IMM, 1, &sge, mb);
	struct ibv_recv_wr *bad;
	int status;

	add_qps(&a, &b);
	/* lesson */
	struct ibv_recv_wr recv = recv_of(1, NULL); /* without memory: the data go elsewhere */

	if (ibv_post_recv(b.qp, &recv, &bad))
		die("post_recv failed");
	b.outstanding++;
	/* end of lesson */
	connect_ends(&a, &b);

	/* lesson */
	wr.imm_data = htobe32(1);
	post_send(&a, &wr);
	status = wait_done(&a) | wait_done(&b);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
