// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provokes every error of tests/tables/errors.tsv that a verbs program can
 * provoke, between two ports, and compares completions, states and events of both
 * sides with the table.
 *
 * Each case is told in struct err_case. What all have: two receives at the
 * requester (wr_id 11, 12) and three at the responder (21 ...), the request in
 * question (wr_id 1) and behind it two good SENDs (2, 3): they are flushed after
 * an error, and they arrive after what was dropped in silence. A successful
 * completion with IBV_WC_GRH is success/grh in the table.
 */
#include "../tables/tsv.h"
#include "check.h"
#include "uapi/glass-enums.h"

static const char *const wc_words[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const ev_words[] = GLASS_WORDS(GLASS_EVENTS);
static const char *const cause_words[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const state_words[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };

#define BUF 65536
#define GRH 40

/* What is wrong */
enum fault {
	NOTHING,
	RKEY, RKEY_LONG, RKEY_NO_RECV, BOUNDS, MR_RIGHT, OTHER_PD, DEREGISTERED, QP_RIGHT, MISALIGNED,
	LKEY, LKEY_LAST, LOCAL_BOUNDS, LOCAL_PD, LOCAL_RIGHT, LOCAL_LENGTH,
	RECV_SHORT, RECV_LKEY, RECV_RIGHT, NO_RECV,
	NO_QP, NO_LID, PKEY, QKEY, PEER_RESET, PEER_INIT, PEER_ERR, PEER_TYPE, PEER_PATH, INV_KEY,
	PSN_AHEAD, PSN_BEHIND, NO_DEPTH, NO_RESOURCES, AH_PD, TOO_LONG,
	TOO_MANY_SGES, TOO_MUCH_INLINE, IN_RTR, FULL, GRH_IN_PATH, REGION_KEY,
};

struct err_case {
	const char *name;
	enum ibv_qp_type type;
	enum ibv_wr_opcode op;
	enum fault fault;
	bool srq;
	void (*run)(const struct err_case *c); /* NULL: the common course */
};

/* One side: 0 the requester, 1 the responder */
static struct side {
	struct vt_end *end;
	struct ibv_qp *qp;
	struct ibv_cq *scq, *rcq;
	struct ibv_mr *mr;
	unsigned int nsq, nrq; /* posted */
	char sq[2048], rq[2048], events[256], vendor[40];
} side[2];
static struct ibv_srq *srq;
static struct ibv_ah *ah;
static int refused;

/* ---- making the two sides */

static void to_init(int i, const struct err_case *c)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = side[i].end->port, .qkey = VT_QKEY,
				 .qp_access_flags = VT_ACCESS_ALL };

	/* the table has one valid P_Key: what is behind it is none */
	if (i == 0 && c->fault == PKEY)
		a.pkey_index = 1;
	if (i == 1 && c->fault == QP_RIGHT)
		a.qp_access_flags &= ~(c->op == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_READ :
				       c->op >= IBV_WR_ATOMIC_CMP_AND_SWP ? IBV_ACCESS_REMOTE_ATOMIC :
				       IBV_ACCESS_REMOTE_WRITE);
	CHECK(!ibv_modify_qp(side[i].qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (c->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)), "to INIT");
}

