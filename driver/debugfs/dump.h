/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared by the tables of objects and `inspect`. */
#ifndef GLASS_DEBUGFS_DUMP_H
#define GLASS_DEBUGFS_DUMP_H

#include "debugfs/row.h"
#include "model/ring.h"
#include "uapi/glass-inspect.h"

/*
 * dump_qp.c: the line of a QP, in two steps. First, under its lock; port: of QP0 and QP1, else 0.
 * Then, without the lock: its owner, and the name of its peer's device.
 */
void glass_qp_row(struct glass_row *r, const struct glass_qp *qp, u32 port, u64 now);
void glass_qp_row_rest(struct glass_row *r, const struct glass_qp *qp);

/* waits.c: the reason why a QP waits. Under its lock. */
enum glass_wait glass_qp_waits(const struct glass_qp *qp, u64 now);

/* Indices of a ring: entries [consumer, producer), at most as many as it has slots. */
struct glass_span {
	u32 consumer, producer;
};

/* Entries that are in a ring. */
static inline struct glass_span glass_ring_span(const struct glass_ring *ring, u32 consumer)
{
	return (struct glass_span){ consumer, consumer + glass_ring_used(ring, consumer) };
}

/* dump_cq.c: the line of a CQ or SRQ, and its ring's indices at that moment. Take the lock. */
struct glass_span glass_cq_row(struct glass_row *r, struct glass_cq *cq);
struct glass_span glass_srq_row(struct glass_row *r, struct glass_srq *srq);

/* dump_port.c: ports; the switch, its ports and tables. Under the fabric's lock. */
void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp);
void glass_swport_row(struct glass_row *r, struct glass_fabric *fabric, u32 port);
void glass_mft_row(struct glass_row *r, u32 num_ports, u32 index, const u64 *set);
void glass_switch_row(struct glass_row *r, struct glass_fabric *fabric);
/* Any context: does a LID lead anywhere? */
bool glass_lft_used(const struct glass_fabric *fabric, u32 lid);

/* dump_drops.c: transport and operation, "rc_send_only" */
void glass_row_opcode(struct glass_row *r, u32 column, u8 opcode);

/* dump_mcast.c: the line of a group */
struct glass_mcast_info;
void glass_mcast_row(struct glass_row *r, const struct glass_mcast_info *g);

#endif
