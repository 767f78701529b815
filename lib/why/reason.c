// SPDX-License-Identifier: GPL-2.0-only
/* From the effect to the part of the reasoning that looks for its cause. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"

/* ---- names */

static void name_end(const struct why_case *c, const char *dev, const char *num, const char *none,
		     char to[WHY_NAME])
{
	const char *d = why_value(c->s, WHY_FAILURE, "", dev);
	const char *n = why_value(c->s, WHY_FAILURE, "", num);
	char word[WHY_NAME], number[WHY_NAME];

	if (n)
		snprintf(to, WHY_NAME, "%.60s:%.20s", d ? why_word(d, word) : "?",
			 why_word(n, number));
	else
		snprintf(to, WHY_NAME, "%s", none);
}

static void name_process(const struct why_case *c, const char *comm, const char *pid,
			 char to[WHY_NAME])
{
	const char *name = why_value(c->s, WHY_FAILURE, "", comm);
	const char *number = why_value(c->s, WHY_FAILURE, "", pid);
	char word[WHY_NAME];

	if (number && !strcmp(number, "0"))
		snprintf(to, WHY_NAME, "the kernel");
	else if (name)
		snprintf(to, WHY_NAME, "%.40s (pid %.20s)", why_word(name, word),
			 number ? number : "?");
	else
		snprintf(to, WHY_NAME, "its program");
}

/* Finds the request of the requester that has the PSN, or the wr_id. */
static const struct why_row *find_request(const struct why_case *c)
{
	const char *wr_id = why_value(c->s, WHY_FAILURE, "", "wr_id");
	const struct why_row *row = NULL;
	uint64_t psn, npsn;

	while ((row = why_entry(c->s, c->req, "sq", "wqe", row))) {
		if (c->has_psn && why_cell_number(c->s, row, "psn", &psn) &&
		    why_cell_number(c->s, row, "npsn", &npsn)) {
			if (((c->psn - psn) & 0xffffff) < npsn)
				return row;
		} else if (!c->as_responder && wr_id && why_cell_is(c->s, row, "wr_id", wr_id)) {
			return row;
		}
	}
	return NULL;
}

static void name_request(struct why_case *c)
{
	const char *op = why_cell(c->s, c->wqe, "op");
	char word[WHY_NAME], *letter;

	if (!op && !c->as_responder)
		op = why_value(c->s, WHY_FAILURE, "", "op");
	if (!op)
		strcpy(word, "request");
	else
		for (letter = why_word(op, word); *letter; letter++)
			if (*letter >= 'a' && *letter <= 'z')
				*letter -= 'a' - 'A';
	if (c->has_psn)
		snprintf(c->request, sizeof(c->request), "the %.40s of PSN %" PRIu64, word, c->psn);
	else
		snprintf(c->request, sizeof(c->request), "the %.40s", word);
}

/*
 * The last row of the packets in the direction of requests that covers the PSN of the failure. A QP that
 * refuses a packet goes to ERR, and drops the copies that come behind it for that.
 */
static const struct why_row *failed_packet(const struct why_case *c)
{
	const struct why_row *row = NULL, *last = NULL;
	uint64_t psn, n;

	while (c->has_psn && (row = why_next(c->s, WHY_PACKETS, row))) {
		if (!why_cell_is(c->s, row, "dir", c->dir) || !why_is_now(c, row) ||
		    !why_cell_number(c->s, row, "psn", &psn))
			continue;
		if (!why_cell_number(c->s, row, "packets", &n) || !n)
			n = 1;
		if (((c->psn - psn) & 0xffffff) < n && !(last && why_cell_is(c->s, row, "rx_reason", "qp_state")))
			last = row;
	}
	return last;
}

bool why_is_now(const struct why_case *c, const struct why_row *row)
{
	uint64_t when, error = why_is_far(c->s, row) ? WHY_CLOCK_ERROR : 0;

	return !c->born || !why_cell_number(c->s, row, "when", &when) || when + error >= c->born;
}

