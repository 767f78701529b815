// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * glassN/capture: each open file is a capture session. uapi/glass-capture.h describes its commands
 * and its output.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include "debugfs/files.h"
#include "observe/capture.h"

static int capture_open(struct inode *inode, struct file *file)
{
	struct glass_dev *dev = inode->i_private;
	struct glass_capture *c = glass_capture_new(dev->index, dev->num_ports);

	if (IS_ERR(c))
		return PTR_ERR(c);
	file->private_data = c;
	/* a file that is opened only for reading gets no commands: start with the defaults now */
	if (!(file->f_mode & FMODE_WRITE)) {
		int err = glass_capture_command(c, "start", strlen("start"));

		if (err) {
			glass_capture_free(c);
			return err;
		}
	}
	return nonseekable_open(inode, file);
}

static int capture_release(struct inode *inode, struct file *file)
{
	glass_capture_free(file->private_data);
	return 0;
}

static ssize_t capture_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	return glass_capture_read(file->private_data, buf, count, !(file->f_flags & O_NONBLOCK));
}

static __poll_t capture_poll(struct file *file, poll_table *wait)
{
	return glass_capture_poll(file->private_data, file, wait);
}

static int capture_line(void *capture, char *line)
{
	return glass_capture_command(capture, line, strlen(line));
}

static ssize_t capture_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	return glass_control_lines(buf, count, capture_line, file->private_data);
}

static const struct file_operations capture_fops = {
	.owner = THIS_MODULE,
	.open = capture_open,
	.release = capture_release,
	.read = capture_read,
	.write = capture_write,
	.poll = capture_poll,
};

void glass_capture_add(struct glass_control *c)
{
	/*
	 * The removal of an "unsafe" file does not wait for reads and writes in progress. A read of
	 * this file may wait for packets for ever, so the removal must not wait for the read. The
	 * session remains usable after the removal, because it uses no memory of the device.
	 */
	glass_control_file_unsafe(c, c->dir, "capture", GLASS_CONTROL_BOTH, &capture_fops);
}
