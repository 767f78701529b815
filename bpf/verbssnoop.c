// SPDX-License-Identifier: GPL-2.0-only
/* verbssnoop: shows each verb with its arguments, result and duration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/verbs_attach.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"
#include "verbssnoop.h"
#include "verbssnoop.skel.h"

static struct verbssnoop_bpf *skel;
static bool all, failed, each = true;

static struct {
	uint64_t calls, errors, ns, max;
} totals[256];

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0,
	  "also print posts and polls of programs, which do not enter the kernel (Glass only)", 1 },
	{ "failed", 'x', NULL, 0, "print only verbs that failed", 1 },
	{ "summary", 's', NULL, 0, "print only the summary", 2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	switch (key) {
	case 'a':
		all = true;
		return 0;
	case 'x':
		failed = true;
		return 0;
	case 's':
		each = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct bpf_object *open_it(void)
{
	skel = verbssnoop_bpf__open();
	if (!skel)
		return NULL;
	bpf_program__set_autoload(skel->progs.usdt_post_send, all);
	bpf_program__set_autoload(skel->progs.usdt_post_recv, all);
	bpf_program__set_autoload(skel->progs.usdt_poll, all);
	return skel->obj;
}

static void close_it(void)
{
	verbssnoop_bpf__destroy(skel);
}

static bool any_verb(unsigned int verb)
{
	(void)verb;
	return true;
}

static int attach(struct bpf_object *obj)
{
	if (!tool_options.quiet)
		verbs_say_drivers();
	return verbs_attach(obj, any_verb);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	  { "pid", "PID", 8, COL_NUM },
	{ "comm", "COMM", 16, COL_TEXT }, { "verb", "VERB", 16, COL_TEXT },
	{ "kind", "KIND", 8, COL_TEXT },  { "num", "NUM", 8, COL_NUM },
	{ "ret", "RET", 5, COL_SIGNED },  { "took", "US", 10, COL_US },
	{ "args", "ARGS", 0, COL_LAST },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static void event(const struct event_head *h, size_t size)
{
	static const char *const kinds[] = GLASS_WORDS(GLASS_KINDS);
	const struct verb_event *e = (const void *)h;

	if (size < sizeof(*e) || (failed && e->ret >= 0))
		return;
	totals[e->verb].calls++;
	totals[e->verb].errors += e->ret < 0;
	totals[e->verb].ns += e->took;
	if (e->took > totals[e->verb].max)
		totals[e->verb].max = e->took;
	if (!each)
		return;
	out_row("event", &table,
		(struct value[]){
			V_TEXT_IF(*h->dev.text, h->dev.text), V_NUM(h->pid), V_TEXT(h->comm),
			V_TEXT(verb_word(e->verb)), V_TEXT(WORD(kinds, e->kind)),
			V_NUM_IF(e->kind != GLASS_KIND_NONE && (e->num || e->source == BY_GLASS),
				 e->num),
			V_NUM_IF(e->source != BY_PROBE, (uint64_t)e->ret),
			V_NUM_IF(e->source != BY_PROBE, e->took), V_TEXT(verb_args(e)) },
		h->ns);
}

static const struct column sum_columns[] = {
	{ "verb", "VERB", 16, COL_TEXT },   { "calls", "CALLS", 10, COL_NUM },
	{ "errors", "ERRORS", 8, COL_NUM }, { "mean", "MEAN(us)", 10, COL_US },
	{ "max", "MAX(us)", 10, COL_US },
};
static const struct table sum_table = { sum_columns, sizeof(sum_columns) / sizeof(*sum_columns) };

static void summary(void)
{
	unsigned int v;

	out_header(&sum_table);
	for (v = 0; v < 256; v++) {
		if (!totals[v].calls)
			continue;
		out_row("summary", &sum_table,
			(struct value[]){
				V_TEXT(verb_word(v)), V_NUM(totals[v].calls),
				V_NUM(totals[v].errors),
				V_NUM_IF(v < PROBE_POST_SEND, totals[v].ns / totals[v].calls),
				V_NUM_IF(v < PROBE_POST_SEND, totals[v].max) },
			0);
	}
	memset(totals, 0, sizeof(totals));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID,  KEY_COMM, KEY_QPN,  KEY_VERB,
						KEY_RET, KEY_KIND, KEY_NUM,  KEY_COUNT };
	static const struct tool tool = {
		.name = "verbssnoop",
		.doc = "Prints each verb that reaches the driver: the process, the object, the "
		       "result, the time and the arguments. It prints the number of calls of each "
		       "verb at the end (Ctrl-C), or every INTERVAL seconds, COUNT times.",
		.options = options,
		.parse = parse,
		.keys = keys,
		.open = open_it,
		.attach = attach,
		.close = close_it,
		.event = event,
		.event_table = &table,
		.events_asked = &each,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
