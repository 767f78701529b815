/* SPDX-License-Identifier: GPL-2.0-only */
/* inspect_check: the other objects, and what may be asked. */
#ifndef CHECK_INSPECT_OBJ_H
#define CHECK_INSPECT_OBJ_H

#include "check.h"
#include "dump.h"

/* The column of the object that is `mine` in another column: the number of my n-th CQ ... */
static uint64_t my_number(const char *dev, const char *kind, int nth)
{
	struct table t;
	uint64_t num = 0;
	int i, pid;

	table_read(&t, dev, kind);
	pid = table_col(&t, "pid");
	for (i = 0; i < t.nrows; i++)
		if (atoi(t.cell[i][pid]) == getpid() && !nth--)
			num = strtoull(t.cell[i][0], NULL, 0);
	CHECK(nth < 0, "%s/%s shows not enough of my objects", dev, kind);
	table_free(&t);
	return num;
}

/* Completions that nobody polled, each as the poll then gives it. */
static void test_cqes(void)
{
	struct ibv_cq *cq = vt_cq(&A, 20, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .rcq = cq }),
			  vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_qp *other = vt_qp(&A, (struct vt_qp_opts){ .rcq = cq });
	struct ibv_mr *ma = vt_buf(&A, 65536), *mb = vt_buf(&B, 65536);
	struct ibv_sge sa = vt_sge(ma, 0, 3000), sb = vt_sge(mb, 0, 123);
	struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, 1, &sa, mb, 0);
	struct ibv_send_wr read = rdma_of(IBV_WR_RDMA_READ, 2, &sa, mb, 0);
	struct ibv_send_wr back = wr_of(IBV_WR_SEND_WITH_IMM, 3, &sb);
	static const char *const ops[] = { "write", "read", "recv", "recv" };
	static const char *const statuses[] = { "success", "success", "success", "wr_flush_err" };
	struct ibv_wc wc[5], w;
	const char *e;
	uint64_t num;
	char *s, line[32];
	int i;

	connect_pair_tuned(&p, (struct tune){});
	num = num_of(inspect_key(inspect(A.name, "qp 0x%x", p.a->qp_num), "", "scqn"), "scqn");
	vt_post(p.a, &write);
	vt_post(p.a, &read);
	vt_recv(p.a, 0xfedcba9876543210ull, ma, 0, 4096);
	vt_recv(p.a, 5, ma, 0, 4096);
	/* the READ's end is waited for, so that completions come in this order */
	snprintf(line, sizeof(line), "cq %u", (unsigned int)num);
	inspect_until(A.name, line, "ring", "producer", "2");
	back.imm_data = htonl(0x01020304);
	back.send_flags |= IBV_SEND_SOLICITED;
	vt_post(p.b, &back);
	vt_wc_ok(p.b->send_cq, &w);
	vt_to_state(p.a, IBV_QPS_ERR);

	s = inspect(A.name, "cq %u", (unsigned int)num);
	want_num(inspect_key(s, "", "used"), "used", 4);
	want_num(inspect_key(s, "", "max"), "max", 20);
	want_num(inspect_key(s, "", "errors"), "errors", 1);
	want_num(inspect_key(s, "ring", "slots"), "slots", 32);
	want_num(inspect_key(s, "ring", "consumer"), "consumer", 0);
	want_num(inspect_key(s, "ring", "producer"), "producer", 4);
	want_num(inspect_key(s, "ring", "left_out"), "left_out", 0);
	want_text(inspect_key(s, "ring", "polled_by"), "polled_by", "program");
	CHECK(inspect_count(s, "ring", "cqe") == 4, "%d CQEs are shown",
	      inspect_count(s, "ring", "cqe"));
	want_num(inspect_key(s, "users", "qps"), "qps", 2);
	e = inspect_entry(s, "users", "user", 0);
	want_num(entry_key(e, "qpn"), "user", p.a->qp_num);
	want_text(entry_key(e, "as"), "use of the first", "send|recv");
	want_num(entry_key(e, "pid"), "pid", getpid());
	e = inspect_entry(s, "users", "user", 1);
	want_num(entry_key(e, "qpn"), "user", other->qp_num);
	want_text(entry_key(e, "as"), "use of the second", "recv");

	CHECK(ibv_poll_cq(cq, 5, wc) == 4, "not four completions");
	for (i = 0; i < 4; i++) {
		e = inspect_entry(s, "ring", "cqe", i);
		want_num(entry_key(e, "index"), "index", i);
		want_text(entry_key(e, "status"), "status", statuses[i]);
		want_text(entry_key(e, "op"), "op", ops[i]);
		want_num(entry_key(e, "wr_id"), "wr_id", wc[i].wr_id);
		want_num(entry_key(e, "qpn"), "qpn", wc[i].qp_num);
		want_num(entry_key(e, "byte_len"), "byte_len", wc[i].byte_len);
		if (i == 2) {
			want_num(entry_key(e, "imm"), "imm", 0x01020304);
			want_num(entry_key(e, "slid"), "slid", wc[i].slid);
			want_num(entry_key(e, "src_qpn"), "src_qpn", wc[i].src_qp);
			want_text(entry_key(e, "flags"), "flags", "imm|solicited");
		} else {
			want_text(entry_key(e, "imm"), "imm", NULL);
		}
	}
	s = inspect(A.name, "cq %u", (unsigned int)num);
	want_num(inspect_key(s, "", "used"), "used after polling", 0);
	CHECK(!inspect_entry(s, "ring", "cqe", 0), "a CQE is shown after polling");
	want_num(inspect_key(s, "ring", "consumer"), "consumer", 4);
}

