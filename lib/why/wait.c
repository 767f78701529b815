// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/wait_walk.h"

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

/* ---- the program */

/* Why no event tells the program of the completions in its CQ */
static void cq_step(struct wait_walk *k, const struct why_qp *q)
{
	const struct why_cq *send = wait_find_cq(k, q, "scqn"), *recv = wait_find_cq(k, q, "rcqn");
	const struct why_cq *cq = send && send->used ? send : recv && recv->used ? recv : NULL;
	const char *why;
	struct why_step *step;

	if (!cq)
		return;
	if (!strcmp(cq->notify, "next"))
		why = "it is armed for the next completion, and those that lie in it raise no event";
	else if (!strcmp(cq->notify, "solicited"))
		why = "it is armed for solicited completions alone";
	else if (cq->armed)
		why = "the event that it was armed for last was raised, and it is not armed again";
	else
		why = "it was never armed, so no event tells of them";
	step = why_step(&k->c, NULL, "CQ %" PRIu64 " of %s has %" PRIu64 " completion%s that nobody polled: %s.",
			cq->cqn, cq->dev, cq->used, cq->used == 1 ? "" : "s", why);
	why_evidence(step, "%s/cq: cqn=%" PRIu64 " used=%" PRIu64 " notify=%s armed=%" PRIu64, cq->dev,
		     cq->cqn, cq->used, cq->notify, cq->armed);
}

/*
 * The program of the QP must do something. It may be stopped, or wait for a completion that was
 * lost.
 */
static enum why_end program(struct wait_walk *k, const struct why_qp *q, enum why_end end)
{
	const struct why_fault *f = wait_find_lost(k, q, false);

	if (wait_is_stopped(k, q->pid))
		return wait_stopped(k, q);
	/* completions that it has not polled come before the lost one */
	if (f && end != WHY_END_NOT_POLLED)
		return wait_lost_completion(k, f);
	if (end == WHY_END_NOT_POLLED)
		cq_step(k, q);
	return wait_finish(k, end);
}

static const struct why_held *find_held(const struct wait_walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; q && i < k->w->helds; i++)
		if (k->w->held[i].qpn == q->qpn && !strcmp(k->w->held[i].dev, q->dev))
			return &k->w->held[i];
	return NULL;
}

static bool has_receives(const struct wait_walk *k, const struct why_qp *q)
{
	uint64_t num;
	size_t i;

	if (!wait_number(q, "rq", "srqn", &num))
		return wait_number(q, "rq", "used", &num) && num;
	for (i = 0; i < k->w->srqs; i++)
		if (k->w->srq[i].srqn == num && !strcmp(k->w->srq[i].dev, q->dev))
			return k->w->srq[i].used;
	return false;
}

/* A QP of the same process that waits for something; NULL if there is none */
static const struct why_qp *find_busy(const struct wait_walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; q->pid && i < k->w->qps; i++)
		if (k->w->qp[i].pid == q->pid && wait_value(&k->w->qp[i], "", "waits_for") &&
		    !wait_value_is(&k->w->qp[i], "", "waits_for", "nothing"))
			return &k->w->qp[i];
	return NULL;
}

/* ---- the peer */

/* Does no timer of the QP run, while it waits for its peer? */
static bool has_no_timer(const struct why_qp *q)
{
	uint64_t timeout;

	return wait_is_ud(q) || wait_value_is(q, "", "waits_for", "nothing") ||
	       wait_value_is(q, "", "waits_for", "message") ||
	       (wait_number(q, "", "timeout", &timeout) && !timeout);
}

static enum why_end peer_gone(struct wait_walk *k, const struct why_qp *q, const char *dev)
{
	const struct why_failure *f;
	const struct why_qp *other;
	char word[WHY_NAME];
	uint64_t qpn = 0;

	wait_number(q, wait_peer_section(q), "qpn", &qpn);
	other = wait_find_qp(k->w, dev, qpn);
	if (other && other->qpn == qpn)
		why_step(&k->c, NULL, "Its peer %s:0x%" PRIx64 " does not exist: the QP of that number there is connected to another one.",
			 why_word(dev, word), qpn);
	else
		why_step(&k->c, NULL, "%s%s:0x%" PRIx64 "%s does not exist: its program destroyed it, or ended.",
			 wait_is_ud(q) ? "" : "Its peer ", why_word(dev, word), qpn,
			 wait_is_ud(q) ? ", to which its last datagram went," : "");
	f = wait_find_failure(k, "qp", dev, qpn);
	if (f)
		wait_failure_step(k, f);
	return wait_finish(k, has_no_timer(q) ? WHY_END_ABANDONED : WHY_END_PEER_GONE);
}

/* The destination of a UD QP's last datagram is not a QP of this host. */
static enum why_end no_local_peer(struct wait_walk *k, const struct why_qp *q)
{
	const char *dgid = wait_value(q, "sent_to", "dgid");
	char word[WHY_NAME];
	uint64_t lid, qpn;

