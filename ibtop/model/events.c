// SPDX-License-Identifier: GPL-2.0-only
/* Events for new, gone and changed objects between two snapshots, and the rows of their view. */
#include <inttypes.h>
#include <string.h>

#include "ibtop/model/compute.h"

/*
 * Up to this many new or gone objects of a kind get an event each; more share one with their
 * number.
 */
#define ONE_BY_ONE 16

static const struct {
	enum view_id view;
	int pid, comm, state;
} kinds[] = {
	{ VIEW_PROCESS, COL_PROCESS_pid, COL_PROCESS_comm, -1 },
	{ VIEW_PORT, -1, -1, COL_PORT_state },
	{ VIEW_UCONTEXT, COL_UCONTEXT_pid, COL_UCONTEXT_comm, -1 },
	{ VIEW_PD, COL_PD_pid, COL_PD_comm, -1 },
	{ VIEW_MR, COL_MR_pid, COL_MR_comm, -1 },
	{ VIEW_CQ, COL_CQ_pid, COL_CQ_comm, COL_CQ_state },
	{ VIEW_SRQ, COL_SRQ_pid, COL_SRQ_comm, COL_SRQ_state },
	{ VIEW_QP, COL_QP_pid, COL_QP_comm, COL_QP_state },
	{ VIEW_AH, COL_AH_pid, COL_AH_comm, -1 },
	{ VIEW_MW, COL_MW_pid, COL_MW_comm, -1 },
	{ VIEW_DM, COL_DM_pid, COL_DM_comm, -1 },
	{ VIEW_XRCD, COL_XRCD_pid, COL_XRCD_comm, -1 },
	{ VIEW_CM_ID, COL_CM_ID_pid, COL_CM_ID_comm, COL_CM_ID_cm_state },
	{ VIEW_FNODE, -1, -1, -1 },
	{ VIEW_FCABLE, -1, -1, COL_FCABLE_pulled },
	{ VIEW_FPORT, -1, -1, COL_FPORT_state },
	{ VIEW_NETCABLE, -1, -1, COL_NETCABLE_state },
	{ VIEW_NETCABLE, -1, -1, COL_NETCABLE_trouble },
	{ VIEW_GID, -1, -1, -1 },
};

/* Is it the second state of netdev cables? */
static bool is_trouble(size_t kind)
{
	return kinds[kind].view == VIEW_NETCABLE && kinds[kind].state == COL_NETCABLE_trouble;
}

static struct event *object_event(struct model *m, size_t kind, const struct row *row,
				  const char *what)
{
	struct event *e = event_add(m, m->now->mono, what, row->dev == NO_DEVICE ? -1 : row->dev);
	int pid = kinds[kind].pid, comm = kinds[kind].comm;

	e->kind = view_get(row->view)->name;
	e->num = row->num[0];
	/* the texts of events of the fabric have the names */
	e->has_num = !is_fabric(row->view);
	if (pid >= 0 && row_has(row, pid)) {
		e->pid = row->v[pid].num;
		e->has_pid = true;
	}
	if (comm >= 0 && row_has(row, comm))
		snprintf(e->comm, sizeof(e->comm), "%.*s", (int)sizeof(e->comm) - 1,
			 row->v[comm].text);
	return e;
}

/*
 * Was the device read from another source before? Then its objects have other numbers, and are
 * neither new nor gone.
 */
static bool other_source(const struct model *m, const struct row *row)
{
	return row->dev != NO_DEVICE &&
	       m->devices[row->dev].tables != m->devices[row->dev].had_tables;
}

