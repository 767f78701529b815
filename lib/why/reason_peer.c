// SPDX-License-Identifier: GPL-2.0-only
/* The peer: the state of its QP, the end of it, its receives; and rules that fired. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"

/* ---- the state of the peer */

/*
 * Returns the state of the responder's QP at a time, or NULL if it is not certain: all changes that
 * the driver counted must be there.
 */
static const char *state_at(const struct why_case *c, uint64_t when, const struct why_row **change)
{
	const struct why_row *row = NULL;
	const char *state = NULL;
	uint64_t changes, at, n = 0;

	if (!why_value_number(c->s, c->resp, "history", "changes", &changes))
		return NULL;
	while ((row = why_entry(c->s, c->resp, "history", "change", row))) {
		n++;
		if (!why_cell_number(c->s, row, "when", &at))
			return NULL;
		if (at > when)
			continue;
		state = why_cell(c->s, row, "to");
		*change = row;
	}
	/* the driver shows the last 16 */
	if (n != (changes < 16 ? changes : 16))
		return NULL;
	return state || changes ? state : "reset";
}

static bool is_deaf(const char *state)
{
	return state && (!strcmp(state, "reset") || !strcmp(state, "init") || !strcmp(state, "err"));
}

/*
 * Decides for a state in which a QP receives nothing. error: of a QP in ERR, the cause of its first error;
 * NULL: not known
 */
static void decide_deaf(struct why_case *c, const char *state, const char *error)
{
	if (!strcmp(state, "err") && error && !strcmp(error, "injected")) {
		why_injected(c, NULL);
		return;
	}
	why_decide(c, !strcmp(state, "reset")  ? WHY_CAUSE_PEER_RESET
		      : !strcmp(state, "init") ? WHY_CAUSE_PEER_INIT
					       : WHY_CAUSE_PEER_ERR);
}

/* Tells why the peer was in ERR: its own first error. */
static void tell_peer_error(struct why_case *c)
{
	const char *cause = why_value(c->s, c->resp, "first_error", "cause");
	char word[WHY_NAME];
	uint64_t when;
	struct why_step *step;

	if (!cause)
		return;
	step = why_step(
		c, why_value_number(c->s, c->resp, "first_error", "when", &when) ? &when : NULL,
		"The first error of %s was %s.", c->peer, why_word(cause, word));
	why_evidence(step, "remote: first_error cause=%s", word);
}

void why_peer_state(struct why_case *c, uint64_t seen)
{
	const struct why_row *change = NULL;
	const char *state = state_at(c, seen, &change);
	char word[WHY_NAME], cause[WHY_NAME];
	struct why_step *step;
	uint64_t when;

	if (!is_deaf(state)) {
		why_missing(c, "the state that the peer QP had then (remote: history)");
		why_candidates(c, WHY_CAUSE_PEER_RESET, WHY_CAUSE_PEER_INIT, WHY_CAUSE_PEER_ERR,
			       -1);
		return;
	}
	step = why_step(c, why_cell_number(c->s, change, "when", &when) ? &when : NULL,
			"%s of %s was in the state %s, in which a QP receives nothing.", c->peer,
			c->peer_process, why_word(state, word));
	if (change)
		why_evidence(step, "remote history: to=%s cause=%s", word,
			     why_word(why_cell(c->s, change, "cause"), cause));
	else
		why_evidence(step, "remote history: changes=0");
	if (!strcmp(state, "err"))
		tell_peer_error(c);
	decide_deaf(c, state, why_value(c->s, c->resp, "first_error", "cause"));
}

/* ---- a QP that is not there */

