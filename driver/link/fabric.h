/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes and removes the nodes and cables of the fabric while packets flow. Unless its comment says
 * otherwise, a function is called with the mutex fabric->making held, and may sleep. If it returns
 * an enum glass_fabric_error_kind, this is GLASS_FE_NONE, or the reason why the function did
 * nothing.
 */
#ifndef GLASS_LINK_FABRIC_H
#define GLASS_LINK_FABRIC_H

#include "model/links.h"

/*
 * Returns a fabric without nodes, or an ERR_PTR. Default GUIDs of nodes are computed from
 * `guid_base` (glass_guid_base()). Needs no lock.
 */
struct glass_fabric *glass_fabric_create(u64 guid_base);
/*
 * Frees the fabric with the nodes and cables that it still has. The caller has unplugged all HCAs.
 * Called without fabric->making. May sleep.
 */
void glass_fabric_destroy(struct glass_fabric *f);

/*
 * Removes all netdev cables, and returns when no context uses one. Before the end of the module,
 * while the engine still runs. No command may be carried out meanwhile. Called without
 * fabric->making. May sleep.
 */
void glass_fabric_remove_netdevs(struct glass_fabric *f);

/* Returns the node of this name, or NULL. Called with fabric->making or fabric->lock. */
struct glass_fabric_node *glass_fabric_find(struct glass_fabric *f, const char *name);

/*
 * Makes a node without cables. kind is GLASS_FABRIC_HCA, GLASS_FABRIC_CA or GLASS_FABRIC_SWITCH. An
 * HCA is not plugged in yet (hca.h). Fields of the spec that are 0 get defaults. *made gets the
 * node.
 */
enum glass_fabric_error_kind glass_fabric_add(struct glass_fabric *f, enum glass_fabric_verb kind,
					      const struct glass_node_spec *spec,
					      struct glass_fabric_node **made);

/*
 * Removes a node and its cables, and frees the node. If the node is an HCA, the caller must have
 * unplugged it, so that no packet in flight refers to it.
 */
void glass_fabric_remove(struct glass_fabric *f, struct glass_fabric_node *n);
/* As glass_fabric_remove(), for all nodes. The caller must have unplugged all HCAs. */
void glass_fabric_remove_all(struct glass_fabric *f);

/*
 * Applies an HCA's spec to its struct glass_node, which glass_node_init() has set up with
 * spec->guid. Needs no lock.
 */
void glass_fabric_configure_hca(struct glass_node *node, const struct glass_fabric_node *n);

/* Plugs a cable in between two ports. */
enum glass_fabric_error_kind glass_fabric_cable(struct glass_fabric *f, struct glass_net_end a,
						struct glass_net_end b);
/* Removes the cable at a port. by: CABLE_CUT or NETDEV_GONE; what takes its ports down. */
enum glass_fabric_error_kind glass_fabric_uncable(struct glass_fabric *f, struct glass_net_end a,
						  enum glass_port_change_by by);
/* Pulls the cable at a port, or plugs it in again. A cable already in that state stays in it. */
enum glass_fabric_error_kind glass_fabric_pull(struct glass_fabric *f, struct glass_net_end a,
					       bool pulled);

/* Iterates over all nodes. The loop may remove node n. Called with fabric->making. */
#define glass_fabric_for_each(f, id, n) xa_for_each(&(f)->nodes, id, n)

#endif
