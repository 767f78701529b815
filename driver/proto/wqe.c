// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Copies and checks the entries of shared rings; see wqe.h. */
#include "proto/env.h"
#include "proto/wqe.h"
#include "wire/opcode.h"

static_assert(sizeof(struct glass_ring_hdr) == GLASS_RING_HDR_BYTES);
static_assert(sizeof(struct glass_abi_send_wqe) == GLASS_SEND_WQE_HDR_BYTES);
static_assert(sizeof(struct glass_abi_recv_wqe) == GLASS_RECV_WQE_HDR_BYTES);
/* with one SGE or 16 bytes of inline data, a snapshot has two cache lines (create_qp) */
static_assert(offsetof(struct glass_swqe, data) + sizeof(struct glass_sge) <= 128);
static_assert(GLASS_SWQE_FENCE == GLASS_WQE_FENCE && GLASS_SWQE_SIGNALED == GLASS_WQE_SIGNALED);
static_assert(GLASS_SWQE_SOLICITED == GLASS_WQE_SOLICITED &&
	      GLASS_SWQE_INLINE == GLASS_WQE_INLINE);

/*
 * Copies from memory that a program may write to at any time. The barrier keeps the compiler from
 * reading that memory a second time.
 */
static __always_inline void copy_once(void *to, const void *shared, size_t len)
{
	memcpy(to, shared, len);
	barrier();
}

/*
 * Copies n SGEs. zero: the length in bytes that an SGE gets if its length field is 0. Returns the
 * sum of the lengths.
 */
static __always_inline u64 copy_sges(struct glass_sge *to, const u8 *shared, u32 n, u32 zero)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		struct glass_abi_sge sge;

		copy_once(&sge, shared + i * sizeof(sge), sizeof(sge));
		to[i].addr = sge.addr;
		to[i].len = sge.length ?: zero;
		to[i].lkey = sge.lkey;
		total += to[i].len;
	}
	return total;
}

/* May a QP of this type do the operation? `user` means that the QP belongs to a program. */
static bool op_fits(enum glass_qp_type type, bool user, u32 op)
{
	switch (type) {
	case GLASS_QPT_RC:
	case GLASS_QPT_XRC_INI:
		/*
		 * Only kernel consumers have the page lists that REG_MR needs. Some numbers below
		 * GLASS_OP_COUNT are not valid operations, and wqe_error() (req.c) refuses them.
		 */
		return op < GLASS_OP_COUNT && (!user || op != GLASS_OP_REG_MR);
	case GLASS_QPT_UC:
		return op < GLASS_OP_COUNT && GLASS_WRS_ON(GLASS_ON_UC) >> op & 1 &&
		       (!user || glass_wr_is(op, GLASS_WRF_USER));
	case GLASS_QPT_XRC_TGT:
		return false;
	default:
		return op < GLASS_OP_COUNT && GLASS_WRS_ON(GLASS_ON_UD) >> op & 1;
	}
}

/*
 * Does a WQE of this operation carry no data (SGEs or inline data)? It may still name memory by
 * key.
 */
static bool op_has_no_data(u32 op)
{
	return glass_wr_is(op, GLASS_WRF_NO_DATA);
}

