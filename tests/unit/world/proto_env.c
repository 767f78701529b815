// SPDX-License-Identifier: GPL-2.0-only
#include "proto_env.h"
#include "proto/internal.h"

static struct pe_ep *ep_of(struct glass_pqp *q)
{
	return container_of(q, struct pe_ep, q);
}

bool pe_ecn_on = true;

static void die(const char *what)
{
	fprintf(stderr, "proto_env: %s\n", what);
	abort();
}

u8 pe_byte(u32 i)
{
	i *= 0x9e3779b1u;
	return (u8)(i >> 13 ^ i >> 24);
}

void pe_fill(u8 *mem, u32 len, u32 seed)
{
	for (u32 i = 0; i < len; i++)
		mem[i] = pe_byte(i + seed);
}

/* ---- memory ---- */

static struct pe_ep *mem_of(struct pe_ep *ep)
{
	return ep->mem_of ? ep->mem_of : ep;
}

static struct pe_ep *rq_of(struct pe_ep *ep)
{
	return ep->rq_of ? ep->rq_of : ep;
}

struct pe_mr *pe_mr_add(struct pe_ep *ep, u32 key, u32 len, u16 access)
{
	ep = mem_of(ep);
	for (struct pe_mr *mr = ep->mr; mr < ep->mr + PE_MRS; mr++) {
		if (mr->key)
			continue;
		mr->key = key;
		mr->pd = ep->pd;
		mr->va = pe_va(key, 0);
		mr->len = len;
		mr->mem = calloc(1, len ? len : 1);
		mr->access = access;
		return mr;
	}
	die("no MR left");
	return NULL;
}

void pe_mr_del(struct pe_mr *mr)
{
	free(mr->mem);
	memset(mr, 0, sizeof(*mr));
}

struct pe_mr *pe_mr_find(struct pe_ep *ep, u32 key)
{
	ep = mem_of(ep);
	for (struct pe_mr *mr = ep->mr; key && mr < ep->mr + PE_MRS; mr++)
		if (mr->key == key)
			return mr;
	return NULL;
}

static enum glass_mem look_in(struct pe_ep *ep, u32 pd, u32 key, u64 va, u32 len, u32 access, u8 **mem)
{
	struct pe_mr *mr = pe_mr_find(ep, key);

	if (!mr || mr->invalid)
		return GLASS_MEM_KEY;
	if (mr->pd != pd)
		return GLASS_MEM_PD;
	if (va < mr->va || va - mr->va > mr->len || len > mr->len - (va - mr->va))
		return GLASS_MEM_BOUNDS;
	if ((mr->access & access) != access)
		return GLASS_MEM_ACCESS;
	*mem = mr->mem + (va - mr->va);
	return GLASS_MEM_OK;
}

/* For the QP and its peer. */
static enum glass_mem look(struct pe_ep *ep, u32 key, u64 va, u32 len, u32 access, u8 **mem)
{
	return look_in(ep, ep->q.type == GLASS_QPT_XRC_TGT ? ep->xrc_pd : ep->pd, key, va, len, access,
		       mem);
}

/* Is the page not there, this time? */
static bool absent(struct pe_ep *ep)
{
	if (!ep->absent)
		return false;
	ep->absent--;
	return true;
}

/* Segments of at most 1500 bytes, so that packets have several. */
static bool add_seg(struct glass_pkt *pkt, u8 *mem, u32 len)
{
	while (len) {
		u32 n = min(len, 1500u);

		if (pkt->nseg == GLASS_PKT_SEGS)
			return false;
		pkt->seg[pkt->nseg].addr = mem;
		pkt->seg[pkt->nseg++].len = n;
		pkt->len += n;
		mem += n;
		len -= n;
	}
	return true;
}

