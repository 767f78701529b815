// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of Glass's debugfs that the tools share: words, lines, tables, adapters. None of it
 * may be trusted. GLASS_SEED=N replays.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bad_tables.h"
#include "lib/cli.h"
#include "lib/debugfs/device.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/pairs.h"

/* ---- words */

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool is;
		uint64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "7", true, 7 },
		{ "0x0", true, 0 },
		{ "0x11", true, 17 },
		{ "0xFfffFfffFfffFfff", true, UINT64_MAX },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "000000000000000000001", false, 0 },
		{ "0x10000000000000000", false, 0 },
		{ "", false, 0 },
		{ "0x", false, 0 },
		{ "x1", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "1a", false, 0 },
		{ "0x1g", false, 0 },
		{ "0X1", false, 0 },
	};
	uint64_t value;
	char text[40];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = strlen(cases[i].text);
		/* without a NUL behind it */
		char *exact = malloc(len ? len : 1);

		memcpy(exact, cases[i].text, len);
		value = 0;
		assert_int_equal(debugfs_number(exact, len, &value), cases[i].is);
		assert_int_equal(value, cases[i].value);
		free(exact);
	}
	for (i = 0; i < 10000; i++) {
		uint64_t n = rnd() >> rnd_below(64);

		snprintf(text, sizeof(text), i % 2 ? "%llu" : "0x%llx", (unsigned long long)n);
		assert_true(debugfs_number(text, strlen(text), &value));
		assert_int_equal(value, n);
	}
}

static void test_texts(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "ib_write_bw", "ib_write_bw" },
		{ "%", "" },
		{ "", "" },
		{ "-", "-" },
		{ "a%20b", "a b" },
		{ "%2D", "-" },
		{ "%2d%2D", "--" },
		{ "%25", "%" },
		{ "%2541", "%41" },
		{ "%FF%fe", "\xff\xfe" },
		{ "%4", NULL },
		{ "a%", NULL },
		{ "a%4", NULL },
		{ "%zz", NULL },
		{ "%4z", NULL },
		{ "%-1", NULL },
		{ "% 1", NULL },
		{ "%%", NULL },
		{ "%00", NULL },
		{ "a%00b", NULL },
	};
	char to[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = strlen(cases[i].from);
		char *exact = malloc(len ? len : 1);
		ssize_t n;

		memcpy(exact, cases[i].from, len);
		n = debugfs_decode(exact, len, to);
		free(exact);
		if (!cases[i].to) {
			assert_int_equal(n, -1);
			continue;
		}
		assert_int_equal(n, strlen(cases[i].to));
		assert_string_equal(to, cases[i].to);
		/* in its own place */
		strcpy(to, cases[i].from);
		assert_int_equal(debugfs_decode(to, len, to), n);
		assert_string_equal(to, cases[i].to);
	}
	assert_int_equal(debugfs_decode("a\0b", 3, to), -1);
}

static void test_encoding(void **state)
{
	static const struct {
		const char *from, *plain, *to;
	} cases[] = {
		{ "ib_write_bw", "", "ib_write_bw" },
		{ "", "", "%" },
		{ "-", "", "%2D" },
		{ "-a-b", "", "%2Da-b" },
		{ "a b", "", "a%20b" },
		{ "%", "", "%25" },
		{ "a*?|,", "*?", "a*?%7C%2C" },
		{ "-*", "*-", "%2D*" },
		{ "._:/-\n\x7f\xc3", "", "._:/-%0A%7F%C3" },
	};
	char to[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(debugfs_encode(cases[i].from, cases[i].plain, to),
				 strlen(cases[i].to));
		assert_string_equal(to, cases[i].to);
	}
}

/* Random text, with many of the bytes that matter */
static void random_text(char *text, size_t len)
{
	static const char often[] = "%% --0aF._:/\x01\xff\n";
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = rnd_below(2) ? often[rnd_below(sizeof(often) - 1)]
				       : (char)(1 + rnd_below(255));
	text[len] = 0;
}

