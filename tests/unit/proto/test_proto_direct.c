// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions for single requests, trains and datagrams (proto/single.h), which the direct way uses with both ends
 * at hand, must leave both cores as glass_req_next(), glass_pqp_rx() and glass_resp_next() do. Two pairs of QPs
 * get the same work: the first uses them wherever they fit, the second never.
 */
#include "harness.h"
#include "proto/single.h"
#include "twins.h"

enum { WRITES, READS, ATOMICS, SENDS, TRAINS, OTHERS, NSUMS };
enum { DATAGRAMS, TAKEN, WAITING, NUDSUMS };

static u64 sums[NSUMS], ud_sums[NUDSUMS];

/* Posts the same random work request to this end of each pair. */
static void post_one(struct pe_pair *p[2], u32 end, u64 wr_id, u32 mtu)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_SEND,	   GLASS_OP_SEND_IMM, GLASS_OP_WRITE,
						GLASS_OP_WRITE_IMM, GLASS_OP_READ,    GLASS_OP_CMP_SWAP,
						GLASS_OP_FETCH_ADD };
	enum glass_wr_op op = ops[rnd_below(ARRAY_SIZE(ops))];
	bool atomic = op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;
	struct twin_request r = {
		.op = op,
		.len = twins_len(op, mtu),
		.flags = (rnd_below(2) ? GLASS_SWQE_SIGNALED : 0) | (rnd_below(2) ? GLASS_SWQE_SOLICITED : 0) |
			 (rnd_below(16) ? 0 : GLASS_SWQE_FENCE),
		.raddr = pe_va(DST, atomic ? 8 * rnd_below(100) : rnd_below(800)),
		.cmp = rnd_below(100),
		.swap = rnd_below(100),
		.rkey = rnd_below(500) ? DST : 0x999,
	};

	post_twins(p, end, wr_id, &r);
}

/* Not by memcmp(): what lies between the fields may differ. */
static bool same_cqe(const struct glass_cqe *a, const struct glass_cqe *b)
{
#define SAME(f) (a->f == b->f)
	return SAME(wr_id) && SAME(status) && SAME(op) && SAME(cause) && SAME(syndrome) && SAME(vendor) && SAME(sl) &&
	       SAME(dlid_path_bits) && SAME(slid) && SAME(pkey_index) && SAME(byte_len) && SAME(imm) && SAME(inv_key) &&
	       SAME(src_qp) && SAME(wqe_index) && SAME(flow) && SAME(is_send) && SAME(has_grh) && SAME(has_imm) &&
	       SAME(has_inv) && SAME(solicited) && SAME(from_srq) && SAME(xrc_srq);
#undef SAME
}

static void compare(const struct pe_ep *x, const struct pe_ep *y, const char *when)
{
	const struct glass_pqp *a = &x->q, *b = &y->q;

#define SAME(f) CHECK(!memcmp(&a->f, &b->f, sizeof(a->f)), "%s: " #f, when)
	SAME(state);
	SAME(req);
	SAME(resp);
	SAME(stats);
	SAME(left);
	SAME(pages);
	SAME(deadline);
	SAME(lent);
	SAME(attr);
	SAME(first_error);
	SAME(last_error);
#undef SAME
	for (u32 i = 0; i < a->sq_entries; i++) {
		const struct glass_swqe *v = glass_swqe_at(a, i), *w = glass_swqe_at(b, i);

		CHECK(v->psn == w->psn && v->npsn == w->npsn && v->tries == w->tries && v->status == w->status,
		      "%s: WQE %u: PSN %u, %u", when, i, v->psn, w->psn);
	}
	CHECK(a->res_slots == b->res_slots && !memcmp(a->res, b->res, a->res_slots * sizeof(*a->res)), "%s: answers", when);
	CHECK(x->ncqe == y->ncqe, "%s: completions %u, %u", when, x->ncqe, y->ncqe);
	for (u32 i = 0; i < x->ncqe; i++)
		CHECK(same_cqe(&x->cqe[i], &y->cqe[i]), "%s: completion %u", when, i);
	CHECK(x->refs == y->refs, "%s: references %d, %d", when, x->refs, y->refs);
	CHECK(x->atomics == y->atomics, "%s: atomics %u, %u", when, x->atomics, y->atomics);
	CHECK(!memcmp(mem((struct pe_ep *)x, DST), mem((struct pe_ep *)y, DST), BIG) &&
		      !memcmp(mem((struct pe_ep *)x, LOC), mem((struct pe_ep *)y, LOC), BIG),
	      "%s: memory", when);
}