enum glass_mem glass_env_gather(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u32 off,
				u32 len, struct glass_pkt *pkt)
{
	enum glass_mem mem = GLASS_MEM_OK;
	u8 *p;

	if (ep_of(q)->gather_fails)
		mem = GLASS_MEM_FAULT;
	for (u32 i = 0; mem == GLASS_MEM_OK && len && i < nsge; i++) {
		u32 n;

		if (off >= sge[i].len) {
			off -= sge[i].len;
			continue;
		}
		n = min(len, sge[i].len - off);
		mem = look(ep_of(q), sge[i].lkey, sge[i].addr + off, n, 0, &p);
		if (mem == GLASS_MEM_OK && absent(ep_of(q)))
			mem = GLASS_MEM_LATER;
		if (mem == GLASS_MEM_OK && !add_seg(pkt, p, n))
			mem = GLASS_MEM_FAULT;
		off = 0;
		len -= n;
	}
	if (mem == GLASS_MEM_OK && len)
		mem = GLASS_MEM_BOUNDS;
	if (mem != GLASS_MEM_OK) {
		pkt->nseg = 0;
		pkt->len = 0;
		return mem;
	}
	ep_of(q)->refs++;
	return GLASS_MEM_OK;
}

enum glass_mem glass_env_gather_remote(struct glass_pqp *q, u32 rkey, u64 va, u32 len,
				       struct glass_pkt *pkt)
{
	enum glass_mem mem;
	u8 *p;

	mem = look(ep_of(q), rkey, va, len, GLASS_ACC_REMOTE_READ, &p);
	if (mem != GLASS_MEM_OK)
		return mem;
	if (absent(ep_of(q)))
		return GLASS_MEM_LATER;
	if (!add_seg(pkt, p, len))
		die("too many segments");
	ep_of(q)->refs++;
	return GLASS_MEM_OK;
}

void glass_env_payload_put(struct glass_pqp *q, struct glass_pkt *pkt)
{
	/* inline data has no reference */
	u8 *p = pkt->nseg ? pkt->seg[0].addr : NULL;
	struct pe_ep *ep = ep_of(q);

	if (p && !(p >= ep->sq && p < ep->sq + (size_t)q->sq_entries * q->sq_stride))
		ep->refs--;
	pkt->nseg = 0;
}

static void copy_out(const struct glass_pkt *pkt, u32 off, u8 *to, u32 len)
{
	for (u32 i = 0; i < pkt->nseg && len; i++) {
		const struct glass_seg *s = &pkt->seg[i];
		u32 n;

		if (off >= s->len) {
			off -= s->len;
			continue;
		}
		n = min(len, s->len - off);
		memcpy(to, (u8 *)s->addr + off, n);
		to += n;
		len -= n;
		off = 0;
	}
	if (len)
		die("payload shorter than pkt->len");
}

static enum glass_mem scatter(struct glass_pqp *q, u32 pd, const struct glass_sge *sge, u32 nsge, u64 off,
			      const struct glass_pkt *pkt, u32 pkt_off, const u8 *bytes, u32 len)
{
	u8 *p;

	for (u32 i = 0; i < nsge && len; i++) {
		enum glass_mem mem;
		u32 n;

		if (off >= sge[i].len) {
			off -= sge[i].len;
			continue;
		}
		n = min(len, sge[i].len - (u32)off);
		mem = look_in(ep_of(q), pd, sge[i].lkey, sge[i].addr + off, n, GLASS_ACC_LOCAL_WRITE, &p);
		if (mem != GLASS_MEM_OK)
			return mem;
		if (absent(ep_of(q)))
			return GLASS_MEM_LATER;
		if (pkt)
			copy_out(pkt, pkt_off, p, n);
		else
			memcpy(p, bytes + pkt_off, n);
		pkt_off += n;
		len -= n;
		off = 0;
	}
	return len ? GLASS_MEM_BOUNDS : GLASS_MEM_OK;
}

enum glass_mem glass_env_scatter(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge, u64 off,
				 const struct glass_pkt *pkt, u32 pkt_off, u32 len)
{
	return scatter(q, ep_of(q)->pd, sge, nsge, off, pkt, pkt_off, NULL, len);
}

enum glass_mem glass_env_scatter_bytes(struct glass_pqp *q, const struct glass_sge *sge, u32 nsge,
				       u64 off, const void *bytes, u32 len)
{
	return scatter(q, ep_of(q)->pd, sge, nsge, off, NULL, 0, bytes, len);
}

