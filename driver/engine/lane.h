/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Scheduling of QPs, private to the engine. kick.c puts a QP on a run list. lane.c has the contexts
 * that run the lists: doorbells, and lanes (work items, one for each CPU). turns.c orders a list.
 * run.c runs one QP.
 */
#ifndef GLASS_ENGINE_LANE_H
#define GLASS_ENGINE_LANE_H

#include "engine/engine.h"

/* How long a lane polls a QP's send ring after the last post, ns: the cost of a few doorbells. */
#define GLASS_LINGER_NS (50 * NSEC_PER_USEC)

/* ---- kick.c */

struct glass_lane {
	spinlock_t lock; /* protects qps; irqs off */
	struct list_head qps; /* QPs from other contexts; `work` moves them to `run` */
	struct work_struct work;
	struct glass_run run; /* only `work` uses it */
	/* for a doorbell on this CPU, which takes it by xchg(); NULL: one has it */
	struct glass_run *spare;
	unsigned int given_back; /* how often doorbells have returned `spare` */
};

/* Indexed by CPU modulo glass_nlanes; lane.c allocates them. */
extern struct glass_lane *glass_lanes;
extern unsigned int glass_nlanes;

static inline struct glass_lane *glass_this_lane(void)
{
	return &glass_lanes[raw_smp_processor_id() % glass_nlanes];
}

/*
 * Marks qp as kicked. True: the caller must put it on a run list, and owns a reference to it.
 * False: there is nothing to do, because qp is queued already, or the context that runs qp will
 * look at it again, or qp is being freed. Any context.
 */
bool glass_qp_claim(struct glass_qp *qp);

/*
 * May this lane or doorbell go on with its present QP? False: another QP waits for it, a task wants
 * the CPU, or the doorbell's task has a pending signal.
 */
bool glass_run_alone(const struct glass_run *run);

/* Puts a claimed qp (glass_qp_claim()) on the lane of this CPU. Any context. */
void glass_lane_add(struct glass_qp *qp);

/* ---- run.c */

/*
 * Runs a claimed qp, which is on no list, for a turn. Afterwards it is watched, or
 * glass_qp_run_end() has released or requeued it. May sleep.
 */
void glass_qp_run(struct glass_run *run, struct glass_qp *qp);

/*
 * Ends the turn of an active qp: drops the reference to it, or requeues it if it has more work or
 * was kicked during the turn.
 */
void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more);

/*
 * Does the send ring hold a WQE that can be fetched now (the QP is in RTS or a later state, and has
 * room for a snapshot)? Only the context that runs the QP may call this.
 */
bool glass_sq_has_posts(const struct glass_qp *qp);

/*
 * Clears `awake` of the send ring, so that the next post rings the doorbell. False: the QP must run
 * again, because the program has posted meanwhile, perhaps without a doorbell.
 */
bool glass_sq_sleep(struct glass_qp *qp);

/* Is another post likely to come soon? now: ns. */
static inline bool glass_qp_streams(const struct glass_qp *qp, u64 now)
{
	return !READ_ONCE(qp->dead) && !READ_ONCE(qp->closing) &&
	       READ_ONCE(qp->core.state) >= GLASS_QPS_RTS &&
	       now - qp->posted_ns < GLASS_LINGER_NS;
}

/* ---- turns.c */

/* Puts a claimed qp, which is on no list, behind the waiting QPs of its process (party.h). */
void glass_run_add_by_turn(struct glass_run *run, struct glass_qp *qp);

/* Removes the QP that has the next turn from the run, and returns it; NULL: none waits. */
struct glass_qp *glass_run_next(struct glass_run *run);

static inline bool glass_run_empty(const struct glass_run *run)
{
	return list_empty(&run->qps) && list_empty(&run->groups);
}

/* As glass_run_add_by_turn(), but faster in the cases where parties do not matter. */
static inline void glass_run_add(struct glass_run *run, struct glass_qp *qp)
{
	/* a doorbell has no lists by party; if no other QP waits for a lane, qp is next anyway */
	if (run->lane < 0 || glass_run_empty(run))
		list_add_tail(&qp->run_node, &run->qps);
	else
		glass_run_add_by_turn(run, qp);
}

#endif
