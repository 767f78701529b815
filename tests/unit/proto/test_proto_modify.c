// SPDX-License-Identifier: GPL-2.0-only
/*
 * The QP state machine: every transition with every mask bit, against a table
 * written down here once more, and the ranges of the attributes.
 */
#include "harness.h"
#include "proto_env.h"

/* What is required (upper case) and allowed (lower case), a letter a mask bit */
static const struct {
	char letter;
	u32 bit;
} letters[] = {
	{ 'c', GLASS_QPA_CUR_STATE }, { 'e', GLASS_QPA_EN_SQD_ASYNC_NOTIFY },
	{ 'a', GLASS_QPA_ACCESS_FLAGS }, { 'k', GLASS_QPA_PKEY_INDEX }, { 'p', GLASS_QPA_PORT },
	{ 'q', GLASS_QPA_QKEY }, { 'v', GLASS_QPA_AV }, { 'm', GLASS_QPA_PATH_MTU },
	{ 't', GLASS_QPA_TIMEOUT }, { 'r', GLASS_QPA_RETRY_CNT }, { 'n', GLASS_QPA_RNR_RETRY },
	{ 'y', GLASS_QPA_RQ_PSN }, { 'i', GLASS_QPA_MAX_QP_RD_ATOMIC },
	{ 'l', GLASS_QPA_ALT_PATH }, { 'o', GLASS_QPA_MIN_RNR_TIMER },
	{ 'z', GLASS_QPA_SQ_PSN }, { 'd', GLASS_QPA_MAX_DEST_RD_ATOMIC },
	{ 'g', GLASS_QPA_PATH_MIG_STATE }, { 'C', GLASS_QPA_CAP }, { 'b', GLASS_QPA_DEST_QPN },
};

/* [from][to] of { RC, UC, UD, GSI and SMI, XRC initiator, XRC target }; NULL: no such transition */
static const char *const table[GLASS_QPS_COUNT][GLASS_QPS_COUNT][6] = {
	[GLASS_QPS_RESET] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_INIT] = { "KPA", "KPA", "KPQ", "KQ", "KPA", "KPA" },
	},
	[GLASS_QPS_INIT] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
		[GLASS_QPS_INIT] = { "kpa", "kpa", "kpq", "kq", "kpa", "kpa" },
		[GLASS_QPS_RTR] = { "VMBYDOakl", "VMBYakl", "kq", "kq", "VMBYakl", "VMBYDOakl" },
	},
	[GLASS_QPS_RTR] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
		[GLASS_QPS_RTS] = { "TRNZIcaogl", "Zcagl", "Zcq", "Zcq", "TRNZIcagl", "TZcaogl" },
	},
	[GLASS_QPS_RTS] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
		[GLASS_QPS_RTS] = { "cagol", "cagl", "cq", "cq", "cagl", "cagol" },
		[GLASS_QPS_SQD] = { "e", "e", "e", "e", "e", "e" },
	},
	[GLASS_QPS_SQD] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
		[GLASS_QPS_RTS] = { "caogl", "cagl", "cq", "cq", "cagl", "caogl" },
		[GLASS_QPS_SQD] = { "pvtrnidakogl", "pvakgl", "kq", "kq", "pvtrniakgl", "pvtdakogl" },
	},
	[GLASS_QPS_SQE] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
		[GLASS_QPS_RTS] = { NULL, "ca", "cq", "cq", NULL, NULL },
	},
	[GLASS_QPS_ERR] = {
		[GLASS_QPS_RESET] = { "", "", "", "", "", "" },
		[GLASS_QPS_ERR] = { "", "", "", "", "", "" },
	},
};

static const u8 column[] = {
	[GLASS_QPT_SMI] = 3, [GLASS_QPT_GSI] = 3, [GLASS_QPT_RC] = 0, [GLASS_QPT_UC] = 1,
	[GLASS_QPT_UD] = 2, [GLASS_QPT_XRC_INI] = 4, [GLASS_QPT_XRC_TGT] = 5,
};

