/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program of several hosts (hosts.h).
 *
 *   on ...            run a command on another host (the link /usr/local/bin/on)
 *   hosts hub N       on host 1: go between `on` and N - 1 servers; goes into the background when it is ready
 *   hosts wait        on host 1: until each host is up
 *   hosts serve       on the others
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hosts.h"

char *buffer_room(struct buffer *b, size_t bytes)
{
	if (b->from) {
		memmove(b->data, b->data + b->from, buffer_used(b));
		b->to -= b->from;
		b->from = 0;
	}
	if (b->to + bytes > b->room) {
		b->room = 2 * (b->to + bytes);
		b->data = realloc(b->data, b->room);
		if (!b->data) {
			fputs("hosts: out of memory\n", stderr);
			_exit(STATUS_LOST);
		}
	}
	return b->data + b->to;
}

void buffer_put(struct buffer *b, const void *data, size_t bytes)
{
	if (!bytes)
		return;
	memcpy(buffer_room(b, bytes), data, bytes);
	b->to += bytes;
}

void buffer_take(struct buffer *b, size_t bytes)
{
	b->from += bytes;
	if (b->from == b->to)
		b->from = b->to = 0;
}

void buffer_free(struct buffer *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

bool stream_read(struct stream *s)
{
	ssize_t n = read(s->fd, buffer_room(&s->in, CHUNK), CHUNK);

	if (n > 0)
		s->in.to += n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool stream_write(struct stream *s)
{
	while (buffer_used(&s->out)) {
		ssize_t n = write(s->fd, s->out.data + s->out.from, buffer_used(&s->out));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		buffer_take(&s->out, n);
	}
	return true;
}

void stream_send(struct stream *s, struct frame frame, const void *payload)
{
	buffer_put(&s->out, &frame, sizeof(frame));
	buffer_put(&s->out, payload, frame.length);
}

bool stream_next(struct stream *s, struct frame *frame, const char **payload)
{
	if (buffer_used(&s->in) < sizeof(*frame))
		return false;
	memcpy(frame, s->in.data + s->in.from, sizeof(*frame));
	if (frame->length > MAX_PAYLOAD) {
		fprintf(stderr, "hosts: a frame of %u bytes\n", frame->length);
		_exit(STATUS_LOST);
	}
	if (buffer_used(&s->in) < sizeof(*frame) + frame->length)
		return false;
	*payload = s->in.data + s->in.from + sizeof(*frame);
	buffer_take(&s->in, sizeof(*frame) + frame->length);
	return true;
}

void stream_reset(struct stream *s)
{
	buffer_free(&s->in);
	buffer_free(&s->out);
}

int open_port(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), PORT_OF "%s", name);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "hosts: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return fd;
}

bool port_connected(int fd)
{
	struct pollfd port = { fd, POLLIN, 0 };

	return poll(&port, 1, 0) >= 0 && !(port.revents & POLLHUP);
}

void oom_protect(bool protect)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		dprintf(fd, "%d", protect ? -1000 : 0);
		close(fd);
	}
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int hosts;

	if (!strcmp(name ? name + 1 : argv[0], "on"))
		return on_main(argc, argv);
	if (argc == 2 && !strcmp(argv[1], "wait"))
		return wait_main();
	if (argc == 2 && !strcmp(argv[1], "serve"))
		return serve_main();
	hosts = argc == 3 && !strcmp(argv[1], "hub") ? atoi(argv[2]) : 0;
	if (hosts >= 2 && hosts <= MAX_HOSTS)
		return hub_main(hosts);
	fprintf(stderr, "Usage: hosts hub N|wait|serve\n");
	return 2;
}