/* Of an SRQ its domain counts. */
static u32 recv_pd(const struct pe_ep *ep)
{
	return ep->q.type == GLASS_QPT_XRC_TGT ? ep->xrc_pd : ep->q.has_srq ? ep->srq_pd : ep->pd;
}

enum glass_mem glass_env_scatter_recv(struct glass_pqp *q, const struct glass_rwqe *w, u64 off,
				      const struct glass_pkt *pkt)
{
	return scatter(q, recv_pd(ep_of(q)), w->sge, w->num_sge, off, pkt, 0, NULL, pkt->len);
}

enum glass_mem glass_env_scatter_recv_bytes(struct glass_pqp *q, const struct glass_rwqe *w,
					    const void *bytes, u32 len)
{
	return scatter(q, recv_pd(ep_of(q)), w->sge, w->num_sge, 0, NULL, 0, bytes, len);
}

enum glass_mem glass_env_remote_check(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 access)
{
	u8 *p;

	return look(ep_of(q), rkey, va, len, access, &p);
}

enum glass_mem glass_env_remote_write(struct glass_pqp *q, u32 rkey, u64 va,
				      const struct glass_pkt *pkt)
{
	enum glass_mem mem;
	u8 *p;

	if (ep_of(q)->write_fails)
		return GLASS_MEM_FAULT;
	mem = look(ep_of(q), rkey, va, pkt->len, GLASS_ACC_REMOTE_WRITE, &p);
	if (mem == GLASS_MEM_OK && absent(ep_of(q)))
		return GLASS_MEM_LATER;
	if (mem == GLASS_MEM_OK)
		copy_out(pkt, 0, p, pkt->len);
	return mem;
}

enum glass_mem glass_env_atomic(struct glass_pqp *q, u32 rkey, u64 va, u8 bop, u64 cmp, u64 swap_add,
				u64 *orig)
{
	struct pe_ep *ep = ep_of(q);
	enum glass_mem mem;
	u64 v;
	u8 *p;

	if (va & 7)
		return GLASS_MEM_ALIGN;
	mem = look(ep, rkey, va, 8, GLASS_ACC_REMOTE_ATOMIC, &p);
	if (mem != GLASS_MEM_OK)
		return mem;
	if (absent(ep))
		return GLASS_MEM_LATER;
	memcpy(&v, p, 8);
	*orig = v;
	if (bop == GLASS_BOP_FETCH_ADD)
		v += swap_add;
	else if (bop != GLASS_BOP_CMP_SWAP)
		die("bad atomic");
	else if (v == cmp)
		v = swap_add;
	memcpy(p, &v, 8);
	ep->atomics++;
	if (ep->on_atomic)
		ep->on_atomic(ep, va, bop, cmp, swap_add, *orig);
	return GLASS_MEM_OK;
}

enum glass_mem glass_env_atomic_write(struct glass_pqp *q, u32 rkey, u64 va, u64 word)
{
	enum glass_mem mem;
	u8 *p;

	if (va & 7)
		return GLASS_MEM_ALIGN;
	mem = look(ep_of(q), rkey, va, 8, GLASS_ACC_REMOTE_WRITE, &p);
	if (mem == GLASS_MEM_OK && absent(ep_of(q)))
		return GLASS_MEM_LATER;
	if (mem == GLASS_MEM_OK)
		memcpy(p, &word, 8);
	return mem;
}

enum glass_mem glass_env_flush(struct glass_pqp *q, u32 rkey, u64 va, u32 len, u32 feth)
{
	u32 access = (feth & GLASS_FETH_GLOBAL ? GLASS_ACC_FLUSH_GLOBAL : 0) |
		     (feth & GLASS_FETH_PERSISTENT ? GLASS_ACC_FLUSH_PERSISTENT : 0);
	struct pe_mr *mr = pe_mr_find(ep_of(q), rkey);
	u32 named = len;
	enum glass_mem mem;
	u8 *p;

