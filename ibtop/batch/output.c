// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes JSON, CSV and OpenMetrics of a batch directly, without building them in memory first: with
 * 10,000 queue pairs, a refresh has a million values.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "ibtop/batch/batch.h"
#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"

static void put_iso_time(FILE *to, uint64_t real)
{
	time_t seconds = real / NS_PER_SEC;
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(to, "%s.%03uZ", text, (unsigned int)(real % NS_PER_SEC / 1000000));
}

/* ---- JSON. Texts are UTF-8 without control characters: the readers of sources ensured that. */

void put_json_string(FILE *to, const char *text)
{
	putc_unlocked('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc_unlocked('\\', to);
		putc_unlocked(*text, to);
	}
	putc_unlocked('"', to);
}

static void put_u64(FILE *to, uint64_t n)
{
	char digits[24], *s = digits + sizeof(digits);

	do {
		*--s = '0' + n % 10;
		n /= 10;
	} while (n);
	fwrite_unlocked(s, 1, digits + sizeof(digits) - s, to);
}

static void put_real(FILE *to, double x)
{
	if (x == floor(x) && x < 1e15)
		put_u64(to, x);
	else
		fprintf(to, "%.3f", x);
}

static void put_history(FILE *to, const struct model *m, const struct row *row,
			const struct column *c)
{
	float values[HISTORY];
	size_t n = row_history(m, row, c, values, HISTORY), i;

	putc('[', to);
	for (i = 0; i < n; i++) {
		if (i)
			putc(',', to);
		put_real(to, values[i]);
	}
	putc(']', to);
}

static void put_json_value(FILE *to, const struct model *m, const struct row *row,
			   const struct column *c, const struct cell *cell)
{
	if (cell->state == CELL_NA) {
		fputs("null", to);
		return;
	}
	switch (c->unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
	case UNIT_mark:
		put_json_string(to, cell->text);
		break;
	case UNIT_signed:
		fprintf(to, "%" PRId64, (int64_t)cell->num);
		break;
	case UNIT_rate:
	case UNIT_byte_rate:
		put_real(to, cell->real);
		break;
	case UNIT_fill:
		fprintf(to, "{\"used\":%" PRIu64 ",\"max\":%" PRIu64 "}", cell->num, cell->max);
		break;
	case UNIT_spark:
		put_history(to, m, row, c);
		break;
	default:
		put_u64(to, cell->num);
	}
}

static void put_json_row(FILE *to, const struct model *m, const struct batch_view *v,
			 const struct item *item)
{
	unsigned int c;
	bool any = false;

	putc_unlocked('{', to);
	if (v->view->id == VIEW_TREE) {
		fprintf(to, "\"depth\":%u", item->depth);
		any = true;
	}
	for (c = 0; c < v->num_columns; c++) {
		struct cell cell = row_cell(m, item->row, v->columns[c]);

		if (cell.state == CELL_NONE)
			continue;
		if (any)
			putc_unlocked(',', to);
		any = true;
		putc_unlocked('"', to);
		fputs_unlocked(v->columns[c]->name, to);
		fputs_unlocked("\":", to);
		put_json_value(to, m, item->row, v->columns[c], &cell);
	}
	putc_unlocked('}', to);
}

void batch_json(FILE *to, const struct model *m, const struct batch_view *views, size_t count)
{
	static const char *const severities[] = { "note", "warning", "error" };
	const struct message *msgs;
	size_t n = model_messages(m, &msgs), i, k;

	fprintf(to, "{\"ibtop\":1,\"refresh\":%u,\"time\":\"", model_refreshes(m));
	put_iso_time(to, model_realtime(m));
	fprintf(to, "\",\"mono\":%" PRIu64 ",\"interval\":%" PRIu64, model_now(m),
		model_interval(m));
	if (model_replaying(m))
		fprintf(to, ",\"frame\":%u", model_frame(m));
	fputs(",\"messages\":[", to);
	for (i = 0; i < n; i++) {
		fprintf(to, "%s{\"severity\":\"%s\",", i ? "," : "", severities[msgs[i].severity]);
		if (msgs[i].dev) {
			fputs("\"dev\":", to);
			put_json_string(to, msgs[i].dev);
			putc(',', to);
		}
		fputs("\"text\":", to);
		put_json_string(to, msgs[i].text);
		putc('}', to);
	}
	putc(']', to);
	for (i = 0; i < count; i++) {
		if (view_missing(m, views[i].view->id)) {
			fprintf(to, ",\"%s\":null", views[i].view->name);
			continue;
		}
		fprintf(to, ",\"%s\":[", views[i].view->name);
		for (k = 0; k < views[i].list.count; k++) {
			if (k)
				putc_unlocked(',', to);
			put_json_row(to, m, &views[i], &views[i].list.items[k]);
		}
		putc(']', to);
	}
	fputs("}\n", to);
}

