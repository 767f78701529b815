/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: UD, with and without GRH, and multicast on one port. */
#ifndef CHECK_UD_H
#define CHECK_UD_H

#include <sys/wait.h>

#include "check.h"

#define GRH 40

static struct ibv_qp *ud_qp(struct vt_end *e, uint32_t psn)
{
	struct ibv_qp *qp = vt_qp(e, (struct vt_qp_opts){ .type = IBV_QPT_UD, .inl = 256 });
	struct vt_path none = {};

	vt_to_init(qp, e->port, 0);
	vt_to_rts(qp, e->port, psn, &none);
	return qp;
}

static struct ibv_ah *try_ah(struct vt_end *from, uint16_t lid, const union ibv_gid *dgid)
{
	struct ibv_ah_attr attr = { .dlid = lid, .port_num = from->port, .is_global = !!dgid };

	if (dgid) {
		attr.grh.dgid = *dgid;
		attr.grh.sgid_index = from->gid_index;
		attr.grh.hop_limit = 7;
		attr.grh.flow_label = 0x12345;
		attr.grh.traffic_class = 0x21;
	}
	return ibv_create_ah(from->pd, &attr);
}

static struct ibv_ah *ah_of(struct vt_end *from, uint16_t lid, const union ibv_gid *dgid)
{
	struct ibv_ah *ah = try_ah(from, lid, dgid);

	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	return ah;
}

static struct ibv_send_wr ud_of(uint64_t wr_id, struct ibv_sge *sge, struct ibv_ah *ah, uint32_t qpn)
{
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, wr_id, sge);

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = VT_QKEY;
	return wr;
}

/* The GRH as it arrived, field by field. */
static void check_grh(const uint8_t *g, uint32_t payload, bool imm, const union ibv_gid *sgid,
		      const union ibv_gid *dgid)
{
	/* BTH, DETH, immediate, padded payload, ICRC */
	uint32_t want = 12 + 8 + (imm ? 4 : 0) + ((payload + 3) & ~3u) + 4;

	CHECK(g[0] >> 4 == 6, "GRH: IP version %d", g[0] >> 4);
	CHECK((((g[0] & 15) << 4) | (g[1] >> 4)) == 0x21, "GRH: traffic class");
	CHECK((((g[1] & 15) << 16) | (g[2] << 8) | g[3]) == 0x12345, "GRH: flow label");
	CHECK((uint32_t)((g[4] << 8) | g[5]) == want, "GRH: payload length %d, not %u",
	      (g[4] << 8) | g[5], want);
	CHECK(g[6] == 0x1b, "GRH: next header 0x%x", g[6]);
	CHECK(g[7] == 7, "GRH: hop limit %d", g[7]);
	CHECK(!memcmp(g + 8, sgid->raw, 16), "GRH: source GID");
	CHECK(!memcmp(g + 24, dgid->raw, 16), "GRH: destination GID");
}

static void ud_sizes(bool grh, bool imm)
{
	uint32_t mtu = 128u << A.attr.active_mtu, i;
	uint32_t sizes[] = { 0, 1, 3, 255, 1000, mtu - 1, mtu };
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *ma = vt_buf(&A, 8192), *mb = vt_buf(&B, 8192);
	struct ibv_ah *ah = ah_of(&A, B.attr.lid, grh || opt_gid >= 0 ? &B.gid : NULL);

	grh |= opt_gid >= 0;
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		uint32_t n = sizes[i];
		struct ibv_sge sge = vt_sge(ma, 1, n);
		struct ibv_send_wr wr = ud_of(i, &sge, ah, b->qp_num);
		uint8_t *r = mb->addr;
		struct ibv_wc wc;

		memset(r, 0x77, 8192);
		vt_fill((char *)ma->addr + 1, n, i);
		if (imm) {
			wr.opcode = IBV_WR_SEND_WITH_IMM;
			wr.imm_data = htonl(0xcafe + i);
		}
		vt_recv(b, 100 + i, mb, 0, GRH + n);
		vt_post(a, &wr);
		vt_wc_is(a->send_cq, i, IBV_WC_SUCCESS);
		vt_wc_ok(b->recv_cq, &wc);
		CHECK(wc.wr_id == 100 + i && wc.opcode == IBV_WC_RECV, "wr_id %llu opcode %d",
		      (unsigned long long)wc.wr_id, wc.opcode);
		CHECK(wc.byte_len == GRH + n, "%u bytes: byte_len %u", n, wc.byte_len);
		CHECK(wc.src_qp == a->qp_num, "src_qp 0x%x", wc.src_qp);
		CHECK(wc.qp_num == b->qp_num, "qp_num 0x%x", wc.qp_num);
		CHECK(wc.slid == A.attr.lid, "slid 0x%x, not 0x%x", wc.slid, A.attr.lid);
		CHECK(!!(wc.wc_flags & IBV_WC_GRH) == grh, "wc_flags 0x%x", wc.wc_flags);
		CHECK(!!(wc.wc_flags & IBV_WC_WITH_IMM) == imm, "wc_flags 0x%x", wc.wc_flags);
		CHECK(!imm || wc.imm_data == htonl(0xcafe + i), "immediate 0x%x", ntohl(wc.imm_data));
		if (grh && opt_gid < 0)
			check_grh(r, n, imm, &A.gid, &B.gid);
		vt_verify(r + GRH, n, i, "UD payload");
		vt_verify_same(r + GRH + n, 8192 - GRH - n, 0x77, "behind the receive buffer");
	}
}

