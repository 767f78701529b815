/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes of the fabric (/sys/kernel/debug/glass/fabric/nodes), by name. */
#ifndef GLASS_LIB_DEBUGFS_NODE_H
#define GLASS_LIB_DEBUGFS_NODE_H

#include <stdbool.h>

/* The folder of the fabric, beside the folders of adapters; no node has this name. */
#define FABRIC_DIR "fabric"
#define NODE_NAME  32 /* with the NUL */

/*
 * Is there a switch or a passive adapter of this name? *ports gets its number of ports. False also
 * if the driver has no fabric, or if an adapter with a device has the name.
 */
bool fabric_has_node(const char *name, unsigned int *ports);

#endif
