/* SPDX-License-Identifier: GPL-2.0-only */
/* Which channel adapters of a fabric become HCAs with an InfiniBand device. */
#ifndef IBFABRIC_CHOOSE_H
#define IBFABRIC_CHOOSE_H

#include "topo.h"

/* Can it be an HCA? If not, *why is the reason. */
bool topo_can_be_real(const struct topo_node *n, const char **why);

/* Is it a host? Not: switches, routers, and the aggregation nodes inside of switches */
bool topo_is_host(const struct topo_node *n);

/* Makes all channel adapters passive. */
void topo_choose_none(struct topo *t);
/*
 * Makes `count` hosts HCAs, spread evenly over the switches that hosts are cabled to. Returns how
 * many it found.
 */
unsigned int topo_choose_spread(struct topo *t, unsigned int count);
/*
 * Makes the adapters HCAs that have this name or GUID (0x...), or whose name or description matches
 * it as a glob. Returns NULL, or the reason why it refuses, which the caller frees.
 */
char *topo_choose_named(struct topo *t, const char *which);
/*
 * The choice without options: all hosts if no more than TOPO_REAL_MAX can be HCAs, otherwise two.
 * Returns an explanation if there are channel adapters that stay passive, else NULL. The caller
 * frees it.
 */
char *topo_choose_default(struct topo *t);

/*
 * Returns NULL if the HCAs keep the limits of OpenSM and libibumad, or the reason, which the caller
 * frees; *where is the node.
 */
char *topo_check_real(const struct topo *t, const struct topo_node **where);

#endif
