// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of RDMA devices, from netlink: no other source has them. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <time.h>

#include "common/devices.h"

struct call {
	void (*fn)(uint32_t index, const char *name, void *arg);
	void *arg;
};

static int on_attr(const struct nlattr *attr, void *data)
{
	const struct nlattr **found = data;

	if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX &&
	    mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		found[0] = attr;
	if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME &&
	    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		found[1] = attr;
	return MNL_CB_OK;
}

static int on_device(const struct nlmsghdr *h, void *data)
{
	const struct nlattr *found[2] = { NULL };
	const struct call *c = data;

	if (mnl_attr_parse(h, 0, on_attr, found) >= 0 && found[0] && found[1])
		c->fn(mnl_attr_get_u32(found[0]), mnl_attr_get_str(found[1]), c->arg);
	return MNL_CB_OK;
}

int devices_each(void (*fn)(uint32_t index, const char *name, void *arg), void *arg)
{
	char room[MNL_SOCKET_BUFFER_SIZE];
	struct call c = { fn, arg };
	struct mnl_socket *s = mnl_socket_open(NETLINK_RDMA);
	struct nlmsghdr *h = mnl_nlmsg_put_header(room);
	int n = -1, err;

	if (!s)
		return -errno;
	h->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET);
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP;
	h->nlmsg_seq = time(NULL);
	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) >= 0 &&
	    mnl_socket_sendto(s, h, h->nlmsg_len) >= 0) {
		uint32_t seq = h->nlmsg_seq;

		do {
			n = mnl_socket_recvfrom(s, room, sizeof(room));
			if (n > 0)
				n = mnl_cb_run(room, n, seq, mnl_socket_get_portid(s), on_device,
					       &c);
		} while (n > 0);
	}
	err = n < 0 ? -errno : 0;
	mnl_socket_close(s);
	return err;
}