static void to_rtr(int i, const struct err_case *c)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = side[!i].qp->qp_num,
		.rq_psn = i ? PSN_A : PSN_B,
		.max_dest_rd_atomic = i && c->fault == NO_RESOURCES ? 0 : 16,
		.min_rnr_timer = 1,
		.ah_attr = { .dlid = side[!i].end->attr.lid, .port_num = side[i].end->port },
	};
	int mask = IBV_QP_STATE;

	if (i == 0 && c->fault == NO_QP)
		a.dest_qp_num = 0xfffff0;
	if (i == 0 && c->fault == NO_LID)
		a.ah_attr.dlid = 0xbffe;
	if (c->fault == GRH_IN_PATH) {
		a.ah_attr.is_global = 1;
		a.ah_attr.grh.dgid = side[!i].end->gid;
		a.ah_attr.grh.sgid_index = side[i].end->gid_index;
		a.ah_attr.grh.hop_limit = 1;
	}
	if (i == 1 && c->fault == PEER_PATH)
		a.ah_attr.dlid = side[1].end->attr.lid;
	if (i == 1 && c->fault == PSN_AHEAD)
		a.rq_psn = (a.rq_psn - 5) & 0xffffff;
	if (i == 1 && c->fault == PSN_BEHIND)
		a.rq_psn = (a.rq_psn + 5) & 0xffffff;
	if (c->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (c->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	CHECK(!ibv_modify_qp(side[i].qp, &a, mask), "to RTR");
}

static void to_rts(int i, const struct err_case *c)
{
	bool hopeless = c->fault >= NO_QP && c->fault <= PSN_BEHIND;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = i ? PSN_B : PSN_A,
		.timeout = hopeless ? 10 : 17,
		.retry_cnt = hopeless ? 1 : 7,
		.rnr_retry = c->fault == NO_RECV ? 1 : 7,
		.max_rd_atomic = c->fault == NO_DEPTH ? 0 : 16,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (c->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	CHECK(!ibv_modify_qp(side[i].qp, &a, mask), "to RTS");
}

static void make_sides(const struct err_case *c)
{
	int i;

	srq = c->srq ? vt_srq(&B, 16, 4) : NULL;
	for (i = 0; i < 2; i++) {
		struct vt_qp_opts o = { .type = c->type, .wr = 16, .inl = 64 };

		side[i] = (struct side){ .end = i ? &B : &A };
		side[i].scq = o.scq = vt_cq(side[i].end, 64, NULL);
		side[i].rcq = o.rcq = vt_cq(side[i].end, 64, NULL);
		if (i && srq)
			o.srq = srq;
		if (i && c->fault == PEER_TYPE)
			o.type = c->type == IBV_QPT_RC ? IBV_QPT_UC : IBV_QPT_RC;
		side[i].qp = vt_qp(side[i].end, o);
		side[i].mr = vt_buf(side[i].end, BUF);
	}
	refused = 0;
}

static void connect_sides(const struct err_case *c)
{
	struct err_case b = *c;
	struct ibv_pd *pd = A.pd;

	if (c->fault == PEER_TYPE)
		b.type = side[1].qp->qp_type;
	if (c->fault != PEER_RESET)
		to_init(1, &b);
	if (c->fault != PEER_RESET && c->fault != PEER_INIT) {
		to_rtr(1, &b);
		to_rts(1, &b);
	}
	to_init(0, c);
	to_rtr(0, c);
	if (c->fault == IN_RTR)
		return;
	to_rts(0, c);
	if (c->type == IBV_QPT_UD) {
		struct ibv_ah_attr attr = { .dlid = B.attr.lid, .port_num = A.port };

		if (c->fault == GRH_IN_PATH) {
			attr.is_global = 1;
			attr.grh.dgid = B.gid;
			attr.grh.sgid_index = A.gid_index;
			attr.grh.hop_limit = 1;
		}
		ah = ibv_create_ah(pd, &attr);
		CHECK(ah, "create_ah failed");
		vt_track(VT_AH, ah);
	}
}

/* ---- posting */

static void recv_on(int i, uint64_t wr_id, struct ibv_sge sge)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = i && srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(side[i].qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
	side[i].nrq++;
}

static struct ibv_mr *read_only(struct vt_end *e)
{
	return vt_mr_of(e->pd, vt_mem(BUF), BUF, 0);
}

static struct ibv_pd *other_pd(struct vt_end *e)
{
	struct ibv_pd *pd = ibv_alloc_pd(e->ctx);

	CHECK(pd, "alloc_pd failed");
	vt_track(VT_PD, pd);
	return pd;
}

static void post_receives(const struct err_case *c)
{
	struct ibv_sge sge;
	int i;

	for (i = 0; i < 2; i++)
		recv_on(0, 11 + i, vt_sge(side[0].mr, 4096 * (i + 1), 4096));
	if (c->fault == NO_RECV || c->fault == RKEY_NO_RECV || c->fault == PEER_RESET)
		return;
	for (i = 0; i < 3; i++) {
		sge = vt_sge(side[1].mr, 4096 * (i + 1), 4096);
		if (!i && c->fault == RECV_SHORT)
			sge.length = c->type == IBV_QPT_UD ? GRH + 63 : 63;
		if (!i && c->fault == RECV_LKEY)
			sge.lkey ^= 0x100;
		if (!i && c->fault == RECV_RIGHT)
			sge = vt_sge(read_only(&B), 0, 4096);
		recv_on(1, 21 + i, sge);
	}
}

static int post_list(int i, struct ibv_send_wr *wr, unsigned int n)
{
	struct ibv_send_wr *bad;
	unsigned int k;
	int err;

	for (k = 0; k + 1 < n; k++)
		wr[k].next = &wr[k + 1];
	err = ibv_post_send(side[i].qp, wr, &bad);
	if (!err)
		side[i].nsq += n;
	return err;
}

static struct ibv_send_wr send_wr(int i, uint64_t wr_id, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, wr_id, sge);

	(void)i;
	if (side[0].qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = side[1].qp->qp_num;
		wr.wr.ud.remote_qkey = VT_QKEY;
	}
	return wr;
}

/* The memory at the responder that the request is about, and how it is named */
static void aim(const struct err_case *c, struct ibv_send_wr *wr)
{
	bool atomic = c->op == IBV_WR_ATOMIC_CMP_AND_SWP || c->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
	int all = VT_ACCESS_ALL, right = atomic ? IBV_ACCESS_REMOTE_ATOMIC :
		  c->op == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = vt_mr_of(c->fault == OTHER_PD ? other_pd(&B) : B.pd, vt_mem(BUF), BUF,
				     c->fault == MR_RIGHT ? all & ~right : all);
	uint64_t addr = (uintptr_t)mr->addr;
	uint32_t rkey = mr->rkey;

	if (c->fault >= RKEY && c->fault <= RKEY_NO_RECV)
		rkey ^= 0x100;
	if (c->fault == BOUNDS)
		addr += atomic ? BUF : BUF - 63;
	if (c->fault == MISALIGNED)
		addr += 4;
	if (c->fault == DEREGISTERED)
		vt_drop(mr);
	if (atomic) {
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = 1;
	} else {
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

/* Is the request about memory of the responder? */
static bool is_rdma(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		return false;
	default:
		return true;
	}
}

static void post_sends(const struct err_case *c)
{
	bool atomic = c->op == IBV_WR_ATOMIC_CMP_AND_SWP || c->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct ibv_sge sge[8] = { vt_sge(side[0].mr, 0, atomic ? 8 : 64) };
	struct ibv_sge good = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr[3];
	int i;

	for (i = 0; i < 3; i++)
		wr[i] = send_wr(0, i + 1, i ? &good : sge);
	wr[0].opcode = c->op;
	if (c->type != IBV_QPT_UD && is_rdma(c->op))
		aim(c, &wr[0]);
	if (c->op == IBV_WR_LOCAL_INV) {
		wr[0].sg_list = NULL;
		wr[0].num_sge = 0;
		wr[0].invalidate_rkey = side[0].mr->rkey;
	}
	switch (c->fault) {
	case RKEY_LONG:
		sge[0].length = 2048;
		break;
	case INV_KEY:
		wr[0].invalidate_rkey = side[1].mr->rkey ^ 0x100;
		break;
	case LKEY:
		sge[0].lkey ^= 0x100;
		break;
	case LKEY_LAST:
		sge[1] = sge[2] = sge[0];
		sge[2].lkey ^= 0x100;
		wr[0].num_sge = 3;
		break;
	case LOCAL_BOUNDS:
		sge[0].addr += BUF - 63;
		break;
	case LOCAL_PD:
		sge[0].lkey = vt_mr_of(other_pd(&A), side[0].mr->addr, BUF, VT_ACCESS_ALL)->lkey;
		break;
	case LOCAL_RIGHT:
		sge[0].lkey = vt_mr_of(A.pd, side[0].mr->addr, BUF, 0)->lkey;
		break;
	case LOCAL_LENGTH:
		sge[0].length = 4;
		break;
	case TOO_LONG:
		sge[0].length = 4097;
		break;
	case NO_QP:
		if (c->type == IBV_QPT_UD)
			wr[0].wr.ud.remote_qpn = 0xfffff0;
		break;
	case QKEY:
		wr[0].wr.ud.remote_qkey = VT_QKEY + 1;
		break;
	case AH_PD:
	case NO_LID:
		if (c->type == IBV_QPT_UD) {
			struct ibv_ah_attr attr = { .dlid = B.attr.lid, .port_num = A.port };

			if (c->fault == NO_LID)
				attr.dlid = 0xbffe;
			wr[0].wr.ud.ah = ibv_create_ah(c->fault == AH_PD ? other_pd(&A) : A.pd, &attr);
			CHECK(wr[0].wr.ud.ah, "create_ah failed");
			vt_track(VT_AH, wr[0].wr.ud.ah);
		}
		break;
	case TOO_MANY_SGES:
		for (i = 1; i < 8; i++)
			sge[i] = sge[0];
		wr[0].num_sge = 8;
		break;
	case TOO_MUCH_INLINE:
		sge[0].length = 4096;
		wr[0].send_flags |= IBV_SEND_INLINE;
		break;
	default:
		break;
	}
	refused = post_list(0, wr, 3);
}

static void common_course(const struct err_case *c)
{
	connect_sides(c);
	if (c->fault == PEER_ERR)
		vt_to_state(side[1].qp, IBV_QPS_ERR);
	post_receives(c);
	post_sends(c);
}

/* ---- courses of their own */

/* More READs at once than the responder keeps answers for */
static void reads_beyond_depth(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 32768);
	struct ibv_send_wr wr[12];
	struct err_case shallow = *c;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .max_dest_rd_atomic = 1 };
	int i;

	connect_sides(&shallow);
	CHECK(!ibv_modify_qp(side[1].qp, &a, IBV_QP_STATE), "to SQD");
	CHECK(!ibv_modify_qp(side[1].qp, &a, IBV_QP_MAX_DEST_RD_ATOMIC), "in SQD");
	vt_to_state(side[1].qp, IBV_QPS_RTS);
	post_receives(c);
	for (i = 0; i < 12; i++) {
		wr[i] = rdma_of(IBV_WR_RDMA_READ, i + 1, &sge, side[1].mr, 0);
	}
	CHECK(!post_list(0, wr, 12), "post_send failed");
}

