// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of tests/tables/ in the pure core: every cell of transitions.tsv, also
 * those that no program can reach, and of errors.tsv the rows that only a forged
 * packet reaches. Completions, states and events of both ends are compared.
 */
#include <glob.h>

#include "harness.h"
#include "proto_pair.h"
#include "../../tables/tsv.h"

static struct tsv transitions, errors;

static const char *const qps_words[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const wc_words[] = GLASS_WORDS(GLASS_WC_STATUSES);
static const char *const ev_words[] = GLASS_WORDS(GLASS_EVENTS);
static const char *const cause_words[] = GLASS_WORDS(GLASS_CAUSES);

/* ---- transitions */

static const struct {
	const char *name;
	u32 bit;
} bits[] = {
#define B(n) { #n, GLASS_QPA_##n }
	B(CUR_STATE), B(EN_SQD_ASYNC_NOTIFY), B(ACCESS_FLAGS), B(PKEY_INDEX), B(PORT), B(QKEY),
	B(AV), B(PATH_MTU), B(TIMEOUT), B(RETRY_CNT), B(RNR_RETRY), B(RQ_PSN),
	B(MAX_QP_RD_ATOMIC), B(ALT_PATH), B(MIN_RNR_TIMER), B(SQ_PSN), B(MAX_DEST_RD_ATOMIC),
	B(PATH_MIG_STATE), B(CAP), B(DEST_QPN),
#undef B
};

static u32 mask_of(const char *s)
{
	u32 mask = 0;

	while (strcmp(s, "-") && *s) {
		size_t n = strcspn(s, ",");
		u32 i = 0;

		while (i < ARRAY_SIZE(bits) &&
		       (strlen(bits[i].name) != n || strncmp(bits[i].name, s, n)))
			i++;
		assert_true(i < ARRAY_SIZE(bits));
		mask |= bits[i].bit;
		s += n + (s[n] == ',');
	}
	return mask;
}

static int state_of(const char *word)
{
	int i = 0;

	while (i < GLASS_QPS_COUNT && strcmp(qps_words[i], word))
		i++;
	assert_true(i < GLASS_QPS_COUNT);
	return i;
}

static int check(const struct glass_pqp *q, int to, u32 mask)
{
	struct glass_qp_attr a = { .state = to, .cur_state = q->state, .mtu = 1024, .port = 1, .av.dlid = 5, .alt.dlid = 6 };
	u32 bad;

	return glass_pqp_check_modify(q, &a, mask, &bad);
}

static void test_transitions(void **state)
{
	int seen[GLASS_QPT_COUNT][GLASS_QPS_COUNT][GLASS_QPS_COUNT] = {};

	(void)state;
	for (int r = 0; r < transitions.nrows; r++) {
		const char *type = tsv_get(&transitions, r, "type");
		u32 req = mask_of(tsv_get(&transitions, r, "required"));
		u32 opt = mask_of(tsv_get(&transitions, r, "optional"));
		bool yes = !strcmp(tsv_get(&transitions, r, "verdict"), "yes");
		int to = state_of(tsv_get(&transitions, r, "to"));
		struct glass_pqp q = {
			.type = !strcmp(type, "rc") ? GLASS_QPT_RC :
				!strcmp(type, "uc") ? GLASS_QPT_UC : GLASS_QPT_UD,
			.state = state_of(tsv_get(&transitions, r, "from")),
		};

		/* RC is never in SQE; it could be left by RESET and ERR all the same */
		if (!strcmp(tsv_get(&transitions, r, "verdict"), "never"))
			yes = to == GLASS_QPS_RESET || to == GLASS_QPS_ERR;
		seen[q.type][q.state][to]++;
		if (check(&q, to, GLASS_QPA_STATE | req) != (yes ? 0 : -EINVAL))
			fail_msg("line %d", transitions.line[r]);
		for (u32 i = 0; i < ARRAY_SIZE(bits); i++) {
			u32 bit = bits[i].bit;
			bool ok = yes && (opt & bit) && !(req & bit);

			if (check(&q, to, GLASS_QPA_STATE | (req ^ bit)) != (ok ? 0 : -EINVAL))
				fail_msg("line %d, %s", transitions.line[r], bits[i].name);
		}
		if (yes)
			assert_int_equal(check(&q, to, GLASS_QPA_STATE | req | opt), 0);
	}
	for (int t = GLASS_QPT_RC; t <= GLASS_QPT_UD; t++)
		for (int f = 0; f < GLASS_QPS_COUNT; f++)
			for (int to = 0; to < GLASS_QPS_COUNT; to++)
				assert_int_equal(seen[t][f][to], 1);
}

/* ---- errors */

/* What one packet, or two, are made into; 0xff: as it is, or none */
struct forged {
	const char *name;
	enum glass_qp_type type;
	u8 tr, first, second;
	s32 dlen1, dlen2;
	u32 dma_len; /* 0: what fits */
	void (*run)(struct pe_pair *p);
};

static void behind(struct pe_pair *p)
{
	post(&p->a, GLASS_OP_SEND, 2, 8);
	post(&p->a, GLASS_OP_SEND, 3, 8);
}

static void set_len(struct pe_wire *w, u32 len)
{
	w->pkt.len = len;
	w->pkt.nseg = len ? 1 : 0;
	w->seg.len = len;
}

/* A request of one or two packets, opcodes and lengths changed on the way */
static void forge_request(struct pe_pair *p, const struct forged *f)
{
	static struct pe_wire w, x;
	bool two = f->second != 0xff;
	bool ud = f->type == GLASS_QPT_UD;

	post(&p->a, ud ? GLASS_OP_SEND : GLASS_OP_WRITE, 1, two ? 2048 : 1024);
	pull_a(p, &w);
	if (two)
		pull_a(p, &x);
	behind(p);
	w.pkt.opcode = f->first | f->tr;
	w.pkt.dma_len = f->dma_len ? f->dma_len : two ? 2048 : 1024;
	set_len(&w, 1024 + f->dlen1);
	give_b(p, &w);
	if (!two)
		return;
	/* the first is all right */
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	x.pkt.opcode = f->second | f->tr;
	x.pkt.va = w.pkt.va;
	x.pkt.rkey = w.pkt.rkey;
	x.pkt.dma_len = 1024;
	set_len(&x, 1024 + f->dlen2);
	give_b(p, &x);
}

/* One SEND on its way */
static struct pe_wire *first_send(struct pe_pair *p)
{
	static struct pe_wire w;

	post(&p->a, GLASS_OP_SEND, 1, 8);
	pull_a(p, &w);
	return &w;
}

static void uc_opcode(struct pe_pair *p)
{
	struct pe_wire *w = first_send(p);

	behind(p);
	w->pkt.opcode |= GLASS_TR_UC;
	give_b(p, w);
}

static void other_source(struct pe_pair *p)
{
	struct pe_wire *w = first_send(p);

	behind(p);
	w->pkt.slid ^= 0x40;
	give_b(p, w);
}

static void duplicate(struct pe_pair *p)
{
	struct pe_wire *w = first_send(p);

	give_b(p, w);
	give_b(p, w);
	pe_settle(p);
	give_b(p, w);
	behind(p);
}

static void hole(struct pe_pair *p)
{
	first_send(p);
	behind(p);
}

/* B's ACK of a SEND, changed on its way; `lost`: it does not arrive unchanged */
static struct pe_wire *ack_of_send(struct pe_pair *p)
{
	static struct pe_wire a;

	give_b(p, first_send(p));
	assert_true(pe_pull(&p->b, &a, p->now));
	assert_int_equal(a.pkt.opcode, GLASS_BOP_ACK);
	return &a;
}

static void ack_of_unsent(struct pe_pair *p)
{
	struct pe_wire *a = ack_of_send(p), good = *a;

	a->pkt.psn = glass_psn_add(a->pkt.psn, 1);
	give_a(p, a);
	expect_none(&p->a);
	give_a(p, &good);
	behind(p);
}

static void ack_with_payload(struct pe_pair *p)
{
	struct pe_wire *a = ack_of_send(p);

	set_len(a, 4);
	give_a(p, a);
	expect_none(&p->a);
	behind(p);
}

static void with_syndrome(struct pe_pair *p, u8 syndrome)
{
	struct pe_wire *a = ack_of_send(p);

	a->pkt.syndrome = syndrome;
	give_a(p, a);
	behind(p);
}

static void reserved_syndrome(struct pe_pair *p) { with_syndrome(p, 0x40); }
static void reserved_nak(struct pe_pair *p) { with_syndrome(p, GLASS_AETH_NAK | 5); }

static void late_nak(struct pe_pair *p)
{
	struct pe_wire *a = ack_of_send(p);

	give_a(p, a);
	a->pkt.syndrome = GLASS_AETH_NAK | GLASS_NAK_REM_ACCESS;
	give_a(p, a);
	behind(p);
}

/* The first packet of the answer to a READ (a WRITE), for a change on its way */
static struct pe_wire *answer(struct pe_pair *p, enum glass_wr_op op)
{
	static struct pe_wire w;

	post(&p->a, op, 1, 2000);
	pull_a(p, &w);
	give_b(p, &w);
	if (op == GLASS_OP_WRITE) {
		pull_a(p, &w);
		give_b(p, &w);
	}
	assert_true(pe_pull(&p->b, &w, p->now));
	behind(p);
	return &w;
}

static void short_answer(struct pe_pair *p)
{
	struct pe_wire *w = answer(p, GLASS_OP_READ);

	set_len(w, 1000);
	give_a(p, w);
}

static void wrong_answer(struct pe_pair *p)
{
	struct pe_wire *w = answer(p, GLASS_OP_READ);

	w->pkt.opcode = GLASS_BOP_READ_RESP_LAST;
	give_a(p, w);
}

static void atomic_answer(struct pe_pair *p)
{
	struct pe_wire *w = answer(p, GLASS_OP_READ);

	w->pkt.opcode = GLASS_BOP_ATOMIC_ACK;
	set_len(w, 0);
	give_a(p, w);
}

static void data_for_write(struct pe_pair *p)
{
	struct pe_wire *w = answer(p, GLASS_OP_WRITE);

	w->pkt.opcode = GLASS_BOP_READ_RESP_ONLY;
	give_a(p, w);
}

static void nak_in_answer(struct pe_pair *p)
{
	struct pe_wire *w = answer(p, GLASS_OP_READ);

	w->pkt.syndrome = GLASS_AETH_NAK;
	give_a(p, w);
}

static void nak_for_write(struct pe_pair *p, u8 code)
{
	struct pe_wire *w = answer(p, GLASS_OP_WRITE);

	w->pkt.syndrome = GLASS_AETH_NAK | code;
	give_a(p, w);
}

static void nak_inv_rd(struct pe_pair *p) { nak_for_write(p, GLASS_NAK_INV_RD_REQ); }
static void nak_access(struct pe_pair *p) { nak_for_write(p, GLASS_NAK_REM_ACCESS); }

static void read_memory_gone(struct pe_pair *p)
{
	static struct pe_wire w;

	post(&p->a, GLASS_OP_READ, 1, 5000);
	pull_a(p, &w);
	behind(p);
	give_b(p, &w);
	assert_true(pe_pull(&p->b, &w, p->now));
	give_a(p, &w);
	pe_mr_del(pe_mr_find(&p->b, DST));
}

#define REQ(n, first, second, dlen1, dlen2, ...)                                                   \
	{ "forged_rc_" n, GLASS_QPT_RC, 0, GLASS_BOP_##first, second, dlen1, dlen2, __VA_ARGS__ }
#define RUN(n, f) { .name = "forged_rc_" n, .type = GLASS_QPT_RC, .run = f }

static const struct forged cases[] = {
	{ "forged_rc_reserved_opcode", GLASS_QPT_RC, 0, 0x1f, 0xff, 0, 0, 0, NULL },
	REQ("middle_alone", SEND_MIDDLE, 0xff, 0, 0, 0, NULL),
	REQ("last_alone", SEND_LAST, 0xff, 0, 0, 0, NULL),
	REQ("write_middle_alone", WRITE_MIDDLE, 0xff, 0, 0, 0, NULL),
	REQ("first_in_message", SEND_FIRST, GLASS_BOP_SEND_FIRST, 0, 0, 0, NULL),
	REQ("only_in_message", SEND_FIRST, GLASS_BOP_SEND_ONLY, 0, 0, 0, NULL),
	REQ("read_in_message", SEND_FIRST, GLASS_BOP_READ_REQ, 0, -1024, 0, NULL),
	REQ("other_kind", SEND_FIRST, GLASS_BOP_WRITE_MIDDLE, 0, 0, 0, NULL),
	REQ("short_first", SEND_FIRST, 0xff, -1, 0, 0, NULL),
	REQ("long_only", SEND_ONLY, 0xff, 1, 0, 0, NULL),
	REQ("empty_last", SEND_FIRST, GLASS_BOP_SEND_LAST, 0, -1024, 0, NULL),
	REQ("long_last", SEND_FIRST, GLASS_BOP_SEND_LAST, 0, 1, 0, NULL),
	REQ("write_less", WRITE_ONLY, 0xff, -1, 0, 0, NULL),
	REQ("write_last_less", WRITE_FIRST, GLASS_BOP_WRITE_LAST, 0, -1, 0, NULL),
	REQ("write_too_long", WRITE_FIRST, 0xff, 0, 0, GLASS_MSG_MAX + 1, NULL),
	REQ("read_too_long", READ_REQ, 0xff, -1024, 0, GLASS_MSG_MAX + 1, NULL),
	REQ("read_with_payload", READ_REQ, 0xff, 0, 0, 0, NULL),
	REQ("atomic_with_payload", FETCH_ADD, 0xff, 0, 0, 0, NULL),
	RUN("uc_opcode", uc_opcode),
	RUN("other_source", other_source),
	RUN("duplicate", duplicate),
	RUN("hole", hole),
	RUN("ack_of_unsent", ack_of_unsent),
	RUN("ack_with_payload", ack_with_payload),
	RUN("reserved_syndrome", reserved_syndrome),
	RUN("reserved_nak", reserved_nak),
	RUN("late_nak", late_nak),
	RUN("short_answer", short_answer),
	RUN("wrong_answer", wrong_answer),
	RUN("atomic_answer", atomic_answer),
	RUN("data_for_write", data_for_write),
	RUN("nak_in_answer", nak_in_answer),
	RUN("nak_inv_rd", nak_inv_rd),
	RUN("nak_access", nak_access),
	RUN("read_memory_gone", read_memory_gone),
	{ "forged_uc_read_request", GLASS_QPT_UC, GLASS_TR_UC, GLASS_BOP_READ_REQ, 0xff, -1024, 0, 0, NULL },
	{ "forged_uc_reserved_opcode", GLASS_QPT_UC, GLASS_TR_UC, 0x1f, 0xff, 0, 0, 0, NULL },
	{ "forged_uc_rc_opcode", GLASS_QPT_UC, GLASS_TR_RC, GLASS_BOP_SEND_ONLY, 0xff, 0, 0, 0, NULL },
	{ "forged_uc_middle_alone", GLASS_QPT_UC, GLASS_TR_UC, GLASS_BOP_SEND_MIDDLE, 0xff, 0, 0, 0, NULL },
	{ "forged_uc_long_only", GLASS_QPT_UC, GLASS_TR_UC, GLASS_BOP_SEND_ONLY, 0xff, 1, 0, 0, NULL },
	{ "forged_uc_first_in_message", GLASS_QPT_UC, GLASS_TR_UC, GLASS_BOP_SEND_FIRST, 0xff, 0, 0, 0, NULL },
	{ "forged_uc_write_less", GLASS_QPT_UC, GLASS_TR_UC, GLASS_BOP_WRITE_ONLY, 0xff, -1, 0, 0, NULL },
	{ "forged_ud_send_first", GLASS_QPT_UD, GLASS_TR_UD, GLASS_BOP_SEND_FIRST, 0xff, 0, 0, 0, NULL },
	{ "forged_ud_rc_opcode", GLASS_QPT_UD, GLASS_TR_RC, GLASS_BOP_SEND_ONLY, 0xff, 0, 0, 0, NULL },
	{ "forged_ud_long", GLASS_QPT_UD, GLASS_TR_UD, GLASS_BOP_SEND_ONLY, 0xff, 1, 0, 0, NULL },
};

static u32 wrong;

static void compare(int row, const char *col, const char *is)
{
	const char *want = tsv_get(&errors, row, col);

	if (tsv_fits(want, is))
		return;
	wrong++;
	print_error("%s (line %d): %s is %s, not %s\n", tsv_get(&errors, row, "case"),
		    errors.line[row], col, *is ? is : "-", want);
}

static void compare_side(int row, const char *side, struct pe_ep *ep)
{
	char sq[400] = "", rq[400] = "", events[400] = "", vendor[80] = "", word[80], col[20];
	u64 next_send = 1, next_recv = ep->peer && side[2] == 'q' ? 11 : 21;
	const struct glass_cqe *c;

	while ((c = pe_cqe(ep))) {
		char *to = c->is_send ? sq : rq;

		/* in order, none left out */
		if (c->wr_id != (c->is_send ? next_send++ : next_recv++)) {
			wrong++;
			print_error("%s: %s_ completion of %u out of order\n",
				    tsv_get(&errors, row, "case"), side, (u32)c->wr_id);
		}
		strcat(strcat(to, wc_words[c->status]), ",");
		if (c->status != GLASS_WC_SUCCESS && c->status != GLASS_WC_WR_FLUSH_ERR && !vendor[0])
			snprintf(vendor, sizeof(vendor), "%s/0x%02x,", cause_words[c->cause], c->syndrome);
	}
	for (u32 i = 0; i < GLASS_EV_COUNT; i++)
		for (u32 n = 0; n < ep->events[i]; n++)
			strcat(strcat(events, ev_words[i]), ",");
	snprintf(word, sizeof(word), "%s,", qps_words[ep->q.state]);
#define CMP(what, is)                                                                              \
	snprintf(col, sizeof(col), "%s_" what, side);                                              \
	compare(row, col, is)
	CMP("sq", sq);
	CMP("rq", rq);
	CMP("state", word);
	CMP("events", events);
	CMP("vendor", vendor);
#undef CMP
}

static void test_forged_rows(void **state)
{
	u32 rows = 0;

	(void)state;
	for (int r = 0; r < errors.nrows; r++) {
		const char *name = tsv_get(&errors, r, "case");
		const struct forged *f = cases;
		struct pe_pair *p;

		if (strcmp(tsv_get(&errors, r, "reach"), "forged"))
			continue;
		rows++;
		while (f < cases + ARRAY_SIZE(cases) && strcmp(f->name, name))
			f++;
		if (f == cases + ARRAY_SIZE(cases)) {
			wrong++;
			print_error("nothing tries %s\n", name);
			continue;
		}
		p = make_type(f->type, false);
		for (u32 i = 0; i < 2; i++)
			recv_(&p->a, 11 + i, 4096);
		for (u32 i = 0; i < 3; i++)
			recv_(&p->b, 21 + i, 4096);
		if (f->run)
			f->run(p);
		else
			forge_request(p, f);
		pe_run(p, ~0ULL - 1);
		compare_side(r, "req", &p->a);
		compare_side(r, "resp", &p->b);
		assert_int_equal(p->a.refs + p->b.refs, 0);
		if (p->a.q.state == GLASS_QPS_ERR)
			assert_false(glass_pqp_has_work(&p->a.q, p->now));
		pe_pair_free(p);
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(rows, ARRAY_SIZE(cases));
}

/* The tests that the table names are there. */
static void test_named_tests(void **state)
{
	char *sources = calloc(1, 1), want[120];
	size_t len = 0;
	glob_t g;

	(void)state;
	assert_int_equal(glob("proto/test_proto_*.c", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");
		size_t n;

		assert_non_null(f);
		do {
			sources = realloc(sources, len + 65537);
			n = fread(sources + len, 1, 65536, f);
			len += n;
			sources[len] = 0;
		} while (n);
		fclose(f);
	}
	globfree(&g);
	for (int r = 0; r < errors.nrows; r++) {
		const char *s = tsv_get(&errors, r, "unit");

		while (strcmp(s, "-") && *s) {
			size_t n = strcspn(s, ", ");

			snprintf(want, sizeof(want), "cmocka_unit_test(%.*s)", (int)n, s);
			if (!strstr(sources, want))
				fail_msg("line %d: there is no %.*s", errors.line[r], (int)n, s);
			s += n + strspn(s + n, ", ");
		}
	}
	free(sources);
}

static int read_tables(void **state)
{
	(void)state;
	tsv_read(&transitions, "../tables/transitions.tsv");
	tsv_read(&errors, "../tables/errors.tsv");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transitions),
		cmocka_unit_test(test_forged_rows),
		cmocka_unit_test(test_named_tests),
	};

	return cmocka_run_group_tests_name("proto_table", tests, read_tables, NULL);
}
