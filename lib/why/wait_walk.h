/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk along a chain of QPs that wait for each other (wait.h), which the files wait*.c share. */
#ifndef GLASS_LIB_WHY_WAIT_WALK_H
#define GLASS_LIB_WHY_WAIT_WALK_H

#include "lib/why/reason.h"
#include "lib/why/wait.h"

/* The QPs of a chain: a longer one is cut. */
#define WAIT_CHAIN_MAX (WHY_STEPS - 3)

struct wait_walk {
	const struct why_snapshot *w;
	struct why_case c; /* for steps; its story is not used */
	const struct why_qp *seen[WAIT_CHAIN_MAX];
	unsigned int count;
};

/* ---- wait_qp.c: QPs, and how they find each other */

static inline const char *wait_value(const struct why_qp *q, const char *section, const char *key)
{
	return why_value(&q->story, WHY_LOCAL, section, key);
}

static inline bool wait_value_is(const struct why_qp *q, const char *section, const char *key,
				 const char *word)
{
	return why_value_is(&q->story, WHY_LOCAL, section, key, word);
}

static inline bool wait_number(const struct why_qp *q, const char *section, const char *key,
			       uint64_t *to)
{
	return why_value_number(&q->story, WHY_LOCAL, section, key, to);
}

static inline bool wait_is_ud(const struct why_qp *q)
{
	return wait_value_is(q, "", "qptype", "ud");
}

/* The last change of the QP's state, or (from) of those from that state; NULL: none is known */
const struct why_row *wait_last_change(const struct why_qp *q, const char *from);
const struct why_qp *wait_find_qp(const struct why_snapshot *w, const char *dev, uint64_t qpn);
/*
 * The section of inspect that names the QP with which this one talks: its peer, or the destination of
 * its last datagram.
 */
const char *wait_peer_section(const struct why_qp *q);
/* Does q send to that QP of the adapter, or did it? */
bool wait_sends_to(const struct why_qp *q, const char *dev, uint64_t qpn);
/* The QP with which this one talks; NULL: it is not in the snapshot, or connected to another one */
const struct why_qp *wait_find_peer(const struct wait_walk *k, const struct why_qp *q);
/* Is the process stopped, or traced and stopped? */
bool wait_is_stopped(const struct wait_walk *k, uint64_t pid);
/* Writes the process that has the QP, as text, and returns it. */
char *wait_owner(const struct why_qp *q, char to[WHY_NAME]);
/* Gives the last step the advice of this end, and returns the end. */
enum why_end wait_finish(struct wait_walk *k, enum why_end end);
/* Ends the chain: the program of the QP is stopped. */
enum why_end wait_stopped(struct wait_walk *k, const struct why_qp *q);

/* ---- wait_error.c: objects in error, and the failures of them that the driver keeps */

/* The last failure of that object; NULL: none that counts is known */
const struct why_failure *wait_find_failure(const struct wait_walk *k, const char *object,
					    const char *dev, uint64_t num);
void wait_failure_step(struct wait_walk *k, const struct why_failure *f);
/* The CQ whose number the QP has as `key`: scqn or rcqn */
const struct why_cq *wait_find_cq(const struct wait_walk *k, const struct why_qp *q, const char *key);
/* A CQ of the QP that is in error; NULL: none is */
const struct why_cq *wait_find_failed_cq(const struct wait_walk *k, const struct why_qp *q);
/* Is the QP in ERR or SQE? */
bool wait_is_in_error(const struct why_qp *q);
/* The QP is in ERR or SQE. peer: the chain came to it from its peer */
void wait_error_step(struct wait_walk *k, const struct why_qp *q, bool peer);
/* Ends the chain: the QP is in ERR or SQE, or uses a CQ that is in error. */
enum why_end wait_in_error(struct wait_walk *k, const struct why_qp *q, bool peer);

/* ---- wait_fault.c: injected faults */

/* A completion of the QP that a rule lost. later: others of the same queue have come since */
const struct why_fault *wait_find_lost(const struct wait_walk *k, const struct why_qp *q, bool later);
enum why_end wait_lost_completion(struct wait_walk *k, const struct why_fault *f);
/* Adds a step if a rule doubled a completion of a QP whose CQ is in error, and ends the chain. */
bool wait_doubled(struct wait_walk *k, const struct why_qp *q);
/* Ends that an injected fault may explain */
bool wait_is_open(enum why_end end);
/* Nothing at the end of the chain explains it for certain: looks whether an injected fault does. */
enum why_end wait_faults(struct wait_walk *k, enum why_end end);

#endif
