// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets on the direct way (direct.h). The sender's lock is held, and the receiver's is only tried,
 * so that two QPs that send to each other at the same time do not wait for each other: one of them
 * then uses glass_port_send(), which holds one lock at a time.
 */
#include "engine/direct_long.h"
#include "engine/train.h"

atomic64_t glass_direct_pairs = ATOMIC64_INIT(0);

/* As glass_port_address(), but also sets the DLID, which the core would set. */
static __always_inline void packet_address(const struct glass_qp *qp, const struct glass_port *p, struct glass_pkt *pkt)
{
	pkt->dlid = qp->core.attr.av.dlid;
	glass_data_address(p, pkt, &qp->core.attr.av, qp->core.attr.pkey_index);
}

/*
 * Does the peer, at the port `to`, receive the packet as a packet of its connection? If not,
 * glass_qp_receive() decides. The peer is a program's QP: the handler of a kernel consumer's completions would
 * run under both locks.
 */
static bool peer_takes(const struct glass_qp *b, const struct glass_qp *qp,
				       const struct glass_link_port *to, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q = &b->core;

	lockdep_assert_held(&b->lock);
	return !b->dead && q->type == GLASS_QPT_RC && q->is_user && q->attr.port == to->num &&
	       (q->state == GLASS_QPS_RTS || q->state == GLASS_QPS_RTR) && !q->attr.mig_state &&
	       !q->attr.av.has_grh && q->attr.av.dlid == pkt->slid && q->attr.dest_qpn == qp->core.qpn &&
	       glass_pkey_match(glass_qp_pkey(to->port, b), pkt->pkey) &&
	       glass_port_has_lid(to->port, pkt->dlid);
}

/*
 * Does the peer take packets of this connection? Then remembers that, and the head of these packets, so that the next packet
 * compares three numbers only.
 */
static noinline bool meet_peer(const struct glass_qp *b, struct glass_qp *qp, const struct glass_link_port *lp,
			       const struct glass_link_port *to, struct glass_pkt *pkt)
{
	lockdep_assert_held(&b->lock);
	lockdep_assert_held(&qp->lock);
	static_assert(offsetof(struct glass_pkt, psn) == sizeof(qp->direct_head));
	packet_address(qp, lp->port, pkt);
	if (!peer_takes(b, qp, to, pkt))
		return false;
	glass_single_head(&qp->core, pkt);
	memcpy(qp->direct_head, pkt, sizeof(qp->direct_head));
	glass_direct_remember(qp, b);
	return true;
}

/*
 * Takes an answer from the port `to` to qp at the port lp, if it receives it as a packet of its connection. The
 * subnet manager may have changed the ports since peer_takes().
 */
static __always_inline bool pass_back(const struct glass_qp *qp, struct glass_link_port *lp, struct glass_qp *b,
				      struct glass_link_port *to, const struct glass_pkt *pkt)
{
	return likely(glass_pkey_match(glass_qp_pkey(lp->port, qp), pkt->pkey) &&
		      glass_port_has_lid(lp->port, pkt->dlid)) &&
	       likely(glass_link_pass(to, lp, pkt, &b->direct_way));
}

/* How an answer went */
enum answer {
	ANSWER_NONE, /* the peer gives none now: a page is absent, or the message goes on */
	ANSWER_BROUGHT,
	ANSWER_STOPPED, /* a port on its way does not let it pass: it is still in run->answer */
};

/* Brings the answer to the packet that b has just received, if it gives one now, to qp. */
static __always_inline enum answer bring_answer(struct glass_qp *qp, struct glass_link_port *lp,
						struct glass_qp *b, struct glass_link_port *to,
						struct glass_run *run, u64 now)
{
	struct glass_tx *tx = &run->answer;
	const struct glass_av *av;
	struct glass_direct_records records;
	u16 pkey_index;

