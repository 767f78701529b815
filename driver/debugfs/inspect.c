// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The file glassN/inspect. A write such as "qp 0x11" selects an object. Later reads show the object
 * in full.
 */
#include <linux/fs.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/files.h"
#include "debugfs/inspect.h"

#define LINE_MAX 96 /* maximum length of a command in bytes, with its newline */

/* The private part of an open file; seq_file.lock protects it. */
struct inspect {
	struct glass_dev *dev;
	struct glass_snap *snap; /* snapshot of the selected object; NULL: none is selected */
	char error[GLASS_INSPECT_ERROR]; /* the reason why snap is NULL */
	struct glass_row line; /* scratch memory of glass_snap_show() */
};

void glass_snap_free(struct glass_snap *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < ARRAY_SIZE(s->mem); i++)
		kvfree(s->mem[i]);
	kvfree(s);
}

/*
 * Takes the snapshot of an object whose kind has no sections. This snapshot has only the row that
 * `table` has for the object. The object's position in the table is its number + 1. If the table
 * has no such object, next() finds an object at a later position, or none. Returns 0 or -ENOENT.
 */
static int inspect_line(struct glass_snap *s, const struct glass_inspect_name *name,
			const struct glass_table *table)
{
	loff_t pos = (loff_t)name->num + 1;
	struct glass_row *r = glass_snap_object(s, table);

	if (!table->next(s->dev, &pos, r) || pos != (loff_t)name->num + 1)
		return -ENOENT;
	return 0;
}

#define INSPECT_LINE(kind)                                                                         \
	static int inspect_##kind(struct glass_snap *s, const struct glass_inspect_name *name)     \
	{                                                                                          \
		return inspect_line(s, name, &glass_table_##kind);                                 \
	}
INSPECT_LINE(ucontext)
INSPECT_LINE(pd)
INSPECT_LINE(mr)
INSPECT_LINE(mw)
INSPECT_LINE(dm)
INSPECT_LINE(xrcd)
INSPECT_LINE(ah)

/* ---- requests */

static int (*const inspect_take[])(struct glass_snap *s, const struct glass_inspect_name *name) = {
	[GLASS_INSPECT_ucontext] = inspect_ucontext,
	[GLASS_INSPECT_pd] = inspect_pd,
	[GLASS_INSPECT_mr] = inspect_mr,
	[GLASS_INSPECT_mw] = inspect_mw,
	[GLASS_INSPECT_dm] = inspect_dm,
	[GLASS_INSPECT_xrcd] = inspect_xrcd,
	[GLASS_INSPECT_cq] = glass_inspect_cq,
	[GLASS_INSPECT_srq] = glass_inspect_srq,
	[GLASS_INSPECT_qp] = glass_inspect_qp,
	[GLASS_INSPECT_ah] = inspect_ah,
	[GLASS_INSPECT_port] = glass_inspect_port,
	[GLASS_INSPECT_mcast] = glass_inspect_mcast,
	[GLASS_INSPECT_switch] = glass_inspect_switch,
};

static_assert(ARRAY_SIZE(inspect_take) == GLASS_INSPECT_KIND_COUNT);

static const char *const inspect_words[] = {
#define INSPECT_WORD(kind) [GLASS_INSPECT_##kind] = #kind,
	GLASS_INSPECT_KINDS(INSPECT_WORD)
#undef INSPECT_WORD
};

__printf(3, 4) static int inspect_refuse(struct inspect *f, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->error, sizeof(f->error), fmt, ap);
	va_end(ap);
	return err;
}

static bool is_number(const char *word, u32 *num)
{
	return word && !kstrtou32(word, strncasecmp(word, "0x", 2) ? 10 : 16, num);
}

/*
 * Parses `rest`, the words of a command after the kind, and fills *name. Returns 0, or -EINVAL with
 * the reason in f->error.
 */
static int inspect_parse_name(struct inspect *f, enum glass_inspect_kind kind, char *rest,
			      struct glass_inspect_name *name)
{
	char *word = strsep(&rest, " "), *more;

