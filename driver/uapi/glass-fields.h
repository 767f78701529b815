/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fields that are common to filters (docs/filter.md), selectors of injection rules, and trace
 * events. The columns of most tables of glass-columns.h are fields, too; lib/fields.c lists these
 * tables. A column with the unit "word" must also have a row here, because the row says which words
 * the column has. A name has the same meaning and unit in both places, except that `access` has the
 * unit "flags" here.
 *
 * GLASS_FIELDS: X(name, unit, words, meaning). The units are those of glass-columns.h and two more:
 * "signed" is a number that may be negative, and "flags" is any number of words. If the unit is
 * "word" or "flags", the argument `words` names the row of GLASS_FIELD_WORDS that has the words.
 * For all other units it is NONE.
 *
 * GLASS_FIELD_WORDS: W(words, tables). `tables` are the tables that have these words, each as
 * T(TABLE). A word is looked up in the tables in this order. OPCODE has no table: an opcode is a
 * word of GLASS_TRANSPORTS and a word of GLASS_BTH_OPS, joined by _.
 */
#ifndef GLASS_UAPI_FIELDS_H
#define GLASS_UAPI_FIELDS_H

#include "glass-cable.h"
#include "glass-columns.h"
#include "glass-vocab.h"

/* Tables of words that only columns have: X(NAME, word, value) */
#define GLASS_QUEUE_STATES(X)                                                                      \
	X(OK, ok, 0)                                                                               \
	X(ERR, err, 1)

#define GLASS_MR_KINDS(X)                                                                          \
	X(USER, user, 0)                                                                           \
	X(DMA, dma, 1)                                                                             \
	X(FAST, fast, 2)                                                                           \
	X(DM, dm, 3)                                                                               \
	X(DMABUF, dmabuf, 4)                                                                       \
	X(ODP, odp, 5)

#define GLASS_NOTIFIES(X)                                                                          \
	X(NO, no, 0)                                                                               \
	X(SOLICITED, solicited, 1)                                                                 \
	X(NEXT, next, 2)

#define GLASS_YES_NO(X)                                                                            \
	X(NO, no, 0)                                                                               \
	X(YES, yes, 1)

#define GLASS_NODE_KINDS(X)                                                                        \
	X(HCA, hca, 0)                                                                             \
	X(CA, ca, 1)                                                                               \
	X(SWITCH, switch, 2)

#define GLASS_PORT0_KINDS(X)                                                                       \
	X(BASE, base, 0)                                                                           \
	X(ENHANCED, enhanced, 1)

#define GLASS_FIELD_WORDS(W, T)                                                                    \
	W(NONE, )                                                                                  \
	W(DIR, T(GLASS_DIRS))                                                                      \
	W(KIND, T(GLASS_KINDS) T(GLASS_NODE_KINDS))                                                \
	W(QPTYPE, T(GLASS_QP_TYPES))                                                               \
	W(STATE, T(GLASS_QP_STATES) T(GLASS_PORT_STATES) T(GLASS_QUEUE_STATES)                     \
	  T(GLASS_CABLE_STATES))                                                                   \
	W(CAUSE, T(GLASS_CAUSES))                                                                  \
	W(VERB, T(GLASS_VERBS))                                                                    \
	W(OP, T(GLASS_PKT_OPS) T(GLASS_WR_OPS) T(GLASS_WC_OPS))                                    \
	W(OPCODE, )                                                                                \
	W(STATUS, T(GLASS_WC_STATUSES))                                                            \
	W(REASON, T(GLASS_DROP_REASONS))                                                           \
	W(EVENT, T(GLASS_EVENTS))                                                                  \
	W(ACTION, T(GLASS_ACTIONS))                                                                \
	W(WHY, T(GLASS_RETRY_WHYS))                                                                \
	W(CLASS, T(GLASS_MAD_CLASSES))                                                             \
	W(METHOD, T(GLASS_MAD_METHODS))                                                            \
	W(MRKIND, T(GLASS_MR_KINDS))                                                               \
	W(ACCESS, T(GLASS_ACCESS_FLAGS))                                                           \
	W(NOTIFY, T(GLASS_NOTIFIES))                                                               \
	W(WAIT, T(GLASS_WAITS))                                                                    \
	W(SPEED, T(GLASS_SPEEDS))                                                                  \
	W(PLACE, T(GLASS_DROP_PLACES))                                                             \
	W(PORT0, T(GLASS_PORT0_KINDS))                                                             \
	W(YES_NO, T(GLASS_YES_NO))                                                                 \
	W(TROUBLE, T(GLASS_CABLE_TROUBLES))