bool why_is_drop(const struct why_case *c, const struct why_row *drop)
{
	uint64_t psn, dqpn, qpn, flow, of;

	if (!c->has_psn || !why_is_now(c, drop) || !why_cell_number(c->s, drop, "psn", &psn) ||
	    psn != c->psn)
		return false;
	/* flow 0: the packet has come from another host */
	if (why_cell_number(c->s, drop, "flow", &flow) && flow &&
	    why_cell_number(c->s, c->wqe, "flow", &of) && of)
		return flow == of;
	if (!why_value_number(c->s, c->req, "", "dest_qpn", &qpn) &&
	    !why_value_number(c->s, c->resp, "", "qpn", &qpn))
		return false;
	return why_cell_number(c->s, drop, "dqpn", &dqpn) && dqpn == qpn;
}

const char *why_refusal(const struct why_case *c, const struct why_row **packet)
{
	const struct why_row *row = failed_packet(c);
	const char *reason = why_cell(c->s, row, "rx_reason");

	*packet = row;
	if (reason && strcmp(reason, "none"))
		return reason;
	row = NULL;
	while ((row = why_next(c->s, WHY_DROPS, row)))
		if (why_cell_is(c->s, row, "place", "qp") && why_is_drop(c, row))
			return why_cell(c->s, row, "reason");
	return c->s->refused_for;
}

int why_is_mutual(const struct why_case *c)
{
	const char *dev = why_value(c->s, WHY_FAILURE, "", "dev");
	uint64_t dest, own, peer;

	if (dev && why_value_is(c->s, WHY_FAILURE, "", "peer_dev", dev) &&
	    why_value_number(c->s, WHY_FAILURE, "", "peer_qpn", &peer) &&
	    why_value_number(c->s, WHY_FAILURE, "", "num", &own) && peer == own)
		return -1;
	if (!why_value_number(c->s, WHY_REMOTE, "", "dest_qpn", &dest) ||
	    !why_value_number(c->s, WHY_LOCAL, "", "qpn", &own))
		return -1;
	/* a QP of the same number on another adapter may be its peer */
	if (dest == own && dev && why_value(c->s, WHY_REMOTE, "peer", "dev"))
		return why_value_is(c->s, WHY_REMOTE, "peer", "dev", dev);
	return dest == own;
}

/* ---- the effect */

/* X(cause of a failure, sentence) */
#define EFFECTS(X)                                                                           \
	X(retry_exc, "no answer came in retry_cnt + 1 tries")                                \
	X(rnr_exc, "the receiver was not ready in rnr_retry + 1 tries")                      \
	X(rem_access, "the peer refused the access to its memory (NAK remote access error)") \
	X(rem_inv_req, "the peer refused the request (NAK invalid request)")                 \
	X(rem_op, "the peer could not execute the request (NAK remote operational error)")   \
	X(resp_access, "it refused a remote access of the peer")                             \
	X(resp_inv_req, "it refused a request of the peer as invalid")                       \
	X(resp_op, "it could not use its own receive for a message of the peer")             \
	X(loc_len, "a message is longer than its buffer or the limit")                       \
	X(loc_prot, "local memory that a work request names was refused")                    \
	X(loc_qp_op, "the QP cannot execute a work request")                                 \
	X(bad_resp, "an answer did not fit its request")                                     \
	X(cq_overrun, "a CQ overran")                                                        \
	X(bad_ring, "the ring indices are invalid")                                          \
	X(injected, "a fault was injected")                                                  \
	X(sq_error, "a send failed, and the send queue stopped")                             \
	X(srq_error, "the SRQ is in error")                                                  \
	X(mw_bind, "a key could not be bound, registered or invalidated")                    \
	X(verb, "modify_qp asked for it")

