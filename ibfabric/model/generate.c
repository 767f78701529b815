// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "generate.h"
#include "lib/cli.h"

/* The fabric until the first refusal */
struct builder {
	struct topo *t;
	const struct generate *g;
	unsigned int hosts;
	char *refused;
};

static uint32_t node(struct builder *b, enum topo_kind kind, unsigned int ports, const char *format,
		     ...)
{
	uint32_t number = 0;
	char name[64];
	va_list args;

	if (b->refused)
		return 0;
	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	if (kind == TOPO_SWITCH && ports < 2)
		ports = 2;
	b->refused = topo_add_node(b->t, kind, name, ports, &number);
	return number;
}

static uint32_t host(struct builder *b, unsigned int ports)
{
	return node(b, TOPO_CA, ports, "host%u", b->hosts++);
}

static void cable(struct builder *b, uint32_t from, unsigned int from_port, uint32_t to,
		  unsigned int to_port)
{
	uint32_t number;

	if (b->refused)
		return;
	b->refused = topo_add_cable(b->t, (struct topo_end){ from, from_port },
				    (struct topo_end){ to, to_port }, &number);
	if (b->refused)
		return;
	b->t->cable[number].width = b->g->width;
	b->t->cable[number].speed = b->g->speed;
}

/* Chooses the HCAs, and names them; lets ports support their cables. */
static char *finish(struct builder *b)
{
	unsigned int real, number = 0;
	char name[TOPO_NAME];
	uint32_t i;

	if (b->refused)
		return b->refused;
	topo_set_rates(b->t);
	real = topo_choose_spread(b->t, b->g->real);
	if (real < b->g->real)
		return format_text("%u HCAs: only %u hosts can be HCAs", b->g->real, real);
	for (i = 0; i < b->t->nodes && !b->refused; i++) {
		if (b->t->node[i].kind != TOPO_HCA)
			continue;
		snprintf(name, sizeof(name), "glass%u", number++);
		b->refused = topo_rename(b->t, i, name);
	}
	return b->refused;
}

char *generate_star(struct topo *t, const struct generate *g)
{
	struct builder b = { t, g, 0, NULL };
	uint32_t center, h;
	unsigned int i, p, port = 1;

	if ((uint64_t)g->hosts * g->ports > TOPO_PORTS_MAX)
		return format_text("%u hosts with %u ports: a switch has at most %d ports",
				   g->hosts, g->ports, TOPO_PORTS_MAX);
	center = node(&b, TOPO_SWITCH, g->hosts * g->ports, "switch0");
	for (i = 0; i < g->hosts; i++) {
		h = host(&b, g->ports);
		for (p = 1; p <= g->ports; p++)
			cable(&b, center, port++, h, p);
	}
	return finish(&b);
}

char *generate_fat_tree(struct topo *t, const struct generate *g)
{
	unsigned int pods = g->pods ? g->pods : 1, pod, i, k, l,
		     up = g->pods ? g->cores / g->spines : 0;
	uint32_t *leaf = calloc((size_t)pods * g->leaves, sizeof(*leaf));
	uint32_t *spine = calloc((size_t)pods * g->spines, sizeof(*spine));
	struct builder b = { t, g, 0, NULL };
	uint32_t core;

	if (!leaf || !spine)
		cli_die(CLI_FAILED, "out of memory");
	if (g->pods && g->cores % g->spines)
		b.refused = format_text(
			"%u cores: expected a multiple of the %u spines of a pod, so that "
			"each spine has as many",
			g->cores, g->spines);
	for (pod = 0; pod < pods; pod++) {
		for (i = 0; i < g->leaves; i++) {
			uint32_t *to = &leaf[pod * g->leaves + i];

			*to = g->pods ? node(&b, TOPO_SWITCH,
					     g->hosts_per_leaf + g->spines * g->links, "leaf%u-%u",
					     pod, i)
				      : node(&b, TOPO_SWITCH,
					     g->hosts_per_leaf + g->spines * g->links, "leaf%u", i);
		}
		for (k = 0; k < g->spines; k++) {
			uint32_t *to = &spine[pod * g->spines + k];

			*to = g->pods ? node(&b, TOPO_SWITCH, g->leaves * g->links + up,
					     "spine%u-%u", pod, k)
				      : node(&b, TOPO_SWITCH, g->leaves * g->links, "spine%u", k);
		}
	}
	for (pod = 0; pod < pods; pod++) {
		for (i = 0; i < g->leaves; i++) {
			for (k = 0; k < g->hosts_per_leaf; k++)
				cable(&b, leaf[pod * g->leaves + i], k + 1, host(&b, 1), 1);
			for (k = 0; k < g->spines; k++)
				for (l = 0; l < g->links; l++)
					cable(&b, leaf[pod * g->leaves + i],
					      g->hosts_per_leaf + k * g->links + l + 1,
					      spine[pod * g->spines + k], i * g->links + l + 1);
		}
	}
	/* core i is cabled to spine i / up of each pod */
	for (i = 0; g->pods && i < g->cores && !b.refused; i++) {
		core = node(&b, TOPO_SWITCH, pods, "core%u", i);
		for (pod = 0; pod < pods; pod++)
			cable(&b, spine[pod * g->spines + i / up],
			      g->leaves * g->links + i % up + 1, core, pod + 1);
	}
	free(leaf);
	free(spine);
	return finish(&b);
}

