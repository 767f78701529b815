// SPDX-License-Identifier: GPL-2.0-only
/* An ordinary user sets a Q_Key that only privileged programs may have. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_qp_init_attr init = qp_attr(&a, IBV_QPT_UD);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT };
	int err;

	if (seteuid(65534))
		die("this needs root");
	a.qp = ibv_create_qp(a.pd, &init);
	if (!a.qp)
		die("create_qp: %s", strerror(errno));

	/* lesson */
	attr.qkey = 0x80010000;
	err = ibv_modify_qp(a.qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY); /* EPERM */
	/* end of lesson */

	close_end(&a);
	return err ? 1 : 0;
}
