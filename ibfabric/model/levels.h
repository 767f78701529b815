/* SPDX-License-Identifier: GPL-2.0-only */
/* How far switches are from the channel adapters. */
#ifndef IBFABRIC_LEVELS_H
#define IBFABRIC_LEVELS_H

#include "topo.h"

/*
 * Returns the level of each node: 0 for channel adapters, 1 for switches that one is cabled to (and
 * for those that are far from all), 2 for the switches behind, and so on. *most is the highest. The
 * caller frees it.
 */
unsigned int *topo_levels(const struct topo *t, unsigned int *most);

#endif
