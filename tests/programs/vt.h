/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the verbs programs here share: ends (an open device and port), things
 * that are cleaned up by themselves, waiting with a limit, and patterns.
 *
 * A wrong turn goes through vt_fail(), which prints and exits unless a program
 * has set vt_trap to come back from it.
 */
#ifndef VT_H
#define VT_H

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VT_UNUSED __attribute__((unused))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static const char *vt_prog = "";
static char vt_reason[512];
static jmp_buf *vt_trap;

static __attribute__((noreturn, format(printf, 1, 2))) void vt_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(vt_reason, sizeof(vt_reason), fmt, ap);
	va_end(ap);
	if (vt_trap)
		longjmp(*vt_trap, 1);
	fprintf(stderr, "%s: %s\n", vt_prog, vt_reason);
	exit(1);
}

#define CHECK(cond, ...)                                                                           \
	do {                                                                                       \
		if (!(cond))                                                                       \
			vt_fail(__VA_ARGS__);                                                      \
	} while (0)

/* ---- memory of this kernel */

/* The bytes of a page: 4 KiB, or 16 KiB on some kernels of arm64. */
static VT_UNUSED uint32_t vt_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

#define PAGE vt_page()

/* ---- time */

static VT_UNUSED uint64_t vt_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static const char *volatile vt_doing = "start";

static VT_UNUSED void vt_alarm(int sig VT_UNUSED)
{
	static const char text[] = ": time limit reached while at: ";

	/* the result is of no use to anybody here */
	if (write(2, vt_prog, strlen(vt_prog)) < 0 || write(2, text, sizeof(text) - 1) < 0 ||
	    write(2, vt_doing, strlen(vt_doing)) < 0 || write(2, "\n", 1) < 0)
		_exit(4);
	_exit(4);
}

/* How much slower this kernel is than Debian's: those that look for mistakes are. */
static VT_UNUSED int vt_slower(void)
{
	const char *slower = getenv("GLASS_SLOWER");
	int times = slower ? atoi(slower) : 1;

	return times > 0 ? times : 1;
}

/* The last resort against hanging for ever; exit status 4. */
static VT_UNUSED void vt_limit(unsigned int seconds)
{
	signal(SIGALRM, vt_alarm);
	alarm(seconds * (unsigned int)vt_slower());
}

#define VT_WAIT_MS (20000 * vt_slower())

/* ---- what tells who started the program that it may go on, and what lets it end */

static VT_UNUSED void vt_ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

static VT_UNUSED volatile sig_atomic_t vt_ended;

static VT_UNUSED void vt_on_end(int sig VT_UNUSED)
{
	vt_ended = 1;
}

/* From here on SIGTERM is let in only while vt_wait_for_end() waits for it. */
static VT_UNUSED void vt_hold_end(void)
{
	struct sigaction sa = { .sa_handler = vt_on_end };
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

/* Prints `ready`, and returns after SIGTERM. */
static VT_UNUSED void vt_wait_for_end(void)
{
	sigset_t none;

	vt_ready();
	sigemptyset(&none);
	while (!vt_ended)
		sigsuspend(&none);
}

/* ---- an open device and one of its ports */

struct vt_end {
	const char *name;
	int port;
	int gid_index;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr dev_attr;
	struct ibv_port_attr attr;
	union ibv_gid gid;
};

static VT_UNUSED struct ibv_context *vt_open_device(const char *name)
{
	struct ibv_device **list, *dev = NULL;
	struct ibv_context *ctx;
	char have[200] = "";
	int n, i;

	list = ibv_get_device_list(&n);
	CHECK(list, "no list of RDMA devices: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		snprintf(have + strlen(have), sizeof(have) - strlen(have), " %s",
			 ibv_get_device_name(list[i]));
		if (!dev && (!name || !strcmp(name, ibv_get_device_name(list[i]))))
			dev = list[i];
	}
	CHECK(dev, "no RDMA device %s; there are:%s", name ? name : "", n ? have : " none");
	ctx = ibv_open_device(dev);
	CHECK(ctx, "cannot open %s: %s", ibv_get_device_name(dev), strerror(errno));
	ibv_free_device_list(list);
	return ctx;
}

