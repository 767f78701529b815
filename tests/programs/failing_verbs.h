/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs that verbs_failing tries: what each needs, does, and leaves to be undone. */
#ifndef FAILING_VERBS_H
#define FAILING_VERBS_H

#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "vt.h"

static struct vt_end E;

/* What a verb works on, and what it makes. */
static struct ibv_context *ctx;
static struct ibv_pd *pd, *other_pd;
static struct ibv_td *td;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_cq_ex *cq_ex;
static struct ibv_srq *srq;
static struct ibv_qp *qp, *target;
static struct ibv_mr *mr;
static struct ibv_mw *mw;
static struct ibv_ah *ah;
static struct ibv_dm *dm;
static struct ibv_xrcd *xrcd;
static struct ibv_flow *flow;
static char *mem;
static int fd = -1;

/* What CQs and queue pairs are made with if it is there, but not that of another verb. */
static void forget_what_was(void)
{
	channel = NULL;
	srq = NULL;
}

#define MEM (64 * PAGE)

/* A verb that returns a pointer, and 0 or an errno value from it. */
#define MAKES(to, call) ((to) = (call), (to) ? 0 : errno)
/* One that returns 0, an errno value, or -1 and errno. */
static int err_of(int ret)
{
	return ret < 0 ? errno : ret;
}

static struct ibv_device *device(void)
{
	return E.ctx->device;
}

static int open_device(void) { return MAKES(ctx, ibv_open_device(device())); }
static int close_device(void) { return err_of(ibv_close_device(ctx)); }

static void fd_goes(void)
{
	CHECK(!close(fd), "close: %s", strerror(errno));
	fd = -1;
}

/* The imported context has the descriptor, and closes it; so it may be closed when importing it failed. */
static int import_device(void)
{
	int err, cmd_fd = dup(E.ctx->cmd_fd);

	if (cmd_fd < 0)
		return errno;
	ctx = ibv_import_device(cmd_fd);
	if (ctx)
		return 0;
	err = errno;
	close(cmd_fd);
	return err;
}

static int alloc_pd(void) { return MAKES(pd, ibv_alloc_pd(E.ctx)); }
static int dealloc_pd(void) { return err_of(ibv_dealloc_pd(pd)); }
static int import_pd(void) { return MAKES(pd, ibv_import_pd(E.ctx, E.pd->handle)); }

static int unimport_pd(void)
{
	ibv_unimport_pd(pd);
	return 0;
}

static int alloc_td(void) { return MAKES(td, ibv_alloc_td(E.ctx, &(struct ibv_td_init_attr){})); }
static int dealloc_td(void) { return err_of(ibv_dealloc_td(td)); }
static void with_td(void) { CHECK(!alloc_td(), "alloc_td"); }
static void td_goes(void) { CHECK(!dealloc_td(), "dealloc_td"); }

static int alloc_parent_domain(void)
{
	struct ibv_parent_domain_init_attr attr = { .pd = E.pd, .td = td };

	return MAKES(pd, ibv_alloc_parent_domain(E.ctx, &attr));
}

static int create_comp_channel(void) { return MAKES(channel, ibv_create_comp_channel(E.ctx)); }
static int destroy_comp_channel(void) { return err_of(ibv_destroy_comp_channel(channel)); }
static void with_channel(void) { CHECK(!create_comp_channel(), "create_comp_channel"); }

/* The library counts a CQ that could not be destroyed for all it knows (ibv_destroy_cq). */
static void channel_forgets_cq(void)
{
	channel->refcnt--;
}

static void channel_goes(void)
{
	CHECK(!destroy_comp_channel(), "destroy_comp_channel");
}

static int create_cq_of(int cqe) { return MAKES(cq, ibv_create_cq(E.ctx, cqe, NULL, channel, 0)); }
static int create_cq(void) { return create_cq_of(16); }
static int create_cq_large(void) { return create_cq_of(4000); }
static int destroy_cq(void) { return err_of(ibv_destroy_cq(cq)); }
static void with_cq(void) { CHECK(!create_cq(), "create_cq"); }
static void cq_goes(void) { CHECK(!destroy_cq(), "destroy_cq"); }

