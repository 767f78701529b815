/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The PortInfo attribute (IBA 14.2.5.6); used by the SMA alone. */
#ifndef GLASS_MGMT_PORTINFO_H
#define GLASS_MGMT_PORTINFO_H

#include "mgmt/node.h"

/*
 * Set(PortInfo). data: the 64 bytes of the attribute in the request. Applies all of them or, if any
 * value is not allowed, nothing. The port's current value is always allowed. Returns a status word
 * (GLASS_MS_*); adds GLASS_CHG_* bits to *chg.
 */
u16 glass_portinfo_set(struct glass_node *n, struct glass_port *p, const u8 data[64], u32 *chg);

#endif