static void queue_full(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr, *bad;
	int i;

	connect_sides(c);
	/* nobody receives: they stay */
	for (i = 0; i < 4096 && !refused; i++) {
		wr = wr_of(IBV_WR_SEND, 1, &sge);
		refused = ibv_post_send(side[0].qp, &wr, &bad);
	}
}

static void too_many_recv_sges(const struct err_case *c)
{
	struct ibv_sge sge[8];
	struct ibv_recv_wr wr = { .wr_id = 1, .sg_list = sge, .num_sge = 8 }, *bad;
	int i;

	for (i = 0; i < 8; i++)
		sge[i] = vt_sge(side[0].mr, 0, 8);
	connect_sides(c);
	refused = ibv_post_recv(side[0].qp, &wr, &bad);
}

/* The first packet finds the responder in RTR */
static void comm_est(const struct err_case *c)
{
	to_init(1, c);
	to_rtr(1, c);
	to_init(0, c);
	to_rtr(0, c);
	to_rts(0, c);
	post_receives(c);
	post_sends(c);
}

static void sqd_with_event(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	CHECK(!ibv_modify_qp(side[0].qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "to SQD");
}

/* One SEND is on its way, waiting for a receive, when the queue is to drain; two more come later. */
static void sq_drained(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr[3];
	int i;

	connect_sides(c);
	for (i = 0; i < 3; i++)
		wr[i] = send_wr(0, i + 1, &sge);
	CHECK(!post_list(0, wr, 1), "post_send failed");
	round_trips(2);
	sqd_with_event();
	CHECK(!post_list(0, wr + 1, 2), "post_send in SQD failed");
	round_trips(2);
	post_receives(c);
}

static void sqd_and_on(const struct err_case *c)
{
	struct ibv_wc wc;

	sq_drained(c);
	vt_wc_ok(side[0].scq, &wc);
	snprintf(side[0].sq, sizeof(side[0].sq), "success,");
	vt_to_state(side[0].qp, IBV_QPS_RTS);
}

/* Receives, and SENDs that nobody receives */
static void flush_by_modify(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr[3];
	int i;

	connect_sides(c);
	for (i = 0; i < 2; i++)
		recv_on(0, 11 + i, vt_sge(side[0].mr, 0, 64));
	for (i = 0; i < 3; i++) {
		wr[i] = send_wr(0, i + 1, &sge);
		/* that it was not signaled does not hide an error */
		wr[i].send_flags = i == 1 ? 0 : IBV_SEND_SIGNALED;
	}
	CHECK(!post_list(0, wr, 3), "post_send failed");
	if (c->type == IBV_QPT_RC)
		round_trips(1);
	vt_to_state(side[0].qp, IBV_QPS_ERR);
}

static void flush_in_err(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr;
	int i;

	connect_sides(c);
	vt_to_state(side[0].qp, IBV_QPS_ERR);
	for (i = 0; i < 3; i++) {
		wr = send_wr(0, i + 1, &sge);
		CHECK(!post_list(0, &wr, 1), "post_send in ERR failed");
		recv_on(0, 11 + i, vt_sge(side[0].mr, 0, 64));
	}
}

/* The responder's own SENDs wait when its QP goes to ERR */
static void flush_of_responder(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 64), own = vt_sge(side[1].mr, 0, 8);
	struct ibv_send_wr wr[2] = { wr_of(IBV_WR_SEND, 31, &own), wr_of(IBV_WR_SEND, 32, &own) };
	struct ibv_send_wr bad = wr_of(IBV_WR_RDMA_WRITE, 1, &sge);

	connect_sides(c);
	CHECK(!post_list(1, wr, 2), "post_send failed");
	recv_on(1, 21, vt_sge(side[1].mr, 0, 64));
	aim(c, &bad);
	CHECK(!post_list(0, &bad, 1), "post_send failed");
}

