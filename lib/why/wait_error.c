// SPDX-License-Identifier: GPL-2.0-only
/* QPs and CQs in error, and the failures that the driver keeps of them (wait_walk.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/wait_walk.h"

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
	qp = wait_find_qp(w, f->dev, f->num);
	if (qp && qp->began <= f->when)
		return wait_value_is(qp, "", "state", "err") || wait_value_is(qp, "", "state", "sqe");
	/* the QP is gone: its peer may wait for it */
	qp = wait_find_qp(w, f->peer_dev, f->peer_qpn);
	return qp && qp->began <= f->when && wait_sends_to(qp, f->dev, f->num);
}

const struct why_failure *wait_find_failure(const struct wait_walk *k, const char *object,
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

void wait_failure_step(struct wait_walk *k, const struct why_failure *f)
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

const struct why_cq *wait_find_cq(const struct wait_walk *k, const struct why_qp *q, const char *key)
{
	uint64_t cqn;
	size_t i;

	for (i = 0; wait_number(q, "", key, &cqn) && i < k->w->cqs; i++)
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

const struct why_cq *wait_find_failed_cq(const struct wait_walk *k, const struct why_qp *q)
{
	const struct why_cq *send = wait_find_cq(k, q, "scqn"), *recv = wait_find_cq(k, q, "rcqn");

	return send && send->failed ? send : recv && recv->failed ? recv : NULL;
}

bool wait_is_in_error(const struct why_qp *q)
{
	return wait_value_is(q, "", "state", "err") || wait_value_is(q, "", "state", "sqe");
}

static void unpolled_step(struct wait_walk *k, const struct why_qp *q)
{
	const struct why_cq *send = wait_find_cq(k, q, "scqn"), *recv = wait_find_cq(k, q, "rcqn");
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

void wait_error_step(struct wait_walk *k, const struct why_qp *q, bool peer)
{
	const struct why_row *change = wait_last_change(q, NULL);
	const char *state = wait_value(q, "", "state"), *cause = why_cell(&q->story, change, "cause");
	char name[WHY_NAME], time[WHY_TIME], word[WHY_NAME];
	bool sqe = !strcmp(state, "sqe"), verb = why_cell_is(&q->story, change, "cause", "verb");
	struct why_step *step;
	uint64_t age;
	bool since = why_cell_number(&q->story, change, "age", &age);

	step = why_step(&k->c, NULL, "%s%s:0x%" PRIx64 " of %s is in the state %s%s%s%s: %s.",
			peer ? "Its peer " : "", q->dev, q->qpn, wait_owner(q, name), state,
			since ? " since " : "", since ? why_time(age, time) : "",
			verb ? ", where its program moved it" : "",
			sqe ? "its send requests complete with a flush error until a modify_qp to RTS" :
			      "its requests complete with a flush error, and nothing else comes");
	why_evidence(step, "inspect: state=%s, cause=%s", state, why_word(cause, word));
}

/* q: the QP that uses the CQ */
static enum why_end cq_failed(struct wait_walk *k, const struct why_cq *cq, const struct why_qp *q)
{
	const struct why_failure *f = wait_find_failure(k, "cq", cq->dev, cq->cqn);
	char name[WHY_NAME], time[WHY_TIME];
	struct why_step *step;

	step = why_step(&k->c, NULL,
			"CQ %" PRIu64 " of %s, which %s made, is in error%s%s: no completion comes to it any more, and "
			"only the asynchronous event IBV_EVENT_CQ_ERR tells that.",
			cq->cqn, cq->dev, cq_owner(cq, name), f ? " since " : "",
			f ? why_time(f->age, time) : "");
	why_evidence(step, "%s/cq: cqn=%" PRIu64 " state=err", cq->dev, cq->cqn);
	if (f)
		wait_failure_step(k, f);
	return wait_doubled(k, q) ? WHY_END_CQ_FAILED : wait_finish(k, WHY_END_CQ_FAILED);
}

enum why_end wait_in_error(struct wait_walk *k, const struct why_qp *q, bool peer)
{
	const struct why_cq *cq = wait_find_failed_cq(k, q);
	const struct why_failure *f;

	if (wait_is_in_error(q))
		wait_error_step(k, q, peer);
	if (cq)
		return cq_failed(k, cq, q);
	unpolled_step(k, q);
	f = wait_find_failure(k, "qp", q->dev, q->qpn);
	if (f)
		wait_failure_step(k, f);
	return wait_finish(k, WHY_END_FAILED);
}
