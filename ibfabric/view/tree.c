// SPDX-License-Identifier: GPL-2.0-only
/* The fabric as text: switches by level, then what is cabled to no switch. */
#include <stdlib.h>
#include <string.h>

#include "ibfabric/model/levels.h"
#include "lib/cli.h"
#include "lib/printable.h"
#include "view.h"

#define RED    "\e[31m"
#define YELLOW "\e[33m"
#define BOLD   "\e[1m"
#define PLAIN  "\e[m"

#define ETHER_WORD "Ethernet" /* where a cable has its width and speed */

struct tree {
	const struct topo *t;
	const bool *only;
	bool color;
	int name, speed, state; /* widths of columns */
};

/* " in blue": the network namespace of a device, if it is another one than that of the program */
static void print_namespace(const struct topo_node *n)
{
	char *name = n->netns ? format_text("%s", n->netns) : NULL;

	if (name) {
		printable(name);
		printf(" in %s", name);
	} else if (n->netns_number) {
		printf(" in netns %llu", (unsigned long long)n->netns_number);
	}
	free(name);
}

/* "  HCA glass0", "  HCA in blue", "  passive" and the LID: what a port is cabled to */
static void print_peer(const struct tree *v, struct topo_end peer)
{
	const struct topo_node *n = &v->t->node[peer.node];
	unsigned int lid = n->kind == TOPO_SWITCH ? n->lid : n->port[peer.port].lid;

	if (n->kind == TOPO_SWITCH)
		printf("  switch");
	else if (n->kind == TOPO_CA)
		printf("  passive");
	else if (n->device && strcmp(n->device, n->name))
		printf("  HCA, device %s", n->device);
	else
		printf("  HCA");
	print_namespace(n);
	if (lid)
		printf(", LID %u", lid);
}

/* The name of the far end in the tree: "@veth0", "@wire in far". The caller frees it. */
static char *far_name(const struct topo_netcable *c)
{
	char *netdev = topo_netdev_name(c), *name;

	printable(netdev);
	name = format_text("@%s", netdev);
	free(netdev);
	return name;
}

static void print_netcable(const struct tree *v, const struct topo_netcable *c)
{
	const char *color = "", *state = view_netstate(v->t, c);
	char *name = far_name(c), *words = view_networds(c), speed[32];

	if (v->color)
		color = c->pulled ? RED : !view_netup(v->t, c) || c->trouble || !strcmp(state, "down")
					  ? YELLOW : "";
	view_netspeed(v->t, c, speed);
	/* a cable of a file has neither state nor words: no blanks at the end */
	printf("  %3u  %-*s", c->end.port, *words || *state || *speed ? v->name : 0, name);
	if (*words || *state || *speed)
		printf("  %-*s", *words || *state ? v->speed : 0, speed);
	if (*words || *state)
		printf("  %s%-*s%s", color, *words ? v->state : 0, state, *color ? PLAIN : "");
	printf("%s%s\n", *words ? "  " : "", words);
	free(words);
	free(name);
}

/* "there", "there in far": the interface of an Ethernet port. The caller frees it. */
static char *ether_name(const struct topo_ether *e)
{
	char *name;

	if (e->netns)
		name = format_text("%s in %s", e->netdev, e->netns);
	else if (e->netns_number)
		name = format_text("%s in netns %llu", e->netdev, (unsigned long long)e->netns_number);
	else
		name = format_text("%s", e->netdev);
	printable(name);
	return name;
}

static void print_ether(const struct tree *v, const struct topo_ether *e)
{
	const char *color = v->color && strcmp(e->state, "active") ? YELLOW : "";
	char *name = ether_name(e);

	printf("    1  %-*s  %-*s  %s%-*s%s  %u GID%s", v->name, name, v->speed, ETHER_WORD, color,
	       v->state, e->state, *color ? PLAIN : "", e->gids, e->gids == 1 ? "" : "s");
	if (e->netdev_mtu)
		printf(", MTU %u", e->netdev_mtu);
	putchar('\n');
	free(name);
}

static void print_port(const struct tree *v, struct topo_end at)
{
	uint32_t number = v->t->node[at.node].port[at.port].cable;
	const struct topo_cable *c;
	char port[48], state[32], speed[32];
	const char *word, *color = "";
	struct topo_end peer;

	if (v->t->node[at.node].ether && at.port == 1)
		print_ether(v, v->t->node[at.node].ether);
	if (topo_netcable_at(v->t, at))
		print_netcable(v, topo_netcable_at(v->t, at));
	if (!number)
		return;
	c = &v->t->cable[number - 1];
	topo_peer(v->t, at, &peer);
	snprintf(port, sizeof(port), "%s:%u", v->t->node[peer.node].name, peer.port);
	word = view_state(c, c->end[1].node == at.node && c->end[1].port == at.port, state);
	if (v->color)
		color = c->pulled ? RED : !view_up(c) || !strcmp(word, "down") ? YELLOW : "";
	printf("  %3u  %-*s  %-*s  %s%-*s%s", at.port, v->name, port, v->speed,
	       view_speed(c, speed), color, v->state, word, *color ? PLAIN : "");
	print_peer(v, peer);
	putchar('\n');
}

