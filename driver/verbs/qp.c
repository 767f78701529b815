// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The verbs that create and destroy QPs. qp_modify.c modifies and queries them, post.c posts to them, and
 * engine/ runs them.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "compat/hrtimer.h"
#include "compat/timer.h"
#include "engine/engine.h"
#include "engine/party.h"
#include "engine/patience.h"
#include "engine/want.h"
#include "model/ring.h"
#include "observe/blackbox.h"
#include "observe/gone.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

static struct kmem_cache *qp_cache;

int glass_qps_init(void)
{
	/* kmalloc() would round the size up to 4 KiB */
	qp_cache = KMEM_CACHE(glass_qp, SLAB_ACCOUNT | SLAB_HWCACHE_ALIGN);
	return qp_cache ? 0 : -ENOMEM;
}

void glass_qps_exit(void)
{
	/* wait for qp_free() */
	rcu_barrier();
	kmem_cache_destroy(qp_cache);
}

static void qp_free(struct rcu_head *rcu)
{
	kmem_cache_free(qp_cache, container_of(rcu, struct glass_qp, rcu));
}

static_assert((int)GLASS_QPT_XRC_INI == (int)IB_QPT_XRC_INI && (int)GLASS_QPT_XRC_TGT == (int)IB_QPT_XRC_TGT);
static_assert((int)GLASS_QPT_UD == (int)IB_QPT_UD && (int)GLASS_QPT_GSI == (int)IB_QPT_GSI);

/* Number of the QP's protection domain (PD); 0: a program's XRC target, which has no PD. */
static u32 pdn_of(const struct ib_qp *ib)
{
	return ib->pd ? to_gpd(ib->pd)->pdn : 0;
}

/*
 * Does a program create the QP? When a program creates an XRC target, ib_core passes neither a
 * udata nor a PD. Kernel consumers always pass a PD.
 */
static bool of_program(const struct ib_qp *ib, const struct ib_qp_init_attr *init,
		       const struct ib_udata *udata)
{
	return udata || (init->qp_type == IB_QPT_XRC_TGT && !ib->pd);
}

static bool no_recv(const struct ib_qp_init_attr *init)
{
	return init->srq || init->qp_type == IB_QPT_XRC_INI || init->qp_type == IB_QPT_XRC_TGT;
}

static int check_init(struct ib_qp *ib, const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_qp_cap *cap = &init->cap;
	struct glass_dev *dev = to_gdev(ib->device);

	if (init->create_flags || (init->qp_type == IB_QPT_XRC_TGT && !init->xrcd))
		return -EOPNOTSUPP;
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		break;
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		if (user || !init->port_num || init->port_num > dev->num_ports)
			return -EINVAL;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (cap->max_send_wr > GLASS_MAX_QP_WR || cap->max_recv_wr > GLASS_MAX_QP_WR ||
	    cap->max_send_sge > GLASS_MAX_SGE || cap->max_recv_sge > GLASS_MAX_SGE ||
	    cap->max_inline_data > GLASS_MAX_INLINE)
		return -EINVAL;
	return 0;
}

/*
 * Fills in qp->cap, the capabilities that create_qp grants and returns. Each queue of the QP gets
 * room for at least one work request, with at least one SGE. If the QP lacks a queue, the
 * capabilities of this queue are 0.
 */
static void qp_grant_caps(struct glass_qp *qp, const struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &qp->cap;

	*cap = init->cap;
	cap->max_send_wr = max(cap->max_send_wr, 1U);
	cap->max_send_sge = max(cap->max_send_sge, 1U);
	/*
	 * Inline data takes the place of the SGEs in a WQE. Grant at least the size of the SGEs,
	 * because some programs send inline although they asked for no inline data.
	 */
	cap->max_inline_data = max_t(u32, cap->max_inline_data,
				     cap->max_send_sge * sizeof(struct glass_abi_sge));
	if (no_recv(init)) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
	} else {
		cap->max_recv_wr = max(cap->max_recv_wr, 1U);
		cap->max_recv_sge = max(cap->max_recv_sge, 1U);
	}
	if (init->qp_type == IB_QPT_XRC_TGT) {
		cap->max_send_wr = 0;
		cap->max_send_sge = 0;
		cap->max_inline_data = 0;
	}
}