static void ud(void) { ud_sizes(false, false); }
static void ud_imm(void) { ud_sizes(false, true); }
static void ud_grh(void) { ud_sizes(true, false); }
static void ud_grh_imm(void) { ud_sizes(true, true); }

/* An answer to where a message came from, by its completion and GRH. */
static void ud_reply(void)
{
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *ma = vt_buf(&A, 4096), *mb = vt_buf(&B, 4096);
	struct ibv_sge sa = vt_sge(ma, 0, 64), sb = vt_sge(mb, 2048, 32);
	struct ibv_send_wr wr = ud_of(1, &sa, ah_of(&A, B.attr.lid, &B.gid), b->qp_num);
	struct ibv_ah *back;
	struct ibv_wc wc;

	vt_recv(b, 1, mb, 0, 1024);
	vt_recv(a, 1, ma, 1024, 1024);
	vt_post(a, &wr);
	vt_wc_ok(b->recv_cq, &wc);
	back = ibv_create_ah_from_wc(B.pd, &wc, mb->addr, B.port);
	CHECK(back, "create_ah_from_wc: %s", strerror(errno));
	vt_track(VT_AH, back);
	vt_fill((char *)mb->addr + 2048, 32, 4);
	wr = ud_of(2, &sb, back, wc.src_qp);
	vt_post(b, &wr);
	vt_wc_ok(a->recv_cq, &wc);
	CHECK(wc.byte_len == GRH + 32, "byte_len %u", wc.byte_len);
	vt_verify((char *)ma->addr + 1024 + GRH, 32, 4, "reply");
}

static void ud_inline(void)
{
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *mb = vt_buf(&B, 4096);
	uint8_t local[256];
	struct ibv_sge sge = { (uintptr_t)local, 256, 0 };
	struct ibv_send_wr wr = ud_of(1, &sge, ah_of(&A, B.attr.lid, opt_gid >= 0 ? &B.gid : NULL), b->qp_num);
	struct ibv_wc wc;

	vt_fill(local, 256, 3);
	wr.send_flags |= IBV_SEND_INLINE;
	vt_recv(b, 1, mb, 0, 1024);
	vt_post(a, &wr);
	memset(local, 0, 256);
	vt_wc_ok(b->recv_cq, &wc);
	vt_verify((char *)mb->addr + GRH, 256, 3, "inline UD");
}

/* Wrong Q_Key, unknown QP, no receive: the message vanishes and harms nobody. */
static void ud_dropped(void)
{
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 1024);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_ah *ah = ah_of(&A, B.attr.lid, opt_gid >= 0 ? &B.gid : NULL);
	struct ibv_send_wr wr = ud_of(1, &sge, ah, b->qp_num);
	struct ibv_wc wc;

	/* no receive posted */
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 1, IBV_WC_SUCCESS);
	round_trips(3);
	vt_recv(b, 9, mb, 0, 1024);
	wr.wr_id = 2;
	wr.wr.ud.remote_qkey = VT_QKEY + 1;
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 2, IBV_WC_SUCCESS);
	wr.wr_id = 3;
	wr.wr.ud.remote_qkey = VT_QKEY;
	wr.wr.ud.remote_qpn = 0xfffff0;
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 3, IBV_WC_SUCCESS);
	round_trips(3);
	vt_empty(b->recv_cq);
	/* a Q_Key with its high bit set stands for the sender's own */
	wr.wr_id = 4;
	wr.wr.ud.remote_qpn = b->qp_num;
	wr.wr.ud.remote_qkey = 0x80000000;
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 4, IBV_WC_SUCCESS);
	vt_wc_ok(b->recv_cq, &wc);
	CHECK(wc.wr_id == 9, "wr_id %llu", (unsigned long long)wc.wr_id);
}

