/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Traps that a node sends to its subnet manager (IBA 13.4.9, 14.2.5.1, 14.3). A node has at most
 * one pending trap of each number. Each has its own transaction ID, and is pending until the subnet
 * manager sends a TrapRepress with that ID.
 */
#ifndef GLASS_MGMT_NOTICE_H
#define GLASS_MGMT_NOTICE_H

#include "mgmt/node.h"

#define GLASS_TRAP_LINK_STATE 128 /* the link state of a port of the switch has changed */
#define GLASS_TRAP_LOCAL_CHANGE 144 /* capability mask or description has changed */
#define GLASS_TRAP_BAD_MKEY 256 /* an SMP had a wrong M_Key */
#define GLASS_TRAP_BAD_PKEY 257 /* a packet for a port of this node had a wrong P_Key */
#define GLASS_TRAP_BAD_QKEY 258 /* the same with the Q_Key */
#define GLASS_TRAP_SWITCH_PKEY 259 /* an external port of the switch dropped a wrong P_Key */

/*
 * Requests a trap 128 or 144. It replaces one of this number that is pending. port: the port that
 * sends the trap; ignored for a switch, which sends it from port 0.
 */
void glass_trap_request(struct glass_node *n, u32 port, u16 number);

/* The subject of a trap 144: ChangeFlags in its details. 0: the capability mask. */
#define GLASS_LOCAL_DESC BIT(0) /* the node description */
#define GLASS_LOCAL_WIDTH BIT(1) /* the enabled widths */
#define GLASS_LOCAL_SPEED BIT(2) /* the enabled speeds */

/*
 * Requests a trap 144 with these flags (GLASS_LOCAL_*). If one is pending, it gets the flags of
 * that one, too.
 */
void glass_trap_local_change(struct glass_node *n, u32 port, u16 flags);

/*
 * The next three request a trap 256, 257 or 258, or 259 about a violation. While a trap of that
 * number is pending, they do nothing: a flood of bad packets must not change the transaction ID
 * that the subnet manager is about to repress. True: a trap is pending now, and the owner must send
 * it.
 *
 * smp: the SMP with the wrong M_Key; slid: the SLID of its packet.
 */
bool glass_trap_mkey(struct glass_node *n, u32 port, const u8 smp[256], u16 slid);
/* number: GLASS_TRAP_BAD_PKEY or GLASS_TRAP_BAD_QKEY; port: the port that received the packet. */
bool glass_trap_key(struct glass_node *n, u32 port, u16 number, const struct glass_pkt *pkt);
/*
 * port: the external port that dropped the packet. Does nothing for a multicast packet if the
 * subnet manager suppresses such traps (MulticastPKeyTrapSuppressionEnabled).
 */
bool glass_trap_switch_pkey(struct glass_node *n, u32 port, const struct glass_pkt *pkt);

/*
 * Builds the LID-routed Trap(Notice) SMP of the next pending request, in turn. The request remains
 * pending: the caller builds and sends the trap again, at its own pace, until glass_sma_process()
 * gets the TrapRepress. False: no request is pending of which the port has a LID and an SM LID.
 * *port gets the number of the port (0 at a switch) whose lid, sm_lid and sm_sl the caller uses to
 * send the trap.
 */
bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port);

/* Is a request pending whose port has a LID and an SM LID, so that the trap can be sent? */
bool glass_trap_sendable(const struct glass_node *n);

/* A TrapRepress with this transaction ID has come: its trap is not pending any more. */
void glass_trap_repress(struct glass_node *n, u64 tid);

#endif
