// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/cli.h"
#include "lib/debugfs/text.h"
#include "lib/nearest.h"
#include "topo.h"

static const char *const kinds[] = { "hca", "ca", "switch" };

#define SPEED_WORD(word, rate) #word,
static const char *const speeds[] = { NULL, TOPO_SPEEDS(SPEED_WORD) };

const char *topo_kind_word(enum topo_kind kind)
{
	return kinds[kind];
}

const char *topo_speed_word(unsigned int speed)
{
	return speed < TOPO_SPEED_COUNT ? speeds[speed] : NULL;
}

unsigned int topo_speed_find(const char *word, size_t len)
{
	unsigned int i;

	for (i = 1; i < TOPO_SPEED_COUNT; i++)
		if (strlen(speeds[i]) == len && !strncasecmp(speeds[i], word, len))
			return i;
	return TOPO_SPEED_NONE;
}

bool topo_width_legal(uint64_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8 || width == 12;
}

bool topo_mtu_legal(uint64_t mtu)
{
	return mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 || mtu == 4096;
}

bool topo_netdev_legal(const char *name, size_t len)
{
	return len && len < TOPO_NETDEV && !memchr(name, '/', len) && !memchr(name, ':', len);
}

static void *more(void *array, uint32_t *room, size_t size)
{
	*room = *room ? 2 * *room : 16;
	array = realloc(array, *room * size);
	if (!array)
		cli_die(CLI_FAILED, "out of memory");
	return array;
}

char *topo_add_node(struct topo *t, enum topo_kind kind, const char *name, unsigned int ports,
		    uint32_t *number)
{
	struct topo_node *n;
	unsigned int least = kind == TOPO_SWITCH ? 2 : 1;

	if (!topo_name_legal(name))
		return format_text("%s: a name has 1 to 31 letters, digits and . _ -, and begins "
				   "with a letter or digit; \"fabric\" is none",
				   name);
	if (ports < least || ports > TOPO_PORTS_MAX)
		return format_text("%s: a %s has %u to %d ports, not %u", name,
				   kind == TOPO_SWITCH ? "switch" : "channel adapter", least,
				   TOPO_PORTS_MAX, ports);
	if (t->nodes == TOPO_NODES_MAX)
		return format_text("%s: more than %d nodes", name, TOPO_NODES_MAX);
	if (t->all_ports + ports > TOPO_ALL_PORTS)
		return format_text("%s: more than %d ports in all", name, TOPO_ALL_PORTS);
	if (!topo_index_put(&t->names, name, t->nodes))
		return format_text("%s: there is a node of this name already", name);
	if (t->nodes == t->node_room)
		t->node = more(t->node, &t->node_room, sizeof(*t->node));
	n = &t->node[t->nodes];
	memset(n, 0, sizeof(*n));
	strcpy(n->name, name);
	n->kind = kind;
	n->ports = ports;
	n->port = calloc(ports + 1, sizeof(*n->port));
	if (!n->port)
		cli_die(CLI_FAILED, "out of memory");
	t->all_ports += ports;
	*number = t->nodes++;
	return NULL;
}

/* A removed key cannot leave the table: it is made anew, which only happens to few nodes. */
static void index_names(struct topo *t)
{
	uint32_t i;

	topo_index_free(&t->names);
	for (i = 0; i < t->nodes; i++)
		if (!t->node[i].gone)
			topo_index_put(&t->names, t->node[i].name, i);
}

char *topo_rename(struct topo *t, uint32_t number, const char *name)
{
	if (!topo_name_legal(name))
		return format_text("%s: not a name", name);
	if (topo_find(t, name) >= 0)
		return format_text("%s: there is a node of this name already", name);
	strcpy(t->node[number].name, name);
	index_names(t);
	return NULL;
}

