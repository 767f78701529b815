// SPDX-License-Identifier: GPL-2.0-only
/* Nobody reads the asynchronous events. */
#include "pitfall.h"

#define ROUNDS 8

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_attr sqd = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	int i;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	for (i = 0; i < ROUNDS; i++) {
		/* tell me by IBV_EVENT_SQ_DRAINED when what is under way is done */
		modify(a.qp, &sqd, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
		/* it will be done by now */
		modify(a.qp, &rts, IBV_QP_STATE);
	}
	/* end of lesson */

	ibv_destroy_qp(a.qp); /* remove_qp() would read them */
	a.qp = NULL;
	remove_qp(&b);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return 0;
}
