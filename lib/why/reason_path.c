// SPDX-License-Identifier: GPL-2.0-only
/* A request whose tries all remained without answer: the fate of each copy, and of each answer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"
#include "uapi/glass-vocab.h"

/* Fates of a packet: drop reasons; none is "delivered"; LOST: no row tells */
static const char *const reasons[] = {
#define REASON(n, w, v) #w,
	GLASS_DROP_REASONS(REASON)
};

#define REASONS	  (sizeof(reasons) / sizeof(*reasons))
#define DELIVERED 0
#define LOST	  REASONS
#define UNKNOWN	  (REASONS + 1) /* a word that this version does not know */

/* The fates of all packets of one kind */
struct fates {
	unsigned int packets, of[REASONS + 2];
	uint64_t first, second, last; /* when the first, second and last of them were sent */
	/* packets that found a port down, and when the second of them was sent, or the only one */
	unsigned int down;
	uint64_t down_second;
	bool down_last; /* no packet after these had another fate, nor one before that needs a cause */
	unsigned int withdrawn; /* packets after these that the same switch had no route for */
	bool rnr_first; /* no packet that found no receive follows one with another fate */
	bool timed;
	const struct why_row *row; /* the last one that was dropped or delivered */
	char at[WHY_NAME];	   /* where that was */
	char port[WHY_NAME];	   /* the port there, as NODE:PORT */
	char switch_at[WHY_NAME];  /* the same of a switch, from a drop log */
	bool at_switch;		   /* the last one was dropped at switch_at */
	char down_at[WHY_NAME];	   /* NODE:PORT, where a packet found a port down */
};

static unsigned int reason_of(const char *word)
{
	unsigned int i;

	for (i = 0; i < REASONS; i++)
		if (!strcmp(reasons[i], word))
			return i;
	return UNKNOWN;
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

static unsigned int fate_of(const struct why_case *c, const struct why_row *row, struct fates *f)
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
		return rx ? reason_of(rx) : DELIVERED;
	}
	if (tx && strcmp(tx, "none")) {
		place(c, row, "tx_dev", "tx_port", f->port);
		strcpy(f->at, at ? f->switch_at : f->port);
		f->row = row;
		return reason_of(tx);
	}
	if (!reason)
		return LOST;
	f->row = row;
	place(c, drop, "dev", "port", f->port);
	strcpy(f->at, at ? f->switch_at : f->port);
	return reason_of(reason);
}

/* Are both places, NODE:PORT, of the same node? */
static bool is_same_node(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");

	return len && a[len] && !strncmp(a, b, len + 1);
}

/*
 * May a packet have this fate before a port goes down, so that the port is the first cause? Its answer
 * may have found the port down, the interface of a cable may have gone down, or a NAK answered it.
 */
static bool may_precede_down(unsigned int fate)
{
	return fate == DELIVERED || fate == LOST || fate == reason_of("cable_full") ||
	       fate == reason_of("rnr_wait");
}

