/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common to all BPF programs of the toolkit.
 *
 * FIELD(system, event, name) declares the position of a field of a trace event. Before the program
 * is verified, the loader fills this constant from the format files of the running kernel
 * (common/attach.c). A field that the kernel lacks reads as 0 and costs nothing. So programs need
 * neither kernel headers nor type information of modules.
 */
#ifndef GLASS_TOOL_BPF_H
#define GLASS_TOOL_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "common/shared.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "fields are read as little-endian numbers"
#endif

/* ---- fields of a trace event */

#define FIELD(system, event, name)    const volatile __u32 at_##system##__##event##__##name = 0
#define HAS(system, event, name)      (at_##system##__##event##__##name != 0)
#define GET(ctx, system, event, name) field_at(ctx, at_##system##__##event##__##name)
#define GET_TEXT(ctx, system, event, name, to) \
	text_at(ctx, at_##system##__##event##__##name, to, sizeof(to))

static __always_inline __u64 field_at(const void *ctx, __u32 at)
{
	__u64 v = 0;

	if (at)
		bpf_probe_read_kernel(&v, at >> AT_SIZE_SHIFT & 15, ctx + (at & 0xffff));
	return v;
}

/* Reads a text of variable length (__data_loc). The caller has zeroed to. */
static __always_inline void text_at(const void *ctx, __u32 at, char *to, __u32 size)
{
	__u32 loc = field_at(ctx, at);

	if (at)
		bpf_probe_read_kernel_str(to, size, ctx + (loc & 0xffff));
}

/*
 * A copy of the beginning of a record. Reading several fields from it costs a single probe read.
 * FROM() and FROM_TEXT() are the same as GET() and GET_TEXT(), but use the copy.
 */
#define RECORD_LEN 96

struct record {
	const void *ctx;
	char at[RECORD_LEN];
};

#define RECORD(name, ctx)                               \
	struct record name##_room;                      \
	const struct record *const name = &name##_room; \
	record_read(&name##_room, ctx)
#define FROM(r, system, event, name) record_field(r, at_##system##__##event##__##name)
#define FROM_TEXT(r, system, event, name, to) \
	record_text(r, at_##system##__##event##__##name, to, sizeof(to))

/* Reading RECORD_LEN bytes is safe for a shorter record, too: its buffer is longer. */
static __always_inline void record_read(struct record *r, const void *ctx)
{
	r->ctx = ctx;
	bpf_probe_read_kernel(r->at, sizeof(r->at), ctx);
}

/* The verifier knows at as a constant, so only a single load remains. */
static __always_inline __u64 record_field(const struct record *r, __u32 at)
{
	__u32 offset = at & 0xffff, size = at >> AT_SIZE_SHIFT & 15;

	if (offset + size > RECORD_LEN)
		return field_at(r->ctx, at);
	switch (size) {
	case 1:
		return *(const __u8 *)(r->at + offset);
	case 2:
		return *(const __u16 *)(r->at + offset);
	case 4:
		return *(const __u32 *)(r->at + offset);
	case 8:
		return *(const __u64 *)(r->at + offset);
	default:
		return 0;
	}
}

static __always_inline void record_text(const struct record *r, __u32 at, char *to, __u32 size)
{
	__u32 loc = record_field(r, at);

	if (at)
		bpf_probe_read_kernel_str(to, size, r->ctx + (loc & 0xffff));
}

/* ---- the filter */

const volatile struct bpf_filter filter = {};

#include "common/match.h"

/* ---- events to user space */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

/* Events that did not fit into the ring, and objects that did not fit into a map */
__u64 lost = 0;

static __always_inline void note_lost(void)
{
	__sync_fetch_and_add(&lost, 1);
}

/*
 * Reserves room for an event in the ring. Returns NULL, and counts a lost event, if there is none.
 */
static __always_inline void *event_begin(__u32 size)
{
	void *e = bpf_ringbuf_reserve(&events, size, 0);

	if (!e)
		note_lost();
	return e;
}

static __always_inline __u32 current_pid(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

/*
 * Writes the name of the current task into to[BPF_COMM_LEN], padded with zeros, so that it compares
 * as words. Before Linux 6.2 the helper leaves the bytes behind the terminating zero as they were.
 */
static __always_inline void current_comm(char *to)
{
	__builtin_memset(to, 0, BPF_COMM_LEN);
	bpf_get_current_comm(to, BPF_COMM_LEN);
}

static __always_inline void head_by_current(struct event_head *h)
{
	h->ns = bpf_ktime_get_ns();
	h->pid = current_pid();
	current_comm(h->comm);
}

/* ---- histograms */

static __always_inline __u32 log2_of(__u64 v)
{
	__u32 n = 0;

	if (v >> 32) {
		n += 32;
		v >>= 32;
	}
	if (v >> 16) {
		n += 16;
		v >>= 16;
	}
	if (v >> 8) {
		n += 8;
		v >>= 8;
	}
	if (v >> 4) {
		n += 4;
		v >>= 4;
	}
	if (v >> 2) {
		n += 2;
		v >>= 2;
	}
	return n + (v >> 1 & 1);
}

static __always_inline void hist_add(struct hist *h, __u64 v)
{
	__u32 slot = log2_of(v);

	if (slot >= HIST_SLOTS)
		slot = HIST_SLOTS - 1;
	__sync_fetch_and_add(&h->slot[slot], 1);
	__sync_fetch_and_add(&h->count, 1);
	__sync_fetch_and_add(&h->sum, v);
	/* a race between two CPUs may lose an extreme, but never a count */
	if (v > h->max)
		h->max = v;
	if (!h->min || v < h->min)
		h->min = v;
}

char LICENSE[] SEC("license") = "GPL";

#endif
