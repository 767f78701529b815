// SPDX-License-Identifier: GPL-2.0-only
/* ibinject scenario: every error with its place; what a scenario does to a device. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

static char path[200];

static int one_device(void **state)
{
	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/inject/rules", "");
	cli_file("glass0/inject/journal", "");
	cli_file("glass0/inject/last_error", "");
	cli_file("glass0/bookmark", "");
	snprintf(path, sizeof(path), "%s/s.yaml", cli_root);
	return 0;
}

/* The text has these errors, "LINE:COLUMN: MESSAGE", and no other. */
static void has_errors(const char *text, const char *const *errors)
{
	char wanted[4096] = "";
	size_t len = 0;

	for (; *errors; errors++)
		len += snprintf(wanted + len, sizeof(wanted) - len, "%s:%s\n", path, *errors);
	cli_file("s.yaml", text);
	assert_int_equal(cli("scenario", "--dry-run", path, NULL), 2);
	assert_string_equal(cli_said, wanted);
}

#define errors_are(text, ...) has_errors(text, (const char *const[]){ __VA_ARGS__, NULL })

static void test_ibinject_errors(void **state)
{
	(void)state;
	errors_are("steps:\n  - add: op=wrte act=drop\n",
		   "2:13: `op` has no word `wrte`; did you mean `write`?");
	errors_are("steps:\n  - add: 'glass0: op=send,wrte act=drop'\n",
		   "2:27: `op` has no word `wrte`; did you mean `write`?");
	errors_are("steps:\n  - addd: act=drop\n",
		   "2:5: a step has no 'addd'; did you mean 'add'?", "2:5: this step does nothing");
	errors_are("stps: []\n", "1:1: a scenario has no 'stps'; did you mean 'steps'?");
	/* what a file says reaches the terminal as text */
	errors_are("limit: \"\\e]0;x\\ay\\n\"\nsteps: []\n",
		   "1:8: limit: '?]0;x?y?' is not a time (1.5s, 200ms)");
	cli_file("s.yaml", "steps:\n  - bookmark: \"\\e[2J\"\n");
	cli_has(0, ":2: bookmark ?[2J\n", "scenario", "-n", path);
	errors_are("steps: []\n", "1:1: there are no steps");
	errors_are("device: glass0\n", "1:1: there are no steps");
	errors_are("- add\n", "1:1: expected \"steps:\" and a list of steps");
	errors_are("steps: 5\n", "1:8: steps: expected a list (- add: ...)");
	errors_are("steps:\n  - clear\n", "2:5: expected a step, such as - add: RULE");
	errors_are("steps:\n  - at: 1.5\n    clear:\n",
		   "2:9: at: '1.5' is not a time (1.5s, 200ms)");
	errors_are("steps:\n  - at: 2s\n    clear:\n  - at: 1s\n    clear:\n",
		   "4:5: this step is before the one above it");
	errors_are("steps:\n  - add: name=a act=drop\n    del: a\n",
		   "3:5: a step does one thing: add, or del");
	errors_are("steps:\n  - clear:\n    clear:\n", "3:5: 'clear' is given twice");
	errors_are("steps:\n  - add: name=a act=drop\n  - after: b\n    clear:\n",
		   "3:5: no step above adds a rule name=b");
	errors_are("steps:\n  - add: name=a act=drop\n  - after: a:0\n    clear:\n",
		   "3:14: after: '0' is not a number from 1 on");
	errors_are("steps:\n  - add: name=a act=drop\n  - expect: {rule: a, fird: 1}\n",
		   "3:23: expect has no 'fird'; did you mean 'fired'?");
	errors_are("steps:\n  - expect: {fired: 3..1}\n", "2:21: fired: '3..1' is not a number or LOW..HIGH",
		   "2:13: expect: which rule?");
	errors_are("steps:\n  - expect: a\n", "2:13: expect: wanted {rule: NAME, fired: N}");
	errors_are("steps:\n  - bookmark: ''\n", "2:15: a bookmark has 1 to 200 bytes");
	errors_are("limit: soon\nsteps:\n  - add: act=dorp\n",
		   "1:8: limit: 'soon' is not a time (1.5s, 200ms)",
		   "3:14: there is no action `dorp`; did you mean `drop`?");
}

