// SPDX-License-Identifier: GPL-2.0-only
/* Enters existing objects, which it reads from the tables in debugfs. */
#include <stdio.h>
#include <string.h>

#include "common/tool.h"
#include "lib/debugfs/device.h"
#include "uapi/glass-columns.h"

void owner_rows(const char *dev, const char *file, const char *kind, const char *const *columns,
		owner_fn *fn, void *arg)
{
	int at[OWNER_COLUMNS], n = 0;
	struct debugfs_file f = { 0 };
	struct debugfs_table t;

	while (columns[n])
		n++;
	/* a device that was removed meanwhile has no files */
	if (!debugfs_read(&f, dev, file) && debugfs_table_begin(&t, &f, kind) &&
	    debugfs_columns_find(&t, columns, n, at))
		while (debugfs_table_next(&t))
			fn(dev, &t, at, arg);
	debugfs_tell_once(&f);
	debugfs_free(&f);
}

void owner_each(const char *kind, const char *const *columns, owner_fn *fn, void *arg)
{
	struct devices all;
	size_t i;

	if (debugfs_devices_with(kind, &all))
		return;
	for (i = 0; i < all.count; i++)
		owner_rows(all.name[i], kind, kind, columns, fn, arg);
}

struct target {
	int fd;
	uint32_t kind;
};

static void add_owner(const char *name, struct debugfs_table *table, const int *at, void *arg)
{
	const struct target *t = arg;
	struct owner_key key = { .kind = t->kind };
	struct owner o = { .pid = 0 };
	union dev_name dev = { "" };
	uint64_t num, pid;

	if (!debugfs_value_number(table, at[0], &num) || !debugfs_value_number(table, at[1], &pid))
		return;
	key.num = num;
	o.pid = pid;
	snprintf(dev.text, sizeof(dev.text), "%s", name);
	key.dev = hash_words(dev.word, sizeof(dev) / 8);
	debugfs_value_text(table, at[2], o.comm.text, sizeof(o.comm.text));
	bpf_map_update_elem(t->fd, &key, &o, BPF_ANY);
}

void owner_fill(struct bpf_object *obj)
{
	static const char *const qp[] = { "qpn", "pid", "comm", NULL };
	static const char *const cq[] = { "cqn", "pid", "comm", NULL };
	struct target t = { .fd = bpf_object__find_map_fd_by_name(obj, "owners") };

	if (t.fd < 0)
		return;
	t.kind = GLASS_KIND_QP;
	owner_each("qp", qp, add_owner, &t);
	t.kind = GLASS_KIND_CQ;
	owner_each("cq", cq, add_owner, &t);
}