	lockdep_assert_held(&qp->lock);
	lockdep_assert_held(&b->lock);
	if (unlikely(!glass_resp_owed(&b->core)))
		return ANSWER_NONE;
	glass_tx_begin(tx, b);
	b->core.max_more = 0;
	if (unlikely(!glass_resp_next(&b->core, &tx->pkt, &av, &pkey_index, now)))
		return ANSWER_NONE;
	glass_port_address(b->dev, to->num, &tx->pkt, av, pkey_index);
	if (unlikely(!pass_back(qp, lp, b, to, &tx->pkt)))
		return ANSWER_STOPPED;
	/* readers put records in the order of their time */
	records = glass_direct_watch(run, tx, b, to, qp, lp, qp->direct_pair | 1, now + 1);
	/* the time that an RNR NAK asks for begins now */
	glass_direct_rx(qp, lp, &tx->pkt,
			unlikely((tx->pkt.syndrome & GLASS_AETH_KIND) == GLASS_AETH_RNR) ? glass_qp_now(qp) : now);
	glass_direct_watched(run, tx, &records);
	glass_env_payload_put(&b->core, &tx->pkt);
	return ANSWER_BROUGHT;
}

/*
 * Sends an answer that was stopped, because its way has changed, as b's turn would: the ports there decide, and
 * observers see its fate. The run has no other packet now.
 */
static noinline void send_stopped(struct glass_qp *qp, struct glass_qp *b, struct glass_link_port *to,
				  struct glass_run *run, u64 now)
{
	struct glass_tx *tx = &run->tx;

	lockdep_assert_held(&qp->lock);
	glass_direct_forget(qp);
	spin_unlock(&qp->lock);
	*tx = run->answer;
	tx->pkt.fate = &tx->fate;
	tx->pkt.seg = tx->seg;
	tx->when = now;
	tx->tick = jiffies;
	glass_port_send(b->dev, to->num, &tx->pkt, run);
	glass_env_payload_put(&b->core, &tx->pkt);
	spin_lock(&qp->lock);
}

/* Unlocks b, which has received a packet of qp. Kicks it if it has work now. The answer to the packet may have stopped. */
static __always_inline void leave_peer(struct glass_qp *qp, struct glass_qp *b, struct glass_link_port *to,
				       struct glass_run *run, enum answer answer, u64 now)
{
	bool work, keep;

	lockdep_assert_held(&b->lock);
	work = glass_pqp_has_work(&b->core, now);
	/* it is locked and not dead, so this cannot fail; once it is unlocked, only a reference keeps it */
	keep = unlikely(work || answer == ANSWER_STOPPED) && !WARN_ON_ONCE(!glass_ref_get(&b->ref));
	glass_qp_arm(b);
	spin_unlock(&b->lock);
	if (likely(!keep))
		return;
	if (answer == ANSWER_STOPPED)
		send_stopped(qp, b, to, run, now);
	if (work)
		glass_qp_kick(b, run);
	glass_ref_put(&b->ref);
}

/*
 * A request that is about to pass from one QP to the other. Functions have a constant `is_long`: a SEND or WRITE that is a train,
 * or whose data lie in several pages (direct_long.h).
 */
struct request {
	struct glass_swqe *w;
	u32 pkts; /* 1, or those of a train */
	bool answers; /* can the peer send the answer at once? It sends what it owes already before. */
	bool takes; /* a SEND that takes no more than the peer's next receive */
	/* the peer's memory, if the request does no more than to use it */
	void *at;
	struct glass_mr *mr; /* the region of `at`, with a reference */
	struct glass_direct_span span; /* of a long request: the same memory. `at` is where it begins. */
	/* a READ or atomic with `at`: where the answer goes, and its region, with a reference */
	void *into;
	struct glass_mr *into_mr;
};

/* Finds the memory at both ends of a READ or atomic, if it and its answer are simple. */
static __always_inline void find_both(struct glass_qp *qp, struct glass_qp *b, struct request *r)
{
	static const u32 access[] = {
		[GLASS_OP_READ] = IB_ACCESS_REMOTE_READ,
		[GLASS_OP_CMP_SWAP] = IB_ACCESS_REMOTE_ATOMIC,
		[GLASS_OP_FETCH_ADD] = IB_ACCESS_REMOTE_ATOMIC,
	};
	struct glass_swqe *w = r->w;
	u32 len = w->op == GLASS_OP_READ ? w->len : sizeof(u64);

	if (unlikely(w->num_sge != 1 || !w->len || !glass_single_get_fits(&b->core, &qp->core, w)))
		return;
	r->at = glass_direct_bytes(b, w->rkey, w->raddr, len, access[w->op], &r->mr);
	if (unlikely(!r->at))
		return;
	r->into = glass_direct_bytes(qp, w->sge[0].lkey, w->sge[0].addr, len, IB_ACCESS_LOCAL_WRITE, &r->into_mr);
	if (likely(r->into && (w->op == GLASS_OP_READ || IS_ALIGNED(w->raddr | (uintptr_t)r->at, sizeof(u64)))))
		return;
	if (r->into)
		glass_ref_put(&r->into_mr->ref);
	glass_ref_put(&r->mr->ref);
	r->at = NULL;
}

