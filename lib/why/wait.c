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

static const char *const fault_words[] = {
#define FAULT(n, w) #w,
	WHY_FAULTS(FAULT)
};

enum why_fault_act why_fault_find(const char *word)
{
	int act;

	for (act = 0; act < WHY_FAULT_COUNT; act++)
		if (!strcmp(word, fault_words[act]))
			break;
	return act;
}

/* The QPs of a chain: a longer one is cut. */
#define CHAIN_MAX (WHY_STEPS - 3)

struct walk {
	const struct why_snapshot *w;
	struct why_case c; /* for steps; its story is not used */
	const struct why_qp *seen[CHAIN_MAX];
	unsigned int count;
};

/* The last change of the QP's state; NULL: none is known */
static const struct why_row *last_change(const struct why_qp *q, const char *from)
{
	const struct why_row *row = NULL, *found = NULL;

	while ((row = why_entry(&q->story, WHY_LOCAL, "history", "change", row)))
		if (!from || why_cell_is(&q->story, row, "from", from))
			found = row;
	return found;
}

static uint64_t began(const struct why_qp *q)
{
	uint64_t when;

	return why_cell_number(&q->story, last_change(q, "reset"), "when", &when) ? when : q->created;
}

bool why_qp_take(struct why_qp *q, const char *dev)
{
	snprintf(q->dev, sizeof(q->dev), "%s", dev);
	if (!why_value_number(&q->story, WHY_LOCAL, "", "pid", &q->pid))
		q->pid = 0;
	if (!why_value_number(&q->story, WHY_LOCAL, "", "created", &q->created))
		q->created = 0;
	q->began = began(q);
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

static bool number(const struct why_qp *q, const char *section, const char *key, uint64_t *to)
{
	return why_value_number(&q->story, WHY_LOCAL, section, key, to);
}

static const struct why_qp *find_qp(const struct why_snapshot *w, const char *dev, uint64_t qpn)
{
	size_t i;

	for (i = 0; i < w->qps; i++)
		if (w->qp[i].qpn == qpn && !strcmp(w->qp[i].dev, dev))
			return &w->qp[i];
	return NULL;
}

static bool is_ud(const struct why_qp *q)
{
	return value_is(q, "", "qptype", "ud");
}

/*
 * The section of inspect that names the QP with which this one talks: its peer, or the destination of
 * its last datagram.
 */
static const char *peer_section(const struct why_qp *q)
{
	return is_ud(q) ? "sent_to" : "peer";
}

/* Does q send to that QP of the adapter, or did it? */
static bool sends_to(const struct why_qp *q, const char *dev, uint64_t qpn)
{
	const char *section = peer_section(q);
	uint64_t to;

	return value_is(q, section, "dev", dev) && number(q, section, "qpn", &to) && to == qpn;
}

/* Is the QP connected to another one than q? Then another QP had its number before. */
static bool is_of_another(const struct why_qp *peer, const struct why_qp *q)
{
	return !is_ud(peer) && value(peer, "peer", "dev") && !sends_to(peer, q->dev, q->qpn);
}

/* A UD QP that has sent nothing may have got datagrams: the first QP that sent to it last. */
static const struct why_qp *find_sender(const struct walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; i < k->w->qps; i++)
		if (is_ud(&k->w->qp[i]) && sends_to(&k->w->qp[i], q->dev, q->qpn))
			return &k->w->qp[i];
	return NULL;
}

