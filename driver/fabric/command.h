/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the commands that make and unmake the fabric: nodes and cables (docs/fabric-abi.md). The
 * owner of the fabric (link/ and hca.c) carries them out.
 */
#ifndef GLASS_FABRIC_COMMAND_H
#define GLASS_FABRIC_COMMAND_H

#include "mgmt/node.h"
#include "uapi/glass-fabric.h"

/* A node to be made. 0 as a number: the owner chooses the default. */
struct glass_node_spec {
	char name[GLASS_FABRIC_NAME_MAX + 1];
	u32 ports; /* number of ports; of a switch: without port 0 */
	u64 guid, sys_guid;
	bool has_sys_guid; /* sys_guid is valid, and may be 0 */
	bool enhanced; /* a switch: its port 0 is an enhanced one (IBA 18.2.4.3) */
	bool no_enforcement; /* a switch: it does not enforce partitions */
	u32 vendor_id, device_id;
	u8 width, speed, speed_ext; /* supported by the ports, as in PortInfo; 0: the default */
	bool has_desc; /* desc is valid */
	char desc[GLASS_NODE_DESC_BYTES + 1];
	/* GUIDs of the ports from port 1 on; of a switch: that of port 0 in port_guid[0] */
	u32 num_port_guids;
	u64 port_guid[GLASS_SWITCH_MAX_PORTS];
};

/* A port, by the name of its node. */
struct glass_port_name {
	char node[GLASS_FABRIC_NAME_MAX + 1];
	u32 port; /* from 1 on */
	u32 at, len; /* its place in the line */
};

/* The limits of a cable: bits of PortInfo, and an MTU code. */
struct glass_cable_spec {
	u8 width, speed, speed_ext, mtu;
	bool pulled;
};

/* A command. Which fields are valid depends on the verb. About 2 KiB: not for a stack. */
struct glass_fabric_command {
	u8 verb; /* enum glass_fabric_verb */
	struct glass_node_spec node; /* hca, ca, switch; remove: node.name only */
	u32 name_at, name_len; /* the place of the name in the line */
	u32 guid_at, guid_len; /* the place of guid=; len 0: it is not given */
	struct glass_port_name a, b; /* cable; uncable, pull, plug: a only */
	struct glass_cable_spec cable;
};

/* Why a command was refused. */
struct glass_fabric_error {
	u8 kind; /* enum glass_fabric_error_kind; GLASS_FE_NONE: there is no error */
	u32 at, len; /* offset and length in bytes of the wrong word; len 0: there is none */
	u64 low, high; /* bounds, both included, where the sentence names them */
};

/*
 * Parses a line (len bytes, without its newline). Returns 1: *c has the command; 0: the line is
 * empty or a comment, which begins with '#'; or -EINVAL: *e has the reason.
 */
int glass_fabric_parse(struct glass_fabric_command *c, struct glass_fabric_error *e,
		       const char *line, size_t len);

/* Sets *e. at, len: the wrong word in the line. */
void glass_fabric_error_set(struct glass_fabric_error *e, enum glass_fabric_error_kind kind, u32 at,
			    u32 len);
/* The word, the negative errno and the sentence of a kind of error. */
const char *glass_fabric_error_word(u8 kind);
int glass_fabric_error_errno(u8 kind);

#define GLASS_FABRIC_ERROR_TEXT 192
/* Writes the sentence of an error with its bounds: at most GLASS_FABRIC_ERROR_TEXT bytes with NUL. */
void glass_fabric_error_text(const struct glass_fabric_error *e, char to[GLASS_FABRIC_ERROR_TEXT]);

#endif
