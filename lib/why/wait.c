// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"
#include "lib/why/wait.h"

static const struct {
	const char *word, *title, *advice;
} ends[] = {
#define END(n, w, title, advice) [WHY_END_##n] = { #w, title, advice },
	WHY_ENDS(END)
};

const char *why_end_word(enum why_end end)
{
	return ends[end].word;
}

const char *why_end_title(enum why_end end)
{
	return ends[end].title;
}

const char *why_end_advice(enum why_end end)
{
	return ends[end].advice;
}

/* The QPs of a chain: a longer one is cut. */
#define CHAIN_MAX (WHY_STEPS - 2)

struct walk {
	const struct why_snapshot *w;
	struct why_case c; /* for steps; its story is not used */
	const struct why_qp *seen[CHAIN_MAX];
	unsigned int count;
};

bool why_qp_take(struct why_qp *q, const char *dev)
{
	snprintf(q->dev, sizeof(q->dev), "%s", dev);
	if (!why_value_number(&q->story, WHY_LOCAL, "", "pid", &q->pid))
		q->pid = 0;
	if (!why_value_number(&q->story, WHY_LOCAL, "", "created", &q->created))
		q->created = 0;
	return why_value_number(&q->story, WHY_LOCAL, "", "qpn", &q->qpn);
}

static const char *value(const struct why_qp *q, const char *section, const char *key)
{
	return why_value(&q->story, WHY_LOCAL, section, key);
}

static bool value_is(const struct why_qp *q, const char *section, const char *key, const char *word)
{
	return why_value_is(&q->story, WHY_LOCAL, section, key, word);
}

static const struct why_qp *find_peer(const struct walk *k, const struct why_qp *q)
{
	const char *dev = value(q, "peer", "dev");
	uint64_t qpn;
	size_t i;

	if (!dev || !why_value_number(&q->story, WHY_LOCAL, "peer", "qpn", &qpn))
		return NULL;
	for (i = 0; i < k->w->qps; i++)
		if (k->w->qp[i].qpn == qpn && !strcmp(k->w->qp[i].dev, dev))
			return &k->w->qp[i];
	return NULL;
}

static bool is_stopped(const struct walk *k, uint64_t pid)
{
	size_t i;

	for (i = 0; i < k->w->processes; i++)
		if (k->w->process[i].pid == pid)
			return k->w->process[i].stopped;
	return false;
}

static char *owner(const struct why_qp *q, char to[WHY_NAME])
{
	char comm[WHY_NAME];

	if (!q->pid)
		snprintf(to, WHY_NAME, "the kernel");
	else
		snprintf(to, WHY_NAME, "%.40s (pid %" PRIu64 ")",
			 why_word(value(q, "", "comm"), comm), q->pid);
	return to;
}

static enum why_end finish(struct walk *k, enum why_end end)
{
	struct why_verdict *v = k->c.v;

	v->step[v->steps - 1].advice = ends[end].advice;
	return end;
}

static enum why_end stopped(struct walk *k, const struct why_qp *q)
{
	char name[WHY_NAME];
	struct why_step *step = why_step(&k->c, NULL, "%s is stopped.", owner(q, name));

	why_evidence(step, "/proc/%" PRIu64 "/stat: state T or t", q->pid);
	return finish(k, WHY_END_STOPPED);
}

static const struct why_lost *find_lost(const struct walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; i < k->w->losts; i++)
		if (k->w->lost[i].qpn == q->qpn && !strcmp(k->w->lost[i].dev, q->dev))
			return &k->w->lost[i];
	return NULL;
}

static enum why_end lost_completion(struct walk *k, const struct why_lost *l)
{
	struct why_step *step =
		why_step(&k->c, NULL, "Injection rule %s lost %" PRIu64 " completion%s of %s:0x%" PRIx64 ".",
			 l->rule, l->count, l->count == 1 ? "" : "s", l->dev, l->qpn);