static const struct why_qp *find_peer(const struct walk *k, const struct why_qp *q)
{
	const char *dev = value(q, peer_section(q), "dev");
	const struct why_qp *peer;
	uint64_t qpn;

	if (is_ud(q) && !number(q, "sent_to", "qpn", &qpn))
		return find_sender(k, q);
	if (!dev || !number(q, peer_section(q), "qpn", &qpn))
		return NULL;
	peer = find_qp(k->w, dev, qpn);
	return peer && !is_of_another(peer, q) ? peer : NULL;
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
	unsigned int i;

	/* the last step has the advice; a chain that went on after an end has only that of the last */
	for (i = 0; i < v->steps; i++)
		v->step[i].advice = NULL;
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

/* ---- objects in error */

bool why_failure_counts(const struct why_snapshot *w, const struct why_failure *f)
{
	const struct why_qp *qp;
	size_t i;

	if (!strcmp(f->object, "cq")) {
		for (i = 0; i < w->cqs; i++)
			if (w->cq[i].cqn == f->num && !strcmp(w->cq[i].dev, f->dev))
				return w->cq[i].failed;
		return false;
	}
	if (strcmp(f->object, "qp"))
		return false;
	qp = find_qp(w, f->dev, f->num);
	if (qp && qp->began <= f->when)
		return value_is(qp, "", "state", "err") || value_is(qp, "", "state", "sqe");
	/* the QP is gone: its peer may wait for it */
	qp = find_qp(w, f->peer_dev, f->peer_qpn);
	return qp && qp->began <= f->when && sends_to(qp, f->dev, f->num);
}

/* The last failure of that object; NULL: none that counts is known */
static const struct why_failure *find_failure(const struct walk *k, const char *object,
					      const char *dev, uint64_t num)
{
	const struct why_failure *f;
	size_t i;

	for (i = k->w->failures; i--;) {
		f = &k->w->failure[i];
		if (f->num == num && !strcmp(f->dev, dev) && !strcmp(f->object, object))
			return why_failure_counts(k->w, f) ? f : NULL;
	}
	return NULL;
}

static void failure_step(struct walk *k, const struct why_failure *f)
{
	struct why_step *step;

	if (f->cause)
		step = why_step(&k->c, NULL, "Failure %" PRIu64 " has the first cause %s: %s. %s", f->id,
				why_cause_word(f->cause), why_cause_title(f->cause), f->last);
	else
		step = why_step(&k->c, NULL, "Failure %" PRIu64 ": %s Its first cause is undetermined.",
				f->id, f->last);
	why_evidence(step, "failures: id=%" PRIu64 "; `ibwhy %" PRIu64 "` has the whole chain", f->id,
		     f->id);
}

static const struct why_cq *find_cq(const struct walk *k, const struct why_qp *q, const char *key)
{
	uint64_t cqn;
	size_t i;

	for (i = 0; number(q, "", key, &cqn) && i < k->w->cqs; i++)
		if (k->w->cq[i].cqn == cqn && !strcmp(k->w->cq[i].dev, q->dev))
			return &k->w->cq[i];
	return NULL;
}

static char *cq_owner(const struct why_cq *cq, char to[WHY_NAME])
{
	if (cq->pid)
		snprintf(to, WHY_NAME, "%.40s (pid %" PRIu64 ")", cq->comm, cq->pid);
	else
		snprintf(to, WHY_NAME, "the kernel");
	return to;
}

static const struct why_cq *find_failed_cq(const struct walk *k, const struct why_qp *q)
{
	const struct why_cq *send = find_cq(k, q, "scqn"), *recv = find_cq(k, q, "rcqn");

	return send && send->failed ? send : recv && recv->failed ? recv : NULL;
}

static bool is_in_error(const struct why_qp *q)
{
	return value_is(q, "", "state", "err") || value_is(q, "", "state", "sqe");
}

static void unpolled_step(struct walk *k, const struct why_qp *q)
{
	const struct why_cq *send = find_cq(k, q, "scqn"), *recv = find_cq(k, q, "rcqn");
	char where[WHY_NAME];
	uint64_t used;

	if (!send || !recv)
		return;
	used = send->used + (recv != send ? recv->used : 0);
	if (send != recv)
		snprintf(where, sizeof(where), "its CQs %" PRIu64 " and %" PRIu64, send->cqn, recv->cqn);
	else
		snprintf(where, sizeof(where), "its CQ %" PRIu64, send->cqn);
	if (used)
		why_step(&k->c, NULL, "%" PRIu64 " completion%s in %s, not polled.", used,
			 used == 1 ? " lies" : "s lie", where);
	else
		why_step(&k->c, NULL, "No completion lies in %s: all were polled.", where);
}

/* peer: the chain came to it from its peer */
static void error_step(struct walk *k, const struct why_qp *q, bool peer)
{
	const struct why_row *change = last_change(q, NULL);
	const char *state = value(q, "", "state"), *cause = why_cell(&q->story, change, "cause");
	char name[WHY_NAME], time[WHY_TIME], word[WHY_NAME];
	bool sqe = !strcmp(state, "sqe"), verb = why_cell_is(&q->story, change, "cause", "verb");
	struct why_step *step;
	uint64_t age;
	bool since = why_cell_number(&q->story, change, "age", &age);

	step = why_step(&k->c, NULL, "%s%s:0x%" PRIx64 " of %s is in the state %s%s%s%s: %s.",
			peer ? "Its peer " : "", q->dev, q->qpn, owner(q, name), state,
			since ? " since " : "", since ? why_time(age, time) : "",
			verb ? ", where its program moved it" : "",
			sqe ? "its send requests complete with a flush error until a modify_qp to RTS" :
			      "its requests complete with a flush error, and nothing else comes");
	why_evidence(step, "inspect: state=%s, cause=%s", state, why_word(cause, word));
}

/* ---- injected faults */

static bool is_on(const struct why_fault *f, const struct why_qp *q)
{
	return f->qpn == q->qpn && !strcmp(f->dev, q->dev);
}

/*
 * Has a completion of the same queue of the QP come since? The send queue tells the index behind the
 * last completed request, the receive queue that of the oldest receive that no message took.
 */
static bool has_later(const struct why_fault *f, const struct why_qp *q)
{
	uint64_t at;

	if (!f->request || !number(q, f->receive ? "rq" : "requester", f->receive ? "consumer" : "told", &at))
		return false;
	if (f->receive && value_is(q, "responder", "in_message", "yes"))
		at--;
	return (int32_t)((uint32_t)at - (uint32_t)f->request) > 0;
}

/* A completion of the QP that a rule lost. later: others of the same queue have come since */
static const struct why_fault *find_lost(const struct walk *k, const struct why_qp *q, bool later)
{
	const struct why_fault *f;
	size_t i;

	for (i = k->w->faults; i--;) {
		f = &k->w->fault[i];
		if (f->act == WHY_FAULT_CQE_LOSE && is_on(f, q) && f->time >= q->began &&
		    has_later(f, q) == later)
			return f;
	}
	return NULL;
}

static enum why_end fault_step(struct walk *k, const struct why_fault *f, const char *did,
			       const char *then, enum why_end end)
{
	bool cqe = f->act == WHY_FAULT_CQE_LOSE || f->act == WHY_FAULT_CQE_DUP;
	struct why_step *step;

	if (cqe)
		step = why_step(&k->c, NULL,
				"Injection rule %s %s %" PRIu64 " completion%s of %s:0x%" PRIx64 "%s%s%s%s.%s",
				f->rule, did, f->count, f->count == 1 ? "" : "s", f->dev, f->qpn,
				f->count == 1 ? ": that of a " : ": the last one of a ",
				f->receive ? "receive" : "send", *f->wr_id ? " with wr_id " : "",
				f->wr_id, then);
	else
		step = why_step(&k->c, NULL, "Injection rule %s %s PSN %" PRIu64 " of %s:0x%" PRIx64 ".%s",
				f->rule, did, f->psn, f->dev, f->qpn, then);
	why_evidence(step, "%s/inject/journal: seq=%" PRIu64 " act=%s", f->dev, f->seq,
		     fault_words[f->act]);
	return finish(k, end);
}

/* q: the QP that uses the CQ */
static enum why_end cq_failed(struct walk *k, const struct why_cq *cq, const struct why_qp *q)
{
	const struct why_failure *f = find_failure(k, "cq", cq->dev, cq->cqn);
	char name[WHY_NAME], time[WHY_TIME];
	struct why_step *step;
	size_t i;

	step = why_step(&k->c, NULL,
			"CQ %" PRIu64 " of %s, which %s made, is in error%s%s: no completion comes to it any more, and "
			"only the asynchronous event IBV_EVENT_CQ_ERR tells that.",
			cq->cqn, cq->dev, cq_owner(cq, name), f ? " since " : "",
			f ? why_time(f->age, time) : "");
	why_evidence(step, "%s/cq: cqn=%" PRIu64 " state=err", cq->dev, cq->cqn);
	if (f)
		failure_step(k, f);
	for (i = k->w->faults; i--;)
		if (k->w->fault[i].act == WHY_FAULT_CQE_DUP && is_on(&k->w->fault[i], q) &&
		    k->w->fault[i].time >= q->began)
			return fault_step(k, &k->w->fault[i], "doubled",
					  " A CQ that has room for each completion once may have none for that.",
					  WHY_END_CQ_FAILED);
	return finish(k, WHY_END_CQ_FAILED);
}

/* The QP is in ERR or SQE, or uses a CQ that is in error. */
static enum why_end in_error(struct walk *k, const struct why_qp *q, bool peer)
{
	const struct why_cq *cq = find_failed_cq(k, q);
	const struct why_failure *f;

	if (is_in_error(q))
		error_step(k, q, peer);
	if (cq)
		return cq_failed(k, cq, q);
	unpolled_step(k, q);
	f = find_failure(k, "qp", q->dev, q->qpn);
	if (f)
		failure_step(k, f);
	return finish(k, WHY_END_FAILED);
}

static enum why_end lost_completion(struct walk *k, const struct why_fault *f)
{
	return fault_step(k, f, "lost", " The program has not got it, nor a later one of that queue.",
			  WHY_END_LOST);
}

/* Does the receiver of the request still wait for it, whose ACK a rule forged? */
static bool is_forged(const struct why_fault *f, const struct why_qp *q)
{
	uint64_t epsn;

	return f->act == WHY_FAULT_ACK && f->time >= q->began &&
	       (f->arrived ? is_on(f, q) : sends_to(q, f->dev, f->qpn)) &&
	       number(q, "", "epsn", &epsn) && epsn == f->psn;
}

/* Is the packet lost for good that a rule kept from arriving? q: the QP that sent it */
static bool is_dropped(const struct why_fault *f, const struct why_qp *q)
{
	uint64_t psn, una, timeout;

	if ((f->act != WHY_FAULT_DROP && f->act != WHY_FAULT_CORRUPT && f->act != WHY_FAULT_TRUNCATE) ||
	    f->time < q->began || !number(q, "", "sq_psn", &psn) ||
	    !(f->arrived ? sends_to(q, f->dev, f->qpn) : is_on(f, q)))
		return false;
	/* a UD QP has sent nothing since */
	if (is_ud(q))
		return psn == ((f->psn + 1) & 0xffffff);
	return number(q, "", "timeout", &timeout) && !timeout && number(q, "", "una_psn", &una) &&
	       una == f->psn && psn != una;
}

/* A completion that a rule doubled for the QP, or for its peer that has ended since */
static bool is_doubled(const struct walk *k, const struct why_fault *f, const struct why_qp *q)
{
	return f->act == WHY_FAULT_CQE_DUP && f->time >= q->began &&
	       (is_on(f, q) || (sends_to(q, f->dev, f->qpn) && !find_qp(k->w, f->dev, f->qpn)));
}

/* Does the end not even name something that is wrong? */
static bool is_vague(enum why_end end)
{
	return end == WHY_END_UNKNOWN || end == WHY_END_IDLE || end == WHY_END_CYCLE ||
	       end == WHY_END_DATAGRAM;
}

/* Ends that an injected fault may explain */
static bool is_open(enum why_end end)
{
	return is_vague(end) || end == WHY_END_NOT_POLLED || end == WHY_END_ABANDONED ||
	       end == WHY_END_PEER_GONE;
}

/* A fault at one of the QPs at which the chain has been, or at its peer */
static enum why_end find_fault(struct walk *k, const struct why_qp *q, enum why_end end)
{
	const struct why_fault *f;
	size_t i;

	for (i = k->w->faults; i--;) {
		f = &k->w->fault[i];
		if (is_doubled(k, f, q))
			return fault_step(k, f, "doubled",
					  " A program that counts its completions has counted one too many.",
					  WHY_END_DOUBLED);
		/* a program that does not poll may find what it waits for */
		if (end == WHY_END_NOT_POLLED)
			continue;
		if (is_forged(f, q))
			return fault_step(k, f, "forged the ACK of", " The peer never got that request.",
					  WHY_END_FORGED);
		if (is_dropped(f, q))
			return fault_step(k, f, "lost", " Nobody sends that packet again.",
					  WHY_END_DROPPED);
	}
	f = is_vague(end) ? find_lost(k, q, true) : NULL;
	if (!f)
		return end;
	return fault_step(k, f, "lost", " Later ones of that queue have come.", WHY_END_LOST_EARLIER);
}

/* Nothing at the end of the chain explains it for certain: looks whether an injected fault does. */
static enum why_end faults(struct walk *k, enum why_end end)
{
	const struct why_qp *peer;
	enum why_end found;
	unsigned int i;

	for (i = 0; i < k->count; i++) {
		found = find_fault(k, k->seen[i], end);
		peer = found == end ? find_peer(k, k->seen[i]) : NULL;
		if (peer)
			found = find_fault(k, peer, end);
		if (found != end)
			return found;
	}
	return end;
}

/* ---- the program */

/* Why no event tells the program of the completions in its CQ */
static void cq_step(struct walk *k, const struct why_qp *q)
{
	const struct why_cq *send = find_cq(k, q, "scqn"), *recv = find_cq(k, q, "rcqn");
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
static enum why_end program(struct walk *k, const struct why_qp *q, enum why_end end)
{
	const struct why_fault *f = find_lost(k, q, false);

	if (is_stopped(k, q->pid))
		return stopped(k, q);
	/* completions that it has not polled come before the lost one */
	if (f && end != WHY_END_NOT_POLLED)
		return lost_completion(k, f);
	if (end == WHY_END_NOT_POLLED)
		cq_step(k, q);
	return finish(k, end);
}

static const struct why_held *find_held(const struct walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; q && i < k->w->helds; i++)
		if (k->w->held[i].qpn == q->qpn && !strcmp(k->w->held[i].dev, q->dev))
			return &k->w->held[i];
	return NULL;
}

static bool has_receives(const struct walk *k, const struct why_qp *q)
{
	uint64_t num;
	size_t i;

	if (!number(q, "rq", "srqn", &num))
		return number(q, "rq", "used", &num) && num;
	for (i = 0; i < k->w->srqs; i++)
		if (k->w->srq[i].srqn == num && !strcmp(k->w->srq[i].dev, q->dev))
			return k->w->srq[i].used;
	return false;
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

/* ---- the peer */

/* Does no timer of the QP run, while it waits for its peer? */
static bool has_no_timer(const struct why_qp *q)
{
	uint64_t timeout;

	return is_ud(q) || value_is(q, "", "waits_for", "nothing") ||
	       value_is(q, "", "waits_for", "message") ||
	       (number(q, "", "timeout", &timeout) && !timeout);
}

static enum why_end peer_gone(struct walk *k, const struct why_qp *q, const char *dev)
{
	const struct why_failure *f;
	const struct why_qp *other;
	char word[WHY_NAME];
	uint64_t qpn = 0;

	number(q, peer_section(q), "qpn", &qpn);
	other = find_qp(k->w, dev, qpn);
	if (other && other->qpn == qpn)
		why_step(&k->c, NULL, "Its peer %s:0x%" PRIx64 " does not exist: the QP of that number there is connected to another one.",
			 why_word(dev, word), qpn);
	else
		why_step(&k->c, NULL, "%s%s:0x%" PRIx64 "%s does not exist: its program destroyed it, or ended.",
			 is_ud(q) ? "" : "Its peer ", why_word(dev, word), qpn,
			 is_ud(q) ? ", to which its last datagram went," : "");
	f = find_failure(k, "qp", dev, qpn);
	if (f)
		failure_step(k, f);
	return finish(k, has_no_timer(q) ? WHY_END_ABANDONED : WHY_END_PEER_GONE);
}

/* The destination of a UD QP's last datagram is not a QP of this host. */
static enum why_end no_local_peer(struct walk *k, const struct why_qp *q)
{
	const char *dgid = value(q, "sent_to", "dgid");
	char word[WHY_NAME];
	uint64_t lid, qpn;

	if (!is_ud(q)) {
		why_step(&k->c, NULL, "Its peer is not on a Glass adapter of this host.");
		return finish(k, WHY_END_OTHER_HOST);
	}
	if (!number(q, "sent_to", "qpn", &qpn)) {
		why_step(&k->c, NULL, "It has sent no datagram, and no QP of this host sent its last one to it.");
		return finish(k, WHY_END_IDLE);
	}
	if (qpn == 0xffffff) {
		why_step(&k->c, NULL, "Its last datagram went to a multicast group.");
		return finish(k, WHY_END_IDLE);
	}
	if (number(q, "sent_to", "dlid", &lid) && lid)
		why_step(&k->c, NULL, "Its last datagram went to QP 0x%" PRIx64 " at LID %" PRIu64 ", which no Glass adapter of this host has.",
			 qpn, lid);
	else
		why_step(&k->c, NULL, "Its last datagram went to QP 0x%" PRIx64 " at GID %s.", qpn,
			 why_word(dgid, word));
	return finish(k, WHY_END_OTHER_HOST);
}

/* The peer of a QP that waits for an answer. Returns WHY_END_COUNT to go on with *next. */
static enum why_end answer(struct walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = find_peer(k, q);
	const char *dev = value(q, peer_section(q), "dev"), *state;
	char name[WHY_NAME];

	if (!peer && !dev)
		return no_local_peer(k, q);
	if (!peer)
		return peer_gone(k, q, dev);
	if (is_in_error(peer))
		return in_error(k, peer, true);
	state = value(peer, "", "state");
	if (state && (!strcmp(state, "reset") || !strcmp(state, "init"))) {
		why_step(&k->c, NULL, "Its peer %s:0x%" PRIx64 " of %s is in the state %s.",
			 peer->dev, peer->qpn, owner(peer, name), state);
		return program(k, peer, WHY_END_PEER_STATE);
	}
	*next = peer;
	return WHY_END_COUNT;
}

static void no_receive_step(struct walk *k, const struct why_qp *q)
{
	char name[WHY_NAME];
	uint64_t srqn;

	if (number(q, "rq", "srqn", &srqn))
		why_step(&k->c, NULL, "SRQ %" PRIu64 " of %s, from which %s:0x%" PRIx64 " of %s receives, has no receive posted.",
			 srqn, q->dev, q->dev, q->qpn, owner(q, name));
	else
		why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has no receive posted.", q->dev, q->qpn,
			 owner(q, name));
}

/* The peer must post receives. */
static enum why_end receives(struct walk *k, const struct why_qp *q)
{
	const struct why_qp *peer = NULL;
	enum why_end end = answer(k, q, &peer);

	if (end != WHY_END_COUNT)
		return end;
	no_receive_step(k, peer);
	return program(k, peer, WHY_END_NO_RECV);
}

/* Neither end has work. */
static enum why_end both_idle(struct walk *k, const struct why_qp *q, const struct why_qp *peer)
{
	char name[WHY_NAME], text[WHY_NAME] = "";
	bool mine = has_receives(k, q), theirs = has_receives(k, peer), ud = is_ud(q);
	uint64_t drops = 0;

	number(peer, "", "drops", &drops);
	if (ud && drops && !theirs) {
		no_receive_step(k, peer);
		return finish(k, WHY_END_NO_RECV);
	}
	if (!mine || !theirs) {
		why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s is idle, too.", peer->dev, peer->qpn,
			 owner(peer, name));
		return finish(k, WHY_END_IDLE);
	}
	if (ud && drops)
		snprintf(text, sizeof(text), " It has dropped %" PRIu64 " packets that came to it.", drops);
	why_step(&k->c, NULL, "%s:0x%" PRIx64 " of %s has receives posted, too, and sends nothing.%s",
		 peer->dev, peer->qpn, owner(peer, name), text);
	return finish(k, ud ? WHY_END_DATAGRAM : WHY_END_CYCLE);
}

