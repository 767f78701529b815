/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The topology of the fabric: the cables (links) between ports, and the GUIDs of nodes. */
#ifndef GLASS_FABRIC_TOPOLOGY_H
#define GLASS_FABRIC_TOPOLOGY_H

#include "uapi/glass-fabric.h"
#include "wire/shim.h"

enum glass_end_kind {
	GLASS_END_NONE,
	GLASS_END_HCA,
	GLASS_END_SWITCH,
};

struct glass_link_end {
	u8 kind; /* enum glass_end_kind */
	u8 port; /* from 1 on */
	u16 index; /* of the HCA or the switch */
};

/* A cable. */
struct glass_link {
	struct glass_link_end a, b;
};

#define GLASS_TOPO_MAX_HCAS GLASS_FABRIC_MAX_HCAS
#define GLASS_TOPO_MAX_HCA_PORTS GLASS_FABRIC_MAX_HCA_PORTS
#define GLASS_TOPO_MAX_LINKS 254 /* of a star: its switch has no more ports */

struct glass_topology {
	u32 switch_ports; /* number of external ports of the switch */
	u32 num_links; /* valid entries of links[] */
	struct glass_link links[GLASS_TOPO_MAX_LINKS];
};

/*
 * Fills *t with a star: connects every port of every HCA to one switch (switch 0). Port p (from 1
 * on) of HCA h (from 0 on) is connected to switch port h * hca_ports + p. num_hcas: 1 .. 32;
 * hca_ports, the ports of each HCA: 1 .. 8. Returns 0, or -EINVAL: a number is out of range, or the
 * switch would have more than 254 ports.
 */
int glass_topology_star(struct glass_topology *t, u32 num_hcas, u32 hca_ports);

/*
 * The base of all default GUIDs. It is locally administered. Its first byte must not be 0x02:
 * storage targets use the node GUID as service ID, and the host's CM (drivers/infiniband/core/cm.c)
 * refuses service IDs that begin with 0x02, because it reserves them for IDs that it assigns.
 */
#define GLASS_GUID_BASE 0x0667000000000000ULL

/*
 * Return the node GUID of an HCA, that of a switch, and the system image GUID of either. index: the
 * number of the HCA or the switch, from 0 on; base: all GUIDs are above it. Node GUIDs are 256
 * apart, so that port GUIDs (node GUID + port number, glass_node_init()) are unique. No system
 * image GUID equals a node GUID or a port GUID.
 */
u64 glass_guid_hca(u64 base, u32 index);
u64 glass_guid_switch(u64 base, u32 index);
u64 glass_guid_system(u64 base, u8 kind, u32 index); /* kind: enum glass_end_kind */
/* The system image GUID of a passive CA, which has its node GUID from glass_guid_switch(). */
u64 glass_guid_system_passive(u64 node_guid);

#endif
