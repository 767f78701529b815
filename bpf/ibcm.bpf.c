// SPDX-License-Identifier: GPL-2.0-only
#include "common/tool.bpf.h"
#include "ibcm.h"

/* The owner of an identifier */
struct known {
	__u32 pid;
	char comm[BPF_COMM_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct known);
} ids SEC(".maps");

/* A source address without its port. Every step has one, and it belongs to a single device. */
struct address {
	__u8 raw[CM_ADDR_LEN];
};

#define PORT_AT 2 /* offset in sockaddr_in and sockaddr_in6; two bytes */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct address);
	__type(value, union dev_name);
} sources SEC(".maps");

static __always_inline void source_of(const struct ibcm_event *e, struct address *a)
{
	__builtin_memcpy(a->raw, e->src, CM_ADDR_LEN);
	a->raw[PORT_AT] = a->raw[PORT_AT + 1] = 0;
}

static __always_inline void find_device(struct ibcm_event *e)
{
	union dev_name *dev;
	struct address a;

	source_of(e, &a);
	dev = bpf_map_lookup_elem(&sources, &a);
	if (dev)
		e->head.dev = *dev;
}

static __always_inline void address_at(const void *ctx, __u32 at, __u8 *to)
{
	if (at)
		bpf_probe_read_kernel(to, CM_ADDR_LEN, ctx + (at & 0xffff));
}

static __always_inline struct ibcm_event *step(__u32 type, __u32 id)
{
	struct ibcm_event *e = event_begin(sizeof(*e));
	struct known *k;

	if (!e)
		return NULL;
	__builtin_memset(e, 0, sizeof(*e));
	head_by_current(&e->head);
	e->head.type = type;
	e->id = id;
	/* 0: not numbered yet, so it is no key: others are 0, too */
	k = id ? bpf_map_lookup_elem(&ids, &id) : NULL;
	if (k && k->pid) {
		e->head.pid = k->pid;
		__builtin_memcpy(e->head.comm, k->comm, BPF_COMM_LEN);
	}
	return e;
}

static __always_inline int submit(struct ibcm_event *e)
{
	struct facts facts = {};
	union comm_name comm;

	if (filter.active) {
		__builtin_memcpy(comm.text, e->head.comm, BPF_COMM_LEN);
		if (e->head.dev.text[0])
			FACT_TEXT(&facts, DEV, e->head.dev);
		FACT(&facts, PID, e->head.pid);
		FACT_TEXT(&facts, COMM, comm);
		FACT(&facts, NUM, e->id);
		if (e->qpn)
			FACT(&facts, QPN, e->qpn);
		if (!filter_fits(&facts)) {
			bpf_ringbuf_discard(e, 0);
			return 0;
		}
	}
	bpf_ringbuf_submit(e, 0);
	return 0;
}

/* The identifier's owner takes these steps; workers of the kernel take the others. */
static __always_inline bool by_its_owner(__u32 type)
{
	return type == CM_QP_CREATE || type == CM_SEND_REQ || type == CM_SEND_REP ||
	       type == CM_SEND_SIDR_REQ || type == CM_DISCONNECT;
}

static __always_inline void note_owner(__u32 id)
{
	struct known fresh = {}, *k = bpf_map_lookup_elem(&ids, &id);

	if (!k) {
		bpf_map_update_elem(&ids, &id, &fresh, BPF_ANY);
		k = bpf_map_lookup_elem(&ids, &id);
	}
	if (k && !k->pid) {
		k->pid = current_pid();
		current_comm(k->comm);
	}
}

/* Every step has the identifier; fields that an event lacks read as 0. */
#define STEP(type, te)                                                 \
	FIELD(rdma_cma, te, cm_id);                                    \
	FIELD(rdma_cma, te, qp_num);                                   \
	FIELD(rdma_cma, te, event);                                    \
	FIELD(rdma_cma, te, status);                                   \
	FIELD(rdma_cma, te, srcaddr);                                  \
	FIELD(rdma_cma, te, dstaddr);                                  \
	SEC("tp/rdma_cma/" #te)                                        \
	int step_##te(void *ctx)                                       \
	{                                                              \
		__u32 id = GET(ctx, rdma_cma, te, cm_id);              \
		struct ibcm_event *e;                                  \
                                                                       \
		if (id && by_its_owner(type))                          \
			note_owner(id);                                \
		e = step(type, id);                                    \
		if (!e)                                                \
			return 0;                                      \
		e->qpn = GET(ctx, rdma_cma, te, qp_num);               \
		e->event = GET(ctx, rdma_cma, te, event);              \
		e->status = GET(ctx, rdma_cma, te, status);            \
		address_at(ctx, at_rdma_cma__##te##__srcaddr, e->src); \
		address_at(ctx, at_rdma_cma__##te##__dstaddr, e->dst); \
		find_device(e);                                        \
		return submit(e);                                      \
	}

STEP(CM_QP_CREATE, cm_qp_create)
STEP(CM_SEND_REQ, cm_send_req)
STEP(CM_SEND_REP, cm_send_rep)
STEP(CM_SEND_RTU, cm_send_rtu)
STEP(CM_SEND_REJ, cm_send_rej)
STEP(CM_SEND_MRA, cm_send_mra)
STEP(CM_SEND_SIDR_REQ, cm_send_sidr_req)
STEP(CM_SEND_SIDR_REP, cm_send_sidr_rep)
STEP(CM_EVENT, cm_event_handler)
STEP(CM_DISCONNECT, cm_disconnect)
STEP(CM_SENT_DREQ, cm_sent_dreq)
STEP(CM_SENT_DREP, cm_sent_drep)
STEP(CM_QP_DESTROY, cm_qp_destroy)
STEP(CM_ID_DESTROY, cm_id_destroy)

FIELD(rdma_cma, cm_id_attach, cm_id);
FIELD(rdma_cma, cm_id_attach, devname);
FIELD(rdma_cma, cm_id_attach, srcaddr);
FIELD(rdma_cma, cm_id_attach, dstaddr);

SEC("tp/rdma_cma/cm_id_attach")
int attached(void *ctx)
{
	struct ibcm_event *e = step(CM_ID_ATTACH, GET(ctx, rdma_cma, cm_id_attach, cm_id));
	union dev_name dev = {};
	struct address a;

	if (!e)
		return 0;
	GET_TEXT(ctx, rdma_cma, cm_id_attach, devname, dev.text);
	e->head.dev = dev;
	address_at(ctx, at_rdma_cma__cm_id_attach__srcaddr, e->src);
	address_at(ctx, at_rdma_cma__cm_id_attach__dstaddr, e->dst);
	source_of(e, &a);
	bpf_map_update_elem(&sources, &a, &dev, BPF_ANY);
	return submit(e);
}
