/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of suite where share: a server on glass1 and a client on glass0, two processes
 * that meet at a socket. Each pair makes one mistake that iblint sees from both sides. The comment
 * MARK:finding is on the line that its finding must name, MARK:peer on that of the other side,
 * MARK:... from on their callers. All of these lines are in inlined functions or call them.
 */
#ifndef PAIR_H
#define PAIR_H

#include "pitfall.h"

#include <sys/socket.h>
#include <sys/un.h>

#define INLINE static inline __attribute__((always_inline))

/* The other process, as connect_end() wants it. */
struct remote {
	struct end end;
	struct ibv_qp qp; /* its number only */
	struct ibv_mr mr; /* its address and rkey only */
	int socket;
};

struct hello {
	struct ibv_port_attr port;
	uint32_t qpn, psn, rkey;
	uint64_t addr;
};

static UNUSED struct sockaddr_un meeting_point(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	/* an abstract name: nothing is left behind */
	snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "glass-pair-%s", name);
	return at;
}

static UNUSED int wait_for_client(const char *name)
{
	struct sockaddr_un at = meeting_point(name);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 1))
		die("%s: %s", name, strerror(errno));
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die("accept: %s", strerror(errno));
	close(listener);
	return fd;
}

static UNUSED int find_server(const char *name)
{
	struct sockaddr_un at = meeting_point(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int64_t until = now_ms() + WAIT_MS;

	while (connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		if (now_ms() > until)
			die("%s: no server", name);
		poll(NULL, 0, 10);
	}
	return fd;
}

static UNUSED void put_all(int fd, const void *from, size_t bytes)
{
	if (write(fd, from, bytes) != (ssize_t)bytes)
		die("the other side is gone");
}

static UNUSED void take_all(int fd, void *to, size_t bytes)
{
	if (recv(fd, to, bytes, MSG_WAITALL) != (ssize_t)bytes)
		die("the other side is gone");
}

/* Tells the other side about this end and its memory, and learns the same. mr: NULL if there is
 * none. */
static UNUSED void exchange(struct remote *r, int fd, const struct end *e, const struct ibv_mr *mr)
{
	struct hello mine = { .port = e->port,
			      .qpn = e->qp->qp_num,
			      .psn = e->psn,
			      .rkey = mr ? mr->rkey : 0,
			      .addr = mr ? (uintptr_t)mr->addr : 0 };
	struct hello theirs;

	put_all(fd, &mine, sizeof(mine));
	take_all(fd, &theirs, sizeof(theirs));
	memset(r, 0, sizeof(*r));
	r->socket = fd;
	r->end.port = theirs.port;
	r->end.psn = theirs.psn;
	r->end.qp = &r->qp;
	r->qp.qp_num = theirs.qpn;
	r->mr.addr = (void *)(uintptr_t)theirs.addr;
	r->mr.rkey = theirs.rkey;
}

/* Both sides have come so far. */
static UNUSED void meet(struct remote *r)
{
	char c = 0;

	put_all(r->socket, &c, 1);
	take_all(r->socket, &c, 1);
}

/* Nobody leaves before the other side is done. */
static UNUSED void leave(struct remote *r, struct end *e, struct ibv_mr *mr)
{
	meet(r);
	remove_qp(e);
	unreg(mr);
	close_end(e);
	close(r->socket);
}

#endif