/* y is a packet of the core, with the addresses that the engine sets; x has none. */
static void compare_packets(struct glass_pkt x, struct glass_pkt y)
{
	x.seg = NULL;
	y.seg = NULL;
	x.nseg = y.nseg;
	x.slid = y.slid;
	x.pkey = y.pkey;
	x.vl = y.vl;
	CHECK(!memcmp(&x, &y, sizeof(x)), "packet: opcode %#x, %#x; PSN %u, %u", x.opcode, y.opcode, x.psn, y.psn);
}

/* Takes the next receive of ep, and places the payload of pkt in it behind `off` bytes, if it has room for that. */
static bool take_receive(struct pe_ep *ep, struct glass_pkt *pkt, u32 off)
{
	struct glass_resp_state *p = &ep->q.resp;

	if (ep->rq_head == ep->rq_tail)
		return false;
	CHECK(glass_env_take_rwqe(&ep->q, &p->rwqe) == 1, "no receive");
	if (p->rwqe.len < (u64)off + pkt->len) {
		p->rwqe_valid = true;
		return false;
	}
	CHECK(!pkt->len || glass_env_scatter_recv(&ep->q, &p->rwqe, off, pkt) == GLASS_MEM_OK, "no place");
	return true;
}

/* The next request of an end, if the functions fit: its packet passes, and so does the answer to a READ or atomic. */
static bool pass_directly(struct pe_ep *ep, struct glass_pkt *pkt, struct glass_pkt *answer, bool *gets,
			  u64 now)
{
	static struct glass_seg seg[2][GLASS_PKT_SEGS];
	struct glass_pqp *q = &ep->q, *peer = &ep->peer->q;
	u64 orig = 0, sum = WRITES;
	struct glass_swqe *w;
	u32 access = GLASS_ACC_REMOTE_WRITE, pkts = 1, len;

	if (glass_resp_owed(q) || q->req.cur == q->req.head)
		return false;
	w = glass_swqe_at(q, q->req.cur);
	if (!w->len || w->num_sge != 1)
		return false;
	if (!glass_single_is(q, w)) {
		pkts = w->len > q->attr.mtu ? glass_train_is(q, w) : 0;
		if (!pkts)
			return false;
	}
	len = w->len;
	if (glass_single_gets(w)) {
		if (glass_resp_owed(peer) || !glass_single_get_fits(peer, q, w))
			return false;
		access = w->op == GLASS_OP_READ ? GLASS_ACC_REMOTE_READ : GLASS_ACC_REMOTE_ATOMIC;
		sum = w->op == GLASS_OP_READ ? READS : ATOMICS;
	} else if (w->op == GLASS_OP_SEND || w->op == GLASS_OP_SEND_IMM) {
		if (!glass_single_send_fits(peer, q->req.psn, len, pkts))
			return false;
		sum = SENDS;
	} else if (w->op != GLASS_OP_WRITE || !glass_single_write_fits(peer, q->req.psn, len, pkts)) {
		return false;
	}
	if (sum != SENDS && glass_env_remote_check(peer, w->rkey, w->raddr, len, access) != GLASS_MEM_OK)
		return false;
	/* as the world's packets begin */
	memset(pkt, 0xee, sizeof(*pkt));
	memset(answer, 0xee, sizeof(*answer));
	pkt->seg = seg[0];
	pkt->nseg = 0;
	pkt->len = 0;
	answer->seg = seg[1];
	answer->nseg = 0;
	answer->len = 0;
	*gets = glass_single_gets(w);
	glass_single_begin(q, w, pkts);
	if (!*gets) {
		CHECK(glass_env_gather(q, w->sge, 1, 0, len, pkt) == GLASS_MEM_OK, "no payload");
		pkt->len = len;
	}
	/* the head is copied as if from an earlier packet */
	if (!q->attr.mig_state) {
		struct glass_pkt head = *pkt;

		glass_single_head(q, &head);
		memcpy(pkt, &head, offsetof(struct glass_pkt, psn));
	}
	if (q->attr.mig_state)
		glass_single_fill(q, w, pkt, *gets, false, pkts, now);
	else
		glass_single_fill(q, w, pkt, *gets, true, pkts, now);
	pkt->slid = q->qpn + q->attr.av.path_bits;
	if (sum == SENDS) {
		if (take_receive(ep->peer, pkt, 0)) {
			struct glass_cqe cqe;

			glass_single_send_rx(peer, pkt, pkts);
			cqe = glass_single_send_cqe(peer, pkt);
			glass_env_complete(peer, &cqe);
		} else {
			struct glass_rx_meta meta = { .pkey_index = q->attr.pkey_index };

			glass_pqp_rx(peer, pkt, &meta, now);
		}
		glass_env_payload_put(q, pkt);
	} else if (!*gets) {
		CHECK(glass_env_remote_write(peer, w->rkey, w->raddr, pkt) == GLASS_MEM_OK, "no place");
		glass_single_write_rx(peer, pkt, pkts);
		glass_env_payload_put(q, pkt);
	} else if (w->op == GLASS_OP_READ) {
		CHECK(glass_env_gather_remote(peer, w->rkey, w->raddr, len, answer) == GLASS_MEM_OK, "no data");
		answer->len = len;
		glass_single_answer(peer, pkt, answer, 0);
		CHECK(glass_env_scatter(q, w->sge, 1, 0, answer, 0, len) == GLASS_MEM_OK, "no place");
		glass_single_got(q, answer, now);
		glass_env_payload_put(peer, answer);
	} else {
		CHECK(glass_env_atomic(peer, w->rkey, w->raddr, pkt->opcode & GLASS_BOP_MASK, pkt->cmp, pkt->swap_add,
				       &orig) == GLASS_MEM_OK, "no word");
		glass_single_answer(peer, pkt, answer, orig);
		CHECK(glass_env_scatter_bytes(q, w->sge, 1, 0, &orig, sizeof(orig)) == GLASS_MEM_OK, "no place");
		glass_single_got(q, answer, now);
	}
	sums[sum]++;
	sums[TRAINS] += pkts > 1;
	return true;
}

