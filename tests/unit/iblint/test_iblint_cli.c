// SPDX-License-Identifier: GPL-2.0-only
/* iblint on devices that are files: what it asks of the driver, what it tells, how it ends. */
#define _GNU_SOURCE
#include "iblint_cli.h"

#include <json-c/json.h>

#include "iblint/code.h"

/* What a driver has: id code severity kind num pid comm peer peer_pid peer_comm count first last seen expected text */
#define SHORT_RECV(id, count)                                                                      \
	id " GL012 error qp 0x12 312 ib_send_bw glass1:0x11 311 ib_send_lat " count                \
	   " 1000 2000 1024 512 RECV%20of%20512%20bytes%20got%20a%20message%20of%201024 - - -\n"
#define STALE(id, pid)                                                                             \
	id " GL021 error mr 7 " pid " ucx - - - 1 1500 1500 0x1234 - key%200x1234%20was%20deregistered - - -\n"
#define SMALL_CQ(id) id " GL001 warning cq 4 312 ib_send_bw - - - 1 900 900 16 32 CQ%20of%2016 - - -\n"
#define AH_RATE(id)  id " GL017 speed device - 312 ib_send_bw - - - 5 900 900 1000 100 % - - -\n"

static char findings[400];

static int one_device(void **state)
{
	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/lint/scope", "");
	cli_file("glass0/lint/findings", LINT_HEADER);
	cli_file("glass0/behavior/srq_shuffle", "0\n");
	cli_file("glass0/behavior/qpn_reuse", "1\n");
	cli_file("glass0/behavior/equal_keys", "0\n");
	cli_file("home/empty", "");
	snprintf(findings, sizeof(findings), "%s/glass0/lint/findings", cli_root);
	setenv("FINDINGS", findings, 1);
	setenv("HOME", cli_root, 1);
	return chdir(cli_root) || chdir("home");
}

static int two_devices(void **state)
{
	one_device(state);
	cli_file("glass1/lint/scope", "");
	cli_file("glass1/lint/findings", LINT_HEADER);
	/* an adapter of a driver without lint */
	cli_file("glass2/qp", "");
	return 0;
}

/* Runs a shell that appends these lines to the findings, under iblint with one option */
static int finds_with(const char *option, const char *lines)
{
	setenv("LINES_FOUND", lines, 1);
	return cli(option, "sh", "-c", "printf %s \"$LINES_FOUND\" >>\"$FINDINGS\"", NULL);
}

static void said(const char *piece)
{
	if (!strstr(cli_said, piece))
		fail_msg("not said: %s\nsaid: %s", piece, cli_said);
}

static void not_said(const char *piece)
{
	if (strstr(cli_said, piece))
		fail_msg("said: %s\nin: %s", piece, cli_said);
}

static void test_iblint_tells(void **state)
{
	(void)state;
	assert_int_equal(finds_with("--no-rcfile", SHORT_RECV("1", "3") AH_RATE("2")), 0);
	assert_string_equal(
		cli_said,
		"glass0/qp:0x12: error: RECV of 512 bytes got a message of 1024 [GL012 recv_too_short]\n"
		"    in: ib_send_bw (pid 312); peer glass1:0x11 of ib_send_lat (pid 311)\n"
		"    seen: 1024, expected: 512\n"
		"    do: Post receives for the longest message that the peer may send.\n"
		"glass0: speed: creates an address handle for each send [GL017 ah_for_each_send]\n"
		"    in: ib_send_bw (pid 312)\n"
		"    seen: 1000, expected: 100\n"
		"    do: Reuse address handles: the creation of each costs a system call.\n"
		"iblint: 2 findings: 1 error, 1 of speed\n"
		"  GL012 error            3 times receive is too short for the message\n"
		"  GL017 speed            5 times creates an address handle for each send\n"
		"  what a code means, with a program that does it: iblint --explain CODE\n");
}

static void test_iblint_brief(void **state)
{
	(void)state;
	assert_int_equal(finds_with("-b", SHORT_RECV("1", "1") SHORT_RECV("2", "4")), 0);
	said("[GL012 recv_too_short]\nglass0/qp:0x12: error:");
	said("     5 times receive is too short for the message (in 2 places)\n");
	not_said("seen:");
	assert_int_equal(finds_with("-q", SMALL_CQ("3")), 0);
	assert_string_equal(cli_said, "");
}

