// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Findings about posts and completions, as the provider sees them. lint_verbs.c has those of verbs.
 */
#define _GNU_SOURCE
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lint.h"
#include "uapi/glass-ioctl.h"

/* As glass_lint(). detail: for POST_NO_ROOM and ROUNDED_UP_CAPS, which of two limits was exceeded. */
static int glass_lint_detail(struct ibv_context *context, unsigned int code, enum glass_kind kind,
			     uint32_t num, uint64_t seen, uint64_t expected, bool detail)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, GLASS_METHOD_REPORT, 1);
	struct glass_context *ctx = to_gcontext(context);
	uint32_t generation = glass_load_relaxed(&ctx->control->generation);
	struct glass_report report = {
		.version = GLASS_ABI_VERSION,
		.kind = GLASS_REPORT_FINDING,
		.lint_code = code,
		.object_kind = kind,
		.object_num = num,
		.seen = seen,
		.expected = expected,
		.posts_invalid = detail,
	};
	_Atomic(uint64_t) *unwanted = &ctx->lint_unwanted[GLASS_LINT_WORD(code)];
	uint64_t bit = GLASS_LINT_BIT(code), before;
	int i, ret;

	if (!glass_lint_wants(context, code))
		return 0;
	/*
	 * cache codes that nobody observes in this process: no more calls until the generation
	 * changes
	 */
	if (atomic_exchange_explicit(&ctx->lint_generation, generation, memory_order_relaxed) !=
	    generation)
		for (i = 0; i < GLASS_LINT_WORDS; i++)
			atomic_store_explicit(&ctx->lint_unwanted[i], 0, memory_order_relaxed);
	if (atomic_load_explicit(unwanted, memory_order_relaxed) & bit)
		return 0;
	fill_attr_in_ptr(cmd, GLASS_ATTR_REPORT_DATA, &report);
	before = glass_where_show(ctx);
	ret = execute_ioctl(context, cmd);
	glass_where_hide(ctx, before);
	if (ret == ENOENT)
		atomic_fetch_or_explicit(unwanted, bit, memory_order_relaxed);
	return ret == EINVAL || ret == EBUSY ? ret : 0;
}

int glass_lint(struct ibv_context *context, unsigned int code, enum glass_kind kind, uint32_t num,
	       uint64_t seen, uint64_t expected)
{
	return glass_lint_detail(context, code, kind, num, seen, expected, false);
}

/* ---- posts */

static void count_posts(struct glass_qp *qp, uint32_t n)
{
	atomic_fetch_add_explicit(&to_gcontext(qp->ibv.qp.context)->lint_posts, n,
				  memory_order_relaxed);
}

/*
 * Reports accepted inline data if create_qp asked for none. A program that asked for some may know
 * the granted limit.
 */
static void inline_unasked(struct glass_qp *qp, uint64_t bytes)
{
	if (bytes && !qp->sq.asked_inline)
		glass_lint_detail(qp->ibv.qp.context, GLASS_LINT_ROUNDED_UP_CAPS, GLASS_KIND_QP,
				  qp->ibv.qp.qp_num, bytes, 0, true);
}

/* Checks the i-th SGE of a send. Returns 0 or an errno value. */
static int sent_sge(struct glass_qp *qp, uint32_t i, uint32_t length)
{
	return length ? 0 : glass_lint(qp->ibv.qp.context, GLASS_LINT_ZERO_LENGTH_SGE, GLASS_KIND_QP,
				       qp->ibv.qp.qp_num, i, 1);
}

int glass_lint_send_wr(struct glass_qp *qp, const struct ibv_send_wr *wr)
{
	uint64_t bytes = 0;
	int i, ret = 0;

	count_posts(qp, 1);
	if (wr->send_flags & IBV_SEND_INLINE) {
		for (i = 0; i < wr->num_sge; i++)
			bytes += wr->sg_list[i].length;
		inline_unasked(qp, bytes);
		return 0;
	}
	for (i = 0; i < wr->num_sge && !ret; i++)
		ret = sent_sge(qp, i, wr->sg_list[i].length);
	return ret;
}

