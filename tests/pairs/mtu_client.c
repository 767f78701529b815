// SPDX-License-Identifier: GPL-2.0-only
/* Takes another path MTU than the server. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:finding */
		die("modify_qp");
}

INLINE void open_path(struct end *e, const struct remote *r)
{
	struct ibv_qp_attr rtr = rtr_attr(e, &r->end);

	rtr.path_mtu = IBV_MTU_1024;
	set(e->qp, &rtr, RTR_MASK); /* MARK:finding from */
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, find_server("mtu"), &e, mr);
	meet(&r); /* the server is connected */
	open_path(&e, &r);
	leave(&r, &e, mr);
	return 0;
}
