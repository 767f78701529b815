/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs that make many objects share: how much memory the kernel and programs have. */
#ifndef GROWTH_H
#define GROWTH_H

#include "vt.h"

/* In KiB. */
struct growth {
	long kernel; /* of the kernel alone, without caches that it gives back: slabs, vmalloc, rings, per CPU, page tables */
	long user;   /* anonymous pages of all programs */
};

static long growth_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	CHECK(at, "/proc/meminfo has no %s", name);
	return strtol(at + strlen(name), NULL, 10);
}

/* What is in use now. Pages that wait in lists of CPUs are in it: up to some MiB. */
static VT_UNUSED struct growth growth_now(void)
{
	static const char *const others[] = { "\nMemFree:", "\nBuffers:", "\nCached:", "\nSReclaimable:" };
	struct growth now;
	char text[8192] = "\n";
	unsigned int i;
	ssize_t n;
	int fd = open("/proc/meminfo", O_RDONLY);

	CHECK(fd >= 0, "/proc/meminfo: %s", strerror(errno));
	n = read(fd, text + 1, sizeof(text) - 2);
	CHECK(n > 0, "/proc/meminfo: %s", strerror(errno));
	close(fd);
	now.user = growth_field(text, "\nAnonPages:");
	now.kernel = growth_field(text, "\nMemTotal:") - now.user;
	for (i = 0; i < ARRAY_LEN(others); i++)
		now.kernel -= growth_field(text, others[i]);
	return now;
}

/* Prints `NAME_ms N`, the time since *from in milliseconds, and sets *from to now. */
static VT_UNUSED void growth_lap(const char *name, uint64_t *from)
{
	uint64_t now = vt_now_ms();

	printf("%s_ms %llu\n", name, (unsigned long long)(now - *from));
	*from = now;
}

/* Prints `NAME_kernel_kb N` and `NAME_user_kb N`: how much more is in use than before. */
static VT_UNUSED void growth_print(const char *name, const struct growth *before)
{
	struct growth now = growth_now();

	printf("%s_kernel_kb %ld\n%s_user_kb %ld\n", name, now.kernel - before->kernel, name, now.user - before->user);
}

#endif
