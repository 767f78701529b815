/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The subnet management agent (SMA) of a channel adapter or switch (IBA 14.2 to 14.3). */
#ifndef GLASS_MGMT_SMA_H
#define GLASS_MGMT_SMA_H

#include "mgmt/node.h"

/* Flags of glass_sma_process() */
#define GLASS_SMA_NO_MKEY BIT(0) /* do not check the M_Key: the node's own host sends the SMP */

/*
 * Handles one SMP, LID routed or directed route. For a directed-route SMP, the caller handles the
 * hop pointer and the paths (dr.h); this function only sets the D bit in the answer. in_port is the
 * port at which the SMP arrived; 0 if the SMP comes from the switch's own host. The caller has set
 * n->now and n->smp_slid. `in` and `out` must not overlap. If the result is GLASS_MAD_REPLY, the
 * answer is in `out`. `flags` are GLASS_SMA_*. *changes gets GLASS_CHG_* bits with the port number,
 * or 0.
 */
enum glass_mad_result glass_sma_process(struct glass_node *n, u32 in_port, const u8 in[256],
					u8 out[256], u32 flags, u32 *changes);

/*
 * Writes a port's PortInfo (64 bytes), as in the answer to a Get with the right M_Key. in_port is
 * the value for LocalPortNum.
 */
void glass_sma_port_info(const struct glass_node *n, const struct glass_port *p, u32 in_port,
			 u8 data[64]);

#endif
