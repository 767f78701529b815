// SPDX-License-Identifier: GPL-2.0-only
/* ibflow: shows a message hop by hop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibflow.h"
#include "ibflow.skel.h"
#include "lib/fields.h"
#include "uapi/glass-enums.h"

static struct ibflow_bpf *skel;
static uint32_t most = 1;
static uint64_t only;

/* The first time each message was seen, ordered by arrival of their flows */
static struct {
	uint64_t flow, ns, hops;
} * seen;
static size_t num_seen;

static const struct argp_option options[] = {
	{ "messages", 'n', "N", 0, "follow the first N messages that match (1)", 1 },
	{ "flow", 'F', "FLOW", 0, "follow only the message with this flow", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'n':
		most = tool_number(state, "--messages", arg, 1, 4096);
		return 0;
	case 'F':
		only = tool_number(state, "--flow", arg, 1, UINT64_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct bpf_object *open_it(void)
{
	skel = ibflow_bpf__open();
	seen = calloc(most, sizeof(*seen));
	if (!skel || !seen)
		return NULL;
	skel->rodata->most = most;
	skel->rodata->only = only;
	return skel->obj;
}

static void close_it(void)
{
	ibflow_bpf__destroy(skel);
	free(seen);
}

static const struct column columns[] = {
	{ "flow", "FLOW", 18, COL_HEX }, { "after", "AFTER(us)", 10, COL_US },
	{ "dev", "DEV", 10, COL_TEXT },	 { "port", "PORT", 4, COL_NUM },
	{ "hop", "HOP", 10, COL_TEXT },	 { "op", "OP", 20, COL_TEXT },
	{ "qpn", "QPN", 8, COL_HEX },	 { "psn", "PSN", 8, COL_NUM },
	{ "len", "LEN", 7, COL_NUM },	 { "what", "WHAT", 0, COL_LAST },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

/* Returns when the request began: the time of its first hop, because hops arrive in order. */
static uint64_t began(uint64_t flow, uint64_t ns)
{
	size_t i;

	for (i = 0; i < num_seen && seen[i].flow != flow; i++)
		;
	if (i == num_seen) {
		if (i == most)
			return ns;
		seen[i].flow = flow;
		seen[i].ns = ns;
		seen[i].hops = 0;
		num_seen++;
	}
	seen[i].hops++;
	return seen[i].ns;
}

static const char *op_of(const struct ibflow_event *e)
{
	static const char *const ops[] = GLASS_WORDS(GLASS_WR_OPS);
	static const char *const wc_ops[] = GLASS_WORDS(GLASS_WC_OPS);

	switch (e->head.type) {
	case HOP_SENT:
	case HOP_ARRIVED:
	case HOP_DROPPED:
		return glass_field_word(GLASS_FIELD_opcode, e->op);
	case HOP_COMPLETED:
	case HOP_POLLED:
		return WORD(wc_ops, e->op);
	case HOP_RNR:
	case HOP_AGAIN:
		return NULL;
	default:
		return WORD(ops, e->op);
	}
}

/* Describes the hop in words. */
static const char *what_of(const struct ibflow_event *e)
{
	static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
	static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
	static const char *const whys[] = GLASS_WORDS(GLASS_RETRY_WHYS);
	static char text[80];
	bool answer;

	*text = 0;
	switch (e->head.type) {
	case HOP_POSTED:
	case HOP_POLLED:
		if (e->head.pid)
			snprintf(text, sizeof(text), "%s[%u] ", e->head.comm, e->head.pid);
		if (e->head.type == HOP_POLLED)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s",
				 WORD(statuses, e->what));
		break;
	case HOP_BEGUN:
		if (e->what > 1)
			snprintf(text, sizeof(text), "time %u", e->what);
		break;
	case HOP_DROPPED:
		snprintf(text, sizeof(text), "%s", WORD(reasons, e->what));
		break;
	case HOP_AGAIN:
		snprintf(text, sizeof(text), "%s", WORD(whys, e->what));
		break;
	case HOP_RNR:
		snprintf(text, sizeof(text), "%s",
			 e->what == GLASS_DIR_TX ? "NAK owed" : "NAK received");
		break;
	case HOP_DONE:
	case HOP_COMPLETED:
		snprintf(text, sizeof(text), "%s", WORD(statuses, e->what));
		break;
	default:
		answer = op_of(e) && strstr(op_of(e), "ack");
		if (answer && e->syndrome >= 0x60)
			snprintf(text, sizeof(text), "NAK 0x%x", e->syndrome);
		else if (answer && e->syndrome >= 0x20)
			snprintf(text, sizeof(text), "RNR NAK");
	}
	return text;
}

static void event(const struct event_head *h, size_t size)
{
	static const char *const hops[] = {
#define HOP_WORD(name, word) #word,
		IBFLOW_HOPS(HOP_WORD)
	};
	const struct ibflow_event *e = (const void *)h;
	bool is_packet = h->type == HOP_SENT || h->type == HOP_ARRIVED || h->type == HOP_DROPPED;
	bool has_psn = is_packet || h->type == HOP_BEGUN || h->type == HOP_AGAIN ||
		       h->type == HOP_RNR || h->type == HOP_DONE;
	bool has_len = h->type != HOP_AGAIN && h->type != HOP_RNR && h->type != HOP_POLLED;
	const char *op;
	uint64_t begin;

	if (size < sizeof(*e))
		return;
	op = op_of(e);
	begin = began(e->flow, h->ns);
	out_row("event", &table,
		(struct value[]){ V_NUM(e->flow), V_NUM(h->ns > begin ? h->ns - begin : 0),
				  V_TEXT_IF(*h->dev.text, h->dev.text),
				  V_NUM_IF(is_packet, e->port), V_TEXT(WORD(hops, h->type)),
				  V_TEXT_IF(op, op), V_NUM(e->qpn), V_NUM_IF(has_psn, e->psn),
				  V_NUM_IF(has_len, e->len), V_TEXT(what_of(e)) },
		h->ns);
}

static const struct column sum_columns[] = { { "flow", "FLOW", 18, COL_HEX },
					     { "hops", "HOPS", 8, COL_NUM } };
static const struct table sum_table = { sum_columns, 2 };

static void summary(void)
{
	size_t i;

	if (!num_seen)
		out_line("no message matched");
	else
		out_header(&sum_table);
	for (i = 0; i < num_seen; i++)
		out_row("summary", &sum_table,
			(struct value[]){ V_NUM(seen[i].flow), V_NUM(seen[i].hops) }, 0);
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID,   KEY_COMM, KEY_QPN,	KEY_OP,
						KEY_LEN, KEY_WR_ID, KEY_FLOW, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "message_taken", "the trace event glass_wr_post is not there (modprobe glass)",
		  true },
		{ "usdt_post_send",
		  "the provider's probes are missing: the program's post and poll are unknown",
		  false },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibflow",
		.doc = "Follows one message, hop by hop, on both sides: posted, taken by the "
		       "driver, each packet sent, arrived or dropped, retries, acknowledgement, "
		       "completions, polls. It chooses the first N messages that match the filter. "
		       "While it runs, Glass handles each packet separately.",
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