/* What is encoded decodes to the same, in memory and in a table; it is one word, never "-". */
static void test_round_trip(void **state)
{
	char *streamed = NULL;
	size_t size;
	FILE *to = open_memstream(&streamed, &size);
	int i;

	(void)state;
	assert_non_null(to);
	for (i = 0; i < 20000; i++) {
		size_t len = rnd_below(i % 100 ? 20 : 3000), n, k;
		char *text = malloc(len + 1), *coded = malloc(DEBUGFS_ENCODED(len)), *back;

		random_text(text, len);
		n = debugfs_encode(text, "", coded);
		assert_int_equal(n, strlen(coded));
		assert_in_range(n, 1, DEBUGFS_ENCODED(len) - 1);
		assert_string_not_equal(coded, "-");
		for (k = 0; k < n; k++)
			assert_true(coded[k] > ' ' && coded[k] < 0x7f);
		back = malloc(n + 1);
		assert_int_equal(debugfs_decode(coded, n, back), len);
		assert_string_equal(back, text);
		rewind(to);
		debugfs_encode_to(to, text, "");
		putc(0, to);
		assert_int_equal(fflush(to), 0);
		assert_string_equal(streamed, coded);
		if (n < DEBUGFS_LINE_MAX - 40) {
			char *table = format_text("# glass 1 qp: comm qpn\n%s 17\n", coded);
			struct debugfs_file f = { 0 };
			struct debugfs_table t;

			assert_int_equal(debugfs_copy(&f, "qp", table, strlen(table)), 0);
			assert_true(debugfs_table_begin(&t, &f, "qp"));
			if (!debugfs_table_next(&t))
				fail_msg("%s", debugfs_error(&f));
			debugfs_value_text(&t, 0, back, n + 1);
			assert_string_equal(back, text);
			assert_false(debugfs_table_next(&t));
			debugfs_free(&f);
			free(table);
		}
		free(text);
		free(coded);
		free(back);
	}
	fclose(to);
	free(streamed);
}

/* ---- key=value */

static void test_pairs(void **state)
{
	static const char line[] =
		"add name=a%20b qpn=0x11 bare comm= bad=%zz long=12345678 qpn=5 prob=10%\tlast=x\nname=other";
	char text[8];
	const char *at = line;
	struct pair p;
	uint64_t n = 99;
	int words = 0;

	(void)state;
	while (next_pair(&at, &p))
		words++;
	assert_int_equal(words, 10);
	assert_true(find_value(line, "name", text, sizeof(text)));
	assert_string_equal(text, "a%20b");
	assert_true(find_text(line, "name", text, sizeof(text)));
	assert_string_equal(text, "a b");
	assert_true(find_value(line, "comm", text, sizeof(text)));
	assert_string_equal(text, "");
	assert_true(find_value(line, "last", text, sizeof(text)));
	assert_false(find_value(line, "bare", text, sizeof(text)));
	assert_false(find_value(line, "nam", text, sizeof(text)));
	assert_true(find_value(line, "bad", text, sizeof(text)));
	assert_false(find_text(line, "bad", text, sizeof(text)));
	assert_true(find_value(line, "prob", text, sizeof(text)));
	assert_string_equal(text, "10%");
	/* no room for all of it */
	assert_false(find_value(line, "long", text, sizeof(text)));
	assert_true(find_number(line, "long", &n));
	assert_int_equal(n, 12345678);
	assert_true(find_number(line, "qpn", &n));
	assert_int_equal(n, 0x11);
	assert_false(find_number(line, "name", &n));
	assert_false(find_number(line, "comm", &n));
	assert_int_equal(n, 0x11);
}

/* ---- lines */

static void give(struct debugfs_file *f, const char *text, size_t len)
{
	assert_int_equal(debugfs_copy(f, "glass0/inject/rules", text, len), 0);
}

