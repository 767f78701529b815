/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The grammar of injection rules, as tables. The driver's parser, the tools and
 * docs/inject-abi.md take keys and actions from the tables. docs/inject-abi.md also
 * describes how to write a rule, and what a rule means.
 *
 * GLASS_INJECT_KEYS: X(NAME, word, value, sites, meaning). A site is the kind of thing on
 * which a rule acts, a letter:
 *
 *   P packets, C completions, O objects (QPs, CQs, SRQs), V verbs, N ports of the device,
 *   D the device
 *
 * The row of an action in GLASS_INJECT_ACTIONS has the action's site and parameters. A
 * rule with this action may have a key only if the letter of this site is in the key's
 * `sites`. In addition, a key of GLASS_INJECT_KEYS_PARAM must be among the parameters in
 * the action's row. If the site is O, N or D, so must a key of GLASS_INJECT_KEYS_SELECT.
 *
 * The column `value` says which values a key takes:
 *
 *   name    letters, digits and . _ -, at most 31
 *   num     a number
 *   range   a number or LOW..HIGH, both included
 *   words   one word, or several joined by commas, of which one must match
 *   word    one word
 *   text    the name of a process or node: * is any text, ? any one byte, %XX the byte
 *           0xXX
 *   time    a number with the unit ns, us, ms, s, min or h; without a unit it is ns
 *   times   TIME..TIME; or TIME alone: a span that begins at this time and never ends
 *   prob    0 to 1 with at most nine decimals, or 0% to 100% with at most seven
 *   probs   one probability, or several joined by commas
 *   rule    NAME, or NAME:N
 *   tie     fd, or the number of a process
 *   yesno   yes or no
 *
 * GLASS_INJECT_ACTIONS: X(NAME, SITE, parameters, meaning) for each action of
 * GLASS_ACTIONS. The parameters are words of keys, separated by blanks. A ! follows a
 * parameter that is mandatory.
 */
#ifndef GLASS_UAPI_INJECT_H
#define GLASS_UAPI_INJECT_H

/* Bounds of the grammar */
#define GLASS_INJECT_LINE 512 /* longest command in bytes, with its newline */
#define GLASS_INJECT_RULES 4096 /* rules of one device */
#define GLASS_INJECT_JOURNAL 4096 /* firings that a device remembers */
#define GLASS_INJECT_STREAMS 65536 /* streams that all rules of a device remember */
/*
 * Maximum number of delayed packets of a device (delay, reorder), of held packets of a device
 * (hold), and of late completions of a CQ (cqe_delay).
 */
#define GLASS_INJECT_WAITING 4096

#define GLASS_INJECT_KEYS_RULE(X)                                                                  \
	X(NAME, name, name, PCOVND, "the rule's name; r1, r2 ... when not given")                  \
	X(ACT, act, word, PCOVND, "the action; must be given")                                     \
	X(FORCE, force, yesno, PCOVND, "yes: allow faults that InfiniBand cannot produce")

/* Selectors: conditions of the rule, all of which must hold */
#define GLASS_INJECT_KEYS_SELECT(X)                                                                \
	X(PORT, port, range, PCON, "number of the port; objects: of qpn=0 and qpn=1")              \
	X(NODE, node, text, P, "name of the switch or passive adapter; only in fabric/inject/rules") \
	X(DIR, dir, words, P, "tx (when not given) or rx, seen from the port")                     \
	X(PID, pid, range, PCV, "process that made the QP, or calls the verb; 0 is the kernel")    \
	X(COMM, comm, text, PCV, "name of that process")                                           \
	X(QPN, qpn, range, PCO, "the QP on this side of the port")                                 \
	X(NQP, nqp, range, PC, "the QP is the N-th created on the device since the rule was added") \
	X(PQP, pqp, range, PC, "the QP is the N-th that its process created through its context")  \
	X(QPTYPE, qptype, words, PC, "type of that QP")                                            \
	X(STATE, state, words, PC, "state of that QP")                                             \
	X(CQN, cqn, range, CO, "the CQ")                                                           \
	X(SRQN, srqn, num, O, "the SRQ")                                                           \
	X(OP, op, words, PC, "operation of the packet, or of the completion")                      \
	X(PSN, psn, range, P, "packet sequence number")                                            \
	X(RPSN, rpsn, range, P, "PSN relative to the first PSN of its requester: 0 is the first")  \
	X(ROUND, round, range, P, "1: first transmission of a PSN; 2: it is sent again; one more " \
				  "each time its stream goes back again")                          \
	X(MSN, msn, range, P, "message sequence number of an ACK or answer")                       \
	X(MSG, msg, range, PC, "number of the work request in its send queue, from 1")             \
	X(WR_ID, wr_id, range, PC, "number of the work request, chosen by the program")            \
	X(FLOW, flow, range, PC, "flow, as in trace events")                                       \
	X(LEN, len, range, PC, "bytes of payload, or of the completed message")                    \
	X(SLID, slid, range, P, "source LID")                                                      \
	X(DLID, dlid, range, P, "destination LID")                                                 \
	X(SL, sl, range, P, "service level")                                                       \
	X(PKEY, pkey, range, P, "P_Key")                                                           \
	X(QKEY, qkey, range, P, "Q_Key of a datagram")                                             \
	X(RKEY, rkey, range, P, "remote key that a request names")                                 \
	X(SYNDROME, syndrome, range, P, "AETH: 0x00-0x1f ACK, 0x20-0x3f RNR NAK, 0x60-0x64 NAK")   \
	X(CLASS, class, words, P, "management class of a MAD")                                     \
	X(METHOD, method, words, P, "method of a MAD")                                             \
	X(ATTR, attr, range, P, "attribute of a MAD")                                              \
	X(VERB, verb, words, V, "the verb, by the name of the kernel's operation")

