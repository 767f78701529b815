// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The device as libibverbs finds it, and the context of a program that opened it. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "glass.h"
#include "uapi/glass-ioctl.h"

static void glass_free_context(struct ibv_context *context);

static const struct verbs_match_ent match_table[] = {
	/* the platform device below; stays when the RDMA device is renamed */
	VERBS_MODALIAS_MATCH("platform:glass*", NULL),
	{},
};

static const struct verbs_context_ops context_ops = {
	.alloc_pd = glass_alloc_pd,
	.attach_mcast = ibv_cmd_attach_mcast,
	.create_ah = glass_create_ah,
	.create_cq = glass_create_cq,
	.create_qp = glass_create_qp,
	.create_srq = glass_create_srq,
	.dealloc_pd = glass_dealloc_pd,
	.dereg_mr = glass_dereg_mr,
	.destroy_ah = glass_destroy_ah,
	.destroy_cq = glass_destroy_cq,
	.destroy_qp = glass_destroy_qp,
	.destroy_srq = glass_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = glass_free_context,
	.modify_qp = glass_modify_qp,
	.modify_srq = glass_modify_srq,
	.poll_cq = glass_poll_cq,
	.post_recv = glass_post_recv,
	.post_send = glass_post_send,
	.post_srq_recv = glass_post_srq_recv,
	.query_device_ex = glass_query_device_ex,
	.query_port = glass_query_port,
	.query_qp = glass_query_qp,
	.query_srq = glass_query_srq,
	.reg_mr = glass_reg_mr,
	.req_notify_cq = ibv_cmd_req_notify_cq,
};

/*
 * Tells the driver what happened here since the last report. Nobody waits for
 * it and nothing depends on it: failures are of no interest.
 */
void glass_report_counts(struct glass_context *ctx)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, GLASS_METHOD_REPORT, 1);
	struct glass_report report = {
		.version = GLASS_ABI_VERSION,
		.kind = GLASS_REPORT_COUNTS,
		.posts_refused = atomic_exchange(&ctx->posts_refused, 0),
		.posts_invalid = atomic_exchange(&ctx->posts_invalid, 0),
	};

	if (!report.posts_refused && !report.posts_invalid)
		return;
	fill_attr_in_ptr(cmd, GLASS_ATTR_REPORT_DATA, &report);
	execute_ioctl(&ctx->ibv.context, cmd);
}

int glass_ask_verb(struct glass_context *ctx, enum glass_verb verb)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, GLASS_METHOD_REPORT, 1);
	struct glass_report question = {
		.version = GLASS_ABI_VERSION,
		.kind = GLASS_REPORT_VERB,
		.seen = verb,
	};

	if (!(__atomic_load_n(&ctx->control->verb_faults, __ATOMIC_RELAXED) >> verb & 1))
		return 0;
	fill_attr_in_ptr(cmd, GLASS_ATTR_REPORT_DATA, &question);
	return execute_ioctl(&ctx->ibv.context, cmd);
}

/*
 * Without a doorbell of its own (no descriptor left, say) a context rings by
 * the verbs core: dearer, not different.
 */
static int open_doorbell(struct glass_context *ctx)
{
	DECLARE_COMMAND_BUFFER(cmd, GLASS_OBJECT_DOORBELL, GLASS_METHOD_DOORBELL_ALLOC, 1);
	struct ib_uverbs_attr *fd = fill_attr_out_fd(cmd, GLASS_ATTR_DOORBELL_FD, 0);

	if (execute_ioctl(&ctx->ibv.context, cmd))
		return -1;
	return read_attr_fd(GLASS_ATTR_DOORBELL_FD, fd);
}

static int map_control_page(struct glass_context *ctx, const struct glass_alloc_ucontext_resp *resp)
{
	void *page;

	if (resp->control_bytes < sizeof(*ctx->control))
		return EPROTO;
	page = mmap(NULL, resp->control_bytes, PROT_READ, MAP_SHARED, ctx->ibv.context.cmd_fd,
		    resp->control_mmap_offset);
	if (page == MAP_FAILED)
		return errno;
	ctx->control = page;
	ctx->control_bytes = resp->control_bytes;
	if (ctx->control->version != GLASS_ABI_VERSION) {
		munmap(page, resp->control_bytes);
		return EPROTO;
	}
	return 0;
}

static struct verbs_context *glass_alloc_context(struct ibv_device *ibdev, int cmd_fd,
						 void *private_data)
{
	struct glass_cmd_get_context cmd = { .drv.abi_version = GLASS_ABI_VERSION };
	struct glass_resp_get_context resp = {};
	struct glass_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, ibv, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;

	/* mostly untouched zero pages: 512 KiB of addresses, a few KiB of memory */
	ctx->qp_pages = calloc(GLASS_QPT_PAGES, sizeof(*ctx->qp_pages));
	if (!ctx->qp_pages) {
		ret = ENOMEM;
		goto err;
	}

	ret = ibv_cmd_get_context(&ctx->ibv, &cmd.core, sizeof(cmd), &resp.core, sizeof(resp));
	if (ret)
		goto err;
	if (resp.drv.abi_version != GLASS_ABI_VERSION) {
		verbs_err(&ctx->ibv, "driver speaks ABI %u, this provider %u\n",
			  resp.drv.abi_version, GLASS_ABI_VERSION);
		ret = EPROTO;
		goto err;
	}
	ctx->max_inline = resp.drv.max_inline;
	ctx->max_sge = resp.drv.max_sge;

	ret = map_control_page(ctx, &resp.drv);
	if (ret) {
		verbs_err(&ctx->ibv, "no control page: %d\n", ret);
		goto err;
	}

	ctx->doorbell_fd = open_doorbell(ctx);
	verbs_set_ops(&ctx->ibv, &context_ops);
	return &ctx->ibv;

err:
	free(ctx->qp_pages);
	verbs_uninit_context(&ctx->ibv);
	free(ctx);
	errno = ret;
	return NULL;
}

static void glass_free_context(struct ibv_context *context)
{
	struct glass_context *ctx = to_gcontext(context);
	unsigned int i;

	glass_report_counts(ctx);
	if (ctx->doorbell_fd >= 0)
		close(ctx->doorbell_fd);
	munmap((void *)ctx->control, ctx->control_bytes);
	for (i = 0; i < GLASS_QPT_PAGES; i++)
		free(atomic_load_explicit(&ctx->qp_pages[i], memory_order_relaxed));
	free(ctx->qp_pages);
	verbs_uninit_context(&ctx->ibv);
	free(ctx);
}

static struct verbs_device *glass_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct glass_device *dev = calloc(1, sizeof(*dev));

	return dev ? &dev->ibv : NULL;
}

static void glass_uninit_device(struct verbs_device *vdev)
{
	free(container_of(vdev, struct glass_device, ibv));
}

static const struct verbs_device_ops glass_dev_ops = {
	.name = "glass",
	.match_min_abi_version = GLASS_ABI_VERSION,
	.match_max_abi_version = GLASS_ABI_VERSION,
	.match_table = match_table,
	.alloc_device = glass_alloc_device,
	.uninit_device = glass_uninit_device,
	.alloc_context = glass_alloc_context,
};
PROVIDER_DRIVER(glass, glass_dev_ops);
