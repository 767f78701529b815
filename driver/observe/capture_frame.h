/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the record of a packet into the ring of a capture: inline, because a session records each
 * packet.
 */
#ifndef GLASS_OBSERVE_CAPTURE_FRAME_H
#define GLASS_OBSERVE_CAPTURE_FRAME_H

#include "observe/capture.h"
#include "observe/capture_ring.h"
#include "wire/copy.h"
#include "wire/headers.h"
#include "wire/roce.h"
#include "wire/serial.h"

static_assert(GLASS_CAP_COMM == TASK_COMM_LEN);
static_assert(GLASS_CAP_RULE == GLASS_FATE_RULE);

/* A packet, or a frame that could not be decoded, as the sessions record it. */
struct glass_cap_frame {
	const struct glass_pkt *pkt; /* NULL: a frame */
	const void *bytes; /* the wire bytes of a frame */
	u32 len; /* number of wire bytes */
	/*
	 * Bytes of the headers, if the fields of `pkt` determine the wire bytes and the first of
	 * them is that of the LRH. 0: a frame, a packet with pkt->wire, or one of an Ethernet port.
	 */
	u32 headers;
	bool roce; /* a packet of an Ethernet port */
};

static __always_inline void glass_cap_frame_of(struct glass_cap_frame *f,
					       const struct glass_pkt *pkt)
{
	f->pkt = pkt;
	f->bytes = NULL;
	f->roce = glass_pkt_is_roce(pkt);
	f->headers = 0;
	if (unlikely(f->roce)) {
		f->len = glass_roce_bytes(pkt);
	} else if (unlikely(pkt->wire)) {
		f->len = pkt->wire_len;
	} else {
		f->headers = glass_pkt_hdr_bytes(pkt);
		f->len = glass_pkt_wire_bytes(pkt);
	}
}

/*
 * Returns how many wire bytes a session records: at most `snap`, 0 stands for all. The wire bytes
 * of a frame, or of a packet with pkt->wire, exist already. Those of other packets must be built.
 * The padding and the CRCs can only be built together with the whole packet. So if `snap` lies
 * within them, the record ends with the payload.
 */
static __always_inline u32 glass_cap_len(const struct glass_cap_frame *f, u32 snap)
{
	u32 have = min_t(u32, f->len, GLASS_PKT_WIRE_MAX);

	if (!snap || snap >= have)
		return have;
	if (unlikely(f->roce))
		return glass_roce_cut(f->pkt, snap);
	return f->headers ? min(snap, f->headers + f->pkt->len) : snap;
}

/*
 * Writes the first wire bytes, unless these are the headers and a part of the payload. cap: the
 * number of bytes, from glass_cap_len(). False: the packet cannot be converted to wire bytes.
 */
static noinline_for_stack bool glass_cap_put_others(u8 *to, const struct glass_cap_frame *f,
						    u32 cap)
{
	const struct glass_pkt *pkt = f->pkt;
	u8 headers[GLASS_PKT_HDR_MAX];

	if (f->roce)
		return glass_roce_put(pkt, to, cap);
	if (!f->headers) {
		memcpy(to, pkt ? pkt->wire : f->bytes, cap);
		return true;
	}
	if (cap == f->len)
		return glass_pkt_build(pkt, to, cap) == cap;
	if (glass_pkt_build_headers(pkt, headers, sizeof(headers)) < 0)
		return false;
	memcpy(to, headers, cap);
	return true;
}

/* Writes the first wire bytes: as glass_cap_put_others(). */
static __always_inline bool glass_cap_put(u8 *to, const struct glass_cap_frame *f, u32 cap)
{
	const struct glass_pkt *pkt = f->pkt;
	u32 payload = cap - f->headers;

	if (unlikely(!f->headers || cap < f->headers || cap == f->len))
		return glass_cap_put_others(to, f, cap);
	if (unlikely(!glass_pkt_has_headers(pkt)))
		return false;
	glass_put_headers(pkt, (f->len - GLASS_VCRC_BYTES) / 4, to);
	if (unlikely(!pkt->nseg || payload > pkt->seg->len))
		return glass_pkt_copy_payload(pkt, 0, to + f->headers, payload) == payload;
	glass_copy(to + f->headers, pkt->seg->addr, payload);
	return true;
}

/* Are the fields from qpn to comm at the same distances in both structures? */
#define GLASS_CAP_SAME(field)                                                                      \
	static_assert(offsetof(struct glass_cap_record, field) -                                   \
			      offsetof(struct glass_cap_record, qpn) ==                            \
		      offsetof(struct glass_view, field) - offsetof(struct glass_view, qpn))

GLASS_CAP_SAME(pid);
GLASS_CAP_SAME(flags);
GLASS_CAP_SAME(port);
GLASS_CAP_SAME(dir);
GLASS_CAP_SAME(qptype);
GLASS_CAP_SAME(comm);

/*
 * Sets the fields of a record that `view` has, and `flags`. Zeroes those for the packet's fate, but
 * glass_capture_end() must set `reason`.
 */
static __always_inline void glass_cap_fill(struct glass_cap_record *r,
					   const struct glass_view *view, u32 flags)
{
	const size_t qpn = offsetof(struct glass_cap_record, qpn);

	memcpy((u8 *)r + qpn, (const u8 *)view + offsetof(struct glass_view, qpn),
	       offsetof(struct glass_cap_record, comm) - qpn);
	if (flags & GLASS_CAP_HAS_OWNER)
		memcpy(r->comm, view->comm, sizeof(r->comm));
	else
		memset(r->comm, 0, sizeof(r->comm));
	memset(r->rule, 0, sizeof(r->rule));
	if (unlikely(view->node)) {
		flags |= GLASS_CAP_HOP;
		strscpy_pad(r->node, view->node, sizeof(r->node));
	} else {
		memset(r->node, 0, sizeof(r->node));
	}
	r->flags = flags;
}

/*
 * Writes a record without the packet's fate into `ring`. Returns NULL if there is no room for it,
 * or if the packet cannot be converted to wire bytes.
 */
static __always_inline struct glass_cap_record *glass_cap_write(struct glass_cap_ring *ring,
								u32 snap,
								const struct glass_view *view,
								const struct glass_cap_frame *f)
{
	const struct glass_pkt *pkt = f->pkt;
	u32 flags = view->flags, cap = glass_cap_len(f, snap);
	struct glass_cap_record *r = glass_cap_ring_reserve(ring, cap);

	if (unlikely(!r))
		return NULL;
	if (unlikely(f->roce))
		flags |= GLASS_CAP_ETHERNET;
	if (likely(pkt && pkt->flow)) {
		flags |= GLASS_CAP_HAS_WR;
		r->flow = pkt->flow;
		r->wr_id = pkt->wr_id;
	} else {
		r->flow = 0;
		r->wr_id = 0;
	}
	r->orig_len = f->len;
	r->cap_len = cap;
	glass_cap_fill(r, view, flags);
	if (likely(glass_cap_put((u8 *)(r + 1), f, cap)))
		return r;
	glass_cap_ring_discard(ring, r);
	return NULL;
}

#endif
