// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that rely on what the specification leaves open, and so fail when strict mode does the
 * other thing, each with its mended twin:
 *
 *     relies KNOB [good]
 *
 * Ends with 0 when it got what it wanted, and with 1 when it did not. Without a knob: prints
 * those that have a program here. The others have a lesson (tests/pitfalls/pairs.tsv).
 */
#include "../pitfalls/pitfall.h"

#define BYTES  64
#define ROUNDS 50 /* of what may go well now and then */

static struct end a, b;
static struct ibv_mr *ma, *mb;

static void open_both(int access)
{
	a = open_end("glass0");
	b = open_end("glass1");
	ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | access);
}

/* The answer is there: so the request was sent, and its completion is. */
static int late_completions(bool good)
{
	struct ibv_qp_init_attr attr;
	struct ibv_sge sge, back;
	struct ibv_send_wr wr, answer;
	struct end in; /* a's receives have a CQ of their own */
	struct ibv_wc wc;
	int i, n, status = 0;

	open_both(0);
	attr = qp_attr(&a, IBV_QPT_RC);
	attr.recv_cq = make_cq(&a, 2 * DEPTH, NULL);
	add_qp_with(&a, &attr);
	add_qp(&b, IBV_QPT_RC);
	connect_ends(&a, &b);
	in = a;
	in.cq = attr.recv_cq;
	sge = sge_of(ma, 0, BYTES);
	back = sge_of(mb, 0, BYTES);
	wr = wr_of(IBV_WR_SEND, 1, &sge);
	answer = wr_of(IBV_WR_SEND, 2, &back);

	for (i = 0; i < ROUNDS && !status; i++) {
		post_recv(&in, 3, ma, BYTES, BYTES);
		post_recv(&b, 4, mb, BYTES, BYTES);
		post_send(&a, &wr);
		status |= wait_done(&b);
		post_send(&b, &answer);
		status |= wait_done(&in);
		n = good ? 0 : ibv_poll_cq(a.cq, 1, &wc);
		if (n == 1)
			a.outstanding--;
		else
			status |= wait_done(&a) | !good;
		status |= wait_done(&b);
	}
	remove_qp(&a);
	if (ibv_destroy_cq(in.cq))
		die("destroy_cq failed");
	remove_qp(&b);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}

/* The region is deregistered: so its memory is this program's alone. */
static int relaxed_invalidation(bool good)
{
	struct ibv_qp_attr rtr, rts;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr gone;
	int i, changed = 0;

	open_both(IBV_ACCESS_REMOTE_WRITE);
	memset(ma->addr, 1, BYTES);
	sge = sge_of(ma, 0, BYTES);
	for (i = 0; i < ROUNDS && !changed; i++) {
		add_qps(&a, &b);
		connect_end(&b, &a);
		rtr = rtr_attr(&a, &b);
		rts = rts_attr(&a);
		give_up_early(&rts);
		connect_with(&a, &rtr, &rts);
		gone = *mb;
		wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, &gone);
		/* nobody comes in by this connection any more */
		if (good)
			to_err(b.qp);
		if (ibv_dereg_mr(mb))
			die("dereg_mr failed");
		post_send(&a, &wr);
		wait_wc(&a);
		changed = *(volatile char *)gone.addr;
		remove_qp(&a);
		remove_qp(&b);
		mb = ibv_reg_mr(b.pd, gone.addr, gone.length,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		if (!mb)
			die("reg_mr: %s", strerror(errno));
	}
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return changed;
}

/* A send with an address handle of another PD is taken; what is wrong, its completion tells. */
static int ah_pd_errno(bool good)
{
	struct ibv_parent_domain_init_attr parent = { 0 };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_ah *ah;
	struct ibv_pd *pd;
	int status;

	open_both(0);
	/* good: the queue pair's is another domain, which protects the same */
	parent.pd = a.pd;
	pd = good ? ibv_alloc_parent_domain(a.ctx, &parent) : ibv_alloc_pd(a.ctx);
	if (!pd)
		die("no PD: %s", strerror(errno));
	a.pd = good ? pd : ma->pd;
	add_qp(&a, IBV_QPT_UD);
	a.pd = ma->pd;
	add_qp(&b, IBV_QPT_UD);
	post_recv(&b, 1, mb, 0, GRH_BYTES + BYTES);
	ready_ud(&b);
	ready_ud(&a);
	ah = make_ah(good ? a.pd : pd, &b);
	sge = sge_of(ma, 0, BYTES);
	wr = datagram_of(1, &sge, ah, &b);
	status = try_send(&a, &wr);
	if (!status)
		status = good ? wait_done(&a) || wait_done(&b) : !wait_done(&a);
	ibv_destroy_ah(ah);
	remove_qp(&a);
	ibv_dealloc_pd(pd);
	remove_qp(&b);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status ? 1 : 0;
}

/* A peer that was refused is told of by the receive that it would have used. */
static int imm_access_event(bool good)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	bool told;

	open_both(0); /* no REMOTE_WRITE */
	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, BYTES);
	connect_ends(&a, &b);
	sge = sge_of(ma, 0, BYTES);
	wr = rdma_of(IBV_WR_RDMA_WRITE_WITH_IMM, 2, &sge, mb);
	post_send(&a, &wr);
	told = wait_done(&a);
	wc = wait_wc(&b);
	told &= good ? wc.status != IBV_WC_SUCCESS : wc.status == IBV_WC_LOC_ACCESS_ERR;
	finish(&a, &b, ma, mb);
	return told ? 0 : 1;
}

/* Posted whenever the state changes: what comes too early is refused, so that one is sent. */
static int post_any_state(bool good)
{
	struct ibv_qp_attr rtr, rts;
	struct ibv_send_wr early, wr;
	struct ibv_sge none, sge;
	int status;

	open_both(0);
	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, BYTES);
	post_recv(&b, 2, mb, BYTES, BYTES);
	post_recv(&b, 3, mb, 2 * BYTES, BYTES);
	connect_end(&b, &a);
	rtr = rtr_attr(&a, &b);
	rts = rts_attr(&a);
	*((char *)ma->addr + BYTES) = 1;
	none = sge_of(ma, 0, BYTES);
	sge = sge_of(ma, BYTES, BYTES);
	early = wr_of(IBV_WR_SEND, 1, &none);
	wr = wr_of(IBV_WR_SEND, 2, &sge);
	if (!good)
		try_send(&a, &early);
	modify(a.qp, &rtr, RTR_MASK);
	if (!good)
		try_send(&a, &early);
	modify(a.qp, &rts, RTS_MASK);
	post_send(&a, &wr);
	status = wait_done(&b);
	/* the first that came is the one that was posted in RTS */
	status |= *(volatile char *)mb->addr != 1;
	finish(&a, &b, ma, mb);
	return status;
}

static const struct {
	const char *knob;
	int (*run)(bool good);
} cases[] = {
	{ "late_completions", late_completions },
	{ "relaxed_invalidation", relaxed_invalidation },
	{ "ah_pd_errno", ah_pd_errno },
	{ "imm_access_event", imm_access_event },
	{ "post_any_state", post_any_state },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc == 1)
			puts(cases[i].knob);
		else if (!strcmp(argv[1], cases[i].knob))
			return cases[i].run(argc > 2);
	}
	return argc == 1 ? 0 : 2;
}
