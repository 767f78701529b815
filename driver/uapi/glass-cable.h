/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The words of netdev cables, as tables. A netdev cable joins a port of the fabric to a port of
 * another host's fabric; the packets travel in frames of a network interface (docs/hosts.md).
 */
#ifndef GLASS_UAPI_CABLE_H
#define GLASS_UAPI_CABLE_H

#define GLASS_NETCABLES_MAX 64 /* netdev cables of one fabric */
#define GLASS_CABLE_SILENCE_MS 3000 /* default of silence= */
#define GLASS_CABLE_SILENCE_MIN_MS 100
#define GLASS_CABLE_SILENCE_MAX_MS 60000

/* States of a netdev cable: X(NAME, word) */
#define GLASS_CABLE_STATES(X)                                                                      \
	X(NO_CARRIER, no_carrier) /* the interface is down, or has no carrier */                   \
	X(SILENT, silent) /* no hello has arrived for the time silence= */                         \
	X(HEARD, heard) /* the peer's hello has arrived, but the peer has not answered ours */     \
	X(UP, up) /* both sides have answered each other */

/* Reasons why a netdev cable is not up, or is disturbed: X(NAME, word) */
#define GLASS_CABLE_TROUBLES(X)                                                                    \
	X(NONE, none)                                                                              \
	X(SMALL_MTU, small_mtu) /* the MTU of the interface is below GLASS_FRAME_MTU(256) */       \
	X(SAME_GUID, same_guid) /* the peer's node GUID is that of a node of this fabric */        \
	X(SELF, self) /* the interface receives what this cable itself has sent */                 \
	X(VERSION, version) /* the other side speaks another version of the frames */              \
	X(THIRD, third) /* a third port says hello on the same wire */                             \
	X(PEER_DOWN, peer_down) /* the port at the other side is disabled, or its cable pulled */

/*
 * The rules that each received frame must keep, in the order in which they are tested. A frame that
 * breaks a rule is dropped, and counts in the column of that name of fabric/netdevs. From
 * bad_length on, a rule is for each packet of a frame, and packets are dropped and counted.
 */
#define GLASS_COLUMNS_CABLE_RULES(X)                                                               \
	X(bad_short, num, "the frame is shorter than its header")                                  \
	X(bad_version, num, "the frame has another version")                                       \
	X(bad_kind, num, "the frame is of an unknown kind")                                        \
	X(bad_header, num, "a field of the frame's header has a value that it cannot have")        \
	X(bad_hello, num, "a hello is too short, or one of its fields is wrong")                   \
	X(bad_untrained, num, "packets came while the cable was not up")                           \
	X(bad_stranger, num, "packets came from another MAC address than the peer's")              \
	X(bad_session, num, "packets belong to an earlier session")                                \
	X(bad_overrun, num, "too many frames wait to be processed")                                \
	X(bad_length, num, "a packet's length does not fit its frame or its headers")              \
	X(bad_vl, num, "a packet is of a virtual lane other than 0 and 15")                        \
	X(bad_lrh, num, "a packet's LRH is wrong")                                                 \
	X(bad_grh, num, "a packet's GRH is wrong")                                                 \
	X(bad_vcrc, num, "a packet's VCRC is wrong")                                               \
	X(bad_icrc, num, "a packet's ICRC is wrong")                                               \
	X(bad_bth, num, "a packet's BTH has an unknown opcode or transport version")               \
	X(bad_mtu, num, "a packet has more payload than the MTU of the link")                      \
	X(bad_mixed, num, "packets of one frame are for different LIDs or queue pairs")

#define GLASS_E_CABLE_STATE(n, w) GLASS_CABLE_##n,
#define GLASS_E_CABLE_TROUBLE(n, w) GLASS_TROUBLE_##n,
#define GLASS_E_CABLE_RULE(name, unit, meaning) GLASS_RULE_##name,

enum glass_cable_state { GLASS_CABLE_STATES(GLASS_E_CABLE_STATE) GLASS_CABLE_STATE_COUNT };
enum glass_cable_trouble { GLASS_CABLE_TROUBLES(GLASS_E_CABLE_TROUBLE) GLASS_TROUBLE_COUNT };
/* GLASS_RULE_NONE: the frame keeps all rules that were tested so far */
enum glass_cable_rule {
	GLASS_RULE_NONE,
	GLASS_COLUMNS_CABLE_RULES(GLASS_E_CABLE_RULE) GLASS_RULE_COUNT
};

#endif
