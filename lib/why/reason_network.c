// SPDX-License-Identifier: GPL-2.0-only
/* An Ethernet port from which the kernel's networking has no way to the peer. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"

const char *why_ip(const struct why_story *s, const struct why_row *row, const char *key, char to[WHY_NAME])
{
	const char *gid = why_cell(s, row, key);
	struct in6_addr a;

	why_word(gid, to);
	if (!gid || inet_pton(AF_INET6, to, &a) != 1)
		return to;
	if (IN6_IS_ADDR_V4MAPPED(&a))
		inet_ntop(AF_INET, a.s6_addr + 12, to, WHY_NAME);
	else
		inet_ntop(AF_INET6, &a, to, WHY_NAME);
	return to;
}

static bool decide_gid(struct why_case *c, const struct why_row *row)
{
	char from[WHY_NAME];
	struct why_step *step;

	step = why_step(c, NULL, "The port of %s has no longer the GID of %s, from which this QP sends.", c->local,
			why_ip(c->s, row, "sgid", from));
	why_evidence(step, "network: own=no");
	why_decide(c, WHY_CAUSE_GID_GONE);
	return true;
}

static bool decide_no_route(struct why_case *c, const struct why_row *row)
{
	char to[WHY_NAME], netdev[WHY_NAME], number[WHY_NAME];
	struct why_step *step;

	step = why_step(c, NULL, "The kernel has no route to %s by the network interface %s.", why_ip(c->s, row, "dgid", to),
			why_word(why_cell(c->s, row, "netdev"), netdev));
	why_evidence(step, "network: route=no, errno=%s", why_word(why_cell(c->s, row, "errno"), number));
	why_decide(c, WHY_CAUSE_NO_IP_ROUTE);
	return true;
}

static bool decide_neighbour(struct why_case *c, const struct why_row *row, const char *state)
{
	char to[WHY_NAME], hop[WHY_NAME], netdev[WHY_NAME];
	struct why_step *step;

	why_ip(c->s, row, "dgid", to);
	why_ip(c->s, row, "hop", hop);
	why_word(why_cell(c->s, row, "netdev"), netdev);
	if (strcmp(to, hop))
		step = why_step(c, NULL, "Packets to %s go to the gateway %s by %s, and nobody there answers for this address.", to,
				hop, netdev);
	else
		step = why_step(c, NULL, "Nobody on the network of %s answers for the address %s.", netdev, to);
	why_evidence(step, "network: neighbour=%s", state);
	why_decide(c, WHY_CAUSE_NO_NEIGHBOUR);
	return true;
}

bool why_network(struct why_case *c, bool sent)
{
	const struct why_row *row = why_next(c->s, WHY_NETWORK, NULL);

	if (!row)
		return false;
	if (!sent && why_cell_is(c->s, row, "own", "no"))
		return decide_gid(c, row);
	if (!sent && why_cell_is(c->s, row, "route", "no"))
		return decide_no_route(c, row);
	if (sent && why_cell_is(c->s, row, "neighbour", "failed"))
		return decide_neighbour(c, row, "failed");
	if (sent && why_cell_is(c->s, row, "neighbour", "incomplete"))
		return decide_neighbour(c, row, "incomplete");
	return false;
}
