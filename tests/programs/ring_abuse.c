// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program gone wild: it writes into the rings it shares with the driver what
 * no provider writes. Allowed ends are an error completion, a QP, CQ or SRQ in
 * error, or nothing at all; not allowed are a crash, a hang, and harm to other
 * QPs, which is what a pair that behaves finds out after each round.
 */
#include <getopt.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "abuse_srq.h"
#include "check.h"
#include "rings.h"
#include "uapi/glass-abi.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-ioctl.h"

static unsigned int seed = 1;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

struct victim {
	struct pair p;
	struct glass_ring_hdr *sq, *rq; /* of p.a */
	uint32_t sq_stride, rq_stride;
	struct ibv_mr *ma, *mb;
};

static struct pair good; /* behaves, and must not suffer */

static struct ibv_ah *ah_to_b(void)
{
	struct ibv_ah_attr attr = { .dlid = B.attr.lid, .port_num = A.port };
	struct ibv_ah *ah = ibv_create_ah(A.pd, &attr);

	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	return ah;
}

#define WR 16

static struct victim make_victim(enum ibv_qp_type type)
{
	struct vt_qp_opts o = { .type = type, .wr = WR, .sge = 30, .inl = 512 };
	uint64_t id[2] = { unique_id(), unique_id() };
	uint8_t *first, *second = NULL;
	struct victim v = {};
	int i;

	o.scq = vt_cq(&A, 256, NULL);
	o.rcq = vt_cq(&A, 256, NULL);
	v.p.a = vt_qp(&A, o);
	o.scq = o.rcq = NULL;
	v.p.b = vt_qp(&B, o);
	v.ma = vt_buf(&A, 65536);
	v.mb = vt_buf(&B, 65536);
	if (type == IBV_QPT_UD) {
		struct vt_path none = {};

		vt_to_init(v.p.a, A.port, 0);
		vt_to_rts(v.p.a, A.port, 1, &none);
	} else {
		connect_pair_tuned(&v.p, (struct tune){ .timeout = 10, .retry = 2 });
	}

	/* two receives show where the receive ring is, and its stride */
	vt_recv(v.p.a, id[0], v.ma, 0, 64);
	vt_recv(v.p.a, id[1], v.ma, 0, 64);
	first = find_recv(id[0]);
	v.rq = hdr_before(first, 2);
	v.rq_stride = find_recv(id[1]) - first;
	/* and two sends show the same of the send ring */
	for (i = 0; i < 2; i++) {
		struct ibv_sge sge = vt_sge(v.ma, 0, 8);
		struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, unique_id(), &sge, v.mb, 0);
		struct ibv_wc wc;

		if (type == IBV_QPT_UD) {
			wr.opcode = IBV_WR_SEND;
			wr.wr.ud.ah = ah_to_b();
			wr.wr.ud.remote_qpn = 0xfffff0;
		}
		vt_post(v.p.a, &wr);
		vt_wc_ok(v.p.a->send_cq, &wc);
		first = second;
		second = find_send(&wr);
	}
	v.sq = hdr_before(first, 2);
	v.sq_stride = second - first;
	return v;
}

static struct glass_abi_send_wqe *swqe(struct victim *v, uint32_t index)
{
	return (void *)((uint8_t *)v->sq + GLASS_RING_HDR_BYTES + (size_t)(index % WR) * v->sq_stride);
}

static struct glass_abi_recv_wqe *rwqe(struct victim *v, uint32_t index)
{
	return (void *)((uint8_t *)v->rq + GLASS_RING_HDR_BYTES + (size_t)(index % WR) * v->rq_stride);
}

/* The doorbell without the provider. Returns 0 or the errno value. */
static int doorbell(struct ibv_context *ctx, uint32_t handle, uint32_t wr_count)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send core;
		uint8_t room[128];
	} cmd = {
		.hdr.command = IB_USER_VERBS_CMD_POST_SEND,
		.core.response = (uintptr_t)&resp,
		.core.qp_handle = handle,
		.core.wr_count = wr_count,
		.core.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	size_t len = sizeof(cmd.hdr) + sizeof(cmd.core) + wr_count * sizeof(struct ib_uverbs_send_wr);

	if (len > sizeof(cmd))
		len = sizeof(cmd);
	len &= ~(size_t)3;
	cmd.hdr.in_words = len / 4;
	cmd.hdr.out_words = sizeof(resp) / 4;
	return write(ctx->cmd_fd, &cmd, len) == (ssize_t)len ? 0 : errno;
}

