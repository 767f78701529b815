// SPDX-License-Identifier: GPL-2.0-only
/* Asynchronous events are read, and acknowledged. */
#include "pitfall.h"

#define ROUNDS 8

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_attr sqd = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	struct ibv_async_event event;
	int i;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	for (i = 0; i < ROUNDS; i++) {
		modify(a.qp, &sqd, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
		do {
			if (ibv_get_async_event(a.ctx, &event))
				die("no event");
			ibv_ack_async_event(&event);
		} while (event.event_type != IBV_EVENT_SQ_DRAINED);
		modify(a.qp, &rts, IBV_QP_STATE);
	}
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return 0;
}
