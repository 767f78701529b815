/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions of the layer above links, the engine. They are declared here and defined in engine/.
 * Links call them with no lock held.
 */
#ifndef GLASS_LINK_ENV_H
#define GLASS_LINK_ENV_H

#include "model/links.h"

struct glass_run;

/*
 * Receives a packet that has arrived at an HCA's port. run: the sending context's
 * (engine/engine.h), or NULL. Process context.
 */
void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);
/*
 * As glass_port_receive(), but lp is the port that has sent the packet, a multicast. Does nothing
 * unless a QP of this port is a member of the group.
 */
void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/* Reports a change of a port to consumers. Calls for one port never overlap. Any context. */
void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c);

#endif
