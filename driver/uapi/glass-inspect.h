/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The output of debugfs glassN/inspect about one object, as tables. Tests compare the driver's
 * output and docs/debugfs.md with the tables.
 *
 * The first line of an answer is "# glass 1 inspect: KIND NUMBER". Then lines "key: value" follow
 * for the object; their keys are the columns of its kind in glass-columns.h. Then sections follow.
 * A section is a line "name:" and, indented by two more blanks, lines "key: value". A section may
 * have repeated items, called entries; each is one line "entry: key=value key=value ...". Values
 * are written as in the tables of objects. A key that does not apply is left out. New versions only
 * add keys, sections and entries.
 *
 * X(key, unit, meaning), as in glass-columns.h, with two more units: sges (SGEs as
 * address:length:lkey, joined by commas) and line (text up to the end of the line, not encoded).
 */
#ifndef GLASS_UAPI_INSPECT_H
#define GLASS_UAPI_INSPECT_H

#include "glass-columns.h"

/*
 * Events that a queue pair waits for: X(NAME, word, value, meaning). While sends are posted or
 * outstanding, the driver shows the event that lets the requester go on. Otherwise the driver shows
 * the first one that applies of RECV, CQ_FULL, NO_SIGNALED, POLL, and the event that the responder
 * waits for. In the meanings, "atomic" includes FLUSH and ATOMIC WRITE.
 */
#define GLASS_WAITS(X)                                                                             \
	X(NOTHING, nothing, 0, "nothing: no send is posted and no message is under way")           \
	X(ENGINE, engine, 1, "its turn: there is a packet that it may send now")                   \
	X(STATE, state, 2, "modify_qp: a send is posted, but a QP in this state starts no send")   \
	X(PORT, port, 3, "its port, which is not active")                                 \
	X(RNR, rnr, 4, "the RNR timer: the peer had no receive posted")                            \
	X(CREDITS, credits, 5, "the peer to post receives: its credits are used up")               \
	X(READS, reads, 6, "a READ or atomic to end: max_rd_atomic are outstanding")               \
	X(FENCE, fence, 7, "the end of earlier requests, because the next request is fenced")          \
	X(WINDOW, window, 8, "the peer's ACK: the limit of unacknowledged packets is reached")     \
	X(ACK, ack, 9, "the peer's ACK: all posted requests were sent")                            \
	X(RESPONSE, response, 10, "the peer's answer to a READ or atomic")                         \
	X(NO_SIGNALED, no_signaled, 11,                                                            \
	  "an event that never comes: the send queue is full of requests that are done, and none is signaled") \
	X(CQ_FULL, cq_full, 12, "the program to poll: its completions fill the CQ, the next overruns it") \
	X(POLL, poll, 13, "the program to poll: its completions are in the CQ")                    \
	X(RECV, recv, 14, "the program to post a receive: the peer's message found none")          \
	X(MESSAGE, message, 15, "the rest of a message, or a packet that the peer must send again")        \
	X(PAGE, page, 16, "a page of on-demand memory, which is being faulted in")

#define GLASS_E_WAIT(n, w, v, meaning) GLASS_WAIT_##n = (v),

enum glass_wait { GLASS_WAITS(GLASS_E_WAIT) GLASS_WAIT_COUNT };

/* The state of a send request or of a receive: X(NAME, word, value, meaning) */
#define GLASS_WQE_STATES(X)                                                                        \
	X(POSTED, posted, 0, "in the ring, not fetched yet")                                       \
	X(WAITING, waiting, 1, "fetched from the ring, no packet of it was sent")                  \
	X(SENDING, sending, 2,                                                                     \
	  "some of its packets were sent; the queue goes on with its next packet")                 \
	X(AGAIN, again, 3, "was sent and will be sent again")                                      \
	X(SENT, sent, 4, "was sent; is not complete yet")                                          \
	X(FILLING, filling, 5, "receive: a message is being written to it")

#define GLASS_E_WQE_STATE(n, w, v, meaning) GLASS_WQE_STATE_##n = (v),

enum glass_wqe_state { GLASS_WQE_STATES(GLASS_E_WQE_STATE) GLASS_WQE_STATE_COUNT };

/*
 * The tables of the keys of sections and entries. The names of most tables consist of the kind of
 * object and the section or entry, in capitals. GLASS_SECTIONS and GLASS_ENTRIES below assign a
 * table to each section and entry.
 */
#define GLASS_INSPECT_QP_WHY(X)                                                                    \
	X(waits_for, word, "event that the queue pair waits for, a word of GLASS_WAITS")           \
	X(why, line, "the meaning of that word")

