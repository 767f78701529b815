// SPDX-License-Identifier: GPL-2.0-only
/* Memory that is registered in another protection domain. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_pd *pd = ibv_alloc_pd(a.ctx);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *ma;
	int status;

	add_qps(&a, &b); /* in a.pd and b.pd */
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);

	/* lesson */
	ma = reg(pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	sge = sge_of(ma, 0, 64);
	wr = wr_of(IBV_WR_SEND, 1, &sge);
	post_send(&a, &wr); /* a.qp is in a.pd */
	status = wait_done(&a);
	/* end of lesson */

	remove_qp(&a);
	remove_qp(&b);
	unreg(ma);
	unreg(mb);
	ibv_dealloc_pd(pd);
	close_ends(&a, &b);
	return status;
}