static void responder_to_err(const struct err_case *c)
{
	connect_sides(c);
	post_receives(c);
	vt_to_state(side[1].qp, IBV_QPS_ERR);
}

static void srq_limit(const struct err_case *c)
{
	struct ibv_srq_attr a = { .srq_limit = 3 };

	connect_sides(c);
	post_receives(c);
	CHECK(!ibv_modify_srq(srq, &a, IBV_SRQ_LIMIT), "modify_srq failed");
	post_sends(c);
}

static void sqe_and_on(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr[2];
	struct ibv_wc wc;
	int i;

	common_course(c);
	for (i = 0; i < 3; i++) {
		vt_wc(side[0].scq, &wc);
		strcat(strcat(side[0].sq, wc_words[wc.status]), ",");
	}
	vt_to_state(side[0].qp, IBV_QPS_RTS);
	for (i = 0; i < 2; i++)
		wr[i] = send_wr(0, i + 4, &sge);
	CHECK(!post_list(0, wr, 2), "post_send failed");
}

static void resets(const struct err_case *c)
{
	flush_by_modify(c);
	vt_to_state(side[0].qp, IBV_QPS_RESET);
	/* what was not polled yet went with it */
	side[0].nsq = side[0].nrq = 0;
}

static void cq_overrun(const struct err_case *c)
{
	struct ibv_sge sge = vt_sge(side[0].mr, 0, 8);
	struct ibv_send_wr wr;
	int i;

	side[0].scq = vt_cq(&A, 1, NULL);
	side[0].qp = vt_qp(&A, (struct vt_qp_opts){ .type = c->type, .wr = 64, .scq = side[0].scq,
						    .rcq = side[0].rcq });
	connect_sides(c);
	for (i = 0; i < side[0].scq->cqe + 2; i++) {
		wr = rdma_of(IBV_WR_RDMA_WRITE, i + 1, &sge, side[1].mr, 0);
		CHECK(!post_list(0, &wr, 1), "post_send failed");
	}
	CHECK(vt_event(A.ctx, IBV_EVENT_CQ_ERR, side[0].scq), "no CQ_ERR");
	snprintf(side[0].events, sizeof(side[0].events), "cq_err,");
	/* how many completions got into the CQ is not told here */
	side[0].nsq = 0;
}

