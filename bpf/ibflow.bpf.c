// SPDX-License-Identifier: GPL-2.0-only
#include "common/owner.bpf.h"
#include "ibflow.h"

#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

/* How many messages to follow; only: if not 0, the flow of the single message to follow */
const volatile __u32 most = 1;
const volatile __u64 only = 0;

__u32 followed = 0;

/* With more messages than entries, the one without events for the longest time is forgotten. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u8);
} flows SEC(".maps");

struct posted {
	__u64 ns;
	__u32 pid;
	char comm[BPF_COMM_LEN];
};

/* Posts that the driver has not taken yet. Only then the tool can decide whether to follow them. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct posted);
} posts SEC(".maps");

#define POST(name) GET(ctx, glass, glass_wr_post, name)
FIELD(glass, glass_wr_post, dev);
FIELD(glass, glass_wr_post, qpn);
FIELD(glass, glass_wr_post, wr_id);
FIELD(glass, glass_wr_post, flow);
FIELD(glass, glass_wr_post, len);
FIELD(glass, glass_wr_post, op);
FIELD(glass, glass_wr_start, dev);
FIELD(glass, glass_wr_start, qpn);
FIELD(glass, glass_wr_start, flow);
FIELD(glass, glass_wr_start, len);
FIELD(glass, glass_wr_start, psn);
FIELD(glass, glass_wr_start, op);
FIELD(glass, glass_wr_start, tries);
FIELD(glass, glass_wr_complete, dev);
FIELD(glass, glass_wr_complete, qpn);
FIELD(glass, glass_wr_complete, flow);
FIELD(glass, glass_wr_complete, len);
FIELD(glass, glass_wr_complete, psn);
FIELD(glass, glass_wr_complete, op);
FIELD(glass, glass_wr_complete, status);
FIELD(glass, glass_qp_retry, dev);
FIELD(glass, glass_qp_retry, qpn);
FIELD(glass, glass_qp_retry, flow);
FIELD(glass, glass_qp_retry, psn);
FIELD(glass, glass_qp_retry, why);
FIELD(glass, glass_rnr, dev);
FIELD(glass, glass_rnr, qpn);
FIELD(glass, glass_rnr, flow);
FIELD(glass, glass_rnr, psn);
FIELD(glass, glass_rnr, dir);
FIELD(glass, glass_cqe, dev);
FIELD(glass, glass_cqe, qpn);
FIELD(glass, glass_cqe, flow);
FIELD(glass, glass_cqe, len);
FIELD(glass, glass_cqe, op);
FIELD(glass, glass_cqe, status);
FIELD(glass, glass_poll, dev);
FIELD(glass, glass_poll, qpn);
FIELD(glass, glass_poll, flow);
FIELD(glass, glass_poll, op);
FIELD(glass, glass_poll, status);

static __always_inline struct ibflow_event *hop(__u64 flow, __u32 type)
{
	struct ibflow_event *e;

	if (!flow || !bpf_map_lookup_elem(&flows, &flow))
		return NULL;
	e = event_begin(sizeof(*e));
	if (!e)
		return NULL;
	__builtin_memset(e, 0, sizeof(*e));
	e->head.ns = bpf_ktime_get_ns();
	e->head.type = type;
	e->flow = flow;
	return e;
}

/* While no message is followed, the flow of an event is not read. */
#define HOP(ctx, event, type) (followed ? hop(GET(ctx, glass, event, flow), type) : NULL)

/* Reading an argument of a probe is expensive: read only those that are needed. */
#define ARG_POST_QPN	0
#define ARG_POST_FLOW	3
#define ARG_POLL_QPN	1
#define ARG_POLL_STATUS 3
#define ARG_POLL_OP	4
#define ARG_POLL_FLOW	5

SEC("usdt")
int usdt_post_send(struct pt_regs *ctx)
{
	struct facts facts = {};
	struct posted p = {};
	long arg = 0;
	__u64 key;

	if (followed >= most)
		return 0;
	if (filter.active) {
		bpf_usdt_arg(ctx, ARG_POST_QPN, &arg);
		FACT(&facts, QPN, (__u32)arg);
		if (!filter_may_fit(&facts))
			return 0;
	}
	bpf_usdt_arg(ctx, ARG_POST_FLOW, &arg);
	key = arg;
	if (only && only != key)
		return 0;
	p.ns = bpf_ktime_get_ns();
	p.pid = current_pid();
	current_comm(p.comm);
	bpf_map_update_elem(&posts, &key, &p, BPF_ANY);
	return 0;
}

static __always_inline bool wanted(void *ctx, const union dev_name *dev, __u64 flow)
{
	struct facts facts = {};
	__u32 qpn = POST(qpn);

	if (only && only != flow)
		return false;
	if (!filter.active)
		return true;
	FACT_TEXT(&facts, DEV, *dev);
	fact_owner(&facts, find_owner(dev, GLASS_KIND_QP, qpn));
	FACT(&facts, QPN, qpn);
	FACT(&facts, OP, POST(op));
	FACT(&facts, LEN, POST(len));
	FACT(&facts, WR_ID, POST(wr_id));
	FACT(&facts, FLOW, flow);
	return filter_fits(&facts);
}

