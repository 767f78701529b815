/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data of link/, which carries packets over cables and the switch: the fabric (the HCAs of this
 * host and the switch that connects them), and the part of an HCA's port that belongs to its cable.
 */
#ifndef GLASS_MODEL_LINKS_H
#define GLASS_MODEL_LINKS_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "fabric/net.h"
#include "fabric/switch.h"
#include "fabric/topology.h"
#include "mgmt/node.h"
#include "observe/drops.h"

/* The first 24 bits of Glass's GUIDs: locally administered, so they are no vendor's OUI. */
#define GLASS_VENDOR_ID 0x066700
#define GLASS_DEVICE_HCA 1
#define GLASS_DEVICE_SWITCH 2

struct glass_dev;
struct glass_fabric;

/* At most this many changes of a port wait to be reported; more are merged into the newest. */
#define GLASS_LINK_UNTOLD 8

/* A change of a port, with values of the port after the change. */
struct glass_port_change {
	u32 changes; /* GLASS_CHG_* */
	u16 lid, sm_lid;
	u8 state; /* enum glass_port_state */
};

/*
 * A port of an HCA, as the links see it. A field is set once, before packets flow, unless its
 * comment says otherwise.
 */
struct glass_link_port {
	struct glass_fabric *fabric;
	const char *name; /* the device's name, which a rename may change */
	struct glass_node *node;
	struct glass_port *port; /* *port is under fabric->lock */
	struct glass_drops *drops; /* those of the device */
	u32 num;
	/* the state in the port's last trace event; only the context that set `telling` uses it */
	u8 told_state;
	/* changes to report, oldest first; under fabric->lock */
	struct glass_port_change untold[GLASS_LINK_UNTOLD];
	u32 nuntold; /* number of entries in untold[]; under fabric->lock */
	bool telling; /* a context is reporting the changes in untold[]; under fabric->lock */
	struct glass_net_node *self; /* the HCA in the net */
	const struct glass_net_end *far; /* the other end of the cable; *far is under fabric->lock */
	/*
	 * True: a Set of the subnet manager may have taken this port down, and the answer to the
	 * Set must still leave by the port. The state of the cable is updated when the answer has
	 * left. If no answer is sent within 100 ms, the work `parted` updates the state.
	 */
	bool parting; /* under fabric->lock */
	u64 parting_tid; /* transaction ID of the answer; under fabric->lock */
	struct delayed_work parted;
};

/* All HCAs of this host and the switch that connects them. */
struct glass_fabric {
	/*
	 * Protects nodes, ports, counters and forwarding tables. Taken with irqs off, because
	 * ib_mad may call process_mad in any context.
	 */
	spinlock_t lock;
	struct glass_net net; /* under lock, as are all fields below except sizes and pointers */
	struct glass_way way; /* scratch memory: the way of the packet that is being sent */
	struct glass_switch sw;
	struct glass_port *sw_ports;
	struct glass_net_node sw_node; /* the switch in the net */
	struct glass_net_end *sw_ends;
	struct delayed_work traps; /* sends the switch's trap, and repeats it */
	unsigned long next_trap; /* jiffies: no trap before this time */
	/* the HCAs in the net; node NULL: the HCA is not plugged in */
	struct glass_net_node hca_nodes[GLASS_TOPO_MAX_HCAS];
	struct glass_net_end hca_ends[GLASS_TOPO_MAX_HCAS][GLASS_TOPO_MAX_HCA_PORTS + 1];
	/* struct glass_link_port of each port of each HCA, by number; NULL: not plugged in */
	void *ports[GLASS_TOPO_MAX_HCAS][GLASS_TOPO_MAX_HCA_PORTS + 1];
	u32 num_hcas;
	struct glass_dev *hca[GLASS_TOPO_MAX_HCAS]; /* NULL: not plugged in; under lock */
};

/* The HCA port at an end of a cable. NULL: there is none, or the HCA is not plugged in. */
static inline struct glass_link_port *glass_link_port_at(struct glass_net_end e)
{
	return e.node && e.node->owners ? e.node->owners[e.port] : NULL;
}

#endif
