/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces verbs: those of Glass by its trace events, those of other drivers by their functions in
 * struct ib_device_ops, which have the same arguments in all drivers. common/verbs.c chooses the
 * functions; the cookie of a link is the verb. The including tool defines verb_wanted() first.
 */
#ifndef GLASS_VERBS_BPF_H
#define GLASS_VERBS_BPF_H

#include "common/rdma_types.bpf.h"
#include "common/tool.bpf.h"
#include "common/verbs.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

static __always_inline bool verb_wanted(__u32 verb);

struct call {
	__u64 task; /* pid and tid; a task is inside at most one call of each verb */
	__u64 verb;
};

struct entered {
	__u64 ns;
	__u64 object; /* address; only of other drivers */
	__u64 arg[VERB_REGS];
	char args[VERB_ARGS_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct call);
	__type(value, struct entered);
} calls SEC(".maps");

FIELD(glass, glass_api_enter, args);
FIELD(glass, glass_api_enter, verb);
FIELD(glass, glass_api_exit, dev);
FIELD(glass, glass_api_exit, num);
FIELD(glass, glass_api_exit, ret);
FIELD(glass, glass_api_exit, verb);
FIELD(glass, glass_api_exit, kind);

static __always_inline bool verb_fits(const struct verb_event *e)
{
	struct facts facts = {};
	union comm_name comm;

	if (!filter.active)
		return true;
	__builtin_memcpy(comm.text, e->head.comm, BPF_COMM_LEN);
	FACT_TEXT(&facts, DEV, e->head.dev);
	FACT(&facts, PID, e->head.pid);
	FACT_TEXT(&facts, COMM, comm);
	FACT(&facts, VERB, e->verb);
	FACT(&facts, RET, (__u64)e->ret ^ SIGN_BIAS);
	FACT(&facts, KIND, e->kind);
	FACT(&facts, NUM, e->num);
	if (e->kind == GLASS_KIND_QP)
		FACT(&facts, QPN, e->num);
	return filter_fits(&facts);
}

/* Called on entry of a verb: a verb that cannot match the filter is not followed. */
static __always_inline bool verb_may_fit(__u32 verb, struct facts *facts)
{
	union comm_name comm;

	if (!filter.active)
		return true;
	__builtin_memset(facts, 0, sizeof(*facts));
	current_comm(comm.text);
	FACT(facts, PID, current_pid());
	FACT_TEXT(facts, COMM, comm);
	FACT(facts, VERB, verb);
	return filter_may_fit(facts);
}

/* A union, because the stack has no room for both. */
union facts_or_entered {
	struct facts facts;
	struct entered in;
};

static __always_inline void verb_submit(struct verb_event *e)
{
	if (verb_fits(e))
		bpf_ringbuf_submit(e, 0);
	else
		bpf_ringbuf_discard(e, 0);
}

/*
 * Makes the event of a verb that returned; NULL if its entry was not seen. Call verb_submit() with
 * it.
 */
static __always_inline struct verb_event *
verb_left(const struct call *call, const struct entered *in, __u32 source, __s64 ret)
{
	struct verb_event *e = event_begin(sizeof(*e));

	if (!e)
		return NULL;
	e->head.type = 0;
	head_by_current(&e->head);
	e->took = e->head.ns - in->ns;
	e->ret = ret;
	e->verb = call->verb;
	e->source = source;
	e->num = 0;
	e->kind = GLASS_KIND_NONE;
	e->pad = 0;
	__builtin_memcpy(e->arg, in->arg, sizeof(e->arg));
	__builtin_memcpy(e->args, in->args, sizeof(e->args));
	__builtin_memset(&e->head.dev, 0, sizeof(e->head.dev));
	return e;
}

/* ---- Glass */

SEC("tp/glass/glass_api_enter")
int verb_entered(void *ctx)
{
	struct call call = { .verb = GET(ctx, glass, glass_api_enter, verb) };
	union facts_or_entered u;

	if (!verb_wanted(call.verb) || !verb_may_fit(call.verb, &u.facts))
		return 0;
	call.task = bpf_get_current_pid_tgid();
	__builtin_memset(&u.in, 0, sizeof(u.in));
	GET_TEXT(ctx, glass, glass_api_enter, args, u.in.args);
	u.in.ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&calls, &call, &u.in, BPF_ANY);
	return 0;
}