static void ud_too_long(void)
{
	uint32_t mtu = 128u << A.attr.active_mtu;
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *ma = vt_buf(&A, 8192);
	struct ibv_sge sge = vt_sge(ma, 0, mtu + 1);
	struct ibv_send_wr wr = ud_of(1, &sge, ah_of(&A, B.attr.lid, opt_gid >= 0 ? &B.gid : NULL), b->qp_num), *bad;
	struct ibv_wc wc;

	/* refused at once, or completed with an error */
	if (ibv_post_send(a, &wr, &bad))
		return;
	vt_wc(a->send_cq, &wc);
	CHECK(wc.status == IBV_WC_LOC_LEN_ERR || wc.status == IBV_WC_LOC_QP_OP_ERR,
	      "%u bytes completed with %s", mtu + 1, ibv_wc_status_str(wc.status));
}

static void ud_short_buffer(void)
{
	struct ibv_qp *a = ud_qp(&A, 5), *b = ud_qp(&B, 6);
	struct ibv_mr *ma = vt_buf(&A, 256), *mb = vt_buf(&B, 1024);
	struct ibv_sge sge = vt_sge(ma, 0, 200);
	struct ibv_send_wr wr = ud_of(1, &sge, ah_of(&A, B.attr.lid, opt_gid >= 0 ? &B.gid : NULL), b->qp_num);
	struct ibv_wc wc;

	vt_recv(b, 7, mb, 0, GRH + 199);
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 1, IBV_WC_SUCCESS);
	/* one byte too long: dropped, and its receive serves the next */
	sge.length = 199;
	wr.wr_id = 2;
	vt_post(a, &wr);
	vt_wc_is(a->send_cq, 2, IBV_WC_SUCCESS);
	vt_wc_ok(b->recv_cq, &wc);
	CHECK(wc.wr_id == 7 && wc.byte_len == GRH + 199, "wr_id %llu, %u bytes",
	      (unsigned long long)wc.wr_id, wc.byte_len);
	CHECK(vt_state(b) == IBV_QPS_RTS, "the QP is in state %d", vt_state(b));
}

/* GRH and message of a receive from an SRQ go to memory of the SRQ's domain. */
static void ud_srq_domain(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_mr *ma = vt_buf(&A, 256), *mb = vt_buf(&B, 1024), *theirs;
	struct ibv_pd *pd = ibv_alloc_pd(B.ctx);
	struct ibv_sge sge = vt_sge(ma, 0, 200), to;
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad;
	struct ibv_qp *a = ud_qp(&A, 5), *b;
	struct ibv_send_wr wr;
	struct ibv_srq *srq;
	struct vt_path none = {};

	CHECK(pd, "alloc_pd: %s", strerror(errno));
	vt_track(VT_PD, pd);
	srq = ibv_create_srq(pd, &srq_attr);
	CHECK(srq, "create_srq: %s", strerror(errno));
	vt_track(VT_SRQ, srq);
	theirs = vt_mr_of(pd, vt_mem(1024), 1024, VT_ACCESS_ALL);
	b = vt_qp(&B, (struct vt_qp_opts){ .type = IBV_QPT_UD, .srq = srq });
	vt_to_init(b, B.port, 0);
	vt_to_rts(b, B.port, 6, &none);
	vt_fill(ma->addr, 200, 3);
	/* a GRH, so that there is something to place before the message */
	wr = ud_of(1, &sge, ah_of(&A, B.attr.lid, &B.gid), b->qp_num);
	to = vt_sge(theirs, 0, 1024);
	recv.wr_id = 7;
	CHECK(!ibv_post_srq_recv(srq, &recv, &bad), "post_srq_recv failed");
	vt_post(a, &wr);
	vt_wc_is(b->recv_cq, 7, IBV_WC_SUCCESS);
	vt_verify((char *)theirs->addr + GRH, 200, 3, "a datagram into the SRQ's domain");
	to = vt_sge(mb, 0, 1024);
	recv.wr_id = 8;
	CHECK(!ibv_post_srq_recv(srq, &recv, &bad), "post_srq_recv failed");
	vt_post(a, &wr);
	vt_wc_is(b->recv_cq, 8, IBV_WC_LOC_PROT_ERR);
}

/*
 * Members of a group on the sending port get a copy each, whether or not the
 * subnet manager knows of the group; who has left gets none.
 */
