// SPDX-License-Identifier: GPL-2.0-only
/* Registers more than a user may. */
#include <sys/resource.h>

#include "pitfall.h"

int main(void)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };
	struct end a = open_end("glass0");
	struct ibv_mr *mr;
	size_t bytes;
	void *buf;

	/* as an ordinary user with a small limit */
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || seteuid(65534))
		die("this needs root");

	/* lesson */
	bytes = 1 << 20;
	buf = aligned_alloc(4096, bytes);
	mr = ibv_reg_mr(a.pd, buf, bytes, IBV_ACCESS_LOCAL_WRITE); /* NULL, ENOMEM */
	/* end of lesson */

	if (mr)
		ibv_dereg_mr(mr);
	free(buf);
	close_end(&a);
	return mr ? 0 : 1;
}
