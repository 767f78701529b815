// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Memory windows. Binding is a work request; the driver checks whether it is allowed. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "glass.h"

struct ibv_mw *glass_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;
	int ret;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;
	ret = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(mw);
		errno = ret;
		return NULL;
	}
	return mw;
}

int glass_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (!ret)
		free(mw);
	return ret;
}

int glass_check_bind_mw(const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;

	if (!wr->bind_mw.mw || (info->length && !info->mr))
		return EINVAL;
	if (info->mw_access_flags & ~(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				      IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED |
				      IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	return 0;
}

void glass_fill_bind_mw(struct glass_abi_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;

	wqe->mw_rkey = wr->bind_mw.mw->rkey;
	wqe->rkey = wr->bind_mw.rkey;
	wqe->mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->remote_addr = info->addr;
	wqe->length = info->length;
	wqe->access = info->mw_access_flags;
}

int glass_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = bind->bind_info,
		},
	};
	struct ibv_send_wr *bad_wr;
	int ret;

	if (mw->type != IBV_MW_TYPE_1 || (bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED))
		return EINVAL;
	ret = glass_post_send_from(qp, &wr, &bad_wr, glass_where_current());
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}
