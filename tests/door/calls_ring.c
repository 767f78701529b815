// SPDX-License-Identifier: GPL-2.0-only
/* The rings: work requests as a provider puts them there, spoilt ones, and a second thread that
 * scribbles. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-ioctl.h"

#define CTX                                     \
	{                                       \
		"ctx", K_CONTEXT, 0, 0, 0, 0, 0 \
	}
#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
#define FL(n, d)                          \
	{                                 \
		n, K_FLAGS, 0, 0, d, 0, 0 \
	}
#define K(n, k, d)                      \
	{                               \
		n, K_##k, 0, 0, d, 0, 0 \
	}
#define QP                                         \
	{                                          \
		"qp", K_HANDLE, OBJ_QP, 0, 0, 0, 0 \
	}
/* 0: nothing is spoilt. Else the word of the entry, counted from 1, that becomes `with`. */
#define SPOIL V("spoil", 0), V("with", 0)

static void spoil(void *entry, uint32_t stride, uint64_t where, uint64_t with)
{
	if (where && stride)
		((uint32_t *)entry)[(where - 1) % (stride / 4)] = with;
}

static const struct arg a_ring_send[] = { CTX,
					  QP,
					  EN("op", GLASS_OP_COUNT, GLASS_OP_WRITE),
					  FL("flags", GLASS_WQE_SIGNALED),
					  EN("num_sge", 5, 1),
					  K("addr", ADDR, 0),
					  K("length", LEN, 64),
					  K("lkey", LKEY, 0),
					  K("remote_addr", ADDR, 4096),
					  K("rkey", RKEY, 0),
					  V("imm", 0),
					  V("compare", 0),
					  K("ah", AHN, 0),
					  K("remote_qpn", QPN, 0),
					  V("qkey", 0x11111111),
					  K("srqn", SRQN, 0),
					  K("mw", RKEY, 32),
					  FL("access", 0xf),
					  K("window", LEN, 4096),
					  V("count", 1),
					  EN("ring", 2, 1),
					  SPOIL };

static long ring_send(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS, i;
	struct thing *qp = thing_chosen(OBJ_QP, ctx, v[1]);
	struct glass_abi_send_wqe w = {};
	struct glass_abi_sge sge;
	uint32_t producer, k, count = v[19] % 33, lkey;

	if (!qp || !qp->sq.hdr)
		return -ENOENT;
	w.wr_id = 0x1000 + v[2];
	w.opcode = v[2];
	w.flags = v[3];
	w.num_sge = v[4];
	w.inline_len = v[3] & GLASS_WQE_INLINE ? v[6] : 0;
	sge.addr = arg_resolve(&row->args[5], ctx, v[5]);
	sge.length = v[6];
	lkey = arg_resolve(&row->args[7], ctx, v[7]);
	sge.lkey = lkey;
	w.remote_addr = arg_resolve(&row->args[8], ctx, v[8]);
	w.rkey = arg_resolve(&row->args[9], ctx, v[9]);
	w.imm = v[10];
	w.compare_add = w.swap = v[11];
	w.ah_num = arg_resolve(&row->args[12], ctx, v[12]);
	w.remote_qpn = arg_resolve(&row->args[13], ctx, v[13]);
	w.remote_qkey = v[14];
	w.xrc_srqn = arg_resolve(&row->args[15], ctx, v[15]);
	w.mw_rkey = arg_resolve(&row->args[16], ctx, v[16]);
	w.mr_lkey = lkey;
	w.access = v[17];
	w.length = v[18];
	/* keys that are invalidated travel in `imm`; a window's new key has the upper bits of the
	 * old */
	if (w.opcode == GLASS_OP_LOCAL_INV || w.opcode == GLASS_OP_SEND_INV)
		w.imm = w.rkey;
	if (w.opcode == GLASS_OP_BIND_MW)
		w.rkey = w.mw_rkey + 1;
	producer = qp->sq.hdr->producer;
	for (k = 0; k < count; k++) {
		uint8_t *at = qp->sq.entries +
			      (uint64_t)((producer + k) & (qp->sq.num - 1)) * qp->sq.stride;

		memset(at, 0, qp->sq.stride);
		memcpy(at, &w, sizeof(w));
		for (i = 0;
		     i < v[4] && GLASS_SEND_WQE_HDR_BYTES + (i + 1) * sizeof(sge) <= qp->sq.stride;
		     i++)
			memcpy(at + GLASS_SEND_WQE_HDR_BYTES + i * sizeof(sge), &sge, sizeof(sge));
		spoil(at, qp->sq.stride, v[21], v[22]);
	}
	__atomic_store_n(&qp->sq.hdr->producer, producer + (v[19] > 32 ? v[19] : count),
			 __ATOMIC_SEQ_CST);
	if (v[20] && lseek(world.doorbell[ctx], qp->num, GLASS_DOORBELL_WHENCE) < 0)
		return -errno;
	return 0;
}

static const struct arg a_ring_recv[] = { CTX,
					  QP,
					  { "srq", K_HANDLE, OBJ_SRQ, 0, 0, 0, 0 },
					  EN("to_srq", 2, 0),
					  EN("num_sge", 5, 1),
					  K("addr", ADDR, 8192),
					  K("length", LEN, 4096),
					  K("lkey", LKEY, 0),
					  V("count", 1),
					  EN("ring", 2, 0),
					  SPOIL };