/*
 * Fills *r for the request at cur, and tx with its payload. Both QPs stay as they are. Returns false if the peer b may
 * not take the request, or if the data of the request are not simple.
 */
static __always_inline bool prepare_request(struct glass_qp *qp, const struct glass_link_port *lp, struct glass_qp *b,
					    const struct glass_link_port *to, struct glass_tx *tx,
					    struct request *r, bool gets, bool is_long)
{
	const struct glass_pqp *q = &qp->core, *p = &b->core;
	u32 pkts = is_long ? r->pkts : 1;
	struct glass_swqe *w = r->w;

	if (unlikely(qp->direct_own != qp->core.changes || qp->direct_peer != b->core.changes) &&
	    !meet_peer(b, qp, lp, to, &tx->pkt))
		return false;
	glass_tx_begin(tx, qp);
	r->at = NULL;
	r->takes = false;
	r->answers = !p->lent && !p->pages && !glass_resp_owed(p);
	if (gets) {
		/* READ data of several packets takes turns of the peer */
		r->answers &= w->op != GLASS_OP_READ || w->len <= p->attr.mtu;
		if (likely(r->answers))
			find_both(qp, b, r);
		return true;
	}
	/* one ACK is for all requests that come before the peer has its turn */
	r->answers &= q->req.cur + 1 == q->req.head && !glass_sq_has_posts(qp);
	r->takes = (w->op == GLASS_OP_SEND || w->op == GLASS_OP_SEND_IMM) && glass_single_send_fits(p, q->req.psn, w->len, pkts);
	if (unlikely(!w->len))
		return true;
	if (unlikely(is_long ? !glass_direct_long_payload(qp, w, tx) : !glass_direct_payload(qp, w, tx)))
		return false;
	if (w->op != GLASS_OP_WRITE || !glass_single_write_fits(p, q->req.psn, w->len, pkts))
		return true;
	if (!is_long) {
		r->at = glass_direct_bytes(b, w->rkey, w->raddr, w->len, IB_ACCESS_REMOTE_WRITE, &r->mr);
	} else if (likely(glass_direct_span(b, w->rkey, w->raddr, w->len, IB_ACCESS_REMOTE_WRITE, &r->span))) {
		r->at = *r->span.page + r->span.off;
		r->mr = r->span.mr;
	}
	return true;
}

/* Places the data of a WRITE, as glass_env_remote_write() does, and accepts the packet. */
static __always_inline void place_write(struct glass_qp *b, const struct glass_pkt *pkt, const struct request *r,
					bool is_long)
{
	lockdep_assert_held(&b->lock);
	if (is_long) {
		glass_direct_place(r->span.page, r->span.off, pkt, true);
	} else {
		/* as in glass_write_piece() */
		smp_wmb();
		glass_place_piece(r->at, pkt->seg[0].addr, pkt->len);
	}
	atomic64_inc(&r->mr->remote_writes);
	glass_ref_put(&r->mr->ref);
	glass_single_write_rx(&b->core, pkt, is_long ? r->pkts : 1);
}

/* Completes the receive of a SEND, if glass_direct_cqe() does not. */
static noinline void complete_send(struct glass_qp *b, const struct glass_pkt *pkt)
{
	struct glass_cqe cqe = glass_single_send_cqe(&b->core, pkt);

	lockdep_assert_held(&b->lock);
	glass_env_complete(&b->core, &cqe);
}

