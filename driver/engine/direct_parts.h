/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Parts of the direct way that requests of connections (direct.c) and datagrams (direct_ud.c) have in common. Inline: each packet needs them. */
#ifndef GLASS_ENGINE_DIRECT_PARTS_H
#define GLASS_ENGINE_DIRECT_PARTS_H

#include "engine/cqe.h"
#include "engine/direct.h"
#include "engine/lint.h"
#include "engine/memory.h"
#include "engine/packet.h"
#include "inject/hooks.h"
#include "link/link.h"
#include "observe/flight_record.h"
#include "proto/single.h"
#include "proto/wqe.h"

/* The last number of a pair of QPs that went to a QP (glass_qp.direct_pair) */
extern atomic64_t glass_direct_pairs;

/* After so many packets of a QP whose way is not direct, glass_link_look() looks again. */
#define GLASS_DIRECT_LOOK 64

/* Forgets the port where the QP's packets arrive, and the peer. */
static __always_inline void glass_direct_forget(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	qp->direct_to = NULL;
	qp->direct_own = 0;
}

/* Remembers that b takes packets of qp, until one of them, or an address, changes. */
static __always_inline void glass_direct_remember(struct glass_qp *qp, const struct glass_qp *b)
{
	lockdep_assert_held(&qp->lock);
	lockdep_assert_held(&b->lock);
	qp->direct_pair = atomic64_add_return(2, &glass_direct_pairs);
	qp->direct_peer = b->core.changes;
	qp->direct_own = glass_pqp_counts(&qp->core) && glass_pqp_counts(&b->core) ? qp->core.changes : 0;
}

/* Is the fabric as it was when glass_link_look() looked last (glass_fabric.reshapes)? */
static __always_inline bool glass_direct_same(const struct glass_qp *qp, const struct glass_link_port *lp)
{
	/* pairs with the release in glass_fabric_reshaped() */
	return qp->direct_reshapes == smp_load_acquire(&lp->fabric->reshapes);
}

/*
 * The port where packets of the QP arrive, or NULL if their way, or that of an answer, is not
 * direct. The QP remembers what it found last; glass_link_pass() finds out whether a port is still the
 * right one. After a port was detached, settle_hcas() waits for the contexts that hold a QP's lock, and
 * for this run, before the port is freed. *pkt has the address that a packet of the QP has.
 */
static __always_inline struct glass_link_port *glass_direct_port(struct glass_qp *qp, struct glass_link_port *lp,
								 struct glass_pkt *pkt)
{
	lockdep_assert_held(&qp->lock);
	if (likely(qp->direct_dlid == pkt->dlid && glass_direct_same(qp, lp))) {
		if (likely(qp->direct_to))
			return qp->direct_to;
		if (--qp->direct_wait)
			return NULL;
	}
	pkt->len = 0;
	pkt->more = 0;
	pkt->opcode = GLASS_TR_RC | GLASS_BOP_ACK;
	glass_direct_forget(qp);
	qp->direct_to = glass_link_look(lp, pkt, &qp->direct_reshapes);
	qp->direct_dlid = pkt->dlid;
	qp->direct_wait = GLASS_DIRECT_LOOK;
	return qp->direct_to;
}

/*
 * Finds the QP with this number at the port, and locks it. Returns NULL if there is none, if it is qp itself, or if its
 * lock is taken: nobody waits for the second lock, so the order of the two does not matter.
 */
static __always_inline struct glass_qp *glass_direct_lock(struct glass_qp *qp, struct glass_link_port *to, u32 qpn,
							  u16 dlid)
{
	struct glass_dev *dev = container_of(to, struct glass_hca_port, link)->dev;
	struct glass_qp *b;

	lockdep_assert_held(&qp->lock);
	rcu_read_lock_sched();
	b = glass_qp_at(dev, to->num, qpn);
	/* the subnet manager may have moved the LID */
	if (unlikely(!b) && !glass_port_has_lid(to->port, dlid))
		glass_direct_forget(qp);
	if (unlikely(!b || b == qp || !spin_trylock(&b->lock)))
		b = NULL;
	rcu_read_unlock_sched();
	return b;
}

/*
 * Finds the region with this key, if a program has registered it, and if the QP may access [addr, addr + len) of it so.
 * Returns it with a reference. Otherwise returns NULL; memory.c then finds out more. `access` is as for get_region() of
 * memory.c.
 */
