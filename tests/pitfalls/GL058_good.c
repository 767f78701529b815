// SPDX-License-Identifier: GPL-2.0-only
/* Waits until the port is ACTIVE before it connects. */
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
	do {
		if (ibv_query_port(a.ctx, PORT, &a.port))
			die("query_port failed");
		if (a.port.state != IBV_PORT_ACTIVE)
			poll(NULL, 0, 20); /* or wait for IBV_EVENT_PORT_ACTIVE */
	} while (a.port.state != IBV_PORT_ACTIVE);
	rtr = rtr_attr(&a, &a);
	rtr.path_mtu = IBV_MTU_1024;
	rtr.ah_attr.dlid = PEER_LID;
	err = ibv_modify_qp(a.qp, &rtr, RTR_MASK);
	/* end of lesson */

	close_end(&a);
	return err ? 1 : 0;
}