int glass_lint_recv_wr(struct ibv_context *context, struct glass_qp *qp, uint32_t num,
		       const struct ibv_recv_wr *wr)
{
	enum glass_kind kind = qp ? GLASS_KIND_QP : GLASS_KIND_SRQ;
	uint64_t len = 0;
	int i, ret;

	for (i = 0; i < wr->num_sge; i++) {
		len += wr->sg_list[i].length;
		if (wr->sg_list[i].length)
			continue;
		ret = glass_lint(context, GLASS_LINT_ZERO_LENGTH_SGE, kind, num, i, 1);
		if (ret)
			return ret;
	}
	if (qp && qp->ibv.qp.qp_type == IBV_QPT_UD && len < sizeof(struct ibv_grh))
		return glass_lint(context, GLASS_LINT_NO_ROOM_FOR_GRH, kind, num, len,
				  sizeof(struct ibv_grh));
	return 0;
}

void glass_lint_other_pd(const struct glass_qp *qp, uint32_t pdn)
{
	glass_lint(qp->ibv.qp.context, GLASS_LINT_AH_OTHER_PD, GLASS_KIND_QP, qp->ibv.qp.qp_num,
		   pdn, to_gpd(qp->ibv.qp.pd)->pdn);
}

void glass_lint_again(struct ibv_context *context, uint32_t num, enum glass_kind kind, uint64_t wr_id)
{
	glass_lint(context, GLASS_LINT_IGNORES_BAD_WR, kind, num, wr_id, 0);
}

static void no_room(struct ibv_context *context, enum glass_kind kind, uint32_t num, uint32_t max,
		    uint32_t slots)
{
	/* an adapter that rounds up to a power of two would accept one more */
	if (max & (max - 1) && max < slots)
		glass_lint(context, GLASS_LINT_ROUNDED_UP_CAPS, kind, num, max + 1, max);
	else
		glass_lint(context, GLASS_LINT_POST_NO_ROOM, kind, num, max + 1, max);
}

/* Reports a full send queue, whose slots from tail on are in use. */
static void send_no_room(struct glass_qp *qp, uint32_t tail)
{
	struct glass_sq *sq = &qp->sq;

	if (sq->producer != tail && (!sq->any_signaled || (int32_t)(sq->signaled - tail) < 0))
		glass_lint(qp->ibv.qp.context, GLASS_LINT_NEVER_SIGNALED, GLASS_KIND_QP,
			   qp->ibv.qp.qp_num, sq->producer - tail, 1);
	else
		no_room(qp->ibv.qp.context, GLASS_KIND_QP, qp->ibv.qp.qp_num, sq->max_wr,
			sq->ring.num);
}

void glass_lint_send_refused(struct glass_qp *qp, const struct ibv_send_wr *first,
			     const struct ibv_send_wr *wr, uint32_t n, int err)
{
	struct ibv_context *context = qp->ibv.qp.context;
	uint32_t num = qp->ibv.qp.qp_num, tail = atomic_load(&qp->sq.tail);
	uint64_t bytes = 0;
	int i;

	/* remember the list: posting it again unchanged ignores bad_wr */
	qp->sq.refused = n && wr ? first : NULL;
	qp->sq.refused_id = n && wr ? first->wr_id : 0;
	if (!wr)
		return;
	if (err == ENOMEM && qp->sq.producer - tail >= qp->sq.max_wr) {
		send_no_room(qp, tail);
		return;
	}
	if (wr->num_sge > 0 && (uint32_t)wr->num_sge > qp->sq.max_sge) {
		glass_lint_detail(context, GLASS_LINT_POST_NO_ROOM, GLASS_KIND_QP, num, wr->num_sge,
				  qp->sq.max_sge, true);
		return;
	}
	if (err != ENOMEM || !(wr->send_flags & IBV_SEND_INLINE))
		return;
	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	glass_lint(context, GLASS_LINT_INLINE_TOO_LONG, GLASS_KIND_QP, num, bytes,
		   qp->sq.max_inline);
}

void glass_lint_recv_refused(struct ibv_context *context, struct glass_rq *rq, bool is_srq,
			     uint32_t num, const struct ibv_recv_wr *first,
			     const struct ibv_recv_wr *wr, uint32_t n, int err)
{
	enum glass_kind kind = is_srq ? GLASS_KIND_SRQ : GLASS_KIND_QP;

	rq->refused = n && wr ? first : NULL;
	rq->refused_id = n && wr ? first->wr_id : 0;
	if (!wr)
		return;
	if (err == ENOMEM)
		no_room(context, kind, num, rq->max_wr, rq->ring.num);
	else if (wr->num_sge > 0 && (uint32_t)wr->num_sge > rq->max_sge)
		glass_lint_detail(context, GLASS_LINT_POST_NO_ROOM, kind, num, wr->num_sge,
				  rq->max_sge, true);
}

