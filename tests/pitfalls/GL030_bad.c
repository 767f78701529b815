// SPDX-License-Identifier: GPL-2.0-only
/* Random PSNs of 32 bits. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_qp_attr rtr;
	int err;

	add_qps(&a, &b);

	/* lesson */
	a.psn = 0x12000000 | now_ms(); /* its sq_psn, and the peer's rq_psn */
	rtr = rtr_attr(&b, &a);
	err = ibv_modify_qp(b.qp, &rtr, RTR_MASK);
	/* end of lesson */

	close_ends(&a, &b);
	return err ? 1 : 0;
}
