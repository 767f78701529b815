// SPDX-License-Identifier: GPL-2.0-only
/* Allocations and copies that fail: CONFIG_FAULT_INJECTION of the debug kernel. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "door.h"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

bool faults_open(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[128], start[32], end[32];
	uint64_t first, last;
	unsigned int i;

	if (!module_text(&first, &last))
		return false;
	snprintf(start, sizeof(start), "0x%llx", (unsigned long long)first);
	snprintf(end, sizeof(end), "0x%llx", (unsigned long long)last);
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		/* but for these, failures would be of the core's calls, most of them */
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/require-start", kinds[i]);
		if (!put(path, start))
			return false;
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/require-end", kinds[i]);
		if (!put(path, end))
			return false;
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kinds[i]);
		put(path, "0");
		/* allocations that may sleep fail, too; user copies have no such file */
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kinds[i]);
		put(path, "N");
	}
	put("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	return true;
}

static const struct arg a_fail_nth[] = { { "nth", K_NUM, 0, 0, 1, 0, 0 } };

/* The n-th allocation or copy of this thread that Glass makes from now on fails. */
static long fail_nth(const struct row *row, const uint64_t *v)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", (unsigned int)(v[0] % 256));
	return put("/proc/thread-self/fail-nth", text) ? 0 : -ENOENT;
}

const struct row rows_fault[] = {
	{ "fail_nth", fail_nth, a_fail_nth, ARRAY_LEN(a_fail_nth), 0, NULL },
	{},
};
