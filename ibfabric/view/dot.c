// SPDX-License-Identifier: GPL-2.0-only
/* The fabric for Graphviz. Names are legal there in quotes, as they have no quotes. */
#include <stdlib.h>
#include <string.h>

#include "ibfabric/model/levels.h"
#include "lib/cli.h"
#include "lib/printable.h"
#include "view.h"

static void print_cable(const struct topo *t, const struct topo_cable *c, FILE *to)
{
	char speed[32], state[32];

	fprintf(to, "\t\"%s\" -- \"%s\" [taillabel=\"%u\", headlabel=\"%u\", label=\"%s\"",
		t->node[c->end[0].node].name, t->node[c->end[1].node].name, c->end[0].port,
		c->end[1].port, view_speed(c, speed));
	if (!view_up(c))
		fprintf(to, ", style=dashed, color=\"%s\", tooltip=\"%s\"",
			c->pulled ? "#c0392b" : "#888888", view_state(c, 0, state));
	fputs("];\n", to);
}

/* Prints text inside quotes. */
static void print_text(FILE *to, const char *text)
{
	char *copy = format_text("%s", text), *at;

	printable(copy);
	for (at = copy; *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', to);
		putc(*at, to);
	}
	free(copy);
}

/* The peer is a node of its own, with the name of the port here: no other node has an @ in it. */
static void print_netcable(const struct topo *t, const struct topo_netcable *c, FILE *to)
{
	const char *name = t->node[c->end.node].name, *colon = strrchr(c->peer.port, ':');
	char *netdev = topo_netdev_name(c), *words = view_networds(c), speed[32];
	char port[24] = "", *peer = format_text("%.*s", (int)(colon ? colon - c->peer.port : 0), c->peer.port);

	fprintf(to, "\t\"@%s:%u\" [shape=box3d, label=\"", name, c->end.port);
	if (*c->peer.port) {
		print_text(to, peer);
		fputs("\\non ", to);
		print_text(to, c->peer.host);
	} else {
		print_text(to, c->known ? "nobody" : "another host");
	}
	if (colon)
		snprintf(port, sizeof(port), "%lu", strtoul(colon + 1, NULL, 10));
	fputs("\", tooltip=\"", to);
	print_text(to, words);
	fprintf(to, "\"];\n\t\"%s\" -- \"@%s:%u\" [taillabel=\"%u\", headlabel=\"%s\", label=\"", name,
		name, c->end.port, c->end.port, port);
	print_text(to, netdev);
	fprintf(to, "%s%s\"", *view_netspeed(t, c, speed) ? " " : "", view_netspeed(t, c, speed));
	if (!view_netup(t, c))
		fprintf(to, ", style=dashed, color=\"%s\", tooltip=\"%s\"",
			c->pulled ? "#c0392b" : "#888888",
			c->pulled ? "pulled" : view_cable_word(c));
	fputs("];\n", to);
	free(netdev);
	free(words);
	free(peer);
}

static void print_node(const struct topo_node *n, FILE *to)
{
	fprintf(to, "\t\t\"%s\" [shape=%s", n->name,
		n->kind == TOPO_SWITCH ? "box"
		: n->kind == TOPO_HCA  ? "ellipse, style=bold"
				       : "ellipse");
	if (n->ether) {
		fputs(", tooltip=\"Ethernet port of ", to);
		print_text(to, n->ether->netdev);
		putc('"', to);
	}
	fputs("];\n", to);
}

void view_dot(const struct topo *t, FILE *to)
{
	unsigned int most, level, *levels = topo_levels(t, &most);
	uint32_t i;

	fputs("graph fabric {\n\tgraph [ranksep=1.5];\n\tnode [fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=9];\n",
	      to);
	for (level = most + 1; level--;) {
		fputs("\t{\n\t\trank=same;\n", to);
		for (i = 0; i < t->nodes; i++)
			if (!t->node[i].gone && levels[i] == level)
				print_node(&t->node[i], to);
		fputs("\t}\n", to);
	}
	for (i = 0; i < t->cables; i++)
		if (!t->cable[i].gone)
			print_cable(t, &t->cable[i], to);
	for (i = 0; i < t->netcables; i++)
		if (!t->netcable[i].gone)
			print_netcable(t, &t->netcable[i], to);
	fputs("}\n", to);
	free(levels);
}
