// SPDX-License-Identifier: GPL-2.0-only
/* cqfill: shows how full CQs get, and how long completions wait in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "cqfill.h"
#include "cqfill.skel.h"
#include "uapi/glass-columns.h"

static struct cqfill_bpf *skel;
static bool histograms;

/* Capacity of a CQ, if it existed when its table was read */
struct size {
	struct cqfill_key key;
	uint64_t max;
};
static struct size *sizes;
static size_t num_sizes;

static const struct argp_option options[] = {
	{ "histograms", 'H', NULL, 0, "also print histograms of the time that completions wait", 2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	if (key != 'H')
		return ARGP_ERR_UNKNOWN;
	histograms = true;
	return 0;
}

static struct bpf_object *open_it(void)
{
	skel = cqfill_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	cqfill_bpf__destroy(skel);
	free(sizes);
}

static struct size *size_of(const struct cqfill_key *key)
{
	size_t i;

	for (i = 0; i < num_sizes; i++)
		if (!memcmp(&sizes[i].key, key, sizeof(*key)))
			return &sizes[i];
	return NULL;
}

static void note_size(const char *dev, struct debugfs_table *t, const int *at, void *begin)
{
	struct cqfill_value found = { .level = 0 };
	struct cqfill_key key = { .cqn = 0 };
	uint64_t cqn, max, used;
	struct size *s;

	if (!debugfs_value_number(t, at[0], &cqn) || !debugfs_value_number(t, at[1], &max) ||
	    !debugfs_value_number(t, at[2], &used))
		return;
	key.cqn = cqn;
	found.level = used;
	snprintf(key.dev.text, sizeof(key.dev.text), "%s", dev);
	s = size_of(&key);
	if (!s) {
		s = reallocarray(sizes, num_sizes + 1, sizeof(*sizes));
		if (!s)
			cli_die(CLI_FAILED, "out of memory");
		sizes = s;
		s = &sizes[num_sizes++];
		s->key = key;
	}
	s->max = max;
	/* count the completions that it already holds */
	if (begin && found.level) {
		found.max = found.level;
		bpf_map_update_elem(bpf_map__fd(skel->maps.cqs), &key, &found, BPF_NOEXIST);
	}
}

static const char *const size_columns[] = { "cqn", "max", "used", NULL };

static void loaded(struct bpf_object *obj)
{
	(void)obj;
	owner_each("cq", size_columns, note_size, (void *)1);
}

static void event(const struct event_head *h, size_t size)
{
	(void)h;
	if (size < sizeof(struct cqfill_event))
		return;
	/* the number may belong to a new CQ by now: always read the table */
	owner_each("cq", size_columns, note_size, NULL);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },		{ "cqn", "CQN", 6, COL_NUM },
	{ "pid", "PID", 8, COL_NUM },		{ "comm", "COMM", 16, COL_TEXT },
	{ "size", "SIZE", 7, COL_NUM },		{ "level", "NOW", 7, COL_NUM },
	{ "max_level", "MOST", 7, COL_NUM },	{ "percent", "%", 4, COL_NUM },
	{ "completions", "CQES", 10, COL_NUM }, { "errors", "ERRORS", 7, COL_NUM },
	{ "polled", "POLLED", 10, COL_NUM },	{ "mean_wait", "WAIT(us)", 10, COL_US },
	{ "max_wait", "MAX(us)", 10, COL_US },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static int compare(const void *a, const void *b)
{
	const struct cqfill_key *x = a, *y = b;
	int dev = memcmp(&x->dev, &y->dev, sizeof(x->dev));

	return dev ? dev : x->cqn < y->cqn ? -1 : x->cqn > y->cqn;
}

static void print(const struct cqfill_key *key, const struct cqfill_value *cq)
{
	int fd = bpf_map__fd(skel->maps.owners);
	struct owner_key ok = { .dev = hash_words(key->dev.word, BPF_DEV_LEN / 8),
				.kind = GLASS_KIND_CQ,
				.num = key->cqn };
	const struct size *s = size_of(key);
	struct owner o = { 0 };
	bool polls = tool_provider() != NULL;

	if (bpf_map_lookup_elem(fd, &ok, &o))
		memset(&o, 0, sizeof(o));
	out_row("summary", &table,
		(struct value[]){
			V_TEXT(key->dev.text), V_NUM(key->cqn), V_NUM_IF(o.pid, o.pid),
			V_TEXT_IF(*o.comm.text, o.comm.text), V_NUM_IF(s, s ? s->max : 0),
			V_NUM_IF(polls, (uint64_t)cq->level), V_NUM_IF(polls, (uint64_t)cq->max),
			V_NUM_IF(polls && s && s->max,
				 s && s->max ? (uint64_t)cq->max * 100 / s->max : 0),
			V_NUM(cq->completions), V_NUM(cq->errors), V_NUM_IF(polls, cq->polled),
			V_NUM_IF(cq->wait.count,
				 cq->wait.count ? cq->wait.sum / cq->wait.count : 0),
			V_NUM_IF(cq->wait.count, cq->wait.max) },
		0);
}

static void print_histogram(const struct cqfill_key *key, const struct cqfill_value *cq)
{
	static const struct column key_columns[] = { { "dev", "DEV", 10, COL_TEXT },
						     { "cqn", "CQN", 6, COL_NUM } };
	static const struct table keys = { key_columns, 2 };
	char label[80];

	snprintf(label, sizeof(label), "%s CQ %u: wait", key->dev.text, key->cqn);
	out_histogram(tool_options.json ? "wait" : label, "ns", &cq->wait, &keys,
		      (struct value[]){ V_TEXT(key->dev.text), V_NUM(key->cqn) });
}

/* Starts a new interval: keeps the level and resets everything else. */
static void begin_again(int fd, const struct cqfill_key *key, struct cqfill_value *cq)
{
	struct cqfill_value next = { .level = cq->level, .max = cq->level };

	/* idle and empty: the CQ may be destroyed */
	if (!cq->completions && !cq->polled && !cq->level)
		bpf_map_delete_elem(fd, key);
	else
		bpf_map_update_elem(fd, key, &next, BPF_EXIST);
}

static void summary(void)
{
	int fd = bpf_map__fd(skel->maps.cqs);
	struct cqfill_value cq;
	struct cqfill_key *keys;
	size_t n, i;

	keys = tool_keys(fd, sizeof(*keys), &n);
	qsort(keys, n, sizeof(*keys), compare);
	out_header(&table);
	for (i = 0; i < n; i++)
		if (!bpf_map_lookup_elem(fd, &keys[i], &cq))
			print(&keys[i], &cq);
	for (i = 0; i < n && histograms; i++)
		if (!bpf_map_lookup_elem(fd, &keys[i], &cq))
			print_histogram(&keys[i], &cq);
	for (i = 0; i < n; i++)
		if (!bpf_map_lookup_elem(fd, &keys[i], &cq))
			begin_again(fd, &keys[i], &cq);
	free(keys);
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID, KEY_COMM, KEY_NUM, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "completed", "the trace event glass_cqe is not there (modprobe glass)", true },
		{ "usdt_poll",
		  "the provider's probes are missing: polls of programs and fill levels of CQs are "
		  "unknown",
		  false },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "cqfill",
		.doc = "Prints how full completion queues are and were, and how long completions "
		       "wait for a poll: every INTERVAL seconds, COUNT times, or at the end "
		       "(Ctrl-C). In filters num is the number of the CQ.",
		.options = options,
		.parse = parse,
		.keys = keys,
		.has_owners = true,
		.open = open_it,
		.loaded = loaded,
		.close = close_it,
		.needs = needs,
		.event = event,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
