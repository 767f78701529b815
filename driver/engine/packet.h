/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets between QPs and links: addressing, reception, multicast groups, what watches them. */
#ifndef GLASS_ENGINE_PACKET_H
#define GLASS_ENGINE_PACKET_H

#include "model/device.h"

struct glass_run;
struct glass_flight_end;

/*
 * Fills what a packet takes from its port: SLID, VL and P_Key. av: the address
 * vector in force. The caller holds the sending QP's lock.
 */
void glass_port_address(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
			const struct glass_av *av, u16 pkey_index);

/* Sends a packet out by a port; it is delivered when this returns. */
void glass_port_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);

/*
 * Multicast groups of a device. attach: 0, -ENOMEM, -EINVAL (limit reached).
 * detach: 0 or -EINVAL when the QP is not attached.
 */
int glass_mcast_attach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
int glass_mcast_detach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid);
/*
 * Hands a packet to each QP of the group on this port. Copies that do not fit into the turn of its sender (run->tx.left)
 * are made later (copies.h), and run->tx.rest is set. Without a run all of them are made now. 0: the port has no member.
 * May sleep.
 */
u32 glass_mcast_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);
/* Is a QP of this port attached to the group? */
bool glass_mcast_member(struct glass_dev *dev, u32 port, const u8 *mgid);
/* Before the device has QPs: 0 or -ENOMEM. After the last of them, when it returned 0: frees what that took. */
int glass_mcast_init(struct glass_dev *dev);
void glass_mcast_cleanup(struct glass_dev *dev);

/* What there is to tell of a group, and of a member. */
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
 * A group and its members, of which to[] has room for GLASS_MAX_MCAST_QP; false:
 * there is no such group. May sleep; packets are not held up.
 */
bool glass_mcast_members(struct glass_dev *dev, const u8 mgid[16], struct glass_mcast_info *info,
			 struct glass_mcast_member *to);

/* Gives a packet to one QP. */
void glass_qp_receive(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt, bool mcast,
		      struct glass_run *run);

/* packet.c: what becomes of a packet that reached its port. end, if not NULL, learns whose it is. */
void glass_port_take(struct glass_link_port *lp, const struct glass_pkt *pkt,
		     struct glass_run *run, struct glass_flight_end *end);

/* packet.c: the last step of each way, behind captures: by a rule's leave to the link, or past rules to the QP. */
void glass_port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run);
void glass_port_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run);

/* packet.c: sends what a rule made in the name of a QP; observers see it as that QP's. pkt->fate is set. */
void glass_port_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			    struct glass_pkt *pkt, struct glass_run *run);

/* watch.c: the same while somebody captures, or the flight recorder is on */
void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run);
/* An end is that QP's; port, reason and flags of the packet's own stay. */
void glass_watch_end(struct glass_flight_end *end, const struct glass_qp *qp);
/* A packet was sent with GLASS_PAIR_ARRIVAL, and nobody recorded it. */
void glass_watch_sent(u32 port, const struct glass_pkt *pkt, struct glass_run *run);
void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run);
void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/* The same for a MAD that had arrived and that an agent threw away. Any context. */
void glass_watch_discarded(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   enum glass_drop why);

#endif
