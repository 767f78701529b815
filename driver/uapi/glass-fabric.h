/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The words of the fabric's commands (configfs: glass/commands), as tables. docs/fabric-abi.md has
 * the grammar.
 */
#ifndef GLASS_UAPI_FABRIC_H
#define GLASS_UAPI_FABRIC_H

#define GLASS_FABRIC_MAX_HCAS 32 /* libibumad opens at most 32 adapters of a host */
#define GLASS_FABRIC_MAX_HCA_PORTS 8
#define GLASS_FABRIC_MAX_NODES 65536 /* above the number of unicast LIDs of a subnet */
#define GLASS_FABRIC_NAME_MAX 31 /* bytes of the name of a node, without its NUL */
#define GLASS_FABRIC_NETDEV_MAX 15 /* bytes of the name of a network interface (IFNAMSIZ - 1) */
#define GLASS_FABRIC_WRITE 4095 /* one write(2) takes at most this many bytes of commands */

/* Commands: X(NAME, word) */
#define GLASS_FABRIC_VERBS(X)                                                                      \
	X(HCA, hca)                                                                                \
	X(CA, ca)                                                                                  \
	X(SWITCH, switch)                                                                          \
	X(CABLE, cable)                                                                            \
	X(UNCABLE, uncable)                                                                        \
	X(PULL, pull)                                                                              \
	X(PLUG, plug)                                                                              \
	X(REMOVE, remove)                                                                          \
	X(CLEAR, clear)

/*
 * Reasons for which a command is refused: X(NAME, word, errno of the write, sentence). In a
 * sentence, <low> and <high> stand for the bounds. Errno 0: it is <high>.
 */
#define GLASS_FABRIC_ERRORS(X)                                                                     \
	X(UNKNOWN_COMMAND, unknown_command, EINVAL,                                                \
	  "unknown command; there are hca, ca, switch, cable, uncable, pull, plug, remove and clear") \
	X(NO_NAME, no_name, EINVAL, "the name of the node is missing")                             \
	X(BAD_NAME, bad_name, EINVAL,                                                              \
	  "a name has 1 to 31 letters, digits and . _ -, begins with a letter or a digit, and is not fabric") \
	X(NO_END, no_end, EINVAL, "a port is missing; write NAME:PORT, or netdev=INTERFACE for the other end")                            \
	X(BAD_END, bad_end, EINVAL, "not a port; write NAME:PORT")                                 \
	X(EXTRA_WORD, extra_word, EINVAL, "the command takes no such word")                        \
	X(UNKNOWN_KEY, unknown_key, EINVAL, "the command has no such key")                         \
	X(GIVEN_TWICE, given_twice, EINVAL, "given twice")                                         \
	X(MANY_GUIDS, many_guids, EINVAL, "more GUIDs than ports (<high>)")                        \
	X(MISSING_KEY, missing_key, EINVAL, "ports= is missing")                                   \
	X(NO_NUMBER, no_number, EINVAL, "not a number (decimal or 0x)")                            \
	X(OUT_OF_RANGE, out_of_range, EINVAL, "out of range (<low> to <high>)")                    \
	X(UNKNOWN_WORD, unknown_word, EINVAL, "unknown value")                                     \
	X(BAD_TEXT, bad_text, EINVAL, "a text has at most <high> bytes, no NUL, and two hex digits after each %") \
	X(NAME_TAKEN, name_taken, EEXIST, "another node has this name")                            \
	X(GUID_TAKEN, guid_taken, EEXIST, "another node has this GUID")                            \
	X(TOO_MANY_HCAS, too_many_hcas, ENOSPC,                                                    \
	  "there are <high> HCAs already, and libibumad opens no more; make this node a ca")       \
	X(TOO_MANY_NODES, too_many_nodes, ENOSPC, "there are <high> nodes already")                \
	X(NO_NODE, no_node, ENOENT, "there is no node of this name")                               \
	X(NO_PORT, no_port, ENOENT, "the node has no such port (<low> to <high>)")                 \
	X(NO_CABLE, no_cable, ENOENT, "this port has no cable")                                    \
	X(HAS_CABLE, has_cable, EBUSY, "this port has a cable already")                            \
	X(ETHERNET, ethernet, EINVAL, "this is an Ethernet port, which has no cable")               \
	X(BAD_NETDEV, bad_netdev, EINVAL,                                                          \
	  "a network interface has a name of 1 to <high> bytes, without / and :")                  \
	X(ALONE, alone, EINVAL, "this key needs netdev=")                                          \
	X(NO_NETDEV, no_netdev, ENODEV,                                                            \
	  "this network namespace has no network interface of this name")                          \
	X(NOT_ETHERNET, not_ethernet, EINVAL, "this is no Ethernet interface")                     \
	X(NETDEV_TAKEN, netdev_taken, EBUSY, "another cable uses this network interface")          \
	X(TOO_MANY_NETDEVS, too_many_netdevs, ENOSPC, "there are <high> netdev cables already")    \
	X(SAME_PORT, same_port, EINVAL, "a cable needs two different ports")                       \
	X(NO_MEMORY, no_memory, ENOMEM, "memory is short")                                         \
	X(NO_DEVICE, no_device, 0,                                                                 \
	  "the InfiniBand device cannot be made: the kernel refused with errno <high>")            \
	X(LONG_LINE, long_line, E2BIG, "a line has at most <high> bytes, with its newline")        \
	X(ETHER_KEY, ether_key, EINVAL,                                                            \
	  "an HCA with netdev= has one port, and takes speed and width from its interface")        \
	X(ETHER_TAKEN, ether_taken, EBUSY, "this network interface has an Ethernet port already")  \
	X(VLAN, vlan, EOPNOTSUPP,                                                                  \
	  "this is a VLAN; its GIDs belong to the Ethernet port of the interface below it")        \
	X(UDP_PORT_TAKEN, udp_port_taken, EADDRINUSE,                                              \
	  "somebody else has UDP port 4791 in this network namespace; rdma_rxe takes it in the first one")

#define GLASS_E_FABRIC_VERB(n, w) GLASS_FABRIC_##n,
#define GLASS_E_FABRIC_ERROR(n, w, e, s) GLASS_FE_##n,

enum glass_fabric_verb { GLASS_FABRIC_VERBS(GLASS_E_FABRIC_VERB) GLASS_FABRIC_VERB_COUNT };
enum glass_fabric_error_kind {
	GLASS_FE_NONE,
	GLASS_FABRIC_ERRORS(GLASS_E_FABRIC_ERROR) GLASS_FE_COUNT
};

#endif
