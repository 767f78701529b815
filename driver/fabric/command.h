/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the commands that make and unmake the fabric: nodes and cables (docs/fabric-abi.md).
 * configfs/do.c carries them out.
 */
#ifndef GLASS_FABRIC_COMMAND_H
#define GLASS_FABRIC_COMMAND_H

#include "mgmt/node.h"
#include "uapi/glass-fabric.h"

/* A node to be made. If a number is 0, the owner of the fabric uses its default. */
struct glass_node_spec {
	char name[GLASS_FABRIC_NAME_MAX + 1];
	u32 ports; /* number of ports, without port 0 of a switch */
	u64 guid, sys_guid;
	bool has_sys_guid; /* sys_guid is valid, and may be 0 */
	bool enhanced; /* a switch whose port 0 is an enhanced one (IBA 18.2.4.3) */
	bool no_enforcement; /* a switch that does not enforce partitions */
	u32 vendor_id, device_id;
	u8 width, speed, speed_ext; /* values that the ports support, as in PortInfo; 0: default */
	bool has_desc; /* desc is valid */
	char desc[GLASS_NODE_DESC_BYTES + 1];
	/* port GUIDs: port_guid[0] is for port 1 of an HCA or CA, or for port 0 of a switch */
	u32 num_port_guids;
	u64 port_guid[GLASS_SWITCH_MAX_PORTS];
};

/* A port, by the name of its node. */
struct glass_port_name {
	char node[GLASS_FABRIC_NAME_MAX + 1];
	u32 port; /* from 1 on */
	u32 at, len; /* its place in the line */
};

/* The limits of a cable: bits as in PortInfo, and enum glass_mtu_code */
struct glass_cable_spec {
	u8 width, speed, speed_ext, mtu;
	bool pulled;
	/*
	 * The network interface of a netdev cable, or of an HCA with an Ethernet port. Empty: another
	 * cable, or an HCA with InfiniBand ports.
	 */
	char netdev[GLASS_FABRIC_NETDEV_MAX + 1];
	u32 netdev_at, netdev_len; /* the place of that name in the line */
	u32 silence_ms; /* a peer that says nothing for this time is gone */
	bool vcrc; /* never leave out the VCRC */
};

/*
 * A command. The verb decides which fields are valid. The struct has about 2 KiB: do not put it on
 * a stack.
 */
struct glass_fabric_command {
	u8 verb; /* enum glass_fabric_verb */
	struct glass_node_spec node; /* hca, ca, switch; remove: node.name only */
	u32 name_at, name_len; /* the place of the name in the line */
	/* the place of the value of guid= in the line; guid_len 0: it is not given */
	u32 guid_at, guid_len;
	/* the ends of a cable; uncable, pull, plug and a netdev cable have only `a` */
	struct glass_port_name a, b;
	struct glass_cable_spec cable; /* hca: only the fields netdev* */
};

/* Why a command was refused. */
struct glass_fabric_error {
	u8 kind; /* enum glass_fabric_error_kind; GLASS_FE_NONE: there is no error */
	u32 at, len; /* offset and length (bytes) of the wrong word; len 0: there is no such word */
	/* the bounds that the error's sentence names, both included; GLASS_FE_NO_DEVICE: high is a positive errno */
	u64 low, high;
};

/*
 * Parses a line of len bytes, without its newline. Returns 1 if *c has the command. Returns 0 if
 * the line is empty or its first word begins with '#', which is a comment. Returns -EINVAL if the
 * line is wrong; *e has the reason.
 */
int glass_fabric_parse(struct glass_fabric_command *c, struct glass_fabric_error *e,
		       const char *line, size_t len);

/* May a node have this name? */
bool glass_fabric_name_ok(const char *name);

/* Sets *e to an error of this kind. `at` and `len` are the place of the wrong word in the line. */
void glass_fabric_error_set(struct glass_fabric_error *e, enum glass_fabric_error_kind kind, u32 at,
			    u32 len);
/* Sets *e for an HCA that cannot be plugged in. err: a negative errno. */
void glass_fabric_error_device(struct glass_fabric_error *e, int err);
/* Returns the word of a kind of error. */
const char *glass_fabric_error_word(u8 kind);
/* Returns the negative errno of an error. */
int glass_fabric_error_errno(const struct glass_fabric_error *e);

#define GLASS_FABRIC_ERROR_TEXT 192
/*
 * Writes the sentence of an error to `to`, with e->low and e->high filled in. Writes at most
 * GLASS_FABRIC_ERROR_TEXT bytes, including the NUL.
 */
void glass_fabric_error_text(const struct glass_fabric_error *e, char to[GLASS_FABRIC_ERROR_TEXT]);

#endif