/* What is no YAML at all: libyaml says what, we say where. */
static void test_ibinject_not_yaml(void **state)
{
	char place[256];

	(void)state;
	cli_file("s.yaml", "steps:\n  - add: 'open\n");
	assert_int_equal(cli("scenario", "-n", path, NULL), 2);
	snprintf(place, sizeof(place), "%s:3:1: ", path);
	assert_memory_equal(cli_said, place, strlen(place));
	cli_file("s.yaml", "steps:\n\t- clear:\n");
	assert_int_equal(cli("scenario", "-n", path, NULL), 2);
	snprintf(place, sizeof(place), "%s:2:1: ", path);
	assert_memory_equal(cli_said, place, strlen(place));
	cli_file("s.yaml", "");
	assert_int_equal(cli("scenario", "-n", path, NULL), 2);
	cli_has(2, "No such file", "scenario", "no/such/file");
	cli_has(2, "which file?", "scenario");
	cli_has(122, "which file?", "scenario", "--", "true");
}

static void test_ibinject_good(void **state)
{
	(void)state;
	cli_file("s.yaml", "device: glass0\n"
			   "limit: 30s\n"
			   "steps:\n"
			   "  - add: name=loss op=write nth=3 act=drop\n"
			   "  - after: loss:2\n"
			   "    bookmark: 'second loss'\n"
			   "  - at: 1.5s\n"
			   "    add: 'glass1: name=dead act=qp_fatal qpn=0x11'\n"
			   "  - expect: {rule: loss, fired: 1..3, within: 200ms}\n"
			   "  - step: 3\n"
			   "  - release:\n"
			   "  - clear: glass1\n"
			   "  - del: loss\n");
	assert_int_equal(cli("scenario", "-n", path, NULL), 0);
	/* what would be done is printed */
	assert_non_null(strstr(cli_said, "s.yaml:4: add glass0 name=loss op=write nth=3 act=drop\n"));
	assert_non_null(strstr(cli_said, "s.yaml:5: after=loss:2 bookmark glass0 second loss\n"));
	assert_non_null(strstr(cli_said, "s.yaml:8: at=1.500000000s add glass1 name=dead act=qp_fatal qpn=0x11\n"));
	assert_non_null(strstr(cli_said, "s.yaml:9: expect loss fired=1..3\n"));
	assert_non_null(strstr(cli_said, "s.yaml:10: step glass0 n=3\n"));
	assert_non_null(strstr(cli_said, "s.yaml:12: clear glass1\n"));
	assert_string_equal(cli_text("glass0/inject/rules"), "");
	errors_are("steps:\n  - step: 1..3\n", "2:11: step: expected a number of packets, from 1 on");
	errors_are("steps:\n  - step: 0\n", "2:11: step: expected a number of packets, from 1 on");
}

/* What ends a rule whose step was not reached is not done, and that is told; the other steps go on. */
static void test_ibinject_not_added(void **state)
{
	(void)state;
	cli_file("s.yaml", "limit: 20ms\n"
			   "steps:\n"
			   "  - add: name=a act=drop\n"
			   "  - after: a\n"
			   "    add: name=b act=dup\n"
			   "  - del: b\n"
			   "  - expect: {rule: a, fired: 5}\n");
	cli_has(4, ":6:5: rule b was never added", "scenario", path);
	assert_non_null(strstr(cli_said, ":7:5: rule a fired 0 times, not 5"));
}

/* The file of rules takes nothing: where no packet can be let go, that is told, and the other steps go on. */
static void test_ibinject_nothing_waits(void **state)
{
	char rules[300];

	(void)state;
	cli_file("s.yaml", "steps:\n"
			   "  - step: 2\n"
			   "  - bookmark: behind\n");
	snprintf(rules, sizeof(rules), "%s/glass0/inject/rules", cli_root);
	unlink(rules);
	assert_int_equal(symlink("/dev/full", rules), 0);
	cli_has(4, ":2:5: glass0 has 4096 rules already", "scenario", path);
	assert_string_equal(cli_text("glass0/bookmark"), "behind");
}

