// SPDX-License-Identifier: GPL-2.0-only
/*
 * An XRC target is its program's: rules, lint and verb faults find it, and what it cannot do is refused by name.
 *
 *     xrc_target owner        debugfs names this process
 *     xrc_target fails        create_qp of a target fails (with the error that a rule gives)
 *     xrc_target traffic      a message through it
 *     xrc_target post         POST_SEND on it, by the kernel's own ABI, with and without a work request
 *     xrc_target late RULES   a receive's completion is held up by a rule, the target goes, the rules end (RULES: their
 *                             file): it never comes
 *     xrc_target reset RULES  the same, but the target is reset, and used anew
 *     xrc_target kernel       a message through a target of check_xrc.ko, which is loaded and unloaded
 *     xrc_target midway RULES `inspect` of it while a rule holds up a message after its first packet; RULES as above
 *     xrc_target short        the message is longer than the receive
 *     xrc_target mtu          the two ends have different path MTUs
 *     xrc_target impatient    the initiator has timeout 0 and retry_cnt 0
 *     xrc_target dry          no receive: the first RNR NAK ends the initiator, which has no retries
 */
#include <rdma/ib_user_verbs.h>

#include "dump.h"
#include "xrc.h"

#define DEV "glass0"

static struct vt_end near, far; /* the target's and the initiator's */
static struct ibv_xrcd *xrcd;
static struct ibv_qp *tgt, *ini;
static struct ibv_srq *srq;
static struct ibv_cq *cq;
static struct ibv_mr *mf, *mt;

static void open_all(void)
{
	vt_open(&near, DEV, 1, 0);
	vt_open(&far, "glass1", 1, 0);
	xrcd = domain(near.ctx, -1);
	cq = vt_cq(&near, 16, NULL);
	srq = xrc_srq(&near, xrcd, cq, near.dev_attr.max_srq_sge);
	mf = vt_buf(&far, 2 * BYTES);
	mt = vt_buf(&near, 2 * BYTES);
	tgt = target(near.ctx, xrcd);
	ini = initiator(&far);
}

static void connect_all(void)
{
	connect_target(tgt, &far, ini->qp_num);
	connect_initiator(ini, &near, tgt->qp_num);
}

static void close_all(void)
{
	CHECK(!tgt || !ibv_destroy_qp(tgt), "destroy_qp of the target failed");
	CHECK(!vt_drop_all() && !ibv_close_xrcd(xrcd), "clean-up failed");
	vt_close(&near);
	vt_close(&far);
}

/* Posts a SEND of the initiator to the SRQ, from the beginning of mr. */
static void send_from(struct ibv_mr *mr, uint64_t wr_id, uint32_t bytes)
{
	struct ibv_sge sge = vt_sge(mr, 0, bytes);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };

	CHECK(!ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn), "get_srq_num failed");
	vt_post(ini, &wr);
}

static void send_to_srq(uint64_t wr_id, uint32_t bytes)
{
	send_from(mf, wr_id, bytes);
}

static void owner(void)
{
	struct table t;
	const char *comm;
	int at, pid;

	open_all();
	table_read(&t, DEV, "qp");
	at = table_row(&t, tgt->qp_num);
	CHECK(at >= 0, "no QP 0x%x in debugfs", tgt->qp_num);
	pid = atoi(t.cell[at][table_col(&t, "pid")]);
	comm = t.cell[at][table_col(&t, "comm")];
	CHECK(pid == getpid() && !strcmp(comm, "xrc_target"), "the target is of %s, pid %d", comm, pid);
	table_free(&t);
}

static void fails(void)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV,
					    .comp_mask = IBV_QP_INIT_ATTR_XRCD };

	vt_open(&near, DEV, 1, 0);
	init.xrcd = domain(near.ctx, -1);
	CHECK(!ibv_create_qp_ex(near.ctx, &init), "the target was made");
	printf("create_qp: %s\n", strerror(errno));
	CHECK(!ibv_close_xrcd(init.xrcd), "close_xrcd failed");
	vt_close(&near);
	exit(0);
}

/* POST_SEND as the kernel's ABI has it, with n work requests; 0 or the error. */
static int post_send(struct ibv_qp *qp, uint32_t n)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
		struct ib_uverbs_send_wr wr;
	} req = {
		.hdr = { .command = IB_USER_VERBS_CMD_POST_SEND,
			 .out_words = sizeof(struct ib_uverbs_post_send_resp) / 4 },
		.cmd = { .qp_handle = qp->handle, .wr_count = n, .wqe_size = sizeof(req.wr) },
		.wr = { .wr_id = 5, .opcode = IB_UVERBS_WR_SEND, .send_flags = IBV_SEND_SIGNALED },
	};
	size_t bytes = sizeof(req.hdr) + sizeof(req.cmd) + n * sizeof(req.wr);
	struct ib_uverbs_post_send_resp resp;

	req.hdr.in_words = bytes / 4;
	req.cmd.response = (uintptr_t)&resp;
	return write(near.ctx->cmd_fd, &req, bytes) == (ssize_t)bytes ? 0 : errno;
}

