// SPDX-License-Identifier: GPL-2.0-only
/* The model besides rows: devices, messages, events, files and clocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ibtop/model/snapshot.h"

/* ---- devices */

bool device_wanted(const struct model *m, const char *name)
{
	const char *const *d = m->options->devices;

	if (!d)
		return true;
	for (; *d; d++)
		if (!strcmp(*d, name))
			return true;
	return false;
}

int device_get(struct model *m, const char *name)
{
	struct device *d;
	size_t i;

	for (i = 0; i < m->num_devices; i++)
		if (!strcmp(m->devices[i].name, name))
			return i;
	/* entries never move: rows, identities and messages point to the names */
	if (m->num_devices == MAX_DEVICES || strlen(name) >= sizeof(d->name) || !*name)
		return -1;
	d = &m->devices[m->num_devices];
	memset(d, 0, sizeof(*d));
	strcpy(d->name, name);
	d->index = -1;
	return m->num_devices++;
}

void device_failed(struct model *m, int dev, const char *format, ...)
{
	struct device *d = &m->devices[dev];
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printable(text);
	if (!*d->failed)
		memcpy(d->failed, text, sizeof(text));
	tell(m, SEVERITY_ERROR, d->name, "%s", text);
}

/* ---- messages */

static struct message *message_find(struct message *list, size_t n, const char *dev,
				    const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i].text, text) &&
		    (list[i].dev == dev || (dev && list[i].dev && !strcmp(list[i].dev, dev))))
			return &list[i];
	return NULL;
}

void tell(struct model *m, enum severity severity, const char *dev, const char *format, ...)
{
	const struct message *old;
	struct message *msg;
	char text[400], *copy;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printable(text);
	if (message_find(m->messages, m->num_messages, dev, text))
		return;
	if (m->num_messages == m->room_messages) {
		size_t room = m->room_messages ? 2 * m->room_messages : 8;

		msg = realloc(m->messages, room * sizeof(*msg));
		if (!msg)
			return;
		m->messages = msg;
		m->room_messages = room;
	}
	copy = pool_copy(&m->now->pool, text, strlen(text));
	if (!copy)
		return;
	old = message_find(m->messages_before, m->num_messages_before, dev, text);
	m->messages[m->num_messages++] = (struct message){
		.severity = severity,
		.dev = dev,
		.text = copy,
		.since = old ? old->since : m->now->mono,
	};
}

size_t model_messages(const struct model *m, const struct message **messages)
{
	*messages = m->messages;
	return m->num_messages;
}

/* ---- events */

struct event *event_add(struct model *m, uint64_t when, const char *what, int dev)
{
	struct event *e = &m->events[m->num_events % MAX_EVENTS];

	memset(e, 0, sizeof(*e));
	e->seq = ++m->num_events;
	e->when = when;
	e->what = what;
	e->dev = dev;
	e->refresh = m->refreshes;
	return e;
}

/* ---- clocks */

uint64_t clock_now(int clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* ---- accessors */

uint64_t model_now(const struct model *m)
{
	return m->now->mono;
}

uint64_t model_realtime(const struct model *m)
{
	return m->now->real;
}

unsigned int model_refreshes(const struct model *m)
{
	return m->refreshes;
}

uint64_t model_interval(const struct model *m)
{
	return m->before ? m->now->mono - m->before->mono : 0;
}
