// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Datagrams on the direct way (direct.h). */
#include "engine/direct_parts.h"

/* May b, at the port `to`, receive the packet as a UD QP of a program? If not, glass_port_receive() decides. */
static bool may_take(const struct glass_qp *b, const struct glass_link_port *to,
				     const struct glass_pkt *pkt)
{
	lockdep_assert_held(&b->lock);
	return !b->dead && b->core.type == GLASS_QPT_UD && b->core.is_user && b->core.attr.port == to->num &&
	       b->core.state != GLASS_QPS_RESET && glass_pkey_match(glass_qp_pkey(to->port, b), pkt->pkey) &&
	       glass_port_has_lid(to->port, pkt->dlid);
}

/* The part of a datagram's address on which its head depends, and the port where it arrives */
static __always_inline u64 address_key(const struct glass_swqe *w)
{
	u64 key;

	static_assert(offsetof(struct glass_av, dlid) == 0 && offsetofend(struct glass_av, has_grh) <= sizeof(key));
	memcpy(&key, &w->av, sizeof(key));
	return key;
}

static __always_inline void datagram_address(const struct glass_qp *qp, const struct glass_port *p, const struct glass_swqe *w,
					struct glass_pkt *pkt)
{
	pkt->dlid = w->av.dlid;
	glass_data_address(p, pkt, &w->av, qp->core.attr.pkey_index);
}

/*
 * May b receive datagrams with the address of w? Then remembers that, and the head of these packets, so that the next one
 * compares four numbers only.
 */
static noinline bool meet_receiver(const struct glass_qp *b, struct glass_qp *qp, const struct glass_link_port *lp,
				   const struct glass_link_port *to, const struct glass_swqe *w, struct glass_pkt *pkt)
{
	lockdep_assert_held(&b->lock);
	lockdep_assert_held(&qp->lock);
	datagram_address(qp, lp->port, w, pkt);
	if (!may_take(b, to, pkt))
		return false;
	glass_fill_headers(pkt, &w->av, GLASS_MIG_MIGRATED);
	memcpy(qp->direct_head, pkt, sizeof(qp->direct_head));
	qp->direct_av = address_key(w);
	glass_direct_remember(qp, b);
	return true;
}

/* Completes the receive of a datagram, if glass_direct_cqe() does not. */
static noinline void complete_datagram(struct glass_qp *b, const struct glass_link_port *in, const struct glass_pkt *pkt)
{
	struct glass_cqe cqe = glass_datagram_cqe(&b->core, pkt, glass_direct_meta(b, in, pkt));

	lockdep_assert_held(&b->lock);
	glass_env_complete(&b->core, &cqe);
}

/* Receives a datagram, if that is simple. */
static __always_inline enum glass_direct_taken take_datagram(struct glass_qp *b, const struct glass_link_port *in,
							     const struct glass_pkt *pkt)
{
	struct glass_cqe cqe;

	lockdep_assert_held(&b->lock);
	if (unlikely(!glass_datagram_fits(&b->core, pkt) || !glass_direct_receive(b, pkt, GLASS_GRH_BYTES)))
		return GLASS_DIRECT_LEFT;
	glass_datagram_rx(&b->core, pkt);
	cqe = glass_datagram_cqe(&b->core, pkt, glass_direct_meta(b, in, pkt));
	if (likely(glass_direct_cqe(b, &cqe)))
		return GLASS_DIRECT_SIMPLY;
	complete_datagram(b, in, pkt);
	return GLASS_DIRECT_TAKEN;
}

/* Passes a datagram. Unlocks b. */
static __always_inline enum glass_direct pass_datagram(struct glass_qp *qp, struct glass_link_port *lp, struct glass_qp *b,
						       struct glass_link_port *to, struct glass_run *run,
						       struct glass_swqe *w, int *left, u64 now)
{
	struct glass_pkt *pkt = &run->tx.pkt;
	enum glass_direct_taken taken;
	struct glass_direct_records records;
	bool work = false, keep;

