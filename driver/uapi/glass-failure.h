/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The black box: what the driver keeps of the failures of QPs, CQs and SRQs.
 *
 * A failure is the first error of an object: a completion in error that is not a flush, an
 * asynchronous error event, or a move of a QP to ERR or SQE. Later errors of the object add no
 * failure. A QP that a program moves to RESET begins anew.
 *
 * /sys/kernel/debug/glass/failures is the table GLASS_COLUMNS_FAILURE. A write of "clear" to this
 * file removes all failures.
 *
 * /sys/kernel/debug/glass/failure tells one failure in full: write its id to an open file, then
 * read the story from the same open file. A story consists of blocks. The first line of a block is
 * "# glass 1 NAME: ...". The blocks are, in this order:
 *
 *   failure    "# glass 1 failure: ID", then lines "key: value": the columns of the table, without
 *              those that do not apply
 *   local      "# glass 1 local: DEVICE qp 0x11" (or cq 3, srq 1), then the output of inspect
 *              (glass-inspect.h) for the object that failed, without its first line
 *   remote     the same for the peer; only if the QP is connected to a QP of this host that exists
 *   tables     GLASS_STORY_TABLES: the first line has the names of the columns, each further line
 *              has one row, as in the tables of glass-columns.h
 *
 * New blocks may come at the end. Columns are added only at the end of a table.
 */
#ifndef GLASS_UAPI_FAILURE_H
#define GLASS_UAPI_FAILURE_H

#include "glass-columns.h"

#define GLASS_FAILURES_MAX 256 /* failures that are kept */
#define GLASS_FAILURES_WAITING 32 /* failures whose stories are not written yet */
#define GLASS_STORY_BYTES (65 * 1024) /* the largest story */
#define GLASS_STORY_REQUESTS 16 /* work requests, receives and CQEs that local and remote have */
#define GLASS_STORY_PACKETS 32 /* packets of each end before the failure */
#define GLASS_STORY_LATER 16 /* packets after the failure */
#define GLASS_STORY_LATER_NS 2000000 /* time for which packets after the failure are awaited */
/* If the packet that brought the failure is not recorded then, it is awaited: 6 times, 254 ms in all */
#define GLASS_STORY_WAITS 7

/* How an object failed: X(NAME, word, value, meaning) */
#define GLASS_FAILURE_KINDS(X)                                                                     \
	X(COMPLETION, completion, 0, "a work request completed with an error that is no flush")    \
	X(EVENT, event, 1, "the object raised an event, or failed with its CQ, its SRQ or the adapter") \
	X(VERB, verb, 2, "its program moved the QP to ERR while sends were outstanding")

/* Evidence that a story lacks: X(NAME, word, value, meaning) */
#define GLASS_FAILURE_MISSING(X)                                                                   \
	X(BUSY, busy, 0, "too many failures waited: this row is all that is kept")                 \
	X(MEMORY, memory, 1, "memory was short: a block is missing")                               \
	X(SPACE, space, 2, "a block was too long: its end is missing")                             \
	X(RECORDER, recorder, 3, "the flight recorder was off or frozen: packets are missing")     \
	X(OVERWRITTEN, overwritten, 4,                                                             \
	  "the flight recorder no longer had all packets since the oldest request was posted")     \
	X(PEER, peer, 5,                                                                           \
	  "the peer was not found: no adapter of this host has its LID, or several have it, in different subnets") \
	X(OBJECT, object, 6, "the object was being destroyed: its state is missing")               \
	X(GONE_QPS, gone_qps, 7,                                                                   \
	  "the log of destroyed QPs was overwritten: what became of a QP is not known")            \
	X(KEYS, keys, 8, "the log of dead keys was overwritten: what became of a key is not known") \
	X(DLID_PORT, dlid_port, 9,                                                                 \
	  "the port with the destination LID is not known: several have it, or it may be behind a netdev cable") \
	X(CONNECTED, connected, 10,                                                                \
	  "too many QPs, or several network namespaces have its address: which QPs are connected to the QP that failed is not known")