#define TYPE(n, w, v) GLASS_QPT_##n,
static const u8 types[] = { GLASS_QP_TYPES(TYPE) };

static void masks(const char *s, u32 *req, u32 *opt)
{
	*req = 0;
	*opt = 0;
	for (; *s; s++) {
		for (u32 i = 0; i < ARRAY_SIZE(letters); i++) {
			if (letters[i].letter == *s)
				*opt |= letters[i].bit;
			else if (letters[i].letter == *s + 'a' - 'A')
				*req |= letters[i].bit;
		}
	}
}

static struct glass_qp_attr good(enum glass_qp_state cur, enum glass_qp_state to)
{
	return (struct glass_qp_attr){
		.state = to, .cur_state = cur, .mtu = 1024, .port = 1, .av.dlid = 5, .alt.dlid = 6,
	};
}

static void test_table(void **state)
{
	(void)state;
	for (u32 t = 0; t < ARRAY_SIZE(types); t++) {
		enum glass_qp_type type = types[t];

		for (int from = 0; from < GLASS_QPS_COUNT; from++) {
			for (int to = 0; to < GLASS_QPS_COUNT; to++) {
				const char *s = table[from][to][column[type]];
				struct glass_pqp q = { .type = type, .state = from };
				struct glass_qp_attr a = good(from, to);
				u32 req, opt, bad = 99;
				int ret;

				if (!s) {
					ret = glass_pqp_check_modify(&q, &a, GLASS_QPA_STATE, &bad);
					assert_int_equal(ret, -EINVAL);
					assert_int_equal(bad, 0);
					continue;
				}
				masks(s, &req, &opt);
				ret = glass_pqp_check_modify(&q, &a, GLASS_QPA_STATE | req, &bad);
				assert_int_equal(ret, 0);
				ret = glass_pqp_check_modify(&q, &a, GLASS_QPA_STATE | req | opt,
							     &bad);
				assert_int_equal(ret, 0);
				for (u32 i = 1; i < 32; i++) {
					u32 bit = 1u << i;
					u32 m = GLASS_QPA_STATE | (req ^ (opt & bit ? 0 : bit));

					if (opt & bit) {
						m |= bit;
						ret = glass_pqp_check_modify(&q, &a, m, &bad);
						assert_int_equal(ret, 0);
					} else {
						ret = glass_pqp_check_modify(&q, &a, m, &bad);
						assert_int_equal(ret, -EINVAL);
						assert_int_equal(bad, bit);
					}
				}
				/* without the state bit it stays where it is */
				if (from == to) {
					ret = glass_pqp_check_modify(&q, &a, req, &bad);
					assert_int_equal(ret, 0);
				}
			}
		}
	}
}

/* Lesson 9: the current state that the program names is not trusted. */
static void test_cur_state(void **state)
{
	struct glass_pqp q = { .type = GLASS_QPT_UD, .state = GLASS_QPS_SQD };
	struct glass_qp_attr a = good(GLASS_QPS_SQE, GLASS_QPS_RTS);
	u32 bad;

	(void)state;
	assert_int_equal(glass_pqp_check_modify(&q, &a, GLASS_QPA_STATE | GLASS_QPA_CUR_STATE,
						&bad), -EINVAL);
	assert_int_equal(bad, GLASS_QPA_CUR_STATE);
	a.state = 99;
	assert_int_equal(glass_pqp_check_modify(&q, &a, GLASS_QPA_STATE, &bad), -EINVAL);
}

#define RTR_MASK (GLASS_QPA_STATE | GLASS_QPA_AV | GLASS_QPA_PATH_MTU | GLASS_QPA_DEST_QPN | \
		  GLASS_QPA_RQ_PSN | GLASS_QPA_MAX_DEST_RD_ATOMIC | GLASS_QPA_MIN_RNR_TIMER)
#define RTS_MASK (GLASS_QPA_STATE | GLASS_QPA_TIMEOUT | GLASS_QPA_RETRY_CNT | \
		  GLASS_QPA_RNR_RETRY | GLASS_QPA_SQ_PSN | GLASS_QPA_MAX_QP_RD_ATOMIC)

