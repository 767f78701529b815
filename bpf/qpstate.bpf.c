// SPDX-License-Identifier: GPL-2.0-only
/* this program records owners itself, before it reports the event */
#define OWNERS_BY_TOOL
#include "common/owner.bpf.h"
#include "qpstate.h"

/* The time when a QP entered its current state */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct owner_key);
	__type(value, __u64);
} since SEC(".maps");

SEC("tp/glass/glass_qp_state")
int state_changed(void *ctx)
{
	struct qpstate_event *e = event_begin(sizeof(*e));
	struct owner_key key = { .kind = GLASS_KIND_QP };
	struct facts facts = {};
	struct owner *o;
	__u64 *before, now;

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	GET_TEXT(ctx, glass, glass_qp_state, dev, e->head.dev.text);
	e->qpn = GET(ctx, glass, glass_qp_state, qpn);
	e->from = GET(ctx, glass, glass_qp_state, from);
	e->to = GET(ctx, glass, glass_qp_state, to);
	e->cause = GET(ctx, glass, glass_qp_state, cause);
	key.dev = hash_words(e->head.dev.word, BPF_DEV_LEN / 8);
	key.num = e->qpn;
	if (qp_is_begun(e->from, e->to, e->cause))
		owner_is_current(&e->head.dev, GLASS_KIND_QP, e->qpn);
	o = bpf_map_lookup_elem(&owners, &key);
	head_by_owner(&e->head, GLASS_KIND_QP, e->qpn);
	/* a QP that never left RESET has no owner yet: use the caller of the verb */
	if (!o && (e->cause == GLASS_CAUSE_VERB || e->cause == GLASS_CAUSE_DESTROY))
		head_by_current(&e->head);
	/* Linux 6.1 takes no value of a map from the ring buffer */
	now = e->head.ns;
	before = bpf_map_lookup_elem(&since, &key);
	if (before)
		e->since = now - *before;
	if (e->cause == GLASS_CAUSE_DESTROY)
		bpf_map_delete_elem(&since, &key);
	else
		bpf_map_update_elem(&since, &key, &now, BPF_ANY);
	if (filter.active) {
		FACT_TEXT(&facts, DEV, e->head.dev);
		fact_owner(&facts, o);
		FACT(&facts, QPN, e->qpn);
		FACT(&facts, FROM, e->from);
		FACT(&facts, TO, e->to);
		FACT(&facts, CAUSE, e->cause);
		if (!filter_fits(&facts)) {
			bpf_ringbuf_discard(e, 0);
			return 0;
		}
	}
	bpf_ringbuf_submit(e, 0);
	return 0;
}