/* How a QP was destroyed, or a memory key stopped to work: X(NAME, word, value, meaning) */
#define GLASS_GONE_HOWS(X)                                                                         \
	X(DESTROY, destroy, 0, "a program, or a kernel consumer, destroyed the QP")                \
	X(CLOSE, close, 1, "the context that had it was closed")                                   \
	X(EXIT, exit, 2, "the process that had it ended, or was killed")                           \
	X(UNPLUG, unplug, 3, "the adapter was unplugged")                                          \
	X(DEREG, dereg, 4, "the region was deregistered, or the window deallocated")               \
	X(LOCAL_INV, local_inv, 5, "a LOCAL_INV of its own program")                               \
	X(SEND_INV, send_inv, 6, "a SEND with Invalidate of the peer")                             \
	X(REREG, rereg, 7, "rereg_mr: the key remains, its memory, rights or PD were others before") \
	X(BIND, bind, 8, "the window was bound anew, under another key, or its binding was ended") \
	X(NEVER, never, 9,                                                                         \
	  "there is no such QP or key, and there was none, at least since the object that failed was created")

#define GLASS_E_GONE_HOW(n, w, v, meaning) GLASS_GONE_##n = (v),

enum glass_gone_how { GLASS_GONE_HOWS(GLASS_E_GONE_HOW) GLASS_GONE_COUNT };

/* The causes for which the state of a port changed last: X(NAME, word, value, meaning) */
#define GLASS_PORT_CHANGES(X)                                                                      \
	X(NONE, none, 0, "nothing yet")                                                            \
	X(UP, up, 1, "its link came up: a cable or adapter was plugged in, or the other end answers") \
	X(SM, sm, 2, "a Set of a subnet manager")                                                  \
	X(VERB, verb, 3, "a modify_port of this host")                                             \
	X(RULE, rule, 4, "an injection rule")                                                      \
	X(CABLE_CUT, cable_cut, 5, "its cable was removed")                                        \
	X(CABLE_PULLED, cable_pulled, 6, "its cable was pulled")                                   \
	X(UNPLUG, unplug, 7, "the adapter at the other end of its cable was unplugged")            \
	X(NETDEV_GONE, netdev_gone, 8, "the network interface of its cable is gone")               \
	X(CARRIER, carrier, 9, "the network interface of its cable lost its carrier")              \
	X(SILENCE, silence, 10, "the other end of its netdev cable is silent")                     \
	X(PEER, peer, 11, "the other end of its netdev cable took the link down, or began anew")   \
	X(INTERFACE, interface, 12, "its own network interface came up, went down, or lost its carrier; an Ethernet port")

#define GLASS_E_PORT_CHANGE(n, w, v, meaning) GLASS_PORT_BY_##n = (v),

enum glass_port_change_by { GLASS_PORT_CHANGES(GLASS_E_PORT_CHANGE) GLASS_PORT_BY_COUNT };

#define GLASS_E_FAILURE_KIND(n, w, v, meaning) GLASS_FAILURE_##n = (v),
#define GLASS_E_FAILURE_MISSING(n, w, v, meaning) GLASS_MISSING_##n = (v),

enum glass_failure_kind { GLASS_FAILURE_KINDS(GLASS_E_FAILURE_KIND) GLASS_FAILURE_KIND_COUNT };
enum glass_failure_missing {
	GLASS_FAILURE_MISSING(GLASS_E_FAILURE_MISSING) GLASS_MISSING_COUNT
};

