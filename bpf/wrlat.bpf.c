// SPDX-License-Identifier: GPL-2.0-only
#include "common/flight.bpf.h"
#include "wrlat.h"

#define MAX_HISTS 8192

const volatile __u32 by = BY_NOTHING;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_HISTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wrlat_key);
	__type(value, struct wrlat_hists);
} hists SEC(".maps");

/* a constant, because it is too large for the stack */
static const struct wrlat_hists empty_hists = {};

static __always_inline struct wrlat_hists *hists_of(const struct wrlat_key *key)
{
	struct wrlat_hists *h = bpf_map_lookup_elem(&hists, key);

	if (h)
		return h;
	bpf_map_update_elem(&hists, key, &empty_hists, BPF_NOEXIST);
	h = bpf_map_lookup_elem(&hists, key);
	if (!h)
		note_lost();
	return h;
}

static __always_inline void flight_end(const struct flight *f)
{
	struct wrlat_key key = {};
	__u64 first = f->ns[AT_POST] ?: f->ns[AT_TAKE], last = f->ns[AT_TAKE];
	struct wrlat_hists *h;
	int i;

	if (by == BY_QP) {
		key.dev = f->dev;
		key.id = f->qpn;
	} else if (by == BY_PID) {
		key.id = f->pid;
	} else if (by == BY_OP) {
		key.id = f->op;
	}
	h = hists_of(&key);
	if (!h)
		return;
#pragma unroll
	for (i = 1; i < FLIGHT_MOMENTS; i++) {
		if (!f->ns[i])
			continue;
		last = f->ns[i];
		/* two CPUs may record moments out of order: a negative duration counts as 0 */
		if (f->ns[i - 1])
			hist_add(&h->stage[i],
				 f->ns[i] > f->ns[i - 1] ? f->ns[i] - f->ns[i - 1] : 0);
	}
	hist_add(&h->stage[AT_POST], last - first);
}