/* Bytes of SGEs or inline data that a send WQE has room for. */
static u32 send_payload(const struct ib_qp_cap *cap)
{
	return max_t(u32, cap->max_send_sge * sizeof(struct glass_abi_sge), cap->max_inline_data);
}

static u64 snapshot_bytes(const struct glass_qp *qp)
{
	return (u64)glass_ring_entries(qp->cap.max_send_wr) * qp->core.sq_stride;
}

/*
 * Makes the rings of both queues; sq_of, rq_of: the context whose program shares the ring, or NULL. If
 * that is the same, both are in one piece of memory, which halves the work of its allocator.
 */
static int make_queues(struct glass_qp *qp, struct glass_ucontext *sq_of, struct glass_ucontext *rq_of)
{
	u32 send = GLASS_SEND_WQE_HDR_BYTES + send_payload(&qp->cap);
	u32 recv = GLASS_RECV_WQE_HDR_BYTES + qp->cap.max_recv_sge * sizeof(struct glass_abi_sge);
	int err;

	if (sq_of == rq_of)
		return glass_ring_create_two(&qp->sq, qp->cap.max_send_wr, send, &qp->rq,
					     qp->cap.max_recv_wr, recv, sq_of);
	err = glass_ring_create(&qp->sq, sq_of, qp->cap.max_send_wr, send);
	if (err)
		return err;
	err = glass_ring_create(&qp->rq, rq_of, qp->cap.max_recv_wr, recv);
	if (err)
		glass_ring_destroy(&qp->sq);
	return err;
}

/*
 * Makes the array of WQE snapshots (core.sq), and the rings of both queues. A queue that the QP
 * lacks also gets a ring, but no program shares this ring. *resp describes only the rings of the
 * queues that the QP has. Charges qp->bill for rings that no program shares; the caller has charged
 * it for the array (snapshot_bytes()). Returns 0 or a negative errno. After an error, the rings and
 * the array are freed, but qp->bill may still have their charges.
 */
static int make_rings(struct glass_qp *qp, struct glass_ucontext *uctx,
		      const struct glass_payer *payer, struct glass_create_qp_resp *resp)
{
	bool no_rq = qp->srq || qp->xrcd || qp->core.type == GLASS_QPT_XRC_INI;
	int err;

	err = make_queues(qp, qp->xrcd ? NULL : uctx, no_rq ? NULL : uctx);
	if (err)
		return err;
	qp->core.sq_entries = qp->sq.num;
	qp->core.sq = kvcalloc(qp->sq.num, qp->core.sq_stride, GLASS_GFP_ASKED);
	err = -ENOMEM;
	if (!qp->core.sq)
		goto err_queues;
	err = glass_bill_add(&qp->bill, payer, glass_ring_own_bytes(&qp->sq) + glass_ring_own_bytes(&qp->rq));
	if (err)
		goto err_wqes;
	WRITE_ONCE(qp->rq.hdr->awake, 1);
	if (!no_rq)
		glass_ring_tell(&qp->rq, &resp->rq);
	if (!qp->xrcd)
		glass_ring_tell(&qp->sq, &resp->sq);
	return 0;

err_wqes:
	kvfree(qp->core.sq);
err_queues:
	glass_ring_destroy(&qp->rq);
	glass_ring_destroy(&qp->sq);
	return err;
}

static void set_number(struct glass_qp *qp, u32 qpn)
{
	qp->core.qpn = qpn;
	qp->face.qpn = qpn;
	qp->flow_base = (u64)((qp->dev->index + 1) << 24 | qpn) << 32;
}

/*
 * Gives the QP its number. From then on, look-ups find the QP by this number. Returns 0 or a
 * negative errno.
 */