/* Numbers are told as they are; addresses as addresses. */
static void test_iblint_values(void **state)
{
	(void)state;
	assert_int_equal(finds_with("--no-rcfile",
				    "1 GL025 error qp 54 1 c - - - 1 1 1 94118308274184 94118308274176 far - - -\n"
				    "2 GL025 error qp 55 1 c - - - 1 1 1 4294967295 - near - - -\n"), 0);
	said("glass0/qp:0x36: error: far");
	said("    seen: 0x5599a054e008, expected: 0x5599a054e000\n");
	said("    seen: 4294967295\n");
}

/* What was there before is not told; what is counted again is, and only so often. */
static void test_iblint_before(void **state)
{
	(void)state;
	cli_file("glass0/lint/findings", LINT_HEADER SHORT_RECV("1", "3") STALE("2", "1"));
	assert_int_equal(cli("true", NULL), 0);
	assert_string_equal(cli_said, "iblint: no findings\n");
	assert_int_equal(
		cli("sh", "-c",
		    "sed 's/ ib_send_lat 3 / ib_send_lat 10 /' \"$FINDINGS\" >new; cat new >\"$FINDINGS\"", NULL), 0);
	said("iblint: 1 finding: 1 error\n  GL012 error            7 times");
	not_said("GL021");
}

/* Advice is given once for a code. */
static void test_iblint_advice_once(void **state)
{
	const char *advice = "Post receives for the longest message", *at;

	(void)state;
	assert_int_equal(finds_with("--no-rcfile", SHORT_RECV("1", "3") SHORT_RECV("5", "1")), 0);
	at = strstr(cli_said, advice);
	assert_non_null(at);
	assert_null(strstr(at + 1, advice));
}

static void scope_is(const char *want)
{
	char mine[600];
	const char *got = cli_text("glass0/lint/scope");

	/* the process is iblint's own, whose number is not known here */
	if (!strncmp(want, "add pid=", 8)) {
		snprintf(mine, sizeof(mine), "add pid=%lu%s", strtoul(got + 8, NULL, 10), want + 8);
		want = mine;
	}
	assert_string_equal(got, want);
	cli_file("glass0/lint/scope", "");
}

static void test_iblint_scope(void **state)
{
	(void)state;
	cli_has(0, "no findings", "true");
	scope_is("add pid= stacks owner\n");
	cli_has(0, "no findings", "--codes", "GL012,stale_key,3", "true");
	scope_is("add pid= codes=GL003,GL012,GL021 stacks owner\n");
	cli_has(0, "no findings", "--codes", "all", "true");
	scope_is("add pid= codes=all stacks owner\n");
	cli_has(0, "no findings", "--codes", "default,buffer_changed", "--log", "true");
	scope_is("add pid= codes=default,GL040 log stacks owner\n");
	cli_has(0, "no findings", "--error", "GL036", "true");
	scope_is("add pid= stacks error=GL036 owner\n");
	/* what shall be an error must be looked for */
	cli_has(0, "no findings", "--error", "GL040", "true");
	scope_is("add pid= codes=default,GL040 stacks error=GL040 owner\n");
	cli_has(0, "no findings", "--all", "--for", "0.01");
	scope_is("add all owner\n");
	cli_has(0, "no findings", "--comm", "ib_*", "--comm", "a b%", "--for", "0.01");
	scope_is("add comm=ib_* owner\nadd comm=a%20b%25 owner\n");
	/* call stacks: of a command unless --no-where, of running programs with --where */
	cli_has(0, "no findings", "--no-where", "true");
	scope_is("add pid= owner\n");
	cli_has(0, "no findings", "--where", "--all", "--for", "0.01");
	scope_is("add all stacks owner\n");
	cli_has(122, "exclude each other", "--where", "--no-where", "true");
}

static void test_iblint_which_devices(void **state)
{
	(void)state;
	cli_has(0, "no findings", "true");
	assert_memory_equal(cli_text("glass1/lint/scope"), "add pid=", 8);
	cli_file("glass1/lint/scope", "");
	cli_has(0, "no findings", "-D", "glass0", "true");
	assert_string_equal(cli_text("glass1/lint/scope"), "");
	cli_is(123, "iblint: glass3: no such adapter; did you mean glass0?\n", "-D", "glass3", "true");
	cli_has(123, "glass2: no such adapter", "-D", "glass2", "true");
}

