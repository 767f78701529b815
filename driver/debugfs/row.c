// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Fills and prints rows (row.h), and implements reads of a table's file, row by row. */
#include <linux/ctype.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "debugfs/row.h"

/* The private part of an open file of a table. */
struct glass_cursor {
	const struct glass_table *table;
	struct glass_dev *dev;
	struct glass_row row;
};

void glass_row_clear(struct glass_row *r)
{
	bitmap_zero(r->has, GLASS_ROW_COLUMNS);
	r->pool_used = 0;
}

void glass_row_num(struct glass_row *r, u32 column, u64 value)
{
	r->num[column] = value;
	__set_bit(column, r->has);
}

void glass_row_word(struct glass_row *r, u32 column, const char *word)
{
	r->text[column] = word;
	__set_bit(column, r->has);
}

void glass_row_text(struct glass_row *r, u32 column, const char *fmt, ...)
{
	size_t room = sizeof(r->pool) - r->pool_used;
	va_list ap;

	if (WARN_ON_ONCE(!room))
		return;
	va_start(ap, fmt);
	r->text[column] = r->pool + r->pool_used;
	r->pool_used += vscnprintf(r->pool + r->pool_used, room, fmt, ap) + 1;
	va_end(ap);
	__set_bit(column, r->has);
}

void glass_row_flags(struct glass_row *r, u32 column, u32 bits, const struct glass_flag *flags,
		     u32 nflags)
{
	size_t room = sizeof(r->pool) - r->pool_used, used = 0;
	char *text = r->pool + r->pool_used;
	u32 i;

	for (i = 0; i < nflags; i++)
		if (bits & flags[i].bit)
			used += scnprintf(text + used, room - used, "%s%s", used ? "|" : "",
					  flags[i].word);
	if (!used)
		return;
	r->text[column] = text;
	r->pool_used += used + 1;
	__set_bit(column, r->has);
}

void glass_row_bool(struct glass_row *r, u32 column, bool value)
{
	glass_row_word(r, column, value ? "yes" : "no");
}

void glass_row_until(struct glass_row *r, u32 column, u64 now, u64 then)
{
	glass_row_num(r, column, then > now ? then - now : 0);
}

void glass_row_sges(struct glass_row *r, u32 column, const struct glass_sge *sge, u32 n)
{
	r->sge = sge;
	r->num_sge = n;
	__set_bit(column, r->has);
}

void glass_row_owner(struct glass_row *r, u32 pid_column, const struct glass_owner *o)
{
	u64 now = ktime_get_ns();

	glass_row_num(r, pid_column, o->pid);
	glass_row_text(r, pid_column + 1, "%.*s", (int)sizeof(o->comm), o->comm);
	glass_row_num(r, pid_column + 2, o->created_ns);
	glass_row_num(r, pid_column + 3, now > o->created_ns ? now - o->created_ns : 0);
}

void glass_row_memory(struct glass_row *r, u32 column, u64 bytes)
{
	if (bytes)
		glass_row_num(r, column, bytes);
}

void glass_row_stack(struct glass_row *r, u32 column, u32 stack)
{
	if (stack)
		glass_row_num(r, column, stack);
}

void glass_row_stacks(struct glass_row *r, u32 column, const struct glass_owner *o)
{
	glass_row_stack(r, column, o->stack);
	glass_row_stack(r, column + 1, READ_ONCE(o->changed_stack));
}

void glass_row_ctxn(struct glass_row *r, u32 column, struct ib_ucontext *context)
{
	if (context)
		glass_row_num(r, column, to_gucontext(context)->num);
}

static bool is_plain(char c)
{
	return isascii(c) && (isalnum(c) || strchr("._:/-", c));
}

void glass_seq_text(struct seq_file *m, const char *text)
{
	const char *s = text, *plain;

	if (!*text)
		seq_putc(m, '%');
	while (*s) {
		for (plain = s; *s && is_plain(*s) && !(s == text && *s == '-'); s++)
			;
		if (s != plain)
			seq_write(m, plain, s - plain);
		else
			seq_printf(m, "%%%02X", (u8)*s++);
	}
}

/* seq_printf() took half of the time to read a long table. */
static void show_number(struct seq_file *m, u64 value)
{
	char digits[20], *at = digits + sizeof(digits);
	u32 digit;

	do {
		value = div_u64_rem(value, 10, &digit);
		*--at = '0' + digit;
	} while (value);
	seq_write(m, at, digits + sizeof(digits) - at);
}