static int create_cq_ex(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16,
					    .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };

	return MAKES(cq_ex, ibv_create_cq_ex(E.ctx, &attr));
}

static int destroy_cq_ex(void) { return err_of(ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex))); }
static int resize_cq(void) { return err_of(ibv_resize_cq(cq, 100)); }
static int req_notify_cq(void) { return err_of(ibv_req_notify_cq(cq, 0)); }

static void with_channel_and_cq(void)
{
	with_channel();
	with_cq();
}

static void cq_and_channel_go(void)
{
	cq_goes();
	channel_goes();
}

static void with_mem(void)
{
	mem = mmap(NULL, MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mem != MAP_FAILED, "mmap: %s", strerror(errno));
}

static void mem_goes(void) { CHECK(!munmap(mem, MEM), "munmap: %s", strerror(errno)); }

static int reg(size_t len, int access) { return MAKES(mr, ibv_reg_mr(E.pd, mem, len, access)); }
static int reg_mr(void) { return reg(MEM, VT_ACCESS_ALL); }
static int reg_mr_odp(void) { return reg(MEM, VT_ACCESS_ALL | IBV_ACCESS_ON_DEMAND); }

static int reg_mr_implicit(void)
{
	return MAKES(mr, ibv_reg_mr(E.pd, NULL, SIZE_MAX, VT_ACCESS_ALL | IBV_ACCESS_ON_DEMAND));
}

static int dereg_mr(void) { return err_of(ibv_dereg_mr(mr)); }

static void with_mr(void)
{
	with_mem();
	CHECK(!reg_mr(), "reg_mr: %s", strerror(errno));
}

static void mr_goes(void)
{
	CHECK(!dereg_mr(), "dereg_mr");
	mem_goes();
}

/* The whole of it, a piece of it, another domain. */
static int rereg_mr(void)
{
	return err_of(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, mem + PAGE, 8 * PAGE, 0));
}

static void with_mr_and_pd(void)
{
	with_mr();
	other_pd = ibv_alloc_pd(E.ctx);
	CHECK(other_pd, "alloc_pd");
}

static void mr_and_pd_go(void)
{
	mr_goes();
	CHECK(!ibv_dealloc_pd(other_pd), "dealloc_pd");
}

static int rereg_mr_pd(void)
{
	return err_of(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS, other_pd, NULL,
				   0, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ));
}

/* The same region once more, by its handle. */
static struct ibv_mr *twin;

static int import_mr(void) { return MAKES(twin, ibv_import_mr(E.pd, mr->handle)); }

static int unimport_mr(void)
{
	ibv_unimport_mr(twin);
	return 0;
}

static void with_odp(void)
{
	with_mem();
	CHECK(!reg_mr_odp(), "reg_mr: %s", strerror(errno));
}

static int advise(uint32_t flags)
{
	struct ibv_sge sge = { (uintptr_t)mem, MEM, mr->lkey };

	return err_of(ibv_advise_mr(E.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, flags, &sge, 1));
}

static int advise_mr(void) { return advise(IBV_ADVISE_MR_FLAG_FLUSH); }
static int advise_mr_later(void) { return advise(0); }

/* A dma-buf of a memfd's pages; -1 when this kernel has none. */
static int a_dmabuf(void)
{
	struct udmabuf_create create = { .size = MEM };
	int control = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), made;

	if (control < 0)
		return -1;
	create.memfd = memfd_create("glass", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	CHECK(create.memfd != (uint32_t)-1 && !ftruncate(create.memfd, MEM) &&
	      !fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK), "memfd: %s", strerror(errno));
	made = ioctl(control, UDMABUF_CREATE, &create);
	CHECK(made >= 0, "udmabuf: %s", strerror(errno));
	close(create.memfd);
	close(control);
	return made;
}

static bool has_dmabuf(void) { return !access("/dev/udmabuf", F_OK); }

static struct ibv_mr *a_dmabuf_mr(void)
{
	return ibv_reg_dmabuf_mr(E.pd, 0, MEM, 0, fd, VT_ACCESS_ALL);
}

/*
 * One region of it is there already, and with it the kernel's mapping: dma_buf_vmap() warns in the kernel log when an exporter has
 * no memory for that.
 */