static void test_iblint_no_driver(void **state)
{
	(void)state;
	cli_end(NULL);
	assert_int_equal(mkdir(cli_root, 0755), 0);
	assert_int_equal(chdir(cli_root), 0);
	cli_has(123, "there is no adapter that can be linted", "true");
	assert_int_equal(chdir("/"), 0);
	cli_end(NULL);
	cli_has(123, "no Glass in this kernel, or debugfs is not mounted", "--no-rcfile", "true");
}

/* The command's own status, and those of iblint beside it */
static void test_iblint_status(void **state)
{
	(void)state;
	assert_int_equal(cli("sh", "-c", "exit 7", NULL), 7);
	assert_int_equal(cli("sh", "-c", "kill -TERM $$", NULL), 128 + 15);
	/* the words of the command are its own */
	cli_has(0, "-q --json\n", "echo", "-q", "--json");
	cli_has(0, "--all\n", "--", "echo", "--all");
	cli_has(127, "no/such/program", "no/such/program");
	cli_has(126, "Permission denied", "/dev/null");
	cli_has(122, "no program is given; expected a COMMAND", NULL);
	cli_has(122, "unrecognized option", "--nonsense", "true");
	cli_has(122, "a COMMAND excludes --pid", "--all", "true");
	cli_has(122, "only strict mode makes random choices", "--seed", "1", "true");
	cli_has(122, "there is no code 'stale_ky'; did you mean stale_key?", "-c", "stale_ky", "true");
	cli_has(122, "there is no code 'GL064'", "-c", "GL064", "true");
	cli_has(122, "there is no code 'GL000'", "-c", "GL000", "true");
	cli_has(122, "--error: there is no code 'foo'", "--error", "GL001,foo", "true");
	cli_has(122, "is not a process", "-p", "0");
	cli_has(122, "'1x' is not a number", "-p", "1x");
	cli_has(123, "there is no process 4194303", "-p", "4194303");
	cli_has(122, "--for: 'x' is not a number of seconds", "-a", "--for", "x");
	cli_has(122, "timeout(1)", "--for", "3", "true");
	cli_has(122, "did you mean srq_shuffle?", "--strict=srq_shufle", "true");
	cli_has(122, "the kernel keeps 15 characters of a name: abcdefghijklmno", "--comm",
		"abcdefghijklmnop", "--for", "1");
	cli_has(121, "no/such/dir/x: No such file", "-o", "no/such/dir/x", "true");
	cli_has(121, "no/such/dir/x: No such file", "--json=no/such/dir/x", "true");
}

static void test_iblint_fail_on(void **state)
{
	(void)state;
	assert_int_equal(finds_with("--fail-on=warning", SHORT_RECV("1", "1")), 120);
	assert_int_equal(finds_with("--fail-on=error", SMALL_CQ("2")), 0);
	assert_int_equal(finds_with("--fail-on=warning", SMALL_CQ("3")), 120);
	assert_int_equal(finds_with("--fail-on=warning", AH_RATE("4")), 0);
	assert_int_equal(finds_with("--fail-on=any", AH_RATE("5")), 120);
	assert_int_equal(finds_with("--fail-on=error,ah_for_each_send", AH_RATE("6")), 120);
	assert_int_equal(finds_with("--fail-on=GL012", AH_RATE("7")), 0);
	assert_int_equal(finds_with("--fail-on=never", SHORT_RECV("8", "1")), 0);
	/* it tells what the command's status was */
	setenv("LINES_FOUND", SHORT_RECV("9", "1"), 1);
	cli_has(120, "the command ended with 3", "--fail-on", "error", "sh", "-c",
		"printf %s \"$LINES_FOUND\" >>\"$FINDINGS\"; exit 3");
	cli_has(122, "did you mean warning?", "--fail-on", "warnings", "true");
}