/* ---- buffers between post and completion: only while GL040 or GL041 is observed */

#define PIECE 4096

/*
 * Computes a checksum of a send's buffers. A system call reads them, so that unmapped memory
 * returns an error instead of raising a signal. Returns false if memory is missing.
 */
static bool sum_buffers(const struct glass_abi_sge *sge, uint32_t n, uint32_t *sum)
{
	uint8_t buf[PIECE];
	uint32_t h = 2166136261u;

	for (; n; n--, sge++) {
		uint64_t at = sge->addr;
		uint32_t left = sge->length;

		while (left) {
			size_t part = left < PIECE ? left : PIECE, i;
			struct iovec to = { buf, part };
			struct iovec from = { (void *)(uintptr_t)at, part };

			if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)part)
				return false;
			for (i = 0; i < part; i++)
				h = (h ^ buf[i]) * 16777619u;
			at += part;
			left -= part;
		}
	}
	*sum = h;
	return true;
}

static bool is_read(uint32_t op)
{
	return op < GLASS_OP_COUNT && GLASS_WRS_WITH(GLASS_WRF_RESULT) >> op & 1;
}

/* Under qp_lock: threads may post with one address handle to different queues. */
static void note_use(struct glass_ah *ah, const struct glass_qp *qp, uint32_t index, bool signaled)
{
	struct glass_context *ctx = to_gcontext(qp->ibv.qp.context);

	pthread_mutex_lock(&ctx->qp_lock);
	ah->used_by = qp;
	ah->used_qpn = qp->ibv.qp.qp_num;
	ah->used_index = index;
	ah->used_signaled = signaled;
	ah->uses++;
	pthread_mutex_unlock(&ctx->qp_lock);
}

void glass_lint_sent(struct glass_qp *qp, struct glass_ah *ah, uint32_t index)
{
	struct ibv_context *context = qp->ibv.qp.context;
	const struct glass_abi_send_wqe *wqe = glass_ring_at(&qp->sq.ring, index);
	uint32_t slot = index & (qp->sq.ring.num - 1), sum;

	if (ah)
		note_use(ah, qp, index, wqe->flags & GLASS_WQE_SIGNALED);
	if (!glass_lint_wants(context, GLASS_LINT_BUFFER_CHANGED) &&
	    !glass_lint_wants(context, GLASS_LINT_MEMORY_UNMAPPED)) {
		if (unlikely(qp->sq.sums))
			qp->sq.sums[slot] = 0;
		return;
	}
	if (!qp->sq.sums)
		qp->sq.sums = calloc(qp->sq.ring.num, sizeof(*qp->sq.sums));
	if (!qp->sq.sums)
		return;
	/* 0: no checksum */
	qp->sq.sums[slot] = 0;
	if ((wqe->flags & GLASS_WQE_INLINE) || !wqe->num_sge)
		return;
	if (sum_buffers((const struct glass_abi_sge *)(wqe + 1), wqe->num_sge, &sum))
		qp->sq.sums[slot] = (uint64_t)sum | 1ULL << 32;
}

/* ---- extended posts: aborted requests are not reported */

static struct glass_ah **ah_of_slot(struct glass_qp *qp, uint32_t index)
{
	return &qp->sq.ahs[index & (qp->sq.ring.num - 1)];
}

void glass_lint_wr_ah(struct glass_qp *qp, struct glass_ah *ah)
{
	if (!qp->sq.ahs)
		qp->sq.ahs = calloc(qp->sq.ring.num, sizeof(struct glass_ah *));
	if (qp->sq.ahs)
		*ah_of_slot(qp, qp->sq.producer) = ah;
}

void glass_lint_wr_aborted(struct glass_qp *qp)
{
	uint32_t i;

	/* one more: the failed request has a slot, too */
	for (i = 0; qp->sq.ahs && i <= qp->sq.producer - qp->wr.start; i++)
		*ah_of_slot(qp, qp->wr.start + i) = NULL;
}

