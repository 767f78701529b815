// SPDX-License-Identifier: GPL-2.0-only
/* iblint's JSON and SARIF, its suppressions, and what it explains. */
#define _GNU_SOURCE
#include "iblint_cli.h"

#include <json-c/json.h>

#include "iblint/explain.h"

#define FOUND                                                                                      \
	"1 GL012 error qp 0x12 312 ib_send_bw glass1:0x11 311 ib_send_lat 3 1000 2000 1024 512 "   \
	"RECV%20of%20512 - - -\n"                                                                        \
	"2 GL001 warning cq 4 312 ib_send_bw - - - 1 900 900 16 32 CQ%20of%2016 - - -\n"                 \
	"3 GL017 speed device - 313 ucx_perftest - - - 5 900 900 1000 100 % - - -\n"

static int begin(void **state)
{
	char file[400];

	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/lint/scope", "");
	cli_file("glass0/lint/findings", LINT_HEADER);
	cli_file("home/project/src/empty", "");
	snprintf(file, sizeof(file), "%s/home", cli_root);
	setenv("HOME", file, 1);
	snprintf(file, sizeof(file), "%s/glass0/lint/findings", cli_root);
	setenv("FINDINGS", file, 1);
	setenv("LINES_FOUND", FOUND, 1);
	return chdir(cli_root) || chdir("home/project/src");
}

#define FIND "sh", "-c", "printf %s \"$LINES_FOUND\" >>\"$FINDINGS\"; exit 5"

static json_object *parsed(const char *text)
{
	json_object *json = json_tokener_parse(text);

	if (!json)
		fail_msg("not JSON: %s", text);
	return json;
}

/* The member at a path of names and numbers: "runs.0.tool" */
static json_object *at(json_object *json, const char *path)
{
	char *copy = strdup(path), *rest = copy, *word;

	while (json && (word = strsep(&rest, "."))) {
		if (*word >= '0' && *word <= '9')
			json = json_object_array_get_idx(json, atoi(word));
		else
			json = json_object_object_get(json, word);
	}
	free(copy);
	return json;
}

static void text_is(json_object *json, const char *path, const char *want)
{
	assert_string_equal(json_object_get_string(at(json, path)), want);
}

static void number_is(json_object *json, const char *path, int64_t want)
{
	assert_true(json_object_is_type(at(json, path), json_type_int));
	assert_int_equal(json_object_get_int64(at(json, path)), want);
}

static void test_iblint_json(void **state)
{
	json_object *json;

	(void)state;
	assert_int_equal(cli("-q", "--json", FIND, NULL), 5);
	json = parsed(cli_said);
	number_is(json, "version", 1);
	number_is(json, "status", 5);
	text_is(json, "command.0", "sh");
	text_is(json, "devices.0", "glass0");
	assert_int_equal(json_object_array_length(at(json, "findings")), 3);
	/* the worst first */
	text_is(json, "findings.0.code", "GL012");
	text_is(json, "findings.0.word", "recv_too_short");
	text_is(json, "findings.0.severity", "error");
	text_is(json, "findings.0.kind", "qp");
	number_is(json, "findings.0.num", 0x12);
	number_is(json, "findings.0.pid", 312);
	text_is(json, "findings.0.comm", "ib_send_bw");
	text_is(json, "findings.0.peer", "glass1:0x11");
	number_is(json, "findings.0.peer_pid", 311);
	number_is(json, "findings.0.count", 3);
	number_is(json, "findings.0.seen", 1024);
	number_is(json, "findings.0.expected", 512);
	text_is(json, "findings.0.text", "RECV of 512");
	text_is(json, "findings.2.code", "GL017");
	assert_null(at(json, "findings.2.num"));
	assert_null(at(json, "findings.2.suppressed"));
	number_is(json, "summary.error", 1);
	number_is(json, "summary.warning", 1);
	number_is(json, "summary.speed", 1);
	number_is(json, "summary.leak", 0);
	number_is(json, "summary.suppressed", 0);
	json_object_put(json);
}

static void test_iblint_json_lines(void **state)
{
	char *line, *rest;
	json_object *json;
	int n = 0;

	(void)state;
	assert_int_equal(cli("-q", "--json-lines", FIND, NULL), 5);
	rest = cli_said;
	while ((line = strsep(&rest, "\n")) && *line) {
		json = parsed(line);
		number_is(json, "id", ++n);
		json_object_put(json);
	}
	assert_int_equal(n, 3);
}

