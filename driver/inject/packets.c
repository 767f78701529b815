// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The hooks for packets: from a QP to the link, and from the link to a QP (hooks.h). */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "inject/env.h"
#include "inject/hooks.h"
#include "observe/observe.h"
#include "inject/forge.h"
#include "inject/hold.h"
#include "inject/later.h"
#include "inject/spoil.h"

/*
 * Returns the first PSN of the requester. For a request that this QP sends, and for an answer that
 * it gets, the requester is this QP. Otherwise the requester is its peer.
 */
static u32 first_psn(const struct glass_qp *qp, enum glass_dir dir, enum glass_role role)
{
	/* sq_psn is the first PSN of the QP's own requests and of the answers to them */
	return (dir == GLASS_DIR_TX) == (role == GLASS_ROLE_REQ) ? READ_ONCE(qp->core.attr.sq_psn) :
								   READ_ONCE(qp->core.attr.rq_psn);
}

/*
 * Sets p->round. A new PSN, higher than all before it, has round 1. The round of a repeated PSN is
 * 1 plus the number of times that the stream has gone back since the last new PSN. The function
 * takes no lock: when packets arrive concurrently, only the round may be wrong.
 */
static void note_round(struct glass_qp *qp, u32 psn, struct glass_passing *p)
{
	u32 high = READ_ONCE(qp->seen[p->dir][p->role].high);
	u32 last = READ_ONCE(qp->seen[p->dir][p->role].last);
	u32 round = READ_ONCE(qp->seen[p->dir][p->role].round);

	p->round = 1;
	if (!round || glass_psn_cmp(psn, high) > 0) {
		WRITE_ONCE(qp->seen[p->dir][p->role].high, psn);
		round = 1;
	} else {
		if (glass_psn_cmp(psn, last) <= 0)
			round++;
		p->round = round;
	}
	WRITE_ONCE(qp->seen[p->dir][p->role].round, round);
	WRITE_ONCE(qp->seen[p->dir][p->role].last, psn);
}

/*
 * Fills *s with the values that rules can select by. Fills *p with the stream of the packet, and
 * with the place of the packet in this stream. `want` has the selectors of the rules
 * (glass_subject_packet()).
 */
static void describe_packet(struct glass_subject *s, struct glass_passing *p, struct glass_qp *qp,
			    u32 port, const struct glass_pkt *pkt, u32 want)
{
	glass_inject_describe(s, p, port, pkt, want);
	if (!qp) {
		p->source = (u32)pkt->slid << 16 ^ pkt->sqpn;
		return;
	}
	p->born = qp->born;
	p->qpn = qp->core.qpn;
	glass_subject_set(s, GLASS_SEL_QPN, p->qpn);
	glass_subject_set(s, GLASS_SEL_NQP, qp->born);
	if (qp->born_here)
		glass_subject_set(s, GLASS_SEL_PQP, qp->born_here);
	glass_subject_set(s, GLASS_SEL_QPTYPE, qp->core.type);
	glass_subject_set(s, GLASS_SEL_STATE, READ_ONCE(qp->core.state));
	glass_subject_set(s, GLASS_SEL_PID, qp->owner.pid);
	s->keys |= BIT(GLASS_SEL_COMM);
	memcpy(s->comm, qp->owner.comm, sizeof(s->comm));
	if (glass_type_is_connected(qp->core.type)) {
		p->fixed = true;
		p->rpsn = (pkt->psn - first_psn(qp, p->dir, p->role)) & GLASS_PSN_MASK;
		note_round(qp, pkt->psn, p);
		glass_subject_set(s, GLASS_SEL_RPSN, p->rpsn);
		glass_subject_set(s, GLASS_SEL_ROUND, p->round);
	} else if (p->dir == GLASS_DIR_RX) {
		p->source = (u32)pkt->slid << 16 ^ pkt->sqpn;
	}
}

/* Passes the packet on. But if earlier packets of its QP and direction are held, holds it, too. */
static void inject_pass_packet(struct glass_dev *dev, const struct glass_passing *p, u32 port,
			       const struct glass_pkt *pkt, struct glass_run *run)
{
	if (unlikely(glass_hold_any(dev)) && glass_hold_behind(dev, p, port, pkt))
		return;
	if (p->dir == GLASS_DIR_TX)
		glass_inject_env_send(dev, port, pkt, run);
	else
		glass_inject_env_deliver(dev, port, pkt, run);
}

