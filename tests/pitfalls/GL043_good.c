// SPDX-License-Identifier: GPL-2.0-only
/* Looks at the first error, and makes a new connection. */
#include "pitfall.h"

#define MESSAGES 64

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_attr rtr, rts;
	int i, failures = 0;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_end(&b, &a);
	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	give_up_early(&rts);
	connect_with(&a, &rtr, &rts);
	to_err(b.qp); /* the peer dies */

	/* lesson */
	for (i = 0; i < MESSAGES; i++) {
		post_send(&a, &wr);
		if (!wait_done(&a)) {
			wait_wc(&b);
			post_recv(&b, i, mb, 0, 64);
			continue;
		}
		if (++failures > 1)
			break;
		remove_qp(&a);
		remove_qp(&b);
		add_qps(&a, &b);
		post_recv(&b, i, mb, 0, 64);
		connect_ends(&a, &b);
	}
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return failures == 1 ? 0 : 1;
}
