// SPDX-License-Identifier: GPL-2.0-only
/* An address handle for each send. */
#include "pitfall.h"

#define MESSAGES 64

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr;
	struct ibv_ah *ah;
	int i, status = 0;

	add_qp(&a, IBV_QPT_UD);
	add_qp(&b, IBV_QPT_UD);
	ready_ud(&b);
	ready_ud(&a);

	/* lesson */
	for (i = 0; i < MESSAGES; i++) {
		post_recv(&b, i, mb, 0, GRH_BYTES + 64);
		ah = make_ah(a.pd, &b);
		wr = datagram_of(i, &sge, ah, &b);
		post_send(&a, &wr);
		status |= wait_done(&a) | wait_done(&b);
		ibv_destroy_ah(ah);
	}
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
