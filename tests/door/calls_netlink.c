// SPDX-License-Identifier: GPL-2.0-only
/* Netlink of the RDMA core: what devices and objects are, and counters. Nothing that renames or
 * moves a device. */
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
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
#define FL(n, d)                          \
	{                                 \
		n, K_FLAGS, 0, 0, d, 0, 0 \
	}

/*
 * Not in the list: SET (names), SYS_SET (network namespaces), NEWLINK, DELLINK, NEWDEV, DELDEV:
 * they make and unmake devices of other drivers, and the name by which the fuzzer finds its own.
 */
static const int commands[] = {
	RDMA_NLDEV_CMD_GET,
	RDMA_NLDEV_CMD_PORT_GET,
	RDMA_NLDEV_CMD_SYS_GET,
	RDMA_NLDEV_CMD_RES_GET,
	RDMA_NLDEV_CMD_RES_QP_GET,
	RDMA_NLDEV_CMD_RES_CM_ID_GET,
	RDMA_NLDEV_CMD_RES_CQ_GET,
	RDMA_NLDEV_CMD_RES_MR_GET,
	RDMA_NLDEV_CMD_RES_PD_GET,
	RDMA_NLDEV_CMD_RES_CTX_GET,
	RDMA_NLDEV_CMD_RES_SRQ_GET,
	RDMA_NLDEV_CMD_STAT_GET,
	RDMA_NLDEV_CMD_STAT_SET,
	RDMA_NLDEV_CMD_STAT_DEL,
	RDMA_NLDEV_CMD_RES_QP_GET_RAW,
	RDMA_NLDEV_CMD_RES_CQ_GET_RAW,
	RDMA_NLDEV_CMD_RES_MR_GET_RAW,
	RDMA_NLDEV_CMD_RES_SRQ_GET_RAW,
	RDMA_NLDEV_CMD_STAT_GET_STATUS,
	RDMA_NLDEV_CMD_GET_CHARDEV,
};

struct request {
	struct nlmsghdr h;
	uint8_t attrs[512];
};

