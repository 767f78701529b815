// SPDX-License-Identifier: GPL-2.0-only
/* Every eighth send is signaled, and its completion frees the seven before it, too. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb), *bad;
	int i, err = 0, status = 0;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	for (i = 1; i <= 4 * DEPTH && !err; i++) {
		wr.send_flags = i % 8 ? 0 : IBV_SEND_SIGNALED;
		err = ibv_post_send(a.qp, &wr, &bad);
		if (i % 8 == 0 && ++a.outstanding == DEPTH / 8)
			status |= wait_done(&a); /* eight slots are free */
	}
	/* end of lesson */

	while (a.outstanding)
		status |= wait_done(&a);
	finish(&a, &b, ma, mb);
	return err ? 1 : status;
}