/*
 * Triggers: conditions on which the rule fires. All triggers in a rule must hold. The rule counts
 * in each stream separately (docs/inject-abi.md lists the streams).
 */
#define GLASS_INJECT_KEYS_TRIGGER(X)                                                               \
	X(AFTER, after, rule, PCV, "only after that rule has fired N times; 1 when not given")                   \
	X(WINDOW, window, times, PCV, "only in this span of time since the rule was added")        \
	X(SKIP, skip, num, PCV, "the first N of a stream pass and are not counted")                \
	X(NTH, nth, range, PCV, "the N-th of a stream, once")                                      \
	X(EVERY, every, num, PCV, "each N-th of a stream")                                         \
	X(PROB, prob, prob, PCV, "with that probability")                                          \
	X(CORR, corr, prob, PCV, "probability that prob repeats its last decision")                \
	X(GEMODEL, gemodel, probs, PCV, "Gilbert-Elliott: P[,R[,1-H[,1-K]]], as netem's")          \
	X(LOSS4, loss4, probs, PCV, "four states: P13[,P31[,P32[,P23[,P14]]]], as netem's state")  \
	X(SEED, seed, num, PCV, "seed of all random decisions; when not given, the driver chooses it") \
	X(BURST, burst, num, PCV, "after it fires, it also fires on the next N - 1 of the stream") \
	X(BUDGET, budget, num, PCV, "fires at most N times in each stream")

/* Lifetime: when the rule ends */
#define GLASS_INJECT_KEYS_LIFE(X)                                                                  \
	X(COUNT, count, num, PCOVND, "fires at most N times in all; for an action on an object N is 1")                   \
	X(TTL, ttl, time, PCVND, "ends this long after it was added")                              \
	X(TIE, tie, tie, PCVND, "ends with that process, or (fd) when the open file through which " \
				"it was added is closed")

/* Parameters of actions */
#define GLASS_INJECT_KEYS_PARAM(X)                                                                 \
	X(COPIES, copies, num, P, "number of extra copies, 1 to 8; 1 when not given")              \
	X(TIME, time, time, PCND, "delay, or duration; when not given: delay and cqe_delay 10ms, port_flap 100ms; " \
				 "reorder: the longest delay, 10ms")                               \
	X(JITTER, jitter, time, P, "variation of the delay: half the width, or the deviation")     \
	X(DIST, dist, word, P, "distribution of the delay: uniform (when not given), normal, pareto, " \
			       "paretonormal")                                                     \
	X(GAP, gap, num, P, "number of packets of the stream that overtake it, 1 to 64; 1 when not given") \
	X(WHAT, what, word, P, "part to corrupt: payload (when not given), header, icrc or vcrc")  \
	X(BITS, bits, num, P, "number of bits to flip, 1 to 64; 1 when not given")                 \
	X(AT, at, num, P, "byte of that part with the first flipped bit; the others follow it")    \
	X(CRC, crc, word, P, "bad (when not given): the CRCs do not match; good: they are computed anew, and " \
			     "the QP gets the packet")                                             \
	X(KEEP, keep, num, P, "bytes of payload to keep; half of it when not given")               \
	X(TIMERS, timers, word, P, "frozen (when not given): the QP's timers stop while its "      \
				   "packets wait; run: they run")                                  \
	X(CODE, code, word, P, "code of the NAK: psn_seq, inv_req, rem_access, rem_op, inv_rd_req") \
	X(TIMER, timer, num, P, "RNR timer code of the NAK, 0 to 31; that of the QP when not given") \
	X(STATUS, status, word, C, "status of the completion")                                     \
	X(VENDOR, vendor, num, C, "vendor error of the completion, 32 bits; 0 when not given")                    \
	X(EVENT, event, word, OND, "the event; qpn, cqn, srqn or port names its object")           \
	X(ERR, err, word, V, "what the verb returns, ENOMEM ... or a number")                  \
	X(FLAPS, flaps, num, N, "number of flaps, 1 to 1000; 1 when not given")                    \
	X(LID, lid, num, N, "the new LID, or that of the subnet manager")                          \
	X(INDEX, index, num, N, "index in the P_Key or GID table")                                 \
	X(VALUE, value, num, N, "the new P_Key, or the new GUID")

