// SPDX-License-Identifier: GPL-2.0-only
/* Asks for more than the adapter has. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_qp_init_attr attr = qp_attr(&a, IBV_QPT_RC);

	/* lesson */
	attr.cap.max_send_sge = 1000;
	a.qp = ibv_create_qp(a.pd, &attr); /* NULL, EINVAL: but of what? */
	/* end of lesson */

	bool made = a.qp;

	close_end(&a);
	return !made;
}
