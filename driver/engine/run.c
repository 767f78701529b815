// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs a QP for a turn (engine.h): fetches its work requests, sends its packets, and flushes its
 * queues in ERR and SQE.
 */
#include <linux/wait_bit.h>

#include "engine/direct.h"
#include "engine/engine.h"
#include "engine/lane.h"
#include "engine/lint.h"
#include "engine/patience.h"
#include "engine/train.h"
#include "link/link.h"
#include "observe/observe.h"
#include "engine/copies.h"
#include "engine/packet.h"
#include "proto/wqe.h"

bool glass_qp_needs_turn(struct glass_qp *qp, u64 now)
{
	lockdep_assert_held(&qp->lock);
	return qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE ||
	       glass_pqp_has_work(&qp->core, now) || glass_sq_has_posts(qp);
}

/* If pkt is the first packet of a work request, traces that the request begins, or begins again. */
static noinline void note_first_packet(struct glass_qp *qp, const struct glass_pkt *pkt)
{
	const struct glass_swqe *w = glass_swqe_at(&qp->core, qp->core.req.cur);

	lockdep_assert_held(&qp->lock);
	/* pkt may be the last packet of its request: then `cur` is already the next request */
	if (w->flow != pkt->flow)
		w = glass_swqe_at(&qp->core, qp->core.req.cur - 1);
	if (pkt->psn == w->psn)
		glass_env_note_start(&qp->core, w);
}

/*
 * Fills tx with the next packet that the QP can send: an answer if it owes one, else a request.
 * `left` is the remaining budget of the turn. Returns false if the QP can send no packet now.
 */
static bool next_packet(struct glass_qp *qp, struct glass_tx *tx, int left, u64 now)
{
	bool got;

	glass_tx_begin(tx, qp);
	tx->av = NULL;
	tx->pkey_index = 0;
	tx->when = now;
	tx->tick = jiffies;
	qp->core.ack_later = !glass_qp_concerned(qp, GLASS_INJECT_PACKETS);
	qp->core.max_more = glass_train_limit(qp, left);
	got = glass_resp_owed(&qp->core) &&
	      glass_resp_next(&qp->core, &tx->pkt, &tx->av, &tx->pkey_index, now);
	if (!got) {
		/* one branch, not one in each of begin and end: this is the path of all packets */
		if (glass_linting()) {
			glass_lint_begin(qp, 0);
			got = glass_req_next(&qp->core, &tx->pkt, &tx->av, &tx->pkey_index, now);
			glass_lint_end(qp);
		} else {
			got = glass_req_next(&qp->core, &tx->pkt, &tx->av, &tx->pkey_index, now);
		}
		if (got && trace_glass_wr_start_enabled())
			note_first_packet(qp, &tx->pkt);
	}
	if (got)
		glass_port_address(qp->dev, qp->core.attr.port, &tx->pkt, tx->av, tx->pkey_index);
	return got;
}

/*
 * Ends the loan (GLASS_LENT_OUT, proto/qp.h) of a packet's buffers, after the engine has delivered
 * the packet. Called only if a flush or a verb waits for the end of the loan.
 */
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
	/* either the waiter sees `lent` cleared, or wake_up_var() sees the waiter */
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

enum turn_end {
	TURN_IDLE, /* the QP can do no work now, or it is dead */
	TURN_MORE, /* work may be left: the QP waits for another turn */
	/* as TURN_IDLE, but a post is likely; the lane watches the ring, and `awake` remains 1 */
	TURN_WATCH,
	TURN_SLOW, /* the QP waits for a network interface (run->slow), or because of CNPs */
};

/*
 * Returns the NeighborMTU of the QP's port in bytes. The subnet manager may change it at any time.
 */
static u16 port_mtu(const struct glass_qp *qp)
{
	return glass_mtu_bytes(READ_ONCE(qp->dev->node_ports[qp->core.attr.port].mtu_active));
}

static void begin_turn(struct glass_turn *t)
{
	t->left = GLASS_TURN;
	t->wrs = GLASS_TURN_WRS;
}

static __always_inline void end_turn(const struct glass_turn *t, struct glass_run *run, const struct glass_qp *qp)
{
	run->budget--;
	trace_glass_turn(glass_dev_name(qp->dev), qp->core.qpn, qp->owner.pid, run->lane,
			 GLASS_TURN - t->left, GLASS_TURN_WRS - t->wrs);
}

/*
 * Called when the turn is used up and more work may be left. If this context has turns left and
 * nothing else waits for it (glass_run_alone()), begins another turn of the QP and returns true. In
 * that case, drops and retakes the QP's lock.
 */
