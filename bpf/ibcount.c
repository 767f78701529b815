// SPDX-License-Identifier: GPL-2.0-only
/* ibcount: shows the top talkers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ibcount.h"
#include "ibcount.skel.h"
#include "uapi/glass-enums.h"

static struct ibcount_bpf *skel;
static enum ibcount_by by = BY_PID;
static size_t rows = 20;

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "Rows:", 3 },
	{ "by-qp", 'N', NULL, 0, "print a row for each queue pair (default: for each process and "
	  "device)", 3 },
	{ "by-device", 'D', NULL, 0, "print a row for each device", 3 },
	{ "by-op", 'O', NULL, 0, "print a row for each operation", 3 },
	{ "rows", 'r', "N", 0, "print the N rows with most bytes (20; 0: all)", 3 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'N':
		by = BY_QP;
		return 0;
	case 'D':
		by = BY_DEV;
		return 0;
	case 'O':
		by = BY_OP;
		return 0;
	case 'r':
		rows = tool_number(state, "--rows", arg, 0, 65536);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct bpf_object *open_it(void)
{
	skel = ibcount_bpf__open();
	if (!skel)
		return NULL;
	skel->rodata->by = by;
	return skel->obj;
}

static void close_it(void)
{
	ibcount_bpf__destroy(skel);
}

#define COUNTED                                                                      \
	{ "tx", "TX", 10, COL_NUM }, { "tx_bytes", "TXBYTES", 14, COL_NUM },         \
		{ "rx", "RX", 10, COL_NUM }, { "rx_bytes", "RXBYTES", 14, COL_NUM }, \
	{                                                                            \
		"errors", "ERRORS", 8, COL_NUM                                       \
	}
#define NUM_COUNTED 5

static const struct column by_pid[] = { { "dev", "DEV", 10, COL_TEXT },
					{ "pid", "PID", 8, COL_NUM },
					{ "comm", "COMM", 16, COL_TEXT },
					COUNTED };
static const struct column by_qp[] = { { "dev", "DEV", 10, COL_TEXT },
				       { "qpn", "QPN", 8, COL_HEX },
				       { "pid", "PID", 8, COL_NUM },
				       { "comm", "COMM", 16, COL_TEXT },
				       COUNTED };
static const struct column by_dev[] = { { "dev", "DEV", 10, COL_TEXT }, COUNTED };
static const struct column by_op[] = { { "op", "OP", 16, COL_TEXT }, COUNTED };

static const struct table tables[] = {
	[BY_PID] = { by_pid, 3 + NUM_COUNTED },
	[BY_QP] = { by_qp, 4 + NUM_COUNTED },
	[BY_DEV] = { by_dev, 1 + NUM_COUNTED },
	[BY_OP] = { by_op, 1 + NUM_COUNTED },
};

struct row {
	struct ibcount_key key;
	struct ibcount_value value;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t m = x->value.tx_bytes + x->value.rx_bytes,
		 n = y->value.tx_bytes + y->value.rx_bytes;

	return m != n ? (m > n ? -1 : 1) : memcmp(&x->key, &y->key, sizeof(x->key));
}

static const char *op_word(uint32_t op)
{
	static const char *const sent[] = GLASS_WORDS(GLASS_WR_OPS);
	static const char *const received[] = GLASS_WORDS(GLASS_WC_OPS);

	return op < GLASS_WCOP_RECV ? WORD(sent, op) : WORD(received, op);
}

static void print(const struct row *r)
{
	const struct ibcount_value *c = &r->value;
	struct value v[4 + NUM_COUNTED];
	int n = 0;

	if (by != BY_OP)
		v[n++] = V_TEXT(r->key.dev.text);
	else
		v[n++] = V_TEXT(op_word(r->key.num));
	if (by == BY_QP)
		v[n++] = V_NUM(r->key.num);
	if (by == BY_PID || by == BY_QP) {
		v[n++] = V_NUM_IF(r->key.pid, r->key.pid);
		v[n++] = V_TEXT_IF(*c->comm, c->comm);
	}
	v[n++] = V_NUM(c->tx);
	v[n++] = V_NUM(c->tx_bytes);
	v[n++] = V_NUM(c->rx);
	v[n++] = V_NUM(c->rx_bytes);
	v[n++] = V_NUM(c->errors);
	out_row("summary", &tables[by], v, 0);
}

static void summary(void)
{
	int fd = bpf_map__fd(skel->maps.counts);
	struct ibcount_key *keys;
	struct row *all;
	size_t n, m = 0, i;

	keys = tool_keys(fd, sizeof(*keys), &n);
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < n; i++) {
		all[m].key = keys[i];
		if (bpf_map_lookup_elem(fd, &keys[i], &all[m].value))
			continue;
		bpf_map_delete_elem(fd, &keys[i]);
		m++;
	}
	qsort(all, m, sizeof(*all), compare);
	out_header(&tables[by]);
	for (i = 0; i < m && (!rows || i < rows); i++)
		print(&all[i]);
	if (i < m)
		out_line("(%zu more)", m - i);
	free(all);
	free(keys);
}

int main(int argc, char **argv)
{
	static const enum filter_key keys[] = { KEY_DEV, KEY_PID,    KEY_COMM, KEY_QPN,
						KEY_LEN, KEY_STATUS, KEY_COUNT };
	static const struct tool_needs needs[] = {
		{ "count_send", "the trace event glass_wr_complete is not there (modprobe glass)",
		  true },
		{ 0 },
	};
	static const struct tool tool = {
		.name = "ibcount",
		.doc = "Counts messages and bytes sent (also WRITE, READ and atomic) and received, "
		       "by process, queue pair, device or operation. It prints the counts of each "
		       "INTERVAL seconds, COUNT times, or all at the end (Ctrl-C).",
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