/* The last QP of the number that was destroyed before the packets came, or that never was */
static const struct why_row *find_gone(const struct why_case *c, const char *dev, uint64_t qpn,
				       uint64_t seen)
{
	const struct why_row *row = NULL, *found = NULL;
	uint64_t n, when, last = 0;

	while ((row = why_next(c->s, WHY_GONE_QPS, row))) {
		if (!why_cell_is(c->s, row, "dev", dev) || !why_cell_number(c->s, row, "qpn", &n) ||
		    n != qpn)
			continue;
		if (why_cell_is(c->s, row, "how", "never"))
			return row;
		if (!why_cell_number(c->s, row, "when", &when) || when > seen || when < last)
			continue;
		last = when;
		found = row;
	}
	return found;
}

/* Is the row about the QP that failed? A QP may be connected to itself. */
static bool is_self(const struct why_case *c, const struct why_row *row)
{
	const char *dev = why_value(c->s, WHY_FAILURE, "", "dev");
	uint64_t own, qpn;

	return dev && why_cell_is(c->s, row, "dev", dev) &&
	       why_value_number(c->s, WHY_FAILURE, "", "num", &own) &&
	       why_cell_number(c->s, row, "qpn", &qpn) && qpn == own;
}

/* The only other QP of this host that is connected to the failed one; NULL if there is none, or several */
static const struct why_row *only_connected(const struct why_case *c)
{
	const struct why_row *row = NULL, *found = NULL;
	uint64_t rows;

	if (!why_value_number(c->s, WHY_FAILURE, "", "connected", &rows) ||
	    why_count(c->s, WHY_CONNECTED) != rows)
		return NULL;
	while ((row = why_next(c->s, WHY_CONNECTED, row))) {
		if (is_self(c, row))
			continue;
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

bool why_wrong_address(struct why_case *c)
{
	const char *dev = why_value(c->s, WHY_FAILURE, "", "peer_dev");
	const struct why_row *row = only_connected(c);
	char process[WHY_NAME], at[WHY_NAME];
	bool same_dev, same_qpn;
	uint64_t other, qpn;
	struct why_step *step;

	if (!why_cell_number(c->s, row, "qpn", &other) || !why_cell(c->s, row, "dev") ||
	    !why_value_number(c->s, c->req, "", "dest_qpn", &qpn))
		return false;
	same_dev = dev && why_cell_is(c->s, row, "dev", dev);
	same_qpn = other == qpn;
	if (same_dev && same_qpn)
		return false;
	step = why_step(
		c, NULL,
		"QP 0x%" PRIx64
		" on %s of %s is the one that is connected to %s, which sends to QP 0x%" PRIx64 ".",
		other, why_word(why_cell(c->s, row, "dev"), at),
		why_process(c->s, row, "comm", "pid", process), c->local, qpn);
	why_evidence(step, "connected: 1 row");
	if (same_dev || same_qpn) {
		why_decide(c, same_dev ? WHY_CAUSE_WRONG_QPN : WHY_CAUSE_WRONG_LID);
		return true;
	}
	why_missing(c, "a match of either QPN or adapter: both differ");
	why_candidates(c, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
	return true;
}

/* The QP number was never given there: tell a wrong QPN from a wrong LID. */
static void decide_never(struct why_case *c, const char *dev, uint64_t qpn)
{
	const struct why_row *row = why_next(c->s, WHY_CONNECTED, NULL);
	char process[WHY_NAME], at[WHY_NAME];
	uint64_t rows, other;
	struct why_step *step;
	bool same_dev;

	step = why_step(c, NULL,
			"There is no QP 0x%" PRIx64 " on %s, and there was none since %s exists.",
			qpn, dev, c->local);
	why_evidence(step, "gone_qps: how=never");
	if (!why_value_number(c->s, WHY_FAILURE, "", "connected", &rows) ||
	    rows != why_count(c->s, WHY_CONNECTED) || rows > 1 ||
	    (rows && !why_cell_number(c->s, row, "qpn", &other))) {
		why_missing(c, "the QP that is connected to %s (connected)", c->local);
		why_candidates(c, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
		return;
	}
	if (!rows) {
		step->advice = NULL;
		why_decide(c, WHY_CAUSE_WRONG_QPN);
		return;
	}
	same_dev = why_cell_is(c->s, row, "dev", dev);
	step = why_step(c, NULL, "QP 0x%" PRIx64 " on %s of %s is the one that is connected to %s.",
			other, why_word(why_cell(c->s, row, "dev"), at),
			why_process(c->s, row, "comm", "pid", process), c->local);
	why_evidence(step, "connected: 1 row");
	if (same_dev || other == qpn) {
		why_decide(c, same_dev ? WHY_CAUSE_WRONG_QPN : WHY_CAUSE_WRONG_LID);
		return;
	}
	why_missing(c, "a match of either QPN or adapter: both differ");
	why_candidates(c, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
}

static void decide_end(struct why_case *c, const struct why_row *row, uint64_t qpn)
{
	const char *how = why_cell(c->s, row, "how"), *signal = why_cell(c->s, row, "signal");
	char process[WHY_NAME], word[WHY_NAME], state[WHY_NAME], dev[WHY_NAME];
	struct why_step *step;
	uint64_t time;
	const uint64_t *when = why_cell_number(c->s, row, "when", &time) ? &time : NULL;

	why_process(c->s, row, "comm", "pid", process);
	why_word(why_cell(c->s, row, "dev"), dev);
	step = why_step(c, when, "%s:0x%" PRIx64 " of %s no longer existed (its last state: %s).",
			dev, qpn, process, why_word(why_cell(c->s, row, "state"), state));
	why_evidence(step, "gone_qps: how=%s", why_word(how, word));
	if (how && !strcmp(how, "destroy")) {
		why_step(c, when, "%s destroyed it by ibv_destroy_qp.", process);
		why_decide(c, WHY_CAUSE_PEER_GONE);
	} else if (how && !strcmp(how, "unplug")) {
		why_step(c, when, "%s was unplugged.", dev);
		why_decide(c, WHY_CAUSE_UNPLUGGED);
	} else if (how && !strcmp(how, "exit") && signal && strcmp(signal, "0")) {
		step = why_step(c, when, "Signal %s killed %s.", why_word(signal, word), process);
		why_evidence(step, "gone_qps: signal=%s", word);
		why_decide(c, WHY_CAUSE_PEER_KILLED);
	} else if (how && (!strcmp(how, "exit") || !strcmp(how, "close"))) {
		why_step(c, when, "%s ended, or closed its device, without destroying the QP.",
			 process);
		why_decide(c, WHY_CAUSE_PEER_EXITED);
	} else {
		why_missing(c, "how that QP ended (gone_qps: how)");
		why_candidates(c, WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED,
			       -1);
	}
}

/* Was the QP of the row connected to the one that failed, while that existed? 1, 0, or -1 if no row tells */
static int was_mutual(const struct why_case *c, const struct why_row *row)
{
	uint64_t dest, own;

	if (!why_cell_number(c->s, row, "dest_qpn", &dest) ||
	    !why_value_number(c->s, c->req, "", "qpn", &own))
		return -1;
	return dest == own && why_is_now(c, row);
}

/*
 * The peer QP was in a state in which it receives nothing, and was destroyed afterwards. missed: packets came
 * after that
 */
static void decide_deaf_then_gone(struct why_case *c, const struct why_row *row, bool missed)
{
	char state[WHY_NAME], how[WHY_NAME], error[WHY_NAME], process[WHY_NAME];
	const char *cause = why_cell(c->s, row, "error");
	struct why_step *step;
	uint64_t when;

	why_process(c->s, row, "comm", "pid", process);
	if (missed) {
		step = why_step(c, why_cell_number(c->s, row, "when", &when) ? &when : NULL,
				"%s of %s no longer existed.", c->peer, process);
		why_evidence(step, "gone_qps: how=%s", why_word(why_cell(c->s, row, "how"), how));
	}
	step = why_step(c, why_cell_number(c->s, row, "state_when", &when) ? &when : NULL,
			"%s%s of %s was in the state %s, in which a QP receives nothing.",
			missed ? "Before that, " : "", c->peer, process,
			why_word(why_cell(c->s, row, "state"), state));
	why_evidence(step, "gone_qps: state=%s", state);
	if (!strcmp(state, "err") && cause && strcmp(cause, "none")) {
		step = why_step(c, NULL, "The first error of %s was %s.", c->peer,
				why_word(cause, error));
		why_evidence(step, "gone_qps: error=%s", error);
	}
	decide_deaf(c, state, cause);
}

bool why_deaf_then_gone(struct why_case *c, const char *dev, uint64_t first, uint64_t second,
			bool missed)
{
	const struct why_row *row;
	uint64_t qpn, since, end;

	if (!why_value_number(c->s, c->req, "", "dest_qpn", &qpn))
		return false;
	row = find_gone(c, dev, qpn, c->has_when ? c->when : UINT64_MAX);
	if (!row || was_mutual(c, row) != 1 || !is_deaf(why_cell(c->s, row, "state")) ||
	    !why_cell_number(c->s, row, "when", &end) || end < first ||
	    !why_cell_number(c->s, row, "state_when", &since))
		return false;
	/* the first one may have been under way: then the state before must be one that receives */
	if (since > first && (since > second || !why_cell(c->s, row, "state_before") ||
			      is_deaf(why_cell(c->s, row, "state_before"))))
		return false;
	decide_deaf_then_gone(c, row, missed);
	return true;
}

void why_no_qp(struct why_case *c, const char *dev, uint64_t seen)
{
	const struct why_row *row;
	uint64_t qpn;

	if (!why_value_number(c->s, c->req, "", "dest_qpn", &qpn) &&
	    !why_value_number(c->s, WHY_FAILURE, "", "peer_qpn", &qpn)) {
		why_missing(c, "the QPN to which the packets went (local: dest_qpn)");
		why_candidates(c, WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED,
			       WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
		return;
	}
	row = find_gone(c, dev, qpn, seen);
	if (!row) {
		why_missing(c, "what became of QP 0x%" PRIx64 " on %s (gone_qps)", qpn, dev);
		why_candidates(c, WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED,
			       WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, -1);
	} else if (why_cell_is(c->s, row, "how", "never")) {
		decide_never(c, dev, qpn);
	} else if (!was_mutual(c, row)) {
		why_missing(
			c,
			"the QP that was connected to %s: the one that is gone was connected to another",
			c->local);
		why_candidates(c, WHY_CAUSE_WRONG_QPN, WHY_CAUSE_WRONG_LID, WHY_CAUSE_PEER_GONE,
			       -1);
	} else if (is_deaf(why_cell(c->s, row, "state")) &&
		   !why_cell_is(c->s, row, "how", "unplug")) {
		if (was_mutual(c, row) == 1) {
			decide_deaf_then_gone(c, row, true);
			return;
		}
		why_missing(c, "whether the QP that is gone was connected to %s", c->local);
		why_candidates(c, WHY_CAUSE_PEER_RESET, WHY_CAUSE_PEER_INIT, WHY_CAUSE_PEER_ERR,
			       WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED,
			       -1);
	} else {
		decide_end(c, row, qpn);
	}
}

/* ---- receives */

/* Do packets or drops show that the responder found no receive? Returns their number. */
static unsigned int refused_for_receive(const struct why_case *c)
{
	const struct why_row *row = NULL;
	unsigned int n = 0;

	while ((row = why_next(c->s, WHY_PACKETS, row)))
		n += why_cell_is(c->s, row, "dir", c->dir) && why_is_now(c, row) &&
		     why_cell_is(c->s, row, "rx_reason", "rnr_wait");
	while (!n && (row = why_next(c->s, WHY_DROPS, row)))
		n += why_cell_is(c->s, row, "reason", "rnr_wait") && why_is_drop(c, row);
	return n;
}

void why_no_receive(struct why_case *c)
{
	uint64_t retries, told, pid;
	unsigned int n = refused_for_receive(c);
	int stopped = why_stopped(c, "remote");
	char wait[WHY_TIME];
	struct why_step *step;

	if (!n) {
		why_missing(c, "packets that found no receive (packets, drops: rnr_wait)");
		why_candidates(c, WHY_CAUSE_NO_RECV, WHY_CAUSE_PEER_STOPPED, WHY_CAUSE_INJECTED,
			       -1);
		return;
	}
	step = why_step(c, NULL, "%s had no receive for %s: %s did not post one in time.", c->peer,
			c->request, c->peer_process);
	why_evidence(step, "packets, drops: %u with reason rnr_wait", n);
	if (why_value_number(c->s, c->req, "", "rnr_retry", &retries))
		why_evidence(step, "local: rnr_retry=%" PRIu64, retries);
	if (why_value_number(c->s, c->resp, "timers", "rnr_told", &told))
		why_evidence(step, "the peer asked to wait %s each time", why_time(told, wait));
	/* the kernel's consumers are no processes */
	if (why_value_number(c->s, WHY_FAILURE, "", "peer_pid", &pid) && !pid)
		stopped = 0;
	if (stopped < 0) {
		why_missing(c, "the state of %s (processes)", c->peer_process);
		why_candidates(c, WHY_CAUSE_NO_RECV, WHY_CAUSE_PEER_STOPPED, -1);
		return;
	}
	if (stopped) {
		step = why_step(c, NULL, "%s is stopped: it cannot post receives.",
				c->peer_process);
		why_evidence(step, "processes: state=stopped");
	}
	why_decide(c, stopped ? WHY_CAUSE_PEER_STOPPED : WHY_CAUSE_NO_RECV);
}

/* ---- rules */

bool why_rule_step(struct why_case *c, const char *const *actions)
{
	const struct why_row *row = NULL, *last = NULL;
	char rule[WHY_NAME], act[WHY_NAME], by[WHY_NAME] = "";
	const char *name;
	struct why_step *step;
	uint64_t when;
	size_t i;

	while ((row = why_next(c->s, WHY_JOURNAL, row)))
		for (i = 0; actions[i]; i++)
			if (why_cell_is(c->s, row, "act", actions[i]) && why_concerns(c, row))
				last = row;
	if (!last)
		return false;
	name = why_cell(c->s, last, "rule");
	if (why_cell(c->s, last, "set_by") || why_cell(c->s, last, "set_pid"))
		why_process(c->s, last, "set_by", "set_pid", by);
	step = why_step(c,
			why_cell_number(c->s, last, "when", &when) ||
					why_cell_number(c->s, last, "time", &when)
				? &when
				: NULL,
			"Injection rule %s fired: %s.%s%s%s", why_word(name, rule),
			why_word(why_cell(c->s, last, "act"), act), *by ? " It was set by " : "",
			by, *by ? "." : "");
	why_evidence(step, "journal: rule=%s act=%s seq=%s", rule, act,
		     why_word(why_cell(c->s, last, "seq"), by));
	return true;
}

void why_injected(struct why_case *c, const char *action)
{
	const char *const one[] = { action, NULL };
	static const char *const any[] = { "qp_fatal",  "cq_overrun", "srq_fatal",
					       "cqe_error", "event",	  "corrupt",
					       "nak",	    "fail",	  "device_fatal",
					       "unplug",    NULL };
	struct why_step *step;

	if (!why_rule_step(c, action ? one : any)) {
		step = why_step(
			c, NULL,
			"A fault injected through debugfs made the error; the journal has no entry of it.");
		why_evidence(step, "failure: cause=injected");
		why_missing(c, "the name of the rule (journal)");
	}
	why_decide(c, WHY_CAUSE_INJECTED);
}
