// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes snapshots (inspect.h) of completion queues and shared receive queues. The ring is copied in
 * pieces of CHUNK entries. The lock of the CQ or SRQ is released after each piece, because
 * interrupts are off under this lock.
 *
 * The key `left_out` counts the entries that a snapshot does not show. An entry is left out if it
 * was overwritten, or taken from the ring, before it could be copied. Entries for which the
 * snapshot has no room are left out, too.
 */
#include "debugfs/inspect.h"

#define CHUNK 64 /* maximum number of entries that are copied under the lock at a time */

static const char *const inspect_cq_causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const inspect_cq_statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const inspect_cq_ops[] = GLASS_WORDS(GLASS_WC_OPS);

/* indices of glass_snap.mem[] */
enum { MEM_ENTRIES, MEM_USERS };

/* ---- the QPs that use a CQ or an SRQ */

struct ring_user {
	u32 qpn;
	u32 as; /* OR of USER_*: how the QP uses the CQ or SRQ */
	struct glass_owner owner;
};

#define USER_SEND BIT(0)
#define USER_RECV BIT(1)
#define USER_SRQ BIT(2)

static u32 cq_used_as(const struct glass_qp *qp, const void *cq)
{
	return (qp->send_cq == cq ? USER_SEND : 0) | (qp->recv_cq == cq ? USER_RECV : 0);
}

static u32 srq_used_as(const struct glass_qp *qp, const void *srq)
{
	return qp->srq == srq ? USER_SRQ : 0;
}

static void fill_ring_user(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	static const struct glass_flag as[] = {
		{ USER_SEND, "send" }, { USER_RECV, "recv" }, { USER_SRQ, "srq" },
	};
	const struct ring_user *u = glass_snap_at(s, MEM_USERS, i);

	glass_row_num(r, GLASS_AT(USER, qpn), u->qpn);
	glass_row_flags(r, GLASS_AT(USER, as), u->as, as, ARRAY_SIZE(as));
	glass_row_num(r, GLASS_AT(USER, pid), u->owner.pid);
	glass_row_text(r, GLASS_AT(USER, comm), "%.*s", (int)sizeof(u->owner.comm), u->owner.comm);
}

/*
 * If the QP uses `object` (a CQ or SRQ), adds 1 to *n, and adds the QP to the snapshot if there is
 * room. Needs no lock of the QP, because a QP's CQs and SRQ never change.
 */
static void look_at_user(struct glass_snap *s, const struct glass_qp *qp, const void *object,
			 u32 (*used_as)(const struct glass_qp *qp, const void *object), u32 *n)
{
	u32 as = used_as(qp, object);

	if (!as)
		return;
	if (*n < s->room[MEM_USERS]) {
		struct ring_user *u = glass_snap_at(s, MEM_USERS, *n);

		u->qpn = qp->core.qpn;
		u->as = as;
		u->owner = qp->owner;
	}
	++*n;
}

static void users_section(struct glass_snap *s, enum glass_section section, enum glass_entry entry,
			  const void *object,
			  u32 (*used_as)(const struct glass_qp *qp, const void *object))
{
	struct glass_row *r = glass_snap_section(s, section);
	struct glass_dev *dev = s->dev;
	struct glass_qp *qp;
	unsigned long index = 0;
	u32 port, i, n = 0;

	/* an RCU read section keeps QPs valid, because they are freed only after a grace period */
	rcu_read_lock();
	for (port = 1; port <= dev->num_ports; port++) {
		for (i = 0; i < 2; i++) {
			qp = rcu_dereference(dev->ports[port].special[i]);
			if (qp)
				look_at_user(s, qp, object, used_as, &n);
		}
	}
	rcu_read_unlock();
	for (;;) {
		rcu_read_lock();
		qp = xa_find(&dev->qps, &index, U32_MAX, XA_PRESENT);
		for (i = 0; qp && i < CHUNK; i++) {
			look_at_user(s, qp, object, used_as, &n);
			qp = xa_find_after(&dev->qps, &index, U32_MAX, XA_PRESENT);
		}
		rcu_read_unlock();
		if (!qp)
			break;
		cond_resched();
	}
	glass_row_num(r, GLASS_AT(USERS, qps), n);
	glass_snap_entries(s, entry, min(n, s->room[MEM_USERS]), fill_ring_user);
}

