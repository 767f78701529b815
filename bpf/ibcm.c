// SPDX-License-Identifier: GPL-2.0-only
/* ibcm: shows how connections are established and ended. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibcm.h"
#include "ibcm.skel.h"

static struct ibcm_bpf *skel;
static uint64_t counts[CM_STEPS];

static const char *const steps[] = {
#define STEP_WORD(name, word) #word,
	IBCM_STEPS(STEP_WORD)
};

/* enum rdma_cm_event_type */
static const char *const cm_events[] = {
	"addr_resolved",   "addr_error",       "route_resolved", "route_error",
	"connect_request", "connect_response", "connect_error",	 "unreachable",
	"rejected",	   "established",      "disconnected",	 "device_removal",
	"multicast_join",  "multicast_error",  "addr_change",	 "timewait_exit",
};

static struct bpf_object *open_it(void)
{
	skel = ibcm_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	ibcm_bpf__destroy(skel);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	       { "id", "ID", 6, COL_NUM },
	{ "pid", "PID", 8, COL_NUM },	       { "comm", "COMM", 16, COL_TEXT },
	{ "step", "STEP", 14, COL_TEXT },      { "event", "EVENT", 16, COL_TEXT },
	{ "status", "STATUS", 6, COL_SIGNED }, { "qpn", "QPN", 8, COL_HEX },
	{ "src", "SOURCE", 28, COL_TEXT },     { "dst", "DESTINATION", 28, COL_TEXT },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

/* Formats ADDRESS:PORT; "" if there is none or the family is unknown. */
static const char *address(const __u8 *raw, char *to, size_t size)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in6 in6;
	struct sockaddr_in in4;
	sa_family_t family;

	memcpy(&family, raw, sizeof(family));
	*to = 0;
	if (family == AF_INET) {
		memcpy(&in4, raw, sizeof(in4));
		if (inet_ntop(AF_INET, &in4.sin_addr, text, sizeof(text)))
			snprintf(to, size, "%s:%u", text, ntohs(in4.sin_port));
	} else if (family == AF_INET6) {
		memcpy(&in6, raw, sizeof(in6));
		if (inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof(text)))
			snprintf(to, size, "[%s]:%u", text, ntohs(in6.sin6_port));
	}
	return to;
}

static void event(const struct event_head *h, size_t size)
{
	const struct ibcm_event *e = (const void *)h;
	bool is_event = h->type == CM_EVENT;
	char src[64], dst[64];

	if (size < sizeof(*e) || h->type >= CM_STEPS)
		return;
	counts[h->type]++;
	address(e->src, src, sizeof(src));
	address(e->dst, dst, sizeof(dst));
	out_row("event", &table,
		(struct value[]){ V_TEXT_IF(*h->dev.text, h->dev.text), V_NUM(e->id), V_NUM(h->pid),
				  V_TEXT(h->comm), V_TEXT(steps[h->type]),
				  V_TEXT_IF(is_event, WORD(cm_events, e->event)),
				  V_NUM_IF(is_event, (uint64_t)(int64_t)e->status),
				  V_NUM_IF(e->qpn, e->qpn), V_TEXT_IF(*src, src),
				  V_TEXT_IF(*dst, dst) },
		h->ns);
}

static const struct column sum_columns[] = { { "step", "STEP", 14, COL_TEXT },
					     { "count", "COUNT", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 2 };

static void summary(void)
{
	unsigned int i;

	out_header(&sum_table);
	for (i = 0; i < CM_STEPS; i++)
		if (counts[i])
			out_row("summary", &sum_table,
				(struct value[]){ V_TEXT(steps[i]), V_NUM(counts[i]) }, 0);
	memset(counts, 0, sizeof(counts));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID, KEY_COMM,
						KEY_QPN, KEY_NUM, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "step_cm_event_handler",
		  "the trace event rdma_cma:cm_event_handler is not there (modprobe rdma_cm)",
		  true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibcm",
		.doc = "Prints each step of the connection manager, on any device. In filters num "
		       "is the identifier. It prints the number of each step at the end (Ctrl-C), "
		       "or every INTERVAL seconds, COUNT times.",
		.keys = keys,
		.open = open_it,
		.close = close_it,
		.needs = needs,
		.event = event,
		.event_table = &table,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