#define RC IBV_QPT_RC
#define UC IBV_QPT_UC
#define UD IBV_QPT_UD
#define SEND IBV_WR_SEND
#define WRITE IBV_WR_RDMA_WRITE
#define WRITE_IMM IBV_WR_RDMA_WRITE_WITH_IMM
#define READ IBV_WR_RDMA_READ
#define SEND_INV IBV_WR_SEND_WITH_INV
#define LOCAL_INV IBV_WR_LOCAL_INV
#define CAS IBV_WR_ATOMIC_CMP_AND_SWP
#define FAA IBV_WR_ATOMIC_FETCH_AND_ADD

#define CASE(n, t, o, f, ...) { .name = n, .type = t, .op = o, .fault = f, ##__VA_ARGS__ }

static const struct err_case cases[] = {
	CASE("rc_write_bad_rkey", RC, WRITE, RKEY),
	CASE("rc_write_imm_bad_rkey", RC, WRITE_IMM, RKEY),
	CASE("rc_write_imm_outside", RC, WRITE_IMM, BOUNDS),
	CASE("rc_write_imm_bad_rkey_no_receive", RC, WRITE_IMM, RKEY_NO_RECV),
	CASE("rc_write_imm_long_bad_rkey", RC, WRITE_IMM, RKEY_LONG),
	CASE("rc_read_bad_rkey", RC, READ, RKEY),
	CASE("rc_atomic_bad_rkey", RC, FAA, RKEY),
	CASE("rc_write_outside", RC, WRITE, BOUNDS),
	CASE("rc_read_outside", RC, READ, BOUNDS),
	CASE("rc_atomic_outside", RC, CAS, BOUNDS),
	CASE("rc_write_mr_forbids", RC, WRITE, MR_RIGHT),
	CASE("rc_read_mr_forbids", RC, READ, MR_RIGHT),
	CASE("rc_atomic_mr_forbids", RC, FAA, MR_RIGHT),
	CASE("rc_write_other_pd", RC, WRITE, OTHER_PD),
	CASE("rc_read_other_pd", RC, READ, OTHER_PD),
	CASE("rc_atomic_other_pd", RC, CAS, OTHER_PD),
	CASE("rc_write_deregistered", RC, WRITE, DEREGISTERED),
	CASE("rc_read_deregistered", RC, READ, DEREGISTERED),
	CASE("rc_write_qp_forbids", RC, WRITE, QP_RIGHT),
	CASE("rc_read_qp_forbids", RC, READ, QP_RIGHT),
	CASE("rc_atomic_qp_forbids", RC, FAA, QP_RIGHT),
	CASE("rc_cas_misaligned", RC, CAS, MISALIGNED),
	CASE("rc_faa_misaligned", RC, FAA, MISALIGNED),
	CASE("rc_read_no_resources", RC, READ, NO_RESOURCES),
	CASE("rc_atomic_no_resources", RC, FAA, NO_RESOURCES),
	CASE("rc_reads_beyond_depth", RC, READ, NOTHING, .run = reads_beyond_depth),
	CASE("rc_send_short_receive", RC, SEND, RECV_SHORT),
	CASE("rc_send_bad_receive_lkey", RC, SEND, RECV_LKEY),
	CASE("rc_send_receive_forbids", RC, SEND, RECV_RIGHT),
	CASE("rc_send_no_receive", RC, SEND, NO_RECV),
	CASE("rc_write_imm_no_receive", RC, WRITE_IMM, NO_RECV),
	CASE("rc_send_inv_bad_rkey", RC, SEND_INV, INV_KEY),
	CASE("rc_send_bad_lkey", RC, SEND, LKEY),
	CASE("rc_send_bad_last_lkey", RC, SEND, LKEY_LAST),
	CASE("rc_send_outside_mr", RC, SEND, LOCAL_BOUNDS),
	CASE("rc_send_mr_of_other_pd", RC, SEND, LOCAL_PD),
	CASE("rc_write_bad_lkey", RC, WRITE, LKEY),
	CASE("rc_read_bad_lkey", RC, READ, LKEY),
	CASE("rc_read_into_read_only", RC, READ, LOCAL_RIGHT),
	CASE("rc_atomic_into_read_only", RC, FAA, LOCAL_RIGHT),
	CASE("rc_atomic_not_8_bytes", RC, CAS, LOCAL_LENGTH),
	CASE("rc_local_inv_no_key", RC, LOCAL_INV, INV_KEY),
	CASE("rc_local_inv_of_reg_mr", RC, LOCAL_INV, REGION_KEY),
	CASE("rc_read_no_depth", RC, READ, NO_DEPTH),
	CASE("rc_atomic_no_depth", RC, FAA, NO_DEPTH),
	CASE("rc_no_such_qp", RC, SEND, NO_QP),
	CASE("rc_no_such_lid", RC, SEND, NO_LID),
	CASE("rc_wrong_pkey", RC, SEND, PKEY),
	CASE("rc_peer_in_reset", RC, SEND, PEER_RESET),
	CASE("rc_peer_in_init", RC, SEND, PEER_INIT),
	CASE("rc_peer_in_err", RC, SEND, PEER_ERR),
	CASE("rc_peer_is_uc", RC, SEND, PEER_TYPE),
	CASE("rc_peer_of_another", RC, SEND, PEER_PATH),
	CASE("rc_psn_ahead", RC, SEND, PSN_AHEAD),
	CASE("rc_psn_behind", RC, SEND, PSN_BEHIND),
	CASE("rc_post_unknown_opcode", RC, IBV_WR_TSO, NOTHING),
	CASE("rc_post_too_many_sges", RC, SEND, TOO_MANY_SGES),
	CASE("rc_post_too_much_inline", RC, SEND, TOO_MUCH_INLINE),
	CASE("rc_post_in_rtr", RC, SEND, IN_RTR),
	CASE("rc_post_full", RC, SEND, FULL, .run = queue_full),
	CASE("rc_post_recv_too_many_sges", RC, SEND, NOTHING, .run = too_many_recv_sges),
	CASE("rc_grh_in_path", RC, SEND, GRH_IN_PATH),
	CASE("rc_write_imm_grh_in_path", RC, WRITE_IMM, GRH_IN_PATH),
	CASE("rc_comm_est", RC, SEND, NOTHING, .run = comm_est),
	CASE("rc_sq_drained", RC, SEND, NOTHING, .run = sq_drained),
	CASE("rc_sqd_and_on", RC, SEND, NOTHING, .run = sqd_and_on),
	CASE("rc_flush_by_modify", RC, SEND, NOTHING, .run = flush_by_modify),
	CASE("rc_flush_in_err", RC, SEND, NOTHING, .run = flush_in_err),
	CASE("rc_flush_of_responder", RC, WRITE, RKEY, .run = flush_of_responder),
	CASE("rc_reset", RC, SEND, NOTHING, .run = resets),
	CASE("rc_cq_overrun", RC, WRITE, NOTHING, .run = cq_overrun),
	CASE("rc_srq_last_wqe", RC, SEND, NOTHING, .srq = true, .run = responder_to_err),
	CASE("rc_srq_limit", RC, SEND, NOTHING, .srq = true, .run = srq_limit),
	CASE("rc_srq_write_bad_rkey", RC, WRITE, RKEY, .srq = true),
	CASE("rc_srq_write_imm_bad_rkey", RC, WRITE_IMM, RKEY, .srq = true),
	CASE("rc_srq_atomic_misaligned", RC, CAS, MISALIGNED, .srq = true),
	CASE("rc_srq_short_receive", RC, SEND, RECV_SHORT, .srq = true),
	CASE("rc_srq_bad_receive_lkey", RC, SEND, RECV_LKEY, .srq = true),
	CASE("rc_srq_no_receive", RC, SEND, NO_RECV, .srq = true),

	CASE("uc_write_bad_rkey", UC, WRITE, RKEY),
	CASE("uc_write_imm_bad_rkey", UC, WRITE_IMM, RKEY),
	CASE("uc_write_outside", UC, WRITE, BOUNDS),
	CASE("uc_write_mr_forbids", UC, WRITE, MR_RIGHT),
	CASE("uc_write_other_pd", UC, WRITE, OTHER_PD),
	CASE("uc_write_qp_forbids", UC, WRITE, QP_RIGHT),
	CASE("uc_send_short_receive", UC, SEND, RECV_SHORT),
	CASE("uc_send_bad_receive_lkey", UC, SEND, RECV_LKEY),
	CASE("uc_send_no_receive", UC, SEND, NO_RECV),
	CASE("uc_write_imm_no_receive", UC, WRITE_IMM, NO_RECV),
	CASE("uc_send_bad_lkey", UC, SEND, LKEY),
	CASE("uc_write_bad_lkey", UC, WRITE, LKEY),
	CASE("uc_no_such_qp", UC, SEND, NO_QP),
	CASE("uc_wrong_pkey", UC, SEND, PKEY),
	CASE("uc_peer_in_init", UC, SEND, PEER_INIT),
	CASE("uc_peer_is_rc", UC, SEND, PEER_TYPE),
	CASE("uc_psn_ahead", UC, SEND, PSN_AHEAD),
	CASE("uc_post_read", UC, READ, NOTHING),
	CASE("uc_post_atomic", UC, CAS, NOTHING),
	CASE("uc_grh_in_path", UC, SEND, GRH_IN_PATH),
	CASE("uc_comm_est", UC, SEND, NOTHING, .run = comm_est),
	CASE("uc_sqe_and_on", UC, SEND, LKEY, .run = sqe_and_on),
	CASE("uc_flush_in_err", UC, SEND, NOTHING, .run = flush_in_err),
	CASE("uc_srq_short_receive", UC, SEND, RECV_SHORT, .srq = true),
	CASE("uc_srq_no_receive", UC, SEND, NO_RECV, .srq = true),

	CASE("ud_short_receive", UD, SEND, RECV_SHORT),
	CASE("ud_bad_receive_lkey", UD, SEND, RECV_LKEY),
	CASE("ud_no_receive", UD, SEND, NO_RECV),
	CASE("ud_wrong_qkey", UD, SEND, QKEY),
	CASE("ud_wrong_pkey", UD, SEND, PKEY),
	CASE("ud_no_such_qp", UD, SEND, NO_QP),
	CASE("ud_no_such_lid", UD, SEND, NO_LID),
	CASE("ud_peer_in_init", UD, SEND, PEER_INIT),
	CASE("ud_peer_is_rc", UD, SEND, PEER_TYPE),
	CASE("ud_too_long", UD, SEND, TOO_LONG),
	CASE("ud_bad_lkey", UD, SEND, LKEY),
	CASE("ud_ah_of_other_pd", UD, SEND, AH_PD),
	CASE("ud_post_write", UD, WRITE, NOTHING),
	CASE("ud_grh_in_path", UD, SEND, GRH_IN_PATH),
	CASE("ud_sqe_and_on", UD, SEND, LKEY, .run = sqe_and_on),
	CASE("ud_flush_in_err", UD, SEND, NOTHING, .run = flush_in_err),
	CASE("ud_srq_short_receive", UD, SEND, RECV_SHORT, .srq = true),
	CASE("ud_srq_no_receive", UD, SEND, NO_RECV, .srq = true),
	CASE("ud_srq_limit", UD, SEND, NOTHING, .srq = true, .run = srq_limit),
};

