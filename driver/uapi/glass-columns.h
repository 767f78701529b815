/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kinds of objects that Glass shows, and the columns of the debugfs file of each kind, as
 * tables. The driver's header lines, the tools' columns and the documentation are made from the
 * tables.
 *
 * The first line of a file is "# glass 1 <kind>: <column> <column> ...". Each further line is one
 * object. Its values stand in the order of the table, separated by one blank. A value that does not
 * apply to an object is "-". Text is percent-encoded: each byte that is not a letter, a digit or
 * one of "._:/-" is %XX, and so is a "-" at the beginning. Empty text is "%". New columns are added
 * only at the end of a table.
 *
 * Kinds: X(NAME, word, value)
 * Columns: X(name, unit, meaning)
 *
 * A meaning may end in a condition after a semicolon ("; rc from RTR on"). Then only objects for
 * which the condition holds have the value.
 *
 * Units: num (a number without unit), hex (a number written 0x...), word (a word of glass-vocab.h
 * or glass-fields.h; flags are joined by '|'), text, ns, bytes, words (of 4 octets, as InfiniBand
 * counts data), gid, ref (device:number).
 */
#ifndef GLASS_UAPI_COLUMNS_H
#define GLASS_UAPI_COLUMNS_H

#include "glass-cable.h"
#include "glass-ether.h"
#include "glass-counters.h"

#define GLASS_KINDS(X)                                                                             \
	X(NONE, none, 0)                                                                           \
	X(DEVICE, device, 1)                                                                       \
	X(PORT, port, 2)                                                                           \
	X(UCONTEXT, ucontext, 3)                                                                   \
	X(PD, pd, 4)                                                                               \
	X(MR, mr, 5)                                                                               \
	X(CQ, cq, 6)                                                                               \
	X(SRQ, srq, 7)                                                                             \
	X(QP, qp, 8)                                                                               \
	X(AH, ah, 9)                                                                               \
	X(DM, dm, 10)                                                                              \
	X(MW, mw, 11)                                                                              \
	X(XRCD, xrcd, 12)

#define GLASS_E_KIND(n, w, v) GLASS_KIND_##n = (v),

enum glass_kind { GLASS_KINDS(GLASS_E_KIND) GLASS_KIND_COUNT };

/* Rights that a memory region grants; values as enum ib_access_flags */
#define GLASS_ACCESS_FLAGS(X)                                                                      \
	X(LOCAL_WRITE, local_write, 0x1)                                                           \
	X(REMOTE_WRITE, remote_write, 0x2)                                                         \
	X(REMOTE_READ, remote_read, 0x4)                                                           \
	X(REMOTE_ATOMIC, remote_atomic, 0x8)                                                       \
	X(MW_BIND, mw_bind, 0x10)                                                                  \
	X(ZERO_BASED, zero_based, 0x20)                                                            \
	X(ON_DEMAND, on_demand, 0x40)                                                              \
	X(HUGETLB, hugetlb, 0x80)                                                                  \
	X(FLUSH_GLOBAL, flush_global, 0x100)                                                       \
	X(FLUSH_PERSISTENT, flush_persistent, 0x200)                                               \
	X(RELAXED_ORDERING, relaxed_ordering, 0x100000)

/* Columns of most tables of objects: the process that created the object, and when. */
#define GLASS_COLUMNS_OWNER(X)                                                                     \
	X(pid, num, "process that created the object; 0 is the kernel")                            \
	X(comm, text, "name of that process when it created the object")                           \
	X(created, ns, "when it was created, CLOCK_MONOTONIC")                                     \
	X(age, ns, "time since then")

/*
 * Call stacks of programs that record them (glass-where.h): the verb that created the object, and
 * the last one that changed it. Last in their tables.
 */
#define GLASS_COLUMNS_STACK(X)                                                                     \
	X(stack, num, "call stack of its creation, a number of stacks; if its program records stacks")

#define GLASS_COLUMNS_STACKS(X)                                                                    \
	GLASS_COLUMNS_STACK(X)                                                                     \
	X(changed_stack, num, "call stack of the last verb that changed it; if its program records stacks")

