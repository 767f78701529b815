// SPDX-License-Identifier: GPL-2.0-only
/* Asks for what it would like, or what the adapter has when that is less. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_qp_init_attr attr = qp_attr(&a, IBV_QPT_RC);

	/* lesson */
	struct ibv_device_attr device;

	if (ibv_query_device(a.ctx, &device))
		die("query_device failed");
	attr.cap.max_send_sge = device.max_sge < 1000 ? device.max_sge : 1000;
	a.qp = ibv_create_qp(a.pd, &attr);
	/* end of lesson */

	bool made = a.qp;

	close_end(&a);
	return !made;
}
