/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The views of ibtop and their columns, once: screen, batch, --help, the man
 * page, docs/ibtop.md, record files and tests are made from these tables.
 *
 * Columns that debugfs has are those of driver/uapi/glass-columns.h, with their
 * units and meanings; only what ibtop adds (from netlink and sysfs, or computed)
 * is told here, as X(name, unit, meaning) in the same form.
 *
 * Units besides those of glass-columns.h: rate (per second, of a count),
 * byte_rate (bytes per second), fill (used of max), spark (the last values of
 * the view's activity), mark (new, gone or nothing).
 */
#ifndef IBTOP_COLUMNS_H
#define IBTOP_COLUMNS_H

#include "uapi/glass-columns.h"

/* Every view begins with these. */
#define TOP_COLUMNS_ALL(X)                                                                         \
	X(mark, mark, "new or gone since the refresh before; nothing otherwise")                   \
	X(dev, text, "device")

/* What objects that move data have, per second since the refresh before */
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

/* Number of the objects that something has */
#define TOP_COLUMNS_COUNTS(X)                                                                      \
	X(nctx, num, "user contexts")                                                              \
	X(npd, num, "protection domains")                                                          \
	X(nmr, num, "memory regions")                                                              \
	X(ncq, num, "completion queues")                                                           \
	X(nsrq, num, "shared receive queues")                                                      \
	X(nqp, num, "queue pairs")                                                                 \
	X(nah, num, "address handles")                                                             \
	X(ncm, num, "connection identifiers")

#define TOP_COLUMNS_PROCESS(X)                                                                     \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "name of the process")                                                       \
	X(user, text, "who runs it")                                                               \
	TOP_COLUMNS_COUNTS(X)                                                                      \
	X(grown, signed, "objects more than when ibtop saw it first")                              \
	X(pinned, bytes, "memory registered")                                                      \
	X(err_qps, num, "queue pairs in ERR or SQE")                                               \
	X(stuck_qps, num, "queue pairs that wait for something and moved nothing since the refresh before") \
	X(age, ns, "age of its oldest object")                                                     \
	TOP_COLUMNS_RATES(X)                                                                       \
	X(why, text, "what the queue pair waits for that waits longest")

#define TOP_COLUMNS_DEVICE(X)                                                                      \
	X(status, text, "ok, or what failed")                                                      \
	X(driver, text, "driver of the device")                                                    \
	X(sources, text, "where its numbers come from: netlink, sysfs, debugfs")                   \
	X(node_type, text, "what the device is")                                                   \
	X(node_guid, text, "GUID of the node")                                                     \
	X(fw, text, "version of firmware or driver")                                               \
	X(ports, num, "number of ports")                                                           \
	X(active, num, "of these, active")                                                         \
	TOP_COLUMNS_COUNTS(X)                                                                      \
	X(err_qps, num, "queue pairs in ERR or SQE")                                               \
	TOP_COLUMNS_RATES(X)

#define TOP_COLUMNS_PORT(X)                                                                        \
	X(link_layer, text, "InfiniBand or Ethernet")                                              \
	X(netdev, text, "network device behind the port")                                          \
	X(rate, text, "speed of the link")                                                         \
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
	X(idle, ns, "time for which ibtop saw nothing move")                                       \
	X(why, text, "what it waits for, in words")

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
	X(pinned, bytes, "memory registered through it")                                           \
	X(grown, signed, "objects more than when ibtop saw it first")

#define TOP_COLUMNS_AH(X)

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
	X(text, text, "what was found and what to do")

#define TOP_COLUMNS_INJECT(X)                                                                      \
	X(name, text, "name of the rule")                                                          \
	X(action, text, "what it does")                                                            \
	X(hit, num, "how often it fired")                                                          \
	X(eligible, num, "how often it could have")                                                \
	X(hits_s, rate, "firings per second")                                                      \
	X(over, text, "why it does not act any more; - while it does")                             \
	X(rule, text, "the rule itself")

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

/* Views of objects of several kinds: the tree, and what may be leaked */
#define TOP_COLUMNS_TREE(X)                                                                        \
	X(object, text, "kind and number")                                                         \
	X(state, text, "state")                                                                    \
	X(pid, num, "process; 0 is the kernel")                                                    \
	X(comm, text, "name of the process")                                                       \
	X(age, ns, "age")                                                                          \
	X(idle, ns, "time for which ibtop saw nothing move")                                       \
	X(fill, fill, "of a QP its send queue, of CQ and SRQ themselves")                          \
	X(rate, rate, "messages, completions, receives or remote accesses per second")             \
	X(bytes_s, byte_rate, "payload per second, both ways")                                     \
	X(size, bytes, "memory registered")                                                        \
	X(activity, spark, "the last refreshes")                                                   \
	X(why, text, "what it waits for, in words")

#define TOP_NO_COLUMNS(X)

/*
 * X(ID, word, driver's columns, own columns, title, columns shown, sorted by)
 * "sorted by": a column, with - in front when the greatest comes first; empty: as they come.
 */
#define TOP_VIEWS(X)                                                                               \
	X(PROCESS, process, TOP_NO_COLUMNS, TOP_COLUMNS_PROCESS, "Processes",                      \
	  "dev pid user comm nqp ncq nmr pinned err_qps stuck_qps tx_msgs_s rx_msgs_s tx_bytes_s " \
	  "rx_bytes_s activity why", "-tx_bytes_s")                                                \
	X(DEVICE, device, TOP_NO_COLUMNS, TOP_COLUMNS_DEVICE, "Devices",                           \
	  "dev driver status ports active npd nmr ncq nsrq nqp err_qps tx_bytes_s rx_bytes_s "     \
	  "activity sources", "")                                                                  \
	X(PORT, port, GLASS_COLUMNS_PORT, TOP_COLUMNS_PORT, "Ports",                               \
	  "dev port state lid sm_lid mtu rate netdev tx_bytes_s rx_bytes_s tx_pkts_s rx_pkts_s "   \
	  "retries_s rnr_s drops_s activity", "")                                                  \
	X(QP, qp, GLASS_COLUMNS_QP, TOP_COLUMNS_QP, "Queue pairs",                                 \
	  "dev qpn qptype state pid comm peer sq_fill rq_fill tx_msgs_s rx_msgs_s tx_bytes_s "     \
	  "rx_bytes_s retries_s rnr_s why activity", "")                                           \
	X(CQ, cq, GLASS_COLUMNS_CQ, TOP_COLUMNS_CQ, "Completion queues",                           \
	  "dev cqn state pid comm fill max max_used full_in users cqes_s errors_s notify "         \
	  "activity age", "")                                                                      \
	X(MR, mr, GLASS_COLUMNS_MR, TOP_COLUMNS_MR, "Memory regions",                              \
	  "dev mrn pid comm len lkey rkey access reads_s writes_s atomics_s activity age", "")     \
	X(PD, pd, GLASS_COLUMNS_PD, TOP_COLUMNS_PD, "Protection domains",                          \
	  "dev pdn ctxn pid comm nmr nqp nsrq nah pinned age", "")                                 \
	X(SRQ, srq, GLASS_COLUMNS_SRQ, TOP_COLUMNS_SRQ, "Shared receive queues",                   \
	  "dev srqn state pid comm fill max limit dry_in wrs_s limit_events activity age", "")     \
	X(AH, ah, GLASS_COLUMNS_AH, TOP_COLUMNS_AH, "Address handles",                             \
	  "dev ahn pdn pid comm port dlid sl grh dgid age", "")                                    \
	X(UCONTEXT, ucontext, GLASS_COLUMNS_UCONTEXT, TOP_COLUMNS_UCONTEXT, "User contexts",       \
	  "dev ctxn pid comm npd nmr ncq nsrq nqp nah pinned grown posts_refused events_unacked "  \
	  "age", "")                                                                               \
	X(CM_ID, cm_id, TOP_NO_COLUMNS, TOP_COLUMNS_CM_ID, "Connections (RDMA CM)",                \
	  "dev cm_idn pid comm qpn cm_state port_space port src dst", "")                          \
	X(LINT, lint, TOP_NO_COLUMNS, TOP_COLUMNS_LINT, "Lint findings",                           \
	  "dev code severity kind num pid comm count text", "")                                    \
	X(INJECT, inject, TOP_NO_COLUMNS, TOP_COLUMNS_INJECT, "Injection rules",                   \
	  "dev name action hit eligible hits_s over rule", "")                                     \
	X(EVENT, event, TOP_NO_COLUMNS, TOP_COLUMNS_EVENT, "Events",                               \
	  "age what dev kind num pid comm text", "-seq")                                           \
	X(TREE, tree, TOP_NO_COLUMNS, TOP_COLUMNS_TREE, "Tree",                                    \
	  "object dev state pid comm fill rate bytes_s size activity why", "")                     \
	X(LEAK, leak, TOP_NO_COLUMNS, TOP_COLUMNS_TREE, "Objects by age",                          \
	  "object dev pid comm state age idle size rate", "-age")

/*
 * X(name, title, width): how a column is headed and how wide it is on a screen, in every view that has it; width 0: as its
 * unit asks for. Without a line here the title is the name in capitals.
 */
#define TOP_LAYOUT(X)                                                                              \
	X(mark, "", 1)                                                                             \
	X(dev, "DEV", 8)                                                                           \
	X(pid, "PID", 7)                                                                           \
	X(comm, "COMMAND", 15)                                                                     \
	X(user, "USER", 8)                                                                         \
	X(qptype, "TYPE", 4)                                                                       \
	X(state, "STATE", 6)                                                                       \
	X(state_age, "IN STATE", 8)                                                                \
	X(port, "PORT", 4)                                                                         \
	X(nctx, "CTX", 4)                                                                          \
	X(npd, "PDS", 4)                                                                           \
	X(nmr, "MRS", 5)                                                                           \
	X(ncq, "CQS", 5)                                                                           \
	X(nsrq, "SRQS", 4)                                                                         \
	X(nqp, "QPS", 5)                                                                           \
	X(nah, "AHS", 5)                                                                           \
	X(ncm, "CMS", 4)                                                                           \
	X(err_qps, "ERR", 4)                                                                       \
	X(stuck_qps, "STUCK", 5)                                                                   \
	X(tx_msgs_s, "TXMSG/s", 8)                                                                 \
	X(rx_msgs_s, "RXMSG/s", 8)                                                                 \
	X(tx_bytes_s, "TX/s", 8)                                                                   \
	X(rx_bytes_s, "RX/s", 8)                                                                   \
	X(tx_pkts_s, "TXPKT/s", 8)                                                                 \
	X(rx_pkts_s, "RXPKT/s", 8)                                                                 \
	X(retries_s, "RETRY/s", 7)                                                                 \
	X(rnr_s, "RNR/s", 7)                                                                       \
	X(drops_s, "DROP/s", 7)                                                                    \
	X(errors_s, "ERR/s", 7)                                                                    \
	X(events_s, "EVT/s", 7)                                                                    \
	X(cqes_s, "CQE/s", 8)                                                                      \
	X(wrs_s, "WR/s", 8)                                                                        \
	X(reads_s, "READ/s", 8)                                                                    \
	X(writes_s, "WRITE/s", 8)                                                                  \
	X(atomics_s, "ATOM/s", 8)                                                                  \
	X(hits_s, "HIT/s", 7)                                                                      \
	X(bytes_s, "BYTES/s", 8)                                                                   \
	X(tx_peak, "TX PEAK", 8)                                                                   \
	X(rx_peak, "RX PEAK", 8)                                                                   \
	X(sq_fill, "SQ", 14)                                                                       \
	X(rq_fill, "RQ", 14)                                                                       \
	X(fill, "FILL", 14)                                                                        \
	X(sq_full_in, "SQ FULL IN", 10)                                                            \
	X(rq_dry_in, "RQ DRY IN", 9)                                                               \
	X(full_in, "OVERRUN IN", 10)                                                               \
	X(dry_in, "DRY IN", 8)                                                                     \
	X(max_used, "MOST", 6)                                                                     \
	X(activity, "ACTIVITY", 16)                                                                \
	X(peer, "PEER", 14)                                                                        \
	X(why, "WAITS FOR", 40)                                                                    \
	X(object, "OBJECT", 24)                                                                    \
	X(text, "WHAT HAPPENED", 60)                                                               \
	X(rule, "RULE", 60)                                                                        \
	X(status, "STATUS", 24)                                                                    \
	X(sources, "SOURCES", 22)                                                                  \
	X(src, "FROM", 28)                                                                         \
	X(dst, "TO", 28)                                                                           \
	X(rate, "RATE", 20)                                                                        \
	X(access, "ACCESS", 24)                                                                    \
	X(limit_events, "LIMITS", 6)                                                               \
	X(posts_refused, "REFUSED", 7)                                                             \
	X(events_unacked, "UNACKED", 7)

/* enum view_id: VIEW_PROCESS, VIEW_DEVICE ... VIEW_COUNT */
#define TOP_VIEW_ENUM(ID, word, theirs, own, title, shown, sorted) VIEW_##ID,
enum view_id { TOP_VIEWS(TOP_VIEW_ENUM) VIEW_COUNT };

/* COL_<VIEW>_<name>: the index of a column in its view. Every view has COL_ANY_mark and COL_ANY_dev. */
#define TOP_COL_ANY(name, unit, meaning) COL_ANY_##name,
enum { TOP_COLUMNS_ALL(TOP_COL_ANY) COL_ANY_COUNT };
#define TOP_COL_PROCESS(name, unit, meaning) COL_PROCESS_##name,
enum { COL_PROCESS_first = COL_ANY_COUNT - 1, TOP_COLUMNS_PROCESS(TOP_COL_PROCESS) COL_PROCESS_COUNT };
#define TOP_COL_DEVICE(name, unit, meaning) COL_DEVICE_##name,
enum { COL_DEVICE_first = COL_ANY_COUNT - 1, TOP_COLUMNS_DEVICE(TOP_COL_DEVICE) COL_DEVICE_COUNT };
#define TOP_COL_PORT(name, unit, meaning) COL_PORT_##name,
enum { COL_PORT_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_PORT(TOP_COL_PORT) TOP_COLUMNS_PORT(TOP_COL_PORT) COL_PORT_COUNT };
#define TOP_COL_QP(name, unit, meaning) COL_QP_##name,
enum { COL_QP_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_QP(TOP_COL_QP) TOP_COLUMNS_QP(TOP_COL_QP) COL_QP_COUNT };
#define TOP_COL_CQ(name, unit, meaning) COL_CQ_##name,
enum { COL_CQ_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_CQ(TOP_COL_CQ) TOP_COLUMNS_CQ(TOP_COL_CQ) COL_CQ_COUNT };
#define TOP_COL_MR(name, unit, meaning) COL_MR_##name,
enum { COL_MR_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_MR(TOP_COL_MR) TOP_COLUMNS_MR(TOP_COL_MR) COL_MR_COUNT };
#define TOP_COL_PD(name, unit, meaning) COL_PD_##name,
enum { COL_PD_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_PD(TOP_COL_PD) TOP_COLUMNS_PD(TOP_COL_PD) COL_PD_COUNT };
#define TOP_COL_SRQ(name, unit, meaning) COL_SRQ_##name,
enum { COL_SRQ_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_SRQ(TOP_COL_SRQ) TOP_COLUMNS_SRQ(TOP_COL_SRQ) COL_SRQ_COUNT };
#define TOP_COL_AH(name, unit, meaning) COL_AH_##name,
enum { COL_AH_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_AH(TOP_COL_AH) TOP_COLUMNS_AH(TOP_COL_AH) COL_AH_COUNT };
#define TOP_COL_UCONTEXT(name, unit, meaning) COL_UCONTEXT_##name,
enum { COL_UCONTEXT_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_UCONTEXT(TOP_COL_UCONTEXT) TOP_COLUMNS_UCONTEXT(TOP_COL_UCONTEXT)
	       COL_UCONTEXT_COUNT };
#define TOP_COL_CM_ID(name, unit, meaning) COL_CM_ID_##name,
enum { COL_CM_ID_first = COL_ANY_COUNT - 1, TOP_COLUMNS_CM_ID(TOP_COL_CM_ID) COL_CM_ID_COUNT };
#define TOP_COL_LINT(name, unit, meaning) COL_LINT_##name,
enum { COL_LINT_first = COL_ANY_COUNT - 1, TOP_COLUMNS_LINT(TOP_COL_LINT) COL_LINT_COUNT };
#define TOP_COL_INJECT(name, unit, meaning) COL_INJECT_##name,
enum { COL_INJECT_first = COL_ANY_COUNT - 1, TOP_COLUMNS_INJECT(TOP_COL_INJECT) COL_INJECT_COUNT };
#define TOP_COL_EVENT(name, unit, meaning) COL_EVENT_##name,
enum { COL_EVENT_first = COL_ANY_COUNT - 1, TOP_COLUMNS_EVENT(TOP_COL_EVENT) COL_EVENT_COUNT };
#define TOP_COL_TREE(name, unit, meaning) COL_TREE_##name,
enum { COL_TREE_first = COL_ANY_COUNT - 1, TOP_COLUMNS_TREE(TOP_COL_TREE) COL_TREE_COUNT };

#endif
