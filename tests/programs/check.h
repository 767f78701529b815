/* SPDX-License-Identifier: GPL-2.0-only */
/* The ground verbs_check's tests stand on: the two ends, and pairs of QPs. */
#ifndef CHECK_H
#define CHECK_H

#include "vt.h"

struct check {
	const char *name;
	void (*run)(void);
};

/* Ends A and B; the same device twice is fine. With opt_gid >= 0 paths have a GRH. */
static struct vt_end A, B;
static int opt_gid = -1;

static VT_UNUSED __attribute__((noreturn)) void skip(const char *why)
{
	snprintf(vt_reason, sizeof(vt_reason), "%s", why);
	longjmp(*vt_trap, 2);
}

/* Runs a test of at most so many seconds and cleans up behind it. 0: good; 1: not; 2: skipped. vt_reason says why. */
static VT_UNUSED int check_one(const struct check *c, unsigned int seconds)
{
	static jmp_buf back;
	const char *left;
	int how;

	vt_doing = c->name;
	vt_limit(seconds);
	vt_reason[0] = 0;
	vt_trap = &back;
	how = setjmp(back);
	if (!how)
		c->run();
	vt_trap = NULL;
	vt_drain_events(A.ctx);
	vt_drain_events(B.ctx);
	left = vt_drop_all();
	if (!how && left) {
		snprintf(vt_reason, sizeof(vt_reason), "clean-up: a %s could not be destroyed", left);
		how = 1;
	}
	alarm(0);
	return how;
}

/* A QP at each end, connected. a and b may lie on the same device. */
struct pair {
	struct ibv_qp *a, *b;
};

#define PSN_A 0xfffff0u /* wraps within every longer test */
#define PSN_B 0x000123u

static struct vt_path path_to(const struct vt_end *e, uint32_t qpn, uint32_t psn)
{
	return (struct vt_path){
		.qpn = qpn,
		.psn = psn,
		.lid = e->attr.lid,
		.mtu = e->attr.active_mtu,
		.use_grh = opt_gid >= 0,
		.sgid_index = e == &B ? A.gid_index : B.gid_index, /* of the end whose path it is */
		.dgid = e->gid,
	};
}

struct tune {
	uint8_t timeout, retry, rnr_timer;
	bool no_retry, no_rnr_retry;
	int access_b; /* 0: all */
	enum ibv_mtu mtu;
};

static VT_UNUSED void connect_pair_tuned(struct pair *p, struct tune t)
{
	struct vt_path to_b = path_to(&B, p->b->qp_num, PSN_B);
	struct vt_path to_a = path_to(&A, p->a->qp_num, PSN_A);

	to_b.timeout = to_a.timeout = t.timeout;
	to_b.retry = to_a.retry = t.retry;
	to_b.rnr_timer = to_a.rnr_timer = t.rnr_timer;
	to_b.no_retry = to_a.no_retry = t.no_retry;
	to_b.no_rnr_retry = to_a.no_rnr_retry = t.no_rnr_retry;
	if (t.mtu)
		to_b.mtu = to_a.mtu = t.mtu;
	vt_to_init(p->a, A.port, VT_ACCESS_ALL);
	vt_to_init(p->b, B.port, t.access_b ? t.access_b : VT_ACCESS_ALL);
	vt_to_rts(p->a, A.port, PSN_A, &to_b);
	vt_to_rts(p->b, B.port, PSN_B, &to_a);
}

static VT_UNUSED struct pair make_pair_tuned(struct vt_qp_opts o, struct tune t)
{
	struct pair p = { vt_qp(&A, o), vt_qp(&B, o) };

	connect_pair_tuned(&p, t);
	return p;
}

static VT_UNUSED struct pair make_pair(void)
{
	return make_pair_tuned((struct vt_qp_opts){}, (struct tune){});
}

/* A signaled work request over one SGE; rdma: where at the peer. */
static VT_UNUSED struct ibv_send_wr wr_of(enum ibv_wr_opcode op, uint64_t wr_id, struct ibv_sge *sge)
{
	return (struct ibv_send_wr){ .wr_id = wr_id, .sg_list = sge, .num_sge = sge ? 1 : 0,
				     .opcode = op, .send_flags = IBV_SEND_SIGNALED };
}

static VT_UNUSED struct ibv_send_wr rdma_of(enum ibv_wr_opcode op, uint64_t wr_id,
					    struct ibv_sge *sge, struct ibv_mr *remote, size_t off)
{
	struct ibv_send_wr wr = wr_of(op, wr_id, sge);

	wr.wr.rdma.remote_addr = (uintptr_t)remote->addr + off;
	wr.wr.rdma.rkey = remote->rkey;
	return wr;
}

/* n round trips of SENDs: time in which other QPs of the adapter get their turn. */
static VT_UNUSED void round_trips(unsigned int n)
{
	unsigned int mark = vt_nthings;
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sa = vt_sge(ma, 0, 8), sb = vt_sge(mb, 0, 8);
	struct ibv_send_wr wa = wr_of(IBV_WR_SEND, 1, &sa), wb = wr_of(IBV_WR_SEND, 1, &sb);
	struct ibv_wc wc;

	while (n--) {
		vt_recv(p.a, 2, ma, 32, 32);
		vt_recv(p.b, 2, mb, 32, 32);
		vt_post(p.a, &wa);
		vt_wc_ok(p.b->recv_cq, &wc);
		vt_post(p.b, &wb);
		vt_wc_ok(p.a->recv_cq, &wc);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->send_cq, &wc);
	}
	CHECK(!vt_drop_to(mark), "clean-up of round trips failed");
}

/* Does the pair still carry a message each way? */
static VT_UNUSED void pair_works(struct pair *p)
{
	struct ibv_mr *ma = vt_buf(&A, 8192), *mb = vt_buf(&B, 8192);
	struct ibv_sge sa = vt_sge(ma, 0, 4096), sb = vt_sge(mb, 0, 4096);
	struct ibv_send_wr wa = wr_of(IBV_WR_SEND, 71, &sa), wb = wr_of(IBV_WR_SEND, 72, &sb);
	struct ibv_wc wc;

	vt_fill(ma->addr, 4096, 71);
	vt_fill(mb->addr, 4096, 72);
	vt_recv(p->a, 73, ma, 4096, 4096);
	vt_recv(p->b, 74, mb, 4096, 4096);
	vt_post(p->a, &wa);
	vt_post(p->b, &wb);
	vt_wc_ok(p->a->recv_cq, &wc);
	CHECK(wc.wr_id == 73, "receive of wr_id %llu, not 73", (unsigned long long)wc.wr_id);
	vt_wc_ok(p->b->recv_cq, &wc);
	CHECK(wc.wr_id == 74, "receive of wr_id %llu, not 74", (unsigned long long)wc.wr_id);
	vt_wc_is(p->a->send_cq, 71, IBV_WC_SUCCESS);
	vt_wc_is(p->b->send_cq, 72, IBV_WC_SUCCESS);
	vt_verify((char *)ma->addr + 4096, 4096, 72, "message to a");
	vt_verify((char *)mb->addr + 4096, 4096, 71, "message to b");
}

static VT_UNUSED void state_is(struct ibv_qp *qp, enum ibv_qp_state want, const char *who)
{
	enum ibv_qp_state is = vt_state(qp);

	CHECK(is == want, "%s is in state %d, not %d", who, is, want);
}

#endif
