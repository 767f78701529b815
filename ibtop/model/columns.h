/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The views of ibtop and their columns, once: screen, batch, --help, the man
 * page, docs/ibtop.md, record files and tests are made from these tables.
 * A view's columns are those that debugfs has (driver/uapi/glass-columns.h), then
 * ibtop's own (lib/columns.h).
 */
#ifndef IBTOP_MODEL_COLUMNS_H
#define IBTOP_MODEL_COLUMNS_H

#include "lib/columns.h"
#include "uapi/glass-columns.h"

#define TOP_NO_COLUMNS(X)

/*
 * X(ID, word, driver's columns, own columns, title, columns shown, sorted by)
 * "sorted by": a column, with - in front when the greatest comes first; empty: as they come.
 */
#define TOP_VIEWS(X)                                                                               \
	X(PROCESS, process, TOP_NO_COLUMNS, TOP_COLUMNS_PROCESS, "Processes",                      \
	  "dev pid owner comm nqp ncq nmr pinned err_qps stuck_qps tx_msgs_s rx_msgs_s tx_bytes_s " \
	  "rx_bytes_s activity wait", "-tx_bytes_s")                                                \
	X(DEVICE, device, TOP_NO_COLUMNS, TOP_COLUMNS_DEVICE, "Devices",                           \
	  "dev driver health ports ports_active npd nmr ncq nsrq nqp err_qps tx_bytes_s rx_bytes_s "     \
	  "activity sources", "")                                                                  \
	X(PORT, port, GLASS_COLUMNS_PORT, TOP_COLUMNS_PORT, "Ports",                               \
	  "dev port state lid sm_lid mtu link_rate netdev tx_bytes_s rx_bytes_s tx_pkts_s rx_pkts_s "   \
	  "retries_s rnr_s drops_s activity", "")                                                  \
	X(QP, qp, GLASS_COLUMNS_QP, TOP_COLUMNS_QP, "Queue pairs",                                 \
	  "dev port qpn qptype state pid comm peer sq_fill rq_fill tx_msgs_s rx_msgs_s tx_bytes_s "     \
	  "rx_bytes_s retries_s rnr_s wait activity", "")                                           \
	X(CQ, cq, GLASS_COLUMNS_CQ, TOP_COLUMNS_CQ, "Completion queues",                           \
	  "dev cqn state pid comm fill max max_used full_in users cqes_s errors_s notify "         \
	  "activity age", "")                                                                      \
	X(MR, mr, GLASS_COLUMNS_MR, TOP_COLUMNS_MR, "Memory regions",                              \
	  "dev mrn pid comm len lkey rkey access reads_s writes_s atomics_s activity age", "")     \
	X(PD, pd, GLASS_COLUMNS_PD, TOP_COLUMNS_PD, "Protection domains",                          \
	  "dev pdn ctxn pid comm nmr nmw nqp nsrq nah pinned age", "")                                 \
	X(SRQ, srq, GLASS_COLUMNS_SRQ, TOP_COLUMNS_SRQ, "Shared receive queues",                   \
	  "dev srqn state pid comm fill max limit dry_in wrs_s limit_events activity age", "")     \
	X(AH, ah, GLASS_COLUMNS_AH, TOP_COLUMNS_AH, "Address handles",                             \
	  "dev ahn pdn pid comm port dlid sl grh dgid age", "")                                    \
	X(UCONTEXT, ucontext, GLASS_COLUMNS_UCONTEXT, TOP_COLUMNS_UCONTEXT, "User contexts",       \
	  "dev ctxn pid comm npd nmr ncq nsrq nqp nah pinned grown posts_refused events_unacked "  \
	  "age", "")                                                                               \
	X(MW, mw, GLASS_COLUMNS_MW, TOP_COLUMNS_MW, "Memory windows",                              \
	  "dev mwn pdn pid comm mwtype rkey mrn iova len access qpn age", "")                      \
	X(DM, dm, GLASS_COLUMNS_DM, TOP_COLUMNS_DM, "Device memory",                               \
	  "dev dmn ctxn pid comm len nmr age", "")                                                 \
	X(XRCD, xrcd, GLASS_COLUMNS_XRCD, TOP_COLUMNS_XRCD, "XRC domains",                         \
	  "dev xrcdn pid comm nsrq nqp age", "")                                                   \
	X(CM_ID, cm_id, TOP_NO_COLUMNS, TOP_COLUMNS_CM_ID, "Connections (RDMA CM)",                \
	  "dev cm_idn pid comm qpn cm_state port_space port src dst", "")                          \
	X(LINT, lint, TOP_NO_COLUMNS, TOP_COLUMNS_LINT, "Lint findings",                           \
	  "dev code severity kind num pid comm count text", "")                                    \
	X(INJECT, inject, TOP_NO_COLUMNS, TOP_COLUMNS_INJECT, "Injection rules",                   \
	  "dev rule action hit eligible hits_s over spec", "")                                     \
	X(EVENT, event, TOP_NO_COLUMNS, TOP_COLUMNS_EVENT, "Events",                               \
	  "age what dev kind num pid comm text", "-seq")                                           \
	X(TREE, tree, TOP_NO_COLUMNS, TOP_COLUMNS_TREE, "Tree",                                    \
	  "object dev state pid comm fill ops_s bytes_s size activity wait", "")                     \
	X(LEAK, leak, TOP_NO_COLUMNS, TOP_COLUMNS_TREE, "Objects by age",                          \
	  "object dev pid comm state age idle size ops_s", "-age")                                 \
	X(SHARE, share, GLASS_COLUMNS_SHARE, TOP_COLUMNS_SHARE, "Shares of users",                 \
	  "dev uid owner what used limit refused exempt all_used all_limit", "")                   \
	X(FNODE, fnode, GLASS_COLUMNS_FNODE, TOP_COLUMNS_FNODE, "Nodes of the fabric",             \
	  "name kind ports ports_active lid guid tx_bytes_s rx_bytes_s tx_pkts_s rx_pkts_s errors " \
	  "errors_s activity desc", "")                                                            \
	X(FPORT, fport, GLASS_COLUMNS_FPORT, TOP_COLUMNS_FPORT, "Ports of the fabric",             \
	  "node port lid state mtu width speed peer tx_bytes_s rx_bytes_s tx_pkts_s rx_pkts_s "    \
	  "errors errors_s link_downed activity", "")                                              \
	X(FCABLE, fcable, GLASS_COLUMNS_FCABLE, TOP_COLUMNS_FCABLE, "Cables of the fabric",        \
	  "a b pulled a_state b_state active_width active_speed mtu ab_bytes_s ba_bytes_s errors " \
	  "errors_s activity", "")                                                                 \
	X(NETCABLE, netcable, GLASS_COLUMNS_NETCABLE, TOP_COLUMNS_NETCABLE,                        \
	  "Netdev cables of the fabric",                                                           \
	  "a netdev state trouble peer peer_host link_mtu tx_bytes_s rx_bytes_s tx_pkts_s "     \
	  "rx_pkts_s lost errors errors_s ups activity", "")                                       \
	X(GID, gid, TOP_NO_COLUMNS, TOP_COLUMNS_GID, "GIDs of ports",                              \
	  "dev port index gid gid_type netdev address", "")

