// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests that change keys, and path migration, between two adapters.
 *
 *   operations windows         memory windows of both types: what they grant, and until when
 *   operations invalidated     a WRITE by the key of a window that LOCAL_INV has ended; "refused", then until a signal ends it
 *   operations migrate CMD     CMD takes the first path away: traffic goes on over the other one
 *   operations by-hand         the program migrates itself, and the peer follows
 *   operations has-flush       status 0: both adapters have FLUSH and ATOMIC WRITE; 1: not
 *   operations flush           a FLUSH, global, of 256 bytes, then an ATOMIC WRITE
 *   operations keys            an lkey as rkey, and an rkey as lkey: refused
 *   operations keys equal      the same with behaviour equal_keys: taken, where rights and bounds allow it
 *   operations reset CMD       a rule delays the completion of a SEND; the QP is reset; CMD ends the rule: nothing comes
 *   operations hold            holds windows, device memory and an XRC domain on glass1; "holding", then until a signal ends it
 */
#include <rdma/ib_user_verbs.h>

#include "vt.h"

#define LEN 8192

static struct vt_end A, B;
static struct ibv_qp *qa, *qb;
static struct ibv_mr *ma, *mb;

static const struct vt_path quick = { .timeout = 12, .retry = 2 };

static void join_pair(int bits)
{
	struct vt_path to_b = quick, to_a = quick;

	to_b.qpn = qb->qp_num;
	to_b.lid = B.attr.lid;
	to_a.qpn = qa->qp_num;
	to_a.lid = A.attr.lid;
	vt_to_init(qa, 1, bits);
	vt_to_init(qb, 1, bits);
	vt_to_rts(qa, 1, 100, &(struct vt_path){ .qpn = to_b.qpn, .lid = to_b.lid, .psn = 100,
						  .timeout = quick.timeout, .retry = quick.retry });
	vt_to_rts(qb, 1, 100, &(struct vt_path){ .qpn = to_a.qpn, .lid = to_a.lid, .psn = 100,
						  .timeout = quick.timeout, .retry = quick.retry });
}

static void connect_pair(int bits)
{
	qa = vt_qp(&A, (struct vt_qp_opts){ .sig_all = true });
	qb = vt_qp(&B, (struct vt_qp_opts){ .sig_all = true });
	join_pair(bits);
}

/* A WRITE of len bytes from A to (rkey, addr) at B ends so. */
static void write_is(uint32_t rkey, uint64_t addr, uint32_t len, uint32_t seed,
		     enum ibv_wc_status status)
{
	struct ibv_sge sge = vt_sge(ma, 0, len);
	struct ibv_send_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };

	vt_fill(ma->addr, len, seed);
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	vt_post(qa, &wr);
	vt_wc_is(qa->send_cq, 7, status);
}

static struct ibv_send_wr bind_wr(struct ibv_mw *mw, uint32_t rkey, size_t off, size_t len,
				  unsigned int access)
{
	return (struct ibv_send_wr){
		.wr_id = 3, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .rkey = rkey,
			     .bind_info = { .mr = mb, .addr = (uintptr_t)mb->addr + off,
					    .length = len, .mw_access_flags = access } },
	};
}

static void type_1(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };
	uint64_t at = (uintptr_t)mb->addr;
	uint32_t old;

	CHECK(mw, "alloc_mw: %s", strerror(errno));
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = mb, .addr = at + 1000, .length = 3000,
						    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	connect_pair(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	CHECK(!ibv_bind_mw(qb, mw, &bind), "bind_mw: %s", strerror(errno));
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	write_is(mw->rkey, at + 1000, 3000, 1, IBV_WC_SUCCESS);
	vt_verify((char *)mb->addr + 1000, 3000, 1, "through the window");
	/* a region stays while a window is bound to it */
	CHECK(ibv_dereg_mr(mb) == EBUSY, "a region with a window went");
	/* bound anew: another key, another piece, and the old key is none */
	old = mw->rkey;
	bind.bind_info.addr = at + 5000;
	bind.bind_info.length = 100;
	CHECK(!ibv_bind_mw(qb, mw, &bind), "bind_mw");
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	CHECK(mw->rkey != old && mw->rkey >> 8 == old >> 8, "R_Key 0x%x after 0x%x", mw->rkey, old);
	write_is(mw->rkey, at + 5000, 100, 2, IBV_WC_SUCCESS);
	vt_verify((char *)mb->addr + 5000, 100, 2, "through the window bound anew");
	write_is(old, at + 1000, 10, 3, IBV_WC_REM_ACCESS_ERR);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(mw->rkey, at + 5000, 101, 3, IBV_WC_REM_ACCESS_ERR); /* a byte too many */
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	bind.bind_info.length = 0;
	CHECK(!ibv_bind_mw(qb, mw, &bind), "bind_mw of nothing");
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	write_is(mw->rkey, at + 5000, 10, 3, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dealloc_mw(mw), "dealloc_mw");
}

