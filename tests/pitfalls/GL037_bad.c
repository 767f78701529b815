// SPDX-License-Identifier: GPL-2.0-only
/* ibv_post_recv on a queue pair that takes its receives from an SRQ. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(a.pd, &srq_attr);
	struct ibv_qp_init_attr attr = qp_attr(&a, IBV_QPT_RC);
	struct ibv_mr *mr = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(mr, 0, 64);
	struct ibv_recv_wr wr = recv_of(1, &sge), *bad;
	int err;

	attr.srq = srq;
	add_qp_with(&a, &attr);

	/* lesson */
	err = ibv_post_recv(a.qp, &wr, &bad); /* EINVAL */
	/* end of lesson */

	remove_qp(&a);
	ibv_destroy_srq(srq);
	unreg(mr);
	close_end(&a);
	return err ? 1 : 0;
}
