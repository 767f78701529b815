// SPDX-License-Identifier: GPL-2.0-only
/* The fate of each copy of a request, and of each answer, from the tables of packets and drops. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/fates.h"

const char *const why_fate_words[] = {
#define REASON(n, w, v) #w,
	GLASS_DROP_REASONS(REASON)
};

unsigned int why_fate(const char *word)
{
	unsigned int i;

	for (i = 0; i < WHY_LOST; i++)
		if (!strcmp(why_fate_words[i], word))
			return i;
	return WHY_UNKNOWN_FATE;
}

static bool is_same_packet(const struct why_case *c, const struct why_row *row,
			   const struct why_row *packet)
{
	static const char *const same[] = { "psn", "dlid", "dqpn", "flow" };
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!why_cell_is(c->s, row, same[i], why_cell(c->s, packet, same[i]) ?: "-"))
			return false;
	return true;
}

/* The times of drops that are nearer to one copy of a packet than to the others */
struct span {
	uint64_t from, to;
};

static struct span span_of(const struct why_case *c, const struct why_row *packet)
{
	struct span span = { 0, UINT64_MAX };
	const struct why_row *row = NULL;
	uint64_t sent, other, middle;

	if (!why_cell_number(c->s, packet, "when", &sent))
		return span;
	while ((row = why_next(c->s, WHY_PACKETS, row))) {
		if (!is_same_packet(c, row, packet) ||
		    !why_cell_number(c->s, row, "when", &other) || other == sent)
			continue;
		middle = other < sent ? other + (sent - other) / 2 : sent + (other - sent) / 2;
		if (other < sent && middle > span.from)
			span.from = middle;
		if (other > sent && middle < span.to)
			span.to = middle;
	}
	return span;
}

/* The entry of a drop log about a packet that no end received; each try may have its own reason */
static const struct why_row *find_drop(const struct why_case *c, const struct why_row *packet)
{
	const char *reason = why_cell(c->s, packet, "tx_reason");
	const struct span span = span_of(c, packet);
	const struct why_row *row = NULL;
	uint64_t when;

	if (reason && !strcmp(reason, "none"))
		reason = NULL;
	while ((row = why_next(c->s, WHY_DROPS, row))) {
		if (reason && !why_cell_is(c->s, row, "reason", reason))
			continue;
		if (!is_same_packet(c, row, packet) || !why_is_now(c, row))
			continue;
		if (!why_cell_number(c->s, row, "when", &when) ||
		    (when >= span.from && when <= span.to))
			return row;
	}
	return NULL;
}

static void place(const struct why_case *c, const struct why_row *row, const char *dev,
		  const char *num, char to[WHY_NAME])
{
	char name[WHY_NAME], number[WHY_NAME];

	snprintf(to, WHY_NAME, "%.60s:%.20s", why_word(why_cell(c->s, row, dev), name),
		 why_word(why_cell(c->s, row, num), number));
}

static unsigned int fate_of(const struct why_case *c, const struct why_row *row,
			    struct why_fates *f)
{
	const char *tx = why_cell(c->s, row, "tx_reason"), *rx = why_cell(c->s, row, "rx_reason");
	const struct why_row *drop = find_drop(c, row);
	const char *at = why_cell(c->s, drop, "at"), *reason = why_cell(c->s, drop, "reason");

	f->at_switch = at;
	if (at)
		why_word(at, f->switch_at);
	if (why_cell(c->s, row, "rx_dev")) {
		place(c, row, "rx_dev", why_cell(c->s, row, "rx_qpn") ? "rx_qpn" : "dqpn", f->at);
		place(c, row, "rx_dev", "rx_port", f->port);
		f->row = row;
		return rx ? why_fate(rx) : WHY_DELIVERED;
	}
	if (tx && strcmp(tx, "none")) {
		place(c, row, "tx_dev", "tx_port", f->port);
		strcpy(f->at, at ? f->switch_at : f->port);
		f->row = row;
		return why_fate(tx);
	}
	if (!reason)
		return WHY_LOST;
	f->row = row;
	place(c, drop, "dev", "port", f->port);
	strcpy(f->at, at ? f->switch_at : f->port);
	return why_fate(reason);
}

