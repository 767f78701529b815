/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: what RC carries. */
#ifndef CHECK_RC_H
#define CHECK_RC_H

#include <rdma/ib_user_verbs.h>

#include "check.h"

static const uint32_t rc_sizes[] = { 0, 1, 4095, 4096, 4097, 65536, 1 << 20 };

#define GUARD 64
#define RC_MAX (1 << 20)

static void wc_check(const struct ibv_wc *wc, uint64_t wr_id, enum ibv_wc_opcode op,
		     const struct ibv_qp *qp, const char *who)
{
	CHECK(wc->wr_id == wr_id, "%s: wr_id %llu, not %llu", who, (unsigned long long)wc->wr_id,
	      (unsigned long long)wr_id);
	CHECK(wc->opcode == op, "%s: opcode %d, not %d", who, wc->opcode, op);
	CHECK(wc->qp_num == qp->qp_num, "%s: qp_num 0x%x, not 0x%x", who, wc->qp_num, qp->qp_num);
}

/*
 * One message of each size from a to b (READ: from b to a), buffers guarded on
 * both sides, at odd addresses.
 */
static void rc_op(enum ibv_wr_opcode op, enum ibv_mtu mtu)
{
	bool receives = op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM ||
			op == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool imm = op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
	static const enum ibv_wc_opcode done_as[] = {
		[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
		[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
		[IBV_WR_SEND] = IBV_WC_SEND,
		[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
		[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	};
	struct pair p = make_pair_tuned((struct vt_qp_opts){}, (struct tune){ .mtu = mtu });
	struct ibv_mr *ma = vt_buf(&A, RC_MAX + 2 * GUARD), *mb = vt_buf(&B, RC_MAX + 2 * GUARD);
	struct ibv_mr *from = op == IBV_WR_RDMA_READ ? mb : ma;
	struct ibv_mr *to = op == IBV_WR_RDMA_READ ? ma : mb;
	char what[40];
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(rc_sizes); i++) {
		uint32_t n = rc_sizes[i], seed = op * 100 + i;
		size_t off = GUARD - 3 + i;
		struct ibv_sge sge = vt_sge(ma, off, n);
		struct ibv_send_wr wr = rdma_of(op, 100 + i, &sge, mb, off);
		uint8_t *dst = to->addr;
		struct ibv_wc wc;

		snprintf(what, sizeof(what), "%u bytes", n);
		memset(to->addr, 0xa5, RC_MAX + 2 * GUARD);
		vt_fill((char *)from->addr + off, n, seed);
		wr.imm_data = htonl(0xdead0000 + i);
		if (op == IBV_WR_RDMA_WRITE_WITH_IMM) {
			struct ibv_recv_wr none = { .wr_id = 200 + i }, *bad;

			CHECK(!ibv_post_recv(p.b, &none, &bad), "post_recv without SGE failed");
		} else if (receives) {
			vt_recv(p.b, 200 + i, mb, off, n);
		}
		vt_post(p.a, &wr);

		vt_wc_ok(p.a->send_cq, &wc);
		wc_check(&wc, 100 + i, done_as[op], p.a, what);
		if (op == IBV_WR_RDMA_READ)
			CHECK(wc.byte_len == n, "%s: READ completed with byte_len %u", what,
			      wc.byte_len);
		if (receives) {
			vt_wc_ok(p.b->recv_cq, &wc);
			wc_check(&wc, 200 + i,
				 op == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM :
								    IBV_WC_RECV,
				 p.b, what);
			CHECK(wc.byte_len == n, "%s: received byte_len %u", what, wc.byte_len);
			CHECK(!!(wc.wc_flags & IBV_WC_WITH_IMM) == imm, "%s: wc_flags 0x%x", what,
			      wc.wc_flags);
			CHECK(!imm || wc.imm_data == htonl(0xdead0000 + i), "%s: immediate 0x%x",
			      what, ntohl(wc.imm_data));
		}
		vt_verify(dst + off, n, seed, what);
		vt_verify_same(dst, off, 0xa5, "guard before the buffer");
		vt_verify_same(dst + off + n, RC_MAX + 2 * GUARD - off - n, 0xa5,
			       "guard behind the buffer");
		vt_empty(p.a->send_cq);
		vt_empty(p.b->recv_cq);
	}
}

static void rc_send(void) { rc_op(IBV_WR_SEND, 0); }
static void rc_send_imm(void) { rc_op(IBV_WR_SEND_WITH_IMM, 0); }
static void rc_write(void) { rc_op(IBV_WR_RDMA_WRITE, 0); }
static void rc_write_imm(void) { rc_op(IBV_WR_RDMA_WRITE_WITH_IMM, 0); }
static void rc_read(void) { rc_op(IBV_WR_RDMA_READ, 0); }
static void rc_send_mtu256(void) { rc_op(IBV_WR_SEND, IBV_MTU_256); }
static void rc_read_mtu256(void) { rc_op(IBV_WR_RDMA_READ, IBV_MTU_256); }

/* More regions than the adapter has shortcuts to: each is found by its key, and none once it is gone. */
static void rc_many_regions(void)
{
	enum { REGIONS = 600, BYTES = 8 };
	struct pair p = make_pair();
	struct ibv_mr *from = vt_buf(&A, BYTES * REGIONS), *to[REGIONS];
	char *memory = vt_mem(BYTES * REGIONS);
	struct ibv_sge sge;
	struct ibv_send_wr wr, late;
	struct ibv_wc wc;

	memset(memory, 0, BYTES * REGIONS);
	vt_fill(from->addr, BYTES * REGIONS, 7);
	for (int i = 0; i < REGIONS; i++) {
		to[i] = ibv_reg_mr(B.pd, memory + BYTES * i, BYTES, VT_ACCESS_ALL);
		CHECK(to[i], "region %d: %s", i, strerror(errno));
	}
	for (int i = 0; i < REGIONS; i++) {
		sge = vt_sge(from, BYTES * i, BYTES);
		wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, to[i], 0);
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
	}
	vt_verify(memory, BYTES * REGIONS, 7, "600 regions");
	late = wr; /* to the last one, which has its shortcut */
	/* the later half goes, the earlier half stays */
	for (int i = REGIONS / 2; i < REGIONS; i++)
		CHECK(!ibv_dereg_mr(to[i]), "dereg_mr: %s", strerror(errno));
	memset(memory, 0, BYTES * REGIONS / 2);
	for (int i = 0; i < REGIONS / 2; i++) {
		sge = vt_sge(from, BYTES * i, BYTES);
		wr = rdma_of(IBV_WR_RDMA_WRITE, i, &sge, to[i], 0);
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
	}
	vt_verify(memory, BYTES * REGIONS / 2, 7, "the earlier half");
	for (int i = 0; i < REGIONS / 2; i++)
		CHECK(!ibv_dereg_mr(to[i]), "dereg_mr: %s", strerror(errno));
	/* the debug kernel also tells if the shortcut outlived the region */
	late.wr_id = 1;
	vt_post(p.a, &late);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_ACCESS_ERR);
}

static uint64_t atomic(struct pair *p, enum ibv_wr_opcode op, struct ibv_mr *la, struct ibv_mr *rb,
		       uint64_t cmp_add, uint64_t swap)
{
	struct ibv_sge sge = vt_sge(la, 8, 8);
	struct ibv_send_wr wr = wr_of(op, 5, &sge);
	uint64_t *l = la->addr;
	struct ibv_wc wc;

	l[0] = l[2] = 0x5a5a5a5a5a5a5a5a;
	wr.wr.atomic.remote_addr = (uintptr_t)rb->addr + 8;
	wr.wr.atomic.rkey = rb->rkey;
	wr.wr.atomic.compare_add = cmp_add;
	wr.wr.atomic.swap = swap;
	vt_post(p->a, &wr);
	vt_wc_ok(p->a->send_cq, &wc);
	wc_check(&wc, 5, op == IBV_WR_ATOMIC_CMP_AND_SWP ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD,
		 p->a, "atomic");
	CHECK(wc.byte_len == 8, "atomic completed with byte_len %u", wc.byte_len);
	CHECK(l[0] == 0x5a5a5a5a5a5a5a5a && l[2] == 0x5a5a5a5a5a5a5a5a, "result spilled over");
	return l[1];
}

static void rc_cmp_swap(void)
{
	struct pair p = make_pair();
	struct ibv_mr *la = vt_buf(&A, 64), *rb = vt_buf(&B, 64);
	uint64_t *r = rb->addr, old;

	r[1] = 0x1122334455667788;
	old = atomic(&p, IBV_WR_ATOMIC_CMP_AND_SWP, la, rb, 0x1122334455667788, 0xfedcba9876543210);
	CHECK(old == 0x1122334455667788, "equal: original value 0x%llx", (unsigned long long)old);
	CHECK(r[1] == 0xfedcba9876543210, "equal: not swapped");
	old = atomic(&p, IBV_WR_ATOMIC_CMP_AND_SWP, la, rb, 1, 2);
	CHECK(old == 0xfedcba9876543210, "unequal: original value 0x%llx",
	      (unsigned long long)old);
	CHECK(r[1] == 0xfedcba9876543210, "unequal: swapped all the same");
	CHECK(!r[0] && !r[2], "neighbours of the word changed");
}

static void rc_fetch_add(void)
{
	struct pair p = make_pair();
	struct ibv_mr *la = vt_buf(&A, 64), *rb = vt_buf(&B, 64);
	uint64_t *r = rb->addr, old;
	int i;

	r[1] = 0xfffffffffffffffe;
	old = atomic(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, la, rb, 5, 99);
	CHECK(old == 0xfffffffffffffffe, "original value 0x%llx", (unsigned long long)old);
	CHECK(r[1] == 3, "sum is 0x%llx, not 3", (unsigned long long)r[1]);
	for (i = 0; i < 40; i++) {
		old = atomic(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, la, rb, 1, 0);
		CHECK(old == 3u + i, "round %d: original value %llu", i, (unsigned long long)old);
	}
	CHECK(!r[0] && !r[2], "neighbours of the word changed");
}

/* Both ends add to one word at once; no addition may be lost or done twice. */
static void rc_atomics_both_ways(void)
{
	struct pair p = make_pair(), q = make_pair();
	struct ibv_mr *la = vt_buf(&A, 64 * 8), *rb = vt_buf(&B, 64);
	struct ibv_qp *qps[2] = { p.a, q.a };
	uint64_t seen = 0;
	int i, k, n = 50;
	struct ibv_wc wc;

	for (i = 0; i < n; i++)
		for (k = 0; k < 2; k++) {
			struct ibv_sge sge = vt_sge(la, 8 * (2 * (i % 25) + k), 8);
			struct ibv_send_wr wr = wr_of(IBV_WR_ATOMIC_FETCH_AND_ADD, i, &sge);

			wr.wr.atomic.remote_addr = (uintptr_t)rb->addr;
			wr.wr.atomic.rkey = rb->rkey;
			wr.wr.atomic.compare_add = 1;
			vt_post(qps[k], &wr);
		}
	for (i = 0; i < n; i++) {
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(q.a->send_cq, &wc);
		seen += 2;
	}
	CHECK(*(uint64_t *)rb->addr == seen, "%llu additions gave %llu", (unsigned long long)seen,
	      (unsigned long long)*(uint64_t *)rb->addr);
}

/* Inline data is taken at the post: the buffer needs no MR and may change at once. */
static void rc_inline(void)
{
	static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 1024, 2047, 2048 };
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .inl = 2048 }, (struct tune){});
	struct ibv_mr *mb = vt_buf(&B, 8192);
	uint8_t local[2 * 2048];
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		uint32_t n = sizes[i], half = n / 2;
		struct ibv_sge sge[2] = { { (uintptr_t)local, half, 0 },
					  { (uintptr_t)local + 2048, n - half, 0 } };
		struct ibv_send_wr wr = wr_of(IBV_WR_SEND, i, sge);
		struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, i, sge, mb, 4096);

		vt_fill(local, half, i);
		memcpy(local + 2048, local, 0);
		for (uint32_t k = 0; k < n - half; k++)
			local[2048 + k] = vt_byte(i, half + k);
		memset(mb->addr, 0, 8192);
		vt_recv(p.b, i, mb, 0, 4096);
		wr.num_sge = write.num_sge = 2;
		wr.send_flags |= IBV_SEND_INLINE;
		write.send_flags |= IBV_SEND_INLINE;
		vt_post(p.a, &wr);
		vt_post(p.a, &write);
		memset(local, 0xee, sizeof(local));
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.byte_len == n, "inline %u: byte_len %u", n, wc.byte_len);
		vt_verify(mb->addr, n, i, "inline SEND");
		vt_verify((char *)mb->addr + 4096, n, i, "inline WRITE");
	}
}

