// SPDX-License-Identifier: GPL-2.0-only
/* Forks with memory registered that shares its page with other data. */
#include <sys/wait.h>

#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_mr *mr;
	pid_t child;
	char *buf;

	/* lesson */
	buf = malloc(1000);
	mr = ibv_reg_mr(a.pd, buf, 1000, IBV_ACCESS_LOCAL_WRITE);
	child = fork();
	if (!child)
		_exit(0);
	memset(buf, 'x', 1000); /* in which page: the one that is registered? */
	/* end of lesson */

	waitpid(child, NULL, 0);
	if (!mr || ibv_dereg_mr(mr))
		die("reg_mr failed");
	free(buf);
	close_end(&a);
	return 0;
}
