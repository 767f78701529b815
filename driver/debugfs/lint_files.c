// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The files of glassN/lint/ and glassN/behavior/, which docs/lint-abi.md describes. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debugfs/dump.h"
#include "debugfs/files.h"
#include "engine/engine.h"
#include "engine/strict.h"
#include "observe/lint.h"

/*
 * Returns a copy of the bytes of a write(), but of no more than GLASS_LINT_LINE + 2 bytes. Sets
 * *len to the length of the copy. The caller frees the copy by kfree(). Returns an ERR_PTR if the
 * copy fails. May sleep.
 */
static char *get_line(const char __user *buf, size_t count, size_t *len)
{
	/*
	 * the longest line, its newline, and one byte by which the parser detects a line that is
	 * too long
	 */
	*len = min_t(size_t, count, GLASS_LINT_LINE + 2);
	return memdup_user(buf, *len);
}

static struct glass_lint *lint_of(struct file *file)
{
	struct glass_control *c = file_inode(file)->i_private;

	return c->lint;
}

static ssize_t scope_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_lint_command c;
	char *line;
	size_t len;
	int err;

	if (!count)
		return 0;
	line = get_line(buf, count, &len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = glass_lint_parse_scope(line, len, &c) ? 0 : -EINVAL;
	kfree(line);
	if (!err)
		err = glass_lint_scope_command(lint_of(file), &c, file);
	return err ? err : count;
}

static void show_codes(struct seq_file *m, const char *key, const struct glass_lint_set *codes)
{
	struct glass_lint_set named = {};
	const char *join = "";
	u32 n;

	seq_printf(m, " %s=", key);
	glass_lint_add_all(&named);
	if (glass_lint_set_has_all(codes, &named)) {
		seq_puts(m, "all");
		return;
	}
	memset(&named, 0, sizeof(named));
	glass_lint_add_default(&named);
	if (glass_lint_set_has_all(codes, &named)) {
		seq_puts(m, "default");
		join = ",";
	} else {
		memset(&named, 0, sizeof(named));
	}
	for (n = 1; n <= GLASS_LINT_COUNT; n++) {
		if (!glass_lint_set_has(codes, n) || glass_lint_set_has(&named, n))
			continue;
		seq_printf(m, "%sGL%03u", join, n);
		join = ",";
	}
}

/* Prints a name pattern, escaped as in a command. */
static void show_name(struct seq_file *m, const struct glass_name *n)
{
	u32 i;

	seq_puts(m, " comm=");
	for (i = 0; n->text[i]; i++) {
		char c = n->text[i];

		if (n->wild & BIT(i) || isalnum(c) || strchr("._:/-", c))
			seq_putc(m, c);
		else
			seq_printf(m, "%%%02X", (u8)c);
	}
}

static int scope_show(struct seq_file *m, void *v)
{
	struct glass_control *control = m->private;
	struct glass_lint *l = control->lint;
	const struct glass_lint_scope *s;

	mutex_lock(&l->lock);
	list_for_each_entry(s, &l->scopes, node) {
		const struct glass_lint_command *c = &s->c;

		seq_printf(m, "add id=%u", s->id);
		if (c->by == GLASS_LINT_BY_PID)
			seq_printf(m, " pid=%u", c->pid);
		else if (c->by == GLASS_LINT_BY_COMM)
			show_name(m, &c->comm);
		else
			seq_puts(m, " all");
		show_codes(m, "codes", &c->codes);
		if (!glass_lint_set_is_empty(&c->errors))
			show_codes(m, "error", &c->errors);
		seq_printf(m, "%s%s%s\n", c->log ? " log" : "", c->owner ? " owner" : "",
			   c->stacks ? " stacks" : "");
	}
	mutex_unlock(&l->lock);
	return 0;
}

static int scope_open(struct inode *inode, struct file *file)
{
	return single_open(file, scope_show, inode->i_private);
}

static int scope_release(struct inode *inode, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;

	/*
	 * debugfs_file_get() fails if the file was removed. In that case slot_remove() of hca/hca.c
	 * ends all scopes of the device, so there is no scope to end here.
	 */
	if (!debugfs_file_get(dentry)) {
		glass_lint_file_closed(lint_of(file), file);
		debugfs_file_put(dentry);
	}
	return single_release(inode, file);
}

