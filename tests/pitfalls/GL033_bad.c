// SPDX-License-Identifier: GPL-2.0-only
/* A GRH from a GID that the port does not have. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_qp_attr rtr;
	union ibv_gid gid;
	int err;

	add_qps(&a, &b);
	if (ibv_query_gid(b.ctx, PORT, 0, &gid))
		die("query_gid failed");

	/* lesson */
	rtr = rtr_attr(&a, &b);
	rtr.ah_attr.is_global = 1;
	rtr.ah_attr.grh.dgid = gid;
	rtr.ah_attr.grh.sgid_index = 3; /* as on the other machine */
	rtr.ah_attr.grh.hop_limit = 1;
	err = ibv_modify_qp(a.qp, &rtr, RTR_MASK);
	/* end of lesson */

	close_ends(&a, &b);
	return err ? 1 : 0;
}
