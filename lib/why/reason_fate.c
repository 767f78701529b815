// SPDX-License-Identifier: GPL-2.0-only
/* Fates of packets that name a cause: what each drop reason proves, and with which rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/fates.h"

void why_other_peer(struct why_case *c)
{
	if (why_is_mutual(c) == 0)
		why_step(c, NULL, "%s is connected to another QP.", c->peer);
	why_missing(c, "the QP that is connected to %s (connected)", c->local);
	why_candidates(c, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
}

static void decide_psn(struct why_case *c)
{
	uint64_t first, expected;
	struct why_step *step;
	int mutual = why_is_mutual(c);

	if (mutual == 0) {
		why_other_peer(c);
		return;
	}
	if (mutual < 0 || !why_value_number(c->s, c->req, "attr", "first_psn", &first) ||
	    !why_value_number(c->s, c->resp, "attr", "rq_psn", &expected)) {
		why_missing(c, "the first PSNs of both ends (local and remote: attr)");
		why_candidates(c, WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID,
			       -1);
		return;
	}
	if (first == expected) {
		why_missing(c, "the packets before the PSN gap (packets)");
		why_candidates(c, WHY_CAUSE_INJECTED, WHY_CAUSE_TIMEOUT_SHORT, -1);
		return;
	}
	step = why_step(c, NULL,
			"%s begins with PSN %" PRIu64 " (sq_psn), but %s of %s expects %" PRIu64
			" first (rq_psn).",
			c->local, first, c->peer, c->peer_process, expected);
	why_evidence(step, "attr: first_psn=%" PRIu64 ", rq_psn=%" PRIu64, first, expected);
	why_decide(c, WHY_CAUSE_PSN_MISMATCH);
}

static void decide_slid(struct why_case *c)
{
	if (why_is_mutual(c) != 1) {
		why_other_peer(c);
		return;
	}
	why_step(c, NULL, "%s of %s expects another source LID than packets of %s have.", c->peer,
		 c->peer_process, c->local);
	why_decide(c, WHY_CAUSE_WRONG_LID);
}

/*
 * Did the packets arrive at the port of the QP for which they are? Returns 1, 0, or -1 if that is
 * not certain: the LID may be wrong, and the QP of that number there another one.
 */
static int is_right_port(const struct why_case *c, const struct why_fates *f, bool answers)
{
	uint64_t port, at;

	if (why_is_mutual(c) != 1 ||
	    !why_value_number(c->s, answers ? c->req : c->resp, "", "port", &port) ||
	    !why_cell_number(c->s, f->row, "rx_port", &at))
		return -1;
	return port == at;
}

/* Is the LID right, so that the drop reason is that of `cause`? If not, it ends with another
 * verdict. */
static bool decide_port_match(struct why_case *c, const struct why_fates *f, bool answers,
			      enum why_cause cause)
{
	int right = is_right_port(c, f, answers);

	if (right == 1)
		return true;
	if (right == 0) {
		why_step(c, NULL, "The LID is that of %s, which is not the port of the QP.",
			 f->port);
		why_decide(c, WHY_CAUSE_WRONG_LID);
		return false;
	}
	why_missing(c, "the port of the peer QP (remote: port, dest_qpn)");
	why_candidates(c, cause, WHY_CAUSE_WRONG_LID, -1);
	return false;
}

static void decide_grh(struct why_case *c, const struct why_fates *f, bool answers)
{
	if (!decide_port_match(c, f, answers, WHY_CAUSE_WRONG_GID))
		return;
	why_step(c, NULL, "the GRH of the packets does not fit the port at %s.", f->at);
	why_decide(c, WHY_CAUSE_WRONG_GID);
}

/* Writes the name of the port that has the LID of the requests. Returns false if it is not known.
 */
