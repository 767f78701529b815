// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Takes a snapshot (inspect.h) of a queue pair. inspect_peer.c finds its peer. */
#include "debugfs/inspect.h"
#include "engine/lint.h"
#include "observe/words.h"
#include "proto/wqe.h"
#include "wire/opcode.h"

static const char *const inspect_qp_states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const inspect_qp_causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const inspect_qp_statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const wr_ops[] = GLASS_WORDS(GLASS_WR_OPS);
static const char *const mig_states[] = GLASS_WORDS(GLASS_MIG_STATES);
static const char *const bth_ops[32] = GLASS_WORDS(GLASS_BTH_OPS);

#define WQE_STATE_WORD(n, w, v, meaning) [v] = #w,
static const char *const inspect_qp_wqe_states[] = { GLASS_WQE_STATES(WQE_STATE_WORD) };
#define WAIT_WORD(n, w, v, meaning) [v] = #w,
static const char *const inspect_qp_waits[] = { GLASS_WAITS(WAIT_WORD) };
#define WAIT_MEANING(n, w, v, meaning) [v] = meaning,
static const char *const wait_meanings[] = { GLASS_WAITS(WAIT_MEANING) };

/* indices of glass_snap.mem[] */
enum { MEM_WQES, MEM_RWQES, MEM_ANSWERS, MEM_CHANGES };

/*
 * A copy of a send request. Until the engine has fetched the request, this is a copy of the entry
 * in the ring. Afterwards it is a copy of the engine's struct glass_swqe.
 */
struct snap_wqe {
	u32 index; /* free-running index in the send queue */
	u8 state; /* enum glass_wqe_state */
	u8 type; /* type of the QP, enum glass_qp_type */
	u32 sent; /* number of packets of the request that were sent; valid in the state SENDING */
	u32 stack; /* call stack of its post (observe/where.h); 0: unknown */
	struct glass_swqe w; /* its member sge[] is not used: the SGEs are in sge[] below */
	struct glass_sge sge[]; /* w.num_sge entries */
};

/*
 * The entries of the QP's rings when the snapshot began. The program may post more while the
 * snapshot is taken.
 */
struct spans {
	struct glass_span sq, rq; /* rq is empty if the QP uses an SRQ */
};

/*
 * The responder's answer to a READ, atomic, FLUSH or ATOMIC WRITE of the peer. The responder keeps
 * the answer in case the peer sends the request again.
 */
struct snap_answer {
	struct glass_rd_res res;
	bool todo; /* the responder must still send the answer, or the rest of it */
};

static u64 snap_age(const struct glass_snap *s, u64 when)
{
	return s->now > when ? s->now - when : 0;
}

/* ---- filling rows with the entries, when they are printed */

