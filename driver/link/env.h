/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What links ask of the layer above them, the engine, which defines it. No lock is held. */
#ifndef GLASS_LINK_ENV_H
#define GLASS_LINK_ENV_H

#include "model/links.h"

struct glass_run;

void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);
/* The copy of a multicast packet that an HCA makes for its own members, if it has some. */
void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/* Of one port, one at a time. Any context. */
void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c);

#endif