/* Opens device and port and waits until a subnet manager has made the port active. */
static VT_UNUSED void vt_open(struct vt_end *e, const char *name, int port, int gid_index)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	memset(e, 0, sizeof(*e));
	e->port = port;
	e->gid_index = gid_index;
	e->ctx = vt_open_device(name);
	e->name = ibv_get_device_name(e->ctx->device);
	CHECK(!ibv_query_device(e->ctx, &e->dev_attr), "%s: query_device failed", e->name);
	CHECK(port >= 1 && port <= e->dev_attr.phys_port_cnt, "%s has no port %d, it has %d",
	      e->name, port, e->dev_attr.phys_port_cnt);
	for (;;) {
		CHECK(!ibv_query_port(e->ctx, port, &e->attr), "%s: query_port failed", e->name);
		if (e->attr.state == IBV_PORT_ACTIVE)
			break;
		CHECK(vt_now_ms() < until, "%s port %d is %s: is a subnet manager running?",
		      e->name, port, ibv_port_state_str(e->attr.state));
		poll(NULL, 0, 50);
	}
	CHECK(!ibv_query_gid(e->ctx, port, gid_index, &e->gid), "%s: no GID %d", e->name,
	      gid_index);
	e->pd = ibv_alloc_pd(e->ctx);
	CHECK(e->pd, "%s: alloc_pd: %s", e->name, strerror(errno));
}

static VT_UNUSED void vt_close(struct vt_end *e)
{
	CHECK(!ibv_dealloc_pd(e->pd), "dealloc_pd of %s failed", e->name);
	CHECK(!ibv_close_device(e->ctx), "close of %s failed", e->name);
}

/* ---- things made, to be unmade in reverse */

enum vt_kind { VT_MEM, VT_PD, VT_MR, VT_CHANNEL, VT_CQ, VT_SRQ, VT_AH, VT_QP };
#define VT_MAX_THINGS 4096
static struct {
	enum vt_kind kind;
	void *ptr;
} vt_things[VT_MAX_THINGS];
static unsigned int vt_nthings;

static VT_UNUSED void vt_track(enum vt_kind kind, void *ptr)
{
	if (vt_nthings == VT_MAX_THINGS) {
		fprintf(stderr, "%s: too many things\n", vt_prog);
		exit(1);
	}
	vt_things[vt_nthings].kind = kind;
	vt_things[vt_nthings++].ptr = ptr;
}

static VT_UNUSED int vt_destroy(enum vt_kind kind, void *ptr)
{
	switch (kind) {
	case VT_MEM:
		free(ptr);
		return 0;
	case VT_PD:
		return ibv_dealloc_pd(ptr);
	case VT_MR:
		return ibv_dereg_mr(ptr);
	case VT_CHANNEL:
		return ibv_destroy_comp_channel(ptr);
	case VT_CQ:
		return ibv_destroy_cq(ptr);
	case VT_SRQ:
		return ibv_destroy_srq(ptr);
	case VT_AH:
		return ibv_destroy_ah(ptr);
	case VT_QP:
		return ibv_destroy_qp(ptr);
	}
	return EINVAL;
}

static VT_UNUSED const char *const vt_kind_names[] = { "memory", "pd", "mr", "channel",
					     "cq",     "srq", "ah", "qp" };

/* Destroys one thing now; it must work. */
static VT_UNUSED void vt_drop(void *ptr)
{
	unsigned int i;

	for (i = 0; i < vt_nthings; i++) {
		if (vt_things[i].ptr != ptr)
			continue;
		int err = vt_destroy(vt_things[i].kind, ptr);

		CHECK(!err, "destroying a %s failed: %s", vt_kind_names[vt_things[i].kind],
		      strerror(err));
		memmove(&vt_things[i], &vt_things[i + 1],
			(vt_nthings - i - 1) * sizeof(vt_things[0]));
		vt_nthings--;
		return;
	}
	vt_fail("vt_drop: no such thing");
}

