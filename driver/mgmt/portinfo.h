/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Set of the PortInfo attribute (IBA 14.2.5.6), for the subnet management agent (sma.c). */
#ifndef GLASS_MGMT_PORTINFO_H
#define GLASS_MGMT_PORTINFO_H

#include "mgmt/node.h"

/*
 * Carries out Set(PortInfo). data: the 64 bytes of the attribute in the request. If a value is not
 * allowed, changes nothing. The current value of a field is allowed, except INIT as port state and
 * LinkUp as physical state. Returns a status word (GLASS_MS_*), and adds GLASS_CHG_* bits to *chg,
 * without the port number.
 */
u16 glass_portinfo_set(struct glass_node *n, struct glass_port *p, const u8 data[64], u32 *chg);

#endif