static struct ibv_mr *first_of_dmabuf;

static void with_dmabuf(void)
{
	fd = a_dmabuf();
	first_of_dmabuf = a_dmabuf_mr();
	CHECK(first_of_dmabuf, "reg_dmabuf_mr: %s", strerror(errno));
}

static void dmabuf_goes(void)
{
	CHECK(!ibv_dereg_mr(first_of_dmabuf), "dereg_mr");
	fd_goes();
}

static int reg_dmabuf_mr(void) { return MAKES(mr, a_dmabuf_mr()); }

static int alloc_dm(void)
{
	return MAKES(dm, ibv_alloc_dm(E.ctx, &(struct ibv_alloc_dm_attr){ .length = 8 * PAGE }));
}

static int free_dm(void) { return err_of(ibv_free_dm(dm)); }
static void with_dm(void) { CHECK(!alloc_dm(), "alloc_dm: %s", strerror(errno)); }
static void dm_goes(void) { CHECK(!free_dm(), "free_dm"); }

static int reg_dm_mr(void)
{
	return MAKES(mr, ibv_reg_dm_mr(E.pd, dm, 0, PAGE, VT_ACCESS_ALL | IBV_ACCESS_ZERO_BASED));
}

static struct ibv_dm *dm_twin;

static int import_dm(void) { return MAKES(dm_twin, ibv_import_dm(E.ctx, dm->handle)); }

static int unimport_dm(void)
{
	ibv_unimport_dm(dm_twin);
	return 0;
}

static int alloc_mw_1(void) { return MAKES(mw, ibv_alloc_mw(E.pd, IBV_MW_TYPE_1)); }
static int alloc_mw_2(void) { return MAKES(mw, ibv_alloc_mw(E.pd, IBV_MW_TYPE_2)); }
static int dealloc_mw(void) { return err_of(ibv_dealloc_mw(mw)); }

static int create_srq_of(uint32_t max_wr)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = 2 } };

	return MAKES(srq, ibv_create_srq(E.pd, &attr));
}

static int create_srq(void) { return create_srq_of(16); }
static int create_srq_large(void) { return create_srq_of(4000); }
static int destroy_srq(void) { return err_of(ibv_destroy_srq(srq)); }
static void with_srq(void) { CHECK(!create_srq(), "create_srq"); }
static void srq_goes(void) { CHECK(!destroy_srq(), "destroy_srq"); }

static int modify_srq_size(void)
{
	return err_of(ibv_modify_srq(srq, &(struct ibv_srq_attr){ .max_wr = 500 }, IBV_SRQ_MAX_WR));
}

static int modify_srq_limit(void)
{
	return err_of(ibv_modify_srq(srq, &(struct ibv_srq_attr){ .srq_limit = 5 }, IBV_SRQ_LIMIT));
}

static int open_xrcd_of(int file)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = file,
		.oflags = O_CREAT,
	};

	return MAKES(xrcd, ibv_open_xrcd(E.ctx, &attr));
}

static int open_xrcd(void) { return open_xrcd_of(-1); }
static int open_xrcd_file(void) { return open_xrcd_of(fd); }
static int close_xrcd(void) { return err_of(ibv_close_xrcd(xrcd)); }

static void with_file(void)
{
	char path[] = "/tmp/verbs_failing.XXXXXX";

	fd = mkstemp(path);
	CHECK(fd >= 0 && !unlink(path), "%s: %s", path, strerror(errno));
}

static void with_xrcd_and_cq(void)
{
	CHECK(!open_xrcd(), "open_xrcd: %s", strerror(errno));
	with_cq();
}

static void xrcd_and_cq_go(void)
{
	CHECK(!close_xrcd(), "close_xrcd");
	cq_goes();
}

static int create_srq_xrc(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 16, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = xrcd,
		.cq = cq,
		.pd = E.pd,
	};

	return MAKES(srq, ibv_create_srq_ex(E.ctx, &attr));
}

static struct ibv_ah_attr to_self(bool grh)
{
	struct ibv_ah_attr attr = { .dlid = E.attr.lid, .port_num = E.port, .is_global = grh };