/* Returns NULL if the port is free, or the reason why a cable cannot be plugged in there. */
static char *check_free(const struct topo *t, struct topo_end end)
{
	const struct topo_node *n = &t->node[end.node];

	if (!end.port || end.port > n->ports)
		return format_text("%s has no port %u: it has 1 to %u", n->name, end.port, n->ports);
	if (n->port[end.port].cable || n->port[end.port].netcable)
		return format_text("%s:%u has a cable already", n->name, end.port);
	return NULL;
}

char *topo_add_cable(struct topo *t, struct topo_end a, struct topo_end b, uint32_t *number)
{
	struct topo_end end[2] = { a, b };
	struct topo_cable *c;
	char *refused;
	int i;

	for (i = 0; i < 2; i++) {
		refused = check_free(t, end[i]);
		if (refused)
			return refused;
	}
	if (a.node == b.node && a.port == b.port)
		return format_text("%s:%u is cabled to itself", t->node[a.node].name, a.port);
	if (t->cables == t->cable_room)
		t->cable = more(t->cable, &t->cable_room, sizeof(*t->cable));
	c = &t->cable[t->cables];
	memset(c, 0, sizeof(*c));
	c->end[0] = a;
	c->end[1] = b;
	*number = t->cables++;
	for (i = 0; i < 2; i++)
		t->node[end[i].node].port[end[i].port].cable = *number + 1;
	return NULL;
}

void topo_remove_cable(struct topo *t, uint32_t number)
{
	struct topo_cable *c = &t->cable[number];
	int i;

	for (i = 0; i < 2; i++)
		t->node[c->end[i].node].port[c->end[i].port].cable = 0;
	c->gone = true;
}

char *topo_add_netcable(struct topo *t, struct topo_end end, const char *netdev, uint32_t *number)
{
	char *refused = check_free(t, end);
	struct topo_netcable *c;

	if (refused)
		return refused;
	if (t->netcables == GLASS_NETCABLES_MAX)
		return format_text("%s:%u: more than %d netdev cables", t->node[end.node].name,
				   end.port, GLASS_NETCABLES_MAX);
	if (t->netcables == t->netcable_room)
		t->netcable = more(t->netcable, &t->netcable_room, sizeof(*t->netcable));
	c = &t->netcable[t->netcables];
	memset(c, 0, sizeof(*c));
	c->end = end;
	strcpy(c->netdev, netdev);
	*number = t->netcables++;
	t->node[end.node].port[end.port].netcable = *number + 1;
	return NULL;
}

void topo_remove_netcable(struct topo *t, uint32_t number)
{
	struct topo_netcable *c = &t->netcable[number];

	t->node[c->end.node].port[c->end.port].netcable = 0;
	c->gone = true;
}

const struct topo_netcable *topo_netcable_at(const struct topo *t, struct topo_end at)
{
	unsigned int number = t->node[at.node].port[at.port].netcable;

	return number ? &t->netcable[number - 1] : NULL;
}

char *topo_netdev_name(const struct topo_netcable *c)
{
	if (c->netns)
		return format_text("%s in %s", c->netdev, c->netns);
	if (c->netns_number)
		return format_text("%s in netns %llu", c->netdev,
				   (unsigned long long)c->netns_number);
	return format_text("%s", c->netdev);
}

void topo_remove_node(struct topo *t, uint32_t number)
{
	struct topo_node *n = &t->node[number];
	unsigned int p;

	for (p = 1; p <= n->ports; p++) {
		if (n->port[p].cable)
			topo_remove_cable(t, n->port[p].cable - 1);
		if (n->port[p].netcable)
			topo_remove_netcable(t, n->port[p].netcable - 1);
	}
	n->gone = true;
	index_names(t);
}

void topo_set_rates(struct topo *t)
{
	const struct topo_cable *c;
	unsigned int port, width, speed;
	struct topo_node *n;
	bool other;
	uint32_t i;

	for (i = 0; i < t->nodes; i++) {
		n = &t->node[i];
		other = false;
		width = speed = 0;
		for (port = 1; port <= n->ports; port++) {
			if (!n->port[port].cable)
				continue;
			c = &t->cable[n->port[port].cable - 1];
			other |= c->width && c->width != 1 && c->width != TOPO_WIDTH_DEFAULT;
			width = c->width > width ? c->width : width;
			speed = c->speed > speed ? c->speed : speed;
			if (!c->width && width < TOPO_WIDTH_DEFAULT)
				width = TOPO_WIDTH_DEFAULT;
		}
		if (other)
			n->width = width;
		if (speed > TOPO_SPEED_DEFAULT)
			n->speed = speed;
	}
}