/* Are both places, NODE:PORT, of the same node? */
static bool is_same_node(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");

	return len && a[len] && !strncmp(a, b, len + 1);
}

/*
 * May a packet have this fate before a port goes down, so that the port is the first cause? Its
 * answer may have found the port down, the interface of a cable may have gone down, or a NAK
 * answered it.
 */
static bool may_precede_down(unsigned int fate)
{
	return fate == WHY_DELIVERED || fate == WHY_LOST || fate == why_fate("cable_full") ||
	       fate == why_fate("rnr_wait");
}

/*
 * May a packet have this fate before its QP is gone, so that the end of the QP is the first cause?
 * The QP may have ended before it answered.
 */
static bool may_precede_gone(unsigned int fate)
{
	return fate == WHY_DELIVERED || fate == WHY_LOST || fate == why_fate("duplicate") ||
	       fate == why_fate("rnr_wait");
}

/* Counts a packet for fates.down and what follows it. Returns false if another fate is mixed in. */
static bool count_down(struct why_fates *f, unsigned int fate, uint64_t when)
{
	if (fate == why_fate("port_down")) {
		if (f->withdrawn)
			return false;
		if (++f->down <= 2)
			f->down_second = when;
		if (f->at_switch || !*f->down_at)
			strcpy(f->down_at, f->at_switch ? f->switch_at : f->port);
		return true;
	}
	if (!f->down)
		return may_precede_down(fate);
	/* the subnet manager took the route away to which the port that is down belonged */
	if (fate != why_fate("no_route") || !f->at_switch ||
	    !is_same_node(f->switch_at, f->down_at))
		return false;
	f->withdrawn++;
	return true;
}

static void count(const struct why_case *c, const struct why_row *row, struct why_fates *f)
{
	unsigned int fate;
	uint64_t when;

	fate = fate_of(c, row, f);
	if (fate == why_fate("rnr_wait"))
		f->rnr_first &= f->packets == f->of[fate] + f->of[WHY_LOST];
	if (fate != why_fate("no_qp"))
		f->gone_last &= !f->of[why_fate("no_qp")] && may_precede_gone(fate);
	f->packets++;
	f->of[fate]++;
	if (!why_cell_number(c->s, row, "when", &when))
		return;
	if (!count_down(f, fate, when))
		f->down_last = false;
	if (!f->timed || when < f->first) {
		f->second = f->timed ? f->first : UINT64_MAX;
		f->first = when;
	} else if (when < f->second) {
		f->second = when;
	}
	if (!f->timed || when > f->last)
		f->last = when;
	f->timed = true;
}

static bool covers(const struct why_case *c, const struct why_row *row)
{
	uint64_t psn, n;

	if (!c->has_psn || !why_is_now(c, row) || !why_cell_number(c->s, row, "psn", &psn))
		return false;
	if (!why_cell_number(c->s, row, "packets", &n) || !n)
		n = 1;
	return ((c->psn - psn) & 0xffffff) < n;
}

/* An answer acknowledges all requests up to its PSN (IBA 9.7.5.1.2), within half of the numbers. */
static bool answers_psn(const struct why_case *c, const struct why_row *row)
{
	uint64_t psn;

	return c->has_psn && why_is_now(c, row) && why_cell_number(c->s, row, "psn", &psn) &&
	       ((psn - c->psn) & 0xffffff) < 0x800000;
}

static bool is_answer(const struct why_case *c, const struct why_row *row)
{
	const char *op = why_cell(c->s, row, "op");

	return op && (strstr(op, "ack") || strstr(op, "resp") || strstr(op, "nak"));
}

