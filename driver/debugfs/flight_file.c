// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * glassN/flight: shows those packets of the flight recorder that this device sent or received, and
 * takes commands for the recorder. uapi/glass-capture.h describes the output and the commands.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/files.h"
#include "observe/flight.h"

struct flight_file {
	struct glass_dev *dev;
	struct mutex lock; /* protects reader */
	struct glass_flight_reader *reader; /* the records that the first read copied, or NULL */
};

static int flight_open(struct inode *inode, struct file *file)
{
	struct flight_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->dev = inode->i_private;
	mutex_init(&f->lock);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int flight_release(struct inode *inode, struct file *file)
{
	struct flight_file *f = file->private_data;

	if (f->reader)
		glass_flight_free(f->reader);
	mutex_destroy(&f->lock);
	kfree(f);
	return 0;
}

static ssize_t flight_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct flight_file *f = file->private_data;
	ssize_t n = 0;

	if (mutex_lock_interruptible(&f->lock))
		return -ERESTARTSYS;
	if (!f->reader) {
		struct glass_flight_reader *r = glass_flight_take(f->dev->index,
								  glass_fabric_node_name);

		if (IS_ERR(r))
			n = PTR_ERR(r);
		else
			f->reader = r;
	}
	if (!n)
		n = glass_flight_read(f->reader, buf, count);
	mutex_unlock(&f->lock);
	return n;
}

static ssize_t flight_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct flight_file *f = file->private_data;
	char line[16];
	size_t len = count;
	int err;

	if (!count || count > sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	if (line[len - 1] == '\n')
		len--;
	err = glass_flight_command(glass_dev_name(f->dev), line, len);
	return err ? err : count;
}

static const struct file_operations flight_fops = {
	.owner = THIS_MODULE,
	.open = flight_open,
	.release = flight_release,
	.read = flight_read,
	.write = flight_write,
};

void glass_flight_add(struct glass_control *c)
{
	glass_control_file(c, c->dir, "flight", GLASS_CONTROL_BOTH, &flight_fops);
}
