// SPDX-License-Identifier: GPL-2.0-only
/* Shell commands for actions on an object. */
#include <inttypes.h>
#include <string.h>

#include "ibtop/model/snapshot.h"
#include "uapi/glass-lint.h"

static size_t no_command(char *text, size_t size, const char *why)
{
	snprintf(text, size, "%s", why);
	return 0;
}

/* Does the finding concern this object, process or device? */
static bool found_of(const struct model *m, const struct row *finding, const struct row *row)
{
	struct cell pid = row_cell_named(m, finding, "pid"),
		    num = row_cell_named(m, finding, "num"),
		    kind = row_cell_named(m, finding, "kind");

	if (row->view == VIEW_PROCESS)
		return pid.state == CELL_VALUE && pid.num == row->num[0];
	if (finding->dev != row->dev)
		return false;
	if (row->view == VIEW_LINT)
		return finding->num[0] == row->num[0];
	return row->view == VIEW_DEVICE ||
	       (kind.state == CELL_VALUE && num.state == CELL_VALUE && num.num == row->num[0] &&
		!strcmp(kind.text, view_get(row->view)->name));
}

/* Makes the iblint command that explains all codes found for the object. */
static size_t explain_command(const struct model *m, const struct row *row, char *text, size_t size)
{
	const struct table *t = &m->now->tables[VIEW_LINT];
	char codes[GLASS_LINT_COUNT * sizeof("GL001,")] = "";
	size_t i, n = 0;
	int written;

	for (i = 0; i < t->count; i++) {
		const struct row *finding = table_row(t, i);
		struct cell code = row_cell_named(m, finding, "code");

		/* put only well-formed codes into a shell command */
		if (code.state != CELL_VALUE || strlen(code.text) != strlen("GL001") ||
		    strncmp(code.text, "GL", 2) || strspn(code.text + 2, "0123456789") != 3 ||
		    !found_of(m, finding, row) || strstr(codes, code.text) ||
		    n + sizeof("GL001,") > sizeof(codes))
			continue;
		n += sprintf(codes + n, "%s%s", n ? "," : "", code.text);
	}
	if (!n)
		return no_command(text, size,
				  "no lint finding of it (iblint --pid PID looks at a process)");
	written = snprintf(text, size, "iblint --explain %s", codes);
	return written > 0 && (size_t)written < size ? (size_t)written : 0;
}

/* Is the name safe in a shell command? Those of the driver are. */
static bool is_plain(const char *name)
{
	return *name && *name != '-' &&
	       !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")];
}

static bool cell_is(const struct row *row, unsigned int column, const char *word)
{
	return row_has(row, column) && !strcmp(row->v[column].text, word);
}

/* Commands for nodes, ports and cables of the fabric: cut a cable, plug it in, capture at an HCA */
static size_t fabric_command(const struct model *m, const struct row *row, enum action action,
			     char *text, size_t size)
{
	bool cable = row->view == VIEW_FCABLE || row->view == VIEW_NETCABLE ||
		     (row->view == VIEW_FPORT && row_has(row, COL_FPORT_peer));
	char name[80];
	bool pulled;
	size_t i;
	int n = 0;

	fabric_name(row, name, sizeof(name));
	if (row->view == VIEW_FCABLE)
		snprintf(name, sizeof(name), "%s", row->v[COL_FCABLE_a].text);
	if (row->view == VIEW_NETCABLE)
		snprintf(name, sizeof(name), "%s", row->v[COL_NETCABLE_a].text);
	if (!is_plain(name))
		return no_command(text, size, "its name cannot be in a command");
	if (action == ACTION_EXPLAIN)
		return no_command(text, size, "the fabric has no lint findings");
	if (action == ACTION_INJECT) {
		if (!cable)
			return no_command(text, size, "cables are cut: choose a cable, or a port with one");
		pulled = row->view == VIEW_FCABLE     ? cell_is(row, COL_FCABLE_pulled, "yes")
			 : row->view == VIEW_NETCABLE ? cell_is(row, COL_NETCABLE_pulled, "yes")
						      : cell_is(row, COL_FPORT_state, "down");
		n = snprintf(text, size, "ibfabric %s %s", pulled ? "plug" : "cut", name);
		return n > 0 && (size_t)n < size ? (size_t)n : 0;
	}
	/* an HCA has the name of its device */
	for (i = 0; i < m->num_devices && row->view != VIEW_FCABLE && row->view != VIEW_NETCABLE; i++)
		if (m->devices[i].glass && m->devices[i].present &&
		    !strncmp(name, m->devices[i].name, strcspn(name, ":")) &&
		    !m->devices[i].name[strcspn(name, ":")])
			n = snprintf(text, size, "ibcap -w ibtop.pcapng %s", name);
	if (!n)
		return no_command(text, size, "packets are captured at HCAs: choose one, or one of its ports");
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

size_t row_command(const struct model *m, const struct row *row, enum action action, char *text,
		   size_t size)
{
	const char *dev = row->dev == NO_DEVICE ? NULL : m->devices[row->dev].name;
	struct cell port = row_cell_named(m, row, "port");
	char where[100];
	int n = 0;

	if (m->replay)
		return no_command(text, size, "this is a record: actions need a live machine");
	if (action == ACTION_EXPLAIN && row->view == VIEW_PROCESS)
		return explain_command(m, row, text, size);
	if (is_fabric(row->view))
		return fabric_command(m, row, action, text, size);
	if (!dev || !m->devices[row->dev].glass)
		return no_command(
			text, size,
			"only Glass adapters and their objects can be captured, injected into and explained");
	if (port.state == CELL_VALUE)
		snprintf(where, sizeof(where), "%s:%" PRIu64, dev, port.num);
	else
		snprintf(where, sizeof(where), "%s", dev);
	switch (action) {
	case ACTION_CAPTURE:
		if (row->view == VIEW_QP)
			n = snprintf(text, size, "ibcap -f 'qpn==0x%" PRIx64 "' -w ibtop.pcapng %s",
				     row->num[0], where);
		else if (row->view == VIEW_PORT || row->view == VIEW_DEVICE)
			n = snprintf(text, size, "ibcap -w ibtop.pcapng %s", where);
		else
			return no_command(
				text, size,
				"packets are captured of a queue pair, a port or a device");
		break;
	case ACTION_INJECT:
		if (row->view == VIEW_QP)
			n = snprintf(text, size, "ibinject qp %s:0x%" PRIx64 " fatal", dev,
				     row->num[0]);
		else if (row->view == VIEW_CQ)
			n = snprintf(text, size, "ibinject cq %s:%" PRIu64 " overrun", dev,
				     row->num[0]);
		else if (row->view == VIEW_SRQ)
			n = snprintf(text, size, "ibinject srq %s:%" PRIu64 " fatal", dev,
				     row->num[0]);
		else if (row->view == VIEW_INJECT && row_has(row, COL_INJECT_rule))
			n = snprintf(text, size, "ibinject del %s %s", dev,
				     row->v[COL_INJECT_rule].text);
		else
			return no_command(text, size,
					  "faults are injected into queue pairs, CQs and SRQs");
		break;
	case ACTION_EXPLAIN:
		return explain_command(m, row, text, size);
	}
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
