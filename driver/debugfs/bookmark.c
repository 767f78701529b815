// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The file glassN/bookmark. The driver reports each write to this file as the trace event
 * glass_bookmark. Each running capture of the device also gets a record of kind MARK.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "debugfs/files.h"
#include "observe/observe.h"

#define BOOKMARK_MAX 200 /* maximum length in bytes, without the newline */

static_assert(4 * BOOKMARK_MAX <= GLASS_CAP_MARK_MAX);

/*
 * Copies len bytes to `to`, and ends the copy with a NUL. Each control character, DEL or backslash
 * becomes \xNN. `to` must have room for 4 * len + 1 bytes.
 */
static void bookmark_escape(char *to, const char *from, size_t len)
{
	char *at = to;
	size_t i;

	for (i = 0; i < len; i++) {
		u8 c = from[i];

		if (c < 0x20 || c == 0x7f || c == '\\')
			at += sprintf(at, "\\x%02x", c);
		else
			*at++ = c;
	}
	*at = 0;
}

static ssize_t bookmark_write(struct file *file, const char __user *buf, size_t count,
			      loff_t *ppos)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	char raw[BOOKMARK_MAX + 1];
	char text[4 * BOOKMARK_MAX + 1];
	size_t len = count;

	if (!count || count > sizeof(raw))
		return -EINVAL;
	if (copy_from_user(raw, buf, count))
		return -EFAULT;
	if (raw[len - 1] == '\n')
		len--;
	if (len > BOOKMARK_MAX)
		return -EINVAL;
	bookmark_escape(text, raw, len);
	trace_glass_bookmark(glass_dev_name(dev), text);
	glass_capture_mark(dev->index, text, strlen(text));
	return count;
}

static const struct file_operations bookmark_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = bookmark_write,
	.llseek = noop_llseek,
};

void glass_bookmark_add(struct glass_control *c)
{
	glass_control_file(c, c->dir, "bookmark", 0200, &bookmark_fops);
}