static void rc_inline_too_long(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .inl = 2048 }, (struct tune){});
	struct ibv_qp_init_attr init;
	struct ibv_send_wr *bad = NULL;
	struct ibv_qp_attr attr;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	uint8_t *local;
	int err;

	CHECK(!ibv_query_qp(p.a, &attr, IBV_QP_CAP, &init), "query_qp failed");
	CHECK(init.cap.max_inline_data >= 2048, "max_inline_data %u", init.cap.max_inline_data);
	local = vt_mem(init.cap.max_inline_data + 1);
	sge = (struct ibv_sge){ (uintptr_t)local, init.cap.max_inline_data + 1, 0 };
	wr = wr_of(IBV_WR_SEND, 1, &sge);
	wr.send_flags |= IBV_SEND_INLINE;
	err = ibv_post_send(p.a, &wr, &bad);
	CHECK(err > 0, "a post of %u bytes inline returned %d", sge.length, err);
	CHECK(bad == &wr, "bad_wr does not name the refused request");
	sge.lkey = 0;
	wr.opcode = IBV_WR_RDMA_READ;
	sge.length = 8;
	CHECK(ibv_post_send(p.a, &wr, &bad) > 0, "an inline READ was accepted");
	pair_works(&p);
}

/* A fenced WRITE sends what the READ before it brought. */
static void rc_fence(void)
{
	uint32_t n = 256 * 1024;
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, n), *mb = vt_buf(&B, 2 * n);
	struct ibv_sge sge = vt_sge(ma, 0, n);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 8; i++) {
		struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, 2, &sge, mb, n);
		struct ibv_send_wr read = rdma_of(IBV_WR_RDMA_READ, 1, &sge, mb, 0);

		read.next = &write;
		write.send_flags |= IBV_SEND_FENCE;
		vt_fill(mb->addr, n, i);
		memset((char *)mb->addr + n, 0, n);
		memset(ma->addr, 0, n);
		vt_post(p.a, &read);
		vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_verify((char *)mb->addr + n, n, i, "fenced WRITE");
	}
}