static void test_lines(void **state)
{
	static const char text[] = "one\n\n\0three\nfour \xff\tx\nfi\0ve\nsix";
	struct debugfs_file f = { 0 };
	char *large = malloc(DEBUGFS_LINE_MAX + 20);

	(void)state;
	give(&f, text, sizeof(text) - 1);
	assert_string_equal(debugfs_line(&f), "one");
	assert_int_equal(f.line, 1);
	assert_string_equal(debugfs_line(&f), "");
	assert_string_equal(debugfs_line(&f), "four \xff\tx");
	assert_int_equal(f.line, 4);
	assert_false(f.cut);
	assert_null(debugfs_line(&f));
	assert_true(f.cut);
	assert_int_equal(f.bad, 3);
	assert_string_equal(debugfs_error(&f),
			    "glass0/inject/rules:3: a NUL byte in the line (2 more lines are bad)");
	/* the same memory again: nothing is left of it */
	give(&f, "a\n", 2);
	assert_string_equal(debugfs_error(&f), "");
	assert_string_equal(debugfs_line(&f), "a");
	assert_null(debugfs_line(&f));
	assert_int_equal(f.bad, 0);
	assert_false(f.cut);
	give(&f, "", 0);
	assert_null(debugfs_line(&f));
	assert_int_equal(f.bad, 0);
	/* the longest line, and one byte more */
	memset(large, 'x', DEBUGFS_LINE_MAX + 1);
	memcpy(large + DEBUGFS_LINE_MAX, "\nb\n", 3);
	give(&f, large, DEBUGFS_LINE_MAX + 3);
	assert_int_equal(strlen(debugfs_line(&f)), DEBUGFS_LINE_MAX);
	assert_string_equal(debugfs_line(&f), "b");
	assert_int_equal(f.bad, 0);
	memcpy(large + DEBUGFS_LINE_MAX, "x\nb\n", 4);
	give(&f, large, DEBUGFS_LINE_MAX + 4);
	assert_string_equal(debugfs_line(&f), "b");
	assert_string_equal(debugfs_error(&f),
			    "glass0/inject/rules:1: a line has 16385 bytes; the limit is 16384");
	/* a message has nothing that a terminal must not get */
	debugfs_copy(&f, "x", "a\n", 2);
	debugfs_line(&f);
	debugfs_bad(&f, "\033[2J%s", "\xff");
	assert_string_equal(debugfs_error(&f), "x:1: ?[2J?");
	/* more than a file may have is not read */
	assert_int_equal(debugfs_copy(&f, "x", "", DEBUGFS_FILE_MAX + 1), EFBIG);
	assert_int_equal(f.len, 0);
	assert_null(debugfs_line(&f));
	debugfs_free(&f);
	free(large);
}

/* What was told once is not told again, whatever was good or bad meanwhile; nothing is told of good
 * files. */
static void test_told_once(void **state)
{
	struct debugfs_file f = { 0 };
	FILE *to = tmpfile();
	char said[4000] = "", name[40];
	int err = dup(2), i, round;

	(void)state;
	assert_non_null(to);
	fflush(stderr);
	dup2(fileno(to), 2);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 16; i++) {
			snprintf(name, sizeof(name), "glass%d/qp", i);
			debugfs_copy(&f, name, "cut", 3);
			assert_null(debugfs_line(&f));
			debugfs_tell_once(&f);
			debugfs_copy(&f, name, "good\n", 5);
			assert_non_null(debugfs_line(&f));
			debugfs_tell_once(&f);
		}
	}
	debugfs_free(&f);
	fflush(stderr);
	dup2(err, 2);
	close(err);
	assert_true(pread(fileno(to), said, sizeof(said) - 1, 0) > 0);
	fclose(to);
	for (i = 0; i < 16; i++) {
		const char *at;

		snprintf(name, sizeof(name), "test_debugfs: glass%d/qp:1: ", i);
		at = strstr(said, name);
		assert_non_null(at);
		assert_null(strstr(at + 1, name));
		assert_int_equal(
			strcspn(at, "\n"),
			strlen(name) +
				strlen("the file was cut off: its last line has no newline; left out"));
	}
}

/* ---- tables */

/* Reads a table as the tools do. Returns how many rows it has; ids are 1, 2 ... */
static unsigned int read_table(struct debugfs_file *f)
{
	unsigned int rows = 0;
	struct debugfs_table t;
	uint64_t id, count;
	char text[64];
	int at[4];

	if (!debugfs_table_begin(&t, f, "lint") ||
	    !debugfs_columns_find(&t, (const char *const[]){ "id", "code", "count", "text" }, 4,
				  at))
		return 0;
	while (debugfs_table_next(&t)) {
		assert_int_equal(strlen(debugfs_value(&t, 0)), t.value[0].len);
		if (!debugfs_value_number(&t, at[0], &id) ||
		    !debugfs_value_number(&t, at[2], &count))
			continue;
		debugfs_value_text(&t, at[3], text, sizeof(text));
		assert_int_equal(id, ++rows);
	}
	return rows;
}

