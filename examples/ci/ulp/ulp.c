// SPDX-License-Identifier: GPL-2.0-only
/*
 * A consumer of the kernel's verbs: when it is loaded, it sends a message through each adapter
 * whose first port is ACTIVE, from a queue pair to itself. Loading fails if one message does not
 * arrive.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#define BYTES 4096

struct ulp {
	struct ib_cqe sent, received;
	enum ib_wc_status send_status, recv_status;
	int done;
};

static int result;

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp *u = container_of(wc->wr_cqe, struct ulp, sent);

	u->send_status = wc->status;
	u->done++;
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp *u = container_of(wc->wr_cqe, struct ulp, received);

	u->recv_status = wc->status;
	u->done++;
}

static int connect_to_itself(struct ib_qp *qp, const struct ib_port_attr *port)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	int err;

	err = ib_modify_qp(qp, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (err)
		return err;
	attr = (struct ib_qp_attr){ .qp_state = IB_QPS_RTR,
				    .path_mtu = port->active_mtu,
				    .dest_qp_num = qp->qp_num,
				    .max_dest_rd_atomic = 1,
				    .min_rnr_timer = 12 };
	attr.ah_attr.type = rdma_ah_find_type(qp->device, 1);
	rdma_ah_set_dlid(&attr.ah_attr, port->lid);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	err = ib_modify_qp(qp, &attr,
			   IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (err)
		return err;
	attr = (struct ib_qp_attr){ .qp_state = IB_QPS_RTS,
				    .timeout = 14,
				    .retry_cnt = 7,
				    .rnr_retry = 6,
				    .max_rd_atomic = 1 };
	return ib_modify_qp(qp, &attr,
			    IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				    IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

/* Sends the first half of the buffer to the second one. */
static int transfer(struct ib_qp *qp, struct ib_cq *cq, u8 *data)
{
	struct ib_device *dev = qp->device;
	struct ulp u = { .sent.done = send_done, .received.done = recv_done };
	unsigned long until = jiffies + 5 * HZ;
	struct ib_sge from, to;
	struct ib_recv_wr recv = { .wr_cqe = &u.received, .sg_list = &to, .num_sge = 1 };
	struct ib_send_wr send = { .wr_cqe = &u.sent,
				   .sg_list = &from,
				   .num_sge = 1,
				   .opcode = IB_WR_SEND,
				   .send_flags = IB_SEND_SIGNALED };
	u64 addr = ib_dma_map_single(dev, data, 2 * BYTES, DMA_BIDIRECTIONAL);
	int err;

	if (ib_dma_mapping_error(dev, addr))
		return -ENOMEM;
	from = (struct ib_sge){ addr, BYTES, qp->pd->local_dma_lkey };
	to = (struct ib_sge){ addr + BYTES, BYTES, qp->pd->local_dma_lkey };
	err = ib_post_recv(qp, &recv, NULL);
	if (!err)
		err = ib_post_send(qp, &send, NULL);
	while (!err && u.done < 2) {
		ib_process_cq_direct(cq, -1);
		cond_resched();
		if (time_after(jiffies, until))
			err = -ETIMEDOUT;
	}
	/* No completion may come to our stack afterwards. */
	ib_drain_qp(qp);
	ib_dma_unmap_single(dev, addr, 2 * BYTES, DMA_BIDIRECTIONAL);
	if (!err && (u.send_status || u.recv_status))
		err = -EIO;
	if (!err && memcmp(data, data + BYTES, BYTES))
		err = -EBADMSG;
	return err;
}

static int try_device(struct ib_device *dev)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 }
	};
	struct ib_port_attr port;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *data;
	int err;

	err = ib_query_port(dev, 1, &port);
	if (err || port.state != IB_PORT_ACTIVE)
		return err;
	data = kmalloc(2 * BYTES, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	memset(data, 0x5a, BYTES);
	memset(data + BYTES, 0, BYTES);
	pd = ib_alloc_pd(dev, 0);
	err = PTR_ERR_OR_ZERO(pd);
	if (err)
		goto free;
	cq = ib_alloc_cq(dev, NULL, 8, 0, IB_POLL_DIRECT);
	err = PTR_ERR_OR_ZERO(cq);
	if (err)
		goto dealloc_pd;
	attr.send_cq = attr.recv_cq = cq;
	qp = ib_create_qp(pd, &attr);
	err = PTR_ERR_OR_ZERO(qp);
	if (err)
		goto free_cq;
	err = connect_to_itself(qp, &port);
	if (!err)
		err = transfer(qp, cq, data);
	ib_destroy_qp(qp);
free_cq:
	ib_free_cq(cq);
dealloc_pd:
	ib_dealloc_pd(pd);
free:
	kfree(data);
	pr_info("ulp: %s: %s\n", dev_name(&dev->dev), err ? "failed" : "a message arrived");
	return err;
}

static int add_one(struct ib_device *dev)
{
	int err = try_device(dev);

	if (err)
		result = err;
	return err;
}

static void remove_one(struct ib_device *dev, void *data)
{
}

static struct ib_client client = { .name = "ulp", .add = add_one, .remove = remove_one };

static int __init ulp_init(void)
{
	int err = ib_register_client(&client);

	if (!err && result) {
		ib_unregister_client(&client);
		err = result;
	}
	return err;
}

static void __exit ulp_exit(void)
{
	ib_unregister_client(&client);
}

module_init(ulp_init);
module_exit(ulp_exit);
MODULE_DESCRIPTION("Sends a message through each RDMA adapter");
MODULE_LICENSE("GPL");
