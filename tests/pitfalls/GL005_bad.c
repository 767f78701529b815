// SPDX-License-Identifier: GPL-2.0-only
/* Sends inline what was never asked for at create_qp. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_qp_init_attr attr = qp_attr(&a, IBV_QPT_RC);
	char message[512] = "hello";
	struct ibv_sge sge = { (uintptr_t)message, sizeof(message), 0 };
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	int status;

	/* lesson */
	attr.cap.max_inline_data = 64;
	/* end of lesson */
	add_qp_with(&a, &attr);
	add_qp(&b, IBV_QPT_RC);
	connect_ends(&a, &b);

	/* lesson */
	wr.send_flags |= IBV_SEND_INLINE;
	status = try_send(&a, &wr) || wait_done(&a); /* 512 bytes: ENOMEM */
	/* end of lesson */

	remove_qp(&a);
	remove_qp(&b);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
