/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A passive channel adapter: a node with ports, a subnet management agent and a performance
 * management agent, but without a device and without queue pairs for programs. It sends answers and
 * traps only. No locks: the owner of the node serialises all calls.
 */
#ifndef GLASS_FABRIC_CA_H
#define GLASS_FABRIC_CA_H

#include "fabric/agent.h"

/*
 * Handles a packet that arrived at port in_port of a passive adapter, and counts it. An answer
 * leaves by the same port (GLASS_FWD_MAD). The owner sets ca->now before, for M_Key leases. *out
 * gets the verdict: DROP, CONSUMED (a multicast packet, or a TrapRepress) or MAD.
 */
void glass_ca_rx(struct glass_node *ca, u32 in_port, const struct glass_pkt *pkt,
		 struct glass_fwd *out);

/*
 * Is a trap of the adapter pending, and has its port a LID and an SM LID, so that it can send the
 * trap? If so, *out gets the verdict on the trap: GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. The
 * trap remains pending, and the owner repeats the call, as for glass_switch_trap().
 */
bool glass_ca_trap(struct glass_node *ca, struct glass_fwd *out);

#endif