/* Many SGEs of all sorts on both sides, empty ones among them. */
static void rc_sges(void)
{
	uint32_t nsge = A.dev_attr.max_sge < 30 ? A.dev_attr.max_sge : 30;
	struct vt_qp_opts o = { .sge = nsge };
	struct pair p = make_pair_tuned(o, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, 128 * 1024), *mb = vt_buf(&B, 128 * 1024);
	static struct ibv_sge many[1000];
	struct ibv_sge from[30], to[30];
	struct ibv_recv_wr rwr = { .wr_id = 8, .sg_list = to, .num_sge = nsge }, *bad;
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 7, from);
	uint32_t total = 0, room = 0, at, i, k;
	struct ibv_wc wc;

	for (i = 0, at = 0; i < nsge; i++) {
		from[i] = vt_sge(ma, at, i % 7 == 3 ? 0 : 1 + 397 * (i % 11));
		for (k = 0; k < from[i].length; k++)
			((uint8_t *)ma->addr)[at + k] = vt_byte(9, total + k);
		total += from[i].length;
		at += from[i].length + 13;
	}
	for (i = 0, at = 0; i < nsge; i++) {
		to[i] = vt_sge(mb, at, i + 1 < nsge ? 1 + 211 * ((i * 5) % 13) : total);
		at += to[i].length + 17;
		room += to[i].length;
	}
	CHECK(room >= total, "test is wrong");
	memset(mb->addr, 0xc3, 128 * 1024);
	wr.num_sge = nsge;
	CHECK(!ibv_post_recv(p.b, &rwr, &bad), "post_recv of %u SGEs failed", nsge);
	vt_post(p.a, &wr);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(p.b->recv_cq, &wc);
	CHECK(wc.byte_len == total, "byte_len %u, not %u", wc.byte_len, total);
	for (i = 0, at = 0, k = 0; i < nsge; i++) {
		uint32_t j, n = to[i].length < total - k ? to[i].length : total - k;
		uint8_t *d = (uint8_t *)(uintptr_t)to[i].addr;

		for (j = 0; j < n; j++)
			CHECK(d[j] == vt_byte(9, k + j), "SGE %u byte %u is wrong", i, j);
		vt_verify_same(d + n, to[i].length - n + 17, 0xc3, "behind an SGE");
		k += n;
	}

	wr.num_sge = rwr.num_sge = ARRAY_LEN(many);
	wr.sg_list = rwr.sg_list = many;
	CHECK(ibv_post_send(p.a, &wr, &(struct ibv_send_wr *){ NULL }) > 0,
	      "a send of 1000 SGEs was accepted");
	CHECK(ibv_post_recv(p.b, &rwr, &bad) > 0, "a receive of 1000 SGEs was accepted");
	pair_works(&p);
}