static void ud_mcast_loopback(void)
{
	union ibv_gid mgid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x12,
					0x34, 0x56, 0x78 } };
	uint16_t mlid = 0xc123;
	struct ibv_qp *tx = ud_qp(&A, 5), *m1 = ud_qp(&A, 6), *m2 = ud_qp(&A, 7);
	struct ibv_mr *ma = vt_buf(&A, 64), *mr = vt_buf(&A, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	int err;

	if (opt_gid >= 0)
		skip("not on RoCE");
	err = ibv_attach_mcast(m1, &mgid, mlid);
	CHECK(!err, "attach_mcast: %s", strerror(err));
	CHECK(!ibv_attach_mcast(m2, &mgid, mlid), "second attach_mcast failed");
	mgid.raw[0] = 0xfe;
	CHECK(ibv_attach_mcast(m2, &mgid, mlid) > 0, "attach to a unicast GID succeeded");
	mgid.raw[0] = 0xff;

	wr = ud_of(1, &sge, ah_of(&A, mlid, &mgid), 0xffffff);
	vt_recv(m1, 1, mr, 0, 256);
	vt_recv(m1, 2, mr, 256, 256);
	vt_recv(m2, 3, mr, 512, 256);
	vt_recv(m2, 4, mr, 768, 256);
	vt_fill(ma->addr, 64, 12);
	vt_post(tx, &wr);
	vt_wc_ok(tx->send_cq, &wc);
	vt_wc_ok(m1->recv_cq, &wc);
	CHECK(wc.byte_len == GRH + 64 && wc.wc_flags & IBV_WC_GRH && wc.src_qp == tx->qp_num,
	      "byte_len %u wc_flags 0x%x", wc.byte_len, wc.wc_flags);
	vt_verify((char *)mr->addr + GRH, 64, 12, "first member's copy");
	vt_wc_ok(m2->recv_cq, &wc);
	vt_verify((char *)mr->addr + 512 + GRH, 64, 12, "second member's copy");

	CHECK(!ibv_detach_mcast(m1, &mgid, mlid), "detach_mcast failed");
	vt_post(tx, &wr);
	vt_wc_ok(tx->send_cq, &wc);
	vt_wc_ok(m2->recv_cq, &wc);
	round_trips(3);
	vt_empty(m1->recv_cq);
	CHECK(ibv_detach_mcast(m1, &mgid, mlid) > 0, "a second detach succeeded");
	CHECK(!ibv_detach_mcast(m2, &mgid, mlid), "detach_mcast failed");
}

/* A program ends, and its QP is still attached by each of the MLIDs. */
static void end_attached(const union ibv_gid *mgid, const uint16_t *mlids, int n)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct vt_end mine;
		struct ibv_qp *qp;

		vt_trap = NULL;
		vt_open(&mine, A.name, A.port, A.gid_index);
		qp = ud_qp(&mine, 6);
		while (n)
			if (ibv_attach_mcast(qp, mgid, mlids[--n]))
				_exit(1);
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "a child could not attach");
}

/*
 * A group is its MGID, but the core counts each MLID that a QP is attached by, and does not destroy the QP
 * before it has detached it as often: the QP is a member until its last detach.
 */
static void ud_mcast_two_mlids(void)
{
	static const uint16_t mlids[] = { 0xc131, 0xc132 };
	union ibv_gid mgid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x78 } };
	struct ibv_qp *tx, *member;
	struct ibv_mr *ma = vt_buf(&A, 64), *mr = vt_buf(&A, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 64);
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	if (opt_gid >= 0)
		skip("not on RoCE");
	tx = ud_qp(&A, 5);
	wr = ud_of(1, &sge, ah_of(&A, mlids[0], &mgid), 0xffffff);
	for (int first = 0; first < 2; first++) {
		unsigned int mark = vt_nthings;

		member = ud_qp(&A, 6);
		vt_recv(member, 1, mr, 0, 256);
		vt_recv(member, 2, mr, 256, 256);
		for (int i = 0; i < 2; i++)
			CHECK(!ibv_attach_mcast(member, &mgid, mlids[i]), "MLID %d: attach_mcast", i);
		CHECK(!ibv_detach_mcast(member, &mgid, mlids[first]), "first detach_mcast");
		vt_post(tx, &wr);
		vt_wc_ok(tx->send_cq, &wc);
		vt_wc_is(member->recv_cq, 1, IBV_WC_SUCCESS);
		vt_empty(member->recv_cq);
		CHECK(!ibv_detach_mcast(member, &mgid, mlids[!first]), "second detach_mcast");
		vt_post(tx, &wr);
		vt_wc_ok(tx->send_cq, &wc);
		vt_empty(member->recv_cq);
		CHECK(!vt_drop_to(mark), "the QP cannot be destroyed");
	}
	end_attached(&mgid, mlids, 2);
}

