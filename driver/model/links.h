/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Ports as links see them, and the fabric: all HCAs and switches of this host. */
#ifndef GLASS_MODEL_LINKS_H
#define GLASS_MODEL_LINKS_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "fabric/switch.h"
#include "fabric/topology.h"
#include "mgmt/node.h"
#include "observe/drops.h"

/* Vendor: the locally administered prefix of our GUIDs, which is nobody's OUI. */
#define GLASS_VENDOR_ID 0x066700
#define GLASS_DEVICE_HCA 1
#define GLASS_DEVICE_SWITCH 2

struct glass_dev;
struct glass_fabric;

/* Changes of a port that are queued separately until they are reported. */
#define GLASS_LINK_UNTOLD 8

/* A change of a port, and the port's state after it. */
struct glass_port_change {
	u32 changes; /* GLASS_CHG_* */
	u16 lid, sm_lid;
	u8 state; /* enum glass_port_state */
};

/* A port of an HCA as the links see it. Set once, before packets flow. */
struct glass_link_port {
	struct glass_fabric *fabric;
	const char *name; /* of the device */
	struct glass_node *node;
	struct glass_port *port; /* under fabric->lock */
	struct glass_drops *drops; /* of the device */
	u32 num;
	u8 told_state; /* the port's state in the last trace event; only the context with `telling` uses it */
	/*
	 * Under fabric->lock: changes to report, oldest first, and whether a context is reporting
	 * them.
	 */
	struct glass_port_change untold[GLASS_LINK_UNTOLD];
	u32 nuntold;
	bool telling;
	u32 switch_port; /* where the cable leads */
	/*
	 * The answer to the Set that took this port down is still to leave by it. The cable goes
	 * down after it, or when the work finds that no answer came.
	 */
	bool parting; /* under fabric->lock, as parting_tid */
	u64 parting_tid; /* transaction ID of that answer */
	struct delayed_work parted;
};

/* All HCAs and switches of this host. */
struct glass_fabric {
	/*
	 * Nodes, ports, counters, forwarding tables. irqs off: MADs are
	 * processed in any context.
	 */
	spinlock_t lock;
	struct glass_topology topo;
	struct glass_switch sw;
	struct glass_port *sw_ports;
	struct glass_fwd fwd; /* scratch, under lock */
	struct delayed_work traps; /* sends the switch's trap, and repeats it */
	unsigned long next_trap; /* jiffies: no trap before this */
	struct glass_link_port *by_switch_port[GLASS_SWITCH_MAX_PORTS + 1]; /* under lock */
	u32 num_hcas;
	struct glass_dev *hca[GLASS_TOPO_MAX_HCAS];
};

#endif