#define GLASS_COLUMNS_UCONTEXT(X)                                                                  \
	X(ctxn, num, "number of the user context")                                                 \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(npd, num, "protection domains that the context holds")                                   \
	X(nmr, num, "memory regions")                                                              \
	X(ncq, num, "completion queues")                                                           \
	X(nsrq, num, "shared receive queues")                                                      \
	X(nqp, num, "queue pairs")                                                                 \
	X(nah, num, "address handles")                                                             \
	X(posts_refused, num, "posts the provider refused for lack of room")                       \
	X(posts_invalid, num, "posts the provider refused as invalid")                             \
	X(events_unacked, num, "events that the program got and never acknowledged")               \
	X(bad_wr_reused, num, "work requests posted again after bad_wr named them")                \
	X(areas, num, "areas: memory for its rings that driver and program share")                 \
	X(area_bytes, bytes, "size of all these areas")                                            \
	X(ring_bytes, bytes, "bytes of these areas that rings use now")

#define GLASS_COLUMNS_PD(X)                                                                        \
	X(pdn, num, "number of the protection domain")                                             \
	X(ctxn, num, "user context it belongs to")                                                 \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(nmr, num, "memory regions in it")                                                        \
	X(nqp, num, "queue pairs in it")                                                           \
	X(nsrq, num, "shared receive queues in it")                                                \
	X(nah, num, "address handles in it")                                                       \
	X(nmw, num, "memory windows in it")                                                        \
	GLASS_COLUMNS_STACK(X)

#define GLASS_COLUMNS_MR(X)                                                                        \
	X(mrn, num, "number of the memory region: its keys without their last 8 bits")             \
	X(pdn, num, "protection domain")                                                           \
	X(mrkind, word,                                                                            \
	  "user: pinned pages of a process; dma: all memory of the kernel; fast: a page list of a kernel consumer; dm: device memory; dmabuf: a dma-buf; odp: pages on demand") \
	X(start, hex, "address in the process that registered it")                                 \
	X(iova, hex, "first address as work requests and peers name it")                           \
	X(len, bytes, "length")                                                                    \
	X(lkey, hex, "local key")                                                                  \
	X(rkey, hex, "remote key; - when the region grants no remote access")                      \
	X(access, word, "access that the region grants besides local reads; - when none")          \
	X(pages, num, "user: pages pinned; fast: pages of its list")                               \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(remote_reads, num, "RDMA READ requests served from it")                                  \
	X(remote_writes, num, "RDMA WRITE packets written to it")                                  \
	X(atomics, num, "atomic operations carried out in it")                                     \
	X(windows, num, "memory windows bound to it; user")                                        \
	X(valid, word, "yes or no: is its key valid, from REG_MR to invalidation; fast")           \
	X(dmn, num, "device memory that it is in")                                                 \
	X(demanded, num, "odp: pages that were fetched for an access")                             \
	X(prefetched, num, "odp: pages that were fetched because the program advised so")          \
	X(page_size, bytes, "size of each of its pages; user and fast")                            \
	X(memory, bytes, "kernel memory that it uses, without its data pages; objects of programs only")\
	GLASS_COLUMNS_STACKS(X)

#define GLASS_COLUMNS_MW(X)                                                                        \
	X(mwn, num, "number of the memory window: its R_Key without its last 8 bits")              \
	X(pdn, num, "protection domain")                                                           \
	X(mwtype, num, "1: bound by a verb, for all QPs of its domain; 2: by work request, for one")\
	X(rkey, hex, "remote key that it has now")                                                 \
	X(mrn, num, "memory region it is bound to; - when it is not")                              \
	X(iova, hex, "first address as peers name it; while it is bound")                          \
	X(len, bytes, "length; while it is bound")                                                 \
	X(access, word, "access that it grants; while it is bound")                                \
	X(qpn, hex, "queue pair whose peer may use it; type 2 while it is bound")                  \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	GLASS_COLUMNS_STACK(X)

#define GLASS_COLUMNS_CQ(X)                                                                        \
	X(cqn, num, "number of the completion queue")                                              \
	X(ctxn, num, "user context it belongs to")                                                 \
	X(state, word, "ok, or err after an overrun")                                              \
	X(max, num, "completions it can hold")                                                     \
	X(used, num, "completions in it that were not polled yet")                                 \
	X(max_used, num, "most completions that it ever held")                                     \
	X(notify, word, "what the next event waits for: no, solicited or next")                    \
	X(total, num, "completions ever")                                                          \
	X(errors, num, "of these, with a status that is not success")                              \
	X(armed, num, "times that notification was asked for")                                     \
	X(events, num, "completion events delivered")                                              \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(vector, num, "completion vector")                                                        \
	X(resized, num, "times that it was resized")                                               \
	X(ignores_overrun, num, "1: an overrun loses the oldest completion; 0: it ends the CQ")    \
	X(lost, num, "completions that were overwritten before they were polled")                  \
	X(memory, bytes, "kernel memory that it uses, with its ring; objects of programs only")    \
	GLASS_COLUMNS_STACKS(X)