static bool next_turn(struct glass_turn *t, struct glass_run *run, struct glass_qp *qp)
{
	if (run->budget <= 1 || !glass_run_alone(run))
		return false;
	end_turn(t, run, qp);
	begin_turn(t);
	/* a context that spins for the lock may take it here */
	spin_unlock(&qp->lock);
	spin_lock(&qp->lock);
	return true;
}

/*
 * Has the QP done all its work? Also returns false if requests are left that the protocol does not
 * allow the QP to send now (fence, window, credits).
 */
static bool is_done(struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	return q->req.cur == q->req.head && !q->left && !glass_resp_owed(q) && list_empty(&qp->copies) &&
	       !glass_sq_has_posts(qp);
}

/*
 * Makes deferred copies of the last multicast datagram (copies.h), but only as many as fit into a
 * turn. Returns the remaining budget. A positive budget means that all copies are made, so the QP
 * may send again. Drops and retakes the QP's lock.
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

/* Handles the QP's timers that have fired since its last turn. */
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

/*
 * glass_sq_fetch() of a QP in RTS. Inline for the usual case, that one WQE is posted which glass_swqe_take_one() takes,
 * and nobody looks.
 */
static __always_inline u32 fetch_posts(struct glass_qp *qp, int max, u64 now)
{
	struct glass_pqp *q = &qp->core;
	u32 head = q->req.head, seen;
	enum glass_wc_status status;
	struct glass_swqe *w;

	lockdep_assert_held(&qp->lock);
	/* pairs as in glass_sq_posted(): the WQE before `producer` is written */
	seen = smp_load_acquire(&qp->sq.hdr->producer);
	if (seen == head)
		return 0;
	if (unlikely(seen - head != 1 || head - q->req.tail >= q->sq_entries || max <= 0) ||
	    (glass_injecting() && unlikely(qp->frozen)) || glass_strict_any() || trace_glass_wr_post_enabled())
		return glass_sq_fetch(qp, max, now);
	w = glass_swqe_at(q, head);
	status = glass_swqe_take_one(q, w, glass_ring_at(&qp->sq, head));
	if (unlikely(status == GLASS_WC_COUNT))
		return glass_sq_fetch(qp, max, now);
	w->status = status;
	w->flow = qp->flow_base | head;
	w->post_ns = now;
	WRITE_ONCE(q->req.head, head + 1);
	/* pairs as in glass_sq_fetch() */
	smp_store_release(&qp->sq.hdr->consumer, head + 1);
	return 1;
}

/*
 * Runs a QP for a turn, or for several turns in a row (next_turn()). Returns how the last turn
 * ended.
 */
static enum turn_end run_turn(struct glass_run *run, struct glass_qp *qp)
{
	enum turn_end end = TURN_IDLE;
	struct glass_tx *tx = &run->tx;
	struct glass_turn *t = &run->turn;
	bool flushes, used_up;
	u32 n;
	u64 now;