static void test_bad_tables(void **state)
{
	struct debugfs_file f = { 0 };
	char name[300];
	size_t i;

	(void)state;
	for (i = 0; i < BAD_TABLES; i++) {
		const struct bad_table *b = &bad_tables[i];
		unsigned int rows;

		assert_int_equal(debugfs_copy(&f, "glass0/" TABLE_FILE, b->text, b->len), 0);
		rows = read_table(&f);
		snprintf(name, sizeof(name), "glass0/" TABLE_FILE "%s",
			 b->verdict ? b->verdict : "");
		if (rows != b->rows || strcmp(debugfs_error(&f), b->verdict ? name : ""))
			fail_msg("%s: %u rows, %s", b->about, rows, debugfs_error(&f));
		if (!bad_table_said(b, debugfs_error(&f)))
			fail_msg("%s: \"%s\"", b->about, debugfs_error(&f));
	}
	debugfs_free(&f);
}

static void test_table_values(void **state)
{
	static const char text[] = "# glass 1 qp: qpn comm peer pid\n0x11 a%20b - 7\n"
				   "# lost 12\n18 -b % x\n";
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	int qpn, comm, peer, pid;
	uint64_t n = 5;
	char to[8];

	(void)state;
	give(&f, text, sizeof(text) - 1);
	assert_true(debugfs_table_begin(&t, &f, "qp"));
	qpn = debugfs_column(&t, "qpn");
	comm = debugfs_column(&t, "comm");
	peer = debugfs_column(&t, "peer");
	pid = debugfs_column(&t, "pid");
	assert_int_equal(debugfs_column(&t, "com"), -1);
	assert_int_equal(debugfs_column(&t, ""), -1);
	assert_true(debugfs_table_next(&t));
	assert_int_equal(f.line, 2);
	assert_true(debugfs_has(&t, comm));
	assert_false(debugfs_has(&t, peer));
	assert_false(debugfs_has(&t, -1));
	assert_string_equal(debugfs_value(&t, comm), "a%20b");
	assert_string_equal(debugfs_value(&t, peer), "-");
	assert_string_equal(debugfs_value(&t, -1), "-");
	debugfs_value_text(&t, comm, to, sizeof(to));
	assert_string_equal(to, "a b");
	debugfs_value_text(&t, comm, to, 2);
	assert_string_equal(to, "a");
	debugfs_value_text(&t, peer, to, sizeof(to));
	assert_string_equal(to, "");
	assert_true(debugfs_value_number(&t, qpn, &n));
	assert_int_equal(n, 0x11);
	assert_true(debugfs_value_number(&t, -1, &n));
	assert_int_equal(n, 0);
	assert_int_equal(t.lost, 0);
	assert_true(debugfs_table_next(&t));
	assert_int_equal(f.line, 4);
	assert_int_equal(t.lost, 12);
	/* a value that begins with '-' is not "-" */
	assert_true(debugfs_has(&t, comm));
	debugfs_value_text(&t, comm, to, sizeof(to));
	assert_string_equal(to, "-b");
	debugfs_value_text(&t, peer, to, sizeof(to));
	assert_string_equal(to, "");
	assert_true(debugfs_has(&t, peer));
	assert_false(debugfs_value_number(&t, pid, &n));
	assert_false(debugfs_table_next(&t));
	assert_string_equal(debugfs_error(&f), "glass0/inject/rules:4: pid is no number: x");
	give(&f, text, sizeof(text) - 1);
	assert_true(debugfs_table_begin(&t, &f, "qp"));
	assert_false(debugfs_columns_find(&t, (const char *const[]){ "qpn", "gone" }, 2,
					  &(int[2]){ 0 }[0]));
	assert_string_equal(debugfs_error(&f), "glass0/inject/rules:1: no column \"gone\"");
	debugfs_free(&f);
}