static void fill_wqe(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	static const struct glass_flag flags[] = {
		{ GLASS_SWQE_FENCE, "fence" }, { GLASS_SWQE_SIGNALED, "signaled" },
		{ GLASS_SWQE_SOLICITED, "solicited" }, { GLASS_SWQE_INLINE, "inline" },
	};
	const struct snap_wqe *e = glass_snap_at(s, MEM_WQES, i);
	const struct glass_swqe *w = &e->w;
	bool begun = e->state >= GLASS_WQE_STATE_SENDING;
	bool datagram = !glass_type_is_connected(e->type);

	glass_row_num(r, GLASS_AT(QP_WQE, index), e->index);
	glass_row_word(r, GLASS_AT(QP_WQE, state), inspect_qp_wqe_states[e->state]);
	glass_row_enum(r, GLASS_AT(QP_WQE, op), wr_ops, w->op);
	glass_row_num(r, GLASS_AT(QP_WQE, wr_id), w->wr_id);
	glass_row_num(r, GLASS_AT(QP_WQE, len), w->len);
	glass_row_flags(r, GLASS_AT(QP_WQE, flags), w->flags, flags, ARRAY_SIZE(flags));
	if (e->state != GLASS_WQE_STATE_POSTED) {
		glass_row_num(r, GLASS_AT(QP_WQE, age), snap_age(s, w->post_ns));
		glass_row_num(r, GLASS_AT(QP_WQE, flow), w->flow);
	}
	if (begun) {
		glass_row_num(r, GLASS_AT(QP_WQE, psn), w->psn);
		glass_row_num(r, GLASS_AT(QP_WQE, npsn), w->npsn);
		glass_row_num(r, GLASS_AT(QP_WQE, tries), w->tries);
	}
	if (e->state == GLASS_WQE_STATE_SENDING)
		glass_row_num(r, GLASS_AT(QP_WQE, sent), e->sent);
	if (w->status)
		glass_row_enum(r, GLASS_AT(QP_WQE, status), inspect_qp_statuses, w->status);
	if (glass_wr_is(w->op, GLASS_WRF_IMM))
		glass_row_num(r, GLASS_AT(QP_WQE, imm), be32_to_cpu(w->imm));
	if (glass_wr_is(w->op, GLASS_WRF_KEY)) {
		glass_row_num(r, GLASS_AT(QP_WQE, inv_key), w->rkey);
	} else if (!datagram && w->op != GLASS_OP_SEND && w->op != GLASS_OP_SEND_IMM) {
		glass_row_num(r, GLASS_AT(QP_WQE, raddr), w->raddr);
		glass_row_num(r, GLASS_AT(QP_WQE, rkey), w->rkey);
	}
	if (datagram) {
		glass_row_num(r, GLASS_AT(QP_WQE, dqpn), w->dqpn);
		glass_row_num(r, GLASS_AT(QP_WQE, qkey), w->qkey);
		if (e->state != GLASS_WQE_STATE_POSTED)
			glass_row_num(r, GLASS_AT(QP_WQE, dlid), w->av.dlid);
	} else if (w->op == GLASS_OP_CMP_SWAP) {
		glass_row_num(r, GLASS_AT(QP_WQE, cmp), w->cmp_add);
		glass_row_num(r, GLASS_AT(QP_WQE, swap), w->swap);
	} else if (w->op == GLASS_OP_FETCH_ADD) {
		glass_row_num(r, GLASS_AT(QP_WQE, add), w->cmp_add);
	} else if (w->op == GLASS_OP_BIND_MW || w->op == GLASS_OP_REG_MR || w->op == GLASS_OP_FLUSH) {
		glass_row_num(r, GLASS_AT(QP_WQE, range), w->blen);
		if (w->op == GLASS_OP_BIND_MW) {
			glass_row_num(r, GLASS_AT(QP_WQE, mw_rkey), w->mw_rkey);
			glass_row_num(r, GLASS_AT(QP_WQE, mr_lkey), w->mr_lkey);
		}
	}
	if (e->type == GLASS_QPT_XRC_INI)
		glass_row_num(r, GLASS_AT(QP_WQE, xrc_srqn), w->xrc_srq);
	glass_row_stack(r, GLASS_AT(QP_WQE, stack), e->stack);
	if (w->num_sge)
		glass_row_sges(r, GLASS_AT(QP_WQE, sge), e->sge, w->num_sge);
}

static void fill_rwqe(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	glass_fill_rwqe(r, glass_snap_at(s, MEM_RWQES, i));
}

static void fill_answer(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct snap_answer *a = glass_snap_at(s, MEM_ANSWERS, i);
	const struct glass_rd_res *res = &a->res;
	bool read = res->kind == GLASS_BOP_READ_REQ;

	glass_row_word(r, GLASS_AT(QP_ANSWER, op),
		       read ? "read" : bth_ops[res->kind & GLASS_BOP_MASK]);
	glass_row_word(r, GLASS_AT(QP_ANSWER, state),
		       !a->todo || res->next == res->end ? "done" :
		       res->next != res->start ? "sending" : "todo");
	glass_row_num(r, GLASS_AT(QP_ANSWER, psn), res->psn);
	glass_row_num(r, GLASS_AT(QP_ANSWER, npsn), res->npsn);
	glass_row_num(r, GLASS_AT(QP_ANSWER, sent), res->next);
	glass_row_num(r, GLASS_AT(QP_ANSWER, msn), res->msn);
	if (read) {
		glass_row_num(r, GLASS_AT(QP_ANSWER, va), res->va);
		glass_row_num(r, GLASS_AT(QP_ANSWER, len), res->len);
		glass_row_num(r, GLASS_AT(QP_ANSWER, rkey), res->rkey);
	} else {
		glass_row_num(r, GLASS_AT(QP_ANSWER, orig), res->orig);
	}
}

