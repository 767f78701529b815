// SPDX-License-Identifier: GPL-2.0-only
/* Memory stays registered until the peer has said that it is done with it. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	struct ibv_send_wr done = wr_of(IBV_WR_SEND, 2, NULL);
	struct ibv_recv_wr recv = recv_of(1, NULL), *bad;
	int status;

	add_qps(&a, &b);
	if (ibv_post_recv(b.qp, &recv, &bad))
		die("post_recv failed");
	b.outstanding++;
	connect_ends(&a, &b);

	/* lesson */
	post_send(&a, &wr);
	post_send(&a, &done); /* a SEND behind it: "I am done with it" */
	status = wait_done(&b);
	unreg(mb);
	status |= wait_done(&a) | wait_done(&a);
	/* end of lesson */

	remove_qp(&a);
	remove_qp(&b);
	unreg(ma);
	close_ends(&a, &b);
	return status;
}