	if (mr && (feth & GLASS_FETH_LEVEL) == GLASS_FETH_MR) {
		va = mr->va;
		len = 0;
	}
	mem = look(ep_of(q), rkey, va, len, access, &p);
	if (mem == GLASS_MEM_OK)
		ep_of(q)->flushes++;
	if (mem == GLASS_MEM_OK && ep_of(q)->on_flush)
		ep_of(q)->on_flush(ep_of(q), named);
	return mem;
}

/* Keys of regions are as those of windows and fast regions here: they end and come back. */
enum glass_mem glass_env_invalidate(struct glass_pqp *q, u32 key)
{
	struct pe_mr *mr = pe_mr_find(ep_of(q), key);

	if (ep_of(q)->invalidate_later) {
		ep_of(q)->invalidate_later--;
		return GLASS_MEM_LATER;
	}
	if (ep_of(q)->on_invalidate) {
		ep_of(q)->on_invalidate(ep_of(q), key);
		return GLASS_MEM_OK;
	}
	if (!mr || mr->invalid)
		return GLASS_MEM_KEY;
	if (mr->pd != ep_of(q)->pd)
		return GLASS_MEM_PD;
	mr->invalid = true;
	return GLASS_MEM_OK;
}

static bool local_op(struct glass_pqp *q, const struct glass_swqe *w)
{
	struct pe_mr *mr;

	if (ep_of(q)->on_local)
		return ep_of(q)->on_local(ep_of(q), w);
	switch (w->op) {
	case GLASS_OP_LOCAL_INV:
		return glass_env_invalidate(q, w->rkey) == GLASS_MEM_OK;
	case GLASS_OP_REG_MR:
		mr = pe_mr_find(ep_of(q), w->rkey);
		if (!mr || !mr->invalid)
			return false;
		mr->invalid = false;
		return true;
	case GLASS_OP_BIND_MW:
		return pe_mr_find(ep_of(q), w->mr_lkey);
	default:
		die("not a local operation");
		return false;
	}
}

enum glass_mem glass_env_local_op(struct glass_pqp *q, const struct glass_swqe *w)
{
	if (ep_of(q)->local_later) {
		ep_of(q)->local_later--;
		return GLASS_MEM_LATER;
	}
	ep_of(q)->locals++;
	return local_op(q, w) ? GLASS_MEM_OK : GLASS_MEM_ACCESS;
}

/* ---- queues ---- */

bool glass_env_xrc_srq(struct glass_pqp *q, u32 srqn)
{
	struct pe_ep *ep = ep_of(q);

	if (q->type != GLASS_QPT_XRC_TGT)
		die("not an XRC target");
	ep->xrc_pd = srqn == PE_SRQ ? ep->pd : srqn == PE_SRQ_OTHER ? ep->pd + 1 : 0;
	return ep->xrc_pd;
}

/* An AH's number is the LID that it leads to. */
bool glass_env_ah(struct glass_pqp *q, u32 num, struct glass_av *av)
{
	(void)q;
	*av = (struct glass_av){ .dlid = num, .port = 1 };
	return num;
}

int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out)
{
	struct pe_ep *ep = ep_of(q), *rq = rq_of(ep);
	int ret = ep->take_fails;

	ep->take_fails = 0;
	if (ret == -EIO)
		return ret;
	if (rq->rq_head == rq->rq_tail)
		return 0;
	*out = rq->rq[rq->rq_tail++ % PE_RQ];
	return ret ? ret : 1;
}

bool glass_env_imm_event(const struct glass_pqp *q)
{
	return container_of(q, const struct pe_ep, q)->imm_event;
}

u32 glass_env_rq_count(struct glass_pqp *q)
{
	return rq_of(ep_of(q))->rq_head - rq_of(ep_of(q))->rq_tail;
}

