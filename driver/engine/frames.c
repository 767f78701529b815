// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Received frames of netdev cables (link/netcable.h) that wait for lanes (lane.h). One context at a
 * time processes the frames of a queue (glass_frames.busy), so that their order stays: a lane, a
 * doorbell that helps it, or the context that has sent a frame to its own host.
 */
#include "engine/lane.h"
#include "link/env.h"
#include "link/link.h"
#include "model/netcable.h"
#include "wire/opcode.h"

/* A doorbell processes frames that have waited for a lane for this long (ns). */
#define HELP_NS (100 * NSEC_PER_USEC)
/* At one time, a doorbell processes about this many frames, or datagrams, of a lane. */
#define HELP_FRAMES 16
/* A QP that has received a message may send this many READs as part of its answer. */
#define TALK_READS 4

void glass_lane_frames(struct glass_frames *q)
{
	struct glass_lane *lane = &glass_lanes[q->lane % glass_nlanes], *here;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&lane->lock, flags);
	if (!q->busy && list_empty(&q->node)) {
		if (list_empty(&lane->frames))
			WRITE_ONCE(lane->frames_since, ktime_get_ns());
		list_add_tail(&q->node, &lane->frames);
	}
	/* under the lock, so that this is the CPU of the context that holds: it must see the bit */
	here = glass_this_lane();
	held = READ_ONCE(here->holding);
	set_bit((lane - glass_lanes) % BITS_PER_LONG, held ? &here->held : &here->arrived);
	spin_unlock_irqrestore(&lane->lock, flags);
	if (!held)
		queue_work(glass_lane_wq, &lane->work);
}

void glass_lane_forget(struct glass_frames *q)
{
	struct glass_lane *lane = &glass_lanes[q->lane % glass_nlanes];
	bool used;

	/* a context that processes frames of the queue may put it back on the list afterwards */
	do {
		flush_work(&lane->work);
		/* doorbells process frames with preemption off */
		synchronize_rcu();
		spin_lock_irq(&lane->lock);
		used = q->busy || !list_empty(&q->node);
		list_del_init(&q->node);
		spin_unlock_irq(&lane->lock);
	} while (used);
}

/* Takes the first queue that has frames for the lane. Returns NULL if there is none. */
static struct glass_frames *take_frames(struct glass_lane *lane)
{
	struct glass_frames *q;

	if (!glass_lane_has_frames(lane))
		return NULL;
	spin_lock_irq(&lane->lock);
	q = list_first_entry_or_null(&lane->frames, struct glass_frames, node);
	if (q) {
		list_del_init(&q->node);
		q->busy = true;
	}
	spin_unlock_irq(&lane->lock);
	return q;
}

/* Gives a queue back that take_frames() returned. Returns false if it has no frames left. */
static bool put_frames(struct glass_lane *lane, struct glass_frames *q)
{
	bool more;

	spin_lock_irq(&lane->lock);
	q->busy = false;
	/* a frame that arrives after this look calls glass_lane_frames(), which waits for the lock */
	more = !skb_queue_empty_lockless(&q->skbs);
	if (more)
		list_add_tail(&q->node, &lane->frames);
	spin_unlock_irq(&lane->lock);
	return more;
}

bool glass_lane_frames_in(struct glass_lane *lane)
{
	struct glass_frames *q = take_frames(lane);

	if (!q)
		return false;
	lane->run.tx.when = ktime_get_ns();
	glass_link_frames(q, &lane->run);
	/* the lane is at work: the frames that it puts back need no help */
	WRITE_ONCE(lane->frames_since, ktime_get_ns());
	put_frames(lane, q);
	lane->run.budget--;
	return true;
}

/*
 * Processes frames of a lane that has not done so in time, because other tasks use the CPUs: mostly
 * programs that poll. Each frame is processed with preemption off, so that cpu.max or other tasks
 * cannot stop this task while a frame and those behind it wait for it.
 */
