/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For first_causes.c: two ends, A (which sends the request that fails) and B, in one process or in two. Both processes run the
 * same course; each does what its own ends do, and they meet between the steps.
 */
#ifndef CAUSES_ENDS_H
#define CAUSES_ENDS_H

#include <netdb.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "vt.h"

enum { A, B };

#define BYTES	  65536 /* of the buffer of each end */
#define DEPTH	  128 /* work requests of a queue */
#define BESIDES	  4 /* the most healthy pairs beside */
#define GOOD_MOST 40 /* messages before the failure */

/* What the seed chooses */
static struct plan {
	bool two; /* processes */
	bool b_is_parent;
	bool swap; /* A is at the second device */
	bool grh;
	unsigned int good, besides;
	enum ibv_wr_opcode op; /* of the request that fails */
	uint32_t len; /* its length */
	enum ibv_mtu mtu;
	uint32_t psn[2]; /* first PSN that each end sends */
	uint8_t timeout, retry, rnr_retry, rnr_timer;
	unsigned int variant; /* of the cause */
} plan;

/* What both processes know of an end */
struct told {
	uint32_t qpn, rkey;
	uint64_t addr;
	uint16_t lid;
	union ibv_gid gid;
	pid_t pid;
};

static struct shared {
	atomic_uint at[2]; /* meetings */
	struct told end[2];
	uint64_t value[4]; /* what a cause tells the other end */
} *shared;

static struct end {
	struct vt_end dev;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
} ends[2];

static const char *devices[2] = { "glass0", "glass1" };
static int me; /* the end of this process, if there are two */
static int first_process = A; /* the end of this host, if there are two hosts */
static pid_t child;
static const char *command; /* what makes the cause from outside; NULL: nothing */
static const char *after; /* runs while the QP that failed is still there */
static bool bury; /* the pairs beside send as fast as they can */
static bool gid_given; /* the path has a GRH, with the GID of gid_index */
static int gid_index;
static const char *cause_name, *seed;

/* ---- chance: the same numbers in both processes */

static uint64_t chance_state;

static uint32_t chance(void)
{
	uint64_t x = chance_state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x >> 32;
}

/* A number from low to high */
static uint32_t between(uint32_t low, uint32_t high)
{
	return low + chance() % (high - low + 1);
}

/* ---- the other process on another host: a TCP connection in the place of shared memory */

static int other_host = -1;

static void whole(ssize_t got, size_t wanted)
{
	CHECK(got == (ssize_t)wanted, "the other host has gone");
}

/* Tells the other host what this end is, and takes what it tells. Of each value one end tells the other. */
static void exchange(void)
{
	static uint64_t agreed[ARRAY_LEN(shared->value)];
	struct shared theirs;
	size_t i;

	whole(send(other_host, shared, sizeof(*shared), MSG_NOSIGNAL), sizeof(*shared));
	whole(recv(other_host, &theirs, sizeof(theirs), MSG_WAITALL), sizeof(theirs));
	shared->end[!me] = theirs.end[!me];
	for (i = 0; i < ARRAY_LEN(agreed); i++) {
		if (theirs.value[i] != agreed[i])
			shared->value[i] = theirs.value[i];
		agreed[i] = shared->value[i];
	}
}

/* Connects to B's process, or (host: NULL) waits for A's. */
static void meet_host(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = host ? 0 : AI_PASSIVE }, *to;
	int one = 1, listener;

	CHECK(!getaddrinfo(host, port, &hints, &to), "no address: %s:%s", host ?: "", port);
	listener = socket(to->ai_family, to->ai_socktype, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (host) {
		uint64_t until = vt_now_ms() + VT_WAIT_MS;

		while (connect(listener, to->ai_addr, to->ai_addrlen)) {
			CHECK(vt_now_ms() < until, "connect to %s:%s: %s", host, port, strerror(errno));
			poll(NULL, 0, 50);
		}
		other_host = listener;
	} else {
		CHECK(!bind(listener, to->ai_addr, to->ai_addrlen) && !listen(listener, 1), "listen: %s", strerror(errno));
		other_host = accept(listener, NULL, NULL);
		CHECK(other_host >= 0, "accept: %s", strerror(errno));
		close(listener);
	}
	freeaddrinfo(to);
}

