// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates directories that only root may enter, and files and directories that exist only while a
 * device is plugged in. Splits a write into commands.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "debugfs/files.h"

/* debugfs_create_dir() makes a directory that every user may list. So change its mode. */
struct dentry *glass_control_dir(const char *name, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir(name, parent);

	if (!IS_ERR(dir)) {
		struct inode *inode = d_inode(dir);

		inode_lock(inode);
		inode->i_mode = S_IFDIR | 0700;
		inode_unlock(inode);
	}
	return dir;
}

static void control_keep_file(struct glass_control *c, struct dentry *file)
{
	if (!WARN_ON(c->nfiles == GLASS_CONTROL_FILES))
		c->file[c->nfiles++] = file;
}

void glass_control_file(struct glass_control *c, struct dentry *dir, const char *name, umode_t mode,
			const struct file_operations *fops)
{
	control_keep_file(c, debugfs_create_file(name, mode, dir, c->dev, fops));
}

struct dentry *glass_control_device_dir(struct glass_control *c, const char *name)
{
	struct dentry *dir = glass_control_dir(name, c->dir);

	control_keep_file(c, dir);
	return dir;
}

void glass_control_file_unsafe(struct glass_control *c, struct dentry *dir, const char *name,
			       umode_t mode, const struct file_operations *fops)
{
	control_keep_file(c, debugfs_create_file_unsafe(name, mode, dir, c->dev, fops));
}

ssize_t glass_control_lines(const char __user *buf, size_t count,
			    int (*command)(void *arg, char *line), void *arg)
{
	char *text, *line, *rest;
	int err = 0;

	if (!count || count > GLASS_CONTROL_LINES)
		return -EINVAL;
	text = memdup_user_nul(buf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	for (rest = text; !err && (line = strsep(&rest, "\n"));)
		if (*line)
			err = command(arg, line);
	kfree(text);
	return err ? err : count;
}
