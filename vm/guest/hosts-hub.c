/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hub of host 1: goes between each `on` (a client) and the servers of the other hosts (a link to each), and asks vm/vm to
 * kill and boot guests. That is told on the port "power", in lines: "kill K" and "start K" to vm/vm, "down K WHY" from it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "hosts.h"

#define LOOK_MS 200		/* a port whose other end has gone is looked at so often: poll() would not sleep */
#define WHY_MS 20000		/* so long after a host has gone vm/vm is waited for to say why */

enum client_state {
	CALLS,		/* has not said yet what it wants */
	RUNS,		/* its command runs on the host */
	ASKS,		/* its host has gone; waits for the reason */
	KILLS,
	BOOTS,
	WAITS,
	DONE,		/* has its answer */
	CLOSED,		/* to be freed */
};

struct client {
	struct client *next;
	struct stream stream;
	enum client_state state;
	uint32_t session;
	int host;
};

enum host_state {
	BOOTING,
	UP,
	LOST,		/* the link broke, vm/vm has not said why yet */
	DOWN,
};

struct link {
	struct stream stream;
	enum host_state state;
	bool connected;		/* somebody is at the other end */
	bool stale;		/* ... who is dead: nothing more is taken until this end sees it */
	uint64_t lost_at;
	char why[512];
};

static struct client *clients;
static struct link links[MAX_HOSTS + 1];	/* by host; 0 and 1 are not used */
static struct stream power;
static int hosts;
static uint32_t last_session;

static void answer(struct client *c, struct frame f, const char *text)
{
	f.length = text ? strlen(text) + 1 : 0;
	stream_send(&c->stream, f, text);
	c->state = DONE;
}

static void finish(struct client *c, int status)
{
	answer(c, (struct frame){ .type = EXIT, .number = status }, NULL);
}

__attribute__((format(printf, 3, 4))) static void refuse(struct client *c, int status, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	answer(c, (struct frame){ .type = REFUSED, .number = status }, text);
}

static void refuse_down(struct client *c)
{
	refuse(c, STATUS_LOST, "host%d is down: %s; on %d --start boots it", c->host, links[c->host].why, c->host);
}

static bool all_up(void)
{
	int k;

	for (k = 2; k <= hosts; k++)
		if (links[k].state != UP)
			return false;
	return true;
}

static void host_is_up(int host)
{
	bool all;
	struct client *c;

	links[host].state = UP;
	all = all_up();
	for (c = clients; c; c = c->next)
		if ((c->state == BOOTS && c->host == host) || (c->state == WAITS && all))
			finish(c, 0);
}

static void host_is_down(int host, const char *why)
{
	struct link *l = &links[host];
	struct client *c;

	snprintf(l->why, sizeof(l->why), "%s", why);
	l->state = DOWN;
	l->stale = l->connected;
	stream_reset(&l->stream);
	for (c = clients; c; c = c->next) {
		if (c->host != host)
			continue;
		if (c->state == KILLS)
			finish(c, 0);
		else if (c->state == RUNS || c->state == ASKS || c->state == BOOTS)
			refuse_down(c);
	}
}

/* The other end of the link has gone. */
static void link_broke(int host)
{
	struct link *l = &links[host];
	struct client *c;

	l->connected = l->stale = false;
	stream_reset(&l->stream);
	if (l->state != UP)
		return;
	l->state = LOST;
	l->lost_at = now_ms();
	for (c = clients; c; c = c->next)
		if (c->host == host && c->state == RUNS)
			c->state = ASKS;
}

static void tell_vm(const char *what, int host)
{
	char line[32];

	buffer_put(&power.out, line, snprintf(line, sizeof(line), "%s %d\n", what, host));
}

static void client_wants(struct client *c, struct frame *f, const char *payload)
{
	struct link *l;

	if (f->type == WAIT) {
		c->state = WAITS;
		if (all_up())
			finish(c, 0);
		return;
	}
	if (f->number == 1) {
		refuse(c, 2, "host1 is this host; run the command without `on 1`");
		return;
	}
	if (f->number < 2 || f->number > (uint32_t)hosts) {
		refuse(c, 2, "host%u: no such host; there are host1 to host%d (vm/vm run --hosts)", f->number, hosts);
		return;
	}
	c->host = f->number;
	l = &links[c->host];
	if (f->type == KILL) {
		if (l->state == DOWN) {
			refuse_down(c);
			return;
		}
		c->state = KILLS;
		tell_vm("kill", c->host);
	} else if (f->type == BOOT) {
		if (l->state == UP || l->state == LOST) {
			refuse(c, STATUS_LOST, "host%d is up already", c->host);
			return;
		}
		c->state = BOOTS;
		if (l->state == DOWN)
			tell_vm("start", c->host);
		l->state = BOOTING;
	} else if (l->state == UP) {
		c->state = RUNS;
		c->session = ++last_session;
		f->session = c->session;
		stream_send(&l->stream, *f, payload);
	} else if (l->state == LOST) {
		c->state = ASKS;
	} else if (l->state == DOWN) {
		refuse_down(c);
	} else {
		refuse(c, STATUS_LOST, "host%d is booting; on %d --start waits until it is up", c->host, c->host);
	}
}

