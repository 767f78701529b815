/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links: how packets get from one port to another. This layer knows packets,
 * ports and switches; it does not know queue pairs. What it delivers goes to
 * glass_port_receive(), what it notices to glass_port_changed(); port/ has both.
 */
#ifndef GLASS_LINK_LINK_H
#define GLASS_LINK_LINK_H

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
struct glass_run;
struct glass_fabric;

/* Changes of a port that are told apart while they wait to be told. */
#define GLASS_LINK_UNTOLD 8

/* A change of a port, and what the port was like then. */
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
	u8 told_state; /* the port's state in the last trace event; of the one who is telling */
	/* under fabric->lock: changes to be told, oldest first, and whether somebody is telling them */
	struct glass_port_change untold[GLASS_LINK_UNTOLD];
	u32 nuntold;
	bool telling;
	u32 switch_port; /* where the cable leads */
	/*
	 * The answer to the Set that took this port down still leaves by it, and
	 * the cable follows then, or when the work finds that no answer came.
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
	unsigned long next_trap; /* jiffies: not before */
	struct glass_link_port *by_switch_port[GLASS_SWITCH_MAX_PORTS + 1]; /* under lock */
	u32 num_hcas;
	u32 num_ports; /* of each HCA */
	struct glass_dev *hca[GLASS_TOPO_MAX_HCAS];
};

/* Returns a fabric of one switch with all ports of all HCAs on it, or an ERR_PTR. */
struct glass_fabric *glass_fabric_create(u32 num_hcas, u32 num_ports);
void glass_fabric_destroy(struct glass_fabric *f);

/* Plugs the cable of an HCA port in, or pulls it out. */
void glass_link_attach(struct glass_link_port *lp);
void glass_link_detach(struct glass_link_port *lp);

/*
 * Carries a packet from lp to wherever it leads; delivers before it returns.
 * Process context. run is handed on to glass_port_receive().
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/*
 * A packet came over the cable of lp from outside: arrives there as others do, or
 * dies because the port is down, which is told to the caller: false. Process context.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Something of lp's port is changed (GLASS_CHG_*): noted under the same hold of fabric->lock
 * under which it is changed, so that changes are told in their order. Then, without the
 * lock, glass_link_changed() or glass_link_changed_after().
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Tells what was noted of lp; with GLASS_CHG_LINK among the changes, brings the peer in
 * line before. Whoever is just telling something of lp tells this, too: it may be told
 * after this returns. Called without locks, in any context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes);

/*
 * The same for changes that an answer tells of that has yet to leave by this
 * port: the link goes down after the packet with that answer went out. Any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

/* Upcalls, defined in port/. No lock is held. */
void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);
/* The copy of a multicast packet that an HCA makes for its own members, if it has some. */
void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/* Of one port, one at a time. Any context. */
void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c);

#endif
