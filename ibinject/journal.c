// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "lib/pairs.h"

bool journal_open(struct journal *j, const char *dev, bool from_now)
{
	char line[JOURNAL_LINE];

	memset(j, 0, sizeof(*j));
	snprintf(j->dev, sizeof(j->dev), "%s", dev);
	j->fd = device_open(dev, "inject/journal", O_RDONLY);
	if (j->fd < 0)
		return false;
	while (from_now && journal_next(j, line))
		;
	j->missed = 0;
	return true;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}

/* A line that is complete; what is longer than the room for it is cut. */
static bool take_line(struct journal *j, char line[JOURNAL_LINE])
{
	char *end = memchr(j->buf, '\n', j->len);
	size_t len;

	if (!end)
		return false;
	len = end - j->buf;
	snprintf(line, JOURNAL_LINE, "%.*s", (int)len, j->buf);
	j->len -= len + 1;
	memmove(j->buf, end + 1, j->len);
	return true;
}

bool journal_next(struct journal *j, char line[JOURNAL_LINE])
{
	uint64_t seq;
	ssize_t n;

	for (;;) {
		if (take_line(j, line)) {
			if (!find_number(line, "seq", &seq))
				continue;
			/* told already, in a file that begins anew when it is read again */
			if (seq <= j->last)
				continue;
			if (j->last)
				j->missed += seq - j->last - 1;
			j->last = seq;
			return true;
		}
		if (j->len == sizeof(j->buf))
			j->len = 0;
		n = read(j->fd, j->buf + j->len, sizeof(j->buf) - j->len);
		if (n <= 0)
			return false;
		j->len += n;
	}
}