/* The table of failures, oldest first */
#define GLASS_COLUMNS_FAILURE(X)                                                                   \
	X(id, num, "number of the failure, from 1")                                                \
	X(when, ns, "when it happened, CLOCK_MONOTONIC")                                           \
	X(age, ns, "time since then")                                                              \
	X(real, ns, "when it happened, CLOCK_REALTIME")                                            \
	X(dev, text, "adapter of the object")                                                      \
	X(kind, word, "completion event verb")                                                     \
	X(object, word, "what failed: qp cq srq")                                                  \
	X(num, hex, "number of the object")                                                        \
	X(qptype, word, "type of the QP")                                                          \
	X(port, num, "port of the QP")                                                             \
	X(state, word, "state of the object afterwards: a state of a QP; err for a CQ or SRQ")     \
	X(status, word, "status of the completion; kind completion")                               \
	X(event, word, "event that was raised")                                                    \
	X(cause, word, "first cause, as in the table of QPs")                                      \
	X(op, word, "operation of the work request, or recv for a receive")                        \
	X(wr_id, hex, "wr_id of the work request")                                                 \
	X(psn, num, "PSN of the packet that failed, or of the oldest packet without an answer")    \
	X(syndrome, hex, "AETH syndrome that was received or sent")                                \
	X(pid, num, "process that created the object; 0 is the kernel")                            \
	X(comm, text, "name of that process when it created the object")                           \
	X(uid, num, "user that pays for the object")                                               \
	X(peer_dev, text, "adapter of this host that has the LID of the peer")                     \
	X(peer_qpn, hex, "QP to which this QP is connected")                                       \
	X(peer_pid, num, "process that created the peer; if the peer exists")                      \
	X(peer_comm, text, "name of that process")                                                 \
	X(packets, num, "packets in the story")                                                    \
	X(bytes, bytes, "memory of the story")                                                     \
	X(missing, word, "evidence that the story lacks: words of GLASS_FAILURE_MISSING, joined by ','; - none") \
	X(dlid_port, ref, "port of the fabric that has the LID to which the QP sends, as node:port; none: no port has it") \
	X(connected, num, "QPs of this host that are connected to the QP that failed")             \
	X(stack, num, "call stack of the post of the work request")                                \
	X(queue, word, "what failed first, and took the object with it: cq srq")                   \
	X(queue_num, hex, "its number")                                                            \
	X(queue_cause, word, "its cause, as in the row of its own failure; injected: a rule made it fail")

/* The tables of a story: X(name, COLUMNS) */
#define GLASS_STORY_TABLES(X)                                                                      \
	X(packets, GLASS_COLUMNS_STORY_PACKET)                                                     \
	X(drops, GLASS_COLUMNS_STORY_DROP)                                                         \
	X(journal, GLASS_COLUMNS_STORY_FIRING)                                                     \
	X(gone_qps, GLASS_COLUMNS_STORY_GONE_QP)                                                   \
	X(keys, GLASS_COLUMNS_STORY_KEY)                                                           \
	X(processes, GLASS_COLUMNS_STORY_PROCESS)                                                  \
	X(connected, GLASS_COLUMNS_STORY_CONNECTED)                                                \
	X(ports, GLASS_COLUMNS_STORY_PORT)                                                         \
	X(routes, GLASS_COLUMNS_STORY_ROUTE)                                                       \
	X(network, GLASS_COLUMNS_STORY_NETWORK)                                                    \
	X(rules, GLASS_COLUMNS_STORY_RULE)                                                         \
	X(lint, GLASS_COLUMNS_STORY_LINT)

