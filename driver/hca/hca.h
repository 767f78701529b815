/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Plugging in and unplugging of the HCAs of this host. */
#ifndef GLASS_HCA_H
#define GLASS_HCA_H

#include "fabric/command.h"
#include "model/links.h"

/*
 * glass_hcas_init() is called before the first HCA is plugged in. It returns 0 or a negative errno.
 * glass_hcas_exit() unplugs all HCAs. Both may sleep.
 */
int glass_hcas_init(struct glass_fabric *f);
void glass_hcas_exit(void);

/*
 * Plugs in an HCA that glass_fabric_add() has made: registers its InfiniBand device. Returns 0 or a
 * negative errno. May sleep. Called under fabric->making.
 */
int glass_hca_plug(struct glass_fabric_node *n);
/*
 * Unplugs an HCA for good: afterwards only the fabric refers to its node. Does nothing if the HCA
 * was never plugged in. May sleep. Called under fabric->making.
 */
void glass_hca_unplug(struct glass_fabric_node *n);

/*
 * link.c: `rdma link add NAME type glass netdev DEV` makes an HCA with an Ethernet port, and `rdma
 * link del NAME` removes it. The latter function also waits until HCAs whose interface is gone have
 * been removed. Both may sleep.
 */
void glass_links_init(struct glass_fabric *f);
void glass_links_exit(void);
/*
 * Makes an HCA with an Ethernet port, and plugs it in. The port is that of interface `netdev` of
 * `net`. spec->name is a legal name, and spec->ports is 1. Returns GLASS_FE_NONE or the reason why
 * not; then *error has the numbers of its sentence. May sleep. Called under fabric->making.
 */
enum glass_fabric_error_kind glass_link_add(const struct glass_node_spec *spec, struct net *net,
					    const char *netdev, struct glass_fabric_error *error);

#endif