/* A QP without work: its program may wait for a message or a WRITE of the peer. */
static enum why_end idle(struct walk *k, const struct why_qp *q, const struct why_qp **next)
{
	const struct why_qp *peer = NULL, *busy;
	enum why_end end;

	if (is_stopped(k, q->pid))
		return stopped(k, q);
	if (find_lost(k, q, false))
		return lost_completion(k, find_lost(k, q, false));
	if (value_is(q, "", "state", "reset") || value_is(q, "", "state", "init"))
		return finish(k, WHY_END_MODIFY);
	end = answer(k, q, &peer);
	if (end != WHY_END_COUNT)
		return end;
	if (is_stopped(k, peer->pid))
		return stopped(k, peer);
	if (find_lost(k, peer, false))
		return lost_completion(k, find_lost(k, peer, false));
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

	/* a lost completion frees no request, as if none were signaled */
	if (value_is(q, "", "waits_for", "no_signaled") && find_lost(k, q, false))
		why = "a completion: its send queue is full of requests that are done";

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
	const struct why_qp *q = k->seen[k->count - 1];
	char name[WHY_NAME];
	uint64_t timeout;

	why_step(&k->c, NULL,
		 "Its peer %s:0x%" PRIx64 " of %s could answer: packets are lost, or on their way.%s",
		 peer->dev, peer->qpn, owner(peer, name),
		 number(q, "", "timeout", &timeout) && !timeout ?
			 " Its own timeout is 0, never: it sends no lost packet again." : "");
	return finish(k, WHY_END_UNKNOWN);
}

static enum why_end walk(struct walk *k, const struct why_qp *q)
{
	const struct why_qp *next;
	const struct why_held *h;
	enum why_end end;

	for (;;) {
		bool idle_before = value_is(q, "", "waits_for", "nothing");

		k->seen[k->count++] = q;
		if (is_in_error(q) || find_failed_cq(k, q)) {
			if (k->count > 1 || !is_stopped(k, q->pid))
				return in_error(k, q, false);
			error_step(k, q, false);
			return stopped(k, q);
		}
		tell(k, q);
		h = find_held(k, q);
		if (!h)
			h = find_held(k, find_peer(k, q));
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
			return finish(k, WHY_END_CYCLE);
		}
		if (!idle_before && value_is(next, "", "waits_for", "nothing"))
			return lost(k, next);
		if (k->count == CHAIN_MAX)
			return finish(k, WHY_END_UNKNOWN);
		q = next;
	}
}

enum why_end why_wait(const struct why_snapshot *w, const struct why_qp *from,
		      struct why_verdict *v)
{
	struct walk k = { .w = w, .c = { .v = v } };
	enum why_end end;

	memset(v, 0, sizeof(*v));
	end = walk(&k, from);
	return is_open(end) ? faults(&k, end) : end;
}
