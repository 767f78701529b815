/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The performance management agent (PMA) of a node (IBA 16.1). */
#ifndef GLASS_MGMT_PMA_H
#define GLASS_MGMT_PMA_H

#include "mgmt/node.h"

/* ClassPortInfo capability mask (IBA 16.1.3.1) */
#define GLASS_PMA_CAP_ALL_PORTS BIT(8)
#define GLASS_PMA_CAP_EXT_WIDTH BIT(9)
#define GLASS_PMA_CAP_XMIT_WAIT BIT(12)

/*
 * Answers one MAD of the performance management class. in_port is the port at which the MAD
 * arrived. `in` and `out` must not overlap. Returns GLASS_MAD_REPLY: the answer is in `out`.
 * Returns GLASS_MAD_IGNORE if the MAD is of another class, is a response or a trap, or if the node
 * has no port in_port.
 */
enum glass_mad_result glass_pma_process(struct glass_node *n, u32 in_port, const u8 in[256],
					u8 out[256]);

#endif