/* ---- processes */

static bool mine(int e)
{
	return !plan.two || e == me;
}

static bool child_ended(void)
{
	siginfo_t info = {};

	return child && !waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* Waits until the other process is as far. */
static void meet(void)
{
	unsigned int n;

	if (other_host >= 0)
		exchange();
	if (!plan.two || other_host >= 0)
		return;
	n = atomic_fetch_add(&shared->at[me], 1) + 1;
	while (atomic_load(&shared->at[!me]) < n) {
		/* a child that has just ended may have come here before */
		CHECK(!child_ended() || atomic_load(&shared->at[!me]) >= n, "the other process has ended");
		poll(NULL, 0, 1);
	}
}

/* Becomes the two processes of the plan. */
static void split(void)
{
	int parent = plan.b_is_parent ? B : A;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED, "mmap: %s", strerror(errno));
	me = parent;
	if (other_host >= 0)
		me = first_process;
	if (!plan.two || other_host >= 0)
		return;
	child = fork();
	CHECK(child >= 0, "fork: %s", strerror(errno));
	if (child)
		return;
	me = !parent;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the alarm of a parent is not that of its child */
	vt_limit(100);
}

/* Both processes end; the child's status must be good. */
static void join(void)
{
	int status = 0;

	if (other_host >= 0)
		return;
	if (plan.two && !child)
		exit(0);
	if (child)
		CHECK(waitpid(child, &status, 0) == child && !status, "the other process ended with status 0x%x", status);
}

/* ---- what is true: a line of JSON for each failure that there must be */

/* object: "qp" or "cq"; a CQ has no number that a program knows. says: words that the verdict must name, joined by '|' */
static void truth_of(int e, const char *object, uint32_t num, const char *cause, const char *says)
{
	char line[600];
	int n;

	n = snprintf(line, sizeof(line),
		     "{\"run\":\"%s\",\"seed\":\"%s\",\"dev\":\"%s\",\"object\":\"%s\",\"num\":\"0x%x\",\"pid\":%d,\"cause\":\"%s\",\"says\":\"%s\"}\n",
		     cause_name, seed, ends[e].dev.name, object, num, shared->end[e].pid, cause, says);
	CHECK(n < (int)sizeof(line) && write(1, line, n) == n, "write: %s", strerror(errno));
}

static __attribute__((format(printf, 3, 4))) void truth(int e, const char *cause, const char *says, ...)
{
	char text[300];
	va_list ap;

	if (!mine(e))
		return;
	va_start(ap, says);
	vsnprintf(text, sizeof(text), says, ap);
	va_end(ap);
	truth_of(e, "qp", shared->end[e].qpn, cause, text);
}

/* ---- ends */

static void make_end(int e)
{
	struct end *x = &ends[e];
	struct vt_qp_opts o = { .wr = DEPTH, .sge = 1 };

	vt_open(&x->dev, devices[e ^ plan.swap], 1, gid_index);
	x->mr = vt_buf(&x->dev, BYTES);
	vt_fill(x->mr->addr, BYTES, e);
	x->scq = o.scq = vt_cq(&x->dev, 2 * DEPTH, NULL);
	x->rcq = o.rcq = vt_cq(&x->dev, 2 * DEPTH, NULL);
	x->qp = vt_qp(&x->dev, o);
	shared->end[e] = (struct told){ .qpn = x->qp->qp_num, .lid = x->dev.attr.lid, .gid = x->dev.gid, .pid = getpid(),
					.rkey = x->mr->rkey, .addr = (uintptr_t)x->mr->addr };
}

static void make_ends(void)
{
	if (mine(A))
		make_end(A);
	if (mine(B))
		make_end(B);
	meet();
}

