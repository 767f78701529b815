// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * inject/rules, inject/journal and inject/last_error. A command is parsed by
 * rules/parse.c; an action on an object happens at once and the rule stays
 * listed until it is deleted.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "control/dump.h"
#include "control/files.h"
#include "engine/engine.h"
#include "observe/observe.h"

/* A rule that is listed. */
struct glass_live_rule {
	struct list_head node;
	struct glass_rule rule;
	u64 hit, eligible;
};

/* Keeps an error for last_error: WORD: WHY. */
static int refuse(struct glass_control *c, const char *word, const char *why)
{
	glass_rule_error(c->last_error, word, strlen(word), why);
	return -EINVAL;
}

static struct glass_live_rule *find_rule(struct glass_control *c, const char *name)
{
	struct glass_live_rule *r;

	list_for_each_entry(r, &c->rules, node)
		if (!strcmp(r->rule.name, name))
			return r;
	return NULL;
}

static void drop_rule(struct glass_control *c, struct glass_live_rule *r)
{
	list_del(&r->node);
	kfree(r);
	c->num_rules--;
}

static void clear_rules(struct glass_control *c)
{
	struct glass_live_rule *r, *next;

	list_for_each_entry_safe(r, next, &c->rules, node)
		drop_rule(c, r);
}

/* A name that no rule has: r1, r2 ... */
static void choose_name(struct glass_control *c, struct glass_rule *rule)
{
	do
		snprintf(rule->name, sizeof(rule->name), "r%u", ++c->auto_name);
	while (find_rule(c, rule->name));
}

/* "qpn=0x11" or "cqn=4", as a rule names its object. */
static void print_object(char *to, size_t len, enum glass_kind kind, u32 num)
{
	snprintf(to, len, kind == GLASS_KIND_QP ? "%s=0x%x" : "%s=%u", glass_rule_selector(kind),
		 num);
}

static struct glass_qp *get_qp(struct glass_dev *dev, const struct glass_rule *rule)
{
	if (rule->port > dev->num_ports)
		return NULL;
	return glass_qp_find(dev, rule->port, rule->num);
}

static void note_owner(struct glass_journal_entry *e, const struct glass_owner *o)
{
	e->pid = o->pid;
	memcpy(e->comm, o->comm, sizeof(e->comm));
	e->comm[sizeof(e->comm) - 1] = 0;
}

/* Does it to the object and notes whose it was. False: there is no such object. */
static bool act(struct glass_dev *dev, const struct glass_rule *rule,
		struct glass_journal_entry *e)
{
	struct glass_qp *qp;
	struct glass_cq *cq;
	struct glass_srq *srq;

	switch (rule->action) {
	case GLASS_ACT_QP_FATAL:
		qp = get_qp(dev, rule);
		if (!qp)
			return false;
		note_owner(e, &qp->owner);
		glass_qp_inject_fatal(qp);
		glass_ref_put(&qp->ref);
		return true;
	case GLASS_ACT_CQ_OVERRUN:
		cq = glass_cq_find(dev, rule->num);
		if (!cq)
			return false;
		note_owner(e, &cq->owner);
		glass_cq_inject_overrun(cq);
		glass_ref_put(&cq->ref);
		return true;
	case GLASS_ACT_SRQ_FATAL:
		srq = glass_srq_find(dev, rule->num);
		if (!srq)
			return false;
		note_owner(e, &srq->owner);
		glass_srq_inject_fatal(srq);
		glass_ref_put(&srq->ref);
		return true;
	default:
		return false;
	}
}

static int no_such_object(struct glass_control *c, const struct glass_rule *rule)
{
	static const char *const names[GLASS_KIND_COUNT] = {
		[GLASS_KIND_QP] = "QP", [GLASS_KIND_CQ] = "CQ", [GLASS_KIND_SRQ] = "SRQ",
	};
	char word[32], why[40 + IB_DEVICE_NAME_MAX];

	if (rule->port > c->dev->num_ports) {
		snprintf(word, sizeof(word), "port=%u", rule->port);
		snprintf(why, sizeof(why), "no such port on %s", glass_dev_name(c->dev));
	} else {
		print_object(word, sizeof(word), rule->kind, rule->num);
		snprintf(why, sizeof(why), "no such %s on %s", names[rule->kind],
			 glass_dev_name(c->dev));
	}
	return refuse(c, word, why);
}

