/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows each send work request by its flow. The including tool defines flight_end() first. It is
 * called once for each request that ends and passes the filter. A request ends when it is polled;
 * at its completion if polls are not seen; at its acknowledgement if it is unsignaled.
 */
#ifndef GLASS_FLIGHT_BPF_H
#define GLASS_FLIGHT_BPF_H

#include "common/flight.h"
#include "common/owner.bpf.h"

#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

/* LRU: requests that never end (QP destroyed, CQ not polled) make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct flight);
} flights SEC(".maps");

/* Does the tool need device and process? Otherwise they are not looked up. */
const volatile bool whose_wanted = true;

/* Are the provider's probes attached? Otherwise requests end at their completion. */
const volatile bool polls_seen = false;

static __always_inline void flight_end(const struct flight *f);

FIELD(glass, glass_wr_post, dev);
FIELD(glass, glass_wr_post, qpn);
FIELD(glass, glass_wr_post, wr_id);
FIELD(glass, glass_wr_post, flow);
FIELD(glass, glass_wr_post, len);
FIELD(glass, glass_wr_post, flags);
FIELD(glass, glass_wr_post, op);
FIELD(glass, glass_wr_start, flow);
FIELD(glass, glass_wr_start, tries);
FIELD(glass, glass_wr_complete, flow);
FIELD(glass, glass_wr_complete, status);
FIELD(glass, glass_cqe, flow);
FIELD(glass, glass_cqe, op);
FIELD(glass, glass_poll, flow);
FIELD(glass, glass_poll, op);
FIELD(glass, glass_qp_retry, flow);
FIELD(glass, glass_qp_retry, why);

#define SIGNALED 2   /* bit in the flags of glass_wr_post */
#define RECEIVED 128 /* bit in the op of a completion */

static __always_inline struct flight *find_flight(__u64 flow)
{
	return bpf_map_lookup_elem(&flights, &flow);
}

static __always_inline bool flight_fits(const struct flight *f)
{
	struct facts facts = {};
	union comm_name comm;

	if (!filter.active)
		return true;
	__builtin_memcpy(comm.text, f->comm, BPF_COMM_LEN);
	FACT_TEXT(&facts, DEV, f->dev);
	FACT(&facts, PID, f->pid);
	FACT_TEXT(&facts, COMM, comm);
	FACT(&facts, QPN, f->qpn);
	FACT(&facts, OP, f->op);
	FACT(&facts, LEN, f->len);
	FACT(&facts, WR_ID, f->wr_id);
	FACT(&facts, STATUS, f->status);
	return filter_fits(&facts);
}

static __always_inline void flight_over(struct flight *f)
{
	__u64 flow = f->flow;

	if (flight_fits(f))
		flight_end(f);
	bpf_map_delete_elem(&flights, &flow);
}

/* Reading an argument of a probe is expensive: read only those that are needed. */
#define ARG_POST_FLOW 3
#define ARG_POLL_OP   4
#define ARG_POLL_FLOW 5

SEC("usdt")
int usdt_post_send(struct pt_regs *ctx)
{
	struct flight f = {};
	long flow = 0;
	__u64 key;

	bpf_usdt_arg(ctx, ARG_POST_FLOW, &flow);
	f.flow = key = flow;
	f.ns[AT_POST] = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&flights, &key, &f, BPF_ANY))
		note_lost();
	return 0;
}

/*
 * Returns the flight of a request that the driver takes. Creates it if its post was not seen: the
 * program started before the tool, or posts in the kernel.
 */
static __always_inline struct flight *taken(__u64 flow)
{
	struct flight *f = find_flight(flow), fresh = { .flow = flow };

	/* else the number was reused after a reset: the old flight never ended */
	if (f && !f->ns[AT_TAKE])
		return f;
	if (bpf_map_update_elem(&flights, &flow, &fresh, BPF_ANY)) {
		note_lost();
		return NULL;
	}
	return find_flight(flow);
}

SEC("tp/glass/glass_wr_post")
int flight_taken(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	RECORD(r, ctx);
	struct flight *f = taken(FROM(r, glass, glass_wr_post, flow));
	struct owner *o;

	if (!f)
		return 0;
	f->ns[AT_TAKE] = now;
	f->wr_id = FROM(r, glass, glass_wr_post, wr_id);
	f->qpn = FROM(r, glass, glass_wr_post, qpn);
	f->len = FROM(r, glass, glass_wr_post, len);
	f->op = FROM(r, glass, glass_wr_post, op);
	f->signaled = (FROM(r, glass, glass_wr_post, flags) & SIGNALED) != 0;
	if (!whose_wanted && !filter.active)
		return 0;
	FROM_TEXT(r, glass, glass_wr_post, dev, f->dev.text);
	o = find_owner(&f->dev, GLASS_KIND_QP, f->qpn);
	if (o) {
		f->pid = o->pid;
		__builtin_memcpy(f->comm, o->comm.text, BPF_COMM_LEN);
	}
	return 0;
}

SEC("tp/glass/glass_wr_start")
int flight_begun(void *ctx)
{
	struct flight *f = find_flight(GET(ctx, glass, glass_wr_start, flow));

	if (f && !f->ns[AT_WIRE])
		f->ns[AT_WIRE] = bpf_ktime_get_ns();
	return 0;
}

SEC("tp/glass/glass_qp_retry")
int flight_retried(void *ctx)
{
	struct flight *f = find_flight(GET(ctx, glass, glass_qp_retry, flow));
	__u32 why = GET(ctx, glass, glass_qp_retry, why);

	if (!f)
		return 0;
	if (why == 0)
		f->timeouts++;
	else if (why == 2)
		f->rnrs++;
	else
		f->naks++;
	return 0;
}

SEC("tp/glass/glass_wr_complete")
int flight_acked(void *ctx)
{
	struct flight *f = find_flight(GET(ctx, glass, glass_wr_complete, flow));

	if (!f)
		return 0;
	f->ns[AT_ACK] = bpf_ktime_get_ns();
	f->status = GET(ctx, glass, glass_wr_complete, status);
	if (!f->signaled && !f->status)
		flight_over(f);
	return 0;
}

SEC("tp/glass/glass_cqe")
int flight_completed(void *ctx)
{
	struct flight *f;

	if (GET(ctx, glass, glass_cqe, op) >= RECEIVED)
		return 0;
	f = find_flight(GET(ctx, glass, glass_cqe, flow));
	if (!f)
		return 0;
	f->ns[AT_CQE] = bpf_ktime_get_ns();
	if (!polls_seen)
		flight_over(f);
	return 0;
}

static __always_inline int polled(__u64 flow, __u32 op)
{
	struct flight *f = op < RECEIVED ? find_flight(flow) : NULL;

	if (f && f->ns[AT_CQE]) {
		f->ns[AT_POLL] = bpf_ktime_get_ns();
		flight_over(f);
	}
	return 0;
}

SEC("usdt")
int usdt_poll(struct pt_regs *ctx)
{
	long op = RECEIVED, flow = 0;

	bpf_usdt_arg(ctx, ARG_POLL_OP, &op);
	if ((op & 0xff) >= RECEIVED)
		return 0;
	bpf_usdt_arg(ctx, ARG_POLL_FLOW, &flow);
	return polled(flow, op & 0xff);
}

SEC("tp/glass/glass_poll")
int flight_polled_in_kernel(void *ctx)
{
	return polled(GET(ctx, glass, glass_poll, flow), GET(ctx, glass, glass_poll, op));
}

#endif
