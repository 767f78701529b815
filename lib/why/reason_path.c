// SPDX-License-Identifier: GPL-2.0-only
/* A request whose tries all remained without answer: what the fates of its copies and of its
 * answers prove. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/fates.h"

/* The longest delay of a rule on a packet of the failed PSN; 0 if none is known */
static uint64_t rule_delay(const struct why_case *c)
{
	const struct why_row *row = NULL;
	uint64_t longest = 0, time;

	while ((row = why_next(c->s, WHY_JOURNAL, row)))
		if ((why_cell_is(c->s, row, "act", "delay") ||
		     why_cell_is(c->s, row, "act", "reorder")) &&
		    why_concerns(c, row) && why_cell_number(c->s, row, "delay", &time) &&
		    time > longest)
			longest = time;
	return longest;
}

/* Do both ends count the same PSNs? True only if rows prove it. */
static bool psns_agree(const struct why_case *c)
{
	uint64_t first, expected;

	return why_is_mutual(c) == 1 &&
	       why_value_number(c->s, c->req, "attr", "first_psn", &first) &&
	       why_value_number(c->s, c->resp, "attr", "rq_psn", &expected) && first == expected;
}

/*
 * Did a delay exceed the timeout? Either a rule delayed a packet of the request, or an answer to it
 * came when the requester waited no longer. An answer in time, with PSNs that agree, counts.
 */
static bool decide_delay(struct why_case *c, const struct why_fates *answers)
{
	static const char *const actions[] = { "delay", "reorder", NULL };
	unsigned int late = answers->of[why_fate("stale_resp")] + answers->of[why_fate("qp_state")];
	uint64_t timeout, delay = rule_delay(c);
	char time[WHY_TIME], wait[WHY_TIME];
	struct why_step *step;

	if (!why_value_number(c->s, c->req, "timers", "ack_timeout", &timeout) || !timeout)
		return false;
	why_time(timeout, wait);
	if (delay > timeout) {
		step = why_step(c, NULL, "Packets took %s, but %s waits only %s for an answer.",
				why_time(delay, time), c->local, wait);
		why_evidence(step, "journal: delay=%" PRIu64, delay);
	} else if (late && psns_agree(c)) {
		step = why_step(c, NULL,
				"%u answers came after %s had stopped to wait (%s each time).",
				late, c->local, wait);
		why_evidence(step, "packets: %u answers with reason stale_resp or qp_state", late);
	} else {
		return false;
	}
	why_evidence(step, "timers: ack_timeout=%" PRIu64, timeout);
	why_rule_step(c, actions);
	why_decide(c, WHY_CAUSE_TIMEOUT_SHORT);
	return true;
}

/* The copies were delivered: look for the answers. */
static void decide_answers(struct why_case *c)
{
	struct why_fates f;
	unsigned int fate;
	const char *reason;

	if (why_is_mutual(c) == 0) {
		why_other_peer(c);
		return;
	}
	why_fates_of(c, true, &f);
	fate = why_only_fate(&f);
	if (decide_delay(c, &f))
		return;
	reason = fate < WHY_LOST ? why_fate_words[fate] : NULL;
	if (!reason || fate == WHY_DELIVERED || !strcmp(reason, "stale_resp")) {
		why_missing(c, f.packets ? "the reason why no answer counted (packets)"
					 : "the answers of the peer (packets)");
		why_candidates(c, WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_TIMEOUT_SHORT,
			       WHY_CAUSE_INJECTED, -1);
		return;
	}
	why_tell_dropped(c, &f, fate, "answers of the peer");
	why_decide_fate(c, &f, reason, true);
}

/* Duplicates: the peer has executed the request before, or expects later PSNs. */
static bool is_stale_psn(const struct why_case *c)
{
	uint64_t first, expected;

	return why_is_mutual(c) == 1 &&
	       why_value_number(c->s, c->req, "attr", "first_psn", &first) &&
	       why_value_number(c->s, c->resp, "attr", "rq_psn", &expected) && first != expected;
}

/* Merges fates that occur together: a gap is reported once, and the packets behind it wait. */
static void merge(const struct why_case *c, struct why_fates *f)
{
	unsigned int gap = why_fate("bad_psn"), behind = why_fate("nak_wait");
	unsigned int again = why_fate("duplicate");
	unsigned int to = is_stale_psn(c) ? gap : WHY_DELIVERED;

	f->of[gap] += f->of[behind];
	f->of[behind] = 0;
	f->of[to] += f->of[again];
	f->of[again] = 0;
}

/*
 * An RNR NAK answers each copy that finds no receive, and the requester then begins to count anew:
 * the copies after these are the ones without answer. If there are none after them, the NAK was
 * lost.
 */
static void settle_rnr(struct why_fates *f)
{
	unsigned int rnr = why_fate("rnr_wait");

	if (!f->rnr_first)
		return;
	if (f->of[rnr] + f->of[WHY_LOST] == f->packets)
		f->of[WHY_DELIVERED] += f->of[rnr];
	else
		f->packets -= f->of[rnr];
	f->of[rnr] = 0;
}

/*
 * Did a port that is down block the copies, whatever happened to some of them? Answers to copies
 * before were lost at the port, the interface of a cable was going down, or the subnet manager then
 * took the route away.
 */
static bool decide_down(struct why_case *c, struct why_fates *f)
{
	if (!f->down_last || f->down + f->withdrawn < 2 || f->down < f->of[WHY_DELIVERED])
		return false;
	strcpy(f->at, f->down_at);
	why_tell_dropped(c, f, why_fate("port_down"), "");
	why_port(c, f->down_at, &f->down_second);
	return true;
}