/* As many columns as there may be, and one more */
static void test_many_columns(void **state)
{
	struct debugfs_columns columns;
	struct debugfs_word words[DEBUGFS_COLUMNS];
	char line[2048] = "# glass 1 qp: ", row[512] = "", why[DEBUGFS_WHY];
	size_t n = strlen(line), i;

	(void)state;
	for (i = 0; i < DEBUGFS_COLUMNS; i++) {
		n += snprintf(line + n, sizeof(line) - n, "%sc%zu", i ? " " : "", i);
		strcat(row, i ? " 1" : "1");
	}
	assert_true(debugfs_header(&columns, "qp", line, n, why));
	assert_int_equal(columns.count, DEBUGFS_COLUMNS);
	assert_true(debugfs_row(&columns, row, strlen(row), words, why));
	strcat(row, " 1");
	assert_false(debugfs_row(&columns, row, strlen(row), words, why));
	assert_string_equal(why, "129 values for 128 columns");
	strcpy(line + n, " x");
	assert_false(debugfs_header(&columns, "qp", line, n + 2, why));
	assert_string_equal(why, "129 columns; the limit is 128");
	/* a kind that is too long for any header */
	memset(row, 'x', 200);
	row[200] = 0;
	assert_false(debugfs_header(&columns, row, line, n, why));
}

/* Any bytes: no crash, no byte beyond the text, and each bad line has its reason. */
static void test_random_tables(void **state)
{
	static const char pieces[] = "00019af- %ABrts.:\n\n#\xff";
	struct debugfs_file f = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		char text[300] = "# glass 1 lint: id code count text\n";
		size_t len = i % 3 ? strlen(text) : rnd_below(40), end = len + rnd_below(200);
		struct debugfs_table t;
		uint64_t n;
		char to[16];

		for (; len < end; len++)
			text[len] =
				rnd_below(40) ? pieces[rnd_below(sizeof(pieces) - 1)] : (char)rnd();
		give(&f, text, end);
		if (debugfs_table_begin(&t, &f, "lint")) {
			while (debugfs_table_next(&t)) {
				debugfs_value_number(&t, 0, &n);
				debugfs_value_text(&t, 3, to, sizeof(to));
			}
		} else {
			assert_int_not_equal(f.bad, 0);
		}
		assert_int_equal(!f.bad, !*debugfs_error(&f));
		assert_true(f.line <= end + 1);
	}
	debugfs_free(&f);
}

/* ---- files and adapters */

static char root[] = "/tmp/debugfs-XXXXXX";

