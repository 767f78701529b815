// SPDX-License-Identifier: GPL-2.0-only
/* Connects without a look at the port. Needs ports that no subnet manager has made ACTIVE. */
#include "pitfall.h"

#define PEER_LID 1 /* of a job that ran yesterday */

int main(void)
{
	struct end a = { .ctx = open_device("glass0") };
	struct ibv_qp_attr rtr;
	int err;

	a.pd = ibv_alloc_pd(a.ctx);
	if (!a.pd)
		die("alloc_pd: %s", strerror(errno));
	add_qp(&a, IBV_QPT_RC);

	/* lesson */
	rtr = rtr_attr(&a, &a);
	rtr.path_mtu = IBV_MTU_1024;
	rtr.ah_attr.dlid = PEER_LID; /* the port's own state nobody looks at */
	err = ibv_modify_qp(a.qp, &rtr, RTR_MASK);
	/* end of lesson */

	close_end(&a);
	return err ? 1 : 0;
}
