// SPDX-License-Identifier: GPL-2.0-only
/* An address handle of the queue pair's own protection domain. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr;
	struct ibv_ah *ah;
	int status;

	add_qp(&a, IBV_QPT_UD); /* in a.pd */
	add_qp(&b, IBV_QPT_UD);
	post_recv(&b, 1, mb, 0, GRH_BYTES + 64);
	ready_ud(&b);
	ready_ud(&a);

	/* lesson */
	ah = make_ah(a.qp->pd, &b);
	wr = datagram_of(1, &sge, ah, &b);
	status = try_send(&a, &wr) || wait_done(&a);
	/* end of lesson */

	ibv_destroy_ah(ah);
	finish(&a, &b, ma, mb);
	return status;
}