static void add(struct request *r, uint16_t type, const void *data, uint16_t len)
{
	struct nlattr *a = (void *)((uint8_t *)r + NLMSG_ALIGN(r->h.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy(a + 1, data, len);
	r->h.nlmsg_len = NLMSG_ALIGN(r->h.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

static void add32(struct request *r, uint16_t type, uint32_t v)
{
	add(r, type, &v, sizeof(v));
}

void netlink_indices(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	struct request r = { .h = { NLMSG_LENGTH(0),
				    RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
				    NLM_F_REQUEST | NLM_F_DUMP, 1, 0 } };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct nlmsghdr *h;
	long n;

	if (fd < 0)
		return;
	if (send(fd, &r, r.h.nlmsg_len, 0) > 0 && poll(&p, 1, 1000) > 0 &&
	    (n = recv(fd, answer, sizeof(answer), 0)) > 0) {
		for (h = (void *)answer; NLMSG_OK(h, n) && h->nlmsg_type != NLMSG_DONE;
		     h = NLMSG_NEXT(h, n)) {
			struct nlattr *a = NLMSG_DATA(h);
			uint8_t *end = (uint8_t *)h + h->nlmsg_len;
			uint32_t index = 0;

			for (; (uint8_t *)(a + 1) <= end && a->nla_len >= NLA_HDRLEN;
			     a = (void *)((uint8_t *)a + NLA_ALIGN(a->nla_len))) {
				const char *name = (char *)(a + 1);

				if (a->nla_type == RDMA_NLDEV_ATTR_DEV_INDEX)
					memcpy(&index, a + 1, 4);
				if (a->nla_type == RDMA_NLDEV_ATTR_DEV_NAME &&
				    !strncmp(name, "glass", 5) && name[5] >= '0' &&
				    name[5] < '0' + CONTEXTS)
					site.index[name[5] - '0'] = index;
			}
		}
	}
	close(fd);
}

/* `number` is that of the object, under all the names it may have; `attr` is one more attribute of
 * any type. */
static const struct arg a_nldev[] = { CTX,
				      EN("command", ARRAY_LEN(commands), 0),
				      FL("flags", NLM_F_REQUEST | NLM_F_ACK),
				      V("port", 1),
				      { "qpn", K_QPN, 0, 0, 0, 0, 0 },
				      V("number", 1),
				      EN("stat_res", 4, 0),
				      EN("stat_mode", 3, 0),
				      V("mask", 1),
				      V("attr", 0),
				      V("bytes", 4),
				      V("with", 0),
				      V("index", ~0ull) };

static long nldev(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS, cmd = commands[v[1] % ARRAY_LEN(commands)], i;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	struct request r = { .h = { NLMSG_LENGTH(0), RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), v[2], 1,
				    0 } };
	static const uint16_t numbers[] = { RDMA_NLDEV_ATTR_RES_PDN, RDMA_NLDEV_ATTR_RES_CQN,
					    RDMA_NLDEV_ATTR_RES_MRN, RDMA_NLDEV_ATTR_RES_CTXN,
					    RDMA_NLDEV_ATTR_RES_SRQN };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t rubbish[128];
	long err = 0, n;

	if (fd < 0)
		return -errno;
	add32(&r, RDMA_NLDEV_ATTR_DEV_INDEX, v[12] == ~0ull ? site.index[ctx] : v[12]);
	if (v[3])
		add32(&r, RDMA_NLDEV_ATTR_PORT_INDEX, v[3]);
	add32(&r, RDMA_NLDEV_ATTR_RES_LQPN, arg_resolve(&row->args[4], ctx, v[4]));
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		add32(&r, numbers[i], v[5]);
	if (cmd == RDMA_NLDEV_CMD_STAT_GET || cmd == RDMA_NLDEV_CMD_STAT_SET ||
	    cmd == RDMA_NLDEV_CMD_STAT_DEL || cmd == RDMA_NLDEV_CMD_STAT_GET_STATUS) {
		if (v[6])
			add32(&r, RDMA_NLDEV_ATTR_STAT_RES, v[6]);
		add32(&r, RDMA_NLDEV_ATTR_STAT_MODE, v[7]);
		add32(&r, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, v[8]);
		if (v[7] == 1)
			add32(&r, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, v[5]);
	}
	if (cmd == RDMA_NLDEV_CMD_GET_CHARDEV)
		add(&r, RDMA_NLDEV_ATTR_CHARDEV_TYPE, v[5] & 1 ? "uverbs" : "umad",
		    v[5] & 1 ? 7 : 5);
	if (v[9]) {
		for (i = 0; i < sizeof(rubbish); i++)
			rubbish[i] = i < 8 ? v[11] >> 8 * i : mix(v[11] + i);
		add(&r, v[9], rubbish, v[10] % sizeof(rubbish));
	}
	if (send(fd, &r, r.h.nlmsg_len, 0) < 0)
		err = -errno;
	/* the answers to a request are there when it returns */
	for (i = 0; !err && i < 16 && poll(&p, 1, 0) > 0; i++) {
		n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
		if (n >= (long)NLMSG_LENGTH(sizeof(int)) &&
		    ((struct nlmsghdr *)answer)->nlmsg_type == NLMSG_ERROR)
			err = *(int *)NLMSG_DATA(answer);
	}
	close(fd);
	return err;
}

static const struct arg a_noise[] = { EN("op", 64, 1), FL("flags", NLM_F_REQUEST), V("bytes", 32),
				      V("seed", 1) };

/* A request of rubbish to the clients that only tell. */
static long netlink_noise(const struct row *row, const uint64_t *v)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	unsigned int cmd = commands[v[0] % ARRAY_LEN(commands)], i;
	struct request r = { .h = { NLMSG_LENGTH(v[2] % 256), RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
				    v[1], 1, 0 } };
	long err;

	if (fd < 0)
		return -errno;
	for (i = 0; i < v[2] % 256; i++)
		r.attrs[i] = mix(v[3] + i) & (i % 4 ? 0x0f : 0xff);
	err = send(fd, &r, r.h.nlmsg_len, 0) < 0 ? -errno : 0;
	close(fd);
	return err;
}

const struct row rows_netlink[] = {
	{ "nldev", nldev, a_nldev, ARRAY_LEN(a_nldev), 0, NULL },
	{ "netlink_noise", netlink_noise, a_noise, ARRAY_LEN(a_noise), 0, NULL },
	{},
};