static __always_inline struct glass_mr *glass_direct_region(struct glass_qp *qp, u32 key, u64 addr, u32 len, u32 access)
{
	struct glass_mr *mr = access & GLASS_REMOTE_ACCESS ? glass_mr_find_remote(qp->dev, key) :
							    glass_mr_find(qp->dev, key);

	if (unlikely(!mr))
		return NULL;
	if (likely(mr->kind == GLASS_MR_USER && mr->pdn == glass_domain(qp, GLASS_BY_QP) &&
		   !(access & ~mr->access) && glass_mr_check_range(mr, addr, len) == GLASS_MEM_OK))
		return mr;
	glass_ref_put(&mr->ref);
	return NULL;
}

/*
 * Returns the kernel address of [addr, addr + len) of such a region, if the range lies in one page. *out gets the
 * region, with a reference. Otherwise returns NULL.
 */
static __always_inline void *glass_direct_bytes(struct glass_qp *qp, u32 key, u64 addr, u32 len, u32 access,
						struct glass_mr **out)
{
	struct glass_mr *mr = glass_direct_region(qp, key, addr, len, access);
	u64 off;

	if (unlikely(!mr))
		return NULL;
	off = addr - mr->iova + mr->first_off;
	if (likely(offset_in_page(off) + len <= PAGE_SIZE)) {
		*out = mr;
		return mr->pages[off >> PAGE_SHIFT] + offset_in_page(off);
	}
	glass_ref_put(&mr->ref);
	return NULL;
}

/* Makes the data of w the payload of tx->pkt, if that is simple. Returns false if it is not. */
static __always_inline bool glass_direct_payload(struct glass_qp *qp, struct glass_swqe *w, struct glass_tx *tx)
{
	void *at = w->data;

	if (!(w->flags & GLASS_SWQE_INLINE)) {
		if (unlikely(w->num_sge != 1))
			return false;
		at = glass_direct_bytes(qp, w->sge[0].lkey, w->sge[0].addr, w->len, 0, &tx->mr[0]);
		if (unlikely(!at))
			return false;
		tx->nmr = 1;
	}
	tx->seg[0].addr = at;
	tx->seg[0].len = w->len;
	tx->pkt.nseg = 1;
	tx->pkt.len = w->len;
	return true;
}

/* glass_env_payload_put() after glass_direct_payload() */
static __always_inline void glass_direct_payload_put(struct glass_tx *tx)
{
	if (tx->nmr)
		glass_ref_put(&tx->mr[0]->ref);
	tx->nmr = 0;
}

/*
 * watch.c: traces a packet that goes from `out` to `in`; begins its records in captures, in run->captured; and ends them. The
 * callers hold the locks of both QPs.
 */
void glass_direct_trace(const struct glass_link_port *out, const struct glass_link_port *in, const struct glass_pkt *pkt);
void glass_direct_capture(struct glass_run *run, const struct glass_qp *from, const struct glass_link_port *out,
			  const struct glass_qp *to, const struct glass_link_port *in, const struct glass_pkt *pkt);
void glass_direct_captured(struct glass_run *run, const struct glass_fate *arrived);

/* The records of a packet that is being received */
struct glass_direct_records {
	struct glass_flight_begun flight;
	bool captured; /* in run->captured */
};

/*
 * Shows a packet that is about to arrive to those who look at packets: begins its records, and traces it. pair: as for
 * glass_flight_open(). The caller holds both QPs' locks.
 */
static __always_inline struct glass_direct_records
glass_direct_watch(struct glass_run *run, struct glass_tx *tx, const struct glass_qp *from,
		   const struct glass_link_port *out, const struct glass_qp *to, const struct glass_link_port *in, u64 pair,
		   u64 now)
{
	struct glass_direct_records r = {};

	lockdep_assert_held(&from->lock);
	lockdep_assert_held(&to->lock);
	if (trace_glass_pkt_tx_enabled() || trace_glass_pkt_rx_enabled())
		glass_direct_trace(out, in, &tx->pkt);
	if (!glass_watched())
		return r;
	tx->fate.reason = GLASS_DROP_NONE;
	tx->fate.rule[0] = 0;
	r.captured = READ_ONCE(glass_captures_running);
	if (unlikely(r.captured))
		glass_direct_capture(run, from, out, to, in, &tx->pkt);
	if (likely(READ_ONCE(glass_flight_enabled)))
		r.flight = glass_flight_open(&from->face, out->num, &to->face, in->num, pair, &tx->pkt, now);
	return r;
}

