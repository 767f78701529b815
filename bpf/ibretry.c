// SPDX-License-Identifier: GPL-2.0-only
/* ibretry: shows retransmissions and their reasons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibretry.h"
#include "ibretry.skel.h"
#include "uapi/glass-enums.h"

static struct ibretry_bpf *skel;

static const char *const whys[] = GLASS_WORDS(GLASS_RETRY_WHYS);
/* Counted are the reasons to retransmit, then RNR NAKs by direction. */
#define NUM_WHYS (sizeof(whys) / sizeof(*whys))
static const char *const naks[] = { "rnr_sent", "rnr_received" };
static uint64_t counts[NUM_WHYS + 2];

static struct bpf_object *open_it(void)
{
	skel = ibretry_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	ibretry_bpf__destroy(skel);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	    { "qpn", "QPN", 8, COL_HEX },
	{ "pid", "PID", 8, COL_NUM },	    { "comm", "COMM", 16, COL_TEXT },
	{ "what", "WHAT", 12, COL_TEXT },   { "psn", "PSN", 8, COL_NUM },
	{ "round", "ROUND", 5, COL_NUM },   { "left", "LEFT", 4, COL_NUM },
	{ "wait", "WAIT(us)", 10, COL_US }, { "wr_id", "WR_ID", 12, COL_HEX },
	{ "flow", "FLOW", 18, COL_HEX },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static void event(const struct event_head *h, size_t size)
{
	const struct ibretry_event *e = (const void *)h;
	bool nak = h->type == RNR_NAK, sent = nak && e->why == GLASS_DIR_TX;
	const char *what;

	if (size < sizeof(*e))
		return;
	if (nak) {
		what = naks[!sent];
		counts[NUM_WHYS + !sent]++;
	} else {
		what = WORD(whys, e->why);
		if (e->why < NUM_WHYS)
			counts[e->why]++;
	}
	out_row("event", &table,
		(struct value[]){ V_TEXT(h->dev.text), V_NUM(e->qpn), V_NUM_IF(h->pid, h->pid),
				  V_TEXT_IF(*h->comm, h->comm), V_TEXT(what), V_NUM(e->psn),
				  V_NUM_IF(!sent, e->round), V_NUM_IF(!sent, e->left),
				  V_NUM_IF(nak, e->wait_ns), V_NUM_IF(!nak, e->wr_id),
				  V_NUM(e->flow) },
		h->ns);
}

static const struct column sum_columns[] = { { "what", "WHAT", 12, COL_TEXT },
					     { "count", "COUNT", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 2 };

static void summary(void)
{
	size_t i;

	out_header(&sum_table);
	for (i = 0; i < NUM_WHYS + 2; i++)
		if (counts[i])
			out_row("summary", &sum_table,
				(struct value[]){
					V_TEXT(i < NUM_WHYS ? whys[i] : naks[i - NUM_WHYS]),
					V_NUM(counts[i]) },
				0);
	memset(counts, 0, sizeof(counts));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV,  KEY_PID,   KEY_COMM, KEY_QPN, KEY_PSN,
						KEY_FLOW, KEY_WR_ID, KEY_WHY,  KEY_DIR, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "retried", "the trace event glass_qp_retry is not there (modprobe glass)", true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibretry",
		.doc = "Prints retransmissions and their reasons (timeout, NAK, RNR, a READ that "
		       "an ACK passed), and RNR NAKs sent and received, with the retries left. It "
		       "prints their number at the end (Ctrl-C), or every INTERVAL seconds, COUNT "
		       "times.",
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