static void fill_change(struct glass_row *r, const struct glass_snap *s, u32 i)
{
	const struct glass_state_change *c = glass_snap_at(s, MEM_CHANGES, i);

	glass_row_num(r, GLASS_AT(QP_CHANGE, when), c->when);
	glass_row_num(r, GLASS_AT(QP_CHANGE, age), snap_age(s, c->when));
	glass_row_enum(r, GLASS_AT(QP_CHANGE, from), inspect_qp_states, c->from);
	glass_row_enum(r, GLASS_AT(QP_CHANGE, to), inspect_qp_states, c->to);
	glass_row_enum(r, GLASS_AT(QP_CHANGE, cause), inspect_qp_causes, c->cause);
}

/* ---- copying the entries, under the QP's lock */

/*
 * Copies from the ring a send request that the engine has not fetched yet, and decodes it as
 * glass_swqe_take() does. The program may write to the ring at any time: read the entry once, then
 * check and use only the copy.
 */
static void snap_posted(struct snap_wqe *e, const struct glass_qp *qp, u32 index)
{
	const u8 *shared = glass_ring_at(&qp->sq, index);
	struct glass_swqe *to = &e->w;
	struct glass_abi_send_wqe a;
	u32 i;

	memcpy(&a, shared, sizeof(a));
	barrier();
	memset(to, 0, sizeof(*to));
	to->wr_id = a.wr_id;
	to->op = min_t(u32, a.opcode, GLASS_OP_COUNT);
	to->flags = a.flags & (GLASS_SWQE_FENCE | GLASS_SWQE_SIGNALED | GLASS_SWQE_SOLICITED |
			       GLASS_SWQE_INLINE);
	to->imm = (__force __be32)a.imm;
	to->rkey = a.rkey;
	if (!glass_type_is_connected(qp->core.type)) {
		to->dqpn = a.remote_qpn & GLASS_QPN_MASK;
		to->qkey = a.remote_qkey;
	} else {
		glass_swqe_operands(to, &a);
	}
	if (glass_wr_is(a.opcode, GLASS_WRF_KEY))
		to->rkey = a.imm;
	if (to->flags & GLASS_SWQE_INLINE) {
		to->len = a.inline_len;
		return;
	}
	if (a.num_sge > qp->core.max_sge)
		return;
	memcpy(e->sge, shared + sizeof(a), a.num_sge * sizeof(e->sge[0]));
	barrier();
	to->num_sge = a.num_sge;
	for (i = 0; i < a.num_sge; i++)
		to->len += e->sge[i].len;
}

static u8 wqe_state(const struct glass_req_state *q, u32 index, const struct glass_swqe *w)
{
	if ((s32)(index - q->head) >= 0)
		return GLASS_WQE_STATE_POSTED;
	if ((s32)(index - q->begun) >= 0)
		return GLASS_WQE_STATE_WAITING;
	if ((s32)(index - q->cur) < 0)
		return GLASS_WQE_STATE_SENT;
	/*
	 * cur_off of a READ counts response packets. The request itself is only one packet, so it
	 * is never sent in part.
	 */
	return index == q->cur && q->cur_off && w->op != GLASS_OP_READ ? GLASS_WQE_STATE_SENDING :
									GLASS_WQE_STATE_AGAIN;
}

static u32 snap_sq(struct glass_snap *s, const struct glass_qp *qp, struct glass_span span)
{
	const struct glass_req_state *q = &qp->core.req;
	u32 index, n = 0;

	for (index = span.consumer; index != span.producer && n < s->room[MEM_WQES]; index++, n++) {
		struct snap_wqe *e = glass_snap_at(s, MEM_WQES, n);

		if ((s32)(index - q->head) < 0) {
			const struct glass_swqe *w = glass_swqe_at(&qp->core, index);

			memcpy(&e->w, w, offsetof(struct glass_swqe, sge));
			memcpy(e->sge, w->sge, w->num_sge * sizeof(e->sge[0]));
		} else {
			snap_posted(e, qp, index);
		}
		e->index = index;
		e->type = qp->core.type;
		e->state = wqe_state(q, index, &e->w);
		e->sent = q->cur_off;
		e->stack = glass_lint_posted_from(qp, index);
	}
	return n;
}

