/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Columns that tools add to those of debugfs (driver/uapi/glass-columns.h). Their values come from
 * netlink and sysfs, or are computed. The form is the same: X(name, unit, meaning). Filters accept
 * these columns, too. A name has one meaning everywhere, also among the fields of
 * driver/uapi/glass-fields.h.
 *
 * Units besides those of glass-columns.h: rate (a count per second), byte_rate (bytes per second),
 * fill (used of max; per cent in filters), spark (the latest values of the object's activity; not
 * in filters), mark (new, gone or empty).
 */
#ifndef GLASS_LIB_COLUMNS_H
#define GLASS_LIB_COLUMNS_H

/* The first columns of every view */
#define TOP_COLUMNS_ALL(X)                                                                         \
	X(mark, mark, "new or gone since the previous refresh; else empty")                        \
	X(dev, text, "device")

/* For objects that move data: rates since the previous refresh */
#define TOP_COLUMNS_RATES(X)                                                                       \
	X(tx_msgs_s, rate, "messages sent per second")                                             \
	X(rx_msgs_s, rate, "messages received per second")                                         \
	X(tx_bytes_s, byte_rate, "payload sent per second")                                        \
	X(rx_bytes_s, byte_rate, "payload received per second")                                    \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(retries_s, rate, "times per second that a requester went back and sent again")           \
	X(rnr_s, rate, "RNR NAKs sent and received per second")                                    \
	X(drops_s, rate, "packets dropped per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second in both directions, at the last refreshes")

/* How many objects of each kind belong to this one */
#define TOP_COLUMNS_COUNTS(X)                                                                      \
	X(nctx, num, "user contexts")                                                              \
	X(npd, num, "protection domains")                                                          \
	X(nmr, num, "memory regions")                                                              \
	X(ncq, num, "completion queues")                                                           \
	X(nsrq, num, "shared receive queues")                                                      \
	X(nqp, num, "queue pairs")                                                                 \
	X(nah, num, "address handles")                                                             \
	X(nmw, num, "memory windows")                                                              \
	X(ndm, num, "pieces of device memory")                                                     \
	X(nxrcd, num, "XRC domains")                                                               \
	X(ncm, num, "connection identifiers")

#define TOP_COLUMNS_PROCESS(X)                                                                     \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "name of the process")                                                       \
	X(owner, text, "user who runs it")                                                               \
	TOP_COLUMNS_COUNTS(X)                                                                      \
	X(grown, signed, "objects that it has more than when ibtop first saw it")                  \
	X(pinned, bytes, "memory registered")                                                      \
	X(err_qps, num, "queue pairs in ERR or SQE")                                               \
	X(stuck_qps, num, "queue pairs that wait for something and made no progress since the previous refresh") \
	X(age, ns, "age of its oldest object")                                                     \
	TOP_COLUMNS_RATES(X)                                                                       \
	X(wait, text, "what the queue pair that has waited longest waits for")

#define TOP_COLUMNS_DEVICE(X)                                                                      \
	X(health, text, "ok, or what failed")                                                      \
	X(driver, text, "driver of the device")                                                    \
	X(sources, text, "sources of its values: netlink, sysfs, debugfs")                         \
	X(node_type, text, "type of the node: ca, switch ...")                                     \
	X(node_guid, text, "GUID of the node")                                                     \
	X(fw, text, "version of firmware or driver")                                               \
	X(ports, num, "number of ports")                                                           \
	X(ports_active, num, "of these, active")                                                   \
	TOP_COLUMNS_COUNTS(X)                                                                      \
	X(err_qps, num, "queue pairs in ERR or SQE")                                               \
	TOP_COLUMNS_RATES(X)

#define TOP_COLUMNS_PORT(X)                                                                        \
	X(link_layer, text, "InfiniBand or Ethernet")                                              \
	X(netdev, text, "network device behind the port")                                          \
	X(link_rate, text, "speed of the link")                                                         \
	X(retries, num, "times that a requester went back and sent again; from the hardware counters") \
	X(rnr_naks, num, "RNR NAKs sent and received; from the hardware counters")                 \
	X(drops, num, "packets dropped; from the hardware counters")                               \
	X(errors, num, "errors counted")                                                           \
	X(tx_bytes_s, byte_rate, "data sent per second")                                           \
	X(rx_bytes_s, byte_rate, "data received per second")                                       \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(retries_s, rate, "times per second that a requester went back and sent again; from the hardware counters") \
	X(rnr_s, rate, "RNR NAKs sent and received per second; from the hardware counters")        \
	X(drops_s, rate, "packets dropped per second")                                             \
	X(errors_s, rate, "errors counted per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second in both directions, at the last refreshes")

