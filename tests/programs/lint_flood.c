// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is looked at and tells lint as much as it can: findings about objects that there are not, about those of
 * others, and one about each of many of its own. Nobody else's findings may be lost by that.
 */
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "uapi/glass-abi.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-ioctl.h"
#include "uapi/glass-lint.h"
#include "vt.h"

#define OWN    300
#define OTHERS 512

static int report(struct ibv_context *ctx, uint32_t kind, uint32_t num)
{
	struct glass_report r = {
		.version = GLASS_ABI_VERSION,
		.kind = GLASS_REPORT_FINDING,
		.lint_code = GLASS_LINT_NEVER_SIGNALED,
		.object_kind = kind,
		.object_num = num,
	};
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr;
	} cmd = {
		.hdr = { .length = sizeof(cmd),
			 .object_id = UVERBS_OBJECT_DEVICE,
			 .method_id = GLASS_METHOD_REPORT,
			 .num_attrs = 1 },
		.attr = { .attr_id = GLASS_ATTR_REPORT_DATA,
			  .len = sizeof(r),
			  .flags = UVERBS_ATTR_F_MANDATORY,
			  .data = (uintptr_t)&r },
	};

	return ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

static bool is_own(struct ibv_qp **qp, uint32_t num)
{
	for (unsigned int i = 0; i < OWN; i++)
		if (qp[i]->qp_num == num)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static struct ibv_qp *qp[OWN];
	struct ibv_cq *cq;
	struct vt_end e;
	unsigned int i, kind;
	int err;

	vt_prog = "lint_flood";
	if (argc > 2) {
		fprintf(stderr, "Usage: lint_flood [DEVICE]\n");
		return 2;
	}
	vt_limit(60);
	vt_open(&e, argc > 1 ? argv[1] : "glass0", 1, 0);
	cq = vt_cq(&e, 16, NULL);
	for (i = 0; i < OWN; i++)
		qp[i] = vt_qp(&e, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = 1, .sge = 1 });
	for (i = 0; i < 2000; i++) {
		err = report(e.ctx, GLASS_KIND_QP, 0x800000 + i);
		CHECK(err == ENXIO, "a finding about a QP that there is not: %s", strerror(err));
	}
	for (kind = 0; kind < GLASS_KIND_COUNT; kind++) {
		err = report(e.ctx, kind, 0xfffff0);
		CHECK(err == ENXIO, "a finding about object %u:0xfffff0: %s", kind, strerror(err));
	}
	for (i = 0; i < OTHERS; i++) {
		if (is_own(qp, i))
			continue;
		err = report(e.ctx, GLASS_KIND_QP, i);
		CHECK(err == ENXIO, "a finding about QP 0x%x of somebody else: %s", i, strerror(err));
	}
	for (i = 0; i < OWN; i++) {
		err = report(e.ctx, GLASS_KIND_QP, qp[i]->qp_num);
		CHECK(!err, "a finding about a QP of its own: %s", strerror(err));
	}
	err = report(e.ctx, GLASS_KIND_QP, qp[0]->qp_num);
	CHECK(!err, "the first finding once more: %s", strerror(err));
	printf("%d\n", OWN);
	return 0;
}