/* A consumer that is told may post at once: what the completion frees is free by now. */
static void check_room(const struct glass_pqp *q, const struct glass_cqe *cqe)
{
	const struct glass_req_state *r = &q->req;
	u32 rd_atomics = 0;

	if (!cqe->is_send) {
		if (q->resp.rwqe_valid)
			die("a receive completes that the responder still holds");
		return;
	}
	if (r->tail != cqe->wqe_index + 1)
		die("a send completes whose slot is not free");
	if ((s32)(r->begun - r->tail) < 0 || (s32)(r->cur - r->tail) < 0)
		die("a send completes that the requester still points at");
	for (u32 i = r->tail; i != r->cur; i++)
		rd_atomics += glass_op_is_rd_atomic(glass_swqe_at(q, i)->op);
	/* the one at cur may be counted, too: the rest of its READ is asked for again */
	if (r->rd_atomic > rd_atomics + 1)
		die("a READ or atomic completes that is still counted");
}

void glass_env_complete(struct glass_pqp *q, const struct glass_cqe *cqe)
{
	struct pe_ep *ep = ep_of(q);

	check_room(q, cqe);
	if (ep->ncqe == PE_CQES)
		die("CQE log full");
	ep->cqe[ep->ncqe++] = *cqe;
	if (ep->on_complete)
		ep->on_complete(ep, cqe);
}

const struct glass_cqe *pe_cqe(struct pe_ep *ep)
{
	return ep->ncqe_seen < ep->ncqe ? &ep->cqe[ep->ncqe_seen++] : NULL;
}

void glass_env_event(struct glass_pqp *q, enum glass_event ev)
{
	ep_of(q)->events[ev]++;
}

void glass_env_note_state(struct glass_pqp *q, enum glass_qp_state from, enum glass_qp_state to,
			  enum glass_cause cause)
{
	if (from == to || cause == GLASS_CAUSE_NONE)
		die("bad state note");
	if (to == GLASS_QPS_RESET)
		ep_of(q)->drop_at = 0;
	ep_of(q)->nstates++;
}

bool glass_env_ecn_on(void)
{
	return pe_ecn_on;
}

void glass_env_note_told(struct glass_pqp *q)
{
	if (q->state != GLASS_QPS_ERR || q->lent)
		die("bad note of what was told");
}

void glass_env_note_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason)
{
	if (reason == GLASS_DROP_NONE || reason >= GLASS_DROP_COUNT || !pkt)
		die("bad drop note");
	if (ep_of(q)->drop_at == q->stats.rx_pkts)
		die("a packet dies twice");
	ep_of(q)->drop_at = q->stats.rx_pkts;
	ep_of(q)->drops[reason]++;
}

void glass_env_recovered(struct glass_pqp *q, u32 tries)
{
	if (!tries || q->req.round || q->req.window < 2)
		die("recovered, and counts rounds");
	ep_of(q)->recovered++;
}

void glass_env_note_retry(struct glass_pqp *q, enum glass_retry why, u32 psn, u32 left)
{
	(void)psn;
	(void)left;
	ep_of(q)->retries[why]++;
}

void glass_env_note_rnr(struct glass_pqp *q, enum glass_dir dir, u32 psn, u64 wait, u32 left)
{
	(void)q;
	(void)dir;
	(void)psn;
	(void)wait;
	(void)left;
}

void glass_env_note_start(struct glass_pqp *q, const struct glass_swqe *w)
{
	(void)q;
	(void)w;
}

void glass_env_note_done(struct glass_pqp *q, const struct glass_swqe *w,
			 enum glass_wc_status status)
{
	(void)q;
	(void)w;
	(void)status;
}

/* ---- endpoints ---- */

void pe_ep_init(struct pe_ep *ep, const struct pe_cfg *cfg, u32 qpn)
{
	struct glass_pqp *q = &ep->q;

	ep->pd = 7;
	ep->srq_pd = ep->pd;
	ep->sq = calloc(cfg->sq_entries, PE_SQ_STRIDE);
	q->type = cfg->type;
	q->qpn = qpn;
	q->has_srq = cfg->srq;
	q->sq = ep->sq;
	q->sq_stride = PE_SQ_STRIDE;
	q->sq_entries = cfg->sq_entries;
	q->max_sge = GLASS_RWQE_SGE_MAX;
	q->max_inline = PE_SQ_STRIDE - offsetof(struct glass_swqe, data);
	glass_pqp_init(q);
	if (!glass_type_is_connected(cfg->type))
		q->attr.mtu = q->port_mtu = cfg->mtu;
}

