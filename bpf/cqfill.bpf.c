// SPDX-License-Identifier: GPL-2.0-only
#define OWNERS_OF_CQS
#include "common/owner.bpf.h"
#include "cqfill.h"

#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cqfill_key);
	__type(value, struct cqfill_value);
} cqs SEC(".maps");

/*
 * Key of an unpolled completion. Probes do not know the device. The flow, with the side, is unique
 * on the host; if a flushed receive has no flow, the other fields identify it.
 */
struct waiting_key {
	__u64 flow, wr_id;
	__u32 qpn, cqn, received, pad;
};

struct waiting {
	union dev_name dev;
	__u64 ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 131072);
	__type(key, struct waiting_key);
	__type(value, struct waiting);
} waiting SEC(".maps");

FIELD(glass, glass_cqe, dev);
FIELD(glass, glass_cqe, cqn);
FIELD(glass, glass_cqe, wr_id);
FIELD(glass, glass_cqe, flow);
FIELD(glass, glass_cqe, qpn);
FIELD(glass, glass_cqe, status);
FIELD(glass, glass_cqe, op);
FIELD(glass, glass_poll, cqn);
FIELD(glass, glass_poll, wr_id);
FIELD(glass, glass_poll, flow);
FIELD(glass, glass_poll, qpn);
FIELD(glass, glass_poll, op);

/* a constant, because it is too large for the stack */
static const struct cqfill_value empty_cq = {};

static __always_inline bool fits(const union dev_name *dev, __u32 cqn)
{
	struct facts facts = {};

	if (!filter.active)
		return true;
	FACT_TEXT(&facts, DEV, *dev);
	fact_owner(&facts, find_owner(dev, GLASS_KIND_CQ, cqn));
	FACT(&facts, NUM, cqn);
	return filter_fits(&facts);
}

static __always_inline struct cqfill_value *cq_of(const struct cqfill_key *key)
{
	struct cqfill_value *cq = bpf_map_lookup_elem(&cqs, key);
	struct cqfill_event *e;

	if (cq)
		return cq;
	if (!bpf_map_update_elem(&cqs, key, &empty_cq, BPF_NOEXIST)) {
		e = event_begin(sizeof(*e));
		if (e) {
			__builtin_memset(e, 0, sizeof(*e));
			e->head.ns = bpf_ktime_get_ns();
			e->head.dev = key->dev;
			e->cqn = key->cqn;
			bpf_ringbuf_submit(e, 0);
		}
	}
	cq = bpf_map_lookup_elem(&cqs, key);
	if (!cq)
		note_lost();
	return cq;
}

SEC("tp/glass/glass_cqe")
int completed(void *ctx)
{
	RECORD(r, ctx);
	struct waiting_key w = {};
	struct cqfill_key key = {};
	struct waiting now = {};
	struct cqfill_value *cq;
	__s64 level;

	FROM_TEXT(r, glass, glass_cqe, dev, key.dev.text);
	key.cqn = FROM(r, glass, glass_cqe, cqn);
	if (!fits(&key.dev, key.cqn))
		return 0;
	cq = cq_of(&key);
	if (!cq)
		return 0;
	level = __sync_fetch_and_add(&cq->level, 1) + 1;
	if (level > cq->max)
		cq->max = level;
	__sync_fetch_and_add(&cq->completions, 1);
	if (FROM(r, glass, glass_cqe, status))
		__sync_fetch_and_add(&cq->errors, 1);
	w.flow = FROM(r, glass, glass_cqe, flow);
	w.wr_id = FROM(r, glass, glass_cqe, wr_id);
	w.qpn = FROM(r, glass, glass_cqe, qpn);
	w.cqn = key.cqn;
	w.received = FROM(r, glass, glass_cqe, op) >> 7;
	now.dev = key.dev;
	now.ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&waiting, &w, &now, BPF_ANY);
	return 0;
}

static __always_inline int polled(const struct waiting_key *w)
{
	struct waiting *was = bpf_map_lookup_elem(&waiting, w);
	struct cqfill_key key = {};
	struct cqfill_value *cq;

	if (!was)
		return 0;
	key.dev = was->dev;
	key.cqn = w->cqn;
	cq = bpf_map_lookup_elem(&cqs, &key);
	if (cq) {
		__sync_fetch_and_add(&cq->level, -1);
		__sync_fetch_and_add(&cq->polled, 1);
		hist_add(&cq->wait, bpf_ktime_get_ns() - was->ns);
	}
	bpf_map_delete_elem(&waiting, w);
	return 0;
}

SEC("usdt")
int BPF_USDT(usdt_poll, long cqn, long qpn, long wr_id, long status, long op, long flow)
{
	struct waiting_key w = {};

	w.flow = flow;
	w.wr_id = wr_id;
	w.qpn = qpn;
	w.cqn = cqn;
	w.received = op >> 7 & 1;
	return polled(&w);
}

SEC("tp/glass/glass_poll")
int polled_in_kernel(void *ctx)
{
	RECORD(r, ctx);
	struct waiting_key w = {};

	w.flow = FROM(r, glass, glass_poll, flow);
	w.wr_id = FROM(r, glass, glass_poll, wr_id);
	w.qpn = FROM(r, glass, glass_poll, qpn);
	w.cqn = FROM(r, glass, glass_poll, cqn);
	w.received = FROM(r, glass, glass_poll, op) >> 7;
	return polled(&w);
}
