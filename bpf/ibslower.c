// SPDX-License-Identifier: GPL-2.0-only
/* ibslower: shows work requests that took longer than a limit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibslower.h"
#include "ibslower.skel.h"
#include "uapi/glass-enums.h"

static struct ibslower_bpf *skel;
static uint64_t least_us = 1000;
static uint64_t slow, seen_before;

static const struct argp_option options[] = {
	{ "microseconds", 'u', "N", 0, "print requests that took N microseconds or more (1000; 0: "
	  "all)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'u')
		return ARGP_ERR_UNKNOWN;
	least_us = tool_number(state, "--microseconds", arg, 0, 1000000000);
	return 0;
}

static struct bpf_object *open_it(void)
{
	skel = ibslower_bpf__open();
	if (!skel)
		return NULL;
	skel->rodata->least_ns = least_us * 1000;
	skel->rodata->polls_seen = tool_provider() != NULL;
	return skel->obj;
}

static void close_it(void)
{
	ibslower_bpf__destroy(skel);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	      { "qpn", "QPN", 8, COL_HEX },
	{ "pid", "PID", 8, COL_NUM },	      { "comm", "COMM", 16, COL_TEXT },
	{ "op", "OP", 10, COL_TEXT },	      { "len", "LEN", 8, COL_NUM },
	{ "total", "TOTAL(us)", 10, COL_US }, { "post", "POST", 8, COL_US },
	{ "queue", "QUEUE", 8, COL_US },      { "wire", "WIRE", 10, COL_US },
	{ "cqe", "CQE", 8, COL_US },	      { "poll", "POLL", 8, COL_US },
	{ "timeouts", "TMO", 3, COL_NUM },    { "naks", "NAK", 3, COL_NUM },
	{ "rnrs", "RNR", 3, COL_NUM },	      { "wr_id", "WR_ID", 12, COL_HEX },
	{ "flow", "FLOW", 18, COL_HEX },      { "status", "STATUS", 12, COL_TEXT },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

/* Returns the duration of the stage that ends at moment m. */
static struct value stage(const struct flight *f, int m)
{
	if (!f->ns[m] || !f->ns[m - 1])
		return V_NONE;
	return V_NUM(f->ns[m] > f->ns[m - 1] ? f->ns[m] - f->ns[m - 1] : 0);
}

static void event(const struct event_head *h, size_t size)
{
	static const char *const ops[] = GLASS_WORDS(GLASS_WR_OPS);
	static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
	const struct ibslower_event *e = (const void *)h;
	const struct flight *f = &e->flight;
	uint64_t first = f->ns[AT_POST] ? f->ns[AT_POST] : f->ns[AT_TAKE];

	if (size < sizeof(*e))
		return;
	slow++;
	out_row("event", &table,
		(struct value[]){ V_TEXT(h->dev.text), V_NUM(f->qpn), V_NUM_IF(h->pid, h->pid),
				  V_TEXT_IF(*h->comm, h->comm), V_TEXT(WORD(ops, f->op)),
				  V_NUM(f->len), V_NUM(h->ns - first), stage(f, AT_TAKE),
				  stage(f, AT_WIRE), stage(f, AT_ACK), stage(f, AT_CQE),
				  stage(f, AT_POLL), V_NUM(f->timeouts), V_NUM(f->naks),
				  V_NUM(f->rnrs), V_NUM(f->wr_id), V_NUM(f->flow),
				  V_TEXT(WORD(statuses, f->status)) },
		h->ns);
}

static const struct column sum_columns[] = { { "slow", "SLOW", 10, COL_NUM },
					     { "seen", "OF", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 2 };

static void summary(void)
{
	uint64_t seen = skel->bss->seen;

	out_header(&sum_table);
	out_row("summary", &sum_table, (struct value[]){ V_NUM(slow), V_NUM(seen - seen_before) },
		0);
	seen_before = seen;
	slow = 0;
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
		.name = "ibslower",
		.doc = "Prints send work requests that took N microseconds or more, with the time "
		       "of each stage and the retransmissions by reason. It prints the number of "
		       "slow and of all requests at the end (Ctrl-C), or every INTERVAL seconds, "
		       "COUNT times.",
		.options = options,
		.parse = parse,
		.keys = keys,
		.has_owners = true,
		.open = open_it,
		.close = close_it,
		.needs = needs,
		.event = event,
		.event_table = &table,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