/* ---- what came of it */

static void note_wc(struct ibv_cq *cq, char *to, struct side *s)
{
	size_t n = strlen(to);
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		n += snprintf(to + n, 2048 - n, "%s%s,", wc_words[wc.status],
			      wc.status == IBV_WC_SUCCESS && wc.wc_flags & IBV_WC_GRH ? "/grh" : "");
		CHECK(n < 2000, "completions without end");
		if (wc.status != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR && !s->vendor[0])
			snprintf(s->vendor, sizeof(s->vendor), "%s/0x%02x", cause_words[wc.vendor_err & 0xff],
				 wc.vendor_err >> 8);
	}
}

static void note_events(struct side *s)
{
	struct ibv_async_event ev;
	size_t n = strlen(s->events);

	while (vt_readable(s->end->ctx->async_fd, 0) && !ibv_get_async_event(s->end->ctx, &ev)) {
		ibv_ack_async_event(&ev);
		/* of ports, and of the subnet: not ours */
		if (ev.event_type >= IBV_EVENT_PORT_ACTIVE && ev.event_type <= IBV_EVENT_SM_CHANGE)
			continue;
		if (ev.event_type == IBV_EVENT_CLIENT_REREGISTER || ev.event_type == IBV_EVENT_GID_CHANGE)
			continue;
		n += snprintf(s->events + n, sizeof(s->events) - n, "%s,", ev_words[ev.event_type]);
		CHECK(n < sizeof(s->events) - 40, "events without end");
	}
}