static void inject_lose_packet(struct glass_dev *dev, const struct glass_passing *p, u32 port,
			       const struct glass_pkt *pkt, enum glass_drop why)
{
	if (p->dir == GLASS_DIR_TX)
		glass_drop_note(&dev->drops, glass_dev_name(dev), port, GLASS_AT_TX, pkt, why);
	else
		glass_port_drop(dev, port, GLASS_AT_RX, pkt, why);
}

static bool inject_delay_packet(struct glass_dev *dev, const struct glass_passing *p, u32 port,
				const struct glass_pkt *pkt, const struct glass_hit *hit)
{
	struct glass_waiting *w = glass_later_copy(pkt, pkt->wire_len);

	if (!w)
		return false;
	w->due = ktime_get_ns() + hit->time;
	w->rule = hit->id;
	w->port = port;
	w->dir = p->dir;
	w->role = p->role;
	w->born = p->born;
	w->gap = hit->action == GLASS_ACT_REORDER ? hit->gap : 0;
	return glass_later_add(dev, w);
}

/* Is this a packet of a connected QP at an Ethernet port? */
static bool is_roce(const struct glass_qp *qp, const struct glass_pkt *pkt)
{
	return qp && glass_type_is_connected(qp->core.type) && qp->core.attr.av.ethernet &&
	       pkt->lnh == GLASS_LNH_GLOBAL;
}

/* Passes the packet on with the mark CE. */
static noinline_for_stack void inject_mark(struct glass_dev *dev, const struct glass_passing *p,
					   u32 port, const struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_pkt marked = *pkt;

	marked.grh.tclass |= GLASS_ECN_CE;
	inject_pass_packet(dev, p, port, &marked, run);
}

/*
 * Carries out the rule's action on a packet. Returns true if the caller is done with the packet.
 * Returns false if the caller must pass the packet on: the action was not possible, or it has only
 * sent copies of the packet.
 */
static bool inject_act_on_packet(struct glass_dev *dev, const struct glass_passing *p, u32 port,
				 struct glass_qp *qp, const struct glass_pkt *pkt,
				 struct glass_run *run, const struct glass_hit *hit)
{
	struct glass_waiting *w;
	u32 i, bit;

	switch (hit->action) {
	case GLASS_ACT_DROP:
		inject_lose_packet(dev, p, port, pkt, GLASS_DROP_INJECTED);
		return true;
	case GLASS_ACT_DUP:
		for (i = 0; i < hit->copies; i++)
			inject_pass_packet(dev, p, port, pkt, run);
		return false;
	case GLASS_ACT_DELAY:
	case GLASS_ACT_REORDER:
		if (inject_delay_packet(dev, p, port, pkt, hit))
			return true;
		break;
	case GLASS_ACT_CORRUPT:
	case GLASS_ACT_TRUNCATE:
		w = glass_spoil(pkt, hit, &bit);
		glass_inject_note_extra(dev->inject, hit->seq, w ? bit : 0);
		if (!w)
			break;
		w->pkt.fate = pkt->fate;
		/*
		 * Drop a damaged packet here if it has arrived at this port. Drop a damaged SMP in
		 * any case, because a switch's agent would execute it. The port that receives any
		 * other damaged packet drops it.
		 */
		if (w->pkt.spoilt && (p->dir == GLASS_DIR_RX || pkt->vl == GLASS_VL_SMP))
			inject_lose_packet(dev, p, port, &w->pkt, w->pkt.spoilt);
		else
			inject_pass_packet(dev, p, port, &w->pkt, run);
		kfree(w);
		return true;
	case GLASS_ACT_NAK:
	case GLASS_ACT_RNR:
	case GLASS_ACT_ACK:
		if (!glass_forge(dev, p, port, qp, pkt, run, hit))
			break;
		inject_lose_packet(dev, p, port, pkt, GLASS_DROP_INJECTED);
		return true;
	case GLASS_ACT_ECN:
	case GLASS_ACT_CNP:
		if (!is_roce(qp, pkt))
			break;
		if (hit->action == GLASS_ACT_CNP) {
			glass_forge_cnp(dev, p, port, qp, pkt, run, hit);
			return false;
		}
		if (p->dir == GLASS_DIR_TX) {
			inject_mark(dev, p, port, pkt, run);
			return true;
		}
		glass_inject_env_marked(dev, port, pkt, run);
		return false;
	default:
		return false;
	}
	glass_inject_no_room(dev->inject);
	return false;
}

/*
 * Is a packet of the device held, or does one wait to be overtaken? Both may be so when their rule is
 * over (count=). The hooks must then look at all packets of the device.
 */
