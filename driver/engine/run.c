// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Running a QP: kicks, slices, timers. */
#include <linux/wait_bit.h>

#include "engine/engine.h"
#include "engine/lane.h"
#include "engine/patience.h"
#include "observe/observe.h"
#include "engine/copies.h"
#include "engine/packet.h"

/* The longest train that is delivered as one: 16 packets, 64 KiB at most. */
#define GLASS_TRAIN_MORE 15

bool glass_qp_claim(struct glass_qp *qp)
{
	int old, new;

	/* what the kick is about was written before `run` is read */
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
	if (!glass_ref_get(&qp->ref)) {
		atomic_set(&qp->run, 0);
		return false;
	}
	return true;
}

/*
 * A doorbell runs the QPs of its own group: if cpu.max stops it, or others preempt it, no other group's QP waits for
 * it.
 */
static __always_inline bool may_run(const struct glass_run *run, const struct glass_qp *qp)
{
	return run->lane >= 0 || run->group == qp->group;
}

void glass_qp_kick(struct glass_qp *qp, struct glass_run *run)
{
	if (!glass_qp_claim(qp))
		return;
	if (run && likely(may_run(run, qp)))
		glass_run_add(run, qp);
	else
		glass_lane_add(qp);
}

enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t)
{
	struct glass_qp *qp = container_of(t, struct glass_qp, timer);

	if (glass_patience_postpones(qp))
		return HRTIMER_NORESTART;
	WRITE_ONCE(qp->timer_fired, true);
	glass_qp_kick(qp, NULL);
	return HRTIMER_NORESTART;
}

/* At the next tick: what asks for ACKs then is one kick of all that came meanwhile. */
static void ack_later(struct glass_qp *qp)
{
	/* pairs with the one in the timer's function: it sees ack_later, or is not pending any more */
	smp_mb();
	if (!timer_pending(&qp->ack_timer))
		mod_timer(&qp->ack_timer, jiffies + 1);
}

void glass_qp_ack_timer_fn(struct timer_list *t)
{
	struct glass_qp *qp = container_of(t, struct glass_qp, ack_timer);

	/* pairs with the one in ack_later() */
	smp_mb();
	if (!READ_ONCE(qp->core.resp.ack_later))
		return;
	WRITE_ONCE(qp->ack_due, true);
	glass_qp_kick(qp, NULL);
}

/*
 * A pending timer is never moved back: deadlines move ahead with every ACK, and
 * one early firing costs less than re-arming for each of them.
 */
