// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel consumer that registers memory by work request and asks for more than it mapped. The checks run when the module
 * is loaded; loading it fails with EIO if one of them does, and the kernel log says which.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include "loop.h"

static char *device = "glass0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the adapter, whose first port must be active");

#define ORDER 4 /* of the buffer: 64 KiB, so that it can be one page of that size */
#define OFFSET 100
#define MAPPED 6000

static const struct {
	const char *name;
	u32 page_size;
	s32 more; /* bytes that the work request asks for beyond those that were mapped */
	enum ib_wc_status status;
} cases[] = {
	{ "all that was mapped", SZ_4K, 0, IB_WC_SUCCESS },
	{ "less than was mapped", SZ_4K, -1000, IB_WC_SUCCESS },
	{ "one byte more, in the last page", SZ_4K, 1, IB_WC_MW_BIND_ERR },
	{ "up to the end of the last page", SZ_4K, 2 * SZ_4K - OFFSET - MAPPED, IB_WC_MW_BIND_ERR },
	{ "beyond the last page", SZ_4K, 2 * SZ_4K, IB_WC_MW_BIND_ERR },
	{ "all of a part of a large page", SZ_64K, 0, IB_WC_SUCCESS },
	{ "one byte more, in a large page", SZ_64K, 1, IB_WC_MW_BIND_ERR },
	{ "up to the end of a large page", SZ_64K, SZ_64K - OFFSET - MAPPED, IB_WC_MW_BIND_ERR },
};

struct check {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp; /* connected to itself */
	struct ib_mr *mr;
	struct scatterlist sg;
	void *buf;
};

static int make_qp(struct check *c)
{
	struct ib_qp *qp = loop_create(c->pd, c->cq);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	c->qp = qp;
	return loop_connect(qp, 0);
}

static void free_qp(struct check *c)
{
	if (c->qp)
		ib_destroy_qp(c->qp);
	c->qp = NULL;
}

/* REG_MR of the region with so many bytes, whatever map_mr_sg() found. */
static int register_mr(struct check *c, u64 bytes)
{
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = c->mr,
		.key = c->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	c->mr->length = bytes;
	return loop_run(c->qp, &reg.wr);
}

static int invalidate(struct check *c)
{
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = c->mr->rkey };

	return loop_run(c->qp, &inv);
}

/* 0: the case came out as it should. The QP is in ERR after one that is refused, so each has its own. */
static int check_case(struct check *c, u32 i)
{
	int status, n, err = make_qp(c);

	if (err)
		return err;
	n = ib_map_mr_sg(c->mr, &c->sg, 1, NULL, cases[i].page_size);
	if (n != 1)
		return n < 0 ? n : -EIO;
	status = register_mr(c, MAPPED + cases[i].more);
	if (status != cases[i].status) {
		pr_err("check_reg_mr: %s: %d, not %d\n", cases[i].name, status, cases[i].status);
		return -EIO;
	}
	if (!status)
		status = invalidate(c);
	/* what was mapped holds for the next registration, too */
	if (status == IB_WC_SUCCESS) {
		status = register_mr(c, MAPPED + 1);
		if (status != IB_WC_MW_BIND_ERR) {
			pr_err("check_reg_mr: %s, then one byte more: %d\n", cases[i].name, status);
			return -EIO;
		}
	}
	free_qp(c);
	return 0;
}

static int check_all(struct check *c)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	int err = 0;
	u32 i;

	c->pd = ib_alloc_pd(c->dev, 0);
	if (IS_ERR(c->pd))
		return PTR_ERR(c->pd);
	c->cq = ib_create_cq(c->dev, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(c->cq)) {
		err = PTR_ERR(c->cq);
		goto free_pd;
	}
	c->mr = ib_alloc_mr(c->pd, IB_MR_TYPE_MEM_REG, 4);
	if (IS_ERR(c->mr)) {
		err = PTR_ERR(c->mr);
		goto free_cq;
	}
	sg_init_one(&c->sg, c->buf + OFFSET, MAPPED);
	if (ib_dma_map_sg(c->dev, &c->sg, 1, DMA_BIDIRECTIONAL) != 1) {
		err = -ENOMEM;
		goto free_mr;
	}
	for (i = 0; i < ARRAY_SIZE(cases) && !err; i++)
		err = check_case(c, i);
	free_qp(c);
	ib_dma_unmap_sg(c->dev, &c->sg, 1, DMA_BIDIRECTIONAL);
free_mr:
	ib_dereg_mr(c->mr);
free_cq:
	ib_destroy_cq(c->cq);
free_pd:
	ib_dealloc_pd(c->pd);
	return err;
}

static int __init check_init(void)
{
	struct check c = {};
	int err;

	c.dev = loop_device(device);
	if (!c.dev)
		return -ENODEV;
	c.buf = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, ORDER);
	err = c.buf ? check_all(&c) : -ENOMEM;
	free_pages((unsigned long)c.buf, ORDER);
	ib_device_put(c.dev);
	return err;
}

/* Nothing is left when it is loaded; this lets it be unloaded. */
static void __exit check_exit(void)
{
}

module_init(check_init);
module_exit(check_exit);
MODULE_DESCRIPTION("Registrations by work request and what was mapped for them");
MODULE_LICENSE("GPL");
