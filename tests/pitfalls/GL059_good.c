// SPDX-License-Identifier: GPL-2.0-only
/* The peer may write to its window. */
#include "pitfall.h"

#define WINDOW 4096

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_mr *mr;
	char *window;

	/* lesson */
	window = aligned_alloc(4096, WINDOW); /* what the peer needs */
	mr = ibv_reg_mr(a.pd, window, WINDOW, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	/* end of lesson */

	if (!mr || ibv_dereg_mr(mr))
		die("reg_mr failed");
	free(window);
	close_end(&a);
	return 0;
}
