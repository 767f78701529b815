// SPDX-License-Identifier: GPL-2.0-only
/* What BPF tools print of texts that programs chose. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"
#include "harness.h"

struct tool_options tool_options;

static const struct column columns[] = {
	{ "comm", "COMM", 8, COL_TEXT },
	{ "pid", "PID", 4, COL_NUM },
	{ "args", "ARGS", 0, COL_LAST },
};
static const struct table table = { columns, 3 };

/* What a row with these texts looks like */
static const char *row(const char *comm, const char *args)
{
	static char got[1024];
	FILE *to = tmpfile();
	int before = dup(1);
	size_t n;

	assert_non_null(to);
	fflush(stdout);
	dup2(fileno(to), 1);
	out_row("event", &table, (struct value[]){ V_TEXT(comm), V_NUM(7), V_TEXT(args) }, 0);
	fflush(stdout);
	dup2(before, 1);
	close(before);
	rewind(to);
	n = fread(got, 1, sizeof(got) - 1, to);
	got[n] = 0;
	fclose(to);
	return got;
}

static void test_text(void **state)
{
	(void)state;
	tool_options.json = false;
	assert_string_equal(row("plain", "x y"), "plain       7 x y\n");
	assert_string_equal(row("", ""), "-           7 -\n");
	/* a name that clears the screen, one that forges a line, one that turns its end around */
	assert_string_equal(row("\033[2J", "x"), "?[2J        7 x\n");
	assert_string_equal(row("a\nroot 1", "\x9b"), "a?root 1    7 ?\n");
	assert_string_equal(row("a\u202eb", "\xc2\x9b"), "a???b       7 ??\n");
	/* columns stand below each other */
	assert_string_equal(row("gr\u00fcn", "x"), "gr\u00fcn        7 x\n");
	/* cut in the midst of a character, as the kernel cuts names */
	assert_string_equal(row("gr\xc3", "x"), "gr?         7 x\n");
}

static void test_json(void **state)
{
	(void)state;
	tool_options.json = true;
	assert_string_equal(row("a\"b\\", "x"),
			    "{\"type\":\"event\",\"comm\":\"a\\\"b\\\\\",\"pid\":7,\"args\":\"x\"}\n");
	/* JSON is UTF-8 */
	assert_string_equal(row("gr\xc3", "\x7f\x1b"),
			    "{\"type\":\"event\",\"comm\":\"gr?\",\"pid\":7,\"args\":\"??\"}\n");
}

static void test_long_text(void **state)
{
	char text[700];

	(void)state;
	tool_options.json = false;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	assert_int_equal(strlen(row("x", text)), strlen("x           7 \n") + sizeof(text) - 1);
	/* cut, and nothing behind it is touched */
	text[0] = '\n';
	assert_int_equal(strlen(row("x", text)), strlen("x           7 \n") + 511);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