	attr.grh.dgid = E.gid;
	attr.grh.hop_limit = 1;
	return attr;
}

static int create_ah_of(struct ibv_ah_attr attr) { return MAKES(ah, ibv_create_ah(E.pd, &attr)); }
static int create_ah(void) { return create_ah_of(to_self(false)); }
static int create_ah_grh(void) { return create_ah_of(to_self(true)); }
static int destroy_ah(void) { return err_of(ibv_destroy_ah(ah)); }

static int create_qp_of(enum ibv_qp_type type, uint32_t wr)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = type,
		.cap = { .max_send_wr = wr, .max_send_sge = 2, .max_recv_wr = srq ? 0 : wr,
			 .max_recv_sge = srq ? 0 : 2 },
	};

	return MAKES(qp, ibv_create_qp(E.pd, &attr));
}

static int create_qp_rc(void) { return create_qp_of(IBV_QPT_RC, 8); }
static int create_qp_uc(void) { return create_qp_of(IBV_QPT_UC, 8); }
static int create_qp_ud(void) { return create_qp_of(IBV_QPT_UD, 8); }
static int create_qp_large(void) { return create_qp_of(IBV_QPT_RC, 2000); }

static int create_qp_wr(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_send_sge = 1, .max_recv_wr = 8, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = E.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE,
	};

	return MAKES(qp, ibv_create_qp_ex(E.ctx, &attr));
}

static int create_qp_xrc_send(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = E.pd,
		.send_cq = cq,
		.cap = { .max_send_wr = 8, .max_send_sge = 1 },
	};

	return MAKES(qp, ibv_create_qp_ex(E.ctx, &attr));
}

static int create_qp_xrc_recv(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	return MAKES(qp, ibv_create_qp_ex(E.ctx, &attr));
}

static int destroy_qp(void) { return err_of(ibv_destroy_qp(qp)); }

static void with_cq_and_srq(void)
{
	with_cq();
	with_srq();
}

static void cq_and_srq_go(void)
{
	cq_goes();
	srq_goes();
}

static void with_target(void)
{
	with_xrcd_and_cq();
	CHECK(!create_qp_xrc_recv(), "create_qp: %s", strerror(errno));
	target = qp;
}

static void target_goes(void)
{
	CHECK(!ibv_destroy_qp(target), "destroy_qp");
	xrcd_and_cq_go();
}

static int open_qp(void)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = target->qp_num,
		.xrcd = xrcd,
		.qp_type = IBV_QPT_XRC_RECV,
	};

	return MAKES(qp, ibv_open_qp(E.ctx, &attr));
}

/* ---- states; each verb begins with a QP in the one before */

static void with_qp_of(enum ibv_qp_type type)
{
	with_cq();
	CHECK(!create_qp_of(type, 8), "create_qp: %s", strerror(errno));
}

static void with_rc(void) { with_qp_of(IBV_QPT_RC); }

static void qp_goes(void)
{
	CHECK(!destroy_qp(), "destroy_qp");
	cq_goes();
}

static int state_is(enum ibv_qp_state state)
{
	enum ibv_qp_state is = vt_state(qp);

	CHECK(is == state, "the QP is in state %d, not %d", is, state);
	return 0;
}

static int to_init(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = E.port,
				 .qp_access_flags = VT_ACCESS_ALL };

	return err_of(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static struct vt_path path_to_self(void)
{
	return (struct vt_path){ .qpn = qp->qp_num, .lid = E.attr.lid, .psn = 1, .rd_atomic = 64 };
}

static int to_rtr(void)
{
	struct vt_path path = path_to_self();

	return err_of(vt_try_rtr(qp, E.port, &path));
}

static int to_rts(void)
{
	struct vt_path path = path_to_self();

	return err_of(vt_try_rts(qp, 1, &path));
}

static int to_state(enum ibv_qp_state state)
{
	return err_of(ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = state }, IBV_QP_STATE));
}

static int to_sqd(void) { return to_state(IBV_QPS_SQD); }
static int to_err(void) { return to_state(IBV_QPS_ERR); }
static int to_reset(void) { return to_state(IBV_QPS_RESET); }