static void publish(struct victim *v, uint32_t producer)
{
	__atomic_store_n(&v->sq->producer, producer, __ATOMIC_RELEASE);
	doorbell(A.ctx, v->p.a->handle, 0);
}

/* Waits until the victim has an error to show: a completion, or its state. */
static void must_fail(struct victim *v, const char *what)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	struct ibv_wc wc;

	for (;;) {
		while (ibv_poll_cq(v->p.a->send_cq, 1, &wc) > 0)
			if (wc.status != IBV_WC_SUCCESS)
				return;
		while (ibv_poll_cq(v->p.a->recv_cq, 1, &wc) > 0)
			if (wc.status != IBV_WC_SUCCESS)
				return;
		if (vt_state(v->p.a) == IBV_QPS_ERR || vt_state(v->p.a) == IBV_QPS_SQE)
			return;
		CHECK(vt_now_ms() < until, "%s: no error of any kind", what);
		sched_yield();
	}
}

/* A WQE that would be all right, to be spoilt. */
static struct glass_abi_send_wqe *next_wqe(struct victim *v, uint32_t op)
{
	struct glass_abi_send_wqe *w = swqe(v, v->sq->producer);
	struct glass_abi_sge *sge = (void *)(w + 1);

	memset(w, 0, v->sq_stride);
	w->wr_id = 77;
	w->opcode = op;
	w->flags = GLASS_WQE_SIGNALED;
	w->num_sge = 1;
	w->rkey = v->mb->rkey;
	w->remote_addr = (uintptr_t)v->mb->addr;
	sge->addr = (uintptr_t)v->ma->addr;
	sge->length = 64;
	sge->lkey = v->ma->lkey;
	return w;
}

/* ---- what is done to them */

static void producer_far(void)
{
	static const uint32_t by[] = { WR + 1, 1000, 0x7fffffff, 0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(by); i++) {
		struct victim v = make_victim(IBV_QPT_RC);

		publish(&v, v.sq->producer + by[i]);
		must_fail(&v, "send producer far ahead");
	}
}

static void bad_opcode(void)
{
	static const uint32_t ops[] = { GLASS_OP_COUNT, 8, 200, 256, 0x10000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(ops); i++) {
		struct victim v = make_victim(IBV_QPT_RC);

		next_wqe(&v, ops[i]);
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "bad opcode");
	}
}

static void bad_num_sge(void)
{
	static const uint32_t n[] = { 31, 64, 1000, 0x10000001, 0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(n); i++) {
		struct victim v = make_victim(IBV_QPT_RC);

		next_wqe(&v, GLASS_OP_WRITE)->num_sge = n[i];
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "bad num_sge");
	}
}

static void bad_inline(void)
{
	static const uint32_t n[] = { 2049, 4096, 0x7fffffff, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(n); i++) {
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_send_wqe *w = next_wqe(&v, GLASS_OP_WRITE);

		w->flags |= GLASS_WQE_INLINE;
		w->inline_len = n[i];
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "bad inline length");
	}
	/* an operation that brings data cannot have it inline */
	{
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_send_wqe *w = next_wqe(&v, GLASS_OP_READ);

		w->flags |= GLASS_WQE_INLINE;
		w->inline_len = 64;
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "inline READ");
	}
}

static void length_overflow(void)
{
	static const uint32_t ops[] = { GLASS_OP_WRITE, GLASS_OP_READ, GLASS_OP_SEND, GLASS_OP_CMP_SWAP };
	unsigned int i, k;

	for (i = 0; i < ARRAY_LEN(ops); i++) {
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_send_wqe *w = next_wqe(&v, ops[i]);
		struct glass_abi_sge *sge = (void *)(w + 1);

		w->num_sge = 30;
		for (k = 0; k < 30; k++)
			sge[k] = (struct glass_abi_sge){ sge[0].addr, 0xffffffff - k, sge[0].lkey };
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "lengths that overflow");
	}
	for (i = 0; i < ARRAY_LEN(ops); i++) {
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_send_wqe *w = next_wqe(&v, ops[i]);
		struct glass_abi_sge *sge = (void *)(w + 1);

		sge->addr = ~0ull - 3;
		sge->length = i == 3 ? 8 : 4096;
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "an address that wraps");
	}
	for (i = 0; i < 2; i++) {
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_send_wqe *w = next_wqe(&v, ops[i]);

		w->remote_addr = ~0ull - 3;
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "a remote address that wraps");
	}
}

