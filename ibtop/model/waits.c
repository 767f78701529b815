// SPDX-License-Identifier: GPL-2.0-only
/* Describes what a QP waits for: the driver's words, plus the numbers that show how bad it is. */
#include <inttypes.h>
#include <string.h>

#include "ibtop/model/compute.h"
#include "uapi/glass-inspect.h"

static const struct {
	const char *word, *meaning;
} waits[] = {
#define WAIT(n, w, v, meaning) [v] = { #w, meaning },
	GLASS_WAITS(WAIT)
};

/* Returns the value of a word of GLASS_WAITS, or -1. */
static int wait_of(const struct row *qp)
{
	const char *word;
	size_t i;

	if (!row_has(qp, COL_QP_waits_for))
		return -1;
	word = qp->v[COL_QP_waits_for].text;
	for (i = 0; i < ARRAY_LEN(waits); i++)
		if (!strcmp(waits[i].word, word))
			return i;
	return -1;
}

static bool state_is(const struct row *qp, const char *state)
{
	return row_has(qp, COL_QP_state) && !strcmp(qp->v[COL_QP_state].text, state);
}

bool qp_stuck(const struct row *qp)
{
	int wait = wait_of(qp);

	if (wait < 0 || wait == GLASS_WAIT_NOTHING || wait == GLASS_WAIT_ENGINE || !qp->before)
		return false;
	return row_has(qp, COL_QP_idle) && qp->v[COL_QP_idle].num;
}

/* ---- rules that hold packets */

/* Facts that are collected once for all QPs */
struct clues {
	struct row *rules[16];
	size_t count;
	bool read[MAX_DEVICES]; /* the table of that device's QPs was read */
};

static void find_holds(struct model *m, struct clues *h)
{
	struct table *t = &m->now->tables[VIEW_INJECT];
	size_t i;

	for (i = 0; i < t->count && h->count < ARRAY_LEN(h->rules); i++) {
		struct row *r = table_row(t, i);

		if (row_has(r, COL_INJECT_action) &&
		    !strcmp(r->v[COL_INJECT_action].text, "hold") && row_has(r, COL_INJECT_hit) &&
		    r->v[COL_INJECT_hit].num && !row_has(r, COL_INJECT_over))
			h->rules[h->count++] = r;
	}
}

/* Finds the value of a selector of a rule, and its length. Returns NULL if the rule lacks it. */
static const char *selector(const char *spec, const char *key, size_t *len)
{
	const char *at = strstr(spec, key);

	if (!at)
		return NULL;
	at += strlen(key);
	*len = strcspn(at, " ");
	return at;
}

/* Is n in NUMBER or LOW..HIGH? */
static bool in_range(const char *text, size_t len, uint64_t n)
{
	size_t first = strcspn(text, " .");
	uint64_t low, high;

	if (debugfs_number(text, len, &low))
		return low == n;
	return first + 2 < len && debugfs_number(text, first, &low) && !strncmp(text + first, "..", 2) &&
	       debugfs_number(text + first + 2, len - first - 2, &high) && low <= n && n <= high;
}

enum hold { NOT_HELD, MAY_BE_HELD, HELD };

/* A rule that names the QP holds it. A rule for its process, or for any process, may hold it. */
static enum hold rule_fits(const struct row *rule, const struct row *qp)
{
	const char *spec = row_has(rule, COL_INJECT_spec) ? rule->v[COL_INJECT_spec].text : "";
	const char *value;
	size_t len;

	if (rule->dev != qp->dev)
		return NOT_HELD;
	value = selector(spec, " qpn=", &len);
	if (value)
		return in_range(value, len, qp->num[0]) ? HELD : NOT_HELD;
	value = selector(spec, " pid=", &len);
	if (value && row_has(qp, COL_QP_pid) && !in_range(value, len, qp->v[COL_QP_pid].num))
		return NOT_HELD;
	value = selector(spec, " comm=", &len);
	if (value && row_has(qp, COL_QP_comm) && !memchr(value, '*', len) &&
	    !memchr(value, '?', len) && !memchr(value, '%', len) &&
	    (strlen(qp->v[COL_QP_comm].text) != len || memcmp(qp->v[COL_QP_comm].text, value, len)))
		return NOT_HELD;
	return MAY_BE_HELD;
}

