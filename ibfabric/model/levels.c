// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "levels.h"
#include "lib/cli.h"

unsigned int *topo_levels(const struct topo *t, unsigned int *most)
{
	unsigned int *level = calloc(t->nodes + 1, sizeof(*level));
	uint32_t *queue = calloc(t->nodes + 1, sizeof(*queue)), head = 0, tail = 0, i;
	const struct topo_cable *c;
	struct topo_end peer;
	unsigned int p;
	int k;

	if (!level || !queue)
		cli_die(CLI_FAILED, "out of memory");
	*most = 0;
	for (i = 0; i < t->cables; i++) {
		c = &t->cable[i];
		for (k = 0; k < 2 && !c->gone; k++)
			if (t->node[c->end[k].node].kind == TOPO_SWITCH &&
			    t->node[c->end[!k].node].kind != TOPO_SWITCH &&
			    !level[c->end[k].node]) {
				level[c->end[k].node] = 1;
				queue[tail++] = c->end[k].node;
			}
	}
	while (head < tail) {
		i = queue[head++];
		*most = level[i];
		for (p = 1; p <= t->node[i].ports; p++)
			if (topo_peer(t, (struct topo_end){ i, p }, &peer) &&
			    t->node[peer.node].kind == TOPO_SWITCH && !level[peer.node]) {
				level[peer.node] = level[i] + 1;
				queue[tail++] = peer.node;
			}
	}
	for (i = 0; i < t->nodes; i++)
		if (t->node[i].kind == TOPO_SWITCH && !t->node[i].gone && !level[i]) {
			level[i] = 1;
			*most = *most ? *most : 1;
		}
	free(queue);
	return level;
}