/* Receives a SEND, if that is simple. */
static __always_inline enum glass_direct_taken take_send(struct glass_qp *b, const struct glass_pkt *pkt,
							 const struct request *r, bool is_long)
{
	struct glass_cqe cqe;

	lockdep_assert_held(&b->lock);
	if (unlikely(is_long ? !glass_direct_receive_long(b, pkt) : !glass_direct_receive(b, pkt, 0)))
		return GLASS_DIRECT_LEFT;
	glass_single_send_rx(&b->core, pkt, is_long ? r->pkts : 1);
	cqe = glass_single_send_cqe(&b->core, pkt);
	if (likely(glass_direct_cqe(b, &cqe)))
		return GLASS_DIRECT_SIMPLY;
	complete_send(b, pkt);
	return GLASS_DIRECT_TAKEN;
}

/*
 * Carries out a READ or atomic at b, and brings the answer to qp: what glass_direct_rx() and bring_answer() do, without
 * what find_both() has found out.
 */
static __always_inline enum answer get_at_once(struct glass_qp *qp, struct glass_link_port *lp,
					       struct glass_qp *b, struct glass_link_port *to,
					       struct glass_run *run, const struct request *r, u64 now)
{
	const struct glass_swqe *w = r->w;
	struct glass_tx *tx = &run->answer;
	struct glass_pkt *pkt = &tx->pkt;
	struct glass_direct_records records;
	u64 orig = 0;

	lockdep_assert_held(&qp->lock);
	lockdep_assert_held(&b->lock);
	glass_tx_begin(tx, b);
	if (w->op == GLASS_OP_READ) {
		tx->seg[0].addr = r->at;
		tx->seg[0].len = w->len;
		pkt->nseg = 1;
		pkt->len = w->len;
		tx->mr[0] = r->mr;
		tx->nmr = 1;
	} else {
		orig = w->op == GLASS_OP_CMP_SWAP ? cmpxchg64((u64 *)r->at, w->cmp_add, w->swap) :
						    atomic64_fetch_add(w->cmp_add, (atomic64_t *)r->at);
		atomic64_inc(&r->mr->atomics);
		glass_ref_put(&r->mr->ref);
	}
	glass_single_answer(&b->core, &run->tx.pkt, pkt, orig);
	packet_address(b, to->port, pkt);
	if (unlikely(!pass_back(qp, lp, b, to, pkt))) {
		glass_ref_put(&r->into_mr->ref);
		return ANSWER_STOPPED;
	}
	records = glass_direct_watch(run, tx, b, to, qp, lp, qp->direct_pair | 1, now + 1);
	if (likely(pkt->slid == qp->core.attr.av.dlid)) {
		if (pkt->len)
			glass_copy(r->into, r->at, pkt->len);
		else
			glass_copy(r->into, &orig, sizeof(orig));
		glass_single_got(&qp->core, pkt, now);
	} else {
		glass_direct_rx(qp, lp, pkt, now);
	}
	glass_ref_put(&r->into_mr->ref);
	glass_direct_watched(run, tx, &records);
	glass_direct_payload_put(tx);
	return ANSWER_BROUGHT;
}

/*
 * Passes a request, and brings its answer if there is one at once. `gets`, a constant: does the request get
 * data (glass_single_gets())? Unlocks b.
 */
