// SPDX-License-Identifier: GPL-2.0-only
/* Access to rows: cells, identity, parents and peers. */
#include <inttypes.h>
#include <string.h>

#include "ibtop/model/snapshot.h"

/* Returns the column of a view that a column of the tree shows, by name. */
static int tree_source(enum view_id view, unsigned int tree_column)
{
	static int sources[VIEW_COUNT][COL_TREE_COUNT];
	static bool known[VIEW_COUNT];
	static const struct {
		const char *name;
		const char *names[4];
	} others[] = {
		{ "state", { "state", "cm_state", "health" } },
		{ "fill", { "sq_fill", "fill" } },
		{ "ops_s", { "cqes_s", "wrs_s", "hits_s", "activity" } },
		{ "size", { "len", "pinned" } },
	};
	unsigned int c;
	size_t i, k;

	if (known[view])
		return sources[view][tree_column];
	for (c = 0; c < COL_TREE_COUNT; c++) {
		const char *name = view_get(VIEW_TREE)->columns[c].name;

		sources[view][c] = view_column(view, name);
		for (i = 0; i < ARRAY_LEN(others); i++) {
			if (strcmp(others[i].name, name))
				continue;
			sources[view][c] = -1;
			for (k = 0; k < 4 && others[i].names[k] && sources[view][c] < 0; k++)
				sources[view][c] = view_column(view, others[i].names[k]);
		}
	}
	/* these have a sum of messages instead */
	if (view == VIEW_QP || view == VIEW_PROCESS || view == VIEW_DEVICE || view == VIEW_PORT)
		sources[view][COL_TREE_ops_s] = -1;
	known[view] = true;
	return sources[view][tree_column];
}

static void object_name(const struct row *row, const char *dev, char *text, size_t size)
{
	const char *kind = view_get(row->view)->name;

	if (row->view == VIEW_DEVICE)
		snprintf(text, size, "device %s", dev);
	else if (row->view == VIEW_QP)
		snprintf(text, size,
			 row->num[1] ? "qp 0x%" PRIx64 " port %" PRIu64 : "qp 0x%" PRIx64,
			 row->num[0], row->num[1]);
	else if (row->view == VIEW_INJECT && row_has(row, COL_INJECT_rule))
		snprintf(text, size, "rule %s", row->v[COL_INJECT_rule].text);
	else if (row->view == VIEW_SHARE && row_has(row, COL_SHARE_what))
		snprintf(text, size, "user %" PRIu64 " %s", row->num[0], row->v[COL_SHARE_what].text);
	else if (is_fabric(row->view)) {
		size_t used = snprintf(text, size, "%s ", kind);

		fabric_name(row, text + used, size - used);
	} else
		snprintf(text, size, "%s %" PRIu64, kind, row->num[0]);
}

static const char *dev_name(const struct model *m, const struct row *row)
{
	return row->dev == NO_DEVICE ? NULL : m->devices[row->dev].name;
}

static struct cell text_cell(const char *text, enum unit unit)
{
	return (struct cell){ .state = text ? CELL_VALUE : CELL_NONE, .unit = unit, .text = text };
}

static struct cell own_cell(const struct model *m, const struct row *row, unsigned int column)
{
	const struct column *c = &view_get(row->view)->columns[column];
	struct cell cell = { .state = CELL_VALUE, .unit = c->unit };
	const union value *v = &row->v[column];

	if (column == COL_ANY_mark)
		return text_cell(row->flags & ROW_GONE	? "gone"
				 : row->flags & ROW_NEW ? "new"
							: NULL,
				 UNIT_mark);
	if (column == COL_ANY_dev && !row_has(row, column))
		return text_cell(dev_name(m, row), UNIT_text);
	if (!row_has(row, column)) {
		cell.state = row_none(row, column) ? CELL_NONE : CELL_NA;
		return cell;
	}
	switch (c->unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
	case UNIT_mark:
		cell.text = v->text;
		break;
	case UNIT_rate:
	case UNIT_byte_rate:
	case UNIT_spark:
		cell.real = v->real;
		break;
	case UNIT_fill:
		cell.num = v->fill.used;
		cell.max = v->fill.max;
		break;
	default:
		cell.num = v->num;
	}
	return cell;
}

/* Returns the sum of two columns of the view, given by name. */
static struct cell sum_cell(const struct model *m, const struct row *row, const char *a,
			    const char *b, enum unit unit)
{
	struct cell x = row_cell_named(m, row, a), y = row_cell_named(m, row, b);

	if (x.state != CELL_VALUE && y.state != CELL_VALUE)
		x.state = view_column(row->view, a) < 0 ? CELL_NONE : CELL_NA;
	else
		x = (struct cell){ .state = CELL_VALUE,
				   .unit = unit,
				   .real = (x.state == CELL_VALUE ? x.real : 0) +
					   (y.state == CELL_VALUE ? y.real : 0) };
	x.unit = unit;
	return x;
}

