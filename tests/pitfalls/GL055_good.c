// SPDX-License-Identifier: GPL-2.0-only
/* A list of requests is refused in its midst, and goes on there. */
#include "pitfall.h"

#define LIST 4

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr list[LIST], *bad;
	int i, status = 0;

	add_qps(&a, &b);
	connect_ends(&a, &b);
	for (i = 0; i < LIST; i++) {
		list[i] = rdma_of(IBV_WR_RDMA_WRITE, 100 + i, &sge, mb);
		list[i].next = i + 1 < LIST ? &list[i + 1] : NULL;
	}
	list[2].send_flags |= IBV_SEND_IP_CSUM; /* which not every adapter can */

	/* lesson */
	if (ibv_post_send(a.qp, list, &bad)) {
		bad->send_flags &= ~IBV_SEND_IP_CSUM;
		if (ibv_post_send(a.qp, bad, &bad)) /* what is before it is in the queue */
			die("post_send failed");
	}
	/* end of lesson */

	for (i = 0; i < LIST; i++)
		status |= wait_done(&a);
	a.outstanding = 0;
	finish(&a, &b, ma, mb);
	return status;
}
