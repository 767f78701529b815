// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* XRC: domains, their shared receive queues, and target QPs of other processes. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "glass.h"

struct ibv_xrcd *glass_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ibv_open_xrcd cmd = {};
	struct verbs_xrcd *xrcd;
	int ret;

	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return NULL;
	ret = ibv_cmd_open_xrcd(context, xrcd, sizeof(*xrcd), attr, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
	if (ret) {
		free(xrcd);
		errno = ret;
		return NULL;
	}
	return &xrcd->xrcd;
}

int glass_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct verbs_xrcd *xrcd = container_of(ibxrcd, struct verbs_xrcd, xrcd);
	int ret = ibv_cmd_close_xrcd(xrcd);

	if (!ret)
		free(xrcd);
	return ret;
}

int glass_get_srq_num(struct ibv_srq *srq, uint32_t *num)
{
	*num = to_gsrq(srq)->srqn;
	return 0;
}

/*
 * Opens a target QP, which any process may have created. The caller can modify and query it. Its
 * events go to its creator: ib_uverbs gives an opened QP no event file.
 */
struct ibv_qp *glass_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ibv_open_qp cmd = {};
	struct glass_qp *qp;
	int ret;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	ret = ibv_cmd_open_qp(context, &qp->ibv, sizeof(qp->ibv), attr, &cmd, sizeof(cmd), &resp,
			      sizeof(resp));
	if (ret) {
		free(qp);
		errno = ret;
		return NULL;
	}
	glass_init_queues(qp, false);
	return &qp->ibv.qp;
}
