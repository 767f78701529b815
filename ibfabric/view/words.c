// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "view.h"

#define WORD(n, w) #w,
static const char *const cable_words[] = { GLASS_CABLE_STATES(WORD) };
static const char *const trouble_words[] = { GLASS_CABLE_TROUBLES(WORD) };

const char *view_state(const struct topo_cable *c, int own, char to[32])
{
	if (c->pulled)
		return "pulled";
	if (!strcmp(c->state[0], c->state[1]))
		snprintf(to, 32, "%s", c->state[0]);
	else
		snprintf(to, 32, "%s/%s", c->state[own], c->state[!own]);
	return to;
}

bool view_up(const struct topo_cable *c)
{
	return !c->pulled && (!*c->state[0] || c->active_width);
}

static const char *speed_text(unsigned int width, unsigned int speed, char to[32])
{
	const char *word = topo_speed_word(speed);
	char *at;

	*to = 0;
	if (width)
		snprintf(to, 32, "%ux%s", width, word ? " " : "");
	at = to + strlen(to);
	if (word)
		snprintf(at, 32 - (at - to), "%s", word);
	for (; *at; at++)
		*at = toupper((unsigned char)*at);
	return to;
}

const char *view_speed(const struct topo_cable *c, char to[32])
{
	return c->active_width ? speed_text(c->active_width, c->active_speed, to)
			       : speed_text(c->width, c->speed, to);
}

/* ---- netdev cables */

static const struct topo_port *port_of(const struct topo *t, const struct topo_netcable *c)
{
	return &t->node[c->end.node].port[c->end.port];
}

const char *view_netspeed(const struct topo *t, const struct topo_netcable *c, char to[32])
{
	const struct topo_port *p = port_of(t, c);

	return p->active_width ? speed_text(p->active_width, p->active_speed, to)
			       : speed_text(c->width, c->speed, to);
}

const char *view_netstate(const struct topo *t, const struct topo_netcable *c)
{
	return c->pulled ? "pulled" : port_of(t, c)->state;
}

bool view_netup(const struct topo *t, const struct topo_netcable *c)
{
	return !c->pulled &&
	       (!c->known || (c->state == GLASS_CABLE_UP && strcmp(port_of(t, c)->state, "down")));
}

const char *view_cable_word(const struct topo_netcable *c)
{
	return cable_words[c->state];
}

const char *view_trouble_word(const struct topo_netcable *c)
{
	return trouble_words[c->trouble];
}

static char *remote_text(const struct topo_remote *r)
{
	if (!*r->port)
		return format_text("%s", "");
	return *r->host ? format_text("%s on %s", r->port, r->host) : format_text("%s", r->port);
}

char *view_peer(const struct topo_netcable *c)
{
	return remote_text(&c->peer);
}

static char *state_text(const struct topo_netcable *c, const char *peer)
{
	switch (c->state) {
	case GLASS_CABLE_NO_CARRIER:
		return format_text("no carrier: %s is down, or has no link", c->netdev);
	case GLASS_CABLE_SILENT:
		return format_text("silent: nobody says hello at %s", c->netdev);
	case GLASS_CABLE_HEARD:
		/* the trouble says the rest */
		if (c->trouble == GLASS_TROUBLE_PEER_DOWN)
			return format_text("%s", peer);
		return format_text("%s is heard, but it does not answer", peer);
	default:
		return format_text("%s", peer);
	}
}

static char *trouble_text(const struct topo_netcable *c, const char *other)
{
	switch (c->trouble) {
	case GLASS_TROUBLE_SMALL_MTU:
		return format_text("small MTU: that of %s, %u bytes, has no room for a packet", c->netdev,
				   c->netdev_mtu);
	case GLASS_TROUBLE_SELF:
		return format_text("self: %s receives the frames that it sends", c->netdev);
	case GLASS_TROUBLE_VERSION:
		return format_text("version: %s speaks another version of the frames; both hosts need the "
				   "same Glass", other);
	case GLASS_TROUBLE_THIRD:
		return format_text("third: %s says hello, too; a wire joins two ports only", other);
	case GLASS_TROUBLE_PEER_DOWN:
		return format_text("peer down: that port is disabled, or its cable pulled");
	default:
		return NULL;
	}
}

char *view_networds(const struct topo_netcable *c)
{
	char *peer = view_peer(c), *other = remote_text(&c->other), *state, *trouble, *text;
	/* without hello there is no version that the state knows of */
	bool alone = c->state == GLASS_CABLE_SILENT && (c->trouble == GLASS_TROUBLE_VERSION ||
							c->trouble == GLASS_TROUBLE_SELF);

	state = c->known && !alone ? state_text(c, peer) : format_text("%s", "");
	trouble = c->known ? trouble_text(c, *other ? other : "another host") : NULL;
	text = trouble ? format_text("%s%s%s", state, *state ? "; " : "", trouble)
		       : format_text("%s", state);
	free(peer);
	free(other);
	free(state);
	free(trouble);
	return text;
}
