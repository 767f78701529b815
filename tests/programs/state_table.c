// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tries every cell of tests/tables/transitions.tsv, and the edges of
 * tests/tables/attributes.tsv, by ibv_modify_qp(3) on a real device.
 *
 * A QP gets into the state that a row starts from as it does in life: into SQE
 * by a send that fails, into ERR by a message that it cannot receive (RC: by a
 * send that fails).
 */
#include <getopt.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include "../tables/tsv.h"
#include "vt.h"

static struct vt_end E;
static struct ibv_cq *scq, *rcq;
static struct ibv_mr *mr;
static unsigned int tries, bad_rows;

static const char *const states[] = { "reset", "init", "rtr", "rts", "sqd", "sqe", "err" };

/* ---- attributes: each with two good values */

#define ATTRS(X)                                                                                   \
	X(ACCESS_FLAGS, qp_access_flags, 0xf, 0x4)                                                 \
	X(PKEY_INDEX, pkey_index, 0, 1)                                                            \
	X(PORT, port_num, 1, 2)                                                                    \
	X(QKEY, qkey, VT_QKEY, 0x234567)                                                           \
	X(AV, ah_attr.sl, 0, 3)                                                                    \
	X(PATH_MTU, path_mtu, 3, 1)                                                                \
	X(TIMEOUT, timeout, 14, 19)                                                                \
	X(RETRY_CNT, retry_cnt, 7, 3)                                                              \
	X(RNR_RETRY, rnr_retry, 6, 2)                                                              \
	X(RQ_PSN, rq_psn, 0x123456, 0x654321)                                                      \
	X(MAX_QP_RD_ATOMIC, max_rd_atomic, 4, 7)                                                   \
	X(MIN_RNR_TIMER, min_rnr_timer, 12, 5)                                                     \
	X(SQ_PSN, sq_psn, 0x123456, 0x654321)                                                      \
	X(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 3, 9)                                            \
	X(PATH_MIG_STATE, path_mig_state, IBV_MIG_MIGRATED, IBV_MIG_MIGRATED)                      \
	X(DEST_QPN, dest_qp_num, 0, 0x345)

static const struct {
	const char *name;
	int bit;
} bits[] = {
#define X(n, f, v0, v1) { #n, IBV_QP_##n },
	ATTRS(X)
#undef X
	/* no query answers these: the kernel's ABI has no place for the one, the others are not kept */
	{ "EN_SQD_ASYNC_NOTIFY", IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ "CUR_STATE", IBV_QP_CUR_STATE },
	{ "ALT_PATH", IBV_QP_ALT_PATH },
	{ "CAP", IBV_QP_CAP },
};


static int mask_of(const char *s)
{
	int mask = 0;

	while (strcmp(s, "-") && *s) {
		size_t n = strcspn(s, ",");
		unsigned int i;

		for (i = 0; i < ARRAY_LEN(bits); i++)
			if (strlen(bits[i].name) == n && !strncmp(bits[i].name, s, n))
				break;
		CHECK(i < ARRAY_LEN(bits), "no such attribute: %s", s);
		mask |= bits[i].bit;
		s += n + (s[n] == ',');
	}
	return mask;
}

/* ---- a QP, and what it must answer to a query */

struct sut {
	struct ibv_qp *qp;
	enum ibv_qp_state state;
	struct ibv_qp_attr want;
	int known; /* mask of the attributes in `want` */
};

/* Good values for everything; those in `second` get their second one. */
static struct ibv_qp_attr good(const struct sut *s, enum ibv_qp_state to, int second)
{
	struct ibv_qp_attr a = {
		.qp_state = to,
		.cur_qp_state = s->state,
		.cap = { 4, 4, 1, 1, 0 },
		.alt_port_num = 1,
		.alt_timeout = 14,
		.en_sqd_async_notify = !!(second & IBV_QP_EN_SQD_ASYNC_NOTIFY),
	};

#define X(n, f, v0, v1) a.f = second & IBV_QP_##n ? (v1) : (v0);
	ATTRS(X)
#undef X
	if (!(second & IBV_QP_DEST_QPN))
		a.dest_qp_num = s->qp->qp_num;
	a.ah_attr.dlid = E.attr.lid;
	a.ah_attr.port_num = 1;
	a.alt_ah_attr = a.ah_attr;
	/* a new path and a new port must be of one port */
	if ((second & (IBV_QP_AV | IBV_QP_PORT)) == (IBV_QP_AV | IBV_QP_PORT))
		a.ah_attr.port_num = 2;
	return a;
}

