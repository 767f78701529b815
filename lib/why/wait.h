/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that hangs: from a QP that waits, through its peer, to the end of the chain. It is
 * pure: the caller brings a snapshot of all QPs, processes and held packets.
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
	  "Poll the CQ, or ask for notification before it blocks.")                                \
	X(NO_SIGNALED, no_signaled, "the send queue is full, and no request is signaled",          \
	  "Signal at least one request of each full send queue.")                                  \
	X(CYCLE, cycle, "programs wait for each other",                                            \
	  "Let one end send first.")                                                               \
	X(HELD, held, "an injection rule holds a packet",                                          \
	  "It is a test: ibinject step or release lets packets go.")                               \
	X(LOST, lost, "an injection rule lost a completion",                                       \
	  "It is a test: end the rule (ibinject del), and start the program again.")               \
	X(PORT, port, "a port is not active",                                                      \
	  "Look at the cable and at the subnet manager: ibfabric show.")                           \
	X(MODIFY, modify, "a program must call modify_qp",                                         \
	  "Move the QP to RTS.")                                                                   \
	X(PEER_GONE, peer_gone, "the peer QP does not exist",                                      \
	  "Wait until the retries end: the failure then tells what became of it.")                 \
	X(PEER_STATE, peer_state, "the peer QP is in a state in which it receives nothing",        \
	  "Move the peer to RTR; or look at its failure: ibwhy.")                                  \
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
	struct why_story story; /* the answer of inspect, as block LOCAL */
};

struct why_held {
	char dev[64], rule[64];
	uint64_t qpn; /* the QP that sent it, or that it is for */
};

/* Completions of a QP that a rule with act=cqe_lose lost, by the journal of the adapter */
struct why_lost {
	char dev[64], rule[64];
	uint64_t qpn, count;
	uint64_t seq; /* of the first one in the journal */
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
	struct why_lost *lost;
	size_t losts;
	struct why_process_state *process;
	size_t processes;
};

/* Follows the chain from a QP. v->cause is not used; v->steps has at least one step. */
enum why_end why_wait(const struct why_snapshot *w, const struct why_qp *from,
		      struct why_verdict *v);

/* Fills dev, qpn, pid and created of a QP from its story. Returns false if they are not there. */
bool why_qp_take(struct why_qp *q, const char *dev);

const char *why_end_word(enum why_end end);
const char *why_end_title(enum why_end end);
const char *why_end_advice(enum why_end end);

#endif
