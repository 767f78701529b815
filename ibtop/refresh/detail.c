// SPDX-License-Identifier: GPL-2.0-only
/* All details of an object: from debugfs' inspect, or its cells. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/source/source.h"
#include "uapi/glass-inspect.h"

/* Keys of inspect, by section, with their formats */
struct key {
	const char *name;
	enum unit unit;
};

enum { UNIT_sges = UNIT_text, UNIT_line = UNIT_text };

#define KEY(n, u, m) { #n, (enum unit)UNIT_##u },
#define SECTION(kind, section, TABLE) \
	{ #kind, #section, (const struct key[]){ GLASS_INSPECT_##TABLE(KEY){ NULL, 0 } } },

static const struct {
	const char *kind, *section;
	const struct key *keys;
} sections[] = { GLASS_SECTIONS(SECTION) };

static const struct key *find_key(const char *kind, const char *section, const char *name)
{
	const struct key *k;
	size_t i;

	for (i = 0; i < ARRAY_LEN(sections); i++) {
		if (strcmp(sections[i].kind, kind) || strcmp(sections[i].section, section))
			continue;
		for (k = sections[i].keys; k->name; k++)
			if (!strcmp(k->name, name))
				return k;
	}
	return NULL;
}

/* ---- collects lines as texts in one stream; pointers are set at the end */

struct gather {
	FILE *to;
	struct line {
		enum detail_kind kind;
		long key, text; /* offsets in the stream */
		unsigned int order;
	} * lines;
	size_t count, room;
	bool failed;
	bool has_gids; /* those of the port are there already */
};

/* Returns the rank of a section, which overrides the order of inspect. */
static unsigned int order_of(const char *section)
{
	static const char *const first[] = { "why", "first_error", "last_error", "columns" };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(first); i++)
		if (!strcmp(first[i], section))
			return i;
	return ARRAY_LEN(first);
}

static void add(struct gather *g, enum detail_kind kind, unsigned int order, const char *key,
		const char *text)
{
	struct line *l;

	if (g->count == g->room) {
		size_t room = g->room ? 2 * g->room : 64;

		l = realloc(g->lines, room * sizeof(*l));
		if (!l) {
			g->failed = true;
			return;
		}
		g->lines = l;
		g->room = room;
	}
	l = &g->lines[g->count++];
	*l = (struct line){ .kind = kind, .order = order };
	l->key = ftell(g->to);
	fprintf(g->to, "%s%c", key, 0);
	l->text = ftell(g->to);
	fprintf(g->to, "%s%c", text, 0);
}

/* Formats a value for people. */
static void put_value(char *text, size_t size, enum unit unit, const char *value, size_t len)
{
	static const struct format human = { .style = STYLE_HUMAN };
	struct cell cell = { .state = CELL_VALUE, .unit = unit };
	char decoded[512];

	if ((unit == UNIT_ns || unit == UNIT_bytes) && debugfs_number(value, len, &cell.num)) {
		cell_text(&cell, &human, text, size);
		if (cell.num >= 1024 && unit == UNIT_bytes)
			snprintf(text, size, "%" PRIu64, cell.num);
		return;
	}
	if (memchr(value, '%', len) && len < sizeof(decoded) &&
	    debugfs_decode(value, len, decoded) >= 0)
		snprintf(text, size, "%s", decoded);
	else
		snprintf(text, size, "%.*s", (int)len, value);
	printable(text);
}

static const char *const kinds[VIEW_COUNT] = {
	[VIEW_QP] = "qp", [VIEW_CQ] = "cq", [VIEW_SRQ] = "srq",		  [VIEW_MR] = "mr",
	[VIEW_PD] = "pd", [VIEW_AH] = "ah", [VIEW_UCONTEXT] = "ucontext", [VIEW_PORT] = "port",
	[VIEW_MW] = "mw", [VIEW_DM] = "dm", [VIEW_XRCD] = "xrcd",
};

/*
 * Parses a line of inspect: "key: value", "  key: value", "  entry: key=value ..." or "section:".
 */
static void inspect_line(struct gather *g, enum view_id view, char *section, size_t size,
			 const char *line, size_t len)
{
	bool deeper = len > 2 && line[0] == ' ' && line[1] == ' ';
	const char *colon = memchr(line, ':', len), *value;
	char name[64], text[2048];
	const struct key *key;
	size_t n;

	if (!colon || *line == '#')
		return;
	line += 2 * deeper;
	len -= 2 * deeper;
	n = colon - line;
	if (n >= sizeof(name))
		return;
	memcpy(name, line, n);
	name[n] = 0;
	printable(name);
	value = colon + 1 + (colon + 1 < line + len && colon[1] == ' ');
	n = line + len - value;
	if (g->has_gids && !strcmp(deeper ? section : name, "gids")) {
		snprintf(section, size, "gids");
		return;
	}
	if (!deeper && !n) {
		snprintf(section, size, "%s", name);
		add(g, DETAIL_SECTION, order_of(name), name, "");
		return;
	}
	if (!deeper) {
		const struct column *c = column_find(view_get(view), name);

		put_value(text, sizeof(text), c ? c->unit : UNIT_text, value, n);
		add(g, DETAIL_VALUE, order_of("columns"), name, text);
		return;
	}
	key = find_key(kinds[view], section, name);
	if (!key && memchr(value, '=', n)) {
		snprintf(text, sizeof(text), "%.*s", (int)n, value);
		printable(text);
		add(g, DETAIL_ENTRY, order_of(section), name, text);
		return;
	}
	put_value(text, sizeof(text), key ? key->unit : UNIT_text, value, n);
	add(g, DETAIL_VALUE, order_of(section), name, text);
}

