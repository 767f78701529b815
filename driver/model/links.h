/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Ports as link/ (cables and the switch) sees them, and the fabric: the HCAs and their switch. */
#ifndef GLASS_MODEL_LINKS_H
#define GLASS_MODEL_LINKS_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

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

/* How many changes of a port can wait to be reported; further ones are merged into the last. */
#define GLASS_LINK_UNTOLD 8

/* A change of a port, and the port's state after it. */
struct glass_port_change {
	u32 changes; /* GLASS_CHG_* */
	u16 lid, sm_lid;
	u8 state; /* enum glass_port_state */
};

/*
 * A port of an HCA as the links see it. Fields without a lock are set once, before packets flow.
 */
struct glass_link_port {
	struct glass_fabric *fabric;
	const char *name; /* of the device */
	struct glass_node *node;
	struct glass_port *port; /* under fabric->lock */
	struct glass_drops *drops; /* of the device */
	u32 num;
	/* the port's state in the last trace event; only the context that set `telling` uses it */
	u8 told_state;
	/* changes to report, oldest first; under fabric->lock */
	struct glass_port_change untold[GLASS_LINK_UNTOLD];
	u32 nuntold;
	bool telling; /* a context is reporting them; under fabric->lock */
	u32 switch_port; /* the switch's port at the other end of the cable */
	/*
	 * A Set of the subnet manager took this port down, but the answer must still leave by it.
	 * The cable goes down after the answer; if none is sent, the work `parted` takes it down.
	 */
	bool parting; /* under fabric->lock */
	u64 parting_tid; /* transaction ID of that answer; under fabric->lock */
	struct delayed_work parted;
};

/* All HCAs of this host and the switch that connects them. */
struct glass_fabric {
	/*
	 * Protects nodes, ports, counters and forwarding tables. irqs off, because ib_mad calls
	 * process_mad in any context.
	 */
	spinlock_t lock;
	struct glass_topology topo;
	struct glass_switch sw;
	struct glass_port *sw_ports;
	struct glass_fwd fwd; /* the switch's verdict on one packet; scratch memory, under lock */
	struct delayed_work traps; /* sends the switch's trap, and repeats it */
	unsigned long next_trap; /* jiffies: no trap before this */
	/* the HCA port that is cabled to each port of the switch, or NULL; under lock */
	struct glass_link_port *by_switch_port[GLASS_SWITCH_MAX_PORTS + 1];
	u32 num_hcas;
	struct glass_dev *hca[GLASS_TOPO_MAX_HCAS];
};

#endif
