// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "lib/debugfs/device.h"
#include "lib/debugfs/table.h"
#include "lib/where/stacks.h"
#include "lib/where/story.h"
#include "lib/why/places.h"
#include "uapi/glass-lint.h"

#define FINDINGS_MAX 64 /* of a story; later ones are left out */

/* A deed of a process: its place is to be found. All texts are encoded, as in the story. */
struct deed {
	enum why_place what;
	const char *dev, *num, *pid, *comm;
};

static void add_place(struct where *w, struct why_story *s, const struct deed *d, uint64_t stack)
{
	struct where_stack *found = d->dev && stack ? where_stack_read(w, d->dev, stack) : NULL;
	char *text = found ? where_stack_text(found) : NULL;

	if (text)
		why_place_add(s, d->what, d->dev, d->num, d->pid, d->comm, text);
	free(text);
	where_stack_free(found);
}

/*
 * The SEND with Invalidate of the peer that ended a key: its process is the one that recorded the stack,
 * on the adapter of the other end.
 */
static void add_invalidation(struct where *w, struct why_story *s, struct deed d, uint64_t stack)
{
	const char *const devs[] = { why_value(s, WHY_FAILURE, "", "dev"), why_value(s, WHY_FAILURE, "", "peer_dev") };
	struct where_stack *found = NULL;
	char *text = NULL;
	size_t i;

	for (i = 0; stack && !found && i < 2; i++)
		if (devs[i])
			found = where_stack_read(w, devs[i], stack);
	if (found)
		text = where_stack_text(found);
	if (text)
		why_place_add(s, d.what, d.dev, d.num, *found->pid ? found->pid : NULL,
			      *found->comm ? found->comm : NULL, text);
	free(text);
	where_stack_free(found);
}

static uint64_t stack_of(const struct why_story *s, const struct why_row *row, const char *key)
{
	uint64_t stack;

	return why_cell_number(s, row, key, &stack) ? stack : 0;
}

/*
 * The request or receive of the failure. If no request has its wr_id, the oldest one; a receive that
 * failed is no longer in its queue.
 */
static const struct why_row *request_of(const struct why_story *s, bool receive)
{
	const char *wr_id = why_value(s, WHY_FAILURE, "", "wr_id");
	const char *section = receive ? "rq" : "sq", *name = receive ? "rwqe" : "wqe";
	const struct why_row *row = NULL;

	while (wr_id && (row = why_entry(s, WHY_LOCAL, section, name, row)))
		if (why_cell_is(s, row, "wr_id", wr_id))
			return row;
	return receive ? NULL : why_entry(s, WHY_LOCAL, section, name, NULL);
}

static void places_of_end(struct where *w, struct why_story *s, enum why_block block, struct deed d)
{
	const struct why_row *made = why_entry(s, block, "", "stack", NULL), *row;
	const struct why_row *changed = why_entry(s, block, "", "changed_stack", NULL);
	uint64_t by = stack_of(s, made, "stack"), last = stack_of(s, changed, "changed_stack"), post;
	bool receive = block == WHY_REMOTE || why_value_is(s, WHY_FAILURE, "", "op", "recv");

	d.what = WHY_PLACE_CREATED;
	add_place(w, s, &d, by);
	d.what = WHY_PLACE_CHANGED;
	if (last != by)
		add_place(w, s, &d, last);
	row = block == WHY_LOCAL ? request_of(s, receive) : why_entry(s, block, "rq", "rwqe", NULL);
	d.what = receive ? WHY_PLACE_RECEIVE : WHY_PLACE_POSTED;
	d.num = why_cell(s, row, "wr_id");
	post = stack_of(s, row, "stack");
	if (block == WHY_LOCAL && why_value_number(s, WHY_FAILURE, "", "stack", &post))
		d.num = why_value(s, WHY_FAILURE, "", "wr_id");
	add_place(w, s, &d, post);
}

/* The call stack of the region that has the key now; 0: unknown */
static uint64_t stack_of_region(const char *dev, uint64_t key)
{
	static const char *const names[] = { "lkey", "rkey", "stack" };
	struct debugfs_file f = { 0 };
	uint64_t lkey, rkey, stack, found = 0;
	struct debugfs_table t;
	int at[3];
	bool ok;

	ok = !debugfs_read(&f, dev, "mr") && debugfs_table_begin(&t, &f, "mr") &&
	     debugfs_columns_find(&t, names, 3, at);
	while (ok && !found && debugfs_table_next(&t))
		if (debugfs_value_number(&t, at[0], &lkey) && debugfs_value_number(&t, at[1], &rkey) &&
		    debugfs_value_number(&t, at[2], &stack) && (key == lkey || key == rkey))
			found = stack;
	debugfs_free(&f);
	return found;
}

static void places_of_key(struct where *w, struct why_story *s, size_t index)
{
	const struct why_row *row = &s->row[index];
	struct deed d = { WHY_PLACE_REGISTERED, why_cell(s, row, "dev"), why_cell(s, row, "key"),
			  why_cell(s, row, "pid"), why_cell(s, row, "comm") };
	struct deed gone = { WHY_PLACE_ENDED, d.dev, d.num, why_cell(s, row, "gone_pid"),
			     why_cell(s, row, "gone_comm") };
	uint64_t by = stack_of(s, row, "stack"), ended = stack_of(s, row, "gone_stack"), key;

	if (!by && d.dev && !why_cell_is(s, row, "found", "no") && why_cell_number(s, row, "key", &key))
		by = stack_of_region(d.dev, key);
	/* the row may move: strings do not */
	add_place(w, s, &d, by);
	if (why_cell_is(s, row, "gone_how", "send_inv")) {
		gone.what = WHY_PLACE_INVALIDATED;
		add_invalidation(w, s, gone, ended);
	} else {
		add_place(w, s, &gone, ended);
	}
}