#define GLASS_INSPECT_QP_ATTR(X)                                                                   \
	X(access, word, "remote operations that the QP allows; rc and uc from INIT on")            \
	X(rq_psn, num, "first PSN of the peer's requests; rc and uc from RTR on")                  \
	X(first_psn, num, "first PSN of its own requests; from RTS on")                            \
	X(max_dest_rd_atomic, num,                                                                 \
	  "READs, atomics, FLUSHes and ATOMIC WRITEs that the peer may have outstanding; rc from RTR on") \
	X(min_rnr_timer, num, "RNR timer code of the RNR NAKs that it sends; rc from RTR on")      \
	X(sig_all, word, "yes: every send makes a completion; no: only signaled sends do")         \
	X(max_send_sge, num, "SGEs that a send may have")                                          \
	X(max_recv_sge, num, "SGEs that a receive may have; without an SRQ")                       \
	X(max_inline, bytes, "inline data that a send may have")                                   \
	X(path_bits, num, "added to the port's LID to make the source LID; rc and uc from RTR on") \
	X(static_rate, num, "static rate code; rc and uc from RTR on")                             \
	X(grh, word, "yes or no: do its packets have a GRH; rc and uc from RTR on")                \
	X(sgid_index, num, "index into the port's GID table; with a GRH")                          \
	X(dgid, gid, "GID it sends to; with a GRH")                                                \
	X(hop_limit, num, "hop limit; with a GRH")                                                 \
	X(tclass, num, "traffic class; with a GRH")                                                \
	X(flow_label, hex, "flow label; with a GRH")                                               \
	X(mcast_groups, num, "multicast groups that it is attached to")                            \
	X(mig_state, word, "path migration: migrated rearm armed; rc and uc from RTR on")          \
	X(alt_port, num, "port of the alternate path; while such a path is loaded")                \
	X(alt_dlid, num, "destination LID of the alternate path; while such a path is loaded")

#define GLASS_INSPECT_QP_PEER(X)                                                                   \
	X(dev, text, "device of this machine that the peer is on")                                 \
	X(port, num, "port of the peer")                                                           \
	X(qpn, hex, "number of the peer")                                                          \
	X(state, word,                                                                             \
	  "state of the peer; if dev is shown and state is not, there is no such queue pair")      \
	X(dest_qpn, hex, "queue pair that the peer is connected to: this one's number, if all is well") \
	X(pid, num, "process that created the peer")                                               \
	X(comm, text, "name of that process when it created the peer")

#define GLASS_INSPECT_QP_SENT_TO(X)                                                                \
	X(qpn, hex, "queue pair that the request names")                                           \
	X(dlid, num, "destination LID")                                                            \
	X(dgid, gid, "destination GID; with a GRH")                                                \
	X(dev, text, "device of this machine that has the LID")                                    \
	X(port, num, "its port that has the LID")                                                  \
	X(state, word,                                                                             \
	  "state of that queue pair; if dev is shown and state is not, there is no such queue pair") \
	X(pid, num, "process that created it")                                                     \
	X(comm, text, "name of that process when it created the queue pair")

#define GLASS_INSPECT_QP_TIMERS(X)                                                                 \
	X(ack_timeout, ns, "local ACK timeout; 0 is never; rc from RTS on")                        \
	X(ack_in, ns, "time until the ACK timer fires; while it runs")                             \
	X(rnr_told, ns, "how long its RNR NAKs ask the peer to wait; rc from RTR on")                  \
	X(rnr_in, ns, "time until it may send again after an RNR NAK; while it must wait")         \
	X(timer_in, ns,                                                                            \
	  "time until the engine checks the ACK and RNR timers; while such a check is scheduled")

#define GLASS_INSPECT_QP_REQUESTER(X)                                                              \
	X(producer, num, "index after the last request posted")                                    \
	X(head, num, "index after the last request fetched from the ring")                         \
	X(begun, num, "index after the last request that got PSNs")                                \
	X(cur, num, "index of the request that is sent now, or next")                              \
	X(cur_off, num,                                                                            \
	  "packets of the request at cur that were sent or acknowledged; READ: response packets received") \
	X(tail, num, "index of the oldest request that is not done")                               \
	X(told, num, "index after the last request that made a completion")                        \
	X(una, num, "oldest PSN without acknowledgement; rc")                                      \
	X(psn, num, "next PSN to send")                                                            \
	X(max_psn, num, "PSN after the highest ever sent; rc")                                     \
	X(ssn, num, "messages begun, modulo 2^24; rc")                                             \
	X(credit_ssn, num, "message number up to which the peer has receives; rc when the peer sends credits") \
	X(rd_atomic, num, "READs, atomics, FLUSHes and ATOMIC WRITEs outstanding; rc")             \
	X(nak_seen, word,                                                                          \
	  "yes: a NAK or a later answer reported a gap at una, and the requester went back to una; rc") \
	X(awake, word, "yes: the engine will read the ring; no: a post must ring the doorbell")    \
	X(run, word,                                                                               \
	  "idle; queued: waits for its turn; active: the engine runs or watches it; again: active, and will run once more")