static const struct file_operations scope_fops = {
	.owner = THIS_MODULE,
	.open = scope_open,
	.read = seq_read,
	.write = scope_write,
	.llseek = seq_lseek,
	.release = scope_release,
};

static ssize_t mute_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_lint_command c;
	char *line;
	size_t len;
	int err;

	if (!count)
		return 0;
	line = get_line(buf, count, &len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = glass_lint_parse_mute(line, len, &c) ? 0 : -EINVAL;
	kfree(line);
	if (!err)
		err = glass_lint_mute_command(lint_of(file), &c);
	return err ? err : count;
}

static const char *const kind_words[] = GLASS_WORDS(GLASS_KINDS);

static int mute_show(struct seq_file *m, void *v)
{
	struct glass_control *control = m->private;
	struct glass_lint *l = control->lint;
	const struct glass_lint_mute *mute;
	u64 hit;

	mutex_lock(&l->lock);
	list_for_each_entry(mute, &l->mutes, node) {
		const struct glass_lint_command *c = &mute->c;

		spin_lock_irq(&l->books);
		hit = mute->hit;
		spin_unlock_irq(&l->books);
		seq_printf(m, "add id=%u", mute->id);
		show_codes(m, "code", &c->codes);
		if (c->has_comm)
			show_name(m, &c->comm);
		if (c->has_object)
			seq_printf(m, " kind=%s num=0x%llx", kind_words[c->kind], c->num);
		seq_printf(m, " hit=%llu\n", hit);
	}
	mutex_unlock(&l->lock);
	return 0;
}

static int mute_open(struct inode *inode, struct file *file)
{
	return single_open(file, mute_show, inode->i_private);
}

static const struct file_operations mute_fops = {
	.owner = THIS_MODULE,
	.open = mute_open,
	.read = seq_read,
	.write = mute_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static ssize_t clear_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	glass_lint_clear(lint_of(file));
	return count;
}

static const struct file_operations clear_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = clear_write,
	.llseek = noop_llseek,
};

static int lint_stats_show(struct seq_file *m, void *v)
{
	struct glass_control *control = m->private;
	struct glass_lint *l = control->lint;
	u32 scopes, mutes, kept;
	u64 lost;

	mutex_lock(&l->lock);
	scopes = l->nscopes;
	mutes = l->nmutes;
	spin_lock_irq(&l->books);
	kept = l->kept ? l->kept->index.n : 0;
	lost = l->lost;
	spin_unlock_irq(&l->books);
	mutex_unlock(&l->lock);
	seq_printf(m, "scopes: %u\nmutes: %u\nfindings: %u\nlost: %llu\n", scopes, mutes, kept, lost);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(lint_stats);

/* ---- findings and codes: tables */

static const char *const severities[] = GLASS_WORDS(GLASS_LINT_SEVERITIES);

/*
 * Sets the column `scopes` to the ids in scopes[], joined by colons, such as "3:5". The ids end at
 * the first 0 in scopes[].
 */
static void row_scopes(struct glass_row *r, const u32 *scopes)
{
	char text[GLASS_LINT_HOLD * sizeof("4294967295")] = "";
	size_t n = 0, i;

	for (i = 0; i < GLASS_LINT_HOLD && scopes[i]; i++)
		n += scnprintf(text + n, sizeof(text) - n, "%s%u", n ? ":" : "", scopes[i]);
	if (n)
		glass_row_text(r, GLASS_COL_LINT_scopes, "%s", text);
}

static bool lint_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_finding f;

	if (!glass_lint_get(dev->lint, *pos, &f))
		return false;
	*pos = f.id;
	glass_row_num(r, GLASS_COL_LINT_id, f.id);
	glass_row_text(r, GLASS_COL_LINT_code, "GL%03u", f.code);
	glass_row_word(r, GLASS_COL_LINT_severity, severities[glass_lint_code[f.code].severity]);
	glass_row_word(r, GLASS_COL_LINT_kind, kind_words[f.kind]);
	if (f.kind != GLASS_KIND_DEVICE)
		glass_row_num(r, GLASS_COL_LINT_num, f.num);
	glass_row_num(r, GLASS_COL_LINT_pid, f.pid);
	glass_row_text(r, GLASS_COL_LINT_comm, "%s", f.comm);
	if (f.peer[0])
		glass_row_text(r, GLASS_COL_LINT_peer, "%s", f.peer);
	if (f.peer_comm[0]) {
		glass_row_num(r, GLASS_COL_LINT_peer_pid, f.peer_pid);
		glass_row_text(r, GLASS_COL_LINT_peer_comm, "%s", f.peer_comm);
	}
	glass_row_num(r, GLASS_COL_LINT_count, f.count);
	glass_row_num(r, GLASS_COL_LINT_first, f.first);
	glass_row_num(r, GLASS_COL_LINT_last, f.last);
	glass_row_num(r, GLASS_COL_LINT_seen, f.seen);
	glass_row_num(r, GLASS_COL_LINT_expected, f.expected);
	glass_row_text(r, GLASS_COL_LINT_text, "%s", f.text);
	row_scopes(r, f.scopes);
	glass_row_stack(r, GLASS_COL_LINT_stack, f.stack);
	glass_row_stack(r, GLASS_COL_LINT_peer_stack, f.peer_stack);
	return true;
}