/* Returns false, with the reason in error, if there is no answer. */
static bool from_inspect(struct model *m, struct gather *g, const struct row *row, char *error,
			 size_t size)
{
	char title[80], section[64] = "columns";
	const char *s;
	int n;

	if (row->view == VIEW_QP && row->num[1])
		snprintf(title, sizeof(title), "qp 0x%" PRIx64 " port=%" PRIu64, row->num[0],
			 row->num[1]);
	else
		snprintf(title, sizeof(title), row->view == VIEW_QP ? "%s 0x%" PRIx64 : "%s %" PRIu64,
			 kinds[row->view], row->num[0]);
	n = debugfs_inspect(m, m->devices[row->dev].name, kinds[row->view], title);
	if (n < 0) {
		if (n == -ENOENT)
			snprintf(error, size, "it is gone");
		else
			snprintf(error, size, "debugfs inspect: %s", strerror(-n));
		return false;
	}
	add(g, DETAIL_SECTION, order_of("columns"), "columns", "");
	while ((s = debugfs_line(&m->file)))
		inspect_line(g, row->view, section, sizeof(section), s, strlen(s));
	if (m->file.bad)
		add(g, DETAIL_NOTE, 0, "", debugfs_error(&m->file));
	return true;
}

static void from_cells(struct model *m, struct gather *g, const struct row *row)
{
	static const struct format human = { .style = STYLE_HUMAN };
	const struct view *view = view_get(row->view);
	char text[512];
	unsigned int i;

	add(g, DETAIL_SECTION, order_of("columns"), "columns", "");
	for (i = COL_ANY_dev; i < view->num_columns; i++) {
		struct cell cell = row_cell(m, row, &view->columns[i]);

		if (cell.state != CELL_VALUE || cell.unit == UNIT_spark)
			continue;
		cell_text(&cell, &human, text, sizeof(text));
		add(g, DETAIL_VALUE, order_of("columns"), view->columns[i].name, text);
	}
}

/* Adds a port of the fabric as an entry: its state, its LID, the other end, rates and errors. */
static void add_port(struct model *m, struct gather *g, const struct row *port, const char *key)
{
	static const char *const columns[] = { "state",	     "lid",	   "peer",   "width",	"speed",
					       "tx_bytes_s", "rx_bytes_s", "errors", "link_downed" };
	static const struct format human = { .style = STYLE_HUMAN };
	char text[400], value[100];
	size_t used = 0, i;

	for (i = 0; i < ARRAY_LEN(columns); i++) {
		struct cell cell = row_cell_named(m, port, columns[i]);

		if (cell.state != CELL_VALUE)
			continue;
		cell_text(&cell, &human, value, sizeof(value));
		used += snprintf(text + used, sizeof(text) - used, "%s%s=%s", used ? " " : "",
				 columns[i], value);
		if (used >= sizeof(text))
			break;
	}
	add(g, DETAIL_ENTRY, order_of("ports"), key, used ? text : "");
}

static void ports_of_node(struct model *m, struct gather *g, const struct row *node)
{
	const struct table *ports = &m->now->tables[VIEW_FPORT];
	char key[32];
	size_t i;

	add(g, DETAIL_SECTION, order_of("ports"), "ports", "");
	for (i = 0; i < ports->count; i++) {
		const struct row *port = table_row(ports, i);

		if (port->num[0] != node->num[0])
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, port->num[1]);
		add_port(m, g, port, key);
	}
}

static void ports_of_cable(struct model *m, struct gather *g, const struct row *cable)
{
	const char *const ends[] = { cable->v[COL_FCABLE_a].text, cable->v[COL_FCABLE_b].text };
	const struct row *port;
	size_t i;

	add(g, DETAIL_SECTION, order_of("ports"), "ports", "");
	for (i = 0; i < ARRAY_LEN(ends); i++) {
		port = fabric_port(m, ends[i]);
		if (port)
			add_port(m, g, port, ends[i]);
	}
}