#define GLASS_COLUMNS_SRQ(X)                                                                       \
	X(srqn, num, "number of the shared receive queue")                                         \
	X(pdn, num, "protection domain")                                                           \
	X(ctxn, num, "user context it belongs to")                                                 \
	X(state, word, "ok or err")                                                                \
	X(max, num, "work requests it can hold")                                                   \
	X(used, num, "work requests posted and not taken yet")                                     \
	X(max_sge, num, "scatter elements that a work request may have")                           \
	X(limit, num, "limit that is armed; 0 is none")                                            \
	X(total, num, "work requests ever taken")                                                  \
	X(limit_events, num, "times that the limit was reached")                                   \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(xrcdn, num, "XRC domain; XRC")                                                           \
	X(cqn, num, "completion queue of its receives; XRC")                                       \
	X(resized, num, "times that it was resized")                                               \
	X(memory, bytes, "kernel memory that it uses, with its ring; objects of programs only")    \
	GLASS_COLUMNS_STACKS(X)

#define GLASS_COLUMNS_XRCD(X)                                                                      \
	X(xrcdn, num, "number of the XRC domain")                                                  \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(nsrq, num, "SRQs in it")                                                                 \
	X(nqp, num, "XRC target queue pairs in it")

#define GLASS_COLUMNS_DM(X)                                                                        \
	X(dmn, num, "number of the device memory")                                                 \
	X(ctxn, num, "user context it belongs to")                                                 \
	X(len, bytes, "length")                                                                    \
	X(nmr, num, "memory regions in it")                                                        \
	GLASS_COLUMNS_OWNER(X)

#define GLASS_COLUMNS_QP(X)                                                                        \
	X(qpn, hex, "number of the queue pair; 0 and 1 are each port's own")                       \
	X(qptype, word, "smi gsi rc uc ud xrc_ini xrc_tgt")                                        \
	X(state, word, "reset init rtr rts sqd sqe err")                                           \
	X(state_age, ns, "time in this state")                                                     \
	X(pdn, num, "protection domain")                                                           \
	X(ctxn, num, "user context it belongs to")                                                 \
	X(scqn, num, "completion queue of its sends")                                              \
	X(rcqn, num, "completion queue of its receives")                                           \
	X(srqn, num, "shared receive queue")                                                       \
	X(sq_max, num, "send work requests it can hold")                                           \
	X(sq_used, num, "send work requests posted and not completed")                             \
	X(rq_max, num, "receive work requests it can hold; - with an SRQ")                         \
	X(rq_used, num, "receive work requests posted and not taken; - with an SRQ")               \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	X(port, num, "port it uses; - before INIT")                                                \
	X(pkey_index, num, "index into the port's P_Key table; - before INIT")                     \
	X(qkey, hex, "Q_Key; ud and gsi only")                                                     \
	X(dest_qpn, hex, "queue pair it is connected to; rc and uc from RTR on")                   \
	X(dlid, num, "LID it sends to; rc and uc from RTR on")                                     \
	X(sl, num, "service level; rc and uc from RTR on")                                         \
	X(peer, ref, "the peer as device:qpn when it is in this machine; rc and uc from RTR on")   \
	X(mtu, bytes, "path MTU; rc and uc from RTR on")                                           \
	X(sq_psn, num, "PSN of the next packet to send; a retry goes back; from RTS on")           \
	X(una_psn, num, "oldest PSN without acknowledgement; rc from RTS on")                      \
	X(epsn, num, "PSN expected next from the peer; rc and uc from RTR on")                     \
	X(msn, num, "messages completed as responder, modulo 2^24; rc from RTR on")                \
	X(timeout, num, "local ACK timeout exponent: 4.096 us * 2^n, 0 is never; rc")              \
	X(retry_cnt, num, "retries allowed; rc from RTS on")                                       \
	X(retry_left, num, "of these, still left; rc from RTS on")                                 \
	X(rnr_retry, num, "RNR retries allowed, 7 is without end; rc from RTS on")                 \
	X(rnr_left, num, "of these, still left; rc from RTS on")                                   \
	X(rd_atomic, num, "READs, atomics, FLUSHes and ATOMIC WRITEs outstanding; rc from RTS on") \
	X(max_rd_atomic, num, "the most of these that may be outstanding; rc from RTS on")         \
	GLASS_COUNTERS_TRAFFIC(X)                                                                  \
	X(first_cause, word, "cause of the first error since RESET")                               \
	X(last_cause, word, "cause of the last error since RESET")                                 \
	X(last_status, word, "completion status of that error; - if no request completed with it") \
	X(last_syndrome, hex, "AETH syndrome of that error; 0: no NAK caused it")                  \
	X(last_psn, num, "PSN of that error")                                                      \
	GLASS_COUNTERS_ERRORS(X)                                                                   \
	X(waits_for, word, "what it waits for: GLASS_WAITS in glass-inspect.h has words and meanings") \
	X(oldest_age, ns, "time since the engine fetched the oldest send that is not completed")   \
	X(sq_sent, num, "of sq_used: requests of which a packet was sent")                         \
	X(sq_unsignaled, num, "sends done without a completion since the last completion")         \
	X(credits, num, "messages that it may begin with the peer's credits; rc when the peer sends credits") \
	X(ack_in, ns, "time until the ACK timer fires; while it runs")                             \
	X(rnr_in, ns, "time until it may send again after an RNR NAK; while it must wait")         \
	X(answers, num,                                                                            \
	  "READs, atomics, FLUSHes and ATOMIC WRITEs of the peer that wait for their answer; rc")  \
	X(xrcdn, num, "XRC domain; xrc_tgt")                                                       \
	X(memory, bytes, "kernel memory that it uses, with its rings; objects of programs only")   \
	GLASS_COLUMNS_STACKS(X)                                                                    \
	X(rate, bytes, "bytes per second that CNPs let it send; 0: any number")                    \
	GLASS_COUNTERS_ECN(X)

