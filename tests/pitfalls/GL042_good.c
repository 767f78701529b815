// SPDX-License-Identifier: GPL-2.0-only
/* Knows by the wr_id what a completion is of. */
#include "pitfall.h"

#define IS_RECV (1ULL << 63) /* in each wr_id of a receive */

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_mr *mr = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_wc wc;
	int i, receives = 0;

	add_qp(&a, IBV_QPT_RC);
	for (i = 0; i < 4; i++)
		post_recv(&a, IS_RECV | i, mr, i * 64, 64);
	to_err(a.qp); /* four receives come back flushed */

	/* lesson */
	for (i = 0; i < 4; i++) {
		wc = wait_wc(&a);
		if (wc.wr_id & IS_RECV) /* defined, whatever the status */
			receives++;
	}
	/* end of lesson */

	remove_qp(&a);
	unreg(mr);
	close_end(&a);
	return receives == 4 ? 0 : 1;
}