void pe_ep_free(struct pe_ep *ep)
{
	for (struct pe_mr *mr = ep->mr; mr < ep->mr + PE_MRS; mr++)
		if (mr->key)
			pe_mr_del(mr);
	free(ep->sq);
	free(ep->q.res);
}

void pe_res_room(struct pe_ep *ep, u32 n)
{
	u32 slots = 1;

	while (slots < n)
		slots *= 2;
	if (n > ep->q.res_slots)
		free(glass_pqp_res_room(&ep->q, calloc(slots, sizeof(*ep->q.res)), slots));
}

static void must(int ret)
{
	if (ret)
		die("modify failed");
}

void pe_to_init(struct pe_ep *ep, const struct pe_cfg *cfg)
{
	struct glass_qp_attr a = { .state = GLASS_QPS_INIT, .port = 1, .qkey = 0x1234 };
	u32 mask = GLASS_QPA_STATE | GLASS_QPA_PKEY_INDEX;

	if (cfg->type == GLASS_QPT_GSI)
		a.qkey = GLASS_QP1_QKEY;
	a.access = GLASS_ACC_REMOTE_WRITE | GLASS_ACC_REMOTE_READ | GLASS_ACC_REMOTE_ATOMIC |
		   GLASS_ACC_FLUSH_GLOBAL | GLASS_ACC_FLUSH_PERSISTENT;
	if (glass_type_is_connected(cfg->type))
		mask |= GLASS_QPA_PORT | GLASS_QPA_ACCESS_FLAGS;
	else
		mask |= GLASS_QPA_QKEY | (cfg->type == GLASS_QPT_UD ? GLASS_QPA_PORT : 0);
	must(glass_pqp_modify(&ep->q, &a, mask, 0));
}

void pe_to_rtr(struct pe_ep *ep, const struct pe_cfg *cfg, u64 now)
{
	struct glass_qp_attr a = { .state = GLASS_QPS_RTR, .mtu = cfg->mtu, .rq_psn = cfg->psn };
	u32 mask = GLASS_QPA_STATE;

	a.dest_qpn = ep->peer ? ep->peer->q.qpn : 0;
	a.min_rnr_timer = cfg->min_rnr_timer;
	a.max_dest_rd_atomic = cfg->rd_atomic;
	a.av.dlid = ep->peer ? (u16)ep->peer->q.qpn : 1;
	a.av.has_grh = cfg->has_grh;
	a.av.sgid[15] = ep->q.qpn;
	a.av.dgid[15] = a.dest_qpn;
	if (cfg->av)
		a.av = *cfg->av;
	if (glass_type_is_connected(cfg->type))
		mask |= GLASS_QPA_AV | GLASS_QPA_PATH_MTU | GLASS_QPA_DEST_QPN | GLASS_QPA_RQ_PSN;
	if (cfg->type == GLASS_QPT_RC || cfg->type == GLASS_QPT_XRC_TGT)
		mask |= GLASS_QPA_MAX_DEST_RD_ATOMIC | GLASS_QPA_MIN_RNR_TIMER;
	pe_res_room(ep, cfg->rd_atomic);
	must(glass_pqp_modify(&ep->q, &a, mask, now));
}

void pe_to_rts(struct pe_ep *ep, const struct pe_cfg *cfg, u64 now)
{
	struct glass_qp_attr a = { .state = GLASS_QPS_RTS, .sq_psn = cfg->psn };
	u32 mask = GLASS_QPA_STATE | GLASS_QPA_SQ_PSN;

	a.timeout = cfg->timeout;
	a.retry_cnt = cfg->retry_cnt;
	a.rnr_retry = cfg->rnr_retry;
	a.max_rd_atomic = cfg->rd_atomic;
	if (cfg->type == GLASS_QPT_XRC_TGT)
		mask |= GLASS_QPA_TIMEOUT;
	if (cfg->type == GLASS_QPT_RC || cfg->type == GLASS_QPT_XRC_INI)
		mask |= GLASS_QPA_TIMEOUT | GLASS_QPA_RETRY_CNT | GLASS_QPA_RNR_RETRY |
			GLASS_QPA_MAX_QP_RD_ATOMIC;
	must(glass_pqp_modify(&ep->q, &a, mask, now));
}

