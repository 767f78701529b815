// SPDX-License-Identifier: GPL-2.0-only
/* Opens and frees a model, and refreshes it from the sources or a record; writes records. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/record/record.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/source/source.h"
#include "lib/debugfs/file.h"

/* ---- what is read */

void model_want(struct model *m, enum view_id view)
{
	/* the sums of nodes and cables are those of ports; netdev cables know the peers of ports */
	if (is_fabric(view))
		m->wanted |= 1U << VIEW_FPORT | 1U << VIEW_NETCABLE;
	if (is_on_demand(view))
		m->wanted |= 1U << view;
}

bool model_lacks(const struct model *m, enum view_id view)
{
	return is_on_demand(view) && !m->replay && !(m->asked >> view & 1);
}

/* ---- open and free */

struct model *model_open(const struct options *options, char *error, size_t error_size)
{
	struct model *m = calloc(1, sizeof(*m));
	static char root[512]; /* of lib/debugfs */
	unsigned int i, s;

	if (m) {
		m->devices = calloc(MAX_DEVICES, sizeof(*m->devices));
		m->events = calloc(MAX_EVENTS, sizeof(*m->events));
	}
	if (!m || !m->devices || !m->events) {
		snprintf(error, error_size, "no memory");
		model_free(m);
		return NULL;
	}
	m->options = options;
	m->debugfs = options->debugfs ? options->debugfs : "/sys/kernel/debug";
	snprintf(root, sizeof(root), "%s/glass", m->debugfs);
	debugfs_root = root;
	m->sysfs = options->sysfs ? options->sysfs : "/sys";
	for (s = 0; s < 2; s++) {
		for (i = 0; i < VIEW_COUNT; i++) {
			m->snapshots[s].tables[i].view = i;
			m->snapshots[s].tables[i].row_size =
				sizeof(struct row) + view_get(i)->num_columns * sizeof(union value);
		}
	}
	if (options->replay) {
		m->replay = replay_open(options->replay, error, error_size);
		if (!m->replay) {
			model_free(m);
			return NULL;
		}
	} else if (!options->sysfs) {
		/*
		 * with another sysfs (a test's, or another machine's), do not use netlink of this
		 * machine
		 */
		m->netlink = netlink_open();
	}
	if (options->record) {
		m->record = record_open(options->record, error, error_size);
		if (!m->record) {
			model_free(m);
			return NULL;
		}
	}
	m->now = &m->snapshots[0];
	/* a record has everything */
	for (i = 0; i < VIEW_COUNT && m->record; i++)
		model_want(m, i);
	return m;
}

static void track_free(struct track *t)
{
	free(t->history ? t->history : t->spare);
	free(t);
}

static void free_snapshot(struct model *m, struct snapshot *s)
{
	size_t i, k;

	for (i = 0; i < VIEW_COUNT; i++) {
		struct table *t = &s->tables[i];

		/* the newest row owns the track: free it only there */
		for (k = 0; k < t->count; k++) {
			struct row *row = table_row(t, k);

			if (row->track && (s == m->now || row->flags & ROW_GONE)) {
				track_free(row->track);
			}
		}
		free(t->memory);
		free(t->hash);
	}
	pool_free(&s->pool);
}

static void free_device(struct device *d)
{
	unsigned int v;

	for (v = 0; v < VIEW_COUNT; v++)
		layout_free(d->layouts[v]);
}

void model_free(struct model *m)
{
	unsigned int v;
	size_t i;

	if (!m)
		return;
	free_snapshot(m, &m->snapshots[0]);
	free_snapshot(m, &m->snapshots[1]);
	for (v = 0; v < VIEW_COUNT; v++) {
		while (m->free_tracks[v]) {
			struct track *t = m->free_tracks[v];

			m->free_tracks[v] = t->next;
			track_free(t);
		}
	}
	for (v = 0; v < VIEW_COUNT; v++)
		layout_free(m->layouts[v]);
	for (i = 0; i < m->num_devices; i++)
		free_device(&m->devices[i]);
	free(m->devices);
	free(m->events);
	free(m->messages);
	free(m->messages_before);
	debugfs_free(&m->file);
	netlink_close(m->netlink);
	if (m->record)
		record_close(m->record);
	replay_close(m->replay);
	free(m);
}

