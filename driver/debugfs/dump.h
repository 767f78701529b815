/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions that the object tables (dump_*.c) and inspect share. Most of them fill rows (row.h). */
#ifndef GLASS_DEBUGFS_DUMP_H
#define GLASS_DEBUGFS_DUMP_H

#include "debugfs/row.h"
#include "model/ring.h"
#include "uapi/glass-inspect.h"

/*
 * dump_qp.c: two functions that together fill the row of a QP. Call glass_qp_row() first, under the
 * QP's lock. port: the port of a QP0 or QP1, else 0. now: ktime_get_ns(). Then call
 * glass_qp_row_rest() without the lock: it adds the owner and, if a device of this machine has the
 * destination LID, the peer.
 */
void glass_qp_row(struct glass_row *r, const struct glass_qp *qp, u32 port, u64 now);
void glass_qp_row_rest(struct glass_row *r, const struct glass_qp *qp);

/*
 * waits.c: returns the event that a QP waits for. now: ktime_get_ns(). The caller holds the QP's
 * lock.
 */
enum glass_wait glass_qp_waits(const struct glass_qp *qp, u64 now);

/*
 * Entries of a ring, by their free-running indices: from `consumer` on, up to but not including
 * `producer`. There are never more of them than the ring has slots.
 */
struct glass_span {
	u32 consumer, producer;
};

/* The posted entries of a ring from the index `consumer` on. */
static inline struct glass_span glass_ring_span(const struct glass_ring *ring, u32 consumer)
{
	return (struct glass_span){ consumer, consumer + glass_ring_used(ring, consumer) };
}

/*
 * dump_cq.c: fill the row of a CQ or SRQ, and return the entries that were in the ring at that
 * time: unpolled completions, or posted receives. These functions take the lock of the CQ or SRQ.
 */
struct glass_span glass_cq_row(struct glass_row *r, struct glass_cq *cq);
struct glass_span glass_srq_row(struct glass_row *r, struct glass_srq *srq);

/* dump_port.c: fills the row of an adapter's port. The caller holds the fabric's lock. */
void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp);

/* dump_port.c: words of port states (some may be NULL) and speeds. */
extern const char *const glass_port_state_words[GLASS_PORT_STATE_COUNT];
extern const char *const glass_speed_words[GLASS_LANE_SPEED_COUNT];

/*
 * dump_port.c: columns of the tables of ports. glass_row_end() sets `column` to the name of a port,
 * such as "glass0:1" or "switch0:3"; it leaves the column unset if end.node is NULL (no cable), or
 * if the port belongs to an HCA that is not plugged in. glass_row_speed() sets two columns if the
 * link is up. glass_row_counters() and glass_row_rest() set the columns of
 * GLASS_COLUMNS_SWPORT_COUNTERS and GLASS_COLUMNS_PORT_REST, which begin at `first`. The caller
 * holds the fabric's lock.
 */
void glass_row_end(struct glass_row *r, u32 column, struct glass_net_end end);
void glass_row_speed(struct glass_row *r, u32 width, u32 speed, const struct glass_port *p);
void glass_row_counters(struct glass_row *r, u32 first, const struct glass_port *p);
void glass_row_rest(struct glass_row *r, u32 first, const struct glass_port *p);

/*
 * dump_switch.c: fill the row of a switch, of its port, and of an entry of its multicast forwarding
 * table. number, num_ports: of the switch. index: MLID - GLASS_LID_MCAST_BASE. set: the ports of
 * the entry, as bits. The caller holds the fabric's lock, except for glass_mft_row().
 */
void glass_switch_row(struct glass_row *r, const struct glass_fabric_node *n);
void glass_swport_row(struct glass_row *r, const struct glass_fabric_node *n, u32 port);
void glass_mft_row(struct glass_row *r, u32 number, u32 num_ports, u32 index, const u64 *set);
/* Has the LID a port in the switch's linear forwarding table? Any context. */
bool glass_lft_used(const struct glass_switch *sw, u32 lid);
/*
 * The switch with the lowest number that is at least *number, which becomes its number. NULL: there
 * is none. In a section of fabric->walks.
 */
struct glass_fabric_node *glass_switch_from(struct glass_fabric *f, u32 *number);

/*
 * dump_fabric.c: creates the directory fabric/ in `root`, whose files need no device. They are
 * removed with `root`, before the fabric f is freed. Then call glass_fabric_files_gone().
 */
void glass_fabric_files(struct dentry *root, struct glass_fabric *f);
void glass_fabric_files_gone(void);

/*
 * dump_drops.c: sets `column` to the transport and the operation of a BTH opcode, such as
 * "rc_send_only". If the opcode is unknown, sets it to the number, such as "0x7f".
 */
void glass_row_opcode(struct glass_row *r, u32 column, u8 opcode);

/* dump_mcast.c: fills the row of a multicast group. Any context. */
struct glass_mcast_info;
void glass_mcast_row(struct glass_row *r, const struct glass_mcast_info *g);

#endif
