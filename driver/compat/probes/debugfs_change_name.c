// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does debugfs_change_name() exist? */
#include <linux/debugfs.h>

int probe(struct dentry *entry);

int probe(struct dentry *entry)
{
	return debugfs_change_name(entry, "%s", "name");
}
