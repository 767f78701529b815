// SPDX-License-Identifier: GPL-2.0-only
/* Commands for the selected object. */
#include <stdio.h>
#include <string.h>

#include "ibtop/screen/state.h"

const struct row *object_row(struct screen *s)
{
	if (s->pager.kind == PAGER_DETAIL)
		return model_find(s->model, &s->pager.id);
	return view_chosen(s);
}

static const struct row *some_row(struct screen *s)
{
	const struct row *row = object_row(s);

	if (!row)
		screen_notice(s, SEVERITY_NOTE, s->pager.kind == PAGER_DETAIL ?
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
	if (s->pager.kind == PAGER_DETAIL)
		pager_open(s, PAGER_DETAIL, peer);
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