#define TOP_COLUMNS_QP(X)                                                                          \
	X(sq_fill, fill, "send queue: work requests posted and not completed, of what it can hold") \
	X(rq_fill, fill, "receive queue: receives posted, of what it can hold")                    \
	X(sq_full_in, ns, "time until the send queue is full, at the present rate")                \
	X(rq_dry_in, ns, "time until the receive queue is empty, at the present rate")             \
	TOP_COLUMNS_RATES(X)                                                                       \
	X(idle, ns, "time since ibtop last saw it make progress")                                  \
	X(wait, text, "what it waits for, in words")

#define TOP_COLUMNS_CQ(X)                                                                          \
	X(fill, fill, "completions not polled, of what it can hold")                               \
	X(full_in, ns, "time until it overruns, at the present rate")                              \
	X(users, num, "queue pairs that complete into it")                                         \
	X(cqes_s, rate, "completions per second")                                                  \
	X(errors_s, rate, "completions with an error per second")                                  \
	X(events_s, rate, "completion events per second")                                          \
	X(activity, spark, "completions per second, at the last refreshes")                        \
	X(idle, ns, "time since ibtop last saw it change")

#define TOP_COLUMNS_SRQ(X)                                                                         \
	X(fill, fill, "receives posted, of what it can hold")                                      \
	X(dry_in, ns, "time until it is empty, at the present rate")                               \
	X(wrs_s, rate, "receives taken per second")                                                \
	X(activity, spark, "receives taken per second, at the last refreshes")                     \
	X(idle, ns, "time since ibtop last saw it change")

#define TOP_COLUMNS_MR(X)                                                                          \
	X(reads_s, rate, "RDMA READs served per second")                                           \
	X(writes_s, rate, "RDMA WRITE packets per second")                                         \
	X(atomics_s, rate, "atomic operations per second")                                         \
	X(activity, spark, "reads_s, writes_s and atomics_s together, at the last refreshes")      \
	X(idle, ns, "time since ibtop last saw a remote access")

#define TOP_COLUMNS_PD(X) X(pinned, bytes, "memory registered in it")

#define TOP_COLUMNS_UCONTEXT(X)                                                                    \
	X(nmw, num, "memory windows")                                                              \
	X(ndm, num, "pieces of device memory")                                                     \
	X(pinned, bytes, "memory registered through it")                                           \
	X(grown, signed, "objects that it has more than when ibtop first saw it")

#define TOP_COLUMNS_AH(X)

#define TOP_COLUMNS_MW(X)

#define TOP_COLUMNS_DM(X)

#define TOP_COLUMNS_XRCD(X)

#define TOP_COLUMNS_CM_ID(X)                                                                       \
	X(cm_idn, num, "number of the connection identifier")                                      \
	X(qpn, hex, "its queue pair")                                                              \
	X(qptype, word, "type of the queue pair")                                                  \
	X(cm_state, text, "state of the connection")                                               \
	X(port_space, text, "tcp udp ib ipoib")                                                    \
	X(port, num, "number of the port")                                                         \
	X(src, text, "own address and port")                                                       \
	X(dst, text, "address and port of the peer")                                               \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "name of the process")

#define TOP_COLUMNS_LINT(X)                                                                        \
	X(code, text, "stable code of the finding")                                                \
	X(severity, text, "error, warning, portability, speed, leak or security")                  \
	X(kind, word, "kind of object")                                                            \
	X(num, num, "number of the object")                                                        \
	X(pid, num, "process")                                                                     \
	X(comm, text, "name of the process")                                                       \
	X(count, num, "how often it was found")                                                    \
	X(text, text, "what happened, in a sentence")                                              \
	X(id, num, "number that the driver gave the finding")                                      \
	X(peer, ref, "the other side, if it is on this machine and involved")                      \
	X(advice, text, "what to do")

#define TOP_COLUMNS_INJECT(X)                                                                      \
	X(rule, text, "name of the rule")                                                          \
	X(action, word, "action of the rule")                                                      \
	X(hit, num, "how often it fired")                                                          \
	X(eligible, num, "how often its selectors matched within its time limits")                 \
	X(hits_s, rate, "firings per second")                                                      \
	X(over, text, "why it has ended; - while it acts")                                         \
	X(spec, text, "the rule itself")

#define TOP_COLUMNS_EVENT(X)                                                                       \
	X(seq, num, "number of the event, from 1")                                                 \
	X(when, ns, "when it happened, CLOCK_MONOTONIC; if ibtop noticed it: time of that refresh") \
	X(age, ns, "time since then")                                                              \
	X(what, text, "new gone state error port inject drop source")                              \
	X(kind, word, "kind of object")                                                            \
	X(num, num, "number of the object")                                                        \
	X(pid, num, "process")                                                                     \
	X(comm, text, "name of the process")                                                       \
	X(text, text, "what happened")

