// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/debugfs/node.h"
#include "lib/lockdown.h"
#include "source.h"

#define BUFFER (4 << 20)

static int fail(char *why, int err, const char *what, const char *name)
{
	snprintf(why, IBCAP_WHY, "%s: %s: %s", name, what, strerror(err));
	return -err;
}

static int open_file(struct source *s, const char *file, int flags, char *why)
{
	char path[256], *locked;
	int err;

	snprintf(path, sizeof(path), "%s/%s/%s", IBCAP_DEBUGFS, s->dev, file);
	s->fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	if (s->fd >= 0)
		return 0;
	if (errno == ENOENT && access(IBCAP_DEBUGFS, F_OK))
		return fail(why, ENODEV, "no Glass in this kernel, or debugfs is not mounted", s->name);
	if (errno == ENOENT)
		return fail(why, ENODEV, "no such Glass device", s->name);
	err = errno;
	locked = lockdown_refusal(path, err);
	if (locked) {
		snprintf(why, IBCAP_WHY, "%s", locked);
		free(locked);
		return -err;
	}
	if (errno == EACCES || errno == EPERM)
		return fail(why, errno, "only root can capture", s->name);
	return fail(why, errno, path, s->name);
}

int source_command(struct source *s, const char *line, char *why)
{
	size_t len = strlen(line);

	if (write(s->fd, line, len) == (ssize_t)len)
		return 0;
	if (errno == EBUSY && !strcmp(line, "start"))
		return fail(why, errno, "too many captures are running", s->name);
	return fail(why, errno, line, s->name);
}

static int number_command(struct source *s, const char *word, uint32_t n, char *why)
{
	char line[32];

	if (!n)
		return 0;
	snprintf(line, sizeof(line), "%s %u", word, n);
	return source_command(s, line, why);
}

static int init(struct source *s, const char *dev, unsigned int port, char *why)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->port = port;
	snprintf(s->dev, sizeof(s->dev), "%s", dev);
	if (port)
		snprintf(s->name, sizeof(s->name), "%s:%u", s->dev, port);
	else
		snprintf(s->name, sizeof(s->name), "%s", s->dev);
	s->room = BUFFER;
	s->buf = malloc(s->room);
	return s->buf ? 0 : fail(why, ENOMEM, "no memory", s->name);
}

/* Writes one line per write(), because the driver limits the bytes of a write. */
static int match_commands(struct source *s, const char *lines, char *why)
{
	int err = 0;

	/* match nothing: no packet has a PSN of 25 bits */
	if (!*lines)
		return source_command(s, "match dir=tx psn=0x1000000", why);
	while (!err && *lines) {
		size_t len = strcspn(lines, "\n");
		char line[1100];

		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		err = source_command(s, line, why);
		lines += len + 1;
	}
	return err;
}

/* Opens and configures a session. node: the node that is chosen first, or NULL. */
static int open_session(struct source *s, const char *node, const struct source_options *o,
			char *why)
{
	char line[IBCAP_NAME_MAX + 8];
	int err = open_file(s, "capture", O_RDWR, why);

	if (!err && node) {
		snprintf(line, sizeof(line), "node %s", node);
		err = source_command(s, line, why);
		if (err == -ENOENT || err == -EINVAL)
			snprintf(why, IBCAP_WHY, "%s: no such switch or passive adapter", node);
	}
	if (err)
		return err;
	err = number_command(s, "port", s->port, why);
	if (err == -EINVAL)
		snprintf(why, IBCAP_WHY, "%s: the device has no such port", s->name);
	if (!err)
		err = number_command(s, "snap", o->snap, why);
	if (!err)
		err = number_command(s, "ring", o->ring, why);
	if (!err && o->matches)
		err = match_commands(s, o->matches, why);
	return err;
}

int source_open(struct source *s, const char *dev, unsigned int port,
		const struct source_options *o, char *why)
{
	int err = init(s, dev, port, why);

	if (!err)
		err = open_session(s, NULL, o, why);
	if (err)
		source_close(s);
	return err;
}

int source_open_node(struct source *s, const char *node, unsigned int port,
		     const struct source_options *o, char *why)
{
	int err = init(s, FABRIC_DIR, port, why);

	s->node = true;
	snprintf(s->name, sizeof(s->name), port ? "%s:%u" : "%s", node, port);
	if (!err)
		err = open_session(s, strcmp(node, FABRIC_DIR) ? node : NULL, o, why);
	if (err)
		source_close(s);
	return err;
}

int source_open_bare(struct source *s, const char *dev, char *why)
{
	int err = init(s, dev, 0, why);

	s->bare = true;
	s->node = !strcmp(dev, FABRIC_DIR);
	if (!err)
		err = open_file(s, "capture", O_RDONLY, why);
	if (err == -EBUSY)
		fail(why, EBUSY, "too many captures are running", s->name);
	if (err)
		source_close(s);
	return err;
}

int source_stop(struct source *s, uint64_t now_ns, char *why)
{
	if (!s->bare)
		return source_command(s, "stop", why);
	s->stop_ns = now_ns;
	return 0;
}

int source_open_flight(struct source *s, const char *dev, char *why)
{
	int err = init(s, dev, 0, why);

	if (!err)
		err = open_file(s, "flight", O_RDONLY, why);
	if (err)
		source_close(s);
	return err;
}

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->buf);
	s->fd = -1;
	s->buf = NULL;
}

bool source_full(const struct source *s)
{
	return s->room - (s->to - s->from) < GLASS_CAP_RECORD_MAX;
}

/* Is one of the records from this offset on younger than the end of the capture? */
static bool is_past_end(const struct source *s, size_t at)
{
	while (at < s->to) {
		const struct glass_cap_record *r = (const void *)(s->buf + at);

		if (r->time_ns > s->stop_ns || r->len < r->header || !r->len)
			return true;
		at += r->len;
	}
	return false;
}

int source_fill(struct source *s)
{
	while (!s->ended && !source_full(s)) {
		ssize_t n;

		if (s->from) {
			memmove(s->buf, s->buf + s->from, s->to - s->from);
			s->to -= s->from;
			s->from = 0;
		}
		n = read(s->fd, s->buf + s->to, s->room - s->to);
		if (n < 0 && errno == EAGAIN)
			s->ended = s->stop_ns;
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (!n) {
			s->ended = true;
			return 0;
		}
		s->to += n;
		if (s->stop_ns)
			s->ended = is_past_end(s, s->to - n);
	}
	return 0;
}
