// SPDX-License-Identifier: GPL-2.0-only
/* A receive is missing, and rnr_retry 7 hides it. */
#include "pitfall.h"

#define PATIENCE_MS 1500

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_attr rtr, rts;
	struct ibv_wc wc;
	int status;

	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	connect_end(&b, &a);

	/* lesson */
	rts.rnr_retry = 7; /* without end */
	connect_with(&a, &rtr, &rts);
	post_send(&a, &wr);
	status = wait_done(&a) | wait_done(&b);
	post_send(&a, &wr); /* for this one there is no receive */
	/* end of lesson */

	if (!try_wc(&a, &wc, PATIENCE_MS)) {
		fprintf(stderr, "nothing, not even an error\n");
		status = 1;
	}
	finish(&a, &b, ma, mb);
	return status;
}