/* Was the peer QP in a state in which it receives nothing, and then destroyed? */
static bool decide_deaf_then_gone(struct why_case *c, const struct why_fates *f)
{
	unsigned int deaf = why_fate("qp_state"), gone = why_fate("no_qp");
	char dev[WHY_NAME];

	if (!f->of[deaf] || !f->of[gone] || f->of[deaf] + f->of[gone] != f->packets || !f->timed)
		return false;
	why_tell_dropped(c, f, gone, "");
	why_tell_dropped(c, f, deaf, " before");
	if (why_deaf_then_gone(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->first,
			       f->second, true))
		return true;
	why_missing(c, "the state of the peer QP before it was destroyed (gone_qps)");
	why_candidates(c, WHY_CAUSE_PEER_RESET, WHY_CAUSE_PEER_INIT, WHY_CAUSE_PEER_ERR,
		       WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED, -1);
	return true;
}

/* Did the peer QP end after it had received copies, and before it answered any? */
static bool decide_gone_unanswered(struct why_case *c, const struct why_fates *f)
{
	unsigned int gone = why_fate("no_qp"), received = f->of[WHY_DELIVERED];
	struct why_fates answers;
	struct why_step *step;
	char dev[WHY_NAME];

	if (!received || !f->of[gone] || !f->gone_last)
		return false;
	why_fates_of(c, true, &answers);
	if (answers.packets)
		return false;
	why_tell_dropped(c, f, gone, "");
	step = why_step(c, NULL, "%u %s before %s received; %s sent no answer before its end.",
			received, received == 1 ? "copy" : "copies", received == 1 ? "was" : "were",
			c->peer);
	why_evidence(step, "packets: no answer to PSN %" PRIu64, c->psn);
	why_no_qp(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->last);
	return true;
}

static void decide_lost(struct why_case *c, const struct why_fates *f, bool several)
{
	unsigned int i;

	if (several) {
		why_missing(c, "a single fate of all copies: they had different ones");
		for (i = 0; i < WHY_LOST; i++)
			if (f->of[i] && !strcmp(why_fate_words[i], "injected"))
				why_candidates(c, WHY_CAUSE_INJECTED, -1);
			else if (f->of[i] && !strcmp(why_fate_words[i], "no_qp"))
				why_candidates(c, WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED,
					       WHY_CAUSE_PEER_KILLED, WHY_CAUSE_WRONG_QPN, -1);
			else if (f->of[i] && !strcmp(why_fate_words[i], "port_down"))
				why_candidates(c, WHY_CAUSE_PORT_DOWN, WHY_CAUSE_CABLE_CUT,
					       WHY_CAUSE_SM_GONE, -1);
		return;
	}
	if (f->packets)
		why_missing(c, "the fate of %s after it left %s (packets of the peer, drops)",
			    c->request, c->local);
	else
		why_missing(c, "the packets of %s (packets)", c->request);
	why_candidates(c, -1);
}

/* Copies that an Ethernet port did not give to the network. Ends with a verdict if it was one. */
static bool decide_network(struct why_case *c)
{
	if (!why_next(c->s, WHY_NETWORK, NULL))
		return false;
	if (why_network(c, false))
		return true;
	why_missing(c, "why there was no way to the peer: there is one again (network)");
	why_candidates(c, WHY_CAUSE_GID_GONE, WHY_CAUSE_NO_IP_ROUTE, -1);
	return true;
}

void why_no_answer(struct why_case *c)
{
	uint64_t tries = 0;
	unsigned int fate, known;
	struct why_fates f, answers;

	why_fates_of(c, false, &f);
	merge(c, &f);
	why_cell_number(c->s, c->wqe, "tries", &tries);
	why_tell_copies(c, &f, tries);
	settle_rnr(&f);
	fate = why_only_fate(&f);
	if (fate == WHY_UNKNOWN_FATE) {
		why_merge_damages(&f);
		fate = why_only_fate(&f);
	}
	known = f.packets - f.of[WHY_LOST];
	if (fate == WHY_UNKNOWN_FATE && f.down && decide_down(c, &f))
		return;
	if (fate == WHY_UNKNOWN_FATE && decide_deaf_then_gone(c, &f))
		return;
	if (fate == WHY_UNKNOWN_FATE && decide_gone_unanswered(c, &f))
		return;
	if (fate == WHY_UNKNOWN_FATE) {
		why_fates_of(c, true, &answers);
		if (!known && f.packets && why_network(c, true))
			return;
		if (known || !decide_delay(c, &answers))
			decide_lost(c, &f, known > 0);
		return;
	}
	/* the recorder keeps 32 packets: of a long queue, the last tries */
	if (known < 2 && (!tries || tries > known)) {
		if (tries)
			why_missing(c, "the fate of most copies: %u of %" PRIu64 " is known", known,
				    tries);
		else
			why_missing(c, "the fate of most copies: %u is known, of unknown number",
				    known);
		why_candidates(c, -1);
		return;
	}
	if (fate != WHY_DELIVERED)
		why_tell_dropped(c, &f, fate, "");
	if (fate == why_fate("no_route") && !*f.switch_at && decide_network(c))
		return;
	/* a rule that drops them does so whatever their address is */
	if (fate < WHY_LOST && strcmp(why_fate_words[fate], "injected") && why_wrong_address(c))
		return;
	if (fate == WHY_DELIVERED) {
		decide_answers(c);
		return;
	}
	why_decide_fate(c, &f, why_fate_words[fate], false);
}