	begin_turn(t);
	spin_lock(&qp->lock);
	if (qp->dead)
		goto out;
	t->left = qp->turn;
	if (unlikely(qp->core.type != GLASS_QPT_RC) && !glass_type_is_connected(qp->core.type))
		qp->core.port_mtu = port_mtu(qp);
	now = glass_qp_now(qp);
	if (unlikely(READ_ONCE(qp->alarms)))
		ring_alarms(qp, now);
	glass_qp_fail_if_asked(qp, now);
	for (;;) {
		WRITE_ONCE(qp->sq.hdr->awake, 1);
		flushes = false;
		if (likely(qp->core.state == GLASS_QPS_RTS)) {
			n = fetch_posts(qp, t->wrs, now);
		} else {
			flushes = qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE;
			if (flushes)
				t->wrs -= glass_pqp_flush(&qp->core, t->wrs);
			n = glass_sq_fetch(qp, t->wrs, now);
		}
		if (n) {
			qp->posted_ns = now;
			t->wrs -= n;
			if (unlikely(flushes))
				qp->core.left |= GLASS_LEFT_FLUSH;
		}
		while (t->left > 0) {
			enum glass_direct direct = GLASS_DIRECT_NO;
			u32 port;

			/* first the tests that glass_pqp_may_send() and glass_direct_may() share */
			if (!glass_resp_owed(&qp->core)) {
				if (qp->core.req.cur == qp->core.req.head)
					break;
				if (glass_direct_may(qp))
					direct = glass_direct_next(qp, run, &t->left, now);
			}
			if (direct == GLASS_DIRECT_PACKET) {
				tx->when = now;
				tx->tick = jiffies;
			} else if (direct == GLASS_DIRECT_NO) {
				if (!next_packet(qp, tx, t->left, now))
					break;
				if (glass_direct_may_packet(qp) && glass_direct_packet(qp, run, &t->left, now))
					direct = GLASS_DIRECT_DONE;
			}
			if (direct == GLASS_DIRECT_DONE) {
				glass_qp_fail_if_asked(qp, now);
				/* the lock was dropped if the answer was stopped */
				if (unlikely(qp->dead))
					goto out;
				if (likely(!glass_pqp_may_send(&qp->core)))
					break;
				/* a context that spins for the lock may take it here */
				spin_unlock(&qp->lock);
				spin_lock(&qp->lock);
				if (unlikely(qp->dead))
					goto out;
				now = glass_qp_now(qp);
				continue;
			}
			port = qp->core.attr.port;
			qp->core.lent = GLASS_LENT_OUT;
			spin_unlock(&qp->lock);
			tx->left = t->left - glass_cost(tx->pkt.len);
			glass_port_send(qp->dev, port, &tx->pkt, run);
			/*
			 * Drop the references to regions before taking the lock. The present holder
			 * of the lock may be invalidating one of these regions, and polling until
			 * no packet refers to the region (keys.c).
			 */
			glass_env_payload_put(&qp->core, &tx->pkt);
			t->left = tx->left;
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
		used_up = t->left <= 0 || t->wrs <= 0;
		if (unlikely(used_up | qp->core.left)) {
			if (t->left <= GLASS_TURN_SLOW) {
				t->left = 0;
				end = TURN_SLOW;
				break;
			}
			if (t->left == GLASS_TURN_COPIES) {
				t->left = copy_on(run, qp);
				if (qp->dead)
					goto out;
				now = glass_qp_now(qp);
				continue;
			}
			/*
			 * the turn also ends after GLASS_LOCAL_SLICE local operations, or if one of
			 * them cannot be carried out yet (GLASS_LEFT_LOCALS)
			 */
			used_up |= qp->core.left & GLASS_LEFT_LOCALS;
			if (!used_up) {
				t->left--;
				continue;
			}
			if (!is_done(qp)) {
				if (next_turn(t, run, qp)) {
					if (qp->dead)
						goto out;
					t->left = qp->turn;
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
		t->left--;
		/* the ring holds new posts, which get this later time as their post time */
		now = glass_qp_now(qp);
	}
	glass_qp_arm(qp);
	spin_unlock(&qp->lock);
	end_turn(t, run, qp);
	return end;
out:
	/* the QP is dead: this is its last turn */
	if (t->left <= GLASS_TURN_SLOW)
		t->left = 0;
	spin_unlock(&qp->lock);
	glass_copies_drop(qp);
	end_turn(t, run, qp);
	return TURN_IDLE;
}

bool glass_sq_sleep(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	WRITE_ONCE(qp->sq.hdr->awake, 0);
	/*
	 * Orders the store to `awake` before the last look at the ring. Pairs with
	 * glass_full_barrier() in post_one(), post_send() and complete() of the provider: either this
	 * look finds the post, or the provider reads 0 and rings the doorbell.
	 */
	smp_mb();
	return !glass_sq_has_posts(qp);
}

static __always_inline void run_ended(struct glass_run *run, struct glass_qp *qp, bool more)
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

void glass_qp_run_end(struct glass_run *run, struct glass_qp *qp, bool more)
{
	run_ended(run, qp, more);
}

void glass_qp_run(struct glass_run *run, struct glass_qp *qp)
{
	enum turn_end end;

	/* a full barrier: pairs with smp_mb() in glass_qp_claim() */
	atomic_xchg(&qp->run, GLASS_RUN_ACTIVE);
	end = run_turn(run, qp);
	if (unlikely(run->batch.skb))
		glass_link_flush(run);
	if (likely(end == TURN_IDLE)) {
		run_ended(run, qp, false);
	} else if (end == TURN_WATCH) {
		list_add_tail(&qp->run_node, &run->watched);
	} else if (end == TURN_SLOW) {
		atomic_set(&qp->run, GLASS_RUN_QUEUED);
		/* the frames that are on their way may be those that wait for a lane of this host */
		if (run->lane < 0)
			glass_help_lanes(glass_this_lane(), run, true);
		if (run->slow)
			glass_congestion_wait(run, qp);
		else
			glass_pace_wait(run, qp);
	} else {
		run_ended(run, qp, true);
	}
}
