// SPDX-License-Identifier: GPL-2.0-only
/* The peer may write to all of the heap. */
#include "pitfall.h"

/* Where the heap begins, and its length. */
static char *heap(size_t *bytes)
{
	unsigned long from = 0, to = 0;
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[heap]") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			break;
	if (!maps || fclose(maps) || !from)
		die("no heap");
	*bytes = to - from;
	return (char *)from;
}

int main(void)
{
	struct end a = open_end("glass0");
	struct ibv_mr *mr;
	size_t bytes;
	char *all;

	/* lesson */
	all = heap(&bytes); /* so that every malloc is registered already */
	mr = ibv_reg_mr(a.pd, all, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	/* end of lesson */

	if (!mr || ibv_dereg_mr(mr))
		die("reg_mr failed");
	close_end(&a);
	return 0;
}