/* More members than fit into a table of moderate size, each with its copy; and no more groups than there may be. */
static void ud_mcast_many(void)
{
	enum { MEMBERS = 200, PART = 128, LEN = 64 };
	union ibv_gid mgid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x77 } };
	uint16_t mlid = 0xc124;
	struct ibv_qp *tx = ud_qp(&A, 5), *member[MEMBERS];
	struct ibv_mr *ma = vt_buf(&A, LEN), *mr = vt_buf(&A, MEMBERS * PART);
	struct ibv_cq *cq = vt_cq(&A, MEMBERS, NULL);
	struct ibv_sge sge = vt_sge(ma, 0, LEN);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	bool got[MEMBERS] = {};
	int i, groups, err = 0;

	if (opt_gid >= 0)
		skip("not on RoCE");
	for (i = 0; i < MEMBERS; i++) {
		struct vt_path none = {};

		member[i] = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UD, .rcq = cq });
		vt_to_init(member[i], A.port, 0);
		vt_to_rts(member[i], A.port, 0, &none);
		vt_recv(member[i], i, mr, i * PART, PART);
		CHECK(!ibv_attach_mcast(member[i], &mgid, mlid), "member %d was refused", i);
	}
	wr = ud_of(1, &sge, ah_of(&A, mlid, &mgid), 0xffffff);
	vt_fill(ma->addr, LEN, 12);
	vt_post(tx, &wr);
	vt_wc_ok(tx->send_cq, &wc);
	for (i = 0; i < MEMBERS; i++) {
		vt_wc_ok(cq, &wc);
		CHECK(wc.wr_id < MEMBERS && !got[wc.wr_id], "two copies for member %u", (unsigned int)wc.wr_id);
		got[wc.wr_id] = true;
		vt_verify((char *)mr->addr + wc.wr_id * PART + GRH, LEN, 12, "a member's copy");
	}
	vt_empty(cq);
	for (i = 1; i < MEMBERS; i++)
		CHECK(!ibv_detach_mcast(member[i], &mgid, mlid), "member %d stays", i);

	/* the first member's group is still there */
	for (groups = 1; groups <= A.dev_attr.max_mcast_grp; groups++) {
		memcpy(&mgid.raw[12], &groups, sizeof(groups));
		mgid.raw[11] = 1;
		err = ibv_attach_mcast(member[0], &mgid, mlid);
		if (err)
			break;
	}
	CHECK(groups == A.dev_attr.max_mcast_grp && err == ENOMEM, "%d groups, then %s; max_mcast_grp is %d",
	      groups, strerror(err), A.dev_attr.max_mcast_grp);
	/* what is attached must be detached before the QP can go */
	while (--groups) {
		memcpy(&mgid.raw[12], &groups, sizeof(groups));
		CHECK(!ibv_detach_mcast(member[0], &mgid, mlid), "group %d stays", groups);
	}
	mgid = (union ibv_gid){ .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x77 } };
	CHECK(!ibv_detach_mcast(member[0], &mgid, mlid), "the first member stays");
}

static void ah_refused(void)
{
	struct ibv_ah *ah;
	int port = A.port;

	A.port = 200;
	ah = try_ah(&A, B.attr.lid, NULL);
	A.port = port;
	if (ah)
		vt_track(VT_AH, ah);
	CHECK(!ah, "an AH for port 200 was made");
}

/* A datagram needs a destination, and a program has no business with the permissive LID. */
static void ah_to_nowhere(void)
{
	static const uint16_t lids[] = { 0, 0xffff };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(lids); i++) {
		struct ibv_ah *ah = try_ah(&A, lids[i], NULL);

		if (ah)
			vt_track(VT_AH, ah);
		CHECK(!ah, "an AH for LID 0x%x was made", lids[i]);
		CHECK(errno == EINVAL, "LID 0x%x: %s", lids[i], strerror(errno));
	}
}

static const struct check ud_checks[] = {
	{ "ud", ud },
	{ "ud_imm", ud_imm },
	{ "ud_grh", ud_grh },
	{ "ud_grh_imm", ud_grh_imm },
	{ "ud_reply", ud_reply },
	{ "ud_inline", ud_inline },
	{ "ud_dropped", ud_dropped },
	{ "ud_too_long", ud_too_long },
	{ "ud_short_buffer", ud_short_buffer },
	{ "ud_srq_domain", ud_srq_domain },
	{ "ud_mcast_loopback", ud_mcast_loopback },
	{ "ud_mcast_two_mlids", ud_mcast_two_mlids },
	{ "ud_mcast_many", ud_mcast_many },
	{ "ah_refused", ah_refused },
	{ "ah_to_nowhere", ah_to_nowhere },
};

#endif
