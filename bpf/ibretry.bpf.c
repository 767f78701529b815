// SPDX-License-Identifier: GPL-2.0-only
#include "common/owner.bpf.h"
#include "ibretry.h"

FIELD(glass, glass_qp_retry, dev);
FIELD(glass, glass_qp_retry, qpn);
FIELD(glass, glass_qp_retry, wr_id);
FIELD(glass, glass_qp_retry, flow);
FIELD(glass, glass_qp_retry, psn);
FIELD(glass, glass_qp_retry, round);
FIELD(glass, glass_qp_retry, left);
FIELD(glass, glass_qp_retry, why);
FIELD(glass, glass_rnr, dev);
FIELD(glass, glass_rnr, qpn);
FIELD(glass, glass_rnr, wait_ns);
FIELD(glass, glass_rnr, flow);
FIELD(glass, glass_rnr, psn);
FIELD(glass, glass_rnr, round);
FIELD(glass, glass_rnr, left);
FIELD(glass, glass_rnr, dir);

static __always_inline void submit(struct ibretry_event *e)
{
	struct facts facts = {};

	head_by_owner(&e->head, GLASS_KIND_QP, e->qpn);
	if (filter.active) {
		FACT_TEXT(&facts, DEV, e->head.dev);
		fact_owner(&facts, find_owner(&e->head.dev, GLASS_KIND_QP, e->qpn));
		FACT(&facts, QPN, e->qpn);
		FACT(&facts, PSN, e->psn);
		FACT(&facts, FLOW, e->flow);
		if (e->head.type == RETRIED) {
			FACT(&facts, WHY, e->why);
			FACT(&facts, WR_ID, e->wr_id);
		} else {
			FACT(&facts, DIR, e->why);
		}
		if (!filter_fits(&facts)) {
			bpf_ringbuf_discard(e, 0);
			return;
		}
	}
	bpf_ringbuf_submit(e, 0);
}

SEC("tp/glass/glass_qp_retry")
int retried(void *ctx)
{
	struct ibretry_event *e = event_begin(sizeof(*e));

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	e->head.type = RETRIED;
	GET_TEXT(ctx, glass, glass_qp_retry, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_qp_retry, qpn);
	e->wr_id = GET(ctx, glass, glass_qp_retry, wr_id);
	e->flow = GET(ctx, glass, glass_qp_retry, flow);
	e->psn = GET(ctx, glass, glass_qp_retry, psn);
	e->round = GET(ctx, glass, glass_qp_retry, round);
	e->left = GET(ctx, glass, glass_qp_retry, left);
	e->why = GET(ctx, glass, glass_qp_retry, why);
	submit(e);
	return 0;
}

SEC("tp/glass/glass_rnr")
int not_ready(void *ctx)
{
	struct ibretry_event *e = event_begin(sizeof(*e));

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	e->head.type = RNR_NAK;
	GET_TEXT(ctx, glass, glass_rnr, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_rnr, qpn);
	e->wait_ns = GET(ctx, glass, glass_rnr, wait_ns);
	e->flow = GET(ctx, glass, glass_rnr, flow);
	e->psn = GET(ctx, glass, glass_rnr, psn);
	e->round = GET(ctx, glass, glass_rnr, round);
	e->left = GET(ctx, glass, glass_rnr, left);
	e->why = GET(ctx, glass, glass_rnr, dir);
	submit(e);
	return 0;
}
