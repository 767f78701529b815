/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first causes that ibwhy tells apart: X(NAME, word, title, advice). docs/ibwhy.md has the same
 * table; tests/unit/ibwhy compares them.
 */
#ifndef GLASS_LIB_WHY_CAUSE_H
#define GLASS_LIB_WHY_CAUSE_H

#define WHY_CAUSES(X)                                                                              \
	X(UNDETERMINED, undetermined, "the records do not tell the first cause",                   \
	  "Provoke it again with the evidence that is missing; the verdict names it.")             \
	X(PEER_RESET, peer_reset, "the peer QP was in RESET",                                      \
	  "Move the peer to RTR before this end sends; exchange a message outside of the QP that says so.") \
	X(PEER_INIT, peer_init, "the peer QP was in INIT",                                         \
	  "Move the peer to RTR before this end sends; exchange a message outside of the QP that says so.") \
	X(PEER_ERR, peer_err, "the peer QP was in ERR",                                            \
	  "Look at the first error of the peer: ibwhy lists its failure, too.")                    \
	X(PEER_GONE, peer_gone, "the program of the peer destroyed the peer QP",                   \
	  "Agree on the end of the connection before either end destroys its QP.")                 \
	X(PEER_EXITED, peer_exited, "the peer process ended without destroying the peer QP",       \
	  "Find out why that process ended; let it drain and destroy its QPs first.")              \
	X(PEER_KILLED, peer_killed, "a signal killed the peer process",                            \
	  "Find out who sent the signal, or what crashed: the peer's log, dmesg, coredumpctl.")    \
	X(PEER_STOPPED, peer_stopped, "the peer process was stopped",                              \
	  "Continue it (kill -CONT), or detach the debugger that holds it.")                       \
	X(UNPLUGGED, unplugged, "the adapter was unplugged",                                       \
	  "Plug it in again, and make all objects anew.")                                          \
	X(WRONG_QPN, wrong_qpn, "the QP sends to a wrong QPN",                                     \
	  "Compare the exchanged qp_num with dest_qp_num of ibv_modify_qp; mind the byte order.")  \
	X(WRONG_LID, wrong_lid, "a wrong LID",                                                     \
	  "Exchange the LID that ibv_query_port gives now; mind the byte order and the port.")     \
	X(WRONG_GID, wrong_gid, "the GRH does not fit the ports: a wrong GID, or none",            \
	  "Compare dgid and sgid_index with the GID tables of both ports.")                        \
	X(WRONG_PKEY, wrong_pkey, "the P_Keys of the ends do not match",                           \
	  "Compare pkey_index and the P_Key tables of both ports; two limited members do not match.") \
	X(WRONG_QKEY, wrong_qkey, "a wrong Q_Key",                                                 \
	  "Send with the Q_Key that the receiving QP has.")                                        \
	X(PSN_MISMATCH, psn_mismatch, "the PSNs of the ends do not agree",                         \
	  "rq_psn of each end must be sq_psn of the other one, modulo 2^24.")                      \
	X(MTU_MISMATCH, mtu_mismatch, "the path MTUs of the ends differ",                          \
	  "Use the smaller active_mtu of both ports at both ends.")                                \
	X(KEY_STALE, key_stale, "the R_Key was valid once, and is no longer",                      \
	  "Keep the region until the peer has finished; tell the peer before the key dies.")       \
	X(KEY_UNKNOWN, key_unknown, "the R_Key was never valid",                                   \
	  "Compare the exchanged rkey with that of the region; mind the byte order, and lkey.")    \
	X(KEY_OTHER_PD, key_other_pd, "the R_Key is of another protection domain than the peer QP",  \
	  "Register the memory in the protection domain of the QP.")                               \
	X(KEY_BOUNDS, key_bounds, "the access exceeds the region of the R_Key",                    \
	  "Check address and length against the region; mind units, and the offset.")              \
	X(KEY_ACCESS, key_access, "the region of the R_Key does not grant this access",            \
	  "Register the region with the access flags that the peer needs.")                        \
	X(QP_ACCESS, qp_access, "the peer QP does not grant this access",                          \
	  "Set qp_access_flags of the peer in the transition to INIT or RTR.")                     \
	X(MISALIGNED, misaligned, "the address of an atomic is not a multiple of 8",               \
	  "Align the remote address of atomics to 8 bytes.")                                       \
	X(LKEY_STALE, lkey_stale, "a local key was valid once, and is no longer",                  \
	  "Keep a region until all work requests that name it have completed.")                    \
	X(LKEY_UNKNOWN, lkey_unknown, "a local key was never valid",                               \
	  "Use the lkey of the region, not its rkey.")                                             \
	X(LKEY_OTHER_PD, lkey_other_pd, "a local key is of another protection domain than the QP", \
	  "Register the memory in the protection domain of the QP.")                               \
	X(LKEY_BOUNDS, lkey_bounds, "an SGE exceeds the region of its local key",                  \
	  "Check addr and length of each SGE against its region.")                                 \
	X(LKEY_ACCESS, lkey_access, "the region of a local key lacks local write",                 \
	  "Register memory that receives data with IBV_ACCESS_LOCAL_WRITE.")                       \
	X(NO_RECV, no_recv, "the peer posted too few receives, and the RNR budget is spent",       \
	  "Post receives before the peer sends; or raise rnr_retry (7: no limit) and min_rnr_timer.") \
	X(RECV_SHORT, recv_short, "the message is longer than the receive that it found",          \
	  "Post receives for the longest message that the peer may send.")                         \
	X(CQ_OVERRUN, cq_overrun, "a CQ overran: its program did not poll it in time",             \
	  "Make the CQ as large as all work requests that may complete into it, or poll it earlier.") \
	X(PORT_DOWN, port_down, "a port on the way was down",                                      \
	  "Look at that port: ibfabric show, and the time and cause of its last change.")          \
	X(CABLE_CUT, cable_cut, "a cable on the way was cut or pulled",                            \
	  "Plug the cable in again (ibfabric).")                                                   \
	X(NETDEV_GONE, netdev_gone, "a network interface on the way is gone, down or silent",      \
	  "Look at that interface (ip link) and at the host at its other end.")                    \
	X(GID_GONE, gid_gone, "the port has no longer the GID from which the QP sends",            \
	  "Keep the address of that GID on its network interface (ip address), or connect anew with a GID that the port has.") \
	X(NO_IP_ROUTE, no_ip_route, "no IP route leads to the GID of the peer",                    \
	  "Compare dgid with the address of the peer; ip route get shows what the kernel would do.") \
	X(NO_NEIGHBOUR, no_neighbour, "nobody on the network answers for the IP address of the peer", \
	  "Is the peer's host up, and in this network? ip neighbour, and tcpdump for ARP, show what is asked.") \
	X(NO_ROUTE, no_route, "a switch has no route to the LID",                                  \
	  "Let the subnet manager route again; ibfabric trace shows the way.")                     \
	X(ROUTE_LOOP, route_loop, "the tables of the switches lead in a circle",                   \
	  "Let the subnet manager route again; ibfabric trace shows the circle.")                  \
	X(SM_GONE, sm_gone, "no subnet manager made a port on the way active",                     \
	  "Start a subnet manager (opensm); a port without one stays in INIT.")                    \
	X(INJECTED, injected, "an injection rule made it",                                         \
	  "It is a test: ibinject list shows the rules; ibinject clear removes them.")             \
	X(TIMEOUT_SHORT, timeout_short, "the ACK timeout was shorter than the delay that there was", \
	  "Raise timeout or retry_cnt of the QP (4.096 us * 2^timeout a try).")                    \
	X(READ_DEPTH, read_depth, "more READs or atomics at once than the peer answers",           \
	  "max_rd_atomic of this end may not exceed max_dest_rd_atomic of the peer.")              \
	X(MODIFY_ERR, modify_err, "the program itself moved the QP to ERR",                        \
	  "If this was not the planned end, look where the program (or librdmacm) does that.")     \
	X(BAD_REQUEST, bad_request, "a work request that this QP cannot execute",                  \
	  "Compare the request with the QP's type, max_rd_atomic and capabilities.")               \
	X(BAD_BIND, bad_bind, "a key could not be bound, registered or invalidated",               \
	  "Check the region, the window, their protection domain and the key of the request.")     \
	X(BAD_RING, bad_ring, "ring indices that a correct program never writes",                  \
	  "The program overwrote memory that the provider shares with the driver: look for a wild write.") \
	X(SRQ_FAILED, srq_failed, "the SRQ of the QP was in error",                                \
	  "Look at the failure of the SRQ: ibwhy lists it, too.")

#define WHY_E_CAUSE(n, w, title, advice) WHY_CAUSE_##n,

enum why_cause { WHY_CAUSES(WHY_E_CAUSE) WHY_CAUSE_COUNT };

#endif
