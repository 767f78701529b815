// SPDX-License-Identifier: GPL-2.0-only
/* A datagram that is longer than a packet may be. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 8192, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, GRH_BYTES + 8192, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_ah *ah = make_ah(a.pd, &b);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	int status;

	add_qp(&a, IBV_QPT_UD);
	add_qp(&b, IBV_QPT_UD);
	post_recv(&b, 1, mb, 0, GRH_BYTES + 8192);
	ready_ud(&b);
	ready_ud(&a);

	/* lesson */
	sge = sge_of(ma, 0, 8192); /* the MTU is 4096 */
	wr = datagram_of(1, &sge, ah, &b);
	status = try_send(&a, &wr) || wait_done(&a);
	/* end of lesson */

	ibv_destroy_ah(ah);
	finish(&a, &b, ma, mb);
	return status;
}
