// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The files `failures` and `failure`: the black box (observe/blackbox.h) for user space. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/files.h"
#include "debugfs/lines.h"
#include "observe/blackbox.h"

#define FAILURE_LINE_MAX 32 /* the longest command, bytes */
#define FAILURE_BLOCK_BYTES 2048 /* the most bytes of the block `failure`, and of an error */

static const char *const failure_statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const failure_events[] = GLASS_WORDS(GLASS_EVENTS);
static const char *const failure_causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const failure_states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const failure_types[] = GLASS_WORDS(GLASS_QP_TYPES);
static const char *const failure_ops[] = GLASS_WORDS(GLASS_WR_OPS);

#define FAILURE_WORD(n, w, v, meaning) [v] = #w,
static const char *const failure_kinds[] = { GLASS_FAILURE_KINDS(FAILURE_WORD) };
static const char *const failure_lacks[] = { GLASS_FAILURE_MISSING(FAILURE_WORD) };

/* bytes of all of them, joined by ',', with a NUL */
#define LACK_BYTES(n, w, v, meaning) + sizeof(#w)
#define LACKS_TEXT (0 GLASS_FAILURE_MISSING(LACK_BYTES))

static const char *const failure_objects[] = {
	[GLASS_KIND_CQ] = "cq",
	[GLASS_KIND_SRQ] = "srq",
	[GLASS_KIND_QP] = "qp",
};

#define COLUMN(name) GLASS_COL_FAILURE_##name

/* ---- rows */

static void object_row(struct glass_row *r, const struct glass_failure *f)
{
	glass_row_enum(r, COLUMN(object), failure_objects, f->object);
	glass_row_num(r, COLUMN(num), f->num);
	if (f->object != GLASS_KIND_QP) {
		glass_row_word(r, COLUMN(state), "err");
		return;
	}
	glass_row_enum(r, COLUMN(qptype), failure_types, f->qptype);
	if (f->port)
		glass_row_num(r, COLUMN(port), f->port);
	glass_row_enum(r, COLUMN(state), failure_states, f->state);
}

static void error_row(struct glass_row *r, const struct glass_failure *f)
{
	glass_row_enum(r, COLUMN(kind), failure_kinds, f->kind);
	if (f->status)
		glass_row_enum(r, COLUMN(status), failure_statuses, f->status);
	glass_row_enum(r, COLUMN(event), failure_events, f->event);
	glass_row_enum(r, COLUMN(cause), failure_causes, f->cause);
	if (f->op == GLASS_BOX_OP_RECV)
		glass_row_word(r, COLUMN(op), "recv");
	else
		glass_row_enum(r, COLUMN(op), failure_ops, f->op);
	if (f->has_wr)
		glass_row_num(r, COLUMN(wr_id), f->wr_id);
	if (f->has_psn)
		glass_row_num(r, COLUMN(psn), f->psn);
	if (f->syndrome)
		glass_row_num(r, COLUMN(syndrome), f->syndrome);
}

static void queue_row(struct glass_row *r, const struct glass_failure *f)
{
	if (f->queue == GLASS_BOX_NO_WORD)
		return;
	glass_row_enum(r, COLUMN(queue), failure_objects, f->queue);
	if (f->queue_num)
		glass_row_num(r, COLUMN(queue_num), f->queue_num);
	glass_row_enum(r, COLUMN(queue_cause), failure_causes, f->queue_cause);
}

static void owners_row(struct glass_row *r, const struct glass_failure *f)
{
	glass_row_num(r, COLUMN(pid), f->pid);
	glass_row_text(r, COLUMN(comm), "%.*s", (int)sizeof(f->comm), f->comm);
	glass_row_num(r, COLUMN(uid), f->uid);
	if (!f->peer_qpn)
		return;
	glass_row_num(r, COLUMN(peer_qpn), f->peer_qpn);
	if (f->peer_dev[0])
		glass_row_text(r, COLUMN(peer_dev), "%s", f->peer_dev);
	if (!f->peer_comm[0])
		return;
	glass_row_num(r, COLUMN(peer_pid), f->peer_pid);
	glass_row_text(r, COLUMN(peer_comm), "%.*s", (int)sizeof(f->peer_comm), f->peer_comm);
}

/* Sets the column `missing`: the word of each bit of `missing`, joined by ','. text: scratch memory. */
static void missing_row(struct glass_row *r, u32 missing, char text[LACKS_TEXT])
{
	size_t used = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(failure_lacks); i++)
		if (missing & BIT(i))
			used += scnprintf(text + used, LACKS_TEXT - used, "%s%s", used ? "," : "",
					  failure_lacks[i]);
	if (used)
		glass_row_text(r, COLUMN(missing), "%s", text);
}

static void failure_row(struct glass_row *r, const struct glass_failure *f)
{
	u64 now = ktime_get_ns();
	char text[LACKS_TEXT];

	glass_row_num(r, COLUMN(id), f->id);
	glass_row_num(r, COLUMN(when), f->when);
	glass_row_num(r, COLUMN(age), now > f->when ? now - f->when : 0);
	glass_row_num(r, COLUMN(real), f->real);
	glass_row_text(r, COLUMN(dev), "%s", f->dev);
	object_row(r, f);
	error_row(r, f);
	owners_row(r, f);
	glass_row_num(r, COLUMN(packets), f->packets);
	glass_row_num(r, COLUMN(bytes), f->bytes);
	missing_row(r, f->missing, text);
	if (f->dlid_port[0])
		glass_row_text(r, COLUMN(dlid_port), "%s", f->dlid_port);
	if (f->has_connected)
		glass_row_num(r, COLUMN(connected), f->connected);
	glass_row_stack(r, COLUMN(stack), f->stack);
	queue_row(r, f);
}