static __always_inline enum glass_direct pass_request(struct glass_qp *qp, struct glass_link_port *lp,
						      struct glass_qp *b, struct glass_link_port *to,
						      struct glass_run *run, struct request *r, bool gets,
						      bool is_long, int *left, u64 now)
{
	u32 pkts = is_long ? r->pkts : 1;
	enum glass_direct_taken taken = r->at ? GLASS_DIRECT_SIMPLY : GLASS_DIRECT_LEFT;
	bool later = b->core.resp.ack_later;
	enum answer answer = ANSWER_NONE;
	struct glass_pkt *pkt = &run->tx.pkt;
	struct glass_direct_records records;

	qp->core.ack_later = true;
	glass_single_begin(&qp->core, r->w, pkts);
	memcpy(pkt, qp->direct_head, sizeof(qp->direct_head));
	glass_single_fill(&qp->core, r->w, pkt, gets, true, pkts, now);
	if (trace_glass_wr_start_enabled())
		glass_env_note_start(&qp->core, r->w);
	if (unlikely(!glass_link_pass(lp, to, pkt, &qp->direct_way))) {
		glass_direct_forget(qp);
		if (r->at)
			glass_ref_put(&r->mr->ref);
		if (r->at && gets)
			glass_ref_put(&r->into_mr->ref);
		spin_unlock(&b->lock);
		return GLASS_DIRECT_PACKET;
	}
	records = glass_direct_watch(run, &run->tx, qp, lp, b, to, qp->direct_pair, now);
	b->core.ack_soon = false;
	if (!gets && r->at)
		place_write(b, pkt, r, is_long);
	else if (!gets && r->takes)
		taken = take_send(b, pkt, r, is_long);
	if (unlikely(taken != GLASS_DIRECT_SIMPLY)) {
		if (taken == GLASS_DIRECT_LEFT)
			glass_direct_rx(b, to, pkt, now);
		glass_qp_fail_if_asked(b, now);
	}
	glass_direct_watched(run, &run->tx, &records);
	/* before a completion lets a program deregister the memory */
	glass_direct_payload_put(&run->tx);
	*left -= glass_cost(pkt->len);
	if (r->at && gets)
		answer = get_at_once(qp, lp, b, to, run, r, now);
	else if (r->answers)
		answer = bring_answer(qp, lp, b, to, run, now);
	if (answer != ANSWER_NONE)
		*left -= glass_cost(run->answer.pkt.len);
	/*
	 * Has the peer nothing more to do? If its ACK was postponed before, its timer runs, or has fired and has
	 * seen that.
	 */
	if (likely(taken == GLASS_DIRECT_SIMPLY && answer != ANSWER_STOPPED &&
		   (gets ? answer == ANSWER_BROUGHT : later && !glass_resp_owed(&b->core))))
		spin_unlock(&b->lock);
	else
		leave_peer(qp, b, to, run, answer, now);
	return GLASS_DIRECT_DONE;
}

/*
 * Passes a long request. Returns GLASS_DIRECT_NO, and leaves b locked, if the data of the request, or the peer, do not allow it. A request
 * without data comes here if the peer did not allow it a moment ago; it has no pages. Out of line, so that other requests save fewer registers.
 */
static noinline enum glass_direct pass_long(struct glass_qp *qp, struct glass_link_port *lp, struct glass_qp *b,
					    struct glass_link_port *to, struct glass_run *run, struct request *r,
					    int *left, u64 now)
{
	lockdep_assert_held(&qp->lock);
	lockdep_assert_held(&b->lock);
	if (unlikely(!r->w->len || !prepare_request(qp, lp, b, to, &run->tx, r, false, true)))
		return GLASS_DIRECT_NO;
	return pass_request(qp, lp, b, to, run, r, false, true, left, now);
}

/* If w, the next request of qp, may go as a train now: returns how many packets that has. Otherwise 0. */
static noinline u32 find_train(struct glass_qp *qp, const struct glass_swqe *w, int left)
{
	lockdep_assert_held(&qp->lock);
	if (w->len <= qp->core.attr.mtu)
		return 0;
	qp->core.max_more = glass_train_limit(qp, left);
	return glass_train_is(&qp->core, w);
}

/*
 * Hot: so many tests lead to its end that the compiler would take the end for cold, and let it be small and slow.
 */
__attribute__((__hot__)) enum glass_direct
glass_direct_connected(struct glass_qp *qp, struct glass_run *run, int *left, u64 now)
{
	struct glass_link_port *lp = &qp->dev->ports[qp->core.attr.port].link, *to;
	struct request r;
	enum glass_direct direct;
	struct glass_qp *b;

	lockdep_assert_held(&qp->lock);
	r.w = glass_swqe_at(&qp->core, qp->core.req.cur);
	r.pkts = 1;
	if (unlikely(!glass_single_is(&qp->core, r.w))) {
		r.pkts = find_train(qp, r.w, *left);
		if (!r.pkts)
			return GLASS_DIRECT_NO;
	}
	if (likely(qp->direct_own == qp->core.changes && glass_direct_same(qp, lp))) {
		to = qp->direct_to;
	} else {
		qp->direct_own = 0;
		packet_address(qp, lp->port, &run->tx.pkt);
		to = glass_direct_port(qp, lp, &run->tx.pkt);
		if (unlikely(!to))
			return GLASS_DIRECT_NO;
	}
	b = glass_direct_lock(qp, to, qp->core.attr.dest_qpn, qp->direct_dlid);
	if (unlikely(!b))
		return GLASS_DIRECT_NO;
	if (unlikely(glass_injecting() && !(glass_inject_leaves(qp) && glass_inject_leaves(b))))
		goto unlock;
	if (glass_single_gets(r.w)) {
		if (likely(prepare_request(qp, lp, b, to, &run->tx, &r, true, false)))
			return pass_request(qp, lp, b, to, run, &r, true, false, left, now);
	} else {
		if (likely(r.pkts == 1 && prepare_request(qp, lp, b, to, &run->tx, &r, false, false)))
			return pass_request(qp, lp, b, to, run, &r, false, false, left, now);
		direct = pass_long(qp, lp, b, to, run, &r, left, now);
		if (likely(direct != GLASS_DIRECT_NO))
			return direct;
	}
	/* the subnet manager has moved the LID */
	if (!glass_port_has_lid(to->port, qp->direct_dlid))
		glass_direct_forget(qp);
unlock:
	spin_unlock(&b->lock);
	return GLASS_DIRECT_NO;
}

