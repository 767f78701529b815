// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions for single requests (proto/single.h), which the direct way uses with both ends of a
 * connection at hand, must leave both cores as glass_pqp_rx() and glass_resp_next() do. Two pairs of QPs
 * get the same work: the first uses them wherever they fit, the second never.
 */
#include "harness.h"
#include "proto/single.h"
#include "twins.h"

enum { WRITES, READS, ATOMICS, OTHERS, NSUMS };

static u64 sums[NSUMS];

/* Posts the same random work request to this end of each pair. */
static void post_one(struct pe_pair *p[2], u32 end, u64 wr_id, u32 mtu)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_SEND,	GLASS_OP_WRITE,	   GLASS_OP_WRITE, GLASS_OP_WRITE_IMM,
						GLASS_OP_READ,	GLASS_OP_READ,	   GLASS_OP_CMP_SWAP,
						GLASS_OP_FETCH_ADD };
	enum glass_wr_op op = ops[rnd_below(ARRAY_SIZE(ops))];
	bool atomic = op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD;
	struct twin_request r = {
		.op = op,
		.len = twins_len(op, mtu),
		.flags = (rnd_below(2) ? GLASS_SWQE_SIGNALED : 0) | (rnd_below(16) ? 0 : GLASS_SWQE_FENCE),
		.raddr = pe_va(DST, atomic ? 8 * rnd_below(100) : rnd_below(800)),
		.cmp = rnd_below(100),
		.swap = rnd_below(100),
		.rkey = rnd_below(500) ? DST : 0x999,
	};

	post_twins(p, end, wr_id, &r);
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
		CHECK(!memcmp(&x->cqe[i], &y->cqe[i], sizeof(x->cqe[i])), "%s: completion %u", when, i);
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

/* The next request of an end, if the functions fit: its packet passes, and so does the answer to a READ or atomic. */
static bool pass_directly(struct pe_ep *ep, struct glass_pkt *pkt, struct glass_pkt *answer, bool *gets,
			  u64 now)
{
	static struct glass_seg seg[2][GLASS_PKT_SEGS];
	struct glass_pqp *q = &ep->q, *peer = &ep->peer->q;
	u64 orig = 0, sum = WRITES;
	struct glass_swqe *w;
	u32 access = GLASS_ACC_REMOTE_WRITE, len;

	if (glass_resp_owed(q) || q->req.cur == q->req.head)
		return false;
	w = glass_swqe_at(q, q->req.cur);
	if (!w->len || w->num_sge != 1 || !glass_single_is(q, w))
		return false;
	len = w->len;
	if (glass_single_gets(w)) {
		if (glass_resp_owed(peer) || !glass_single_get_fits(peer, q, w))
			return false;
		access = w->op == GLASS_OP_READ ? GLASS_ACC_REMOTE_READ : GLASS_ACC_REMOTE_ATOMIC;
		sum = w->op == GLASS_OP_READ ? READS : ATOMICS;
	} else if (w->op != GLASS_OP_WRITE || !glass_single_write_fits(peer, q->req.psn, len)) {
		return false;
	}
	if (glass_env_remote_check(peer, w->rkey, w->raddr, len, access) != GLASS_MEM_OK)
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
	glass_single_begin(q, w);
	if (!*gets) {
		CHECK(glass_env_gather(q, w->sge, 1, 0, len, pkt) == GLASS_MEM_OK, "no payload");
		pkt->len = len;
	}
	glass_single_fill(q, w, pkt, *gets, now);
	if (!*gets) {
		CHECK(glass_env_remote_write(peer, w->rkey, w->raddr, pkt) == GLASS_MEM_OK, "no place");
		glass_single_write_rx(peer, pkt);
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
	return true;
}

/* One packet from this end of each pair, which arrives or is lost. Returns false if there is none. */
static bool move_one(struct pe_pair *p[2], u32 end, u32 loss)
{
	static struct pe_wire w[2];
	struct pe_ep *x = end_of(p[0], end), *y = end_of(p[1], end);
	struct glass_pkt pkt, answer;
	bool got[2], gets;

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
	got[0] = pe_pull(x, &w[0], p[0]->now);
	got[1] = pe_pull(y, &w[1], p[1]->now);
	CHECK(got[0] == got[1], "a packet: %d, %d", got[0], got[1]);
	if (!got[0])
		return false;
	compare_packets(w[0].pkt, w[1].pkt);
	sums[OTHERS]++;
	if (rnd_below(1000) < loss)
		return true;
	for (u32 i = 0; i < 2; i++)
		glass_pqp_rx(&end_of(p[i], !end)->q, &w[i].pkt, &w[i].meta, p[i]->now);
	compare(x, y, "at the sender");
	compare(x->peer, y->peer, "at the receiver");
	return true;
}

static void one(u64 seed)
{
	static const struct twins_work work = { post_one, move_one, compare, true };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p[2];

	make_twins(p, &cfg, seed);
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

static void test_same_cores(void **state)
{
	(void)state;
	seeds_run("proto_direct", 1000, one, sums, NSUMS);
	printf("# directly %llu WRITEs, %llu READs, %llu atomics; %llu other packets\n", (unsigned long long)sums[WRITES],
	       (unsigned long long)sums[READS], (unsigned long long)sums[ATOMICS], (unsigned long long)sums[OTHERS]);
	if (!getenv("GLASS_SEED"))
		assert_true(sums[WRITES] > 1000 && sums[READS] > 1000 && sums[ATOMICS] > 1000 && sums[OTHERS] > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