static void print_node(const struct tree *v, uint32_t number)
{
	const struct topo_node *n = &v->t->node[number];
	unsigned int p, free_ports = 0;
	char *desc;

	printf("%s%s%s  %s, %u port%s", v->color ? BOLD : "", n->name, v->color ? PLAIN : "",
	       n->kind == TOPO_SWITCH ? "switch"
	       : n->kind == TOPO_HCA  ? "HCA"
				      : "passive adapter",
	       n->ports, n->ports == 1 ? "" : "s");
	for (p = 1; p <= n->ports; p++)
		free_ports += !n->port[p].cable && !n->port[p].netcable && !n->ether;
	if (free_ports)
		printf(", %u free", free_ports);
	if (n->lid)
		printf(", LID %u", n->lid);
	if (n->desc && *n->desc && strcmp(n->desc, n->name)) {
		desc = format_text("%s", n->desc);
		printable(desc);
		printf("  \"%s\"", desc);
		free(desc);
	}
	putchar('\n');
	for (p = 1; p <= n->ports; p++)
		print_port(v, (struct topo_end){ number, p });
}

static bool has_switch(const struct topo *t, uint32_t number)
{
	struct topo_end peer;
	unsigned int p;

	for (p = 1; p <= t->node[number].ports; p++)
		if (topo_peer(t, (struct topo_end){ number, p }, &peer) &&
		    t->node[peer.node].kind == TOPO_SWITCH)
			return true;
	return false;
}

static void measure(struct tree *v)
{
	const struct topo *t = v->t;
	char text[64];
	uint32_t i;
	int k, n;

	for (i = 0; i < t->cables; i++) {
		if (t->cable[i].gone)
			continue;
		n = strlen(view_speed(&t->cable[i], text));
		v->speed = n > v->speed ? n : v->speed;
		n = strlen(view_state(&t->cable[i], 0, text));
		v->state = n > v->state ? n : v->state;
		for (k = 0; k < 2; k++) {
			n = snprintf(text, sizeof(text), "%s:%u",
				     t->node[t->cable[i].end[k].node].name,
				     t->cable[i].end[k].port);
			v->name = n > v->name ? n : v->name;
		}
	}
	for (i = 0; i < t->nodes; i++) {
		const struct topo_ether *e = t->node[i].ether;
		char *name;

		if (t->node[i].gone || !e)
			continue;
		n = strlen(ETHER_WORD);
		v->speed = n > v->speed ? n : v->speed;
		n = strlen(e->state);
		v->state = n > v->state ? n : v->state;
		name = ether_name(e);
		n = strlen(name);
		v->name = n > v->name ? n : v->name;
		free(name);
	}
	for (i = 0; i < t->netcables; i++) {
		const struct topo_netcable *c = &t->netcable[i];
		char *name;

		if (c->gone)
			continue;
		n = strlen(view_netspeed(t, c, text));
		v->speed = n > v->speed ? n : v->speed;
		n = strlen(view_netstate(t, c));
		v->state = n > v->state ? n : v->state;
		name = far_name(c);
		n = strlen(name);
		v->name = n > v->name ? n : v->name;
		free(name);
	}
}

void view_tree(const struct topo *t, const bool *only, bool color)
{
	struct tree v = { t, only, color, 0, 0, 0 };
	unsigned int most, level, *levels = topo_levels(t, &most);
	bool said;
	uint32_t i;

	measure(&v);
	for (level = most; level; level--) {
		for (i = 0, said = false; i < t->nodes; i++) {
			if (levels[i] != level || t->node[i].gone || (only && !only[i]))
				continue;
			if (!said && !only && most > 1)
				printf("%sLevel %u%s\n", level == most ? "" : "\n", level,
				       level == 1 ? ": switches of hosts" : "");
			said = true;
			print_node(&v, i);
		}
	}
	for (i = 0, said = false; i < t->nodes; i++) {
		if (levels[i] || t->node[i].gone || (only ? !only[i] : has_switch(t, i)))
			continue;
		if (!said && !only)
			printf("%sWithout a switch\n", most ? "\n" : "");
		said = true;
		print_node(&v, i);
	}
	free(levels);
}
