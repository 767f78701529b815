/* SPDX-License-Identifier: GPL-2.0-only */
/* First causes at the peer: its state, its end, and how both ends are connected. */
#ifndef CAUSES_PEER_H
#define CAUSES_PEER_H

#include "causes_ends.h"

/* ---- the state of the peer */

/* B goes back to RESET after good messages, or never leaves it. */
static void run_peer_reset(void)
{
	make_ends();
	if (plan.variant & 1) {
		connect_both();
		good_messages(0);
		if (mine(B))
			vt_to_state(ends[B].qp, IBV_QPS_RESET);
	} else {
		connect_end(A);
	}
	meet();
	truth(A, "peer_reset", "reset|(pid %d)", shared->end[B].pid);
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

static void run_peer_init(void)
{
	make_ends();
	connect_end(A);
	if (mine(B) && plan.variant & 1) {
		connect_end(B);
		vt_to_state(ends[B].qp, IBV_QPS_RESET);
	}
	if (mine(B))
		vt_to_init(ends[B].qp, 1, VT_ACCESS_ALL);
	meet();
	truth(A, "peer_init", "init|(pid %d)", shared->end[B].pid);
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

static void run_peer_err(void)
{
	make_ends();
	connect_both();
	good_messages(plan.variant & 1 ? 3 : 0);
	if (mine(B))
		vt_to_state(ends[B].qp, IBV_QPS_ERR);
	meet();
	truth(A, "peer_err", "err|(pid %d)", shared->end[B].pid);
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* ---- the end of the peer */

static void run_peer_gone(void)
{
	make_ends();
	connect_both();
	good_messages(0);
	if (mine(B))
		vt_drop(ends[B].qp);
	meet();
	truth(A, "peer_gone", "(pid %d)", shared->end[B].pid);
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* Waits until the child is gone, or stopped. */
static void wait_child(int options)
{
	int status;

	CHECK(waitpid(child, &status, options) == child, "waitpid: %s", strerror(errno));
	if (!(options & WUNTRACED))
		child = 0;
}

/* B's process ends in a way that ends no object; A sends afterwards, or while it ends. */
static void lose_child(const char *cause, int sig)
{
	make_ends();
	connect_both();
	good_messages(0);
	if (me == B) {
		if (sig)
			kill(getpid(), sig);
		_exit(0);
	}
	if (sig)
		truth(A, cause, "Signal %d killed|(pid %d)", sig, shared->end[B].pid);
	else
		truth(A, cause, "(pid %d)", shared->end[B].pid);
	plan.op = plan.variant & 1 ? plan.op : IBV_WR_RDMA_WRITE;
	if (plan.variant & 1)
		wait_child(0);
	post_request();
	/* a request that came before the end was answered */
	if (plan.variant & 1) {
		fails(IBV_WC_RETRY_EXC_ERR);
		return;
	}
	wait_child(0);
	post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

static void run_peer_exited(void)
{
	lose_child("peer_exited", 0);
}

static void run_peer_killed(void)
{
	static const int signals[] = { SIGKILL, SIGSEGV, SIGTERM, SIGABRT };

	/* its own handler would not matter, a core would take time */
	lose_child("peer_killed", signals[plan.variant / 2 % ARRAY_LEN(signals)]);
}

/* B's process is stopped before it posts a receive. */
static void run_peer_stopped(void)
{
	make_ends();
	connect_both();
	good_messages(0);
	if (me == B) {
		raise(SIGSTOP);
		_exit(0);
	}
	wait_child(WUNTRACED);
	truth(A, "peer_stopped", "(pid %d) is stopped", shared->end[B].pid);
	plan.op = plan.variant & 1 ? IBV_WR_SEND : IBV_WR_RDMA_WRITE_WITH_IMM;
	post_request();
	fails(IBV_WC_RNR_RETRY_EXC_ERR);
	kill(child, SIGKILL);
	wait_child(0);
}

/* ---- what was exchanged wrongly */

/* Sends to a number that no QP ever had, to a QP with another peer, or to one of another type. */
static void run_wrong_qpn(void)
{
	struct vt_path to, other_path = { .psn = (plan.psn[A] + 0x400000) & 0xffffff, .mtu = plan.mtu };
	struct vt_qp_opts o = { .type = plan.variant % 3 == 2 ? IBV_QPT_UC : IBV_QPT_RC };
	struct ibv_qp *other;

	make_ends();
	if (mine(B)) {
		other = vt_qp(&ends[B].dev, o);
		/* any QP of A's adapter but A's is its peer */
		other_path.qpn = shared->end[A].qpn + 1;
		other_path.lid = shared->end[A].lid;
		vt_to_init(other, 1, o.type == IBV_QPT_UC ? IBV_ACCESS_REMOTE_WRITE : VT_ACCESS_ALL);
		vt_to_rts(other, 1, 3, &other_path);
		shared->value[0] = plan.variant % 3 ? other->qp_num : shared->end[B].qpn ^ between(0x10000, 0xff0000);
	}
	connect_end(B);
	meet();
	to = path_of(A);
	to.qpn = shared->value[0];
	connect_by(A, &to);
	truth(A, "wrong_qpn", "%s", "");
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* Sends to a LID that nobody has, to that of another port, or to its own. */
static void run_wrong_lid(void)
{
	struct ibv_port_attr second;
	struct vt_path to;

	make_ends();
	connect_end(B);
	if (mine(B)) {
		CHECK(!ibv_query_port(ends[B].dev.ctx, 2, &second), "query_port failed");
		shared->value[0] = second.lid;
	}
	meet();
	to = path_of(A);
	to.lid = plan.variant % 3 == 0 ? between(0x1000, 0xb000) : plan.variant % 3 == 1 ? shared->value[0] : shared->end[A].lid;
	connect_by(A, &to);
	truth(A, "wrong_lid", "%s", "");
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

static void run_wrong_gid(void)
{
	struct vt_path to;

	plan.grh = true;
	make_ends();
	connect_end(B);
	meet();
	to = path_of(A);
	to.dgid.raw[15 - plan.variant % 8] ^= between(1, 255);
	connect_by(A, &to);
	truth(A, "wrong_gid", "%s", "");
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* The table has one valid P_Key: what is behind it is none. */
static void run_wrong_pkey(void)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = between(1, 5),
				    .qp_access_flags = VT_ACCESS_ALL };
	struct vt_path to;

	make_ends();
	connect_end(B);
	meet();
	to = path_of(A);
	if (mine(A)) {
		CHECK(!ibv_modify_qp(ends[A].qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		      "to INIT");
		vt_to_rts(ends[A].qp, 1, plan.psn[A], &to);
	}
	truth(A, "wrong_pkey", "%s", "");
	if (mine(A))
		post_request();
	fails(IBV_WC_RETRY_EXC_ERR);
}

/* B expects PSNs that are greater, or smaller, than A's. */
static void run_psn_mismatch(void)
{
	/* rxe acknowledges what seems to be a duplicate with any PSN, so that the request may succeed */
	bool greater = plan.variant & 1 && !gid_given;
	/* the duplicate of the last packet that B expects no more is acknowledged with its PSN (IBA 9.7.5.1.2), and succeeds */
	uint32_t least = greater ? 2 : 1;
	uint32_t by = between(0, 1) ? between(least, 20) : between(least, 0x100000);
	/* B expects a PSN inside the first message, whose packet cannot begin one */
	bool inside = greater && plan.variant & 4;
	struct vt_path to;

	make_ends();
	connect_end(A);
	to = path_of(B);
	if (inside)
		by = between(1, 4);
	to.psn = (greater ? to.psn + by : to.psn - by) & 0xffffff;
	connect_by(B, &to);
	meet();
	/* a READ or an atomic that seems to be a duplicate may be answered */
	if (greater)
		plan.op = plan.variant & 2 ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
	plan.len = inside ? by * (128 << plan.mtu) + between(1, 256) : between(1, 256);
	truth(A, "psn_mismatch", "PSN %u|%u first|(pid %d)", plan.psn[A], to.psn, shared->end[B].pid);
	if (inside)
		truth(B, "psn_mismatch", "PSN %u|%u first|(pid %d)", plan.psn[A], to.psn, shared->end[B].pid);
	if (mine(A))
		post_request();
	fails(inside ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_RETRY_EXC_ERR);
}

/* The path MTUs differ, and the message is longer than the smaller one. */
static void run_mtu_mismatch(void)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ };
	bool read;
	struct vt_path to;

	make_ends();
	connect_end(A);
	to = path_of(B);
	to.mtu = plan.mtu == IBV_MTU_256 ? between(IBV_MTU_512, IBV_MTU_4096) :
		 plan.variant & 1 && plan.mtu < IBV_MTU_4096 ? between(plan.mtu + 1, IBV_MTU_4096) :
							       between(IBV_MTU_256, plan.mtu - 1);
	connect_by(B, &to);
	if (mine(B))
		vt_recv(ends[B].qp, 1, ends[B].mr, 0, BYTES);
	meet();
	plan.op = ops[plan.variant / 2 % ARRAY_LEN(ops)];
	plan.len = between(8193, 20000);
	read = plan.op == IBV_WR_RDMA_READ;
	truth(A, "mtu_mismatch", "path MTU %u|has %u.", 128u << plan.mtu, 128u << to.mtu);
	if (!read)
		truth(B, "mtu_mismatch", "%s", "");
	if (mine(A))
		post_request();
	if (mine(A))
		fails(read ? IBV_WC_BAD_RESP_ERR : IBV_WC_REM_INV_REQ_ERR);
}

#endif