static void take_turns(struct model *m)
{
	struct snapshot *next = &m->snapshots[m->now == &m->snapshots[0]];
	struct message *messages = m->messages_before;
	size_t room = m->room_messages_before, i;

	if (m->refreshes) {
		tracks_drop(m, next);
		m->before = m->now;
		m->now = next;
	}
	for (i = 0; i < VIEW_COUNT; i++) {
		m->now->tables[i].count = 0;
		m->now->tables[i].hashed = false;
	}
	/* this pool is free: the other one has the texts of the previous messages */
	pool_reset(&m->now->pool);
	m->known_before = m->known;
	m->known = 0;
	m->asked = 0;
	m->messages_before = m->messages;
	m->num_messages_before = m->num_messages;
	m->room_messages_before = m->room_messages;
	m->messages = messages;
	m->num_messages = 0;
	m->room_messages = room;
	for (i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];

		d->was = d->present;
		d->had_tables = d->tables;
		d->present = d->tables = false;
		d->sources = 0;
		*d->failed = 0;
	}
}

static void add_device_row(struct model *m, int dev)
{
	const struct device *d = &m->devices[dev];
	struct row *row = table_add(m, VIEW_DEVICE, dev);
	char sources[32];

	if (!row)
		return;
	snprintf(sources, sizeof(sources), "%s%s%s", d->sources & SOURCE_NETLINK ? " netlink" : "",
		 d->sources & SOURCE_SYSFS ? " sysfs" : "",
		 d->sources & SOURCE_DEBUGFS ? " debugfs" : "");
	row_text(m, row, COL_DEVICE_sources, *sources ? sources + 1 : "none");
	row_text(m, row, COL_DEVICE_health, *d->failed ? d->failed : "ok");
	if (*d->driver)
		row_text(m, row, COL_DEVICE_driver, d->driver);
	if (*d->fw)
		row_text(m, row, COL_DEVICE_fw, d->fw);
	if (*d->node_type)
		row_text(m, row, COL_DEVICE_node_type, d->node_type);
	if (d->has_guid)
		row_textf(m, row, COL_DEVICE_node_guid, "%04x:%04x:%04x:%04x",
			  (unsigned int)(d->node_guid >> 48),
			  (unsigned int)(d->node_guid >> 32 & 0xffff),
			  (unsigned int)(d->node_guid >> 16 & 0xffff),
			  (unsigned int)(d->node_guid & 0xffff));
	if (d->ports)
		row_num(row, COL_DEVICE_ports, d->ports);
	row_identify(m, row);
}

static void read_sources(struct model *m)
{
	size_t i;

	m->asked = m->wanted;
	debugfs_fabric(m);
	if (!m->netlink || !netlink_devices(m))
		sysfs_devices(m);
	debugfs_devices(m);
	for (i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];

		if (!d->present)
			continue;
		if (d->glass)
			d->tables = debugfs_tables(m, i);
		netlink_ports(m, i);
		sysfs_ports(m, i);
		if (m->wanted >> VIEW_GID & 1)
			sysfs_gids(m, i);
		netlink_objects(m, i, d->tables);
	}
	for (i = 0; i < m->num_devices; i++)
		if (m->devices[i].present)
			add_device_row(m, i);
	proc_fill(m);
}