	glass_single_begin(&qp->core, w, 1);
	memcpy(pkt, qp->direct_head, sizeof(qp->direct_head));
	glass_datagram_fill(&qp->core, w, pkt);
	if (trace_glass_wr_start_enabled())
		glass_env_note_start(&qp->core, w);
	if (unlikely(!glass_link_pass(lp, to, pkt, &qp->direct_way))) {
		glass_direct_forget(qp);
		spin_unlock(&b->lock);
		return GLASS_DIRECT_PACKET;
	}
	records = glass_direct_watch(run, &run->tx, qp, lp, b, to, qp->direct_pair, now);
	taken = take_datagram(b, to, pkt);
	if (unlikely(taken != GLASS_DIRECT_SIMPLY)) {
		if (taken == GLASS_DIRECT_LEFT)
			glass_direct_rx(b, to, pkt, now);
		glass_qp_fail_if_asked(b, now);
		work = glass_pqp_has_work(&b->core, now);
		glass_qp_arm(b);
	}
	glass_direct_watched(run, &run->tx, &records);
	/* before a completion lets a program deregister the memory */
	glass_direct_payload_put(&run->tx);
	*left -= glass_cost(pkt->len);
	/* it is locked and not dead, so this cannot fail; once it is unlocked, only a reference keeps it */
	keep = unlikely(work) && !WARN_ON_ONCE(!glass_ref_get(&b->ref));
	spin_unlock(&b->lock);
	if (unlikely(keep)) {
		glass_qp_kick(b, run);
		glass_ref_put(&b->ref);
	}
	glass_req_sent(&qp->core);
	return GLASS_DIRECT_DONE;
}

__attribute__((__hot__)) enum glass_direct
glass_direct_datagram(struct glass_qp *qp, struct glass_run *run, int *left, u64 now)
{
	struct glass_link_port *lp = &qp->dev->ports[qp->core.attr.port].link, *to;
	struct glass_swqe *w = glass_swqe_at(&qp->core, qp->core.req.cur);
	struct glass_pkt *pkt = &run->tx.pkt;
	struct glass_qp *b;

	lockdep_assert_held(&qp->lock);
	if (unlikely(!glass_datagram_is(&qp->core, w)))
		return GLASS_DIRECT_NO;
	if (likely(qp->direct_own == qp->core.changes && qp->direct_av == address_key(w) && glass_direct_same(qp, lp))) {
		to = qp->direct_to;
	} else {
		qp->direct_own = 0;
		datagram_address(qp, lp->port, w, pkt);
		/* a QP that sends to many ports would look at each packet */
		if (unlikely(qp->direct_dlid != pkt->dlid)) {
			glass_direct_forget(qp);
			qp->direct_dlid = pkt->dlid;
			qp->direct_wait = 1;
			return GLASS_DIRECT_NO;
		}
		to = glass_direct_port(qp, lp, pkt);
		if (unlikely(!to))
			return GLASS_DIRECT_NO;
	}
	b = glass_direct_lock(qp, to, w->dqpn, qp->direct_dlid);
	if (unlikely(!b))
		return GLASS_DIRECT_NO;
	if (unlikely(glass_injecting() && !(glass_inject_leaves(qp) && glass_inject_leaves(b))))
		goto unlock;
	if (unlikely(qp->direct_own != qp->core.changes || qp->direct_peer != b->core.changes) &&
	    !meet_receiver(b, qp, lp, to, w, pkt))
		goto look;
	glass_tx_begin(&run->tx, qp);
	if (likely(!w->len || glass_direct_payload(qp, w, &run->tx)))
		return pass_datagram(qp, lp, b, to, run, w, left, now);
look:
	/* the subnet manager has moved the LID */
	if (!glass_port_has_lid(to->port, qp->direct_dlid))
		glass_direct_forget(qp);
unlock:
	spin_unlock(&b->lock);
	return GLASS_DIRECT_NO;
}
