// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mistakes of the lessons, made by extended posts (ibv_wr_*), and what is right:
 *
 *     wr_lint CASE
 *
 * Ends with 0 when everything was taken and done, with 1 when it was not. Without a case: prints
 * each with the code that lint finds, none for what is right.
 */
#include "../pitfalls/pitfall.h"

#define BYTES  4096
#define INLINE 32

#define RC_OPS                                                                                     \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ |              \
	 IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH)

static struct end a, b;
static struct ibv_mr *ma, *mb;
static struct ibv_qp_ex *ex; /* of a */

/* a posts by ibv_wr_*, b receives; not connected. */
static void open_ends(enum ibv_qp_type type, uint32_t max_inline)
{
	struct ibv_qp_init_attr_ex attr;
	struct ibv_qp_init_attr plain;

	a = open_end("glass0");
	b = open_end("glass1");
	ma = reg(a.pd, BYTES, IBV_ACCESS_LOCAL_WRITE);
	mb = reg(b.pd, BYTES, IBV_ACCESS_LOCAL_WRITE | REMOTE_ALL);
	add_qp(&b, type);
	plain = qp_attr(&a, type);
	attr = (struct ibv_qp_init_attr_ex){
		.send_cq = plain.send_cq,
		.recv_cq = plain.recv_cq,
		.qp_type = type,
		.cap = plain.cap,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = a.pd,
		.send_ops_flags = type == IBV_QPT_UD ? IBV_QP_EX_WITH_SEND : RC_OPS,
	};
	attr.cap.max_inline_data = max_inline;
	a.qp = ibv_create_qp_ex(a.ctx, &attr);
	if (!a.qp)
		die("create_qp_ex: %s", strerror(errno));
	ex = ibv_qp_to_qp_ex(a.qp);
	to_init(a.qp, REMOTE_ALL);
}

static void connected(enum ibv_qp_type type, uint32_t max_inline)
{
	int i;

	open_ends(type, max_inline);
	for (i = 0; i < DEPTH; i++)
		post_recv(&b, i, mb, 0, GRH_BYTES + 64);
	if (type == IBV_QPT_UD) {
		ready_ud(&b);
		ready_ud(&a);
	} else {
		connect_ends(&a, &b);
	}
}

static void next(unsigned int flags)
{
	ex->wr_id++;
	ex->wr_flags = flags;
}

/* A WRITE of so many bytes. */
static void write_of(uint32_t bytes, unsigned int flags)
{
	next(flags);
	ibv_wr_rdma_write(ex, mb->rkey, (uintptr_t)mb->addr);
	ibv_wr_set_sge(ex, ma->lkey, (uintptr_t)ma->addr, bytes);
}

static void datagram(struct ibv_ah *ah, unsigned int flags)
{
	next(flags);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, ah, b.qp->qp_num, QKEY);
	ibv_wr_set_sge(ex, ma->lkey, (uintptr_t)ma->addr, 64);
}

/* Posts what was made, with so many completions; 1 when it was refused. */
static int complete(int completions)
{
	int err = ibv_wr_complete(ex);

	if (err) {
		fprintf(stderr, "wr_complete: %s\n", strerror(err));
		return 1;
	}
	a.outstanding += completions;
	return 0;
}

static int wait_all(void)
{
	int status = 0;

	while (a.outstanding)
		status |= wait_done(&a);
	return status;
}

/* ---- cases */

static int zero_sge(void)
{
	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	write_of(0, IBV_SEND_SIGNALED);
	return complete(1);
}

static int inline_unasked(void)
{
	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, ma->addr, 8);
	return complete(1);
}

static int inline_too_long(void)
{
	struct ibv_data_buf parts[2];

	connected(IBV_QPT_RC, INLINE);
	parts[0] = (struct ibv_data_buf){ ma->addr, 64 };
	parts[1] = (struct ibv_data_buf){ ma->addr, BYTES - 64 };
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 2, parts);
	return complete(1);
}

static int many_sges(void)
{
	struct ibv_sge sge[64];
	size_t i;

	connected(IBV_QPT_RC, 0);
	for (i = 0; i < 64; i++)
		sge[i] = sge_of(ma, 0, 1);
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 64, sge);
	return complete(1);
}

