// SPDX-License-Identifier: GPL-2.0-only
#include "common/flight.bpf.h"
#include "ibslower.h"

const volatile __u64 least_ns = 0;

/* Number of work requests that ended, slow or not */
__u64 seen = 0;

static __always_inline void flight_end(const struct flight *f)
{
	__u64 first = f->ns[AT_POST] ?: f->ns[AT_TAKE];
	__u64 last = f->ns[AT_POLL] ?: f->ns[AT_CQE] ?: f->ns[AT_ACK];
	struct ibslower_event *e;

	__sync_fetch_and_add(&seen, 1);
	if (last - first < least_ns)
		return;
	e = event_begin(sizeof(*e));
	if (!e)
		return;
	e->head.ns = last;
	e->head.type = 0;
	e->head.pid = f->pid;
	__builtin_memcpy(e->head.comm, f->comm, BPF_COMM_LEN);
	e->head.dev = f->dev;
	__builtin_memcpy(&e->flight, f, sizeof(*f));
	bpf_ringbuf_submit(e, 0);
}
