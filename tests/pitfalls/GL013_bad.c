// SPDX-License-Identifier: GPL-2.0-only
/* A datagram's receive without room for the GRH. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_ah *ah = make_ah(a.pd, &b);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	int status;

	add_qp(&a, IBV_QPT_UD);
	add_qp(&b, IBV_QPT_UD);
	/* lesson */
	post_recv(&b, 1, mb, 0, 64); /* the message is of 64 bytes */
	/* end of lesson */
	ready_ud(&b);
	ready_ud(&a);
	wr = datagram_of(1, &sge, ah, &b);
	post_send(&a, &wr);

	status = wait_done(&a);
	status |= !try_wc(&b, &wc, 50); /* it never arrives */
	ibv_destroy_ah(ah);
	finish(&a, &b, ma, mb);
	return status;
}
