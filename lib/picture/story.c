// SPDX-License-Identifier: GPL-2.0-only
/* From the rows of a story to observations and moments. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fields.h"
#include "lib/picture/story.h"
#include "lib/picture/trace.h"
#include "lib/why/reason.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

/* The LID of an end that no row names: no port has it */
#define LID_UNKNOWN 0x10000
/* Ethernet ports have no LIDs: these tell the two ends apart. */
#define LID_LOCAL 0x10001
#define LID_PEER  0x10002

/* Observations and moments, which point into the story or into their own texts */
struct event {
	uint64_t ns;
	size_t order; /* among those of one time */
	bool is_moment;
	union {
		struct picture_sight sight;
		struct picture_moment moment;
	};
	char comm[WHY_NAME], text[WHY_NAME];
};

struct end {
	const char *dev; /* NULL: unknown */
	char comm[WHY_NAME];
	uint64_t pid;
	bool has_comm;
	char ip[WHY_NAME]; /* of an Ethernet port; empty: unknown, or InfiniBand */
	struct picture_address at;
};

struct telling {
	const struct why_story *s;
	struct event *event;
	size_t count, room;
	bool no_memory;
	bool has_peer;
	bool ethernet;
	struct end local, peer;
	bool *used; /* for each row of the story: a packet has it */
};

uint64_t picture_story_zero(const struct why_story *s)
{
	uint64_t when;

	return why_value_number(s, WHY_FAILURE, "", "when", &when) ? when : 0;
}

static bool is_qp(const struct why_story *s)
{
	const char *object = why_value(s, WHY_FAILURE, "", "object");

	return !object || !strcmp(object, "qp");
}

void picture_story_wish(const struct why_story *s, struct picture_wish *w)
{
	const char *dev = why_value(s, WHY_FAILURE, "", "dev");
	uint64_t num;

	*w = (struct picture_wish){ .qpn = PICTURE_UNKNOWN };
	if (!dev || !is_qp(s) || !why_value_number(s, WHY_FAILURE, "", "num", &num))
		return;
	snprintf(w->dev, sizeof(w->dev), "%s", dev);
	w->qpn = num;
}

/* ---- events */

static struct event *add_event(struct telling *t, uint64_t ns)
{
	struct event *e;

	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 64;

		e = realloc(t->event, room * sizeof(*e));
		if (!e) {
			t->no_memory = true;
			return NULL;
		}
		t->event = e;
		t->room = room;
	}
	e = &t->event[t->count];
	memset(e, 0, sizeof(*e));
	e->ns = ns;
	e->order = t->count++;
	return e;
}

static uint64_t number_of(const struct telling *t, const struct why_row *row, const char *key)
{
	uint64_t n;

	return why_cell_number(t->s, row, key, &n) ? n : 0;
}

/* ---- the two ends */

static void know_end(const struct telling *t, struct end *e, const char *dev, const char *num,
		     const char *comm, const char *pid)
{
	const char *name = why_value(t->s, WHY_FAILURE, "", comm);
	uint64_t n;

	e->dev = why_value(t->s, WHY_FAILURE, "", dev);
	e->at = (struct picture_address){ LID_UNKNOWN, PICTURE_UNKNOWN };
	if (why_value_number(t->s, WHY_FAILURE, "", num, &n))
		e->at.qpn = n;
	e->has_comm = name && why_value_number(t->s, WHY_FAILURE, "", pid, &e->pid);
	if (name)
		why_word(name, e->comm);
}

/* The LID of the local port, from the peer's attributes or from a packet */
static void know_lids(struct telling *t)
{
	const struct why_row *row = NULL;
	uint64_t lid;

	if (why_value_number(t->s, WHY_LOCAL, "", "dlid", &lid))
		t->peer.at.lid = lid;
	if (why_value_number(t->s, WHY_REMOTE, "", "dlid", &lid))
		t->local.at.lid = lid;
	while (t->local.at.lid == LID_UNKNOWN && (row = why_next(t->s, WHY_PACKETS, row)))
		if (why_cell_is(t->s, row, "dir", "tx") && why_cell_number(t->s, row, "slid", &lid))
			t->local.at.lid = lid;
}

/*
 * A connected QP of an Ethernet port has a row of the table `network`, while its network interface is there,
 * and no LIDs. A QP of an InfiniBand port that was given the destination LID 0 has sent from another LID.
 */
