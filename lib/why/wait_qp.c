// SPDX-License-Identifier: GPL-2.0-only
/* QPs of a snapshot, and how they find each other (wait_walk.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/wait_walk.h"

const struct why_row *wait_last_change(const struct why_qp *q, const char *from)
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

	return why_cell_number(&q->story, wait_last_change(q, "reset"), "when", &when) ? when : q->created;
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

const struct why_qp *wait_find_qp(const struct why_snapshot *w, const char *dev, uint64_t qpn)
{
	size_t i;

	for (i = 0; i < w->qps; i++)
		if (w->qp[i].qpn == qpn && !strcmp(w->qp[i].dev, dev))
			return &w->qp[i];
	return NULL;
}

const char *wait_peer_section(const struct why_qp *q)
{
	return wait_is_ud(q) ? "sent_to" : "peer";
}

bool wait_sends_to(const struct why_qp *q, const char *dev, uint64_t qpn)
{
	const char *section = wait_peer_section(q);
	uint64_t to;

	return wait_value_is(q, section, "dev", dev) && wait_number(q, section, "qpn", &to) && to == qpn;
}

/* Is the QP connected to another one than q? Then another QP had its number before. */
static bool is_of_another(const struct why_qp *peer, const struct why_qp *q)
{
	return !wait_is_ud(peer) && wait_value(peer, "peer", "dev") && !wait_sends_to(peer, q->dev, q->qpn);
}

/* A UD QP that has sent nothing may have got datagrams: the first QP that sent to it last. */
static const struct why_qp *find_sender(const struct wait_walk *k, const struct why_qp *q)
{
	size_t i;

	for (i = 0; i < k->w->qps; i++)
		if (wait_is_ud(&k->w->qp[i]) && wait_sends_to(&k->w->qp[i], q->dev, q->qpn))
			return &k->w->qp[i];
	return NULL;
}

const struct why_qp *wait_find_peer(const struct wait_walk *k, const struct why_qp *q)
{
	const char *dev = wait_value(q, wait_peer_section(q), "dev");
	const struct why_qp *peer;
	uint64_t qpn;

	if (wait_is_ud(q) && !wait_number(q, "sent_to", "qpn", &qpn))
		return find_sender(k, q);
	if (!dev || !wait_number(q, wait_peer_section(q), "qpn", &qpn))
		return NULL;
	peer = wait_find_qp(k->w, dev, qpn);
	return peer && !is_of_another(peer, q) ? peer : NULL;
}

bool wait_is_stopped(const struct wait_walk *k, uint64_t pid)
{
	size_t i;

	for (i = 0; i < k->w->processes; i++)
		if (k->w->process[i].pid == pid)
			return k->w->process[i].stopped;
	return false;
}

char *wait_owner(const struct why_qp *q, char to[WHY_NAME])
{
	char comm[WHY_NAME];

	if (!q->pid)
		snprintf(to, WHY_NAME, "the kernel");
	else
		snprintf(to, WHY_NAME, "%.40s (pid %" PRIu64 ")",
			 why_word(wait_value(q, "", "comm"), comm), q->pid);
	return to;
}

enum why_end wait_finish(struct wait_walk *k, enum why_end end)
{
	struct why_verdict *v = k->c.v;
	unsigned int i;

	/* the last step has the advice; a chain that went on after an end has only that of the last */
	for (i = 0; i < v->steps; i++)
		v->step[i].advice = NULL;
	v->step[v->steps - 1].advice = why_end_advice(end);
	return end;
}

enum why_end wait_stopped(struct wait_walk *k, const struct why_qp *q)
{
	char name[WHY_NAME];
	struct why_step *step = why_step(&k->c, NULL, "%s is stopped.", wait_owner(q, name));

	why_evidence(step, "/proc/%" PRIu64 "/stat: state T or t", q->pid);
	return wait_finish(k, WHY_END_STOPPED);
}