/* Fires a rule on its object: the deed, the journal, the trace. */
static int fire(struct glass_control *c, struct glass_live_rule *r)
{
	const struct glass_rule *rule = &r->rule;
	struct glass_journal_entry e = {
		.when = ktime_get_ns(),
		.action = rule->action,
		.kind = rule->kind,
		.num = rule->num,
		.port = rule->port,
	};

	if (!act(c->dev, rule, &e))
		return no_such_object(c, rule);
	strscpy(e.rule, rule->name, sizeof(e.rule));
	e.seq = ++c->fired;
	c->journal[(e.seq - 1) % GLASS_JOURNAL_MAX] = e;
	r->eligible++;
	r->hit++;
	trace_glass_inject(glass_dev_name(c->dev), rule->name, rule->action, rule->kind, rule->num,
			   e.seq);
	return 0;
}

static int add_rule(struct glass_control *c, const struct glass_rule *rule)
{
	char word[GLASS_RULE_NAME + 8];
	struct glass_live_rule *r;
	int err;

	if (rule->name[0] && find_rule(c, rule->name)) {
		snprintf(word, sizeof(word), "name=%s", rule->name);
		return refuse(c, word, "there is a rule of this name");
	}
	if (c->num_rules >= GLASS_RULES_MAX)
		return refuse(c, "add", "too many rules, delete some");
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	r->rule = *rule;
	if (!rule->name[0])
		choose_name(c, &r->rule);
	err = fire(c, r);
	if (err) {
		kfree(r);
		return err;
	}
	list_add_tail(&r->node, &c->rules);
	c->num_rules++;
	return 0;
}

static int del_rule(struct glass_control *c, const struct glass_rule *rule)
{
	char word[GLASS_RULE_NAME + 8];
	struct glass_live_rule *r = find_rule(c, rule->name);

	if (!r) {
		snprintf(word, sizeof(word), "name=%s", rule->name);
		return refuse(c, word, "no rule of this name");
	}
	drop_rule(c, r);
	return 0;
}

/* What this driver does. */
static bool supported(enum glass_action action)
{
	return action <= GLASS_ACT_SRQ_FATAL;
}

static int obey(struct glass_control *c, const struct glass_rule *rule)
{
	char word[40];

	switch (rule->command) {
	case GLASS_RULE_ADD:
		if (supported(rule->action))
			return add_rule(c, rule);
		snprintf(word, sizeof(word), "act=%s", glass_rule_action_word(rule->action));
		return refuse(c, word, "not supported by this driver");
	case GLASS_RULE_DEL:
		return del_rule(c, rule);
	case GLASS_RULE_CLEAR:
		clear_rules(c);
		return 0;
	case GLASS_RULE_STEP:
	case GLASS_RULE_RELEASE:
		return refuse(c, "", "no packet waits");
	}
	return -EINVAL;
}

static int run_command(struct glass_control *c, const char *line, size_t len)
{
	struct glass_rule *rule;
	int err;

	lockdep_assert_held(&c->lock);
	rule = kmalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	err = glass_rule_parse(line, len, rule, c->last_error);
	if (!err)
		err = obey(c, rule);
	kfree(rule);
	return err;
}

static ssize_t rules_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct glass_control *c = file_inode(file)->i_private;
	/* one byte more than a command may have, for the parser to see that */
	char line[GLASS_RULE_LINE + 1];
	size_t len = min(count, sizeof(line));
	int err;

	if (copy_from_user(line, buf, len))
		return -EFAULT;
	mutex_lock(&c->lock);
	err = run_command(c, line, len);
	mutex_unlock(&c->lock);
	return err ? err : count;
}