static const struct {
	const char *col;
	int side;
	enum { SQ, RQ, STATE, EVENTS, VENDOR } what;
} columns[] = {
	{ "req_sq", 0, SQ }, { "req_rq", 0, RQ }, { "req_state", 0, STATE }, { "req_events", 0, EVENTS },
	{ "req_vendor", 0, VENDOR }, { "resp_sq", 1, SQ }, { "resp_rq", 1, RQ }, { "resp_state", 1, STATE },
	{ "resp_events", 1, EVENTS }, { "resp_vendor", 1, VENDOR },
};

static const char *fact(int col, char *buf)
{
	struct side *s = &side[columns[col].side];

	switch (columns[col].what) {
	case SQ:
		if (columns[col].side == 0 && refused) {
			sprintf(buf, "%s,", refused == EINVAL ? "EINVAL" : refused == ENOMEM ? "ENOMEM" :
					   strerror(refused));
			return buf;
		}
		return s->sq;
	case RQ:
		return s->rq;
	case EVENTS:
		return s->events;
	case VENDOR:
		sprintf(buf, "%s%s", s->vendor, s->vendor[0] ? "," : "");
		return buf;
	default:
		sprintf(buf, "%s,", state_words[vt_state(s->qp)]);
		return buf;
	}
}

static void look(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		note_wc(side[i].scq, side[i].sq, &side[i]);
		note_wc(side[i].rcq, side[i].rq, &side[i]);
		note_events(&side[i]);
	}
}

