// SPDX-License-Identifier: GPL-2.0-only
/* ibflow: shows a message hop by hop. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibflow.h"
#include "ibflow.skel.h"
#include "lib/fields.h"
#include "lib/picture/outputs.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-version.h"
#include "wire/opcode.h"

static struct ibflow_bpf *skel;
static uint32_t most; /* 0: not given */
static uint64_t only;
static struct picture_outputs pictures = PICTURE_OUTPUTS_INIT;
static bool draws; /* pictures take the place of lines */
static bool lines = true;

#define LINES_MAX 4096 /* messages that lines can follow */

/* The first time each message was seen, ordered by arrival of their flows */
static struct {
	uint64_t flow, ns, hops;
} * seen;
static size_t num_seen;

static const struct argp_option options[] = {
	{ "messages", 'n', "N", 0, "follow the first N messages that match (1; with --perfetto all)", 1 },
	{ "flow", 'F', "FLOW", 0, "follow only the message with this flow", 1 },
	{ 0, 0, 0, 0, "Pictures, in place of lines (docs/pictures.md):", 3 },
	PICTURE_OPTIONS(3),
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'n':
		most = tool_number(state, "--messages", arg, 1, UINT32_MAX);
		return 0;
	case 'F':
		only = tool_number(state, "--flow", arg, 1, UINT64_MAX);
		return 0;
	case ARGP_KEY_END:
		draws = picture_outputs_any(&pictures);
		lines = !draws;
		picture_outputs_check(&pictures, state, tool_options.json);
		if (!draws && most > LINES_MAX)
			argp_error(state, "--messages: lines can follow at most %d messages", LINES_MAX);
		return 0;
	default:
		return picture_outputs_parse(&pictures, key, arg, state);
	}
}

static struct bpf_object *open_it(void)
{
	if (!most)
		most = pictures.perfetto ? UINT32_MAX : 1;
	pictures.quiet = tool_options.quiet;
	if (draws && picture_outputs_open(&pictures, "ibflow (Glass) " GLASS_VERSION, true))
		exit(CLI_FAILED);
	skel = ibflow_bpf__open();
	seen = calloc(draws ? 1 : most, sizeof(*seen));
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

/* ---- pictures */

/* A flow has the number of the requester's HCA, and its QPN (tracepoints/README.md). */
#define FLOW_HCA(flow) ((uint32_t)((flow) >> 56))
#define FLOW_QPN(flow) ((uint32_t)((flow) >> 32) & GLASS_QPN_MASK)

/* The devices of HCAs, learnt from their requests: they tell at which end an event was */
static union dev_name hcas[256];

static bool is_at_requester(const struct ibflow_event *e)
{
	return !strcmp(hcas[FLOW_HCA(e->flow)].text, e->head.dev.text);
}

static void draw_packet(const struct ibflow_event *e)
{
	bool request = glass_opcodes[e->op].flags & GLASS_OPF_REQUEST;
	struct picture_address requester = { FLOW_HCA(e->flow), FLOW_QPN(e->flow) };
	struct picture_address responder = { 0, request ? e->qpn : PICTURE_UNKNOWN };
	struct picture_sight s = {
		.ns = e->head.ns,
		.flow = e->flow,
		.from = request ? requester : responder,
		.to = request ? responder : requester,
		.dev = e->head.dev.text,
		.psn = e->psn,
		.len = e->len,
		.opcode = e->op,
		.syndrome = e->syndrome,
		.reason = e->head.type == HOP_DROPPED ? e->what : 0,
		.sent = e->head.type == HOP_SENT,
		.again_here = e->head.type == HOP_DROPPED,
	};

	if (e->head.type == HOP_DROPPED)
		s.sent = is_at_requester(e) == request;
	picture_outputs_packet(&pictures, &s);
}

/* Did a hop that is no packet happen at the responder? */
static bool is_far(const struct ibflow_event *e)
{
	if (e->head.type == HOP_RNR)
		return e->what == GLASS_DIR_TX;
	return (e->head.type == HOP_COMPLETED || e->head.type == HOP_POLLED) && e->op >= GLASS_WCOP_RECV;
}

static void draw_moment(const struct ibflow_event *e)
{
	static const enum picture_kind kinds[HOP_COUNT] = {
		[HOP_POSTED] = PICTURE_POSTED, [HOP_TAKEN] = PICTURE_TAKEN,
		[HOP_BEGUN] = PICTURE_BEGUN,   [HOP_RNR] = PICTURE_RNR,
		[HOP_AGAIN] = PICTURE_RETRY,   [HOP_DONE] = PICTURE_DONE,
		[HOP_COMPLETED] = PICTURE_COMPLETED, [HOP_POLLED] = PICTURE_POLLED,
	};
	static const char *const statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
	bool ended = e->head.type == HOP_DONE || e->head.type == HOP_COMPLETED ||
		     e->head.type == HOP_POLLED;
	bool timeout = e->head.type == HOP_AGAIN && !strcmp(what_of(e), "timeout");
	struct picture_moment m = {
		.kind = timeout ? PICTURE_TIMER : kinds[e->head.type],
		.ns = e->head.ns,
		.flow = e->flow,
		.at = { FLOW_HCA(e->flow), FLOW_QPN(e->flow) },
		.far = is_far(e),
		.bad = timeout || (ended && e->what != GLASS_WC_SUCCESS),
		.dev = e->head.dev.text,
		.comm = e->head.pid ? e->head.comm : NULL,
		.pid = e->head.pid,
		.psn = e->psn,
		.len = e->len,
		.op = op_of(e),
		.what = ended ? WORD(statuses, e->what) : e->head.type == HOP_AGAIN ? what_of(e) : NULL,
	};

	if (e->head.type == HOP_RNR)
		m.what = what_of(e);
	picture_outputs_moment(&pictures, &m);
}

static void draw_event(const struct ibflow_event *e)
{
	if (e->head.type == HOP_TAKEN || e->head.type == HOP_POSTED)
		hcas[FLOW_HCA(e->flow)] = e->head.dev;
	if (e->head.type == HOP_SENT || e->head.type == HOP_ARRIVED || e->head.type == HOP_DROPPED)
		draw_packet(e);
	else if (e->head.type != HOP_BEGUN || e->what > 1)
		draw_moment(e);
}

/* ---- lines */

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

	if (size < sizeof(*e) || h->type >= HOP_COUNT)
		return;
	if (draws) {
		draw_event(e);
		return;
	}
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

	if (draws)
		return;
	if (!num_seen)
		out_line("no message matched");
	else
		out_header(&sum_table);
	for (i = 0; i < num_seen; i++)
		out_row("summary", &sum_table,
			(struct value[]){ V_NUM(seen[i].flow), V_NUM(seen[i].hops) }, 0);
}

/* Writes the pictures when all events were taken. */
static enum cli_status end(uint64_t lost)
{
	return draws ? picture_outputs_close(&pictures, lost) : CLI_OK;
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
		.events_asked = &lines,
		.summary = summary,
		.end = end,
	};

	setlocale(LC_CTYPE, "");
	return tool_main(argc, argv, &tool);
}