/*
 * X(name, title, width): how a column is headed and how wide it is on a screen, in every view that has it; width 0: as its
 * unit asks for. Without a line here the title is the name in capitals.
 */
#define TOP_LAYOUT(X)                                                                              \
	X(mark, "", 1)                                                                             \
	X(dev, "DEV", 8)                                                                           \
	X(pid, "PID", 7)                                                                           \
	X(comm, "COMMAND", 15)                                                                     \
	X(owner, "USER", 8)                                                                         \
	X(qptype, "TYPE", 4)                                                                       \
	X(mwtype, "TYPE", 4)                                                                       \
	X(state, "STATE", 6)                                                                       \
	X(state_age, "IN STATE", 8)                                                                \
	X(port, "PORT", 4)                                                                         \
	X(ports_active, "ACTIVE", 6)                                                               \
	X(nctx, "CTX", 4)                                                                          \
	X(npd, "PDS", 4)                                                                           \
	X(nmr, "MRS", 5)                                                                           \
	X(ncq, "CQS", 5)                                                                           \
	X(nsrq, "SRQS", 4)                                                                         \
	X(nqp, "QPS", 5)                                                                           \
	X(nah, "AHS", 5)                                                                           \
	X(nmw, "MWS", 4)                                                                           \
	X(ndm, "DMS", 4)                                                                           \
	X(nxrcd, "XRCDS", 5)                                                                       \
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
	X(ops_s, "OPS/s", 8)                                                                   \
	X(tx_peak, "TX PEAK", 8)                                                                   \
	X(rx_peak, "RX PEAK", 8)                                                                   \
	X(sq_fill, "SQ", 14)                                                                       \
	X(rq_fill, "RQ", 14)                                                                       \
	X(fill, "FILL", 14)                                                                        \
	X(sq_full_in, "SQ FULL IN", 10)                                                            \
	X(rq_dry_in, "RQ DRY IN", 9)                                                               \
	X(full_in, "OVERRUN IN", 10)                                                               \
	X(dry_in, "DRY IN", 8)                                                                     \
	X(all_used, "ALL USERS", 9)                                                                \
	X(all_limit, "ALL LIMIT", 9)                                                               \
	X(max_used, "MOST", 6)                                                                     \
	X(activity, "ACTIVITY", 16)                                                                \
	X(peer, "PEER", 14)                                                                        \
	X(wait, "WHY", 40)                                                                    \
	X(object, "OBJECT", 24)                                                                    \
	X(text, "WHAT HAPPENED", 60)                                                               \
	X(spec, "SPECIFICATION", 60)                                                                        \
	X(health, "HEALTH", 24)                                                                    \
	X(sources, "SOURCES", 22)                                                                  \
	X(src, "FROM", 28)                                                                         \
	X(dst, "TO", 28)                                                                           \
	X(link_rate, "LINK", 20)                                                                        \
	X(access, "ACCESS", 24)                                                                    \
	X(limit_events, "LIMITS", 6)                                                               \
	X(posts_refused, "REFUSED", 7)                                                             \
	X(events_unacked, "UNACKED", 7)                                                            \
	X(a, "A", 14)                                                                              \
	X(b, "B", 14)                                                                              \
	X(ab_bytes_s, "A>B/s", 8)                                                                  \
	X(ba_bytes_s, "B>A/s", 8)                                                                  \
	X(ab_pkts_s, "A>B PKT/s", 9)                                                               \
	X(ba_pkts_s, "B>A PKT/s", 9)                                                               \
	X(active_width, "LANES", 5)                                                                \
	X(active_speed, "LANE SPEED", 10)                                                          \
	X(link_downed, "DOWNED", 6)                                                                \
	X(desc, "DESCRIPTION", 24)                                                                 \
	X(peer_host, "HOST", 14)                                                                   \
	X(link_mtu, "MTU", 4)                                                                      \
	X(index, "INDEX", 5)                                                                       \
	X(gid_type, "TYPE", 7)

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
#define TOP_COL_MW(name, unit, meaning) COL_MW_##name,
enum { COL_MW_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_MW(TOP_COL_MW) TOP_COLUMNS_MW(TOP_COL_MW) COL_MW_COUNT };
#define TOP_COL_DM(name, unit, meaning) COL_DM_##name,
enum { COL_DM_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_DM(TOP_COL_DM) TOP_COLUMNS_DM(TOP_COL_DM) COL_DM_COUNT };
#define TOP_COL_XRCD(name, unit, meaning) COL_XRCD_##name,
enum { COL_XRCD_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_XRCD(TOP_COL_XRCD) TOP_COLUMNS_XRCD(TOP_COL_XRCD) COL_XRCD_COUNT };
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
#define TOP_COL_SHARE(name, unit, meaning) COL_SHARE_##name,
enum { COL_SHARE_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_SHARE(TOP_COL_SHARE) TOP_COLUMNS_SHARE(TOP_COL_SHARE) COL_SHARE_COUNT };
#define TOP_COL_FNODE(name, unit, meaning) COL_FNODE_##name,
enum { COL_FNODE_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_FNODE(TOP_COL_FNODE) TOP_COLUMNS_FNODE(TOP_COL_FNODE) COL_FNODE_COUNT };
#define TOP_COL_FPORT(name, unit, meaning) COL_FPORT_##name,
enum { COL_FPORT_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_FPORT(TOP_COL_FPORT) TOP_COLUMNS_FPORT(TOP_COL_FPORT) COL_FPORT_COUNT };
#define TOP_COL_FCABLE(name, unit, meaning) COL_FCABLE_##name,
enum { COL_FCABLE_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_FCABLE(TOP_COL_FCABLE) TOP_COLUMNS_FCABLE(TOP_COL_FCABLE) COL_FCABLE_COUNT };
#define TOP_COL_NETCABLE(name, unit, meaning) COL_NETCABLE_##name,
enum { COL_NETCABLE_first = COL_ANY_COUNT - 1,
       GLASS_COLUMNS_NETCABLE(TOP_COL_NETCABLE) TOP_COLUMNS_NETCABLE(TOP_COL_NETCABLE)
	       COL_NETCABLE_COUNT };
#define TOP_COL_GID(name, unit, meaning) COL_GID_##name,
enum { COL_GID_first = COL_ANY_COUNT - 1, TOP_COLUMNS_GID(TOP_COL_GID) COL_GID_COUNT };

#endif