static void type_2(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_2);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr, inv = { .wr_id = 4, .sg_list = &sge, .num_sge = 1,
				       .opcode = IBV_WR_SEND_WITH_INV,
				       .send_flags = IBV_SEND_SIGNALED };
	uint64_t at = (uintptr_t)mb->addr;
	struct ibv_wc wc;
	uint32_t key;

	CHECK(mw, "alloc_mw: %s", strerror(errno));
	key = ibv_inc_rkey(mw->rkey);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	wr = bind_wr(mw, key, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	write_is(key, at, 4096, 4, IBV_WC_SUCCESS);
	vt_verify(mb->addr, 4096, 4, "through a window of type 2");
	/* the peer ends it with a SEND */
	vt_recv(qb, 8, mb, 6000, 64);
	inv.invalidate_rkey = key;
	vt_post(qa, &inv);
	vt_wc_is(qa->send_cq, 4, IBV_WC_SUCCESS);
	vt_wc_ok(qb->recv_cq, &wc);
	CHECK(wc.wc_flags & IBV_WC_WITH_INV && wc.invalidated_rkey == key,
	      "flags 0x%x, key 0x%x", wc.wc_flags, wc.invalidated_rkey);
	/* free again, it can be bound again; and ended by its own side */
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	write_is(key, at, 64, 5, IBV_WC_SUCCESS);
	inv.opcode = IBV_WR_LOCAL_INV;
	inv.num_sge = 0;
	vt_post(qb, &inv);
	vt_wc_is(qb->send_cq, 4, IBV_WC_SUCCESS);
	write_is(key, at, 64, 6, IBV_WC_REM_ACCESS_ERR);
	vt_verify(mb->addr, 64, 5, "memory behind a window that ended");
	/* bound twice, it is refused; bound by one QP, another one's peer has nothing of it */
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_MW_BIND_ERR);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(key, at, 64, 6, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dealloc_mw(mw), "dealloc_mw");
	/* of the key that the work request gives the low 8 bits count, and nothing else */
	mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_2);
	CHECK(mw, "alloc_mw: %s", strerror(errno));
	key = (mw->rkey & ~0xffU) | 0x5a;
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	wr = bind_wr(mw, 0xabcd005a, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	write_is(key, at, 4096, 7, IBV_WC_SUCCESS);
	vt_verify(mb->addr, 4096, 7, "through a window whose key was given by 8 bits");
	write_is(0xabcd005a, at, 64, 8, IBV_WC_REM_ACCESS_ERR);
	CHECK(!ibv_dealloc_mw(mw), "dealloc_mw");
	/* beyond the region, or of one that grants no binding */
	mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_2);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	wr = bind_wr(mw, ibv_inc_rkey(mw->rkey), 0, LEN + 1, IBV_ACCESS_REMOTE_WRITE);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_MW_BIND_ERR);
	CHECK(!ibv_dealloc_mw(mw), "dealloc_mw");
}

/* The window remains, unbound, as long as the program runs. */
static void invalidated(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr, inv = { .wr_id = 4, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED };

	CHECK(mw, "alloc_mw: %s", strerror(errno));
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	inv.invalidate_rkey = ibv_inc_rkey(mw->rkey);
	wr = bind_wr(mw, inv.invalidate_rkey, 0, LEN, IBV_ACCESS_REMOTE_WRITE);
	vt_post(qb, &wr);
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	vt_post(qb, &inv);
	vt_wc_is(qb->send_cq, 4, IBV_WC_SUCCESS);
	write_is(inv.invalidate_rkey, (uintptr_t)mb->addr, 64, 1, IBV_WC_REM_ACCESS_ERR);
	printf("key 0x%x\nrefused\n", inv.invalidate_rkey);
	fflush(stdout);
	pause();
}

