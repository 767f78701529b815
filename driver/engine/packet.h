/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets between QPs and links: addressing, reception, multicast groups, and the observers
 * (captures and the flight recorder).
 */
#ifndef GLASS_ENGINE_PACKET_H
#define GLASS_ENGINE_PACKET_H

#include "model/device.h"

struct glass_run;
struct glass_flight_end;

/*
 * Fills the fields of a packet that depend on the sending port: SLID, VL and P_Key. av: the address
 * vector that the packet uses. The caller holds the sending QP's lock.
 */
void glass_port_address(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
			const struct glass_av *av, u16 pkey_index);

/*
 * Sends run's packet (run->tx.pkt) out of a port. On return the packet is delivered or dropped, or
 * an injection rule keeps a copy of it for later. Process context, no lock held. May sleep.
 */
void glass_port_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);

/*
 * Multicast groups of a device. attach: 0; -ENOMEM: no memory, or the limit of groups or of the
 * user's share is reached; -EINVAL: the group is full. detach: 0; -EINVAL: the QP is not attached.
 * May sleep.
 */
int glass_mcast_attach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
int glass_mcast_detach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
/*
 * Delivers a packet to each member QP of its group (GRH) on this port. Copies that do not fit into
 * the sender's turn (run->tx.left) are deferred (copies.h), and run->tx.rest refers to them. If run
 * is NULL, all copies are made now. Returns 0 if the port has no member. May sleep.
 */
u32 glass_mcast_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);
/* Is a QP of this port attached to the group? Any context. */
bool glass_mcast_member(struct glass_dev *dev, u32 port, const u8 *mgid);
/* Init: before the device has QPs; 0 or -ENOMEM. Cleanup: after the last QP, if init returned 0. */
int glass_mcast_init(struct glass_dev *dev);
void glass_mcast_cleanup(struct glass_dev *dev);

/* For listings: a description of a group, and of a member. */
struct glass_mcast_info {
	u64 id;
	union ib_gid mgid;
	u16 mlid;
	u32 n; /* members */
	u64 created_ns;
};

struct glass_mcast_member {
	u32 qpn;
	u8 port; /* 0 before INIT */
	u8 state; /* enum glass_qp_state */
	struct glass_owner owner;
};

/* The first group whose id is at least this; false: there is none. May sleep. */
bool glass_mcast_next(struct glass_dev *dev, u64 id, struct glass_mcast_info *info);
/*
 * Describes a group and its members. to[] has room for GLASS_MAX_MCAST_QP members.
 * False: there is no such group. May sleep; does not delay packets.
 */
bool glass_mcast_members(struct glass_dev *dev, const u8 mgid[16], struct glass_mcast_info *info,
			 struct glass_mcast_member *to);

/*
 * Delivers a packet to one QP, under its lock, and kicks the QP if it has work then. mcast: the QP
 * gets it as a member of a group. run: the caller's, or NULL. May sleep in strict mode.
 */
void glass_qp_receive(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt, bool mcast,
		      struct glass_run *run);

/*
 * packet.c: receives a packet at a port, after observers have seen it. Applies the injection rules.
 * *end, if not NULL, gets the data of the receiving QP for the flight recorder.
 */
void glass_port_take(struct glass_link_port *lp, const struct glass_pkt *pkt,
		     struct glass_run *run, struct glass_flight_end *end);

/*
 * packet.c: the last step of each direction. glass_port_out(), after captures, applies the
 * injection rules and passes the packet to the link. glass_port_deliver() delivers a packet, which
 * injection rules have passed or released, to its QP or multicast group.
 */
void glass_port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);
void glass_port_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * packet.c: sends a packet that a rule forged in the name of a QP; observers attribute it to that
 * QP. pkt->fate is set.
 */
void glass_port_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			    struct glass_pkt *pkt, struct glass_run *run);

/*
 * watch.c: these functions replace sending and receiving while a capture or the flight recorder is
 * on. glass_watch_send_forged() is the same for glass_port_send_forged().
 */
void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run);
/* Fills one end of a flight record with the QP's data. Keeps the end's port, reason and flags. */
void glass_watch_end(struct glass_flight_end *end, const struct glass_qp *qp);
/*
 * Called after a packet was sent with GLASS_PAIR_ARRIVAL: writes the flight record of this packet,
 * because no receiving port wrote one.
 */
void glass_watch_sent(u32 port, const struct glass_pkt *pkt, struct glass_run *run);
void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run);
void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/*
 * Captures a MAD once more (marked `agent`), because a management agent discarded it after its
 * arrival. Any context.
 */
void glass_watch_discarded(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   enum glass_drop why);

#endif
