/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Services of the layer above links: declared here, defined by the engine. Call them without locks.
 */
#ifndef GLASS_LINK_ENV_H
#define GLASS_LINK_ENV_H

#include "model/links.h"

struct glass_run;

void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);
/* Delivers a multicast packet to the sending HCA's own members, if it has any. */
void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/* Reports a change of a port; changes of one port come one at a time. Any context. */
void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c);

#endif