/* ---- CSV: RFC 4180, but with newlines of this system */

static void put_field(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, to);
		return;
	}
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', to);
		putc(*text, to);
	}
	putc('"', to);
}

void batch_csv(FILE *to, const struct model *m, const struct batch_view *v, bool header)
{
	static const struct format exact = { .style = STYLE_EXACT };
	char text[600];
	unsigned int c;
	size_t i;

	if (header) {
		fputs("time", to);
		for (c = 0; c < v->num_columns; c++)
			if (v->columns[c]->unit != UNIT_spark)
				fprintf(to, ",%s", v->columns[c]->name);
		putc('\n', to);
	}
	for (i = 0; i < v->list.count; i++) {
		put_iso_time(to, model_realtime(m));
		for (c = 0; c < v->num_columns; c++) {
			struct cell cell;

			if (v->columns[c]->unit == UNIT_spark)
				continue;
			cell = row_cell(m, v->list.items[i].row, v->columns[c]);
			putc(',', to);
			/* a value that does not apply is empty */
			if (cell.state == CELL_NONE)
				continue;
			cell_text(&cell, &exact, text, sizeof(text));
			put_field(to, text);
		}
		putc('\n', to);
	}
}

/* ---- OpenMetrics: numbers are metrics, the object's name is in labels, its words are in _info */

static bool is_counter(const struct column *c)
{
	static const char *const names[] = {
#define NAME(name, unit, meaning) #name,
		GLASS_COUNTERS_QP(NAME) "total",
		"errors",
		"armed",
		"events",
		"limit_events",
		"remote_reads",
		"remote_writes",
		"atomics",
		"hit",
		"eligible",
		"tx_words",
		"rx_words",
		"tx_mcast",
		"rx_mcast",
		"tx_ucast",
		"rx_ucast",
		"link_downed",
		"rcv_errors",
		"xmit_discards",
		"xmit_constraint",
		"rcv_constraint",
		"vl15_dropped",
		"qp1_dropped",
		"symbol_errors",
		"link_recovery",
		"rcv_remphys",
		"rcv_relay",
		"local_integrity",
		"buffer_overrun",
		"xmit_wait",
#define RULE(name, unit, meaning) #name,
		GLASS_COLUMNS_CABLE_RULES(RULE)
		"lost",
		"ups",
		"tx_frames",
		"tx_packets",
		"tx_bytes",
		"tx_dropped",
		"rx_frames",
		"rx_packets",
		"rx_bytes",
		"rx_undelivered",
		"tx_hellos",
		"rx_hellos",
		"rnr_naks",
		"posts_refused",
		"posts_invalid",
		"bad_wr_reused",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], c->name))
			return true;
	return false;
}

/* Labels that identify an object of a view */
static const char *const labels[VIEW_COUNT] = {
	[VIEW_PROCESS] = "pid comm", [VIEW_PORT] = "port",   [VIEW_QP] = "qpn port",
	[VIEW_CQ] = "cqn",	     [VIEW_MR] = "mrn",	     [VIEW_PD] = "pdn",
	[VIEW_SRQ] = "srqn",	     [VIEW_AH] = "ahn",	     [VIEW_UCONTEXT] = "ctxn",
	[VIEW_CM_ID] = "cm_idn",     [VIEW_INJECT] = "rule", [VIEW_LINT] = "code kind num",
	[VIEW_MW] = "mwn",	     [VIEW_DM] = "dmn",	     [VIEW_XRCD] = "xrcdn",
	[VIEW_SHARE] = "uid what",   [VIEW_FNODE] = "name",  [VIEW_FPORT] = "node port",
	[VIEW_FCABLE] = "a b",	     [VIEW_NETCABLE] = "a netdev",
	[VIEW_GID] = "port index",
};

