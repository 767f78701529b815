// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The files of glassN/inject/, which docs/inject-abi.md describes. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "inject/command.h"
#include "engine/engine.h"
#include "inject/hold.h"
#include "inject/later.h"

static ssize_t rules_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_control *c = file_inode(file)->i_private;
	/*
	 * copy one byte more than the limit, by which the parser detects a command that is too long
	 */
	size_t len = min_t(size_t, count, GLASS_RULE_LINE + 1);
	char *line;
	int err;

	if (!count)
		return 0;
	line = memdup_user(buf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = glass_inject_command(c->inject, file, line, len);
	kfree(line);
	return err ? err : count;
}

/*
 * The private part of an open file `rules` or `journal`. A firing is one application of a rule. A
 * read of the journal copies one firing at a time to `firing`, and prints the copy. A read of
 * `rules` prints the rules themselves, under glass_inject.lock.
 */
struct cursor {
	struct glass_control *c;
	struct glass_firing firing;
};

static struct glass_control *control_of(struct seq_file *m)
{
	return ((struct cursor *)m->private)->c;
}

static void *rules_start(struct seq_file *m, loff_t *pos)
{
	struct glass_inject *in = control_of(m)->inject;

	mutex_lock(&in->lock);
	return seq_list_start(&in->rules, *pos);
}

static void *rules_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &control_of(m)->inject->rules, pos);
}

static void rules_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&control_of(m)->inject->lock);
}

static const char *const over_words[] = GLASS_WORDS(GLASS_INJECT_OVERS);

static int rules_show(struct seq_file *m, void *v)
{
	const struct glass_live_rule *r = list_entry(v, struct glass_live_rule, node);
	struct glass_inject *in = control_of(m)->inject;
	u64 hit, eligible;
	u8 over;

	spin_lock_irq(&in->books);
	hit = r->hit;
	eligible = r->eligible;
	over = r->over;
	spin_unlock_irq(&in->books);
	seq_printf(m, "add name=%s %.*s", r->rule.name, (int)r->rule.text_len, r->rule.text);
	if (r->rule.site == 'P' || r->rule.site == 'C' || r->rule.site == 'V')
		seq_printf(m, " seed=%llu", r->rule.value[GLASS_RK_SEED]);
	seq_printf(m, " hit=%llu eligible=%llu", hit, eligible);
	if (over && r->rule.site != 'O')
		seq_printf(m, " over=%s", over_words[over]);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations rules_seq_ops = {
	.start = rules_start,
	.next = rules_next,
	.stop = rules_stop,
	.show = rules_show,
};

/*
 * Copies the first firing at or after *pos to the cursor, sets *pos to its position, and returns
 * the copy. Returns NULL if there is no such firing. The position of a firing is its sequence
 * number - 1.
 */
static void *journal_at(struct seq_file *m, loff_t *pos)
{
	struct cursor *j = m->private;

	if (!glass_inject_firing(j->c->inject, *pos + 1, &j->firing))
		return NULL;
	*pos = j->firing.seq - 1;
	return &j->firing;
}

static void *journal_start(struct seq_file *m, loff_t *pos)
{
	return journal_at(m, pos);
}

static void *journal_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return journal_at(m, pos);
}

static void journal_stop(struct seq_file *m, void *v)
{
}

struct op_word {
	u32 value; /* packets: a set of BTH operations, as bits; completions: enum glass_wc_op */
	const char *word;
};

#define OP_WORD(n, w, v) { v, #w },
static const struct op_word inject_pkt_op_words[] = { GLASS_PKT_OPS(OP_WORD) };
static const struct op_word inject_wc_op_words[] = { GLASS_WC_OPS(OP_WORD) };

static const char *pkt_op_word(u32 op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(inject_pkt_op_words); i++)
		if (inject_pkt_op_words[i].value >> op & 1)
			return inject_pkt_op_words[i].word;
	return "-";
}

static const char *wc_op_word(u32 op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(inject_wc_op_words); i++)
		if (glass_wcop_bit(inject_wc_op_words[i].value) == op)
			return inject_wc_op_words[i].word;
	return "-";
}

static const char *const dir_words[] = GLASS_WORDS(GLASS_DIRS);
static const char *const role_words[] = GLASS_WORDS(GLASS_INJECT_ROLES);

static void show_value(struct seq_file *m, const char *key, bool has, const char *format, u64 v)
{
	seq_printf(m, " %s=", key);
	if (has)
		seq_printf(m, format, v);
	else
		seq_putc(m, '-');
}

