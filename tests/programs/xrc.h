/* SPDX-License-Identifier: GPL-2.0-only */
/* What the XRC programs here share: domains, SRQs in them, targets, initiators, and a message. */
#ifndef XRC_H
#define XRC_H

#include "vt.h"

#define BYTES 256

static VT_UNUSED struct ibv_xrcd *domain(struct ibv_context *ctx, int fd)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = O_CREAT,
	};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(ctx, &attr);

	CHECK(xrcd, "open_xrcd: %s", strerror(errno));
	return xrcd;
}

static VT_UNUSED struct ibv_qp *target(struct ibv_context *ctx, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(ctx, &init);

	CHECK(qp, "create_qp of a target: %s", strerror(errno));
	return qp;
}

static VT_UNUSED struct ibv_qp *initiator(struct vt_end *e)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_SEND,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = e->pd,
		.send_cq = vt_cq(e, 16, NULL),
		.cap = { .max_send_wr = 8, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp_ex(e->ctx, &init);

	CHECK(qp, "create_qp of an initiator: %s", strerror(errno));
	vt_track(VT_QP, qp);
	return qp;
}

static VT_UNUSED struct ibv_qp *opened(struct ibv_context *ctx, struct ibv_xrcd *xrcd, uint32_t qpn)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn,
		.xrcd = xrcd,
		.qp_type = IBV_QPT_XRC_RECV,
	};

	return ibv_open_qp(ctx, &attr);
}

static VT_UNUSED struct ibv_srq *xrc_srq(struct vt_end *e, struct ibv_xrcd *xrcd, struct ibv_cq *cq,
					 uint32_t max_sge)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = 16, .max_sge = max_sge },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = xrcd,
		.cq = cq,
		.pd = e->pd,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(e->ctx, &init);

	CHECK(srq, "create_srq_ex: %s", strerror(errno));
	vt_track(VT_SRQ, srq);
	return srq;
}

static VT_UNUSED void connect_target(struct ibv_qp *qp, const struct vt_end *peer, uint32_t qpn)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct vt_path path = { .qpn = qpn, .lid = peer->attr.lid, .psn = 7 };
	int err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

	CHECK(!err, "the target to INIT: %s", strerror(err));
	err = vt_try_rtr(qp, 1, &path);
	CHECK(!err, "the target to RTR: %s", strerror(err));
}

static VT_UNUSED void connect_initiator(struct ibv_qp *qp, const struct vt_end *peer, uint32_t qpn)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qpn,
				 .ah_attr = { .dlid = peer->attr.lid, .port_num = 1 } };
	int err;

	vt_to_init(qp, 1, 0);
	err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN);
	CHECK(!err, "the initiator to RTR: %s", strerror(err));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = 7, .timeout = 17, .retry_cnt = 7,
				  .rnr_retry = 7, .max_rd_atomic = 1 };
	err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	CHECK(!err, "the initiator to RTS: %s", strerror(err));
}

static VT_UNUSED void post_recv(struct ibv_srq *srq, struct ibv_mr *mr, uint64_t wr_id)
{
	struct ibv_sge sge = vt_sge(mr, 0, BYTES);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
}

/* A message from the initiator through the target to the SRQ. */
static VT_UNUSED void message(struct ibv_qp *from, struct ibv_mr *mf, struct ibv_srq *srq, struct ibv_cq *cq,
		    struct ibv_mr *mt, uint32_t seed)
{
	struct ibv_sge sge = vt_sge(mf, 0, BYTES);
	struct ibv_send_wr wr = { .wr_id = seed, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	CHECK(!ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn), "get_srq_num failed");
	vt_fill(mf->addr, BYTES, seed);
	post_recv(srq, mt, seed);
	vt_post(from, &wr);
	vt_wc_is(from->send_cq, seed, IBV_WC_SUCCESS);
	vt_wc_ok(cq, &wc);
	vt_verify(mt->addr, BYTES, seed, "a message through a target");
}

#endif
