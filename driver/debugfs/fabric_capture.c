// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fabric/capture: each open file is a capture session on switches and passive CAs (CAs without a
 * device). uapi/glass-capture.h describes its commands and its output.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "debugfs/files.h"
#include "link/fabric.h"
#include "observe/capture.h"

struct fabric_session {
	struct glass_fabric *fabric;
	struct glass_capture *capture;
	struct mutex lock; /* protects node */
	char node[GLASS_FABRIC_NAME_MAX + 1]; /* the node that a command chose; empty: all */
};

/*
 * Tells the session to capture only at the node whose name is in s->node. If s->node is empty, does
 * nothing. Returns 0 in both cases, or an error. -ENOENT: there is no such node. -EINVAL: the node
 * is an HCA, or lacks the port that the session is for. -EBUSY: the session has begun.
 */
static int choose_node(struct fabric_session *s)
{
	struct glass_fabric_node *n;

	lockdep_assert_held(&s->fabric->making);
	if (!s->node[0])
		return 0;
	n = glass_fabric_find(s->fabric, s->node);
	if (!n)
		return -ENOENT;
	if (n->kind == GLASS_FABRIC_HCA)
		return -EINVAL;
	return glass_capture_choose(s->capture, n->id, n->net.num_ports);
}

static int session_node(struct fabric_session *s, const char *name)
{
	char before[sizeof(s->node)];
	int err;

	if (!*name || strlen(name) >= sizeof(s->node))
		return -ENOENT;
	memcpy(before, s->node, sizeof(before));
	strscpy(s->node, name, sizeof(s->node));
	mutex_lock(&s->fabric->making);
	err = choose_node(s);
	mutex_unlock(&s->fabric->making);
	if (err)
		memcpy(s->node, before, sizeof(before));
	return err;
}

/*
 * Executes a command. The command `start` looks up the chosen node again, because this node may
 * have been removed meanwhile.
 */
static int session_command(struct fabric_session *s, char *line)
{
	int err;

	lockdep_assert_held(&s->lock);
	line = strim(line);
	if (!strncmp(line, "node ", 5))
		return session_node(s, strim(line + 5));
	if (strcmp(line, "start"))
		return glass_capture_command(s->capture, line, strlen(line));
	mutex_lock(&s->fabric->making);
	err = choose_node(s);
	if (!err)
		err = glass_capture_command(s->capture, line, strlen(line));
	mutex_unlock(&s->fabric->making);
	return err;
}

static int session_line(void *session, char *line)
{
	struct fabric_session *s = session;
	int err;

	mutex_lock(&s->lock);
	err = session_command(s, line);
	mutex_unlock(&s->lock);
	return err;
}

static void session_free(struct fabric_session *s)
{
	if (!IS_ERR_OR_NULL(s->capture))
		glass_capture_free(s->capture);
	mutex_destroy(&s->lock);
	kfree(s);
}

static int session_open(struct inode *inode, struct file *file)
{
	struct fabric_session *s = kzalloc(sizeof(*s), GFP_KERNEL);
	char start[] = "start";
	int err = 0;

	if (!s)
		return -ENOMEM;
	s->fabric = inode->i_private;
	mutex_init(&s->lock);
	s->capture = glass_capture_new_nodes();
	if (IS_ERR(s->capture)) {
		err = PTR_ERR(s->capture);
	} else if (!(file->f_mode & FMODE_WRITE)) {
		/*
		 * the file is only for reading, and gets no commands: start with the defaults now
		 */
		err = session_line(s, start);
	}
	if (err) {
		session_free(s);
		return err;
	}
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int session_release(struct inode *inode, struct file *file)
{
	session_free(file->private_data);
	return 0;
}

static ssize_t session_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct fabric_session *s = file->private_data;

	return glass_capture_read(s->capture, buf, count, !(file->f_flags & O_NONBLOCK));
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct fabric_session *s = file->private_data;

	return glass_capture_poll(s->capture, file, wait);
}

static ssize_t session_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	return glass_control_lines(buf, count, session_line, file->private_data);
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.read = session_read,
	.write = session_write,
	.poll = session_poll,
};

void glass_fabric_capture_add(struct dentry *dir, struct glass_fabric *f)
{
	/*
	 * a read may wait for packets without limit, so the removal of the file must not wait for
	 * reads
	 */
	debugfs_create_file_unsafe("capture", GLASS_CONTROL_BOTH, dir, f, &session_fops);
}