	if (!wait_is_ud(q)) {
		why_step(&k->c, NULL, "Its peer is not on a Glass adapter of this host.");
		return wait_finish(k, WHY_END_OTHER_HOST);
	}
	if (!wait_number(q, "sent_to", "qpn", &qpn)) {
		why_step(&k->c, NULL, "It has sent no datagram, and no QP of this host sent its last one to it.");
		return wait_finish(k, WHY_END_IDLE);
	}
	if (qpn == 0xffffff) {
		why_step(&k->c, NULL, "Its last datagram went to a multicast group.");
		return wait_finish(k, WHY_END_IDLE);
	}
	if (wait_number(q, "sent_to", "dlid", &lid) && lid)
		why_step(&k->c, NULL, "Its last datagram went to QP 0x%" PRIx64 " at LID %" PRIu64 ", which no Glass adapter of this host has.",
			 qpn, lid);
	else
		why_step(&k->c, NULL, "Its last datagram went to QP 0x%" PRIx64 " at GID %s.", qpn,
			 why_word(dgid, word));
	return wait_finish(k, WHY_END_OTHER_HOST);
}

/* The peer of a QP that waits for an answer. Returns WHY_END_COUNT to go on with *next. */
static enum why_end answer(struct wait_walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = wait_find_peer(k, q);
	const char *dev = wait_value(q, wait_peer_section(q), "dev"), *state;
	char name[WHY_NAME];

	if (!peer && !dev)
		return no_local_peer(k, q);
	if (!peer)
		return peer_gone(k, q, dev);
	if (wait_is_in_error(peer))
		return wait_in_error(k, peer, true);
	state = wait_value(peer, "", "state");
	if (state && (!strcmp(state, "reset") || !strcmp(state, "init"))) {
		why_step(&k->c, NULL, "Its peer %s:0x%" PRIx64 " of %s is in the state %s.",
			 peer->dev, peer->qpn, wait_owner(peer, name), state);
		return program(k, peer, WHY_END_PEER_STATE);
	}
	*next = peer;
	return WHY_END_COUNT;
}

static void no_receive_step(struct wait_walk *k, const struct why_qp *q)
{
	char name[WHY_NAME];
	uint64_t srqn;

	if (wait_number(q, "rq", "srqn", &srqn))
		why_step(&k->c, NULL, "SRQ %" PRIu64 " of %s, from which %s:0x%" PRIx64 " of %s receives, has no receive posted.",
			 srqn, q->dev, q->dev, q->qpn, wait_owner(q, name));
	else
		why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has no receive posted.", q->dev, q->qpn,
			 wait_owner(q, name));
}

/* The peer must post receives. */
static enum why_end receives(struct wait_walk *k, const struct why_qp *q)
{
	const struct why_qp *peer = NULL;
	enum why_end end = answer(k, q, &peer);

	if (end != WHY_END_COUNT)
		return end;
	no_receive_step(k, peer);
	return program(k, peer, WHY_END_NO_RECV);
}

/* Neither end has work. */
static enum why_end both_idle(struct wait_walk *k, const struct why_qp *q, const struct why_qp *peer)
{
	char name[WHY_NAME], text[WHY_NAME] = "";
	bool mine = has_receives(k, q), theirs = has_receives(k, peer), ud = wait_is_ud(q);
	uint64_t drops = 0;

	wait_number(peer, "", "drops", &drops);
	if (ud && drops && !theirs) {
		no_receive_step(k, peer);
		return wait_finish(k, WHY_END_NO_RECV);
	}
	if (!mine || !theirs) {
		why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s is idle, too.", peer->dev, peer->qpn,
			 wait_owner(peer, name));
		return wait_finish(k, WHY_END_IDLE);
	}
	if (ud && drops)
		snprintf(text, sizeof(text), " It has dropped %" PRIu64 " packets that came to it.", drops);
	why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has receives posted, too, and sends nothing.%s",
		 peer->dev, peer->qpn, wait_owner(peer, name), text);
	return wait_finish(k, ud ? WHY_END_DATAGRAM : WHY_END_CYCLE);
}

/* A QP without work: its program may wait for a message or a WRITE of the peer. */
static enum why_end idle(struct wait_walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = NULL, *busy;
	enum why_end end;

	if (wait_is_stopped(k, q->pid))
		return wait_stopped(k, q);
	if (wait_find_lost(k, q, false))
		return wait_lost_completion(k, wait_find_lost(k, q, false));
	if (wait_value_is(q, "", "state", "reset") || wait_value_is(q, "", "state", "init"))
		return wait_finish(k, WHY_END_MODIFY);
	end = answer(k, q, &peer);
	if (end != WHY_END_COUNT)
		return end;
	if (wait_is_stopped(k, peer->pid))
		return wait_stopped(k, peer);
	if (wait_find_lost(k, peer, false))
		return wait_lost_completion(k, wait_find_lost(k, peer, false));
	busy = find_busy(k, peer);
	if (busy && busy != q) {
		*next = busy;
		return WHY_END_COUNT;
	}
	return both_idle(k, q, peer);
}