/* The next packet of this end of each pair, which takes the general way at both */
static bool pull_both(struct pe_pair *p[2], u32 end, struct pe_wire w[2])
{
	bool got[2];

	for (u32 i = 0; i < 2; i++)
		got[i] = pe_pull(end_of(p[i], end), &w[i], p[i]->now);
	CHECK(got[0] == got[1], "a packet: %d, %d", got[0], got[1]);
	if (got[0])
		compare_packets(w[0].pkt, w[1].pkt);
	return got[0];
}

/* These packets arrive, or are lost. */
static void deliver_both(struct pe_pair *p[2], u32 end, const struct pe_wire w[2], u32 loss)
{
	if (rnd_below(1000) < loss)
		return;
	for (u32 i = 0; i < 2; i++)
		glass_pqp_rx(&end_of(p[i], !end)->q, &w[i].pkt, &w[i].meta, p[i]->now);
	compare(end_of(p[0], end), end_of(p[1], end), "at the sender");
	compare(end_of(p[0], !end), end_of(p[1], !end), "at the receiver");
}

/* One packet from this end of each pair, which arrives or is lost. Returns false if there is none. */
static bool move_one(struct pe_pair *p[2], u32 end, u32 loss)
{
	static struct pe_wire w[2];
	struct pe_ep *x = end_of(p[0], end), *y = end_of(p[1], end);
	struct glass_pkt pkt, answer;
	bool gets;

	if (rnd_below(4) && pass_directly(x, &pkt, &answer, &gets, p[0]->now)) {
		CHECK(pe_pull(y, &w[1], p[1]->now), "no packet");
		compare_packets(pkt, w[1].pkt);
		glass_pqp_rx(&y->peer->q, &w[1].pkt, &w[1].meta, p[1]->now);
		if (gets) {
			CHECK(pe_pull(y->peer, &w[1], p[1]->now), "no answer");
			compare_packets(answer, w[1].pkt);
			glass_pqp_rx(&y->q, &w[1].pkt, &w[1].meta, p[1]->now);
		}
		compare(x, y, "directly, at the requester");
		compare(x->peer, y->peer, "directly, at the responder");
		return true;
	}
	if (!pull_both(p, end, w))
		return false;
	sums[OTHERS]++;
	deliver_both(p, end, w, loss);
	return true;
}