static u32 snap_rq(struct glass_snap *s, const struct glass_qp *qp, struct glass_span span)
{
	const struct glass_resp_state *p = &qp->core.resp;
	u32 index, n = 0;

	if (p->rwqe_valid || s->failed_recv) {
		struct glass_snap_rwqe *to = glass_snap_at(s, MEM_RWQES, n++);

		to->state = GLASS_WQE_STATE_FILLING;
		to->wr_id = p->rwqe.wr_id;
		to->len = p->rwqe.len;
		to->num_sge = p->rwqe.num_sge;
		to->stack = glass_where_stack(glass_lint_where(qp->srq ? qp->srq->owner.lint :
								 qp->owner.lint),
					      p->rwqe.stack);
		/* copy only as many SGEs as snap_alloc_qp() made room for */
		to->have_sge = min(p->rwqe.num_sge, glass_snap_rwqe_sges(s->stride[MEM_RWQES]));
		memcpy(to->sge, p->rwqe.sge, to->have_sge * sizeof(to->sge[0]));
	}
	for (index = span.consumer; index != span.producer && n < s->room[MEM_RWQES]; index++)
		glass_snap_rwqe(glass_snap_at(s, MEM_RWQES, n++), &qp->rq, index,
				qp->cap.max_recv_sge, qp->owner.lint);
	return n;
}

static u32 snap_answers(struct glass_snap *s, const struct glass_pqp *q)
{
	const struct glass_resp_state *p = &q->resp;
	u32 index, n = 0;

	for (index = p->res_tail; index != p->res_head && n < s->room[MEM_ANSWERS]; index++, n++) {
		struct snap_answer *a = glass_snap_at(s, MEM_ANSWERS, n);

		a->res = q->res[index & (q->res_slots - 1)];
		a->todo = (s32)(index - p->res_cur) >= 0;
	}
	return n;
}

static u32 snap_changes(struct glass_snap *s, const struct glass_qp *qp)
{
	u32 n = min(qp->nchanges, (u32)GLASS_HISTORY);
	u32 i;

	for (i = 0; i < n; i++)
		*(struct glass_state_change *)glass_snap_at(s, MEM_CHANGES, i) =
			qp->history[(qp->nchanges - n + i) % GLASS_HISTORY];
	return n;
}

/* ---- the sections, filled under the QP's lock */

static void why_section(struct glass_snap *s, const struct glass_qp *qp)
{
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_why);
	enum glass_wait wait = glass_qp_waits(qp, s->now);

	glass_row_word(r, GLASS_AT(QP_WHY, waits_for), inspect_qp_waits[wait]);
	glass_row_word(r, GLASS_AT(QP_WHY, why), wait_meanings[wait]);
}

static void path_row(struct glass_row *r, const struct glass_av *av)
{
	glass_row_num(r, GLASS_AT(QP_ATTR, path_bits), av->path_bits);
	glass_row_num(r, GLASS_AT(QP_ATTR, static_rate), av->static_rate);
	glass_row_bool(r, GLASS_AT(QP_ATTR, grh), av->has_grh);
	if (!av->has_grh)
		return;
	glass_row_num(r, GLASS_AT(QP_ATTR, sgid_index), av->sgid_index);
	glass_row_text(r, GLASS_AT(QP_ATTR, dgid), "%pI6", av->dgid);
	glass_row_num(r, GLASS_AT(QP_ATTR, hop_limit), av->hop_limit);
	glass_row_num(r, GLASS_AT(QP_ATTR, tclass), av->tclass);
	glass_row_num(r, GLASS_AT(QP_ATTR, flow_label), av->flow_label);
}

/*
 * Is the QP of a connected type, and does it have the attributes that modify_qp to RTR sets? A QP
 * in ERR has them only if it was in RTR before. In that case its DLID is not 0, or it has an Ethernet port.
 */
static bool is_rtr(const struct glass_pqp *q)
{
	return q->state >= GLASS_QPS_RTR && (q->attr.av.dlid || q->attr.av.ethernet) &&
	       glass_type_is_connected(q->type);
}