static void in_init(void)
{
	with_rc();
	CHECK(!to_init(), "to INIT");
}

static void in_rtr(void)
{
	in_init();
	CHECK(!to_rtr(), "to RTR");
}

static void in_rts(void)
{
	in_rtr();
	CHECK(!to_rts(), "to RTS");
}

static void is_reset(void) { state_is(IBV_QPS_RESET); }
static void is_init(void) { state_is(IBV_QPS_INIT); }
static void is_rtr(void) { state_is(IBV_QPS_RTR); }
static void is_rts(void) { state_is(IBV_QPS_RTS); }

static int load_alt_path(void)
{
	struct ibv_qp_attr a = { .path_mig_state = IBV_MIG_REARM, .alt_port_num = E.port, .alt_timeout = 14,
				 .alt_ah_attr = to_self(false) };

	return err_of(ibv_modify_qp(qp, &a, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE));
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	return err_of(ibv_query_qp(qp, &a, IBV_QP_STATE, &init));
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return err_of(ibv_query_srq(srq, &attr));
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return err_of(ibv_query_port(E.ctx, E.port, &attr));
}

static int query_device(void)
{
	struct ibv_device_attr_ex attr;

	return err_of(ibv_query_device_ex(E.ctx, NULL, &attr));
}

/* ---- multicast, flows */

static const union ibv_gid group = { .raw = { 0xff, 0x12, 0xa0, 0x1b, [14] = 0x62, [15] = 0x26 } };

static void with_ud(void)
{
	with_qp_of(IBV_QPT_UD);
	vt_to_init(qp, E.port, 0);
}

static int attach_mcast(void) { return err_of(ibv_attach_mcast(qp, &group, 0xc062)); }
static int detach_mcast(void) { return err_of(ibv_detach_mcast(qp, &group, 0xc062)); }

static int create_flow(void)
{
	struct ibv_flow_attr attr = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(attr), .port = E.port };

	return MAKES(flow, ibv_create_flow(qp, &attr));
}

/* One of two of a group leaves it. */
static struct ibv_qp *stays;

static void with_two_of_a_group(void)
{
	with_ud();
	stays = qp;
	CHECK(!attach_mcast(), "attach_mcast: %s", strerror(errno));
	CHECK(!create_qp_ud(), "create_qp: %s", strerror(errno));
	vt_to_init(qp, E.port, 0);
}

static void two_of_a_group_go(void)
{
	CHECK(!destroy_qp(), "destroy_qp");
	qp = stays;
	CHECK(!detach_mcast() && !destroy_qp(), "destroy_qp");
	cq_goes();
}

/* All that a program may leave to the kernel. */
static void open_and_make(void)
{
	int i;

	CHECK(!open_device(), "open_device: %s", strerror(errno));
	E.ctx = ctx;
	CHECK(!alloc_pd(), "alloc_pd: %s", strerror(errno));
	E.pd = pd;
	with_mem();
	with_channel_and_cq();
	CHECK(!reg_mr() && !reg_mr_odp() && !alloc_mw_1() && !alloc_mw_2() && !create_ah(), "memory: %s",
	      strerror(errno));
	with_dm();
	CHECK(!reg_dm_mr() && !open_xrcd() && !create_srq_xrc(), "XRC: %s", strerror(errno));
	CHECK(!create_qp_xrc_recv() && !create_qp_xrc_send(), "XRC: %s", strerror(errno));
	srq = NULL;
	for (i = 0; i < 3; i++) {
		CHECK(!create_qp_ud(), "create_qp: %s", strerror(errno));
		vt_to_init(qp, E.port, 0);
		CHECK(!attach_mcast(), "attach_mcast: %s", strerror(errno));
	}
	CHECK(!create_qp_rc() && !to_init() && !to_rtr() && !to_rts(), "an RC QP: %s", strerror(errno));
}

/* ---- work: the doorbell runs the queue pair, here */

static void with_work(void)
{
	with_mr();
	in_rts();
	CHECK(!alloc_mw_1(), "alloc_mw: %s", strerror(errno));
}

static void with_work_on_demand(void)
{
	with_odp();
	in_rts();
	CHECK(!alloc_mw_1(), "alloc_mw: %s", strerror(errno));
}