static void one(u64 seed)
{
	static const struct twins_work work = { post_one, move_one, compare, true };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p[2];

	make_twins(p, &cfg, seed);
	for (u32 end = 0; end < 2; end++) {
		u32 more = rnd_below(2) ? rnd_below(PE_TRAIN + 1) : 0;

		for (u32 i = 0; i < 2; i++)
			end_of(p[i], end)->q.max_more = more;
	}
	for (u32 i = 0; i < 2; i++) {
		/* a responder that allows less, has a smaller MTU, or delays no ACK */
		if (seed % 8 == 3)
			p[i]->b.q.attr.access &= ~(BIT(seed / 8 % 4));
		if (seed % 8 == 4 && cfg.mtu > 256)
			p[i]->b.q.attr.mtu = 256;
		p[i]->b.q.ack_soon = seed % 8 == 5;
	}
	run_twins(p, &cfg, &work);
	for (u32 i = 0; i < 2; i++)
		pe_pair_free(p[i]);
}

/* Posts the same random datagram to this end of each pair. */
static void post_datagram(struct pe_pair *p[2], u32 end, u64 wr_id, u32 mtu)
{
	struct twin_request r = {
		.op = rnd_below(2) ? GLASS_OP_SEND : GLASS_OP_SEND_IMM,
		.len = rnd_below(64) ? rnd_below(mtu + 1) : mtu + 1,
		.flags = (rnd_below(2) ? GLASS_SWQE_SIGNALED : 0) | (rnd_below(2) ? GLASS_SWQE_SOLICITED : 0),
	};
	u32 before = end_of(p[0], end)->q.req.head;
	/* the QP's own Q_Key, in place of the one that stands there */
	u32 qkey = rnd_below(8) ? 0x1234 : rnd_below(2) ? 0x4321 : GLASS_QKEY_CTRL;
	u8 grh = !rnd_below(8);

	post_twins(p, end, wr_id, &r);
	for (u32 i = 0; i < 2 && end_of(p[i], end)->q.req.head != before; i++) {
		struct glass_swqe *w = glass_swqe_at(&end_of(p[i], end)->q, before);

		w->qkey = qkey;
		w->av.has_grh = grh;
	}
}

/* The next datagram of an end, if the functions fit */
static bool pass_datagram(struct pe_ep *ep, struct glass_pkt *pkt, u64 now)
{
	static struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_rx_meta meta = { .pkey_index = ep->q.attr.pkey_index };
	struct glass_pqp *q = &ep->q, *peer = &ep->peer->q;
	struct glass_swqe *w;

	if (q->req.cur == q->req.head)
		return false;
	w = glass_swqe_at(q, q->req.cur);
	if (!glass_datagram_is(q, w))
		return false;
	memset(pkt, 0xee, sizeof(*pkt));
	pkt->seg = seg;
	pkt->nseg = 0;
	pkt->len = 0;
	glass_single_begin(q, w, 1);
	CHECK(!w->len || glass_env_gather(q, w->sge, 1, 0, w->len, pkt) == GLASS_MEM_OK, "no payload");
	pkt->len = w->len;
	glass_fill_headers(pkt, &w->av, GLASS_MIG_MIGRATED);
	glass_datagram_fill(q, w, pkt);
	pkt->slid = q->qpn + w->av.path_bits;
	ud_sums[DATAGRAMS]++;
	if (glass_datagram_fits(peer, pkt) && take_receive(ep->peer, pkt, GLASS_GRH_BYTES)) {
		struct glass_cqe cqe;

		glass_datagram_rx(peer, pkt);
		cqe = glass_datagram_cqe(peer, pkt, meta);
		glass_env_complete(peer, &cqe);
		ud_sums[TAKEN]++;
	} else {
		glass_pqp_rx(peer, pkt, &meta, now);
		ud_sums[WAITING] += peer->resp.rwqe_valid;
	}
	glass_env_payload_put(q, pkt);
	glass_req_sent(q);
	return true;
}

