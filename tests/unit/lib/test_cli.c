// SPDX-License-Identifier: GPL-2.0-only
/* What commands have in common. */
#define _GNU_SOURCE
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cli.h"

static void test_color(void **state)
{
	FILE *terminal = fopen("/dev/ptmx", "r+"), *file = tmpfile();

	(void)state;
	assert_non_null(file);
	if (!terminal)
		skip();
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(cli_color(terminal));
	assert_false(cli_color(file));
	setenv("NO_COLOR", "1", 1);
	assert_false(cli_color(terminal));
	setenv("NO_COLOR", "", 1);
	assert_true(cli_color(terminal));
	setenv("TERM", "dumb", 1);
	assert_false(cli_color(terminal));
	unsetenv("TERM");
	assert_false(cli_color(terminal));
	fclose(terminal);
	fclose(file);
}

/* Both streams into one pipe: what was said before an error stands before it. */
static void test_die(void **state)
{
	char got[200] = "";
	int ends[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		printf("before\n");
		program_invocation_short_name = "prog";
		cli_error("first %d", 1);
		cli_die(CLI_USAGE, "second %s", "error");
	}
	close(ends[1]);
	while ((n = read(ends[0], got + len, sizeof(got) - 1 - len)) > 0)
		len += n;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_string_equal(got, "before\nprog: first 1\nprog: second error\n");
}

/* What a file says reaches the terminal as text. */
static void test_error_is_text(void **state)
{
	FILE *to = tmpfile();
	int before = dup(2);
	char got[200];
	size_t n;

	(void)state;
	assert_non_null(to);
	program_invocation_short_name = "prog";
	dup2(fileno(to), 2);
	cli_error("x:1: '%s' is none\nsee there", "\033]0;title\a\t\x9b gr\u00fcn");
	dup2(before, 2);
	close(before);
	rewind(to);
	n = fread(got, 1, sizeof(got) - 1, to);
	got[n] = 0;
	fclose(to);
	assert_string_equal(got, "prog: x:1: '?]0;title??? gr\u00fcn' is none\nsee there\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_die),
		cmocka_unit_test(test_error_is_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
