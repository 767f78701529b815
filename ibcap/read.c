// SPDX-License-Identifier: GPL-2.0-only
/* Reads a capture back: its comments have what records had (describe.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"
#include "filter.h"
#include "ibcap.h"
#include "lib/cli.h"
#include "lib/fields.h"
#include "lib/pairs.h"
#include "lib/pcap.h"
#include "pictures.h"
#include "uapi/glass-version.h"

/* Copies a name, which need not end in a NUL. */
static void take_name(const char *comment, const char *key, char *to, size_t size)
{
	char text[PCAP_COMMENT];

	if (find_text(comment, key, text, sizeof(text)))
		memcpy(to, text, strnlen(text, size));
}

static int take_word(const char *comment, const char *key, int field)
{
	char word[64];
	int n = find_value(comment, key, word, sizeof(word)) ? glass_field_find_word(field, word) : -1;

	return n < 0 ? 0 : n;
}

/* Words without a value */
static uint32_t take_flags(const char *comment)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} words[] = { { "raw", GLASS_CAP_RAW }, { "train", GLASS_CAP_TRAIN }, { "agent", GLASS_CAP_AGENT } };
	uint32_t flags = 0;
	struct pair p;
	size_t i;

	while (next_pair(&comment, &p))
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!p.value && pair_is(&p, words[i].word))
				flags |= words[i].flag;
	return flags;
}

/* Fills a record, except the packet's bytes, which are decoded already. */
static void take_record(const struct pcap_packet *p, struct glass_cap_record *r)
{
	const char *comment = p->comment;
	uint64_t n;

	memset(r, 0, sizeof(*r));
	r->header = sizeof(*r);
	r->version = GLASS_CAP_VERSION;
	r->kind = GLASS_CAP_PACKET;
	r->time_ns = p->time_ns;
	r->port = p->at->port;
	r->dir = p->dir;
	r->flags = take_flags(comment);
	r->reason = take_word(comment, "reason", GLASS_FIELD_reason);
	r->qptype = take_word(comment, "qptype", GLASS_FIELD_qptype);
	if (find_number(comment, "flow", &n)) {
		r->flow = n;
		r->flags |= GLASS_CAP_HAS_WR;
	}
	if (find_number(comment, "wr_id", &n))
		r->wr_id = n;
	if (find_number(comment, "qpn", &n)) {
		r->qpn = n;
		r->flags |= GLASS_CAP_HAS_QP;
	}
	if (find_number(comment, "pid", &n)) {
		r->pid = n;
		r->flags |= GLASS_CAP_HAS_OWNER;
		take_name(comment, "comm", r->comm, sizeof(r->comm) - 1);
	}
	take_name(comment, "rule", r->rule, sizeof(r->rule));
	take_name(comment, "node", r->node, sizeof(r->node));
	if (r->node[0]) {
		r->flags |= GLASS_CAP_HOP;
		if (find_number(comment, "port", &n))
			r->port = n;
	}
}

/* Returns whether the packet counts. */
static bool take_packet(struct ibcap_options *o, const struct glass_filter *filter, const struct pcap_packet *p)
{
	char name[sizeof(p->at->dev) + 16];
	struct glass_cap_record record;
	struct seen seen = { .name = name, .record = &record, .decoded = true, .pkt = p->pkt };

	take_record(p, &record);
	snprintf(name, sizeof(name), p->at->port ? "%s:%u" : "%s", p->at->dev, p->at->port);
	/* the payload is not looked at */
	seen.pkt.nseg = 0;
	seen.pkt.seg = NULL;
	if (filter && !filter_matches(filter, &seen))
		return false;
	if (picture_outputs_any(&o->pictures))
		pictures_packet(&o->pictures, p->at->dev, &seen);
	else
		describe_line(stdout, &seen);
	return true;
}

int ibcap_read(struct ibcap_options *o)
{
	static struct pcap_packet packet;
	struct glass_filter *filter = o->filter ? filter_parse(o->filter, stderr) : NULL;
	uint64_t count = 0;
	struct pcap c;
	int status = IBCAP_OK, got = 0;

	if (o->filter && !filter)
		return IBCAP_USAGE;
	if (!pcap_open(&c, o->read)) {
		glass_filter_free(filter);
		return IBCAP_FAILED;
	}
	if (picture_outputs_any(&o->pictures) &&
	    picture_outputs_open(&o->pictures, "ibcap (Glass) " GLASS_VERSION, false))
		status = IBCAP_FAILED;
	while (!status && (!o->count || count < o->count) && (got = pcap_next(&c, &packet)) > 0)
		count += take_packet(o, filter, &packet);
	if (got < 0)
		status = IBCAP_FAILED;
	if (picture_outputs_any(&o->pictures) && o->pictures.tool && picture_outputs_close(&o->pictures, 0))
		status = IBCAP_FAILED;
	pcap_close(&c);
	glass_filter_free(filter);
	return cli_flush(status);
}