/* packets: the last packets of both ends, by time, from the flight recorder */
#define GLASS_COLUMNS_STORY_PACKET(X)                                                              \
	X(when, ns, "when it was sent, CLOCK_MONOTONIC")                                           \
	X(age, ns, "time from then until the story was complete")                                  \
	X(dir, word, "tx: the QP that failed sent it; rx: the peer sent it, or it was for the QP that failed") \
	X(op, word, "transport and operation: rc_send_only ...")                                   \
	X(psn, num, "PSN")                                                                         \
	X(packets, num, "packets that this row stands for: a train has consecutive PSNs")          \
	X(len, bytes, "payload of all of them")                                                    \
	X(dqpn, hex, "destination QP")                                                             \
	X(slid, num, "source LID")                                                                 \
	X(dlid, num, "destination LID")                                                            \
	X(pkey, hex, "P_Key")                                                                      \
	X(flags, word, "ackreq solicited mig grh raw forged")                                      \
	X(va, hex, "remote address; requests that name memory")                                    \
	X(rkey, hex, "R_Key; requests that name memory")                                           \
	X(dlen, bytes, "DMA length; READs and WRITEs")                                             \
	X(syndrome, hex, "AETH syndrome; responses")                                               \
	X(msn, num, "message sequence number; responses")                                          \
	X(imm, hex, "immediate data")                                                              \
	X(flow, hex, "flow of the work request it belongs to")                                     \
	X(wr_id, hex, "wr_id of that work request")                                                \
	X(tx_dev, text, "adapter that sent it; - if no adapter of this host did")                  \
	X(tx_port, num, "port that sent it")                                                       \
	X(tx_qpn, hex, "QP that sent it")                                                          \
	X(tx_reason, word, "drop reason at the sender or on the way; none: it was not dropped there") \
	X(rx_dev, text, "adapter at which it arrived; - if it did not arrive")                     \
	X(rx_port, num, "port at which it arrived")                                                \
	X(rx_qpn, hex, "QP that got it")                                                           \
	X(rx_reason, word, "drop reason at the receiver; none: it was not dropped there")          \
	X(inv_key, hex, "R_Key to invalidate; SENDs with invalidate")                              \
	X(qkey, hex, "Q_Key; datagrams")                                                           \
	X(sqpn, hex, "source QP; datagrams")                                                       \
	X(srqn, hex, "SRQ at the peer; XRC requests")

/*
 * drops: entries of the logs of dropped packets of both adapters that concern the two QPs; of each
 * the last 24, or of one adapter the last 48
 */
#define GLASS_COLUMNS_STORY_DROP(X)                                                                \
	X(dev, text, "adapter that counted the drop")                                              \
	GLASS_COLUMNS_DROPLOG(X)

/*
 * journal: the last firings of injection rules on the two ends, and on their ports and adapters,
 * since the object that failed was created; of the last 1024 firings of an adapter at most eight: the
 * last ones until the failure, and the first four after it
 */
#define GLASS_COLUMNS_STORY_FIRING(X)                                                              \
	X(dev, text, "adapter whose rule fired")                                                   \
	X(seq, num, "number of the firing in inject/journal of that adapter")                      \
	X(when, ns, "when it fired, CLOCK_MONOTONIC")                                              \
	X(rule, text, "name of the rule")                                                          \
	X(act, word, "what it did: its action")                                                    \
	X(site, word, "on what: packet completion verb object; object: also a port, or the adapter")                                    \
	X(qpn, hex, "QP of that adapter")                                                          \
	X(dir, word, "tx rx; a packet")                                                            \
	X(psn, num, "PSN; a packet")                                                               \
	X(wr_id, hex, "wr_id; a completion")                                                       \
	X(delay, ns, "how long; act delay")                                                        \
	X(pid, num, "process of the QP or object, or the one that called the verb; 0 is the kernel") \
	X(comm, text, "name of that process")                                                      \
	X(set_pid, num, "process that added the rule")                                             \
	X(set_by, text, "name of that process")                                                    \
	X(set_uid, num, "its user")

/*
 * gone_qps: QPs that are destroyed, and had the number of the peer, or a number to which a packet
 * went that found no QP. Of each number the last four, newest first. A number that no QP had has a
 * row with how=never. If that is not known, there is no row, and `missing` says gone_qps.
 */
