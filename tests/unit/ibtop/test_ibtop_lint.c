// SPDX-License-Identifier: GPL-2.0-only
/* ibtop's view of lint findings, and what explains them. */
#define _GNU_SOURCE
#include "ibtop_fake.h"

#include "uapi/glass-lint.h"

#define FINDINGS "debug/glass/glass0/lint/findings"
#define HEADER	 FAKE_HEADER("lint", GLASS_COLUMNS_LINT)
#define SHORT_RECV                                                                                 \
	"3 GL012 error qp 17 312 ib_send_bw glass1:0x11 311 ib_send_bw 4 1000 2000 1024 512 "      \
	"RECV%20of%20512%20bytes 3 - -\n"
#define STALE	  "4 GL021 error qp 17 312 ib_send_bw - - - 1 1000 1000 4660 - stale 3 - -\n"
#define SMALL_CQ  "7 GL001 warning cq 17 313 other - - - 1 900 900 16 32 CQ%20of%2016 3 - -\n"
#define NO_OBJECT "9 GL051 error device - 313 other - - - 1 900 900 16 32 memlock - - -\n"

static void refresh(struct fake *f)
{
	assert_true(model_refresh(f->m));
}

static void begin(struct fake *f, const char *findings)
{
	fake_write(f, "debug/glass/glass0/qp", "# glass 1 qp: qpn state pid comm\n0x11 rts 312 ib_send_bw\n"
					       "0x12 rts 312 ib_send_bw\n");
	fake_write(f, "debug/glass/glass0/cq", "# glass 1 cq: cqn pid comm\n17 313 other\n");
	fake_dir(f, "debug/glass/glass0/lint");
	fake_write(f, FINDINGS, findings);
	fake_open(f);
	refresh(f);
}

static void test_findings(void **state)
{
	struct fake *f = *state;
	const struct row *row;

	begin(f, HEADER SHORT_RECV NO_OBJECT "# lost 12\n");
	assert_null(view_missing(f->m, VIEW_LINT));
	assert_int_equal(view_count(f->m, VIEW_LINT), 2);
	row = fake_row(f, VIEW_LINT, 0);
	assert_string_equal(fake_text(f, row, "dev"), "glass0");
	assert_string_equal(fake_text(f, row, "code"), "GL012");
	assert_string_equal(fake_text(f, row, "severity"), "error");
	assert_string_equal(fake_text(f, row, "kind"), "qp");
	assert_string_equal(fake_text(f, row, "num"), "17");
	assert_string_equal(fake_text(f, row, "pid"), "312");
	assert_string_equal(fake_text(f, row, "comm"), "ib_send_bw");
	assert_string_equal(fake_text(f, row, "count"), "4");
	assert_string_equal(fake_text(f, row, "text"), "RECV of 512 bytes");
	assert_string_equal(fake_text(f, row, "peer"), "glass1:0x11");
	assert_non_null(strstr(fake_text(f, row, "advice"), "longest message"));
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_LINT, 1), "num").state, CELL_NONE);
	/* a code that is newer than this ibtop */
	fake_write(f, FINDINGS, HEADER "5 GL999 error qp 17 312 x - - - 1 1 1 - - t - - -\n");
	refresh(f);
	row = fake_row(f, VIEW_LINT, 0);
	assert_string_equal(fake_text(f, row, "code"), "GL999");
	assert_int_equal(fake_cell(f, row, "advice").state, CELL_NONE);
	/* none at all is not the same as not known */
	fake_write(f, FINDINGS, HEADER);
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_LINT), 0);
	assert_null(view_missing(f->m, VIEW_LINT));
}

/* A finding is the same in the next refresh, whatever comes before it. */
static void test_identity(void **state)
{
	struct fake *f = *state;

	begin(f, HEADER SHORT_RECV STALE);
	refresh(f);
	fake_write(f, FINDINGS, HEADER STALE SMALL_CQ);
	refresh(f);
	assert_int_equal(fake_row(f, VIEW_LINT, 0)->flags & ROW_NEW, 0);
	assert_int_equal(fake_row(f, VIEW_LINT, 1)->flags & ROW_NEW, ROW_NEW);
}

/* What the explain key runs for it; "": a notice */
static const char *explain(struct fake *f, const struct row *row)
{
	static char text[1000];

	return row_command(f->m, row, ACTION_EXPLAIN, text, sizeof(text)) ? text : "";
}

static const struct row *process(struct fake *f, uint64_t pid)
{
	size_t i;

	for (i = 0; i < f->m->now->tables[VIEW_PROCESS].count; i++)
		if (fake_cell(f, fake_row(f, VIEW_PROCESS, i), "pid").num == pid)
			return fake_row(f, VIEW_PROCESS, i);
	fail_msg("no process %d", (int)pid);
	return NULL;
}

static void test_explain(void **state)
{
	struct fake *f = *state;

	begin(f, HEADER SHORT_RECV STALE SHORT_RECV SMALL_CQ NO_OBJECT);
	assert_string_equal(explain(f, fake_row(f, VIEW_QP, 0)), "iblint --explain GL012,GL021");
	assert_string_equal(explain(f, fake_row(f, VIEW_QP, 1)), "");
	assert_string_equal(explain(f, fake_row(f, VIEW_CQ, 0)), "iblint --explain GL001");
	assert_string_equal(explain(f, fake_row(f, VIEW_LINT, 1)), "iblint --explain GL021");
	assert_string_equal(explain(f, process(f, 313)), "iblint --explain GL001,GL051");
	assert_string_equal(explain(f, fake_row(f, VIEW_DEVICE, 0)),
			    "iblint --explain GL012,GL021,GL001,GL051");
}

/* What is no code never comes into a command. */
static void test_hostile(void **state)
{
	struct fake *f = *state;

	begin(f, HEADER "1 GL0;id error qp 17 312 x - - - 1 1 1 - - t - - -\n2 %3bid%23x error qp 17 312 x - - - 1 1 1 - - t - - -\n");
	assert_int_equal(view_count(f->m, VIEW_LINT), 2);
	assert_string_equal(explain(f, fake_row(f, VIEW_QP, 0)), "");
	assert_string_equal(explain(f, fake_row(f, VIEW_LINT, 0)), "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
	static const struct CMUnitTest tests[] = {
		T(test_findings),
		T(test_identity),
		T(test_explain),
		T(test_hostile),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
