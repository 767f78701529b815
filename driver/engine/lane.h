/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Private to lanes (lane.c), kicks (kick.c), turns (turns.c) and running QPs (run.c). */
#ifndef GLASS_ENGINE_LANE_H
#define GLASS_ENGINE_LANE_H

#include "engine/engine.h"

/* How long a lane watches a QP's ring after its last post, ns: the cost of a few doorbells. */
#define GLASS_LINGER_NS (50 * NSEC_PER_USEC)

/* ---- kick.c */

struct glass_lane {
	spinlock_t lock; /* qps */
	struct list_head qps;
	struct work_struct work;
	struct glass_run run; /* used by `work` */
	struct glass_run *spare; /* for a doorbell on this CPU; taken by xchg */
	unsigned int given_back; /* number of times that `spare` was returned */
};

/* Indexed by CPU modulo glass_nlanes; lane.c allocates them. */
extern struct glass_lane *glass_lanes;
extern unsigned int glass_nlanes;

static inline struct glass_lane *glass_this_lane(void)
{
	return &glass_lanes[raw_smp_processor_id() % glass_nlanes];
}

/*
 * True: the caller must put qp on a run list, and owns a reference to it. False: there is
 * nothing to do: a context will look at the QP again, or the QP is being freed.
 */
bool glass_qp_claim(struct glass_qp *qp);

/* Does no other QP wait for this lane or doorbell? */
bool glass_run_alone(const struct glass_run *run);

/* Puts a claimed qp on the lane of this CPU. Any context. */
void glass_lane_add(struct glass_qp *qp);

/* ---- run.c */

/* Runs a claimed qp, which is on no list, for a turn. May sleep. */
void glass_qp_run(struct glass_run *run, struct glass_qp *qp);

/* Ends the turn of an active qp: releases it, or requeues it if it has more work or was kicked. */
void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more);

/* Does the send ring hold a WQE that can be fetched? Only for the context that runs the QP. */
bool glass_sq_has_posts(const struct glass_qp *qp);

/* Clears `awake`. False: the program has posted meanwhile, perhaps without a doorbell. */
bool glass_sq_sleep(struct glass_qp *qp);

/* Is another post likely to come soon? */
static inline bool glass_qp_streams(const struct glass_qp *qp, u64 now)
{
	return !READ_ONCE(qp->dead) && !READ_ONCE(qp->closing) &&
	       READ_ONCE(qp->core.state) >= GLASS_QPS_RTS &&
	       now - qp->posted_ns < GLASS_LINGER_NS;
}

/* ---- turns.c */

/* Puts a claimed qp, which is on no list, behind the waiting QPs of its party. */
void glass_run_add_by_turn(struct glass_run *run, struct glass_qp *qp);

/* Takes the QP that has the next turn; NULL: none waits. */
struct glass_qp *glass_run_next(struct glass_run *run);

static inline bool glass_run_empty(const struct glass_run *run)
{
	return list_empty(&run->qps) && list_empty(&run->groups);
}

/* As glass_run_add_by_turn(), but faster where the order by party does not matter. */
static inline void glass_run_add(struct glass_run *run, struct glass_qp *qp)
{
	/* a doorbell's run has no parties; on an empty run of a lane qp is next in any case */
	if (run->lane < 0 || glass_run_empty(run))
		list_add_tail(&qp->run_node, &run->qps);
	else
		glass_run_add_by_turn(run, qp);
}

#endif
