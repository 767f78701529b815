// SPDX-License-Identifier: GPL-2.0-only
/* iblint's verdict on bad tables of findings: that of all tools (bad_tables.h). */
#define _GNU_SOURCE
#include "iblint_cli.h"

#include "bad_tables.h"
#include "iblint/finding.h"

/* The findings that iblint takes out of a table; their ids are 1, 2 ... */
static unsigned int findings_of(const struct bad_table *b)
{
	struct debugfs_file file = { 0 };
	struct finding_layout layout;
	struct debugfs_table table;
	unsigned int rows = 0;
	struct finding f;

	assert_int_equal(debugfs_copy(&file, "glass0/" TABLE_FILE, b->text, b->len), 0);
	if (finding_layout(&table, &file, &layout)) {
		while (debugfs_table_next(&table)) {
			if (!finding_parse(&table, &layout, &f))
				continue;
			assert_int_equal(f.id, ++rows);
			finding_free(&f);
		}
	}
	if (!bad_table_said(b, debugfs_error(&file)))
		fail_msg("%s: %s", b->about, debugfs_error(&file));
	debugfs_free(&file);
	return rows;
}

static void test_iblint_bad_tables(void **state)
{
	char path[200];
	size_t i;

	(void)state;
	cli_file("glass0/lint/scope", "");
	cli_file("glass0/" TABLE_FILE, "");
	snprintf(path, sizeof(path), "%s/glass0/" TABLE_FILE, cli_root);
	for (i = 0; i < BAD_TABLES; i++) {
		const struct bad_table *b = &bad_tables[i];
		bool header = b->verdict && !strncmp(b->verdict, ":1:", 3);
		const char *at;
		int status;

		assert_int_equal(findings_of(b), b->rows);
		bad_table_write(b, path);
		status = cli("--no-rcfile", "true", NULL);
		if (status != (header ? 121 : 0) || !bad_table_said(b, cli_said))
			fail_msg("%s: status %d, said: %s", b->about, status, cli_said);
		/* said once, and what follows from it */
		at = strstr(cli_said, TABLE_FILE ":");
		if (b->verdict && (strstr(at + 1, TABLE_FILE ":") ||
				   !strstr(at, header ? "not a table that this iblint can read" : "; left out\n")))
			fail_msg("%s: said: %s", b->about, cli_said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iblint_bad_tables),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
