// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requester's receive half: ACKs, NAKs, READ data and atomic results, and the timer (IBA 9.7.5,
 * 9.7.6, 9.9.2).
 *
 * A retry after an RNR NAK decrements rnr_left, unless rnr_retry is 7 (no limit). Any other retry
 * decrements retry_left. The requester refills both when una (the oldest PSN without an answer)
 * moves. It also refills retry_left when the QP migrates to another path, and when an answer comes
 * whose data needs an absent page.
 *
 * A hole is a missing packet, at una. For each hole, the requester acts on only one NAK. If the
 * retransmission is lost, too, the timer detects that. A missing answer also shows by an answer to a
 * later PSN (an implied NAK). The requester acts on one implied NAK for each transmission: see
 * later_transmission().
 */
#include "proto/internal.h"

static const u8 nak_status[32] = {
	[GLASS_NAK_INV_REQ] = GLASS_WC_REM_INV_REQ_ERR,
	[GLASS_NAK_REM_ACCESS] = GLASS_WC_REM_ACCESS_ERR,
	[GLASS_NAK_REM_OP] = GLASS_WC_REM_OP_ERR,
	[GLASS_NAK_INV_RD_REQ] = GLASS_WC_REM_INV_RD_REQ_ERR,
};

/* Returns the number of credits that an AETH credit code stands for (IBA table 46). */
static u32 credit_count(u8 code)
{
	if (code < 2)
		return code;
	return (code & 1 ? 3u : 2u) << (code / 2 - 1);
}

/*
 * Takes over the credits in the AETH of an ACK, of READ data, or of an atomic result (IBA 9.7.7.2).
 * Returns whether the packet raises the limit of credits.
 */
bool glass_take_credits(struct glass_req_state *r, const struct glass_pkt *pkt)
{
	u8 code = pkt->syndrome & GLASS_AETH_VALUE;
	u32 lsn;

	r->credit_valid = code != GLASS_AETH_NO_CREDIT;
	if (!r->credit_valid)
		return false;
	lsn = glass_psn_add(pkt->msn, credit_count(code));
	if (glass_psn_cmp(lsn, r->credit_lsn) <= 0)
		return false;
	r->credit_lsn = lsn;
	return true;
}

/*
 * Called after una has moved, which shows that the peer is alive. Ends a retry, refills retry_left
 * and rnr_left, and restarts the ACK timer.
 */
void glass_req_progress(struct glass_pqp *q, u64 now)
{
	struct glass_req_state *r = &q->req;
	u32 tries;

	glass_req_seek(q);
	r->retry_left = q->attr.retry_cnt;
	r->rnr_left = q->attr.rnr_retry;
	r->window = GLASS_REQ_WINDOW;
	if (unlikely(r->round)) {
		tries = r->round;
		r->round = 0;
		glass_env_recovered(q, tries);
	}
	r->nak_seq_seen = false;
	r->rnr_wait = false;
	r->ack_deadline = 0;
	if (q->attr.timeout && r->una != r->psn)
		r->ack_deadline = now + glass_ack_timeout_ns(q->attr.timeout);
}

/*
 * Completes all requests before PSN `end`, which the peer has acknowledged. Returns false if it
 * stopped at a READ, atomic, FLUSH or ATOMIC WRITE. Such a request needs an answer of its own, and
 * this answer is missing, although a later one has come.
 */
static bool ack_until(struct glass_pqp *q, u32 end, u64 now)
{
	struct glass_req_state *r = &q->req;
	const struct glass_swqe *w;
	u32 left = glass_psn_dist(end, r->una);
	bool moved = false;
	bool ok = true;
	u32 n;

	while (left) {
		w = glass_swqe_at(q, r->tail);
		if (glass_op_is_rd_atomic(w->op)) {
			ok = false;
			break;
		}
		n = glass_psn_dist(w->psn + w->npsn, r->una);
		moved = true;
		if (n > left) {
			r->una = end;
			break;
		}
		left -= n;
		r->una = glass_psn_add(r->una, n);
		glass_req_succeed(q);
	}
	if (moved)
		glass_req_progress(q, now);
	return ok;
}

/* Was the packet at una sent after the last go-back (glass_req_go_back())? */
static inline bool sent_again(const struct glass_req_state *r)
{
	return r->psn != r->una;
}

/*
 * Makes each retry a single packet until una moves. The peer did not answer, or sent an RNR NAK, so
 * it would probably drop a whole window again. glass_req_go_back() has made sure that the single
 * packet asks for an ACK.
 */
static void try_one(struct glass_req_state *r)
{
	r->window = 1;
}

/*
 * Goes back to una, or fails the QP if no retry is left. `pkt` is the packet that causes the retry,
 * or NULL after a timeout.
 */
