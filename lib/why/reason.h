/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of why_reason(). */
#ifndef GLASS_LIB_WHY_REASON_H
#define GLASS_LIB_WHY_REASON_H

#include "lib/why/verdict.h"

#define WHY_NAME 96

/* A story while it is reasoned about */
struct why_case {
	const struct why_story *s;
	struct why_verdict *v;
	bool as_responder;	  /* the failed QP is the responder of the message in question */
	enum why_block req, resp; /* blocks of requester and responder: LOCAL, REMOTE */
	const char *dir;	  /* of the requests in the table of packets: "tx", "rx" */
	bool has_when, has_psn;
	uint64_t when;		      /* of the failure, CLOCK_MONOTONIC */
	uint64_t psn;		      /* of the failed request or packet */
	uint64_t born; /* when the failed QP was created; 0: not known */
	const struct why_row *wqe; /* the failed request; NULL: not known */
	char local[WHY_NAME];	      /* "glass0:0x11" */
	char peer[WHY_NAME];	      /* "glass1:0x22"; "the peer" if it is not known */
	char local_process[WHY_NAME]; /* "client (pid 811)" */
	char peer_process[WHY_NAME];
	char request[WHY_NAME]; /* "the READ of PSN 7936" */
};

/* ---- parts of the verdict */

/* Adds a step, with the time at which it happened or NULL. Further steps than WHY_STEPS are lost.
 */
struct why_step *why_step(struct why_case *c, const uint64_t *when, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void why_evidence(struct why_step *step, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void why_missing(struct why_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names the first cause: the last step gets its advice. */
void why_decide(struct why_case *c, enum why_cause cause);
/* One of the causes that the rows fit. The list ends with -1. */
void why_candidates(struct why_case *c, ...);

/* Writes the word of a cell or value, decoded and printable; "?" for NULL. Returns `to`. */
char *why_word(const char *value, char to[WHY_NAME]);
/* Writes "comm (pid 812)" from the cells of a row. */
char *why_process(const struct why_story *s, const struct why_row *row, const char *comm,
		  const char *pid, char to[WHY_NAME]);
/* Is the process of that end stopped? Returns 1, 0, or -1 if no row tells. */
int why_stopped(const struct why_case *c, const char *role);

/* ---- parts of the reasoning; each ends with why_decide() or with candidates */

/* All tries of a request remained without answer. */
void why_no_answer(struct why_case *c);
/* The responder's QP refused packets in its state. seen: time of the last such packet */
void why_peer_state(struct why_case *c, uint64_t seen);
/*
 * Packets were refused for the state of the responder's QP, which was destroyed before the failure. dev: where;
 * first, second: when the first and the second of them was sent; missed: later ones found no QP. Returns false if no
 * record tells that it was so.
 */
bool why_deaf_then_gone(struct why_case *c, const char *dev, uint64_t first, uint64_t second,
			bool missed);
/* There is no QP of the number. dev: where; seen: as before */
void why_no_qp(struct why_case *c, const char *dev, uint64_t seen);
/*
 * A port was down. at: "NODE:PORT"; since: time of the second packet that was dropped there, so that
 * a packet that was under way when the port went down does not count; NULL: not known
 */
void why_port(struct why_case *c, const char *at, const uint64_t *since);
/*
 * Is the port "NODE:PORT" active, and the other end of its cable? Returns 1, 0, or -1 if no row tells.
 */
int why_is_active(const struct why_case *c, const char *at);
/*
 * Were the port `at`, as "NODE:PORT", and the other end of its cable, `to`, active then? Returns 1; 0 if
 * one of them is not active, since a time before; -1 if no row tells, or one has changed since.
 */
int why_was_active(const struct why_case *c, const char *at, const char *to, uint64_t then);
/*
 * The switch that has the port `at` has no route to the LID, which the port `owner` has. Decides by the
 * table `routes`, the way that the route led before: a port on it went down, or the subnet manager took
 * the route away though all were active. Returns false if the table does not have that way.
 */
bool why_lost_route(struct why_case *c, const char *at, const char *lid, const char *owner);
/* Does a cable join the port "NODE:PORT" to the switch that has the port `sw`? False also if no row tells. */
bool why_is_cabled(const struct why_case *c, const char *at, const char *sw);
/* Writes the GID of a cell, of an Ethernet port, as the IP address that ip(8) shows. Returns `to`. */
const char *why_ip(const struct why_story *s, const struct why_row *row, const char *key, char to[WHY_NAME]);
/*
 * Has the kernel no way to the peer, by the table `network`? sent: packets were given to the network, or
 * else dropped because there was no way. Returns false if that table does not explain the loss.
 */
bool why_network(struct why_case *c, bool sent);
/* The RNR budget is spent. */
void why_no_receive(struct why_case *c);
/* The responder refused a key of the request. */
void why_remote_key(struct why_case *c);
/* Memory of a queue's own end was refused. end: whose; sq: of its send queue */
void why_local_key(struct why_case *c, enum why_block end, bool sq);
/* The responder found the request invalid. */
void why_invalid_request(struct why_case *c);
/* The path MTUs of both ends differ. */
void why_mtu(struct why_case *c, uint64_t own, uint64_t other);
/* A rule made the error itself. action: by this one; NULL: by any that makes errors */
void why_injected(struct why_case *c, const char *action);
/* Is the entry of the journal about a packet of the failed PSN, or an answer to it? True if it has no PSN. */
bool why_concerns(const struct why_case *c, const struct why_row *row);
/* Adds a step about the rule that fired last with one of the actions; false if none is known. */
bool why_rule_step(struct why_case *c, const char *const *actions);

/* The reason for which the responder's end dropped the packet of the failure, or NULL. */
const char *why_refusal(const struct why_case *c, const struct why_row **row);
/*
 * Is the row of packets or drops about the failed QP? Its number may have been that of an earlier QP,
 * and a drop log has the packets of all QPs between two ports.
 */
bool why_is_now(const struct why_case *c, const struct why_row *row);
/* Is the drop one of a packet of the failed request, or of its PSN at the responder? */
bool why_is_drop(const struct why_case *c, const struct why_row *drop);
/*
 * Is the responder connected to the requester? Returns 1, 0, or -1 if that is not known, as of a QP
 * that sends to itself.
 */
int why_is_mutual(const struct why_case *c);
/*
 * Another QP of this host than that to which the packets go is connected to the requester: tells a
 * wrong QPN from a wrong LID. Returns false if no record tells.
 */
bool why_wrong_address(struct why_case *c);

#endif
