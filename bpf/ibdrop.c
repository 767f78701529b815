// SPDX-License-Identifier: GPL-2.0-only
/* ibdrop: shows dropped packets by reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibdrop.h"
#include "ibdrop.skel.h"
#include "lib/fields.h"
#include "uapi/glass-enums.h"

static struct ibdrop_bpf *skel;
static bool each;

static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const places[] = GLASS_WORDS(GLASS_DROP_PLACES);

static const struct argp_option options[] = {
	{ "each", 'e', NULL, 0, "also print a line for each packet", 2 },
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
	skel = ibdrop_bpf__open();
	if (!skel)
		return NULL;
	skel->rodata->each = each;
	return skel->obj;
}

static void close_it(void)
{
	ibdrop_bpf__destroy(skel);
}

static const struct column packet_columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	      { "port", "PORT", 4, COL_NUM },
	{ "dqpn", "DQPN", 8, COL_HEX },	      { "pid", "PID", 8, COL_NUM },
	{ "comm", "COMM", 16, COL_TEXT },     { "slid", "SLID", 5, COL_NUM },
	{ "dlid", "DLID", 5, COL_NUM },	      { "opcode", "OPCODE", 20, COL_TEXT },
	{ "psn", "PSN", 8, COL_NUM },	      { "len", "LEN", 5, COL_NUM },
	{ "place", "PLACE", 6, COL_TEXT },    { "flow", "FLOW", 18, COL_HEX },
	{ "reason", "REASON", 12, COL_TEXT },
};
static const struct table packet_table = { packet_columns,
					   sizeof(packet_columns) / sizeof(*packet_columns) };

static void event(const struct event_head *h, size_t size)
{
	const struct ibdrop_event *e = (const void *)h;
	const char *opcode;

	if (size < sizeof(*e))
		return;
	opcode = glass_field_word(GLASS_FIELD_opcode, e->opcode);
	out_row("event", &packet_table,
		(struct value[]){ V_TEXT(h->dev.text), V_NUM(e->port), V_NUM(e->dqpn),
				  V_NUM_IF(h->pid, h->pid), V_TEXT_IF(*h->comm, h->comm),
				  V_NUM(e->slid), V_NUM(e->dlid),
				  opcode ? V_TEXT(opcode) : V_NUM(e->opcode), V_NUM(e->psn),
				  V_NUM(e->len), V_TEXT(WORD(places, e->place)), V_NUM(e->flow),
				  V_TEXT(WORD(reasons, e->reason)) },
		h->ns);
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	       { "port", "PORT", 4, COL_NUM },
	{ "place", "PLACE", 6, COL_TEXT },     { "reason", "REASON", 12, COL_TEXT },
	{ "packets", "PACKETS", 10, COL_NUM },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct ibdrop_key));
}

static void summary(void)
{
	int fd = bpf_map__fd(skel->maps.drops);
	struct ibdrop_key *keys;
	size_t n, i;

	keys = tool_keys(fd, sizeof(*keys), &n);
	qsort(keys, n, sizeof(*keys), compare);
	if (!n)
		out_line("no packet was dropped");
	else
		out_header(&table);
	for (i = 0; i < n; i++) {
		uint64_t packets;

		if (bpf_map_lookup_elem(fd, &keys[i], &packets))
			continue;
		bpf_map_delete_elem(fd, &keys[i]);
		out_row("summary", &table,
			(struct value[]){ V_TEXT(keys[i].dev.text), V_NUM(keys[i].port),
					  V_TEXT(WORD(places, keys[i].place)),
					  V_TEXT(WORD(reasons, keys[i].reason)), V_NUM(packets) },
			0);
	}
	free(keys);
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV,  KEY_PORT,   KEY_PID,	 KEY_COMM,
						KEY_QPN,  KEY_DQPN,   KEY_PSN,	 KEY_LEN,
						KEY_FLOW, KEY_REASON, KEY_PLACE, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "packet_died", "the trace event glass_pkt_drop is not there (modprobe glass)",
		  true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibdrop",
		.doc = "Counts dropped packets by device, port, place and reason. It prints the "
		       "counts of each INTERVAL seconds, COUNT times, or all at the end (Ctrl-C).",
		.options = options,
		.parse = parse,
		.keys = keys,
		.has_owners = true,
		.open = open_it,
		.close = close_it,
		.needs = needs,
		.event = event,
		.event_table = &packet_table,
		.events_asked = &each,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