static void req_retry(struct glass_pqp *q, enum glass_retry why, const struct glass_pkt *pkt,
		      u64 now)
{
	struct glass_req_state *r = &q->req;

	/*
	 * The path may be dead: migrate. glass_migrate() refills retry_left for the new path. The
	 * first transmission on that path is not a retry, so retry_left is raised by one.
	 */
	if (unlikely(!r->retry_left) && glass_migrate(q))
		r->retry_left++;
	if (!r->retry_left) {
		glass_req_fail(q, GLASS_WC_RETRY_EXC_ERR, pkt ? pkt->syndrome : 0,
			       pkt ? pkt->opcode : 0, now);
		return;
	}
	r->retry_left--;
	r->round++;
	/*
	 * A timeout does not clear nak_seq_seen. If the flag is set, the requester has acted on a
	 * report of this hole before. The responder may report the hole again after the
	 * retransmission, and that report must not use up another retry.
	 */
	r->nak_seq_seen |= why != GLASS_RETRY_TIMEOUT;
	glass_req_go_back(q);
	if (why == GLASS_RETRY_TIMEOUT)
		try_one(r);
	glass_env_note_retry(q, why, r->una, r->retry_left);
}

/*
 * Does this implied NAK, which comes after the requester went back, answer a later transmission than
 * the one with the hole? Answers to one transmission come in order (IBA 9.7.5), so those behind the
 * hole have higher PSNs than the one that showed it (hole_psn). An answer with the same or a lower
 * PSN answers the retransmission: the answer at una was lost once more.
 */
static inline bool later_transmission(const struct glass_req_state *r, const struct glass_pkt *pkt)
{
	return glass_psn_cmp(pkt->psn, r->hole_psn) <= 0;
}

/*
 * Called for an answer that the requester drops, because it answers a request that is repeated or
 * complete. Restarts the ACK timer: a responder answers in order, so it cannot answer what the
 * requester waits for before it has answered all that came earlier. If it is slow, a timeout would
 * only give it more to answer. Answers beyond the requests that were repeated (old_answers) restart
 * nothing: a peer that sends them for ever, or a forger, must not keep the QP from failing.
 */
static void answer_before(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (r->old_answers && r->ack_deadline)
		r->ack_deadline = now + glass_ack_timeout_ns(q->attr.timeout);
	r->old_answers -= min_t(u32, r->old_answers, 1 + pkt->more);
	glass_proto_drop(q, pkt, GLASS_DROP_STALE_RESP);
}

/*
 * Called when pkt (a NAK, or an answer to a later request) shows that the packet at una or its
 * answer was lost. Goes back to una, or drops pkt if the requester has acted on this hole before.
 */
static void retry_hole(struct glass_pqp *q, enum glass_retry why, const struct glass_pkt *pkt,
		       u64 now)
{
	struct glass_req_state *r = &q->req;
	bool implied = why == GLASS_RETRY_IMPLIED;

	if (!sent_again(r) || (r->nak_seq_seen && !(implied && later_transmission(r, pkt)))) {
		if (implied)
			answer_before(q, pkt, now);
		else
			glass_proto_drop(q, pkt, GLASS_DROP_STALE_RESP);
		return;
	}
	r->hole_psn = pkt->psn;
	req_retry(q, why, pkt, now);
}

void glass_req_timeout(struct glass_pqp *q, u64 now)
{
	q->req.ack_deadline = 0;
	if (q->req.tail == q->req.begun)
		return;
	q->stats.timeouts++;
	req_retry(q, GLASS_RETRY_TIMEOUT, NULL, now);
}

static void rx_rnr(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;

	q->stats.rnr_rx++;
	if (q->attr.rnr_retry != 7) {
		if (!r->rnr_left) {
			glass_req_fail(q, GLASS_WC_RNR_RETRY_EXC_ERR, pkt->syndrome, pkt->opcode,
				       now);
			return;
		}
		r->rnr_left--;
	}
	r->round++;
	glass_req_go_back(q);
	try_one(r);
	r->nak_seq_seen = false;
	r->rnr_wait = true;
	r->rnr_until = now + glass_rnr_wait_ns(pkt->syndrome & GLASS_AETH_VALUE, r->round);
	glass_env_note_rnr(q, GLASS_DIR_RX, r->una, r->rnr_until - now, r->rnr_left);
	glass_env_note_retry(q, GLASS_RETRY_RNR, r->una, r->rnr_left);
}