/* Destroys all that was made since there were `mark` things; says and returns what could not be, or NULL. */
static VT_UNUSED const char *vt_drop_to(unsigned int mark)
{
	const char *bad = NULL;
	int err;

	while (vt_nthings > mark) {
		vt_nthings--;
		err = vt_destroy(vt_things[vt_nthings].kind, vt_things[vt_nthings].ptr);
		if (!err)
			continue;
		bad = vt_kind_names[vt_things[vt_nthings].kind];
		fprintf(stderr, "%s: destroying a %s failed: %s\n", vt_prog, bad, strerror(err));
	}
	return bad;
}

static VT_UNUSED const char *vt_drop_all(void)
{
	return vt_drop_to(0);
}

static VT_UNUSED void *vt_mem(size_t bytes)
{
	void *p;

	CHECK(!posix_memalign(&p, PAGE, bytes ? bytes : 1), "out of memory");
	memset(p, 0, bytes);
	vt_track(VT_MEM, p);
	return p;
}

#define VT_ACCESS_ALL                                                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

static VT_UNUSED struct ibv_mr *vt_mr_of(struct ibv_pd *pd, void *buf, size_t bytes, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, bytes, access);

	CHECK(mr, "reg_mr of %zu bytes: %s", bytes, strerror(errno));
	vt_track(VT_MR, mr);
	return mr;
}

/* A zeroed buffer and its MR with all access. */
static VT_UNUSED struct ibv_mr *vt_buf(struct vt_end *e, size_t bytes)
{
	return vt_mr_of(e->pd, vt_mem(bytes), bytes, VT_ACCESS_ALL);
}

static VT_UNUSED struct ibv_cq *vt_cq(struct vt_end *e, int cqe, struct ibv_comp_channel *ch)
{
	struct ibv_cq *cq = ibv_create_cq(e->ctx, cqe, NULL, ch, 0);

	CHECK(cq, "create_cq of %d: %s", cqe, strerror(errno));
	vt_track(VT_CQ, cq);
	return cq;
}

static VT_UNUSED struct ibv_comp_channel *vt_channel(struct vt_end *e)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(e->ctx);

	CHECK(ch, "create_comp_channel: %s", strerror(errno));
	vt_track(VT_CHANNEL, ch);
	return ch;
}

static VT_UNUSED struct ibv_srq *vt_srq(struct vt_end *e, uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = max_sge } };
	struct ibv_srq *srq = ibv_create_srq(e->pd, &attr);

	CHECK(srq, "create_srq: %s", strerror(errno));
	vt_track(VT_SRQ, srq);
	return srq;
}

/* ---- queue pairs */

struct vt_qp_opts {
	enum ibv_qp_type type; /* 0: RC */
	struct ibv_cq *scq, *rcq; /* NULL: made */
	struct ibv_srq *srq;
	uint32_t wr, sge, inl; /* 0: 64, 4, 0 */
	bool sig_all;
};

static VT_UNUSED struct ibv_qp *vt_qp(struct vt_end *e, struct vt_qp_opts o)
{
	uint32_t wr = o.wr ? o.wr : 64, sge = o.sge ? o.sge : 4;
	struct ibv_qp_init_attr attr = {
		.send_cq = o.scq ? o.scq : vt_cq(e, 2 * wr, NULL),
		.qp_type = o.type ? o.type : IBV_QPT_RC,
		.srq = o.srq,
		.sq_sig_all = o.sig_all,
		.cap = { .max_send_wr = wr,
			 .max_recv_wr = o.srq ? 0 : wr,
			 .max_send_sge = sge,
			 .max_recv_sge = o.srq ? 0 : sge,
			 .max_inline_data = o.inl },
	};
	struct ibv_qp *qp;

	attr.recv_cq = o.rcq ? o.rcq : vt_cq(e, 2 * wr, NULL);
	qp = ibv_create_qp(e->pd, &attr);
	CHECK(qp, "create_qp: %s", strerror(errno));
	vt_track(VT_QP, qp);
	CHECK(attr.cap.max_send_wr >= wr && attr.cap.max_inline_data >= o.inl,
	      "create_qp granted less than asked for");
	return qp;
}