/* ---- path migration */

static void load_path(struct vt_end *e, struct ibv_qp *qp, struct vt_end *to)
{
	struct ibv_port_attr port;
	struct ibv_qp_attr a = { .path_mig_state = IBV_MIG_REARM, .alt_port_num = 2,
				 .alt_timeout = 13, .alt_ah_attr = { .port_num = 2 } };
	int err;

	CHECK(!ibv_query_port(to->ctx, 2, &port), "%s: query_port 2", to->name);
	CHECK(port.state == IBV_PORT_ACTIVE, "%s port 2 is %s", to->name,
	      ibv_port_state_str(port.state));
	a.alt_ah_attr.dlid = port.lid;
	err = ibv_modify_qp(qp, &a, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	CHECK(!err, "%s: LOAD_ALT_PATH: %s", e->name, strerror(err));
}

static enum ibv_mig_state mig_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(qp, &a, IBV_QP_PATH_MIG_STATE, &init), "query_qp");
	return a.path_mig_state;
}

static void on_port_2(struct ibv_qp *qp, const char *who)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(qp, &a, IBV_QP_PORT, &init), "query_qp");
	CHECK(a.path_mig_state == IBV_MIG_MIGRATED && a.port_num == 2 && a.timeout == 13,
	      "%s: state %d, port %d, timeout %d", who, a.path_mig_state, a.port_num, a.timeout);
}

static void send_one(uint32_t seed)
{
	struct ibv_sge sge = vt_sge(ma, 0, LEN);
	struct ibv_send_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	vt_fill(ma->addr, LEN, seed);
	vt_recv(qb, 6, mb, 0, LEN);
	vt_post(qa, &wr);
	vt_wc_is(qa->send_cq, 5, IBV_WC_SUCCESS);
	vt_wc_ok(qb->recv_cq, &wc);
	vt_verify(mb->addr, LEN, seed, "a message");
}

static void arm(void)
{
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	load_path(&A, qa, &B);
	load_path(&B, qb, &A);
	CHECK(mig_state(qa) == IBV_MIG_REARM, "state %d before a message", mig_state(qa));
	send_one(1);
	CHECK(mig_state(qa) == IBV_MIG_ARMED && mig_state(qb) == IBV_MIG_ARMED,
	      "states %d and %d after a message", mig_state(qa), mig_state(qb));
}

static void both_told(void)
{
	CHECK(vt_event(A.ctx, IBV_EVENT_PATH_MIG, qa), "no PATH_MIG at %s", A.name);
	CHECK(vt_event(B.ctx, IBV_EVENT_PATH_MIG, qb), "no PATH_MIG at %s", B.name);
	on_port_2(qa, A.name);
	on_port_2(qb, B.name);
}

/* Nobody migrated, and nobody was asked to. */
static void stay_armed(void)
{
	struct ibv_async_event ev;

	CHECK(mig_state(qa) == IBV_MIG_ARMED && mig_state(qb) == IBV_MIG_ARMED, "states %d and %d",
	      mig_state(qa), mig_state(qb));
	while (vt_readable(A.ctx->async_fd, 0)) {
		CHECK(!ibv_get_async_event(A.ctx, &ev), "get_async_event failed");
		ibv_ack_async_event(&ev);
		CHECK(ev.event_type != IBV_EVENT_PATH_MIG && ev.event_type != IBV_EVENT_PATH_MIG_ERR,
		      "%s", ibv_event_type_str(ev.event_type));
	}
}

/* Do both adapters have FLUSH? Before Linux 6.2 the RDMA core refuses its access flags. */
static bool has_flush(void)
{
	struct ibv_device_attr_ex a = {}, b = {};

	CHECK(!ibv_query_device_ex(A.ctx, NULL, &a) && !ibv_query_device_ex(B.ctx, NULL, &b), "query_device_ex");
	return a.device_cap_flags_ex & b.device_cap_flags_ex & IB_UVERBS_DEVICE_FLUSH_GLOBAL;
}

