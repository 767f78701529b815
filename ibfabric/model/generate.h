/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds fabrics of well-known forms. */
#ifndef IBFABRIC_GENERATE_H
#define IBFABRIC_GENERATE_H

#include "topo.h"

#define GENERATE_DIMENSIONS 3

struct generate {
	unsigned int hosts; /* star, dual rail */
	unsigned int ports; /* of each host: star */
	unsigned int leaves, spines, hosts_per_leaf,
		links;		  /* fat tree: of a pod; links: leaf to spine */
	unsigned int pods, cores; /* fat tree of three levels; pods 0: two levels */
	unsigned int size[GENERATE_DIMENSIONS], dimensions, hosts_per_switch; /* torus */
	unsigned int isl;     /* dual rail: cables between the rails */
	unsigned int real;    /* hosts that are HCAs; the others are passive */
	uint8_t width, speed; /* of all cables; 0: what ports can do */
};

/*
 * Build into an empty fabric. HCAs are named glass0, glass1 and so on, passive hosts host2 and so
 * on. Return NULL, or the reason why the fabric cannot be built, which the caller frees.
 */
char *generate_star(struct topo *t, const struct generate *g);
char *generate_fat_tree(struct topo *t, const struct generate *g);
char *generate_torus(struct topo *t, const struct generate *g);
char *generate_dual_rail(struct topo *t, const struct generate *g);

#endif
