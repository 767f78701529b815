// SPDX-License-Identifier: GPL-2.0-only
#define OWNERS_OF_CQS
#include "common/owner.bpf.h"
#include "common/rdma_types.bpf.h"
#include "ibasync.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

FIELD(glass, glass_async, dev);
FIELD(glass, glass_async, num);
FIELD(glass, glass_async, event);
FIELD(glass, glass_async, kind);

static __always_inline void submit(struct ibasync_event *e)
{
	struct facts facts = {};
	union comm_name comm;

	if (filter.active) {
		__builtin_memcpy(comm.text, e->head.comm, BPF_COMM_LEN);
		FACT_TEXT(&facts, DEV, e->head.dev);
		FACT(&facts, PID, e->head.pid);
		FACT_TEXT(&facts, COMM, comm);
		FACT(&facts, EVENT, e->event);
		FACT(&facts, KIND, e->kind);
		FACT(&facts, NUM, e->num);
		if (e->kind == GLASS_KIND_QP)
			FACT(&facts, QPN, e->num);
		if (e->kind == GLASS_KIND_PORT)
			FACT(&facts, PORT, e->num);
		if (!filter_fits(&facts)) {
			bpf_ringbuf_discard(e, 0);
			return;
		}
	}
	bpf_ringbuf_submit(e, 0);
}

SEC("tp/glass/glass_async")
int glass_raised(void *ctx)
{
	struct ibasync_event *e = event_begin(sizeof(*e));

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	GET_TEXT(ctx, glass, glass_async, dev, e->head.dev.text);
	e->num = GET(ctx, glass, glass_async, num);
	e->event = GET(ctx, glass, glass_async, event);
	e->kind = GET(ctx, glass, glass_async, kind);
	head_by_owner(&e->head, e->kind, e->num);
	submit(e);
	return 0;
}

/* ---- other drivers: the events that they raise in the RDMA core */

static __always_inline int raised(struct ib_event___glass *event, __u32 kind)
{
	struct ibasync_event *e;
	struct ib_device___glass *dev;

	if (!bpf_core_field_exists(event->event) || !bpf_core_field_exists(event->device))
		return 0;
	e = event_begin(sizeof(*e));
	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	head_by_current(&e->head);
	dev = BPF_CORE_READ(event, device);
	bpf_probe_read_kernel_str(e->head.dev.text, BPF_DEV_LEN, dev->name);
	/* skip Glass: its trace event already reported this one */
	if (HAS(glass, glass_async, event) && e->head.dev.text[0] == 'g' &&
	    e->head.dev.text[1] == 'l' && e->head.dev.text[2] == 'a' &&
	    e->head.dev.text[3] == 's' && e->head.dev.text[4] == 's') {
		bpf_ringbuf_discard(e, 0);
		return 0;
	}
	e->event = BPF_CORE_READ(event, event);
	e->kind = kind;
	if (kind == GLASS_KIND_QP)
		e->num = BPF_CORE_READ(event, element.qp, qp_num);
	else if (kind == GLASS_KIND_CQ)
		e->num = BPF_CORE_READ(event, element.cq, res.id);
	else
		e->num = BPF_CORE_READ(event, element.port_num);
	submit(e);
	return 0;
}

SEC("kprobe/ib_dispatch_event")
int device_raised(struct pt_regs *ctx)
{
	return raised((void *)PT_REGS_PARM1(ctx), GLASS_KIND_PORT);
}

SEC("kprobe/ib_uverbs_qp_event_handler")
int qp_raised(struct pt_regs *ctx)
{
	return raised((void *)PT_REGS_PARM1(ctx), GLASS_KIND_QP);
}

SEC("kprobe/ib_uverbs_cq_event_handler")
int cq_raised(struct pt_regs *ctx)
{
	return raised((void *)PT_REGS_PARM1(ctx), GLASS_KIND_CQ);
}