int64_t topo_find(const struct topo *t, const char *name)
{
	return topo_index_get(&t->names, name);
}

const char *topo_nearest(const struct topo *t, const char *name)
{
	struct glass_nearest near = glass_nearest_to(name);
	uint32_t i;

	for (i = 0; i < t->nodes; i++)
		if (!t->node[i].gone)
			glass_nearest_consider(&near, t->node[i].name);
	return near.found;
}

char *topo_read_end(const struct topo *t, const char *text, size_t len, struct topo_end *to)
{
	const char *colon = memchr(text, ':', len), *near;
	char name[TOPO_NAME];
	uint64_t port;
	int64_t node;

	if (!colon || !debugfs_number(colon + 1, text + len - colon - 1, &port))
		return format_text("%.*s: expected NAME:PORT", (int)len, text);
	if (colon - text >= TOPO_NAME)
		return format_text("%.*s: there is no such node", (int)(colon - text), text);
	memcpy(name, text, colon - text);
	name[colon - text] = 0;
	node = topo_find(t, name);
	if (node < 0) {
		near = topo_nearest(t, name);
		return near ? format_text("%s: there is no such node; did you mean %s?", name, near)
			    : format_text("%s: there is no such node", name);
	}
	if (!port || port > t->node[node].ports)
		return format_text("%s has no port %llu: it has 1 to %u", name,
				   (unsigned long long)port, t->node[node].ports);
	*to = (struct topo_end){ node, port };
	return NULL;
}

bool topo_peer(const struct topo *t, struct topo_end from, struct topo_end *to)
{
	uint32_t cable = t->node[from.node].port[from.port].cable;
	const struct topo_cable *c;

	if (!cable)
		return false;
	c = &t->cable[cable - 1];
	*to = c->end[c->end[0].node == from.node && c->end[0].port == from.port];
	return true;
}

static const char *plural(unsigned int n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

char *topo_counts(const struct topo *t)
{
	unsigned int kind[3] = { 0 }, cables = 0, net = 0;
	char more_cables[40] = "";
	uint32_t i;

	for (i = 0; i < t->nodes; i++)
		kind[t->node[i].kind] += !t->node[i].gone;
	for (i = 0; i < t->cables; i++)
		cables += !t->cable[i].gone;
	for (i = 0; i < t->netcables; i++)
		net += !t->netcable[i].gone;
	if (net)
		snprintf(more_cables, sizeof(more_cables), ", %u netdev %s", net,
			 plural(net, "cable", "cables"));
	return format_text("%u %s, %u passive %s, %u %s, %u %s%s", kind[TOPO_HCA],
			   plural(kind[TOPO_HCA], "HCA", "HCAs"), kind[TOPO_CA],
			   plural(kind[TOPO_CA], "adapter", "adapters"), kind[TOPO_SWITCH],
			   plural(kind[TOPO_SWITCH], "switch", "switches"), cables,
			   plural(cables, "cable", "cables"), more_cables);
}

void topo_free(struct topo *t)
{
	uint32_t i;

	for (i = 0; i < t->nodes; i++) {
		free(t->node[i].desc);
		free(t->node[i].port);
		free(t->node[i].device);
		free(t->node[i].netns);
		if (t->node[i].ether)
			free(t->node[i].ether->netns);
		free(t->node[i].ether);
	}
	for (i = 0; i < t->netcables; i++)
		free(t->netcable[i].netns);
	free(t->node);
	free(t->cable);
	free(t->netcable);
	topo_index_free(&t->names);
	topo_index_free(&t->numbered);
	memset(t, 0, sizeof(*t));
}
