/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Traps that a node sends to its subnet manager (IBA 13.4.9, 14.2.5.1, 14.3). Each trap has its own
 * transaction ID. A trap is pending from its request until the subnet manager sends a TrapRepress
 * with this ID. A node has at most one pending trap of each number.
 */
#ifndef GLASS_MGMT_NOTICE_H
#define GLASS_MGMT_NOTICE_H

#include "mgmt/node.h"

#define GLASS_TRAP_LINK_STATE 128 /* the link state of a port of the switch has changed */
#define GLASS_TRAP_LOCAL_CHANGE 144 /* capability mask or description has changed */
#define GLASS_TRAP_BAD_MKEY 256 /* an SMP had a wrong M_Key */
#define GLASS_TRAP_BAD_PKEY 257 /* a packet for a port of this node had a wrong P_Key */
#define GLASS_TRAP_BAD_QKEY 258 /* a packet for a port of this node had a wrong Q_Key */
#define GLASS_TRAP_SWITCH_PKEY 259 /* an external port dropped a packet: wrong P_Key */

/*
 * Requests a trap of number 128 or 144. The trap replaces a pending trap of the same number. `port`
 * is the port that sends the trap; ignored for a switch, which sends traps from port 0.
 */
void glass_trap_request(struct glass_node *n, u32 port, u16 number);

/* ChangeFlags of a trap 144; 0: the capability mask has changed */
#define GLASS_LOCAL_DESC BIT(0) /* the node description */
#define GLASS_LOCAL_WIDTH BIT(1) /* the enabled widths */
#define GLASS_LOCAL_SPEED BIT(2) /* the enabled speeds */

/*
 * Requests a trap 144 with these flags (GLASS_LOCAL_*). The trap replaces a pending trap 144, and
 * also gets the flags of the trap that it replaces.
 */
void glass_trap_local_change(struct glass_node *n, u32 port, u16 flags);

/*
 * Each of the next three functions requests a trap about a violation: glass_trap_mkey() a trap 256,
 * glass_trap_key() a trap 257 or 258, glass_trap_switch_pkey() a trap 259. The function returns
 * true if it has requested the trap; then the node's owner must send it (glass_trap_build()). While
 * a trap of the same number is pending, the function does nothing and returns false: a flood of bad
 * packets must not change the transaction ID that the subnet manager is about to repress.
 *
 * glass_trap_mkey(): `smp` is the SMP with the wrong M_Key, and `slid` is the SLID of its packet.
 */
bool glass_trap_mkey(struct glass_node *n, u32 port, const u8 smp[256], u16 slid);
/*
 * `number` is GLASS_TRAP_BAD_PKEY or GLASS_TRAP_BAD_QKEY. `port` is the port that received the
 * packet.
 */
bool glass_trap_key(struct glass_node *n, u32 port, u16 number, const struct glass_pkt *pkt);
/*
 * `port` is the external port that dropped the packet. The function also returns false, and does
 * nothing, if the packet is a multicast and the subnet manager suppresses such traps
 * (MulticastPKeyTrapSuppressionEnabled).
 */
bool glass_trap_switch_pkey(struct glass_node *n, u32 port, const struct glass_pkt *pkt);

/*
 * Builds the SMP of a pending trap, a LID-routed Trap(Notice). Further calls take the pending traps
 * in turn. Until glass_sma_process() gets the TrapRepress, the trap remains pending, and the caller
 * builds and sends it again, at intervals of its choice. Returns false if no pending trap can be
 * sent: the port that sends a trap must have a LID and an SM LID. *port gets the number of the port
 * that sends the trap, 0 at a switch. The caller takes the SLID and the DLID of the SMP from `lid`
 * and `sm_lid` of this port.
 */
bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port);

/* Is a trap pending that can be sent, because its port has a LID and an SM LID? */
bool glass_trap_sendable(const struct glass_node *n);

/* A TrapRepress with this transaction ID has arrived: its trap is no longer pending. */
void glass_trap_repress(struct glass_node *n, u64 tid);

#endif