static void know_ethernet(struct telling *t)
{
	const struct why_row *row = why_next(t->s, WHY_NETWORK, NULL);

	t->ethernet = row || (t->peer.at.lid == 0 && (t->local.at.lid == 0 || t->local.at.lid == LID_UNKNOWN));
	if (!t->ethernet)
		return;
	t->local.at.lid = LID_LOCAL;
	t->peer.at.lid = LID_PEER;
	if (!row)
		return;
	why_ip(t->s, row, "sgid", t->local.ip);
	why_ip(t->s, row, "dgid", t->peer.ip);
}

static void know_ends(struct telling *t)
{
	uint64_t qpn;

	know_end(t, &t->local, "dev", "num", "comm", "pid");
	know_end(t, &t->peer, "peer_dev", "peer_qpn", "peer_comm", "peer_pid");
	if (!is_qp(t->s))
		t->local.at.qpn = PICTURE_UNKNOWN;
	if (t->peer.at.qpn == PICTURE_UNKNOWN && why_value_number(t->s, WHY_LOCAL, "", "dest_qpn", &qpn))
		t->peer.at.qpn = qpn;
	know_lids(t);
	know_ethernet(t);
	t->has_peer = t->local.at.qpn != PICTURE_UNKNOWN && t->peer.at.qpn != PICTURE_UNKNOWN &&
		      t->peer.at.lid != LID_UNKNOWN;
}

/* Returns the end that is this QP; NULL: neither */
static const struct end *end_of(const struct telling *t, const char *dev, uint64_t qpn)
{
	if (t->local.dev && dev && !strcmp(dev, t->local.dev) && qpn == t->local.at.qpn)
		return &t->local;
	if (t->peer.dev && dev && !strcmp(dev, t->peer.dev) && qpn == t->peer.at.qpn)
		return &t->peer;
	return NULL;
}

/* The end that a row of a table with the columns `dev` and `qpn` is about. NULL: neither */
static const struct end *end_of_row(const struct telling *t, const struct why_row *row)
{
	uint64_t qpn = 0;

	why_cell_number(t->s, row, "qpn", &qpn);
	/* adapters of both hosts may have the same name */
	if (why_is_far(t->s, row))
		return qpn == t->peer.at.qpn ? &t->peer : NULL;
	return end_of(t, why_cell(t->s, row, "dev"), qpn);
}

/* ---- packets */

/* Returns the value of an opcode's word, also without its transport; -1: unknown */
static int opcode_of(const struct telling *t, const struct why_row *row, const char *key)
{
	const char *word = why_cell(t->s, row, key), *type;
	char whole[WHY_NAME];
	int opcode;

	if (!word)
		return -1;
	opcode = glass_field_find_word(GLASS_FIELD_opcode, word);
	if (opcode >= 0)
		return opcode;
	type = why_value(t->s, WHY_FAILURE, "", "qptype");
	snprintf(whole, sizeof(whole), "%.16s_%.60s", type && !strncmp(type, "xrc", 3) ? "xrc" : type ? type : "rc",
		 word);
	return glass_field_find_word(GLASS_FIELD_opcode, whole);
}

/* 0: none. A word that this version does not know is a drop, too. */
static uint8_t reason_of(const struct telling *t, const struct why_row *row, const char *key)
{
	const char *word = why_cell(t->s, row, key);
	int reason;

	if (!word || !strcmp(word, "none"))
		return 0;
	reason = glass_field_find_word(GLASS_FIELD_reason, word);
	return reason > 0 ? reason : GLASS_DROP_COUNT;
}

/* The QP that sent a packet, by its adapter, else by what the ends are connected to */
static uint32_t sender_of(const struct telling *t, const struct why_row *row)
{
	uint64_t qpn, slid = number_of(t, row, "slid"), dqpn = number_of(t, row, "dqpn");

	if (why_cell_number(t->s, row, "tx_qpn", &qpn) || why_cell_number(t->s, row, "sqpn", &qpn))
		return qpn;
	if (t->has_peer && slid == t->peer.at.lid && dqpn == t->local.at.qpn)
		return t->peer.at.qpn;
	if (t->has_peer && slid == t->local.at.lid && dqpn == t->peer.at.qpn)
		return t->local.at.qpn;
	return PICTURE_UNKNOWN;
}

/*
 * Did the local QP send the packet? Rows of packets say so. A row of a drop has the device that dropped the
 * packet, and whether that was at its sender.
 */