static bool name_owner(const struct why_case *c, char to[WHY_NAME])
{
	const char *owner = why_value(c->s, WHY_FAILURE, "", "dlid_port");
	const char *dev = why_value(c->s, WHY_FAILURE, "", "peer_dev");
	const char *port = why_value(c->s, c->resp, "", "port");
	char name[WHY_NAME], number[WHY_NAME];

	if (owner)
		why_word(owner, to);
	else if (dev && port)
		snprintf(to, WHY_NAME, "%.60s:%.20s", why_word(dev, name), why_word(port, number));
	return owner || (dev && port);
}

static void decide_route(struct why_case *c, const struct why_fates *f)
{
	const char *owner = why_value(c->s, WHY_FAILURE, "", "dlid_port");
	const char *dlid = why_cell(c->s, f->row, "dlid");
	char lid[WHY_NAME], port[WHY_NAME];
	struct why_step *step;
	int active;

	why_word(dlid, lid);
	if (owner && !strcmp(owner, "none")) {
		step = why_step(c, NULL, "No port of the fabric has LID %s.", lid);
		why_evidence(step, "failure: dlid_port=none");
		why_decide(c, WHY_CAUSE_WRONG_LID);
		return;
	}
	if (!name_owner(c, port)) {
		why_missing(c, "the port that has LID %s (failure: dlid_port)", lid);
		why_candidates(c, WHY_CAUSE_WRONG_LID, WHY_CAUSE_NO_ROUTE, -1);
		return;
	}
	step = why_step(c, NULL, "%s has no route to LID %s, which is the LID of %s.", f->at, lid,
			port);
	why_evidence(step, "drops: reason=no_route");
	active = why_is_active(c, port);
	/* a subnet manager takes the routes to a port away that is down */
	if (!active) {
		why_port(c, port, f->timed ? &f->first : NULL);
		if (!c->v->cause)
			why_candidates(c, WHY_CAUSE_NO_ROUTE, -1);
	} else if (active < 0) {
		why_missing(c, "the state of %s (ports)", port);
		why_candidates(c, WHY_CAUSE_NO_ROUTE, -1);
	} else if (!why_is_cabled(c, port, f->at)) {
		/* the subnet manager may have taken the route away because the next port was down
		 */
		if (why_lost_route(c, f->at, lid, port))
			return;
		why_missing(c, "the port by which a route led there before");
		why_candidates(c, WHY_CAUSE_NO_ROUTE, WHY_CAUSE_PORT_DOWN, WHY_CAUSE_CABLE_CUT,
			       WHY_CAUSE_NETDEV_GONE, -1);
	} else {
		why_decide(c, WHY_CAUSE_NO_ROUTE);
	}
}

static void tell_keys(struct why_case *c, const struct why_fates *f, const char *what,
		      const char *key, enum why_cause cause)
{
	char sent[WHY_NAME];
	struct why_step *step;

	step = why_step(c, NULL, "The packets have the %s %s, which does not match at %s.", what,
			why_word(why_cell(c->s, f->row, key), sent), f->at);
	why_evidence(step, "packets: %s=%s", key, sent);
	why_decide(c, cause);
}

static void decide_pkey(struct why_case *c, const struct why_fates *f, bool answers)
{
	if (decide_port_match(c, f, answers, WHY_CAUSE_WRONG_PKEY))
		tell_keys(c, f, "P_Key", "pkey", WHY_CAUSE_WRONG_PKEY);
}

static void decide_type(struct why_case *c, const struct why_fates *f)
{
	why_step(c, NULL, "The QP %s is of another type.", f->at);
	why_other_peer(c);
}

static void decide_rule_drop(struct why_case *c)
{
	static const char *const actions[] = { "drop", NULL };

	if (!why_rule_step(c, actions)) {
		why_step(c, NULL,
			 "An injection rule dropped them; the journal has no entry of it.");
		why_missing(c, "the name of the rule (journal)");
	}
	why_decide(c, WHY_CAUSE_INJECTED);
}

/* Reasons of a port that got a damaged packet: X(reason) */
#define DAMAGES(X)  \
	X(bad_icrc) \
	X(bad_vcrc) \
	X(bad_len)