static int never_signaled(void)
{
	int i, status = 0;

	connected(IBV_QPT_RC, 0);
	for (i = 0; i <= DEPTH && !status; i++) {
		ibv_wr_start(ex);
		write_of(64, 0);
		status = complete(0);
	}
	to_err(a.qp);
	return status;
}

/* One list that is longer than the queue, which is empty. */
static int long_list(void)
{
	int i;

	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	for (i = 0; i <= DEPTH; i++)
		write_of(64, i == DEPTH ? IBV_SEND_SIGNALED : 0);
	return complete(1);
}

/* The queue is full, and the last in it is signaled: no ibv_post_send() goes there. */
static int full_of_both(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	int i, status;

	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	for (i = 1; i <= DEPTH; i++)
		write_of(64, i == DEPTH ? IBV_SEND_SIGNALED : 0);
	status = complete(1);
	sge = sge_of(ma, 0, 64);
	wr = rdma_of(IBV_WR_RDMA_WRITE, 1, &sge, mb);
	return status | !!try_send(&a, &wr);
}

static int wrong_state(void)
{
	open_ends(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	write_of(64, IBV_SEND_SIGNALED);
	return complete(1);
}

static int ah_in_use(void)
{
	struct ibv_ah *ah;
	int i, status;

	connected(IBV_QPT_UD, 0);
	ah = make_ah(a.pd, &b);
	ibv_wr_start(ex);
	for (i = 0; i < 4; i++)
		datagram(ah, IBV_SEND_SIGNALED);
	status = complete(4);
	ibv_destroy_ah(ah);
	return status;
}

static int ah_for_each(void)
{
	int i, status = 0;

	connected(IBV_QPT_UD, 0);
	for (i = 0; i < DEPTH; i++) {
		struct ibv_ah *ah = make_ah(a.pd, &b);

		ibv_wr_start(ex);
		datagram(ah, IBV_SEND_SIGNALED);
		status |= complete(1) || wait_all();
		ibv_destroy_ah(ah);
	}
	return status;
}

static int other_pd(void)
{
	struct ibv_pd *pd;
	struct ibv_ah *ah;
	int status;

	connected(IBV_QPT_UD, 0);
	pd = ibv_alloc_pd(a.ctx);
	ah = make_ah(pd, &b);
	ibv_wr_start(ex);
	datagram(ah, IBV_SEND_SIGNALED);
	status = complete(1);
	if (!status)
		printf("taken\n");
	status |= wait_all();
	if (ibv_destroy_ah(ah) || ibv_dealloc_pd(pd))
		die("destroy failed");
	return status;
}

/* A FLUSH for global visibility of b's memory: qp_access and mr_access say what b's QP and region grant besides. */
static int flush_with(int qp_access, int mr_access, uint32_t rkey_bits, uint8_t level)
{
	struct ibv_mr *mr;
	int status;

	open_ends(IBV_QPT_RC, 0);
	mr = reg(b.pd, BYTES, IBV_ACCESS_LOCAL_WRITE | REMOTE_ALL | mr_access);
	to_init(b.qp, REMOTE_ALL | qp_access);
	connect_ends(&a, &b);
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_flush(ex, mr->rkey ^ rkey_bits, (uintptr_t)mr->addr, 64, IBV_FLUSH_GLOBAL, level);
	status = complete(1) || wait_all();
	unreg(mr);
	return status;
}

static int flush_denied_by_qp(void) { return flush_with(0, IBV_ACCESS_FLUSH_GLOBAL, 0, IBV_FLUSH_RANGE); }
static int flush_denied_by_mr(void) { return flush_with(IBV_ACCESS_FLUSH_GLOBAL, 0, 0, IBV_FLUSH_RANGE); }
static int flush_no_rkey(void)
{
	return flush_with(IBV_ACCESS_FLUSH_GLOBAL, IBV_ACCESS_FLUSH_GLOBAL, 0x00ffff00, IBV_FLUSH_MR);
}
static int good_flush(void)
{
	return flush_with(IBV_ACCESS_FLUSH_GLOBAL, IBV_ACCESS_FLUSH_GLOBAL, 0, IBV_FLUSH_MR);
}

/* A WRITE whose data lies in a region of device memory that was deregistered. */
static int stale_dm(void)
{
	struct ibv_alloc_dm_attr attr = { .length = BYTES };
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	uint32_t lkey;
	int status;

	connected(IBV_QPT_RC, 0);
	dm = ibv_alloc_dm(a.ctx, &attr);
	mr = dm ? ibv_reg_dm_mr(a.pd, dm, 0, BYTES, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!mr)
		die("no region of device memory: %s", strerror(errno));
	lkey = mr->lkey;
	unreg(mr);
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(ex, mb->rkey, (uintptr_t)mb->addr);
	ibv_wr_set_sge(ex, lkey, 0, 64);
	status = complete(1) || wait_all();
	if (ibv_free_dm(dm))
		die("free_dm failed");
	return status;
}

/* An SRQ reaches its limit four times, and nobody reads that. */
static int srq_limits_unread(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct ibv_qp_init_attr attr;
	struct ibv_recv_wr wr, *bad;
	struct ibv_send_wr send;
	struct ibv_sge sge, data;
	struct ibv_srq *srq;
	int i, status = 0;

	a = open_end("glass0");
	b = open_end("glass1");
	ma = reg(a.pd, BYTES, IBV_ACCESS_LOCAL_WRITE);
	mb = reg(b.pd, BYTES, IBV_ACCESS_LOCAL_WRITE);
	srq = ibv_create_srq(b.pd, &init);
	if (!srq)
		die("create_srq: %s", strerror(errno));
	attr = qp_attr(&b, IBV_QPT_RC);
	attr.srq = srq;
	add_qp(&a, IBV_QPT_RC);
	add_qp_with(&b, &attr);
	connect_ends(&a, &b);
	sge = sge_of(mb, 0, 64);
	wr = recv_of(1, &sge);
	data = sge_of(ma, 0, 64);
	send = wr_of(IBV_WR_SEND, 1, &data);
	for (i = 0; i < 4 && !status; i++) {
		if (ibv_post_srq_recv(srq, &wr, &bad) || ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT))
			die("the receive or the limit of the SRQ failed");
		b.outstanding++;
		status = try_send(&a, &send) || wait_done(&a) || wait_done(&b);
	}
	/* not remove_qp(), which reads events */
	if (ibv_destroy_qp(b.qp) || ibv_destroy_srq(srq))
		die("destroy failed");
	b.qp = NULL;
	return status;
}

