// SPDX-License-Identifier: GPL-2.0-only
/* Management datagrams through /dev/infiniband/umad*: agents, and MADs of all classes, most of them
 * malformed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "door.h"

#define CTX                                     \
	{                                       \
		"ctx", K_CONTEXT, 0, 0, 0, 0, 0 \
	}
#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
#define FD                                             \
	{                                              \
		"file", K_HANDLE, OBJ_UMAD, 0, 0, 0, 0 \
	}

/* No descriptor but of an agent's file: the others are those of the fuzzer. */
static int file_of(const uint64_t *v)
{
	struct thing *t = thing_chosen(OBJ_UMAD, v[0] % CONTEXTS, v[1]);

	return t ? (int)t->handle : -1;
}

static const struct arg a_open[] = { CTX, EN("port", 2, 0) };

static long umad_open(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	int fd = open(site.umad[2 * ctx + v[1] % 2], O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return thing_add(OBJ_UMAD, ctx, fd) ? 0 : (close(fd), -ENFILE);
}

static const struct arg a_register[] = { CTX,
					 FD,
					 EN("old", 2, 0),
					 V("qpn", 1),
					 V("class", 4),
					 V("version", 1),
					 V("oui", 0),
					 V("flags", 0),
					 V("methods", 0),
					 V("rmpp", 0) };

static long umad_register(const struct row *row, const uint64_t *v)
{
	int fd = file_of(v);
	struct ib_user_mad_reg_req2 two = { .qpn = v[3],
					    .mgmt_class = v[4],
					    .mgmt_class_version = v[5],
					    .oui = v[6],
					    .flags = v[7],
					    .rmpp_version = v[9],
					    .method_mask = { v[8], v[8] } };
	struct ib_user_mad_reg_req one = { .qpn = v[3],
					   .mgmt_class = v[4],
					   .mgmt_class_version = v[5],
					   .oui = { v[6], v[6] >> 8, v[6] >> 16 },
					   .rmpp_version = v[9] };

	memcpy(one.method_mask, &v[8], 8);
	return ioctl(fd, v[2] ? IB_USER_MAD_REGISTER_AGENT : IB_USER_MAD_REGISTER_AGENT2,
		     v[2] ? (void *)&one : (void *)&two)
		       ? -errno
		       : 0;
}

static const struct arg a_unregister[] = { CTX, FD, V("id", 0) };

static long umad_unregister(const struct row *row, const uint64_t *v)
{
	uint32_t id = v[2];

	return ioctl(file_of(v), IB_USER_MAD_UNREGISTER_AGENT, &id) ? -errno : 0;
}

static const struct arg a_pkey[] = { CTX, FD };

static long umad_pkey(const struct row *row, const uint64_t *v)
{
	return ioctl(file_of(v), IB_USER_MAD_ENABLE_PKEY) ? -errno : 0;
}

/*
 * The MAD is its common header, `attr` and `modifier`, then bytes from `seed`. Directed routes
 * (class 0x81) have hops and a path of `path`, a port a byte.
 */
static const struct arg a_send[] = { CTX,
				     FD,
				     V("agent", 0),
				     { "lid", K_LID, 0, 0, 2, 0, 0 },
				     V("qpn", 1),
				     V("qkey", 0x80010000),
				     V("timeout", 20),
				     V("retries", 0),
				     V("class", 4),
				     V("version", 1),
				     V("method", 1),
				     V("status", 0),
				     V("attr", 0x12),
				     V("modifier", 0),
				     V("hops", 0),
				     V("path", 0),
				     V("seed", 0),
				     V("bytes", 256),
				     V("grh", 0),
				     V("pkey", 0),
				     V("spoil", 0),
				     V("with", 0) };

static long umad_send(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	int fd = file_of(v);
	struct ib_user_mad *u = (void *)answer;
	size_t len = v[17] % 4096, i;
	uint8_t *m = (void *)u->data;

	memset(u, 0, sizeof(u->hdr) + 4096);
	u->hdr.id = v[2];
	u->hdr.timeout_ms = v[6] % 1000;
	u->hdr.retries = v[7] % 4;
	be((uint8_t *)&u->hdr.qpn, v[4], 4);
	be((uint8_t *)&u->hdr.qkey, v[5], 4);
	be((uint8_t *)&u->hdr.lid, arg_resolve(&row->args[3], ctx, v[3]), 2);
	u->hdr.grh_present = v[18];
	u->hdr.gid_index = v[18] >> 8;
	memcpy(u->hdr.gid, site.gid[v[3] % 4], 16);
	u->hdr.pkey_index = v[19];
	for (i = 32; v[16] && i < len; i++)
		m[i] = mix(v[16] + i);
	m[0] = 1;
	m[1] = v[8];
	m[2] = v[9];
	m[3] = v[10];
	be(m + 4, v[11], 2);
	be(m + 8, v[14], 8);
	be(m + 16, v[12], 2);
	be(m + 20, v[13], 4);
	if (v[8] == 0x81) {
		m[6] = v[14] >> 8;
		m[7] = v[14];
		memset(m + 32, 0xff, 4); /* permissive LIDs */
		be(m + 129, v[15], 7);
	}
	if (v[20])
		memcpy(m + (v[20] - 1) % 64 * 4, (uint32_t[]){ v[21] }, 4);
	return write(fd, u, sizeof(u->hdr) + len) < 0 ? -errno : 0;
}

static const struct arg a_read[] = { CTX, FD, V("bytes", 4096) };

static long umad_read(const struct row *row, const uint64_t *v)
{
	int fd = file_of(v);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	long n;

	/* an answer comes at once or, after all retries, as a timeout */
	poll(&p, 1, 50);
	n = read(fd, answer, v[2] % sizeof(answer));
	return n < 0 ? -errno : n;
}

static const struct arg a_close[] = { CTX, FD };

static long umad_close(const struct row *row, const uint64_t *v)
{
	struct thing *t = thing_chosen(OBJ_UMAD, v[0] % CONTEXTS, v[1]);

	if (!t)
		return -ENOENT;
	t->dead = true;
	return close(t->handle) ? -errno : 0;
}

#define ROW(f, flags)                                                      \
	{                                                                  \
		"umad_" #f, umad_##f, a_##f, ARRAY_LEN(a_##f), flags, NULL \
	}
const struct row rows_umad[] = {
	ROW(open, 0),	      ROW(register, 0), ROW(unregister, 0), ROW(pkey, 0),
	ROW(send, ROW_LOCAL), ROW(read, 0),	ROW(close, 0),	    {},
};
