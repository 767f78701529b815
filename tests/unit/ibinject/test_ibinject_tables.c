// SPDX-License-Identifier: GPL-2.0-only
/* ibinject's verdict on bad tables: that of all tools (bad_tables.h). */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include "bad_tables.h"

static char *said_of(int fd)
{
	static char said[4096];
	ssize_t n = pread(fd, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = 0;
	return said;
}

/* Any table is read through device_table() and device_done(): rows that are good, and what is told. */
static void test_ibinject_bad_tables(void **state)
{
	char path[200];
	size_t i;

	(void)state;
	for (i = 0; i < BAD_TABLES; i++) {
		const struct bad_table *b = &bad_tables[i];
		FILE *told = tmpfile();
		int err = dup(2);
		struct debugfs_table t;
		struct debugfs_file f;
		unsigned int rows = 0;
		uint64_t id;
		char dev[16];
		int at;

		/* what is told of one file is not told again */
		snprintf(dev, sizeof(dev), "glass%zu", i);
		snprintf(path, sizeof(path), "%s/" TABLE_FILE, dev);
		cli_file(path, "");
		snprintf(path, sizeof(path), "%s/%s/" TABLE_FILE, cli_root, dev);
		bad_table_write(b, path);
		fflush(stderr);
		dup2(fileno(told), 2);
		if (device_table(&t, &f, dev, TABLE_FILE, "lint") &&
		    debugfs_columns_find(&t, (const char *const[]){ "id" }, 1, &at))
			while (debugfs_table_next(&t))
				rows += debugfs_value_number(&t, at, &id) && id == rows + 1;
		device_done(&f);
		fflush(stderr);
		dup2(err, 2);
		close(err);
		if (rows != b->rows || !bad_table_said(b, said_of(fileno(told))))
			fail_msg("%s: %u rows, told: %s", b->about, rows, said_of(fileno(told)));
		fclose(told);
	}
}

/* The commands that read tables and lists go on with what is good, and tell what is not. */
static void test_ibinject_bad_lines(void **state)
{
	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/inject/rules", "");
	cli_file("glass1/inject/rules", "");
	cli_file("glass0/qp", "# glass 1 qp: qpn qptype\n0x11\n0x12 rc\n");
	cli_file("glass1/qp", "# glass 1 qp: qpn qptype\neleven rc\n0x13 rc\n");
	cli_is(0,
	       "a\n"
	       "ibinject: glass0/qp:2: 1 value for 2 columns; left out\n"
	       "ibinject: glass1/qp:2: qpn is no number: eleven; left out\n"
	       "ibinject: on glass1\n",
	       "qp", "0x13", "fatal", "--name", "a");
	cli_file("glass1/qp", "# glass 2 qp: qpn qptype\n0x13 rc\n");
	cli_has(3, "ibinject: glass1/qp:1: no table: the first line must begin with \"# glass 1 qp: \"; "
		   "not a table that this ibinject can read: driver and ibinject must be of one version\n",
		"qp", "0x13", "fatal");
	cli_file("glass0/inject/held", "# glass 1 held: num rule qpn\n1 h%0 0x11\n2 h 0x11\n");
	cli_is(0,
	       "num=2 rule=h qpn=0x11\n"
	       "ibinject: glass0/inject/held:2: rule: '%' without two hexadecimal digits, or %00: h%0; left out\n",
	       "held", "glass0");
	cli_file("glass0/inject/rules", "add name=r1 act=drop hit=1 eligible=2\nadd name=r2 act=dup");
	cli_is(0,
	       "DEV      NAME              HIT   ELIGIBLE OVER   RULE\n"
	       "glass0   r1                  1          2 -      act=drop\n"
	       "ibinject: glass0/inject/rules:2: the file was cut off: its last line has no newline; left out\n",
	       "list", "glass0");
	cli_file("glass0/inject/journal", "nonsense\nseq=1 time=1500000000 name=r1 act=drop\n");
	cli_is(0,
	       "    1.500000 glass0 r1 drop\n"
	       "ibinject: glass0/inject/journal:1: not a line of a journal: it has no seq=NUMBER; left out\n",
	       "watch", "--all", "--count", "1", "glass0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibinject_bad_tables),
		cmocka_unit_test(test_ibinject_bad_lines),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
