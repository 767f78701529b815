/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Ethernet ports (RoCEv2): the rules for received datagrams, and the table fabric/ethernet. */
#ifndef GLASS_UAPI_ETHER_H
#define GLASS_UAPI_ETHER_H

/*
 * The rules for datagrams to UDP port 4791, in the order of the tests: X(name, unit, meaning). A
 * datagram that breaks a rule is dropped, and counts in the column of that name of fabric/ethernet.
 */
#define GLASS_COLUMNS_ROCE_RULES(X)                                                                \
	X(bad_gid, num, "the destination is no GID of a port, and no multicast group: a broadcast") \
	X(bad_short, num, "the datagram is shorter than the shortest packet")                      \
	X(bad_overrun, num, "the datagrams that wait have all the memory that they may have")      \
	X(bad_ip, num, "IPv4 has options, IPv6 has extension headers, or IP has another version")  \
	X(bad_length, num, "the lengths of IP, UDP, headers, payload and padding do not agree")    \
	X(bad_icrc, num, "the ICRC is wrong")                                                      \
	X(bad_bth, num, "the BTH has another version or a reserved opcode")                        \
	X(bad_dqpn, num, "the packet is for QP0, which an Ethernet port does not have")            \
	X(bad_down, num, "the port is down")

/* fabric/ethernet: the Ethernet ports */
#define GLASS_COLUMNS_ETHER(X)                                                                     \
	X(dev, text, "the device")                                                                 \
	X(netdev, text, "name of its network interface")                                           \
	X(netns, num, "inode number of the network namespace of the interface")                    \
	X(ifindex, num, "index of the interface there")                                            \
	X(netdev_mtu, bytes, "MTU of the interface")                                               \
	X(mac, text, "address of the interface")                                                   \
	X(state, word, "state of the port: down active; - while the device is unplugged")          \
	X(gids, num, "entries of its GID table that are in use")                                   \
	X(tx_packets, num, "packets that were passed to the kernel's IP")                          \
	X(tx_bytes, bytes, "bytes of these packets, from the BTH to the padding")                  \
	X(tx_no_route, num, "packets that were not sent: the source is no GID of the port, or no route leads to the destination") \
	X(tx_dropped, num, "packets that were not sent: no memory, or a queue was full")           \
	X(waits, num, "how often a queue pair waited because too many datagrams were on their way") \
	X(flight, bytes, "memory of the datagrams that are on their way now")                      \
	X(rx_packets, num, "packets that were received, and kept the rules")                       \
	X(rx_bytes, bytes, "bytes of these packets, from the BTH to the ICRC")                     \
	GLASS_COLUMNS_ROCE_RULES(X)

#define GLASS_E_ROCE_RULE(name, unit, meaning) GLASS_ROCE_##name,

/* GLASS_ROCE_OK: the datagram keeps all rules that were tested so far */
enum glass_roce_rule {
	GLASS_ROCE_OK,
	GLASS_COLUMNS_ROCE_RULES(GLASS_E_ROCE_RULE) GLASS_ROCE_RULE_COUNT
};

#endif
