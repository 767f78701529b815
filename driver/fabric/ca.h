/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A passive channel adapter: a node with ports, a subnet management agent and a performance
 * management agent, but without a device and without queue pairs for programs. It sends only
 * answers and traps. There is no lock here: the owner of the node serialises all calls.
 */
#ifndef GLASS_FABRIC_CA_H
#define GLASS_FABRIC_CA_H

#include "fabric/agent.h"

/*
 * Handles a packet that arrived at port in_port of a passive adapter, and counts it. An answer
 * leaves by the same port. The owner sets ca->now before the call, for M_Key leases. *out gets the
 * verdict: GLASS_FWD_DROP, GLASS_FWD_CONSUMED (a multicast packet or a TrapRepress), or
 * GLASS_FWD_MAD.
 */
void glass_ca_rx(struct glass_node *ca, u32 in_port, const struct glass_pkt *pkt,
		 struct glass_fwd *out);

/*
 * If a trap of the adapter is pending, and the port that sends it has a LID and an SM LID, returns
 * true. *out then gets the verdict on the trap: GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`.
 * Otherwise returns false. The trap remains pending, and the owner repeats the call, as for
 * glass_switch_trap().
 */
bool glass_ca_trap(struct glass_node *ca, struct glass_fwd *out);

#endif