static struct cell tree_cell(const struct model *m, const struct row *row,
			     const struct column *column)
{
	unsigned int i = column->index;
	int source = tree_source(row->view, i);
	struct cell cell;

	if (i == COL_ANY_mark || i == COL_ANY_dev)
		return own_cell(m, row, i);
	if (i == COL_TREE_object) {
		/* computed on demand; the cast is safe, because rows are the model's own */
		struct row *mine = (struct row *)row;
		char text[160];

		if (!mine->object) {
			object_name(row, dev_name(m, row), text, sizeof(text));
			mine->object = pool_copy(&m->now->pool, text, strlen(text));
		}
		return text_cell(mine->object ? mine->object : "", UNIT_text);
	}
	if (source < 0 && i == COL_TREE_ops_s)
		return sum_cell(m, row, "tx_msgs_s", "rx_msgs_s", UNIT_rate);
	if (source < 0 && i == COL_TREE_bytes_s)
		return sum_cell(m, row, "tx_bytes_s", "rx_bytes_s", UNIT_byte_rate);
	if (source < 0)
		return (struct cell){ .state = CELL_NONE, .unit = column->unit };
	cell = own_cell(m, row, source);
	cell.unit = column->unit;
	return cell;
}

struct cell row_cell(const struct model *m, const struct row *row, const struct column *column)
{
	if (column->view == row->view)
		return own_cell(m, row, column->index);
	if (column->view == VIEW_TREE || column->view == VIEW_LEAK)
		return tree_cell(m, row, column);
	return (struct cell){ .state = CELL_NA, .unit = column->unit };
}

struct cell row_cell_named(const struct model *m, const struct row *row, const char *name)
{
	int column = view_column(row->view, name);

	if (column < 0)
		return (struct cell){ .state = CELL_NA, .unit = UNIT_text };
	return own_cell(m, row, column);
}

void row_id(const struct row *row, struct row_id *id)
{
	*id = (struct row_id){ .view = row->view,
			       .num = { row->num[0], row->num[1] },
			       .born = row->born,
			       .device = row->dev };
}

enum view_id row_view(const struct row *row)
{
	return row->view;
}

bool row_new(const struct row *row)
{
	return row->flags & ROW_NEW;
}

bool row_gone(const struct row *row)
{
	return row->flags & ROW_GONE;
}

static struct row *find(const struct model *m, enum view_id view, int dev, uint64_t num)
{
	return table_find(&m->now->tables[view], dev, num, 0, 0);
}

const struct row *model_find(const struct model *m, const struct row_id *id)
{
	return table_find(&m->now->tables[id->view], id->device == NO_DEVICE ? -1 : (int)id->device,
			  id->num[0], id->num[1], id->born);
}

static const struct row *named_in(const struct model *m, enum view_id view, int dev, uint64_t num,
				  uint64_t port, size_t *found)
{
	const struct table *t = &m->now->tables[view];
	const struct row *result = NULL;
	size_t i;

	*found = 0;
	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);

		if ((dev < 0 || row->dev == dev) && row->num[0] == num &&
		    (!port || row->num[1] == port)) {
			result = row;
			++*found;
		}
	}
	return result;
}

const struct view *view_named(const char *text, const char **object)
{
	size_t len = strcspn(text, " ");
	const struct view *view;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	view = view_find(name);
	*object = text + len + strspn(text + len, " ");
	return view && view->id != VIEW_TREE && view->id != VIEW_LEAK && **object ? view : NULL;
}

const struct row *row_named(const struct model *m, const char *text, char *error, size_t error_size)
{
	const char *at, *colon;
	const struct view *view = view_named(text, &at);
	const struct row *row = NULL;
	uint64_t num = 0, port = 0;
	size_t len, found, i;
	int dev = -1;

	if (!view) {
		snprintf(error, error_size, "%.60s does not name an object", text);
		return NULL;
	}
	if (is_fabric(view->id)) {
		row = fabric_named(m, view->id, at);
		if (!row)
			snprintf(error, error_size, "%.60s: there is no such object", text);
		return row;
	}
	for (i = 0; i < m->num_devices; i++) {
		len = strlen(m->devices[i].name);
		if (!strncmp(at, m->devices[i].name, len) && (at[len] == ':' || !at[len])) {
			dev = i;
			at += len + (at[len] == ':');
			break;
		}
	}
	colon = strchr(at, ':');
	len = colon ? (size_t)(colon - at) : strlen(at);
	if (view->id != VIEW_DEVICE &&
	    (!debugfs_number(at, len, &num) ||
	     (colon && !debugfs_number(colon + 1, strlen(colon + 1), &port)))) {
		snprintf(error, error_size, "%.60s: there is no such device, or the number is wrong",
			 text);
		return NULL;
	}
	row = view->id == VIEW_DEVICE && dev < 0 ? NULL
						 : named_in(m, view->id, dev, num, port, &found);
	if (!row)
		snprintf(error, error_size, "%.60s: there is no such object", text);
	else if (found > 1)
		snprintf(error, error_size,
			 "%.60s: there are %zu; add the device (glass0:5), for QP0 and QP1 also the "
			 "port (glass0:1:2)", text, found);
	return row && found == 1 ? row : NULL;
}

