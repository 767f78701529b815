// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Copies receives from the ring of a QP or an SRQ into a snapshot (inspect.h), and fills rows with
 * these copies.
 */
#include "debugfs/inspect.h"

static_assert(sizeof(struct glass_sge) == sizeof(struct glass_abi_sge));
static_assert(offsetof(struct glass_sge, len) == offsetof(struct glass_abi_sge, length) &&
	      offsetof(struct glass_sge, lkey) == offsetof(struct glass_abi_sge, lkey));

#define WQE_STATE_WORD(n, w, v, meaning) [v] = #w,
static const char *const inspect_rwqe_states[] = { GLASS_WQE_STATES(WQE_STATE_WORD) };

/*
 * The program may write to the ring at any time: read the entry once, then check and use only the
 * copy.
 */
void glass_snap_rwqe(struct glass_snap_rwqe *to, const struct glass_ring *ring, u32 index,
		     u32 max_sge, const struct glass_lint_client *who)
{
	const u8 *shared = glass_ring_at(ring, index);
	struct glass_abi_recv_wqe a;
	u32 i, n;

	memcpy(&a, shared, sizeof(a));
	barrier();
	n = a.num_sge <= max_sge ? a.num_sge : 0;
	memcpy(to->sge, shared + sizeof(a), n * sizeof(to->sge[0]));
	barrier();
	to->index = index;
	to->num_sge = a.num_sge;
	to->have_sge = n;
	to->state = GLASS_WQE_STATE_POSTED;
	to->wr_id = a.wr_id;
	to->stack = glass_where_stack(glass_lint_where(who), a.stack);
	to->len = 0;
	for (i = 0; i < n; i++)
		to->len += to->sge[i].len;
}

void glass_fill_rwqe(struct glass_row *r, const struct glass_snap_rwqe *w)
{
	if (w->state == GLASS_WQE_STATE_POSTED)
		glass_row_num(r, GLASS_AT(QP_RWQE, index), w->index);
	glass_row_word(r, GLASS_AT(QP_RWQE, state), inspect_rwqe_states[w->state]);
	glass_row_num(r, GLASS_AT(QP_RWQE, wr_id), w->wr_id);
	glass_row_num(r, GLASS_AT(QP_RWQE, len), w->len);
	glass_row_num(r, GLASS_AT(QP_RWQE, num_sge), w->num_sge);
	glass_row_stack(r, GLASS_AT(QP_RWQE, stack), w->stack);
	if (w->have_sge)
		glass_row_sges(r, GLASS_AT(QP_RWQE, sge), w->sge, w->have_sge);
}
