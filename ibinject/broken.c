// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "broken.h"
#include "device.h"

/*
 * Tables of objects that can break. cause: the column that tells whether a fault broke the object
 */
static const struct {
	const char *table, *number, *cause;
} breakable[] = {
	{ "qp", "qpn", "first_cause" },
	{ "cq", "cqn", NULL },
	{ "srq", "srqn", NULL },
};

static bool is(const struct debugfs_table *t, const char *column, const char *wanted)
{
	return !strcmp(debugfs_value(t, debugfs_column(t, column)), wanted);
}

void broken_tell(const char *dev)
{
	struct debugfs_table t;
	struct debugfs_file f;
	size_t i;

	for (i = 0; i < sizeof(breakable) / sizeof(breakable[0]); i++) {
		const char *kind = breakable[i].table, *cause = breakable[i].cause;
		int number, pid, comm;

		if (device_table(&t, &f, dev, kind, kind)) {
			number = debugfs_column(&t, breakable[i].number);
			pid = debugfs_column(&t, "pid");
			comm = debugfs_column(&t, "comm");
			while (debugfs_table_next(&t))
				if (is(&t, "state", "err") && (!cause || is(&t, cause, "injected")))
					cli_error("%s: %s %s of %s (pid %s) stays broken", dev,
						  kind, debugfs_value(&t, number),
						  debugfs_value(&t, comm), debugfs_value(&t, pid));
		}
		device_done(&f);
	}
}
