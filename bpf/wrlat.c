// SPDX-License-Identifier: GPL-2.0-only
/* wrlat: shows how long work requests spend in each stage. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "uapi/glass-enums.h"
#include "wrlat.h"
#include "wrlat.skel.h"

static struct wrlat_bpf *skel;
static enum wrlat_by by;

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "Histograms:", 3 },
	{ "by-qp", 'N', NULL, 0, "print a histogram for each queue pair", 0 },
	{ "by-process", 'P', NULL, 0, "print a histogram for each process", 0 },
	{ "by-op", 'O', NULL, 0, "print a histogram for each operation", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	enum wrlat_by b = key == 'N' ? BY_QP : key == 'P' ? BY_PID : BY_OP;

	(void)arg;
	if (key != 'N' && key != 'P' && key != 'O')
		return ARGP_ERR_UNKNOWN;
	if (by != BY_NOTHING && by != b)
		argp_error(state, "-N, -P and -O exclude each other");
	by = b;
	return 0;
}

static struct bpf_object *open_it(void)
{
	skel = wrlat_bpf__open();
	if (!skel)
		return NULL;
	skel->rodata->by = by;
	skel->rodata->whose_wanted = by == BY_QP || by == BY_PID;
	skel->rodata->polls_seen = tool_provider() != NULL;
	return skel->obj;
}

static void close_it(void)
{
	wrlat_bpf__destroy(skel);
}

static const char *const stages[] = {
#define STAGE(name, stage, meaning) [AT_##name] = AT_##name == AT_POST ? "total" : #stage,
	FLIGHT_STAGES(STAGE)
};

static const struct column by_qp[] = { { "dev", "DEV", 10, COL_TEXT },
				       { "qpn", "QPN", 8, COL_HEX } };
static const struct column by_pid[] = { { "pid", "PID", 8, COL_NUM } };
static const struct column by_op[] = { { "op", "OP", 10, COL_TEXT } };
static const struct table tables[] = {
	[BY_NOTHING] = { NULL, 0 },
	[BY_QP] = { by_qp, 2 },
	[BY_PID] = { by_pid, 1 },
	[BY_OP] = { by_op, 1 },
};

static void print(const struct wrlat_key *key, unsigned int stage, const struct hist *h)
{
	static const char *const ops[] = GLASS_WORDS(GLASS_WR_OPS);
	struct value values[2] = { V_NUM(key->id) };
	char label[100];

	switch (by) {
	case BY_QP:
		values[0] = V_TEXT(key->dev.text);
		values[1] = V_NUM(key->id);
		snprintf(label, sizeof(label), "%s of %s:0x%x", stages[stage], key->dev.text,
			 key->id);
		break;
	case BY_PID:
		snprintf(label, sizeof(label), "%s of process %u", stages[stage], key->id);
		break;
	case BY_OP:
		values[0] = V_TEXT(WORD(ops, key->id));
		snprintf(label, sizeof(label), "%s of %s", stages[stage], values[0].text);
		break;
	default:
		snprintf(label, sizeof(label), "%s", stages[stage]);
	}
	out_histogram(tool_options.json ? stages[stage] : label, "ns", h, &tables[by], values);
}

static int compare(const void *a, const void *b)
{
	const struct wrlat_key *x = a, *y = b;
	int dev = memcmp(&x->dev, &y->dev, sizeof(x->dev));

	return dev ? dev : x->id < y->id ? -1 : x->id > y->id;
}

/* Prints the stages, then the total. */
static void print_all(const struct wrlat_key *key, const struct wrlat_hists *h)
{
	unsigned int stage, n;

	for (n = 1; n <= FLIGHT_MOMENTS; n++) {
		stage = n % FLIGHT_MOMENTS;
		if (h->stage[stage].count)
			print(key, stage, &h->stage[stage]);
	}
}

static void summary(void)
{
	size_t n, i;
	struct wrlat_key *keys = tool_keys(bpf_map__fd(skel->maps.hists), sizeof(*keys), &n);

	if (!n)
		out_line("no work request completed");
	qsort(keys, n, sizeof(*keys), compare);
	for (i = 0; i < n; i++) {
		struct wrlat_hists h;

		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.hists), &keys[i], &h))
			continue;
		print_all(&keys[i], &h);
		bpf_map_delete_elem(bpf_map__fd(skel->maps.hists), &keys[i]);
	}
	free(keys);
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID,   KEY_COMM,	KEY_QPN,  KEY_OP,
						KEY_LEN, KEY_WR_ID, KEY_STATUS, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "flight_taken", "the trace event glass_wr_post is not there (modprobe glass)",
		  true },
		{ "usdt_post_send",
		  "the provider's probes are missing: no stages post and poll, times begin when "
		  "the driver takes a request",
		  false },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "wrlat",
		.doc = "Prints histograms of the stages of send work requests: post (from the "
		       "program's post to the driver), queue (to the first packet), wire (to the "
		       "acknowledgement), cqe (to the completion), poll (to the poll of the "
		       "program), and total. It prints them every INTERVAL seconds, COUNT times, "
		       "or at the end (Ctrl-C).",
		.options = options,
		.parse = parse,
		.keys = keys,
		.has_owners = true,
		.open = open_it,
		.close = close_it,
		.needs = needs,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