SEC("tp/glass/glass_api_exit")
int verb_exited(void *ctx)
{
	struct call call = { .verb = GET(ctx, glass, glass_api_exit, verb) };
	struct verb_event *e;
	struct entered *in;

	if (!verb_wanted(call.verb))
		return 0;
	call.task = bpf_get_current_pid_tgid();
	in = bpf_map_lookup_elem(&calls, &call);
	if (!in)
		return 0;
	e = verb_left(&call, in, BY_GLASS, (__s32)GET(ctx, glass, glass_api_exit, ret));
	if (e) {
		e->num = GET(ctx, glass, glass_api_exit, num);
		e->kind = GET(ctx, glass, glass_api_exit, kind);
		GET_TEXT(ctx, glass, glass_api_exit, dev, e->head.dev.text);
		verb_submit(e);
	}
	bpf_map_delete_elem(&calls, &call);
	return 0;
}

/* ---- other drivers */

/*
 * Copies the object's address to a variable first: the macros of libbpf relocate all accesses in
 * their arguments.
 */
#define READ_DEVICE(type, object, to)                                           \
	do {                                                                    \
		struct type *_o = (void *)(object);                             \
		struct ib_device___glass *_dev;                                 \
		if (bpf_core_field_exists(_o->device)) {                        \
			_dev = BPF_CORE_READ(_o, device);                       \
			bpf_probe_read_kernel_str(to, BPF_DEV_LEN, _dev->name); \
		}                                                               \
	} while (0)
#define READ_NUMBER(type, object, field)                                         \
	({                                                                       \
		struct type *_o = (void *)(object);                              \
		bpf_core_field_exists(_o->field) ? BPF_CORE_READ(_o, field) : 0; \
	})

/*
 * Returns the kind of object that a verb works on or creates. GLASS_KIND_DEVICE: its first argument
 * is the device.
 */
static __always_inline __u32 verb_kind(__u32 verb)
{
	switch (verb) {
	case GLASS_VERB_ALLOC_UCONTEXT:
	case GLASS_VERB_DEALLOC_UCONTEXT:
		return GLASS_KIND_UCONTEXT;
	case GLASS_VERB_ALLOC_PD:
	case GLASS_VERB_DEALLOC_PD:
	case GLASS_VERB_GET_DMA_MR:
	case GLASS_VERB_REG_MR:
	case GLASS_VERB_ALLOC_MR:
		return GLASS_KIND_PD;
	case GLASS_VERB_DEREG_MR:
	case GLASS_VERB_REREG_MR:
	case GLASS_VERB_MAP_MR_SG:
		return GLASS_KIND_MR;
	case GLASS_VERB_CREATE_CQ:
	case GLASS_VERB_DESTROY_CQ:
	case GLASS_VERB_RESIZE_CQ:
	case GLASS_VERB_REQ_NOTIFY_CQ:
	case GLASS_VERB_POLL_CQ:
		return GLASS_KIND_CQ;
	case GLASS_VERB_CREATE_SRQ:
	case GLASS_VERB_MODIFY_SRQ:
	case GLASS_VERB_DESTROY_SRQ:
	case GLASS_VERB_POST_SRQ_RECV:
		return GLASS_KIND_SRQ;
	case GLASS_VERB_CREATE_QP:
	case GLASS_VERB_MODIFY_QP:
	case GLASS_VERB_QUERY_QP:
	case GLASS_VERB_DESTROY_QP:
	case GLASS_VERB_POST_SEND:
	case GLASS_VERB_POST_RECV:
	case GLASS_VERB_ATTACH_MCAST:
	case GLASS_VERB_DETACH_MCAST:
		return GLASS_KIND_QP;
	case GLASS_VERB_CREATE_AH:
	case GLASS_VERB_DESTROY_AH:
		return GLASS_KIND_AH;
	default:
		return GLASS_KIND_DEVICE;
	}
}

