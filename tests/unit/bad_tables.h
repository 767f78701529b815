/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of lint/findings, good and bad, and the one verdict on each. test_debugfs.c holds the reader
 * to it, and a test of each tool that reads tables holds that tool to it: iblint, ibinject, ibtop and
 * the BPF tools say the same of the same table.
 */
#ifndef GLASS_TESTS_UNIT_BAD_TABLES_H
#define GLASS_TESTS_UNIT_BAD_TABLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_FILE "lint/findings"
#define TABLE_HEAD "# glass 1 lint: id code count text\n"

struct bad_table {
	const char *about, *text;
	size_t len;
	const char *verdict; /* what debugfs_error() says behind the file's name; NULL: nothing */
	unsigned int rows;   /* that are good; their ids are 1, 2 ... */
};

#define BAD_TABLE(about, text, verdict, rows) { about, text, sizeof(text) - 1, verdict, rows }
#define NO_TABLE ":1: no table: the first line must begin with \"# glass 1 lint: \""
#define PERCENT	 "'%' without two hexadecimal digits, or %00: "

static const struct bad_table bad_tables[] = {
	BAD_TABLE("good", TABLE_HEAD "1 GL003 1 a%20b\n2 GL004 0x2 %\n", NULL, 2),
	BAD_TABLE("no rows", TABLE_HEAD, NULL, 0),
	BAD_TABLE("notes", TABLE_HEAD "1 GL003 1 -\n# new in a later driver\n# lost 3\n", NULL, 1),
	BAD_TABLE("other columns, another order", "# glass 1 lint: text more count code id\n% %25 1 GL003 1\n", NULL, 1),
	/* the header */
	BAD_TABLE("empty", "", ":1: no table: the file is empty", 0),
	BAD_TABLE("no header", "1 GL003 1 a\n2 GL003 1 a\n", NO_TABLE, 0),
	BAD_TABLE("another version", "# glass 2 lint: id code count text\n1 GL003 1 a\n", NO_TABLE, 0),
	BAD_TABLE("another kind", "# glass 1 qp: id code count text\n1 GL003 1 a\n", NO_TABLE, 0),
	BAD_TABLE("no blank in the header", "# glass 1 lint:id code count text\n1 GL003 1 a\n", NO_TABLE, 0),
	BAD_TABLE("no columns", "# glass 1 lint: \n\n", ":1: column 1 has no name", 0),
	BAD_TABLE("a column without a name", "# glass 1 lint: id  code count text\n1 1 GL003 1 a\n",
		  ":1: column 2 has no name", 0),
	BAD_TABLE("a blank behind the columns", "# glass 1 lint: id code count text \n1 GL003 1 a 1\n",
		  ":1: column 5 has no name", 0),
	BAD_TABLE("two columns of one name", "# glass 1 lint: id code count text code\n1 GL003 1 a GL003\n",
		  ":1: columns 2 and 5 are both called \"code\"", 0),
	BAD_TABLE("bytes in the header", "# glass 1 lint: id code count text m\xff\n1 GL003 1 a 1\n",
		  ":1: byte 37 is 0xff, which must be written as %FF", 0),
	BAD_TABLE("a NUL in the header", "# glass 1 lint: id code count text m\0\n1 GL003 1 a 1\n",
		  ":1: a NUL byte in the line", 0),
	BAD_TABLE("half a header", "# glass 1 lint: id code count te",
		  ":1: the file was cut off: its last line has no newline", 0),
	/* rows: the good ones stay */
	BAD_TABLE("too few values", TABLE_HEAD "1 GL003 1 a\n9 GL003 1\n2 GL003 1 a\n", ":3: 3 values for 4 columns", 2),
	BAD_TABLE("one value", TABLE_HEAD "9\n1 GL003 1 a\n", ":2: 1 value for 4 columns", 1),
	BAD_TABLE("no value", TABLE_HEAD "1 GL003 1 a\n\n", ":3: 0 values for 4 columns", 1),
	BAD_TABLE("too many values", TABLE_HEAD "9 GL003 1 a b\n1 GL003 1 a\n", ":2: 5 values for 4 columns", 1),
	BAD_TABLE("an empty value", TABLE_HEAD "9  1 a\n1 GL003 1 a\n",
		  ":2: code is empty: single blanks divide values", 1),
	BAD_TABLE("a blank in front", TABLE_HEAD " 9 GL003 1 a\n1 GL003 1 a\n", ":2: 5 values for 4 columns", 1),
	BAD_TABLE("a blank behind", TABLE_HEAD "1 GL003 1 a\n9 GL003 1 a \n", ":3: 5 values for 4 columns", 1),
	BAD_TABLE("a tab", TABLE_HEAD "9 GL003\t1 a\n1 GL003 1 a\n", ":2: byte 8 is 0x09, which must be written as %09", 1),
	BAD_TABLE("a return", TABLE_HEAD "9 GL003 1 a\r\n", ":2: byte 12 is 0x0d, which must be written as %0D", 0),
	BAD_TABLE("an escape", TABLE_HEAD "9 GL003 1 \033[2J\n", ":2: byte 11 is 0x1b, which must be written as %1B", 0),
	BAD_TABLE("not ASCII", TABLE_HEAD "9 GL003 1 \xc3\xa4\n", ":2: byte 11 is 0xc3, which must be written as %C3", 0),
	BAD_TABLE("a NUL", TABLE_HEAD "9 GL003 1 \0\n1 GL003 1 a\n", ":2: a NUL byte in the line", 1),
	BAD_TABLE("% and no digits", TABLE_HEAD "9 GL003 1 x%zz\n1 GL003 1 a\n", ":2: text: " PERCENT "x%zz", 1),
	BAD_TABLE("% and one digit", TABLE_HEAD "9 GL003 1 x%4\n", ":2: text: " PERCENT "x%4", 0),
	BAD_TABLE("% at the end", TABLE_HEAD "9 GL003 1 x%\n", ":2: text: " PERCENT "x%", 0),
	BAD_TABLE("%%", TABLE_HEAD "9 GL003 1 %%\n", ":2: text: " PERCENT "%%", 0),
	BAD_TABLE("% without digits behind a good one", TABLE_HEAD "9 GL003 1 %41%4g\n", ":2: text: " PERCENT "%41%4g", 0),
	BAD_TABLE("an encoded NUL", TABLE_HEAD "9 GL003 1 a%00b\n", ":2: text: " PERCENT "a%00b", 0),
	BAD_TABLE("no number", TABLE_HEAD "eleven GL003 1 a\n1 GL003 1 a\n", ":2: id is no number: eleven", 1),
	BAD_TABLE("a negative number", TABLE_HEAD "-5 GL003 1 a\n", ":2: id is no number: -5", 0),
	BAD_TABLE("a number of 65 bits", TABLE_HEAD "18446744073709551616 GL003 1 a\n",
		  ":2: id is no number: 18446744073709551616", 0),
	BAD_TABLE("a long word is shortened", TABLE_HEAD "99999999999999999999999999 GL003 1 a\n",
		  ":2: id is no number: 999999999999999999999999...", 0),
	BAD_TABLE("a note that counts nothing", TABLE_HEAD "1 GL003 1 a\n# lost some\n",
		  ":3: no number behind \"# lost \"", 1),
	BAD_TABLE("the last line was cut off", TABLE_HEAD "1 GL003 1 a\n2 GL003 1 a",
		  ":3: the file was cut off: its last line has no newline", 1),
	BAD_TABLE("two bad lines", TABLE_HEAD "9\n1 GL003 1 a\n9\n", ":2: 1 value for 4 columns (1 more line is bad)", 1),
	BAD_TABLE("three bad lines", TABLE_HEAD "9\n1 GL003 1 a\n9\n9", ":2: 1 value for 4 columns (2 more lines are bad)", 1),
};

#define BAD_TABLES (sizeof(bad_tables) / sizeof(*bad_tables))

/* Writes a table as the lint/findings of an adapter. */
static inline void bad_table_write(const struct bad_table *t, const char *path)
{
	FILE *to = fopen(path, "w");

	if (!to || fwrite(t->text, 1, t->len, to) != t->len || fclose(to)) {
		perror(path);
		abort();
	}
}

/* Is the verdict in what a tool said? Without one, nothing may be said of the file. */
static inline int bad_table_said(const struct bad_table *t, const char *said)
{
	char want[300];

	snprintf(want, sizeof(want), TABLE_FILE "%s", t->verdict ? t->verdict : ":");
	return !strstr(said, want) == !t->verdict;
}

#endif