static int undrained(void)
{
	int status;

	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	write_of(64, IBV_SEND_SIGNALED);
	status = complete(1);
	if (ibv_destroy_qp(a.qp))
		die("destroy_qp failed");
	a.qp = NULL;
	remove_qp(&b);
	return status;
}

/* Lists of several, with and without signals; what is aborted was never posted, whatever it was. */
static int good_rc(void)
{
	uint64_t word = 1;
	int round, i, status = 0;

	connected(IBV_QPT_RC, INLINE);
	for (round = 0; round < 4; round++) {
		ibv_wr_start(ex);
		write_of(0, IBV_SEND_SIGNALED);
		for (i = 0; i <= DEPTH; i++)
			write_of(64, 0);
		ibv_wr_abort(ex);
		ibv_wr_start(ex);
		for (i = 0; i < DEPTH - 3; i++)
			write_of(64, 0);
		next(0);
		ibv_wr_send(ex);
		next(0);
		ibv_wr_send(ex);
		ibv_wr_set_inline_data(ex, ma->addr, INLINE);
		next(IBV_SEND_SIGNALED);
		ibv_wr_rdma_read(ex, mb->rkey, (uintptr_t)mb->addr);
		ibv_wr_set_sge(ex, ma->lkey, (uintptr_t)ma->addr, 64);
		status |= complete(1) || wait_all();
	}
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_atomic_write(ex, mb->rkey, (uintptr_t)mb->addr, &word);
	return status | complete(1);
}

