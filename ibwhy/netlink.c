// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cli.h"
#include "lib/printable.h"
#include "netlink.h"

struct netlink {
	struct mnl_socket *socket;
	unsigned int seq;
	char buffer[65536];
};

struct netlink *netlink_open(void)
{
	struct netlink *nl = calloc(1, sizeof(*nl));

	if (!nl)
		return NULL;
	nl->socket = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);
	if (nl->socket && mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) >= 0)
		return nl;
	netlink_close(nl);
	return NULL;
}

void netlink_close(struct netlink *nl)
{
	if (!nl)
		return;
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl);
}

/* Sends a dump request and calls fn for each answer. dev: -1, or the index of the adapter */
static int ask(struct netlink *nl, int command, int dev, mnl_cb_t fn, void *arg)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(nl->buffer);
	unsigned int seq = ++nl->seq;
	ssize_t n;
	int ret;

	h->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	h->nlmsg_seq = seq;
	if (dev >= 0)
		mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, dev);
	if (mnl_socket_sendto(nl->socket, h, h->nlmsg_len) < 0)
		return -errno;
	do {
		n = mnl_socket_recvfrom(nl->socket, nl->buffer, sizeof(nl->buffer));
		if (n < 0)
			return -errno;
		ret = mnl_cb_run(nl->buffer, n, seq, mnl_socket_get_portid(nl->socket), fn, arg);
	} while (ret > MNL_CB_STOP);
	return ret < 0 ? -errno : 0;
}

/* The sender chooses lengths: read 1, 4 or 8 bytes. */
static uint64_t number(const struct nlattr *a)
{
	const void *p = mnl_attr_get_payload(a);
	uint32_t v32;
	uint64_t v64;

	switch (mnl_attr_get_payload_len(a)) {
	case 1:
		return *(const uint8_t *)p;
	case 4:
		memcpy(&v32, p, sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	default:
		return 0;
	}
}

static void text(const struct nlattr *a, char *to, size_t size)
{
	size_t len = strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));

	if (len >= size)
		len = size - 1;
	memcpy(to, mnl_attr_get_payload(a), len);
	to[len] = 0;
	printable_ascii(to);
}

/* The search for an adapter's index */
struct finding {
	const char *dev;
	int index;
};

static int find_device(const struct nlmsghdr *h, void *arg)
{
	struct finding *f = arg;
	const struct nlattr *a;
	char name[64] = "";
	int index = -1;

	mnl_attr_for_each(a, h, 0) {
		if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = number(a);
		else if (mnl_attr_get_type(a) == RDMA_NLDEV_ATTR_DEV_NAME)
			text(a, name, sizeof(name));
	}
	if (!strcmp(name, f->dev))
		f->index = index;
	return MNL_CB_OK;
}

struct qps {
	void (*fn)(const struct netlink_qp *q, void *arg);
	void *arg;
};

static void take(const struct nlattr *a, struct netlink_qp *q)
{
	switch (mnl_attr_get_type(a)) {
	case RDMA_NLDEV_ATTR_RES_LQPN:
		q->qpn = number(a);
		break;
	case RDMA_NLDEV_ATTR_RES_RQPN:
		q->dest = number(a);
		break;
	case RDMA_NLDEV_ATTR_RES_STATE:
		q->state = number(a);
		break;
	case RDMA_NLDEV_ATTR_RES_PID:
		q->pid = number(a);
		break;
	case RDMA_NLDEV_ATTR_RES_KERN_NAME:
		text(a, q->comm, sizeof(q->comm));
		break;
	}
}

/* Netlink names only users in the kernel. */
static void name_process(struct netlink_qp *q)
{
	if (*q->comm)
		return;
	if (!q->pid || !process_name(q->pid, q->comm, sizeof(q->comm)))
		strcpy(q->comm, "a process");
	printable_ascii(q->comm);
}

static int take_qps(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a, *entry, *part;
	struct qps *qps = arg;

	mnl_attr_for_each(a, h, 0) {
		if (mnl_attr_get_type(a) != RDMA_NLDEV_ATTR_RES_QP)
			continue;
		mnl_attr_for_each_nested(entry, a) {
			struct netlink_qp q = { 0 };

			mnl_attr_for_each_nested(part, entry)
				take(part, &q);
			name_process(&q);
			qps->fn(&q, qps->arg);
		}
	}
	return MNL_CB_OK;
}

int netlink_qps(struct netlink *nl, const char *dev,
		void (*fn)(const struct netlink_qp *q, void *arg), void *arg)
{
	struct finding f = { dev, -1 };
	struct qps qps = { fn, arg };
	int err = ask(nl, RDMA_NLDEV_CMD_GET, -1, find_device, &f);

	if (err)
		return err;
	if (f.index < 0)
		return -ENODEV;
	return ask(nl, RDMA_NLDEV_CMD_RES_QP_GET, f.index, take_qps, &qps);
}
