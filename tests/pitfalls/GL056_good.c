// SPDX-License-Identifier: GPL-2.0-only
/* Waits for solicited messages, and the sender marks the last of a batch. */
#include "pitfall.h"

#define MESSAGES 8

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_comp_channel *channel = ibv_create_comp_channel(b.ctx);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_cq *cq;
	void *context;
	int i, status = 0;

	b.cq = make_cq(&b, 2 * DEPTH, channel);
	add_qps(&a, &b);
	for (i = 0; i < MESSAGES; i++)
		post_recv(&b, i, mb, 0, 64);
	connect_ends(&a, &b);

	/* lesson */
	ibv_req_notify_cq(b.cq, 1);
	for (i = 0; i < MESSAGES; i++) {
		if (i == MESSAGES - 1)
			wr.send_flags |= IBV_SEND_SOLICITED;
		post_send(&a, &wr);
		status |= wait_done(&a);
	}
	if (ibv_get_cq_event(channel, &cq, &context))
		die("no event");
	ibv_ack_cq_events(cq, 1);
	/* end of lesson */

	for (i = 0; i < MESSAGES; i++)
		wait_done(&b);
	remove_qp(&b);
	ibv_destroy_cq(b.cq);
	b.cq = NULL;
	ibv_destroy_comp_channel(channel);
	remove_qp(&a);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