static void client_gone(struct client *c)
{
	if (c->state == RUNS)
		stream_send(&links[c->host].stream, (struct frame){ .type = GONE, .session = c->session }, NULL);
	c->state = CLOSED;
}

static void read_client(struct client *c)
{
	const char *payload;
	struct frame f;

	if (!stream_read(&c->stream)) {
		client_gone(c);
		return;
	}
	while (stream_next(&c->stream, &f, &payload)) {
		if (c->state == CALLS) {
			client_wants(c, &f, payload);
		} else if (c->state == RUNS) {
			f.session = c->session;
			stream_send(&links[c->host].stream, f, payload);
		} else if (f.type == SIGNAL && c->state != DONE) {
			finish(c, 128 + f.number);
		}
	}
}

static void read_link(int host)
{
	struct link *l = &links[host];
	const char *payload;
	struct client *c;
	struct frame f;

	if (!stream_read(&l->stream)) {
		link_broke(host);
		return;
	}
	if (l->stale) {
		stream_reset(&l->stream);
		return;
	}
	while (stream_next(&l->stream, &f, &payload)) {
		if (f.type == HELLO) {
			host_is_up(host);
			continue;
		}
		for (c = clients; c; c = c->next)
			if (c->state == RUNS && c->session == f.session)
				break;
		if (!c)
			continue;
		stream_send(&c->stream, f, payload);
		if (f.type == EXIT)
			c->state = DONE;
	}
}

static void read_power(void)
{
	char *end, *line;
	int host, at;

	stream_read(&power);
	while (buffer_used(&power.in)) {
		line = power.in.data + power.in.from;
		end = memchr(line, '\n', buffer_used(&power.in));
		if (!end)
			return;
		*end = 0;
		if (sscanf(line, "down %d %n", &host, &at) == 1 && host >= 2 && host <= hosts)
			host_is_down(host, line + at);
		buffer_take(&power.in, end + 1 - line);
	}
}

static void new_client(int listener)
{
	struct client *c;
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		return;
	}
	c->stream.fd = fd;
	c->next = clients;
	clients = c;
}

static void free_closed(void)
{
	struct client **at = &clients, *c;

	while ((c = *at)) {
		if (c->state != CLOSED) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		close(c->stream.fd);
		stream_reset(&c->stream);
		free(c);
	}
}

static struct pollfd *add_stream(struct pollfd *p, const struct stream *s)
{
	*p = (struct pollfd){ s->fd, POLLIN | (buffer_used(&s->out) ? POLLOUT : 0), 0 };
	return p + 1;
}

/* Waits, then does what there is to do. The order of the descriptors is that of the loops below. */
static void turn(int listener)
{
	struct pollfd *fds, *p;
	struct client *c, *first = clients;
	bool look = false;
	size_t n = 2 + MAX_HOSTS;
	int k;

	for (c = clients; c; c = c->next)
		n++;
	fds = calloc(n, sizeof(*fds));
	if (!fds)
		abort();
	fds[0] = (struct pollfd){ listener, POLLIN, 0 };
	p = add_stream(&fds[1], &power);
	for (k = 2; k <= hosts; k++) {
		struct link *l = &links[k];

		if (!l->connected)
			l->connected = port_connected(l->stream.fd);
		look |= !l->connected;
		p = add_stream(p, &l->stream);
		if (!l->connected)
			p[-1].fd = -1;
	}
	for (c = first; c; c = c->next)
		p = add_stream(p, &c->stream);

	if (poll(fds, p - fds, look ? LOOK_MS : -1) >= 0) {
		p = &fds[1];
		if ((p++)->revents & POLLIN)
			read_power();
		for (k = 2; k <= hosts; k++, p++) {
			if (p->revents & POLLHUP)
				link_broke(k);
			else if (p->revents & POLLIN)
				read_link(k);
		}
		for (c = first; c; c = c->next, p++)
			if (p->revents & (POLLIN | POLLHUP | POLLERR))
				read_client(c);
		if (fds[0].revents & POLLIN)
			new_client(listener);
	}
	free(fds);

	for (c = clients; c; c = c->next)
		if (c->state != CLOSED && !stream_write(&c->stream))
			client_gone(c);
	free_closed();
	for (k = 2; k <= hosts; k++) {
		if (links[k].state == LOST && now_ms() - links[k].lost_at > WHY_MS)
			host_is_down(k, "its guest has ended");
		if (links[k].connected && !links[k].stale)
			stream_write(&links[k].stream);
	}
	stream_write(&power);
}

int hub_main(int n)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = HUB_SOCKET };
	char name[16];
	int listener, k;

	hosts = n;
	power.fd = open_port("power");
	for (k = 2; k <= hosts; k++) {
		snprintf(name, sizeof(name), "host%d", k);
		links[k].stream.fd = open_port(name);
	}
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) || chmod(HUB_SOCKET, 0600) ||
	    listen(listener, 128)) {
		fprintf(stderr, "hosts: " HUB_SOCKET ": %s\n", strerror(errno));
		return 1;
	}
	signal(SIGPIPE, SIG_IGN);
	if (daemon(1, 0)) {
		perror("hosts: daemon");
		return 1;
	}
	oom_protect(true);
	for (;;)
		turn(listener);
}
