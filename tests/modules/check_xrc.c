// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel consumer with an XRC target, an SRQ and the SRQ's CQ; the initiator is a program
 * (xrc_target kernel), which loads it. When it is unloaded it destroys the target and polls the CQ:
 * a completion that was not polled goes with its QP.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "loop.h"

#define PSN 7
#define BYTES 256

static char *device = "glass0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the adapter");

static uint peer_qpn, peer_lid;
module_param(peer_qpn, uint, 0444);
MODULE_PARM_DESC(peer_qpn, "the initiator");
module_param(peer_lid, uint, 0444);
MODULE_PARM_DESC(peer_lid, "its port");

static uint qpn, srqn;
module_param(qpn, uint, 0444);
MODULE_PARM_DESC(qpn, "told: the target");
module_param(srqn, uint, 0444);
MODULE_PARM_DESC(srqn, "told: the SRQ, which has one receive");

static struct ib_device *dev;
static struct ib_pd *pd;
static struct ib_xrcd *xrcd;
static struct ib_cq *cq;
static struct ib_srq *srq;
static struct ib_qp *target;
static void *buf;
static u64 dma;

/* Of what was made, the last first. */
static void unmake(void)
{
	if (!IS_ERR_OR_NULL(target))
		ib_destroy_qp(target);
	if (!IS_ERR_OR_NULL(srq))
		ib_destroy_srq(srq);
	if (!IS_ERR_OR_NULL(cq))
		ib_destroy_cq(cq);
	if (!IS_ERR_OR_NULL(xrcd))
		ib_dealloc_xrcd_user(xrcd, NULL);
	if (dma)
		ib_dma_unmap_single(dev, dma, BYTES, DMA_FROM_DEVICE);
	kfree(buf);
	if (!IS_ERR_OR_NULL(pd))
		ib_dealloc_pd(pd);
	ib_device_put(dev);
}

static int make_srq(void)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_srq_init_attr srq_attr = {
		.srq_type = IB_SRQT_XRC,
		.attr = { .max_wr = 4, .max_sge = 1 },
	};

	xrcd = ib_alloc_xrcd_user(dev, NULL, NULL);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	cq = ib_create_cq(dev, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	srq_attr.ext.cq = cq;
	srq_attr.ext.xrc.xrcd = xrcd;
	srq = ib_create_srq(pd, &srq_attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	srqn = srq->ext.xrc.srq_num;
	return 0;
}

static int post(void)
{
	struct ib_sge sge = { .length = BYTES, .lkey = pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 };

	buf = kzalloc(BYTES, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	dma = ib_dma_map_single(dev, buf, BYTES, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(dev, dma)) {
		dma = 0;
		return -ENOMEM;
	}
	sge.addr = dma;
	return ib_post_srq_recv(srq, &wr, NULL);
}

static int make_target(void)
{
	struct ib_qp_init_attr init = { .qp_type = IB_QPT_XRC_TGT, .xrcd = xrcd };
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.path_mtu = IB_MTU_1024,
		.rq_psn = PSN,
		.dest_qp_num = peer_qpn,
		.ah_attr.type = RDMA_AH_ATTR_TYPE_IB,
	};
	int err;

	target = ib_create_qp(pd, &init);
	if (IS_ERR(target))
		return PTR_ERR(target);
	qpn = target->qp_num;
	err = ib_modify_qp(target, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (err)
		return err;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_dlid(&attr.ah_attr, peer_lid);
	attr.qp_state = IB_QPS_RTR;
	return ib_modify_qp(target, &attr,
			    IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
				    IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

static int __init check_init(void)
{
	int err;

	dev = loop_device(device);
	if (!dev)
		return -ENODEV;
	pd = ib_alloc_pd(dev, 0);
	err = PTR_ERR_OR_ZERO(pd);
	if (!err)
		err = make_srq();
	if (!err)
		err = post();
	if (!err)
		err = make_target();
	if (err)
		unmake();
	return err;
}

static void __exit check_exit(void)
{
	struct ib_wc wc;
	int n;

	ib_destroy_qp(target);
	target = NULL;
	n = ib_poll_cq(cq, 1, &wc);
	pr_info("check_xrc: %d completions after the end of their QP\n", n);
	unmake();
}

module_init(check_init);
module_exit(check_exit);
MODULE_DESCRIPTION("Completions of an XRC target of the kernel");
MODULE_LICENSE("GPL");
