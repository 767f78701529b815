// SPDX-License-Identifier: GPL-2.0-only
/* A GRH from a GID that was looked for. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_gid_entry entry;
	struct ibv_qp_attr rtr;
	union ibv_gid gid;
	bool is_ethernet;
	int err, i;

	add_qps(&a, &b);
	if (ibv_query_gid(b.ctx, PORT, 0, &gid))
		die("query_gid failed");

	/* lesson */
	is_ethernet = a.port.link_layer == IBV_LINK_LAYER_ETHERNET;
	for (i = 0; i < a.port.gid_tbl_len; i++)
		if (!ibv_query_gid_ex(a.ctx, PORT, i, &entry, 0) &&
		    entry.gid_type == (is_ethernet ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_IB))
			break;
	rtr = rtr_attr(&a, &b);
	rtr.ah_attr.is_global = 1;
	rtr.ah_attr.grh.dgid = gid;
	rtr.ah_attr.grh.sgid_index = i; /* one that the port has */
	rtr.ah_attr.grh.hop_limit = 1;
	err = ibv_modify_qp(a.qp, &rtr, RTR_MASK);
	/* end of lesson */

	close_ends(&a, &b);
	return err ? 1 : 0;
}
