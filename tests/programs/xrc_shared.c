// SPDX-License-Identifier: GPL-2.0-only
/*
 * An XRC domain that two contexts of glass0 share through a file, and a target QP in it that outlives the context
 * that made it: the other one has opened it and receives through it. lint looks at all of it.
 *
 * What debugfs shows must be right at each step: a target is its domain's, and no context's.
 *
 *     xrc_shared srq
 *
 * A target made together with an SRQ, which no library does but the kernel lets pass.
 *
 *     xrc_shared overrun
 *
 * The CQ of an XRC SRQ overruns.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "dump.h"
#include "xrc.h"

#define DEV "glass0"

/* A row's column of a table of glass0; a row that is not there is none. */
static uint64_t shown(const char *table, uint64_t row, const char *column)
{
	struct table t;
	uint64_t value;
	int at;

	table_read(&t, DEV, table);
	at = table_row(&t, row);
	CHECK(at >= 0, "%s has no row %llu", table, (unsigned long long)row);
	value = strtoull(t.cell[at][table_col(&t, column)], NULL, 0);
	table_free(&t);
	return value;
}

static bool is_there(const char *table, uint64_t row)
{
	struct table t;
	int at;

	table_read(&t, DEV, table);
	at = table_row(&t, row);
	table_free(&t);
	return at >= 0;
}

static int rows(const char *table)
{
	struct table t;
	int n;

	table_read(&t, DEV, table);
	n = t.nrows;
	table_free(&t);
	return n;
}

static void is(const char *what, uint64_t got, uint64_t want)
{
	CHECK(got == want, "%s: %llu, not %llu", what, (unsigned long long)got, (unsigned long long)want);
}

/* The newest row of a table: ids only grow here. */
static uint64_t newest(const char *table)
{
	struct table t;
	uint64_t top = 0;

	table_read(&t, DEV, table);
	while (t.nrows > 0) {
		uint64_t num = strtoull(t.cell[t.nrows - 1][0], NULL, 0);

		top = num > top ? num : top;
		free(t.cell[--t.nrows]);
	}
	table_free(&t);
	return top;
}

/* The SRQ that the next QP is made with; and as the C library's, which libibverbs calls otherwise. */
static struct ibv_srq *extra;

int ioctl(int fd, unsigned long request, ...)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[32];
	} more;
	struct ib_uverbs_ioctl_hdr *hdr;
	va_list ap;
	long ret;

	va_start(ap, request);
	hdr = va_arg(ap, struct ib_uverbs_ioctl_hdr *);
	va_end(ap);
	if (request != RDMA_VERBS_IOCTL || !extra || hdr->object_id != UVERBS_OBJECT_QP ||
	    hdr->method_id != UVERBS_METHOD_QP_CREATE || hdr->num_attrs >= ARRAY_LEN(more.attr))
		return syscall(SYS_ioctl, fd, request, hdr);
	memcpy(&more, hdr, hdr->length);
	more.attr[hdr->num_attrs] = (struct ib_uverbs_attr){
		.attr_id = UVERBS_ATTR_CREATE_QP_SRQ_HANDLE,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = extra->handle,
	};
	more.hdr.num_attrs++;
	more.hdr.length += sizeof(more.attr[0]);
	extra = NULL;
	ret = syscall(SYS_ioctl, fd, request, &more);
	/* what the kernel wrote into the attributes */
	memcpy(hdr->attrs, more.attr, hdr->num_attrs * sizeof(more.attr[0]));
	return ret;
}

