// SPDX-License-Identifier: GPL-2.0-only
/* ibasync: shows asynchronous events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibasync.h"
#include "ibasync.skel.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"

static struct ibasync_bpf *skel;
static bool owners_in_kernel;

static const char *const events[] = GLASS_WORDS(GLASS_EVENTS);
static uint64_t counts[GLASS_EV_COUNT];

static struct bpf_object *open_it(void)
{
	skel = ibasync_bpf__open();
	if (!skel)
		return NULL;
	/* only a filter needs owners in the kernel; otherwise look up the owner when a CQ fails */
	owners_in_kernel = tool_options.filter || tool_options.has_pid;
	bpf_program__set_autoload(skel->progs.cq_owner, owners_in_kernel);
	return skel->obj;
}

static void close_it(void)
{
	ibasync_bpf__destroy(skel);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	 { "event", "EVENT", 20, COL_TEXT },
	{ "kind", "KIND", 8, COL_TEXT }, { "num", "NUM", 8, COL_NUM },
	{ "pid", "PID", 8, COL_NUM },	 { "comm", "COMM", 16, COL_TEXT },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

struct cq_sought {
	const char *dev;
	uint32_t cqn;
	uint32_t pid;
	char comm[BPF_COMM_LEN];
};

static void is_sought(const char *dev, struct debugfs_table *t, const int *at, void *arg)
{
	struct cq_sought *s = arg;
	uint64_t cqn, pid;

	if (strcmp(dev, s->dev) || !debugfs_value_number(t, at[0], &cqn) || cqn != s->cqn ||
	    !debugfs_value_number(t, at[1], &pid))
		return;
	s->pid = pid;
	debugfs_value_text(t, at[2], s->comm, sizeof(s->comm));
}

static void event(const struct event_head *h, size_t size)
{
	static const char *const columns_of_cq[] = { "cqn", "pid", "comm", NULL };
	static const char *const kinds[] = GLASS_WORDS(GLASS_KINDS);
	const struct ibasync_event *e = (const void *)h;
	struct cq_sought owner = { .dev = h->dev.text, .cqn = e->num, .pid = h->pid };

	if (size < sizeof(*e))
		return;
	if (e->event < GLASS_EV_COUNT)
		counts[e->event]++;
	snprintf(owner.comm, sizeof(owner.comm), "%.*s", BPF_COMM_LEN - 1, h->comm);
	if (e->kind == GLASS_KIND_CQ && !h->pid && !owners_in_kernel)
		owner_each("cq", columns_of_cq, is_sought, &owner);
	out_row("event", &table,
		(struct value[]){ V_TEXT(h->dev.text), V_TEXT(WORD(events, e->event)),
				  V_TEXT(WORD(kinds, e->kind)), V_NUM(e->num),
				  V_NUM_IF(owner.pid, owner.pid),
				  V_TEXT_IF(*owner.comm, owner.comm) },
		h->ns);
}

static const struct column sum_columns[] = { { "event", "EVENT", 20, COL_TEXT },
					     { "count", "COUNT", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 2 };

static void summary(void)
{
	unsigned int i;

	out_header(&sum_table);
	for (i = 0; i < GLASS_EV_COUNT; i++)
		if (counts[i])
			out_row("summary", &sum_table,
				(struct value[]){ V_TEXT(WORD(events, i)), V_NUM(counts[i]) }, 0);
	memset(counts, 0, sizeof(counts));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV,   KEY_PID,  KEY_COMM, KEY_QPN,	 KEY_PORT,
						KEY_EVENT, KEY_KIND, KEY_NUM,  KEY_COUNT };
	static const struct tool tool = {
		.name = "ibasync",
		.doc = "Prints asynchronous events of devices, ports, queue pairs, CQs and SRQs, "
		       "also those that no program reads. It prints their number at the end "
		       "(Ctrl-C), or every INTERVAL seconds, COUNT times.",
		.keys = keys,
		.has_owners = true,
		.open = open_it,
		.close = close_it,
		.event = event,
		.event_table = &table,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