/* Receives a NAK. `whole` means that all requests before the NAK's PSN are complete. */
static void rx_nak(struct glass_pqp *q, const struct glass_pkt *pkt, bool whole, u64 now)
{
	struct glass_req_state *r = &q->req;
	u8 code = pkt->syndrome & GLASS_AETH_VALUE;
	const struct glass_swqe *w;

	q->stats.nak_rx++;
	if (code == GLASS_NAK_PSN_SEQ) {
		retry_hole(q, whole ? GLASS_RETRY_NAK_SEQ : GLASS_RETRY_IMPLIED, pkt, now);
		return;
	}
	if (!nak_status[code]) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_AETH);
		return;
	}
	/*
	 * If `whole` is false, the request at tail is a READ, atomic, FLUSH or ATOMIC WRITE, and
	 * its answer is missing or not complete. A NAK with one of the PSNs of that request refuses
	 * the request. For example, a region may be deregistered while the responder sends READ
	 * data. A NAK with a later PSN is an implied NAK.
	 */
	w = glass_swqe_at(q, r->tail);
	if (!whole && glass_psn_dist(pkt->psn, w->psn) >= w->npsn) {
		retry_hole(q, GLASS_RETRY_IMPLIED, pkt, now);
		return;
	}
	glass_req_fail(q, nak_status[code], pkt->syndrome, pkt->opcode, now);
}

static void rx_ack(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;
	u8 kind = pkt->syndrome & GLASS_AETH_KIND;
	bool whole;

	if (unlikely(pkt->len || (pkt->syndrome & 0x80))) {
		glass_proto_drop(q, pkt, pkt->len ? GLASS_DROP_BAD_LEN : GLASS_DROP_BAD_AETH);
		return;
	}
	switch (kind) {
	case GLASS_AETH_ACK:
		if (!ack_until(q, glass_psn_add(pkt->psn, 1), now)) {
			retry_hole(q, GLASS_RETRY_IMPLIED, pkt, now);
			return;
		}
		glass_take_credits(r, pkt);
		return;
	case GLASS_AETH_RNR:
		if (!ack_until(q, pkt->psn, now))
			retry_hole(q, GLASS_RETRY_IMPLIED, pkt, now);
		else if (!sent_again(r))
			glass_proto_drop(q, pkt, GLASS_DROP_STALE_RESP);
		else
			rx_rnr(q, pkt, now);
		return;
	case GLASS_AETH_NAK:
		whole = ack_until(q, pkt->psn, now);
		rx_nak(q, pkt, whole, now);
		return;
	default:
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_AETH);
	}
}

/* Drops an answer that the requester cannot use, and fails the request at tail with `status`. */
static void bad_answer(struct glass_pqp *q, const struct glass_pkt *pkt,
		       enum glass_wc_status status, enum glass_drop why, u64 now)
{
	glass_proto_drop(q, pkt, why);
	glass_req_fail(q, status, 0, pkt->opcode, now);
}

/*
 * Called when the data of an answer cannot be written to the SGEs of its request. Drops the answer.
 * If the reason is an absent page (GLASS_MEM_LATER), the requester asks for the answer again when
 * the page has come (glass_pqp_pages()), and drops later answers until then. Because the peer did
 * answer, the requester stops the ACK timer, and refills retry_left. For any other reason, the
 * request fails.
 */
static noinline void no_place(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_mem mem, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (mem != GLASS_MEM_LATER) {
		bad_answer(q, pkt, GLASS_WC_LOC_PROT_ERR, GLASS_DROP_LOCAL_PROT, now);
		return;
	}
	glass_proto_drop(q, pkt, GLASS_DROP_PAGE_WAIT);
	q->pages |= GLASS_PAGES_ANSWER;
	r->page_psn = r->una;
	r->hole_psn = r->una;
	r->nak_seq_seen = true;
	r->retry_left = q->attr.retry_cnt;
	r->ack_deadline = 0;
}

void glass_pqp_pages(struct glass_pqp *q)
{
	struct glass_req_state *r = &q->req;
	bool again = q->pages & GLASS_PAGES_ANSWER && r->una == r->page_psn && r->tail != r->begun;

	q->pages = 0;
	if (again && (q->state == GLASS_QPS_RTS || q->state == GLASS_QPS_SQD)) {
		glass_req_go_back(q);
		glass_update_deadline(q);
	}
}

/*
 * Receives READ data: one packet, or a train (one struct glass_pkt for several packets). Also
 * receives the answer to a FLUSH or ATOMIC WRITE, which is an empty READ response.
 */
