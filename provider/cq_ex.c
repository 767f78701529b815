// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Extended completion queues: the program reads one completion at a time, in place in the ring. */
#include <config.h>

#include <errno.h>
#include <time.h>

#include "glass.h"
#include "probes.h"

static struct glass_cq *to_cq(struct ibv_cq_ex *ex)
{
	return container_of(ex, struct glass_cq, ibv.cq_ex);
}

static const struct glass_abi_cqe *now(struct ibv_cq_ex *ex)
{
	return to_cq(ex)->now;
}

/* Examines the completion at the consumer index. */
static int look(struct glass_cq *cq)
{
	struct glass_context *ctx = to_gcontext(cq->ibv.cq.context);
	const struct glass_abi_cqe *cqe;
	struct glass_qp *qp = NULL;

	if (likely(!cq->kept.cqe) &&
	    glass_load_acquire(&cq->ring.hdr->producer) == cq->consumer)
		return ENOENT;
	if (unlikely(cq->moved.num) && glass_cq_follow(cq))
		return ENOMEM;
	cqe = glass_ring_at(&cq->ring, cq->consumer);
	if (unlikely(cq->kept.cqe)) {
		if (!glass_cq_take_copy(cq, &cq->copy))
			return ENOENT;
		cqe = &cq->copy;
	}
	cq->now = cqe;
	cq->ibv.cq_ex.wr_id = cqe->wr_id;
	cq->ibv.cq_ex.status = cqe->status;
	glass_probe_poll(cq->cqn, cqe->qp_num, cqe->wr_id, cqe->status, cqe->opcode, cqe->flow);
	glass_cqe_taken(ctx, cqe, &qp);
	return 0;
}

/* Releases the current completion: the driver may reuse its slot. */
static void leave(struct glass_cq *cq)
{
	bool copied = cq->now == &cq->copy;

	cq->now = NULL;
	if (copied)
		return;
	glass_store_release(&cq->consumer, cq->consumer + 1);
	glass_store_release(&cq->ring.hdr->consumer, cq->consumer);
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct glass_cq *cq = to_cq(ex);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	glass_lock(&cq->lock);
	ret = look(cq);
	/* start_poll failed, so the program does not call end_poll */
	if (ret)
		glass_unlock(&cq->lock);
	return ret;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	struct glass_cq *cq = to_cq(ex);

	if (cq->now)
		leave(cq);
	return look(cq);
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct glass_cq *cq = to_cq(ex);

	if (cq->now)
		leave(cq);
	glass_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return now(ex)->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return now(ex)->vendor_err;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return glass_wc_flags(now(ex));
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return now(ex)->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return (__force __be32)now(ex)->imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return now(ex)->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return now(ex)->src_qp;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	return now(ex)->slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return now(ex)->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	return now(ex)->dlid_path_bits;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *ex)
{
	return now(ex)->timestamp_ns;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t = {};

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/*
 * Subtracts the age of the completion from the current wall-clock time. Wrong if the clock was set
 * meanwhile.
 */
static uint64_t read_wallclock_ns(struct ibv_cq_ex *ex)
{
	int64_t ago = clock_ns(CLOCK_MONOTONIC_RAW) - (int64_t)now(ex)->timestamp_ns;

	return clock_ns(CLOCK_REALTIME) - ago;
}

void glass_cq_ex_set_ops(struct glass_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->ibv.cq_ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
#define READS(flag, what)                                                                          \
	do {                                                                                       \
		if (wc_flags & IBV_WC_EX_WITH_##flag)                                              \
			ex->read_##what = read_##what;                                             \
	} while (0)
	READS(BYTE_LEN, byte_len);
	READS(IMM, imm_data);
	READS(QP_NUM, qp_num);
	READS(SRC_QP, src_qp);
	READS(SLID, slid);
	READS(SL, sl);
	READS(DLID_PATH_BITS, dlid_path_bits);
	READS(COMPLETION_TIMESTAMP, completion_ts);
#undef READS
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ex->read_completion_wallclock_ns = read_wallclock_ns;
}
