// SPDX-License-Identifier: GPL-2.0-only
#include "common/tool.bpf.h"
#include "ibmad.h"
#include "uapi/glass-enums.h"

#include <bpf/bpf_endian.h>

FIELD(glass, glass_mad, dev);
FIELD(glass, glass_mad, port);
FIELD(glass, glass_mad, tid);
FIELD(glass, glass_mad, attr_mod);
FIELD(glass, glass_mad, attr);
FIELD(glass, glass_mad, status);
FIELD(glass, glass_mad, slid);
FIELD(glass, glass_mad, dlid);
FIELD(glass, glass_mad, dir);
FIELD(glass, glass_mad, mgmt_class);
FIELD(glass, glass_mad, method);

/* Names of devices by their numbers in the RDMA core (common/devices.c) */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, union dev_name);
} devices SEC(".maps");

static __always_inline void submit(struct ibmad_event *e)
{
	struct facts facts = {};

	if (filter.active) {
		FACT_TEXT(&facts, DEV, e->head.dev);
		FACT(&facts, PORT, e->port);
		FACT(&facts, DIR, e->dir);
		FACT(&facts, CLASS, e->mgmt_class);
		FACT(&facts, METHOD, e->method);
		FACT(&facts, ATTR, e->attr);
		FACT(&facts, TID, e->tid);
		if (!filter_fits(&facts)) {
			bpf_ringbuf_discard(e, 0);
			return;
		}
	}
	bpf_ringbuf_submit(e, 0);
}

SEC("tp/glass/glass_mad")
int mad_of_glass(void *ctx)
{
	struct ibmad_event *e = event_begin(sizeof(*e));

	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	head_by_current(&e->head);
	e->head.type = MAD_OF_GLASS;
	GET_TEXT(ctx, glass, glass_mad, dev, e->head.dev.text);
	e->port = GET(ctx, glass, glass_mad, port);
	e->tid = GET(ctx, glass, glass_mad, tid);
	e->attr_mod = GET(ctx, glass, glass_mad, attr_mod);
	e->attr = GET(ctx, glass, glass_mad, attr);
	e->status = GET(ctx, glass, glass_mad, status);
	e->slid = GET(ctx, glass, glass_mad, slid);
	e->dlid = GET(ctx, glass, glass_mad, dlid);
	e->dir = GET(ctx, glass, glass_mad, dir);
	e->mgmt_class = GET(ctx, glass, glass_mad, mgmt_class);
	e->method = GET(ctx, glass, glass_mad, method);
	submit(e);
	return 0;
}

/* In the core's records, fields of a MAD are in network byte order. */
#define CORE_MAD(event, lid, field_of_lid, to_host, direction, program)                           \
	FIELD(ib_mad, event, dev_index);                                                          \
	FIELD(ib_mad, event, port_num);                                                           \
	FIELD(ib_mad, event, tid);                                                                \
	FIELD(ib_mad, event, attr_mod);                                                           \
	FIELD(ib_mad, event, attr_id);                                                            \
	FIELD(ib_mad, event, status);                                                             \
	FIELD(ib_mad, event, field_of_lid);                                                       \
	FIELD(ib_mad, event, mgmt_class);                                                         \
	FIELD(ib_mad, event, method);                                                             \
	SEC("tp/ib_mad/" #event)                                                                  \
	int program(void *ctx)                                                                    \
	{                                                                                         \
		__u32 index = GET(ctx, ib_mad, event, dev_index);                                 \
		union dev_name *name = bpf_map_lookup_elem(&devices, &index);                     \
		struct ibmad_event *e;                                                            \
                                                                                                  \
		/* glass_mad already reports those of Glass */                                    \
		if (HAS(glass, glass_mad, tid) && name && name->word[0] << 24 == GLASS_AS_NUMBER) \
			return 0;                                                                 \
		e = event_begin(sizeof(*e));                                                      \
		if (!e)                                                                           \
			return 0;                                                                 \
		__builtin_memset(e, 0, sizeof(*e));                                               \
		head_by_current(&e->head);                                                        \
		e->head.type = MAD_OF_CORE;                                                       \
		if (name)                                                                         \
			e->head.dev = *name;                                                      \
		e->port = GET(ctx, ib_mad, event, port_num);                                      \
		e->tid = bpf_be64_to_cpu(GET(ctx, ib_mad, event, tid));                           \
		e->attr_mod = bpf_ntohl((__u32)GET(ctx, ib_mad, event, attr_mod));                \
		e->attr = bpf_ntohs((__u16)GET(ctx, ib_mad, event, attr_id));                     \
		e->status = bpf_ntohs((__u16)GET(ctx, ib_mad, event, status));                    \
		e->lid = to_host(GET(ctx, ib_mad, event, field_of_lid));                          \
		e->dir = direction;                                                               \
		e->mgmt_class = GET(ctx, ib_mad, event, mgmt_class);                              \
		e->method = GET(ctx, ib_mad, event, method);                                      \
		submit(e);                                                                        \
		return 0;                                                                         \
	}

/* "glass" as the first word of a name, shifted to drop the three bytes behind it */
#define GLASS_AS_NUMBER (0x7373616c67ULL << 24)

CORE_MAD(ib_mad_ib_send_mad, dlid, dlid, bpf_ntohl, GLASS_DIR_TX, core_sends)
CORE_MAD(ib_mad_recv_done_handler, slid, slid, (__u32), GLASS_DIR_RX, core_receives)