/* Completions that a CQ lost to an overrun that it ignores. */
static void test_lost_cqes(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_cq_ex *ex = ibv_create_cq_ex(A.ctx, &attr);
	struct ibv_mr *ma = vt_buf(&A, 64), *mb = vt_buf(&B, 64);
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_send_wr write = rdma_of(IBV_WR_RDMA_WRITE, 0, &sge, mb, 0);
	struct pair p;
	char line[32];
	char *s;

	CHECK(ex, "create_cq_ex: %s", strerror(errno));
	vt_track(VT_CQ, ibv_cq_ex_to_cq(ex));
	p = (struct pair){ vt_qp(&A, (struct vt_qp_opts){ .scq = ibv_cq_ex_to_cq(ex) }),
			   vt_qp(&B, (struct vt_qp_opts){}) };
	connect_pair_tuned(&p, (struct tune){});
	s = inspect(A.name, "qp 0x%x", p.a->qp_num);
	snprintf(line, sizeof(line), "cq %s", inspect_key(s, "", "scqn"));
	for (; write.wr_id < 10; write.wr_id++)
		vt_post(p.a, &write);
	s = inspect_until(A.name, line, "", "lost", "6");
	want_num(inspect_key(s, "", "ignores_overrun"), "ignores_overrun", 1);
	want_text(inspect_key(s, "", "state"), "state", "ok");
	want_num(inspect_key(s, "", "used"), "used", 4);
	want_num(inspect_key(s, "", "max_used"), "max_used", 4);
	want_num(inspect_key(s, "", "total"), "total", 10);
	CHECK(inspect_count(s, "ring", "cqe") == 4, "%d CQEs are shown", inspect_count(s, "ring", "cqe"));
	want_num(entry_key(inspect_entry(s, "ring", "cqe", 0), "wr_id"), "wr_id", 6);
}

static void test_srq(void)
{
	struct ibv_srq *srq = vt_srq(&A, 10, 2);
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){ .srq = srq });
	struct ibv_mr *m = vt_buf(&A, 65536);
	struct ibv_sge sge[2] = { vt_sge(m, 0, 700), vt_sge(m, 1000, 70) };
	struct ibv_srq_attr a = { .srq_limit = 3 };
	struct ibv_recv_wr wr, *bad;
	uint64_t num = my_number(A.name, "srq", 0);
	const char *e;
	char *s;
	int i;

	for (i = 0; i < 6; i++) {
		wr = (struct ibv_recv_wr){ .wr_id = 100 + i, .sg_list = sge, .num_sge = i % 3 };
		CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv %d", i);
	}
	CHECK(!ibv_modify_srq(srq, &a, IBV_SRQ_LIMIT), "modify_srq");
	CHECK(!ibv_query_srq(srq, &a), "query_srq");
	s = inspect(A.name, "srq %u", (unsigned int)num);
	want_num(inspect_key(s, "", "max"), "max", a.max_wr);
	want_num(inspect_key(s, "", "max_sge"), "max_sge", a.max_sge);
	want_num(inspect_key(s, "", "limit"), "limit", a.srq_limit);
	want_num(inspect_key(s, "", "used"), "used", 6);
	want_num(inspect_key(s, "rq", "producer"), "producer", 6);
	want_num(inspect_key(s, "rq", "left_out"), "left_out", 0);
	CHECK(inspect_count(s, "rq", "rwqe") == 6, "%d receives are shown",
	      inspect_count(s, "rq", "rwqe"));
	for (i = 0; i < 6; i++) {
		e = inspect_entry(s, "rq", "rwqe", i);
		want_num(entry_key(e, "index"), "index", i);
		want_num(entry_key(e, "wr_id"), "wr_id", 100 + i);
		want_text(entry_key(e, "sge"), "sge", i % 3 ? sge_text(sge, i % 3) : NULL);
	}
	want_num(inspect_key(s, "users", "qps"), "qps", 1);
	e = inspect_entry(s, "users", "user", 0);
	want_num(entry_key(e, "qpn"), "qpn", qp->qp_num);
	want_text(entry_key(e, "as"), "as", "srq");
	s = inspect(A.name, "qp %u", qp->qp_num);
	want_num(inspect_key(s, "rq", "srqn"), "srqn", num);
	want_text(inspect_key(s, "rq", "used"), "rq.used", NULL);
}