static bool sent_by_local(const struct telling *t, const struct why_row *row)
{
	const char *dir = why_cell(t->s, row, "dir"), *place = why_cell(t->s, row, "place");
	uint64_t dqpn = number_of(t, row, "dqpn");

	if (dir)
		return !strcmp(dir, "tx");
	if (t->local.at.qpn != t->peer.at.qpn)
		return dqpn == t->peer.at.qpn;
	return (place && !strcmp(place, "tx")) ==
	       (t->local.dev && why_cell_is(t->s, row, "dev", t->local.dev));
}

/* The ends of a packet of an Ethernet port */
static void fill_ethernet(const struct telling *t, const struct why_row *row, struct picture_sight *to)
{
	bool sent = sent_by_local(t, row);
	const struct end *from = sent ? &t->local : &t->peer, *dest = sent ? &t->peer : &t->local;

	to->from = from->at;
	to->to = (struct picture_address){ dest->at.lid, number_of(t, row, "dqpn") & GLASS_QPN_MASK };
	to->from_ip = from->ip;
	to->to_ip = dest->ip;
}

static void own_packet(const struct telling *t, struct event *e, const char *dev, uint32_t qpn)
{
	const struct end *end = end_of(t, dev, qpn);

	e->sight.dev = dev;
	if (!end || !end->has_comm)
		return;
	snprintf(e->comm, sizeof(e->comm), "%s", end->comm);
	e->sight.comm = e->comm;
	e->sight.pid = end->pid;
}

/* Fills what the table of packets and that of drops have in common. Returns false if it is no packet. */
static bool fill_packet(const struct telling *t, const struct why_row *row, const char *op,
			struct picture_sight *to)
{
	int opcode = opcode_of(t, row, op);

	if (opcode < 0 || !why_cell_number(t->s, row, "when", &to->ns))
		return false;
	to->opcode = opcode;
	to->psn = number_of(t, row, "psn") & GLASS_PSN_MASK;
	to->len = number_of(t, row, "len");
	to->flow = number_of(t, row, "flow");
	if (t->ethernet) {
		fill_ethernet(t, row, to);
		return true;
	}
	to->from = (struct picture_address){ number_of(t, row, "slid"), sender_of(t, row) };
	to->to = (struct picture_address){ number_of(t, row, "dlid"), number_of(t, row, "dqpn") & GLASS_QPN_MASK };
	return true;
}

/* Finds the first drop of the log that is this packet's, and that no other packet has. */
static const struct why_row *find_drop(struct telling *t, const struct why_row *packet, const char *reason)
{
	const struct why_row *row = NULL;
	uint64_t psn, flow, of;

	while ((row = why_next(t->s, WHY_DROPS, row))) {
		if (t->used[row - t->s->row] || !why_cell_is(t->s, row, "reason", reason) ||
		    !why_cell_number(t->s, row, "psn", &psn) || psn != number_of(t, packet, "psn") ||
		    number_of(t, row, "dqpn") != number_of(t, packet, "dqpn") ||
		    number_of(t, row, "when") < number_of(t, packet, "when"))
			continue;
		if (why_cell_number(t->s, row, "flow", &flow) && why_cell_number(t->s, packet, "flow", &of) &&
		    flow && flow != of)
			continue;
		t->used[row - t->s->row] = true;
		return row;
	}
	return NULL;
}

/* The name of a rule: drivers before the table of firings called it "name" */
static const char *rule_of(const struct telling *t, const struct why_row *row)
{
	const char *rule = why_cell(t->s, row, "rule");

	return rule ? rule : why_cell(t->s, row, "name");
}

/* Finds the rule that fired on the packet at this adapter; NULL: none */
static const char *find_rule(struct telling *t, const struct why_row *packet, const char *dev, const char *dir)
{
	const struct why_row *row = NULL;
	uint64_t psn;

	while (dev && (row = why_next(t->s, WHY_JOURNAL, row))) {
		if (t->used[row - t->s->row] || !why_cell_is(t->s, row, "dev", dev) ||
		    !why_cell_number(t->s, row, "psn", &psn) || psn != number_of(t, packet, "psn") ||
		    (why_cell(t->s, row, "dir") && !why_cell_is(t->s, row, "dir", dir)))
			continue;
		t->used[row - t->s->row] = true;
		return rule_of(t, row);
	}
	return NULL;
}