static int qp_publish(struct glass_qp *qp, const struct ib_qp_init_attr *init)
{
	struct glass_dev *dev = qp->dev;
	struct glass_qp __rcu **slot;
	u32 qpn;
	int err;

	if (!qp->special_port) {
		u32 lowest = GLASS_FIRST_QPN;

		/*
		 * reserve the number first, and store the QP after core.qpn is set: a look-up that
		 * finds the QP must see core.qpn
		 */
		err = glass_number(&dev->qps, &qpn, NULL, 2, GLASS_QPN_MCAST - 1,
				   glass_strict(&dev->strict, GLASS_BEHAVIOR_QPN_REUSE) ? &lowest :
											  &dev->qp_next);
		if (err)
			return err;
		set_number(qp, qpn);
		glass_gone_qpn_given(dev->index, qpn);
		err = xa_err(xa_store_irq(&dev->qps, qpn, qp, GFP_KERNEL));
		if (!err)
			glass_remember_qp(qp);
		return err;
	}
	set_number(qp, init->qp_type == IB_QPT_GSI);
	slot = &dev->ports[init->port_num].special[qp->core.qpn];
	if (rcu_access_pointer(*slot))
		return -EBUSY;
	rcu_assign_pointer(*slot, qp);
	return 0;
}

static void qp_unpublish(struct glass_qp *qp)
{
	struct glass_dev *dev = qp->dev;

	glass_stats_move(qp, 0);
	if (qp->special_port) {
		RCU_INIT_POINTER(dev->ports[qp->special_port].special[qp->core.qpn], NULL);
		return;
	}
	xa_erase_irq(&dev->qps, qp->core.qpn);
	glass_forget_qp(qp);
}

/* Fills in qp->face, except the QPN, which qp_publish() sets. */
static void set_face(struct glass_qp *qp)
{
	struct glass_flight_end *end = &qp->face;

	end->dev = qp->dev->index;
	end->flags = GLASS_CAP_HAS_QP | GLASS_CAP_HAS_OWNER;
	end->qptype = qp->core.type;
	end->pid = qp->owner.pid;
	memcpy(end->comm, qp->owner.comm, sizeof(end->comm));
}

/*
 * Sets qp->owner.lint, the QP's client of lint. A program's QP gets the client of its user context,
 * a kernel consumer's QP gets NULL. A program's XRC target may outlive the user context, so it gets
 * a client of its own. Returns 0 or -ENOMEM.
 */
static int lint_open(struct glass_qp *qp, struct glass_ucontext *uctx)
{
	if (!qp->xrcd || !qp->core.is_user) {
		glass_owner_lint(&qp->owner, uctx ? &uctx->lint : NULL);
		return 0;
	}
	qp->target_lint = kzalloc(sizeof(*qp->target_lint), GFP_KERNEL_ACCOUNT);
	if (!qp->target_lint)
		return -ENOMEM;
	glass_lint_open(qp->dev->lint, qp->target_lint, glass_dev_name(qp->dev));
	qp->target_lint->where = uctx ? glass_where_get(glass_lint_where(&uctx->lint)) : NULL;
	glass_owner_lint(&qp->owner, qp->target_lint);
	return 0;
}

/* Frees the client of an XRC target. Call when no reference to the QP is left. */
static void lint_close(struct glass_qp *qp)
{
	if (!qp->target_lint)
		return;
	glass_lint_close(qp->target_lint);
	kfree(qp->target_lint);
}

/*
 * Fills in the payer for a QP (share.h). payer->share gets the books that pay, with a reference
 * that the caller drops. For a program's QP, the books of the user context pay. For a program's XRC
 * target, the books of the calling process pay. For a kernel consumer's QP, payer->share is NULL.
 * Returns 0 or -ENOMEM.
 */
static int qp_payer(const struct glass_qp *qp, const struct glass_ucontext *uctx, struct glass_payer *payer)
{
	*payer = (struct glass_payer){ .dev = qp->dev, .lint = qp->owner.lint };
	if (!qp->core.is_user)
		return 0;
	payer->share = uctx ? glass_share_hold(uctx->payer.share) : glass_share_get();
	return payer->share ? 0 : -ENOMEM;
}

static struct glass_qp *qp_alloc(struct ib_qp *ib, const struct ib_qp_init_attr *init, bool user)
{
	struct glass_qp *qp = kmem_cache_zalloc(qp_cache, GFP_KERNEL);