static void attr_section(struct glass_snap *s, const struct glass_qp *qp)
{
	static const struct glass_flag access[] = {
		{ GLASS_ACC_LOCAL_WRITE, "local_write" },
		{ GLASS_ACC_REMOTE_WRITE, "remote_write" },
		{ GLASS_ACC_REMOTE_READ, "remote_read" },
		{ GLASS_ACC_REMOTE_ATOMIC, "remote_atomic" },
		{ GLASS_ACC_MW_BIND, "mw_bind" },
		{ GLASS_ACC_FLUSH_GLOBAL, "flush_global" },
		{ GLASS_ACC_FLUSH_PERSISTENT, "flush_persistent" },
	};
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_attr);
	const struct glass_pqp *q = &qp->core;
	const struct glass_qp_attr *a = &q->attr;

	glass_row_flags(r, GLASS_AT(QP_ATTR, access), a->access, access, ARRAY_SIZE(access));
	if (is_rtr(q)) {
		glass_row_num(r, GLASS_AT(QP_ATTR, rq_psn), a->rq_psn);
		path_row(r, &a->av);
		if (glass_type_is_rc(q->type)) {
			glass_row_num(r, GLASS_AT(QP_ATTR, max_dest_rd_atomic),
				      a->max_dest_rd_atomic);
			glass_row_num(r, GLASS_AT(QP_ATTR, min_rnr_timer), a->min_rnr_timer);
		}
	}
	if (q->state >= GLASS_QPS_RTS)
		glass_row_num(r, GLASS_AT(QP_ATTR, first_psn), a->sq_psn);
	glass_row_bool(r, GLASS_AT(QP_ATTR, sig_all), q->sig_all);
	glass_row_num(r, GLASS_AT(QP_ATTR, max_send_sge), qp->cap.max_send_sge);
	if (qp->cap.max_recv_wr)
		glass_row_num(r, GLASS_AT(QP_ATTR, max_recv_sge), qp->cap.max_recv_sge);
	glass_row_num(r, GLASS_AT(QP_ATTR, max_inline), qp->cap.max_inline_data);
	glass_row_num(r, GLASS_AT(QP_ATTR, mcast_groups), atomic_read(&qp->mcast));
	if (!is_rtr(q))
		return;
	glass_row_enum(r, GLASS_AT(QP_ATTR, mig_state), mig_states, a->mig_state);
	if (a->alt.dlid) {
		glass_row_num(r, GLASS_AT(QP_ATTR, alt_port), a->alt_port);
		glass_row_num(r, GLASS_AT(QP_ATTR, alt_dlid), a->alt.dlid);
	}
}

static void timers_section(struct glass_snap *s, const struct glass_qp *qp)
{
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_timers);
	const struct glass_pqp *q = &qp->core;

	if (glass_type_is_rc(q->type) && q->state >= GLASS_QPS_RTS)
		glass_row_num(r, GLASS_AT(QP_TIMERS, ack_timeout),
			      glass_ack_timeout_ns(q->attr.timeout));
	if (glass_type_is_rc(q->type) && is_rtr(q))
		glass_row_num(r, GLASS_AT(QP_TIMERS, rnr_told),
			      glass_rnr_timer_ns(q->attr.min_rnr_timer));
	if (q->req.rnr_wait)
		glass_row_until(r, GLASS_AT(QP_TIMERS, rnr_in), s->now, q->req.rnr_until);
	else if (q->req.ack_deadline)
		glass_row_until(r, GLASS_AT(QP_TIMERS, ack_in), s->now, q->req.ack_deadline);
	if (qp->armed_ns)
		glass_row_until(r, GLASS_AT(QP_TIMERS, timer_in), s->now, qp->armed_ns);
}

static void requester_section(struct glass_snap *s, const struct glass_qp *qp, u32 producer)
{
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_requester);
	const struct glass_req_state *q = &qp->core.req;
	int run = atomic_read(&qp->run);

	glass_row_num(r, GLASS_AT(QP_REQUESTER, producer), producer);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, head), q->head);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, begun), q->begun);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, cur), q->cur);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, cur_off), q->cur_off);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, tail), q->tail);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, told), qp->sq_told);
	glass_row_num(r, GLASS_AT(QP_REQUESTER, psn), q->psn);
	if (glass_type_is_rc(qp->core.type)) {
		glass_row_num(r, GLASS_AT(QP_REQUESTER, una), q->una);
		glass_row_num(r, GLASS_AT(QP_REQUESTER, max_psn), q->max_psn);
		glass_row_num(r, GLASS_AT(QP_REQUESTER, ssn), q->ssn);
		if (q->credit_valid)
			glass_row_num(r, GLASS_AT(QP_REQUESTER, credit_ssn), q->credit_lsn);
		glass_row_num(r, GLASS_AT(QP_REQUESTER, rd_atomic), q->rd_atomic);
		glass_row_bool(r, GLASS_AT(QP_REQUESTER, nak_seen), q->nak_seq_seen);
	}
	glass_row_bool(r, GLASS_AT(QP_REQUESTER, awake), READ_ONCE(qp->sq.hdr->awake));
	glass_row_word(r, GLASS_AT(QP_REQUESTER, run),
		       run & GLASS_RUN_AGAIN ? "again" :
		       run & GLASS_RUN_ACTIVE ? "active" :
		       run & GLASS_RUN_QUEUED ? "queued" : "idle");
}

