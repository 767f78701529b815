// SPDX-License-Identifier: GPL-2.0-only
/*
 * glass_req_next() has a part for the common request, which is one packet or one train, and a general one, which must make the
 * same packet. Two pairs of QPs get the same work: the first as it comes, the second so that its requester
 * always takes the general part.
 */
#include "harness.h"
#include "twins.h"

enum { PACKETS, REQUESTS, SINGLE, TRAINS, RETRIES, NSUMS };

static u64 sums[NSUMS];

static bool is_request(const struct glass_pkt *pkt)
{
	u8 bop = pkt->opcode & GLASS_BOP_MASK;

	return bop < GLASS_BOP_READ_RESP_FIRST || bop > GLASS_BOP_ATOMIC_ACK;
}

/* Posts the same random work request to this end of each pair. */
static void post_one(struct pe_pair *p[2], u32 end, u64 wr_id, u32 mtu)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_SEND,	   GLASS_OP_SEND_IMM,
						GLASS_OP_SEND_INV, GLASS_OP_WRITE,
						GLASS_OP_WRITE_IMM, GLASS_OP_READ,
						GLASS_OP_CMP_SWAP, GLASS_OP_FETCH_ADD };
	enum glass_wr_op op = ops[rnd_below(ARRAY_SIZE(ops))];
	struct twin_request r = {
		.op = op,
		.len = twins_len(op, mtu),
		.flags = (rnd_below(2) ? GLASS_SWQE_SIGNALED : 0) | (rnd_below(2) ? GLASS_SWQE_SOLICITED : 0) |
			 (rnd_below(16) ? 0 : GLASS_SWQE_FENCE),
		.raddr = pe_va(DST, 8 * rnd_below(100)),
		.cmp = rnd_below(100),
		.swap = rnd_below(100),
		/* a key that the peer invalidates must not be DST */
		.rkey = op == GLASS_OP_SEND_INV ? 0x777 : rnd_below(200) ? DST : 0x999,
	};

	post_twins(p, end, wr_id, &r);
}

/* The next packet of an end whose requester takes the general part */
static bool pull_general(struct pe_ep *ep, struct pe_wire *w, u64 now)
{
	struct glass_req_state *r = &ep->q.req;
	bool waits = r->rnr_wait, got;
	u64 until = r->rnr_until;

	if (!waits) {
		r->rnr_wait = true;
		r->rnr_until = 0;
	}
	got = pe_pull(ep, w, now);
	if (!waits) {
		r->rnr_wait = false;
		r->rnr_until = until;
		ep->q.deadline = r->ack_deadline;
	}
	return got;
}

static void compare(const struct pe_ep *x, const struct pe_ep *y, const char *when)
{
	const struct glass_pqp *a = &x->q, *b = &y->q;

#define SAME(f) CHECK(a->f == b->f, "%s: " #f " %lld, %lld", when, (long long)a->f, (long long)b->f)
	SAME(state);
	SAME(req.head);
	SAME(req.cur);
	SAME(req.tail);
	SAME(req.begun);
	SAME(req.cur_off);
	SAME(req.psn);
	SAME(req.max_psn);
	SAME(req.una);
	SAME(req.rd_atomic);
	SAME(req.cur_err);
	SAME(req.window);
	SAME(req.rnr_wait);
	SAME(req.ack_deadline);
	SAME(req.since_ackreq);
	SAME(req.ssn);
	SAME(req.credit_lsn);
	SAME(req.credit_valid);
	SAME(left);
	SAME(lent);
	SAME(deadline);
	SAME(stats.tx_pkts);
	SAME(stats.tx_bytes);
	SAME(stats.tx_msgs);
	SAME(stats.retries);
#undef SAME
	CHECK(x->ncqe == y->ncqe, "%s: completions %u, %u", when, x->ncqe, y->ncqe);
	CHECK(x->refs == y->refs, "%s: references %d, %d", when, x->refs, y->refs);
	for (u32 i = a->req.tail; i != a->req.begun; i++) {
		const struct glass_swqe *v = glass_swqe_at((struct glass_pqp *)a, i);
		const struct glass_swqe *w = glass_swqe_at((struct glass_pqp *)b, i);

		CHECK(v->psn == w->psn && v->npsn == w->npsn && v->tries == w->tries,
		      "%s: WQE %u: PSN %u, %u", when, i, v->psn, w->psn);
	}
}

static void compare_packets(const struct pe_wire *x, const struct pe_wire *y)
{
	struct glass_pkt a = x->pkt, b = y->pkt;

	a.seg = NULL;
	b.seg = NULL;
	CHECK(!memcmp(&a, &b, sizeof(a)), "packet: opcode %#x, %#x; PSN %u, %u", a.opcode, b.opcode,
	      a.psn, b.psn);
	CHECK(!memcmp(x->data, y->data, a.len), "payload of opcode %#x", a.opcode);
	CHECK(!memcmp(&x->meta, &y->meta, sizeof(x->meta)), "addresses of opcode %#x", a.opcode);
}

/* One packet from this end of each pair, which arrives or is lost. Returns false if there is none. */
static bool move_one(struct pe_pair *p[2], u32 end, u32 loss)
{
	static struct pe_wire w[2];
	const struct glass_pqp *q = &end_of(p[0], end)->q;
	u32 begun = q->req.begun;
	bool got[2];

	got[0] = pe_pull(end_of(p[0], end), &w[0], p[0]->now);
	got[1] = pull_general(end_of(p[1], end), &w[1], p[1]->now);
	CHECK(got[0] == got[1], "a packet: %d, %d", got[0], got[1]);
	compare(end_of(p[0], end), end_of(p[1], end), "sent");
	if (!got[0])
		return false;
	compare_packets(&w[0], &w[1]);
	sums[PACKETS]++;
	if (is_request(&w[0].pkt)) {
		sums[REQUESTS]++;
		sums[w[0].pkt.more ? TRAINS : SINGLE] += q->req.begun != begun && !q->req.cur_off;
	}
	if (rnd_below(1000) < loss)
		return true;
	for (u32 i = 0; i < 2; i++)
		glass_pqp_rx(&end_of(p[i], !end)->q, &w[i].pkt, &w[i].meta, p[i]->now);
	compare(end_of(p[0], !end), end_of(p[1], !end), "received");
	return true;
}

static void one(u64 seed)
{
	static const struct twins_work work = { post_one, move_one, compare, false };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p[2];

	cfg.has_grh = !(seed % 4);
	make_twins(p, &cfg, seed);
	for (u32 end = 0; end < 2; end++) {
		u32 more = rnd_below(2) ? rnd_below(PE_TRAIN + 1) : 0;

		for (u32 i = 0; i < 2; i++)
			end_of(p[i], end)->q.max_more = more;
	}
	run_twins(p, &cfg, &work);
	for (u32 end = 0; end < 2; end++)
		sums[RETRIES] += end_of(p[0], end)->q.stats.retries;
	for (u32 i = 0; i < 2; i++)
		pe_pair_free(p[i]);
}

static void test_same_packets(void **state)
{
	(void)state;
	seeds_run("proto_single", 1000, one, sums, NSUMS);
	printf("# %llu packets, %llu of them requests, %llu requests of one packet, %llu of a train, %llu retries\n",
	       (unsigned long long)sums[PACKETS], (unsigned long long)sums[REQUESTS],
	       (unsigned long long)sums[SINGLE], (unsigned long long)sums[TRAINS],
	       (unsigned long long)sums[RETRIES]);
	if (!getenv("GLASS_SEED"))
		assert_true(sums[SINGLE] > 8000 && sums[TRAINS] > 120 && sums[RETRIES] > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
