/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Traps that a node sends to its subnet manager (IBA 13.4.9, 14.2.5.1, 14.3). */
#ifndef GLASS_MGMT_NOTICE_H
#define GLASS_MGMT_NOTICE_H

#include "mgmt/node.h"

#define GLASS_TRAP_LINK_STATE 128 /* a port of this switch changed state */
#define GLASS_TRAP_LOCAL_CHANGE 144 /* capability mask or description changed */

/* Requests a trap; the request remains until TrapRepress comes. */
void glass_trap_request(struct glass_node *n, u32 port, u16 number);

/*
 * Builds the LID-routed Trap(Notice) SMP of the pending request, and leaves that pending: the
 * caller sends it again, at its own pace, until TrapRepress comes (glass_sma_process() handles
 * that). Returns false when no request is pending, or when the port has no SM to send to. *port
 * gets the port whose lid, sm_lid and sm_sl to use (port 0 at a switch).
 */
bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port);

#endif