/* Counts a packet for fates.down and what follows it. Returns false if another fate is mixed in. */
static bool count_down(struct fates *f, unsigned int fate, uint64_t when)
{
	if (fate == reason_of("port_down")) {
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
	if (fate != reason_of("no_route") || !f->at_switch ||
	    !is_same_node(f->switch_at, f->down_at))
		return false;
	f->withdrawn++;
	return true;
}

static void count(const struct why_case *c, const struct why_row *row, struct fates *f)
{
	unsigned int fate;
	uint64_t when;

	fate = fate_of(c, row, f);
	if (fate == reason_of("rnr_wait"))
		f->rnr_first &= f->packets == f->of[fate] + f->of[LOST];
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
 * The answer to a request of several packets has the PSN of the last one: it concerns the request, too,
 * if the table of packets has it.
 */
bool why_concerns(const struct why_case *c, const struct why_row *row)
{
	const struct why_row *packet = NULL;
	uint64_t psn, of;

	if (!c->has_psn || !why_cell_number(c->s, row, "psn", &psn) || psn == c->psn)
		return true;
	while ((packet = why_next(c->s, WHY_PACKETS, packet)))
		if (is_copy(c, packet, true) && why_cell_number(c->s, packet, "psn", &of) && of == psn)
			return true;
	return false;
}

/* All copies of the request, or all answers to it */
static void look(const struct why_case *c, bool answers, struct fates *f)
{
	const struct why_row *row = NULL;

	memset(f, 0, sizeof(*f));
	f->down_last = true;
	f->rnr_first = true;
	while ((row = why_next(c->s, WHY_PACKETS, row)))
		if (is_copy(c, row, answers))
			count(c, row, f);
}

/* The only fate of all packets whose fate is known; UNKNOWN if there are several or none */
static unsigned int only_fate(const struct fates *f)
{
	unsigned int i, found = UNKNOWN;

	for (i = 0; i < LOST; i++) {
		if (!f->of[i])
			continue;
		if (found != UNKNOWN)
			return UNKNOWN;
		found = i;
	}
	return f->of[UNKNOWN] ? UNKNOWN : found;
}

/* Bit by bit, the fates that occur, as text */
static void list_fates(const struct fates *f, char to[WHY_EVIDENCE])
{
	size_t len = 0;
	unsigned int i;

	*to = 0;
	for (i = 0; i < REASONS + 2 && len < WHY_EVIDENCE; i++) {
		const char *word = i == DELIVERED ? "delivered"
				   : i == LOST	  ? "not seen again"
				   : i == UNKNOWN ? "an unknown reason"
						  : reasons[i];

		if (f->of[i])
			len += snprintf(to + len, WHY_EVIDENCE - len, "%s%u %s", len ? ", " : "",
					f->of[i], word);
	}
}

static struct why_step *tell_copies(struct why_case *c, const struct fates *f, uint64_t tries)
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

static void tell_dropped(struct why_case *c, const struct fates *f, unsigned int fate,
			 const char *what)
{
	struct why_step *step = why_step(
		c, f->timed ? &f->last : NULL, "%u %s reached %s and %s dropped there: %s.",
		f->of[fate], what, f->at, f->of[fate] == 1 ? "was" : "were", reasons[fate]);

	why_evidence(step, "packets, drops: %u with reason %s", f->of[fate], reasons[fate]);
	if (*f->switch_at)
		why_evidence(step, "droplog: at=%s", f->switch_at);
}

/* ---- fates that name a cause */

/* The responder is connected to another QP, or may be. */
static void decide_other_peer(struct why_case *c)
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
		decide_other_peer(c);
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
		decide_other_peer(c);
		return;
	}
	why_step(c, NULL, "%s of %s expects another source LID than packets of %s have.", c->peer,
		 c->peer_process, c->local);
	why_decide(c, WHY_CAUSE_WRONG_LID);
}

/*
 * Did the packets arrive at the port of the QP for which they are? Returns 1, 0, or -1 if that is not
 * certain: the LID may be wrong, and the QP of that number there another one.
 */
static int is_right_port(const struct why_case *c, const struct fates *f, bool answers)
{
	uint64_t port, at;

	if (why_is_mutual(c) != 1 ||
	    !why_value_number(c->s, answers ? c->req : c->resp, "", "port", &port) ||
	    !why_cell_number(c->s, f->row, "rx_port", &at))
		return -1;
	return port == at;
}

/* Is the LID right, so that the drop reason is that of `cause`? If not, it ends with another verdict. */
static bool decide_port_match(struct why_case *c, const struct fates *f, bool answers,
			      enum why_cause cause)
{
	int right = is_right_port(c, f, answers);

	if (right == 1)
		return true;
	if (right == 0) {
		why_step(c, NULL, "The LID is that of %s, which is not the port of the QP.", f->port);
		why_decide(c, WHY_CAUSE_WRONG_LID);
		return false;
	}
	why_missing(c, "the port of the peer QP (remote: port, dest_qpn)");
	why_candidates(c, cause, WHY_CAUSE_WRONG_LID, -1);
	return false;
}

static void decide_grh(struct why_case *c, const struct fates *f, bool answers)
{
	if (!decide_port_match(c, f, answers, WHY_CAUSE_WRONG_GID))
		return;
	why_step(c, NULL, "the GRH of the packets does not fit the port at %s.", f->at);
	why_decide(c, WHY_CAUSE_WRONG_GID);
}

/* Writes the name of the port that has the LID of the requests. Returns false if it is not known. */
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