static void show_packet(struct seq_file *m, const struct glass_firing *f)
{
	if (f->node[0])
		seq_printf(m, " node=%s", f->node);
	seq_printf(m, " port=%u dir=%s", f->port, dir_words[f->dir]);
	show_value(m, "qpn", f->keys & BIT(GLASS_SEL_QPN), "0x%llx", f->qpn);
	show_value(m, "nqp", f->nqp, "%llu", f->nqp);
	seq_printf(m, " role=%s op=%s psn=%u", role_words[f->role], pkt_op_word(f->op), f->psn);
	show_value(m, "rpsn", f->keys & BIT(GLASS_SEL_RPSN), "%llu", f->rpsn);
	show_value(m, "round", f->keys & BIT(GLASS_SEL_ROUND), "%llu", f->round);
	show_value(m, "msg", f->keys & BIT(GLASS_SEL_MSG), "%llu", f->msg);
	seq_printf(m, " len=%u n=%llu", f->len, f->n);
}

static void show_completion(struct seq_file *m, const struct glass_firing *f)
{
	seq_printf(m, " cqn=%u qpn=0x%x", f->cqn, f->qpn);
	show_value(m, "nqp", f->nqp, "%llu", f->nqp);
	seq_printf(m, " op=%s", wc_op_word(f->op));
	show_value(m, "msg", f->keys & BIT(GLASS_SEL_MSG), "%llu", f->msg);
	seq_printf(m, " wr_id=0x%llx len=%u n=%llu", f->wr_id, f->len, f->n);
}

static const char *const verb_words[] = GLASS_WORDS(GLASS_VERBS);

static void show_verb(struct seq_file *m, const struct glass_firing *f)
{
	seq_printf(m, " verb=%s n=%llu", verb_words[f->op], f->n);
}

/* Prints the object of a firing, and the port if the firing has one: " qpn=0x1 port=2". */
static void show_object(struct seq_file *m, const struct glass_firing *f)
{
	char object[32];

	if (f->kind != GLASS_KIND_DEVICE) {
		glass_inject_object(object, sizeof(object), f->kind, f->num);
		seq_printf(m, " %s", object);
	}
	if (f->port)
		seq_printf(m, " port=%u", f->port);
}