/* A switch dropped it: the log names the switch and its port as node:port. */
static void dropped_on_way(struct telling *t, const struct picture_sight *sent, const struct why_row *drop)
{
	struct event *e = add_event(t, sent->ns);
	const char *at = why_cell(t->s, drop, "at");

	if (!e)
		return;
	e->sight = *sent;
	e->sight.sent = false;
	e->sight.comm = NULL;
	e->sight.reason = reason_of(t, drop, "reason");
	snprintf(e->text, sizeof(e->text), "%.*s", (int)strcspn(at, ":"), at);
	e->sight.node = e->text;
}

static void take_packet(struct telling *t, const struct why_row *row)
{
	const char *tx = why_cell(t->s, row, "tx_dev"), *rx = why_cell(t->s, row, "rx_dev");
	struct picture_sight sight = { 0 };
	const struct why_row *drop = NULL;
	uint8_t reason = reason_of(t, row, "tx_reason");
	uint64_t n = number_of(t, row, "packets");
	struct event *e;

	if (!fill_packet(t, row, "op", &sight))
		return;
	sight.more = n > 1 && n <= GLASS_PSN_MASK ? n - 1 : 0;
	sight.syndrome = number_of(t, row, "syndrome");
	sight.wr_id = number_of(t, row, "wr_id");
	sight.dma_len = number_of(t, row, "dlen");
	if (reason)
		drop = find_drop(t, row, why_cell(t->s, row, "tx_reason"));
	if (tx || !rx) {
		e = add_event(t, sight.ns);
		if (!e)
			return;
		e->sight = sight;
		e->sight.sent = true;
		e->sight.rule = find_rule(t, row, tx, "tx");
		own_packet(t, e, tx, sight.from.qpn);
		if (!drop || !why_cell(t->s, drop, "at"))
			e->sight.reason = reason;
	}
	if (drop && why_cell(t->s, drop, "at"))
		dropped_on_way(t, &sight, drop);
	if (!rx)
		return;
	e = add_event(t, sight.ns);
	if (!e)
		return;
	e->sight = sight;
	e->sight.reason = reason_of(t, row, "rx_reason");
	e->sight.rule = find_rule(t, row, rx, "rx");
	own_packet(t, e, rx, number_of(t, row, "rx_qpn"));
	if (e->sight.reason)
		find_drop(t, row, why_cell(t->s, row, "rx_reason"));
}

/* Was it before the QP that failed was created? Then it happened to an earlier object with the same number. */
static bool is_earlier(const struct telling *t, uint64_t when)
{
	uint64_t born;

	return why_value_number(t->s, WHY_LOCAL, "", "created", &born) && when < born;
}

/* A drop of a packet between the two ends that the recorder did not have any more */
static void take_drop(struct telling *t, const struct why_row *row)
{
	const char *place = why_cell(t->s, row, "place"), *at = why_cell(t->s, row, "at");
	uint64_t qpn = number_of(t, row, "dqpn");
	struct picture_sight sight = { 0 };
	struct event *e;

	if (t->used[row - t->s->row] || !fill_packet(t, row, "opcode", &sight) ||
	    (qpn != t->local.at.qpn && qpn != t->peer.at.qpn) ||
	    is_earlier(t, sight.ns))
		return;
	e = add_event(t, sight.ns);
	if (!e)
		return;
	e->sight = sight;
	e->sight.sent = place && !strcmp(place, "tx");
	e->sight.reason = reason_of(t, row, "reason");
	if (at) {
		snprintf(e->text, sizeof(e->text), "%.*s", (int)strcspn(at, ":"), at);
		e->sight.node = e->text;
	} else {
		own_packet(t, e, why_cell(t->s, row, "dev"), e->sight.sent ? sight.from.qpn : qpn);
	}
}

/* ---- moments */

