// SPDX-License-Identifier: GPL-2.0-only
/* Injected faults after which a program may wait (wait_walk.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/wait_walk.h"

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

	if (!f->request || !wait_number(q, f->receive ? "rq" : "requester", f->receive ? "consumer" : "told", &at))
		return false;
	if (f->receive && wait_value_is(q, "responder", "in_message", "yes"))
		at--;
	return (int32_t)((uint32_t)at - (uint32_t)f->request) > 0;
}

const struct why_fault *wait_find_lost(const struct wait_walk *k, const struct why_qp *q, bool later)
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

static enum why_end fault_step(struct wait_walk *k, const struct why_fault *f, const char *did,
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
	return wait_finish(k, end);
}

bool wait_doubled(struct wait_walk *k, const struct why_qp *q)
{
	const struct why_fault *f;
	size_t i;

	for (i = k->w->faults; i--;) {
		f = &k->w->fault[i];
		if (f->act != WHY_FAULT_CQE_DUP || !is_on(f, q) || f->time < q->began)
			continue;
		fault_step(k, f, "doubled", " A CQ that has room for each completion once may have none for that.",
			   WHY_END_CQ_FAILED);
		return true;
	}
	return false;
}

enum why_end wait_lost_completion(struct wait_walk *k, const struct why_fault *f)
{
	return fault_step(k, f, "lost", " The program has not got it, nor a later one of that queue.",
			  WHY_END_LOST);
}

/* Does the receiver of the request still wait for it, whose ACK a rule forged? */
static bool is_forged(const struct why_fault *f, const struct why_qp *q)
{
	uint64_t epsn;

	return f->act == WHY_FAULT_ACK && f->time >= q->began &&
	       (f->arrived ? is_on(f, q) : wait_sends_to(q, f->dev, f->qpn)) &&
	       wait_number(q, "", "epsn", &epsn) && epsn == f->psn;
}

/* Is the packet lost for good that a rule kept from arriving? q: the QP that sent it */
static bool is_dropped(const struct why_fault *f, const struct why_qp *q)
{
	uint64_t psn, una, timeout;

	if ((f->act != WHY_FAULT_DROP && f->act != WHY_FAULT_CORRUPT && f->act != WHY_FAULT_TRUNCATE) ||
	    f->time < q->began || !wait_number(q, "", "sq_psn", &psn) ||
	    !(f->arrived ? wait_sends_to(q, f->dev, f->qpn) : is_on(f, q)))
		return false;
	/* a UD QP has sent nothing since */
	if (wait_is_ud(q))
		return psn == ((f->psn + 1) & 0xffffff);
	return wait_number(q, "", "timeout", &timeout) && !timeout && wait_number(q, "", "una_psn", &una) &&
	       una == f->psn && psn != una;
}

/* A completion that a rule doubled for the QP, or for its peer that has ended since */
static bool is_doubled(const struct wait_walk *k, const struct why_fault *f, const struct why_qp *q)
{
	return f->act == WHY_FAULT_CQE_DUP && f->time >= q->began &&
	       (is_on(f, q) || (wait_sends_to(q, f->dev, f->qpn) && !wait_find_qp(k->w, f->dev, f->qpn)));
}

/* Does the end not even name something that is wrong? */
static bool is_vague(enum why_end end)
{
	return end == WHY_END_UNKNOWN || end == WHY_END_IDLE || end == WHY_END_CYCLE ||
	       end == WHY_END_DATAGRAM;
}

bool wait_is_open(enum why_end end)
{
	return is_vague(end) || end == WHY_END_NOT_POLLED || end == WHY_END_ABANDONED ||
	       end == WHY_END_PEER_GONE;
}

/* A fault at one of the QPs at which the chain has been, or at its peer */
static enum why_end find_fault(struct wait_walk *k, const struct why_qp *q, enum why_end end)
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
	f = is_vague(end) ? wait_find_lost(k, q, true) : NULL;
	if (!f)
		return end;
	return fault_step(k, f, "lost", " Later ones of that queue have come.", WHY_END_LOST_EARLIER);
}

enum why_end wait_faults(struct wait_walk *k, enum why_end end)
{
	const struct why_qp *peer;
	enum why_end found;
	unsigned int i;

	for (i = 0; i < k->count; i++) {
		found = find_fault(k, k->seen[i], end);
		peer = found == end ? wait_find_peer(k, k->seen[i]) : NULL;
		if (peer)
			found = find_fault(k, peer, end);
		if (found != end)
			return found;
	}
	return end;
}
