// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers memory, for those who count: register DEVICE COUNT BYTES. Each time
 * BYTES more than the time before, deregistered at once.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;
	struct ibv_context *context = NULL;

	for (d = list; d && *d && !context; d++)
		if (!strcmp(ibv_get_device_name(*d), name))
			context = ibv_open_device(*d);
	ibv_free_device_list(list);
	return context;
}

int main(int argc, char **argv)
{
	struct ibv_context *context;
	unsigned long count, bytes, i;
	struct ibv_pd *pd;
	char *memory;

	if (argc != 4) {
		fprintf(stderr, "Usage: register DEVICE COUNT BYTES\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 0);
	bytes = strtoul(argv[3], NULL, 0);
	context = open_device(argv[1]);
	if (!context) {
		fprintf(stderr, "register: cannot open %s\n", argv[1]);
		return 1;
	}
	pd = ibv_alloc_pd(context);
	memory = malloc(count * bytes);
	if (!pd || !memory) {
		perror("register");
		return 1;
	}
	for (i = 1; i <= count; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, i * bytes, IBV_ACCESS_LOCAL_WRITE);

		if (!mr || ibv_dereg_mr(mr)) {
			perror("register");
			return 1;
		}
	}
	free(memory);
	return ibv_dealloc_pd(pd) || ibv_close_device(context);
}