	why_evidence(step, "%s/inject/journal: seq=%" PRIu64 " act=cqe_lose", l->dev, l->seq);
	return finish(k, WHY_END_LOST);
}

/*
 * The program of the QP must do something. It may be stopped, or wait for a completion that was
 * lost.
 */
static enum why_end program(struct walk *k, const struct why_qp *q, enum why_end end)
{
	const struct why_lost *l = find_lost(k, q);

	if (is_stopped(k, q->pid))
		return stopped(k, q);
	/* completions that it has not polled come before the lost one */
	return l && end != WHY_END_NOT_POLLED ? lost_completion(k, l) : finish(k, end);
}

static const struct why_held *find_held(const struct walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; q && i < k->w->helds; i++)
		if (k->w->held[i].qpn == q->qpn && !strcmp(k->w->held[i].dev, q->dev))
			return &k->w->held[i];
	return NULL;
}

static bool has_receives(const struct why_qp *q)
{
	uint64_t used;

	return why_value_number(&q->story, WHY_LOCAL, "rq", "used", &used) && used;
}

/* A QP of the same process that waits for something; NULL if there is none */
static const struct why_qp *find_busy(const struct walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; q->pid && i < k->w->qps; i++)
		if (k->w->qp[i].pid == q->pid && value(&k->w->qp[i], "", "waits_for") &&
		    !value_is(&k->w->qp[i], "", "waits_for", "nothing"))
			return &k->w->qp[i];
	return NULL;
}

/* The peer of a QP that waits for an answer. Returns WHY_END_COUNT to go on with *next. */
static enum why_end answer(struct walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = find_peer(k, q);
	const char *dev = value(q, "peer", "dev"), *state;
	char name[WHY_NAME], word[WHY_NAME];

	if (!dev) {
		why_step(&k->c, NULL, "Its peer is not on a Glass adapter of this host.");
		return finish(k, WHY_END_OTHER_HOST);
	}
	if (!peer) {
		why_step(&k->c, NULL, "Its peer on %s does not exist.", why_word(dev, word));
		return finish(k, WHY_END_PEER_GONE);
	}
	state = value(peer, "", "state");
	if (state && (!strcmp(state, "reset") || !strcmp(state, "init") || !strcmp(state, "err"))) {
		why_step(&k->c, NULL, "Its peer %s:0x%" PRIx64 " of %s is in the state %s.",
			 peer->dev, peer->qpn, owner(peer, name), state);
		return program(k, peer, WHY_END_PEER_STATE);
	}
	*next = peer;
	return WHY_END_COUNT;
}

/* The peer must post receives. */
static enum why_end receives(struct walk *k, const struct why_qp *q)
{
	const struct why_qp *peer = NULL;
	enum why_end end = answer(k, q, &peer);
	char name[WHY_NAME];

	if (end != WHY_END_COUNT)
		return end;
	why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has no receive posted.", peer->dev, peer->qpn,
		 owner(peer, name));
	return program(k, peer, WHY_END_NO_RECV);
}

/* A QP without work: its program may wait for a message of the peer. */
static enum why_end idle(struct walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = NULL, *busy;
	enum why_end end;
	char name[WHY_NAME];

	if (is_stopped(k, q->pid))
		return stopped(k, q);
	if (find_lost(k, q))
		return lost_completion(k, find_lost(k, q));
	if (!has_receives(q))
		return finish(k, WHY_END_IDLE);
	end = answer(k, q, &peer);
	if (end != WHY_END_COUNT)
		return end;
	if (is_stopped(k, peer->pid))
		return stopped(k, peer);
	if (find_lost(k, peer))
		return lost_completion(k, find_lost(k, peer));
	busy = find_busy(k, peer);
	if (busy && busy != q) {
		*next = busy;
		return WHY_END_COUNT;
	}
	if (!has_receives(peer))
		return finish(k, WHY_END_IDLE);
	why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has receives posted, too, and sends nothing.",
		 peer->dev, peer->qpn, owner(peer, name));
	return finish(k, WHY_END_CYCLE);
}

