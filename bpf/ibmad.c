// SPDX-License-Identifier: GPL-2.0-only
/* ibmad: shows management datagrams, decoded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/devices.h"
#include "common/tool.h"
#include "ibmad.h"
#include "ibmad.skel.h"
#include "uapi/glass-enums.h"

static struct ibmad_bpf *skel;

static const char *const classes[] = GLASS_WORDS(GLASS_MAD_CLASSES);
static const char *const methods[] = GLASS_WORDS(GLASS_MAD_METHODS);
static const char *const dirs[] = GLASS_WORDS(GLASS_DIRS);

/* By direction, class and method; class and method are bytes. */
static uint64_t counts[2][256][256];

static struct bpf_object *open_it(void)
{
	skel = ibmad_bpf__open();
	return skel ? skel->obj : NULL;
}

static void close_it(void)
{
	ibmad_bpf__destroy(skel);
}

static void note_device(uint32_t index, const char *name, void *arg)
{
	union dev_name dev = { "" };

	(void)arg;
	snprintf(dev.text, sizeof(dev.text), "%s", name);
	bpf_map_update_elem(bpf_map__fd(skel->maps.devices), &index, &dev, BPF_ANY);
}

static void loaded(struct bpf_object *obj)
{
	int err = devices_each(note_device, NULL);

	(void)obj;
	if (err && !tool_options.quiet)
		cli_error(
			"note: the numbers of the devices are unknown (%s): devices without trace "
			"events have no name",
			strerror(-err));
}

/* Attributes of the most frequent classes */
static const struct {
	uint8_t mgmt_class;
	uint16_t attr;
	const char *word;
} attrs[] = {
	{ 0x01, 0x02, "Notice" },
	{ 0x01, 0x10, "NodeDescription" },
	{ 0x01, 0x11, "NodeInfo" },
	{ 0x01, 0x12, "SwitchInfo" },
	{ 0x01, 0x14, "GUIDInfo" },
	{ 0x01, 0x15, "PortInfo" },
	{ 0x01, 0x16, "P_KeyTable" },
	{ 0x01, 0x17, "SLtoVLMappingTable" },
	{ 0x01, 0x18, "VLArbitrationTable" },
	{ 0x01, 0x19, "LinearForwardingTable" },
	{ 0x01, 0x1b, "MulticastForwardingTable" },
	{ 0x01, 0x20, "SMInfo" },
	{ 0x03, 0x01, "ClassPortInfo" },
	{ 0x03, 0x02, "Notice" },
	{ 0x03, 0x03, "InformInfo" },
	{ 0x03, 0x11, "NodeRecord" },
	{ 0x03, 0x12, "PortInfoRecord" },
	{ 0x03, 0x31, "ServiceRecord" },
	{ 0x03, 0x35, "PathRecord" },
	{ 0x03, 0x38, "MCMemberRecord" },
	{ 0x04, 0x01, "ClassPortInfo" },
	{ 0x04, 0x12, "PortCounters" },
	{ 0x04, 0x1d, "PortCountersExtended" },
	{ 0x07, 0x10, "REQ" },
	{ 0x07, 0x11, "MRA" },
	{ 0x07, 0x12, "REJ" },
	{ 0x07, 0x13, "REP" },
	{ 0x07, 0x14, "RTU" },
	{ 0x07, 0x15, "DREQ" },
	{ 0x07, 0x16, "DREP" },
	{ 0x07, 0x17, "SIDR_REQ" },
	{ 0x07, 0x18, "SIDR_REP" },
	{ 0x07, 0x19, "LAP" },
	{ 0x07, 0x1a, "APR" },
};

static const char *attr_word(uint8_t mgmt_class, uint16_t attr)
{
	static char text[8];
	size_t i;

	/* directed-route SMPs have the same attributes */
	if (mgmt_class == 0x81)
		mgmt_class = 0x01;
	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++)
		if (attrs[i].mgmt_class == mgmt_class && attrs[i].attr == attr)
			return attrs[i].word;
	snprintf(text, sizeof(text), "0x%x", attr);
	return text;
}