	if (!qp)
		return NULL;
	spin_lock_init(&qp->lock);
	spin_lock_init(&qp->sq_lock);
	spin_lock_init(&qp->rq_lock);
	glass_ref_init(&qp->ref);
	glass_want_init(qp);
	INIT_LIST_HEAD(&qp->run_node);
	INIT_LIST_HEAD(&qp->patient_node);
	INIT_LIST_HEAD(&qp->copies);
	qp->turn = GLASS_TURN;
	glass_hrtimer_setup(&qp->timer, glass_qp_timer_fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer_setup(&qp->ack_timer, glass_qp_ack_timer_fn, 0);
	glass_owner_fill(&qp->owner, user);
	qp->dev = to_gdev(ib->device);
	qp->ib = ib;
	qp->pd = ib->pd;
	qp->context = user && ib->pd ? ib->pd->uobject->context : NULL;
	qp->pdn = pdn_of(ib);
	qp->xrcd = init->qp_type == IB_QPT_XRC_TGT && init->xrcd ? to_gxrcd(init->xrcd) : NULL;
	qp->send_cq = init->send_cq ? to_gcq(init->send_cq) : NULL;
	qp->recv_cq = init->recv_cq ? to_gcq(init->recv_cq) : NULL;
	/*
	 * An XRC target receives from the SRQs that the requests name. Do not keep init->srq: that
	 * SRQ may be destroyed before the target, because ib_core does not count the target as a
	 * user of the SRQ.
	 */
	qp->srq = init->srq && !qp->xrcd ? to_gsrq(init->srq) : NULL;
	qp->recv_pdn = qp->srq ? qp->srq->pdn : qp->pdn;
	qp->sig = init->sq_sig_type;
	qp_grant_caps(qp, init);
	qp->core.type = (enum glass_qp_type)init->qp_type;
	qp->core.has_srq = init->srq || qp->xrcd;
	qp->core.sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->core.is_user = user;
	qp->core.max_sge = qp->cap.max_send_sge;
	qp->core.max_inline = qp->cap.max_inline_data;
	qp->core.sq_stride = ALIGN(offsetof(struct glass_swqe, data) + send_payload(&qp->cap), 64);
	if (init->qp_type == IB_QPT_SMI || init->qp_type == IB_QPT_GSI)
		qp->special_port = init->port_num;
	set_face(qp);
	return qp;
}

void glass_qp_set_fixed(struct glass_qp *qp)
{
	if (qp->special_port)
		qp->core.attr.port = qp->special_port;
	if (!glass_type_is_connected(qp->core.type))
		qp->core.attr.mtu = GLASS_MTU_MAX;
}

int glass_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	/* an XRC target belongs to its XRC domain, and may outlive the context that created it */
	struct glass_ucontext *uctx =
		udata && init->qp_type != IB_QPT_XRC_TGT ?
		rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	struct glass_dev *dev = to_gdev(ib->device);
	bool user = of_program(ib, init, udata);
	struct glass_create_qp_resp resp = {};
	struct glass_payer payer = {};
	struct glass_qp *qp = NULL;
	int err;