/* While somebody else looks at other programs, their findings are not ours. */
static void test_iblint_others(void **state)
{
#define SEEN_BY(id, num, scopes) id " GL021 error mr " num " 1 x - - - 1 1 1 - - stale " scopes " - -\n"
	(void)state;
	/* as if 7 was the number that the driver gave to ours */
	cli_file("glass0/lint/scope", "add id=5 comm=other owner\nadd id=7 comm=mine owner\n");
	assert_int_equal(finds_with("-b", SEEN_BY("1", "11", "5") SEEN_BY("2", "12", "7") SEEN_BY("3", "13", "5:7")
					  SEEN_BY("4", "14", "77") SEEN_BY("5", "15", "-")), 0);
	not_said("mr:11:");
	said("mr:12:");
	said("mr:13:");
	not_said("mr:14:");
	/* a driver that does not tell */
	said("mr:15:");
	said("iblint: 3 findings");
}

/* Strict mode is there while the command runs, and gone behind it. */
static void test_iblint_strict(void **state)
{
	char *both = format_text("cat %s/glass0/behavior/srq_shuffle %s/glass0/behavior/qpn_reuse",
				 cli_root, cli_root);

	(void)state;
	cli_has(0, "1 seed=7", "--strict=srq_shuffle", "--seed", "7", "sh", "-c", both);
	assert_memory_equal(cli_text("glass0/behavior/srq_shuffle"), "0", 1);
	assert_string_equal(cli_text("glass0/behavior/qpn_reuse"), "1\n");
	cli_has(0, "1 seed=9", "--strict=srq_shuffle,qpn_reuse", "--seed", "9", "sh", "-c", both);
	assert_memory_equal(cli_text("glass0/behavior/qpn_reuse"), "1 seed=9", 8);
	/* a seed that was drawn is told */
	cli_has(0, "draws the same again", "--strict=srq_shuffle", "true");
	cli_has(121, "this driver has no behaviour poison_errors", "--strict", "--seed", "1", "true");
	cli_has(122, "equal_keys is for --lenient=equal_keys", "--strict=equal_keys", "true");
	assert_memory_equal(cli_text("glass0/behavior/srq_shuffle"), "0", 1);
	free(both);
}

/* All of strict mode is without what is lenient. */
static void test_iblint_lenient(void **state)
{
	char *cat = format_text("cat %s/glass0/behavior/equal_keys", cli_root);
	unsigned int i;

	(void)state;
	cli_has(0, "1 seed=0", "--lenient=equal_keys", "sh", "-c", cat);
	assert_memory_equal(cli_text("glass0/behavior/equal_keys"), "0", 1);
	cli_has(122, "qpn_reuse is for --strict=qpn_reuse", "--lenient=qpn_reuse", "true");
	cli_has(122, "did you mean equal_keys?", "--lenient=equal_key", "true");
	cli_has(122, "only strict mode makes random choices", "--lenient=equal_keys", "--seed", "1", "true");
	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
		char *file = format_text("glass0/behavior/%s", behaviors[i].word);

		cli_file(file, "0\n");
		free(file);
	}
	cli_is(0, "0\n", "-q", "--strict", "--seed", "1", "sh", "-c", cat);
	free(cat);
}

/* Also when iblint is killed */
static void test_iblint_strict_killed(void **state)
{
	static char *argv[] = { (char *)"iblint",      (char *)"--strict=srq_shuffle",
				(char *)"--seed",      (char *)"5",
				(char *)"sh",	       (char *)"-c",
				(char *)"kill -9 $PPID", NULL };
	int ends[2], status;
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		exit(iblint_main(7, argv));
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* until nobody of them is left */
	while (read(ends[0], &c, 1) > 0)
		;
	close(ends[0]);
	assert_memory_equal(cli_text("glass0/behavior/srq_shuffle"), "0 seed=5", 8);
}

/* What no terminal should get, lines that are none, columns and codes of the time to come */
/*
 * Twenty processes that nobody waits for become iblint's; the command ends with 0 when iblint has no more than
 * $MAY_STAY children beside it, and else, after many looks, with 9.
 */
#define ORPHANS                                                                                        \
	"i=0; while [ $((i += 1)) -le 20 ]; do (true &); done; i=0\n"                                  \
	"while [ $((i += 1)) -le 300 ]; do left=0\n"                                                    \
	"for f in /proc/[0-9]*/stat; do { read -r line <$f; } 2>/dev/null || continue\n"               \
	"case $line in $$\\ *) ;; *\\)\\ [A-Z]\\ $PPID\\ *) : $((left += 1));; esac; done\n"             \
	"[ $left -gt $MAY_STAY ] || exit 0; done; exit 9"

