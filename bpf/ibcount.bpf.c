// SPDX-License-Identifier: GPL-2.0-only
#include "common/owner.bpf.h"
#include "ibcount.h"

#define RECEIVED 128 /* bit in the op of a completion */

const volatile __u32 by = BY_PID;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct ibcount_key);
	__type(value, struct ibcount_value);
} counts SEC(".maps");

FIELD(glass, glass_wr_complete, dev);
FIELD(glass, glass_wr_complete, qpn);
FIELD(glass, glass_wr_complete, len);
FIELD(glass, glass_wr_complete, op);
FIELD(glass, glass_wr_complete, status);
FIELD(glass, glass_cqe, dev);
FIELD(glass, glass_cqe, qpn);
FIELD(glass, glass_cqe, len);
FIELD(glass, glass_cqe, op);
FIELD(glass, glass_cqe, status);

static __always_inline bool fits(const union dev_name *dev, const struct owner *o, __u32 qpn,
				 __u32 len, __u32 status)
{
	struct facts facts = {};

	if (!filter.active)
		return true;
	FACT_TEXT(&facts, DEV, *dev);
	fact_owner(&facts, o);
	FACT(&facts, QPN, qpn);
	FACT(&facts, LEN, len);
	FACT(&facts, STATUS, status);
	return filter_fits(&facts);
}

static __always_inline struct ibcount_value *count_of(const union dev_name *dev,
						      const struct owner *o, __u32 qpn, __u32 op)
{
	struct ibcount_value fresh = {}, *v;
	struct ibcount_key key = {};

	if (by != BY_OP)
		key.dev = *dev;
	if (by == BY_PID || by == BY_QP)
		key.pid = o ? o->pid : 0;
	if (by == BY_QP)
		key.num = qpn;
	else if (by == BY_OP)
		key.num = op;
	v = bpf_map_lookup_elem(&counts, &key);
	if (v)
		return v;
	if (o && (by == BY_PID || by == BY_QP))
		__builtin_memcpy(fresh.comm, o->comm.text, BPF_COMM_LEN);
	bpf_map_update_elem(&counts, &key, &fresh, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&counts, &key);
	if (!v)
		note_lost();
	return v;
}

SEC("tp/glass/glass_wr_complete")
int count_send(void *ctx)
{
	RECORD(r, ctx);
	__u32 qpn = FROM(r, glass, glass_wr_complete, qpn),
	      len = FROM(r, glass, glass_wr_complete, len);
	__u32 status = FROM(r, glass, glass_wr_complete, status);
	struct ibcount_value *v;
	union dev_name dev = {};
	struct owner *o;

	FROM_TEXT(r, glass, glass_wr_complete, dev, dev.text);
	o = find_owner(&dev, GLASS_KIND_QP, qpn);
	if (!fits(&dev, o, qpn, len, status))
		return 0;
	v = count_of(&dev, o, qpn, FROM(r, glass, glass_wr_complete, op));
	if (!v)
		return 0;
	if (status) {
		__sync_fetch_and_add(&v->errors, 1);
		return 0;
	}
	__sync_fetch_and_add(&v->tx, 1);
	__sync_fetch_and_add(&v->tx_bytes, len);
	return 0;
}

SEC("tp/glass/glass_cqe")
int count_receive(void *ctx)
{
	RECORD(r, ctx);
	__u32 qpn = FROM(r, glass, glass_cqe, qpn), len = FROM(r, glass, glass_cqe, len);
	__u32 op = FROM(r, glass, glass_cqe, op), status = FROM(r, glass, glass_cqe, status);
	struct ibcount_value *v;
	union dev_name dev = {};
	struct owner *o;

	if (op < RECEIVED)
		return 0;
	FROM_TEXT(r, glass, glass_cqe, dev, dev.text);
	o = find_owner(&dev, GLASS_KIND_QP, qpn);
	if (!fits(&dev, o, qpn, len, status))
		return 0;
	v = count_of(&dev, o, qpn, op);
	if (!v)
		return 0;
	if (status) {
		__sync_fetch_and_add(&v->errors, 1);
		return 0;
	}
	__sync_fetch_and_add(&v->rx, 1);
	__sync_fetch_and_add(&v->rx_bytes, len);
	return 0;
}