/* ---- failures: the position of a row is the id of the failure */

static bool failures_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_failure f;

	if (*pos > U32_MAX || !glass_box_find(*pos, &f))
		return false;
	*pos = f.id;
	failure_row(r, &f);
	return true;
}

DEFINE_GLASS_TABLE(failures, FAILURE, failures_next);

static int failures_open(struct inode *inode, struct file *file)
{
	return glass_table_open(file, &glass_table_failures, NULL);
}

/* Copies a command of at most FAILURE_LINE_MAX bytes, without its newline. Returns 0 or an errno. */
static int take_line(char line[FAILURE_LINE_MAX + 1], const char __user *buf, size_t count)
{
	if (!count || count > FAILURE_LINE_MAX)
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	if (line[count - 1] == '\n')
		count--;
	line[count] = 0;
	return 0;
}

static ssize_t failures_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	char line[FAILURE_LINE_MAX + 1];
	int err = take_line(line, buf, count);

	if (err)
		return err;
	if (strcmp(line, "clear"))
		return -EINVAL;
	glass_box_clear();
	return count;
}

static const struct file_operations failures_fops = {
	.owner = THIS_MODULE,
	.open = failures_open,
	.read = seq_read,
	.write = failures_write,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* ---- failure */

struct failure_file {
	struct mutex lock; /* protects all below */
	struct glass_lines *first; /* the block `failure`, or an error */
	struct glass_box_text *text; /* the story behind it; NULL: none */
};

/* Prints the block `failure`. */
static void print_failure(struct glass_lines *l, const struct glass_failure *f)
{
	const struct glass_fields *fields = &glass_fields_failures;
	u32 i;

	failure_row(&l->row, f);
	seq_printf(&l->m, "# glass 1 failure: %u\n", f->id);
	for (i = 0; i < fields->n; i++) {
		if (!test_bit(i, l->row.has))
			continue;
		seq_printf(&l->m, "%s: ", fields->names[i]);
		glass_show_value(&l->m, &l->row, i, fields->units[i]);
		seq_putc(&l->m, '\n');
	}
}

/* Forgets the answer of the file, so that the next text begins an empty one. */
static void forget_answer(struct failure_file *o)
{
	glass_box_put(o->text);
	o->text = NULL;
	o->first->m.count = 0;
	glass_lines_block(o->first, FAILURE_BLOCK_BYTES);
	glass_row_clear(&o->first->row);
}

static int find_failure(struct failure_file *o, const char *line)
{
	struct seq_file *m = &o->first->m;
	struct glass_failure f;
	u32 id;
	int err;

	if (kstrtou32(line, 0, &id)) {
		seq_puts(m, "# glass 1 error: expected the id of a failure, as in the table failures\n");
		return -EINVAL;
	}
	err = glass_box_read(id, &f, &o->text);
	if (err == -ENOENT)
		seq_printf(m, "# glass 1 error: %u: there is no such failure\n", id);
	if (!err)
		print_failure(o->first, &f);
	return err;
}

static ssize_t failure_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct failure_file *o = file->private_data;
	char line[FAILURE_LINE_MAX + 1];
	int err = take_line(line, buf, count);

	if (err)
		return err;
	if (mutex_lock_interruptible(&o->lock))
		return -ERESTARTSYS;
	forget_answer(o);
	err = find_failure(o, line);
	mutex_unlock(&o->lock);
	/* the next read begins at the start of the new text */
	*ppos = 0;
	file->f_pos = 0;
	return err ? err : count;
}

static ssize_t failure_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct failure_file *o = file->private_data;
	loff_t first, pos;
	ssize_t n;

	if (mutex_lock_interruptible(&o->lock))
		return -ERESTARTSYS;
	first = o->first->m.count;
	if (*ppos < first || !o->text) {
		n = simple_read_from_buffer(buf, count, ppos, o->first->m.buf, first);
	} else {
		pos = *ppos - first;
		n = simple_read_from_buffer(buf, count, &pos, o->text->text, o->text->len);
		*ppos = pos + first;
	}
	mutex_unlock(&o->lock);
	return n;
}

static int failure_open(struct inode *inode, struct file *file)
{
	struct failure_file *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return -ENOMEM;
	o->first = glass_lines_new(FAILURE_BLOCK_BYTES);
	if (!o->first) {
		kfree(o);
		return -ENOMEM;
	}
	mutex_init(&o->lock);
	seq_puts(&o->first->m, "# glass 1 error: write the id of a failure to this file, then read it again\n");
	file->private_data = o;
	return 0;
}

static int failure_release(struct inode *inode, struct file *file)
{
	struct failure_file *o = file->private_data;

	glass_box_put(o->text);
	glass_lines_free(o->first);
	mutex_destroy(&o->lock);
	kfree(o);
	return 0;
}

static const struct file_operations failure_fops = {
	.owner = THIS_MODULE,
	.open = failure_open,
	.read = failure_read,
	.write = failure_write,
	.llseek = default_llseek,
	.release = failure_release,
};

void glass_failure_files(struct dentry *root)
{
	debugfs_create_file("failures", GLASS_CONTROL_BOTH, root, NULL, &failures_fops);
	debugfs_create_file("failure", 0600, root, NULL, &failure_fops);
}