#define GLASS_COLUMNS_AH(X)                                                                        \
	X(ahn, num, "number of the address handle")                                                \
	X(pdn, num, "protection domain")                                                           \
	X(port, num, "port it sends through")                                                      \
	X(dlid, num, "destination LID")                                                            \
	X(sl, num, "service level")                                                                \
	X(path_bits, num, "added to the port's LID to make the source LID")                        \
	X(static_rate, num, "static rate code")                                                    \
	X(grh, word, "yes or no: do its packets have a GRH")                                       \
	X(sgid_index, num, "index into the port's GID table; with a GRH")                          \
	X(dgid, gid, "destination GID; with a GRH")                                                \
	X(hop_limit, num, "hop limit; with a GRH")                                                 \
	X(tclass, num, "traffic class; with a GRH")                                                \
	X(flow_label, hex, "flow label; with a GRH")                                               \
	GLASS_COLUMNS_OWNER(X)                                                                     \
	GLASS_COLUMNS_STACK(X)

#define GLASS_COLUMNS_PORT(X)                                                                      \
	X(port, num, "number of the port")                                                         \
	X(state, word, "down init armed active; a subnet manager makes it active")                 \
	X(phys_state, num, "physical state: 2 polling, 3 disabled, 5 link up")                     \
	X(lid, num, "base LID, 0 while there is none")                                             \
	X(lmc, num, "the port has 2^lmc LIDs")                                                     \
	X(sm_lid, num, "LID of the subnet manager, 0 while there is none")                         \
	X(sm_sl, num, "service level to the subnet manager")                                       \
	X(gid_prefix, hex, "subnet prefix of its GIDs")                                            \
	X(guid, hex, "GUID of the port")                                                           \
	X(mtu, bytes, "MTU in force")                                                              \
	X(cap_mask, hex, "capability mask of PortInfo")                                            \
	X(tx_words, words, "data sent, without VL15")                                              \
	X(rx_words, words, "data received, without VL15")                                          \
	X(tx_pkts, num, "packets sent, without VL15")                                              \
	X(rx_pkts, num, "packets received, without VL15")                                          \
	X(tx_mcast, num, "multicast packets sent, part of tx_pkts")                                \
	X(rx_mcast, num, "multicast packets received, part of rx_pkts")                            \
	X(link_downed, num, "times that the link went down")                                       \
	X(rcv_errors, num, "packets received with an error")                                       \
	X(xmit_discards, num, "packets that could not be sent")                                    \
	X(xmit_constraint, num, "packets not sent because of their P_Key")                         \
	X(rcv_constraint, num, "packets refused because of their P_Key")                           \
	X(vl15_dropped, num, "management packets dropped")                                         \
	X(qp1_dropped, num, "packets for QP1 dropped")                                             \
	X(mkey_viol, num, "M_Key violations, up to 65535")                                         \
	X(pkey_viol, num, "P_Key violations, up to 65535")                                         \
	X(qkey_viol, num, "Q_Key violations, up to 65535")                                         \
	X(peer, ref, "other end of its cable, as switch:port")                                     \
	X(width, num, "lanes in use: 1, 2, 4, 8 or 12")                                            \
	X(speed, word, "speed of a lane: sdr ddr qdr fdr edr hdr ndr")                             \
	X(num_pkeys, num, "entries of its P_Key table that are used")                              \
	GLASS_COLUMNS_PORT_REST(X)

