// SPDX-License-Identifier: GPL-2.0-only
/* The buffer was made for the data, the message has a header, too. */
#include "pitfall.h"

#define HEADER 8

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 8192, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *ma;
	int status;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 8192);
	connect_ends(&a, &b);

	/* lesson */
	ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	sge = sge_of(ma, 0, HEADER + 4096);
	wr = wr_of(IBV_WR_SEND, 1, &sge);
	post_send(&a, &wr);
	status = wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