/*
 * Keys that the driver adds when a program reads `rules`. The driver ignores them in a command, so
 * that the program can write back a line that it has read.
 */
#define GLASS_INJECT_KEYS_TOLD(X)                                                                  \
	X(HIT, hit, num, PCOVND, "how often it fired")                                             \
	X(ELIGIBLE, eligible, num, PCOVND, "how often its selectors matched within its time limits") \
	X(OVER, over, word, PCOVND, "why it has ended: count, ttl, tie")

#define GLASS_INJECT_KEYS(X)                                                                       \
	GLASS_INJECT_KEYS_RULE(X)                                                                  \
	GLASS_INJECT_KEYS_SELECT(X)                                                                \
	GLASS_INJECT_KEYS_TRIGGER(X)                                                               \
	GLASS_INJECT_KEYS_LIFE(X)                                                                  \
	GLASS_INJECT_KEYS_PARAM(X)                                                                 \
	GLASS_INJECT_KEYS_TOLD(X)

#define GLASS_INJECT_ACTIONS(X)                                                                    \
	X(QP_FATAL, O, "qpn! port", "the QP goes to ERR with QP_FATAL, at once")                        \
	X(CQ_OVERRUN, O, "cqn!", "the CQ fails as by an overrun, at once")                         \
	X(SRQ_FATAL, O, "srqn!", "the SRQ fails, at once")                                         \
	X(DROP, P, "", "the packet is lost; op=ack dir=tx swallows acknowledgements")              \
	X(DUP, P, "copies", "the packet arrives more than once")                                   \
	X(DELAY, P, "time jitter dist", "the packet arrives later; packets behind it do not wait") \
	X(REORDER, P, "gap time", "later packets of the stream overtake the packet")               \
	X(CORRUPT, P, "what bits at crc", "bits of the packet on the wire flip")                   \
	X(TRUNCATE, P, "keep crc", "the end of the payload is cut off")                            \
	X(HOLD, P, "timers", "the packet, and later ones of the QP, wait until a step releases it") \
	X(NAK, P, "code!", "a request is not delivered but answered with a NAK")                   \
	X(RNR, P, "timer", "a request is not delivered but answered with an RNR NAK")              \
	X(ACK, P, "", "a request is not delivered but acknowledged")                               \
	X(CQE_ERROR, C, "status! vendor", "the completion has an error status, and the QP goes to ERR") \
	X(CQE_DELAY, C, "time", "the completion, and later ones of the CQ, come later")            \
	X(CQE_LOSE, C, "", "the completion does not come")                                         \
	X(CQE_DUP, C, "", "the completion comes twice")                                            \
	X(SRQ_LIMIT, O, "srqn!", "SRQ_LIMIT_REACHED is raised, at once")                           \
	X(EVENT, O, "event! qpn cqn srqn port", "that event is raised, at once; nothing else happens") \
	X(FAIL, V, "verb! err!", "the verb fails and does nothing")                              \
	X(PORT_DOWN, N, "port!", "the link is down while the rule lives")                          \
	X(PORT_FLAP, N, "port! time flaps", "the link goes down and comes back")                   \
	X(LID_CHANGE, N, "port! lid!", "the port has another LID while the rule lives")            \
	X(PKEY_CHANGE, N, "port! index! value!", "the port has another P_Key while the rule lives") \
	X(GID_CHANGE, N, "port! index! value!", "the port has another GID while the rule lives")   \
	X(SM_CHANGE, N, "port! lid!", "the port has another subnet manager while the rule lives")  \
	X(DEVICE_FATAL, D, "", "every QP of the device goes to ERR, then DEVICE_FATAL is raised")  \
	X(UNPLUG, D, "time", "the device is unplugged, and returns with the same name and GUIDs")  \
	X(ECN, P, "", "Ethernet ports: the packet has the mark CE, as if a switch had a long queue") \
	X(CNP, P, "", "Ethernet ports: the sender of the packet gets a CNP; the packet itself goes on")

