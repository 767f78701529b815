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
	X(mark, mark, "new or gone since the refresh before; nothing otherwise")                   \
	X(dev, text, "device")

/* For objects that move data: rates since the previous refresh */
#define TOP_COLUMNS_RATES(X)                                                                       \
	X(tx_msgs_s, rate, "messages sent per second")                                             \
	X(rx_msgs_s, rate, "messages received per second")                                         \
	X(tx_bytes_s, byte_rate, "payload sent per second")                                        \
	X(rx_bytes_s, byte_rate, "payload received per second")                                    \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(retries_s, rate, "transmissions begun again per second")                                 \
	X(rnr_s, rate, "RNR NAKs sent and received per second")                                    \
	X(drops_s, rate, "packets dropped per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second both ways, the last refreshes")

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
	X(grown, signed, "objects more than when ibtop saw it first")                              \
	X(pinned, bytes, "memory registered")                                                      \
	X(err_qps, num, "queue pairs in ERR or SQE")                                               \
	X(stuck_qps, num, "queue pairs that wait for something and moved nothing since the refresh before") \
	X(age, ns, "age of its oldest object")                                                     \
	TOP_COLUMNS_RATES(X)                                                                       \
	X(wait, text, "what the queue pair waits for that waits longest")

#define TOP_COLUMNS_DEVICE(X)                                                                      \
	X(health, text, "ok, or what failed")                                                      \
	X(driver, text, "driver of the device")                                                    \
	X(sources, text, "where its numbers come from: netlink, sysfs, debugfs")                   \
	X(node_type, text, "what the device is")                                                   \
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
	X(retries, num, "transmissions begun again; of the hardware counters")                     \
	X(rnr_naks, num, "RNR NAKs sent and received; of the hardware counters")                   \
	X(drops, num, "packets dropped; of the hardware counters")                                 \
	X(errors, num, "errors counted")                                                           \
	X(tx_bytes_s, byte_rate, "data sent per second")                                           \
	X(rx_bytes_s, byte_rate, "data received per second")                                       \
	X(tx_pkts_s, rate, "packets sent per second")                                              \
	X(rx_pkts_s, rate, "packets received per second")                                          \
	X(retries_s, rate, "transmissions begun again per second; of the hardware counters")       \
	X(rnr_s, rate, "RNR NAKs sent and received per second; of the hardware counters")          \
	X(drops_s, rate, "packets dropped per second")                                             \
	X(errors_s, rate, "errors counted per second")                                             \
	X(tx_peak, byte_rate, "the highest tx_bytes_s seen")                                       \
	X(rx_peak, byte_rate, "the highest rx_bytes_s seen")                                       \
	X(activity, spark, "bytes per second both ways, the last refreshes")

#define TOP_COLUMNS_QP(X)                                                                          \
	X(sq_fill, fill, "send queue: work requests posted and not completed, of what it can hold") \
	X(rq_fill, fill, "receive queue: receives posted, of what it can hold")                    \
	X(sq_full_in, ns, "time until the send queue is full if it goes on like this")             \
	X(rq_dry_in, ns, "time until the receive queue is empty if it goes on like this")          \
	TOP_COLUMNS_RATES(X)                                                                       \
	X(idle, ns, "time for which ibtop saw it get on with nothing")                             \
	X(wait, text, "what it waits for, in words")

#define TOP_COLUMNS_CQ(X)                                                                          \
	X(fill, fill, "completions not polled, of what it can hold")                               \
	X(full_in, ns, "time until it overruns if it goes on like this")                           \
	X(users, num, "queue pairs that complete into it")                                         \
	X(cqes_s, rate, "completions per second")                                                  \
	X(errors_s, rate, "completions with an error per second")                                  \
	X(events_s, rate, "completion events per second")                                          \
	X(activity, spark, "completions per second, the last refreshes")                           \
	X(idle, ns, "time for which ibtop saw nothing move")

#define TOP_COLUMNS_SRQ(X)                                                                         \
	X(fill, fill, "receives posted, of what it can hold")                                      \
	X(dry_in, ns, "time until it is empty if it goes on like this")                            \
	X(wrs_s, rate, "receives taken per second")                                                \
	X(activity, spark, "receives taken per second, the last refreshes")                        \
	X(idle, ns, "time for which ibtop saw nothing move")

#define TOP_COLUMNS_MR(X)                                                                          \
	X(reads_s, rate, "RDMA READs served per second")                                           \
	X(writes_s, rate, "RDMA WRITE packets per second")                                         \
	X(atomics_s, rate, "atomic operations per second")                                         \
	X(activity, spark, "the three together, the last refreshes")                               \
	X(idle, ns, "time for which ibtop saw no remote access")

#define TOP_COLUMNS_PD(X) X(pinned, bytes, "memory registered in it")

#define TOP_COLUMNS_UCONTEXT(X)                                                                    \
	X(nmw, num, "memory windows")                                                              \
	X(ndm, num, "pieces of device memory")                                                     \
	X(pinned, bytes, "memory registered through it")                                           \
	X(grown, signed, "objects more than when ibtop saw it first")

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
	X(dst, text, "the peer's")                                                                 \
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
	X(id, num, "number of the finding, which the driver gives")                                \
	X(peer, ref, "the other side, when it is on this machine and has a part in it")            \
	X(advice, text, "what to do")

#define TOP_COLUMNS_INJECT(X)                                                                      \
	X(rule, text, "name of the rule")                                                          \
	X(action, word, "what it does")                                                            \
	X(hit, num, "how often it fired")                                                          \
	X(eligible, num, "how often it could have")                                                \
	X(hits_s, rate, "firings per second")                                                      \
	X(over, text, "why it does not act any more; - while it does")                             \
	X(spec, text, "the rule itself")

#define TOP_COLUMNS_EVENT(X)                                                                       \
	X(seq, num, "number of the event, from 1")                                                 \
	X(when, ns, "when, CLOCK_MONOTONIC; of what ibtop noticed: of the refresh")                \
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
	X(age, ns, "age")                                                                          \
	X(idle, ns, "time for which ibtop saw nothing move")                                       \
	X(fill, fill, "of a QP its send queue, of CQ and SRQ themselves")                          \
	X(ops_s, rate, "messages, completions, receives or remote accesses per second")             \
	X(bytes_s, byte_rate, "payload per second, both ways")                                     \
	X(size, bytes, "memory: registered, of a window bound, of device memory allocated")        \
	X(activity, spark, "the last refreshes")                                                   \
	X(wait, text, "what it waits for, in words")

#define TOP_COLUMNS_SHARE(X)                                                                       \
	X(owner, text, "name of the user")

/* The columns of all tables, for code that needs only names and units */
#define TOP_COLUMNS_OF_ALL(X)                                                                      \
	TOP_COLUMNS_ALL(X) TOP_COLUMNS_PROCESS(X) TOP_COLUMNS_DEVICE(X) TOP_COLUMNS_PORT(X)        \
	TOP_COLUMNS_QP(X) TOP_COLUMNS_CQ(X) TOP_COLUMNS_SRQ(X) TOP_COLUMNS_MR(X) TOP_COLUMNS_PD(X) \
	TOP_COLUMNS_UCONTEXT(X) TOP_COLUMNS_AH(X) TOP_COLUMNS_MW(X) TOP_COLUMNS_DM(X)              \
	TOP_COLUMNS_XRCD(X) TOP_COLUMNS_CM_ID(X) TOP_COLUMNS_LINT(X) TOP_COLUMNS_INJECT(X) TOP_COLUMNS_EVENT(X) TOP_COLUMNS_TREE(X) TOP_COLUMNS_SHARE(X)

#endif