static bool packets_wait(const struct glass_dev *dev)
{
	return glass_hold_any(dev) || glass_later_gaps(dev);
}

/*
 * Must the hook look at this packet? Returns false on the fast path: no rule can match the packet,
 * no packet of the device is held, and none waits to be overtaken. Keep this test out of
 * inject_try_packet(), where the compiler may set the large variables to zero before the test.
 */
static bool of_interest(struct glass_dev *dev, struct glass_qp *qp)
{
	return !qp || glass_qp_concerned(qp, GLASS_INJECT_PACKETS) || packets_wait(dev);
}

bool glass_inject_ask_leaves(struct glass_qp *qp)
{
	/* pairs with the release in glass_inject_changed(): the tests below see all changes that this count has */
	long changes = atomic_long_read_acquire(&qp->dev->inject->changes);

	lockdep_assert_held(&qp->lock);
	/* not of_interest(): the static branch changes at one place after the other, and the answer is remembered */
	if (glass_qp_may_match(qp, GLASS_INJECT_PACKETS) || packets_wait(qp->dev))
		return false;
	qp->leaves_since = changes;
	return true;
}

/*
 * Call this after a packet has overtaken another one that is now due. Queues the work that delivers
 * the overtaken packet, on this CPU and with high priority. Then yields, so that the work runs
 * before this context sends its next packet. The caller holds no lock.
 */
static void inject_kick_overtaken(struct glass_dev *dev)
{
	glass_later_kick(dev);
	cond_resched();
}

static noinline_for_stack bool inject_try_packet(struct glass_dev *dev, u32 port,
						 struct glass_qp *qp, enum glass_dir dir,
						 const struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_passing p = {
		.site = GLASS_INJECT_PACKETS,
		.dev = glass_dev_name(dev),
		.dir = dir,
	};
	bool overtook, fired, done = false;
	struct glass_subject s;
	struct glass_hit hit;
	u64 held = 0;
	u32 want;

	/*
	 * Rules see neither forged answers nor trains (pkt->more, wire/train.h). A train that comes
	 * here was already in flight when the first rule was added.
	 */
	if (pkt->more || pkt->forged ||
	    (!glass_inject_wants(dev->inject, p.site, dir, &want) && !packets_wait(dev)))
		return false;
	describe_packet(&s, &p, qp, port, pkt, want);
	overtook = glass_later_passed(dev, p.born, p.dir, p.role);
	/*
	 * Ask the rules and hold the packet in one RCU section. A command that ends the rule waits
	 * for this section before it releases the held packets. So the command also releases the
	 * packet that is added here.
	 */
	rcu_read_lock();
	fired = glass_inject_ask(dev->inject, &s, &p, &hit);
	if (fired && hit.action == GLASS_ACT_HOLD)
		held = glass_hold_add(dev, &p, port, pkt, &hit);
	rcu_read_unlock();
	if (!fired) {
		if (likely(!overtook && !glass_hold_any(dev)))
			return false;
		inject_pass_packet(dev, &p, port, pkt, run);
		if (overtook)
			inject_kick_overtaken(dev);
		return true;
	}
	if (pkt->fate)
		memcpy(pkt->fate->rule, hit.rule, sizeof(pkt->fate->rule));
	if (held)
		glass_hold_freeze(dev, qp, held, &hit);
	else if (hit.action == GLASS_ACT_HOLD)
		glass_inject_no_room(dev->inject);
	else
		done = inject_act_on_packet(dev, &p, port, qp, pkt, run, &hit);
	done |= held;
	if (!done && unlikely(glass_hold_any(dev))) {
		inject_pass_packet(dev, &p, port, pkt, run);
		done = true;
	}
	if (!overtook)
		return done;
	if (!done)
		inject_pass_packet(dev, &p, port, pkt, run);
	inject_kick_overtaken(dev);
	return true;
}

bool glass_inject_sent(struct glass_dev *dev, u32 port, struct glass_qp *qp,
		       const struct glass_pkt *pkt, struct glass_run *run)
{
	return of_interest(dev, qp) && inject_try_packet(dev, port, qp, GLASS_DIR_TX, pkt, run);
}

bool glass_inject_arrived(struct glass_dev *dev, u32 port, struct glass_qp *qp,
			  const struct glass_pkt *pkt, struct glass_run *run)
{
	return of_interest(dev, qp) && inject_try_packet(dev, port, qp, GLASS_DIR_RX, pkt, run);
}
