// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel consumer whose two queue pairs invalidate one region at the same time: both must complete well. The checks run
 * when the module is loaded; loading it fails with EIO if one of them does, and the kernel log says which.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include "loop.h"

static char *device = "glass0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the adapter, whose first port must be active");

static int rounds = 3000;
module_param(rounds, int, 0444);
MODULE_PARM_DESC(rounds, "how often both invalidate; after 20 s a tenth of it is enough");

struct check;

struct side {
	struct check *c;
	struct ib_cq *cq;
	struct ib_qp *qp; /* connected to itself */
	int meetings;
};

struct check {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_mr *mr;
	struct scatterlist sg;
	void *buf;
	struct side side[2];
	atomic_t met;
	int err; /* of any side */
	/* This round is. The first side writes it before the first meeting, both read it between the two. */
	bool last;
	struct completion done; /* the second side's */
};

static int open_side(struct check *c, struct side *s)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_cq *cq;
	struct ib_qp *qp;

	s->c = c;
	cq = ib_create_cq(c->dev, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	s->cq = cq;
	qp = loop_create(c->pd, cq);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	s->qp = qp;
	return loop_connect(qp, 0);
}

static void close_side(struct side *s)
{
	if (s->qp)
		ib_destroy_qp(s->qp);
	if (s->cq)
		ib_destroy_cq(s->cq);
}

static int register_mr(struct side *s)
{
	struct ib_mr *mr = s->c->mr;
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	return loop_run(s->qp, &reg.wr);
}

static int invalidate(struct side *s)
{
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = s->c->mr->rkey };

	return loop_run(s->qp, &inv);
}

/* Returns when the other side is here, too; what was written before is seen by both. */
static void meet(struct side *s)
{
	int all = 2 * ++s->meetings;

	atomic_inc_return(&s->c->met);
	while (atomic_read_acquire(&s->c->met) < all)
		schedule(); /* as in loop_run() */
}

static void must(struct side *s, int round, const char *what, int status)
{
	if (status == IB_WC_SUCCESS)
		return;
	pr_err("check_invalidate: %s, round %d: %d\n", what, round, status);
	WRITE_ONCE(s->c->err, -EIO);
}

static void run_side(struct side *s)
{
	unsigned long until = jiffies + 20 * HZ;
	bool last;
	int i = 0;

	do {
		i++;
		if (s == &s->c->side[0]) {
			must(s, i, "REG_MR", register_mr(s));
			s->c->last = i >= rounds || READ_ONCE(s->c->err) ||
				     (i >= rounds / 10 && time_after(jiffies, until));
		}
		meet(s);
		last = s->c->last;
		must(s, i, "LOCAL_INV", invalidate(s));
		meet(s);
	} while (!last);
}

static int other_side(void *arg)
{
	struct check *c = arg;

	run_side(&c->side[1]);
	complete(&c->done);
	return 0;
}

static int run_both(struct check *c)
{
	struct task_struct *other = kthread_create(other_side, c, "check_invalidate");

	if (IS_ERR(other))
		return PTR_ERR(other);
	kthread_bind(other, cpumask_last(cpu_online_mask));
	wake_up_process(other);
	run_side(&c->side[0]);
	wait_for_completion(&c->done);
	return c->err;
}

static int check_all(struct check *c)
{
	int err;

	c->pd = ib_alloc_pd(c->dev, 0);
	if (IS_ERR(c->pd))
		return PTR_ERR(c->pd);
	err = open_side(c, &c->side[0]);
	if (!err)
		err = open_side(c, &c->side[1]);
	if (err)
		goto close;
	c->mr = ib_alloc_mr(c->pd, IB_MR_TYPE_MEM_REG, 1);
	if (IS_ERR(c->mr)) {
		err = PTR_ERR(c->mr);
		goto close;
	}
	sg_init_one(&c->sg, c->buf, PAGE_SIZE);
	err = -ENOMEM;
	if (ib_dma_map_sg(c->dev, &c->sg, 1, DMA_BIDIRECTIONAL) == 1) {
		err = ib_map_mr_sg(c->mr, &c->sg, 1, NULL, PAGE_SIZE) == 1 ? run_both(c) : -EIO;
		ib_dma_unmap_sg(c->dev, &c->sg, 1, DMA_BIDIRECTIONAL);
	}
	ib_dereg_mr(c->mr);
close:
	close_side(&c->side[0]);
	close_side(&c->side[1]);
	ib_dealloc_pd(c->pd);
	return err;
}

static int __init check_init(void)
{
	struct check *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int err = -ENODEV;

	if (!c)
		return -ENOMEM;
	init_completion(&c->done);
	c->dev = loop_device(device);
	if (c->dev) {
		c->buf = (void *)get_zeroed_page(GFP_KERNEL);
		err = c->buf ? check_all(c) : -ENOMEM;
		free_page((unsigned long)c->buf);
		ib_device_put(c->dev);
	}
	kfree(c);
	return err;
}

/* Nothing is left when it is loaded; this lets it be unloaded. */
static void __exit check_exit(void)
{
}

module_init(check_init);
module_exit(check_exit);
MODULE_DESCRIPTION("Two queue pairs that invalidate one region");
MODULE_LICENSE("GPL");