static void bad_ah(void)
{
	static const uint32_t nums[] = { 0, 0xffffff, 0x7fffffff, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(nums); i++) {
		struct victim v = make_victim(IBV_QPT_UD);
		struct glass_abi_send_wqe *w = next_wqe(&v, GLASS_OP_SEND);

		w->ah_num = nums[i];
		w->remote_qpn = 0xffffffff;
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "an address handle that does not exist");
	}
	/* an RDMA operation on a datagram QP */
	{
		struct victim v = make_victim(IBV_QPT_UD);

		next_wqe(&v, GLASS_OP_WRITE);
		publish(&v, v.sq->producer + 1);
		must_fail(&v, "WRITE on UD");
	}
}

static void send_to(struct victim *v)
{
	struct ibv_sge sge = vt_sge(v->mb, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	vt_post(v->p.b, &wr);
}

static void bad_recv(void)
{
	static const uint32_t by[] = { WR + 1, 0x7fffffff, 0x80000000, 0xfffffff0 };
	static const uint32_t n[] = { 31, 1000, 0x10000001, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(by); i++) {
		struct victim v = make_victim(IBV_QPT_RC);

		__atomic_store_n(&v.rq->producer, v.rq->consumer + by[i], __ATOMIC_RELEASE);
		send_to(&v);
		must_fail(&v, "receive producer far ahead");
	}
	for (i = 0; i < ARRAY_LEN(n); i++) {
		struct victim v = make_victim(IBV_QPT_RC);

		rwqe(&v, 0)->num_sge = n[i];
		send_to(&v);
		must_fail(&v, "receive with bad num_sge");
	}
	for (i = 0; i < 2; i++) {
		struct victim v = make_victim(IBV_QPT_RC);
		struct glass_abi_sge *sge = (void *)(rwqe(&v, 0) + 1);

		sge->addr = i ? ~0ull - 3 : 0xffff800000000000ull;
		sge->length = 0xffffffff;
		send_to(&v);
		must_fail(&v, "receive into nowhere");
	}
}

static void bad_srq(void)
{
	struct ibv_srq *srq = vt_srq(&B, WR, 2);
	struct ibv_mr *mr = vt_buf(&B, 64);
	struct ibv_sge sb = vt_sge(mr, 0, 64);
	struct ibv_recv_wr recv = { .sg_list = &sb, .num_sge = 1 }, *bad;
	struct pair p;
	int i;

	p.a = vt_qp(&A, (struct vt_qp_opts){});
	p.b = vt_qp(&B, (struct vt_qp_opts){ .srq = srq });
	connect_pair_tuned(&p, (struct tune){ .timeout = 10, .retry = 2 });
	vt_drain_events(B.ctx);
	for (i = 0; i < 13; i++)
		CHECK(!ibv_post_srq_recv(srq, &recv, &bad), "post_srq_recv failed");
	find_hdr((struct glass_ring_hdr){ .producer = 13, .awake = 1 })->producer = 0x12345678;
	{
		struct ibv_mr *ma = vt_buf(&A, 64);
		struct ibv_sge sge = vt_sge(ma, 0, 64);
		struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
		struct ibv_wc wc;

		vt_post(p.a, &wr);
		vt_wc(p.a->send_cq, &wc);
		CHECK(wc.status != IBV_WC_SUCCESS, "a message arrived through a broken SRQ");
	}
	CHECK(vt_event(B.ctx, IBV_EVENT_SRQ_ERR, srq), "no SRQ_ERR event");
}

/* The consumer index of a CQ and everything else in it, while it is in use. */
static void bad_cq(void)
{
	static const uint32_t by[] = { 1, 1000, 0x7fffffff, 0x80000000, 0xffffffff };
	unsigned int i, k;

	for (i = 0; i < ARRAY_LEN(by); i++) {
		struct glass_ring_hdr *hdr;
		struct ibv_cq *cq;
		struct ibv_wc wc;
		struct pair p;

		cq = vt_cq(&A, WR, NULL);
		p.a = vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 32 });
		p.b = vt_qp(&B, (struct vt_qp_opts){});
		connect_pair_tuned(&p, (struct tune){});
		struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
		struct ibv_sge sge = vt_sge(ma, 0, 64);

		/* as many completions as no other queue has had entries; the send queue had three more */
		for (k = 0; k < 173 + 10 * i; k++) {
			struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, k, &sge, mb, 0);

			wr.send_flags = 0;
			if (k < 3)
				vt_post(p.a, &wr);
			wr.send_flags = IBV_SEND_SIGNALED;
			vt_post(p.a, &wr);
			vt_wc_ok(cq, &wc);
		}
		hdr = find_hdr((struct glass_ring_hdr){ .producer = k, .consumer = k });
		for (k = 0; k < 30; k++) {
			struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, k, &sge, mb, 0);

			__atomic_store_n(&hdr->consumer, hdr->consumer + by[i], __ATOMIC_RELEASE);
			__atomic_store_n(&hdr->producer, rnd(), __ATOMIC_RELEASE);
			vt_post(p.a, &wr);
		}
		round_trips(2);
		/* what polling finds now is the program's own fault; it must end */
		for (k = 0; k < 100; k++)
			ibv_poll_cq(cq, 1, &wc);
	}
}

