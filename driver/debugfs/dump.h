/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions that the object tables (dump_*.c) and inspect share. Most of them fill rows (row.h). */
#ifndef GLASS_DEBUGFS_DUMP_H
#define GLASS_DEBUGFS_DUMP_H

#include "debugfs/row.h"
#include "model/ring.h"
#include "uapi/glass-inspect.h"

/*
 * dump_qp.c: these two functions together fill the row of a QP. Call glass_qp_row() first, under
 * the QP's lock. The argument `port` is the port of a QP0 or QP1, and 0 for any other QP; `now` is
 * ktime_get_ns(). Then call glass_qp_row_rest() without the lock. glass_qp_row_rest() adds the
 * owner, and adds the peer if a device of this host has the destination LID.
 */
void glass_qp_row(struct glass_row *r, const struct glass_qp *qp, u32 port, u64 now);
void glass_qp_row_rest(struct glass_row *r, const struct glass_qp *qp);

/*
 * waits.c: returns the event that a QP waits for (GLASS_WAITS). `now` is ktime_get_ns(). The caller
 * holds the QP's lock.
 */
enum glass_wait glass_qp_waits(const struct glass_qp *qp, u64 now);

/*
 * A span of entries in a ring: those with the free-running indices `consumer` to `producer` - 1. A
 * span never has more entries than the ring has slots.
 */
struct glass_span {
	u32 consumer, producer;
};

/* Returns the posted entries of a ring, from the index `consumer` on. */
static inline struct glass_span glass_ring_span(const struct glass_ring *ring, u32 consumer)
{
	return (struct glass_span){ consumer, consumer + glass_ring_used(ring, consumer) };
}

/*
 * dump_cq.c: each function fills a row, and returns the entries that were in the ring at that time.
 * For a CQ, these are the unpolled completions; for an SRQ, the posted receives. Each function
 * takes the lock of its CQ or SRQ.
 */
struct glass_span glass_cq_row(struct glass_row *r, struct glass_cq *cq);
struct glass_span glass_srq_row(struct glass_row *r, struct glass_srq *srq);

/* dump_port.c: fills the row of an adapter's port. The caller holds the fabric's lock. */
void glass_port_row(struct glass_row *r, const struct glass_hca_port *hp);

/* dump_port.c: the words of port states and of speeds. A state without a word has NULL. */
extern const char *const glass_port_state_words[GLASS_PORT_STATE_COUNT];
extern const char *const glass_speed_words[GLASS_LANE_SPEED_COUNT];

/*
 * dump_port.c: these functions set columns of the tables of ports. The caller holds the fabric's
 * lock.
 *
 * glass_row_end() sets `column` to the name of the port at `end`, such as "glass0:1" or
 * "switch0:3". The function leaves the column unset if there is no cable (end.node is NULL), or if
 * the port belongs to an HCA that is not plugged in. glass_row_speed() sets the columns `width` and
 * `speed` if the link is up. glass_row_counters() sets the columns of
 * GLASS_COLUMNS_SWPORT_COUNTERS, and glass_row_rest() those of GLASS_COLUMNS_PORT_REST. For both,
 * `first` is the first of these columns.
 */
void glass_row_end(struct glass_row *r, u32 column, struct glass_net_end end);
void glass_row_speed(struct glass_row *r, u32 width, u32 speed, const struct glass_port *p);
void glass_row_counters(struct glass_row *r, u32 first, const struct glass_port *p);
void glass_row_rest(struct glass_row *r, u32 first, const struct glass_port *p);

/*
 * dump_switch.c: fill the row of a switch, of a port of a switch, or of an entry of a multicast
 * forwarding table. The caller of the first two functions holds the fabric's lock. The arguments
 * `number` and `num_ports` of glass_mft_row() are the number of the switch, and the number of its
 * ports. `index` is MLID - GLASS_LID_MCAST_BASE, and `set` has the ports of the entry as bits.
 */
void glass_switch_row(struct glass_row *r, const struct glass_fabric_node *n);
void glass_swport_row(struct glass_row *r, const struct glass_fabric_node *n, u32 port);
void glass_mft_row(struct glass_row *r, u32 number, u32 num_ports, u32 index, const u64 *set);
/* Does the switch's linear forwarding table have a port for this LID? Any context. */
bool glass_lft_used(const struct glass_switch *sw, u32 lid);
/*
 * Returns the switch with the lowest number that is at least *number, and sets *number to that
 * number. Returns NULL if there is none. The caller is in an SRCU read section of f->walks.
 */
struct glass_fabric_node *glass_switch_from(struct glass_fabric *f, u32 *number);

/*
 * dump_fabric.c: creates the directory fabric/ in `root`. Its files need no device. The caller
 * removes `root`, and these files with it, before the fabric f is freed. After the removal, the
 * caller calls glass_fabric_files_gone().
 */
void glass_fabric_files(struct dentry *root, struct glass_fabric *f);
void glass_fabric_files_gone(void);

/* dump_netcable.c: creates the file netdevs in fabric/, the table of the netdev cables. */
void glass_netcable_files(struct dentry *dir, struct glass_fabric *f);

/* dump_ether.c: creates the file ethernet in fabric/, the table of the Ethernet ports. */
void glass_ether_files(struct dentry *dir, struct glass_fabric *f);

/*
 * dump_drops.c: sets `column` to the transport and the operation of a BTH opcode, such as
 * "rc_send_only". For an unknown opcode, sets the column to its number, such as "0x7f".
 */
void glass_row_opcode(struct glass_row *r, u32 column, u8 opcode);

/*
 * dump_drops.c: sets the columns of the table `droplog` to an entry of the log. first: the first of
 * these columns.
 */
void glass_droplog_row(struct glass_row *r, u32 first, const struct glass_dropped *e);

/* dump_mcast.c: fills the row of a multicast group. Any context. */
struct glass_mcast_info;
void glass_mcast_row(struct glass_row *r, const struct glass_mcast_info *g);

#endif
