/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Scheduling of QPs, private to the engine. kick.c puts a QP on a run list. lane.c has the contexts
 * that run the QPs of a list: doorbells, and lanes (work items, one for each CPU). turns.c chooses
 * the next QP of a list. run.c runs one QP.
 */
#ifndef GLASS_ENGINE_LANE_H
#define GLASS_ENGINE_LANE_H

#include "engine/engine.h"

/*
 * A lane polls a QP's send ring until this many ns after the last post: about the time that a few
 * doorbells take.
 */
#define GLASS_LINGER_NS (50 * NSEC_PER_USEC)

/* ---- kick.c */

struct glass_lane {
	spinlock_t lock; /* protects qps; irqs off */
	/* QPs that glass_lane_add() and doorbells have added; `work` moves them to `run` */
	struct list_head qps;
	struct work_struct work;
	struct glass_run run; /* only `work` uses it */
	/* the run of doorbells on this CPU; a doorbell takes it by xchg(), and leaves NULL */
	struct glass_run *spare;
	unsigned int given_back; /* how often doorbells have returned `spare` */
};

/* The lanes, indexed by CPU modulo glass_nlanes. lane.c allocates them. */
extern struct glass_lane *glass_lanes;
extern unsigned int glass_nlanes;

static inline struct glass_lane *glass_this_lane(void)
{
	return &glass_lanes[raw_smp_processor_id() % glass_nlanes];
}

/*
 * Marks qp as kicked. True: the caller owns a reference to qp, and must run it or put it on a run
 * list. False: there is nothing to do: qp is on a run list already, or the context that runs qp
 * will give it another turn, or qp is being destroyed. Any context.
 */
bool glass_qp_claim(struct glass_qp *qp);

/*
 * May the lane or doorbell of this run give its present QP another turn at once? False: other QPs
 * wait for this lane or doorbell; the lane watches other QPs; another task wants the CPU; or the
 * doorbell's task has a pending signal.
 */
bool glass_run_alone(const struct glass_run *run);

/* Puts a claimed qp (glass_qp_claim()) on the lane of this CPU. Any context. */
void glass_lane_add(struct glass_qp *qp);

/* ---- run.c */

/*
 * Runs a claimed qp, which is on no list, for one turn, or for several if nothing else waits. On
 * return, the lane watches qp, or glass_qp_run_end() has released or requeued it. May sleep.
 */
void glass_qp_run(struct glass_run *run, struct glass_qp *qp);

/*
 * Ends the turn or the watching of an active qp. If qp has more work (more), or was kicked
 * meanwhile, requeues it. Otherwise drops the reference that glass_qp_claim() took.
 */
void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more);

/*
 * Does the send ring hold a WQE that glass_sq_fetch() can fetch now? For this, the QP must be in
 * RTS or a later state, and have room for a snapshot. Called only by the context that runs the QP.
 */
bool glass_sq_has_posts(const struct glass_qp *qp);

/*
 * Clears `awake` of the send ring, so that the next post rings the doorbell. False: the QP must run
 * again, because the ring holds a new post, perhaps made without a doorbell. The caller holds
 * qp->lock.
 */
bool glass_sq_sleep(struct glass_qp *qp);

/*
 * Is another post likely to come soon? True if the engine found posts less than GLASS_LINGER_NS
 * ago, and the QP is in RTS or a later state, and is not being destroyed or reset. now: the time,
 * ns.
 */
static inline bool glass_qp_streams(const struct glass_qp *qp, u64 now)
{
	return !READ_ONCE(qp->dead) && !READ_ONCE(qp->closing) &&
	       READ_ONCE(qp->core.state) >= GLASS_QPS_RTS &&
	       now - qp->posted_ns < GLASS_LINGER_NS;
}

/* ---- turns.c */

/*
 * Puts a claimed qp, which is on no list, behind the waiting QPs of its process (party.h). A QP of
 * a kernel consumer goes to the end of run->qps. run: that of a lane.
 */
void glass_run_add_by_turn(struct glass_run *run, struct glass_qp *qp);

/*
 * Chooses the QP that has a lane's next turn, removes it from the lane's run, and returns it. NULL:
 * none waits.
 */
struct glass_qp *glass_run_next(struct glass_run *run);

static inline bool glass_run_empty(const struct glass_run *run)
{
	return list_empty(&run->qps) && list_empty(&run->groups);
}

/*
 * As glass_run_add_by_turn(), but for any run. Appends qp to run->qps if run is a doorbell's, or if
 * no other QP waits in it.
 */
static inline void glass_run_add(struct glass_run *run, struct glass_qp *qp)
{
	/* a doorbell has no lists by party; in a lane where no other QP waits, qp is next anyway */
	if (run->lane < 0 || glass_run_empty(run))
		list_add_tail(&qp->run_node, &run->qps);
	else
		glass_run_add_by_turn(run, qp);
}

#endif