static bool as_told(const struct tsv *t, int row, bool complain)
{
	char buf[64], said[600] = "";
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_LEN(columns); i++) {
		const char *want = tsv_get(t, row, columns[i].col), *is = fact(i, buf);

		if (tsv_fits(want, is))
			continue;
		ok = false;
		snprintf(said + strlen(said), sizeof(said) - strlen(said), " %s is %.*s, not %s;",
			 columns[i].col, (int)strcspn(is, "\n"), *is ? is : "-", want);
	}
	if (!ok && complain)
		vt_fail("%s", said);
	return ok;
}

static unsigned int words(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += *s == ',';
	return n;
}

static void try_row(const struct tsv *t, int row, const struct err_case *c)
{
	uint64_t until;
	int i;

	make_sides(c);
	if (c->run)
		c->run(c);
	else
		common_course(c);
	until = vt_now_ms() + 10000;
	do {
		look();
		if (as_told(t, row, false))
			break;
		sched_yield();
	} while (vt_now_ms() < until);
	/* and nothing after it */
	round_trips(2);
	look();
	as_told(t, row, true);
	/* in ERR nothing may be left behind */
	for (i = 0; i < 2; i++) {
		if (vt_state(side[i].qp) != IBV_QPS_ERR)
			continue;
		CHECK(!side[i].nsq || words(side[i].sq) == side[i].nsq, "%u sends posted, completions %s",
		      side[i].nsq, side[i].sq);
		CHECK((i && srq) || words(side[i].rq) == side[i].nrq, "%u receives posted, completions %s",
		      side[i].nrq, side[i].rq);
	}
}

int main(int argc, char **argv)
{
	unsigned int bad = 0, tried = 0, others = 0;
	static jmp_buf back;
	static struct tsv t;
	uint64_t start;
	size_t k;
	int i;

	vt_prog = "error_table";
	if (argc < 2) {
		fprintf(stderr, "Usage: error_table ERRORS.tsv [CASE]...\n"
				"Exit status 0: as the table says; 1: not; 2: wrong arguments; 4: it hung.\n");
		return 2;
	}
	tsv_read(&t, argv[1]);
	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	for (k = 0; k < ARRAY_LEN(cases); k++) {
		for (i = 0; i < t.nrows && strcmp(tsv_get(&t, i, "case"), cases[k].name); i++)
			;
		CHECK(i < t.nrows, "the table has no row %s", cases[k].name);
	}
	for (i = 0; i < t.nrows; i++) {
		const char *name = tsv_get(&t, i, "case");
		int failed, a;

		for (a = 2; a < argc && strcmp(argv[a], name); a++)
			;
		if (argc > 2 && a == argc)
			continue;
		for (k = 0; k < ARRAY_LEN(cases) && strcmp(cases[k].name, name); k++)
			;
		if (strcmp(tsv_get(&t, i, "reach"), "verbs")) {
			CHECK(k == ARRAY_LEN(cases), "%s is tried, but the table denies it", name);
			others++;
			continue;
		}
		CHECK(k < ARRAY_LEN(cases), "nothing tries %s", name);
		vt_doing = name;
		vt_limit(60);
		tried++;
		start = vt_now_ms();
		vt_trap = &back;
		failed = setjmp(back);
		if (!failed)
			try_row(&t, i, &cases[k]);
		vt_trap = NULL;
		if (failed)
			printf("not ok %s:%d: %s: %s\n", t.file, t.line[i], name, vt_reason);
		else
			printf("ok %s (%llu ms)\n", name, (unsigned long long)(vt_now_ms() - start));
		bad += !!failed;
		vt_drain_events(A.ctx);
		vt_drain_events(B.ctx);
		CHECK(!vt_drop_all(), "clean-up after %s failed", name);
	}
	vt_close(&A);
	vt_close(&B);
	printf("%u rows tried, %u not as the table says; %u rows are the core's own\n", tried, bad, others);
	return bad ? 1 : 0;
}