/* Rings full of dice, any producer. */
static void random_rings(void)
{
	unsigned int i, k;

	for (i = 0; i < 150; i++) {
		unsigned int mark = vt_nthings;
		struct victim v = make_victim(i % 5 ? IBV_QPT_RC : IBV_QPT_UD);
		uint32_t *words = (uint32_t *)((uint8_t *)v.sq + GLASS_RING_HDR_BYTES);
		uint32_t base = v.sq->consumer;

		for (k = 0; k < WR * v.sq_stride / 4; k++)
			words[k] = rnd();
		words = (uint32_t *)((uint8_t *)v.rq + GLASS_RING_HDR_BYTES);
		for (k = 0; k < WR * v.rq_stride / 4; k++)
			words[k] = rnd();
		/* plausible headers, so that more than the first check is reached */
		for (k = 0; k < WR; k++) {
			struct glass_abi_send_wqe *w = swqe(&v, k);

			if (rnd() % 4)
				w->opcode = rnd() % GLASS_OP_COUNT;
			if (rnd() % 4)
				w->num_sge = rnd() % 4;
			if (rnd() % 4)
				w->flags &= ~GLASS_WQE_INLINE;
			if (rnd() % 2)
				w->rkey = v.mb->rkey;
			if (rnd() % 2) {
				struct glass_abi_sge *sge = (void *)(w + 1);

				sge->addr = (uintptr_t)v.ma->addr;
				sge->length = rnd() % 100000;
				sge->lkey = v.ma->lkey;
			}
		}
		v.sq->awake = rnd();
		v.rq->awake = rnd();
		publish(&v, base + (rnd() % 3 ? rnd() % WR + 1 : rnd()));
		if (v.p.a->qp_type == IBV_QPT_RC)
			send_to(&v);
		must_fail(&v, "random rings");
		if (i % 10 == 9)
			pair_works(&good);
		CHECK(!vt_drop_to(mark), "clean-up failed");
	}
}

/* One thread posts what is right, another scribbles over the ring meanwhile. */
struct scribble {
	struct victim *v;
	unsigned int seed;
	volatile bool stop;
};

static void *scribbler(void *arg)
{
	struct scribble *s = arg;
	unsigned int x = s->seed;

	while (!s->stop) {
		uint32_t *w = (uint32_t *)swqe(s->v, x % WR);

		x = x * 1664525 + 1013904223;
		/* header and first SGEs, where the numbers are that one could check and then use */
		__atomic_store_n(&w[(x >> 8) % 48], x, __ATOMIC_RELAXED);
		if (x % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static void scribble(void)
{
	unsigned int i, k;

	for (i = 0; i < 40; i++) {
		unsigned int mark = vt_nthings;
		struct victim v = make_victim(IBV_QPT_RC);
		struct scribble s = { .v = &v, .seed = rnd() };
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, scribbler, &s), "pthread_create failed");
		for (k = 0; k < 200; k++) {
			struct ibv_sge sge = vt_sge(v.ma, 0, 64 * (k % 100));
			struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE, k, &sge, v.mb, 0), *bad;
			struct ibv_wc wc;

			if (!ibv_post_send(v.p.a, &wr, &bad))
				vt_try_wc(v.p.a->send_cq, &wc, 20);
			if (k % 20 == 19 && vt_state(v.p.a) == IBV_QPS_ERR)
				break;
		}
		s.stop = true;
		pthread_join(thread, NULL);
		CHECK(!vt_drop_to(mark), "clean-up failed");
	}
}