static void responder_section(struct glass_snap *s, const struct glass_qp *qp)
{
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_responder);
	const struct glass_resp_state *p = &qp->core.resp;
	bool rc = glass_type_is_rc(qp->core.type);

	if (rc || qp->core.type == GLASS_QPT_UC) {
		glass_row_num(r, GLASS_AT(QP_RESPONDER, epsn), p->epsn);
		glass_row_bool(r, GLASS_AT(QP_RESPONDER, in_message), p->in_msg);
		if (p->in_msg)
			glass_row_num(r, GLASS_AT(QP_RESPONDER, got), p->msg_len);
		if (p->in_msg && p->left) {
			glass_row_num(r, GLASS_AT(QP_RESPONDER, write_left), p->left);
			glass_row_num(r, GLASS_AT(QP_RESPONDER, write_rkey), p->rkey);
		}
	}
	glass_row_bool(r, GLASS_AT(QP_RESPONDER, comm_est), p->comm_est);
	if (qp->srq)
		glass_row_bool(r, GLASS_AT(QP_RESPONDER, last_wqe), p->last_wqe_reached);
	if (!rc)
		return;
	glass_row_num(r, GLASS_AT(QP_RESPONDER, msn), p->msn);
	glass_row_bool(r, GLASS_AT(QP_RESPONDER, ack_owed), p->ack_pending);
	if (p->ack_pending || p->nak_sent) {
		if ((p->ack_syndrome & GLASS_AETH_KIND) != GLASS_AETH_ACK)
			glass_row_num(r, GLASS_AT(QP_RESPONDER, ack_psn), p->ack_psn);
		glass_row_num(r, GLASS_AT(QP_RESPONDER, ack_syndrome), p->ack_syndrome);
	}
	glass_row_bool(r, GLASS_AT(QP_RESPONDER, nak_sent), p->nak_sent);
	glass_row_num(r, GLASS_AT(QP_RESPONDER, answers), p->res_head - p->res_tail);
	glass_row_num(r, GLASS_AT(QP_RESPONDER, answers_todo), p->res_todo);
	glass_snap_entries(s, GLASS_ENT_qp_answer, snap_answers(s, &qp->core), fill_answer);
}

static void error_section(struct glass_snap *s, enum glass_section section,
			  const struct glass_error *e)
{
	struct glass_row *r;

	if (!e->cause)
		return;
	r = glass_snap_section(s, section);
	glass_row_enum(r, GLASS_AT(QP_ERROR, cause), inspect_qp_causes, e->cause);
	if (e->status) {
		glass_row_enum(r, GLASS_AT(QP_ERROR, status), inspect_qp_statuses, e->status);
		glass_row_num(r, GLASS_AT(QP_ERROR, wr_id), e->wr_id);
	}
	if (e->syndrome)
		glass_row_num(r, GLASS_AT(QP_ERROR, syndrome), e->syndrome);
	if (e->opcode)
		glass_row_word(r, GLASS_AT(QP_ERROR, opcode), glass_opcode_word(e->opcode));
	glass_row_num(r, GLASS_AT(QP_ERROR, psn), e->psn);
	glass_row_num(r, GLASS_AT(QP_ERROR, when), e->when);
	glass_row_num(r, GLASS_AT(QP_ERROR, age), snap_age(s, e->when));
}

