// SPDX-License-Identifier: GPL-2.0-only
/* Completions are polled as they come. */
#include "pitfall.h"

#define MESSAGES 12

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge from_a = sge_of(ma, 0, 64), from_b = sge_of(mb, 0, 64);
	struct ibv_send_wr to_b = wr_of(IBV_WR_SEND, 1, &from_a);
	struct ibv_send_wr to_a = wr_of(IBV_WR_SEND, 2, &from_b);
	int i, status = 0;

	a.cq = make_cq(&a, 2 * MESSAGES, NULL);
	add_qps(&a, &b);
	for (i = 0; i < MESSAGES; i++) {
		post_recv(&a, i, ma, 2048, 64);
		post_recv(&b, i, mb, 2048, 64);
	}
	connect_ends(&a, &b);

	/* lesson */
	for (i = 0; i < MESSAGES; i++)
		post_send(&a, &to_b);
	for (i = 0; i < MESSAGES; i++)
		status |= wait_done(&a) | wait_done(&b);
	for (i = 0; i < MESSAGES; i++)
		post_send(&b, &to_a);
	for (i = 0; i < MESSAGES; i++)
		status |= wait_done(&a) | wait_done(&b);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