/* One list of many requests: each has its own length. */
static void rc_chain(void)
{
	enum { N = 12 };
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, N * 8192), *mb = vt_buf(&B, 2 * N * 8192);
	struct ibv_recv_wr rwr[N], *rbad;
	struct ibv_send_wr wr[N];
	struct ibv_sge sge[N], rsge[N];
	struct ibv_wc wc;
	uint32_t len[N];
	int i;

	for (i = 0; i < N; i++) {
		len[i] = (i * 1733) % 8000;
		vt_fill((char *)ma->addr + i * 8192, len[i], i);
		sge[i] = vt_sge(ma, i * 8192, len[i]);
		rsge[i] = vt_sge(mb, i * 8192, 8192);
		rwr[i] = (struct ibv_recv_wr){ .wr_id = i, .sg_list = &rsge[i], .num_sge = 1,
					       .next = i + 1 < N ? &rwr[i + 1] : NULL };
		wr[i] = i % 3 == 2 ? rdma_of(IBV_WR_RDMA_WRITE, i, &sge[i], mb, (N + i) * 8192) :
				     wr_of(IBV_WR_SEND, i, &sge[i]);
		wr[i].next = i + 1 < N ? &wr[i + 1] : NULL;
	}
	CHECK(!ibv_post_recv(p.b, rwr, &rbad), "post_recv of a list failed");
	vt_post(p.a, wr);
	for (i = 0; i < N; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_SUCCESS);
	for (i = 0, rbad = rwr; i < N; i++) {
		if (i % 3 == 2) {
			vt_verify((char *)mb->addr + (N + i) * 8192, len[i], i, "chained WRITE");
			continue;
		}
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.wr_id == rbad->wr_id && wc.byte_len == len[i],
		      "message %d: wr_id %llu byte_len %u, not %llu and %u", i,
		      (unsigned long long)wc.wr_id, wc.byte_len, (unsigned long long)rbad->wr_id,
		      len[i]);
		vt_verify((char *)mb->addr + rbad->wr_id * 8192, len[i], i, "chained SEND");
		rbad = rbad->next;
	}
}

