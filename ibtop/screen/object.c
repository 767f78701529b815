// SPDX-License-Identifier: GPL-2.0-only
/* Commands for the selected object. */
#include <stdio.h>
#include <string.h>

#include "ibtop/screen/state.h"

const struct row *object_row(struct screen *s)
{
	if (s->pager.kind >= PAGER_DETAIL)
		return model_find(s->model, &s->pager.id);
	return view_chosen(s);
}

static const struct row *some_row(struct screen *s)
{
	const struct row *row = object_row(s);

	if (!row)
		screen_notice(s, SEVERITY_NOTE, s->pager.kind >= PAGER_DETAIL ?
							"the object is not there any more" :
							"no object is chosen");
	return row;
}

void object_command(struct screen *s, enum action action)
{
	const struct row *row = some_row(s);
	char text[EDIT_MAX];

	if (!row)
		return;
	if (row_command(s->model, row, action, text, sizeof(text)))
		prompt_open(s, PROMPT_RUN, text);
	else
		screen_notice(s, SEVERITY_WARNING, "%s", text);
}

/* Shows the ports that fit the filter, which replaces that of the view of ports. */
static void show_ports(struct screen *s, const char *filter)
{
	struct glass_filter_error error;

	if (!s->ports_chosen)
		s->ports_before = s->view;
	s->ports_chosen = true;
	pager_close(s);
	view_show(s, VIEW_FPORT);
	if (!view_filter(s, filter, &error))
		screen_notice(s, SEVERITY_ERROR, "%.300s", error.text);
	view_move_to(s, 0);
}

/* Shows the ports of a node. */
static void show_node(struct screen *s, const char *node)
{
	char filter[EDIT_MAX];

	snprintf(filter, sizeof(filter), "node==\"%s\"", node);
	show_ports(s, filter);
}

/* Shows the ports at the ends of a cable, each as "node:port". */
static void show_ends(struct screen *s, const char *a, const char *b)
{
	const char *at = strrchr(a, ':'), *bt = strrchr(b, ':');
	char filter[EDIT_MAX];

	if (!at || !bt)
		return;
	snprintf(filter, sizeof(filter), "node==\"%.*s\" && port==%s || node==\"%.*s\" && port==%s",
		 (int)(at - a), a, at + 1, (int)(bt - b), b, bt + 1);
	show_ports(s, filter);
}

void object_ports(struct screen *s)
{
	const struct row *row;
	struct cell cell, far;

	if (s->ports_chosen && s->view == VIEW_FPORT && s->pager.kind == PAGER_NONE) {
		s->ports_chosen = false;
		view_filter(s, "", NULL);
		view_show(s, s->ports_before);
		return;
	}
	row = some_row(s);
	if (!row)
		return;
	switch (row_view(row)) {
	case VIEW_FCABLE:
		cell = row_cell_named(s->model, row, "a");
		far = row_cell_named(s->model, row, "b");
		show_ends(s, cell.text, far.text);
		return;
	case VIEW_NETCABLE:
		/* one end is here */
		cell = row_cell_named(s->model, row, "a");
		show_ends(s, cell.text, cell.text);
		return;
	case VIEW_FNODE:
		cell = row_cell_named(s->model, row, "name");
		break;
	case VIEW_FPORT:
		cell = row_cell_named(s->model, row, "node");
		break;
	default:
		/* an HCA of the fabric has the name of its device */
		cell = row_cell_named(s->model, row, "dev");
	}
	if (cell.state == CELL_VALUE && cell.text)
		show_node(s, cell.text);
	else
		screen_notice(s, SEVERITY_NOTE, "it belongs to no node of the fabric");
}

void object_go_to_peer(struct screen *s)
{
	const struct row *row = some_row(s), *peer;
	struct row_id id;

	if (!row)
		return;
	peer = row_peer(s->model, row);
	if (!peer) {
		screen_notice(s, SEVERITY_NOTE, "its peer is not on this machine, or unknown");
		return;
	}
	row_id(peer, &id);
	if (s->pager.kind >= PAGER_DETAIL)
		pager_open(s, PAGER_DETAIL, peer);
	else if (s->ports_chosen && id.view == VIEW_FPORT)
		show_node(s, row_cell_named(s->model, peer, "node").text);
	if (!view_choose(s, &id))
		screen_notice(s, SEVERITY_NOTE, "the peer is hidden: by a filter, or a process that is followed");
}

bool object_pid(struct screen *s, uint64_t *pid, char *comm, size_t size)
{
	const struct row *row = some_row(s);
	struct cell cell;

	if (!row)
		return false;
	cell = row_cell_named(s->model, row, "pid");
	if (cell.state != CELL_VALUE) {
		screen_notice(s, SEVERITY_NOTE, "the process of this object is unknown");
		return false;
	}
	if (!cell.num) {
		screen_notice(s, SEVERITY_NOTE, "it belongs to the kernel");
		return false;
	}
	*pid = cell.num;
	cell = row_cell_named(s->model, row, "comm");
	snprintf(comm, size, "%s", cell.state == CELL_VALUE && cell.text ? cell.text : "?");
	return true;
}

void object_follow(struct screen *s)
{
	char comm[64];
	uint64_t pid = 0;

	if (!s->has_pid && !object_pid(s, &pid, comm, sizeof(comm)))
		return;
	s->has_pid = !s->has_pid;
	if (s->has_pid)
		s->pid = pid;
	s->stale = true;
}
