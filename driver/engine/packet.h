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
 * Fills the fields of a packet that depend on the sending port: SLID, VL and P_Key; in an SMP, also
 * the SL. Sets lver and tver to 0. av: the address vector that the packet uses. pkey_index: the
 * packet gets this entry of the port's P_Key table. The caller holds the sending QP's lock.
 */
void glass_port_address(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
			const struct glass_av *av, u16 pkey_index);

/*
 * Sends run's packet (pkt is &run->tx.pkt) out of a port. On return the packet is delivered or
 * dropped, an injection rule keeps a copy of it for later, or some of its multicast copies are
 * deferred (copies.h). Process context, no lock held. May sleep.
 */
void glass_port_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);

/*
 * Attach a QP to a multicast group, and detach it. glass_mcast_attach() returns 0; -ENOMEM: no
 * memory, or a limit (groups, the user's share, attachments) is reached; or -EINVAL: the group is
 * full. glass_mcast_detach() returns 0; or -EINVAL: the QP is not attached. May sleep.
 */
int glass_mcast_attach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
int glass_mcast_detach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
/*
 * Delivers a packet to each member of its group (the DGID of its GRH) on this port. Copies that do
 * not fit into the sender's turn (run->tx.left) are deferred (copies.h), and run->tx.rest refers to
 * them; if memory or the user's share is used up, they are dropped. If run is NULL, all copies are
 * made now. Returns 0 if the port has no member, else a positive number. May sleep.
 */
u32 glass_mcast_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);
/* Is a QP of this port attached to the group? Any context. */
bool glass_mcast_member(struct glass_dev *dev, u32 port, const u8 *mgid);
/*
 * glass_mcast_init() sets up the multicast groups of a device, before the device has QPs. Returns 0
 * or -ENOMEM. glass_mcast_cleanup() undoes that after the last QP is destroyed.
 */
int glass_mcast_init(struct glass_dev *dev);
void glass_mcast_cleanup(struct glass_dev *dev);

/* For listings: a description of a group, and of a member. */
struct glass_mcast_info {
	u64 id; /* newer groups have higher ids */
	union ib_gid mgid;
	u16 mlid; /* MLID of the first attach */
	u32 n; /* members */
	u64 created_ns;
};

struct glass_mcast_member {
	u32 qpn;
	u8 port; /* 0 before INIT */
	u8 state; /* enum glass_qp_state */
	struct glass_owner owner;
};

/* Describes the group with the lowest id that is at least `id`. False: there is none. May sleep. */
bool glass_mcast_next(struct glass_dev *dev, u64 id, struct glass_mcast_info *info);
/*
 * Describes a group and its info->n members; to[] has room for GLASS_MAX_MCAST_QP. False: there is
 * no such group. May sleep; does not delay packets.
 */
bool glass_mcast_members(struct glass_dev *dev, const u8 mgid[16], struct glass_mcast_info *info,
			 struct glass_mcast_member *to);

/*
 * Delivers a packet to one QP: takes the QP's lock, lets the QP receive or drop the packet, and
 * kicks the QP if it then has work. mcast: the QP gets the packet as a member of a group. run: the
 * caller's struct glass_run; NULL: it has none. The caller holds a reference to the QP, and no
 * lock. May sleep in strict mode.
 */
void glass_qp_receive(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt, bool mcast,
		      struct glass_run *run);

/*
 * packet.c: receives a packet at a port, after observers have seen it. Applies the injection rules.
 * end: gets the data of the receiving QP for the flight recorder; may be NULL.
 */
void glass_port_take(struct glass_link_port *lp, const struct glass_pkt *pkt,
		     struct glass_run *run, struct glass_flight_end *end);

/*
 * packet.c: the last steps of sending and of receiving. glass_port_out() is called after captures
 * have seen the packet; it applies the injection rules, and passes the packet to the link.
 * glass_port_deliver() gives an arrived packet to its QP or multicast group. Only fault injection
 * calls it, for packets that a rule has changed, copied, delayed or held.
 */
void glass_port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);
void glass_port_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * packet.c: sends a packet that an injection rule forged in the name of a QP. Observers record that
 * QP as the sender. pkt->fate is not NULL.
 */
void glass_port_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			    struct glass_pkt *pkt, struct glass_run *run);

/*
 * watch.c: sends the packet of glass_port_send_forged() while a capture or the flight recorder is
 * on, and writes its records.
 */
void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run);
/*
 * Fills one end of a flight record with the QP's data. Keeps the end's port and reason, and adds
 * the QP's flags to those of the end.
 */
void glass_watch_end(struct glass_flight_end *end, const struct glass_qp *qp);
/*
 * Called after a packet was sent with GLASS_PAIR_ARRIVAL, unless the receiving port has written the
 * flight record of both ends. Writes this record.
 */
void glass_watch_sent(u32 port, const struct glass_pkt *pkt, struct glass_run *run);
/*
 * glass_watch_send() sends a packet while a capture is on: calls glass_port_out(), and writes the
 * records. glass_watch_receive() receives a packet while a capture or the flight recorder is on:
 * calls glass_port_take(), and writes the records.
 */
void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run);
void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/*
 * Captures a MAD a second time, with the flag GLASS_CAP_AGENT, because a management agent discarded
 * it after its arrival. Any context.
 */
void glass_watch_discarded(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   enum glass_drop why);

#endif