/* Both are posted by ibv_wr_*() alone. */
static void flush(bool by_lkey)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = vt_cq(&A, 8, NULL), .cap = { .max_send_wr = 8, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .pd = A.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE,
	};
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_FLUSH_GLOBAL;
	struct ibv_mr *mr = vt_mr_of(B.pd, vt_mem(LEN), LEN, access);
	uint64_t at = (uintptr_t)mr->addr, value = 0x1122334455667788;
	uint32_t key = by_lkey ? mr->lkey : mr->rkey;
	struct ibv_qp_ex *x;

	attr.recv_cq = attr.send_cq;
	qa = ibv_create_qp_ex(A.ctx, &attr);
	CHECK(qa, "create_qp_ex: %s", strerror(errno));
	vt_track(VT_QP, qa);
	qb = vt_qp(&B, (struct vt_qp_opts){});
	vt_to_init(qa, 1, 0);
	vt_to_init(qb, 1, access);
	vt_to_rts(qa, 1, 100, &(struct vt_path){ .qpn = qb->qp_num, .lid = B.attr.lid, .psn = 100 });
	vt_to_rts(qb, 1, 100, &(struct vt_path){ .qpn = qa->qp_num, .lid = A.attr.lid, .psn = 100 });
	x = ibv_qp_to_qp_ex(qa);
	ibv_wr_start(x);
	x->wr_id = 5;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_flush(x, key, at, 256, IBV_FLUSH_GLOBAL, by_lkey ? IBV_FLUSH_MR : IBV_FLUSH_RANGE);
	x->wr_id = 6;
	ibv_wr_atomic_write(x, key, at + 8, &value);
	CHECK(!ibv_wr_complete(x), "wr_complete");
	vt_wc_is(qa->send_cq, 5, IBV_WC_SUCCESS);
	vt_wc_is(qa->send_cq, 6, IBV_WC_SUCCESS);
	CHECK(*(uint64_t *)((char *)mr->addr + 8) == value, "the ATOMIC WRITE did not arrive");
}

/* equal: with behaviour equal_keys on both adapters */
static void keys(bool equal)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = vt_mr_of(B.pd, vt_mem(LEN), LEN, access);
	uint64_t at = (uintptr_t)mr->addr;
	struct ibv_sge sge = { (uintptr_t)ma->addr, 64, ma->rkey };
	struct ibv_send_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };

	CHECK(mr->lkey != mr->rkey, "the keys are the same");
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(mr->lkey, at, LEN, 1, equal ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
	if (equal)
		vt_verify(mr->addr, LEN, 1, "by the lkey");
	/* beyond the region; of a region without the right; of none */
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(mr->lkey, at + 1, LEN, 2, IBV_WC_REM_ACCESS_ERR);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(mb->lkey, (uintptr_t)mb->addr, 64, 2, IBV_WC_REM_ACCESS_ERR);
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	write_is(mr->lkey ^ 1, at, 64, 2, IBV_WC_REM_ACCESS_ERR);
	/* an rkey in the program's own SGE */
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	vt_fill(ma->addr, 64, 3);
	wr.wr.rdma.remote_addr = at;
	wr.wr.rdma.rkey = mr->rkey;
	vt_post(qa, &wr);
	vt_wc_is(qa->send_cq, 7, equal ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR);
	if (equal) {
		vt_verify(mr->addr, 64, 3, "from the rkey");
		if (has_flush())
			flush(true);
	}
}

/* A SEND whose completion is late when its QP is reset. The QP must be as new: no completion, and room for all posts. */
static void reset(const char *end_rule)
{
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	connect_pair(0);
	vt_recv(qa, 7, ma, LEN / 2, 64);
	vt_recv(qb, 6, mb, LEN / 2, 64);
	vt_post(qa, &wr);
	vt_wc_ok(qb->recv_cq, &wc);
	/* behind the ACK of the first */
	sge = vt_sge(mb, 0, 64);
	vt_post(qb, &wr);
	vt_wc_ok(qa->recv_cq, &wc);
	vt_empty(qa->send_cq);
	vt_to_state(qa, IBV_QPS_RESET);
	vt_to_state(qb, IBV_QPS_RESET);
	CHECK(!system(end_rule), "'%s' failed", end_rule);
	vt_empty(qa->send_cq);
	join_pair(0);
	for (uint32_t i = 0; i < 64; i++)
		send_one(i);
}