static long ring_recv(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS, i;
	struct thing *t = v[3] ? thing_chosen(OBJ_SRQ, ctx, v[2]) : thing_chosen(OBJ_QP, ctx, v[1]);
	struct glass_abi_sge sge = { arg_resolve(&row->args[5], ctx, v[5]), v[6],
				     arg_resolve(&row->args[7], ctx, v[7]) };
	uint32_t producer, k, count = v[8] % 33;

	if (!t || !t->rq.hdr)
		return -ENOENT;
	producer = t->rq.hdr->producer;
	for (k = 0; k < count; k++) {
		uint8_t *at =
			t->rq.entries + (uint64_t)((producer + k) & (t->rq.num - 1)) * t->rq.stride;
		struct glass_abi_recv_wqe w = { .wr_id = 0x2000 + k, .num_sge = v[4] };

		memset(at, 0, t->rq.stride);
		memcpy(at, &w, sizeof(w));
		for (i = 0;
		     i < v[4] && GLASS_RECV_WQE_HDR_BYTES + (i + 1) * sizeof(sge) <= t->rq.stride;
		     i++)
			memcpy(at + GLASS_RECV_WQE_HDR_BYTES + i * sizeof(sge), &sge, sizeof(sge));
		spoil(at, t->rq.stride, v[10], v[11]);
	}
	__atomic_store_n(&t->rq.hdr->producer, producer + (v[8] > 32 ? v[8] : count),
			 __ATOMIC_SEQ_CST);
	if (v[9] && !v[3] && lseek(world.doorbell[ctx], t->num, GLASS_DOORBELL_WHENCE) < 0)
		return -errno;
	return 0;
}

static const struct arg a_ring_poll[] = { CTX,
					  { "cq", K_HANDLE, OBJ_CQ, 0, 0, 0, 0 },
					  V("plus", 0) };

/* Takes all completions; `plus` more than there are. */
static long ring_poll(const struct row *row, const uint64_t *v)
{
	struct thing *cq = thing_chosen(OBJ_CQ, v[0] % CONTEXTS, v[1]);
	uint32_t producer;

	if (!cq || !cq->rq.hdr)
		return -ENOENT;
	producer = __atomic_load_n(&cq->rq.hdr->producer, __ATOMIC_ACQUIRE);
	__atomic_store_n(&cq->rq.hdr->consumer, producer + (uint32_t)v[2], __ATOMIC_RELEASE);
	return 0;
}

static struct ring *ring_of(unsigned int ctx, uint64_t which, uint64_t kind)
{
	static const enum object kinds[] = { OBJ_QP, OBJ_QP, OBJ_CQ, OBJ_SRQ };
	struct thing *t = thing_chosen(kinds[kind % 4], ctx, which);
	struct ring *r = t ? kind % 4 ? &t->rq : &t->sq : NULL;

	return r && r->hdr ? r : NULL;
}

#define RINGS EN("kind", 4, 0), V("which", 0)
static const struct arg a_ring_header[] = { CTX, RINGS, EN("field", 3, 0), V("value", 0) };

static long ring_header(const struct row *row, const uint64_t *v)
{
	struct ring *r = ring_of(v[0] % CONTEXTS, v[2], v[1]);

	if (!r)
		return -ENOENT;
	*(v[3] % 3 == 0	  ? &r->hdr->producer
	  : v[3] % 3 == 1 ? &r->hdr->consumer
			  : &r->hdr->awake) = v[4];
	return 0;
}

/* ---- the second thread */

static struct {
	struct ring *ring;
	uint64_t seed;
	bool headers;
} target[8];
static unsigned int ntargets;
static bool stop;
static pthread_t thread;

static void *scribbler(void *arg)
{
	uint64_t x = 1, i;

	for (i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		unsigned int n = __atomic_load_n(&ntargets, __ATOMIC_ACQUIRE), k = i % n;
		struct ring *r = target[k].ring;
		uint32_t *words = (uint32_t *)r->entries;

		x = mix(x + target[k].seed + i);
		/* the header of an entry and its first SGEs; most often a number that was right
		 * elsewhere */
		if (target[k].headers && !(x & 0xf000)) {
			uint32_t *at = x & 0x10000   ? &r->hdr->producer
				       : x & 0x20000 ? &r->hdr->consumer
						     : &r->hdr->awake;

			__atomic_store_n(at, x & 0x40000 ? x >> 32 : *at + (x >> 32 & 3),
					 __ATOMIC_RELAXED);
		} else {
			uint64_t at = (x % r->num) * (r->stride / 4) + (x >> 20) % (r->stride / 4);

			__atomic_store_n(&words[at], x & 0x800 ? x >> 32 : (x >> 32 & 31),
					 __ATOMIC_RELAXED);
		}
		if (!(i % 64))
			sched_yield();
	}
	return NULL;
}

static const struct arg a_scribble[] = { CTX, RINGS, V("seed", 1), EN("headers", 2, 1) };

/* From now on until the program ends. */
static long scribble(const struct row *row, const uint64_t *v)
{
	struct ring *r = ring_of(v[0] % CONTEXTS, v[2], v[1]);

	if (!r || ntargets == ARRAY_LEN(target))
		return -ENOENT;
	target[ntargets].ring = r;
	target[ntargets].seed = v[3];
	target[ntargets].headers = v[4];
	__atomic_store_n(&ntargets, ntargets + 1, __ATOMIC_RELEASE);
	if (!thread && pthread_create(&thread, NULL, scribbler, NULL))
		return -EAGAIN;
	return 0;
}

void scribble_stop(void)
{
	if (!thread)
		return;
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

#define ROW(f)                                          \
	{                                               \
#f, f, a_##f, ARRAY_LEN(a_##f), 0, NULL \
	}
const struct row rows_ring[] = { ROW(ring_send),   ROW(ring_recv), ROW(ring_poll),
				 ROW(ring_header), ROW(scribble),  {} };