void glass_qp_arm(struct glass_qp *qp)
{
	u64 deadline = qp->core.deadline;

	lockdep_assert_held(&qp->lock);
	if (qp->dead)
		return;
	if (glass_resp_ack_later(&qp->core))
		ack_later(qp);
	if (!deadline || (glass_injecting() && qp->frozen))
		return;
	if (qp->armed_ns && qp->armed_ns <= deadline)
		return;
	if (glass_patience_waits(qp))
		return;
	qp->armed_ns = deadline;
	hrtimer_start(&qp->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
}

bool glass_sq_has_posts(const struct glass_qp *qp)
{
	/* pairs with the store of who posts; glass_sq_fetch() looks again */
	return smp_load_acquire(&qp->sq.hdr->producer) != READ_ONCE(qp->core.req.head) &&
	       READ_ONCE(qp->core.state) >= GLASS_QPS_RTS && glass_sq_room(&qp->core);
}

/* How many packets may ride with one, so that they cost no more than is left of the turn. */
static u16 train(const struct glass_qp *qp, int left)
{
	u32 n;

	if (left == GLASS_TURN || !qp->core.attr.mtu)
		return GLASS_TRAIN_MORE;
	n = ((u32)left << 10) / qp->core.attr.mtu;
	return n > GLASS_TRAIN_MORE ? GLASS_TRAIN_MORE : n ? n - 1 : 0;
}

/* left: what the turn may still cost */
static bool next_packet(struct glass_qp *qp, struct glass_tx *tx, int left, u64 now)
{
	const struct glass_av *av = NULL;
	u16 pkey_index = 0;
	bool got;

	tx->pkt.seg = tx->seg;
	tx->pkt.nseg = 0;
	tx->pkt.len = 0;
	tx->nmr = 0;
	tx->npages = 0;
	tx->qp = qp;
	tx->when = now;
	qp->core.ack_later = !glass_qp_concerned(qp, GLASS_INJECT_PACKETS);
	/* trains of XRC are not made: their packets have headers of their own each */
	qp->core.max_more = glass_trace_packets() || glass_injecting() ||
			    qp->core.type == GLASS_QPT_XRC_INI || qp->core.type == GLASS_QPT_XRC_TGT ?
			    0 : train(qp, left);
	got = glass_resp_next(&qp->core, &tx->pkt, &av, &pkey_index, now) ||
	      glass_req_next(&qp->core, &tx->pkt, &av, &pkey_index, now);
	if (got)
		glass_port_address(qp->dev, qp->core.attr.port, &tx->pkt, av, pkey_index);
	return got;
}

/* The packet is out, and it was needed that it is. */
static noinline void take_back(struct glass_qp *qp, u64 now)
{
	u8 lent = qp->core.lent;

	lockdep_assert_held(&qp->lock);
	if (qp->dead)
		qp->core.lent = 0;
	else
		glass_pqp_returned(&qp->core, now);
	if (!(lent & GLASS_LENT_AWAITED))
		return;
	/* as wake_up_var() wants it: who waits sees the bit gone, or is seen */
	smp_mb();
	wake_up_var(&qp->core.lent);
}

bool glass_qp_await_packet(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	if (!qp->core.lent)
		return false;
	qp->core.lent |= GLASS_LENT_AWAITED;
	return true;
}

static bool is_awaited(const struct glass_qp *qp)
{
	return READ_ONCE(qp->core.lent) & GLASS_LENT_AWAITED;
}

void glass_qp_packet_out(struct glass_qp *qp, bool user)
{
	if (!user)
		wait_var_event(&qp->core.lent, !is_awaited(qp));
	else if (wait_var_event_killable(&qp->core.lent, !is_awaited(qp)))
		return;
	/* who ended it holds the lock until all is flushed */
	spin_lock(&qp->lock);
	spin_unlock(&qp->lock);
}

enum turn_end {
	TURN_IDLE, /* nothing left to do */
	TURN_MORE, /* wants another turn */
	TURN_WATCH, /* nothing left, but posts are likely: `awake` is still set */
};

/* NeighborMTU, which the subnet manager may change at any time */
static u16 port_mtu(const struct glass_qp *qp)
{
	return glass_mtu_bytes(READ_ONCE(qp->dev->node_ports[qp->core.attr.port].mtu_active));
}

struct turn {
	int left; /* what may still be sent or copied: packets, or KiB */
	int wrs; /* work requests that may still be fetched, done locally or flushed */
};

static void begin_turn(struct turn *t)
{
	t->left = GLASS_TURN;
	t->wrs = GLASS_TURN_WRS;
}

static void end_turn(const struct turn *t, struct glass_run *run, const struct glass_qp *qp)
{
	run->budget--;
	trace_glass_turn(glass_dev_name(qp->dev), qp->core.qpn, qp->owner.pid, run->lane,
			 GLASS_TURN - t->left, GLASS_TURN_WRS - t->wrs);
}

/*
 * The turn is used up, and there may be more to do. True: it goes on with another one at once, as
 * nobody else waits.
 */
static bool next_turn(struct turn *t, struct glass_run *run, struct glass_qp *qp)
{
	if (run->budget <= 1 || !glass_run_alone(run))
		return false;
	end_turn(t, run, qp);
	begin_turn(t);
	/* another context that spins for the lock gets it between two turns */
	spin_unlock(&qp->lock);
	spin_lock(&qp->lock);
	return true;
}

/* Has it nothing that a turn could do now? Not exactly: what waits for an answer counts as something. */
static bool is_done(struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	return q->req.cur == q->req.head && !q->left && !glass_resp_owed(q) && list_empty(&qp->copies) &&
	       !glass_sq_has_posts(qp);
}

/*
 * Makes more copies of the multicast datagram that was sent last, as many as fit into a turn. Returns what is left of
 * the turn: nothing, or all copies are made and the QP may send again.
 */
static noinline int copy_on(struct glass_run *run, struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	run->tx.left = GLASS_TURN;
	spin_unlock(&qp->lock);
	glass_copies_go_on(qp, run);
	spin_lock(&qp->lock);
	return run->tx.left;
}

static noinline void ring_alarms(struct glass_qp *qp, u64 now)
{
	lockdep_assert_held(&qp->lock);
	if (READ_ONCE(qp->timer_fired)) {
		WRITE_ONCE(qp->timer_fired, false);
		qp->armed_ns = 0;
		if (qp->core.deadline && now >= qp->core.deadline)
			glass_pqp_timer(&qp->core, now);
	}
	if (READ_ONCE(qp->ack_due)) {
		WRITE_ONCE(qp->ack_due, false);
		glass_pqp_ack_now(&qp->core);
	}
}

/* Runs one QP for a turn. */
static enum turn_end run_turn(struct glass_run *run, struct glass_qp *qp)
{
	enum turn_end end = TURN_IDLE;
	struct glass_tx *tx = &run->tx;
	struct turn t;
	bool flushes, used_up;
	u32 n;
	u64 now;

	begin_turn(&t);
	spin_lock(&qp->lock);
	if (qp->dead)
		goto out;
	t.left = qp->turn;
	if (!glass_type_is_connected(qp->core.type))
		qp->core.port_mtu = port_mtu(qp);
	now = glass_qp_now(qp);
	if (unlikely(READ_ONCE(qp->alarms)))
		ring_alarms(qp, now);
	glass_qp_fail_if_asked(qp, now);
	for (;;) {
		WRITE_ONCE(qp->sq.hdr->awake, 1);
		flushes = qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE;
		if (unlikely(flushes))
			t.wrs -= glass_pqp_flush(&qp->core, t.wrs);
		n = glass_sq_fetch(qp, t.wrs, now);
		if (n) {
			qp->posted_ns = now;
			t.wrs -= n;
			if (unlikely(flushes))
				qp->core.left |= GLASS_LEFT_FLUSH;
		}
		while (t.left > 0 && glass_pqp_may_send(&qp->core) &&
		       next_packet(qp, tx, t.left, now)) {
			u32 port = qp->core.attr.port;

			qp->core.lent = GLASS_LENT_OUT;
			spin_unlock(&qp->lock);
			tx->left = t.left - glass_cost(tx->pkt.len);
			glass_port_send(qp->dev, port, &tx->pkt, run);
			/* before the lock: a work request that invalidates a region needs its references gone (keys.c) */
			glass_env_payload_put(&qp->core, &tx->pkt);
			t.left = tx->left;
			spin_lock(&qp->lock);
			if (likely(qp->core.lent == GLASS_LENT_OUT))
				qp->core.lent = 0;
			else
				take_back(qp, now);
			if (qp->dead)
				goto out;
			glass_req_sent(&qp->core);
			if (glass_pqp_may_send(&qp->core))
				now = glass_qp_now(qp);
			glass_qp_fail_if_asked(qp, now);
		}
		used_up = t.left <= 0 || t.wrs <= 0;
		if (unlikely(used_up | qp->core.left)) {
			if (t.left == GLASS_TURN_COPIES) {
				t.left = copy_on(run, qp);
				if (qp->dead)
					goto out;
				now = glass_qp_now(qp);
				continue;
			}
			/* local operations come by the turn */
			used_up |= qp->core.left & GLASS_LEFT_LOCALS;
			if (!used_up) {
				t.left--;
				continue;
			}
			if (!is_done(qp)) {
				if (next_turn(&t, run, qp)) {
					if (qp->dead)
						goto out;
					t.left = qp->turn;
					continue;
				}
				end = TURN_MORE;
				break;
			}
		}
		if (run->linger && glass_qp_streams(qp, now)) {
			end = TURN_WATCH;
			break;
		}
		if (glass_sq_sleep(qp))
			break;
		if (unlikely(used_up)) {
			WRITE_ONCE(qp->sq.hdr->awake, 1);
			end = TURN_MORE;
			break;
		}
		t.left--;
		/* what was posted meanwhile was posted later */
		now = glass_qp_now(qp);
	}
	glass_qp_arm(qp);
	spin_unlock(&qp->lock);
	end_turn(&t, run, qp);
	return end;
out:
	/* it is dead, and has no other turn */
	spin_unlock(&qp->lock);
	glass_copies_drop(qp);
	end_turn(&t, run, qp);
	return TURN_IDLE;
}

bool glass_sq_sleep(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	WRITE_ONCE(qp->sq.hdr->awake, 0);
	/* sleep only if nothing was posted before `awake` was seen 0 */
	smp_mb();
	return !glass_sq_has_posts(qp);
}

void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more)
{
	int old = GLASS_RUN_ACTIVE;

	if (!more && atomic_try_cmpxchg(&qp->run, &old, 0)) {
		if (unlikely(READ_ONCE(qp->closing)))
			wake_up_var(&qp->run);
		glass_ref_put(&qp->ref);
		return;
	}
	atomic_set(&qp->run, GLASS_RUN_QUEUED);
	glass_run_add(run, qp);
}