static const char *effect_of(const char *cause)
{
#define EFFECT(word, text)         \
	if (!strcmp(cause, #word)) \
		return text;
	EFFECTS(EFFECT)
	return "the driver names no cause that this version knows";
}

static void tell_effect(struct why_case *c)
{
	const char *status = why_value(c->s, WHY_FAILURE, "", "status");
	const char *event = why_value(c->s, WHY_FAILURE, "", "event");
	const char *cause = why_value(c->s, WHY_FAILURE, "", "cause");
	const char *object = why_value(c->s, WHY_FAILURE, "", "object");
	const char *what = effect_of(cause ? cause : "");
	char kind[WHY_NAME], word[WHY_NAME], wr_id[WHY_NAME];
	struct why_step *step;

	if (why_value_is(c->s, WHY_FAILURE, "", "kind", "verb"))
		step = why_step(c, &c->when,
				"QP %s of %s went to ERR while requests were outstanding.",
				c->local, c->local_process);
	else if (status)
		step = why_step(c, &c->when, "%s of %s completed with %s (wr_id %s): %s.", c->local,
				c->local_process, why_word(status, word),
				why_word(why_value(c->s, WHY_FAILURE, "", "wr_id"), wr_id), what);
	else if (event && !strcmp(event, "cq_err") && why_value_is(c->s, WHY_FAILURE, "", "object", "qp"))
		step = why_step(c, &c->when, "qp %s of %s failed because its CQ raised the event cq_err: %s.",
				c->local, c->local_process, what);
	else if (event)
		step = why_step(c, &c->when, "%s %s of %s raised the event %s: %s.",
				why_word(object ? object : "qp", kind), c->local, c->local_process,
				why_word(event, word), what);
	else
		step = why_step(c, &c->when, "%s of %s failed: %s.", c->local, c->local_process,
				what);
	why_evidence(step, "failure: cause=%s", why_word(cause, word));
}

/* ---- causes that the failure itself names */

/*
 * An object that failed with its CQ or SRQ, as the driver recorded. Returns false if the story does not tell
 * why that failed.
 */
static bool decide_queue(struct why_case *c)
{
	const char *cause = why_value(c->s, WHY_FAILURE, "", "queue_cause");
	bool is_cq = why_value_is(c->s, WHY_FAILURE, "", "queue", "cq"), injected;
	char name[WHY_NAME], word[WHY_NAME];
	struct why_step *step;

	if (!cause || (!is_cq && !why_value_is(c->s, WHY_FAILURE, "", "queue", "srq")))
		return false;
	injected = !strcmp(cause, "injected");
	name_end(c, "dev", "queue_num", is_cq ? "its CQ" : "its SRQ", name);
	if (is_cq && !injected)
		step = why_step(c, NULL, "%s did not poll CQ %s, which was full, and failed first.",
				c->local_process, name);
	else
		step = why_step(c, NULL, "%s %s failed first%s.", is_cq ? "CQ" : "SRQ", name,
				injected ? ": a fault was injected" : "");
	why_evidence(step, "failure: queue=%s queue_cause=%s", is_cq ? "cq" : "srq",
		     why_word(cause, word));
	if (injected)
		why_injected(c, is_cq ? "cq_overrun" : "srq_fatal");
	else
		why_decide(c, is_cq ? WHY_CAUSE_CQ_OVERRUN : WHY_CAUSE_SRQ_FAILED);
	return true;
}

/* A QP that fails with its CQ: at the failure, its completions filled the CQ. */
static bool decide_full_cq(struct why_case *c)
{
	char sends[WHY_NAME], receives[WHY_NAME];
	struct why_step *step;

	if (!why_value_is(c->s, WHY_FAILURE, "", "object", "qp") ||
	    !why_value_is(c->s, WHY_LOCAL, "", "waits_for", "cq_full"))
		return false;
	step = why_step(
		c, NULL, "%s did not poll a CQ of %s, which was full: sends %s, receives %s.",
		c->local_process, c->local, why_word(why_value(c->s, WHY_LOCAL, "", "scqn"), sends),
		why_word(why_value(c->s, WHY_LOCAL, "", "rcqn"), receives));
	why_evidence(step, "local: waits_for=cq_full");
	why_decide(c, WHY_CAUSE_CQ_OVERRUN);
	return true;
}

/* Did a rule make the CQ fail before it was in error? The journal of a CQ's story has the firings on it. */
static bool was_made_to_overrun(const struct why_case *c)
{
	const struct why_row *row = NULL;
	uint64_t when;

	while ((row = why_next(c->s, WHY_JOURNAL, row)))
		if (why_cell_is(c->s, row, "act", "cq_overrun") && c->has_when &&
		    why_cell_number(c->s, row, "when", &when) && when <= c->when)
			return true;
	return false;
}

static void decide_cq(struct why_case *c)
{
	const struct why_row *user = NULL;
	uint64_t used, max, lost, qps = 0;
	struct why_step *step;
	char name[WHY_NAME];
	bool has_lost;

	if (decide_queue(c) || decide_full_cq(c))
		return;
	if (!why_value_number(c->s, WHY_LOCAL, "", "used", &used) ||
	    !why_value_number(c->s, WHY_LOCAL, "", "max", &max) ||
	    !why_value_is(c->s, WHY_FAILURE, "", "object", "cq")) {
		why_missing(c,
			    "the fill of the CQ when it overran (block local of the CQ's failure)");
		why_candidates(c, WHY_CAUSE_CQ_OVERRUN, WHY_CAUSE_INJECTED, -1);
		return;
	}
	has_lost = why_value_number(c->s, WHY_LOCAL, "", "lost", &lost);
	if (!has_lost)
		lost = 0;
	/* a CQ with room does not overrun by itself */
	if (used < max && has_lost && !lost && was_made_to_overrun(c)) {
		why_injected(c, NULL);
		return;
	}
	if (used < max && !lost) {
		why_missing(
			c,
			"the fill of the CQ when it overran: afterwards, it had %" PRIu64 " of %" PRIu64
			"; its program may have polled between",
			used, max);
		why_candidates(c, WHY_CAUSE_CQ_OVERRUN, WHY_CAUSE_INJECTED, -1);
		return;
	}
	why_value_number(c->s, WHY_LOCAL, "users", "qps", &qps);
	step = why_step(c, NULL,
			"%s did not poll CQ %s: it holds %" PRIu64 " of %" PRIu64
			" completions, and %" PRIu64 " QPs fill it.",
			c->local_process, c->local, used, max, qps);
	why_evidence(step, "local: used=%" PRIu64 " max=%" PRIu64 " lost=%" PRIu64, used, max,
		     lost);
	while ((user = why_entry(c->s, WHY_LOCAL, "users", "user", user)))
		why_evidence(step, "user %s", why_word(why_cell(c->s, user, "qpn"), name));
	if (why_stopped(c, "local") == 1)
		why_step(c, NULL, "%s is stopped.", c->local_process);
	why_decide(c, WHY_CAUSE_CQ_OVERRUN);
}

static void decide_verb(struct why_case *c)
{
	struct why_step *step = why_step(
		c, &c->when,
		"%s called modify_qp to move %s to ERR itself: all outstanding requests were flushed.",
		c->local_process, c->local);
	uint64_t used;

	if (why_value_number(c->s, WHY_LOCAL, "sq", "used", &used))
		why_evidence(step, "local sq: used=%" PRIu64, used);
	why_evidence(step, "failure: kind=verb");
	why_decide(c, WHY_CAUSE_MODIFY_ERR);
}

static void decide_simple(struct why_case *c, enum why_cause cause)
{
	char op[WHY_NAME];
	struct why_step *step = why_step(c, NULL, "At %s: %s.", c->local, why_cause_title(cause));

	if (c->wqe)
		why_evidence(step, "local sq: wqe op=%s",
			     why_word(why_cell(c->s, c->wqe, "op"), op));
	why_evidence(step, "failure: cause");
	why_decide(c, cause);
}

static void decide_srq(struct why_case *c)
{
	if (decide_queue(c))
		return;
	if (why_value_is(c->s, WHY_FAILURE, "", "object", "srq")) {
		decide_simple(c, WHY_CAUSE_SRQ_FAILED);
		return;
	}
	why_missing(c, "the cause for which the SRQ failed (failure: queue_cause)");
	why_candidates(c, WHY_CAUSE_SRQ_FAILED, WHY_CAUSE_INJECTED, -1);
}

/* The failure is that of a receive of this end: the request is the peer's. */
static void become_responder(struct why_case *c)
{
	c->as_responder = true;
	c->req = WHY_REMOTE;
	c->resp = WHY_LOCAL;
	c->dir = "rx";
	c->wqe = find_request(c);
	name_request(c);
}

/* A message that is longer than its buffer: a receive of this end, or something of the requester */
static void decide_length(struct why_case *c)
{
	const struct why_row *packet;
	const char *reason;

	become_responder(c);
	reason = why_refusal(c, &packet);
	if (reason && !strcmp(reason, "msg_too_long")) {
		why_invalid_request(c);
		return;
	}
	why_missing(c, "the packet that was too long (packets, drops)");
	why_candidates(c, WHY_CAUSE_RECV_SHORT, WHY_CAUSE_BAD_REQUEST, -1);
}

/* A READ is answered in packets of the path MTU. */
static bool decide_answer_mtu(struct why_case *c)
{
	uint64_t own, other, len;

	if (!why_cell_is(c->s, c->wqe, "op", "read") || why_is_mutual(c) != 1 ||
	    !why_value_number(c->s, WHY_LOCAL, "", "mtu", &own) ||
	    !why_value_number(c->s, WHY_REMOTE, "", "mtu", &other) || own == other ||
	    !why_cell_number(c->s, c->wqe, "len", &len) || len <= (own < other ? own : other))
		return false;
	why_mtu(c, own, other);
	return true;
}

static void decide_response(struct why_case *c)
{
	static const char *const actions[] = { "corrupt", "truncate", "ack", "nak", NULL };

	if (why_rule_step(c, actions)) {
		why_decide(c, WHY_CAUSE_INJECTED);
		return;
	}
	if (decide_answer_mtu(c))
		return;
	why_missing(c, "the answer of the peer as it was sent (packets)");
	why_candidates(c, WHY_CAUSE_INJECTED, WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_MTU_MISMATCH, -1);
}

/* Memory of a request, or of a receive */
static void decide_local(struct why_case *c)
{
	bool recv = why_value_is(c->s, WHY_FAILURE, "", "op", "recv");

	if (recv)
		become_responder(c);
	why_local_key(c, WHY_LOCAL, !recv);
}

static void not_known(struct why_case *c)
{
	why_missing(c, "a cause in the failure that this version of ibwhy knows");
	why_candidates(c, -1);
}

/* A refusal by the peer may have been made by a rule: "nak", "rnr". */
static bool is_forged(struct why_case *c, const char *action)
{
	const char *const actions[] = { action, NULL };

	if (!why_rule_step(c, actions))
		return false;
	why_decide(c, WHY_CAUSE_INJECTED);
	return true;
}

static void find_cause(struct why_case *c, const char *cause)
{
	if (!strcmp(cause, "injected"))
		why_injected(c, NULL);
	else if (why_value_is(c->s, WHY_FAILURE, "", "kind", "verb") && !strcmp(cause, "verb"))
		decide_verb(c);
	else if (!strcmp(cause, "cq_overrun"))
		decide_cq(c);
	else if (!strcmp(cause, "retry_exc"))
		why_no_answer(c);
	else if (!strcmp(cause, "rnr_exc"))
		is_forged(c, "rnr") ? (void)0 : why_no_receive(c);
	else if (!strcmp(cause, "rem_access") || !strcmp(cause, "resp_access"))
		is_forged(c, "nak") ? (void)0 : why_remote_key(c);
	else if (!strcmp(cause, "rem_inv_req") || !strcmp(cause, "resp_inv_req"))
		is_forged(c, "nak") ? (void)0 : why_invalid_request(c);
	else if (!strcmp(cause, "rem_op") || !strcmp(cause, "resp_op"))
		is_forged(c, "nak") ? (void)0 : why_local_key(c, c->resp, false);
	else if (!strcmp(cause, "loc_prot"))
		decide_local(c);
	else if (!strcmp(cause, "loc_len"))
		decide_length(c);
	else if (!strcmp(cause, "loc_qp_op"))
		decide_simple(c, WHY_CAUSE_BAD_REQUEST);
	else if (!strcmp(cause, "mw_bind"))
		decide_simple(c, WHY_CAUSE_BAD_BIND);
	else if (!strcmp(cause, "bad_ring"))
		decide_simple(c, WHY_CAUSE_BAD_RING);
	else if (!strcmp(cause, "srq_error"))
		decide_srq(c);
	else if (!strcmp(cause, "bad_resp"))
		decide_response(c);
	else
		not_known(c);
}

/* Names in sentences the evidence that the driver could not keep. */
static void tell_missing(struct why_case *c)
{
	const char *list = why_value(c->s, WHY_FAILURE, "", "missing");
	char word[WHY_NAME];

	while (list && *list) {
		size_t n = strcspn(list, ",");

		snprintf(word, sizeof(word), "%.*s", n < 40 ? (int)n : 40, list);
		if (n)
			why_missing(c, "the driver could not keep: %s", word);
		list += n + !!list[n];
	}
	/* a CQ or an SRQ has no peer */
	if (!c->s->title[WHY_REMOTE] && !why_value(c->s, WHY_FAILURE, "", "peer_dev") &&
	    why_value_is(c->s, WHY_FAILURE, "", "object", "qp"))
		why_missing(
			c,
			"the peer: it is on another host or adapter (ibwhy --save there, ibwhy --peer here), or is not known");
}

static void begin_case(struct why_case *c)
{
	const char *cause = why_value(c->s, WHY_FAILURE, "", "cause");

	c->as_responder = cause && !strncmp(cause, "resp_", strlen("resp_"));
	c->req = c->as_responder ? WHY_REMOTE : WHY_LOCAL;
	c->resp = c->as_responder ? WHY_LOCAL : WHY_REMOTE;
	c->dir = c->as_responder ? "rx" : "tx";
	c->has_when = why_value_number(c->s, WHY_FAILURE, "", "when", &c->when);
	c->has_psn = why_value_number(c->s, WHY_FAILURE, "", "psn", &c->psn);
	if (!why_value_number(c->s, WHY_LOCAL, "", "created", &c->born))
		c->born = 0;
	name_end(c, "dev", "num", "the object", c->local);
	name_end(c, "peer_dev", "peer_qpn", "the peer", c->peer);
	name_process(c, "comm", "pid", c->local_process);
	name_process(c, "peer_comm", "peer_pid", c->peer_process);
	c->wqe = find_request(c);
	name_request(c);
}

void why_reason(const struct why_story *s, struct why_verdict *v)
{
	struct why_case c = { .s = s, .v = v };
	const char *cause = why_value(s, WHY_FAILURE, "", "cause");

	memset(v, 0, sizeof(*v));
	begin_case(&c);
	tell_effect(&c);
	find_cause(&c, cause ? cause : "");
	if (v->cause == WHY_CAUSE_UNDETERMINED)
		tell_missing(&c);
}