static void post(void)
{
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .sq_psn = 3, .timeout = 14 };
	int err;

	open_all();
	connect_all();
	err = ibv_modify_qp(tgt, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT);
	CHECK(!err, "the target to RTS: %s", strerror(err));
	for (uint32_t n = 0; n < 2; n++) {
		err = post_send(tgt, n);
		CHECK(err == EINVAL, "POST_SEND of %u work requests: %s", n, strerror(err));
	}
	message(ini, mf, srq, cq, mt, 1);
}

static int open_rules(const char *path)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

/* A receive of the target completes, and waits for the end of the rule. */
static void complete_late(void)
{
	open_all();
	connect_all();
	post_recv(srq, mt, 7);
	send_to_srq(8, BYTES);
	vt_wc_is(ini->send_cq, 8, IBV_WC_SUCCESS);
	/* the sender was told, so the receive is complete */
	vt_empty(cq);
}

static void reset(const char *rules)
{
	int fd = open_rules(rules);

	complete_late();
	vt_to_state(tgt, IBV_QPS_RESET);
	vt_to_state(ini, IBV_QPS_RESET);
	CHECK(write(fd, "clear", 5) == 5, "clear: %s", strerror(errno));
	vt_empty(cq);
	connect_all();
	message(ini, mf, srq, cq, mt, 1);
	close(fd);
}

static uint32_t module_says(const char *name)
{
	char path[100];
	unsigned int value;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/check_xrc/parameters/%s", name);
	f = fopen(path, "r");
	CHECK(f && fscanf(f, "%u", &value) == 1, "%s: %s", path, strerror(errno));
	fclose(f);
	return value;
}

/* Of a kernel consumer's target: it never polls, and goes. */
static void of_kernel(void)
{
	struct ibv_send_wr wr = { .wr_id = 8, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge;
	char line[200];

	vt_open(&near, DEV, 1, 0);
	vt_open(&far, "glass1", 1, 0);
	mf = vt_buf(&far, BYTES);
	ini = initiator(&far);
	snprintf(line, sizeof(line), "insmod /usr/local/lib/glass/check_xrc.ko device=" DEV " peer_qpn=%u peer_lid=%u",
		 ini->qp_num, far.attr.lid);
	CHECK(!system(line), "%s failed", line);
	connect_initiator(ini, &near, module_says("qpn"));
	sge = vt_sge(mf, 0, BYTES);
	wr.sg_list = &sge;
	wr.qp_type.xrc.remote_srqn = module_says("srqn");
	vt_post(ini, &wr);
	vt_wc_is(ini->send_cq, 8, IBV_WC_SUCCESS);
	CHECK(!system("rmmod check_xrc"), "rmmod failed");
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&near);
	vt_close(&far);
	puts("ok");
	exit(0);
}

static void late(const char *rules)
{
	int fd = open_rules(rules);

	complete_late();
	CHECK(!ibv_destroy_qp(tgt), "destroy_qp of the target failed");
	tgt = NULL;
	/* what still waits of the rule is in its CQ when this returns */
	CHECK(write(fd, "clear", 5) == 5, "clear: %s", strerror(errno));
	vt_empty(cq);
	close(fd);
}

/*
 * A message of several packets is held up after its first. Of the receive that it fills `inspect` shows as many SGEs
 * as an SRQ can have, though the target itself has no receive queue.
 */