#define GLASS_INSPECT_QP_RESPONDER(X)                                                              \
	X(epsn, num, "PSN expected next")                                                          \
	X(msn, num, "messages completed, modulo 2^24; rc")                                         \
	X(in_message, word, "yes: a message has arrived in part")                                  \
	X(got, bytes, "payload of that message so far")                                            \
	X(write_left, bytes, "RDMA WRITE: payload still to come")                                  \
	X(write_rkey, hex, "RDMA WRITE: its rkey")                                                 \
	X(ack_owed, word, "yes: the responder must send an ACK or NAK; rc")                        \
	X(ack_psn, num, "PSN of the NAK or RNR NAK that the responder must send or has sent")      \
	X(ack_syndrome, hex,                                                                       \
	  "AETH syndrome of the ACK or NAK that the responder must send, or of the NAK that it has sent") \
	X(nak_sent, word,                                                                          \
	  "yes: the responder must send or has sent a NAK or RNR NAK, and has accepted no request since; rc") \
	X(comm_est, word, "yes: the event comm_est was raised")                                    \
	X(last_wqe, word, "yes: the event qp_last_wqe_reached was raised; with an SRQ")            \
	X(answers, num,                                                                            \
	  "answers that the responder keeps: to READs, atomics, FLUSHes and ATOMIC WRITEs; rc")    \
	X(answers_todo, num, "of these, answers that were never sent in full; rc")

#define GLASS_INSPECT_QP_ANSWER(X)                                                                 \
	X(op, word, "read cmp_swap fetch_add flush atomic_write")                                  \
	X(state, word,                                                                             \
	  "todo: not answered; sending: answered in part; done: answered, and kept for duplicates") \
	X(psn, num, "first PSN")                                                                   \
	X(npsn, num, "number of its PSNs")                                                         \
	X(sent, num, "packets of the answer before the next one to send")                          \
	X(msn, num, "message number")                                                              \
	X(va, hex, "READ: remote address")                                                         \
	X(len, bytes, "READ: length")                                                              \
	X(rkey, hex, "READ: rkey")                                                                 \
	X(orig, hex, "cmp_swap, fetch_add: the value before")

#define GLASS_INSPECT_QP_ERROR(X)                                                                  \
	X(cause, word, "cause of the error")                                                       \
	X(status, word, "completion status; if a request completed with the error")                \
	X(wr_id, hex, "wr_id of that request")                                                     \
	X(syndrome, hex, "AETH syndrome of the NAK received or sent; if there was a NAK")          \
	X(opcode, word, "opcode of the packet that caused or reported the error; if a packet did") \
	X(psn, num, "PSN of that packet, or of the request")                                       \
	X(when, ns, "when it happened, CLOCK_MONOTONIC")                                           \
	X(age, ns, "time since then")

#define GLASS_INSPECT_QP_CHANGE(X)                                                                 \
	X(when, ns, "when it happened, CLOCK_MONOTONIC")                                           \
	X(age, ns, "time since then")                                                              \
	X(from, word, "state that the QP left")                                                    \
	X(to, word, "state that the QP entered")                                                   \
	X(cause, word, "cause of the change")

#define GLASS_INSPECT_QP_HISTORY(X) X(changes, num, "number of all changes of state; the last 16 follow, oldest first")

#define GLASS_INSPECT_QP_SQ(X)                                                                     \
	X(max, num, "requests it can hold")                                                        \
	X(slots, num, "slots of the ring")                                                         \
	X(used, num, "requests posted and not completed; a line for each follows, oldest first")

