// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>

#include "attempt.h"
#include "device.h"
#include "lib/child.h"
#include "lib/debugfs/text.h"

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* Returns how many objects programs have left undestroyed on a device so far. */
static int64_t left_on(const char *dev)
{
	static const char key[] = "left: ";
	struct debugfs_file f = { 0 };
	const char *line;
	uint64_t left = 0;

	if (!debugfs_read(&f, dev, "inject/stats"))
		while ((line = debugfs_line(&f)))
			if (!strncmp(line, key, strlen(key)))
				debugfs_number(line + strlen(key), strlen(line) - strlen(key),
					       &left);
	device_done(&f);
	return left;
}

static int64_t objects_left(void)
{
	struct devices all;
	int64_t sum = 0;
	size_t d;

	if (devices_find(&all))
		return 0;
	for (d = 0; d < all.count; d++)
		sum += left_on(all.name[d]);
	return sum;
}

/* polling interval of look(), in ms */
#define LOOK_EVERY 2

int attempt(struct attempt *a, char **program, uint64_t limit_ms)
{
	return attempt_watched(a, program, limit_ms, NULL, NULL);
}

int attempt_watched(struct attempt *a, char **program, uint64_t limit_ms, bool (*look)(void *data),
		    void *data)
{
	int64_t before = objects_left();
	uint64_t begin = now_ms(), spent;
	struct child child;
	bool stopped, over = false;
	int fatal;

	memset(a, 0, sizeof(*a));
	fatal = child_start_apart(&child, program);
	if (fatal)
		return fatal;
	while (look && !over && !look(data) && now_ms() - begin < limit_ms)
		over = child_wait(&child, LOOK_EVERY);
	spent = now_ms() - begin;
	if (!over)
		child_wait(&child, spent < limit_ms ? limit_ms - spent : 0);
	stopped = child.stopped;
	a->ms = now_ms() - begin;
	a->hung = !child.ended;
	a->crashed = child.ended && child.killed;
	a->status = child.ended ? child.status : 0;
	child_end(&child);
	a->left = objects_left() - before;
	return stopped ? 130 : 0;
}