/* More completions than are shown: the oldest ones, and how many are not. */
static void test_large_cq(void)
{
	enum { N = 16384 + 100 };
	struct ibv_cq *cq = vt_cq(&A, 20000, NULL);
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 16384, .inl = 4 }),
			  vt_qp(&B, (struct vt_qp_opts){}) };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_qp *dead = vt_qp(&A, (struct vt_qp_opts){ .scq = cq, .wr = 100 });
	char *s, *line, *save = NULL, cq_line[32], all[16];
	uint64_t num, want = 0;
	int i;

	connect_pair_tuned(&p, (struct tune){});
	num = num_of(inspect_key(inspect(A.name, "qp 0x%x", p.a->qp_num), "", "scqn"), "scqn");
	for (i = 0; i < 16384; i++) {
		wr.wr_id = i;
		vt_post(p.a, &wr);
	}
	snprintf(cq_line, sizeof(cq_line), "cq %u", (unsigned int)num);
	inspect_until(A.name, cq_line, "", "used", "16384");
	/* the others are flushes */
	vt_to_init(dead, A.port, 0);
	vt_to_state(dead, IBV_QPS_ERR);
	for (i = 16384; i < N; i++) {
		wr.wr_id = i;
		vt_post(dead, &wr);
	}
	snprintf(all, sizeof(all), "%d", N);
	s = inspect_until(A.name, cq_line, "", "used", all);
	want_num(inspect_key(s, "ring", "left_out"), "left_out", 100);
	for (line = strtok_r(s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "  cqe: ", 7))
			continue;
		want_num(entry_key(line + 7, "index"), "index", want);
		want_num(entry_key(line + 7, "wr_id"), "wr_id", want);
		want++;
	}
	CHECK(want == 16384, "%llu CQEs are shown", (unsigned long long)want);
}

/* The line of the table and the answer say the same of each object. */
static void same_as_line(const char *dev, const char *kind)
{
	static const char *const moving[] = { "age", "state_age", "oldest_age", "ack_in", "rnr_in" };
	const char *number, *port, *got;
	struct table t;
	unsigned int m;
	char *s;
	int i, k;

	table_read(&t, dev, kind);
	for (i = 0; i < t.nrows; i++) {
		number = t.cell[i][0];
		/* others come and go, and count */
		if (strcmp(kind, "mcast") && strcmp(kind, "switch") &&
		    atoi(t.cell[i][table_col(&t, "pid")]) != getpid())
			continue;
		port = "";
		s = inspect(dev, "%s %s%s", kind, number, port);
		for (k = 0; k < t.ncols; k++) {
			for (m = 0; m < ARRAY_LEN(moving); m++)
				if (!strcmp(moving[m], t.cols[k]))
					break;
			got = inspect_key(s, "", t.cols[k]);
			if (m == ARRAY_LEN(moving))
				want_text(got ? got : "-", t.cols[k], t.cell[i][k]);
			else
				CHECK(!got == !strcmp(t.cell[i][k], "-"), "%s %s: %s", kind, number,
				      t.cols[k]);
		}
	}
	CHECK(t.nrows, "%s/%s is empty", dev, kind);
	table_free(&t);
}

