// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates objects whose answer the kernel cannot write: the response buffer is read-only, so the RDMA core destroys what
 * the driver made. Rules that fail destroy verbs must not hold for that; they hold for a destroy of the program.
 *
 *     aborted_create RULES    RULES: the adapter's file of rules, which fail the destroy verbs with ENOSPC; cleared in the end
 */
#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>

#include "dump.h"

#define DEV "glass0"

static struct vt_end E;
static char *read_only; /* a page */

/* Rows of a table that are this process's. */
static unsigned int rows_of(const char *kind)
{
	struct table t;
	unsigned int n = 0;
	int row, pid;

	table_read(&t, DEV, kind);
	pid = table_col(&t, "pid");
	for (row = 0; row < t.nrows; row++)
		n += strtol(t.cell[row][pid], NULL, 0) == getpid();
	table_free(&t);
	return n;
}

/* A command of the kernel's own ABI. cmd begins with the address of the response. */
static void aborted(const char *kind, uint32_t command, void *cmd, size_t bytes, size_t resp_bytes)
{
	unsigned int before = rows_of(kind), now;
	struct ib_uverbs_cmd_hdr hdr = { .command = command, .in_words = (sizeof(hdr) + bytes) / 4,
					 .out_words = resp_bytes / 4 };
	char req[sizeof(hdr) + 200];
	uint64_t response = (uintptr_t)read_only;
	int err;

	memcpy(cmd, &response, sizeof(response));
	CHECK(bytes <= sizeof(req) - sizeof(hdr), "the command for a %s is too long", kind);
	memcpy(req, &hdr, sizeof(hdr));
	memcpy(req + sizeof(hdr), cmd, bytes);
	err = write(E.ctx->cmd_fd, req, sizeof(hdr) + bytes) < 0 ? errno : 0;
	CHECK(err == EFAULT, "create of a %s without a response: %s", kind, strerror(err));
	now = rows_of(kind);
	CHECK(now == before, "create of a %s without a response: %u rows before, %u now", kind, before, now);
}

#define ABORTED(kind, COMMAND, cmd, resp)                                                          \
	aborted(kind, IB_USER_VERBS_CMD_##COMMAND, &(cmd), sizeof(cmd), sizeof(struct resp))

static void all(struct ibv_cq *cq, void *buf)
{
	struct ib_uverbs_alloc_pd pd = {};
	struct ib_uverbs_create_cq new_cq = { .cqe = 4, .comp_channel = -1 };
	struct ib_uverbs_create_srq srq = { .pd_handle = E.pd->handle, .max_wr = 4, .max_sge = 1 };
	struct ib_uverbs_create_qp qp = { .pd_handle = E.pd->handle, .send_cq_handle = cq->handle,
					  .recv_cq_handle = cq->handle, .max_send_wr = 1,
					  .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
					  .qp_type = IBV_QPT_RC };
	struct ib_uverbs_reg_mr mr = { .start = (uintptr_t)buf, .length = 4096,
				       .hca_va = (uintptr_t)buf, .pd_handle = E.pd->handle,
				       .access_flags = IBV_ACCESS_LOCAL_WRITE };
	struct ib_uverbs_open_xrcd xrcd = { .fd = -1, .oflags = O_CREAT };

	ABORTED("pd", ALLOC_PD, pd, ib_uverbs_alloc_pd_resp);
	ABORTED("cq", CREATE_CQ, new_cq, ib_uverbs_create_cq_resp);
	ABORTED("srq", CREATE_SRQ, srq, ib_uverbs_create_srq_resp);
	ABORTED("qp", CREATE_QP, qp, ib_uverbs_create_qp_resp);
	ABORTED("mr", REG_MR, mr, ib_uverbs_reg_mr_resp);
	ABORTED("xrcd", OPEN_XRCD, xrcd, ib_uverbs_open_xrcd_resp);
}

/* What a destroy verb returned, which a rule is to fail. */
static void refused(const char *verb, int err)
{
	CHECK(err == ENOSPC, "%s: %s, which no rule asked for", verb, strerror(err));
}

/* fd: -1: a domain without a file */
static struct ibv_xrcd *open_domain(int fd)
{
	struct ibv_xrcd_init_attr attr = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = fd, .oflags = O_CREAT };
	struct ibv_xrcd *xrcd = ibv_open_xrcd(E.ctx, &attr);

	CHECK(xrcd, "open_xrcd: %s", strerror(errno));
	return xrcd;
}

int main(int argc, char **argv)
{
	struct ibv_xrcd *xrcd, *alone;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_cq *cq, *unused_cq;
	struct ibv_pd *unused_pd;
	struct ibv_qp *qp;
	int rules;

	vt_prog = "aborted_create";
	CHECK(argc == 2, "usage: aborted_create RULES");
	rules = open(argv[1], O_WRONLY);
	CHECK(rules >= 0, "%s: %s", argv[1], strerror(errno));
	vt_limit(50);
	vt_open(&E, DEV, 1, 0);
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(read_only != MAP_FAILED, "mmap: %s", strerror(errno));
	cq = vt_cq(&E, 16, NULL);
	unused_cq = vt_cq(&E, 16, NULL);
	unused_pd = ibv_alloc_pd(E.ctx);
	CHECK(unused_pd, "alloc_pd: %s", strerror(errno));
	vt_track(VT_PD, unused_pd);
	srq = vt_srq(&E, 4, 1);
	qp = vt_qp(&E, (struct vt_qp_opts){ .scq = cq, .rcq = cq });
	mr = vt_buf(&E, 4096);
	xrcd = open_domain(open(".", O_RDONLY));
	alone = open_domain(-1);
	all(cq, mr->addr);
	refused("destroy_qp", ibv_destroy_qp(qp));
	refused("destroy_srq", ibv_destroy_srq(srq));
	refused("destroy_cq", ibv_destroy_cq(unused_cq));
	refused("dereg_mr", ibv_dereg_mr(mr));
	refused("close_xrcd", ibv_close_xrcd(xrcd));
	CHECK(!ibv_close_xrcd(alone), "close_xrcd of a domain without a file: a rule failed it");
	refused("dealloc_pd", ibv_dealloc_pd(unused_pd));
	CHECK(write(rules, "clear", 5) == 5, "clear: %s", strerror(errno));
	CHECK(!ibv_close_xrcd(xrcd) && !vt_drop_all(), "clean-up failed");
	vt_close(&E);
	return 0;
}
