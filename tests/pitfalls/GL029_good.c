// SPDX-License-Identifier: GPL-2.0-only
/* A transition with all attributes that it needs. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_qp_attr rtr;
	int err;

	add_qps(&a, &b);

	/* lesson */
	rtr = rtr_attr(&a, &b);
	err = ibv_modify_qp(a.qp, &rtr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	/* end of lesson */

	close_ends(&a, &b);
	return err ? 1 : 0;
}