	glass_enter(dev, CREATE_QP, PD, pdn_of(ib),
		    "type=%u send_wr=%u recv_wr=%u send_sge=%u recv_sge=%u inline=%u",
		    init->qp_type, init->cap.max_send_wr, init->cap.max_recv_wr,
		    init->cap.max_send_sge, init->cap.max_recv_sge, init->cap.max_inline_data);
	err = glass_verb_fault(dev, CREATE_QP, user);
	if (err)
		goto out;
	err = check_init(ib, init, user);
	if (err == -EINVAL && udata && glass_linting())
		glass_lint_create_qp(ib, init, udata);
	if (err)
		goto out;
	qp = qp_alloc(ib, init, user);
	err = -ENOMEM;
	if (!qp)
		goto out;
	qp->party = user ? glass_party_get() : NULL;
	qp->group = qp->party ? qp->party->group : NULL;
	if (user && !qp->party)
		goto err_qp;
	err = lint_open(qp, uctx);
	if (err)
		goto err_qp;
	err = qp_payer(qp, uctx, &payer);
	if (err)
		goto err_lint;
	/* glass_bill_open() charges nothing for a QP of a kernel consumer */
	err = glass_bill_open(&qp->bill, &payer, GLASS_SHARE_QP, 1,
			      sizeof(*qp) + GLASS_OBJECT_BYTES + snapshot_bytes(qp));
	if (err)
		goto err_payer;
	err = make_rings(qp, uctx, &payer, &resp);
	if (err)
		goto err_bill;
	glass_pqp_init(&qp->core);
	glass_qp_set_fixed(qp);
	qp->stats_port = qp->special_port;
	qp->born = atomic64_inc_return(&dev->inject->born);
	qp->core.changes = qp->born << 32;
	qp->born_here = uctx ? atomic_inc_return(&uctx->qps_born) : 0;
	glass_users_join(qp);
	err = qp_publish(qp, init);
	if (err)
		goto err_users;
	ib->qp_num = qp->core.qpn;
	container_of(ib, struct glass_ibqp, ib)->qp = qp;
	init->cap = qp->cap;
	if (udata) {
		resp.qpn = qp->core.qpn;
		resp.flow_high = glass_flow_high(qp);
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			goto err_publish;
	}
	if (uctx)
		atomic_inc(&uctx->nqp);
	glass_lint_count_caps(qp, true);
	if (ib->pd)
		atomic_inc(&to_gpd(ib->pd)->nqp);
	if (qp->xrcd)
		atomic_inc(&qp->xrcd->nqp);
	glass_share_put(payer.share);
	goto out;

err_publish:
	qp_unpublish(qp);
err_users:
	glass_users_leave(qp);
	glass_want_end(qp);
	/* fail_work of a CQ or SRQ may have found the QP: wait until it drops its reference */
	glass_ref_kill(&qp->ref);
	glass_want_free(qp);
	glass_ring_destroy(&qp->rq);
	glass_ring_destroy(&qp->sq);
	kvfree(qp->core.sq);
err_bill:
	glass_bill_close(&qp->bill);
err_payer:
	glass_share_put(payer.share);
err_lint:
	lint_close(qp);
err_qp:
	glass_party_put(qp->party);
	call_rcu(&qp->rcu, qp_free);
out:
	glass_leave(dev, CREATE_QP, QP, err ? 0 : ib->qp_num, err);
	return err;
}

void glass_qp_forget_late(struct glass_qp *qp)
{
	glass_late_forget(qp->send_cq, qp);
	glass_late_forget(qp->recv_cq, qp);
	if (qp->xrcd)
		glass_late_forget_everywhere(qp->dev, qp);
}

/*
 * Returns the deadline for glass_qp_settle() that the QP shares with other QPs of its device, its
 * XRC domain or its user context. NULL: the QP has a deadline of its own.
 */
static struct glass_deadline *qp_shared_deadline(struct glass_qp *qp, struct glass_ucontext *uctx,
						 enum glass_destroyer by)
{
	if (!READ_ONCE(qp->dev->registered))
		return &qp->dev->settle;
	/*
	 * All targets of an XRC domain share the deadline of the domain: ib_core destroys a target
	 * without udata, so `by` is GLASS_BY_KERNEL.
	 */
	if (qp->xrcd)
		return by == GLASS_BY_PROGRAM ? NULL : &qp->xrcd->settle;
	return by == GLASS_BY_CLOSE && uctx ? &uctx->settle : NULL;
}

/* Writes the QP's obituary. */
static void qp_bury(struct glass_qp *qp, enum glass_destroyer by)
{
	struct glass_gone_qp g = {
		.born = qp->owner.created_ns,
		.qpn = qp->core.qpn,
		.hca = qp->dev->index,
		.qptype = qp->core.type,
		.pid = qp->owner.pid,
		.uid = qp->owner.uid,
	};

	spin_lock(&qp->lock);
	g.state = qp->core.state;
	g.before = g.state;
	g.state_since = qp->owner.created_ns;
	if (qp->nchanges) {
		const struct glass_state_change *last =
			&qp->history[(qp->nchanges - 1) % GLASS_HISTORY];

		g.before = last->from;
		g.state_since = last->when;
	}
	g.error = qp->core.first_error.cause;
	g.dest_qpn = qp->core.attr.dest_qpn;
	spin_unlock(&qp->lock);
	memcpy(g.comm, qp->owner.comm, sizeof(g.comm));
	glass_gone_caller(&g.by, GLASS_GONE_DESTROY, by != GLASS_BY_CLOSE, !READ_ONCE(qp->dev->registered),
			  qp->owner.lint);
	glass_gone_qp(&g);
}