static int begin(void **state)
{
	debugfs_root = root;
	return !mkdtemp(root) || rnd_group(state);
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void file(const char *dev, const char *name, const char *text)
{
	char path[200], *slash;
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s/%s", root, dev, name);
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(path, 0755);
	}
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

static void test_devices(void **state)
{
	static const struct debugfs_use use = { "injection", "inject/rules",
						"there is no adapter" };
	char lone[80];
	struct devices all;
	size_t i;

	(void)state;
	assert_int_equal(debugfs_devices_with("qp", &all), 0);
	assert_int_equal(all.count, 0);
	assert_false(debugfs_find(&use, &all));
	/* by number; what has no such file is none, nor what is hidden, nor a name without end */
	file("glass10", "inject/rules", "");
	file("glass2", "inject/rules", "");
	file("glass1", "lint/scope", "");
	file(".glass", "inject/rules", "");
	memset(lone, 'x', DEVICE_NAME);
	lone[DEVICE_NAME] = 0;
	file(lone, "inject/rules", "");
	assert_true(debugfs_find(&use, &all));
	assert_int_equal(all.count, 2);
	assert_string_equal(all.name[0], "glass2");
	assert_string_equal(all.name[1], "glass10");
	assert_true(devices_have(&all, "glass10"));
	assert_false(devices_have(&all, "glass1"));
	assert_string_equal(devices_nearest(&all, "glas2"), "glass2");
	assert_null(devices_nearest(&all, "mlx5_0"));
	/* more than there can be are passed over */
	for (i = 0; i < 2 * DEVICES_MAX; i++) {
		snprintf(lone, sizeof(lone), "many%zu", i);
		file(lone, "share", "");
	}
	assert_int_equal(debugfs_devices_with("share", &all), 0);
	assert_int_equal(all.count, DEVICES_MAX);
	debugfs_root = "/no/such/folder";
	assert_int_equal(debugfs_devices_with("share", &all), ENOENT);
	assert_int_equal(all.count, 0);
	assert_false(debugfs_find(&use, &all));
	debugfs_root = root;
}

static void test_files(void **state)
{
	static const struct debugfs_use use = { "injection", "inject/rules",
						"there is no adapter" };
	struct debugfs_file f = { 0 };
	char *long_text = malloc(200001), path[200], *line;
	FILE *to;
	int fd, i;

	(void)state;
	assert_int_equal(debugfs_read(&f, "glass0", "qp"), ENOENT);
	assert_null(debugfs_line(&f));
	for (i = 0; i < 200000; i++)
		long_text[i] = i % 100 == 99 ? '\n' : 'x';
	long_text[i] = 0;
	file("glass0", "qp", long_text);
	assert_int_equal(debugfs_read(&f, "glass0", "qp"), 0);
	assert_string_equal(f.name, "glass0/qp");
	assert_int_equal(f.len, 200000);
	for (i = 0; debugfs_line(&f); i++)
		;
	assert_int_equal(i, 2000);
	assert_int_equal(f.line, 2000);
	free(long_text);
	/* an open file is read from its beginning each time */
	file("glass0", "qp", "a\n");
	fd = debugfs_open(&use, "glass0", "qp", O_RDWR | O_APPEND);
	assert_true(fd >= 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(debugfs_read_fd(&f, "glass0", "qp", fd), 0);
		assert_string_equal(debugfs_line(&f), "a");
		assert_null(debugfs_line(&f));
	}
	assert_int_equal(write(fd, "b\n", 2), 2);
	assert_int_equal(debugfs_read_fd(&f, "glass0", "qp", fd), 0);
	assert_string_equal(debugfs_line(&f), "a");
	assert_string_equal(debugfs_line(&f), "b");
	close(fd);
	assert_int_equal(debugfs_read_fd(&f, "glass0", "qp", -1), EBADF);
	assert_int_equal(f.len, 0);
	/* a folder is no file */
	assert_int_equal(debugfs_read(&f, "glass0", ""), EISDIR);
	assert_int_equal(debugfs_open(&use, "glass0", "none", O_RDONLY), -1);
	assert_int_equal(debugfs_write("glass0", "none", "x"), ENOENT);
	assert_int_equal(debugfs_write("glass0", "qp", "xy"), 0);
	assert_int_equal(debugfs_read(&f, "glass0", "qp"), 0);
	assert_string_equal(f.text, "xyb\n");
	/* a file of one value */
	line = debugfs_first_line("glass0", "qp");
	assert_string_equal(line, "xyb");
	free(line);
	file("glass0", "value", "7");
	line = debugfs_first_line("glass0", "value");
	assert_string_equal(line, "7");
	free(line);
	file("glass0", "value", "");
	line = debugfs_first_line("glass0", "value");
	assert_string_equal(line, "");
	free(line);
	errno = 0;
	assert_null(debugfs_first_line("glass0", "none"));
	assert_int_equal(errno, ENOENT);
	/* a file that grows: each line is given once, when it is whole */
	file("glass0", "journal", "");
	fd = debugfs_open(&use, "glass0", "journal", O_RDONLY);
	snprintf(path, sizeof(path), "%s/glass0/journal", root);
	to = fopen(path, "a");
	assert_non_null(to);
	setbuf(to, NULL);
	debugfs_free(&f);
	assert_int_equal(debugfs_more(&f, "glass0", "journal", fd), 0);
	assert_null(debugfs_line(&f));
	fputs("one\ntw", to);
	assert_int_equal(debugfs_more(&f, "glass0", "journal", fd), 6);
	assert_string_equal(debugfs_line(&f), "one");
	assert_null(debugfs_line(&f));
	assert_int_equal(debugfs_more(&f, "glass0", "journal", fd), 0);
	assert_null(debugfs_line(&f));
	fputs("o\n", to);
	fwrite("a\0b\n", 1, 4, to);
	assert_int_equal(debugfs_more(&f, "glass0", "journal", fd), 6);
	assert_string_equal(debugfs_line(&f), "two");
	assert_null(debugfs_line(&f));
	assert_string_equal(debugfs_error(&f), "glass0/journal:3: a NUL byte in the line");
	/* one that does not end is left out, and takes no more memory than a line may have */
	for (i = 0; i < 10 * DEBUGFS_LINE_MAX; i++) {
		putc('x', to);
		if (i % 5000)
			continue;
		assert_int_equal(debugfs_more(&f, "glass0", "journal", fd), i ? 5000 : 1);
		assert_null(debugfs_line(&f));
		assert_true(f.len <= DEBUGFS_LINE_MAX + 5000);
	}
	fputs("\nlast\n", to);
	assert_true(debugfs_more(&f, "glass0", "journal", fd) > 6);
	assert_string_equal(debugfs_line(&f), "last");
	assert_int_equal(f.line, 5);
	assert_int_equal(f.bad, 2);
	assert_null(debugfs_line(&f));
	fclose(to);
	close(fd);
	assert_int_equal(debugfs_more(&f, "glass0", "journal", -1), -EBADF);
	debugfs_free(&f);
	/* a question and its answer go through one open file; this one has only what was there */
	file("glass0", "inspect", "0123456789answer\n");
	snprintf(path, sizeof(path), "%s/glass0/inspect", root);
	assert_int_equal(debugfs_ask(&f, "inspect", path, "qp 0x11 xx"), 0);
	assert_string_equal(f.text, "answer\n");
	assert_int_equal(debugfs_ask(&f, "inspect", "/no/such/file", "qp"), ENOENT);
	assert_int_equal(f.len, 0);
	debugfs_free(&f);
}

/* One object of details/, at each place, in a file that takes many reads. */
static void test_blocks(void **state)
{
	struct debugfs_file f = { 0 };
	char path[200], title[40], last[40];
	size_t size, i, k;
	char *text;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	for (i = 0; i < 300; i++) {
		fprintf(to, "# glass 1 inspect: qp 0x%zx\nqpn: 0x%zx\nsq:\n", i, i);
		for (k = 0; k < i; k++)
			fprintf(to, "  wqe: index=%zu\n", k);
	}
	fclose(to);
	file("glass0", "details/qp", text);
	snprintf(path, sizeof(path), "%s/glass0/details/qp", root);
	for (i = 0; i < 300; i++) {
		char *line, *before = NULL;

		snprintf(title, sizeof(title), "qp 0x%zx", i);
		assert_int_equal(debugfs_read_block(&f, "qp", path, title), 0);
		line = debugfs_line(&f);
		assert_int_equal(strncmp(line, "# glass 1 inspect: ", 19), 0);
		assert_string_equal(line + 19, title);
		for (k = 1; (line = debugfs_line(&f)); k++)
			before = line;
		assert_int_equal(k, 3 + i);
		if (i)
			snprintf(last, sizeof(last), "  wqe: index=%zu", i - 1);
		assert_string_equal(before, i ? last : "sq:");
		assert_int_equal(f.bad, 0);
	}
	/* neither a prefix, nor an object that is gone, nor no file */
	assert_int_equal(debugfs_read_block(&f, "qp", path, "qp 0x"), ENOENT);
	assert_int_equal(debugfs_read_block(&f, "qp", path, "qp 0x12c"), ENOENT);
	assert_int_equal(f.len, 0);
	assert_null(debugfs_line(&f));
	assert_int_equal(debugfs_read_block(&f, "qp", "/no/such/file", "qp 0x1"), ENOENT);
	assert_int_equal(debugfs_read_block(&f, "qp", "/tmp", "qp 0x1"), EISDIR);
	file("glass0", "details/qp", "");
	assert_int_equal(debugfs_read_block(&f, "qp", path, "qp 0x1"), ENOENT);
	free(text);
	debugfs_free(&f);
}

#define TEST(name) cmocka_unit_test_setup(name, rnd_restart)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers),	 TEST(test_texts),	   TEST(test_encoding),
		TEST(test_round_trip),	 TEST(test_pairs),	   TEST(test_lines),
		TEST(test_told_once),	 TEST(test_bad_tables),	   TEST(test_table_values),
		TEST(test_many_columns), TEST(test_random_tables), TEST(test_devices),
		TEST(test_files),	 TEST(test_blocks),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