#define VT_QKEY 0x11111111u

static VT_UNUSED void vt_to_init(struct ibv_qp *qp, int port, int access)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = port, .qkey = VT_QKEY };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	int err;

	a.qp_access_flags = access;
	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	err = ibv_modify_qp(qp, &a, mask);
	CHECK(!err, "modify to INIT: %s", strerror(err));
}

/* What two ends must know of each other to connect. */
struct vt_path {
	uint32_t qpn, psn;
	uint16_t lid;
	bool use_grh;
	union ibv_gid dgid;
	int sgid_index;
	enum ibv_mtu mtu;
	/* tuning; 0 means the default */
	uint8_t timeout, retry, rnr_retry, rnr_timer, rd_atomic;
	bool no_retry, no_rnr_retry;
};

static VT_UNUSED int vt_try_rtr(struct ibv_qp *qp, int port, const struct vt_path *to)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = to->mtu ? to->mtu : IBV_MTU_1024,
		.dest_qp_num = to->qpn,
		.rq_psn = to->psn,
		.max_dest_rd_atomic = to->rd_atomic ? to->rd_atomic : 16,
		.min_rnr_timer = to->rnr_timer ? to->rnr_timer : 12,
		.ah_attr = { .dlid = to->lid, .port_num = port, .is_global = to->use_grh },
	};

	if (to->use_grh) {
		a.ah_attr.grh.dgid = to->dgid;
		a.ah_attr.grh.sgid_index = to->sgid_index;
		a.ah_attr.grh.hop_limit = 1;
	}
	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &a, IBV_QP_STATE);
	if (qp->qp_type == IBV_QPT_UC || qp->qp_type == IBV_QPT_XRC_SEND)
		return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
						     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN);
	return ibv_modify_qp(qp, &a,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER);
}

static VT_UNUSED int vt_try_rts(struct ibv_qp *qp, uint32_t psn, const struct vt_path *to)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
		.timeout = to->timeout ? to->timeout : 17,
		.retry_cnt = to->no_retry ? 0 : to->retry ? to->retry : 7,
		.rnr_retry = to->no_rnr_retry ? 0 : to->rnr_retry ? to->rnr_retry : 7,
		.max_rd_atomic = to->rd_atomic ? to->rd_atomic : 16,
	};

	if (qp->qp_type != IBV_QPT_RC && qp->qp_type != IBV_QPT_XRC_SEND)
		return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return ibv_modify_qp(qp, &a,
			     IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* INIT is done before; takes a QP to RTS. psn: the first it sends. */
static VT_UNUSED void vt_to_rts(struct ibv_qp *qp, int port, uint32_t psn, const struct vt_path *to)
{
	int err = vt_try_rtr(qp, port, to);

	CHECK(!err, "modify to RTR: %s", strerror(err));
	err = vt_try_rts(qp, psn, to);
	CHECK(!err, "modify to RTS: %s", strerror(err));
}

static VT_UNUSED void vt_to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };
	int err = ibv_modify_qp(qp, &a, IBV_QP_STATE);

	CHECK(!err, "modify to state %d: %s", state, strerror(err));
}

static VT_UNUSED enum ibv_qp_state vt_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(qp, &a, IBV_QP_STATE, &init), "query_qp failed");
	return a.qp_state;
}

/* ---- completions */

/* One completion, or false when the limit passed without. */
static VT_UNUSED bool vt_try_wc(struct ibv_cq *cq, struct ibv_wc *wc, unsigned int ms)
{
	uint64_t until = 0;
	unsigned int spins = 0;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, wc);
		CHECK(n >= 0, "poll_cq returned %d", n);
		if (n)
			return true;
		sched_yield();
		if (++spins % 64)
			continue;
		if (!until)
			until = vt_now_ms() + ms;
		else if (vt_now_ms() >= until)
			return false;
	}
}