	if (kind == GLASS_INSPECT_switch && !word) {
		name->num = 0;
		return 0;
	}
	if (!word)
		return inspect_refuse(f, -EINVAL, "%s is missing",
				      kind == GLASS_INSPECT_mcast ? "an MGID" : "a number");
	if (kind == GLASS_INSPECT_mcast) {
		if (!in6_pton(word, -1, name->mgid, -1, NULL))
			return inspect_refuse(f, -EINVAL, "%s: not an MGID", word);
	} else if (!is_number(word, &name->num)) {
		return inspect_refuse(f, -EINVAL, "%s: not a number", word);
	}
	more = strsep(&rest, " ");
	if (kind == GLASS_INSPECT_qp && more && !strncmp(more, "port=", 5)) {
		if (!is_number(more + 5, &name->port) || !name->port || name->num > 1)
			return inspect_refuse(f, -EINVAL,
					      "%s: port= takes a port's number, and only for QP 0 or 1",
					      more);
		more = strsep(&rest, " ");
	}
	if (more)
		return inspect_refuse(f, -EINVAL, "%s: nothing is expected here", more);
	if (kind == GLASS_INSPECT_qp && name->num <= 1 && !name->port)
		return inspect_refuse(f, -EINVAL, "each port has a QP %u: add port=N", name->num);
	return 0;
}

#define TITLE_MAX sizeof_field(struct glass_snap, title)

static void inspect_title(char *title, enum glass_inspect_kind kind,
			  const struct glass_inspect_name *name)
{
	const char *word = inspect_words[kind];
	int n;

	if (kind == GLASS_INSPECT_mcast)
		n = scnprintf(title, TITLE_MAX, "%s %pI6", word, name->mgid);
	else
		n = scnprintf(title, TITLE_MAX, kind == GLASS_INSPECT_qp ? "%s 0x%x" : "%s %u",
			      word, name->num);
	if (name->port)
		scnprintf(title + n, TITLE_MAX - n, " port=%u", name->port);
}

struct glass_snap *glass_snap_take(struct glass_dev *dev, enum glass_inspect_kind kind,
				   const struct glass_inspect_name *name, u32 most)
{
	struct glass_snap *s = kvzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->dev = dev;
	s->most = most;
	s->now = ktime_get_ns();
	inspect_title(s->title, kind, name);
	err = inspect_take[kind](s, name);
	if (err) {
		glass_snap_free(s);
		return ERR_PTR(err);
	}
	return s;
}

/*
 * Executes a command: sets f->snap to a snapshot of the object that the command names. Returns 0,
 * or a negative errno with the reason in f->error. May sleep.
 */
static int run_line(struct inspect *f, char *line)
{
	struct glass_inspect_name name = {};
	char title[TITLE_MAX];
	struct glass_snap *s;
	char *rest = line;
	char *word = strsep(&rest, " ");
	u32 kind;
	int err;

	for (kind = 0; kind < ARRAY_SIZE(inspect_words); kind++)
		if (!strcmp(word, inspect_words[kind]))
			break;
	if (kind == ARRAY_SIZE(inspect_words))
		return inspect_refuse(f, -EINVAL, "%.20s: no such kind of object", word);
	err = inspect_parse_name(f, kind, rest, &name);
	if (err)
		return err;
	s = glass_snap_take(f->dev, kind, &name, 0);
	if (!IS_ERR(s)) {
		f->snap = s;
		return 0;
	}
	inspect_title(title, kind, &name);
	if (PTR_ERR(s) == -ENOENT)
		return inspect_refuse(f, -ENOENT, "%s: no such object on %s", title,
				      glass_dev_name(f->dev));
	return inspect_refuse(f, PTR_ERR(s), "%s: out of memory", title);
}

/*
 * Removes the newline at the end of the line. Removes blanks, too, but leaves one between two
 * words. A tab counts as a blank. Ends the line with a NUL; `line` must have room for len + 1
 * bytes. Returns false if the line is blank, or if it has unprintable characters.
 */
static bool inspect_squeeze_line(char *line, size_t len)
{
	size_t from, to = 0;

	for (from = 0; from < len; from++) {
		char c = line[from] == '\n' && from + 1 == len ? ' ' : line[from];

		if (c == '\t')
			c = ' ';
		if (c < 0x20 || c > 0x7e)
			return false;
		if (c == ' ' && (!to || line[to - 1] == ' '))
			continue;
		line[to++] = c;
	}
	if (to && line[to - 1] == ' ')
		to--;
	line[to] = 0;
	return to;
}

static ssize_t inspect_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	struct inspect *f = m->private;
	char line[LINE_MAX + 1];
	int err;

	if (count <= LINE_MAX && copy_from_user(line, buf, count))
		return -EFAULT;
	mutex_lock(&m->lock);
	glass_snap_free(f->snap);
	f->snap = NULL;
	if (count > LINE_MAX)
		err = inspect_refuse(f, -EINVAL, "a line of %zu bytes is too long", count);
	else if (!inspect_squeeze_line(line, count))
		err = inspect_refuse(f, -EINVAL,
				     "the line is blank or has unprintable characters; expected a line like \"qp 0x11\"");
	else
		err = run_line(f, line);
	mutex_unlock(&m->lock);
	/* the next read begins at the start of the new text, which is the object or the error */
	*ppos = 0;
	file->f_pos = 0;
	return err ? err : count;
}

