// SPDX-License-Identifier: GPL-2.0-only
/* Begins with its own PSN. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:peer */
		die("modify_qp");
}

INLINE void begin(struct end *e, const struct remote *r)
{
	struct ibv_qp_attr rtr = rtr_attr(e, &r->end), rts = rts_attr(e);

	give_up_early(&rts);
	set(e->qp, &rtr, RTR_MASK);
	set(e->qp, &rts, RTS_MASK); /* MARK:peer from */
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(mr, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("psn"), &e, mr);
	begin(&e, &r);
	meet(&r);
	post_send(&e, &wr);
	wait_done(&e);
	leave(&r, &e, mr);
	return 0;
}
