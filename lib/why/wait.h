/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that hangs: from a QP that waits, through its peer, to the end of the chain. It is
 * pure: the caller brings a snapshot of all QPs, CQs, SRQs, processes, held packets, firings of
 * injection rules, and failures.
 */
#ifndef GLASS_LIB_WHY_WAIT_H
#define GLASS_LIB_WHY_WAIT_H

#include "lib/why/verdict.h"

/* The ends of a chain: X(NAME, word, title, advice). docs/ibwhy.md has the same table. */
#define WHY_ENDS(X)                                                                                \
	X(UNKNOWN, unknown, "the snapshot does not tell",                                          \
	  "Look again; then at dropped packets (droplog) and at the failures (ibwhy).")            \
	X(IDLE, idle, "neither end has anything to do",                                            \
	  "The program waits for something outside of its QPs.")                                   \
	X(STOPPED, stopped, "a process is stopped",                                                \
	  "Continue it (kill -CONT), or detach the debugger that holds it.")                       \
	X(NO_RECV, no_recv, "a program must post a receive",                                       \
	  "Post receives before the peer sends.")                                                  \
	X(NOT_POLLED, not_polled, "a program must poll its CQ",                                    \
	  "Poll the CQ. Before the program blocks: ask for notification, then poll once more.")    \
	X(NO_SIGNALED, no_signaled, "the send queue is full, and no request is signaled",          \
	  "Signal at least one request of each full send queue.")                                  \
	X(CQ_FAILED, cq_failed, "a CQ is in error",                                                \
	  "Read asynchronous events: only IBV_EVENT_CQ_ERR tells this. Make the CQ and its QPs anew, and connect again.") \
	X(FAILED, failed, "a QP is in error",                                                      \
	  "Poll its CQ for what was flushed; then make the QP anew, or end. ibwhy tells all of a failure.") \
	X(CYCLE, cycle, "programs wait for each other",                                            \
	  "Let one end send first.")                                                               \
	X(HELD, held, "an injection rule holds a packet",                                          \
	  "It is a test: ibinject step or release lets packets go.")                               \
	X(LOST, lost, "an injection rule lost a completion",                                       \
	  "It is a test: end the rule (ibinject del), and start the program again.")               \
	X(LOST_EARLIER, lost_earlier, "an injection rule lost a completion, and later ones came",  \
	  "If the program counts completions, it waits for the lost one: end the rule (ibinject del), and start it again.") \
	X(DOUBLED, doubled, "an injection rule doubled a completion",                              \
	  "It is a test: a program that counts completions is out of step. End the rule (ibinject del), and start it again.") \
	X(FORGED, forged, "an injection rule forged an ACK",                                       \
	  "It is a test: nobody sends that request again. End the rule (ibinject del), and start both programs again.") \
	X(DROPPED, dropped, "an injection rule lost a packet that nobody sends again",             \
	  "It is a test. A program over UD must send again after a time; RC does so unless the QP's timeout is 0.") \
	X(DATAGRAM, datagram, "programs wait for datagrams of each other",                         \
	  "If one was lost (droplog), nobody sends it again: the program must, after a time.")     \
	X(PORT, port, "a port is not active",                                                      \
	  "Look at the cable and at the subnet manager: ibfabric show.")                           \
	X(MODIFY, modify, "a program must call modify_qp",                                         \
	  "Move the QP to RTS.")                                                                   \
	X(PEER_GONE, peer_gone, "the peer QP does not exist",                                      \
	  "Wait until the retries end: the failure then tells what became of it.")                 \
	X(ABANDONED, abandoned, "the peer QP is gone, and this end waits for it without a timer",  \
	  "End the program. To learn of a peer's end, it needs rdma_cm, a connection beside the QP, or messages that ask.") \
	X(PEER_STATE, peer_state, "the peer QP is in a state in which it receives nothing",        \
	  "Move the peer to RTR.")                                                                 \
	X(OTHER_HOST, other_host, "the peer is on another host or adapter",                        \
	  "Run ibwhy there, too.")                                                                 \
	X(BUSY, busy, "it is not stuck: the adapter has work to do",                               \
	  "Look again.")