/* On B: a bound window and one that is not, a region of device memory, an XRC domain with an SRQ. */
static void hold(void)
{
	struct ibv_mw_bind bind = { .wr_id = 3, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_alloc_dm_attr dm_attr = { .length = LEN };
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							     IBV_XRCD_INIT_ATTR_OFLAGS,
						.fd = -1, .oflags = O_CREAT };
	struct ibv_srq_init_attr_ex srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 },
						 .comp_mask = IBV_SRQ_INIT_ATTR_TYPE |
							      IBV_SRQ_INIT_ATTR_PD |
							      IBV_SRQ_INIT_ATTR_CQ |
							      IBV_SRQ_INIT_ATTR_XRCD,
						 .srq_type = IBV_SRQT_XRC, .pd = B.pd };
	struct ibv_mw *mw = ibv_alloc_mw(B.pd, IBV_MW_TYPE_1);
	struct ibv_dm *dm = ibv_alloc_dm(B.ctx, &dm_attr);

	CHECK(mw && ibv_alloc_mw(B.pd, IBV_MW_TYPE_2), "alloc_mw: %s", strerror(errno));
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = mb, .addr = (uintptr_t)mb->addr + 1000,
						    .length = 3000,
						    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	connect_pair(IBV_ACCESS_REMOTE_WRITE);
	CHECK(!ibv_bind_mw(qb, mw, &bind), "bind_mw: %s", strerror(errno));
	vt_wc_is(qb->send_cq, 3, IBV_WC_SUCCESS);
	CHECK(dm && ibv_reg_dm_mr(B.pd, dm, 0, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED),
	      "device memory: %s", strerror(errno));
	srq_attr.xrcd = ibv_open_xrcd(B.ctx, &xrcd_attr);
	CHECK(srq_attr.xrcd, "open_xrcd: %s", strerror(errno));
	srq_attr.cq = vt_cq(&B, 4, NULL);
	CHECK(ibv_create_srq_ex(B.ctx, &srq_attr), "create_srq_ex: %s", strerror(errno));
	puts("holding");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct ibv_qp_attr by_hand = { .path_mig_state = IBV_MIG_MIGRATED };

	vt_prog = "operations";
	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	ma = vt_mr_of(A.pd, vt_mem(LEN), LEN, IBV_ACCESS_LOCAL_WRITE);
	mb = vt_mr_of(B.pd, vt_mem(LEN), LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	if (!strcmp(what, "windows")) {
		type_1();
		type_2();
	} else if (!strcmp(what, "invalidated")) {
		invalidated();
	} else if (!strcmp(what, "migrate") && argc == 3) {
		arm();
		CHECK(!system(argv[2]), "'%s' failed", argv[2]);
		send_one(2);
		both_told();
		send_one(3);
	} else if (!strcmp(what, "by-hand")) {
		arm();
		CHECK(!ibv_modify_qp(qa, &by_hand, IBV_QP_PATH_MIG_STATE), "modify to MIGRATED");
		send_one(2);
		both_told();
	} else if (!strcmp(what, "armed") && argc == 3) {
		arm();
		CHECK(!system(argv[2]), "'%s' failed", argv[2]);
		send_one(2);
		stay_armed();
	} else if (!strcmp(what, "has-flush")) {
		return !has_flush();
	} else if (!strcmp(what, "flush")) {
		flush(false);
	} else if (!strcmp(what, "keys")) {
		keys(argc == 3 && !strcmp(argv[2], "equal"));
	} else if (!strcmp(what, "reset") && argc == 3) {
		reset(argv[2]);
	} else if (!strcmp(what, "hold")) {
		hold();
	} else {
		fprintf(stderr, "usage: operations windows | invalidated | migrate COMMAND | by-hand | armed COMMAND | has-flush | flush | keys [equal] | reset COMMAND | hold\n");
		return 2;
	}
	CHECK(!vt_drop_all(), "clean-up failed");
	puts("ok");
	return 0;
}
