/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Scheduling of QPs, private to the engine. kick.c puts a QP on a run list (struct glass_run,
 * engine.h). lane.c has the contexts that run the QPs of a list: doorbells, and lanes (work items,
 * one for each CPU). turns.c chooses the next QP of a list. run.c runs one QP.
 */
#ifndef GLASS_ENGINE_LANE_H
#define GLASS_ENGINE_LANE_H

#include "engine/engine.h"

/*
 * After the last post, a lane goes on polling the QP's send ring for this many ns. A few doorbells
 * take about as long.
 */
#define GLASS_LINGER_NS (50 * NSEC_PER_USEC)

/* ---- kick.c */

struct glass_lane {
	spinlock_t lock; /* protects qps and frames; taken with irqs off */
	/* QPs that glass_lane_add() and doorbells have added; `work` moves them to `run` */
	struct list_head qps;
	struct list_head frames; /* struct glass_frames: received frames to process; under `lock` */
	u64 frames_since; /* ns: since when the entries of `frames` wait for the lane; a hint */
	/* bit n % BITS_PER_LONG: frames for lane n have arrived on this CPU; doorbells clear it */
	unsigned long arrived;
	/* as `arrived`: these lanes were not woken, because a context of this CPU is `holding` */
	unsigned long held;
	/* between glass_frames_hold() and glass_frames_release() of a context of this CPU */
	bool holding;
	struct work_struct work;
	struct glass_run run; /* the lane's run list; only `work` uses it */
	/* the run list for doorbells on this CPU; a doorbell takes it by xchg(), and leaves NULL */
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
 * Do frames wait for the lane? Without its lock: a caller that needs the answer looks again under
 * it, and glass_lane_frames() wakes the lane after it has added frames. Reads only `next` of the
 * list's head, which list_add_tail() and list_del_init() write with WRITE_ONCE().
 */
static inline bool glass_lane_has_frames(const struct glass_lane *lane)
{
	return !list_empty(&lane->frames);
}

/*
 * Have other contexts put QPs on lane->qps? As glass_lane_has_frames(). list_splice_tail_init()
 * writes `next` plainly, but all of it at once.
 */
static inline bool glass_lane_has_qps(const struct glass_lane *lane)
{
	return !data_race(list_empty(&lane->qps));
}

/*
 * Marks qp as kicked. Returns true if the caller must run qp or put it on a run list; the caller
 * then owns a reference to qp. Returns false if qp is on a run list already, if the context that
 * runs qp will give it another turn, or if qp is being destroyed. Any context.
 */
static inline bool glass_qp_claim(struct glass_qp *qp)
{
	int old = 0, new;

	/* the usual case: nobody runs the QP. This is a full barrier, too */
	if (atomic_try_cmpxchg(&qp->run, &old, GLASS_RUN_QUEUED))
		goto claimed;
	/*
	 * Orders the caller's earlier stores, which make work for the QP, before the read of `run`.
	 * Pairs with atomic_xchg() in glass_qp_run(): if this function reads GLASS_RUN_QUEUED and
	 * does nothing, then the turn after atomic_xchg() sees these stores.
	 */
	smp_mb();
	old = atomic_read(&qp->run);
	do {
		if (old & GLASS_RUN_ACTIVE) {
			if (old & GLASS_RUN_AGAIN)
				return false;
			new = old | GLASS_RUN_AGAIN;
		} else if (old & GLASS_RUN_QUEUED) {
			return false;
		} else {
			new = GLASS_RUN_QUEUED;
		}
	} while (!atomic_try_cmpxchg(&qp->run, &old, new));

	if (new != GLASS_RUN_QUEUED)
		return false;
claimed:
	if (!glass_ref_get(&qp->ref)) {
		atomic_set(&qp->run, 0);
		return false;
	}
	return true;
}

/* glass_qp_kick_inline() for a claimed QP: uses up the reference. May sleep. */
void glass_qp_run_claimed(struct glass_qp *qp);

/*
 * May the lane or doorbell that owns `run` give its present QP another turn at once? It may not if
 * other QPs wait in `run`, if the lane watches QPs, if another task wants the CPU, or if the
 * doorbell's task has a pending signal.
 */
bool glass_run_alone(const struct glass_run *run);

/* Gives a claimed qp (glass_qp_claim()) to the lane of this CPU. Any context. */
void glass_lane_add(struct glass_qp *qp);
/* As glass_lane_add(), but puts qp on the lane of this number. Any context. */
void glass_lane_add_to(struct glass_qp *qp, unsigned int number);

/* ---- congestion.c */

/*
 * Lets a QP, which is marked as queued (GLASS_RUN_QUEUED) and on no list, wait until frames of the
 * cable run->slow have left, but at most 200 ms. Then puts it on the lane of `run`, or on that of the
 * present CPU if `run` is a doorbell's. If there is room already, puts it on the list of `run`. The
 * QP's turn in `run` has just ended. Called by the owner of `run`.
 */
void glass_congestion_wait(struct glass_run *run, struct glass_qp *qp);

/* ---- pace.c */

/* At the module's start and end. */
void glass_pace_init(void);
void glass_pace_exit(void);
/* As glass_congestion_wait(), but the QP waits for run->pace_ns. */
void glass_pace_wait(struct glass_run *run, struct glass_qp *qp);

/* ---- frames.c */

/*
 * Processes some frames that wait for the lane. Returns false if there are none. Called by the
 * lane's work only. May sleep.
 */
bool glass_lane_frames_in(struct glass_lane *lane);

/*
 * Called by a doorbell between two turns. Processes frames that have arrived on the CPU of the lane
 * `here` (here->arrived), if their lane has not come to them in time, because other tasks use the
 * CPUs. Without this, two programs that poll on two CPUs would wait for each other's packets until
 * the scheduler lets a lane run. If `now` is true, also processes frames that have just arrived.
 */
void glass_help_lanes(struct glass_lane *here, struct glass_run *run, bool now);

/* ---- run.c */

/*
 * Runs qp for one turn, or for several turns if nothing else waits. The caller has claimed qp
 * (glass_qp_claim()), and qp is on no list. On return, the lane watches qp, or glass_qp_run_end()
 * has released or requeued it. May sleep.
 */
void glass_qp_run(struct glass_run *run, struct glass_qp *qp);

/*
 * Ends the turn of an active qp, or stops watching qp. Requeues qp in `run` if qp has more work
 * (`more`), or if qp was kicked meanwhile. Otherwise drops the reference that glass_qp_claim()
 * took.
 */
void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more);