/* The number of the switch at a place */
static uint32_t torus_at(const struct generate *g, const unsigned int *at)
{
	return (at[2] * g->size[1] + at[1]) * g->size[0] + at[0];
}

char *generate_torus(struct topo *t, const struct generate *g)
{
	unsigned int x, y, z, d, next[GENERATE_DIMENSIONS],
		ports = 2 * g->dimensions + g->hosts_per_switch, i;
	struct builder b = { t, g, 0, NULL };
	char name[48];
	uint32_t here;

	if (ports > TOPO_PORTS_MAX)
		return format_text("%u hosts per switch: a switch has at most %d ports",
				   g->hosts_per_switch, TOPO_PORTS_MAX);
	/* ports 2d + 1 and 2d + 2 are in the dimension d; those of hosts follow */
	for (z = 0; z < g->size[2]; z++)
		for (y = 0; y < g->size[1]; y++)
			for (x = 0; x < g->size[0]; x++) {
				snprintf(name, sizeof(name), "sw-%u-%u-%u", x, y, z);
				if (g->dimensions < 3)
					*strrchr(name, '-') = 0;
				if (g->dimensions < 2)
					*strrchr(name, '-') = 0;
				node(&b, TOPO_SWITCH, ports, "%s", name);
			}
	for (here = 0; here < g->size[0] * g->size[1] * g->size[2] && !b.refused; here++) {
		unsigned int at[] = { here % g->size[0], here / g->size[0] % g->size[1],
				      here / g->size[0] / g->size[1] };

		for (d = 0; d < g->dimensions; d++) {
			memcpy(next, at, sizeof(at));
			next[d] = (at[d] + 1) % g->size[d];
			/* a ring of two is one cable */
			if (g->size[d] > 2 || (g->size[d] == 2 && !at[d]))
				cable(&b, here, 2 * d + 1, torus_at(g, next), 2 * d + 2);
		}
		for (i = 0; i < g->hosts_per_switch; i++)
			cable(&b, here, 2 * g->dimensions + i + 1, host(&b, 1), 1);
	}
	return finish(&b);
}

char *generate_dual_rail(struct topo *t, const struct generate *g)
{
	struct builder b = { t, g, 0, NULL };
	uint32_t rail[2], h;
	unsigned int i;

	rail[0] = node(&b, TOPO_SWITCH, g->hosts + g->isl, "rail0");
	rail[1] = node(&b, TOPO_SWITCH, g->hosts + g->isl, "rail1");
	for (i = 0; i < g->hosts; i++) {
		h = host(&b, 2);
		cable(&b, rail[0], i + 1, h, 1);
		cable(&b, rail[1], i + 1, h, 2);
	}
	for (i = 0; i < g->isl; i++)
		cable(&b, rail[0], g->hosts + i + 1, rail[1], g->hosts + i + 1);
	return finish(&b);
}
