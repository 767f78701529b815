// SPDX-License-Identifier: GPL-2.0-only
/* The verdict of the BPF tools on bad tables: that of all tools (bad_tables.h). */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bad_tables.h"
#include "common/tool.h"
#include "lib/debugfs/device.h"

static char root[] = "/tmp/bpf-tables-XXXXXX";

static int begin(void **state)
{
	(void)state;
	program_invocation_short_name = (char *)"cqfill";
	debugfs_root = root;
	return !mkdtemp(root);
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void make(const char *dev, const char *file, const struct bad_table *b)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", root, dev);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/lint", root, dev);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", root, dev, file);
	bad_table_write(b, path);
}

/* What is written to standard error until told() */
static FILE *to;
static int err;

static void listen(void)
{
	to = tmpfile();
	assert_non_null(to);
	fflush(stderr);
	err = dup(2);
	dup2(fileno(to), 2);
}

static const char *told(void)
{
	static char text[4096];
	ssize_t n;

	fflush(stderr);
	dup2(err, 2);
	close(err);
	n = pread(fileno(to), text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	fclose(to);
	return text;
}

static void count(const char *dev, struct debugfs_table *t, const int *at, void *arg)
{
	unsigned int *rows = arg;
	uint64_t id, n;

	(void)dev;
	if (debugfs_value_number(t, at[0], &id) && debugfs_value_number(t, at[1], &n))
		*rows += id == *rows + 1;
}

static const char *const columns[] = { "id", "count", "text", NULL };

static void test_bpf_bad_tables(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < BAD_TABLES; i++) {
		const struct bad_table *b = &bad_tables[i];
		unsigned int rows = 0;
		const char *said;
		char dev[16];

		/* what is told of one file is not told again */
		snprintf(dev, sizeof(dev), "glass%zu", i);
		make(dev, TABLE_FILE, b);
		listen();
		owner_rows(dev, TABLE_FILE, "lint", columns, count, &rows);
		owner_rows(dev, TABLE_FILE, "lint", columns, count, &(unsigned int){ 0 });
		said = told();
		if (rows != b->rows || !bad_table_said(b, said))
			fail_msg("%s: %u rows, told: %s", b->about, rows, said);
		assert_true(!b->verdict || strchr(said, '\n') == said + strlen(said) - 1);
	}
}

/* The tables of all devices, in the order of their numbers; one that cannot be read is told. */
static void test_bpf_each_device(void **state)
{
	static const struct bad_table good = BAD_TABLE("", "# glass 1 cq: text count id\n- - 1\n- 5 2\n", NULL, 0),
				      more = BAD_TABLE("", "# glass 1 cq: text count id\n- - 3\n- 5 4\n", NULL, 0),
				      other = BAD_TABLE("", "# glass 1 cq: count id\n5 3\n", NULL, 0);
	unsigned int rows = 0;
	const char *said;

	(void)state;
	make("glass10", "cq", &more);
	make("glass2", "cq", &good);
	make("glass9", "cq", &other);
	listen();
	owner_each("cq", columns, count, &rows);
	said = told();
	assert_int_equal(rows, 4);
	assert_string_equal(said, "cqfill: glass9/cq:1: no column \"text\"; not a table that this cqfill can read: "
				  "driver and cqfill must be of one version\n");
	listen();
	debugfs_root = "/no/such/folder";
	owner_each("cq", columns, count, &rows);
	debugfs_root = root;
	assert_string_equal(told(), "");
	assert_int_equal(rows, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpf_bad_tables),
		cmocka_unit_test(test_bpf_each_device),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
