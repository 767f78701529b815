// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "lib/pairs.h"

static void tell_bad(struct journal *j)
{
	if (!j->file.bad || j->told)
		return;
	j->told = true;
	debugfs_tell(&j->file);
}

bool journal_open(struct journal *j, const char *dev, bool from_now)
{
	memset(j, 0, sizeof(*j));
	snprintf(j->dev, sizeof(j->dev), "%s", dev);
	j->fd = debugfs_open(&injection, dev, "inject/journal", O_RDONLY);
	if (j->fd < 0)
		return false;
	while (from_now && journal_next(j))
		;
	j->missed = 0;
	return true;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
	tell_bad(j);
	debugfs_free(&j->file);
}

/* Is the line a firing that was not returned yet? */
static bool is_new(struct journal *j, const char *line)
{
	uint64_t seq;

	if (!find_number(line, "seq", &seq)) {
		debugfs_bad(&j->file, "not a line of a journal: it has no seq=NUMBER");
		return false;
	}
	/* returned before: the file restarts with older firings when it is read again */
	if (seq <= j->last)
		return false;
	if (j->last)
		j->missed += seq - j->last - 1;
	j->last = seq;
	return true;
}

const char *journal_next(struct journal *j)
{
	const char *line;

	do {
		while ((line = debugfs_line(&j->file)))
			if (is_new(j, line))
				return line;
		tell_bad(j);
	} while (debugfs_more(&j->file, j->dev, "inject/journal", j->fd) > 0);
	return NULL;
}