/* ---- CQ */

struct snap_cqe {
	u32 index;
	u64 age;
	struct glass_abi_cqe c;
};

static void fill_cqe(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	static const struct glass_flag flags[] = {
		{ GLASS_CQE_GRH, "grh" }, { GLASS_CQE_IMM, "imm" },
		{ GLASS_CQE_SOLICITED, "solicited" }, { GLASS_CQE_SEND, "send" },
		{ GLASS_CQE_SRQ, "srq" },
	};
	const struct snap_cqe *e = glass_snap_at(s, MEM_ENTRIES, i);
	const struct glass_abi_cqe *c = &e->c;

	glass_row_num(r, GLASS_AT(CQ_CQE, index), e->index);
	glass_row_enum(r, GLASS_AT(CQ_CQE, status), inspect_cq_statuses, c->status);
	glass_row_enum(r, GLASS_AT(CQ_CQE, op), inspect_cq_ops, c->opcode);
	glass_row_num(r, GLASS_AT(CQ_CQE, wr_id), c->wr_id);
	glass_row_num(r, GLASS_AT(CQ_CQE, qpn), c->qp_num);
	glass_row_num(r, GLASS_AT(CQ_CQE, byte_len), c->byte_len);
	if (c->vendor_err & 0xff)
		glass_row_enum(r, GLASS_AT(CQ_CQE, cause), inspect_cq_causes, c->vendor_err & 0xff);
	if (c->vendor_err >> 8)
		glass_row_num(r, GLASS_AT(CQ_CQE, syndrome), c->vendor_err >> 8);
	if (c->flags & GLASS_CQE_IMM)
		glass_row_num(r, GLASS_AT(CQ_CQE, imm), be32_to_cpu((__force __be32)c->imm));
	if (!(c->flags & GLASS_CQE_SEND) && !c->status) {
		glass_row_num(r, GLASS_AT(CQ_CQE, src_qpn), c->src_qp);
		glass_row_num(r, GLASS_AT(CQ_CQE, slid), c->slid);
	}
	glass_row_flags(r, GLASS_AT(CQ_CQE, flags), c->flags, flags, ARRAY_SIZE(flags));
	glass_row_num(r, GLASS_AT(CQ_CQE, age), e->age);
}

/*
 * Copies the first `room` completions of `span`, or all if there are fewer. The snapshot has memory
 * for `room` completions. A completion that was polled meanwhile is copied, too, unless its slot
 * was reused. Returns how many completions were copied.
 */
static u32 snap_copy_cqes(struct glass_snap *s, struct glass_cq *cq, struct glass_span span,
			  u32 room)
{
	u32 most = min(span.producer - span.consumer, room);
	u32 end = span.consumer + most, index = span.consumer, n = 0;
	u64 raw = ktime_get_raw_ns();
	unsigned long flags;

	while (index != end) {
		u32 i, stop;

		spin_lock_irqsave(&cq->lock, flags);
		if (cq->producer - index > cq->ring.num)
			index = min(cq->producer - cq->ring.num - span.consumer, most) +
				span.consumer;
		stop = index + min(end - index, (u32)CHUNK);
		for (i = index; i != stop; i++, n++) {
			struct snap_cqe *e = glass_snap_at(s, MEM_ENTRIES, n);

			memcpy(&e->c, glass_ring_at(&cq->ring, i), sizeof(e->c));
			e->index = i;
		}
		spin_unlock_irqrestore(&cq->lock, flags);
		index = stop;
	}
	for (index = 0; index < n; index++) {
		struct snap_cqe *e = glass_snap_at(s, MEM_ENTRIES, index);

		e->age = raw > e->c.timestamp_ns ? raw - e->c.timestamp_ns : 0;
	}
	return n;
}