#define GLASS_COLUMNS_STORY_GONE_QP(X)                                                             \
	X(dev, text, "adapter of the QP")                                                          \
	X(qpn, hex, "its number")                                                                  \
	X(qptype, word, "its type")                                                                \
	X(state, word, "its state at the end")                                                     \
	X(when, ns, "when it was destroyed, CLOCK_MONOTONIC")                                      \
	X(age, ns, "time since then")                                                              \
	X(how, word, "destroy close exit unplug; never")                                                  \
	X(born, ns, "when it was created, CLOCK_MONOTONIC")                                        \
	X(pid, num, "process that created it; 0 is the kernel")                                    \
	X(comm, text, "name of that process when it created it")                                   \
	X(uid, num, "user that paid for it")                                                       \
	X(signal, num, "signal that killed the process; how exit")                                 \
	X(dest_qpn, hex, "QP to which it was connected")                                           \
	X(stack, num, "call stack of the verb that destroyed it")                                  \
	X(state_when, ns, "when it came into that state, CLOCK_MONOTONIC")                         \
	X(state_before, word, "its state before that one")                                         \
	X(error, word, "cause of its first error since its creation or last RESET, as first_cause in the table of QPs; none")

/*
 * keys: the keys in packets and in the oldest request, and the region or window that has the key,
 * or had it last. A key that was never valid has gone_how=never. If it is not known what a key was,
 * gone_how is -, and `missing` says keys.
 */
#define GLASS_COLUMNS_STORY_KEY(X)                                                                 \
	X(dev, text, "adapter on which the key is looked up")                                      \
	X(key, hex, "the key")                                                                     \
	X(found, word, "yes; no; other_pd: of another PD than the QP; lkey: it is an L_Key, used as R_Key") \
	X(kind, word, "user dma fast dm dmabuf odp, as in the table of regions, or window")        \
	X(pd, num, "protection domain of the region or window")                                    \
	X(addr, hex, "first address that the key maps")                                            \
	X(len, bytes, "length")                                                                    \
	X(access, word, "access that it grants")                                                   \
	X(state, word, "valid invalid bound unbound; while it exists")                             \
	X(pid, num, "process that created it")                                                     \
	X(comm, text, "name of that process")                                                      \
	X(gone_when, ns, "when the key stopped to work last, CLOCK_MONOTONIC")                     \
	X(gone_how, word, "dereg local_inv send_inv rereg bind close exit unplug; never")                 \
	X(gone_pid, num, "process that ended it")                                                  \
	X(gone_comm, text, "name of that process")                                                 \
	X(qp_pd, num, "protection domain of the QP that is accessed")                              \
	X(gone_signal, num, "signal that killed the process; gone_how exit")                      \
	X(gone_stack, num, "call stack of the verb that ended it, or of the post of the request")

/*
 * processes: the processes that created the two ends, in their states at the failure; also that of a
 * peer that is gone (gone_qps)
 */
#define GLASS_COLUMNS_STORY_PROCESS(X)                                                             \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "its name when it created the object")                                       \
	X(role, word, "local: of the object that failed; remote: of the peer")                     \
	X(state, word, "running sleeping stopped zombie gone")                                     \
	X(uid, num, "user that pays for the object")

/* connected: QPs of this host that are connected to the QP that failed; the first of them */
#define GLASS_COLUMNS_STORY_CONNECTED(X)                                                           \
	X(dev, text, "adapter of the QP")                                                          \
	X(port, num, "port of the QP")                                                             \
	X(qpn, hex, "its number")                                                                  \
	X(lid, num, "LID of that port")                                                            \
	X(state, word, "state of the QP")                                                          \
	X(pid, num, "process that created it; 0 is the kernel")                                    \
	X(comm, text, "name of that process when it created it")

/*
 * ports: the ports of both ends, those of the switches on the way, and those where packets of
 * `drops` found a port down. The way is the one at the time when the story was written.
 */