static struct picture_moment *add_moment(struct telling *t, const struct end *end, uint64_t ns,
					 enum picture_kind kind, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Returns NULL if out of memory, or if the story is not about a QP. */
static struct picture_moment *add_moment(struct telling *t, const struct end *end, uint64_t ns,
					 enum picture_kind kind, const char *format, ...)
{
	struct event *e;
	va_list args;

	if (t->local.at.qpn == PICTURE_UNKNOWN || (end == &t->peer && !t->has_peer))
		return NULL;
	e = add_event(t, ns);
	if (!e)
		return NULL;
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	e->is_moment = true;
	e->moment = (struct picture_moment){
		.kind = kind, .ns = ns, .at = t->local.at, .far = end == &t->peer, .dev = end->dev,
	};
	if (end->has_comm) {
		snprintf(e->comm, sizeof(e->comm), "%s", end->comm);
		e->moment.pid = end->pid;
	}
	return &e->moment;
}

static void tell_states(struct telling *t, enum why_block block, const struct end *end)
{
	const struct why_row *row = NULL;
	char from[WHY_NAME], to[WHY_NAME], cause[WHY_NAME];
	struct picture_moment *m;
	uint64_t when;

	while ((row = why_entry(t->s, block, "history", "change", row))) {
		if (!why_cell_number(t->s, row, "when", &when))
			continue;
		m = add_moment(t, end, when, PICTURE_STATE, "%.8s to %.8s: %.40s",
			       why_word(why_cell(t->s, row, "from"), from), why_word(why_cell(t->s, row, "to"), to),
			       why_word(why_cell(t->s, row, "cause"), cause));
		if (m)
			m->bad = (why_cell_is(t->s, row, "to", "err") || why_cell_is(t->s, row, "to", "sqe")) &&
				 !why_cell_is(t->s, row, "cause", "verb");
	}
}

/* The time of the first packet of a flow; 0: none */
static uint64_t first_packet(const struct telling *t, uint64_t flow)
{
	const struct why_row *row = NULL;
	uint64_t of;

	while (flow && (row = why_next(t->s, WHY_PACKETS, row)))
		if (why_cell_number(t->s, row, "flow", &of) && of == flow)
			return number_of(t, row, "when");
	return 0;
}

/*
 * Requests that the engine has taken. Ages are relative to the failure, roughly: none was taken behind its
 * first packet.
 */
static void tell_requests(struct telling *t)
{
	uint64_t zero = picture_story_zero(t->s), age, when, sent, flow;
	const struct why_row *row = NULL;
	char op[WHY_NAME], wr_id[WHY_NAME];
	struct picture_moment *m;

	while (zero && (row = why_entry(t->s, WHY_LOCAL, "sq", "wqe", row))) {
		if (!why_cell_number(t->s, row, "age", &age) || age > zero)
			continue;
		when = zero - age;
		flow = number_of(t, row, "flow");
		sent = first_packet(t, flow);
		if (sent && sent < when)
			when = sent;
		m = add_moment(t, &t->local, when, PICTURE_TAKEN, "%.20s wr_id %.20s",
			       why_word(why_cell(t->s, row, "op"), op), why_word(why_cell(t->s, row, "wr_id"), wr_id));
		if (!m)
			continue;
		m->flow = flow;
		m->wr_id = number_of(t, row, "wr_id");
	}
}

static void tell_failure(struct telling *t)
{
	const char *status = why_value(t->s, WHY_FAILURE, "", "status");
	const char *event = why_value(t->s, WHY_FAILURE, "", "event"), *op = why_value(t->s, WHY_FAILURE, "", "op");
	uint64_t zero = picture_story_zero(t->s);
	char word[WHY_NAME], other[WHY_NAME];
	struct picture_moment *m;

	if (!zero || (!status && !event))
		return;
	if (status)
		m = add_moment(t, &t->local, zero, PICTURE_COMPLETED, "%.20s%s%.40s", op ? why_word(op, other) : "",
			       op ? ": " : "", why_word(status, word));
	else
		m = add_moment(t, &t->local, zero, PICTURE_STATE, "event: %.40s", why_word(event, word));
	if (!m)
		return;
	m->bad = true;
	if (!why_value_number(t->s, WHY_FAILURE, "", "wr_id", &m->wr_id))
		m->wr_id = 0;
}

/* Firings that are not those of a packet in the picture */
static void tell_firings(struct telling *t)
{
	const struct why_row *row = NULL;
	char rule[WHY_NAME], act[WHY_NAME];
	struct picture_moment *m;
	const struct end *end;

	while ((row = why_next(t->s, WHY_JOURNAL, row))) {
		end = end_of_row(t, row);
		if (t->used[row - t->s->row] || !end)
			continue;
		m = add_moment(t, end, number_of(t, row, "when"), PICTURE_NOTE, "rule %.32s: %.20s",
			       why_word(rule_of(t, row), rule), why_word(why_cell(t->s, row, "act"), act));
		if (m)
			m->bad = true;
	}
}

static void tell_gone_qps(struct telling *t)
{
	const struct why_row *row = NULL;
	char how[WHY_NAME], signal[WHY_NAME];
	const struct end *end;

	while ((row = why_next(t->s, WHY_GONE_QPS, row))) {
		const char *killed = why_cell(t->s, row, "signal");

		end = end_of_row(t, row);
		if (end != &t->peer || !number_of(t, row, "when") || is_earlier(t, number_of(t, row, "when")))
			continue;
		add_moment(t, end, number_of(t, row, "when"), PICTURE_NOTE, "QP gone: %.20s%s%.10s",
			   why_word(why_cell(t->s, row, "how"), how), killed ? ", signal " : "",
			   killed ? why_word(killed, signal) : "");
	}
}

static void tell_keys(struct telling *t)
{
	const struct why_row *row = NULL;
	char key[WHY_NAME], how[WHY_NAME];
	uint64_t when;

	while ((row = why_next(t->s, WHY_KEYS, row))) {
		bool other_host = why_is_far(t->s, row);
		bool own = !other_host && t->local.dev && why_cell_is(t->s, row, "dev", t->local.dev);
		bool far = other_host || (t->peer.dev && why_cell_is(t->s, row, "dev", t->peer.dev));

		if (!why_cell_number(t->s, row, "gone_when", &when) || (!own && !far) ||
		    (is_earlier(t, when) && !why_cell_is(t->s, row, "found", "no")))
			continue;
		/* both ends on one adapter: a key of packets is that of the peer */
		add_moment(t, far ? &t->peer : &t->local, when, PICTURE_NOTE, "key %.20s ends: %.20s",
			   why_word(why_cell(t->s, row, "key"), key), why_word(why_cell(t->s, row, "gone_how"), how));
	}
}

static void tell_lint(struct telling *t)
{
	char code[WHY_NAME], text[WHY_NAME], pid[WHY_NAME];
	const struct why_row *row = NULL;
	struct picture_moment *m;
	uint64_t first;

	while ((row = why_next(t->s, WHY_LINT, row))) {
		snprintf(pid, sizeof(pid), "%" PRIu64, t->peer.pid);
		if (!why_cell_number(t->s, row, "first", &first) && !why_cell_number(t->s, row, "when", &first))
			continue;
		m = add_moment(t, t->peer.has_comm && t->peer.pid != t->local.pid && why_cell_is(t->s, row, "pid", pid) ?
				       &t->peer : &t->local,
			       first, PICTURE_NOTE, "lint %.6s: %.50s", why_word(why_cell(t->s, row, "code"), code),
			       why_word(why_cell(t->s, row, "text"), text));
		if (m)
			m->bad = why_cell_is(t->s, row, "severity", "error");
	}
}

/* ---- all in order of time */

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

int picture_story(const struct why_story *s, struct picture_book *book, struct picture_trace *trace)
{
	struct telling t = { .s = s, .used = calloc(s->rows + 1, sizeof(*t.used)) };
	const struct why_row *row = NULL;
	int err = 0;

	if (!t.used)
		return -ENOMEM;
	know_ends(&t);
	/* before packets: of one time, the request comes first */
	tell_requests(&t);
	while ((row = why_next(s, WHY_PACKETS, row)))
		take_packet(&t, row);
	while ((row = why_next(s, WHY_DROPS, row)))
		take_drop(&t, row);
	tell_states(&t, WHY_LOCAL, &t.local);
	tell_states(&t, WHY_REMOTE, &t.peer);
	tell_firings(&t);
	tell_gone_qps(&t);
	tell_keys(&t);
	tell_lint(&t);
	tell_failure(&t);
	if (t.count)
		qsort(t.event, t.count, sizeof(*t.event), by_time);
	if (book && t.has_peer)
		picture_book_connect(book, &t.local.at, &t.peer.at);
	for (size_t i = 0; i < t.count; i++) {
		struct event *e = &t.event[i];

		/* add_event() may have moved the texts */
		if (e->is_moment) {
			e->moment.what = e->text;
			e->moment.comm = *e->comm ? e->comm : NULL;
			err = book ? picture_book_moment(book, &e->moment) : 0;
			if (trace)
				picture_trace_moment(trace, &e->moment);
		} else {
			e->sight.comm = *e->comm ? e->comm : NULL;
			e->sight.node = *e->text ? e->text : NULL;
			err = book ? picture_book_packet(book, &e->sight) : 0;
			if (trace)
				picture_trace_packet(trace, &e->sight);
		}
		t.no_memory |= err != 0;
	}
	free(t.event);
	free(t.used);
	return t.no_memory ? -ENOMEM : 0;
}
