// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/iblint.md: it has each knob once, as the table has it; its command lines are
 * what the tool takes; and the man page has every option.
 */
#define _GNU_SOURCE
#include "iblint_cli.h"

#include <wordexp.h>

#include "iblint/options.h"

#define DOC "../../docs/iblint.md" /* from tests/unit, where make runs the tests */
#define MAN "../../iblint/iblint.8"

static char *doc, *man;

static char *read_text(const char *name)
{
	FILE *from = fopen(name, "r");
	char *text = NULL;
	size_t size = 0;

	if (!from || getdelim(&text, &size, 0, from) < 0) {
		free(text);
		text = NULL;
	}
	if (from)
		fclose(from);
	return text;
}

static int begin(void **state)
{
	doc = read_text(DOC);
	man = read_text(MAN);
	return cli_begin(state) || !doc || !man;
}

static int end(void **state)
{
	free(doc);
	free(man);
	return cli_end(state);
}

static void has_once(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	if (!at)
		fail_msg("missing: %s", what);
	if (strstr(at + 1, what))
		fail_msg("there twice: %s", what);
}

static void test_iblint_doc_knobs(void **state)
{
	unsigned int i;
	char row[400];

	(void)state;
	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
		snprintf(row, sizeof(row), "\n| `%s` | %s | %s |\n", behaviors[i].word, behaviors[i].meaning,
			 behaviors[i].clause);
		has_once(doc, row);
	}
}

/* Each line that begins with iblint in a block of code: options that there are, with values that are taken */
static void test_iblint_doc_examples(void **state)
{
	bool in_block = false;
	char *copy = strdup(doc), *rest = copy, *line;
	int tried = 0;

	(void)state;
	while ((line = strsep(&rest, "\n"))) {
		wordexp_t words;
		pid_t pid;
		int status;

		if (!strncmp(line, "```", 3))
			in_block = !in_block;
		if (!strncmp(line, "# iblint ", 9))
			line += 2;
		if (!in_block || strncmp(line, "iblint ", 7))
			continue;
		/* at a prompt more may stand behind it */
		if (strstr(line, "; echo"))
			*strstr(line, "; echo") = 0;
		if (strstr(line, "  #"))
			*strstr(line, "  #") = 0;
		if (strstr(line, "  ("))
			*strstr(line, "  (") = 0;
		assert_int_equal(wordexp(line, &words, WRDE_NOCMD), 0);
		fflush(NULL);
		pid = fork();
		if (!pid) {
			struct options o;

			options_read(&o, words.we_wordc, words.we_wordv);
			/* what was allocated for it ends with the process */
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("it does not take: %s", line);
		wordfree(&words);
		tried++;
	}
	free(copy);
	assert_true(tried > 7);
}

/* Of each option that --help has */
static void test_iblint_man_options(void **state)
{
	char *rest, *line;
	int options = 0;

	(void)state;
	assert_int_equal(cli("--help", NULL), 0);
	rest = cli_said;
	while ((line = strsep(&rest, "\n"))) {
		char option[100] = "\\-\\-", *to = option + 4, *at = strstr(line, "--");

		if (!at || at - line > 6 || strspn(line, " -abcdefghijklmnopqrstuvwxyzDV?,") < (size_t)(at - line))
			continue;
		for (at += 2; (*at >= 'a' && *at <= 'z') || *at == '-'; at++)
			to += sprintf(to, *at == '-' ? "\\-" : "%c", *at);
		if (!strcmp(option, "\\-\\-help") || !strcmp(option, "\\-\\-usage") ||
		    !strcmp(option, "\\-\\-version"))
			continue;
		if (!strstr(man, option))
			fail_msg("the man page has no %s", option);
		options++;
	}
	assert_true(options > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iblint_doc_knobs),
		cmocka_unit_test(test_iblint_doc_examples),
		cmocka_unit_test(test_iblint_man_options),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