static enum hold held_by(const struct clues *h, const struct row *qp, const struct row **rule)
{
	enum hold best = NOT_HELD, fits;
	size_t i;

	for (i = 0; i < h->count; i++) {
		fits = rule_fits(h->rules[i], qp);
		if (fits > best) {
			best = fits;
			*rule = h->rules[i];
		}
	}
	return best;
}

/* ---- words */

struct words {
	char text[256];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->used, sizeof(w->text) - w->used, format, args);
	va_end(args);
	if (n > 0)
		w->used += (size_t)n < sizeof(w->text) - w->used ? (size_t)n
								 : sizeof(w->text) - 1 - w->used;
}

static void say_time(struct words *w, const char *before, const struct row *qp, unsigned int column)
{
	static const struct format human = { .style = STYLE_HUMAN };
	struct cell cell = { .state = CELL_VALUE, .unit = UNIT_ns, .num = qp->v[column].num };
	char text[32];

	if (!row_has(qp, column))
		return;
	cell_text(&cell, &human, text, sizeof(text));
	say(w, "%s%s", before, text);
}

static void say_left(struct words *w, const struct row *qp, unsigned int left, unsigned int of)
{
	if (row_has(qp, left) && row_has(qp, of))
		say(w, ", %" PRIu64 " of %" PRIu64 " retries left", qp->v[left].num, qp->v[of].num);
}

static void say_more(struct words *w, const struct row *qp, int wait)
{
	switch (wait) {
	case GLASS_WAIT_ACK:
	case GLASS_WAIT_WINDOW:
	case GLASS_WAIT_RESPONSE:
	case GLASS_WAIT_READS:
	case GLASS_WAIT_FENCE:
		say_time(w, "; oldest ", qp, COL_QP_oldest_age);
		say_time(w, ", timer in ", qp, COL_QP_ack_in);
		say_left(w, qp, COL_QP_retry_left, COL_QP_retry_cnt);
		break;
	case GLASS_WAIT_RNR:
		say_time(w, "; again in ", qp, COL_QP_rnr_in);
		if (row_has(qp, COL_QP_rnr_retry) && qp->v[COL_QP_rnr_retry].num == 7)
			say(w, ", without end (rnr_retry 7)");
		else
			say_left(w, qp, COL_QP_rnr_left, COL_QP_rnr_retry);
		break;
	case GLASS_WAIT_CREDITS:
	case GLASS_WAIT_PORT:
	case GLASS_WAIT_STATE:
	case GLASS_WAIT_PAGE:
		say_time(w, "; oldest ", qp, COL_QP_oldest_age);
		break;
	case GLASS_WAIT_NO_SIGNALED:
		if (row_has(qp, COL_QP_sq_unsignaled))
			say(w, "; %" PRIu64 " sends", qp->v[COL_QP_sq_unsignaled].num);
		break;
	case GLASS_WAIT_CQ_FULL:
	case GLASS_WAIT_POLL:
	case GLASS_WAIT_RECV:
	case GLASS_WAIT_MESSAGE:
		if (row_has(qp, COL_QP_idle) && qp->v[COL_QP_idle].num)
			say_time(w, "; for ", qp, COL_QP_idle);
		break;
	}
}

/* A QP in ERR or SQE waits for nothing: report the cause of the error instead. */
static void say_dead(struct words *w, const struct row *qp)
{
	say(w, "nothing any more: it is in %s", state_is(qp, "err") ? "ERR" : "SQE");
	say_time(w, " for ", qp, COL_QP_state_age);
	if (row_has(qp, COL_QP_first_cause))
		say(w, ", first cause %s", qp->v[COL_QP_first_cause].text);
}