/*
 * Does the send ring hold a WQE that glass_sq_fetch() can fetch now? If so, the QP is in RTS or a
 * later state, and has room for a snapshot. Call with the QP's lock held, or from the context that
 * runs the QP.
 */
static inline bool glass_sq_has_posts(const struct glass_qp *qp)
{
	/* pairs with the poster's release of `producer`; glass_sq_fetch() reads and checks it */
	return smp_load_acquire(&qp->sq.hdr->producer) != READ_ONCE(qp->core.req.head) &&
	       READ_ONCE(qp->core.state) >= GLASS_QPS_RTS && glass_sq_room(&qp->core);
}

/*
 * Clears `awake` of the send ring, so that the next post rings the doorbell. Returns false if the
 * ring holds a new post, which a program may have made without a doorbell. The QP must then run
 * again. The caller holds qp->lock.
 */
bool glass_sq_sleep(struct glass_qp *qp);

/*
 * Is another post likely to come soon? True if the engine found posts less than GLASS_LINGER_NS
 * before `now` (ns), the QP is in RTS or a later state, and the QP is not about to be destroyed or
 * reset.
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
 * a kernel consumer goes to the end of run->qps. `run` must belong to a lane.
 */
void glass_run_add_by_turn(struct glass_run *run, struct glass_qp *qp);

/*
 * Removes the QP that has the next turn from a lane's run list, and returns it. Returns NULL if no
 * QP waits.
 */
struct glass_qp *glass_run_next(struct glass_run *run);

static inline bool glass_run_empty(const struct glass_run *run)
{
	return list_empty(&run->qps) && list_empty(&run->groups);
}

/*
 * As glass_run_add_by_turn(), but `run` may also belong to a doorbell. Appends qp to run->qps if
 * `run` belongs to a doorbell, or if no other QP waits in `run`.
 */
static inline void glass_run_add(struct glass_run *run, struct glass_qp *qp)
{
	/* a doorbell has no lists by party; in a lane without waiting QPs, qp is next anyway */
	if (run->lane < 0 || glass_run_empty(run))
		list_add_tail(&qp->run_node, &run->qps);
	else
		glass_run_add_by_turn(run, qp);
}

#endif