/* The port of a netdev cable, and each rule that frames or packets have broken. */
static void drops_of_netcable(struct model *m, struct gather *g, const struct row *cable)
{
#define RULE(name, unit, meaning) { #name, meaning, COL_NETCABLE_##name },
	static const struct {
		const char *name, *meaning;
		unsigned int column;
	} rules[] = { GLASS_COLUMNS_CABLE_RULES(RULE) };
#undef RULE
	const struct row *port = fabric_port(m, cable->v[COL_NETCABLE_a].text);
	unsigned int order = order_of("ports");
	char text[160];
	size_t i;

	add(g, DETAIL_SECTION, order, "ports", "");
	if (port)
		add_port(m, g, port, cable->v[COL_NETCABLE_a].text);
	add(g, DETAIL_SECTION, order, "drops", "");
	for (i = 0; i < ARRAY_LEN(rules); i++) {
		if (!row_has(cable, rules[i].column) || !cable->v[rules[i].column].num)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 ": %s", cable->v[rules[i].column].num,
			 rules[i].meaning);
		add(g, DETAIL_ENTRY, order, rules[i].name, text);
	}
}

static void on_counter(void *arg, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add(arg, DETAIL_VALUE, order_of("hw_counters"), name, text);
}

static void port_counters(struct model *m, struct gather *g, const struct row *row)
{
	size_t before = g->count;

	add(g, DETAIL_SECTION, order_of("hw_counters"), "hw_counters", "");
	if (!netlink_counters(m, row->dev, row->num[0], on_counter, g))
		g->count = before;
}

/* Adds a GID as an entry. */
static void on_gid(void *arg, const struct gid *gid)
{
	char text[256];

	snprintf(text, sizeof(text), "index=%u gid=%s%s%s%s%s gid_type=%s", gid->index, gid->gid,
		 *gid->netdev ? " netdev=" : "", gid->netdev, *gid->address ? " address=" : "",
		 gid->address, *gid->type ? gid->type : "n/a");
	add(arg, DETAIL_ENTRY, order_of("gids"), "gid", text);
}

/* Adds the GIDs of the port. Returns false if sysfs has none. */
static bool gids_of_port(struct model *m, struct gather *g, const struct row *port)
{
	size_t before = g->count;

	add(g, DETAIL_SECTION, order_of("gids"), "gids", "");
	if (sysfs_port_gids(m, port->dev, port->num[0], on_gid, g))
		return true;
	g->count = before;
	return false;
}

static int by_order(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static struct detail *finish(struct gather *g, struct detail *d)
{
	size_t i;

	qsort(g->lines, g->count, sizeof(*g->lines), by_order);
	d->lines = calloc(g->count ? g->count : 1, sizeof(*d->lines));
	if (!d->lines || g->failed) {
		detail_free(d);
		return NULL;
	}
	for (i = 0; i < g->count; i++)
		d->lines[i] =
			(struct detail_line){ g->lines[i].kind, d->memory + g->lines[i].key,
					      d->memory + g->lines[i].text };
	d->count = g->count;
	return d;
}

struct detail *model_detail(struct model *m, const struct row *row)
{
	struct detail *d = calloc(1, sizeof(*d));
	struct gather g = {};
	char error[200] = "";
	size_t size;

	if (!d)
		return NULL;
	g.to = open_memstream(&d->memory, &size);
	if (!g.to) {
		free(d);
		return NULL;
	}
	row_id(row, &d->id);
	if (row->flags & ROW_GONE)
		add(&g, DETAIL_NOTE, 0, "", "it is gone; this is what was known last");
	/* sysfs knows more of each than inspect, and knows those of other drivers */
	if (row->view == VIEW_PORT && !m->replay && row->dev != NO_DEVICE &&
	    !(row->flags & ROW_GONE))
		g.has_gids = gids_of_port(m, &g, row);
	if (m->replay || row->flags & ROW_GONE || row->dev == NO_DEVICE || !kinds[row->view] ||
	    !m->devices[row->dev].tables || !from_inspect(m, &g, row, error, sizeof(error))) {
		if (*error)
			add(&g, DETAIL_NOTE, 0, "", error);
		else if (m->replay && kinds[row->view])
			add(&g, DETAIL_NOTE, 0, "", "rings and history are not in a record");
		from_cells(m, &g, row);
	}
	if (row->view == VIEW_PORT && !m->replay && row->dev != NO_DEVICE &&
	    !(row->flags & ROW_GONE))
		port_counters(m, &g, row);
	if (row->view == VIEW_FNODE && !(row->flags & ROW_GONE))
		ports_of_node(m, &g, row);
	if (row->view == VIEW_FCABLE && !(row->flags & ROW_GONE))
		ports_of_cable(m, &g, row);
	if (row->view == VIEW_NETCABLE && !(row->flags & ROW_GONE))
		drops_of_netcable(m, &g, row);
	g.failed |= fclose(g.to) != 0;
	d = finish(&g, d);
	free(g.lines);
	return d;
}

void detail_free(struct detail *d)
{
	if (!d)
		return;
	free(d->lines);
	free(d->memory);
	free(d);
}
