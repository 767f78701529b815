/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Netdev cables (model/netcable.h): makes and removes them, trains their links, sends packets over
 * them, and passes received packets into the fabric.
 */
#ifndef GLASS_LINK_NETCABLE_H
#define GLASS_LINK_NETCABLE_H

#include "link/internal.h"
#include "model/netcable.h"

struct glass_run;
struct net;

/* The parameters of a netdev cable, from its command. */
struct glass_netcable_spec {
	const char *netdev; /* name of the interface */
	struct net *net; /* its network namespace */
	u32 silence_ms;
	bool vcrc; /* never leave out the VCRC */
};

/*
 * Plugs a netdev cable into port `a`; `a` has the limits of the cable. Returns GLASS_FE_NONE, or
 * the reason why it did nothing. Called with f->making. May sleep.
 */
enum glass_fabric_error_kind glass_netcable_add(struct glass_fabric *f, struct glass_net_end a,
						const struct glass_netcable_spec *spec);
/*
 * Frees a netdev cable that has been unplugged from its port. Called with f->making, without a
 * section of f->walks. Waits until no context uses the cable.
 */
void glass_netcable_free(struct glass_netcable *c);

/*
 * Called after the link of the cable's port has been updated. Returns true if the caller must
 * update the link once more, because the link went down and so a new session has begun. Called with
 * the fabric's lock.
 */
bool glass_netcable_updated(struct glass_netcable *c);

/*
 * Fills *hop for a packet that has arrived at node n, the far end of a cable. The caller must then
 * call glass_netcable_send(). Returns false if n is NULL or not such an end, or if the cable is not
 * up. Called with the fabric's lock.
 */
bool glass_netcable_take(struct glass_net_node *n, struct glass_netcable_hop *hop);
/*
 * Sends a packet, or the packets of a train, of port `from`. Returns false if some of them were
 * dropped: the caller must record that. If too many frames are on their way, sets *slow to the
 * place where the sending QP shall wait (glass_run_slow()). Process context, no lock held.
 *
 * If `run` is not NULL, a short packet may join the run's batch. The batch then records a drop.
 */
bool glass_netcable_send(const struct glass_netcable_hop *hop, struct glass_link_port *from,
			 const struct glass_pkt *pkt, struct glass_run *run,
			 struct glass_congestion **slow);

/* netcable_rx.c: the function glass_netdev_ops.receive of all cables. */
void glass_netcable_receive(struct glass_netdev *nd, struct sk_buff *skb);
/* netcable_rx.c: passes the packets of a frame into the fabric. Process context, no lock held. */
void glass_netcable_frame(struct glass_netcable *c, struct sk_buff *skb, struct glass_run *run);
/* netcable_rx.c: can the packets of this frame be delivered without sleeping? */
bool glass_netcable_plain(const struct sk_buff *skb);

/*
 * netcable_rx.c: is everything off that may sleep when a packet arrives: observers, injection and
 * strict mode?
 */
bool glass_frames_unobserved(void);

/*
 * frame_queue.c: queues a frame for a lane. *queued counts the memory of the owner's frames in all
 * queues. Returns false, and does nothing, if they have GLASS_FRAMES_BYTES. Soft interrupt context.
 */
bool glass_frames_queue(struct glass_frames *q, struct sk_buff *skb, atomic_t *queued);
/* netcable_rx.c: counts a frame or packet that breaks a rule. Any context. */
void glass_netcable_count(struct glass_netcable *c, enum glass_cable_rule rule);

/* link.c: a packet has come over a cable to its port. Returns false if the packet was dropped. */
bool glass_link_from_cable(struct glass_netcable *c, const struct glass_pkt *pkt,
			   struct glass_run *run);

#endif