static void help_lane(struct glass_lane *lane, struct glass_run *run, u64 patience)
{
	struct glass_frames *q;
	u32 n = 0, some = 1;
	u64 now;

	while (n < HELP_FRAMES && some) {
		now = ktime_get_ns();
		if (!glass_lane_has_frames(lane) ||
		    (s64)(now - READ_ONCE(lane->frames_since)) < (s64)patience)
			break;
		preempt_disable();
		q = take_frames(lane);
		if (q) {
			run->tx.when = now;
			some = glass_link_frame(q, run);
			n += some;
			if (put_frames(lane, q))
				queue_work(glass_lane_wq, &lane->work);
		}
		preempt_enable();
	}
}

void glass_help_lanes(struct glass_lane *here, struct glass_run *run, bool now)
{
	unsigned int bit, i;
	unsigned long arrived;

	/* with PREEMPT_RT, locks sleep, so that preemption must stay on */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	arrived = READ_ONCE(here->arrived);
	for_each_set_bit(bit, &arrived, BITS_PER_LONG) {
		/* clear it first: a frame that arrives meanwhile sets it again */
		clear_bit(bit, &here->arrived);
		for (i = bit; i < glass_nlanes; i += BITS_PER_LONG) {
			help_lane(&glass_lanes[i], run, now ? 0 : HELP_NS);
			if (glass_lane_has_frames(&glass_lanes[i]))
				set_bit(bit, &here->arrived);
		}
	}
}

/*
 * Notes that the QP sends a request or an answer, and returns whether its program and the peer's probably
 * wait for each other: the QP has received a message since its last request. A program that was asked for
 * something may READ a few times before it answers, so TALK_READS READs do not count as requests. The packets
 * of a stream, which nobody waits for, had better be processed together: one ACK answers many.
 */
static bool note_talk(struct glass_qp *qp, u8 opcode)
{
	u32 heard;

	if (glass_opcode_is_request(opcode)) {
		heard = data_race(glass_type_is_connected(qp->core.type) ? qp->core.resp.msn :
									   (u32)qp->core.stats.rx_pkts);
		qp->talks = heard != qp->heard;
		if ((opcode & GLASS_BOP_MASK) != GLASS_BOP_READ_REQ || ++qp->talk_reads >= TALK_READS) {
			qp->heard = heard;
			qp->talk_reads = 0;
		}
	}
	return qp->talks;
}

/* Is it the packet that the run is sending, or one that waited in its batch? */
static bool is_of_run(const struct glass_run *run, const struct glass_pkt *pkt)
{
	return pkt == &run->tx.pkt ||
	       (pkt >= run->batch.pkts && pkt < run->batch.pkts + ARRAY_SIZE(run->batch.pkts));
}

bool glass_frames_hold(const struct glass_run *run, const struct glass_pkt *pkt)
{
	/* with PREEMPT_RT, locks sleep, so that preemption must stay on */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !run || !is_of_run(run, pkt) ||
	    !note_talk((struct glass_qp *)run->tx.qp, pkt->opcode))
		return false;
	preempt_disable();
	WRITE_ONCE(glass_this_lane()->holding, true);
	return true;
}

/* Processes the first frame that waits for the lane, if it can, and lets the lane process the others. */
static void take_held(struct glass_lane *lane, struct glass_run *run)
{
	struct glass_frames *q = take_frames(lane);

	if (q) {
		glass_link_frame(q, run);
		put_frames(lane, q);
	}
	if (glass_lane_has_frames(lane)) {
		set_bit((lane - glass_lanes) % BITS_PER_LONG, &glass_this_lane()->arrived);
		queue_work(glass_lane_wq, &lane->work);
	}
}

void glass_frames_release(struct glass_run *run)
{
	struct glass_lane *here = glass_this_lane();
	unsigned long held;
	unsigned int bit, i;
	u64 sent = run->tx.when;

	WRITE_ONCE(here->holding, false);
	held = READ_ONCE(here->held);
	if (held) {
		/* the frames arrive after the packet that the run is sending */
		run->tx.when = max(ktime_get_ns(), sent + 1);
		for_each_set_bit(bit, &held, BITS_PER_LONG) {
			clear_bit(bit, &here->held);
			for (i = bit; i < glass_nlanes; i += BITS_PER_LONG)
				take_held(&glass_lanes[i], run);
		}
		run->tx.when = sent;
	}
	preempt_enable();
}