/* That results cannot be written is told before the command has run. */
static void test_ibinject_json_first(void **state)
{
	(void)state;
	cli_file("s.yaml", "steps:\n  - add: name=a act=drop\n");
	cli_is(121, "ibinject: /no/such/file: No such file or directory\n", "scenario", "-j", "/no/such/file",
	       path, "--", "echo", "ran");
}

/* What goes to the driver, in order */
static void test_ibinject_play(void **state)
{
	(void)state;
	cli_file("s.yaml", "steps:\n"
			   "  - add: op=write act=drop\n"
			   "  - add: name=b act=dup tie=1\n"
			   "  - bookmark: here\n"
			   "  - step: 2\n"
			   "  - del: b\n"
			   "  - at: 20ms\n"
			   "    release:\n");
	cli_has(0, "ibinject: on glass0\n", "scenario", path);
	assert_string_equal(cli_text("glass0/inject/rules"),
			    "add name=scenario.1 op=write act=drop tie=fd"
			    "add name=b act=dup tie=1"
			    "step n=2"
			    "del name=b"
			    "release"
			    "del name=scenario.1");
	assert_string_equal(cli_text("glass0/bookmark"), "here");
}

/* An expectation that does not come true, a step that is not reached: told with their places. */
static void test_ibinject_unmet(void **state)
{
	char place[256];

	(void)state;
	cli_file("s.yaml", "steps:\n"
			   "  - add: name=a act=drop\n"
			   "  - expect: {rule: a, fired: 2, within: 10ms}\n"
			   "  - expect: {rule: a, fired: 0}\n");
	assert_int_equal(cli("scenario", path, NULL), 4);
	snprintf(place, sizeof(place), "%s:3:5: rule a fired 0 times, not 2 (at 0.0", path);
	assert_non_null(strstr(cli_said, place));
	assert_null(strstr(cli_said, ":4:5"));
	assert_int_equal(cli("scenario", path, "--", "true", NULL), 124);

	cli_file("s.yaml", "steps:\n  - add: name=a act=drop\n  - after: a\n    clear:\n");
	cli_has(124, ":3:5: this step was not reached: the command has ended", "scenario", path, "--",
		"true");
	cli_file("s.yaml", "limit: 20ms\nsteps:\n  - add: name=a act=drop\n  - after: a\n    clear:\n");
	cli_has(4, ":4:5: this step was not reached: the time limit came first", "scenario", path);
}

/* The command's own status goes through; one that does not end is ended. */
static void test_ibinject_command(void **state)
{
	(void)state;
	cli_file("s.yaml", "limit: 200ms\nsteps:\n  - add: name=a act=drop\n");
	assert_int_equal(cli("scenario", path, "--", "sh", "-c", "exit 9", NULL), 9);
	cli_has(127, "no/such", "scenario", path, "--", "no/such");
	cli_has(124, "the time limit has passed", "scenario", path, "--", "tail", "-f", "/dev/null");
	cli_file("glass0/inject/rules", "add name=a act=drop hit=2 eligible=4\n");
	cli_file("s.yaml", "steps:\n  - expect: {rule: a}\n");
	cli_has(2, "no step above adds a rule name=a", "scenario", path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibinject_errors, one_device),
		cmocka_unit_test_setup(test_ibinject_not_yaml, one_device),
		cmocka_unit_test_setup(test_ibinject_good, one_device),
		cmocka_unit_test_setup(test_ibinject_not_added, one_device),
		cmocka_unit_test_setup(test_ibinject_nothing_waits, one_device),
		cmocka_unit_test_setup(test_ibinject_json_first, one_device),
		cmocka_unit_test_setup(test_ibinject_play, one_device),
		cmocka_unit_test_setup(test_ibinject_unmet, one_device),
		cmocka_unit_test_setup(test_ibinject_command, one_device),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