#define GLASS_INSPECT_QP_WQE(X)                                                                    \
	X(index, num, "free-running index; the slot in the ring is index modulo slots")            \
	X(state, word, "posted waiting sending again sent")                                        \
	X(op, word,                                                                                \
	  "write write_imm send send_imm read cmp_swap fetch_add local_inv bind_mw send_inv flush atomic_write reg_mr") \
	X(wr_id, hex, "as the program gave it")                                                    \
	X(len, bytes, "length of the message")                                                     \
	X(flags, word, "flags of the request: fence signaled solicited inline")                    \
	X(age, ns, "time since the engine fetched it from the ring; once it has")                  \
	X(psn, num, "first PSN; once the request has begun")                                       \
	X(npsn, num, "number of its PSNs; once the request has begun")                             \
	X(sent, num, "packets of it that were sent; in the state sending")                         \
	X(tries, num, "times that its transmission began; once the request has begun")             \
	X(status, word,                                                                            \
	  "status with which it will complete; if the engine found an error before it sent the request") \
	X(imm, hex, "immediate data as a number; send_imm and write_imm")                          \
	X(raddr, hex,                                                                              \
	  "remote address; bind_mw, reg_mr: first address of the range; not for send, send_imm, send_inv, local_inv") \
	X(rkey, hex,                                                                               \
	  "remote key; bind_mw: low 8 bits of the new R_Key; reg_mr: new key; not for send, send_imm, send_inv, local_inv") \
	X(cmp, hex, "value to compare with; cmp_swap")                                             \
	X(swap, hex, "value to swap in; cmp_swap")                                                 \
	X(add, hex, "value to add; fetch_add")                                                     \
	X(dqpn, hex, "destination queue pair; datagrams")                                          \
	X(dlid, num, "destination LID; datagrams, once the engine has fetched the request")        \
	X(qkey, hex, "Q_Key as the program gave it; datagrams")                                    \
	X(flow, hex,                                                                               \
	  "flow of its packets, as in trace events; once the engine has fetched the request")      \
	X(sge, sges, "its SGEs; if its data is not inline")                                        \
	X(inv_key, hex, "key to invalidate; send_inv, local_inv")                                  \
	X(range, bytes, "length of the range from raddr on; bind_mw, reg_mr, flush")               \
	X(mw_rkey, hex, "R_Key of the window before the bind; bind_mw")                            \
	X(mr_lkey, hex, "L_Key of the region to which the window is bound; bind_mw")               \
	X(xrc_srqn, num, "SRQ of the peer; xrc_ini")                                               \
	X(stack, num, "call stack of its post, a number of stacks; if its program records stacks")

#define GLASS_INSPECT_QP_RQ(X)                                                                     \
	X(srqn, num, "number of the SRQ; with an SRQ, instead of the following keys")              \
	X(max, num, "receives it can hold")                                                        \
	X(slots, num, "slots of the ring")                                                         \
	X(used, num, "receives posted and not taken; a line for each follows, oldest first")       \
	X(producer, num, "index after the last receive posted")                                    \
	X(consumer, num, "index of the oldest receive not taken")

#define GLASS_INSPECT_QP_RWQE(X)                                                                   \
	X(index, num, "free-running index; in the state posted")                                   \
	X(state, word, "posted or filling")                                                        \
	X(wr_id, hex, "as the program gave it")                                                    \
	X(len, bytes, "sum of the lengths of its SGEs")                                            \
	X(num_sge, num, "number of SGEs that the program gave")                                    \
	X(sge, sges, "its SGEs; unless num_sge exceeds the limit of the queue")                    \
	X(stack, num, "call stack of its post, a number of stacks; if its program records stacks")

#define GLASS_INSPECT_SRQ_RQ(X)                                                                    \
	X(slots, num, "slots of the ring")                                                         \
	X(producer, num, "index after the last receive posted")                                    \
	X(consumer, num, "index of the oldest receive not taken")                                  \
	X(left_out, num,                                                                           \
	  "receives not shown, because messages took them, or the SRQ grew, during the copy; a line for each other receive follows")

#define GLASS_INSPECT_CQ_RING(X)                                                                   \
	X(slots, num, "slots of the ring")                                                         \
	X(producer, num, "index after the last completion")                                        \
	X(consumer, num, "index of the oldest completion not polled")                              \
	X(polled_by, word, "program: it reads the ring itself; kernel: a consumer in the kernel")  \
	X(left_out, num,                                                                           \
	  "completions not shown: after the first 16384, or overwritten during the copy; a line for each other completion follows")