/* The last columns of the tables PORT and SWPORT: further counters */
#define GLASS_COLUMNS_PORT_REST(X)                                                                 \
	X(tx_ucast, num, "unicast packets sent, without VL15")                                     \
	X(rx_ucast, num, "unicast packets received, without VL15")                                 \
	X(symbol_errors, num, "symbol errors")                                                     \
	X(link_recovery, num, "times that the link recovered by itself")                           \
	X(rcv_remphys, num, "packets received that another node marked as bad")                    \
	X(rcv_relay, num, "packets received that could not be forwarded")                          \
	X(local_integrity, num, "local integrity errors")                                          \
	X(buffer_overrun, num, "excessive buffer overruns")                                        \
	X(xmit_wait, num, "ticks in which data was ready and could not be sent")

/* A multicast group, named by its MGID */
#define GLASS_COLUMNS_MCAST(X)                                                                     \
	X(mgid, gid, "MGID")                                                                       \
	X(mlid, hex, "MLID that its first member named")                                           \
	X(members, num, "queue pairs attached")                                                    \
	X(created, ns, "when the first of them was attached, CLOCK_MONOTONIC")                     \
	X(age, ns, "time since then")

/* The shares of each user. `memory` is counted on the whole machine, the others on the device. */
#define GLASS_COLUMNS_SHARE(X)                                                                     \
	X(uid, num, "user")                                                                        \
	X(what, text, "memory qp cq srq mr pd xrcd ah dm dm_bytes mcast mcast_qp")                 \
	X(used, num, "amount that programs of that user have")                                     \
	X(limit, num, "the most that they may have; - no limit")                                   \
	X(refused, num, "requests refused because they exceed the share")                          \
	X(exempt, num, "part of `used` that limits ignore: that of programs with CAP_SYS_RESOURCE")       \
	X(all_used, num, "amount that programs of all users have; - not counted")                  \
	X(all_limit, num, "the most that they may have together; - no limit")

/* The switches of the fabric */
#define GLASS_COLUMNS_SWITCH(X)                                                                    \
	X(switch, num, "number of the switch")                                                     \
	X(guid, hex, "node GUID")                                                                  \
	X(name, text, "node description")                                                          \
	X(ports, num, "external ports")                                                            \
	X(lid, num, "LID of its port 0, 0 while there is none")                                    \
	X(sm_lid, num, "LID of the subnet manager, 0 while there is none")                         \
	X(lft_top, num, "highest LID of the linear forwarding table")                              \
	X(lft_entries, num, "LIDs up to lft_top that have a port")                                 \
	X(mft_entries, num, "MLIDs that have ports")                                               \
	X(def_mcast, num, "port of MLIDs beyond the table; 0 and 255: none")                       \
	X(def_mcast_other, num,                                                                    \
	  "port of these MLIDs for packets that came in at def_mcast; 0 and 255: none")            \
	X(port_change, word, "yes: PortStateChange is set, the subnet manager has not cleared it") \
	X(trap, word, "yes: a trap waits to be sent")                                              \
	X(node, text, "name of the switch in the fabric")