/* As the engine does, which comes back to a QP that has more to flush. */
void pe_flush(struct pe_ep *ep)
{
	do {
		u32 n = glass_pqp_flush(&ep->q, 7);

		if (n > 7 || ((ep->q.left & GLASS_LEFT_FLUSH) && !n))
			die("flushed a wrong number");
	} while ((ep->q.left & GLASS_LEFT_FLUSH));
}

int pe_state(struct pe_ep *ep, enum glass_qp_state to, u64 now)
{
	struct glass_qp_attr a = { .state = to };
	int ret = glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE, now);

	pe_flush(ep);
	return ret;
}

struct pe_pair *pe_pair_new(const struct pe_cfg *cfg)
{
	struct pe_pair *p = calloc(1, sizeof(*p));

	p->a.peer = &p->b;
	p->b.peer = &p->a;
	p->now = 1000;
	pe_ep_init(&p->a, cfg, 0x11);
	pe_ep_init(&p->b, cfg, 0x12);
	pe_to_init(&p->a, cfg);
	pe_to_init(&p->b, cfg);
	pe_to_rtr(&p->a, cfg, p->now);
	pe_to_rtr(&p->b, cfg, p->now);
	pe_to_rts(&p->a, cfg, p->now);
	pe_to_rts(&p->b, cfg, p->now);
	return p;
}

void pe_pair_free(struct pe_pair *p)
{
	if (p->a.refs || p->b.refs)
		die("payload references leaked");
	pe_ep_free(&p->a);
	pe_ep_free(&p->b);
	free(p);
}

struct glass_swqe *pe_wqe(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id)
{
	struct glass_swqe *w = glass_swqe_at(&ep->q, ep->q.req.head);

	if (!glass_sq_room(&ep->q))
		die("send queue full");
	/* fields of the core keep what an earlier use left there */
	memset(w, 0xa5, sizeof(*w));
	w->wr_id = wr_id;
	w->op = op;
	w->flags = GLASS_SWQE_SIGNALED;
	w->num_sge = 0;
	w->status = GLASS_WC_SUCCESS;
	w->len = 0;
	w->flow = wr_id;
	w->post_ns = 0;
	if (glass_type_is_connected(ep->q.type)) {
		w->access = 0;
		w->blen = 0;
	} else {
		memset(&w->av, 0, sizeof(w->av));
	}
	return w;
}

void pe_post(struct pe_ep *ep)
{
	ep->q.req.head++;
	pe_flush(ep);
}

void pe_recv(struct pe_ep *ep, u64 wr_id, u64 addr, u32 len, u32 lkey)
{
	struct glass_rwqe *w = &ep->rq[ep->rq_head % PE_RQ];

	if (ep->rq_head - ep->rq_tail == PE_RQ)
		die("receive queue full");
	w->wr_id = wr_id;
	w->num_sge = 1;
	w->len = len;
	w->sge[0].addr = addr;
	w->sge[0].len = len;
	w->sge[0].lkey = lkey;
	ep->rq_head++;
	if (ep->q.state == GLASS_QPS_ERR)
		pe_flush(ep);
}

/* ---- the wire ---- */

static void check_pkt(struct pe_ep *ep, const struct glass_pkt *pkt)
{
	u32 sum = 0;

	for (u32 i = 0; i < pkt->nseg; i++)
		sum += pkt->seg[i].len;
	if (sum != pkt->len || pkt->more > PE_TRAIN || pkt->more > ep->q.max_more ||
	    pkt->len > (u32)ep->q.attr.mtu * (1 + pkt->more) || ((pkt->len + pkt->pad) & 3))
		die("bad length or pad");
	if (pkt->dqpn > GLASS_QPN_MASK || pkt->psn > GLASS_PSN_MASK || pkt->sl > 15)
		die("field out of range");
}

static void give_back(struct pe_ep *ep)
{
	glass_pqp_returned(&ep->q, 0);
	if ((ep->q.left & GLASS_LEFT_FLUSH))
		pe_flush(ep);
	glass_req_sent(&ep->q);
}