static void show_hex(struct seq_file *m, u64 value)
{
	char digits[2 + 16], *at = digits + sizeof(digits);

	do {
		*--at = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	} while (value);
	*--at = 'x';
	*--at = '0';
	seq_write(m, at, digits + sizeof(digits) - at);
}

static void show_sges(struct seq_file *m, const struct glass_row *r)
{
	u32 i;

	for (i = 0; i < r->num_sge; i++)
		seq_printf(m, "%s0x%llx:%u:0x%x", i ? "," : "", r->sge[i].addr, r->sge[i].len,
			   r->sge[i].lkey);
}

void glass_show_value(struct seq_file *m, const struct glass_row *r, u32 column, u8 unit)
{
	switch ((enum glass_unit)unit) {
	case GLASS_UNIT_num:
	case GLASS_UNIT_ns:
	case GLASS_UNIT_bytes:
	case GLASS_UNIT_words:
		show_number(m, r->num[column]);
		break;
	case GLASS_UNIT_hex:
		show_hex(m, r->num[column]);
		break;
	case GLASS_UNIT_word:
	case GLASS_UNIT_gid:
	case GLASS_UNIT_line:
		seq_puts(m, r->text[column]);
		break;
	case GLASS_UNIT_text:
	case GLASS_UNIT_ref:
		glass_seq_text(m, r->text[column]);
		break;
	case GLASS_UNIT_sges:
		show_sges(m, r);
		break;
	}
}

/*
 * Fills c->row with the first object at or after *pos, and returns c. Returns NULL if there is no
 * such object. Position 0 is the header line. Each table defines the positions of its objects.
 */
static void *table_at(struct glass_cursor *c, loff_t *pos)
{
	glass_row_clear(&c->row);
	return c->table->next(c->dev, pos, &c->row) ? c : NULL;
}

static void *table_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? table_at(m->private, pos) : SEQ_START_TOKEN;
}

static void *table_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return table_at(m->private, pos);
}

static void table_stop(struct seq_file *m, void *v)
{
}

void glass_show_row(struct seq_file *m, const struct glass_fields *fields, const struct glass_row *row)
{
	u32 i;

	for (i = 0; i < fields->n; i++) {
		if (i)
			seq_putc(m, ' ');
		if (test_bit(i, row->has))
			glass_show_value(m, row, i, fields->units[i]);
		else
			seq_putc(m, '-');
	}
	seq_putc(m, '\n');
}

static int table_show(struct seq_file *m, void *v)
{
	const struct glass_cursor *c = m->private;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, c->table->header);
		seq_putc(m, '\n');
	} else {
		glass_show_row(m, c->table->fields, &c->row);
	}
	return 0;
}

static const struct seq_operations glass_table_seq_ops = {
	.start = table_start,
	.next = table_next,
	.stop = table_stop,
	.show = table_show,
};

int glass_table_open(struct file *file, const struct glass_table *table, struct glass_dev *dev)
{
	struct glass_cursor *c;

	c = __seq_open_private(file, &glass_table_seq_ops, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->table = table;
	c->dev = dev;
	return 0;
}

void *glass_table_find(struct xarray *xa, loff_t *pos)
{
	unsigned long index = *pos - 1;
	void *entry;

	if (*pos - 1 > U32_MAX)
		return NULL;
	entry = xa_find(xa, &index, U32_MAX, XA_PRESENT);
	if (entry)
		*pos = (loff_t)index + 1;
	return entry;
}

bool glass_peer_name(struct glass_dev *dev, u16 dlid, char *name, size_t len)
{
	struct glass_fabric *fabric = dev->fabric;
	bool found = false;
	unsigned long flags;
	u32 i, port;

	spin_lock_irqsave(&fabric->lock, flags);
	for (i = 0; i < ARRAY_SIZE(fabric->hca) && !found; i++) {
		const struct glass_dev *hca = fabric->hca[i];

		for (port = 1; hca && port <= hca->num_ports && !found; port++) {
			if (!glass_port_has_lid(&hca->node_ports[port], dlid))
				continue;
			strscpy(name, hca->ib.name, len);
			found = true;
		}
	}
	spin_unlock_irqrestore(&fabric->lock, flags);
	return found;
}