static VT_UNUSED void vt_wc(struct ibv_cq *cq, struct ibv_wc *wc)
{
	CHECK(vt_try_wc(cq, wc, VT_WAIT_MS), "no completion within %d ms", VT_WAIT_MS);
}

static VT_UNUSED void vt_wc_ok(struct ibv_cq *cq, struct ibv_wc *wc)
{
	vt_wc(cq, wc);
	CHECK(wc->status == IBV_WC_SUCCESS, "completion of wr_id %llu: %s (vendor error 0x%x)",
	      (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status), wc->vendor_err);
}

/* The next completion must have this status. */
static VT_UNUSED void vt_wc_is(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	vt_wc(cq, &wc);
	CHECK(wc.wr_id == wr_id && wc.status == status,
	      "wanted wr_id %llu with %s, got wr_id %llu with %s (vendor error 0x%x)",
	      (unsigned long long)wr_id, ibv_wc_status_str(status), (unsigned long long)wc.wr_id,
	      ibv_wc_status_str(wc.status), wc.vendor_err);
}

static VT_UNUSED void vt_empty(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	CHECK(!n, "unexpected completion: poll %d, wr_id %llu, %s", n,
	      (unsigned long long)wc.wr_id, n > 0 ? ibv_wc_status_str(wc.status) : "");
}

/* ---- asynchronous events */

static VT_UNUSED bool vt_readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Takes and acknowledges events until one is of this type; true when it came. */
static VT_UNUSED bool vt_event(struct ibv_context *ctx, enum ibv_event_type type, void *object)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	struct ibv_async_event ev;
	uint64_t now;
	void *element;

	while ((now = vt_now_ms()) < until) {
		if (!vt_readable(ctx->async_fd, until - now))
			break;
		if (ibv_get_async_event(ctx, &ev))
			break;
		element = ev.element.qp;
		ibv_ack_async_event(&ev);
		if (ev.event_type == type && (!object || element == object))
			return true;
	}
	return false;
}

static VT_UNUSED void vt_drain_events(struct ibv_context *ctx)
{
	struct ibv_async_event ev;

	while (vt_readable(ctx->async_fd, 0) && !ibv_get_async_event(ctx, &ev))
		ibv_ack_async_event(&ev);
}

/* ---- work requests */

static VT_UNUSED struct ibv_sge vt_sge(struct ibv_mr *mr, size_t off, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)mr->addr + off, len, mr->lkey };
}

static VT_UNUSED void vt_recv(struct ibv_qp *qp, uint64_t wr_id, struct ibv_mr *mr, size_t off,
			      uint32_t len)
{
	struct ibv_sge sge = vt_sge(mr, off, len);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_recv(qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
}

static VT_UNUSED void vt_post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = ibv_post_send(qp, wr, &bad);

	CHECK(!err, "post_send: %s", strerror(err));
}

/* ---- patterns */

static VT_UNUSED uint8_t vt_byte(uint32_t seed, size_t i)
{
	uint32_t x = seed * 2654435761u + (uint32_t)i;

	x ^= x >> 15;
	x *= 2246822519u;
	return x >> 24;
}

static VT_UNUSED void vt_fill(void *buf, size_t len, uint32_t seed)
{
	uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = vt_byte(seed, i);
}

static VT_UNUSED void vt_verify(const void *buf, size_t len, uint32_t seed, const char *what)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		CHECK(p[i] == vt_byte(seed, i), "%s: byte %zu of %zu is 0x%02x, not 0x%02x", what, i,
		      len, p[i], vt_byte(seed, i));
}

/* Are all bytes of the range this one? Guards around a buffer are checked so. */
static VT_UNUSED void vt_verify_same(const void *buf, size_t len, uint8_t byte, const char *what)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		CHECK(p[i] == byte, "%s: byte %zu was overwritten", what, i);
}

#endif