static void came_and_went(struct model *m, size_t kind, struct table *t, uint8_t flag,
			  const char *what)
{
	int dev = -1;
	size_t i, n = 0;

	/* ports of the fabric come and go with their nodes */
	if (kinds[kind].view == VIEW_FPORT || is_trouble(kind))
		return;
	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);

		if (!(row->flags & flag) || other_source(m, row))
			continue;
		/* the common device, if there is one */
		dev = !n || dev == row->dev ? row->dev : -1;
		n++;
	}
	if (n > ONE_BY_ONE) {
		struct event *e = event_add(m, m->now->mono, what, dev == NO_DEVICE ? -1 : dev);

		e->kind = view_get(kinds[kind].view)->name;
		snprintf(e->text, sizeof(e->text), "%zu of them", n);
		return;
	}
	for (i = 0; n && i < t->count; i++) {
		struct row *row = table_row(t, i);
		struct event *e;

		if (!(row->flags & flag) || other_source(m, row))
			continue;
		e = object_event(m, kind, row, what);
		if (row->view == VIEW_QP && row_has(row, COL_QP_qptype))
			snprintf(e->text, sizeof(e->text), "%s queue pair",
				 row->v[COL_QP_qptype].text);
		else if (row->view == VIEW_MR && row_has(row, COL_MR_len))
			snprintf(e->text, sizeof(e->text), "%" PRIu64 " bytes",
				 row->v[COL_MR_len].num);
		else if (row->view == VIEW_DM && row_has(row, COL_DM_len))
			snprintf(e->text, sizeof(e->text), "%" PRIu64 " bytes",
				 row->v[COL_DM_len].num);
		else if (is_fabric(row->view))
			fabric_name(row, e->text, sizeof(e->text));
		else if (row->view == VIEW_GID)
			snprintf(e->text, sizeof(e->text), "port %" PRIu64 ": %s", row->num[1],
				 row->v[row_has(row, COL_GID_address) ? COL_GID_address
								      : COL_GID_gid].text);
		else if (row->view == VIEW_MW && row_has(row, COL_MW_mwtype))
			snprintf(e->text, sizeof(e->text), "type %" PRIu64,
				 row->v[COL_MW_mwtype].num);
	}
}

static void tell_error(struct event *e, const struct row *qp)
{
	size_t used = strlen(e->text);

	if (row_has(qp, COL_QP_first_cause))
		used += snprintf(e->text + used, sizeof(e->text) - used, ", first cause %s",
				 qp->v[COL_QP_first_cause].text);
	if (used < sizeof(e->text) && row_has(qp, COL_QP_last_status))
		snprintf(e->text + used, sizeof(e->text) - used, ", completed as %s",
			 qp->v[COL_QP_last_status].text);
}

/* Does the row have another state than in the previous snapshot? */
static bool has_changed(const struct row *row, int state)
{
	return row->before && row_has(row, state) && row_has(row->before, state) &&
	       strcmp(row->v[state].text, row->before->v[state].text);
}

/* The words of an event about a row of the fabric: its name, what it was and what it is */
static void tell_fabric(struct event *e, size_t kind, const struct row *row, const char *was, const char *now)
{
	char name[100];

	fabric_name(row, name, sizeof(name));
	if (row->view == VIEW_FCABLE)
		snprintf(e->text, sizeof(e->text), "%s: %s", name,
			 strcmp(now, "yes") ? "plugged in" : "pulled out");
	else
		snprintf(e->text, sizeof(e->text), "%s: %s%.20s -> %.20s", name,
			 is_trouble(kind) ? "trouble " : "", was, now);
}

/*
 * Many ports of the fabric change their state at once when a subnet manager starts: they share an
 * event, so that the others stay in the list. Returns whether they do.
 */
static bool share_event(struct model *m, size_t kind, struct table *t)
{
	int state = kinds[kind].state;
	const struct row *first = NULL;
	size_t i, n = 0, used;
	struct event *e;

	if (!is_fabric(kinds[kind].view))
		return false;
	for (i = 0; i < t->count; i++) {
		if (!has_changed(table_row(t, i), state))
			continue;
		first = first ? first : table_row(t, i);
		n++;
	}
	if (n <= ONE_BY_ONE)
		return false;
	e = object_event(m, kind, first, first->view == VIEW_FPORT ? "port" : "state");
	tell_fabric(e, kind, first, first->before->v[state].text, first->v[state].text);
	used = strlen(e->text);
	snprintf(e->text + used, sizeof(e->text) - used, ", and %zu others changed", n - 1);
	return true;
}