/* ---- formatting; glass_snap_has() defines the numbers of lines */

/*
 * Returns the part to which line pos + 1 belongs, or NULL if there is no such line. Sets *entry to
 * 0 if the line shows the part itself. Sets *entry to i + 1 if the line shows entry i of the part.
 */
static const struct glass_part *find_part(const struct glass_snap *s, loff_t pos, u32 *entry)
{
	u32 i;

	for (i = 0; i < s->nparts; i++) {
		if (pos <= s->part[i].n) {
			*entry = pos;
			return &s->part[i];
		}
		pos -= 1 + s->part[i].n;
	}
	return NULL;
}

bool glass_snap_has(const struct glass_snap *s, loff_t line)
{
	u32 entry;

	return !line || find_part(s, line - 1, &entry);
}

static void *inspect_at(struct seq_file *m, loff_t *pos)
{
	const struct inspect *f = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return f->snap && glass_snap_has(f->snap, *pos) ? pos : NULL;
}

static void *inspect_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return inspect_at(m, pos);
}

static void inspect_stop(struct seq_file *m, void *v)
{
}

static void show_part(struct seq_file *m, const struct glass_part *part)
{
	const struct glass_fields *fields = part->fields;
	u32 i;

	if (part->name)
		seq_printf(m, "%s:\n", part->name);
	for (i = 0; i < fields->n; i++) {
		if (!test_bit(i, part->row.has))
			continue;
		seq_printf(m, "%s%s: ", part->name ? "  " : "", fields->names[i]);
		glass_show_value(m, &part->row, i, fields->units[i]);
		seq_putc(m, '\n');
	}
}

static void show_entry(struct seq_file *m, const struct glass_part *part,
		       const struct glass_snap *s, u32 entry, struct glass_row *row)
{
	const struct glass_fields *fields = part->entry_fields;
	u32 i;

	glass_row_clear(row);
	part->fill(row, s, entry);
	seq_printf(m, "  %s:", part->entry_name);
	for (i = 0; i < fields->n; i++) {
		if (!test_bit(i, row->has))
			continue;
		seq_printf(m, " %s=", fields->names[i]);
		glass_show_value(m, row, i, fields->units[i]);
	}
	seq_putc(m, '\n');
}

void glass_snap_show(struct seq_file *m, const struct glass_snap *s, loff_t line,
		     struct glass_row *row)
{
	const struct glass_part *part;
	u32 entry;

	if (!line) {
		seq_printf(m, "# glass 1 inspect: %s\n", s->title);
		return;
	}
	part = find_part(s, line - 1, &entry);
	if (entry)
		show_entry(m, part, s, entry - 1, row);
	else
		show_part(m, part);
}

static int inspect_show(struct seq_file *m, void *v)
{
	struct inspect *f = m->private;

	if (f->snap)
		glass_snap_show(m, f->snap, v == SEQ_START_TOKEN ? 0 : *(loff_t *)v, &f->line);
	else
		seq_printf(m, "error: %s\n", f->error);
	return 0;
}

static const struct seq_operations inspect_ops = {
	.start = inspect_at,
	.next = inspect_next,
	.stop = inspect_stop,
	.show = inspect_show,
};

static int inspect_open(struct inode *inode, struct file *file)
{
	struct inspect *f = __seq_open_private(file, &inspect_ops, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->dev = inode->i_private;
	inspect_refuse(f, 0,
		       "nothing was asked for: write a line like \"qp 0x11\" to this file, then read it again");
	return 0;
}

static int inspect_release(struct inode *inode, struct file *file)
{
	struct inspect *f = ((struct seq_file *)file->private_data)->private;

	glass_snap_free(f->snap);
	return seq_release_private(inode, file);
}

static const struct file_operations inspect_fops = {
	.owner = THIS_MODULE,
	.open = inspect_open,
	.read = seq_read,
	.write = inspect_write,
	.llseek = seq_lseek,
	.release = inspect_release,
};

void glass_inspect_add(struct glass_control *c)
{
	glass_control_file(c, c->dir, "inspect", 0600, &inspect_fops);
}