/* A port of a switch; 0 is the switch itself */
#define GLASS_COLUMNS_SWPORT(X)                                                                    \
	X(port, num, "number of the port")                                                         \
	X(peer, ref, "other end of its cable, as device:port; - when nothing is plugged in")       \
	X(state, word, "down init armed active")                                                   \
	X(phys_state, num, "physical state: 2 polling, 3 disabled, 5 link up")                     \
	X(mtu, bytes, "MTU in force")                                                              \
	X(width, num, "lanes in use: 1, 2, 4, 8 or 12")                                            \
	X(speed, word, "speed of a lane: sdr ddr qdr fdr edr hdr ndr")                             \
	GLASS_COLUMNS_SWPORT_COUNTERS(X)                                                           \
	GLASS_COLUMNS_PORT_REST(X)                                                                 \
	X(switch, num, "number of the switch")

#define GLASS_COLUMNS_SWPORT_COUNTERS(X)                                                           \
	X(tx_words, words, "data sent, without VL15")                                              \
	X(rx_words, words, "data received, without VL15")                                          \
	X(tx_pkts, num, "packets sent, without VL15")                                              \
	X(rx_pkts, num, "packets received, without VL15")                                          \
	X(tx_mcast, num, "multicast packets sent, part of tx_pkts")                                \
	X(rx_mcast, num, "multicast packets received, part of rx_pkts")                            \
	X(link_downed, num, "times that the link went down")                                       \
	X(rcv_errors, num, "packets received with an error")                                       \
	X(xmit_discards, num, "packets that could not be sent")                                    \
	X(xmit_constraint, num, "packets not sent because of their P_Key")                         \
	X(rcv_constraint, num, "packets refused because of their P_Key")                           \
	X(vl15_dropped, num, "management packets dropped")

/* The linear forwarding table of a switch: LIDs with a port */
#define GLASS_COLUMNS_LFT(X)                                                                       \
	X(lid, num, "LID")                                                                         \
	X(port, num, "port to which the switch forwards; 0: the switch itself")                    \
	X(peer, ref, "other end of that port, as device:port; - when nothing is plugged in")       \
	X(switch, num, "number of the switch")

/* The multicast forwarding table of a switch: MLIDs with ports */
#define GLASS_COLUMNS_MFT(X)                                                                       \
	X(mlid, hex, "MLID")                                                                       \
	X(mports, word, "ports to which the switch forwards, joined by '|'")                       \
	X(switch, num, "number of the switch")

/* fabric/nodes: the nodes of the fabric */
#define GLASS_COLUMNS_FNODE(X)                                                                     \
	X(name, text, "name of the node")                                                          \
	X(kind, word, "hca: an adapter of this host; ca: management agents without a device; switch") \
	X(ports, num, "number of ports, without port 0 of a switch")                                         \
	X(guid, hex, "node GUID")                                                                  \
	X(sys_guid, hex, "system image GUID")                                                      \
	X(vendor, hex, "vendor ID")                                                                \
	X(devid, hex, "device ID")                                                                 \
	X(desc, text, "node description")                                                          \
	X(device, text, "InfiniBand device; hca, while it is plugged in")                          \
	X(lid, num, "LID of port 1, or of port 0 of a switch; 0 while there is none")            \
	X(port0, word, "base or enhanced: what port 0 is; switch")                                 \
	X(enforcement, word, "yes or no: does it offer to enforce partitions; switch")             \
	X(width, num,                                                                              \
	  "the most lanes that its ports support, with all widths below; - if these are 1x and 4x") \
	X(speed, word, "the highest speed of a lane that its ports support: sdr ddr qdr fdr edr hdr ndr") \
	X(netns, num, "inode number of the network namespace of its device; hca")

/* fabric/cables: the cables of the fabric */
#define GLASS_COLUMNS_FCABLE(X)                                                                    \
	X(a, ref, "one end, as node:port")                                                         \
	X(b, ref, "the other end")                                                                 \
	X(width, num, "the most lanes that it has: 1 2 4 8 12")                                    \
	X(speed, word, "the highest speed of a lane: sdr ddr qdr fdr edr hdr ndr")                 \
	X(mtu, bytes, "the largest MTU")                                                           \
	X(pulled, word, "yes or no: is it pulled out?")                                            \
	X(a_state, word, "state of the port a: down init armed active; - while it is unplugged")   \
	X(b_state, word, "state of the port b")                                                    \
	X(active_width, num, "lanes in use; links that are up")                                    \
	X(active_speed, word, "speed of a lane in use; links that are up")