SEC("tp/glass/glass_wr_post")
int message_taken(void *ctx)
{
	__u64 flow = POST(flow);
	union dev_name dev = {};
	struct ibflow_event *e;
	struct posted *p;
	__u8 yes = 1;

	if (followed >= most)
		return 0;
	GET_TEXT(ctx, glass, glass_wr_post, dev, dev.text);
	if (!wanted(ctx, &dev, flow) || __sync_fetch_and_add(&followed, 1) >= most)
		return 0;
	bpf_map_update_elem(&flows, &flow, &yes, BPF_ANY);
	p = bpf_map_lookup_elem(&posts, &flow);
	if (p) {
		e = hop(flow, HOP_POSTED);
		if (e) {
			e->head.ns = p->ns;
			e->head.pid = p->pid;
			__builtin_memcpy(e->head.comm, p->comm, BPF_COMM_LEN);
			e->head.dev = dev;
			e->qpn = POST(qpn);
			e->op = POST(op);
			e->len = POST(len);
			bpf_ringbuf_submit(e, 0);
		}
	}
	e = hop(flow, HOP_TAKEN);
	if (e) {
		e->head.dev = dev;
		e->qpn = POST(qpn);
		e->op = POST(op);
		e->len = POST(len);
		bpf_ringbuf_submit(e, 0);
	}
	return 0;
}

SEC("tp/glass/glass_wr_start")
int message_begun(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_wr_start, HOP_BEGUN);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_wr_start, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_wr_start, qpn);
	e->len = GET(ctx, glass, glass_wr_start, len);
	e->psn = GET(ctx, glass, glass_wr_start, psn);
	e->op = GET(ctx, glass, glass_wr_start, op);
	e->what = GET(ctx, glass, glass_wr_start, tries);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

/* The three packet events have the same fields. */
#define PACKET(event, type, program)                                \
	FIELD(glass, event, dev);                                   \
	FIELD(glass, event, port);                                  \
	FIELD(glass, event, flow);                                  \
	FIELD(glass, event, dqpn);                                  \
	FIELD(glass, event, psn);                                   \
	FIELD(glass, event, len);                                   \
	FIELD(glass, event, opcode);                                \
	FIELD(glass, event, syndrome);                              \
	FIELD(glass, event, reason);                                \
	SEC("tp/glass/" #event)                                     \
	int program(void *ctx)                                      \
	{                                                           \
		struct ibflow_event *e = HOP(ctx, event, type);     \
                                                                    \
		if (!e)                                             \
			return 0;                                   \
		GET_TEXT(ctx, glass, event, dev, e->head.dev.text); \
		e->port = GET(ctx, glass, event, port);             \
		e->qpn = GET(ctx, glass, event, dqpn);              \
		e->psn = GET(ctx, glass, event, psn);               \
		e->len = GET(ctx, glass, event, len);               \
		e->op = GET(ctx, glass, event, opcode);             \
		e->syndrome = GET(ctx, glass, event, syndrome);     \
		e->what = GET(ctx, glass, event, reason);           \
		bpf_ringbuf_submit(e, 0);                           \
		return 0;                                           \
	}

PACKET(glass_pkt_tx, HOP_SENT, packet_sent)
PACKET(glass_pkt_rx, HOP_ARRIVED, packet_arrived)
PACKET(glass_pkt_drop, HOP_DROPPED, packet_dropped)

SEC("tp/glass/glass_qp_retry")
int message_again(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_qp_retry, HOP_AGAIN);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_qp_retry, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_qp_retry, qpn);
	e->psn = GET(ctx, glass, glass_qp_retry, psn);
	e->what = GET(ctx, glass, glass_qp_retry, why);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp/glass/glass_rnr")
int receiver_not_ready(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_rnr, HOP_RNR);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_rnr, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_rnr, qpn);
	e->psn = GET(ctx, glass, glass_rnr, psn);
	e->what = GET(ctx, glass, glass_rnr, dir);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp/glass/glass_wr_complete")
int message_done(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_wr_complete, HOP_DONE);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_wr_complete, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_wr_complete, qpn);
	e->len = GET(ctx, glass, glass_wr_complete, len);
	e->psn = GET(ctx, glass, glass_wr_complete, psn);
	e->op = GET(ctx, glass, glass_wr_complete, op);
	e->what = GET(ctx, glass, glass_wr_complete, status);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp/glass/glass_cqe")
int message_completed(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_cqe, HOP_COMPLETED);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_cqe, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_cqe, qpn);
	e->len = GET(ctx, glass, glass_cqe, len);
	e->op = GET(ctx, glass, glass_cqe, op);
	e->what = GET(ctx, glass, glass_cqe, status);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp/glass/glass_poll")
int polled_in_kernel(void *ctx)
{
	struct ibflow_event *e = HOP(ctx, glass_poll, HOP_POLLED);

	if (!e)
		return 0;
	GET_TEXT(ctx, glass, glass_poll, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_poll, qpn);
	e->op = GET(ctx, glass, glass_poll, op);
	e->what = GET(ctx, glass, glass_poll, status);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("usdt")
int usdt_poll(struct pt_regs *ctx)
{
	struct ibflow_event *e;
	long arg = 0;

	if (!followed)
		return 0;
	bpf_usdt_arg(ctx, ARG_POLL_FLOW, &arg);
	e = hop(arg, HOP_POLLED);
	if (!e)
		return 0;
	e->head.pid = current_pid();
	current_comm(e->head.comm);
	bpf_usdt_arg(ctx, ARG_POLL_QPN, &arg);
	e->qpn = arg;
	bpf_usdt_arg(ctx, ARG_POLL_OP, &arg);
	e->op = arg;
	bpf_usdt_arg(ctx, ARG_POLL_STATUS, &arg);
	e->what = arg;
	bpf_ringbuf_submit(e, 0);
	return 0;
}