/*
 * When a port goes, the RDMA core destroys its QPs 0 and 1 before it ends the work that polls their
 * CQ (ib_mad_port_close()). That work may have polled a completion already, for which it posts to
 * the QP. So wait for the work that runs now. Later ones find no completion of the QP.
 */
static void await_mad_work(const struct glass_qp *qp, struct glass_cq *cq)
{
	bool mad = qp->core.type == GLASS_QPT_SMI || qp->core.type == GLASS_QPT_GSI;

	if (mad && cq && (cq->ib.poll_ctx == IB_POLL_WORKQUEUE ||
			  cq->ib.poll_ctx == IB_POLL_UNBOUND_WORKQUEUE))
		flush_work(&cq->ib.work);
}

int glass_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct glass_qp *qp = to_gqp(ib);
	/* take the context of the user object: the udata of an undone create may have none */
	struct glass_ucontext *uctx = udata && !qp->xrcd ?
				      to_gucontext(glass_uobject(ib)->context) : NULL;
	enum glass_destroyer by = glass_destroyer(udata, glass_uobject(ib));
	struct glass_dev *dev = qp->dev;
	int err;

	glass_enter(dev, DESTROY_QP, QP, qp->core.qpn, "state=%d outstanding=%u",
		    READ_ONCE(qp->core.state),
		    READ_ONCE(qp->core.req.head) - READ_ONCE(qp->core.req.tail));
	err = glass_verb_fault(dev, DESTROY_QP, by == GLASS_BY_PROGRAM);
	if (err) {
		glass_leave(dev, DESTROY_QP, QP, qp->core.qpn, err);
		return err;
	}
	glass_note_left(dev, by, udata, QP, &qp->owner);
	glass_lint_count_caps(qp, false);
	/* the story of a failure of the peer, or of the QP to which this one is connected, shows it */
	glass_box_settle(dev->index, qp->core.qpn, READ_ONCE(qp->core.attr.dest_qpn));
	glass_qp_settle(qp, qp_shared_deadline(qp, uctx, by));
	/* keep the order: allow no new work, drop completions, end look-ups, wait for references */
	spin_lock(&qp->lock);
	WRITE_ONCE(qp->dead, true);
	glass_pqp_changed(&qp->core);
	glass_patience_leave(qp);
	spin_unlock(&qp->lock);
	/*
	 * A dead QP makes no more completions. Drop its completions that are delayed or not polled
	 * yet, because glass_poll_cq() would read the freed QP.
	 */
	glass_qp_forget_late(qp);
	glass_cq_forget_qp(qp->send_cq, ib);
	glass_cq_forget_qp(qp->recv_cq, ib);
	if (qp->xrcd)
		glass_cq_forget_qp_everywhere(dev, ib);
	await_mad_work(qp, qp->send_cq);
	if (qp->recv_cq != qp->send_cq)
		await_mad_work(qp, qp->recv_cq);
	/* before look-ups fail: a packet that finds no QP finds the obituary */
	qp_bury(qp, by);
	qp_unpublish(qp);
	glass_users_leave(qp);
	WRITE_ONCE(container_of(ib, struct glass_ibqp, ib)->qp, NULL);
	hrtimer_cancel(&qp->timer);
	/* a dead QP arms no timer, and the lock was taken since */
	if (qp->ack_timed)
		timer_delete_sync(&qp->ack_timer);
	glass_want_end(qp);
	glass_ref_kill(&qp->ref);
	glass_want_free(qp);
	lint_close(qp);
	glass_cq_settle(qp->send_cq);
	glass_cq_settle(qp->recv_cq);
	glass_ring_destroy(&qp->rq);
	glass_ring_destroy(&qp->sq);
	kvfree(qp->core.sq);
	qp->core.sq = NULL;
	kfree(qp->core.res);
	qp->core.res = NULL;
	glass_bill_close(&qp->res_bill);
	glass_bill_close(&qp->bill);
	if (uctx)
		atomic_dec(&uctx->nqp);
	if (ib->pd)
		atomic_dec(&to_gpd(ib->pd)->nqp);
	if (qp->xrcd)
		atomic_dec(&qp->xrcd->nqp);
	glass_leave(dev, DESTROY_QP, QP, qp->core.qpn, 0);
	glass_party_put(qp->party);
	call_rcu(&qp->rcu, qp_free);
	return 0;
}
