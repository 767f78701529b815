/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data of link/, which carries packets over cables. The fabric consists of the HCAs of this
 * host, passive CAs (management agents, but no device), switches and cables. Each port of an HCA
 * also has a struct glass_link_port.
 */
#ifndef GLASS_MODEL_LINKS_H
#define GLASS_MODEL_LINKS_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "fabric/command.h"
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
struct glass_ether;
struct glass_fabric;
struct glass_inject;

/*
 * At most this many changes of a port wait until link/ reports them; later changes are merged into
 * the last one.
 */
#define GLASS_LINK_UNTOLD 8

/* A change of a port, with values of the port after the change. */
struct glass_port_change {
	u32 changes; /* GLASS_CHG_* */
	u16 lid, sm_lid;
	u8 state; /* enum glass_port_state */
};

/*
 * A port of an HCA, as link/ sees it. A field is set once, before packets flow, unless its comment
 * says otherwise.
 */
struct glass_link_port {
	struct glass_fabric *fabric;
	const char *name; /* the device's name, which a rename may change */
	const u32 *netns; /* the device's namespace, which may change at any time */
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
	struct glass_net_node *self; /* the HCA in fabric->net */
	struct glass_ether *ether; /* NULL: the port is an InfiniBand port */
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

/*
 * A node of the fabric: an HCA of this host, a passive CA or a switch. link/fabric.h makes and
 * removes nodes. Fields that change are under glass_fabric.lock.
 */
struct glass_fabric_node {
	struct glass_net_node net;
	u8 kind; /* enum glass_fabric_verb: HCA, CA, SWITCH; CABLE: the far end of a netdev cable */
	/* index in glass_fabric.nodes; for an HCA: its number, below GLASS_FABRIC_FIRST_ID */
	u32 id;
	char name[GLASS_FABRIC_NAME_MAX + 1];
	u64 guid; /* node GUID */
	bool gone; /* removed: only readers under glass_fabric.walks still use it; sends no trap */
	struct hlist_node by_name, by_guid;
	struct list_head trapping; /* in glass_fabric.trapping, or empty */
	unsigned long next_trap; /* jiffies: the node sends no trap before this time */
	/* of a switch or passive CA, by port number; a CA has no port 0 */
	struct glass_port *ports;
	/* the allocation in which `ports` is: &ports[0] of a switch, &ports[1] of a CA */
	void *port_memory;
	union {
		struct glass_switch *sw; /* GLASS_FABRIC_SWITCH */
		struct glass_node *ca; /* GLASS_FABRIC_CA */
		/* GLASS_FABRIC_HCA: the settings that the HCA gets when it is plugged in */
		struct glass_node_spec *spec;
	};
	struct glass_ether *ether; /* GLASS_FABRIC_HCA: its port is this Ethernet port; or NULL */
};

struct glass_congestion;
struct glass_netcable;

#define GLASS_FABRIC_HASH_BITS 10
#define GLASS_FABRIC_FIRST_ID GLASS_TOPO_MAX_HCAS /* the lowest id of a switch or passive CA */

/* The number that tables show for a switch or passive CA: from 0 on. */
static inline u32 glass_fabric_number(const struct glass_fabric_node *n)
{
	return n->id - GLASS_FABRIC_FIRST_ID;
}

/* The name under which journal and trace events show the rules of glass_fabric.inject. */
#define GLASS_FABRIC_RULES "fabric"

/* All nodes, and the cables between them. */
struct glass_fabric {
	/*
	 * Protects nodes, ports, counters, forwarding tables and cables. Taken with irqs off,
	 * because ib_mad may call process_mad in any context.
	 */
	spinlock_t lock;
	/* `net` and all fields after it are under `lock`, unless their comments say otherwise */
	struct glass_net net;
	/* scratch memory: the path of the packet that is being sent, and where it ended */
	struct glass_way way;
	/* the packet as an HCA sent it; NULL while a trap of a node is sent */
	const struct glass_pkt *sent;
	struct delayed_work traps; /* sends the traps of all nodes, and repeats them */
	struct list_head trapping; /* nodes with a trap to send */
	/* struct glass_fabric_node, by id; also read under `walks` */
	struct xarray nodes;
	/*
	 * The nodes by name and by node GUID. A writer holds both `making` and `lock`, so a reader
	 * needs only one of the two.
	 */
	struct hlist_head by_name[1 << GLASS_FABRIC_HASH_BITS];
	struct hlist_head by_guid[1 << GLASS_FABRIC_HASH_BITS];
	/* the HCAs by number; NULL: there is no such HCA. An HCA with net.node NULL is unplugged */
	struct glass_fabric_node *hcas[GLASS_TOPO_MAX_HCAS];
	struct glass_dev *hca[GLASS_TOPO_MAX_HCAS]; /* NULL: not plugged in */
	/* netdev cables (netcable.h) by slot; NULL: the slot is free */
	struct glass_netcable *netcables[GLASS_NETCABLES_MAX];
	struct glass_congestion *congestion; /* GLASS_NETCABLES_MAX entries, by slot; has own locks */
	struct work_struct netdevs_gone; /* removes netdev cables whose interface is gone */
	/* Serialises changes of nodes and cables. Taken before slots_lock (hca.c) and `lock`. */
	struct mutex making;
	u64 guid_base; /* set once: default GUIDs of nodes are computed from it */
	struct glass_inject *inject; /* injection rules at ports of switches and passive CAs */
	/*
	 * how often a port was detached (glass_link_detach()), a cable plugged in or unplugged, or the LID, LMC or P_Keys
	 * of an HCA's port changed; under `lock`
	 */
	u32 reshapes;
	/*
	 * SRCU domain of readers. A node, or a port of an HCA, that a reader finds under `lock` in
	 * a read section remains valid until the end of the section.
	 */
	struct srcu_struct walks;
};

/* Call after a change that glass_fabric.reshapes counts, under f->lock. */
static inline void glass_fabric_reshaped(struct glass_fabric *f)
{
	lockdep_assert_held(&f->lock);
	/* pairs with the acquire in glass_direct_same(): a context that reads the new number sees the change */
	smp_store_release(&f->reshapes, f->reshapes + 1);
}

/* Returns the struct glass_fabric_node whose member `net` this is. */
static inline struct glass_fabric_node *glass_fabric_node(struct glass_net_node *n)
{
	return container_of(n, struct glass_fabric_node, net);
}

/* links.c: returns the list of glass_fabric.by_guid that has the nodes with this node GUID. */
struct hlist_head *glass_fabric_guid_head(struct glass_fabric *f, u64 guid);
/* links.c: has a node of the fabric this node GUID? Called with fabric->making or fabric->lock. */
bool glass_fabric_has_guid(struct glass_fabric *f, u64 guid);

/*
 * links.c: if a trap of this node is pending and can be sent, queues the work that sends it. If n
 * is NULL, or an HCA that is not plugged in, does nothing. The caller holds the fabric's lock.
 */
void glass_fabric_want_trap(struct glass_fabric *f, struct glass_net_node *n);

/* The HCA port at this end of a cable. NULL: there is no HCA, or the HCA is not plugged in. */
static inline struct glass_link_port *glass_link_port_at(struct glass_net_end e)
{
	return e.node && e.node->owners ? e.node->owners[e.port] : NULL;
}

#endif