static void queues_sections(struct glass_snap *s, const struct glass_qp *qp,
			    const struct spans *spans)
{
	struct glass_row *r = glass_snap_section(s, GLASS_SEC_qp_history);

	glass_row_num(r, GLASS_AT(QP_HISTORY, changes), qp->nchanges);
	glass_snap_entries(s, GLASS_ENT_qp_change, snap_changes(s, qp), fill_change);

	r = glass_snap_section(s, GLASS_SEC_qp_sq);
	glass_row_num(r, GLASS_AT(QP_SQ, max), qp->cap.max_send_wr);
	glass_row_num(r, GLASS_AT(QP_SQ, slots), qp->sq.num);
	glass_row_num(r, GLASS_AT(QP_SQ, used), spans->sq.producer - spans->sq.consumer);
	glass_snap_entries(s, GLASS_ENT_qp_wqe, snap_sq(s, qp, spans->sq), fill_wqe);

	r = glass_snap_section(s, GLASS_SEC_qp_rq);
	if (qp->srq) {
		glass_row_num(r, GLASS_AT(QP_RQ, srqn), qp->srq->srqn);
	} else {
		glass_row_num(r, GLASS_AT(QP_RQ, max), qp->cap.max_recv_wr);
		glass_row_num(r, GLASS_AT(QP_RQ, slots), qp->rq.num);
		glass_row_num(r, GLASS_AT(QP_RQ, used),
			      spans->rq.producer - spans->rq.consumer);
		glass_row_num(r, GLASS_AT(QP_RQ, producer), spans->rq.producer);
		glass_row_num(r, GLASS_AT(QP_RQ, consumer), spans->rq.consumer);
	}
	glass_snap_entries(s, GLASS_ENT_qp_rwqe, snap_rq(s, qp, spans->rq), fill_rwqe);
}

/*
 * Where the last request went that the engine has fetched from a UD QP: its entry of the send queue
 * stays until the next lap. Returns the row of the section, or NULL: none has been fetched.
 */
static struct glass_row *sent_to_section(struct glass_snap *s, const struct glass_pqp *q)
{
	const struct glass_swqe *w;
	struct glass_row *r;

	if (q->type != GLASS_QPT_UD || !q->req.head)
		return NULL;
	w = glass_swqe_at(q, q->req.head - 1);
	r = glass_snap_section(s, GLASS_SEC_qp_sent_to);
	glass_row_num(r, GLASS_AT(QP_SENT_TO, qpn), w->dqpn);
	glass_row_num(r, GLASS_AT(QP_SENT_TO, dlid), w->av.dlid);
	if (w->av.has_grh)
		glass_row_text(r, GLASS_AT(QP_SENT_TO, dgid), "%pI6", w->av.dgid);
	glass_snap_address(&s->sent_to, &w->av, w->dqpn);
	return r;
}

/* ---- the whole snapshot */

static int snap_alloc_qp(struct glass_snap *s, const struct glass_qp *qp)
{
	size_t wqe = sizeof(struct snap_wqe) + qp->core.max_sge * sizeof(struct glass_sge);
	/* true for an XRC target, too: it receives from the SRQs that the peer's messages name */
	bool shared = qp->core.has_srq;
	u32 rwqes = shared ? 1 : qp->rq.num + 1; /* 1 for a receive that is being filled */
	u32 sges = shared ? GLASS_RWQE_SGE_MAX : qp->cap.max_recv_sge;
	int err;

	err = glass_snap_alloc(s, MEM_WQES, qp->sq.num, wqe);
	if (!err)
		err = glass_snap_alloc(s, MEM_RWQES, rwqes, glass_snap_rwqe_bytes(sges));
	if (!err)
		err = glass_snap_alloc(s, MEM_ANSWERS, GLASS_MAX_RD_ATOMIC,
				       sizeof(struct snap_answer));
	if (!err)
		err = glass_snap_alloc(s, MEM_CHANGES, GLASS_HISTORY,
				       sizeof(struct glass_state_change));
	return err;
}

/* Rows of a snapshot to which snap_qp_rest() adds what other objects tell; NULL: there is none */
struct open_rows {
	struct glass_row *peer, *sent_to;
};

/*
 * Copies the QP, but not its peer. Sets address and qpn of s->peer if the QP is connected, and those of
 * s->sent_to if it has sent a datagram. first: index of the oldest send request to copy.
 */