static bool is_damage(const char *reason)
{
#define IS_DAMAGE(word) || !strcmp(reason, #word)
	return false DAMAGES(IS_DAMAGE);
}

void why_merge_damages(struct why_fates *f)
{
	unsigned int i, to = why_fate("bad_vcrc");

	for (i = 0; i < WHY_LOST; i++) {
		if (i == to || !is_damage(why_fate_words[i]))
			continue;
		f->of[to] += f->of[i];
		f->of[i] = 0;
	}
}

/* A damaged packet: within a host, only a rule damages packets. */
static void decide_damage(struct why_case *c)
{
	static const char *const actions[] = { "corrupt", "truncate", NULL };

	if (why_rule_step(c, actions)) {
		why_decide(c, WHY_CAUSE_INJECTED);
		return;
	}
	why_missing(c, "the rule that damaged the packets (journal)");
	why_candidates(c, WHY_CAUSE_INJECTED, -1);
}

static void decide_port(struct why_case *c, const struct why_fates *f)
{
	why_port(c, *f->switch_at ? f->switch_at : f->port, f->down ? &f->down_second : NULL);
}

/* Fates that need no further evidence: X(reason, cause, sentence about the place) */
#define PLAIN_FATES(X)                                                                          \
	X(wrong_lid, WRONG_LID, "the port at %s has another LID than the packets are sent to.") \
	X(wrong_port, WRONG_LID, "%s is on another port of its adapter than the LID.")          \
	X(loop, ROUTE_LOOP, "the tables of the switches lead the packets in a circle at %s.")

static bool decide_plain(struct why_case *c, const struct why_fates *f, const char *reason)
{
#define PLAIN(word, cause, text)                  \
	if (!strcmp(reason, #word)) {             \
		why_step(c, NULL, text, f->at);   \
		why_decide(c, WHY_CAUSE_##cause); \
		return true;                      \
	}
	PLAIN_FATES(PLAIN)
	return false;
}

/* The peer QP refused all copies for its state. It may have been destroyed before the failure. */
static void decide_state(struct why_case *c, const struct why_fates *f)
{
	char dev[WHY_NAME];
	uint64_t changes;

	if (why_value_number(c->s, c->resp, "history", "changes", &changes) || !f->timed ||
	    !why_deaf_then_gone(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->first,
				f->second, false))
		why_peer_state(c, f->last);
}

void why_decide_fate(struct why_case *c, const struct why_fates *f, const char *reason,
		     bool answers)
{
	char dev[WHY_NAME];

	if (decide_plain(c, f, reason))
		return;
	if (!strcmp(reason, "injected"))
		decide_rule_drop(c);
	else if (is_damage(reason))
		decide_damage(c);
	else if (!strcmp(reason, "bad_grh"))
		decide_grh(c, f, answers);
	else if (!strcmp(reason, "qp_type") && !answers)
		decide_type(c, f);
	else if (!strcmp(reason, "no_qp") && !answers)
		why_no_qp(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->last);
	else if (!strcmp(reason, "qp_state") && !answers)
		decide_state(c, f);
	else if (!strcmp(reason, "wrong_slid") && !answers)
		decide_slid(c);
	else if (!strcmp(reason, "bad_pkey"))
		decide_pkey(c, f, answers);
	else if (!strcmp(reason, "bad_qkey"))
		tell_keys(c, f, "Q_Key", "qkey", WHY_CAUSE_WRONG_QKEY);
	else if ((!strcmp(reason, "bad_psn") || !strcmp(reason, "nak_wait")) && !answers)
		decide_psn(c);
	else if (!strcmp(reason, "no_route") && !answers)
		decide_route(c, f);
	else if (!strcmp(reason, "port_down"))
		decide_port(c, f);
	else {
		why_missing(c, "a cause that the drop reason %s proves by itself", reason);
		why_candidates(c, -1);
	}
}