static void decide_route(struct why_case *c, const struct fates *f)
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
		/* the subnet manager may have taken the route away because the next port was down */
		why_missing(c, "the port by which a route led there before");
		why_candidates(c, WHY_CAUSE_NO_ROUTE, WHY_CAUSE_PORT_DOWN, WHY_CAUSE_CABLE_CUT,
			       WHY_CAUSE_NETDEV_GONE, -1);
	} else {
		why_decide(c, WHY_CAUSE_NO_ROUTE);
	}
}

static void tell_keys(struct why_case *c, const struct fates *f, const char *what, const char *key,
		      enum why_cause cause)
{
	char sent[WHY_NAME];
	struct why_step *step;

	step = why_step(c, NULL, "The packets have the %s %s, which does not match at %s.", what,
			why_word(why_cell(c->s, f->row, key), sent), f->at);
	why_evidence(step, "packets: %s=%s", key, sent);
	why_decide(c, cause);
}

static void decide_pkey(struct why_case *c, const struct fates *f, bool answers)
{
	if (decide_port_match(c, f, answers, WHY_CAUSE_WRONG_PKEY))
		tell_keys(c, f, "P_Key", "pkey", WHY_CAUSE_WRONG_PKEY);
}

static void decide_type(struct why_case *c, const struct fates *f)
{
	why_step(c, NULL, "The QP %s is of another type.", f->at);
	decide_other_peer(c);
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

/* Which of its checks finds the damage depends on the bits of each copy. */
static void merge_damages(struct fates *f)
{
	unsigned int i, to = reason_of("bad_vcrc");

	for (i = 0; i < LOST; i++) {
		if (i == to || !is_damage(reasons[i]))
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

static void decide_port(struct why_case *c, const struct fates *f)
{
	why_port(c, *f->switch_at ? f->switch_at : f->port, f->down ? &f->down_second : NULL);
}

/* Fates that need no further evidence: X(reason, cause, sentence about the place) */
#define PLAIN_FATES(X)                                                                          \
	X(wrong_lid, WRONG_LID, "the port at %s has another LID than the packets are sent to.") \
	X(wrong_port, WRONG_LID, "%s is on another port of its adapter than the LID.")          \
	X(loop, ROUTE_LOOP, "the tables of the switches lead the packets in a circle at %s.")

static bool decide_plain(struct why_case *c, const struct fates *f, const char *reason)
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
static void decide_state(struct why_case *c, const struct fates *f)
{
	char dev[WHY_NAME];
	uint64_t changes;

	if (why_value_number(c->s, c->resp, "history", "changes", &changes) || !f->timed ||
	    !why_deaf_then_gone(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->first,
				f->second, false))
		why_peer_state(c, f->last);
}

/* All known copies had this fate. answers: they are answers of the peer */
static void decide_fate(struct why_case *c, const struct fates *f, const char *reason, bool answers)
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

/* ---- requests that were delivered */

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
static bool decide_delay(struct why_case *c, const struct fates *answers)
{
	static const char *const actions[] = { "delay", "reorder", NULL };
	unsigned int late =
		answers->of[reason_of("stale_resp")] + answers->of[reason_of("qp_state")];
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
	struct fates f;
	unsigned int fate;
	const char *reason;

	if (why_is_mutual(c) == 0) {
		decide_other_peer(c);
		return;
	}
	look(c, true, &f);
	fate = only_fate(&f);
	if (decide_delay(c, &f))
		return;
	reason = fate < LOST ? reasons[fate] : NULL;
	if (!reason || fate == DELIVERED || !strcmp(reason, "stale_resp")) {
		why_missing(c, f.packets ? "the reason why no answer counted (packets)"
					 : "the answers of the peer (packets)");
		why_candidates(c, WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_TIMEOUT_SHORT,
			       WHY_CAUSE_INJECTED, -1);
		return;
	}
	tell_dropped(c, &f, fate, "answers of the peer");
	decide_fate(c, &f, reason, true);
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
static void merge(const struct why_case *c, struct fates *f)
{
	unsigned int gap = reason_of("bad_psn"), behind = reason_of("nak_wait");
	unsigned int again = reason_of("duplicate");
	unsigned int to = is_stale_psn(c) ? gap : DELIVERED;

	f->of[gap] += f->of[behind];
	f->of[behind] = 0;
	f->of[to] += f->of[again];
	f->of[again] = 0;
}

/*
 * An RNR NAK answers each copy that finds no receive, and the requester then begins to count anew: the
 * copies after these are the ones without answer. If there are none after them, the NAK was lost.
 */
static void settle_rnr(struct fates *f)
{
	unsigned int rnr = reason_of("rnr_wait");

	if (!f->rnr_first)
		return;
	if (f->of[rnr] + f->of[LOST] == f->packets)
		f->of[DELIVERED] += f->of[rnr];
	else
		f->packets -= f->of[rnr];
	f->of[rnr] = 0;
}

/*
 * Did a port that is down block the copies, whatever happened to some of them? Answers to copies before
 * were lost at the port, the interface of a cable was going down, or the subnet manager then took the
 * route away.
 */
static bool decide_down(struct why_case *c, struct fates *f)
{
	if (!f->down_last || f->down + f->withdrawn < 2 || f->down < f->of[DELIVERED])
		return false;
	strcpy(f->at, f->down_at);
	tell_dropped(c, f, reason_of("port_down"), "copies");
	why_port(c, f->down_at, &f->down_second);
	return true;
}

/* Was the peer QP in a state in which it receives nothing, and then destroyed? */
static bool decide_deaf_then_gone(struct why_case *c, const struct fates *f)
{
	unsigned int deaf = reason_of("qp_state"), gone = reason_of("no_qp");
	char dev[WHY_NAME];

	if (!f->of[deaf] || !f->of[gone] || f->of[deaf] + f->of[gone] != f->packets || !f->timed)
		return false;
	tell_dropped(c, f, gone, f->of[gone] == 1 ? "copy" : "copies");
	tell_dropped(c, f, deaf, f->of[deaf] == 1 ? "copy before" : "copies before");
	if (why_deaf_then_gone(c, why_word(why_cell(c->s, f->row, "rx_dev"), dev), f->first,
			       f->second, true))
		return true;
	why_missing(c, "the state of the peer QP before it was destroyed (gone_qps)");
	why_candidates(c, WHY_CAUSE_PEER_RESET, WHY_CAUSE_PEER_INIT, WHY_CAUSE_PEER_ERR, WHY_CAUSE_PEER_GONE,
		       WHY_CAUSE_PEER_EXITED, WHY_CAUSE_PEER_KILLED, -1);
	return true;
}

static void decide_lost(struct why_case *c, const struct fates *f, bool several)
{
	unsigned int i;

	if (several) {
		why_missing(c, "a single fate of all copies: they had different ones");
		for (i = 0; i < LOST; i++)
			if (f->of[i] && !strcmp(reasons[i], "injected"))
				why_candidates(c, WHY_CAUSE_INJECTED, -1);
			else if (f->of[i] && !strcmp(reasons[i], "no_qp"))
				why_candidates(c, WHY_CAUSE_PEER_GONE, WHY_CAUSE_PEER_EXITED,
					       WHY_CAUSE_PEER_KILLED, WHY_CAUSE_WRONG_QPN, -1);
			else if (f->of[i] && !strcmp(reasons[i], "port_down"))
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
	struct fates f, answers;

	look(c, false, &f);
	merge(c, &f);
	why_cell_number(c->s, c->wqe, "tries", &tries);
	tell_copies(c, &f, tries);
	settle_rnr(&f);
	fate = only_fate(&f);
	if (fate == UNKNOWN) {
		merge_damages(&f);
		fate = only_fate(&f);
	}
	known = f.packets - f.of[LOST];
	if (fate == UNKNOWN && f.down && decide_down(c, &f))
		return;
	if (fate == UNKNOWN && decide_deaf_then_gone(c, &f))
		return;
	if (fate == UNKNOWN) {
		look(c, true, &answers);
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
	if (fate != DELIVERED)
		tell_dropped(c, &f, fate, "copies");
	if (fate == reason_of("no_route") && !*f.switch_at && decide_network(c))
		return;
	/* a rule that drops them does so whatever their address is */
	if (fate < LOST && strcmp(reasons[fate], "injected") && why_wrong_address(c))
		return;
	if (fate == DELIVERED) {
		decide_answers(c);
		return;
	}
	decide_fate(c, &f, reasons[fate], false);
}