static struct open_rows snap_qp_locked(struct glass_snap *s, const struct glass_qp *qp, u32 port,
				       u32 first)
{
	struct glass_row *object;
	struct open_rows open = {};
	const struct glass_pqp *q = &qp->core;
	struct spans spans = {};

	lockdep_assert_held(&qp->lock);
	s->now = ktime_get_ns();
	object = glass_snap_object(s, &glass_table_qp);
	glass_qp_row(object, qp, port, s->now);
	spans.sq = glass_ring_span(&qp->sq, first);
	glass_row_num(object, GLASS_COL_QP_sq_used, spans.sq.producer - spans.sq.consumer);
	if (!qp->srq) {
		spans.rq = glass_ring_span(&qp->rq, qp->rq_consumer);
		glass_row_num(object, GLASS_COL_QP_rq_used, spans.rq.producer - spans.rq.consumer);
	}
	why_section(s, qp);
	attr_section(s, qp);
	if (is_rtr(q)) {
		open.peer = glass_snap_section(s, GLASS_SEC_qp_peer);
		glass_snap_address(&s->peer, &q->attr.av, q->attr.dest_qpn);
	}
	open.sent_to = sent_to_section(s, q);
	timers_section(s, qp);
	requester_section(s, qp, spans.sq.producer);
	responder_section(s, qp);
	error_section(s, GLASS_SEC_qp_first_error, &q->first_error);
	error_section(s, GLASS_SEC_qp_last_error, &q->last_error);
	queues_sections(s, qp, &spans);
	return open;
}

/* Adds to the snapshot what needs no lock of the QP. */
static void snap_qp_rest(struct glass_snap *s, const struct glass_qp *qp, struct open_rows open)
{
	glass_qp_row_rest(&s->part[0].row, qp);
	if (open.peer) {
		glass_snap_find_peer(qp->dev->fabric, &s->peer, qp->core.qpn);
		glass_snap_peer_row(open.peer, &s->peer);
	}
	if (open.sent_to && glass_snap_has_peer(&s->sent_to)) {
		glass_snap_find_peer(qp->dev->fabric, &s->sent_to, qp->core.qpn);
		glass_snap_sent_to_row(open.sent_to, &s->sent_to);
	}
}

static int snap_take_qp(struct glass_snap *s, struct glass_qp *qp, u32 port)
{
	struct open_rows open;

	spin_lock(&qp->lock);
	if (qp->dead) {
		spin_unlock(&qp->lock);
		return -ENOENT;
	}
	open = snap_qp_locked(s, qp, port, qp->core.req.tail);
	spin_unlock(&qp->lock);
	snap_qp_rest(s, qp, open);
	return 0;
}

struct glass_snap *glass_snap_ready(u32 most)
{
	struct glass_snap *s = kvzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return NULL;
	s->most = most;
	err = glass_snap_alloc(s, MEM_WQES, most,
			       sizeof(struct snap_wqe) + GLASS_MAX_SGE * sizeof(struct glass_sge));
	if (!err)
		err = glass_snap_alloc(s, MEM_RWQES, most, glass_snap_rwqe_bytes(GLASS_RWQE_SGE_MAX));
	if (!err)
		err = glass_snap_alloc(s, MEM_ANSWERS, most, sizeof(struct snap_answer));
	if (!err)
		err = glass_snap_alloc(s, MEM_CHANGES, GLASS_HISTORY, sizeof(struct glass_state_change));
	if (!err)
		return s;
	glass_snap_free(s);
	return NULL;
}

void glass_snap_qp_now(struct glass_snap *s, struct glass_qp *qp, u32 first, bool failed_recv)
{
	s->failed_recv = failed_recv;
	s->dev = qp->dev;
	s->nparts = 0;
	memset(&s->peer, 0, sizeof(s->peer));
	memset(&s->sent_to, 0, sizeof(s->sent_to));
	snap_qp_rest(s, qp, snap_qp_locked(s, qp, qp->special_port, first));
}

int glass_inspect_qp(struct glass_snap *s, const struct glass_inspect_name *name)
{
	struct glass_qp *qp;
	int err;

	if (name->port > s->dev->num_ports)
		return -ENOENT;
	qp = glass_qp_find(s->dev, name->port, name->num);
	if (!qp)
		return -ENOENT;
	err = snap_alloc_qp(s, qp);
	if (!err)
		err = snap_take_qp(s, qp, name->port);
	glass_ref_put(&qp->ref);
	return err;
}
