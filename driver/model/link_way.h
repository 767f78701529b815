/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_MODEL_LINK_WAY_H
#define GLASS_MODEL_LINK_WAY_H

#include <linux/types.h>

struct glass_link_port;
struct glass_port;

/* The most switches on a way that a struct glass_link_way describes */
#define GLASS_WAY_SWITCHES 4

/*
 * A way from one port to another through switches, which glass_link_pass() has found, and remembers for the next packet. It is
 * used only under the fabric's lock, and only while glass_fabric.reshapes has the same value: then the switches exist, and
 * the cables are the same. All zero: none.
 */
struct glass_link_way {
	const struct glass_link_port *from, *to;
	u32 reshapes;
	u32 num_hops;
	struct {
		struct glass_port *in, *out;
		const u32 *generation; /* of the switch's tables */
	} hop[GLASS_WAY_SWITCHES];
};

#endif
