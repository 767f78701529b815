// SPDX-License-Identifier: GPL-2.0-only
/* Both sides have the same path MTU. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 8192, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 8192);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	struct ibv_qp_attr rtr, rts;
	enum ibv_mtu mtu;
	int status;

	add_qps(&a, &b);

	/* lesson */
	mtu = a.port.active_mtu < b.port.active_mtu ? a.port.active_mtu : b.port.active_mtu;
	rtr = rtr_attr(&b, &a);
	rtr.path_mtu = mtu;
	rts = rts_attr(&b);
	connect_with(&b, &rtr, &rts);

	rtr = rtr_attr(&a, &b);
	rtr.path_mtu = mtu;
	rts = rts_attr(&a);
	connect_with(&a, &rtr, &rts);
	/* end of lesson */

	post_send(&a, &wr);
	status = wait_done(&a);
	finish(&a, &b, ma, mb);
	return status;
}
