// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Cables and GUIDs of the fabric (topology.h). */
#include "fabric/topology.h"

#define GUID_STEP 256 /* distance between the node GUIDs of two successive HCAs or switches */
#define GUID_SWITCHES 0x100000 /* distance between the node GUIDs of HCA n and switch n */
#define GUID_SYSTEM 0x80 /* distance between a node GUID and the node's system image GUID */

static void topology_add_link(struct glass_topology *t, u32 hca, u32 hca_port, u32 sw, u32 sw_port)
{
	struct glass_link *l = &t->links[t->num_links++];

	l->a = (struct glass_link_end){ .kind = GLASS_END_HCA, .port = hca_port, .index = hca };
	l->b = (struct glass_link_end){ .kind = GLASS_END_SWITCH, .port = sw_port, .index = sw };
}

int glass_topology_star(struct glass_topology *t, u32 num_hcas, u32 hca_ports)
{
	u32 h, p;

	if (!num_hcas || num_hcas > GLASS_TOPO_MAX_HCAS)
		return -EINVAL;
	if (!hca_ports || hca_ports > GLASS_TOPO_MAX_HCA_PORTS)
		return -EINVAL;
	if (num_hcas * hca_ports > GLASS_TOPO_MAX_LINKS)
		return -EINVAL;
	memset(t, 0, sizeof(*t));
	t->switch_ports = num_hcas * hca_ports;
	if (t->switch_ports < GLASS_TOPO_MIN_SWITCH_PORTS)
		t->switch_ports = GLASS_TOPO_MIN_SWITCH_PORTS;
	for (h = 0; h < num_hcas; h++)
		for (p = 1; p <= hca_ports; p++)
			topology_add_link(t, h, p, 0, h * hca_ports + p);
	return 0;
}

u64 glass_guid_hca(u64 base, u32 index)
{
	return base + (u64)(index + 1) * GUID_STEP;
}

u64 glass_guid_switch(u64 base, u32 index)
{
	return base + GUID_SWITCHES + (u64)(index + 1) * GUID_STEP;
}

u64 glass_guid_system(u64 base, u8 kind, u32 index)
{
	u64 node = kind == GLASS_END_SWITCH ? glass_guid_switch(base, index) :
					      glass_guid_hca(base, index);

	return node + GUID_SYSTEM;
}

u64 glass_guid_system_passive(u64 node_guid)
{
	/* the 254 ports have the GUIDs up to node_guid + 254 */
	return node_guid + GUID_STEP - 1;
}
