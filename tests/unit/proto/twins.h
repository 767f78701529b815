/* SPDX-License-Identifier: GPL-2.0-only */
/* Twins: two pairs of QPs that get the same work, by two ways that must come to the same. For tests of proto/single.h. */
#ifndef TWINS_H
#define TWINS_H

#include "proto_pair.h"
#include "proto_seeds.h"

#define TWINS_STEPS 300

/* Compares the two QPs of this end; `when` is for the report. */
typedef void (*twins_compare)(const struct pe_ep *x, const struct pe_ep *y, const char *when);

static inline struct pe_ep *end_of(struct pe_pair *p, u32 i)
{
	return i ? &p->b : &p->a;
}

/* A request that post_twins() makes. raddr is in DST of the peer. */
struct twin_request {
	enum glass_wr_op op;
	u8 flags;
	u32 len, rkey;
	u64 raddr, cmp, swap;
};

/* Posts the same request to this end of each pair, if there is room. */
static inline void post_twins(struct pe_pair *p[2], u32 end, u64 wr_id, const struct twin_request *r)
{
	for (u32 i = 0; i < 2; i++) {
		struct pe_ep *ep = end_of(p[i], end);
		struct glass_swqe *w;

		if (ep->q.req.head - ep->q.req.tail >= PE_SQ)
			return;
		w = post(ep, r->op, wr_id, r->len);
		w->flags = r->flags;
		w->rkey = r->rkey;
		if (!glass_type_is_connected(ep->q.type))
			continue;
		w->raddr = r->raddr;
		if (r->op == GLASS_OP_CMP_SWAP || r->op == GLASS_OP_FETCH_ADD) {
			w->cmp_add = r->cmp;
			w->swap = r->swap;
		}
	}
}

/* A random length of a request: mostly of one packet. */
static inline u32 twins_len(enum glass_wr_op op, u32 mtu)
{
	if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD)
		return 8;
	return rnd_below(8) ? rnd_below(mtu + 1) : rnd_below(4 * mtu);
}

/* The next timers of both pairs, if there are any. acks: postponed ACKs become due, too. */
static inline void pass_time(struct pe_pair *p[2], bool acks, twins_compare compare)
{
	u64 next = 0;

	for (u32 end = 0; end < 2; end++) {
		u64 at = end_of(p[0], end)->q.deadline;

		if (at && (!next || at < next))
			next = at;
	}
	for (u32 i = 0; i < 2; i++) {
		p[i]->now = max(p[i]->now, next);
		for (u32 end = 0; end < 2; end++) {
			struct glass_pqp *q = &end_of(p[i], end)->q;

			if (acks)
				glass_pqp_ack_now(q);
			if (q->deadline && q->deadline <= p[i]->now)
				glass_pqp_timer(q, p[i]->now);
		}
	}
	for (u32 end = 0; end < 2; end++)
		compare(end_of(p[0], end), end_of(p[1], end), "after a timer");
}

/* Random pairs; half of them delay ACKs. */
static inline void make_twins(struct pe_pair *p[2], struct pe_cfg *cfg, u64 seed)
{
	/* not the step of rnd(): then a seed would draw the numbers of the one before, one later */
	rnd_state = seed * 0xd1342543de82ef95ULL;
	cfg->mtu = 256 << rnd_below(5);
	cfg->rd_atomic = 1 + rnd_below(4);
	cfg->srq = !rnd_below(3);
	cfg->psn = rnd_below(2) ? rnd_below(1 << 24) : 0xfffff0;
	for (u32 i = 0; i < 2; i++) {
		p[i] = make(cfg);
		for (u32 end = 0; end < 2; end++)
			end_of(p[i], end)->q.ack_later = seed & 1;
	}
}

struct twins_work {
	void (*post_one)(struct pe_pair *p[2], u32 end, u64 wr_id, u32 mtu);
	/* One packet from this end of each pair, which arrives or, in so many of 1,000 cases, is lost. Returns false if there is none. */
	bool (*move_one)(struct pe_pair *p[2], u32 end, u32 loss);
	twins_compare compare;
	bool acks; /* as in pass_time() */
};

/* Random work for the twins, and then their end. */
static inline void run_twins(struct pe_pair *p[2], const struct pe_cfg *cfg, const struct twins_work *work)
{
	u32 loss = rnd_below(2) ? 0 : rnd_below(100), recvs = rnd_below(4);

	for (u32 n = 0; n < TWINS_STEPS; n++) {
		u32 end = rnd_below(2), len = rnd_below(8) ? BIG : rnd_below(2 * cfg->mtu);

		if (!rnd_below(recvs + 1) && end_of(p[0], end)->rq_head - end_of(p[0], end)->rq_tail < 100)
			for (u32 i = 0; i < 2; i++)
				recv_(end_of(p[i], end), n, len);
		if (!rnd_below(3))
			work->post_one(p, end, n, cfg->mtu);
		if (!work->move_one(p, end, loss) && !work->move_one(p, !end, loss) && !rnd_below(3))
			pass_time(p, work->acks, work->compare);
	}
}

#endif
