// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>

#include "lib/debugfs/node.h"
#include "lib/debugfs/table.h"

bool fabric_has_node(const char *name, unsigned int *ports)
{
	static const char *const columns[] = { "name", "kind", "ports" };
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	char value[NODE_NAME];
	bool found = false;
	uint64_t n;
	int at[3];

	if (debugfs_read(&f, FABRIC_DIR, "nodes"))
		goto out;
	if (!debugfs_table_begin(&t, &f, "fnode") || !debugfs_columns_find(&t, columns, 3, at))
		goto out;
	while (!found && debugfs_table_next(&t)) {
		debugfs_value_text(&t, at[0], value, sizeof(value));
		if (strcmp(value, name))
			continue;
		debugfs_value_text(&t, at[1], value, sizeof(value));
		if (!strcmp(value, "hca"))
			break;
		found = debugfs_value_number(&t, at[2], &n);
		*ports = n;
	}
out:
	debugfs_tell_once(&f);
	debugfs_free(&f);
	return found;
}
