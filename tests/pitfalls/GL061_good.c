// SPDX-License-Identifier: GPL-2.0-only
/* A window gets a new R_Key whose index is its own. */
#include "pitfall.h"

#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, ACCESS);
	struct ibv_mw *mw = ibv_alloc_mw(b.pd, IBV_MW_TYPE_2);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	struct ibv_send_wr bind = wr_of(IBV_WR_BIND_MW, 2, NULL);
	int status;

	if (!mw)
		die("alloc_mw: %s", strerror(errno));
	add_qps(&a, &b);
	connect_ends(&a, &b);
	bind.bind_mw.mw = mw;
	bind.bind_mw.bind_info =
		(struct ibv_mw_bind_info){ .mr = mb,
					   .addr = (uintptr_t)mb->addr,
					   .length = 4096,
					   .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };

	/* lesson */
	bind.bind_mw.rkey = ibv_inc_rkey(mw->rkey); /* the same index, another low byte */
	post_send(&b, &bind);
	status = wait_done(&b);
	wr.wr.rdma.rkey = bind.bind_mw.rkey;
	/* end of lesson */

	post_send(&a, &wr);
	status |= wait_done(&a);
	if (ibv_dealloc_mw(mw))
		die("dealloc_mw failed");
	finish(&a, &b, ma, mb);
	return status;
}
