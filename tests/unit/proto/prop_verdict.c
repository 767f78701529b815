// SPDX-License-Identifier: GPL-2.0-only
/* The RC property test: what a seed has done, when nothing moves any more. */
#include "prop.h"

/* Bytes are the message's, or (when it may be half done) blank. */
static void check_bytes(const u8 *at, const u8 *want, u32 len, bool done, const char *what, u32 n)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (at[i] != want[i] && (done || at[i] != BLANK))
			break;
	CHECK(i == len, "%s %u: byte %u of %u is %02x, not %02x", what, n, i, len, at[i], want[i]);
	for (i = len; i < len + GUARD; i++)
		if (at[i] != BLANK)
			break;
	CHECK(i == len + GUARD, "%s %u: touched behind its end (%u of %u)", what, n, i, len);
}

static bool status_ok(struct side *s, const struct wr *w, enum glass_wc_status st)
{
	enum glass_cause cause = s->ep->q.first_error.cause;

	switch (st) {
	case GLASS_WC_RETRY_EXC_ERR:
		/* prop_after() looked at the budget; on a fair wire it is never spent */
		return cause == GLASS_CAUSE_RETRY_EXC &&
		       (!sim->fair || s->peer->ep->q.first_error.cause ||
			s->ep->q.attr.retry_cnt < 7 || s->ep->q.attr.timeout < 11);
	case GLASS_WC_RNR_RETRY_EXC_ERR:
		return cause == GLASS_CAUSE_RNR_EXC;
	case GLASS_WC_REM_ACCESS_ERR:
		return w->bad == BAD_RKEY;
	case GLASS_WC_LOC_PROT_ERR:
		return w->bad == BAD_LKEY;
	case GLASS_WC_LOC_QP_OP_ERR:
		return w->bad == BAD_STATUS;
	case GLASS_WC_REM_INV_REQ_ERR:
		return w->bad == BAD_RECV;
	case GLASS_WC_REM_OP_ERR:
		return w->bad == BAD_RECV_MEM;
	default:
		return false;
	}
}

/* Returns how many WRs succeeded. */
u32 prop_check_sends(struct side *s)
{
	u8 *src = pe_mr_find(s->ep, K_SRC)->mem;
	u8 *peer_src = pe_mr_find(s->peer->ep, K_SRC)->mem;
	u8 *loc = pe_mr_find(s->ep, K_LOC)->mem;
	u8 *rmt = pe_mr_find(s->peer->ep, K_RMT)->mem;
	bool failed = false;
	u32 good = s->posted;
	u32 next = 0;

	for (u32 i = 0; i < s->ep->ncqe; i++) {
		const struct glass_cqe *c = &s->ep->cqe[i];
		u32 n = c->wr_id;

		if (!c->is_send)
			continue;
		CHECK(n >= next && n < s->posted, "completion of wr %u, expected %u", n, next);
		CHECK(c->wqe_index == n, "wr %u: index %u", n, c->wqe_index);
		for (; next < n; next++)
			CHECK(!failed && !s->wr[next].signaled, "no completion of wr %u", next);
		next = n + 1;
		if (c->status == GLASS_WC_SUCCESS) {
			CHECK(!failed && s->wr[n].signaled, "success of wr %u", n);
			CHECK(c->byte_len == s->wr[n].len, "wr %u: %u bytes", n, c->byte_len);
			continue;
		}
		if (!failed)
			good = n;
		if (c->status != GLASS_WC_WR_FLUSH_ERR) {
			CHECK(!failed, "second error: wr %u, status %u", n, c->status);
			CHECK(status_ok(s, &s->wr[n], c->status), "wr %u (bad %u): status %u", n,
			      s->wr[n].bad, c->status);
		} else if (!failed) {
			CHECK(s->responder_err, "wr %u flushed without an error", n);
		}
		failed = true;
	}
	for (; next < s->posted; next++)
		CHECK(!failed && !s->wr[next].signaled, "no completion of wr %u", next);
	CHECK(s->ep->q.req.tail == s->ep->q.req.head, "send queue not empty");

	for (u32 i = 0; i < s->nwr; i++) {
		struct wr *w = &s->wr[i];
		bool done = i < good;

		CHECK(!done || !w->bad, "bad wr %u succeeded", i);
		if (op_writes(w->op)) {
			check_bytes(rmt + w->dst, src + w->src, w->len, done, "write", i);
		} else if (w->op == GLASS_OP_READ) {
			check_bytes(loc + w->dst, peer_src + w->src, w->len, done, "read", i);
		} else if (w->op == GLASS_OP_CMP_SWAP || w->op == GLASS_OP_FETCH_ADD) {
			CHECK(!done || w->executed == 1, "atomic %u: %u times", i, w->executed);
			check_bytes(loc + w->dst, (u8 *)&w->orig, 8, done, "atomic", i);
		} else if (w->op == GLASS_OP_FLUSH || w->op == GLASS_OP_SEND_INV ||
			   op_local(w->op)) {
			CHECK(w->executed <= 1 && (!done || w->executed), "wr %u: done %u times", i,
			      w->executed);
		}
	}
	return good;
}