static void range(enum glass_qp_state from, const struct glass_qp_attr *a, u32 mask, u32 expect)
{
	struct glass_pqp q = { .type = GLASS_QPT_RC, .state = from };
	u32 bad = 0;
	int ret = glass_pqp_check_modify(&q, a, mask, &bad);

	assert_int_equal(ret, expect ? -EINVAL : 0);
	if (expect)
		assert_int_equal(bad, expect);
}

#define TRY(from, to, mask, field, value, expect)                                                  \
	do {                                                                                       \
		struct glass_qp_attr a_ = good(from, to);                                          \
		a_.field = (value);                                                                \
		range(from, &a_, mask, expect);                                                    \
	} while (0)
#define RTR(field, value, expect)                                                                  \
	TRY(GLASS_QPS_INIT, GLASS_QPS_RTR, RTR_MASK, field, value, expect)
#define RTS(field, value, expect)                                                                  \
	TRY(GLASS_QPS_RTR, GLASS_QPS_RTS, RTS_MASK, field, value, expect)

static void test_ranges(void **state)
{
	(void)state;
	for (u32 mtu = 0; mtu < 65536; mtu++)
		RTR(mtu, mtu, mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 ||
		    mtu == 4096 ? 0 : GLASS_QPA_PATH_MTU);
	RTR(rq_psn, 0xffffff, 0);
	RTR(rq_psn, 0x1000000, GLASS_QPA_RQ_PSN);
	RTR(dest_qpn, 0xffffff, 0);
	RTR(dest_qpn, 0x1000000, GLASS_QPA_DEST_QPN);
	RTR(min_rnr_timer, 31, 0);
	RTR(min_rnr_timer, 32, GLASS_QPA_MIN_RNR_TIMER);
	RTR(max_dest_rd_atomic, 128, 0);
	RTR(max_dest_rd_atomic, 129, GLASS_QPA_MAX_DEST_RD_ATOMIC);
	RTR(av.sl, 15, 0);
	RTR(av.sl, 16, GLASS_QPA_AV);
	RTR(av.dlid, 0xbfff, 0);
	RTR(av.dlid, 0xc000, GLASS_QPA_AV);
	RTR(av.dlid, 0xffff, GLASS_QPA_AV);
	RTR(av.dlid, 0, GLASS_QPA_AV);
	RTS(timeout, 31, 0);
	RTS(timeout, 32, GLASS_QPA_TIMEOUT);
	RTS(retry_cnt, 7, 0);
	RTS(retry_cnt, 8, GLASS_QPA_RETRY_CNT);
	RTS(rnr_retry, 7, 0);
	RTS(rnr_retry, 8, GLASS_QPA_RNR_RETRY);
	RTS(sq_psn, 0xffffff, 0);
	RTS(sq_psn, 0x1000000, GLASS_QPA_SQ_PSN);
	RTS(max_rd_atomic, 128, 0);
	RTS(max_rd_atomic, 129, GLASS_QPA_MAX_QP_RD_ATOMIC);
}

/* What is not in the mask is not changed; a refused modify changes nothing. */
static void test_apply(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p = pe_pair_new(&cfg);
	struct glass_qp_attr old = p->a.q.attr, a;

	(void)state;
	memset(&a, 0x7f, sizeof(a));
	a.state = GLASS_QPS_RTS;
	a.min_rnr_timer = 5;
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE | GLASS_QPA_MIN_RNR_TIMER,
					  7), 0);
	old.min_rnr_timer = 5;
	assert_memory_equal(&old, &p->a.q.attr, sizeof(old));
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE | GLASS_QPA_QKEY, 7),
			 -EINVAL);
	assert_memory_equal(&old, &p->a.q.attr, sizeof(old));
	assert_int_equal(p->a.q.attr.state, GLASS_QPS_RTS);
	pe_pair_free(p);
}

