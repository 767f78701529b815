// SPDX-License-Identifier: GPL-2.0-only
#include "common/verbs.bpf.h"
#include "verbssnoop.h"

#include <bpf/usdt.bpf.h>

static __always_inline bool verb_wanted(__u32 verb)
{
	return true;
}

static __always_inline int moment(__u32 verb, __u32 kind, __u32 num, const __u64 *arg)
{
	struct verb_event *e = event_begin(sizeof(*e));

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	head_by_current(&e->head);
	e->verb = verb;
	e->kind = kind;
	e->num = num;
	e->source = BY_PROBE;
	__builtin_memcpy(e->arg, arg, sizeof(e->arg));
	verb_submit(e);
	return 0;
}

SEC("usdt")
int BPF_USDT(usdt_post_send, long qpn, long wr_id, long op, long flow, long num_sge)
{
	__u64 arg[VERB_REGS] = { wr_id, (__u32)op, flow, (__u32)num_sge };

	return moment(PROBE_POST_SEND, GLASS_KIND_QP, qpn, arg);
}

SEC("usdt")
int BPF_USDT(usdt_post_recv, long num, long wr_id, long num_sge, long is_srq)
{
	__u64 arg[VERB_REGS] = { wr_id, (__u32)num_sge };

	return moment(PROBE_POST_RECV, is_srq & 1 ? GLASS_KIND_SRQ : GLASS_KIND_QP, num, arg);
}

SEC("usdt")
int BPF_USDT(usdt_poll, long cqn, long qpn, long wr_id, long status, long op, long flow)
{
	__u64 arg[VERB_REGS] = { (__u32)cqn, wr_id, status & 0xff, op & 0xff, flow };

	return moment(PROBE_POLL, GLASS_KIND_QP, qpn, arg);
}
