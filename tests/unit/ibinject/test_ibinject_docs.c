// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/ibinject.md: it has each action once, its examples are what the tool takes, and it says of
 * each action whether the driver of this tree does it.
 */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include <wordexp.h>

#include "ibinject/table.h"

#define DOC    "../../docs/ibinject.md" /* from tests/unit, where make runs the tests */
#define DRIVER "../../driver/inject/command.c"

static char *doc, *driver;

static char *read_file(const char *name)
{
	FILE *from = fopen(name, "r");
	char *text = NULL;
	size_t size = 0;

	if (!from)
		return NULL;
	if (getdelim(&text, &size, 0, from) < 0) {
		free(text);
		text = NULL;
	}
	fclose(from);
	return text;
}

static int begin(void **state)
{
	doc = read_file(DOC);
	driver = read_file(DRIVER);
	return cli_begin(state) || !doc || !driver;
}

static int end(void **state)
{
	free(doc);
	free(driver);
	return cli_end(state);
}

/* The line of the table for an action; NULL: there is none */
static const char *row(int act)
{
	char head[64];
	const char *at;

	snprintf(head, sizeof(head), "\n| `%s` |", glass_rule_action_word(act));
	at = strstr(doc, head);
	if (at && strstr(at + 1, head))
		fail_msg("%s is there twice", glass_rule_action_word(act));
	return at ? at + 1 : NULL;
}

/* Does the driver's list of what it does have it? Without such a list it does everything. */
static bool is_supported(int act)
{
	const char *list = strstr(driver, "static bool supported("), *stop;
	char name[64], *at, *piece;
	bool has;

	if (!list)
		return true;
	stop = strstr(list, "\n}");
	assert_non_null(stop);
	piece = strndup(list, stop - list);
	snprintf(name, sizeof(name), "GLASS_ACT_%s:", glass_rule_action_word(act));
	for (at = name + 10; *at; at++)
		if (*at >= 'a' && *at <= 'z')
			*at -= 'a' - 'A';
	has = strstr(piece, name);
	free(piece);
	return has;
}

static void test_ibinject_every_action_is_told_of(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < GLASS_ACT_COUNT; i++) {
		const char *line = row(i), *last, *stop;

		if (!line)
			fail_msg("%s is missing", glass_rule_action_word(i));
		stop = strchr(line, '\n');
		last = is_supported(i) ? "| yes |" : "| refused |";
		if (strncmp(stop - strlen(last), last, strlen(last)))
			fail_msg("%s: the driver's column has to be %s", glass_rule_action_word(i),
				 last);
	}
}

/* Runs "ibinject ..." as a shell would split it, with --dry-run. */
static void try_example(const char *text, size_t len)
{
	char *line = strndup(text, len), *argv[32] = { NULL };
	wordexp_t words;
	size_t i;

	assert_int_equal(wordexp(line, &words, WRDE_NOCMD), 0);
	assert_true(words.we_wordc > 1 && words.we_wordc < 19);
	for (i = 1; i < words.we_wordc; i++)
		argv[i - 1] = words.we_wordv[i];
	argv[i - 1] = (char *)"--dry-run";
	if (cli(argv[0], argv[1], argv[2], argv[3], argv[4], argv[5], argv[6], argv[7], argv[8],
		argv[9], argv[10], argv[11], argv[12], argv[13], argv[14], argv[15], argv[16],
		argv[17], argv[18], NULL))
		fail_msg("%s\n%s", line, cli_said);
	wordfree(&words);
	free(line);
}

/* The examples of the tables make the rule of their line. */
static void test_ibinject_examples_are_rules(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < GLASS_ACT_COUNT; i++) {
		const char *line = row(i), *example, *stop;
		char act[64];

		assert_non_null(line);
		example = strstr(line, "| `ibinject ");
		if (!example || example > strchr(line, '\n'))
			fail_msg("%s has no example", glass_rule_action_word(i));
		example += 3;
		stop = strchr(example, '`');
		assert_non_null(stop);
		try_example(example, stop - example);
		snprintf(act, sizeof(act), " act=%s", glass_rule_action_word(i));
		if (!strstr(cli_said, act))
			fail_msg("%.*s: %s", (int)(stop - example), example, cli_said);
	}
}

/* The scenario of the page is one. */
static void test_ibinject_scenario(void **state)
{
	const char *at = strstr(doc, "```yaml\n"), *stop;
	char path[200], *text;

	(void)state;
	assert_non_null(at);
	at += 8;
	stop = strstr(at, "```");
	text = strndup(at, stop - at);
	cli_file("s.yaml", text);
	free(text);
	snprintf(path, sizeof(path), "%s/s.yaml", cli_root);
	cli_has(0, "s.yaml:4: add glass0 name=loss op=write nth=3 act=drop\n", "scenario", "--dry-run", path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibinject_every_action_is_told_of),
		cmocka_unit_test(test_ibinject_examples_are_rules),
		cmocka_unit_test(test_ibinject_scenario),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