/* fabric/netdevs: the netdev cables of the fabric */
#define GLASS_COLUMNS_NETCABLE(X)                                                                  \
	X(a, ref, "the port of this fabric, as node:port")                                         \
	X(netdev, text, "name of the network interface")                                           \
	X(netns, num, "inode number of its network namespace")                                     \
	X(ifindex, num, "its index there")                                                         \
	X(netdev_mtu, bytes, "its MTU")                                                            \
	X(mac, text, "its address")                                                                \
	X(width, num, "the most lanes of the cable: 1 2 4 8 12")                                   \
	X(speed, word, "the highest speed of a lane: sdr ddr qdr fdr edr hdr ndr")                 \
	X(mtu, bytes, "the largest MTU that its command allows")                                   \
	X(pulled, word, "yes or no: is it pulled out?")                                            \
	X(silence, ns, "a peer that says nothing for this time is gone")                           \
	X(vcrc, word, "yes or no: does its command demand the VCRC?")                              \
	X(state, word, "no_carrier silent heard up")                                               \
	X(trouble, word, "what hinders or disturbs it: none small_mtu same_guid self version third peer_down") \
	X(other, ref, "the port that disturbs, as node:port; troubles same_guid, version and third") \
	X(other_host, text, "its host")                                                            \
	X(peer, ref, "the port at the other side, as node:port; heard and up")                     \
	X(peer_host, text, "its host")                                                             \
	X(peer_guid, hex, "its node GUID")                                                         \
	X(peer_mac, text, "address of the interface there")                                        \
	X(link_mtu, bytes, "the largest MTU of both sides; heard and up")                          \
	X(link_vcrc, word, "yes or no: do packets have a VCRC; up")                                \
	X(up_for, ns, "time since it came up; up")                                                 \
	X(ups, num, "how often it came up")                                                        \
	X(tx_frames, num, "frames with packets that were sent")                                    \
	X(tx_packets, num, "packets in them")                                                      \
	X(tx_bytes, bytes, "bytes of these frames, without the Ethernet header")                   \
	X(tx_dropped, num, "packets that could not be sent: no memory, or the queue was full")     \
	X(waits, num, "how often a queue pair waited because too many frames were on their way")   \
	X(flight, bytes, "memory of the frames that are on their way now")                         \
	X(rx_frames, num, "frames with packets that were received, and kept the rules of frames")  \
	X(rx_packets, num, "packets in them that kept the rules of packets")                       \
	X(rx_bytes, bytes, "bytes of these frames, without the Ethernet header")                   \
	X(rx_undelivered, num, "packets of these that a node of this fabric dropped")              \
	X(lost, num, "frames that the peer sent, and that did not arrive")                         \
	X(tx_hellos, num, "hellos that were sent")                                                 \
	X(rx_hellos, num, "hellos that were received")                                             \
	GLASS_COLUMNS_CABLE_RULES(X)

/* fabric/ports: the ports of all nodes; 0 is a switch itself */
#define GLASS_COLUMNS_FPORT(X)                                                                     \
	X(node, text, "name of the node")                                                          \
	X(port, num, "number of the port")                                                         \
	X(guid, hex, "port GUID; - at external ports of a switch")                                 \
	X(lid, num, "LID, 0 while there is none")                                                  \
	X(lmc, num, "LID mask control: the port has 2^lmc LIDs")                                   \
	X(peer, ref, "other end of its cable, as node:port, or @netdev:1; - when nothing is plugged in") \
	X(state, word, "down init armed active")                                                   \
	X(phys_state, num, "physical state: 2 polling, 3 disabled, 5 link up")                     \
	X(mtu, bytes, "MTU in force")                                                              \
	X(width, num, "lanes in use")                                                              \
	X(speed, word, "speed of a lane")                                                          \
	GLASS_COLUMNS_SWPORT_COUNTERS(X)                                                           \
	GLASS_COLUMNS_PORT_REST(X)

/* fabric/trace: the way of a packet, a node in each row */
#define GLASS_COLUMNS_HOP(X)                                                                       \
	X(node, text, "name of the node")                                                          \
	X(in_port, num, "port at which the packet arrives; - at the sender")                       \
	X(out_port, num, "port by which it leaves; - where it ends")                               \
	X(why, word, "drop reason; - unless it is dropped here")