/* Mixed operations complete in the order they were posted in. */
static void rc_order(void)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_SEND,
						  IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 65536), *mb = vt_buf(&B, 65536);
	int i, n = 48;

	for (i = 0; i < n; i++)
		vt_recv(p.b, i, mb, 32768, 16384);
	for (i = 0; i < n; i++) {
		struct ibv_sge sge = vt_sge(ma, 0, i % 4 == 3 ? 8 : (i * 977) % 16384);
		struct ibv_send_wr wr = rdma_of(ops[i % 4], i, &sge, mb, 0);

		if (i % 4 == 3) {
			wr.wr.atomic.remote_addr = (uintptr_t)mb->addr;
			wr.wr.atomic.rkey = mb->rkey;
		}
		vt_post(p.a, &wr);
	}
	for (i = 0; i < n; i++)
		vt_wc_is(p.a->send_cq, i, IBV_WC_SUCCESS);
	for (i = 0; i < n / 4; i++)
		vt_wc_is(p.b->recv_cq, i, IBV_WC_SUCCESS);
	vt_empty(p.b->recv_cq);
}

/* These two operations are posted by ibv_wr_*() alone. */
static struct pair flush_pair(void)
{
	const int access = VT_ACCESS_ALL | IBV_ACCESS_FLUSH_GLOBAL;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = vt_cq(&A, 64, NULL), .cap = { .max_send_wr = 16, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC, .pd = A.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE,
	};
	struct pair p = { .b = vt_qp(&B, (struct vt_qp_opts){}) };