/* Whatever it was made with, it takes of the SRQ that a request names. */
static int target_with_srq(void)
{
	struct ibv_srq *own, *named;
	struct ibv_mr *mf, *mt, *unused;
	struct ibv_cq *cq, *other_cq;
	struct ibv_qp *tgt, *ini;
	struct ibv_xrcd *xrcd;
	struct vt_end a, far;

	vt_open(&a, DEV, 1, 0);
	vt_open(&far, "glass1", 1, 0);
	xrcd = domain(a.ctx, -1);
	cq = vt_cq(&a, 16, NULL);
	other_cq = vt_cq(&a, 16, NULL);
	named = xrc_srq(&a, xrcd, cq, 1);
	own = xrc_srq(&a, xrcd, other_cq, 1);
	extra = own;
	tgt = target(a.ctx, xrcd);
	CHECK(!extra, "the target was made without the SRQ");
	ini = initiator(&far);
	connect_target(tgt, &far, ini->qp_num);
	connect_initiator(ini, &a, tgt->qp_num);
	mf = vt_buf(&far, 2 * BYTES);
	mt = vt_buf(&a, 2 * BYTES);
	unused = vt_buf(&a, 2 * BYTES);
	post_recv(own, unused, 99);
	message(ini, mf, named, cq, mt, 1);
	/* nothing keeps it, so nothing may need it */
	vt_drop(own);
	message(ini, mf, named, cq, mt, 2);
	CHECK(!ibv_destroy_qp(tgt), "destroy_qp failed");
	CHECK(!vt_drop_all() && !ibv_close_xrcd(xrcd), "clean-up failed");
	vt_close(&a);
	vt_close(&far);
	puts("ok");
	return 0;
}

static void send_one(struct ibv_qp *from, struct ibv_mr *mf, const struct ibv_srq *srq, uint64_t wr_id)
{
	struct ibv_sge sge = vt_sge(mf, 0, BYTES);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };

	CHECK(!ibv_get_srq_num((struct ibv_srq *)srq, &wr.qp_type.xrc.remote_srqn), "get_srq_num failed");
	vt_post(from, &wr);
}

/* The SRQ fails with its CQ: no message is acknowledged any more that no completion tells of. */
static int overrun(void)
{
	struct ibv_qp *tgt, *ini;
	struct ibv_mr *mf, *mt;
	struct ibv_xrcd *xrcd;
	struct vt_end a, far;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	int i;

	vt_open(&a, DEV, 1, 0);
	vt_open(&far, "glass1", 1, 0);
	xrcd = domain(a.ctx, -1);
	cq = vt_cq(&a, 2, NULL);
	srq = xrc_srq(&a, xrcd, cq, 1);
	tgt = target(a.ctx, xrcd);
	ini = initiator(&far);
	connect_target(tgt, &far, ini->qp_num);
	connect_initiator(ini, &a, tgt->qp_num);
	mf = vt_buf(&far, BYTES);
	mt = vt_buf(&a, BYTES);
	for (i = 0; i < 8; i++)
		post_recv(srq, mt, i);
	/* one more than the CQ holds */
	for (i = 0; i <= cq->cqe; i++) {
		send_one(ini, mf, srq, i);
		vt_wc_is(ini->send_cq, i, IBV_WC_SUCCESS);
	}
	CHECK(vt_event(a.ctx, IBV_EVENT_SRQ_ERR, srq), "no SRQ_ERR event");
	send_one(ini, mf, srq, i);
	vt_wc_is(ini->send_cq, i, IBV_WC_REM_OP_ERR);
	CHECK(vt_state(tgt) == IBV_QPS_ERR, "the target is in state %d", vt_state(tgt));
	CHECK(!ibv_destroy_qp(tgt), "destroy_qp failed");
	CHECK(!vt_drop_all() && !ibv_close_xrcd(xrcd), "clean-up failed");
	vt_close(&a);
	vt_close(&far);
	puts("ok");
	return 0;
}