static __always_inline void read_object(struct verb_event *e, __u64 object)
{
	__u32 kind = verb_kind(e->verb);
	struct ib_device___glass *dev;

	e->kind = kind;
	switch (kind) {
	case GLASS_KIND_UCONTEXT:
		READ_DEVICE(ib_ucontext___glass, object, e->head.dev.text);
		break;
	case GLASS_KIND_PD:
		READ_DEVICE(ib_pd___glass, object, e->head.dev.text);
		e->num = READ_NUMBER(ib_pd___glass, object, res.id);
		break;
	case GLASS_KIND_MR:
		READ_DEVICE(ib_mr___glass, object, e->head.dev.text);
		e->num = READ_NUMBER(ib_mr___glass, object, lkey);
		break;
	case GLASS_KIND_CQ:
		READ_DEVICE(ib_cq___glass, object, e->head.dev.text);
		e->num = READ_NUMBER(ib_cq___glass, object, res.id);
		break;
	case GLASS_KIND_SRQ:
		READ_DEVICE(ib_srq___glass, object, e->head.dev.text);
		break;
	case GLASS_KIND_QP:
		READ_DEVICE(ib_qp___glass, object, e->head.dev.text);
		e->num = READ_NUMBER(ib_qp___glass, object, qp_num);
		break;
	case GLASS_KIND_AH:
		READ_DEVICE(ib_ah___glass, object, e->head.dev.text);
		break;
	default:
		dev = (void *)object;
		if (bpf_core_field_exists(((struct ib_device___glass *)0)->name))
			bpf_probe_read_kernel_str(e->head.dev.text, BPF_DEV_LEN, dev->name);
	}
}

/* Replaces pointers among the verb's arguments by the values behind them. */
static __always_inline void read_args(__u32 verb, struct entered *in)
{
	if (verb == GLASS_VERB_CREATE_CQ) {
		in->arg[1] = READ_NUMBER(ib_cq_init_attr___glass, in->arg[1], cqe);
	} else if (verb == GLASS_VERB_CREATE_QP) {
		__u64 attr = in->arg[1];

		in->arg[1] = READ_NUMBER(ib_qp_init_attr___glass, attr, qp_type);
		in->arg[2] = READ_NUMBER(ib_qp_init_attr___glass, attr, cap.max_send_wr);
		in->arg[3] = READ_NUMBER(ib_qp_init_attr___glass, attr, cap.max_recv_wr);
	} else if (verb == GLASS_VERB_MODIFY_QP) {
		in->arg[1] = READ_NUMBER(ib_qp_attr___glass, in->arg[1], qp_state);
	}
}

/* Reads all facts on entry: when a destroy verb returns, its object is gone. */
SEC("kprobe")
int driver_entered(struct pt_regs *ctx)
{
	struct call call = { .verb = bpf_get_attach_cookie(ctx) };
	union facts_or_entered u;

	if (!verb_may_fit(call.verb, &u.facts))
		return 0;
	call.task = bpf_get_current_pid_tgid();
	__builtin_memset(&u.in, 0, sizeof(u.in));
	u.in.object = PT_REGS_PARM1(ctx);
	u.in.arg[0] = u.in.object;
	u.in.arg[1] = PT_REGS_PARM2(ctx);
	u.in.arg[2] = PT_REGS_PARM3(ctx);
	u.in.arg[3] = PT_REGS_PARM4(ctx);
	u.in.arg[4] = PT_REGS_PARM5(ctx);
	read_args(call.verb, &u.in);
	u.in.ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&calls, &call, &u.in, BPF_ANY);
	return 0;
}

/* Does the verb return a pointer to the new object, or -errno as a pointer? */
static __always_inline bool gives_pointer(__u32 verb)
{
	return verb == GLASS_VERB_REG_MR || verb == GLASS_VERB_GET_DMA_MR ||
	       verb == GLASS_VERB_ALLOC_MR;
}

SEC("kretprobe")
int driver_exited(struct pt_regs *ctx)
{
	struct call call = { .verb = bpf_get_attach_cookie(ctx) };
	__u64 ret = PT_REGS_RC(ctx);
	struct verb_event *e;
	struct entered *in;

	call.task = bpf_get_current_pid_tgid();
	in = bpf_map_lookup_elem(&calls, &call);
	if (!in)
		return 0;
	e = verb_left(&call, in, BY_DRIVER, (__s32)ret);
	if (e) {
		read_object(e, in->object);
		if (gives_pointer(call.verb)) {
			bool failed = ret >= (__u64)-4095;

			e->ret = failed ? (__s64)ret : 0;
			e->kind = GLASS_KIND_MR;
			e->num = failed ? 0 : READ_NUMBER(ib_mr___glass, ret, lkey);
		}
		verb_submit(e);
	}
	bpf_map_delete_elem(&calls, &call);
	return 0;
}

#endif