/* For views with objects of several kinds: the tree, and the possible leaks */
#define TOP_COLUMNS_TREE(X)                                                                        \
	X(object, text, "kind and number")                                                         \
	X(state, word, "state")                                                                    \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "name of the process")                                                       \
	X(age, ns, "time since the object was created")                                            \
	X(idle, ns, "time since ibtop last saw it change")                                         \
	X(fill, fill, "fill level of a QP's send queue, of a CQ, or of an SRQ")                    \
	X(ops_s, rate, "messages, completions, receives or remote accesses per second")             \
	X(bytes_s, byte_rate, "payload per second, both ways")                                     \
	X(size, bytes, "memory registered (region), bound (window) or allocated (device memory)")  \
	X(activity, spark, "its activity at the last refreshes")                                   \
	X(wait, text, "what it waits for, in words")

#define TOP_COLUMNS_SHARE(X)                                                                       \
	X(owner, text, "name of the user")

#define TOP_COLUMNS_FNODE(X)                                                                       \
	X(ports_active, num, "of these, active")                                                   \
	TOP_COLUMNS_FABRIC(X)

#define TOP_COLUMNS_FPORT(X) TOP_COLUMNS_FABRIC(X)

/* Of the ports of the fabric, and of a node: the sums of its ports, of a switch without port 0 */
#define TOP_COLUMNS_FABRIC(X)                                                                      \
	X(errors, num, "errors counted")                                                           \
	X(tx_bytes_s, byte_rate, "data sent per second")                                           \
	X(rx_bytes_s, byte_rate, "data received per second")                                       \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(errors_s, rate, "errors counted per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second in both directions, at the last refreshes")

#define TOP_COLUMNS_FCABLE(X)                                                                      \
	X(errors, num, "errors counted at both ends")                                              \
	X(ab_bytes_s, byte_rate, "data sent from a to b per second")                               \
	X(ba_bytes_s, byte_rate, "data sent from b to a per second")                               \
	X(ab_pkts_s, rate, "packets sent from a to b per second")                                  \
	X(ba_pkts_s, rate, "packets sent from b to a per second")                                  \
	X(errors_s, rate, "errors counted at both ends per second")                                \
	X(activity, spark, "bytes per second in both directions, at the last refreshes")

#define TOP_COLUMNS_NETCABLE(X)                                                                    \
	X(errors, num, "errors counted")                                                           \
	X(tx_bytes_s, byte_rate, "data sent per second")                                           \
	X(rx_bytes_s, byte_rate, "data received per second")                                       \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(errors_s, rate, "errors counted per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second in both directions, at the last refreshes")

/* Of each address of each port */
#define TOP_COLUMNS_GID(X)                                                                         \
	X(port, num, "number of the port")                                                         \
	X(index, num, "index into the table; empty entries are left out")                          \
	X(gid, gid, "GID")                                                                         \
	X(gid_type, text, "IB, RoCE v1 or RoCE v2: what packets with this GID look like")          \
	X(address, text, "the IP address that the GID stands for; ports of Ethernet")              \
	X(netdev, text, "network interface that has the address")

/* The columns of all tables, for code that needs only names and units */
#define TOP_COLUMNS_OF_ALL(X)                                                                      \
	TOP_COLUMNS_ALL(X) TOP_COLUMNS_PROCESS(X) TOP_COLUMNS_DEVICE(X) TOP_COLUMNS_PORT(X)        \
	TOP_COLUMNS_QP(X) TOP_COLUMNS_CQ(X) TOP_COLUMNS_SRQ(X) TOP_COLUMNS_MR(X) TOP_COLUMNS_PD(X) \
	TOP_COLUMNS_UCONTEXT(X) TOP_COLUMNS_AH(X) TOP_COLUMNS_MW(X) TOP_COLUMNS_DM(X)              \
	TOP_COLUMNS_XRCD(X) TOP_COLUMNS_CM_ID(X) TOP_COLUMNS_LINT(X) TOP_COLUMNS_INJECT(X) TOP_COLUMNS_EVENT(X) TOP_COLUMNS_TREE(X) TOP_COLUMNS_SHARE(X) \
	TOP_COLUMNS_FNODE(X) TOP_COLUMNS_FPORT(X) TOP_COLUMNS_FCABLE(X) TOP_COLUMNS_NETCABLE(X) \
	TOP_COLUMNS_GID(X)

#endif