/* The number of dropped packets by port and reason. A row appears with the first drop. */
#define GLASS_COLUMNS_DROPS(X)                                                                     \
	X(port, num, "port: the sender's for packets dropped in transit, else the receiver's")     \
	X(reason, word, "why the packets were dropped, a drop reason")                             \
	X(packets, num, "packets dropped for that reason")                                         \
	X(last, ns, "when the last of them was dropped, CLOCK_MONOTONIC")                          \
	X(age, ns, "time since then")

/* The last dropped packets of the device, oldest first */
#define GLASS_COLUMNS_DROPLOG(X)                                                                   \
	X(seq, num, "number of the drop, from 1")                                                  \
	X(when, ns, "when it was dropped, CLOCK_MONOTONIC")                                        \
	X(age, ns, "time since then")                                                              \
	X(port, num, "port, as in drops")                                                          \
	X(place, word, "where it was dropped: tx link switch rx qp agent")                         \
	X(reason, word, "drop reason")                                                             \
	X(opcode, word, "transport and operation: rc_send_only ...")                               \
	X(dqpn, hex, "destination queue pair")                                                     \
	X(psn, num, "PSN")                                                                         \
	X(len, bytes, "payload")                                                                   \
	X(slid, num, "source LID")                                                                 \
	X(dlid, num, "destination LID")                                                            \
	X(flow, hex, "flow of the work request it belongs to, 0 is none")                          \
	X(at, ref, "place switch: the switch and its port that dropped it, as node:port")

/* stacks: the call stacks that programs have recorded (glass-where.h) */
#define GLASS_COLUMNS_STACKLIST(X)                                                                 \
	X(stack, num, "number of the stack, unique on this machine")                               \
	X(recorder, num, "number of the context's memory of stacks, as in modules")                \
	X(pid, num, "process that recorded it; it may have ended")                                 \
	X(comm, text, "name of that process")                                                      \
	X(frames, text,                                                                            \
	  "return addresses, the caller of the verb first, joined by '/': number of the module, ':', and the offset from its load address")

/* modules: the programs and libraries in which these return addresses are */
#define GLASS_COLUMNS_MODULES(X)                                                                   \
	X(recorder, num, "number of the context's memory of stacks")                               \
	X(module, num, "number of the module in this memory")                                      \
	X(pid, num, "process that recorded it; it may have ended")                                 \
	X(build_id, text, "build-id, in hexadecimal; if it has one")                               \
	X(path, text, "file, as the process named it; if it is known")

/*
 * inject/held: packets that an injection rule holds until the command step or release lets them go,
 * and packets that wait behind them. Packets that came first stand first.
 */
#define GLASS_COLUMNS_HELD(X)                                                                      \
	X(num, num, "number of the packet among all that waited, from 1")                          \
	X(rule, text, "rule that holds it")                                                        \
	X(hit, word, "yes: the rule hit it; no: it follows a packet that the rule hit, and is released with it") \
	X(age, ns, "time that it has waited")                                                      \
	X(timers, word, "frozen: the timers of its QP and of the peer are stopped; run: they run") \
	X(port, num, "port where it is held")                                                      \
	X(dir, word, "tx: on its way out; rx: it arrived")                                         \
	X(qpn, hex, "queue pair that sent it, or that it is for")                                  \
	X(opcode, word, "transport and operation: rc_send_only ...")                               \
	X(dqpn, hex, "destination queue pair")                                                     \
	X(psn, num, "PSN")                                                                         \
	X(ackreq, word, "yes: it requests an acknowledgement")                                     \
	X(syndrome, hex, "AETH syndrome; responses")                                               \
	X(msn, num, "message sequence number; responses")                                          \
	X(va, hex, "remote address; requests that name memory")                                    \
	X(rkey, hex, "R_Key; requests that name memory")                                           \
	X(len, bytes, "payload")                                                                   \
	X(slid, num, "source LID")                                                                 \
	X(dlid, num, "destination LID")                                                            \
	X(wr_id, hex, "wr_id of the work request it belongs to")                                   \
	X(flow, hex, "flow of that work request")

#define GLASS_COLUMN_NAME(name, unit, meaning) " " #name

/* The first line of a kind's file, without its newline: GLASS_HEADER("qp", GLASS_COLUMNS_QP) */
#define GLASS_HEADER(kind, COLUMNS) "# glass 1 " kind ":" COLUMNS(GLASS_COLUMN_NAME)

#endif
