/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The topology of the fabric: the cables between ports, and the GUIDs of nodes. */
#ifndef GLASS_FABRIC_TOPOLOGY_H
#define GLASS_FABRIC_TOPOLOGY_H

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

struct glass_link {
	struct glass_link_end a, b;
};

#define GLASS_TOPO_MAX_HCAS 16
#define GLASS_TOPO_MAX_HCA_PORTS 8
#define GLASS_TOPO_MAX_LINKS (GLASS_TOPO_MAX_HCAS * GLASS_TOPO_MAX_HCA_PORTS)

struct glass_topology {
	u32 switch_ports;
	u32 num_links;
	struct glass_link links[GLASS_TOPO_MAX_LINKS];
};

/*
 * Makes a star: connects every port of every HCA to one switch. Port p of HCA h (from 0 on) gets
 * switch port h * hca_ports + p. num_hcas: 1 .. 16; hca_ports: 1 .. 8. Returns 0 or -EINVAL.
 */
int glass_topology_star(struct glass_topology *t, u32 num_hcas, u32 hca_ports);

/* The other end of the cable at `end`; kind GLASS_END_NONE when there is none. */
struct glass_link_end glass_topology_peer(const struct glass_topology *t,
					  struct glass_link_end end);

/*
 * The base of all default GUIDs; locally administered. Its first byte must not be 0x02. Storage
 * targets use the node GUID as service ID, and the host's CM refuses service IDs that begin with
 * 0x02, because it assigns those itself (drivers/infiniband/core/cm.c).
 */
#define GLASS_GUID_BASE 0x0667000000000000ULL

/*
 * The GUIDs of node number `index`, from `base` on. Node GUIDs are 256 apart, so that port GUIDs
 * (node GUID + port number, glass_node_init()) are unique. The system image GUID of a node differs
 * from all of these.
 */
u64 glass_guid_hca(u64 base, u32 index);
u64 glass_guid_switch(u64 base, u32 index);
u64 glass_guid_system(u64 base, u8 kind, u32 index); /* kind: enum glass_end_kind */

#endif