#define GLASS_FIELDS(X)                                                                            \
	X(dev, text, NONE, "device")                                                               \
	X(port, num, NONE, "number of the port")                                                   \
	X(dir, word, DIR, "direction of a packet, seen from the port")                             \
	X(pid, num, NONE, "process; 0 is the kernel")                                              \
	X(comm, text, NONE, "name of the process")                                                 \
	X(kind, word, KIND, "kind of object, or of a node of the fabric")                          \
	X(num, num, NONE, "number of the object of that kind")                                     \
	X(qpn, hex, NONE, "queue pair; of a packet: the one on this side of the port")             \
	X(dqpn, hex, NONE, "BTH: destination queue pair")                                          \
	X(sqpn, hex, NONE, "DETH: source queue pair; datagrams only")                              \
	X(qptype, word, QPTYPE, "type of the queue pair")                                          \
	X(state, word, STATE, "state of a queue pair, port, CQ, SRQ or netdev cable")               \
	X(from, word, STATE, "state that was left")                                                \
	X(to, word, STATE, "state that was reached")                                               \
	X(cause, word, CAUSE, "cause of a change of state or of an error")                         \
	X(verb, word, VERB, "verb, by the name of the kernel's operation")                         \
	X(ret, signed, NONE, "what a verb returned: 0, a count, or a negative errno")              \
	X(op, word, OP, "operation of a packet, work request or completion")                       \
	X(opcode, word, OPCODE, "BTH opcode with its transport")                                   \
	X(psn, num, NONE, "packet sequence number")                                                \
	X(msn, num, NONE, "message sequence number")                                               \
	X(wr_id, hex, NONE, "number of the work request, chosen by the program")                   \
	X(len, bytes, NONE, "payload of a packet, length of a message or region")                  \
	X(dma_len, bytes, NONE, "RETH: length of the whole WRITE or READ, or of the range to flush") \
	X(va, hex, NONE, "RETH and AtomicETH: remote address")                                     \
	X(imm, hex, NONE, "immediate data")                                                        \
	X(inv_key, hex, NONE, "IETH: remote key that the receiver must invalidate")                \
	X(xrc_srqn, num, NONE, "XRCETH: the SRQ of the receiver")                                  \
	X(feth, hex, NONE, "FETH of a FLUSH: 0x1 global, 0x2 persistent, 0x10 the whole region")   \
	X(ackreq, num, NONE, "BTH: 1 when an acknowledgement is requested")                        \
	X(se, num, NONE, "BTH: 1 for a solicited event")                                           \
	X(slid, num, NONE, "source LID")                                                           \
	X(dlid, num, NONE, "destination LID")                                                      \
	X(sl, num, NONE, "service level")                                                          \
	X(pkey, hex, NONE, "P_Key")                                                                \
	X(qkey, hex, NONE, "Q_Key; datagrams only")                                                \
	X(lkey, hex, NONE, "local key of a region")                                                \
	X(rkey, hex, NONE, "remote key of a region, or in a packet")                               \
	X(status, word, STATUS, "completion status")                                               \
	X(syndrome, hex, NONE, "AETH: 0x00-0x1f ACK, 0x20-0x3f RNR NAK, 0x60-0x64 NAK")            \
	X(reason, word, REASON, "why a packet was dropped")                                        \
	X(flow, num, NONE, "number that a work request and its packets share; 0 is none")          \
	X(age, ns, NONE, "time since it was created")                                              \
	X(event, word, EVENT, "asynchronous event")                                                \
	X(action, word, ACTION, "action of an injection rule")                                     \
	X(rule, text, NONE, "name of an injection rule")                                           \
	X(why, word, WHY, "why a requester sends again")                                           \
	X(class, word, CLASS, "management class of a MAD")                                         \
	X(method, word, METHOD, "method of a MAD")                                                 \
	X(attr, hex, NONE, "attribute of a MAD")                                                   \
	X(tid, hex, NONE, "transaction of a MAD")                                                  \
	X(mrkind, word, MRKIND, "kind of a memory region")                                         \
	X(access, flags, ACCESS, "access that a memory region grants besides local reads")         \
	X(notify, word, NOTIFY, "completions that raise the next event of a CQ")                   \
	X(grh, word, YES_NO, "do its packets have a GRH")                                          \
	X(first_cause, word, CAUSE, "cause of a queue pair's first error")                         \
	X(last_cause, word, CAUSE, "cause of its last error")                                      \
	X(last_status, word, STATUS, "completion status of that error")                            \
	X(waits_for, word, WAIT, "event that a queue pair waits for")                              \
	X(speed, word, SPEED, "speed of a lane of a link")                                         \
	X(place, word, PLACE, "where a packet was dropped")                                        \
	X(valid, word, YES_NO, "is the key of a fast memory region valid")                         \
	X(port0, word, PORT0, "what port 0 of a switch is")                                        \
	X(enforcement, word, YES_NO, "does a switch offer to enforce partitions")                  \
	X(pulled, word, YES_NO, "is a cable pulled out")                                           \
	X(a_state, word, STATE, "state of the port at the first end of a cable (a)")                       \
	X(b_state, word, STATE, "state of the port at the other end of a cable (b)")                       \
	X(active_speed, word, SPEED, "speed at which each lane of a cable runs now")               \
	X(trouble, word, TROUBLE, "what hinders or disturbs a netdev cable")                       \
	X(vcrc, word, YES_NO, "does the command of a netdev cable demand the VCRC")                \
	X(link_vcrc, word, YES_NO, "do packets on a netdev cable have a VCRC")                     \
	X(sgid, gid, NONE, "source GID of a packet with a GRH; at an Ethernet port, its IP address") \
	X(dgid, gid, NONE, "destination GID, likewise")

#define GLASS_E_FIELD(name, unit, words, meaning) GLASS_FIELD_##name,

/*
 * Constants like GLASS_FIELD_qpn. Columns that have no row here get higher numbers in lib/fields.c.
 */
enum glass_field { GLASS_FIELDS(GLASS_E_FIELD) GLASS_FIELD_COUNT };

#endif