static void rx_read(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;
	struct glass_swqe *w = glass_swqe_at(q, r->tail);
	u8 bop = pkt->opcode & GLASS_BOP_MASK;
	u32 k = glass_psn_dist(pkt->psn, w->psn);
	u32 n = 1 + pkt->more;
	bool last = k + n == w->npsn;
	u32 off = k * q->attr.mtu;
	u32 want = last ? w->len - off : q->attr.mtu * n;

	if (w->op == GLASS_OP_FLUSH || w->op == GLASS_OP_ATOMIC_WRITE)
		want = 0; /* the answer to a FLUSH or ATOMIC WRITE has no data */
	if (unlikely(!(w->op == GLASS_OP_READ || (w->npsn == 1 && !want && !pkt->more &&
						  glass_op_is_rd_atomic(w->op))) || pkt->len != want || k + n > w->npsn ||
		     last != (bop == GLASS_BOP_READ_RESP_LAST || bop == GLASS_BOP_READ_RESP_ONLY) ||
		     (bop != GLASS_BOP_READ_RESP_MIDDLE &&
		      (pkt->syndrome & GLASS_AETH_KIND) != GLASS_AETH_ACK))) {
		bad_answer(q, pkt, GLASS_WC_BAD_RESP_ERR, GLASS_DROP_BAD_RESP, now);
		return;
	}
	if (want) {
		enum glass_mem mem = glass_env_scatter(q, w->sge, w->num_sge, off, pkt, 0, want);

		if (unlikely(mem != GLASS_MEM_OK)) {
			no_place(q, pkt, mem, now);
			return;
		}
	}
	r->una = glass_psn_add(pkt->psn, n);
	if (bop != GLASS_BOP_READ_RESP_MIDDLE)
		glass_take_credits(r, pkt);
	if (last)
		glass_req_complete(q, GLASS_WC_SUCCESS, GLASS_CAUSE_NONE, 0);
	glass_req_progress(q, now);
}

static void rx_atomic(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;
	struct glass_swqe *w = glass_swqe_at(q, r->tail);
	u64 orig = pkt->orig;
	enum glass_mem mem;

	if (unlikely((w->op != GLASS_OP_CMP_SWAP && w->op != GLASS_OP_FETCH_ADD) || pkt->len ||
		     (pkt->syndrome & GLASS_AETH_KIND) != GLASS_AETH_ACK)) {
		bad_answer(q, pkt, GLASS_WC_BAD_RESP_ERR, GLASS_DROP_BAD_RESP, now);
		return;
	}
	mem = glass_env_scatter_bytes(q, w->sge, w->num_sge, 0, &orig, sizeof(orig));
	if (unlikely(mem != GLASS_MEM_OK)) {
		no_place(q, pkt, mem, now);
		return;
	}
	r->una = glass_psn_add(pkt->psn, 1);
	glass_take_credits(r, pkt);
	glass_req_complete(q, GLASS_WC_SUCCESS, GLASS_CAUSE_NONE, 0);
	glass_req_progress(q, now);
}

/*
 * Receives READ data or an atomic result, which also acknowledges all earlier requests. Answers
 * must come in order: if an earlier answer is missing, the requester asks for that answer again.
 */
static void rx_data(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	if (!ack_until(q, pkt->psn, now))
		retry_hole(q, GLASS_RETRY_IMPLIED, pkt, now);
	else if ((pkt->opcode & GLASS_BOP_MASK) == GLASS_BOP_ATOMIC_ACK)
		rx_atomic(q, pkt, now);
	else
		rx_read(q, pkt, now);
}

/*
 * An unsolicited ACK repeats the last acknowledgement, and carries new credits (IBA 9.7.7.2). Takes
 * over the credits of such an ACK. Returns whether they raise the limit of credits. If they do not,
 * the packet is of no use.
 */
static bool ack_is_unsolicited(struct glass_req_state *r, const struct glass_pkt *pkt)
{
	return (pkt->opcode & GLASS_BOP_MASK) == GLASS_BOP_ACK && !pkt->len &&
	       !(pkt->syndrome & ~GLASS_AETH_VALUE) && glass_psn_add(pkt->psn, 1) == r->una &&
	       glass_take_credits(r, pkt);
}

void glass_req_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (q->state != GLASS_QPS_RTS && q->state != GLASS_QPS_SQD) {
		glass_proto_drop(q, pkt, GLASS_DROP_QP_STATE);
		return;
	}
	/* outside [una, max_psn): late, duplicate, forged, or an unsolicited ACK */
	if (glass_psn_dist(pkt->psn, r->una) >= glass_psn_dist(r->max_psn, r->una)) {
		if ((pkt->opcode & GLASS_BOP_MASK) != GLASS_BOP_ACK &&
		    glass_psn_cmp(pkt->psn, r->una) < 0)
			answer_before(q, pkt, now);
		else if (!ack_is_unsolicited(r, pkt))
			glass_proto_drop(q, pkt, GLASS_DROP_STALE_RESP);
		return;
	}
	if ((pkt->opcode & GLASS_BOP_MASK) == GLASS_BOP_ACK)
		rx_ack(q, pkt, now);
	else
		rx_data(q, pkt, now);
	glass_req_drained(q);
}