static void test_same_as_tables(void)
{
	static const char *const kinds[] = { "ucontext", "pd", "mr", "cq", "srq", "qp", "ah", "mcast",
					     "switch" };
	struct ibv_qp *ud = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UD });
	union ibv_gid mgid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, [15] = 0x77 } };
	struct ibv_ah_attr to = { .dlid = B.attr.lid, .port_num = A.port };
	struct ibv_ah *ah = ibv_create_ah(A.pd, &to);
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;
	const char *e;
	unsigned int i;
	char *s;

	CHECK(ah, "create_ah");
	vt_track(VT_AH, ah);
	vt_buf(&A, 5000);
	vt_srq(&A, 5, 1);
	make_pair();
	vt_to_init(ud, A.port, 0);
	CHECK(!ibv_attach_mcast(ud, &mgid, 0xc011), "attach_mcast");
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		same_as_line(A.name, kinds[i]);
	s = inspect(A.name, "mcast ff12:a01b:0000:0000:0000:0000:0000:0077");
	want_num(inspect_key(s, "", "members"), "members", 1);
	want_num(inspect_key(s, "", "mlid"), "mlid", 0xc011);
	want_num(inspect_key(s, "members", "entries"), "entries", 1);
	e = inspect_entry(s, "members", "member", 0);
	want_num(entry_key(e, "qpn"), "member", ud->qp_num);
	want_num(entry_key(e, "port"), "port", A.port);
	want_text(entry_key(e, "state"), "state", "init");
	want_num(entry_key(e, "pid"), "pid", getpid());
	CHECK(!ibv_query_qp(ud, &a, IBV_QP_STATE, &init), "query_qp");
	want_num(inspect_key(inspect(A.name, "qp %u", ud->qp_num), "attr", "mcast_groups"),
		 "mcast_groups", 1);
	CHECK(!ibv_detach_mcast(ud, &mgid, 0xc011), "detach_mcast");
}

/* The port, as the verbs know it; the switch that it is on. */
static void test_port_and_switch(void)
{
	struct ibv_port_attr attr;
	union ibv_gid gid;
	char text[64];
	const char *e, *peer;
	unsigned int port;
	__be16 pkey;
	char *s;
	int i, n = 0;

	CHECK(!ibv_query_port(A.ctx, A.port, &attr), "query_port");
	s = inspect(A.name, "port %d", A.port);
	want_num(inspect_key(s, "", "lid"), "lid", attr.lid);
	want_num(inspect_key(s, "", "sm_lid"), "sm_lid", attr.sm_lid);
	want_text(inspect_key(s, "", "state"), "state", "active");
	want_num(inspect_key(s, "", "mtu"), "mtu", 128 << attr.active_mtu);
	want_num(inspect_key(s, "", "width"), "width", attr.active_width == 2 ? 4 : 1);
	CHECK(!ibv_query_gid(A.ctx, A.port, 0, &gid), "query_gid");
	for (i = 0; i < 16; i += 2)
		n += snprintf(text + n, sizeof(text) - n, "%s%02x%02x", i ? ":" : "", gid.raw[i],
			      gid.raw[i + 1]);
	e = inspect_entry(s, "gids", "gid", 0);
	CHECK(e, "no GID");
	want_num(entry_key(e, "index"), "index", 0);
	want_text(entry_key(e, "gid"), "gid", text);
	for (i = 0; (e = inspect_entry(s, "pkeys", "pkey", i)); i++) {
		CHECK(!ibv_query_pkey(A.ctx, A.port, num_of(entry_key(e, "index"), "index"), &pkey),
		      "query_pkey");
		want_num(entry_key(e, "pkey"), "pkey", ntohs(pkey));
	}
	want_num(inspect_key(s, "", "num_pkeys"), "num_pkeys", i);
	want_num(inspect_key(s, "pkeys", "entries"), "entries", i);
	CHECK(i, "no P_Key");

	/* there and back */
	peer = inspect_key(s, "", "peer");
	CHECK(peer && sscanf(peer, "switch0:%u", &port) == 1, "peer is %s", peer ? peer : "not there");
	s = inspect(A.name, "switch");
	e = inspect_entry(s, "ports", "port", port);
	CHECK(e, "the switch has no port %u", port);
	want_num(entry_key(e, "port"), "port", port);
	snprintf(text, sizeof(text), "%s:%d", A.name, A.port);
	want_text(entry_key(e, "peer"), "peer of the switch's port", text);
	want_num(inspect_key(s, "ports", "entries"), "entries",
		 num_of(inspect_key(s, "", "ports"), "ports") + 1);
	for (i = 0; (e = inspect_entry(s, "lft", "lid", i)); i++)
		if (num_of(entry_key(e, "lid"), "lid") == attr.lid) {
			want_num(entry_key(e, "port"), "port of my LID", port);
			want_text(entry_key(e, "peer"), "what my LID leads to", text);
			break;
		}
	CHECK(e, "my LID is not in the LFT");
}