/* Reports why wr_complete refuses the requests. */
static void wr_refused(struct glass_qp *qp)
{
	struct ibv_context *context = qp->ibv.qp.context;
	uint32_t num = qp->ibv.qp.qp_num, made = qp->sq.producer;

	switch (qp->wr.why) {
	case GLASS_LINT_NEVER_SIGNALED:
		/* count only requests that are in the queue */
		qp->sq.producer = qp->wr.start;
		send_no_room(qp, qp->wr.seen);
		qp->sq.producer = made;
		break;
	case GLASS_LINT_POST_NO_ROOM:
		glass_lint_detail(context, GLASS_LINT_POST_NO_ROOM, GLASS_KIND_QP, num, qp->wr.seen,
				  qp->sq.max_sge, true);
		break;
	case GLASS_LINT_INLINE_TOO_LONG:
		glass_lint(context, GLASS_LINT_INLINE_TOO_LONG, GLASS_KIND_QP, num, qp->wr.seen,
			   qp->sq.max_inline);
		break;
	case GLASS_LINT_AH_OTHER_PD:
		glass_lint_other_pd(qp, qp->wr.seen);
		break;
	case GLASS_LINT_POST_WRONG_STATE:
		glass_lint(context, GLASS_LINT_POST_WRONG_STATE, GLASS_KIND_QP, num, qp->wr.seen,
			   IBV_QPS_RTS);
		break;
	default:
		break;
	}
}

static int check_wqe(struct glass_qp *qp, const struct glass_abi_send_wqe *wqe)
{
	const struct glass_abi_sge *sge = (const struct glass_abi_sge *)(wqe + 1);
	uint32_t i;
	int ret = 0;

	if (wqe->flags & GLASS_WQE_INLINE) {
		/* any adapter takes the 8 bytes of an ATOMIC WRITE inline */
		if (wqe->opcode != GLASS_OP_ATOMIC_WRITE)
			inline_unasked(qp, wqe->inline_len);
		return 0;
	}
	for (i = 0; i < wqe->num_sge && !ret; i++)
		ret = sent_sge(qp, i, sge[i].length);
	return ret;
}

void glass_lint_wr_complete(struct glass_qp *qp)
{
	struct glass_sq *sq = &qp->sq;
	struct glass_ah **ah;
	uint32_t i;

	if (qp->wr.err) {
		wr_refused(qp);
		return;
	}
	for (i = qp->wr.start; i != sq->producer && !qp->wr.err; i++)
		qp->wr.err = check_wqe(qp, glass_ring_at(&sq->ring, i));
	if (qp->wr.err)
		return;
	for (i = qp->wr.start; i != sq->producer; i++) {
		ah = sq->ahs ? ah_of_slot(qp, i) : NULL;
		glass_lint_sent(qp, ah ? *ah : NULL, i);
		if (ah)
			*ah = NULL;
	}
	count_posts(qp, sq->producer - qp->wr.start);
	/* a newer list replaces the refused one */
	sq->refused = NULL;
}

/* ---- completions */

void glass_lint_polled(struct glass_qp *qp, uint32_t to)
{
	struct ibv_context *context = qp->ibv.qp.context;
	uint32_t i = atomic_load_explicit(&qp->sq.tail, memory_order_relaxed);
	uint32_t num = qp->ibv.qp.qp_num, sum;

	if (!qp->sq.sums || to - i > qp->sq.ring.num)
		return;
	for (; i != to; i++) {
		const struct glass_abi_send_wqe *wqe = glass_ring_at(&qp->sq.ring, i);
		uint64_t *then = &qp->sq.sums[i & (qp->sq.ring.num - 1)];

		if (!*then)
			continue;
		/* the mistake is about the post, not about this poll */
		glass_where_set_current(wqe->stack);
		if (!sum_buffers((const struct glass_abi_sge *)(wqe + 1), wqe->num_sge, &sum))
			glass_lint(context, GLASS_LINT_MEMORY_UNMAPPED, GLASS_KIND_QP, num,
				   wqe->wr_id, 0);
		else if (!is_read(wqe->opcode) && sum != (uint32_t)*then)
			glass_lint(context, GLASS_LINT_BUFFER_CHANGED, GLASS_KIND_QP, num,
				   wqe->wr_id, 0);
		*then = 0;
	}
	glass_where_set_current(0);
}
