// SPDX-License-Identifier: GPL-2.0-only
/* An empty message by an SGE of length 0. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int status;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);

	/* lesson */
	sge = sge_of(ma, 0, 0);
	wr = wr_of(IBV_WR_SEND, 1, &sge);
	post_send(&a, &wr);
	/* end of lesson */

	status = wait_done(&a) || wait_done(&b);
	finish(&a, &b, ma, mb);
	return status;
}