/* Each modify is counted, and each change of the state. (Migrations: test_proto_migrate. Errors: test_proto_prop.) */
static void test_changes(void **state)
{
	static const enum glass_qp_state to[] = { GLASS_QPS_RTS, GLASS_QPS_SQD, GLASS_QPS_ERR, GLASS_QPS_RESET, GLASS_QPS_RESET };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p = pe_pair_new(&cfg);
	struct glass_pqp *q = &p->a.q;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(to); i++) {
		struct glass_qp_attr a = { .state = to[i] };
		u64 before = q->changes;

		assert_int_equal(glass_pqp_modify(q, &a, GLASS_QPA_STATE, i), 0);
		assert_int_not_equal(q->changes, before);
		before = q->changes;
		assert_int_equal(glass_pqp_modify(q, &a, GLASS_QPA_STATE | GLASS_QPA_RQ_PSN, i), -EINVAL);
		assert_int_equal(q->changes, before);
	}
	q = &p->b.q;
	for (u64 before = q->changes; q->state != GLASS_QPS_ERR;) {
		glass_pqp_fail(q, GLASS_CAUSE_BAD_RING, GLASS_EV_QP_FATAL, 9);
		assert_int_not_equal(q->changes, before);
	}
	pe_pair_free(p);
}

/* What survives RESET, and what does not */
static void test_reset(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_ep *ep = calloc(1, sizeof(*ep));

	(void)state;
	cfg.type = GLASS_QPT_GSI;
	pe_ep_init(ep, &cfg, 1);
	ep->q.attr.port = 2;
	ep->q.attr.mtu = 2048;
	pe_to_init(ep, &cfg);
	ep->q.req.head = 17;
	assert_int_equal(pe_state(ep, GLASS_QPS_RESET, 0), 0);
	assert_int_equal(ep->q.attr.port, 2);
	assert_int_equal(ep->q.attr.mtu, 2048);
	assert_int_equal(ep->q.attr.qkey, 0);
	assert_int_equal(ep->q.req.tail, 17);
	assert_int_equal(ep->q.req.begun, 17);
	glass_pqp_sq_rewind(&ep->q, 0);
	assert_int_equal(ep->q.req.head + ep->q.req.tail + ep->q.req.cur + ep->q.req.begun, 0);
	pe_ep_free(ep);
	free(ep);
}

static void test_timers(void **state)
{
	(void)state;
	assert_int_equal(glass_ack_timeout_ns(0), 0);
	assert_int_equal(glass_ack_timeout_ns(1), 8192);
	assert_int_equal(glass_ack_timeout_ns(14), 67108864);
	assert_true(glass_ack_timeout_ns(31) == 4096ULL << 31);
	assert_int_equal(glass_rnr_timer_ns(0), 655360000);
	assert_int_equal(glass_rnr_timer_ns(1), 10000);
	assert_int_equal(glass_rnr_timer_ns(12), 640000);
	assert_int_equal(glass_rnr_timer_ns(31), 491520000);
	for (u8 i = 1; i < 31; i++)
		assert_true(glass_rnr_timer_ns(i) < glass_rnr_timer_ns(i + 1));
	/* what is said is a minimum; after eight tries in vain it is longer, but not for ever */
	for (u8 i = 0; i < 32; i++) {
		assert_true(glass_rnr_wait_ns(i, 1) == glass_rnr_timer_ns(i));
		assert_true(glass_rnr_wait_ns(i, 8) == glass_rnr_timer_ns(i));
		for (u32 round = 9; round < 100; round++)
			assert_true(glass_rnr_wait_ns(i, round) >= glass_rnr_timer_ns(i));
	}
	assert_int_equal(glass_rnr_wait_ns(1, 9), 20000);
	assert_int_equal(glass_rnr_wait_ns(1, 12), 160000);
	assert_int_equal(glass_rnr_wait_ns(1, 4000000000u), 64000000);
	assert_int_equal(glass_rnr_wait_ns(0, 4000000000u), 655360000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_cur_state),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_timers),
	};

	return cmocka_run_group_tests_name("proto_modify", tests, NULL, NULL);
}
