// SPDX-License-Identifier: GPL-2.0-only
/* mrlat: shows the cost of registering memory, by size. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/verbs_attach.h"
#include "mrlat.h"
#include "mrlat.skel.h"
#include "uapi/glass-enums.h"

static struct mrlat_bpf *skel;
static bool each;

/* By verb and by the power of two of the size; dereg_mr has no size. */
#define SIZES 64
static struct {
	struct hist all;
	uint64_t errors;
	struct {
		uint64_t calls, bytes, ns, max;
	} size[SIZES];
} seen[GLASS_VERB_COUNT];

static const struct argp_option options[] = {
	{ "each", 'e', NULL, 0, "also print a line for each call", 2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	if (key != 'e')
		return ARGP_ERR_UNKNOWN;
	each = true;
	return 0;
}

static struct bpf_object *open_it(void)
{
	skel = mrlat_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	mrlat_bpf__destroy(skel);
}

static bool wanted(unsigned int verb)
{
	return verb == GLASS_VERB_REG_MR || verb == GLASS_VERB_REREG_MR ||
	       verb == GLASS_VERB_DEREG_MR;
}

static int attach(struct bpf_object *obj)
{
	if (!tool_options.quiet)
		verbs_say_drivers();
	return verbs_attach(obj, wanted);
}

/* Reads the registered size from the arguments. Returns false if they have none. */
static bool size_of(const struct verb_event *e, uint64_t *size)
{
	const char *at;

	if (e->verb == GLASS_VERB_DEREG_MR)
		return false;
	if (e->source == BY_DRIVER) {
		*size = e->arg[2];
		return e->verb == GLASS_VERB_REG_MR;
	}
	at = strstr(e->args, "len=");
	return at && sscanf(at, "len=%" SCNu64, size) == 1;
}

static unsigned int log2_of(uint64_t v)
{
	return v ? 63 - __builtin_clzll(v) : 0;
}

static void hist_count(struct hist *h, uint64_t v)
{
	unsigned int slot = log2_of(v);

	h->slot[slot < HIST_SLOTS ? slot : HIST_SLOTS - 1]++;
	h->count++;
	h->sum += v;
	if (!h->min || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	  { "pid", "PID", 8, COL_NUM },
	{ "comm", "COMM", 16, COL_TEXT }, { "verb", "VERB", 10, COL_TEXT },
	{ "key", "KEY", 10, COL_HEX },	  { "len", "BYTES", 12, COL_NUM },
	{ "ret", "RET", 5, COL_SIGNED },  { "took", "US", 10, COL_US },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static void event(const struct event_head *h, size_t size)
{
	const struct verb_event *e = (const void *)h;
	uint64_t bytes = 0;
	bool sized;

	if (size < sizeof(*e) || e->verb >= GLASS_VERB_COUNT)
		return;
	sized = size_of(e, &bytes);
	if (e->ret < 0) {
		seen[e->verb].errors++;
	} else {
		unsigned int n = log2_of(bytes);

		hist_count(&seen[e->verb].all, e->took);
		if (sized) {
			seen[e->verb].size[n].calls++;
			seen[e->verb].size[n].bytes += bytes;
			seen[e->verb].size[n].ns += e->took;
			if (e->took > seen[e->verb].size[n].max)
				seen[e->verb].size[n].max = e->took;
		}
	}
	if (each)
		out_row("event", &table,
			(struct value[]){ V_TEXT_IF(*h->dev.text, h->dev.text), V_NUM(h->pid),
					  V_TEXT(h->comm), V_TEXT(verb_word(e->verb)),
					  V_NUM_IF(e->num, e->num), V_NUM_IF(sized, bytes),
					  V_NUM((uint64_t)e->ret), V_NUM(e->took) },
			h->ns);
}

static const struct column sum_columns[] = {
	{ "verb", "VERB", 10, COL_TEXT },  { "from", "FROM", 12, COL_NUM },
	{ "to", "TO", 12, COL_NUM },	   { "calls", "CALLS", 10, COL_NUM },
	{ "bytes", "BYTES", 14, COL_NUM }, { "mean", "MEAN(us)", 10, COL_US },
	{ "max", "MAX(us)", 10, COL_US },
};
static const struct table sum_table = { sum_columns, sizeof(sum_columns) / sizeof(*sum_columns) };

static const struct column error_columns[] = { { "verb", "VERB", 10, COL_TEXT },
					       { "errors", "FAILED", 10, COL_NUM } };
static const struct table error_table = { error_columns, 2 };

static void sizes(unsigned int verb)
{
	unsigned int n;

	for (n = 0; n < SIZES; n++) {
		uint64_t calls = seen[verb].size[n].calls;

		if (!calls)
			continue;
		out_row("summary", &sum_table,
			(struct value[]){ V_TEXT(verb_word(verb)), V_NUM(n ? 1ULL << n : 0),
					  V_NUM((2ULL << n) - 1), V_NUM(calls),
					  V_NUM(seen[verb].size[n].bytes),
					  V_NUM(seen[verb].size[n].ns / calls),
					  V_NUM(seen[verb].size[n].max) },
			0);
	}
}

static void summary(void)
{
	static const struct table none = { NULL, 0 };
	unsigned int v;

	out_header(&sum_table);
	for (v = 0; v < GLASS_VERB_COUNT; v++)
		sizes(v);
	for (v = 0; v < GLASS_VERB_COUNT; v++)
		if (seen[v].all.count)
			out_histogram(verb_word(v), "ns", &seen[v].all, &none, NULL);
	for (v = 0; v < GLASS_VERB_COUNT; v++) {
		if (!seen[v].errors)
			continue;
		out_header(&error_table);
		out_row("errors", &error_table,
			(struct value[]){ V_TEXT(verb_word(v)), V_NUM(seen[v].errors) }, 0);
	}
	memset(seen, 0, sizeof(seen));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID, KEY_COMM, KEY_VERB,
						KEY_RET, KEY_NUM, KEY_COUNT };
	static const struct tool tool = {
		.name = "mrlat",
		.doc = "Measures memory registration: calls and time by size, and histograms of "
		       "reg_mr, rereg_mr and dereg_mr. It prints them every INTERVAL seconds, "
		       "COUNT times, or at the end (Ctrl-C).",
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
