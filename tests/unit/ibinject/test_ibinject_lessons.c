// SPDX-License-Identifier: GPL-2.0-only
/* docs/pitfalls: the rule of each lesson is one that ibinject and the driver's parser take. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include <wordexp.h>

#include "uapi/glass-lint.h"

#define LESSON "../../docs/pitfalls/GL%03d.md" /* from tests/unit, where make runs the tests */

/* Runs a line "ibinject ..." as a shell would split it, with --dry-run. */
static void try_rule(int code, char *line)
{
	char *argv[32] = { NULL };
	wordexp_t words;
	size_t i;

	if (wordexp(line, &words, WRDE_NOCMD))
		fail_msg("GL%03d: a shell does not take %s", code, line);
	assert_true(words.we_wordc > 1 && words.we_wordc < 19);
	for (i = 1; i < words.we_wordc; i++)
		argv[i - 1] = words.we_wordv[i];
	argv[i - 1] = (char *)"--dry-run";
	if (cli(argv[0], argv[1], argv[2], argv[3], argv[4], argv[5], argv[6], argv[7], argv[8],
		argv[9], argv[10], argv[11], argv[12], argv[13], argv[14], argv[15], argv[16],
		argv[17], argv[18], NULL))
		fail_msg("GL%03d: %s\n%s", code, line, cli_said);
	if (!strstr(cli_said, " act="))
		fail_msg("GL%03d: %s makes no rule: %s", code, line, cli_said);
	wordfree(&words);
}

static void test_ibinject_lessons_have_rules(void **state)
{
	int code;

	(void)state;
	for (code = 1; code <= GLASS_LINT_COUNT; code++) {
		char path[64], *line = NULL;
		size_t size = 0;
		int rules = 0;
		FILE *from;

		snprintf(path, sizeof(path), LESSON, code);
		from = fopen(path, "r");
		if (!from)
			fail_msg("%s: cannot be read", path);
		while (getline(&line, &size, from) > 0) {
			line[strcspn(line, "\n")] = '\0';
			if (strncmp(line, "ibinject ", 9))
				continue;
			try_rule(code, line);
			rules++;
		}
		if (!rules)
			fail_msg("%s has no rule", path);
		free(line);
		fclose(from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibinject_lessons_have_rules),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