static void midway(const char *rules)
{
	enum { EACH = 100 };
	struct ibv_sge sge[32];
	struct ibv_recv_wr wr = { .wr_id = 77, .sg_list = sge }, *bad;
	struct ibv_mr *from, *to;
	int fd = open_rules(rules);
	uint32_t len, i;
	const char *e;
	char line[32];
	char *s;

	open_all();
	connect_all();
	wr.num_sge = near.dev_attr.max_srq_sge;
	CHECK(wr.num_sge >= 3 && wr.num_sge <= (int)ARRAY_LEN(sge), "max_srq_sge is %d", wr.num_sge);
	len = wr.num_sge * EACH;
	from = vt_buf(&far, len);
	to = vt_buf(&near, len);
	vt_fill(from->addr, len, 7);
	for (i = 0; i < len / EACH; i++)
		sge[i] = vt_sge(to, i * EACH, EACH);
	CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
	send_from(from, 8, len);
	snprintf(line, sizeof(line), "qp 0x%x", tgt->qp_num);
	s = inspect_until(DEV, line, "responder", "got", "1024");
	want_text(inspect_key(s, "responder", "in_message"), "in_message", "yes");
	want_text(inspect_key(s, "rq", "srqn"), "rq.srqn", NULL);
	CHECK(inspect_count(s, "rq", "rwqe") == 1, "%d receives are shown", inspect_count(s, "rq", "rwqe"));
	e = inspect_entry(s, "rq", "rwqe", 0);
	want_text(entry_key(e, "state"), "state", "filling");
	want_num(entry_key(e, "wr_id"), "wr_id", 77);
	want_num(entry_key(e, "len"), "len", len);
	want_num(entry_key(e, "num_sge"), "num_sge", wr.num_sge);
	want_text(entry_key(e, "sge"), "sge", sge_text(sge, wr.num_sge));
	CHECK(write(fd, "clear", 5) == 5, "clear: %s", strerror(errno));
	vt_wc_is(ini->send_cq, 8, IBV_WC_SUCCESS);
	vt_wc_is(cq, 77, IBV_WC_SUCCESS);
	vt_verify(to->addr, len, 7, "the message");
	close(fd);
}

static void too_short(void)
{
	struct ibv_sge sge;
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	open_all();
	connect_all();
	sge = vt_sge(mt, 0, 16);
	CHECK(!ibv_post_srq_recv(srq, &wr, &bad), "post_srq_recv failed");
	send_to_srq(8, 50);
	vt_wc_is(ini->send_cq, 8, IBV_WC_REM_INV_REQ_ERR);
	vt_wc_is(cq, 7, IBV_WC_LOC_LEN_ERR);
}

static void mtu(void)
{
	struct vt_path path = { .psn = 7, .mtu = IBV_MTU_256 };
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	open_all();
	path.qpn = ini->qp_num;
	path.lid = far.attr.lid;
	CHECK(!ibv_modify_qp(tgt, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	      "the target to INIT: %s", strerror(errno));
	CHECK(!vt_try_rtr(tgt, 1, &path), "the target to RTR: %s", strerror(errno));
	connect_initiator(ini, &near, tgt->qp_num);
}

/* The initiator goes to RTS anew, with nothing that would repeat what is lost. */
static void impatient(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTS, .sq_psn = 7, .max_rd_atomic = 1 };
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024 };

	open_all();
	connect_target(tgt, &far, ini->qp_num);
	rtr.dest_qp_num = tgt->qp_num;
	rtr.ah_attr.dlid = near.attr.lid;
	rtr.ah_attr.port_num = 1;
	vt_to_init(ini, 1, 0);
	CHECK(!ibv_modify_qp(ini, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN),
	      "the initiator to RTR: %s", strerror(errno));
	CHECK(!ibv_modify_qp(ini, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
	      "the initiator to RTS: %s", strerror(errno));
}

static void dry(void)
{
	impatient();
	send_to_srq(8, 50);
	vt_wc_is(ini->send_cq, 8, IBV_WC_RNR_RETRY_EXC_ERR);
}

static void traffic(void)
{
	open_all();
	connect_all();
	message(ini, mf, srq, cq, mt, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "owner", owner },	{ "fails", fails },	    { "post", post }, { "short", too_short },
		{ "mtu", mtu },		{ "impatient", impatient }, { "dry", dry },   { "traffic", traffic },
		{ "kernel", of_kernel },
	};
	static const struct {
		const char *name;
		void (*run)(const char *rules);
	} with_rules[] = { { "late", late }, { "reset", reset }, { "midway", midway } };
	const char *what = argc > 1 ? argv[1] : "";
	size_t i;

	vt_prog = "xrc_target";
	vt_limit(60);
	for (i = 0; argc == 3 && i < ARRAY_LEN(with_rules); i++) {
		if (strcmp(what, with_rules[i].name))
			continue;
		with_rules[i].run(argv[2]);
		close_all();
		puts("ok");
		return 0;
	}
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		if (argc != 2 || strcmp(what, cases[i].name))
			continue;
		cases[i].run();
		close_all();
		puts("ok");
		return 0;
	}
	fprintf(stderr, "Usage: xrc_target owner | fails | post | late RULES | reset RULES | midway RULES | short | mtu | "
			"impatient | dry | traffic | kernel\n");
	return 2;
}
