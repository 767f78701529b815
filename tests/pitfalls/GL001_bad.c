// SPDX-License-Identifier: GPL-2.0-only
/* A CQ that is smaller than what may complete into it. */
#include "pitfall.h"

#define RECEIVES 12
#define SENDS	 6

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	int i, status = 0;

	/* lesson */
	a.cq = make_cq(&a, DEPTH, NULL); /* 16 entries */
	add_qps(&a, &b); /* each with 16 sends and 16 receives */
	/* end of lesson */
	for (i = 0; i < RECEIVES; i++) {
		post_recv(&a, i, ma, 2048, 64);
		post_recv(&b, i, mb, 2048, 64);
	}
	connect_ends(&a, &b);

	/* lesson */
	for (i = 0; i < SENDS; i++)
		post_send(&a, &wr); /* 18 completions may come into it now */
	/* end of lesson */
	for (i = 0; i < SENDS; i++)
		status |= wait_done(&a) | wait_done(&b);

	finish(&a, &b, ma, mb);
	return status;
}