enum glass_wc_status glass_swqe_take(struct glass_pqp *q, struct glass_swqe *w, const u8 *slot,
				     u32 zero)
{
	/* a program may write to it: each field is read once */
	const struct glass_abi_send_wqe *a = (const void *)slot;
	u32 opcode = READ_ONCE(a->opcode), imm = READ_ONCE(a->imm), n;
	bool rdma_single;
	u64 total;

	w->wr_id = READ_ONCE(a->wr_id);
	w->op = min_t(u32, opcode, GLASS_OP_COUNT);
	w->flags = READ_ONCE(a->flags) & (GLASS_SWQE_FENCE | GLASS_SWQE_SIGNALED |
					  GLASS_SWQE_SOLICITED | GLASS_SWQE_INLINE);
	w->num_sge = 0;
	w->len = 0;
	w->imm = (__force __be32)imm;
	w->rkey = READ_ONCE(a->rkey);
	w->tries = 0;
	if (glass_wr_is(opcode, GLASS_WRF_KEY))
		w->rkey = imm;
	if (glass_type_is_connected(q->type)) {
		glass_swqe_operands(w, a);
	} else {
		w->dqpn = READ_ONCE(a->remote_qpn) & GLASS_QPN_MASK;
		w->qkey = READ_ONCE(a->remote_qkey);
	}

	if (!op_fits(q->type, q->is_user, opcode))
		return GLASS_WC_LOC_QP_OP_ERR;
	if (!glass_type_is_connected(q->type)) {
		/* the work request chooses the P_Key only on the GSI QP of a kernel consumer */
		w->pkey_index = q->is_user || q->type != GLASS_QPT_GSI ? q->attr.pkey_index :
									 READ_ONCE(a->pkey_index);
		if (!glass_env_ah(q, READ_ONCE(a->ah_num), &w->av))
			return GLASS_WC_LOC_QP_OP_ERR;
	}
	if (op_has_no_data(opcode))
		return GLASS_WC_SUCCESS;
	slot += sizeof(*a);
	if (w->flags & GLASS_SWQE_INLINE) {
		n = READ_ONCE(a->inline_len);
		if (n > q->max_inline)
			return GLASS_WC_LOC_QP_OP_ERR;
		if (glass_wr_is(opcode, GLASS_WRF_RESULT))
			return GLASS_WC_LOC_QP_OP_ERR;
		/*
		 * The address is computed from the offset, because the type of w->data has only 16
		 * bytes. The snapshot has room for max_inline bytes there.
		 */
		copy_once((u8 *)w + offsetof(struct glass_swqe, data), slot, n);
		w->len = n;
		return GLASS_WC_SUCCESS;
	}
	n = READ_ONCE(a->num_sge);
	if (n > q->max_sge)
		return GLASS_WC_LOC_QP_OP_ERR;
	total = copy_sges(w->sge, slot, n, zero);
	w->num_sge = n;
	rdma_single = glass_wr_is(opcode, GLASS_WRF_WORD) && glass_wr_is(opcode, GLASS_WRF_RESULT);
	if (total > GLASS_MSG_MAX || (rdma_single && total != 8))
		return GLASS_WC_LOC_LEN_ERR;
	w->len = total;
	return GLASS_WC_SUCCESS;
}

int glass_rwqe_take(const struct glass_wqe_ring *ring, u32 *consumer, u32 max_sge, u32 zero,
		    struct glass_rwqe *out)
{
	/* pairs with the poster's release: all entries before `producer` are written */
	u32 producer = smp_load_acquire(&ring->hdr->producer);
	struct glass_abi_recv_wqe a;
	const u8 *slot;
	bool fits;

	if (producer == *consumer)
		return 0;
	if (producer - *consumer > ring->num)
		return -EIO;
	slot = ring->entries + (size_t)(*consumer & (ring->num - 1)) * ring->stride;
	copy_once(&a, slot, sizeof(a));
	out->stack = a.stack;
	out->wr_id = a.wr_id;
	out->num_sge = 0;
	out->len = 0;
	fits = a.num_sge <= max_sge && a.num_sge <= GLASS_RWQE_SGE_MAX;
	if (fits) {
		out->len = copy_sges(out->sge, slot + sizeof(a), a.num_sge, zero);
		out->num_sge = a.num_sge;
	}
	(*consumer)++;
	/*
	 * Pairs with the poster's acquire (glass_post_recv(), the provider's glass_rq_post()): the
	 * driver has read the slot before the poster writes to it again.
	 */
	smp_store_release(&ring->hdr->consumer, *consumer);
	return fits ? 1 : -EINVAL;
}
