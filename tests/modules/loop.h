/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the kernel consumers of the tests: their device, and an RC QP that is connected to itself. */
#ifndef LOOP_H
#define LOOP_H

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <rdma/ib_verbs.h>

static const char *loop_wanted;
static struct ib_device *loop_found;

static inline int loop_add(struct ib_device *dev)
{
	if (!loop_found && !strcmp(dev_name(&dev->dev), loop_wanted) && ib_device_try_get(dev))
		loop_found = dev;
	return 0;
}

/*
 * Returns the device of that name, with a reference that ib_device_put() drops, or NULL. May sleep.
 * One call at a time in a module.
 */
static inline struct ib_device *loop_device(const char *name)
{
	struct ib_client client = { .name = "glass_test", .add = loop_add };

	loop_wanted = name;
	loop_found = NULL;
	if (ib_register_client(&client))
		return NULL;
	ib_unregister_client(&client);
	return loop_found;
}

/*
 * Creates an RC QP with room for 4 work requests, all of which complete into cq, or returns an
 * ERR_PTR. May sleep.
 */
static inline struct ib_qp *loop_create(struct ib_pd *pd, struct ib_cq *cq)
{
	struct ib_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
	};

	return ib_create_qp(pd, &init);
}

static inline int loop_modify(struct ib_qp *qp, struct ib_qp_attr *attr, enum ib_qp_state state,
			      int mask)
{
	attr->qp_state = state;
	return ib_modify_qp(qp, attr, IB_QP_STATE | mask);
}

/*
 * Takes it from RESET to RTS, as its own peer, by port 1, with these IB_ACCESS_* rights. May sleep.
 */
static inline int loop_connect(struct ib_qp *qp, int access)
{
	struct ib_qp_attr attr = {
		.port_num = 1,
		.path_mtu = IB_MTU_1024,
		.timeout = 17,
		.retry_cnt = 7,
		.dest_qp_num = qp->qp_num,
		.qp_access_flags = access,
		.ah_attr.type = RDMA_AH_ATTR_TYPE_IB,
	};
	struct ib_port_attr port;
	int err = ib_query_port(qp->device, 1, &port);

	if (err)
		return err;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_dlid(&attr.ah_attr, port.lid);
	err = loop_modify(qp, &attr, IB_QPS_INIT,
			  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (!err)
		err = loop_modify(qp, &attr, IB_QPS_RTR,
				  IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
					  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (!err)
		err = loop_modify(qp, &attr, IB_QPS_RTS,
				  IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
					  IB_QP_MAX_QP_RD_ATOMIC);
	return err;
}

/*
 * Posts and polls the QP's CQ until there is a completion. Returns its status (IB_WC_*), or a
 * negative error; -ETIMEDOUT after 20 s, far longer than any completion takes. May sleep.
 */
static inline int loop_run(struct ib_qp *qp, const struct ib_send_wr *wr)
{
	unsigned long until = jiffies + 20 * HZ;
	struct ib_wc wc;
	int n = ib_post_send(qp, wr, NULL);

	while (!n) {
		n = ib_poll_cq(qp->send_cq, 1, &wc);
		if (!n && time_after(jiffies, until))
			return -ETIMEDOUT;
		schedule(); /* where preemption is lazy, cond_resched() does nothing */
	}
	return n < 0 ? n : wc.status;
}

#endif