static void work_goes(void)
{
	CHECK(!destroy_qp(), "destroy_qp");
	cq_goes();
	CHECK(!dealloc_mw(), "dealloc_mw");
	mr_goes();
}

static int write_to_self(void)
{
	struct ibv_sge sge = { (uintptr_t)mem, 2 * PAGE, mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)mem + 8 * PAGE;
	wr.wr.rdma.rkey = mr->rkey;
	return err_of(ibv_post_send(qp, &wr, &bad));
}

static int bind_mw(void)
{
	struct ibv_mw_bind bind = {
		.wr_id = 5, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr, .addr = (uintptr_t)mem, .length = PAGE,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};

	return err_of(ibv_bind_mw(qp, mw, &bind));
}

/* What was posted completes, well or not. */
static void completes(void)
{
	struct ibv_wc wc;

	vt_wc(cq, &wc);
	CHECK(wc.wr_id == 5, "a completion of wr_id %llu", (unsigned long long)wc.wr_id);
}

struct verb {
	const char *name;
	int (*run)(void);
	int (*undo)(void); /* a verb, too; NULL: what was made stays until `after` */
	void (*before)(void), (*after)(void); /* around each try */
	void (*failed)(void); /* what must hold after it failed */
	void (*done)(void); /* ... and after it was done */
	void (*gone)(void); /* ... and after it was undone though that said EFAULT */
	int always; /* this verb is refused, so */
	int library_says[2]; /* that it could not read what it looks at, without the reason */
	bool (*there)(void); /* can it be tried at all? */
};

/* A bind of a region must have permission to be bound. */
static int reg_mr_bind(void) { return reg(MEM, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND); }

static void with_window(void)
{
	with_mem();
	CHECK(!reg_mr_bind(), "reg_mr: %s", strerror(errno));
	in_rts();
	CHECK(!alloc_mw_1(), "alloc_mw: %s", strerror(errno));
}