/* Inline data that nobody asked for has an ATOMIC WRITE, on any adapter. */
static int good_atomic_write(void)
{
	uint64_t word = 1;

	connected(IBV_QPT_RC, 0);
	ibv_wr_start(ex);
	next(IBV_SEND_SIGNALED);
	ibv_wr_atomic_write(ex, mb->rkey, (uintptr_t)mb->addr, &word);
	return complete(1);
}

/* The answer tells that the datagram has left, which nobody asked to be signaled. */
static int good_answer(void)
{
	struct ibv_ah *ah, *back;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	int status;

	connected(IBV_QPT_UD, 0);
	ah = make_ah(a.pd, &b);
	back = make_ah(b.pd, &a);
	post_recv(&a, 1, ma, 0, GRH_BYTES + 64);
	ibv_wr_start(ex);
	datagram(ah, 0);
	status = complete(0) || wait_done(&b);
	sge = sge_of(mb, 0, 64);
	wr = datagram_of(1, &sge, back, &a);
	status |= try_send(&b, &wr) || wait_done(&a);
	if (ibv_destroy_ah(ah))
		die("destroy_ah failed");
	/* the one that is signaled, and the receives that are left, which are flushed */
	to_err(b.qp);
	while (b.outstanding)
		wait_wc(&b);
	if (ibv_destroy_ah(back))
		die("destroy_ah failed");
	return status;
}

static int good_ud(void)
{
	struct ibv_ah *ah, *aborted;
	int i, status = 0;

	connected(IBV_QPT_UD, 0);
	ah = make_ah(a.pd, &b);
	for (i = 0; i < 4; i++) {
		aborted = make_ah(a.pd, &b);
		ibv_wr_start(ex);
		datagram(aborted, IBV_SEND_SIGNALED);
		datagram(aborted, IBV_SEND_SIGNALED);
		ibv_wr_abort(ex);
		ibv_wr_start(ex);
		datagram(ah, IBV_SEND_SIGNALED);
		datagram(ah, IBV_SEND_SIGNALED);
		status |= complete(2);
		/* no send names it */
		if (ibv_destroy_ah(aborted))
			die("destroy_ah failed");
		status |= wait_all();
	}
	if (ibv_destroy_ah(ah))
		die("destroy_ah failed");
	return status;
}

static const struct {
	const char *name, *code;
	int (*run)(void);
} cases[] = {
	{ "zero_sge", "GL026", zero_sge },
	{ "inline_unasked", "GL007", inline_unasked },
	{ "inline_too_long", "GL005", inline_too_long },
	{ "many_sges", "GL004", many_sges },
	{ "never_signaled", "GL003", never_signaled },
	{ "long_list", "GL004", long_list },
	{ "full_of_both", "GL004", full_of_both },
	{ "wrong_state", "GL036", wrong_state },
	{ "ah_in_use", "GL016", ah_in_use },
	{ "ah_for_each", "GL017", ah_for_each },
	{ "other_pd", "GL018", other_pd },
	{ "stale_dm", "GL021", stale_dm },
	{ "srq_limits_unread", "GL046", srq_limits_unread },
	{ "undrained", "GL039", undrained },
	{ "flush_denied_by_qp", "GL022", flush_denied_by_qp },
	{ "flush_denied_by_mr", "GL022", flush_denied_by_mr },
	{ "flush_no_rkey", "GL022", flush_no_rkey },
	{ "good_flush", "", good_flush },
	{ "good_rc", "", good_rc },
	{ "good_atomic_write", "", good_atomic_write },
	{ "good_answer", "", good_answer },
	{ "good_ud", "", good_ud },
};

int main(int argc, char **argv)
{
	size_t i;
	int status;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2) {
			printf("%s %s\n", cases[i].name, cases[i].code);
			continue;
		}
		if (strcmp(argv[1], cases[i].name))
			continue;
		status = cases[i].run();
		if (a.qp && a.qp->state == IBV_QPS_RTS)
			status |= wait_all();
		if (a.qp)
			remove_qp(&a);
		if (b.qp)
			remove_qp(&b);
		unreg(ma);
		unreg(mb);
		a.outstanding = 0;
		close_ends(&a, &b);
		return status;
	}
	if (argc > 1)
		die("%s: no such case", argv[1]);
	return 0;
}