/* X(word of GLASS_WAITS, end) that the program of the QP brings about, or nobody */
#define OWN(X)                 \
	X(state, MODIFY)       \
	X(recv, NO_RECV)       \
	X(poll, NOT_POLLED)    \
	X(cq_full, NOT_POLLED) \
	X(no_signaled, NO_SIGNALED)

static enum why_end look(struct wait_walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const char *wait = wait_value(q, "", "waits_for");

	if (!wait)
		return wait_finish(k, WHY_END_UNKNOWN);
#define OWN_END(word, end)        \
	if (!strcmp(wait, #word)) \
		return program(k, q, WHY_END_##end);
	OWN(OWN_END)
	if (!strcmp(wait, "nothing"))
		return idle(k, q, next);
	if (!strcmp(wait, "port"))
		return wait_finish(k, WHY_END_PORT);
	if (!strcmp(wait, "engine") || !strcmp(wait, "page"))
		return wait_finish(k, WHY_END_BUSY);
	if (!strcmp(wait, "rnr") || !strcmp(wait, "credits"))
		return receives(k, q);
	return answer(k, q, next);
}

static void tell(struct wait_walk *k, const struct why_qp *q)
{
	const char *wait = wait_value(q, "", "waits_for"), *why = wait_value(q, "why", "why");
	char name[WHY_NAME], word[WHY_NAME];
	struct why_step *step;

	/* a lost completion frees no request, as if none were signaled */
	if (wait_value_is(q, "", "waits_for", "no_signaled") && wait_find_lost(k, q, false))
		why = "a completion: its send queue is full of requests that are done";

	step = why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s waits for %s.", q->dev, q->qpn,
			wait_owner(q, name), why ? why : why_word(wait, word));
	why_evidence(step, "inspect: waits_for=%s", why_word(wait, word));
}

static enum why_end held(struct wait_walk *k, const struct why_held *h)
{
	struct why_step *step =
		why_step(&k->c, NULL, "Injection rule %s holds a packet of %s:0x%" PRIx64 ".",
			 h->rule, h->dev, h->qpn);

	why_evidence(step, "%s/inject/held", h->dev);
	return wait_finish(k, WHY_END_HELD);
}

static bool was_seen(const struct wait_walk *k, const struct why_qp *q)
{
	unsigned int i;

	for (i = 0; i < k->count; i++)
		if (k->seen[i] == q)
			return true;
	return false;
}

/* A peer that waits for nothing does not hold the answer back: packets are lost or slow. */
static enum why_end lost(struct wait_walk *k, const struct why_qp *peer)
{
	const struct why_qp *q = k->seen[k->count - 1];
	char name[WHY_NAME];
	uint64_t timeout;

	why_step(&k->c, NULL,
		 "Its peer %s:0x%" PRIx64 " of %s could answer: packets are lost, or on their way.%s",
		 peer->dev, peer->qpn, wait_owner(peer, name),
		 wait_number(q, "", "timeout", &timeout) && !timeout ?
			 " Its own timeout is 0, never: it sends no lost packet again." : "");
	return wait_finish(k, WHY_END_UNKNOWN);
}

static enum why_end walk(struct wait_walk *k, const struct why_qp *q)
{
	const struct why_qp *next;
	const struct why_held *h;
	enum why_end end;

	for (;;) {
		bool idle_before = wait_value_is(q, "", "waits_for", "nothing");

		k->seen[k->count++] = q;
		if (wait_is_in_error(q) || wait_find_failed_cq(k, q)) {
			/* a CQ that has failed stays so, whether the program runs or not */
			if (k->count > 1 || !wait_is_stopped(k, q->pid) || !wait_is_in_error(q))
				return wait_in_error(k, q, false);
			wait_error_step(k, q, false);
			return wait_stopped(k, q);
		}
		tell(k, q);
		h = find_held(k, q);
		if (!h)
			h = find_held(k, wait_find_peer(k, q));
		if (h)
			return held(k, h);
		next = NULL;
		end = look(k, q, &next);
		if (end != WHY_END_COUNT)
			return end;
		if (was_seen(k, next)) {
			why_step(&k->c, NULL,
				 "It waits for %s:0x%" PRIx64 ", where this chain has been.",
				 next->dev, next->qpn);
			return wait_finish(k, WHY_END_CYCLE);
		}
		if (!idle_before && wait_value_is(next, "", "waits_for", "nothing"))
			return lost(k, next);
		if (k->count == WAIT_CHAIN_MAX)
			return wait_finish(k, WHY_END_UNKNOWN);
		q = next;
	}
}

enum why_end why_wait(const struct why_snapshot *w, const struct why_qp *from,
		      struct why_verdict *v)
{
	struct wait_walk k = { .w = w, .c = { .v = v } };
	enum why_end end;

	memset(v, 0, sizeof(*v));
	end = walk(&k, from);
	return wait_is_open(end) ? wait_faults(&k, end) : end;
}