/* Words that parameters take as values: X(NAME, word, value) */
#define GLASS_INJECT_DISTS(X)                                                                      \
	X(UNIFORM, uniform, 0)                                                                     \
	X(NORMAL, normal, 1)                                                                       \
	X(PARETO, pareto, 2)                                                                       \
	X(PARETONORMAL, paretonormal, 3)

#define GLASS_INJECT_PARTS(X)                                                                      \
	X(PAYLOAD, payload, 0)                                                                     \
	X(HEADER, header, 1)                                                                       \
	X(ICRC, icrc, 2)                                                                           \
	X(VCRC, vcrc, 3)

#define GLASS_INJECT_CRCS(X)                                                                       \
	X(BAD, bad, 0)                                                                             \
	X(GOOD, good, 1)

#define GLASS_INJECT_TIMERS(X)                                                                     \
	X(FROZEN, frozen, 0)                                                                       \
	X(RUN, run, 1)

/* Codes of NAKs (IBA 9.7.5.2.8) */
#define GLASS_INJECT_NAKS(X)                                                                       \
	X(PSN_SEQ, psn_seq, 0)                                                                     \
	X(INV_REQ, inv_req, 1)                                                                     \
	X(REM_ACCESS, rem_access, 2)                                                               \
	X(REM_OP, rem_op, 3)                                                                       \
	X(INV_RD_REQ, inv_rd_req, 4)

/* The role of the packets of a stream: requests or responses */
#define GLASS_INJECT_ROLES(X)                                                                      \
	X(REQ, req, 0)                                                                             \
	X(RESP, resp, 1)

/* Why a rule is over; no: it is not over */
#define GLASS_INJECT_OVERS(X)                                                                      \
	X(NO, no, 0)                                                                               \
	X(COUNT, count, 1)                                                                         \
	X(TTL, ttl, 2)                                                                             \
	X(TIE, tie, 3)

/*
 * Why a command is refused: X(NAME, word, sentence). The message names the wrong part of the
 * command, if there is one, and then has the sentence. rules/error.c replaces the parts in angle
 * brackets:
 * <key>, <other>  words of two keys
 * <low>, <high>   the bounds
 * <object>        the kind of object that <key> names: "QP"
 * <of other>      the kind of object that <other> names: "a QP"
 * <command>       the first word of the command
 * <device>        the name of the adapter
 */
