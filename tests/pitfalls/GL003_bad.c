// SPDX-License-Identifier: GPL-2.0-only
/* No send is ever signaled. */
#include "pitfall.h"

#define PATIENCE_MS 50

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb), *bad;
	int64_t until;
	int i, err = 0;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	wr.send_flags = 0;
	for (i = 0; i < 4 * DEPTH && !err; i++) {
		until = now_ms() + PATIENCE_MS;
		do
			err = ibv_post_send(a.qp, &wr, &bad); /* the 17th: ENOMEM, for ever */
		while (err == ENOMEM && now_ms() < until);
	}
	/* end of lesson */

	to_err(a.qp); /* should some not be done yet, they are flushed */
	finish(&a, &b, ma, mb);
	return err ? 1 : 0;
}