static void test_refused(void)
{
	static const struct {
		const char *line;
		int err;
		const char *reason;
	} bad[] = {
		{ "", EINVAL, "the line is blank" },
		{ "\n", EINVAL, "the line is blank" },
		{ "frob 1", EINVAL, "frob: no such kind" },
		{ "qp", EINVAL, "a number is missing" },
		{ "qp x", EINVAL, "x: not a number" },
		{ "qp 0x", EINVAL, "0x: not a number" },
		{ "qp -1", EINVAL, "-1: not a number" },
		{ "qp 99999999999", EINVAL, "99999999999: not a number" },
		{ "qp 5 5", EINVAL, "5: nothing is expected" },
		{ "qp 1", EINVAL, "add port=N" },
		{ "qp 1 port=0", EINVAL, "port=0" },
		{ "qp 5 port=1", EINVAL, "port=1" },
		{ "qp 1 port=200", ENOENT, "no such object" },
		{ "qp 0xfffff1", ENOENT, "qp 0xfffff1: no such object on glass0" },
		{ "qp 0xffffffff", ENOENT, "no such object" },
		{ "cq 4294967295", ENOENT, "cq 4294967295: no such object" },
		{ "mr 4294967295", ENOENT, "no such object" },
		{ "srq 0", ENOENT, "no such object" },
		{ "ucontext 99999", ENOENT, "no such object" },
		{ "pd 99999", ENOENT, "no such object" },
		{ "ah 99999", ENOENT, "no such object" },
		{ "port 0", ENOENT, "no such object" },
		{ "port 9", ENOENT, "no such object" },
		{ "switch 1", ENOENT, "no such object" },
		{ "mcast 7", EINVAL, "7: not an MGID" },
		{ "mcast ff12::1234", ENOENT, "no such object" },
		{ "qp \001", EINVAL, "unprintable characters" },
		{ "qp 1\nqp 2\n", EINVAL, "unprintable characters" },
		{ "qp 1                                                                              "
		  "                                  ", EINVAL, "too long" },
	};
	int fd = dump_open(A.name, "inspect", O_RDWR);
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){});
	char *s, line[40];
	unsigned int i;
	int err;

	s = dump_rest(fd, NULL);
	CHECK(strstr(s, "error: nothing was asked for"), "before a line: %s", s);
	free(s);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		if (!*bad[i].line)
			continue; /* write() of nothing does not come to the driver */
		err = inspect_fd(fd, bad[i].line, &s);
		CHECK(err == bad[i].err, "'%s': %s, not %s", bad[i].line, strerror(err),
		      strerror(bad[i].err));
		CHECK(!strncmp(s, "error: ", 7) && strstr(s, bad[i].reason) && strchr(s, '\n'),
		      "'%s': the reason is %s", bad[i].line, s);
		free(s);
	}
	/* the same file tells of objects after that, again and again */
	snprintf(line, sizeof(line), "\t qp   0x%X \n", qp->qp_num);
	for (i = 0; i < 3; i++) {
		CHECK(!inspect_fd(fd, line, &s), "%s: %s", line, s);
		want_num(inspect_key(s, "", "qpn"), "qpn", qp->qp_num);
		free(s);
	}
	/* what was taken stays readable when the object is gone; then it is not there */
	CHECK(write(fd, line, strlen(line)) > 0, "write");
	vt_drop(qp);
	s = dump_rest(fd, NULL);
	want_text(inspect_key(s, "", "state"), "state of a snapshot", "reset");
	free(s);
	CHECK(inspect_fd(fd, line, &s) == ENOENT, "a QP that is gone is told of");
	free(s);
	close(fd);
}

/* The kernel's own: QP1 of a port, and its CQ. */
static void test_kernel_objects(void)
{
	char *s = inspect(A.name, "qp 1 port=%d", A.port);
	unsigned int cqn;

	want_text(inspect_key(s, "", "qptype"), "qptype", "gsi");
	want_num(inspect_key(s, "", "pid"), "pid", 0);
	want_num(inspect_key(s, "", "port"), "port", A.port);
	CHECK(inspect_count(s, "rq", "rwqe") == (int)num_of(inspect_key(s, "rq", "used"), "used"),
	      "receives of QP1");
	CHECK(inspect_count(s, "rq", "rwqe") > 10, "QP1 has no receives");
	cqn = num_of(inspect_key(s, "", "rcqn"), "rcqn");
	s = inspect(A.name, "cq %u", cqn);
	want_text(inspect_key(s, "ring", "polled_by"), "polled_by", "kernel");
	CHECK(inspect_entry(s, "users", "user", 0), "nobody uses the CQ of QP1");
}

static const struct check inspect_obj_checks[] = {
	{ "cqes", test_cqes },
	{ "lost_cqes", test_lost_cqes },
	{ "srq", test_srq },
	{ "large_cq", test_large_cq },
	{ "same_as_tables", test_same_as_tables },
	{ "port_and_switch", test_port_and_switch },
	{ "refused", test_refused },
	{ "kernel_objects", test_kernel_objects },
};

#endif
