// SPDX-License-Identifier: GPL-2.0-only
/* The fabric for Graphviz. Names are legal there in quotes, as they have no quotes. */
#include <stdlib.h>

#include "ibfabric/model/levels.h"
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
				fprintf(to, "\t\t\"%s\" [shape=%s];\n", t->node[i].name,
					t->node[i].kind == TOPO_SWITCH ? "box"
					: t->node[i].kind == TOPO_HCA  ? "ellipse, style=bold"
								       : "ellipse");
		fputs("\t}\n", to);
	}
	for (i = 0; i < t->cables; i++)
		if (!t->cable[i].gone)
			print_cable(t, &t->cable[i], to);
	fputs("}\n", to);
	free(levels);
}
