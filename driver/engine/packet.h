/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets between QPs and links: addressing, reception, multicast groups, and observers (captures,
 * observe/capture.h, and the flight recorder, observe/flight.h).
 */
#ifndef GLASS_ENGINE_PACKET_H
#define GLASS_ENGINE_PACKET_H

#include "model/device.h"

struct glass_run;
struct glass_flight_end;

/* Returns the P_Key of a QP at its port, p. */
static inline u16 glass_qp_pkey(const struct glass_port *p, const struct glass_qp *qp)
{
	return READ_ONCE(p->pkeys[qp->core.attr.pkey_index & (GLASS_PKEYS - 1)]);
}

/*
 * The part of glass_port_address() for packets that are no SMPs: VL, SLID and P_Key.
 */
static __always_inline void glass_data_address(const struct glass_port *p, struct glass_pkt *pkt,
					       const struct glass_av *av, u16 pkey_index)
{
	pkt->vl = 0;
	pkt->slid = READ_ONCE(p->lid) | (av->path_bits & ((1 << READ_ONCE(p->lmc)) - 1));
	pkt->pkey = pkey_index < p->pkey_len ? READ_ONCE(p->pkeys[pkey_index]) : 0;
}

/*
 * Fills the fields of a packet that depend on the sending port: SLID, VL and P_Key. Sets lver and
 * tver to 0. Also sets the SL of an SMP to 0. `av` is the address vector that the packet uses.
 * `pkey_index` is the index of the packet's P_Key in the port's table. The caller holds the sending
 * QP's lock.
 */
void glass_port_address(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
			const struct glass_av *av, u16 pkey_index);

/*
 * Sends the packet of `run` (struct glass_run, engine.h) out of a port; pkt must be &run->tx.pkt.
 * On return the packet is no longer in flight. But an injection rule may still keep a copy of it,
 * and some of its multicast copies may be deferred (copies.h). Process context, no lock held. May
 * sleep.
 */
void glass_port_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);

/*
 * glass_mcast_attach() attaches a QP to a multicast group. Returns 0, -EINVAL if the group is full,
 * or -ENOMEM if there is no memory or a limit is reached (groups, the user's share (model/share.h),
 * attachments). glass_mcast_detach() detaches the QP. Returns 0, or -EINVAL if the QP is not
 * attached. Both may sleep.
 */
int glass_mcast_attach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
int glass_mcast_detach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
/*
 * Delivers a packet to those members of its group that are on this port. The DGID of the packet's
 * GRH names the group. Copies that do not fit into the sender's turn (run->tx.left, engine.h) are
 * deferred (copies.h), and run->tx.rest then refers to them. If there is no memory, or the user's
 * share is used up, these copies are dropped instead. If `run` is NULL, all copies are made at
 * once. Returns 0 if the port has no member, else a positive number. May sleep.
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

/* Descriptions of a group and of a member, for files in debugfs */
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

/*
 * Describes the group with the lowest id that is at least `id`. Returns false if no such group
 * exists. May sleep.
 */
bool glass_mcast_next(struct glass_dev *dev, u64 id, struct glass_mcast_info *info);
/*
 * Describes a group in *info, and its info->n members in to[], which must have room for
 * GLASS_MAX_MCAST_QP entries. Returns false if there is no such group. May sleep. Does not delay
 * packets.
 */
bool glass_mcast_members(struct glass_dev *dev, const u8 mgid[16], struct glass_mcast_info *info,
			 struct glass_mcast_member *to);

/*
 * Delivers a packet to one QP: takes the QP's lock, lets the QP receive or drop the packet, and
 * kicks the QP if it then has work. `mcast` means that the QP gets the packet as a member of a
 * multicast group. `run` is the caller's run list (engine.h), or NULL if it has none. The caller
 * holds a reference to the QP, and no lock. May sleep in strict mode.
 */
void glass_qp_receive(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt, bool mcast,
		      struct glass_run *run);

/*
 * packet.c: receives a packet at a port, after observers have seen the packet. Applies the
 * injection rules. *end gets the data of the receiving QP for the flight recorder. `end` may be
 * NULL.
 */
void glass_port_take(struct glass_link_port *lp, const struct glass_pkt *pkt,
		     struct glass_run *run, struct glass_flight_end *end);

/*
 * packet.c: where a packet goes on that observers or injection rules have stopped on its way.
 * glass_port_out() is called for a packet that leaves: it applies the injection rules, and passes
 * the packet to the link. glass_port_deliver() is called only by fault injection, for an arrived
 * packet that a rule has changed, copied, delayed or held. It gives the packet to its QP or
 * multicast group.
 */
void glass_port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);
void glass_port_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * packet.c: sends a packet that an injection rule forged in the name of a QP. Observers record that
 * QP as the sender. pkt->fate must not be NULL.
 */
void glass_port_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			    struct glass_pkt *pkt, struct glass_run *run);

/* pace.c: sends a CNP to the peer of a connected QP of an Ethernet port. Takes the QP's lock. */
void glass_port_send_cnp(struct glass_qp *qp, struct glass_run *run);

/*
 * watch.c: glass_port_send_forged() calls this function while a capture or the flight recorder is
 * on. The function sends the packet, and writes its records.
 */
void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run);
/*
 * Fills *end, one end of a flight record, with the QP's data. Does not change end->port and
 * end->reason, and adds the QP's flags to end->flags.
 */
void glass_watch_end(struct glass_flight_end *end, const struct glass_qp *qp);
/*
 * Called after a packet was sent with GLASS_PAIR_ARRIVAL (engine.h), if the receiving port has not
 * written the flight record. Writes this record, which is for both ends.
 */
void glass_watch_sent(u32 port, const struct glass_pkt *pkt, struct glass_run *run);
/*
 * glass_watch_send() sends a packet while a capture is on. It calls glass_port_out(), and writes
 * the records. glass_watch_receive() receives a packet while a capture or the flight recorder is
 * on. It calls glass_port_take(), and writes the records.
 */
void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run);
void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/*
 * Called when a management agent has discarded a MAD that arrived earlier. Captures the MAD a
 * second time, with the flag GLASS_CAP_AGENT. Any context.
 */
void glass_watch_discarded(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   enum glass_drop why);

#endif