bool pe_next(struct pe_ep *ep, struct pe_tx *tx, u64 now)
{
	const struct glass_av *av = NULL;
	struct glass_pkt *pkt = &tx->pkt;
	u16 pkey = 0;
	bool may;

	memset(pkt, 0xee, sizeof(*pkt));
	pkt->seg = tx->seg;
	give_back(ep);
	may = glass_pqp_may_send(&ep->q);
	if ((ep->q.left & GLASS_LEFT_FLUSH))
		pe_flush(ep);
	if (!glass_resp_next(&ep->q, pkt, &av, &pkey, now)) {
		bool work = glass_pqp_has_work(&ep->q, now);
		u32 before = ep->ncqe, locals = ep->locals;

		bool got = glass_req_next(&ep->q, pkt, &av, &pkey, now);

		/* the engine comes back to it in its next turn */
		while (!got && (ep->q.left & GLASS_LEFT_LOCALS))
			got = glass_req_next(&ep->q, pkt, &av, &pkey, now);
		if (!got) {
			if ((ep->q.left & GLASS_LEFT_FLUSH))
				pe_flush(ep);
			/* nothing came although it was promised: then something failed, or a page is absent */
			if (work && !ep->q.req.cur_err && before == ep->ncqe &&
			    locals == ep->locals && !ep->q.pages)
				die("has_work without work");
			/* the engine would not have asked */
			if (!may && (work || before != ep->ncqe || locals != ep->locals))
				die("something is done where nothing may be sent");
			return false;
		}
		/* what local operations made room for may be more than was seen */
		if (!work && locals == ep->locals)
			die("work without has_work");
	}
	if (!may)
		die("a packet though none may be sent");
	check_pkt(ep, pkt);
	pkt->slid = ep->q.qpn + av->path_bits;
	pkt->vl = 0;
	pkt->pkey = 0xffff;
	tx->meta.pkey_index = pkey;
	tx->meta.dlid_path_bits = 0;
	/* as the engine, which lets go of the lock now */
	ep->q.lent = GLASS_LENT_OUT;
	return true;
}

void pe_sent(struct pe_ep *ep, struct pe_tx *tx)
{
	glass_env_payload_put(&ep->q, &tx->pkt);
	give_back(ep);
}

bool pe_pull(struct pe_ep *ep, struct pe_wire *w, u64 now)
{
	struct pe_tx tx;

	if (!pe_next(ep, &tx, now))
		return false;
	copy_out(&tx.pkt, 0, w->data, tx.pkt.len);
	w->pkt = tx.pkt;
	w->meta = tx.meta;
	w->seg.addr = w->data;
	w->seg.len = w->pkt.len;
	w->pkt.seg = &w->seg;
	w->pkt.nseg = w->pkt.len ? 1 : 0;
	pe_sent(ep, &tx);
	return true;
}

void pe_settle(struct pe_pair *p)
{
	struct pe_tx tx;
	bool moved;

	do {
		moved = false;
		for (int i = 0; i < 2; i++) {
			struct pe_ep *ep = i ? &p->b : &p->a;

			/* a few at a time, so that both sides take turns */
			for (int n = 0; n < 5 && pe_next(ep, &tx, p->now); n++) {
				moved = true;
				p->sent++;
				if (!p->lose || !p->lose(p, ep, &tx.pkt))
					glass_pqp_rx(&ep->peer->q, &tx.pkt, &tx.meta, p->now);
				pe_sent(ep, &tx);
			}
		}
	} while (moved);
}

void pe_run(struct pe_pair *p, u64 until)
{
	for (;;) {
		u64 da, db, next;

		pe_settle(p);
		da = p->a.q.deadline ? p->a.q.deadline : ~0ULL;
		db = p->b.q.deadline ? p->b.q.deadline : ~0ULL;
		next = min(da, db);
		if (next > until)
			break;
		if (next > p->now)
			p->now = next;
		glass_pqp_timer(&p->a.q, p->now);
		glass_pqp_timer(&p->b.q, p->now);
	}
}
