// SPDX-License-Identifier: GPL-2.0-only
/* Arms the CQ, polls once more, and only then sleeps. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_comp_channel *channel = ibv_create_comp_channel(b.ctx);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;
	int status;

	b.cq = make_cq(&b, 2 * DEPTH, channel);
	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);
	post_send(&a, &wr);
	status = wait_done(&a); /* the message is there, and its completion */

	/* lesson */
	ibv_req_notify_cq(b.cq, 0);
	if (!try_wc(&b, &wc, 0)) /* what came before the CQ was armed */
		status |= !readable(channel->fd, WAIT_MS);
	/* end of lesson */

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
