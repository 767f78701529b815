// SPDX-License-Identifier: GPL-2.0-only
/* qpstate: shows state changes of QPs and their causes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "qpstate.h"
#include "qpstate.skel.h"
#include "uapi/glass-enums.h"

static struct qpstate_bpf *skel;

static const char *const states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const causes[] = GLASS_WORDS(GLASS_CAUSES);
static uint64_t counts[GLASS_QPS_COUNT][GLASS_CAUSE_COUNT];

static struct bpf_object *open_it(void)
{
	skel = qpstate_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	qpstate_bpf__destroy(skel);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	      { "qpn", "QPN", 8, COL_HEX },
	{ "pid", "PID", 8, COL_NUM },	      { "comm", "COMM", 16, COL_TEXT },
	{ "from", "FROM", 6, COL_TEXT },      { "to", "TO", 6, COL_TEXT },
	{ "since", "AFTER(us)", 12, COL_US }, { "cause", "CAUSE", 12, COL_TEXT },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static void event(const struct event_head *h, size_t size)
{
	const struct qpstate_event *e = (const void *)h;

	if (size < sizeof(*e))
		return;
	if (e->to < GLASS_QPS_COUNT && e->cause < GLASS_CAUSE_COUNT)
		counts[e->to][e->cause]++;
	out_row("event", &table,
		(struct value[]){ V_TEXT(h->dev.text), V_NUM(e->qpn), V_NUM_IF(h->pid, h->pid),
				  V_TEXT_IF(*h->comm, h->comm), V_TEXT(WORD(states, e->from)),
				  V_TEXT(WORD(states, e->to)), V_NUM_IF(e->since, e->since),
				  V_TEXT(WORD(causes, e->cause)) },
		h->ns);
}

static const struct column sum_columns[] = { { "to", "TO", 6, COL_TEXT },
					     { "cause", "CAUSE", 12, COL_TEXT },
					     { "count", "COUNT", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 3 };

static void summary(void)
{
	unsigned int to, cause;

	out_header(&sum_table);
	for (to = 0; to < GLASS_QPS_COUNT; to++)
		for (cause = 0; cause < GLASS_CAUSE_COUNT; cause++)
			if (counts[to][cause])
				out_row("summary", &sum_table,
					(struct value[]){ V_TEXT(WORD(states, to)),
							  V_TEXT(WORD(causes, cause)),
							  V_NUM(counts[to][cause]) },
					0);
	memset(counts, 0, sizeof(counts));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV,  KEY_PID, KEY_COMM,  KEY_QPN,
						KEY_FROM, KEY_TO,  KEY_CAUSE, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "state_changed", "the trace event glass_qp_state is not there (modprobe glass)",
		  true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "qpstate",
		.doc = "Prints each change of state of queue pairs, how long the old state lasted, "
		       "and the cause (a verb, or the error that forced it). It prints the number "
		       "of changes at the end (Ctrl-C), or every INTERVAL seconds, COUNT times.",
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
