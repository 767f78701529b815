// SPDX-License-Identifier: GPL-2.0-only
/* Has libibverbs prepared for forks, and registers whole pages. */
#include <sys/wait.h>

#include "pitfall.h"

int main(void)
{
	struct ibv_mr *mr;
	struct end a;
	pid_t child;
	char *buf;

	/* lesson */
	if (ibv_fork_init()) /* before any other verb */
		die("ibv_fork_init failed");
	a = open_end("glass0");
	buf = aligned_alloc(4096, 4096); /* nothing else is in this page */
	mr = ibv_reg_mr(a.pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	child = fork();
	if (!child)
		_exit(0);
	memset(buf, 'x', 1000);
	/* end of lesson */

	waitpid(child, NULL, 0);
	if (!mr || ibv_dereg_mr(mr))
		die("reg_mr failed");
	free(buf);
	close_end(&a);
	return 0;
}