void glass_qp_run(struct glass_run *run, struct glass_qp *qp)
{
	enum turn_end end;

	atomic_xchg(&qp->run, GLASS_RUN_ACTIVE);
	end = run_turn(run, qp);
	if (end == TURN_WATCH)
		list_add_tail(&qp->run_node, &run->watched);
	else
		glass_qp_run_end(run, qp, end == TURN_MORE);
}

void glass_qp_flush_all(struct glass_qp *qp)
{
	/* who posts meanwhile has it flushed by the engine */
	u32 left = 2 * qp->sq.num + qp->rq.num, n;

	do {
		n = 0;
		spin_lock(&qp->lock);
		if (!qp->dead && (qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE)) {
			n = glass_sq_fetch(qp, GLASS_TURN_WRS, glass_qp_now(qp));
			n += glass_pqp_flush(&qp->core, GLASS_TURN_WRS);
		}
		spin_unlock(&qp->lock);
		left -= min(n, left);
		cond_resched();
	} while (n && left);
}

/* Long enough for a lane that others keep busy; a READ of gigabytes is not waited for. */
#define GLASS_SETTLE_JIFFIES (HZ / 10)

/* How long the caller may wait, in jiffies. */
static long settle_time(struct glass_deadline *until)
{
	unsigned long at;

	if (glass_killed())
		return 0;
	if (!until)
		return GLASS_SETTLE_JIFFIES;
	at = (jiffies + GLASS_SETTLE_JIFFIES) | 1; /* never 0 */
	at = cmpxchg(&until->at, 0, at) ?: at;
	return max_t(long, at - jiffies, 0);
}

void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until)
{
	long wait;
	bool owes;

	spin_lock(&qp->lock);
	glass_pqp_ack_now(&qp->core);
	owes = glass_resp_owed(&qp->core) || !list_empty(&qp->copies);
	WRITE_ONCE(qp->closing, owes);
	spin_unlock(&qp->lock);
	if (!owes)
		return;
	glass_qp_kick_inline(qp);
	if (atomic_read(&qp->run)) {
		wait = settle_time(until);
		trace_glass_qp_settle(glass_dev_name(qp->dev), qp->core.qpn, jiffies_to_msecs(wait));
		if (wait)
			wait_var_event_timeout(&qp->run, !atomic_read(&qp->run), wait);
	}
	WRITE_ONCE(qp->closing, false);
}