int main(int argc, char **argv)
{
	char path[] = "xrc_shared.XXXXXX";
	struct ibv_send_wr wr = { .wr_id = 9, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED };
	uint64_t maker, opener, xrcdn;
	struct vt_end a, b, far;
	struct ibv_xrcd *xrcd_a, *xrcd_b;
	struct ibv_qp *made, *tgt, *ini;
	struct ibv_mr *mf, *mt;
	struct ibv_srq *srq;
	struct ibv_sge sge;
	struct ibv_cq *cq;
	int fd, empty;
	uint32_t qpn;

	vt_prog = "xrc_shared";
	vt_limit(60);
	if (argc == 2 && !strcmp(argv[1], "srq"))
		return target_with_srq();
	if (argc == 2 && !strcmp(argv[1], "overrun"))
		return overrun();
	fd = mkstemp(path);
	CHECK(fd >= 0 && !unlink(path), "%s: %s", path, strerror(errno));
	empty = rows("qp");
	vt_open(&a, DEV, 1, 0);
	maker = newest("ucontext");
	vt_open(&b, DEV, 1, 0);
	opener = newest("ucontext");
	CHECK(maker != opener, "two contexts are one");
	vt_open(&far, "glass1", 1, 0);

	xrcd_a = domain(a.ctx, fd);
	xrcdn = newest("xrcd");
	xrcd_b = domain(b.ctx, fd);
	is("XRC domains that the two share", newest("xrcd"), xrcdn);
	made = target(a.ctx, xrcd_a);
	qpn = made->qp_num;
	tgt = opened(b.ctx, xrcd_b, qpn);
	CHECK(tgt && tgt->qp_num == qpn, "open_qp: %s", strerror(errno));
	CHECK(!opened(b.ctx, xrcd_b, qpn + 1000) && errno, "a QP was opened that is not there");
	is("QPs of the domain", shown("xrcd", xrcdn, "nqp"), 1);
	is("QPs of the context that made the target", shown("ucontext", maker, "nqp"), 0);
	is("QPs of the context that opened it", shown("ucontext", opener, "nqp"), 0);
	is("QPs in all", rows("qp"), empty + 1);

	ini = initiator(&far);
	connect_target(made, &far, ini->qp_num);
	connect_initiator(ini, &a, qpn);
	cq = vt_cq(&b, 16, NULL);
	srq = xrc_srq(&b, xrcd_b, cq, 1);
	mf = vt_buf(&far, 2 * BYTES);
	mt = vt_buf(&b, 2 * BYTES);
	message(ini, mf, srq, cq, mt, 1);

	/* who made it goes, with all that is his; the other one's is there and at work */
	CHECK(!ibv_destroy_qp(made) && !ibv_close_xrcd(xrcd_a), "the maker cannot let go of what is shared");
	vt_close(&a);
	CHECK(!is_there("ucontext", maker), "the maker's context is still there");
	CHECK(is_there("qp", qpn), "the target went with who made it");
	message(ini, mf, srq, cq, mt, 2);

	/* it fails, which is an event of the context that made it: there is none any more */
	sge = vt_sge(mf, 0, 8);
	wr.sg_list = &sge;
	wr.wr.rdma.rkey = mt->rkey ^ 0x00ffff00;
	CHECK(!ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn), "get_srq_num failed");
	vt_post(ini, &wr);
	vt_wc_is(ini->send_cq, 9, IBV_WC_REM_ACCESS_ERR);
	CHECK(vt_state(tgt) == IBV_QPS_ERR, "the target is in state %d", vt_state(tgt));

	CHECK(!ibv_destroy_qp(tgt), "the target cannot be destroyed");
	CHECK(!is_there("qp", qpn), "the target is there without a user");
	is("QPs of the domain in the end", shown("xrcd", xrcdn, "nqp"), 0);
	is("QPs of the context that opened it", shown("ucontext", opener, "nqp"), 0);

	/* one that its maker destroys, and one that goes with its maker's context */
	made = target(b.ctx, xrcd_b);
	is("QPs of a context with a target", shown("ucontext", opener, "nqp"), 0);
	CHECK(!ibv_destroy_qp(made), "destroy_qp failed");
	is("QPs of a context that had a target", shown("ucontext", opener, "nqp"), 0);
	target(b.ctx, xrcd_b);
	CHECK(!vt_drop_all(), "clean-up failed");
	CHECK(!ibv_dealloc_pd(b.pd) && !ibv_close_device(b.ctx), "close failed");
	CHECK(!is_there("xrcd", xrcdn), "the domain is there without a user");
	vt_close(&far);
	is("QPs that are left", rows("qp"), empty);
	puts("ok");
	return 0;
}
