// SPDX-License-Identifier: GPL-2.0-only
/* A message in as many datagrams as it takes. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 8192, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, DEPTH * (GRH_BYTES + 4096), IBV_ACCESS_LOCAL_WRITE);
	struct ibv_ah *ah = make_ah(a.pd, &b);
	struct ibv_send_wr wr;
	uint32_t done, mtu;
	struct ibv_sge sge;
	int i, status = 0;

	add_qp(&a, IBV_QPT_UD);
	add_qp(&b, IBV_QPT_UD);
	for (i = 0; i < DEPTH; i++)
		post_recv(&b, i, mb, i * (GRH_BYTES + 4096), GRH_BYTES + 4096);
	ready_ud(&b);
	ready_ud(&a);

	/* lesson */
	mtu = 128 << a.port.active_mtu;
	for (done = 0; done < 8192; done += sge.length) {
		sge = sge_of(ma, done, 8192 - done < mtu ? 8192 - done : mtu);
		wr = datagram_of(1, &sge, ah, &b);
		status |= try_send(&a, &wr) || wait_done(&a) || wait_done(&b);
	}
	/* end of lesson */

	ibv_destroy_ah(ah);
	finish(&a, &b, ma, mb);
	return status;
}
