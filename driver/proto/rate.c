// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The rate of a QP after CNPs (rate.h), and CNPs. */
#include "proto/internal.h"

/* Returns how many whole periods have passed since *since, at most `most`, and moves *since on. */
static u32 rate_periods(u64 *since, u64 now, u32 period, u32 most)
{
	u64 n = now > *since ? (now - *since) / period : 0;

	*since += n * period;
	return min_t(u64, n, most);
}

static void rate_rise(struct glass_rate *r, u64 now)
{
	u32 n = rate_periods(&r->raise_ns, now, GLASS_RATE_RAISE_NS, GLASS_RATE_ROUNDS);

	while (n-- && r->now) {
		if (r->rounds++ >= GLASS_RATE_FAST)
			r->target = min_t(u32, r->target + GLASS_RATE_STEP, GLASS_RATE_LINE);
		r->now = (r->now + r->target + 1) / 2;
		if (r->now >= GLASS_RATE_LINE || r->rounds >= GLASS_RATE_ROUNDS)
			r->now = 0;
	}
}

void glass_rate_cut(struct glass_rate *r, u64 now)
{
	u32 n;

	if (r->now)
		rate_rise(r, now);
	if (!r->now) {
		r->now = GLASS_RATE_LINE;
		r->alpha = GLASS_RATE_ALPHA_ONE;
		r->next_ns = now;
	} else if (now - r->cut_ns < GLASS_RATE_CUT_NS) {
		return;
	} else {
		for (n = rate_periods(&r->alpha_ns, now, GLASS_RATE_ALPHA_NS, 128); n; n--)
			r->alpha -= r->alpha >> GLASS_RATE_ALPHA_SHIFT;
		r->alpha += (GLASS_RATE_ALPHA_ONE - r->alpha) >> GLASS_RATE_ALPHA_SHIFT;
	}
	r->target = r->now;
	r->now -= (u64)r->now * r->alpha / (2 * GLASS_RATE_ALPHA_ONE);
	r->now = max_t(u32, r->now, GLASS_RATE_LEAST);
	r->rounds = 0;
	r->cut_ns = now;
	r->alpha_ns = now;
	r->raise_ns = now;
}

u64 glass_rate_sent(struct glass_rate *r, u32 bytes, u64 now)
{
	rate_rise(r, now);
	if (!r->now)
		return 0;
	/* a QP that was idle does not send faster afterwards */
	r->next_ns = max_t(u64, r->next_ns, now) + (u64)bytes * 1000000 / r->now;
	return r->next_ns - now > GLASS_RATE_SLACK_NS ? r->next_ns - now : 0;
}

/* Is the packet from the peer of a connected QP of an Ethernet port? */
static bool from_peer(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	return glass_type_is_connected(q->type) && q->attr.av.ethernet && pkt->lnh == GLASS_LNH_GLOBAL &&
	       q->state >= GLASS_QPS_RTR && q->state != GLASS_QPS_ERR &&
	       !memcmp(q->attr.av.dgid, pkt->grh.sgid, sizeof(pkt->grh.sgid));
}

bool glass_pqp_cnp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	if (pkt->opcode != GLASS_OPCODE_CNP || !from_peer(q, pkt))
		return false;
	if (!glass_env_ecn_on()) {
		q->stats.rp_cnp_ignored++;
		return true;
	}
	q->stats.rp_cnp_handled++;
	glass_rate_cut(&q->rate, now);
	return true;
}

bool glass_pqp_marked(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	if (pkt->opcode == GLASS_OPCODE_CNP || !from_peer(q, pkt))
		return false;
	q->stats.np_ecn_marked_roce_packets++;
	if (!glass_env_ecn_on() || (q->cnp_ns && now - q->cnp_ns < GLASS_CNP_EVERY_NS))
		return false;
	q->cnp_ns = now;
	q->stats.np_cnp_sent++;
	q->stats.tx_pkts++;
	return true;
}

void glass_pqp_cnp(const struct glass_pqp *q, struct glass_pkt *cnp, struct glass_seg *seg)
{
	static const u8 reserved[GLASS_CNP_BYTES];

	memset(cnp, 0, sizeof(*cnp));
	*seg = (struct glass_seg){ .addr = (void *)reserved, .len = sizeof(reserved) };
	cnp->seg = seg;
	cnp->nseg = 1;
	cnp->len = sizeof(reserved);
	cnp->opcode = GLASS_OPCODE_CNP;
	cnp->forged = 1;
	cnp->dqpn = q->attr.dest_qpn;
	glass_fill_headers(cnp, &q->attr.av, q->attr.mig_state);
	/* no switch shall mark it */
	cnp->grh.tclass &= ~GLASS_ECN_MASK;
}