/* How the end e is connected according to the plan; a cause changes some of it. */
static struct vt_path path_of(int e)
{
	return (struct vt_path){ .qpn = shared->end[!e].qpn, .psn = plan.psn[!e], .lid = shared->end[!e].lid,
				 .use_grh = plan.grh, .dgid = shared->end[!e].gid, .sgid_index = gid_index, .mtu = plan.mtu,
				 .timeout = plan.timeout, .retry = plan.retry, .rnr_retry = plan.rnr_retry,
				 .no_rnr_retry = !plan.rnr_retry, .rnr_timer = plan.rnr_timer };
}

static void connect_by(int e, const struct vt_path *to)
{
	if (!mine(e))
		return;
	vt_to_init(ends[e].qp, 1, VT_ACCESS_ALL);
	vt_to_rts(ends[e].qp, 1, plan.psn[e], to);
}

static void connect_end(int e)
{
	struct vt_path to = path_of(e);

	connect_by(e, &to);
}

static void connect_both(void)
{
	connect_end(A);
	connect_end(B);
	meet();
}

/* ---- requests */

static bool takes_receive(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* A request of A, to the start of B's buffer; a cause changes some of it. */
static struct ibv_send_wr request(struct ibv_sge *sge, enum ibv_wr_opcode op, uint32_t len)
{
	struct ibv_send_wr wr = { .wr_id = 1000 + op, .sg_list = sge, .num_sge = 1, .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED };

	*sge = vt_sge(ends[A].mr, 0, is_atomic(op) ? 8 : len);
	if (is_atomic(op)) {
		wr.wr.atomic.remote_addr = shared->end[B].addr;
		wr.wr.atomic.rkey = shared->end[B].rkey;
	} else {
		wr.wr.rdma.remote_addr = shared->end[B].addr;
		wr.wr.rdma.rkey = shared->end[B].rkey;
	}
	return wr;
}

static void post_request(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = request(&sge, plan.op, plan.len);

	vt_post(ends[A].qp, &wr);
}

static enum ibv_wr_opcode any_op(void)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND_WITH_IMM,
						  IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_ATOMIC_FETCH_AND_ADD,
						  IBV_WR_ATOMIC_CMP_AND_SWP };

	return ops[chance() % ARRAY_LEN(ops)];
}

/* Messages that arrive, of all sorts; B posts `extra` receives beyond. */
static void good_messages(unsigned int extra)
{
	enum ibv_wr_opcode op[GOOD_MOST];
	uint32_t len[GOOD_MOST];
	unsigned int i, receives = 0;
	struct ibv_wc wc;

	for (i = 0; i < plan.good; i++) {
		op[i] = any_op();
		len[i] = between(0, 3) ? between(1, 3000) : between(1, BYTES);
		receives += takes_receive(op[i]);
	}
	for (i = 0; mine(B) && i < receives + extra; i++)
		vt_recv(ends[B].qp, i, ends[B].mr, 0, BYTES);
	meet();
	for (i = 0; mine(A) && i < plan.good; i++) {
		struct ibv_sge sge;
		struct ibv_send_wr wr = request(&sge, op[i], len[i]);

		vt_post(ends[A].qp, &wr);
		vt_wc_ok(ends[A].scq, &wc);
	}
	for (i = 0; mine(B) && i < receives; i++)
		vt_wc_ok(ends[B].rcq, &wc);
	meet();
}

/* ---- healthy pairs beside, both ends of which are A's process's */

static struct beside {
	struct ibv_qp *from, *to;
	struct ibv_cq *cq;
	unsigned int outstanding;
} beside[BESIDES];
static struct vt_end beside_dev[2];
/* so few that the flight recorder keeps what matters */
static unsigned int beside_left = 200;
static struct ibv_mr *beside_mr[2];

