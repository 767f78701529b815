// SPDX-License-Identifier: GPL-2.0-only
/* The address handle stays until all sends that name it are done. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_ah *ah = make_ah(a.pd, &b);
	struct ibv_send_wr wr;
	int i, status = 0;

	add_qp(&a, IBV_QPT_UD);
	add_qp(&b, IBV_QPT_UD);
	for (i = 0; i < DEPTH; i++)
		post_recv(&b, i, mb, 0, GRH_BYTES + 64);
	ready_ud(&b);
	ready_ud(&a);
	wr = datagram_of(1, &sge, ah, &b);

	/* lesson */
	for (i = 0; i < DEPTH; i++)
		post_send(&a, &wr);
	for (i = 0; i < DEPTH; i++)
		status |= wait_done(&a);
	ibv_destroy_ah(ah);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