	attr.recv_cq = attr.send_cq;
	p.a = ibv_create_qp_ex(A.ctx, &attr);
	CHECK(p.a, "create_qp_ex: %s", strerror(errno));
	vt_track(VT_QP, p.a);
	connect_pair_tuned(&p, (struct tune){ .access_b = access });
	return p;
}

static bool can_flush(struct vt_end *e)
{
	const uint64_t both = IB_UVERBS_DEVICE_FLUSH_GLOBAL | IB_UVERBS_DEVICE_ATOMIC_WRITE;
	struct ibv_device_attr_ex attr = {};

	CHECK(!ibv_query_device_ex(e->ctx, NULL, &attr), "query_device_ex");
	return (attr.device_cap_flags_ex & both) == both;
}

/* Two places in turn, each with a new value */
static void rc_atomic_write(void)
{
	struct ibv_mr *mb;
	struct ibv_qp_ex *x;
	struct ibv_wc wc;
	struct pair p;

	if (!can_flush(&A) || !can_flush(&B))
		skip("a device has no FLUSH or no ATOMIC WRITE");
	mb = vt_buf(&B, 64);
	p = flush_pair();
	x = ibv_qp_to_qp_ex(p.a);
	for (uint32_t i = 0; i < 16; i++) {
		uint64_t value = 0x1122334455667700 + i;

		ibv_wr_start(x);
		x->wr_flags = IBV_SEND_SIGNALED;
		x->wr_id = i;
		ibv_wr_atomic_write(x, mb->rkey, (uintptr_t)mb->addr + 16 + 8 * (i % 2), &value);
		CHECK(!ibv_wr_complete(x), "wr_complete");
		vt_wc_ok(p.a->send_cq, &wc);
		wc_check(&wc, i, IBV_WC_ATOMIC_WRITE, p.a, "ATOMIC WRITE");
		CHECK(((uint64_t *)mb->addr)[2 + i % 2] == value, "the ATOMIC WRITE did not arrive");
	}
	vt_verify_same(mb->addr, 16, 0, "before it");
	vt_verify_same((char *)mb->addr + 32, 32, 0, "behind it");
}

