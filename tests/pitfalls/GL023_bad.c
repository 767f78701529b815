// SPDX-License-Identifier: GPL-2.0-only
/* Remote write access without local write access. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	static char buf[4096];
	struct ibv_mr *mr;
	int status;

	/* lesson */
	mr = ibv_reg_mr(a.pd, buf, sizeof(buf), IBV_ACCESS_REMOTE_WRITE); /* NULL, EINVAL */
	/* end of lesson */

	status = mr ? ibv_dereg_mr(mr) : 1;
	close_end(&a);
	return status;
}
