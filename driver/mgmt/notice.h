/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Traps that a node sends to its subnet manager (IBA 13.4.9, 14.2.5.1, 14.3). */
#ifndef GLASS_MGMT_NOTICE_H
#define GLASS_MGMT_NOTICE_H

#include "mgmt/node.h"

#define GLASS_TRAP_LINK_STATE 128 /* the link state of a port of the switch has changed */
#define GLASS_TRAP_LOCAL_CHANGE 144 /* capability mask or description has changed */

/*
 * Requests a trap with this number (GLASS_TRAP_*). The request replaces one that is pending. It is
 * pending until the subnet manager sends a TrapRepress with the trap's transaction ID. port: the
 * port that sends the trap; ignored for a switch, which sends it from port 0.
 */
void glass_trap_request(struct glass_node *n, u32 port, u16 number);

/*
 * Builds the LID-routed Trap(Notice) SMP of the pending request. The request remains pending: the
 * caller builds and sends the trap again, at its own pace, until glass_sma_process() gets the
 * TrapRepress. False: no request is pending, or the port has no LID or no SM LID. *port gets the
 * number of the port (0 at a switch) whose lid, sm_lid and sm_sl the caller uses to send the trap.
 */
bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port);

#endif
