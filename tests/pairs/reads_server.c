// SPDX-License-Identifier: GPL-2.0-only
/* Answers no READs. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:peer */
		die("modify_qp");
}

INLINE void serve(struct end *e, const struct remote *r)
{
	struct ibv_qp_attr rtr = rtr_attr(e, &r->end), rts = rts_attr(e);

	rtr.max_dest_rd_atomic = 0;
	set(e->qp, &rtr, RTR_MASK); /* MARK:peer from */
	set(e->qp, &rts, RTS_MASK);
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, wait_for_client("reads"), &e, mr);
	serve(&e, &r);
	meet(&r);
	leave(&r, &e, mr);
	return 0;
}
