// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/ibwhy.md: its tables are those of the source, its output is what the tool prints, its command
 * lines are what the tool takes; and the man page has every option.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>

#include "ibwhy/box.h"
#include "ibwhy/options.h"

#define TOOL_NAME "ibwhy"
#define TOOL_MAIN ibwhy_main
#include "tool_cli.h"

#include <wordexp.h>

#include "doc_section.h"
#include "lib/picture/story.h"
#include "lib/picture/write.h"
#include "lib/why/tell.h"
#include "stories.h"
#include "waits.h"

#define DOC "../../docs/ibwhy.md" /* from tests/unit, where make runs the tests */
#define MAN "../../ibwhy/ibwhy.8"

static void write_causes(FILE *to)
{
	int i;

	fputs("| code | first cause | do |\n| --- | --- | --- |\n", to);
	for (i = 0; i < WHY_CAUSE_COUNT; i++)
		fprintf(to, "| `%s` | %s | %s |\n", why_cause_word(i), why_cause_title(i),
			why_cause_advice(i));
}

static void write_ends(FILE *to)
{
	int i;

	fputs("| code | end of the chain | do |\n| --- | --- | --- |\n", to);
	for (i = 0; i < WHY_END_COUNT; i++)
		fprintf(to, "| `%s` | %s | %s |\n", why_end_word(i), why_end_title(i),
			why_end_advice(i));
}

/* ---- output */

static const struct told gone = { "gone", "retry", WHY_CAUSE_PEER_KILLED,
	{ { "REASON", "no_qp" }, { " destroy 1000 812 server 1000 - ", " exit 1000 812 server 1000 9 " } } };
static const struct told stale = { "stale", "access", WHY_CAUSE_KEY_STALE, { { NULL, NULL } } };
static const struct told unknown = { "unknown", "retry", WHY_CAUSE_UNDETERMINED,
	{ { "REASON", "qp_state" }, { "missing: -", "missing: remote" },
	  { "  changes: 3\n", "" } } };
static const struct told cq = { "cq", "cq", WHY_CAUSE_CQ_OVERRUN, { { "id: 3", "id: 4" } } };

/* width: as in struct why_style */
static void tell(FILE *to, const struct told *t, bool line, unsigned int width)
{
	const struct why_style style = { to, false, false, width };
	char *text = story_of(t);
	struct debugfs_file f = { 0 };
	struct why_reader r = { .file = &f };
	struct why_verdict v;
	struct why_story s;

	assert_int_equal(debugfs_copy(&f, "story", text, strlen(text)), 0);
	assert_true(why_story_read(&r, &s));
	why_reason(&s, &v);
	assert_int_equal(v.cause, t->cause);
	if (line)
		why_tell_list_line(&style, &s, &v);
	else
		why_tell_story(&style, &s, &v);
	why_story_free(&s);
	debugfs_free(&f);
	free(text);
}

static void write_story(FILE *to)
{
	fputs("```\n# ibwhy 3\n", to);
	tell(to, &stale, false, 0);
	fputs("```\n", to);
}

/* The diagram of the story above, for a terminal of 100 columns */
static void write_diagram(FILE *to)
{
	const struct picture_terminal terminal = { .width = 100, .utf8 = true };
	char *text = story_of(&stale), choice[400];
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct debugfs_file f = { 0 };
	struct why_reader r = { .file = &f };
	struct picture_wish wish;
	struct picture *p;
	struct why_story s;

	assert_int_equal(debugfs_copy(&f, "story", text, strlen(text)), 0);
	assert_true(why_story_read(&r, &s));
	assert_int_equal(picture_story(&s, book, NULL), 0);
	picture_story_wish(&s, &wish);
	p = picture_book_choose(book, &wish, choice, sizeof(choice));
	assert_non_null(p);
	p->zero = picture_story_zero(&s);
	fputs("```\n# ibwhy 3 --diagram      (behind the text)\n", to);
	picture_write_text(to, p, &terminal);
	fputs("```\n", to);
	picture_book_free(book);
	why_story_free(&s);
	debugfs_free(&f);
	free(text);
}

static void write_list(FILE *to)
{
	const struct why_style style = { to, false, false, 0 };

	fputs("```\n# ibwhy\n", to);
	why_tell_list_header(&style);
	tell(to, &gone, true, 0);
	tell(to, &cq, true, 0);
	fputs("```\n", to);
}

static void write_undetermined(FILE *to)
{
	fputs("```\n# ibwhy 3\n", to);
	tell(to, &unknown, false, 0);
	fputs("```\n", to);
}

static void write_hang(FILE *to)
{
	static const char *const text[WAIT_QPS] = {
		QP_TEXT("0x11", "glass1", "0x22", "811", "client", "rts", "rnr", "0"),
		QP_TEXT("0x22", "glass0", "0x11", "812", "server", "rts", "nothing", "0"), NULL };
	static const char *const dev[WAIT_QPS] = { "glass0", "glass1" };
	const struct why_style style = { to, false, false, 0 };
	struct why_process_state stopped = { 812, true };
	struct wait_world world;
	struct why_verdict v;

	wait_world(&world, text, dev);
	world.w.process = &stopped;
	world.w.processes = 1;
	fputs("```\n# ibwhy -p 811\n", to);
	why_tell_wait(&style, &v, why_wait(&world.w, &world.qp[0], &v));
	fputs("```\n", to);
	wait_world_free(&world);
}