/* A WRITE, a FLUSH of it, an ATOMIC WRITE and a FLUSH of the whole region, again and again; and a region that may not be flushed. */
static void rc_flush(void)
{
	static const enum ibv_wc_opcode done[] = { IBV_WC_RDMA_WRITE, IBV_WC_FLUSH, IBV_WC_ATOMIC_WRITE, IBV_WC_FLUSH };
	const uint32_t len = 9000;
	struct ibv_mr *ma = vt_buf(&A, len), *mb, *barred;
	struct ibv_qp_ex *x;
	struct ibv_wc wc;
	struct pair p;
	uint64_t at;

	if (!can_flush(&A) || !can_flush(&B))
		skip("a device has no FLUSH or no ATOMIC WRITE");
	mb = vt_mr_of(B.pd, vt_mem(len + 16), len + 16, VT_ACCESS_ALL | IBV_ACCESS_FLUSH_GLOBAL);
	at = (uintptr_t)mb->addr;
	p = flush_pair();
	x = ibv_qp_to_qp_ex(p.a);
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t value = 0x1122334455667700 + i;

		vt_fill(ma->addr, len, 300 + i);
		ibv_wr_start(x);
		x->wr_flags = IBV_SEND_SIGNALED;
		x->wr_id = 0;
		ibv_wr_rdma_write(x, mb->rkey, at);
		ibv_wr_set_sge(x, ma->lkey, (uintptr_t)ma->addr, len);
		x->wr_id = 1;
		ibv_wr_flush(x, mb->rkey, at, len, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
		x->wr_id = 2;
		ibv_wr_atomic_write(x, mb->rkey, at + len + 8 * (i % 2), &value);
		x->wr_id = 3;
		ibv_wr_flush(x, mb->rkey, 0, 0, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);
		CHECK(!ibv_wr_complete(x), "wr_complete");
		for (uint32_t n = 0; n < ARRAY_LEN(done); n++) {
			vt_wc_ok(p.a->send_cq, &wc);
			wc_check(&wc, n, done[n], p.a, "round of FLUSHes");
		}
		vt_verify(mb->addr, len, 300 + i, "what was flushed");
		CHECK(((uint64_t *)((char *)mb->addr + len))[i % 2] == value, "the ATOMIC WRITE did not arrive");
	}
	barred = vt_buf(&B, 64);
	ibv_wr_start(x);
	x->wr_flags = IBV_SEND_SIGNALED;
	x->wr_id = 9;
	ibv_wr_flush(x, barred->rkey, (uintptr_t)barred->addr, 64, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	CHECK(!ibv_wr_complete(x), "wr_complete");
	vt_wc_is(p.a->send_cq, 9, IBV_WC_REM_ACCESS_ERR);
}

static const struct check rc_checks[] = {
	{ "rc_send", rc_send },
	{ "rc_send_imm", rc_send_imm },
	{ "rc_write", rc_write },
	{ "rc_write_imm", rc_write_imm },
	{ "rc_read", rc_read },
	{ "rc_send_mtu256", rc_send_mtu256 },
	{ "rc_read_mtu256", rc_read_mtu256 },
	{ "rc_many_regions", rc_many_regions },
	{ "rc_cmp_swap", rc_cmp_swap },
	{ "rc_fetch_add", rc_fetch_add },
	{ "rc_atomics_both_ways", rc_atomics_both_ways },
	{ "rc_inline", rc_inline },
	{ "rc_inline_too_long", rc_inline_too_long },
	{ "rc_fence", rc_fence },
	{ "rc_sges", rc_sges },
	{ "rc_chain", rc_chain },
	{ "rc_order", rc_order },
	{ "rc_flush", rc_flush },
	{ "rc_atomic_write", rc_atomic_write },
};

#endif
