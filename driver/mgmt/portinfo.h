/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Set of the PortInfo attribute (IBA 14.2.5.6), for the subnet management agent (sma.c). */
#ifndef GLASS_MGMT_PORTINFO_H
#define GLASS_MGMT_PORTINFO_H

#include "mgmt/node.h"

/*
 * Carries out Set(PortInfo). data is the 64 bytes of the attribute in the request. If a value is
 * not allowed, nothing changes. The present value of a field is always allowed, with two
 * exceptions: INIT as port state, and LinkUp as physical state. Returns a status word (GLASS_MS_*),
 * and adds GLASS_CHG_* bits, without the port number, to *chg.
 */
u16 glass_portinfo_set(struct glass_node *n, struct glass_port *p, const u8 data[64], u32 *chg);

#endif