/*
 * Parses a QP's `peer` ("glass1:0x14") to a device of this machine and a QPN. Returns false if it
 * has none.
 */
static bool peer_names(const struct model *m, const struct row *row, size_t *dev, uint64_t *qpn)
{
	const char *peer, *colon;

	if (row->view != VIEW_QP || !row_has(row, COL_QP_peer))
		return false;
	peer = row->v[COL_QP_peer].text;
	colon = strrchr(peer, ':');
	if (!colon || !debugfs_number(colon + 1, strlen(colon + 1), qpn))
		return false;
	for (*dev = 0; *dev < m->num_devices; ++*dev)
		if (strlen(m->devices[*dev].name) == (size_t)(colon - peer) &&
		    !memcmp(m->devices[*dev].name, peer, colon - peer))
			return true;
	return false;
}

const struct row *row_peer(const struct model *m, const struct row *row)
{
	uint64_t qpn;
	size_t dev;

	if (row->view == VIEW_FPORT)
		return row_has(row, COL_FPORT_peer) ?
			       fabric_port(m, row->v[COL_FPORT_peer].text) : NULL;
	return peer_names(m, row, &dev, &qpn) ? find(m, VIEW_QP, dev, qpn) : NULL;
}

int row_peer_missing(const struct model *m, const struct row *row)
{
	uint64_t qpn;
	size_t dev;

	return peer_names(m, row, &dev, &qpn) && !find(m, VIEW_QP, dev, qpn) ? (int)dev : -1;
}

static struct row *by_column(const struct model *m, const struct row *row, const char *column,
			     enum view_id view)
{
	struct cell cell = row_cell_named(m, row, column);

	return cell.state == CELL_VALUE ? find(m, view, row->dev, cell.num) : NULL;
}

const struct row *row_parent(const struct model *m, const struct row *row)
{
	struct row *parent = NULL;

	if (row->dev == NO_DEVICE || row->view == VIEW_DEVICE)
		return NULL;
	if (row->view == VIEW_CM_ID)
		parent = by_column(m, row, "qpn", VIEW_QP);
	if (!parent && row->view != VIEW_PD)
		parent = by_column(m, row, "pdn", VIEW_PD);
	if (!parent && row->view != VIEW_UCONTEXT)
		parent = by_column(m, row, "ctxn", VIEW_UCONTEXT);
	return parent ? parent : find(m, VIEW_DEVICE, row->dev, 0);
}

const char *view_missing(const struct model *m, enum view_id view)
{
	if (m->known >> view & 1)
		return NULL;
	switch (view) {
	case VIEW_LINT:
		return "no driver of this machine has lint findings";
	case VIEW_INJECT:
		return "only Glass adapters have injection rules, and only root may read them";
	case VIEW_AH:
		return "only Glass lists address handles, and only for root";
	case VIEW_MW:
		return "only Glass lists memory windows, and only for root";
	case VIEW_DM:
		return "only Glass lists device memory, and only for root";
	case VIEW_XRCD:
		return "only Glass lists XRC domains, and only for root";
	case VIEW_SHARE:
		return "only Glass adapters have shares of users, and only root may read them";
	case VIEW_FNODE:
	case VIEW_FPORT:
	case VIEW_FCABLE:
	case VIEW_NETCABLE:
		return m->replay		 ? "the record has no fabric"
		       : m->asked >> view & 1 ? "only Glass shows a fabric, and only to root"
					      : "it is read at the next refresh (key r)";
	case VIEW_GID:
		return m->replay		 ? "the record has no GIDs"
		       : m->asked >> view & 1 ? "there is no port in sysfs"
					      : "it is read at the next refresh (key r)";
	case VIEW_UCONTEXT:
	case VIEW_SRQ:
	case VIEW_CM_ID:
	case VIEW_PD:
	case VIEW_MR:
	case VIEW_CQ:
	case VIEW_QP:
		return m->now->tables[VIEW_DEVICE].count ? "no driver lists these objects"
		       : m->options->devices		 ? "there is no such device"
							 : "there is no RDMA device";
	default:
		return NULL;
	}
}

size_t view_count(const struct model *m, enum view_id view)
{
	static const enum view_id objects[] = { VIEW_UCONTEXT, VIEW_PD, VIEW_MR, VIEW_CQ,
						VIEW_SRQ,      VIEW_QP, VIEW_AH, VIEW_MW,
						VIEW_DM,       VIEW_XRCD, VIEW_CM_ID };
	size_t i, n = 0;

	if (view != VIEW_TREE && view != VIEW_LEAK)
		return m->now->tables[view].count;
	for (i = 0; i < ARRAY_LEN(objects); i++)
		n += m->now->tables[objects[i]].count;
	return n;
}
