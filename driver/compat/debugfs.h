/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Linux 6.14 replaced debugfs_rename() by debugfs_change_name(). */
#ifndef GLASS_COMPAT_DEBUGFS_H
#define GLASS_COMPAT_DEBUGFS_H

#include <linux/dcache.h>
#include <linux/debugfs.h>

#include "compat/have.h"

/* Renames an entry within its directory. If that fails, the entry keeps its old name. */
static inline void glass_debugfs_rename(struct dentry *entry, const char *name)
{
#ifdef GLASS_HAVE_DEBUGFS_CHANGE_NAME
	debugfs_change_name(entry, "%s", name);
#else
	debugfs_rename(entry->d_parent, entry, entry->d_parent, name);
#endif
}

#endif