/* Does the QP say of itself what it should? */
static void verify(struct sut *s, const char *when)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(s->qp, &a, 0x1fffff, &init), "%s: query_qp failed", when);
	CHECK(a.qp_state == s->state, "%s: state %s, not %s", when, states[a.qp_state],
	      states[s->state]);
	CHECK(s->qp->state == s->state, "%s: libibverbs thinks of state %d", when, s->qp->state);
	CHECK(a.cur_qp_state == a.qp_state, "%s: cur_qp_state %d", when, a.cur_qp_state);
	CHECK(!a.sq_draining, "%s: it says that it is draining", when);
	CHECK(a.cap.max_send_wr == init.cap.max_send_wr && init.qp_type == s->qp->qp_type,
	      "%s: capacity or type changed", when);
#define X(n, f, v0, v1)                                                                            \
	if (s->known & IBV_QP_##n)                                                                 \
		CHECK(a.f == s->want.f, "%s: " #f " 0x%x, not 0x%x", when, a.f, s->want.f);
	ATTRS(X)
#undef X
	if (s->known & IBV_QP_AV)
		CHECK(a.ah_attr.dlid == s->want.ah_attr.dlid &&
		      a.ah_attr.port_num == s->want.ah_attr.port_num, "%s: other path", when);
}

static int modify(struct sut *s, struct ibv_qp_attr *a, int mask)
{
	tries++;
	return ibv_modify_qp(s->qp, a, mask);
}

static void expect_ok(struct sut *s, struct ibv_qp_attr *a, int mask, const char *what)
{
	int err = modify(s, a, mask);

	CHECK(!err, "%s: mask 0x%x refused: %s", what, mask, strerror(err));
	if (mask & IBV_QP_STATE)
		s->state = a->qp_state;
	if (mask & IBV_QP_STATE && a->qp_state == IBV_QPS_RESET) {
		/* all is forgotten, save what a port or type gives it */
		memset(&s->want, 0, sizeof(s->want));
		s->known = s->known & ~(IBV_QP_PATH_MTU | IBV_QP_PATH_MIG_STATE) &
			   ~(s->qp->qp_type == IBV_QPT_UD ? 0 : IBV_QP_PORT);
	} else {
#define X(n, f, v0, v1)                                                                            \
	if (mask & IBV_QP_##n)                                                                     \
		s->want.f = a->f;
		ATTRS(X)
#undef X
		if (mask & IBV_QP_AV) {
			s->want.ah_attr = a->ah_attr;
			/* the kernel takes the port of a new path for the QP's */
			if (s->state == IBV_QPS_SQD)
				s->want.port_num = a->ah_attr.port_num;
		}
		s->known |= mask & ~(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ALT_PATH |
				    IBV_QP_EN_SQD_ASYNC_NOTIFY);
	}
	verify(s, what);
}

static void expect_refused(struct sut *s, struct ibv_qp_attr *a, int mask, const char *what)
{
	int err = modify(s, a, mask);

	CHECK(err == EINVAL, "%s: mask 0x%x: %s, not EINVAL", what, mask, err ? strerror(err) : "accepted");
	verify(s, what);
}

static const struct tsv *transitions;

static int row_of(enum ibv_qp_type type, int from, int to)
{
	static const char *const types[] = { [IBV_QPT_RC] = "rc", [IBV_QPT_UC] = "uc", [IBV_QPT_UD] = "ud" };
	int i, found = -1;

	for (i = 0; i < transitions->nrows; i++) {
		if (strcmp(tsv_get(transitions, i, "type"), types[type]) ||
		    strcmp(tsv_get(transitions, i, "from"), states[from]) ||
		    strcmp(tsv_get(transitions, i, "to"), states[to]))
			continue;
		CHECK(found < 0, "line %d is there twice", transitions->line[i]);
		found = i;
	}
	CHECK(found >= 0, "no row for %s %s -> %s", types[type], states[from], states[to]);
	return found;
}

/* A step on the way, with what the table requires for it and no more */
static void step(struct sut *s, enum ibv_qp_state to)
{
	struct ibv_qp_attr a = good(s, to, 0);
	int row = row_of(s->qp->qp_type, s->state, to);

	expect_ok(s, &a, IBV_QP_STATE | mask_of(tsv_get(transitions, row, "required")), "on the way");
}

static void fails(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	do
		vt_wc(cq, &wc);
	while (wc.status == IBV_WC_SUCCESS);
	CHECK(wc.status == IBV_WC_LOC_PROT_ERR, "on the way: %s", ibv_wc_status_str(wc.status));
}

static struct ibv_ah *self_ah(void)
{
	struct ibv_ah_attr attr = { .dlid = E.attr.lid, .port_num = 1 };
	static struct ibv_ah *ah;

	if (!ah)
		ah = ibv_create_ah(E.pd, &attr);
	CHECK(ah, "create_ah failed");
	return ah;
}

/* An error in the life of a QP in RTS that is its own peer: a send, or a receive, has no valid L_Key. */
static void break_it(struct sut *s, bool sender)
{
	struct ibv_sge sge = vt_sge(mr, 0, 64), into = vt_sge(mr, 64, 128);
	struct ibv_recv_wr recv = { .wr_id = 2, .sg_list = &into, .num_sge = 1 }, *bad;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	enum ibv_qp_state is;
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	if (s->qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = self_ah();
		wr.wr.ud.remote_qpn = s->qp->qp_num;
		wr.wr.ud.remote_qkey = VT_QKEY;
	}
	if (sender)
		sge.lkey ^= 0x100;
	into.lkey ^= 0x100;
	CHECK(sender || !ibv_post_recv(s->qp, &recv, &bad), "post_recv failed");
	vt_post(s->qp, &wr);
	fails(sender ? scq : rcq);
	do
		is = vt_state(s->qp);
	while (is == IBV_QPS_RTS && vt_now_ms() < until);
	s->state = is;
	/* what libibverbs cannot know until it is told */
	s->qp->state = is;
	s->known &= ~(IBV_QP_SQ_PSN | IBV_QP_RQ_PSN);
}

static struct sut make(enum ibv_qp_type type, enum ibv_qp_state state)
{
	struct sut s = { .qp = vt_qp(&E, (struct vt_qp_opts){ .type = type, .scq = scq, .rcq = rcq, .wr = 4 }),
			 .state = IBV_QPS_RESET };
	int i;

	verify(&s, "new");
	for (i = IBV_QPS_INIT; i <= IBV_QPS_RTS && i <= (int)state; i++)
		step(&s, i);
	if (state == IBV_QPS_SQD)
		step(&s, IBV_QPS_SQD);
	else if (state == IBV_QPS_SQE)
		break_it(&s, true);
	else if (state == IBV_QPS_ERR)
		break_it(&s, type == IBV_QPT_RC);
	CHECK(s.state == state, "on the way to %s it went to %s", states[state], states[s.state]);
	return s;
}

/* ---- one cell */

static void try_forbidden(enum ibv_qp_type type, int from, int to)
{
	struct sut s = make(type, from);
	struct ibv_qp_attr a = good(&s, to, 0);
	unsigned int i;

	expect_refused(&s, &a, IBV_QP_STATE, "no such transition");
	for (i = 0; i < ARRAY_LEN(bits); i++) {
		expect_refused(&s, &a, IBV_QP_STATE | bits[i].bit, bits[i].name);
		if (from == to)
			expect_refused(&s, &a, bits[i].bit, bits[i].name);
	}
	expect_refused(&s, &a, 0x1fffff, "everything");
	a.cur_qp_state = IBV_QPS_RTS == from ? IBV_QPS_SQD : IBV_QPS_RTS;
	expect_refused(&s, &a, IBV_QP_STATE | IBV_QP_CUR_STATE, "a wrong current state");
}

static void try_allowed(enum ibv_qp_type type, int from, int to, int required, int optional)
{
	struct sut s = make(type, from);
	struct ibv_qp_attr a = good(&s, to, 0);
	unsigned int i;

	/* what must be refused leaves the QP as it is */
	for (i = 0; i < ARRAY_LEN(bits); i++) {
		int bit = bits[i].bit;

		if (required & bit)
			expect_refused(&s, &a, IBV_QP_STATE | (required & ~bit), bits[i].name);
		else if (!(optional & bit))
			expect_refused(&s, &a, IBV_QP_STATE | required | bit, bits[i].name);
	}
	expect_ok(&s, &a, IBV_QP_STATE | required, "required ones");

	a = good(&s, to, required);
	s = make(type, from);
	a = good(&s, to, required & ~IBV_QP_PORT);
	expect_ok(&s, &a, IBV_QP_STATE | required, "required ones, other values");

	for (i = 0; i < ARRAY_LEN(bits); i++) {
		int bit = bits[i].bit;

		if (!(optional & bit))
			continue;
		s = make(type, from);
		a = good(&s, to, bit);
		expect_ok(&s, &a, IBV_QP_STATE | required | bit, bits[i].name);
		if (from != to)
			continue;
		/* the state need not be named when it stays */
		a = good(&s, to, 0);
		if (bit != IBV_QP_CUR_STATE)
			expect_ok(&s, &a, required | bit, bits[i].name);
	}
	if (optional) {
		s = make(type, from);
		a = good(&s, to, optional);
		expect_ok(&s, &a, IBV_QP_STATE | required | optional, "all optional ones");
	}
}

static void try_row(int row)
{
	const char *verdict = tsv_get(transitions, row, "verdict");
	int required = mask_of(tsv_get(transitions, row, "required"));
	int optional = mask_of(tsv_get(transitions, row, "optional"));
	const char *type_word = tsv_get(transitions, row, "type");
	enum ibv_qp_type type = !strcmp(type_word, "rc") ? IBV_QPT_RC :
				!strcmp(type_word, "uc") ? IBV_QPT_UC : IBV_QPT_UD;
	int from, to;

	for (from = 0; from < 6 && strcmp(states[from], tsv_get(transitions, row, "from")); from++)
		;
	for (to = 0; to < 6 && strcmp(states[to], tsv_get(transitions, row, "to")); to++)
		;
	CHECK(row_of(type, from, to) == row, "not a state");
	if (!strcmp(verdict, "yes"))
		try_allowed(type, from, to, required, optional);
	else if (!strcmp(verdict, "no"))
		try_forbidden(type, from, to);
	else
		CHECK(!strcmp(verdict, "never") && type == IBV_QPT_RC && from == IBV_QPS_SQE,
		      "verdict %s", verdict);
}

/* ---- values at the edge */

static void set_net_raw(bool on)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	CHECK(!syscall(SYS_capget, &h, d), "capget: %s", strerror(errno));
	if (on)
		d[0].effective |= 1u << CAP_NET_RAW;
	else
		d[0].effective &= ~(1u << CAP_NET_RAW);
	CHECK(!syscall(SYS_capset, &h, d), "capset: %s", strerror(errno));
}

/* last and beyond: the device's limit of the attribute, and one more */
static uint32_t value_of(const char *attr, const char *s)
{
	uint32_t last;

	if (strcmp(s, "last") && strcmp(s, "beyond"))
		return strtoul(s, NULL, 0);
	if (!strcmp(attr, "PKEY_INDEX"))
		last = E.attr.pkey_tbl_len - 1;
	else if (!strcmp(attr, "MAX_DEST_RD_ATOMIC"))
		last = E.dev_attr.max_qp_rd_atom;
	else if (!strcmp(attr, "MAX_QP_RD_ATOMIC"))
		last = E.dev_attr.max_qp_init_rd_atom;
	else
		last = E.attr.gid_tbl_len - 1;
	return last + !strcmp(s, "beyond");
}

/* Sets what a word names, and returns the mask bit it needs besides the required ones. */
static int set_value(struct ibv_qp_attr *a, const char *attr, uint32_t v)
{
	if (!strcmp(attr, "STATE")) {
		a->qp_state = v;
		return 0;
	}
	if (!strcmp(attr, "CUR_STATE")) {
		a->cur_qp_state = v;
		return IBV_QP_CUR_STATE;
	}
	if (!strcmp(attr, "PATH_MIG_STATE")) {
		a->path_mig_state = v;
		return IBV_QP_PATH_MIG_STATE;
	}
	/* a good alternate path by port v */
	if (!strcmp(attr, "ALT_PATH")) {
		a->alt_port_num = v;
		a->alt_ah_attr.port_num = v;
		return IBV_QP_ALT_PATH;
	}
	if (!strcmp(attr, "AV.sl"))
		a->ah_attr.sl = v;
	else if (!strcmp(attr, "AV.dlid"))
		a->ah_attr.dlid = v;
	else if (!strcmp(attr, "AV.port"))
		a->ah_attr.port_num = v;
	else if (!strcmp(attr, "AV.sgid_index")) {
		a->ah_attr.is_global = 1;
		a->ah_attr.grh.dgid = E.gid;
		a->ah_attr.grh.sgid_index = v;
	}
#define X(n, f, v0, v1)                                                                            \
	else if (!strcmp(attr, #n)) a->f = v;
	ATTRS(X)
#undef X
	else if (!strcmp(attr, "QKEY.unprivileged"))
		a->qkey = v;
	else
		vt_fail("no such attribute: %s", attr);
	return 0;
}

static void try_value(const struct tsv *t, int row)
{
	const char *attr = tsv_get(t, row, "attribute"), *result = tsv_get(t, row, "result");
	enum ibv_qp_type type = !strcmp(tsv_get(t, row, "type"), "rc") ? IBV_QPT_RC : IBV_QPT_UD;
	uint32_t v = value_of(attr, tsv_get(t, row, "value"));
	bool plain = !!strcmp(attr, "QKEY.unprivileged");
	struct ibv_qp_attr a, old;
	struct ibv_qp_init_attr init;
	int from, to, mask, err;
	struct sut s;

	for (from = 0; from < 6 && strcmp(states[from], tsv_get(t, row, "from")); from++)
		;
	for (to = 0; to < 6 && strcmp(states[to], tsv_get(t, row, "to")); to++)
		;
	s = make(type, from);
	a = good(&s, to, 0);
	mask = IBV_QP_STATE | mask_of(tsv_get(transitions, row_of(type, from, to), "required"));
	mask |= set_value(&a, attr, v);
	if (!strncmp(result, "reads ", 6)) {
		err = modify(&s, &a, mask);
		CHECK(!err, "refused: %s", strerror(err));
		v = strtoul(result + 6, NULL, 0);
		CHECK(!ibv_query_qp(s.qp, &a, mask, &init), "query_qp failed");
		old = a;
		set_value(&old, attr, v);
		CHECK(!memcmp(&old, &a, sizeof(a)), "it does not read back as 0x%x", v);
		return;
	}
	if (!strcmp(result, "ok")) {
		expect_ok(&s, &a, mask, "accepted");
		return;
	}
	if (!plain)
		set_net_raw(false);
	err = modify(&s, &a, mask);
	if (!plain)
		set_net_raw(true);
	CHECK(err == (!strcmp(result, "EPERM") ? EPERM : EINVAL), "%s, not %s",
	      err ? strerror(err) : "accepted", result);
	verify(&s, "refused");
}

/* ---- */

/* Does the row not hold? Why, is in vt_reason. */
static bool row_fails(const struct tsv *t, void (*run)(const struct tsv *, int), int row)
{
	static jmp_buf back;

	vt_trap = &back;
	if (setjmp(back)) {
		vt_trap = NULL;
		return true;
	}
	run(t, row);
	vt_trap = NULL;
	return false;
}

static void each(const struct tsv *t, void (*run)(const struct tsv *, int))
{
	unsigned int mark = vt_nthings;
	struct ibv_wc wc;
	bool failed;
	int i;

	for (i = 0; i < t->nrows; i++) {
		vt_limit(60);
		vt_doing = t->cell[i][1];
		failed = row_fails(t, run, i);
		CHECK(!vt_drop_to(mark), "clean-up failed");
		while (ibv_poll_cq(scq, 1, &wc) > 0 || ibv_poll_cq(rcq, 1, &wc) > 0)
			;
		vt_drain_events(E.ctx);
		if (failed) {
			bad_rows++;
			printf("not ok %s:%d: %s %s -> %s %s: %s\n", t->file, t->line[i], t->cell[i][0],
			       t->cell[i][1], t->cell[i][2], t->cell[i][3], vt_reason);
		}
	}
}

static void run_transition(const struct tsv *t, int row)
{
	(void)t;
	try_row(row);
}

int main(int argc, char **argv)
{
	static struct tsv tr, at;

	vt_prog = "state_table";
	if (argc < 2 || argc > 4) {
		fprintf(stderr, "Usage: state_table TRANSITIONS.tsv [ATTRIBUTES.tsv [DEVICE]]\n"
				"With ATTRIBUTES.tsv, tries that table; without, the transitions.\n"
				"Exit status 0: as the table says; 1: not; 2: wrong arguments; 4: it hung.\n");
		return 2;
	}
	tsv_read(&tr, argv[1]);
	transitions = &tr;
	vt_limit(60);
	vt_open(&E, argc > 3 ? argv[3] : "glass0", 1, 0);
	scq = vt_cq(&E, 64, NULL);
	rcq = vt_cq(&E, 64, NULL);
	mr = vt_buf(&E, 4096);
	if (argc == 2) {
		CHECK(tr.nrows == 3 * 7 * 7, "%d rows, not %d", tr.nrows, 3 * 7 * 7);
		each(&tr, run_transition);
	} else {
		tsv_read(&at, argv[2]);
		each(&at, try_value);
	}
	vt_limit(60);
	printf("%d rows, %u times ibv_modify_qp, %u rows not as the table says\n",
	       argc == 2 ? tr.nrows : at.nrows, tries, bad_rows);
	if (bad_rows)
		return 1;
	if (E.ctx && self_ah())
		ibv_destroy_ah(self_ah());
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&E);
	return 0;
}