#define WHY_E_END(n, w, title, advice) WHY_END_##n,

enum why_end { WHY_ENDS(WHY_E_END) WHY_END_COUNT };

struct why_qp {
	char dev[64];
	uint64_t qpn, pid;
	uint64_t created; /* CLOCK_MONOTONIC, ns; 0: not known */
	uint64_t began;	  /* when it left RESET last, or else was created; in the same way */
	struct why_story story; /* the answer of inspect, as block LOCAL */
};

struct why_held {
	char dev[64], rule[64];
	uint64_t qpn; /* the QP that sent it, or that it is for */
};

/* Actions of injection rules after which a program may wait for ever: X(NAME, word) */
#define WHY_FAULTS(X)               \
	X(CQE_LOSE, cqe_lose)       \
	X(CQE_DUP, cqe_dup)         \
	X(ACK, ack)                 \
	X(DROP, drop)               \
	X(CORRUPT, corrupt)         \
	X(TRUNCATE, truncate)

#define WHY_E_FAULT(n, w) WHY_FAULT_##n,

enum why_fault_act { WHY_FAULTS(WHY_E_FAULT) WHY_FAULT_COUNT };

/*
 * Firings of a rule on one queue of a QP, by the journal of the adapter; what follows `count` is that
 * of the last one.
 */
struct why_fault {
	char dev[64], rule[64];
	uint64_t qpn;
	enum why_fault_act act;
	bool receive; /* a completion of a receive */
	bool arrived; /* a packet that came to the QP, not one that it sent */
	uint64_t count;
	uint64_t seq, time;
	uint64_t request; /* number of the request in its queue, from 1; 0: not known */
	uint64_t psn;	  /* of the packet */
	char wr_id[32];	  /* "" if there is none */
};

struct why_cq {
	char dev[64], comm[64], notify[16]; /* notify: no, solicited, next */
	uint64_t cqn, pid, used, armed;
	bool failed;
};

struct why_srq {
	char dev[64];
	uint64_t srqn, used;
};

/* A row of the driver's failures, and the verdict on its story */
struct why_failure {
	char dev[64], object[8]; /* object: qp, cq, srq */
	uint64_t num, id, when, age;
	char peer_dev[64]; /* "": not known */
	uint64_t peer_qpn;
	enum why_cause cause;
	char last[WHY_TEXT]; /* the last step of the verdict; "": there is none */
};

struct why_process_state {
	uint64_t pid;
	bool stopped;
};

struct why_snapshot {
	struct why_qp *qp;
	size_t qps;
	struct why_held *held;
	size_t helds;
	struct why_fault *fault; /* in the order of the journal */
	size_t faults;
	struct why_cq *cq;
	size_t cqs;
	struct why_srq *srq;
	size_t srqs;
	struct why_failure *failure; /* oldest first */
	size_t failures;
	struct why_process_state *process;
	size_t processes;
};

/* Follows the chain from a QP. v->cause is not used; v->steps has at least one step. */
enum why_end why_wait(const struct why_snapshot *w, const struct why_qp *from,
		      struct why_verdict *v);

/* Returns WHY_FAULT_COUNT for the word of another action. */
enum why_fault_act why_fault_find(const char *word);

/*
 * Could a failure of the object explain what QPs of the snapshot wait for? when: CLOCK_MONOTONIC; peer_dev,
 * peer_qpn: as in struct why_failure. The snapshot must have its QPs and CQs.
 */
bool why_failure_counts(const struct why_snapshot *w, const struct why_failure *f);

/* Fills dev, qpn, pid, created and began of a QP from its story. Returns false if they are not there. */
bool why_qp_take(struct why_qp *q, const char *dev);

const char *why_end_word(enum why_end end);
const char *why_end_title(enum why_end end);
const char *why_end_advice(enum why_end end);

#endif