static bool move_datagram(struct pe_pair *p[2], u32 end, u32 loss)
{
	static struct pe_wire w[2];
	struct pe_ep *x = end_of(p[0], end), *y = end_of(p[1], end);
	struct glass_pkt pkt;
	bool got;

	if (rnd_below(4) && pass_datagram(x, &pkt, p[0]->now)) {
		CHECK(pe_pull(y, &w[1], p[1]->now), "no packet");
		compare_packets(pkt, w[1].pkt);
		glass_pqp_rx(&y->peer->q, &w[1].pkt, &w[1].meta, p[1]->now);
		compare(x, y, "directly, at the sender");
		compare(x->peer, y->peer, "directly, at the receiver");
		return true;
	}
	got = pull_both(p, end, w);
	/* a datagram that is too long completes with an error, and sends the QP to SQE */
	for (u32 i = 0; i < 2; i++) {
		struct pe_ep *ep = end_of(p[i], end);

		if (ep->q.state == GLASS_QPS_SQE) {
			pe_flush(ep);
			CHECK(!pe_state(ep, GLASS_QPS_RTS, p[i]->now), "not RTS again");
		}
	}
	if (got)
		deliver_both(p, end, w, loss);
	else
		compare(x, y, "without a packet");
	return got;
}

static void one_ud(u64 seed)
{
	static const struct twins_work work = { post_datagram, move_datagram, compare, false };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p[2];

	cfg.type = GLASS_QPT_UD;
	make_twins(p, &cfg, seed);
	for (u32 i = 0; i < 2; i++) {
		/* a receiver with a smaller MTU, or with another Q_Key */
		if (seed % 8 == 4 && cfg.mtu > 256)
			p[i]->b.q.attr.mtu = p[i]->b.q.port_mtu = 256;
		if (seed % 8 == 5)
			p[i]->b.q.attr.qkey = 0x4321;
	}
	run_twins(p, &cfg, &work);
	for (u32 i = 0; i < 2; i++)
		pe_pair_free(p[i]);
}

static void test_same_datagrams(void **state)
{
	(void)state;
	seeds_run("proto_direct UD", 1000, one_ud, ud_sums, NUDSUMS);
	printf("# directly %llu datagrams, of which %llu were received and %llu found a receive too short\n",
	       (unsigned long long)ud_sums[DATAGRAMS], (unsigned long long)ud_sums[TAKEN],
	       (unsigned long long)ud_sums[WAITING]);
	if (!getenv("GLASS_SEED"))
		assert_true(ud_sums[DATAGRAMS] > 10000 && ud_sums[TAKEN] > 3000 && ud_sums[WAITING] > 100);
}

static void test_same_cores(void **state)
{
	(void)state;
	seeds_run("proto_direct", 1000, one, sums, NSUMS);
	printf("# directly %llu WRITEs, %llu READs, %llu atomics, %llu SENDs; %llu of them trains; %llu other packets\n",
	       (unsigned long long)sums[WRITES], (unsigned long long)sums[READS], (unsigned long long)sums[ATOMICS],
	       (unsigned long long)sums[SENDS], (unsigned long long)sums[TRAINS], (unsigned long long)sums[OTHERS]);
	if (!getenv("GLASS_SEED"))
		assert_true(sums[WRITES] > 1000 && sums[SENDS] > 1000 && sums[READS] > 1000 && sums[ATOMICS] > 1000 && sums[TRAINS] > 300 && sums[OTHERS] > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_cores),
		cmocka_unit_test(test_same_datagrams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
