/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions that fill rows (row.h), shared by the object tables (dump_*.c) and inspect. */
#ifndef GLASS_DEBUGFS_DUMP_H
#define GLASS_DEBUGFS_DUMP_H

#include "debugfs/row.h"
#include "model/ring.h"
#include "uapi/glass-inspect.h"

/*
 * dump_qp.c: fill the row of a QP in two steps. Call glass_qp_row() first, under the QP's lock;
 * port: that of QP0 or QP1, else 0; now: ktime_get_ns(). Then call glass_qp_row_rest() without the
 * lock: it adds the owner, and the name of the peer's device.
 */
void glass_qp_row(struct glass_row *r, const struct glass_qp *qp, u32 port, u64 now);
void glass_qp_row_rest(struct glass_row *r, const struct glass_qp *qp);

/* waits.c: the event that a QP waits for. now: ktime_get_ns(). The caller holds the QP's lock. */
enum glass_wait glass_qp_waits(const struct glass_qp *qp, u64 now);

/*
 * Entries of a ring, by their free-running indices: from `consumer` on, up to but not including
 * `producer`. At most as many as the ring has slots.
 */
struct glass_span {
	u32 consumer, producer;
};

/* The entries in a ring; consumer: the index of the oldest. */
static inline struct glass_span glass_ring_span(const struct glass_ring *ring, u32 consumer)
{
	return (struct glass_span){ consumer, consumer + glass_ring_used(ring, consumer) };
}

/*
 * dump_cq.c: fill the row of a CQ or SRQ, under its lock, which they take. Return the entries that
 * its ring had at that moment.
 */
struct glass_span glass_cq_row(struct glass_row *r, struct glass_cq *cq);
struct glass_span glass_srq_row(struct glass_row *r, struct glass_srq *srq);

/*
 * dump_port.c: rows of a port, of the switch, of a port of the switch, and of an entry of its
 * multicast table (index: MLID - GLASS_LID_MCAST_BASE, set: its ports as bits). The caller holds
 * the fabric's lock; glass_mft_row() needs no lock.
 */
void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp);
void glass_swport_row(struct glass_row *r, struct glass_fabric *fabric, u32 port);
void glass_mft_row(struct glass_row *r, u32 num_ports, u32 index, const u64 *set);
void glass_switch_row(struct glass_row *r, struct glass_fabric *fabric);
/* Has the LID a port in the switch's linear forwarding table? Any context. */
bool glass_lft_used(const struct glass_fabric *fabric, u32 lid);

/* dump_drops.c: a BTH opcode as transport and operation, "rc_send_only"; an unknown one as 0xNN */
void glass_row_opcode(struct glass_row *r, u32 column, u8 opcode);

/* dump_mcast.c: the row of a multicast group. Any context. */
struct glass_mcast_info;
void glass_mcast_row(struct glass_row *r, const struct glass_mcast_info *g);

#endif