static void tell_devices(struct model *m)
{
	const char *const *d;
	size_t i;

	if (m->options->devices) {
		for (d = m->options->devices; *d; d++) {
			for (i = 0; i < m->num_devices; i++)
				if (m->devices[i].present && !strcmp(m->devices[i].name, *d))
					break;
			if (i == m->num_devices)
				tell(m, SEVERITY_ERROR, NULL, "%s: there is no such device", *d);
		}
	}
	for (i = 0; i < m->num_devices && !m->devices[i].present; i++)
		;
	if (i == m->num_devices && !m->options->devices)
		tell(m, SEVERITY_WARNING, NULL, "this machine has no RDMA device now");
}

bool model_refresh(struct model *m)
{
	uint64_t started = clock_now(CLOCK_MONOTONIC);

	if (m->replay) {
		unsigned int next = m->refreshes ? m->frame + 1 : 0;

		if (next >= replay_frames(m->replay))
			return false;
		m->frame = next;
	}
	take_turns(m);
	m->refreshes++;
	m->started = started;
	m->no_memory = false;
	if (m->replay) {
		m->now->mono = replay_mono(m->replay, m->frame);
		m->now->real = replay_real(m->replay, m->frame);
		replay_load(m, m->frame);
	} else {
		m->now->mono = started;
		m->now->real = clock_now(CLOCK_REALTIME);
		read_sources(m);
		tell_devices(m);
	}
	compute(m);
	if (m->no_memory)
		tell(m, SEVERITY_ERROR, NULL, "not enough memory: ibtop does not show everything");
	if (m->record)
		record_write(m);
	return true;
}

unsigned int model_wait_ms(const struct model *m)
{
	uint64_t wait = (uint64_t)m->options->delay_ms * 1000000, spent;

	if (m->replay) {
		if (m->frame + 1 >= replay_frames(m->replay))
			return m->options->delay_ms;
		wait = replay_mono(m->replay, m->frame + 1) - replay_mono(m->replay, m->frame);
		return wait / 1000000 < 60000 ? wait / 1000000 : 60000;
	}
	spent = clock_now(CLOCK_MONOTONIC) - m->started;
	return spent < wait ? (wait - spent) / 1000000 : 0;
}

/* ---- records */

bool model_replaying(const struct model *m)
{
	return m->replay;
}

unsigned int model_frames(const struct model *m)
{
	return m->replay ? replay_frames(m->replay) : 0;
}

unsigned int model_frame(const struct model *m)
{
	return m->frame;
}

unsigned int model_frame_at(const struct model *m, uint64_t ns)
{
	unsigned int low = 0, high = model_frames(m);

	if (!high)
		return 0;
	ns += replay_mono(m->replay, 0);
	while (high - low > 1) {
		unsigned int mid = low + (high - low) / 2;

		if (replay_mono(m->replay, mid) <= ns)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void model_frame_times(const struct model *m, uint64_t *first, uint64_t *last)
{
	unsigned int n = model_frames(m);

	*first = n ? replay_real(m->replay, 0) : 0;
	*last = n ? replay_real(m->replay, n - 1) : 0;
}

/* Number of snapshots read before the one sought, for rates and sparklines */
#define SEEK_BEFORE 16

bool model_seek(struct model *m, unsigned int frame)
{
	unsigned int frames = model_frames(m), from;

	if (!frames)
		return false;
	frame = frame < frames ? frame : frames - 1;
	if (m->refreshes && frame == m->frame + 1)
		return model_refresh(m);
	/* start over */
	if (m->before)
		tracks_drop(m, m->before);
	m->before = NULL;
	tracks_drop_all(m, m->now);
	m->refreshes = 0;
	from = frame > SEEK_BEFORE ? frame - SEEK_BEFORE : 0;
	m->num_events = 0;
	replay_events(m, from);
	m->frame = from;
	do {
		take_turns(m);
		m->refreshes++;
		m->now->mono = replay_mono(m->replay, m->frame);
		m->now->real = replay_real(m->replay, m->frame);
		replay_load(m, m->frame);
		compute(m);
	} while (m->frame++ < frame);
	m->frame = frame;
	return true;
}