/* Ends the records of a packet that was received, or dropped. */
static __always_inline void glass_direct_watched(struct glass_run *run, const struct glass_tx *tx,
						 const struct glass_direct_records *r)
{
	if (unlikely(r->captured))
		glass_direct_captured(run, &tx->fate);
	glass_flight_close(&r->flight, tx->fate.reason);
}

static __always_inline struct glass_rx_meta glass_direct_meta(const struct glass_qp *to,
							      const struct glass_link_port *in,
							      const struct glass_pkt *pkt)
{
	return (struct glass_rx_meta){
		.pkey_index = to->core.attr.pkey_index,
		.dlid_path_bits = pkt->dlid & ((1 << in->port->lmc) - 1),
	};
}

/* Passes a packet to the core of the QP that receives it. */
static __always_inline void glass_direct_rx(struct glass_qp *to, const struct glass_link_port *in,
					    const struct glass_pkt *pkt, u64 now)
{
	struct glass_rx_meta meta = glass_direct_meta(to, in, pkt);

	glass_core_rx(to, pkt, &meta, now);
}

/* Was a message received without glass_pqp_rx()? */
enum glass_direct_taken {
	GLASS_DIRECT_LEFT, /* no: glass_pqp_rx() has to */
	GLASS_DIRECT_TAKEN, /* yes, but its completion was not simple: the QP may have to fail now */
	GLASS_DIRECT_SIMPLY, /* yes, and the QP has nothing more to do for it than to acknowledge it */
};

/*
 * Takes the next receive of b into resp.rwqe, if it has one SGE. Otherwise returns false. b is the QP of a program, has no
 * SRQ, and holds no receive. Strict mode is off (zero_sge_max).
 */
static __always_inline bool glass_direct_take_receive(struct glass_qp *b)
{
	const struct glass_wqe_ring ring = {
		.hdr = b->rq.hdr,
		.entries = b->rq.entries,
		.num = b->rq.num,
		.stride = b->rq.stride,
	};

	lockdep_assert_held(&b->lock);
	return likely(b->cap.max_recv_sge && glass_rwqe_take_one(&ring, &b->rq_consumer, &b->core.resp.rwqe));
}

/*
 * Takes the next receive of b into resp.rwqe, and places the payload of pkt in it behind `off` bytes. Returns false if the
 * receive is not simple: then glass_pqp_rx() receives the packet, with the receive that was taken, if one was. b is as
 * for glass_direct_take_receive().
 */
static __always_inline bool glass_direct_receive(struct glass_qp *b, const struct glass_pkt *pkt, u32 off)
{
	struct glass_rwqe *w = &b->core.resp.rwqe;
	struct glass_mr *mr;
	void *to = NULL;

	lockdep_assert_held(&b->lock);
	if (unlikely(!glass_direct_take_receive(b)))
		return false;
	if (unlikely(!pkt->len && w->len >= off))
		return true;
	if (likely(pkt->len && w->len >= (u64)off + pkt->len))
		to = glass_direct_bytes(b, w->sge[0].lkey, w->sge[0].addr + off, pkt->len, IB_ACCESS_LOCAL_WRITE, &mr);
	if (unlikely(!to)) {
		b->core.resp.rwqe_valid = true;
		return false;
	}
	glass_copy(to, pkt->seg[0].addr, pkt->len);
	glass_ref_put(&mr->ref);
	return true;
}

/*
 * Puts the completion of a receive of b that has succeeded into the CQ, if nobody looks at completions or changes them, and
 * the CQ takes it at once. Otherwise returns false, and does nothing.
 */
static __always_inline bool glass_direct_cqe(struct glass_qp *b, const struct glass_cqe *c)
{
	struct glass_cq_told told = {};
	struct glass_cq *cq = b->recv_cq;
	u32 used;

	lockdep_assert_held(&b->lock);
	if (trace_glass_cqe_enabled() || glass_qp_concerned(b, GLASS_INJECT_COMPLETIONS))
		return false;
	spin_lock_irq(&cq->lock);
	used = glass_cq_used(cq);
	if (unlikely(cq->nlate || cq->failed || used >= cq->cqe)) {
		spin_unlock_irq(&cq->lock);
		return false;
	}
	told.notify = glass_cq_append(cq, b->ib, b->core.qpn, c, used);
	glass_qp_note_cqe(b, cq, c);
	spin_unlock_irq(&cq->lock);
	if (unlikely(told.notify))
		glass_cq_tell(cq, &told);
	return true;
}

#endif
