// SPDX-License-Identifier: GPL-2.0-only
/* Connections are found by QPN, and those that ended are never taken off the list. */
#include "pitfall.h"

#define CONNECTIONS 4

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct {
		uint32_t qpn;
		int messages;
	} list[CONNECTIONS];
	struct ibv_wc wc;
	int i, k, status = 0;

	for (i = 0; i < CONNECTIONS; i++) {
		add_qps(&a, &b);
		post_recv(&b, 1, mb, 0, 64);
		connect_ends(&a, &b);
		/* lesson */
		list[i].qpn = b.qp->qp_num;
		list[i].messages = 0;
		/* end of lesson */
		post_send(&a, &wr);
		status |= wait_done(&a);
		wc = wait_wc(&b);
		/* lesson */
		for (k = 0; k < i && list[k].qpn != wc.qp_num; k++)
			;
		list[k].messages++;
		/* end of lesson */
		remove_qp(&a);
		remove_qp(&b);
	}
	for (i = 0; i < CONNECTIONS; i++)
		status |= list[i].messages != 1;

	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