/* X(word of GLASS_WAITS, end) that the program of the QP brings about, or nobody */
#define OWN(X)                 \
	X(state, MODIFY)       \
	X(recv, NO_RECV)       \
	X(poll, NOT_POLLED)    \
	X(cq_full, NOT_POLLED) \
	X(no_signaled, NO_SIGNALED)

static enum why_end look(struct walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const char *wait = value(q, "", "waits_for");

	if (!wait)
		return finish(k, WHY_END_UNKNOWN);
#define OWN_END(word, end)        \
	if (!strcmp(wait, #word)) \
		return program(k, q, WHY_END_##end);
	OWN(OWN_END)
	if (!strcmp(wait, "nothing"))
		return idle(k, q, next);
	if (!strcmp(wait, "port"))
		return finish(k, WHY_END_PORT);
	if (!strcmp(wait, "engine") || !strcmp(wait, "page"))
		return finish(k, WHY_END_BUSY);
	if (!strcmp(wait, "rnr") || !strcmp(wait, "credits"))
		return receives(k, q);
	return answer(k, q, next);
}

static void tell(struct walk *k, const struct why_qp *q)
{
	const char *wait = value(q, "", "waits_for"), *why = value(q, "why", "why");
	char name[WHY_NAME], word[WHY_NAME];
	struct why_step *step;

	step = why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s waits for %s.", q->dev, q->qpn,
			owner(q, name), why ? why : why_word(wait, word));
	why_evidence(step, "inspect: waits_for=%s", why_word(wait, word));
}

static enum why_end held(struct walk *k, const struct why_held *h)
{
	struct why_step *step =
		why_step(&k->c, NULL, "Injection rule %s holds a packet of %s:0x%" PRIx64 ".",
			 h->rule, h->dev, h->qpn);

	why_evidence(step, "%s/inject/held", h->dev);
	return finish(k, WHY_END_HELD);
}

static bool was_seen(const struct walk *k, const struct why_qp *q)
{
	unsigned int i;

	for (i = 0; i < k->count; i++)
		if (k->seen[i] == q)
			return true;
	return false;
}

/* A peer that waits for nothing does not hold the answer back: packets are lost or slow. */
static enum why_end lost(struct walk *k, const struct why_qp *peer)
{
	char name[WHY_NAME];

	why_step(&k->c, NULL,
		 "Its peer %s:0x%" PRIx64 " of %s could answer: packets are lost, or on their way.",
		 peer->dev, peer->qpn, owner(peer, name));
	return finish(k, WHY_END_UNKNOWN);
}

enum why_end why_wait(const struct why_snapshot *w, const struct why_qp *from,
		      struct why_verdict *v)
{
	struct walk k = { .w = w, .c = { .v = v } };
	const struct why_qp *q = from, *next;
	const struct why_held *h;
	enum why_end end;

	memset(v, 0, sizeof(*v));
	for (;;) {
		bool idle_before = value_is(q, "", "waits_for", "nothing");

		k.seen[k.count++] = q;
		tell(&k, q);
		h = find_held(&k, q);
		if (!h)
			h = find_held(&k, find_peer(&k, q));
		if (h)
			return held(&k, h);
		next = NULL;
		end = look(&k, q, &next);
		if (end != WHY_END_COUNT)
			return end;
		if (was_seen(&k, next)) {
			why_step(&k.c, NULL,
				 "It waits for %s:0x%" PRIx64 ", where this chain has been.",
				 next->dev, next->qpn);
			return finish(&k, WHY_END_CYCLE);
		}
		if (!idle_before && value_is(next, "", "waits_for", "nothing"))
			return lost(&k, next);
		if (k.count == CHAIN_MAX)
			return finish(&k, WHY_END_UNKNOWN);
		q = next;
	}
}