DEFINE_GLASS_TABLE(lint, LINT, lint_next);

/* The position of a row is the number of the code. */
static bool codes_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	const struct glass_lint_scope *s;
	const struct glass_lint_mute *m;
	struct glass_lint *l = dev->lint;
	bool enabled = false, muted = false;
	u32 n = *pos;
	u64 count;

	if (*pos > GLASS_LINT_COUNT)
		return false;
	mutex_lock(&l->lock);
	list_for_each_entry(s, &l->scopes, node)
		enabled |= glass_lint_set_has(&s->c.codes, n);
	list_for_each_entry(m, &l->mutes, node)
		muted |= glass_lint_set_has(&m->c.codes, n) && !m->c.has_comm && !m->c.has_object;
	mutex_unlock(&l->lock);
	spin_lock_irq(&l->books);
	count = l->count[n];
	spin_unlock_irq(&l->books);
	glass_row_text(r, GLASS_COL_CODES_code, "GL%03u", n);
	glass_row_word(r, GLASS_COL_CODES_severity, severities[glass_lint_code[n].severity]);
	glass_row_word(r, GLASS_COL_CODES_default, glass_lint_code[n].costly ? "costly" : "on");
	glass_row_bool(r, GLASS_COL_CODES_enabled, enabled);
	glass_row_bool(r, GLASS_COL_CODES_muted, muted);
	glass_row_num(r, GLASS_COL_CODES_count, count);
	glass_row_word(r, GLASS_COL_CODES_word, glass_lint_code[n].word);
	glass_row_word(r, GLASS_COL_CODES_title, glass_lint_code[n].title);
	return true;
}

DEFINE_GLASS_TABLE(codes, CODES, codes_next);

static u64 lint_read_changes(struct glass_lint *l)
{
	u64 n;

	spin_lock_irq(&l->books);
	n = l->changes;
	spin_unlock_irq(&l->books);
	return n;
}

static int findings_open(struct inode *inode, struct file *file)
{
	int err = glass_table_open(file, &glass_table_lint, inode->i_private);

	/*
	 * poll_event is the count of changes at the last read. A count is never negative. So the
	 * value -1 makes poll() report an event until the program has read the file once.
	 */
	if (!err)
		((struct seq_file *)file->private_data)->poll_event = -1;
	return err;
}

static ssize_t findings_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	struct seq_file *m = file->private_data;

	if (!*ppos)
		m->poll_event = lint_read_changes(dev->lint) & INT_MAX;
	return seq_read(file, buf, count, ppos);
}

static __poll_t findings_poll(struct file *file, poll_table *wait)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	struct seq_file *m = file->private_data;

	poll_wait(file, &dev->lint->wait, wait);
	return m->poll_event == (int)(lint_read_changes(dev->lint) & INT_MAX) ? 0 :
								    EPOLLIN | EPOLLRDNORM | EPOLLPRI;
}