static void test_iblint_reaps(void **state)
{
	(void)state;
	setenv("MAY_STAY", "0", 1);
	cli_is(0, "iblint: no findings\n", "--no-rcfile", "sh", "-c", ORPHANS);
	/* the process that puts knobs back */
	setenv("MAY_STAY", "1", 1);
	cli_is(0, "iblint: no findings\n", "--no-rcfile", "--strict=srq_shuffle", "--seed", "7", "sh", "-c",
	       ORPHANS);
}

static void test_iblint_hostile(void **state)
{
	(void)state;
	assert_int_equal(finds_with("-b", "1 GL012 error qp 0x12 312 a%1b%5b31mb - - - 1 1 1 - - x%0ay%ff%25zz - - -\n"), 0);
	said("qp:0x12: error: x?y?%zz [GL012");
	not_said("\033");
	not_said("lint/findings:");
	/* what the driver cannot have written */
	assert_int_equal(finds_with("-b", "2 GL012 error qp 0x12 312 a - - - 1 1 1 - - x%0ay%ff%zz - - -\n"), 0);
	said("iblint: glass0/lint/findings:3: text: '%' without two hexadecimal digits, or %00: x%0ay%ff%zz; left out\n");
	said("iblint: no findings\n");
	assert_int_equal(finds_with("-b", "2 GL012 error qp\n\n#\n x\n3 no error qp 1 1 c - - - 1 1 1 - - t - - -\n"
					  "4 GL012 error qp 1 1 c - - - 1 1 1 - - not%20ended - - -"), 0);
	said("iblint: no findings\n");
	said("iblint: glass0/lint/findings:3: text: ");
	said("(5 more lines are bad); left out\n");
	cli_file("glass0/lint/findings", LINT_HEADER);
	assert_int_equal(finds_with("--fail-on=error", "5 GL099 horror qp 1 1 c - - - 1 1 1 - - new - - -\n"), 120);
	said("glass0/qp:0x1: finding: new [GL099]");
	said("1 of a kind newer than this iblint");
	cli_file("glass0/lint/findings", "# glass 1 lint: text more count code id\nt m 4 GL003 1\n");
	assert_int_equal(finds_with("-b", "a%20b m 4 GL003 2\n"), 0);
	said("glass0: finding: a b [GL003 never_signaled]");
	cli_file("glass0/lint/findings", "# glass 1 qp: id code\n");
	cli_has(121, "not a table that this iblint can read", "true");
	said("iblint: glass0/lint/findings:1: no table: the first line must begin with \"# glass 1 lint: \"; ");
}

static void test_iblint_lost(void **state)
{
	(void)state;
	cli_file("glass0/lint/findings", LINT_HEADER);
	assert_int_equal(finds_with("-b", SMALL_CQ("1") "# lost 12\n"), 0);
	said("iblint: 1 finding: 1 warning; the driver had no room for 12 more\n");
}

static void test_iblint_output(void **state)
{
	(void)state;
	assert_int_equal(finds_with("--output=told", SMALL_CQ("1")), 0);
	assert_string_equal(cli_said, "");
	assert_non_null(strstr(cli_text("home/told"), "glass0/cq:4: warning: CQ of 16 [GL001 cq_too_small]\n"));
	assert_null(strstr(cli_text("home/told"), "\033"));
}

static void test_iblint_full(void **state)
{
	(void)state;
	cli_full = true;
	cli_is(121, "iblint: standard output: No space left on device\n", "--list");
	cli_is(121, "iblint: standard output: No space left on device\n", "--list=knobs");
	cli_full = false;
}

#define TEST(name) cmocka_unit_test_setup(name, one_device)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_iblint_tells),	 TEST(test_iblint_brief),
		TEST(test_iblint_values),
		TEST(test_iblint_before),	 TEST(test_iblint_advice_once),
		TEST(test_iblint_scope),	 cmocka_unit_test_setup(test_iblint_which_devices, two_devices),
		TEST(test_iblint_no_driver),	 TEST(test_iblint_status),
		TEST(test_iblint_fail_on),	 TEST(test_iblint_others),
		TEST(test_iblint_strict),	 TEST(test_iblint_strict_killed),
		TEST(test_iblint_lenient),
		TEST(test_iblint_reaps),
		TEST(test_iblint_hostile),	 TEST(test_iblint_lost),
		TEST(test_iblint_output),	 TEST(test_iblint_full),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