/* Returns the peer if it is in ERR: the QP waits in vain, whatever it waits for. */
static const struct row *dead_peer(const struct model *m, const struct row *qp)
{
	const struct row *peer = row_peer(m, qp);

	return peer && state_is(peer, "err") && row_peer(m, peer) == qp ? peer : NULL;
}

/*
 * A connection younger than this (ns) may lack its peer only because that table was read earlier.
 */
#define PEER_SETTLED 1000000000

/* Is the QP connected to a QPN of this machine that does not exist? */
static bool peer_gone(const struct model *m, const struct clues *clues, const struct row *qp)
{
	int dev = row_peer_missing(m, qp);

	return dev >= 0 && clues->read[dev] && (state_is(qp, "rtr") || state_is(qp, "rts")) &&
	       row_has(qp, COL_QP_state_age) && qp->v[COL_QP_state_age].num >= PEER_SETTLED;
}

static void say_peer(struct words *w, const struct row *qp, const struct row *dead)
{
	if (!dead) {
		say(w, "; its peer %s is gone", qp->v[COL_QP_peer].text);
		return;
	}
	say(w, "; its peer is in ERR");
	if (row_has(dead, COL_QP_first_cause))
		say(w, ", first cause %s", dead->v[COL_QP_first_cause].text);
}

/* Is nothing in flight that a rule could hold? */
static bool is_idle(int wait)
{
	return wait == GLASS_WAIT_NOTHING || wait == GLASS_WAIT_ENGINE;
}

/* Names a rule that holds the QP. If the peer is dead, skips a rule that merely may hold it. */
static void say_rule(struct words *w, const struct clues *clues, const struct row *qp, int wait,
		     bool alone)
{
	const struct row *rule = NULL;
	enum hold hold = is_idle(wait) ? NOT_HELD : held_by(clues, qp, &rule);

	if (hold == HELD || (hold == MAY_BE_HELD && !alone))
		say(w, "injection: rule %s %s its packets; ", rule->v[COL_INJECT_rule].text,
		    hold == HELD ? "holds" : "may hold");
}

static bool port_is_down(struct model *m, const struct row *qp)
{
	const struct row *port;

	if (!row_has(qp, COL_QP_port))
		return false;
	port = table_find(&m->now->tables[VIEW_PORT], qp->dev, qp->v[COL_QP_port].num, 0, 0);
	return port && row_has(port, COL_PORT_state) &&
	       strncmp(port->v[COL_PORT_state].text, "active", 6);
}

static void wait_text(struct model *m, const struct clues *clues, struct row *qp)
{
	const struct row *peer = dead_peer(m, qp);
	bool alone = peer || peer_gone(m, clues, qp);
	int wait = wait_of(qp);
	struct words w = {};

	if (state_is(qp, "err") || state_is(qp, "sqe")) {
		say_dead(&w, qp);
	} else if (wait < 0) {
		/* QPs of other drivers: this is all that is known */
		if (row_has(qp, COL_QP_waits_for))
			say(&w, "%s", qp->v[COL_QP_waits_for].text);
		else if (port_is_down(m, qp))
			say(&w, "its port, which is not active");
		else
			return;
	} else if (!alone && is_idle(wait)) {
		row_word(qp, COL_QP_wait, waits[wait].meaning);
		return;
	} else {
		say_rule(&w, clues, qp, wait, alone);
		say(&w, "%s", waits[wait].meaning);
		say_more(&w, qp, wait);
		if (alone)
			say_peer(&w, qp, peer);
	}
	row_text(m, qp, COL_QP_wait, w.text);
}

void compute_waits(struct model *m)
{
	struct table *t = &m->now->tables[VIEW_QP];
	struct clues clues = {};
	size_t i;

	find_holds(m, &clues);
	for (i = 0; i < t->count; i++)
		clues.read[table_row(t, i)->dev] = true;
	for (i = 0; i < t->count; i++)
		wait_text(m, &clues, table_row(t, i));
}