static void make_besides(void)
{
	unsigned int i;
	int e;

	if (!plan.besides)
		return;
	for (e = 0; e < 2; e++) {
		vt_open(&beside_dev[e], devices[e], 1, gid_index);
		beside_mr[e] = vt_buf(&beside_dev[e], 4096);
	}
	for (i = 0; i < plan.besides; i++) {
		struct beside *p = &beside[i];
		struct vt_qp_opts o = { .wr = 32, .sge = 1 };
		/* long enough for a busy machine */
		struct vt_path to = { .psn = 7, .mtu = IBV_MTU_1024, .timeout = 19, .retry = 7 };

		p->cq = o.scq = o.rcq = vt_cq(&beside_dev[A], 64, NULL);
		p->from = vt_qp(&beside_dev[A], o);
		p->to = vt_qp(&beside_dev[B], (struct vt_qp_opts){ .wr = 32, .sge = 1 });
		vt_to_init(p->from, 1, VT_ACCESS_ALL);
		vt_to_init(p->to, 1, VT_ACCESS_ALL);
		to.qpn = p->to->qp_num;
		to.lid = beside_dev[B].attr.lid;
		vt_to_rts(p->from, 1, 7, &to);
		to.qpn = p->from->qp_num;
		to.lid = beside_dev[A].attr.lid;
		vt_to_rts(p->to, 1, 7, &to);
	}
}

static void beside_post(struct beside *p)
{
	struct ibv_sge sge = vt_sge(beside_mr[A], 0, bury ? 8 : 4096);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { (uintptr_t)beside_mr[B]->addr, beside_mr[B]->rkey } };

	vt_post(p->from, &wr);
	p->outstanding++;
	beside_left -= !bury;
}

/* Takes completions of the pairs, which must be good. more: sends on */
static bool beside_step(bool more)
{
	unsigned int i, left = 0;
	struct ibv_wc wc;

	for (i = 0; i < plan.besides; i++) {
		struct beside *p = &beside[i];

		while (ibv_poll_cq(p->cq, 1, &wc) == 1) {
			CHECK(wc.status == IBV_WC_SUCCESS, "a healthy QP failed: %s", ibv_wc_status_str(wc.status));
			p->outstanding--;
		}
		while (more && beside_left && p->outstanding < (bury ? 16 : 1))
			beside_post(p);
		left += p->outstanding;
	}
	return left;
}

static void end_besides(void)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	while (beside_step(false))
		CHECK(vt_now_ms() < until, "a healthy QP hangs");
}

/* ---- the failure */

/* Waits until a request of the end fails, with traffic beside. Returns its status. */
static enum ibv_wc_status wait_failure(int e, struct ibv_cq *cq)
{
	uint64_t until = vt_now_ms() + 2 * VT_WAIT_MS;
	struct ibv_wc wc;

	for (;;) {
		while (ibv_poll_cq(cq, 1, &wc) == 1) {
			if (wc.status == IBV_WC_SUCCESS)
				continue;
			if (e == A)
				end_besides();
			return wc.status;
		}
		if (e == A)
			beside_step(true);
		CHECK(vt_now_ms() < until, "no request failed");
		sched_yield();
	}
}

/* A's request must fail with that status. */
static void fails(enum ibv_wc_status status)
{
	enum ibv_wc_status got;

	if (!mine(A))
		return;
	got = wait_failure(A, ends[A].scq);
	CHECK(got == status, "the request failed with %s, not with %s", ibv_wc_status_str(got), ibv_wc_status_str(status));
}

/* Runs a command of A's process; its environment names both QPs. */
static void run_command(const char *line)
{
	static const char *const names[2] = { "A", "B" };
	char name[16], value[40];
	int e;

	if (!line || !mine(A))
		return;
	for (e = 0; e < 2; e++) {
		snprintf(name, sizeof(name), "%s_QPN", names[e]);
		snprintf(value, sizeof(value), "0x%x", shared->end[e].qpn);
		setenv(name, value, 1);
		snprintf(name, sizeof(name), "%s_DEV", names[e]);
		setenv(name, devices[e ^ plan.swap], 1);
	}
	CHECK(!system(line), "the command failed: %s", line);
}

#endif