static bool is_label(const struct view *view, const char *name)
{
	const char *list = labels[view->id], *at;
	size_t len = strlen(name);

	if (!strcmp(name, "dev"))
		return true;
	at = list ? strstr(list, name) : NULL;
	return at && (at == list || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}

static bool is_text(enum unit unit)
{
	return unit == UNIT_word || unit == UNIT_text || unit == UNIT_gid || unit == UNIT_ref;
}

static void put_label(FILE *to, bool *any, const char *name, const char *value)
{
	fprintf(to, "%s%s=\"", *any ? "," : "{", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			putc('\\', to);
		putc(*value, to);
	}
	putc('"', to);
	*any = true;
}

/* Writes the labels. info: includes all words and texts. */
static void put_labels(FILE *to, const struct model *m, const struct view *view,
		       const struct row *row, bool info)
{
	static const struct format exact = { .style = STYLE_EXACT };
	bool any = false;
	char text[600];
	unsigned int c;

	for (c = COL_ANY_dev; c < view->num_columns; c++) {
		const struct column *col = &view->columns[c];
		struct cell cell;

		if (!is_label(view, col->name) &&
		    !(info && (is_text(col->unit) || !strcmp(col->name, "pid"))))
			continue;
		cell = row_cell(m, row, col);
		if (cell.state != CELL_VALUE)
			continue;
		cell_text(&cell, &exact, text, sizeof(text));
		put_label(to, &any, col->name, text);
	}
	if (any)
		putc('}', to);
}

/* Makes the metric's name behind ibtop_VIEW_. *factor: multiplier of its values. */
static void metric_name(const struct column *c, char *name, size_t size, double *factor)
{
	const char *unit = "";
	char base[64];
	size_t len;

	snprintf(base, sizeof(base), "%s", c->name);
	len = strlen(base);
	*factor = 1;
	switch (c->unit) {
	case UNIT_ns:
		unit = "_seconds";
		*factor = 1e-9;
		break;
	case UNIT_words:
		unit = "_bytes";
		*factor = 4;
		if (len > 6 && !strcmp(base + len - 6, "_words"))
			base[len - 6] = 0;
		break;
	case UNIT_bytes:
		if (len < 6 || strcmp(base + len - 6, "_bytes"))
			unit = "_bytes";
		break;
	case UNIT_fill:
		unit = "_ratio";
		break;
	default:
		break;
	}
	if (is_counter(c) && len == 5 && !strcmp(base, "total"))
		snprintf(name, size, "completed");
	else
		snprintf(name, size, "%s%s", base, unit);
}

static void put_metric(FILE *to, const struct model *m, const struct batch_view *v,
		       const struct column *c)
{
	bool counter = is_counter(c), any = false;
	char name[128];
	double factor;
	size_t i;

	metric_name(c, name, sizeof(name), &factor);
	for (i = 0; i < v->list.count; i++) {
		const struct row *row = v->list.items[i].row;
		struct cell cell = row_cell(m, row, c);

		if (cell.state != CELL_VALUE)
			continue;
		if (!any)
			fprintf(to, "# TYPE ibtop_%s_%s %s\n# HELP ibtop_%s_%s %s\n", v->view->name,
				name, counter ? "counter" : "gauge", v->view->name, name,
				c->meaning);
		any = true;
		fprintf(to, "ibtop_%s_%s%s", v->view->name, name, counter ? "_total" : "");
		put_labels(to, m, v->view, row, false);
		if (c->unit == UNIT_rate || c->unit == UNIT_byte_rate)
			fprintf(to, " %.3f\n", cell.real);
		else if (c->unit == UNIT_fill)
			fprintf(to, " %.6f\n", cell.max ? (double)cell.num / cell.max : 0);
		else if (c->unit == UNIT_signed)
			fprintf(to, " %" PRId64 "\n", (int64_t)cell.num);
		else if (factor == 1)
			fprintf(to, " %" PRIu64 "\n", cell.num);
		else
			fprintf(to, " %.9g\n", cell.num * factor);
	}
}

void batch_openmetrics(FILE *to, const struct model *m, const struct batch_view *views,
		       size_t count)
{
	unsigned int c;
	size_t i, k;

	for (i = 0; i < count; i++) {
		const struct batch_view *v = &views[i];

		if (v->list.count)
			fprintf(to,
				"# TYPE ibtop_%s info\n# HELP ibtop_%s words and names of each %s\n",
				v->view->name, v->view->name, v->view->name);
		for (k = 0; k < v->list.count; k++) {
			fprintf(to, "ibtop_%s_info", v->view->name);
			put_labels(to, m, v->view, v->list.items[k].row, true);
			fputs(" 1\n", to);
		}
		for (c = 0; c < v->num_columns; c++) {
			const struct column *col = v->columns[c];

			if (!is_text(col->unit) && col->unit != UNIT_spark &&
			    col->unit != UNIT_mark && !is_label(v->view, col->name))
				put_metric(to, m, v, col);
		}
	}
	fputs("# EOF\n", to);
}
