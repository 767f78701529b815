// SPDX-License-Identifier: GPL-2.0-only
/* ibtop's verdict on bad tables: that of all tools (bad_tables.h). */
#define _GNU_SOURCE
#include "ibtop_fake.h"

#include "bad_tables.h"

#define QP_FILE	 "debug/glass/glass0/qp"
#define CQ_FILE	 "debug/glass/glass0/cq"
#define FINDINGS "debug/glass/glass0/" TABLE_FILE

/* All messages of the last refresh, a line each */
static const char *messages(const struct fake *f)
{
	static char text[4096];
	const struct message *msgs;
	size_t n = model_messages(f->m, &msgs), i, used = 0;

	*text = 0;
	for (i = 0; i < n; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s: %s\n",
				 msgs[i].dev ? msgs[i].dev : "-", msgs[i].text);
	return text;
}

static void refresh(struct fake *f)
{
	assert_true(model_refresh(f->m));
}

/* Findings have no other source: the good ones are there, and a message says what is bad. */
static void test_bad_tables(void **state)
{
	struct fake *f = *state;
	char path[300];
	size_t i, k;

	fake_dir(f, "debug/glass/glass0/lint");
	snprintf(path, sizeof(path), "%s/" FINDINGS, f->root);
	fake_write(f, FINDINGS, TABLE_HEAD);
	fake_open(f);
	for (i = 0; i < BAD_TABLES; i++) {
		const struct bad_table *b = &bad_tables[i];
		const char *consequence = b->verdict && !strncmp(b->verdict, ":1:", 3)
						  ? "debugfs: not a table that this ibtop can read: " TABLE_FILE
						  : "debugfs: left out: " TABLE_FILE;

		bad_table_write(b, path);
		refresh(f);
		if (view_count(f->m, VIEW_LINT) != b->rows || !bad_table_said(b, messages(f)) ||
		    (b->verdict && !strstr(messages(f), consequence)))
			fail_msg("%s: %zu rows, said: %s", b->about, view_count(f->m, VIEW_LINT),
				 messages(f));
		for (k = 0; k < b->rows; k++)
			assert_int_equal(fake_cell(f, fake_row(f, VIEW_LINT, k), "id").num, k + 1);
		/* not known is not the same as none */
		assert_int_equal(!view_missing(f->m, VIEW_LINT),
				 !b->verdict || !!strncmp(b->verdict, ":1:", 3));
	}
}

/* Objects have: a table with a bad line is not used, nor what other tables of the device say. */
static void test_bad_objects(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{ "# glass 1 qp: qpn comm\n0x11 a\n0x12\n", "qp:3: 1 value for 2 columns" },
		{ "# glass 1 qp: qpn comm\n0x11 a%\n", "qp:2: comm: '%' without two hexadecimal digits, or %00: a%" },
		{ "# glass 1 qp: qpn comm\neleven a\n", "qp:2: qpn is no number: eleven" },
		{ "# glass 1 qp: qpn comm\n- a\n", "qp:2: no value that says which qp it is" },
		{ "# glass 1 qp: qpn tx_bytes_s\n0x11 7\n", "qp:2: tx_bytes_s cannot be: 7" },
		{ "# glass 1 qp: qpn qpn\n0x11 0x11\n", "qp:1: columns 1 and 2 are both called \"qpn\"" },
		{ "", "qp:1: no table: the file is empty" },
	};
	struct fake *f = *state;
	char want[200], *large;
	size_t i;

	fake_write(f, CQ_FILE, "# glass 1 cq: cqn comm\n4 a\n");
	fake_open(f);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		fake_write(f, QP_FILE, "# glass 1 qp: qpn comm\n0x11 a%20b\n");
		refresh(f);
		assert_int_equal(view_count(f->m, VIEW_QP), 1);
		assert_int_equal(view_count(f->m, VIEW_CQ), 1);
		assert_null(strstr(messages(f), "qp:"));
		fake_write(f, QP_FILE, bad[i].text);
		refresh(f);
		assert_int_equal(view_count(f->m, VIEW_QP), 0);
		assert_int_equal(view_count(f->m, VIEW_CQ), 0);
		snprintf(want, sizeof(want), "glass0: debugfs: not a table that this ibtop can read: %s\n",
			 bad[i].said);
		if (!strstr(messages(f), want))
			fail_msg("%s: said: %s", bad[i].text, messages(f));
	}
	/* text that has no place in a cell */
	large = malloc(1200);
	assert_non_null(large);
	strcpy(large, "# glass 1 qp: qpn comm\n0x11 ");
	memset(large + strlen(large), 'x', 1024);
	strcpy(large + strlen("# glass 1 qp: qpn comm\n0x11 ") + 1024, "\n");
	fake_write(f, QP_FILE, large);
	free(large);
	refresh(f);
	assert_non_null(strstr(messages(f), "read: qp:2: comm cannot be: xxxxxxxxxxxxxxxxxxxxxxxx\n"));
}

/* Rules, firings and drops: the good lines are there, and a message says what is bad. */
static void test_bad_lists(void **state)
{
	static const char head[] = FAKE_HEADER("droplog", GLASS_COLUMNS_DROPLOG);
	struct fake *f = *state;
	char text[1000];

	fake_open(f);
	fake_write(f, "debug/glass/glass0/inject/rules", "add name=a act=drop hit=1 eligible=1\nadd name=b act=dr");
	fake_write(f, "debug/glass/glass0/inject/journal", "nothing\nseq=1 time=1 name=a act=drop\n");
	snprintf(text, sizeof(text), "%s1 1 1\n", head);
	fake_write(f, "debug/glass/glass0/droplog", text);
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_INJECT), 1);
	assert_non_null(strstr(messages(f), "glass0: debugfs: left out: inject/rules:2: the file was cut off"));
	assert_non_null(strstr(messages(f), "glass0: debugfs: left out: inject/journal:1: not a line of a journal: it has no seq="));
	assert_non_null(strstr(messages(f), "glass0: debugfs: left out: droplog:2: 3 values for "));
	fake_write(f, "debug/glass/glass0/droplog", "# glass 1 droplog: seq when\n1 1\n");
	refresh(f);
	assert_non_null(strstr(messages(f), "droplog:1: no column \"age\""));
	assert_non_null(strstr(messages(f), "not a table that this ibtop can read: droplog:1"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_bad_tables),
		T(test_bad_objects),
		T(test_bad_lists),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
