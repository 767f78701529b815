/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the owner (process) of each QP or CQ, because many events occur outside the context of the
 * program. common/owner.c enters the objects that exist when the tool starts. The owner of a later
 * QP is the process that moves it from RESET to INIT: before that, it has no events. The owner of a
 * later CQ is the caller of the verb. Only tools that define OWNERS_OF_CQS record it, because the
 * event glass_api_exit also occurs for each doorbell.
 */
#ifndef GLASS_OWNER_BPF_H
#define GLASS_OWNER_BPF_H

#include "common/tool.bpf.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct owner_key);
	__type(value, struct owner);
} owners SEC(".maps");

static __always_inline struct owner *find_owner(const union dev_name *dev, __u32 kind, __u32 num)
{
	struct owner_key key = { .dev = hash_words(dev->word, BPF_DEV_LEN / 8),
				 .kind = kind,
				 .num = num };

	return bpf_map_lookup_elem(&owners, &key);
}

/* Fills the owner into an event's head. An unknown owner has pid 0 and no name. */
static __always_inline void head_by_owner(struct event_head *h, __u32 kind, __u32 num)
{
	struct owner *o = find_owner(&h->dev, kind, num);

	h->ns = bpf_ktime_get_ns();
	h->pid = o ? o->pid : 0;
	if (o)
		__builtin_memcpy(h->comm, o->comm.text, BPF_COMM_LEN);
	else
		__builtin_memset(h->comm, 0, BPF_COMM_LEN);
}

static __always_inline void fact_owner(struct facts *f, const struct owner *o)
{
	if (!o)
		return;
	FACT(f, PID, o->pid);
	FACT_TEXT(f, COMM, o->comm);
}

static __always_inline void owner_is_current(const union dev_name *dev, __u32 kind, __u32 num)
{
	struct owner_key key = { .dev = hash_words(dev->word, BPF_DEV_LEN / 8),
				 .kind = kind,
				 .num = num };
	struct owner o = { .pid = current_pid() };

	current_comm(o.comm.text);
	bpf_map_update_elem(&owners, &key, &o, BPF_ANY);
}

FIELD(glass, glass_qp_state, dev);
FIELD(glass, glass_qp_state, qpn);
FIELD(glass, glass_qp_state, from);
FIELD(glass, glass_qp_state, to);
FIELD(glass, glass_qp_state, cause);

static __always_inline bool qp_is_begun(__u32 from, __u32 to, __u32 cause)
{
	return from == GLASS_QPS_RESET && to == GLASS_QPS_INIT && cause == GLASS_CAUSE_VERB;
}

#ifndef OWNERS_BY_TOOL
SEC("tp/glass/glass_qp_state")
int qp_owner(void *ctx)
{
	union dev_name dev = {};

	if (!qp_is_begun(GET(ctx, glass, glass_qp_state, from), GET(ctx, glass, glass_qp_state, to),
			 GET(ctx, glass, glass_qp_state, cause)))
		return 0;
	GET_TEXT(ctx, glass, glass_qp_state, dev, dev.text);
	owner_is_current(&dev, GLASS_KIND_QP, GET(ctx, glass, glass_qp_state, qpn));
	return 0;
}
#endif

#ifdef OWNERS_OF_CQS
FIELD(glass, glass_api_exit, dev);
FIELD(glass, glass_api_exit, num);
FIELD(glass, glass_api_exit, ret);
FIELD(glass, glass_api_exit, verb);

SEC("tp/glass/glass_api_exit")
int cq_owner(void *ctx)
{
	union dev_name dev = {};

	if (GET(ctx, glass, glass_api_exit, verb) != GLASS_VERB_CREATE_CQ ||
	    GET(ctx, glass, glass_api_exit, ret))
		return 0;
	GET_TEXT(ctx, glass, glass_api_exit, dev, dev.text);
	owner_is_current(&dev, GLASS_KIND_CQ, GET(ctx, glass, glass_api_exit, num));
	return 0;
}
#endif

#endif