#define GLASS_COLUMNS_STORY_PORT(X)                                                                \
	X(node, text, "adapter or switch")                                                         \
	X(port, num, "its port")                                                                   \
	X(state, word, "down init armed active; - if the adapter is unplugged")                    \
	X(phys, num, "physical state: 1 sleep, 2 polling, 3 disabled, 5 linkup")                   \
	X(lid, num, "its LID")                                                                     \
	X(sm_lid, num, "LID of its subnet manager; 0 is none")                                     \
	X(cable, ref, "other end of its cable, as node:port")                                      \
	X(netdev, text, "network interface of its netdev cable, or of an Ethernet port")           \
	X(when, ns, "last change of its state, CLOCK_MONOTONIC")                                   \
	X(age, ns, "time since then")                                                              \
	X(what, word, "what changed it: a word of GLASS_PORT_CHANGES")

/*
 * routes: if a switch of `drops` has no route to a LID: where its route led before, and the way from
 * there on; a row for each switch, in the order of the way
 */
#define GLASS_COLUMNS_STORY_ROUTE(X)                                                               \
	X(node, text, "switch")                                                                    \
	X(lid, num, "LID to which the route led")                                                  \
	X(port, num, "port of the switch by which it led, or leads")                               \
	X(lost, ns, "when the subnet manager took it away, CLOCK_MONOTONIC; -: it did not")        \
	X(age, ns, "time since then")                                                              \
	X(to, ref, "other end of the cable of that port, as node:port")

/*
 * network: what the kernel's networking knows of the way of a connected QP of an Ethernet port, when
 * the story was written
 */
#define GLASS_COLUMNS_STORY_NETWORK(X)                                                             \
	X(dev, text, "adapter of the QP that failed")                                              \
	X(sgid, gid, "GID from which it sends; ::ffff:A.B.C.D is the IPv4 address A.B.C.D")        \
	X(dgid, gid, "GID to which it sends")                                                      \
	X(own, word, "yes: the port has the GID sgid; no: it has not, or no longer")               \
	X(netdev, text, "network interface that has the address sgid")                             \
	X(route, word, "yes: a route by this interface leads to dgid; no: none does (IPv4 then takes dgid for one on the link: yes)") \
	X(errno, num, "error of the search for a route; route no")                                 \
	X(hop, gid, "address of the next hop: dgid itself, or a gateway")                          \
	X(neighbour, word, "what the kernel knows of the next hop: none, nothing; incomplete, it asks and has no answer; failed, nobody answered; reachable stale delay probe permanent noarp, a MAC address")

/*
 * rules: injection rules of both adapters that are in force and may match one of the two QPs, or
 * act on their ports or adapters; of each adapter the oldest eight
 */
#define GLASS_COLUMNS_STORY_RULE(X)                                                                \
	X(dev, text, "adapter")                                                                    \
	X(rule, text, "name of the rule")                                                          \
	X(act, word, "what it does: its action")                                                   \
	X(hit, num, "how often it fired")                                                          \
	X(set, ns, "when it was added, CLOCK_MONOTONIC")                                           \
	X(set_pid, num, "process that added it")                                                   \
	X(set_by, text, "name of that process")                                                    \
	X(set_uid, num, "its user")                                                                \
	X(text, text, "the rule as it was added, without its name; at most 160 bytes")

/*
 * lint: findings in the two processes, of both adapters; of each adapter at most eight of its last
 * 64
 */
#define GLASS_COLUMNS_STORY_LINT(X)                                                                \
	X(dev, text, "adapter")                                                                    \
	X(id, num, "number of the finding in lint/findings of that adapter")                       \
	X(code, word, "GL and the number of the code in three digits, as GL001")                   \
	X(count, num, "how often it was found")                                                    \
	X(last, ns, "when it was found last, CLOCK_MONOTONIC")                                     \
	X(pid, num, "process")                                                                     \
	X(comm, text, "name of that process")                                                      \
	X(text, text, "what is wrong; at most 120 bytes")

#endif