/*
 * The port of the peer, which is locked and put into *peer, if it takes packets of the QP. Otherwise NULL. The head of *scratch
 * is overwritten.
 */
static struct glass_link_port *find_peer(struct glass_qp *qp, struct glass_link_port *lp, struct glass_pkt *scratch,
					 struct glass_qp **peer)
{
	struct glass_link_port *to;
	struct glass_qp *b;

	lockdep_assert_held(&qp->lock);
	packet_address(qp, lp->port, scratch);
	to = glass_direct_port(qp, lp, scratch);
	b = to ? glass_direct_lock(qp, to, qp->core.attr.dest_qpn, qp->direct_dlid) : NULL;
	if (unlikely(!b))
		return NULL;
	if (likely(!glass_injecting() || (glass_inject_leaves(qp) && glass_inject_leaves(b))) &&
	    (likely(qp->direct_own == qp->core.changes && qp->direct_peer == b->core.changes) ||
	     meet_peer(b, qp, lp, to, scratch))) {
		*peer = b;
		return to;
	}
	/* the subnet manager has moved the LID */
	if (!glass_port_has_lid(to->port, qp->direct_dlid))
		glass_direct_forget(qp);
	spin_unlock(&b->lock);
	return NULL;
}

bool glass_direct_packet(struct glass_qp *qp, struct glass_run *run, int *left, u64 now)
{
	struct glass_link_port *lp = &qp->dev->ports[qp->core.attr.port].link, *to;
	struct glass_tx *tx = &run->tx;
	struct glass_pkt *pkt = &tx->pkt;
	struct glass_direct_records records;
	enum answer answer = ANSWER_NONE;
	/* as in prepare_request(), but the core has gone on to the next request already */
	bool request = glass_opcode_is_request(pkt->opcode), answers;
	struct glass_qp *b;

	lockdep_assert_held(&qp->lock);
	to = find_peer(qp, lp, &run->answer.pkt, &b);
	if (!to)
		return false;
	answers = request && !b->core.lent && !b->core.pages && !glass_resp_owed(&b->core) &&
		  (pkt->opcode != (GLASS_TR_RC | GLASS_BOP_READ_REQ) || pkt->dma_len <= b->core.attr.mtu) &&
		  qp->core.req.cur == qp->core.req.head && !glass_sq_has_posts(qp);
	if (unlikely(!glass_link_pass(lp, to, pkt, &qp->direct_way))) {
		glass_direct_forget(qp);
		spin_unlock(&b->lock);
		return false;
	}
	records = glass_direct_watch(run, tx, qp, lp, b, to, qp->direct_pair, now);
	b->core.ack_soon = false;
	/* as by arrival_time() of packet.c */
	glass_direct_rx(b, to, pkt, request ? now : glass_qp_now(b));
	glass_qp_fail_if_asked(b, now);
	glass_direct_watched(run, tx, &records);
	glass_env_payload_put(&qp->core, pkt);
	*left -= glass_cost(pkt->len);
	if (answers) {
		answer = bring_answer(qp, lp, b, to, run, now);
		if (answer != ANSWER_NONE)
			*left -= glass_cost(run->answer.pkt.len);
	}
	leave_peer(qp, b, to, run, answer, now);
	return true;
}
