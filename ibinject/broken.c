// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "broken.h"
#include "device.h"
#include "table_text.h"

/* Tables of objects that can break; cause: the column that tells whether a fault did it */
static const struct {
	const char *table, *number, *cause;
} breakable[] = {
	{ "qp", "qpn", "first_cause" },
	{ "cq", "cqn", NULL },
	{ "srq", "srqn", NULL },
};

static bool is(const char *table, const char *line, const char *column, const char *wanted)
{
	char word[32];

	return table_value(table, line, column, word, sizeof(word)) && !strcmp(word, wanted);
}

void broken_tell(const char *dev)
{
	char number[32], pid[32], comm[64];
	const char *line;
	char *table;
	size_t i;

	for (i = 0; i < sizeof(breakable) / sizeof(breakable[0]); i++) {
		const char *cause = breakable[i].cause;

		table = device_read(dev, breakable[i].table);
		for (line = table ? strchr(table, '\n') : NULL; line && line[1];
		     line = strchr(line, '\n')) {
			line++;
			if (!is(table, line, "state", "err") ||
			    (cause && !is(table, line, cause, "injected")) ||
			    !table_value(table, line, breakable[i].number, number, sizeof(number)) ||
			    !table_value(table, line, "pid", pid, sizeof(pid)) ||
			    !table_value(table, line, "comm", comm, sizeof(comm)))
				continue;
			cli_error("%s: %s %s of %s (pid %s) stays broken", dev, breakable[i].table, number,
				  comm, pid);
		}
		free(table);
	}
}