static void test_iblint_sarif(void **state)
{
	json_object *json;
	char file[400];

	(void)state;
	cli_file("home/project/.iblintrc", "mute GL001 comm=ib_* # small on purpose\n");
	assert_int_equal(cli("-q", "--sarif=out.sarif", FIND, NULL), 5);
	assert_string_equal(cli_said, "");
	json = json_object_from_file("out.sarif");
	assert_non_null(json);
	text_is(json, "version", "2.1.0");
	assert_non_null(strstr(json_object_get_string(at(json, "$schema")), "sarif-schema-2.1.0.json"));
	text_is(json, "runs.0.tool.driver.name", "iblint");
	assert_int_equal(json_object_array_length(at(json, "runs.0.results")), 3);
	assert_int_equal(json_object_array_length(at(json, "runs.0.tool.driver.rules")), 3);
	text_is(json, "runs.0.results.0.ruleId", "GL012");
	number_is(json, "runs.0.results.0.ruleIndex", 0);
	text_is(json, "runs.0.tool.driver.rules.0.id", "GL012");
	text_is(json, "runs.0.tool.driver.rules.0.name", "RecvTooShort");
	text_is(json, "runs.0.tool.driver.rules.0.defaultConfiguration.level", "error");
	text_is(json, "runs.0.results.0.level", "error");
	number_is(json, "runs.0.results.0.occurrenceCount", 3);
	text_is(json, "runs.0.results.0.message.text",
		"RECV of 512 (ib_send_bw, pid 312; peer glass1:0x11). "
		"Post receives for the longest message that the peer may send.");
	text_is(json, "runs.0.results.0.locations.0.logicalLocations.0.fullyQualifiedName",
		"glass0/qp:0x12");
	/* where the shell is, is another matter */
	assert_memory_equal(json_object_get_string(at(
				    json, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri")),
			    "file:///", 8);
	assert_null(at(json, "runs.0.results.0.suppressions"));
	text_is(json, "runs.0.results.1.ruleId", "GL001");
	text_is(json, "runs.0.results.1.level", "warning");
	text_is(json, "runs.0.results.1.suppressions.0.kind", "external");
	text_is(json, "runs.0.results.1.suppressions.0.justification", "small on purpose");
	text_is(json, "runs.0.results.2.level", "note");
	number_is(json, "runs.0.invocations.0.properties.status", 5);
	assert_true(json_object_get_boolean(at(json, "runs.0.invocations.0.executionSuccessful")));
	assert_non_null(strchr(json_object_get_string(at(json, "runs.0.invocations.0.startTimeUtc")), 'Z'));
	json_object_put(json);
	/* the path of a program with a blank in it */
	snprintf(file, sizeof(file), "%s/home/project/src/a b", cli_root);
	cli_file("home/project/src/a b", "#!/bin/sh\nprintf %s \"$LINES_FOUND\" >>\"$FINDINGS\"\n");
	chmod(file, 0755);
	cli_file("glass0/lint/findings", LINT_HEADER);
	assert_int_equal(cli("-q", "--sarif=out.sarif", "./a b", NULL), 0);
	json = json_object_from_file("out.sarif");
	assert_non_null(strstr(
		json_object_get_string(
			at(json, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri")),
		"/home/project/src/a%20b"));
	json_object_put(json);
}

/* The text of findings that are not suppressed */
static void test_iblint_mute(void **state)
{
	(void)state;
	cli_has(5, "iblint: 2 findings: 1 warning, 1 of speed; 1 suppressed\n", "-b", "--mute", "GL012", FIND);
	assert_null(strstr(cli_said, "RECV of"));
	begin(NULL);
	cli_has(5, "iblint: 1 finding: 1 of speed; 2 suppressed\n", "-b", "--mute", "all comm=ib_*", FIND);
	begin(NULL);
	cli_has(5, "; 1 suppressed", "-b", "--mute", "all kind=qp num=18", FIND);
	begin(NULL);
	cli_has(5, "1 of speed\n", "-b", "--mute", "all kind=qp num=19", "--mute", "all dev=glass1", "--mute",
		"GL017 comm=ib_send_bw", FIND);
	begin(NULL);
	/* what is suppressed makes nothing fail */
	assert_int_equal(cli("-q", "--fail-on", "any", "--mute", "recv_too_short,GL001,GL017", FIND, NULL), 5);
	begin(NULL);
	assert_int_equal(cli("-q", "--fail-on", "any", "--mute", "recv_too_short,GL001", FIND, NULL), 120);
	/* names as in the driver's scopes: no sets of characters, %XX is a byte */
	begin(NULL);
	cli_has(5, "; 2 suppressed\n", "-b", "--mute", "all comm=ib?se%6ed_*", FIND);
	begin(NULL);
	cli_has(5, "iblint: 3 findings: 1 error, 1 warning, 1 of speed\n", "-b", "--mute",
		"all comm=ib_[rs]end*", FIND);
	cli_is(122, "iblint: --mute: comm=ibv_srq_pingpong: a name has 1 to 15 bytes, the kernel keeps no more; %XX is a byte\n",
	       "--mute", "GL001 comm=ibv_srq_pingpong", "true");
	cli_is(122, "iblint: --mute: comm=a%2: a name has 1 to 15 bytes, the kernel keeps no more; %XX is a byte\n",
	       "--mute", "GL001 comm=a%2", "true");
	cli_is(122, "iblint: --mute: there is no code 'GL99'; \"iblint --list\" lists them\n", "--mute", "GL99",
	       "true");
	cli_is(122, "iblint: --mute: which codes?\n", "--mute", " ", "true");
	cli_is(122, "iblint: --mute: num= needs a kind=: each kind of object has its own numbers\n", "--mute",
	       "GL001 num=3", "true");
	cli_is(122, "iblint: --mute: num=x: not a number\n", "--mute", "GL001 kind=cq num=x", "true");
	cli_is(122, "iblint: --mute: there is no key 'com=x'; did you mean comm=?\n", "--mute", "GL001 com=x",
	       "true");
}

/* Suppresses all in the project, and less above it. The project's file has that owner and mode. */
static void two_files(uid_t owner, mode_t mode)
{
	begin(NULL);
	cli_file("home/.iblintrc", "mute GL012\n");
	cli_file("home/project/.iblintrc", "mute all\n");
	assert_int_equal(chown("../.iblintrc", owner, -1), 0);
	assert_int_equal(chmod("../.iblintrc", mode), 0);
}

/* What another user may have put there suppresses nothing: the next one above holds. */
static void test_iblint_rcfile_of_others(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	two_files(12345, 0644);
	assert_int_equal(cli("-b", FIND, NULL), 5);
	assert_non_null(strstr(cli_said, "/.iblintrc is ignored: it belongs to user 12345;"));
	assert_non_null(strstr(cli_said, "; 1 suppressed"));
	two_files(12345, 0644);
	cli_has(5, "no findings; 3 suppressed", "-b", "--rcfile=../.iblintrc", FIND);
	/* of who called sudo */
	setenv("SUDO_UID", "12345", 1);
	two_files(12345, 0644);
	cli_has(5, "no findings; 3 suppressed", "-b", FIND);
	setenv("SUDO_UID", "123456", 1);
	two_files(12345, 0644);
	cli_has(5, "; 1 suppressed", "-b", FIND);
	unsetenv("SUDO_UID");
	two_files(0, 0666);
	cli_has(5, "every user may write to it", "-b", FIND);
	/* nobody writes into it: it must not be waited for */
	begin(NULL);
	assert_int_equal(mkfifo("../.iblintrc", 0600), 0);
	cli_has(5, "it is not a regular file", "-b", FIND);
}

/* Which file: the nearest above, else that of HOME, else none */
static void test_iblint_rcfile(void **state)
{
	(void)state;
	cli_file("home/.iblintrc", "mute GL012\n");
	cli_has(5, "; 1 suppressed", "-b", FIND);
	begin(NULL);
	cli_file("home/project/.iblintrc", "# ours\n\n  mute GL001,GL012 # known\nmute\tGL017\n");
	cli_has(5, "no findings; 3 suppressed", "-b", FIND);
	begin(NULL);
	cli_file("home/project/.iblintrc", "mute all\n");
	cli_has(5, "1 of speed\n", "-b", "--no-rcfile", FIND);
	begin(NULL);
	cli_file("home/project/.iblintrc", "mute all\n");
	cli_file("other", "mute GL012\n");
	cli_has(5, "; 1 suppressed", "-b", "--rcfile=../../../other", FIND);
	begin(NULL);
	cli_has(122, "none: No such file", "--rcfile=none", "true");
	/* each wrong line */
	cli_file("home/project/.iblintrc", "mut GL001\nmute GL001\nmute nothing=5\nmute GL002 x\n");
	assert_int_equal(cli("true", NULL), 122);
	assert_non_null(strstr(cli_said, "/.iblintrc:1: 'mut': a line begins with mute\n"));
	assert_non_null(strstr(cli_said, "/.iblintrc:3: there is no code 'nothing=5'"));
	assert_non_null(strstr(cli_said, "/.iblintrc:4: 'x' is unknown; expected comm=GLOB"));
	assert_null(strstr(cli_said, "rc:2"));
}

static void test_iblint_list(void **state)
{
	json_object *json;
	unsigned int i;

	(void)state;
	cli_has(0, "GL021  error       on      stale_key ", "--list");
	for (i = 1; i <= GLASS_LINT_COUNT; i++)
		assert_true(!codes[i].word || strstr(cli_said, codes[i].title));
	assert_int_equal(cli("--list", "--json", NULL), 0);
	json = parsed(cli_said);
	assert_int_equal(json_object_array_length(json), GLASS_LINT_COUNT);
	text_is(json, "20.code", "GL021");
	text_is(json, "39.default", "costly");
	json_object_put(json);
	cli_has(0, "\nqpn_reuse             a new QP gets the lowest free QPN", "--list=knobs");
	assert_int_equal(cli("--list=knobs", "--json", NULL), 0);
	json = parsed(cli_said);
	assert_int_equal(json_object_array_length(json), GLASS_BEHAVIOR_COUNT);
	json_object_put(json);
	cli_has(122, "'x' is unknown; expected codes or knobs", "--list=x");
	cli_has(122, "--list observes no program", "--list", "-p", "1");
}

static void test_iblint_explain(void **state)
{
	(void)state;
	lessons_root = cli_root;
	cli_file("GL021.md", "# Lesson\n\n<!-- for machines -->\nThe `key` is gone.\n");
	cli_is(0, "# Lesson\n\nThe `key` is gone.\n", "--explain", "GL021");
	cli_has(0, "# Lesson", "-x", "stale_key");
	/* without its lesson the table still tells */
	cli_has(121, "GL040: buffer was changed before its send completed\n\n"
		     "buffer_changed, error; costly: checked with --codes only\n\n"
		     "Do not change the buffer before you have polled the completion of the send.\n", "-x", "40");
	cli_has(121, "GL040: its lesson cannot be read: ", "--explain=GL021,GL040");
	assert_non_null(strstr(cli_said, "The `key` is gone."));
	cli_has(121, "GL001", "--explain", "GL021", "GL001");
	cli_has(122, "did you mean stale_key?", "-x", "stale-key");
}

/* On a terminal a lesson is read, not parsed; it goes through the pager. */
static void test_iblint_explain_on_a_terminal(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), status;
	char said[2000] = "", *name;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	(void)state;
	if (terminal < 0)
		skip();
	assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
	name = ptsname(terminal);
	lessons_root = cli_root;
	cli_file("GL021.md", "# Lesson\n\n> Do `it`. See [this](x.md).\n```c\nint i; /* `[a](b) */\n```\n"
			     "| where | what |\n| --- | --- |\n| ibtop | View `qp` |\n");
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	setenv("PAGER", "sed 's/^/>/'", 1);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"iblint", (char *)"-x", (char *)"GL021", NULL };
		int to = open(name, O_RDWR | O_NOCTTY);

		dup2(to, 1);
		exit(iblint_main(3, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	while (n < sizeof(said) - 1 && (got = read(terminal, said + n, sizeof(said) - 1 - n)) > 0)
		n += got;
	said[n] = 0;
	close(terminal);
	assert_string_equal(said, ">\033[1mLesson\033[0m\r\n>\r\n>Do it. See this.\r\n"
				  ">\033[36m    int i; /* `[a](b) */\033[0m\r\n"
				  ">  \033[1mibtop\033[0m: View qp\r\n");
}

/* The ways to name a code */
static void test_iblint_code(void **state)
{
	unsigned int i;
	char name[16];

	(void)state;
	for (i = 1; i <= GLASS_LINT_COUNT; i++) {
		snprintf(name, sizeof(name), "GL%03u", i);
		assert_int_equal(code_find(name), i);
		assert_int_equal(code_find(codes[i].word), i);
	}
	assert_int_equal(code_find("gl21"), GLASS_LINT_STALE_KEY);
	assert_int_equal(code_find("GL"), 0);
	assert_int_equal(code_find(""), 0);
	assert_int_equal(code_find("21x"), 0);
	assert_int_equal(code_find("99999999999999999999"), 0);
	/* each severity has a rank of its own */
	for (i = 1; i < GLASS_LINT_SEVERITY_COUNT; i++)
		assert_int_not_equal(severity_rank(i), severity_rank(i - 1));
	assert_int_equal(severity_rank(-1), severity_rank(GLASS_LINT_ERROR));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_iblint_json),	  TEST(test_iblint_json_lines), TEST(test_iblint_sarif),
		TEST(test_iblint_mute),	  TEST(test_iblint_rcfile),	TEST(test_iblint_list),
		TEST(test_iblint_rcfile_of_others),
		TEST(test_iblint_explain), TEST(test_iblint_explain_on_a_terminal),
		TEST(test_iblint_code),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