static int take_cq(struct glass_snap *s, struct glass_cq *cq)
{
	u32 most = min(READ_ONCE(cq->ring.num), (u32)GLASS_INSPECT_CQES);
	struct glass_span span;
	struct glass_row *r;
	u32 n;
	int err;

	err = glass_snap_alloc(s, MEM_ENTRIES, most, sizeof(struct snap_cqe));
	if (!err)
		err = glass_snap_alloc(s, MEM_USERS, GLASS_INSPECT_USERS_MAX, sizeof(struct ring_user));
	if (err)
		return err;
	span = glass_cq_row(glass_snap_object(s, &glass_table_cq), cq);
	n = snap_copy_cqes(s, cq, span, s->room[MEM_ENTRIES]);
	r = glass_snap_section(s, GLASS_SEC_cq_ring);
	glass_row_num(r, GLASS_AT(CQ_RING, slots), cq->ring.num);
	glass_row_num(r, GLASS_AT(CQ_RING, producer), span.producer);
	glass_row_num(r, GLASS_AT(CQ_RING, consumer), span.consumer);
	glass_row_word(r, GLASS_AT(CQ_RING, polled_by), cq->is_user ? "program" : "kernel");
	glass_row_num(r, GLASS_AT(CQ_RING, left_out), span.producer - span.consumer - n);
	glass_snap_entries(s, GLASS_ENT_cq_cqe, n, fill_cqe);
	users_section(s, GLASS_SEC_cq_users, GLASS_ENT_cq_user, cq, cq_used_as);
	return 0;
}

int glass_inspect_cq(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_cq *cq = glass_cq_find(s->dev, name->num);
	int err;

	if (!cq)
		return -ENOENT;
	err = take_cq(s, cq);
	glass_ref_put(&cq->ref);
	return err;
}

/* ---- SRQ */

static void fill_srq_rwqe(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	glass_fill_rwqe(r, glass_snap_at(s, MEM_ENTRIES, i));
}

/*
 * Copies the receives of `span`. Skips receives that the engine has taken from the ring meanwhile,
 * because the program may have overwritten them. Returns how many receives were copied.
 */
static u32 snap_copy_recvs(struct glass_snap *s, struct glass_srq *srq, struct glass_span span)
{
	u32 index = span.consumer, n = 0;
	unsigned long flags;

	while (index != span.producer) {
		u32 taken, stop;

		spin_lock_irqsave(&srq->lock, flags);
		taken = min(srq->consumer - span.consumer, span.producer - span.consumer);
		if ((s32)(span.consumer + taken - index) > 0)
			index = span.consumer + taken;
		stop = index + min(span.producer - index, (u32)CHUNK);
		for (; index != stop; index++)
			glass_snap_rwqe(glass_snap_at(s, MEM_ENTRIES, n++), &srq->ring, index,
					srq->max_sge, srq->owner.lint);
		spin_unlock_irqrestore(&srq->lock, flags);
	}
	return n;
}

static int snap_take_srq(struct glass_snap *s, struct glass_srq *srq)
{
	u32 slots = READ_ONCE(srq->ring.num);
	struct glass_span span, shown;
	struct glass_row *r;
	u32 n;
	int err;

	err = glass_snap_alloc(s, MEM_ENTRIES, slots, glass_snap_rwqe_bytes(srq->max_sge));
	if (!err)
		err = glass_snap_alloc(s, MEM_USERS, GLASS_INSPECT_USERS_MAX, sizeof(struct ring_user));
	if (err)
		return err;
	span = glass_srq_row(glass_snap_object(s, &glass_table_srq), srq);
	/* the SRQ may have grown since this memory was allocated */
	shown = span;
	shown.producer = span.consumer + min(span.producer - span.consumer, s->room[MEM_ENTRIES]);
	n = snap_copy_recvs(s, srq, shown);
	r = glass_snap_section(s, GLASS_SEC_srq_rq);
	glass_row_num(r, GLASS_AT(SRQ_RQ, slots), srq->ring.num);
	glass_row_num(r, GLASS_AT(SRQ_RQ, producer), span.producer);
	glass_row_num(r, GLASS_AT(SRQ_RQ, consumer), span.consumer);
	glass_row_num(r, GLASS_AT(SRQ_RQ, left_out), span.producer - span.consumer - n);
	glass_snap_entries(s, GLASS_ENT_srq_rwqe, n, fill_srq_rwqe);
	users_section(s, GLASS_SEC_srq_users, GLASS_ENT_srq_user, srq, srq_used_as);
	return 0;
}

int glass_inspect_srq(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_srq *srq = glass_srq_find(s->dev, name->num);
	int err;

	if (!srq)
		return -ENOENT;
	err = snap_take_srq(s, srq);
	glass_ref_put(&srq->ref);
	return err;
}
