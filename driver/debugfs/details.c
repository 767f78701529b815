// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files glassN/details/KIND. Each file shows all objects of one kind, with the same text as
 * glassN/inspect. Programs only read these files, so the files also work under kernel lockdown.
 * glassN/inspect does not work under lockdown, because a program selects an object by a write.
 */
#include <linux/fs.h>
#include <linux/inet.h>
#include <linux/module.h>

#include "debugfs/files.h"
#include "debugfs/inspect.h"

/*
 * A position in such a file has two parts. The high bits are the position of an object in the table
 * of its kind (row.h). The low LINE_BITS bits are the number of a line in the object's text;
 * glass_snap_has() defines these numbers. The longest text, that of a switch with full forwarding
 * tables, has fewer than 2^17 lines.
 */
#define LINE_BITS 24
#define POS_LINE(pos) ((pos) & (BIT_ULL(LINE_BITS) - 1))
#define POS_OBJECT(pos) ((pos) >> LINE_BITS)

static const struct glass_table *const details_tables[] = {
#define DETAILS_TABLE(kind) [GLASS_INSPECT_##kind] = &glass_table_##kind,
	GLASS_INSPECT_KINDS(DETAILS_TABLE)
#undef DETAILS_TABLE
};

/* The private part of an open file; seq_file.lock protects it. */
struct details {
	struct glass_dev *dev;
	enum glass_inspect_kind kind;
	struct glass_snap *snap; /* a snapshot of the object at position `at`, or NULL */
	loff_t at; /* position of the snapshot's object; valid if snap is not NULL */
	struct glass_row row; /* scratch memory of details_take() and glass_snap_show() */
};

/*
 * Sets *name to the name of the object whose row is d->row. glass_snap_take() finds the object by
 * this name. Returns false if the object is a multicast group and the row has no valid MGID.
 */
static bool details_name(const struct details *d, struct glass_inspect_name *name)
{
	const struct glass_row *r = &d->row;

	memset(name, 0, sizeof(*name));
	switch (d->kind) {
	case GLASS_INSPECT_mcast:
		return in6_pton(r->text[GLASS_COL_MCAST_mgid], -1, name->mgid, -1, NULL);
	case GLASS_INSPECT_qp:
		name->num = r->num[GLASS_COL_QP_qpn];
		if (name->num <= 1)
			name->port = r->num[GLASS_COL_QP_port];
		return true;
	default:
		/* in the tables of all other kinds, the first column is the object's number */
		name->num = r->num[0];
		return true;
	}
}

/*
 * Replaces d->snap by a snapshot of the first object at or after position `at`, and sets d->at to
 * the position of that object. Returns 1 on success. Returns 0 if there is no such object, and
 * -ENOMEM if there is no memory. In these two cases d->snap is NULL. May sleep.
 */
static int details_take(struct details *d, loff_t at)
{
	const struct glass_table *table = details_tables[d->kind];
	struct glass_inspect_name name;
	struct glass_snap *s;

	glass_snap_free(d->snap);
	d->snap = NULL;
	for (;; at++) {
		glass_row_clear(&d->row);
		if (!table->next(d->dev, &at, &d->row))
			return 0;
		if (!details_name(d, &name))
			continue;
		s = glass_snap_take(d->dev, d->kind, &name, 0);
		if (!IS_ERR(s))
			break;
		/*
		 * -ENOENT: the object was destroyed after its row was filled, or the object is a
		 * region that rereg_mr hides for a while. Continue with the next object.
		 */
		if (PTR_ERR(s) != -ENOENT)
			return PTR_ERR(s);
	}
	d->snap = s;
	d->at = at;
	return 1;
}

static void *details_at(struct seq_file *m, loff_t *pos)
{
	struct details *d = m->private;
	loff_t at = POS_OBJECT(*pos);
	int found;

	if (d->snap && d->at == at) {
		if (glass_snap_has(d->snap, POS_LINE(*pos)))
			return pos;
		at++;
	}
	found = details_take(d, max_t(loff_t, at, 1));
	*pos = (found == 1 ? d->at : at) << LINE_BITS;
	return found < 0 ? ERR_PTR(found) : found ? pos : NULL;
}

static void *details_start(struct seq_file *m, loff_t *pos)
{
	struct details *d = m->private;

	/* drop the old snapshot: a read from the beginning shows the objects as they are now */
	if (!*pos) {
		glass_snap_free(d->snap);
		d->snap = NULL;
	}
	return details_at(m, pos);
}

static void *details_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return details_at(m, pos);
}

static void details_stop(struct seq_file *m, void *v)
{
}

static int details_show(struct seq_file *m, void *v)
{
	struct details *d = m->private;

	glass_snap_show(m, d->snap, POS_LINE(*(loff_t *)v), &d->row);
	return 0;
}

static const struct seq_operations details_ops = {
	.start = details_start,
	.next = details_next,
	.stop = details_stop,
	.show = details_show,
};

static int details_open(struct inode *inode, struct file *file, enum glass_inspect_kind kind)
{
	struct details *d = __seq_open_private(file, &details_ops, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->dev = inode->i_private;
	d->kind = kind;
	return 0;
}

static int details_release(struct inode *inode, struct file *file)
{
	struct details *d = ((struct seq_file *)file->private_data)->private;

	glass_snap_free(d->snap);
	return seq_release_private(inode, file);
}

#define DETAILS_FILE(kind)                                                                         \
	static int details_##kind##_open(struct inode *inode, struct file *file)                   \
	{                                                                                          \
		return details_open(inode, file, GLASS_INSPECT_##kind);                            \
	}                                                                                          \
	static const struct file_operations details_##kind##_fops = {                              \
		.owner = THIS_MODULE,                                                              \
		.open = details_##kind##_open,                                                     \
		.read = seq_read,                                                                  \
		.llseek = seq_lseek,                                                               \
		.release = details_release,                                                        \
	};
GLASS_INSPECT_KINDS(DETAILS_FILE)

void glass_details_add(struct glass_control *c)
{
	struct dentry *dir = glass_control_device_dir(c, "details");

#define DETAILS_ADD(kind) debugfs_create_file(#kind, 0400, dir, c->dev, &details_##kind##_fops);
	GLASS_INSPECT_KINDS(DETAILS_ADD)
#undef DETAILS_ADD
}
