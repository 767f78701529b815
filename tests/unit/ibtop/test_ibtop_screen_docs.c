// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/ibtop-screen.md against the tables of keys and settings. With GLASS_WRITE_DOCS
 * in the environment the parts that are made from tables are written anew.
 */
#define _GNU_SOURCE
#include <locale.h>

#include "harness.h"
#include "ibtop/screen/config.h"
#include "ibtop/screen/keys.h"

#define DOC "../../docs/ibtop-screen.md"

static char *read_doc(void)
{
	FILE *from = fopen(DOC, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(from);
	assert_true(getdelim(&text, &size, '\0', from) > 0);
	fclose(from);
	return text;
}

/* Keys in Markdown: a table's cell ends at | and code at a backtick, and neither is a key. */
static void print_keys(FILE *to, const char *list)
{
	char *keys = strdup(list), *rest = NULL, *word;

	assert_non_null(keys);
	for (word = strtok_r(keys, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		fprintf(to, word == keys ? "`%s`" : " `%s`", word);
	free(keys);
}

/* A table of commands for each group */
static void print_commands(FILE *to)
{
#define HEADING(GROUP, heading) heading,
	static const char *const groups[] = { TOP_KEY_GROUPS(HEADING) };
	enum command command;
	size_t group;

	for (group = 0; group < sizeof(groups) / sizeof(groups[0]); group++) {
		fprintf(to, "%s### %s\n\n| Keys | What they do |\n| --- | --- |\n", group ? "\n" : "",
			groups[group]);
		for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++) {
			const struct command_info *info = command_get(command);

			if (strcmp(info->group, groups[group]))
				continue;
			fputs("| ", to);
			print_keys(to, info->keys);
			fprintf(to, " | %s |\n", info->meaning);
		}
	}
}

static void print_config(FILE *to)
{
	unsigned int i;

	fputs("| line | what it is |\n| --- | --- |\n", to);
	fprintf(to, "| `theme = %s` | colours: %s |\n", theme_name(THEME_DARK), theme_names());
	fputs("| `view = qp` | what ibtop begins with, unless `--view` tells |\n", to);
	fputs("| `delay = 1.000` | seconds between refreshes, unless `--delay` tells |\n", to);
	for (i = 0; i < SWITCH_COUNT; i++) {
		struct settings s;

		settings_init(&s);
		fprintf(to, "| `%s = %s` | %s |\n", switch_get(i)->name, s.on[i] ? "yes" : "no",
			switch_get(i)->meaning);
		settings_free(&s);
	}
	fputs("| `qp.columns = dev qpn wait` | columns of a view, as for `--columns` |\n", to);
	fputs("| `qp.sort = -tx_bytes_s` | order of a view, as for `--sort`; or `none` |\n", to);
}

/* The part between "<!-- NAME -->" and "<!-- end -->" */
static void check(const char *name, void (*print)(FILE *))
{
	char *doc = read_doc(), *begin, *end, *part = NULL, mark[64];
	size_t size;
	FILE *to = open_memstream(&part, &size);

	assert_non_null(to);
	fputc('\n', to);
	print(to);
	fputc('\n', to);
	fclose(to);
	snprintf(mark, sizeof(mark), "<!-- %s -->\n", name);
	begin = strstr(doc, mark);
	assert_non_null(begin);
	begin += strlen(mark);
	end = strstr(begin, "<!-- end -->");
	assert_non_null(end);
	if (getenv("GLASS_WRITE_DOCS")) {
		to = fopen(DOC, "w");
		assert_non_null(to);
		fprintf(to, "%.*s%s%s", (int)(begin - doc), doc, part, end);
		fclose(to);
	} else if (size != (size_t)(end - begin) || memcmp(part, begin, size)) {
		fail_msg("docs/ibtop-screen.md: %s is not what the tables say; "
			 "GLASS_WRITE_DOCS=1 writes it:\n%s", name, part);
	}
	free(part);
	free(doc);
}

static void test_keys_documented(void **state)
{
	(void)state;
	check("ibtop-keys", print_commands);
}

static void test_config_documented(void **state)
{
	(void)state;
	check("ibtop-config", print_config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_documented),
		cmocka_unit_test(test_config_documented),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
