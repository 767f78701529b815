// SPDX-License-Identifier: GPL-2.0-only
#include "common/owner.bpf.h"
#include "ibdrop.h"

const volatile bool each = false;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct ibdrop_key);
	__type(value, __u64);
} drops SEC(".maps");

#define DROP_FIELD(name) FIELD(glass, glass_pkt_drop, name)
#define DROP(name)	 GET(ctx, glass, glass_pkt_drop, name)

DROP_FIELD(dev);
DROP_FIELD(port);
DROP_FIELD(flow);
DROP_FIELD(dqpn);
DROP_FIELD(psn);
DROP_FIELD(len);
DROP_FIELD(slid);
DROP_FIELD(dlid);
DROP_FIELD(opcode);
DROP_FIELD(reason);
DROP_FIELD(place);

static __always_inline bool fits(void *ctx, const struct ibdrop_key *key, __u32 dqpn)
{
	struct facts facts = {};

	if (!filter.active)
		return true;
	FACT_TEXT(&facts, DEV, key->dev);
	FACT(&facts, PORT, key->port);
	FACT(&facts, REASON, key->reason);
	FACT(&facts, PLACE, key->place);
	FACT(&facts, QPN, dqpn);
	FACT(&facts, DQPN, dqpn);
	FACT(&facts, PSN, DROP(psn));
	FACT(&facts, LEN, DROP(len));
	FACT(&facts, FLOW, DROP(flow));
	fact_owner(&facts, find_owner(&key->dev, GLASS_KIND_QP, dqpn));
	return filter_fits(&facts);
}

static __always_inline void tell(void *ctx, const struct ibdrop_key *key, __u32 dqpn)
{
	struct ibdrop_event *e = event_begin(sizeof(*e));

	if (!e)
		return;
	e->head.type = 0;
	e->head.dev = key->dev;
	head_by_owner(&e->head, GLASS_KIND_QP, dqpn);
	e->flow = DROP(flow);
	e->port = key->port;
	e->dqpn = dqpn;
	e->psn = DROP(psn);
	e->len = DROP(len);
	e->slid = DROP(slid);
	e->dlid = DROP(dlid);
	e->opcode = DROP(opcode);
	e->reason = key->reason;
	e->place = key->place;
	bpf_ringbuf_submit(e, 0);
}

SEC("tp/glass/glass_pkt_drop")
int packet_died(void *ctx)
{
	struct ibdrop_key key = {};
	__u32 dqpn = DROP(dqpn);
	__u64 one = 1, *count;

	GET_TEXT(ctx, glass, glass_pkt_drop, dev, key.dev.text);
	key.port = DROP(port);
	key.reason = DROP(reason);
	key.place = DROP(place);
	if (!fits(ctx, &key, dqpn))
		return 0;
	count = bpf_map_lookup_elem(&drops, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else if (bpf_map_update_elem(&drops, &key, &one, BPF_NOEXIST)) {
		/* another CPU added it first, or the map is full */
		count = bpf_map_lookup_elem(&drops, &key);
		if (count)
			__sync_fetch_and_add(count, 1);
		else
			note_lost();
	}
	if (each)
		tell(ctx, &key, dqpn);
	return 0;
}