static const struct file_operations findings_fops = {
	.owner = THIS_MODULE,
	.open = findings_open,
	.read = findings_read,
	.poll = findings_poll,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

static int codes_open(struct inode *inode, struct file *file)
{
	return glass_table_open(file, &glass_table_codes, inode->i_private);
}

static const struct file_operations codes_fops = {
	.owner = THIS_MODULE,
	.open = codes_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* ---- behavior/: a file for each knob of strict mode (model/strict.h), and the file `seed` */

static DEFINE_MUTEX(behavior_lock); /* serializes writes to the files of behavior/ */

#define BEHAVIOR_WORD(n, w, kind, clause, meaning) #w,
static const char *const behaviors[] = { GLASS_BEHAVIORS(BEHAVIOR_WORD) };

/*
 * Returns the knob (enum glass_behavior) of a file in behavior/, or a negative number for the file
 * `seed`.
 */
static int behavior_of_file(struct file *file)
{
	return match_string(behaviors, ARRAY_SIZE(behaviors), file->f_path.dentry->d_name.name);
}

static bool take_number(char *text, u64 *v)
{
	return text && *text && glass_word_number(text, strlen(text), v);
}

/*
 * Parses the value of a knob: "0", "1" or "1 seed=7". Leaves *seed unchanged if the value has no
 * seed=. Returns false if the value is wrong.
 */
static bool parse_knob(char *text, u64 *on, u64 *seed)
{
	char *first = strsep(&text, " \t");

	if (!take_number(first, on) || *on > 1)
		return false;
	if (!text)
		return true;
	return *on && !strncmp(text, "seed=", 5) && take_number(text + 5, seed);
}

static ssize_t behavior_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	int b = behavior_of_file(file);
	char raw[64];
	char *text;
	u64 on, seed;
	bool ok;

	if (!count || count >= sizeof(raw))
		return -EINVAL;
	if (copy_from_user(raw, buf, count))
		return -EFAULT;
	raw[count] = 0;
	text = strim(raw);
	mutex_lock(&behavior_lock);
	seed = dev->strict.base;
	if (b < 0) {
		ok = take_number(text, &seed);
		if (ok)
			dev->strict.base = seed;
	} else {
		ok = parse_knob(text, &on, &seed);
		if (ok)
			glass_strict_set(dev, b, on, seed);
	}
	mutex_unlock(&behavior_lock);
	return ok ? count : -EINVAL;
}

static ssize_t behavior_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_dev *dev = file_inode(file)->i_private;
	int b = behavior_of_file(file);
	char text[32];
	int n;

	if (b < 0)
		n = scnprintf(text, sizeof(text), "%llu\n", dev->strict.base);
	else
		n = scnprintf(text, sizeof(text), "%d\n", !!(READ_ONCE(dev->strict.on) & 1U << b));
	return simple_read_from_buffer(buf, count, ppos, text, n);
}

static const struct file_operations behavior_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = behavior_read,
	.write = behavior_write,
	.llseek = default_llseek,
};

/* ---- the directories */

void glass_lint_add(struct glass_control *c)
{
	struct dentry *dir = glass_control_dir("lint", c->dir);

	c->lint_dir = dir;
	debugfs_create_file("scope", GLASS_CONTROL_BOTH, dir, c, &scope_fops);
	debugfs_create_file("mute", GLASS_CONTROL_BOTH, dir, c, &mute_fops);
	debugfs_create_file("clear", 0200, dir, c, &clear_fops);
	debugfs_create_file("stats", 0400, dir, c, &lint_stats_fops);
	c->behavior_dir = glass_control_dir("behavior", c->dir);
}

void glass_lint_add_device(struct glass_control *c)
{
	u32 i;

	glass_control_file(c, c->lint_dir, "findings", 0400, &findings_fops);
	glass_control_file(c, c->lint_dir, "codes", 0400, &codes_fops);
	c->dev->strict.base = 1;
	for (i = 0; i < ARRAY_SIZE(behaviors); i++)
		glass_control_file(c, c->behavior_dir, behaviors[i],
				   GLASS_CONTROL_BOTH, &behavior_fops);
	glass_control_file(c, c->behavior_dir, "seed", GLASS_CONTROL_BOTH, &behavior_fops);
}