/* The driver tells the process that created the QP: it is the one that destroys it. */
static void place_of_gone_qp(struct where *w, struct why_story *s, const struct why_row *row)
{
	struct deed d = { WHY_PLACE_DESTROYED, why_cell(s, row, "dev"), why_cell(s, row, "qpn"), why_cell(s, row, "pid"),
			  why_cell(s, row, "comm") };

	add_place(w, s, &d, stack_of(s, row, "stack"));
}

void where_story_places(struct where *w, struct why_story *s)
{
	struct deed local = { 0, why_value(s, WHY_FAILURE, "", "dev"), why_value(s, WHY_FAILURE, "", "num"),
			      why_value(s, WHY_FAILURE, "", "pid"), why_value(s, WHY_FAILURE, "", "comm") };
	struct deed peer = { 0, why_value(s, WHY_FAILURE, "", "peer_dev"),
			     why_value(s, WHY_FAILURE, "", "peer_qpn"), why_value(s, WHY_FAILURE, "", "peer_pid"),
			     why_value(s, WHY_FAILURE, "", "peer_comm") };
	size_t i, rows = s->rows;

	places_of_end(w, s, WHY_LOCAL, local);
	places_of_end(w, s, WHY_REMOTE, peer);
	for (i = 0; i < rows; i++) {
		if (s->row[i].block == WHY_KEYS)
			places_of_key(w, s, i);
		else if (s->row[i].block == WHY_GONE_QPS)
			place_of_gone_qp(w, s, &s->row[i]);
	}
}

/* ---- lint */

#define LINT_NAME(name, unit, meaning) #name,
#define LINT_AT(name, unit, meaning)   AT_##name,

/* dev first, places last */
static const char *const lint_keys[] = { "dev", GLASS_COLUMNS_LINT(LINT_NAME) "where", "peer_where" };

enum { AT_dev, GLASS_COLUMNS_LINT(LINT_AT) AT_where, AT_peer_where, LINT_KEYS };

/* Is the finding one of a process of the story, since the failed object was there? */
static bool concerns(const struct why_story *s, struct debugfs_table *t, const int *at)
{
	static const char *const pids[] = { "pid", "peer_pid" };
	uint64_t pid, peer_pid, last, mine, born;
	size_t i;

	if (!debugfs_value_number(t, at[AT_pid], &pid) || !debugfs_value_number(t, at[AT_peer_pid], &peer_pid) ||
	    !debugfs_value_number(t, at[AT_last], &last))
		return false;
	if (why_value_number(s, WHY_LOCAL, "", "created", &born) && last < born)
		return false;
	for (i = 0; i < 2; i++)
		if (why_value_number(s, WHY_FAILURE, "", pids[i], &mine) && mine && (mine == pid || mine == peer_pid))
			return true;
	return false;
}

static void set_place(struct where *w, struct why_story *s, const char *key, const char *dev, uint64_t stack)
{
	struct where_stack *found = w && stack && *dev ? where_stack_read(w, dev, stack) : NULL;
	char *text = found ? where_stack_text(found) : NULL;

	if (text)
		why_story_set_text(s, &s->row[s->rows - 1], key, text);
	free(text);
	where_stack_free(found);
}

static void add_finding(struct where *w, struct why_story *s, const char *dev, struct debugfs_table *t,
			const int *at)
{
	const char *values[LINT_KEYS] = { dev };
	char peer[DEVICE_NAME];
	uint64_t stack, peer_stack;
	size_t i;

	for (i = AT_dev + 1; i < AT_where; i++)
		values[i] = debugfs_value(t, at[i]);
	if (!debugfs_value_number(t, at[AT_stack], &stack) ||
	    !debugfs_value_number(t, at[AT_peer_stack], &peer_stack) ||
	    !why_story_add(s, WHY_LINT, lint_keys, values, LINT_KEYS))
		return;
	set_place(w, s, "where", dev, stack);
	/* DEV:QPN */
	debugfs_value_text(t, at[AT_peer], peer, sizeof(peer));
	peer[strcspn(peer, ":")] = 0;
	set_place(w, s, "peer_where", peer, peer_stack);
}

void where_story_lint(struct where *w, struct why_story *s)
{
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	struct devices devices;
	size_t i, k, count = 0;
	int at[LINT_KEYS];

	if (debugfs_devices_with("lint/findings", &devices))
		return;
	for (i = 0; i < devices.count; i++) {
		if (debugfs_read(&f, devices.name[i], "lint/findings") || !debugfs_table_begin(&t, &f, "lint"))
			continue;
		for (k = AT_dev + 1; k < AT_where; k++)
			at[k] = debugfs_column(&t, lint_keys[k]);
		while (debugfs_table_next(&t) && count < FINDINGS_MAX) {
			if (!concerns(s, &t, at))
				continue;
			add_finding(w, s, devices.name[i], &t, at);
			count++;
		}
	}
	debugfs_free(&f);
	why_story_lint_once(s);
}