static void write_cq_failed(FILE *to)
{
	static const char *const text[WAIT_QPS] = {
		QP_MORE("0x13", "302", "ibv_rc_pingpong", "err", "nothing", "scqn: 7\nrcqn: 7\n",
			"history:\n  change: when=1 age=5800000000 from=rts to=err cause=cq_overrun\n"), NULL };
	static const char *const dev[WAIT_QPS] = { "glass0" };
	const struct why_style style = { to, false, false, 0 };
	struct why_cq bad = { .dev = "glass0", .comm = "ibv_rc_pingpong", .cqn = 7, .pid = 302, .failed = true };
	struct why_failure failure = { .dev = "glass0", .object = "cq", .num = 7, .id = 1, .age = 5800000000,
				       .cause = WHY_CAUSE_INJECTED,
				       .last = "Injection rule x fired: cq_overrun. It was set by bash (pid 274)." };
	struct wait_world world;
	struct why_verdict v;

	wait_world(&world, text, dev);
	world.w.cq = &bad;
	world.w.cqs = 1;
	world.w.failure = &failure;
	world.w.failures = 1;
	fputs("```\n# ibwhy -p 302\n", to);
	why_tell_wait(&style, &v, why_wait(&world.w, &world.qp[0], &v));
	fputs("```\n", to);
	wait_world_free(&world);
}

static void test_ibwhy_doc_tables(void **state)
{
	(void)state;
	doc_check_section(DOC, "ibwhy_docs", "causes", write_causes);
	doc_check_section(DOC, "ibwhy_docs", "ends", write_ends);
}

static void test_ibwhy_doc_output(void **state)
{
	(void)state;
	doc_check_section(DOC, "ibwhy_docs", "story", write_story);
	doc_check_section(DOC, "ibwhy_docs", "diagram", write_diagram);
	doc_check_section(DOC, "ibwhy_docs", "list", write_list);
	doc_check_section(DOC, "ibwhy_docs", "undetermined", write_undetermined);
	doc_check_section(DOC, "ibwhy_docs", "hang", write_hang);
	doc_check_section(DOC, "ibwhy_docs", "cq_failed", write_cq_failed);
}

/* No line of a story is longer than a narrow terminal, and lines are not needlessly short. */
static void test_ibwhy_narrow(void **state)
{
	static const struct told *const stories[] = { &gone, &stale, &unknown, &cq };
	enum { WIDTH = 60 };
	size_t i, size, longest = 0;
	char *said, *rest, *line;
	FILE *to;

	(void)state;
	for (i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		to = open_memstream(&said, &size);
		assert_non_null(to);
		tell(to, stories[i], false, WIDTH);
		fclose(to);
		for (rest = said; (line = strsep(&rest, "\n"));) {
			if (strlen(line) > WIDTH)
				fail_msg("a line of %zu columns, not %d: %s", strlen(line), WIDTH, line);
			if (strlen(line) > longest)
				longest = strlen(line);
		}
		free(said);
	}
	assert_true(longest > WIDTH - 10);
}

/* Each line that begins with ibwhy in a block of code has options that there are. */
static void test_ibwhy_doc_examples(void **state)
{
	char *doc = doc_read(DOC), *rest = doc, *line;
	bool in_block = false;
	int tried = 0;

	(void)state;
	while ((line = strsep(&rest, "\n"))) {
		wordexp_t words;
		pid_t pid;
		int status;

		if (!strncmp(line, "```", 3))
			in_block = !in_block;
		if (!strncmp(line, "# ibwhy", 7))
			line += 2;
		if (!in_block || strncmp(line, "ibwhy", 5))
			continue;
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
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("it does not take: %s", line);
		wordfree(&words);
		tried++;
	}
	free(doc);
	assert_true(tried > 8);
}

/* Of each option that --help has */
static void test_ibwhy_man_options(void **state)
{
	char *man = doc_read(MAN), *rest = cli_said, *line;
	int options = 0;

	(void)state;
	assert_int_equal(cli("--help", NULL), 0);
	while ((line = strsep(&rest, "\n"))) {
		char option[100] = "\\-\\-", *to = option + 4, *at = strstr(line, "--");

		if (!at || at - line > 6 ||
		    strspn(line, " -abcdefghijklmnopqrstuvwxyzDV?,") < (size_t)(at - line))
			continue;
		for (at += 2; (*at >= 'a' && *at <= 'z') || *at == '-'; at++)
			to += sprintf(to, *at == '-' ? "\\-" : "%c", *at);
		if (!strcmp(option, "\\-\\-help") || !strcmp(option, "\\-\\-usage") ||
		    !strcmp(option, "\\-\\-version") || !option[4])
			continue;
		if (!strstr(man, option))
			fail_msg("the man page has no %s", option);
		options++;
	}
	assert_int_equal(options, 18);
	free(man);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibwhy_doc_tables),
		cmocka_unit_test(test_ibwhy_doc_output),
		cmocka_unit_test(test_ibwhy_narrow),
		cmocka_unit_test(test_ibwhy_doc_examples),
		cmocka_unit_test(test_ibwhy_man_options),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