/* The descriptors that are doorbells of this process, of all contexts. Returns how many. */
static int doorbell_fds(int *fds, int max)
{
	char path[64], name[64];
	int fd, n = 0;

	for (fd = 0; fd < 1024 && n < max; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, name, sizeof(name) - 1);
		if (len < 0)
			continue;
		name[len] = 0;
		if (strstr(name, "[glass_doorbell]"))
			fds[n++] = fd;
	}
	return n;
}

/* A descriptor that is rung by lseek(): what is not a QP of its own context is refused. */
static void bad_doorbells(void)
{
	static const off_t none[] = { 0, 1, 0xffffff, 0x1000000, -1, INT64_MAX, INT64_MIN };
	struct victim v = make_victim(IBV_QPT_RC);
	unsigned long qpn = v.p.a->qp_num;
	int fds[16], n, took = 0, i, fd;
	struct ibv_context *other;
	uint8_t byte = 0;
	size_t k;

	n = doorbell_fds(fds, ARRAY_LEN(fds));
	CHECK(n, "no doorbell is open");
	for (i = 0; i < n; i++) {
		took += !lseek(fds[i], qpn, GLASS_DOORBELL_WHENCE);
		for (k = 0; k < ARRAY_LEN(none); k++)
			CHECK(lseek(fds[i], none[k], GLASS_DOORBELL_WHENCE) < 0 && errno == EINVAL,
			      "QP number 0x%jx was taken", (intmax_t)none[k]);
		for (k = SEEK_CUR; k <= SEEK_END + 3; k++)
			CHECK(lseek(fds[i], qpn, k) < 0 && errno == EINVAL, "whence %zu was taken", k);
		CHECK(ioctl(fds[i], 0x1bd0, qpn) < 0 && errno == ENOTTY, "an ioctl was taken");
		CHECK(read(fds[i], &byte, 1) < 0, "a doorbell can be read");
		CHECK(write(fds[i], &byte, 1) < 0, "a doorbell can be written");
	}
	CHECK(took, "no doorbell takes a QP of its context");

	/* another context of the device has another doorbell, and a copy of it outlives that */
	other = ibv_open_device(A.ctx->device);
	CHECK(other, "a second context: errno %d", errno);
	i = n;
	n = doorbell_fds(fds, ARRAY_LEN(fds));
	CHECK(n == i + 1, "%d doorbells, and %d before", n, i);
	fd = dup(fds[n - 1]);
	CHECK(lseek(fd, qpn, GLASS_DOORBELL_WHENCE) < 0 && errno == EINVAL,
	      "a QP of another context was taken");
	ibv_close_device(other);
	CHECK(lseek(fd, qpn, GLASS_DOORBELL_WHENCE) < 0 && errno == EIO,
	      "errno %d from the doorbell of a closed context", errno);
	close(fd);
}

/* mmap and the doorbell with what was never handed out. */
static void bad_calls(void)
{
	long page = sysconf(_SC_PAGESIZE);
	struct map m[1024];
	struct victim v = make_victim(IBV_QPT_RC);
	int n = maps_of_uverbs(m, ARRAY_LEN(m)), i, control = 0;
	uint64_t off;

	for (off = 0; off < 4096; off++) {
		void *p = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_SHARED, A.ctx->cmd_fd, off * page);

		CHECK(p == MAP_FAILED, "16 MiB could be mapped at offset %llu",
		      (unsigned long long)off * page);
	}
	CHECK(mmap(NULL, page, PROT_READ, MAP_SHARED, A.ctx->cmd_fd, 1ll << 50) == MAP_FAILED,
	      "an offset that was never handed out could be mapped");
	for (i = 0; i < n; i++) {
		if (m[i].writable)
			continue;
		control++;
		CHECK(mprotect(m[i].at, page, PROT_READ | PROT_WRITE) < 0,
		      "the control page could be made writable");
	}
	CHECK(control, "no control page is mapped");
	for (off = 0; off < 64; off++) {
		void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, A.ctx->cmd_fd, off * page);

		/* rings of one page may be mapped again; the control page never writable */
		if (p == MAP_FAILED)
			continue;
		CHECK(((struct glass_control_page *)p)->version != GLASS_ABI_VERSION ||
			      ((struct glass_control_page *)p)->reserved[0],
		      "the control page could be mapped writable at offset %llu",
		      (unsigned long long)off * page);
		munmap(p, page);
	}
	CHECK(doorbell(A.ctx, 0xfffffff, 0), "a doorbell for no QP was taken");
	doorbell(A.ctx, v.p.a->handle, 1);
	for (i = 0; i < 1000; i++)
		CHECK(!doorbell(A.ctx, v.p.a->handle, 0), "a doorbell failed");
	/* a doorbell in every state is harmless */
	vt_to_state(v.p.a, IBV_QPS_RESET);
	CHECK(!doorbell(A.ctx, v.p.a->handle, 0), "a doorbell in RESET failed");
}

