// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/printable.h"
#include "view.h"

static json_object *text(const char *value)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", value);
	printable(copy);
	return json_object_new_string(copy);
}

static json_object *hex(uint64_t value)
{
	char word[32];

	snprintf(word, sizeof(word), "0x%016" PRIx64, value);
	return json_object_new_string(word);
}

static void add_number(json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

static json_object *ether_json(const struct topo_ether *e)
{
	json_object *to = json_object_new_object();

	json_object_object_add(to, "netdev", text(e->netdev));
	if (e->netns)
		json_object_object_add(to, "netns", text(e->netns));
	if (e->netns_number)
		add_number(to, "netns_number", e->netns_number);
	if (*e->state)
		json_object_object_add(to, "state", text(e->state));
	if (e->netdev_mtu)
		add_number(to, "netdev_mtu", e->netdev_mtu);
	add_number(to, "gids", e->gids);
	return to;
}

static json_object *node_json(const struct topo_node *n)
{
	json_object *to = json_object_new_object(), *ports, *port;
	unsigned int p;

	json_object_object_add(to, "name", text(n->name));
	json_object_object_add(to, "kind", text(topo_kind_word(n->kind)));
	if (n->guid)
		json_object_object_add(to, "guid", hex(n->guid));
	if (n->sysguid)
		json_object_object_add(to, "system_image_guid", hex(n->sysguid));
	if (n->has_vendor)
		add_number(to, "vendor", n->vendor);
	if (n->has_devid)
		add_number(to, "devid", n->devid);
	if (n->desc)
		json_object_object_add(to, "description", text(n->desc));
	if (n->device)
		json_object_object_add(to, "device", text(n->device));
	if (n->netns)
		json_object_object_add(to, "netns", text(n->netns));
	if (n->netns_number)
		add_number(to, "netns_number", n->netns_number);
	if (n->kind == TOPO_SWITCH && n->lid)
		add_number(to, "lid", n->lid);
	if (n->ether)
		json_object_object_add(to, "ethernet", ether_json(n->ether));
	add_number(to, "port_count", n->ports);
	if (n->kind == TOPO_SWITCH)
		return to;
	ports = json_object_new_array();
	for (p = 1; p <= n->ports; p++) {
		port = json_object_new_object();
		add_number(port, "port", p);
		if (n->port[p].guid)
			json_object_object_add(port, "guid", hex(n->port[p].guid));
		if (n->port[p].lid)
			add_number(port, "lid", n->port[p].lid);
		json_object_array_add(ports, port);
	}
	json_object_object_add(to, "ports", ports);
	return to;
}

static json_object *end_json(const struct topo *t, const struct topo_cable *c, int k)
{
	json_object *to = json_object_new_object();

	json_object_object_add(to, "node", text(t->node[c->end[k].node].name));
	add_number(to, "port", c->end[k].port);
	if (*c->state[k] && strcmp(c->state[k], "-"))
		json_object_object_add(to, "state", text(c->state[k]));
	return to;
}

static json_object *cable_json(const struct topo *t, const struct topo_cable *c)
{
	json_object *to = json_object_new_object();

	json_object_object_add(to, "a", end_json(t, c, 0));
	json_object_object_add(to, "b", end_json(t, c, 1));
	if (c->width)
		add_number(to, "width", c->width);
	if (c->speed)
		json_object_object_add(to, "speed", text(topo_speed_word(c->speed)));
	if (c->mtu)
		add_number(to, "mtu", c->mtu);
	json_object_object_add(to, "pulled", json_object_new_boolean(c->pulled));
	if (c->active_width)
		add_number(to, "active_width", c->active_width);
	if (c->active_width && c->active_speed)
		json_object_object_add(to, "active_speed", text(topo_speed_word(c->active_speed)));
	return to;
}

static json_object *remote_json(const struct topo_remote *r)
{
	json_object *to = json_object_new_object();
	const char *colon = strrchr(r->port, ':');
	char node[TOPO_REMOTE];

	snprintf(node, sizeof(node), "%.*s", (int)(colon ? colon - r->port : TOPO_REMOTE - 1), r->port);
	json_object_object_add(to, "node", text(node));
	if (colon)
		add_number(to, "port", strtoul(colon + 1, NULL, 10));
	if (*r->host)
		json_object_object_add(to, "host", text(r->host));
	return to;
}

static void add_state(json_object *to, const struct topo *t, const struct topo_netcable *c)
{
	const struct topo_port *p = &t->node[c->end.node].port[c->end.port];
	json_object *peer;
	char *words;

	json_object_object_add(to, "state", text(view_cable_word(c)));
	json_object_object_add(to, "trouble", text(view_trouble_word(c)));
	words = view_networds(c);
	json_object_object_add(to, "text", text(words));
	free(words);
	if (*c->peer.port) {
		peer = remote_json(&c->peer);
		if (c->peer_guid)
			json_object_object_add(peer, "guid", hex(c->peer_guid));
		json_object_object_add(to, "peer", peer);
	}
	if (*c->other.port)
		json_object_object_add(to, "other", remote_json(&c->other));
	if (c->netdev_mtu)
		add_number(to, "netdev_mtu", c->netdev_mtu);
	if (c->link_mtu)
		add_number(to, "link_mtu", c->link_mtu);
	if (p->active_width)
		add_number(to, "active_width", p->active_width);
	if (p->active_width && p->active_speed)
		json_object_object_add(to, "active_speed", text(topo_speed_word(p->active_speed)));
}

/* An edge to a port of another host: "peer" is that port, if it is known. */
static json_object *netcable_json(const struct topo *t, const struct topo_netcable *c)
{
	const struct topo_node *n = &t->node[c->end.node];
	json_object *to = json_object_new_object(), *end = json_object_new_object();

	json_object_object_add(end, "node", text(n->name));
	add_number(end, "port", c->end.port);
	if (*n->port[c->end.port].state)
		json_object_object_add(end, "state", text(n->port[c->end.port].state));
	json_object_object_add(to, "a", end);
	json_object_object_add(to, "netdev", text(c->netdev));
	if (c->netns)
		json_object_object_add(to, "netns", text(c->netns));
	if (c->netns_number)
		add_number(to, "netns_number", c->netns_number);
	if (c->width)
		add_number(to, "width", c->width);
	if (c->speed)
		json_object_object_add(to, "speed", text(topo_speed_word(c->speed)));
	if (c->mtu)
		add_number(to, "mtu", c->mtu);
	add_number(to, "silence_ms", c->silence ? c->silence : GLASS_CABLE_SILENCE_MS);
	json_object_object_add(to, "vcrc", json_object_new_boolean(c->vcrc));
	json_object_object_add(to, "pulled", json_object_new_boolean(c->pulled));
	if (c->known)
		add_state(to, t, c);
	return to;
}

json_object *view_json(const struct topo *t, const bool *only)
{
	json_object *to = json_object_new_object(), *nodes = json_object_new_array();
	json_object *cables = json_object_new_array(), *netdevs = json_object_new_array();
	uint32_t i;

	for (i = 0; i < t->nodes; i++)
		if (!t->node[i].gone && (!only || only[i]))
			json_object_array_add(nodes, node_json(&t->node[i]));
	for (i = 0; i < t->cables; i++)
		if (!t->cable[i].gone &&
		    (!only || only[t->cable[i].end[0].node] || only[t->cable[i].end[1].node]))
			json_object_array_add(cables, cable_json(t, &t->cable[i]));
	for (i = 0; i < t->netcables; i++)
		if (!t->netcable[i].gone && (!only || only[t->netcable[i].end.node]))
			json_object_array_add(netdevs, netcable_json(t, &t->netcable[i]));
	json_object_object_add(to, "nodes", nodes);
	json_object_object_add(to, "cables", cables);
	json_object_object_add(to, "netdev_cables", netdevs);
	return to;
}