void prop_check_recvs(struct side *s, u32 good)
{
	u8 *rcv = pe_mr_find(s->ep, K_RCV)->mem;
	u8 *src = pe_mr_find(s->peer->ep, K_SRC)->mem;
	u32 n = 0, success = 0;
	bool failed = false;

	for (u32 i = 0; i < s->ep->ncqe; i++) {
		const struct glass_cqe *c = &s->ep->cqe[i];
		const struct wr *w;

		if (c->is_send)
			continue;
		CHECK(c->wr_id == n, "receive %u, expected %u", (u32)c->wr_id, n);
		w = &s->peer->wr[s->rwr[n].wr];
		if (c->status == GLASS_WC_SUCCESS) {
			CHECK(!failed, "receive %u succeeded after an error", n);
			CHECK(c->byte_len == w->len, "receive %u: %u of %u bytes", n, c->byte_len,
			      w->len);
			CHECK(c->has_imm == (w->op == GLASS_OP_SEND_IMM ||
					     w->op == GLASS_OP_WRITE_IMM), "receive %u: imm", n);
			CHECK(c->has_inv == (w->op == GLASS_OP_SEND_INV) &&
			      (!c->has_inv || c->inv_key == K_WR + s->rwr[n].wr), "receive %u: key",
			      n);
			CHECK(!c->has_imm || c->imm == (__be32)w->imm, "receive %u: imm", n);
			CHECK(c->solicited == w->solicited, "receive %u: solicited", n);
			CHECK(c->op == (w->op == GLASS_OP_WRITE_IMM ? GLASS_WCOP_RECV_WRITE_IMM :
								      GLASS_WCOP_RECV),
			      "receive %u: op %u", n, c->op);
			CHECK(s->rwr[n].wr < s->peer->posted, "receive %u of nothing", n);
			success++;
		} else {
			CHECK(c->status == GLASS_WC_WR_FLUSH_ERR ||
			      (!failed && c->status == GLASS_WC_LOC_LEN_ERR && w->bad == BAD_RECV) ||
			      (!failed && c->status == GLASS_WC_LOC_PROT_ERR &&
			       w->bad == BAD_RECV_MEM) ||
			      (!failed && c->status == GLASS_WC_LOC_ACCESS_ERR &&
			       w->op == GLASS_OP_WRITE_IMM && w->bad == BAD_RKEY),
			      "receive %u: status %u", n, c->status);
			failed = true;
		}
		n++;
	}
	/* what the sender was told to have arrived has arrived */
	for (u32 i = 0; i < s->nrwr; i++) {
		const struct wr *w = &s->peer->wr[s->rwr[i].wr];

		CHECK(s->rwr[i].wr >= good || i < success, "message of wr %u was not received",
		      s->rwr[i].wr);
		if (w->op != GLASS_OP_WRITE_IMM)
			check_bytes(rcv + s->rwr[i].off, src + w->src,
				    min(w->len, s->rwr[i].len), i < success, "receive", i);
	}
	if (!s->ep->q.has_srq)
		CHECK(n == s->rposted, "%u receives of %u completed", n, s->rposted);
}