#define GLASS_INJECT_ERRORS(X)                                                                     \
	/* the line */                                                                             \
	X(LINE_TOO_LONG, line_too_long, "line too long (<high> bytes are the limit)")              \
	X(NUL_BYTE, nul_byte, "NUL byte in the command")                                           \
	X(MORE_LINES, more_lines, "write only one command at a time")                              \
	X(EMPTY, empty, "empty command")                                                           \
	X(UNKNOWN_COMMAND, unknown_command,                                                        \
	  "unknown command; there are add, del, clear, step and release")                          \
	/* keys */                                                                                 \
	X(NO_PAIR, no_pair, "expected key=value")                                                  \
	X(UNKNOWN_KEY, unknown_key, "unknown key")                                                 \
	X(GIVEN_TWICE, given_twice, "given twice")                                                 \
	X(MISSING_KEY, missing_key, "<key>= is missing")                                           \
	X(NEEDS_KEY, needs_key, "needs <other>=")                                                  \
	X(EXCLUDES, excludes, "does not go with <other>=")                                         \
	X(WRONG_ACTION, wrong_action, "does not go with this action")                              \
	X(NAME_ONLY, name_only, "<command> takes name= only")                                      \
	X(NAME_AND_N, name_and_n, "<command> takes name= and n=")                                  \
	X(ALONE, alone, "<command> takes no other words")                                          \
	/* values */                                                                               \
	X(NO_VALUE, no_value, "has no value")                                                      \
	X(NO_NUMBER, no_number, "not a number (decimal or 0x)")                                    \
	X(NO_RANGE, no_range, "not a number or range (decimal or 0x, LOW..HIGH)")                  \
	X(OUT_OF_RANGE, out_of_range, "out of range (<low> to <high>)")                            \
	X(UNKNOWN_ACTION, unknown_action, "unknown action; docs/inject-abi.md lists them")         \
	X(UNKNOWN_WORD, unknown_word, "unknown word")                                              \
	X(EMPTY_WORD, empty_word, "a word is missing in the list")                                 \
	X(NO_TIME, no_time, "not a time (a number with ns, us, ms, s, min, h)")                    \
	X(NO_SPAN, no_span, "not a span of time (100ms..2s)")                                      \
	X(NO_PROB, no_prob, "not a probability (0 to 1, or 0% to 100%)")                           \
	X(NO_PROBS, no_probs, "not probabilities that go together")                                \
	X(NAME_TOO_LONG, name_too_long, "name too long (<high> characters are the limit)")         \
	X(NAME_CHARACTER, name_character, "a name is made of letters, digits and . _ -")           \
	X(NO_NAME, no_name, "not a name of <low> to <high> bytes")                                 \
	X(NO_AFTER, no_after, "expected NAME or NAME:N")                                           \
	X(NO_TIE, no_tie, "expected fd or the number of a process")                                \
	X(NO_YESNO, no_yesno, "expected yes or no")                                                \
	/* actions on objects */                                                                   \
	X(ONCE, once, "an action on an object happens once: count=1")                              \
	X(ONE_OBJECT, one_object, "give one number, that of the <object>")                         \
	X(SPECIAL_QP, special_qp, "goes with qpn=0 and qpn=1 only")                                \
	X(EVENT_OBJECTS, event_objects, "an event has one object: give one number")                \
	X(EVENT_OBJECT, event_object, "an event of <of other>: needs <other>=")                    \
	X(EVENT_DEVICE, event_device, "an event of the device: takes no object")                   \
	/* values that InfiniBand or the kernel does not have */                                          \
	X(DATAGRAM_OP, datagram_op, "a datagram QP has SENDs only")                                \
	X(RC_OP, rc_op, "only RC has READs, atomics and acknowledgements")                         \
	X(NO_AETH, no_aeth, "only answers of RC have an AETH")                                     \
	X(NO_QKEY, no_qkey, "only datagrams have a Q_Key")                                         \
	X(NO_RKEY, no_rkey, "datagrams have no R_Key")                                             \
	X(NO_SEQUENCE, no_sequence, "datagrams have no sequence from one end to the other")        \
	X(RC_ANSWER, rc_answer, "only RC has NAKs, RNR NAKs and ACKs")                             \
	X(ANSWER_ANSWERED, answer_answered, "a response gets no answer: select requests")          \
	X(NO_RECEIVE, no_receive,                                                                  \
	  "a WRITE without immediate data uses no receive, so it gets no RNR NAK")                 \
	X(DATA_ANSWER, data_answer, "a READ or atomic is answered with data, not with an ACK")     \
	X(EMPTY_ANSWER, empty_answer,                                                              \
	  "a FLUSH or ATOMIC WRITE is answered with an empty READ response, not with an ACK")      \
	X(CRC_REMADE, crc_remade,                                                                  \
	  "would repair the corrupted CRC: nothing would be corrupt")                                     \
	X(NO_ERRNO, no_errno, "has no errno: make a completion fail instead (act=cqe_error)")      \
	X(VERB_FAILS_NOT, verb_fails_not,                                                          \
	  "a program's call of this verb cannot fail in this driver")                              \
	X(STATUS_SUCCESS, status_success, "not an error status")                                   \
	X(STATUS_RD, status_rd, "a status of reliable datagrams, which no adapter has")            \
	X(STATUS_RC, status_rc, "only a requester of RC gets this status from its peer")           \
	X(STATUS_REQUEST, status_request, "a status of requests, not of receives")                 \
	X(KERNEL_WAITS, kernel_waits,                                                              \
	  "not allowed for completions of the kernel: it would wait for ever, or free twice")      \
	/* errors that the driver finds when it executes the command */                                       \
	X(UNPLUGGED, unplugged, "the device is unplugged")                                         \
	X(NO_OBJECT, no_object, "no such <object> on <device>")                                    \
	X(NO_ENTRY, no_entry, "no entry of the port's table (<low> to <high>)")                    \
	X(NO_PROCESS, no_process, "no such process")                                               \
	X(NO_RULE, no_rule, "no rule of this name")                                                \
	X(NAME_TAKEN, name_taken, "there is a rule of this name")                                  \
	X(TOO_MANY_RULES, too_many_rules, "too many rules (<high> are the limit), delete some")    \
	X(NO_PACKET, no_packet, "no packet waits")                                                 \
	/* rules at the ports of switches, and of HCAs */                                          \
	X(NODE_ACTION, node_action, "at ports of switches there is act=drop only")                 \
	X(NODE_KEY, node_key, "is not known at ports of switches")                                 \
	X(NO_NODE, no_node, "names a switch, but the rules of an adapter act at its own ports")

#endif