static int journal_show(struct seq_file *m, void *v)
{
	const struct glass_firing *f = v;

	seq_printf(m, "seq=%llu time=%llu name=%s act=%s", f->seq, f->when, f->rule,
		   glass_rule_action_word(f->action));
	if (f->site == GLASS_INJECT_PACKETS)
		show_packet(m, f);
	else if (f->site == GLASS_INJECT_COMPLETIONS)
		show_completion(m, f);
	else if (f->site == GLASS_INJECT_VERBS)
		show_verb(m, f);
	else
		show_object(m, f);
	seq_printf(m, " pid=%d comm=", f->pid);
	glass_seq_text(m, f->comm);
	if (f->action == GLASS_ACT_DELAY)
		seq_printf(m, " time_ns=%llu", f->extra);
	if (f->action == GLASS_ACT_CORRUPT && f->extra)
		seq_printf(m, " at=%llu", f->extra - 1);
	seq_printf(m, " set_pid=%d set_by=", f->setter.pid);
	glass_seq_text(m, f->setter.comm);
	seq_printf(m, " set_uid=%u", f->setter.uid);
	if (f->taken)
		seq_printf(m, " recv=%u", f->taken);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations journal_seq_ops = {
	.start = journal_start,
	.next = journal_next,
	.stop = journal_stop,
	.show = journal_show,
};

static int open_list(struct inode *inode, struct file *file, const struct seq_operations *ops)
{
	struct cursor *j;

	j = __seq_open_private(file, ops, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->c = inode->i_private;
	return 0;
}

static int rules_open(struct inode *inode, struct file *file)
{
	return open_list(inode, file, &rules_seq_ops);
}

static int rules_release(struct inode *inode, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;

	/*
	 * debugfs_file_get() fails if the file was removed. In that case slot_remove() of hca/hca.c
	 * frees all rules of the device, so there is no rule to end here.
	 */
	if (!debugfs_file_get(dentry)) {
		glass_inject_closed(((struct glass_control *)inode->i_private)->inject, file);
		debugfs_file_put(dentry);
	}
	return seq_release_private(inode, file);
}

static int journal_open(struct inode *inode, struct file *file)
{
	return open_list(inode, file, &journal_seq_ops);
}

static int last_error_show(struct seq_file *m, void *v)
{
	struct glass_control *c = m->private;
	struct glass_inject *in = c->inject;

	mutex_lock(&in->lock);
	if (in->error.kind) {
		seq_printf(m, "%s\nkind=%s", in->last_error, glass_rule_error_word(in->error.kind));
		show_value(m, "at", in->error.len, "%llu", in->error.at);
		show_value(m, "len", in->error.len, "%llu", in->error.len);
		seq_printf(m, " key=%s other=%s", glass_rule_key_word(in->error.key),
			   glass_rule_key_word(in->error.other));
		show_value(m, "low", in->error.bounded, "%llu", in->error.low);
		show_value(m, "high", in->error.bounded, "%llu", in->error.high);
		seq_putc(m, '\n');
	}
	mutex_unlock(&in->lock);
	return 0;
}

static int last_added_show(struct seq_file *m, void *v)
{
	struct glass_control *c = m->private;
	struct glass_inject *in = c->inject;

	mutex_lock(&in->lock);
	if (in->last_added[0])
		seq_printf(m, "%s\n", in->last_added);
	mutex_unlock(&in->lock);
	return 0;
}

static int inject_stats_show(struct seq_file *m, void *v)
{
	struct glass_control *c = m->private;
	struct glass_inject *in = c->inject;
	const struct glass_live_rule *r;
	u64 fired, no_room, by[GLASS_ACT_COUNT];
	u32 rules, over = 0, streams, waiting, i;

	mutex_lock(&in->lock);
	rules = in->nrules;
	waiting = in->dev ? glass_later_waiting(in->dev) + glass_hold_waiting(in->dev) : 0;
	list_for_each_entry(r, &in->rules, node)
		over += READ_ONCE(r->over) > 0;
	spin_lock_irq(&in->books);
	fired = in->fired;
	no_room = in->no_room;
	streams = in->nstreams;
	memcpy(by, in->fired_by, sizeof(by));
	spin_unlock_irq(&in->books);
	mutex_unlock(&in->lock);
	seq_printf(m, "rules: %u\nover: %u\nfired: %llu\njournal_lost: %llu\n", rules, over, fired,
		   fired > GLASS_INJECT_JOURNAL ? fired - GLASS_INJECT_JOURNAL : 0);
	seq_printf(m, "streams: %u\nwaiting: %u\nno_room: %llu\nleft: %llu\n", streams,
		   waiting, no_room,
		   atomic64_read(&in->left));
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		seq_printf(m, "fired_%s: %llu\n", glass_rule_action_word(i), by[i]);
	return 0;
}

static int last_error_open(struct inode *inode, struct file *file)
{
	return single_open(file, last_error_show, inode->i_private);
}

static int last_added_open(struct inode *inode, struct file *file)
{
	return single_open(file, last_added_show, inode->i_private);
}

static int stats_open(struct inode *inode, struct file *file)
{
	return single_open(file, inject_stats_show, inode->i_private);
}

static const struct file_operations rules_fops = {
	.owner = THIS_MODULE,
	.open = rules_open,
	.read = seq_read,
	.write = rules_write,
	.llseek = seq_lseek,
	.release = rules_release,
};

static const struct file_operations journal_fops = {
	.owner = THIS_MODULE,
	.open = journal_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

static int held_open(struct inode *inode, struct file *file)
{
	return glass_table_open(file, &glass_table_held, inode->i_private);
}

static const struct file_operations held_fops = {
	.owner = THIS_MODULE,
	.open = held_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

static const struct file_operations last_error_fops = {
	.owner = THIS_MODULE,
	.open = last_error_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations last_added_fops = {
	.owner = THIS_MODULE,
	.open = last_added_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations inject_stats_fops = {
	.owner = THIS_MODULE,
	.open = stats_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

void glass_inject_add(struct glass_control *c)
{
	struct dentry *dir = glass_control_dir("inject", c->dir);

	c->inject_dir = dir;
	debugfs_create_file("rules", GLASS_CONTROL_BOTH, dir, c, &rules_fops);
	debugfs_create_file("journal", 0400, dir, c, &journal_fops);
	debugfs_create_file("stats", 0400, dir, c, &inject_stats_fops);
	debugfs_create_file("last_error", 0400, dir, c, &last_error_fops);
	debugfs_create_file("last_added", 0400, dir, c, &last_added_fops);
}

void glass_inject_add_device(struct glass_control *c)
{
	glass_control_file(c, c->inject_dir, "held", 0400, &held_fops);
}
