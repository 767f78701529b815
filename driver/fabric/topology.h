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
#define GLASS_TOPO_MAX_LINKS 254 /* maximum number of cables of a star: one for each switch port */
#define GLASS_TOPO_MIN_SWITCH_PORTS 2 /* as for a switch that a command makes */

struct glass_topology {
	u32 switch_ports; /* number of external ports of the switch */
	u32 num_links; /* valid entries of links[] */
	struct glass_link links[GLASS_TOPO_MAX_LINKS];
};

/*
 * Fills *t with a star: cables from each port of each HCA to one switch, which is switch 0. Port p
 * of HCA h has a cable to switch port h * hca_ports + p; p begins at 1, and h at 0. There are
 * num_hcas HCAs (1 .. 32), with hca_ports ports each (1 .. 8). The switch has at least 2 ports, also
 * if there is one cable. Returns 0. Returns -EINVAL if a number is out of range, or if the switch
 * would have more than 254 ports.
 */
int glass_topology_star(struct glass_topology *t, u32 num_hcas, u32 hca_ports);

/*
 * The base of all default GUIDs. It is locally administered. Its first byte must not be 0x02,
 * because storage targets use the node GUID as service ID. The host's CM
 * (drivers/infiniband/core/cm.c) refuses service IDs that begin with 0x02: only the CM itself
 * assigns such IDs.
 */
#define GLASS_GUID_BASE 0x0667000000000000ULL

/* Returns the base of the default GUIDs of a host, so that hosts of one subnet have different ones. */
static inline u64 glass_guid_base(u16 host)
{
	return GLASS_GUID_BASE | (u64)host << 32;
}

/*
 * The first two functions return the node GUID of an HCA and of a switch. The third returns the
 * system image GUID of an HCA or a switch. `index` is the number of the HCA or switch, from 0 on.
 * All GUIDs are above `base`. Node GUIDs are 256 apart, so that port GUIDs (node GUID + port
 * number, glass_node_init()) are unique. No system image GUID equals a node GUID or a port GUID.
 */
u64 glass_guid_hca(u64 base, u32 index);
u64 glass_guid_switch(u64 base, u32 index);
u64 glass_guid_system(u64 base, u8 kind, u32 index); /* kind: enum glass_end_kind */
/*
 * Returns the system image GUID of a passive CA. The default node GUID of such a CA also comes
 * from glass_guid_switch(), because switches and passive CAs share one range of numbers.
 */
u64 glass_guid_system_passive(u64 node_guid);

#endif