/* ---- main */

static const struct check checks[] = {
	{ "producer_far", producer_far },	{ "bad_opcode", bad_opcode },
	{ "bad_num_sge", bad_num_sge },		{ "bad_inline", bad_inline },
	{ "length_overflow", length_overflow }, { "bad_ah", bad_ah },
	{ "bad_recv", bad_recv },		{ "bad_srq", bad_srq },
	{ "bad_cq", bad_cq },			{ "random_rings", random_rings },
	{ "scribble", scribble },		{ "bad_calls", bad_calls },
	{ "bad_doorbells", bad_doorbells },	{ "srq_moved_back", srq_moved_back },
};

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: ring_abuse [OPTION]...\n"
		"  -a, --a DEVICE   the device that is abused (glass0)\n"
		"  -b, --b DEVICE   where its peers are (glass1)\n"
		"  -t, --test NAME  only this one\n"
		"  -s, --seed N     of the random tests (1)\n"
		"  -l, --list       list the tests\n"
		"Prints `ok NAME` or `not ok NAME: REASON`. A kernel that crashed is for others to see.\n"
		"Exit status 0: none failed; 1: some failed; 2: wrong arguments; 4: a test hung.\n");
}

static bool run_one(const struct check *c)
{
	static jmp_buf back;
	const char *left;

	vt_doing = c->name;
	vt_limit(120);
	vt_reason[0] = 0;
	vt_trap = &back;
	if (!setjmp(back)) {
		good = make_pair();
		c->run();
		pair_works(&good);
	}
	vt_trap = NULL;
	vt_drain_events(A.ctx);
	vt_drain_events(B.ctx);
	left = vt_drop_all();
	if (left && !vt_reason[0])
		snprintf(vt_reason, sizeof(vt_reason), "clean-up: a %s could not be destroyed", left);
	if (vt_reason[0])
		printf("not ok %s: %s\n", c->name, vt_reason);
	else
		printf("ok %s\n", c->name);
	fflush(stdout);
	return !vt_reason[0];
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "a", required_argument, NULL, 'a' },	  { "b", required_argument, NULL, 'b' },
		{ "test", required_argument, NULL, 't' }, { "seed", required_argument, NULL, 's' },
		{ "list", no_argument, NULL, 'l' },	  { "help", no_argument, NULL, 'h' },
		{},
	};
	const char *dev_a = "glass0", *dev_b = "glass1", *only = NULL;
	unsigned int ran = 0, failed = 0;
	size_t i;
	int c;

	vt_prog = "ring_abuse";
	while ((c = getopt_long(argc, argv, "a:b:t:s:lh", options, NULL)) != -1) {
		switch (c) {
		case 'a': dev_a = optarg; break;
		case 'b': dev_b = optarg; break;
		case 't': only = optarg; break;
		case 's': seed = strtoul(optarg, NULL, 0) | 1; break;
		case 'l':
			for (i = 0; i < ARRAY_LEN(checks); i++)
				printf("%s\n", checks[i].name);
			return 0;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	vt_doing = "opening the devices";
	vt_limit(60);
	vt_open(&A, dev_a, 1, 0);
	vt_open(&B, dev_b, 1, 0);

	for (i = 0; i < ARRAY_LEN(checks); i++) {
		if (only && strcmp(only, checks[i].name))
			continue;
		ran++;
		failed += !run_one(&checks[i]);
	}
	if (!ran) {
		fprintf(stderr, "ring_abuse: no such test; --list shows all\n");
		return 2;
	}
	vt_doing = "closing the devices";
	vt_close(&A);
	vt_close(&B);
	printf("%u passed, %u failed\n", ran - failed, failed);
	return failed ? 1 : 0;
}
