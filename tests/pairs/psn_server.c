// SPDX-License-Identifier: GPL-2.0-only
/* Expects another first PSN than the client's. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:finding */
		die("modify_qp");
}

INLINE void expect(struct end *e, const struct remote *r)
{
	struct ibv_qp_attr rtr = rtr_attr(e, &r->end);

	rtr.rq_psn = (r->end.psn + 1000) & 0xffffff;
	set(e->qp, &rtr, RTR_MASK); /* MARK:finding from */
}

INLINE void begin(struct end *e)
{
	struct ibv_qp_attr rts = rts_attr(e);

	set(e->qp, &rts, RTS_MASK);
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	post_recv(&e, 1, mr, 0, 64);
	exchange(&r, wait_for_client("psn"), &e, mr);
	expect(&e, &r);
	begin(&e);
	meet(&r);
	leave(&r, &e, mr);
	return 0;
}