static void changes(struct model *m, size_t kind, struct table *t)
{
	int state = kinds[kind].state;
	size_t i;

	if (share_event(m, kind, t))
		return;
	for (i = 0; i < t->count; i++) {
		struct row *row = table_row(t, i);
		const char *now, *was;
		struct event *e;
		bool bad;

		if (!has_changed(row, state))
			continue;
		now = row->v[state].text;
		was = row->before->v[state].text;
		bad = !strcmp(now, "err") || !strcmp(now, "sqe");
		e = object_event(m, kind, row,
				 bad ? "error"
				 : row->view == VIEW_PORT || row->view == VIEW_FPORT
					 ? "port"
					 : "state");
		if (is_fabric(row->view))
			tell_fabric(e, kind, row, was, now);
		else
			snprintf(e->text, sizeof(e->text), "%.40s -> %.40s", was, now);
		if (bad && row->view == VIEW_QP)
			tell_error(e, row);
	}
}

static void sources(struct model *m)
{
	struct event *e;
	size_t i;

	for (i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];

		if (d->present && !d->was)
			event_add(m, m->now->mono, "new", i)->kind = "device";
		if (!d->present && d->was)
			event_add(m, m->now->mono, "gone", i)->kind = "device";
		if (d->present && d->was && d->tables != d->had_tables) {
			e = event_add(m, m->now->mono, "source", i);
			e->kind = "device";
			snprintf(
				e->text, sizeof(e->text), "%s",
				d->tables
					? "debugfs can be read"
					: "debugfs cannot be read any more: values that only "
					  "debugfs has are n/a");
		}
	}
}

static void event_row(struct model *m, const struct event *e)
{
	struct row *row = table_add(m, VIEW_EVENT, e->dev);

	if (!row)
		return;
	row_num(row, COL_EVENT_seq, e->seq);
	row_num(row, COL_EVENT_when, e->when);
	row_num(row, COL_EVENT_age, m->now->mono > e->when ? m->now->mono - e->when : 0);
	row_word(row, COL_EVENT_what, e->what);
	if (e->kind)
		row_word(row, COL_EVENT_kind, e->kind);
	else
		row_set_none(row, COL_EVENT_kind);
	if (e->has_num)
		row_num(row, COL_EVENT_num, e->num);
	else
		row_set_none(row, COL_EVENT_num);
	if (e->has_pid)
		row_num(row, COL_EVENT_pid, e->pid);
	else
		row_set_none(row, COL_EVENT_pid);
	if (*e->comm)
		row_text(m, row, COL_EVENT_comm, e->comm);
	else
		row_set_none(row, COL_EVENT_comm);
	row_text(m, row, COL_EVENT_text, e->text);
	row_identify(m, row);
	row->flags = e->refresh == m->refreshes && m->before ? ROW_NEW : 0;
}

void compute_events(struct model *m)
{
	uint64_t seq, first;
	size_t i;

	/* a record contains its events */
	if (m->before && !m->replay) {
		sources(m);
		for (i = 0; i < ARRAY_LEN(kinds); i++) {
			came_and_went(m, i, &m->before->tables[kinds[i].view], ROW_GONE, "gone");
			came_and_went(m, i, &m->now->tables[kinds[i].view], ROW_NEW, "new");
			if (kinds[i].state >= 0)
				changes(m, i, &m->now->tables[kinds[i].view]);
		}
	}
	first = m->num_events > MAX_EVENTS ? m->num_events - MAX_EVENTS : 0;
	for (seq = first; seq < m->num_events; seq++)
		event_row(m, &m->events[seq % MAX_EVENTS]);
}
