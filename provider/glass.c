// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The device as libibverbs matches it, and the context of a program that opens it. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat.h"
#include "glass.h"
#include "lint.h"
#include "uapi/glass-ioctl.h"
#include "version.h"

static void glass_free_context(struct ibv_context *context);

static const struct verbs_match_ent match_table[] = {
	/* matches the parent platform device, whose name stays if the RDMA device is renamed */
	VERBS_MODALIAS_MATCH("platform:glass*", NULL),
	{},
};

static const struct verbs_context_ops context_ops = {
	.advise_mr = ibv_cmd_advise_mr,
	.alloc_dm = glass_alloc_dm,
	.alloc_parent_domain = glass_alloc_parent_domain,
	.alloc_mw = glass_alloc_mw,
	.alloc_pd = glass_alloc_pd,
	.alloc_td = glass_alloc_td,
	.async_event = glass_lint_got_async_event,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = glass_bind_mw,
	.cq_event = glass_lint_got_cq_event,
	.create_ah = glass_create_ah,
	.create_cq = glass_create_cq,
	.close_xrcd = glass_close_xrcd,
	.create_cq_ex = glass_create_cq_ex,
	.create_qp = glass_create_qp,
	.create_qp_ex = glass_create_qp_ex,
	.create_srq = glass_create_srq,
	.create_srq_ex = glass_create_srq_ex,
	.dealloc_mw = glass_dealloc_mw,
	.dealloc_pd = glass_dealloc_pd,
	.dealloc_td = glass_dealloc_td,
	.dereg_mr = glass_dereg_mr,
	.destroy_ah = glass_destroy_ah,
	.destroy_cq = glass_destroy_cq,
	.destroy_qp = glass_destroy_qp,
	.destroy_srq = glass_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = glass_free_context,
	.free_dm = glass_free_dm,
	.import_dm = glass_import_dm,
	.import_mr = glass_import_mr,
	.import_pd = glass_import_pd,
	.get_srq_num = glass_get_srq_num,
	.modify_qp = glass_modify_qp,
	.modify_srq = glass_modify_srq,
	.open_qp = glass_open_qp,
	.open_xrcd = glass_open_xrcd,
	.poll_cq = glass_poll_cq,
	.post_recv = glass_post_recv,
	.post_send = glass_post_send,
	.post_srq_recv = glass_post_srq_recv,
	.query_device_ex = glass_query_device_ex,
	.query_port = glass_query_port,
	.query_qp = glass_query_qp,
	.query_rt_values = glass_query_rt_values,
	.query_srq = glass_query_srq,
	.reg_dm_mr = glass_reg_dm_mr,
	.reg_dmabuf_mr = glass_reg_dmabuf_mr,
	.reg_mr = glass_reg_mr,
	.req_notify_cq = ibv_cmd_req_notify_cq,
	.rereg_mr = glass_rereg_mr,
	.resize_cq = glass_resize_cq,
	.unimport_dm = glass_unimport_dm,
	.unimport_mr = glass_unimport_mr,
	.unimport_pd = glass_unimport_pd,
};

/*
 * Sends the counts since the last report to the driver. Ignores failures: nothing depends on the
 * counts.
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
 * If the context cannot get a doorbell descriptor (no file descriptor left, for example), it rings
 * through the verbs core instead: slower, with the same effect.
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

static struct glass_context *new_context(struct ibv_device *ibdev, int cmd_fd)
{
	struct glass_context *ctx;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, ibv, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	glass_areas_init(&ctx->areas, cmd_fd);
	pthread_mutex_init(&ctx->qp_lock, NULL);
	/* 512 KiB of addresses, but a few KiB of memory: most pages stay untouched */
	ctx->qp_pages = calloc(GLASS_QPT_PAGES, sizeof(*ctx->qp_pages));
	if (ctx->qp_pages)
		return ctx;
	verbs_uninit_context(&ctx->ibv);
	free(ctx);
	errno = ENOMEM;
	return NULL;
}

/* Sets up the context from the driver's response. Returns 0 or an errno value. */
static int set_up_context(struct glass_context *ctx, const struct glass_alloc_ucontext_resp *resp)
{
	int ret;

	if (resp->abi_version != GLASS_ABI_VERSION) {
		verbs_err(&ctx->ibv, "the driver has ABI %u, this provider needs %u: install one version\n",
			  resp->abi_version, GLASS_ABI_VERSION);
		return EPROTO;
	}
	ret = map_control_page(ctx, resp);
	if (ret) {
		verbs_err(&ctx->ibv, "cannot map the driver's control page: error %d\n", ret);
		return ret;
	}
	ctx->doorbell_fd = open_doorbell(ctx);
	verbs_set_ops(&ctx->ibv, &context_ops);
	glass_where_open(ctx);
	glass_lint_watch_forks(ctx);
	return 0;
}

static struct verbs_context *begin_context(struct glass_context *ctx, int err,
					   const struct glass_alloc_ucontext_resp *resp)
{
	if (!err)
		err = set_up_context(ctx, resp);
	if (!err)
		return &ctx->ibv;
	free(ctx->qp_pages);
	verbs_uninit_context(&ctx->ibv);
	free(ctx);
	errno = err;
	return NULL;
}

static struct verbs_context *glass_alloc_context(struct ibv_device *ibdev, int cmd_fd,
						 void *private_data)
{
	struct glass_cmd_get_context cmd = { .drv.abi_version = GLASS_ABI_VERSION };
	struct glass_resp_get_context resp = {};
	struct glass_context *ctx = new_context(ibdev, cmd_fd);
	int ret;

	if (!ctx)
		return NULL;
	ret = glass_cmd_get_context(&ctx->ibv, &cmd.core, sizeof(cmd), &resp.core, sizeof(resp));
	return begin_context(ctx, ret, &resp.drv);
}

/* Imports an open context by the file descriptor of its commands. */
static struct verbs_context *glass_import_context(struct ibv_device *ibdev, int cmd_fd)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, 1);
	struct glass_alloc_ucontext_resp resp = {};
	struct glass_context *ctx = new_context(ibdev, cmd_fd);
	int ret;

	if (!ctx)
		return NULL;
	fill_attr_out_ptr(cmd, GLASS_ATTR_QUERY_CONTEXT_RESP, &resp);
	ret = ibv_cmd_query_context(&ctx->ibv.context, cmd);
	return begin_context(ctx, ret, &resp);
}

static void glass_free_context(struct ibv_context *context)
{
	struct glass_context *ctx = to_gcontext(context);
	unsigned int i;

	glass_lint_closes(ctx);
	glass_lint_forget(ctx);
	glass_report_counts(ctx);
	if (ctx->doorbell_fd >= 0)
		close(ctx->doorbell_fd);
	glass_where_close(ctx);
	munmap((void *)ctx->control, ctx->control_bytes);
	for (i = 0; i < GLASS_QPT_PAGES; i++)
		free(atomic_load_explicit(&ctx->qp_pages[i], memory_order_relaxed));
	free(ctx->qp_pages);
	pthread_mutex_destroy(&ctx->qp_lock);
	glass_areas_exit(&ctx->areas);
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
	.import_context = glass_import_context,
};

/* PROVIDER_DRIVER(glass, glass_dev_ops), except that a libibverbs of another series gets no provider. */
extern const struct verbs_device_ops verbs_provider_glass __attribute__((alias("glass_dev_ops")));

static __attribute__((constructor)) void glass_register_driver(void)
{
	if (glass_libibverbs_matches())
		verbs_register_driver(&glass_dev_ops);
}
