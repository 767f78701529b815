// SPDX-License-Identifier: GPL-2.0-only
/* Is connected before it has ever posted a receive. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:finding */
		die("modify_qp");
}

INLINE void accept_client(struct end *e, const struct remote *r)
{
	struct ibv_qp_attr rtr = rtr_attr(e, &r->end), rts = rts_attr(e);

	set(e->qp, &rtr, RTR_MASK);
	set(e->qp, &rts, RTS_MASK); /* MARK:finding from */
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, wait_for_client("late"), &e, mr);
	accept_client(&e, &r);
	meet(&r);
	/* too late: the client has given up */
	meet(&r);
	post_recv(&e, 1, mr, 0, 64);
	leave(&r, &e, mr);
	return 0;
}
