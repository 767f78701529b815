/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a fabric. */
#ifndef IBFABRIC_VIEW_H
#define IBFABRIC_VIEW_H

#include <json-c/json.h>

#include "ibfabric/model/topo.h"

/* only: a flag for each node; NULL: all. */
void view_tree(const struct topo *t, const bool *only, bool color);
json_object *view_json(const struct topo *t, const bool *only);
void view_dot(const struct topo *t, FILE *to);
void view_svg(const struct topo *t, FILE *to);

/*
 * Returns "active", "init/armed" (that of c->end[own] first), "pulled", "down", or "" if nothing is
 * known of it.
 */
const char *view_state(const struct topo_cable *c, int own, char to[32]);
/* "4x EDR": the link's, or the limits of the cable if it is down; "" if neither is known */
const char *view_speed(const struct topo_cable *c, char to[32]);
/* As view_speed(), for a netdev cable */
const char *view_netspeed(const struct topo *t, const struct topo_netcable *c, char to[32]);
/* "active", "pulled", or "" if nothing is known of it: the state of the port of a netdev cable */
const char *view_netstate(const struct topo *t, const struct topo_netcable *c);
/* Does a netdev cable carry data? Unknown counts as yes. */
bool view_netup(const struct topo *t, const struct topo_netcable *c);
/* "spine1:3 on hostb", or "" if no peer is known. The caller frees it. */
char *view_peer(const struct topo_netcable *c);
/*
 * The peer of a netdev cable, why the cable is not up, and what disturbs it, in words; "" if nothing
 * is known. The caller frees it.
 */
char *view_networds(const struct topo_netcable *c);
/* Words of the states and troubles of netdev cables: "silent", "third" */
const char *view_cable_word(const struct topo_netcable *c);
const char *view_trouble_word(const struct topo_netcable *c);
/* Does it carry data? Unknown counts as yes. */
bool view_up(const struct topo_cable *c);

#endif