#define GLASS_INSPECT_CQ_CQE(X)                                                                    \
	X(index, num, "free-running index")                                                        \
	X(status, word, "completion status")                                                       \
	X(op, word, "operation that was completed")                                                \
	X(wr_id, hex, "wr_id of the request")                                                      \
	X(qpn, hex, "queue pair")                                                                  \
	X(byte_len, bytes, "bytes received or read")                                               \
	X(cause, word, "cause of an error")                                                        \
	X(syndrome, hex, "AETH syndrome; if the error has one")                                    \
	X(imm, hex, "immediate data as a number; if the message had any")                          \
	X(src_qpn, hex, "queue pair of the sender; successful receives")                           \
	X(slid, num, "LID of the sender; successful receives")                                     \
	X(flags, word, "flags of the completion: grh imm solicited send srq")                      \
	X(age, ns, "time since the completion")

#define GLASS_INSPECT_USERS(X)                                                                     \
	X(qps, num, "queue pairs that use it; a line for each of the first 1024 follows")

#define GLASS_INSPECT_USER(X)                                                                      \
	X(qpn, hex, "queue pair")                                                                  \
	X(as, word, "how the queue pair uses the object: send recv srq")                           \
	X(pid, num, "process that created the queue pair")                                         \
	X(comm, text, "name of that process when it created the queue pair")

#define GLASS_INSPECT_PORT_PKEY(X)                                                                 \
	X(index, num, "index into the table; entries that are 0 are left out")                     \
	X(pkey, hex, "P_Key; with 0x8000 a full member")

#define GLASS_INSPECT_PORT_GID(X)                                                                  \
	X(index, num, "index into the table; empty entries are left out")                          \
	X(gid, gid, "GID")

#define GLASS_INSPECT_MCAST_MEMBER(X)                                                              \
	X(qpn, hex, "queue pair")                                                                  \
	X(port, num, "its port; - before INIT")                                                    \
	X(state, word, "its state")                                                                \
	X(pid, num, "process that created the queue pair")                                         \
	X(comm, text, "name of that process when it created the queue pair")

#define GLASS_INSPECT_SWPORT(X) GLASS_COLUMNS_SWPORT(X)
#define GLASS_INSPECT_LFT(X) GLASS_COLUMNS_LFT(X)
#define GLASS_INSPECT_MFT(X) GLASS_COLUMNS_MFT(X)

#define GLASS_INSPECT_LIST(X) X(entries, num, "number of lines that follow")

/*
 * The sections of each kind of object, in their order: X(kind, name, TABLE). TABLE names the table
 * of the section's keys, without GLASS_INSPECT_.
 */
#define GLASS_SECTIONS(X)                                                                          \
	X(qp, why, QP_WHY)                                                                         \
	X(qp, attr, QP_ATTR)                                                                       \
	X(qp, peer, QP_PEER)                                                                       \
	X(qp, sent_to, QP_SENT_TO)                                                                 \
	X(qp, timers, QP_TIMERS)                                                                   \
	X(qp, requester, QP_REQUESTER)                                                             \
	X(qp, responder, QP_RESPONDER)                                                             \
	X(qp, first_error, QP_ERROR)                                                               \
	X(qp, last_error, QP_ERROR)                                                                \
	X(qp, history, QP_HISTORY)                                                                 \
	X(qp, sq, QP_SQ)                                                                           \
	X(qp, rq, QP_RQ)                                                                           \
	X(cq, ring, CQ_RING)                                                                       \
	X(cq, users, USERS)                                                                        \
	X(srq, rq, SRQ_RQ)                                                                         \
	X(srq, users, USERS)                                                                       \
	X(port, pkeys, LIST)                                                                       \
	X(port, gids, LIST)                                                                        \
	X(mcast, members, LIST)                                                                    \
	X(switch, ports, LIST)                                                                     \
	X(switch, lft, LIST)                                                                       \
	X(switch, mft, LIST)

/* The entries (repeated lines) of the sections: X(kind, section, name, TABLE) */
#define GLASS_ENTRIES(X)                                                                           \
	X(qp, responder, answer, QP_ANSWER)                                                        \
	X(qp, history, change, QP_CHANGE)                                                          \
	X(qp, sq, wqe, QP_WQE)                                                                     \
	X(qp, rq, rwqe, QP_RWQE)                                                                   \
	X(cq, ring, cqe, CQ_CQE)                                                                   \
	X(cq, users, user, USER)                                                                   \
	X(srq, rq, rwqe, QP_RWQE)                                                                  \
	X(srq, users, user, USER)                                                                  \
	X(port, pkeys, pkey, PORT_PKEY)                                                            \
	X(port, gids, gid, PORT_GID)                                                               \
	X(mcast, members, member, MCAST_MEMBER)                                                    \
	X(switch, ports, port, SWPORT)                                                             \
	X(switch, lft, lid, LFT)                                                                   \
	X(switch, mft, mlid, MFT)

#endif