static const struct column columns[] = {
	{ "dev", "DEV", 10, COL_TEXT },	      { "port", "PORT", 4, COL_NUM },
	{ "dir", "DIR", 3, COL_TEXT },	      { "class", "CLASS", 8, COL_TEXT },
	{ "method", "METHOD", 14, COL_TEXT }, { "attr", "ATTR", 24, COL_TEXT },
	{ "attr_mod", "MOD", 10, COL_HEX },   { "status", "STATUS", 6, COL_HEX },
	{ "slid", "SLID", 5, COL_NUM },	      { "dlid", "DLID", 5, COL_NUM },
	{ "tid", "TID", 18, COL_HEX },	      { "pid", "PID", 8, COL_NUM },
	{ "comm", "COMM", 16, COL_TEXT },
};
static const struct table table = { columns, sizeof(columns) / sizeof(*columns) };

static void event(const struct event_head *h, size_t size)
{
	const struct ibmad_event *e = (const void *)h;
	bool core = h->type == MAD_OF_CORE;

	if (size < sizeof(*e))
		return;
	counts[e->dir & 1][e->mgmt_class][e->method]++;
	out_row("event", &table,
		(struct value[]){ V_TEXT_IF(*h->dev.text, h->dev.text), V_NUM(e->port),
				  V_TEXT(WORD(dirs, e->dir)), V_TEXT(WORD(classes, e->mgmt_class)),
				  V_TEXT(WORD(methods, e->method)),
				  V_TEXT(attr_word(e->mgmt_class, e->attr)), V_NUM(e->attr_mod),
				  V_NUM(e->status),
				  V_NUM_IF(!core || e->dir == GLASS_DIR_RX, e->slid),
				  V_NUM_IF(!core || e->dir == GLASS_DIR_TX, e->dlid), V_NUM(e->tid),
				  V_NUM(h->pid), V_TEXT(h->comm) },
		h->ns);
}

static const struct column sum_columns[] = { { "dir", "DIR", 3, COL_TEXT },
					     { "class", "CLASS", 8, COL_TEXT },
					     { "method", "METHOD", 14, COL_TEXT },
					     { "count", "COUNT", 10, COL_NUM } };
static const struct table sum_table = { sum_columns, 4 };

static void summary(void)
{
	unsigned int dir, c, m;

	out_header(&sum_table);
	for (dir = 0; dir < 2; dir++)
		for (c = 0; c < 256; c++)
			for (m = 0; m < 256; m++)
				if (counts[dir][c][m])
					out_row("summary", &sum_table,
						(struct value[]){ V_TEXT(WORD(dirs, dir)),
								  V_TEXT(WORD(classes, c)),
								  V_TEXT(WORD(methods, m)),
								  V_NUM(counts[dir][c][m]) },
						0);
	memset(counts, 0, sizeof(counts));
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV,    KEY_PORT, KEY_DIR, KEY_CLASS,
						KEY_METHOD, KEY_ATTR, KEY_TID, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "mad_of_glass", "", true },
		{ "core_sends",
		  "neither trace event glass_mad nor ib_mad_ib_send_mad exists (modprobe glass, or "
		  "ib_core)",
		  true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibmad",
		.doc = "Prints management datagrams, decoded: on Glass each that leaves or reaches "
		       "a port, on other devices each that the RDMA core sends or receives (with "
		       "SLID if received, DLID if sent). It prints their number at the end "
		       "(Ctrl-C), or every INTERVAL seconds, COUNT times.",
		.keys = keys,
		.open = open_it,
		.loaded = loaded,
		.close = close_it,
		.needs = needs,
		.event = event,
		.event_table = &table,
		.summary = summary,
	};

	return tool_main(argc, argv, &tool);
}
