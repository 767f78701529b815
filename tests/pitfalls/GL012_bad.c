// SPDX-License-Identifier: GPL-2.0-only
/* The message is longer than the receive. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 1024);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	int status;

	add_qps(&a, &b);
	/* lesson */
	post_recv(&b, 1, mb, 0, 512);
	connect_ends(&a, &b);
	post_send(&a, &wr); /* 1024 bytes */
	/* end of lesson */

	status = wait_done(&a) | wait_done(&b);
	finish(&a, &b, ma, mb);
	return status;
}