/* The object of a rule or a firing: "qpn=0x1 port=2" */
static void show_object(struct seq_file *m, enum glass_kind kind, u32 num, u32 port)
{
	char object[32];

	print_object(object, sizeof(object), kind, num);
	seq_puts(m, object);
	if (port)
		seq_printf(m, " port=%u", port);
}

static int rules_show(struct seq_file *m, void *v)
{
	struct glass_control *c = m->private;
	const struct glass_live_rule *r;

	mutex_lock(&c->lock);
	list_for_each_entry(r, &c->rules, node) {
		seq_printf(m, "add name=%s ", r->rule.name);
		show_object(m, r->rule.kind, r->rule.num, r->rule.port);
		seq_printf(m, " act=%s count=1 hit=%llu eligible=%llu\n",
			   glass_rule_action_word(r->rule.action), r->hit, r->eligible);
	}
	mutex_unlock(&c->lock);
	return 0;
}

/* The journal is read firing by firing: position 0 is the oldest that is kept. */
struct journal_cursor {
	struct glass_control *c;
	struct glass_journal_entry entry;
};

/* Positions are sequence numbers less one. */
static void *journal_at(struct seq_file *m, loff_t *pos)
{
	struct journal_cursor *j = m->private;
	struct glass_control *c = j->c;
	void *found = NULL;

	mutex_lock(&c->lock);
	if (c->fired > GLASS_JOURNAL_MAX && *pos < c->fired - GLASS_JOURNAL_MAX)
		*pos = c->fired - GLASS_JOURNAL_MAX;
	if (*pos < c->fired) {
		j->entry = c->journal[*pos % GLASS_JOURNAL_MAX];
		found = &j->entry;
	}
	mutex_unlock(&c->lock);
	return found;
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

static int journal_show(struct seq_file *m, void *v)
{
	const struct glass_journal_entry *e = v;

	seq_printf(m, "seq=%llu time=%llu name=%s act=%s ", e->seq, e->when, e->rule,
		   glass_rule_action_word(e->action));
	show_object(m, e->kind, e->num, e->port);
	seq_printf(m, " pid=%d comm=", e->pid);
	glass_seq_text(m, e->comm);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations journal_seq_ops = {
	.start = journal_start,
	.next = journal_next,
	.stop = journal_stop,
	.show = journal_show,
};

static int journal_open(struct inode *inode, struct file *file)
{
	struct journal_cursor *j;

	j = __seq_open_private(file, &journal_seq_ops, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->c = inode->i_private;
	return 0;
}

static int last_error_show(struct seq_file *m, void *v)
{
	struct glass_control *c = m->private;

	mutex_lock(&c->lock);
	if (c->last_error[0])
		seq_printf(m, "%s\n", c->last_error);
	mutex_unlock(&c->lock);
	return 0;
}

static int rules_open(struct inode *inode, struct file *file)
{
	return single_open(file, rules_show, inode->i_private);
}

static int last_error_open(struct inode *inode, struct file *file)
{
	return single_open(file, last_error_show, inode->i_private);
}

static const struct file_operations rules_fops = {
	.owner = THIS_MODULE,
	.open = rules_open,
	.read = seq_read,
	.write = rules_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations journal_fops = {
	.owner = THIS_MODULE,
	.open = journal_open,
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

int glass_inject_add(struct glass_control *c)
{
	struct dentry *dir;

	c->journal = kvcalloc(GLASS_JOURNAL_MAX, sizeof(*c->journal), GFP_KERNEL);
	if (!c->journal)
		return -ENOMEM;
	dir = glass_control_dir("inject", c->dir);
	debugfs_create_file("rules", 0600, dir, c, &rules_fops);
	debugfs_create_file("journal", 0400, dir, c, &journal_fops);
	debugfs_create_file("last_error", 0400, dir, c, &last_error_fops);
	return 0;
}

void glass_inject_free(struct glass_control *c)
{
	clear_rules(c);
	kvfree(c->journal);
}