/* Is the row of packets a copy of the request, or (answers) an answer to it? */
static bool is_copy(const struct why_case *c, const struct why_row *row, bool answers)
{
	const char *dir = !answers ? c->dir : c->as_responder ? "tx" : "rx";

	return why_cell_is(c->s, row, "dir", dir) && is_answer(c, row) == answers &&
	       (covers(c, row) || (answers && answers_psn(c, row)));
}

/*
 * The answer to a request of several packets has the PSN of the last one: it concerns the request,
 * too, if the table of packets has it.
 */
bool why_concerns(const struct why_case *c, const struct why_row *row)
{
	const struct why_row *packet = NULL;
	uint64_t psn, of;

	if (!c->has_psn || !why_cell_number(c->s, row, "psn", &psn) || psn == c->psn)
		return true;
	while ((packet = why_next(c->s, WHY_PACKETS, packet)))
		if (is_copy(c, packet, true) && why_cell_number(c->s, packet, "psn", &of) &&
		    of == psn)
			return true;
	return false;
}

void why_fates_of(const struct why_case *c, bool answers, struct why_fates *f)
{
	const struct why_row *row = NULL;

	memset(f, 0, sizeof(*f));
	f->down_last = true;
	f->gone_last = true;
	f->rnr_first = true;
	while ((row = why_next(c->s, WHY_PACKETS, row)))
		if (is_copy(c, row, answers))
			count(c, row, f);
}

unsigned int why_only_fate(const struct why_fates *f)
{
	unsigned int i, found = WHY_UNKNOWN_FATE;

	for (i = 0; i < WHY_LOST; i++) {
		if (!f->of[i])
			continue;
		if (found != WHY_UNKNOWN_FATE)
			return WHY_UNKNOWN_FATE;
		found = i;
	}
	return f->of[WHY_UNKNOWN_FATE] ? WHY_UNKNOWN_FATE : found;
}

/* Bit by bit, the fates that occur, as text */
static void list_fates(const struct why_fates *f, char to[WHY_EVIDENCE])
{
	size_t len = 0;
	unsigned int i;

	*to = 0;
	for (i = 0; i < WHY_FATES && len < WHY_EVIDENCE; i++) {
		const char *word = i == WHY_DELIVERED	   ? "delivered"
				   : i == WHY_LOST	   ? "not seen again"
				   : i == WHY_UNKNOWN_FATE ? "an unknown reason"
							   : why_fate_words[i];

		if (f->of[i])
			len += snprintf(to + len, WHY_EVIDENCE - len, "%s%u %s", len ? ", " : "",
					f->of[i], word);
	}
}

struct why_step *why_tell_copies(struct why_case *c, const struct why_fates *f, uint64_t tries)
{
	char time[WHY_TIME], list[WHY_EVIDENCE];
	struct why_step *step;

	why_time(f->last - f->first, time);
	if (tries)
		step = why_step(c, f->timed ? &f->first : NULL,
				"%s sent %s %" PRIu64
				" times; the records have %u of these, in %s.",
				c->local, c->request, tries, f->packets, time);
	else
		step = why_step(c, f->timed ? &f->first : NULL,
				"%s sent %s; the records have %u copies, in %s.", c->local,
				c->request, f->packets, time);
	list_fates(f, list);
	why_evidence(step, "packets: %u rows of PSN %" PRIu64 ": %s", f->packets, c->psn, list);
	return step;
}

void why_tell_dropped(struct why_case *c, const struct why_fates *f, unsigned int fate,
		      const char *when)
{
	bool one = f->of[fate] == 1;
	struct why_step *step = why_step(
		c, f->timed ? &f->last : NULL, "%u %s%s reached %s and %s dropped there: %s.",
		f->of[fate], one ? "copy" : "copies", when, f->at, one ? "was" : "were",
		why_fate_words[fate]);

	why_evidence(step, "packets, drops: %u with reason %s", f->of[fate], why_fate_words[fate]);
	if (*f->switch_at)
		why_evidence(step, "droplog: at=%s", f->switch_at);
}
