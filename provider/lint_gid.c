// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Findings about the GIDs of an address. At an Ethernet port, GIDs are IP addresses. Some mistakes show
 * only in the kernel's routes, so these functions ask the kernel for them.
 */
#define _GNU_SOURCE
#include <config.h>

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lint.h"

static bool is_ethernet(struct ibv_context *context, uint8_t port)
{
	struct ibv_port_attr attr;

	return !ibv_query_port(context, port, &attr) && attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* Is the GID that of an IPv4 address, or that of another address or group? */
static bool is_v4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

static bool is_link_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

static bool is_group(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xff;
}

/* ---- routes of the program's network namespace */

struct route {
	uint32_t oif; /* interface by which it leaves; 0: there are several */
	bool gateway; /* the destination is behind a router */
};

struct route_request {
	struct nlmsghdr head;
	struct rtmsg msg;
	uint8_t attrs[128];
};

static void put_attr(struct route_request *rq, unsigned short type, const void *value, size_t len)
{
	struct rtattr *a = (struct rtattr *)((char *)rq + NLMSG_ALIGN(rq->head.nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(len);
	memcpy(RTA_DATA(a), value, len);
	rq->head.nlmsg_len = NLMSG_ALIGN(rq->head.nlmsg_len) + RTA_SPACE(len);
}

static void put_address(struct route_request *rq, unsigned short type, const union ibv_gid *gid)
{
	if (is_v4(gid))
		put_attr(rq, type, gid->raw + 12, 4);
	else
		put_attr(rq, type, gid->raw, 16);
}

/* Reads the answer. Returns false if it is not a route to another node. */
static bool get_route(struct nlmsghdr *head, size_t len, struct route *r)
{
	struct rtmsg *msg = NLMSG_DATA(head);
	struct rtattr *a;
	int left;

	memset(r, 0, sizeof(*r));
	if (!NLMSG_OK(head, len) || head->nlmsg_type != RTM_NEWROUTE ||
	    head->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) || msg->rtm_type != RTN_UNICAST)
		return false;
	left = head->nlmsg_len - NLMSG_LENGTH(sizeof(*msg));
	for (a = RTM_RTA(msg); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == RTA_OIF && RTA_PAYLOAD(a) >= sizeof(r->oif))
			memcpy(&r->oif, RTA_DATA(a), sizeof(r->oif));
		r->gateway |= a->rta_type == RTA_GATEWAY || a->rta_type == RTA_VIA;
	}
	return true;
}

/*
 * Looks for a route to an address: from `from` unless it is NULL, and by the interface oif unless it is
 * 0. Returns false if there is none, or if the kernel does not answer.
 */
static bool find_route(const union ibv_gid *from, const union ibv_gid *to, uint32_t oif,
		       struct route *r)
{
	struct route_request rq = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(rq.msg)), .nlmsg_type = RTM_GETROUTE,
			  .nlmsg_flags = NLM_F_REQUEST },
		/* the entry of the table: else a route by oif is assumed where the table has none */
		.msg = { .rtm_family = is_v4(to) ? AF_INET : AF_INET6,
			 .rtm_dst_len = is_v4(to) ? 32 : 128, .rtm_flags = RTM_F_FIB_MATCH },
	};
	union {
		struct nlmsghdr head;
		char room[4096];
	} answer;
	ssize_t n = -1;
	int fd;

	put_address(&rq, RTA_DST, to);
	if (from) {
		rq.msg.rtm_src_len = rq.msg.rtm_dst_len;
		put_address(&rq, RTA_SRC, from);
	}
	if (oif)
		put_attr(&rq, RTA_OIF, &oif, sizeof(oif));
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return false;
	/* the kernel answers before send() returns */
	if (send(fd, &rq, rq.head.nlmsg_len, 0) == (ssize_t)rq.head.nlmsg_len)
		n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
	close(fd);
	return n > 0 && get_route(&answer.head, n, r);
}

/*
 * Does the program's network namespace have this address? A program may use a device whose interface is
 * in another; then its routes are not those of the port.
 */
static bool is_local(const struct ibv_gid_entry *own)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	bool v4 = is_v4(&own->gid), is;
	int fd;

	memcpy(&in.sin_addr, own->gid.raw + 12, sizeof(in.sin_addr));
	memcpy(&in6.sin6_addr, own->gid.raw, sizeof(in6.sin6_addr));
	if (is_link_local(&own->gid))
		in6.sin6_scope_id = own->ndev_ifindex;
	fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	is = !bind(fd, v4 ? (struct sockaddr *)&in : (struct sockaddr *)&in6,
		   v4 ? sizeof(in) : sizeof(in6));
	close(fd);
	return is;
}

/*
 * Does the way to the address leave by another interface than that of the GID, which has no route to
 * it? Then no program could use this GID for it, whether the peer is there or not.
 */
static bool is_of_another_netdev(const struct ibv_gid_entry *own, const union ibv_gid *to)
{
	struct route r;

	return own->ndev_ifindex && is_local(own) && find_route(&own->gid, to, 0, &r) && r.oif &&
	       r.oif != own->ndev_ifindex &&
	       /* with a source, routes of IPv6 may leave by another interface than asked for */
	       !find_route(is_v4(to) ? &own->gid : NULL, to, own->ndev_ifindex, &r);
}

/* ---- findings */

enum glass_lint_bad_gid glass_lint_refused_gid(struct ibv_context *context, const struct ibv_ah_attr *attr)
{
	static const union ibv_gid none;
	const union ibv_gid *to = &attr->grh.dgid;
	struct ibv_gid_entry own = {};

	if (!attr->port_num)
		return GLASS_LINT_GID_GOOD;
	if (!attr->is_global)
		return is_ethernet(context, attr->port_num) ? GLASS_LINT_GID_NO_GRH :
							      GLASS_LINT_GID_GOOD;
	if (ibv_query_gid(context, attr->port_num, attr->grh.sgid_index, &own.gid) ||
	    !memcmp(&own.gid, &none, sizeof(own.gid)))
		return GLASS_LINT_GID_EMPTY;
	if (is_group(to) || !is_ethernet(context, attr->port_num))
		return GLASS_LINT_GID_GOOD;
	if (is_v4(&own.gid) != is_v4(to))
		return GLASS_LINT_GID_FAMILY;
	if (is_link_local(to))
		return GLASS_LINT_GID_LINK_LOCAL;
	if (!ibv_query_gid_ex(context, attr->port_num, attr->grh.sgid_index, &own, 0) &&
	    is_of_another_netdev(&own, to))
		return GLASS_LINT_GID_NETDEV;
	return GLASS_LINT_GID_GOOD;
}

int glass_lint_gids(struct ibv_context *context, const struct ibv_ah_attr *attr, enum glass_kind kind,
		    uint32_t num)
{
	const union ibv_gid *to = &attr->grh.dgid;
	struct ibv_gid_entry own = {};
	struct route r;

	if (!glass_linting(context) || !attr->port_num || !attr->is_global || is_group(to) ||
	    is_link_local(to) || is_v4(to) || !is_ethernet(context, attr->port_num) ||
	    ibv_query_gid_ex(context, attr->port_num, attr->grh.sgid_index, &own, 0) ||
	    !is_link_local(&own.gid) || !own.ndev_ifindex || !is_local(&own) ||
	    !find_route(NULL, to, own.ndev_ifindex, &r) || !r.gateway)
		return 0;
	return glass_lint(context, GLASS_LINT_GRH_NEEDED, kind, num, attr->grh.sgid_index,
			  GLASS_LINT_GID_ROUTER);
}
