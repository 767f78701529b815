// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel consumer whose completions a rule delays ("op=write act=cqe_delay", some milliseconds).
 * It destroys its QP while its completion handler runs: destroy_qp() has to wait for the handler,
 * because the CQ's owner frees what the handler uses next. The checks run when the module is
 * loaded; loading it fails with EIO if one of them does, and the kernel log says which.
 */
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <rdma/ib_verbs.h>
#include "loop.h"

static char *device = "glass0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the adapter, whose first port must be active");

/* So long the handler waits for a destroy_qp() that does not wait for it. */
#define HANDLER_NS (200 * NSEC_PER_MSEC)

struct check {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp; /* connected to itself */
	struct completion entered, left;
	unsigned long events;
	bool destroyed, too_early;
};

static void handler(struct ib_cq *cq, void *context)
{
	struct check *c = context;
	u64 until = ktime_get_ns() + HANDLER_NS;

	if (test_and_set_bit(0, &c->events))
		return;
	complete(&c->entered);
	while (!READ_ONCE(c->destroyed) && ktime_get_ns() < until)
		cpu_relax();
	c->too_early = READ_ONCE(c->destroyed);
	complete(&c->left);
}

static int make_qp(struct check *c)
{
	struct ib_qp *qp = loop_create(c->pd, c->cq);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	c->qp = qp;
	return loop_connect(qp, IB_ACCESS_REMOTE_WRITE);
}

/* An RDMA WRITE of no bytes, which completes late. */
static int destroy_in_handler(struct check *c)
{
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };
	int err = make_qp(c);

	if (!err)
		err = ib_req_notify_cq(c->cq, IB_CQ_NEXT_COMP);
	if (!err)
		err = ib_post_send(c->qp, &wr.wr, NULL);
	if (!err && !wait_for_completion_timeout(&c->entered, 20 * HZ)) {
		pr_err("check_late: no completion event\n");
		err = -EIO;
	}
	if (c->qp)
		ib_destroy_qp(c->qp);
	WRITE_ONCE(c->destroyed, true);
	if (err)
		return err;
	wait_for_completion(&c->left);
	if (!c->too_early)
		return 0;
	pr_err("check_late: destroy_qp returned while the completion handler ran\n");
	return -EIO;
}

/* Events of vector 0 are delivered by whoever completes, others by the CPU of that number. */
static int check_vector(struct check *c, u32 vector)
{
	struct ib_cq_init_attr attr = { .cqe = 16, .comp_vector = vector };
	int err;

	c->events = 0;
	c->destroyed = false;
	c->too_early = false;
	c->qp = NULL;
	init_completion(&c->entered);
	init_completion(&c->left);
	c->cq = ib_create_cq(c->dev, handler, NULL, c, &attr);
	if (IS_ERR(c->cq))
		return PTR_ERR(c->cq);
	err = destroy_in_handler(c);
	ib_destroy_cq(c->cq);
	return err;
}

static int __init check_init(void)
{
	struct check c = {};
	int vector, err = 0;

	c.dev = loop_device(device);
	if (!c.dev)
		return -ENODEV;
	c.pd = ib_alloc_pd(c.dev, 0);
	if (IS_ERR(c.pd)) {
		err = PTR_ERR(c.pd);
	} else {
		for (vector = 0; !err && vector < c.dev->num_comp_vectors; vector++)
			err = check_vector(&c, vector);
		ib_dealloc_pd(c.pd);
	}
	ib_device_put(c.dev);
	return err;
}

/* Nothing is left when it is loaded; this lets it be unloaded. */
static void __exit check_exit(void)
{
}

module_init(check_init);
module_exit(check_exit);
MODULE_DESCRIPTION("Completion events and the end of a QP");
MODULE_LICENSE("GPL");
