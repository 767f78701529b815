// SPDX-License-Identifier: GPL-2.0-only
/* Looks what may be registered, and makes do with it. */
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
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur / 2 < bytes) {
		bytes = limit.rlim_cur / 2;
		fprintf(stderr, "buffer of %zu bytes: ulimit -l is %llu KiB\n", bytes,
			(unsigned long long)limit.rlim_cur >> 10);
	}
	buf = aligned_alloc(4096, bytes);
	mr = ibv_reg_mr(a.pd, buf, bytes, IBV_ACCESS_LOCAL_WRITE);
	/* end of lesson */

	if (mr)
		ibv_dereg_mr(mr);
	free(buf);
	close_end(&a);
	return mr ? 0 : 1;
}