static const struct verb verbs[] = {
	{ "open_device", open_device, .undo = close_device },
	{ "import_device", import_device, .undo = close_device, .library_says = { EINVAL, ENODEV } },
	{ "query_device_ex", query_device, .undo = NULL },
	{ "query_port", query_port, .undo = NULL },
	{ "alloc_pd", alloc_pd, .undo = dealloc_pd },
	{ "import_pd", import_pd, .undo = unimport_pd },
	{ "alloc_td", alloc_td, .undo = dealloc_td },
	{ "alloc_parent_domain", alloc_parent_domain, .undo = dealloc_pd, .before = with_td, .after = td_goes },
	{ "create_comp_channel", create_comp_channel, .undo = destroy_comp_channel },
	{ "create_cq", create_cq, .undo = destroy_cq },
	{ "create_cq (large)", create_cq_large, .undo = destroy_cq },
	{ "create_cq (with a channel)", create_cq, .undo = destroy_cq, .before = with_channel,
	  .after = channel_goes, .gone = channel_forgets_cq },
	{ "create_cq_ex", create_cq_ex, .undo = destroy_cq_ex },
	{ "resize_cq", resize_cq, .before = with_cq, .after = cq_goes },
	{ "req_notify_cq", req_notify_cq, .before = with_channel_and_cq, .after = cq_and_channel_go },
	{ "reg_mr", reg_mr, .undo = dereg_mr, .before = with_mem, .after = mem_goes },
	{ "reg_mr (on demand)", reg_mr_odp, .undo = dereg_mr, .before = with_mem, .after = mem_goes },
	{ "reg_mr (implicit)", reg_mr_implicit, .undo = dereg_mr },
	{ "rereg_mr (memory)", rereg_mr, .before = with_mr, .after = mr_goes },
	{ "rereg_mr (domain and access)", rereg_mr_pd, .before = with_mr_and_pd, .after = mr_and_pd_go },
	{ "import_mr", import_mr, .undo = unimport_mr, .before = with_mr, .after = mr_goes },
	{ "reg_dmabuf_mr", reg_dmabuf_mr, .undo = dereg_mr, .before = with_dmabuf, .after = dmabuf_goes,
	  .there = has_dmabuf },
	{ "advise_mr", advise_mr, .before = with_odp, .after = mr_goes },
	{ "advise_mr (later)", advise_mr_later, .before = with_odp, .after = mr_goes },
	{ "alloc_dm", alloc_dm, .undo = free_dm },
	{ "import_dm", import_dm, .undo = unimport_dm, .before = with_dm, .after = dm_goes },
	{ "reg_dm_mr", reg_dm_mr, .undo = dereg_mr, .before = with_dm, .after = dm_goes },
	{ "alloc_mw (type 1)", alloc_mw_1, .undo = dealloc_mw },
	{ "alloc_mw (type 2)", alloc_mw_2, .undo = dealloc_mw },
	{ "create_srq", create_srq, .undo = destroy_srq },
	{ "create_srq (large)", create_srq_large, .undo = destroy_srq },
	{ "create_srq (XRC)", create_srq_xrc, .undo = destroy_srq, .before = with_xrcd_and_cq,
	  .after = xrcd_and_cq_go },
	{ "modify_srq (size)", modify_srq_size, .before = with_srq, .after = srq_goes },
	{ "modify_srq (limit)", modify_srq_limit, .before = with_srq, .after = srq_goes },
	{ "query_srq", query_srq, .before = with_srq, .after = srq_goes },
	{ "create_ah", create_ah, .undo = destroy_ah },
	{ "create_ah (GRH)", create_ah_grh, .undo = destroy_ah },
	{ "open_xrcd", open_xrcd, .undo = close_xrcd },
	{ "open_xrcd (of a file)", open_xrcd_file, .undo = close_xrcd, .before = with_file, .after = fd_goes },
	{ "create_qp (RC)", create_qp_rc, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (UC)", create_qp_uc, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (UD)", create_qp_ud, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (large)", create_qp_large, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (with an SRQ)", create_qp_rc, .undo = destroy_qp, .before = with_cq_and_srq,
	  .after = cq_and_srq_go },
	{ "create_qp (wr interface)", create_qp_wr, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (XRC_SEND)", create_qp_xrc_send, .undo = destroy_qp, .before = with_cq, .after = cq_goes },
	{ "create_qp (XRC_RECV)", create_qp_xrc_recv, .undo = destroy_qp, .before = with_xrcd_and_cq,
	  .after = xrcd_and_cq_go },
	{ "open_qp", open_qp, .undo = destroy_qp, .before = with_target, .after = target_goes },
	{ "query_qp", query_qp, .before = with_rc, .after = qp_goes },
	{ "modify_qp (INIT)", to_init, .before = with_rc, .after = qp_goes, .failed = is_reset, .done = is_init },
	{ "modify_qp (RTR)", to_rtr, .before = in_init, .after = qp_goes, .failed = is_init, .done = is_rtr },
	{ "modify_qp (RTS)", to_rts, .before = in_rtr, .after = qp_goes, .failed = is_rtr, .done = is_rts },
	{ "modify_qp (alternate path)", load_alt_path, .before = in_rts, .after = qp_goes,
	  .failed = is_rts, .done = is_rts },
	{ "modify_qp (SQD)", to_sqd, .before = in_rts, .after = qp_goes, .failed = is_rts },
	{ "modify_qp (ERR)", to_err, .before = in_rts, .after = qp_goes, .failed = is_rts },
	{ "modify_qp (RESET)", to_reset, .before = in_rts, .after = qp_goes, .failed = is_rts, .done = is_reset },
	{ "attach_mcast (second of a group)", attach_mcast, .undo = detach_mcast, .before = with_two_of_a_group,
	  .after = two_of_a_group_go },
	{ "attach_mcast", attach_mcast, .undo = detach_mcast, .before = with_ud, .after = qp_goes },
	{ "create_flow", create_flow, .before = with_ud, .after = qp_goes, .always = EOPNOTSUPP },
	{ "post_send", write_to_self, .before = with_work, .after = work_goes, .done = completes },
	{ "post_send (on demand)", write_to_self, .before = with_work_on_demand, .after = work_goes,
	  .done = completes },
	{ "bind_mw", bind_mw, .before = with_window, .after = work_goes, .done = completes },
};

#endif
