// SPDX-License-Identifier: GPL-2.0-only
/* ibinject on devices that are files: what it writes to them, which one it takes, how it ends. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#define TWO_RULES                                                                                  \
	"add name=r1 op=write nth=3 act=drop seed=7 hit=1 eligible=10\n"                           \
	"add name=down port=1 act=port_down hit=1 eligible=1\n"                                    \
	"add name=old act=dup hit=5 eligible=5 over=count\n"

/* One device, glass0, with these rules */
static int one_device(void **state)
{
	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_file("glass0/inject/journal", "");
	cli_file("glass0/inject/last_error", "");
	cli_file("glass0/bookmark", "");
	cli_file("glass0/qp", "# glass 1 qp: qpn qptype\n0x11 rc\n0x12 rc\n");
	return 0;
}

static int two_devices(void **state)
{
	one_device(state);
	cli_file("glass1/inject/rules", "");
	cli_file("glass1/inject/journal", "");
	cli_file("glass1/qp", "# glass 1 qp: qpn qptype\n0x12 rc\n0x13 rc\n");
	cli_file("glass1/cq", "# glass 1 cq: cqn\n4\n");
	/* no device: it has no rules */
	cli_file("topology/file", "");
	return 0;
}

static void test_ibinject_list(void **state)
{
	(void)state;
	cli_is(0,
	       "DEV      NAME              HIT   ELIGIBLE OVER   RULE\n"
	       "glass0   r1                  1         10 -      op=write nth=3 act=drop seed=7\n"
	       "glass0   down                1          1 -      port=1 act=port_down\n"
	       "glass0   old                 5          5 count  act=dup\n",
	       "list");
	cli_has(0, "\"name\":\"r1\",\n    \"act\":\"drop\",\n    \"hit\":1,\n    \"eligible\":10,", "list",
		"--json");
	cli_has(0, "\"nth\":3", "list", "--json");
	cli_has(0, "\"over\":\"count\"", "list", "--json", "glass0");
	cli_is(3, "ibinject: glass7: no such device; did you mean glass0?\n", "list", "glass7");
}

static void test_ibinject_status(void **state)
{
	(void)state;
	cli_file("glass0/inject/journal", "seq=41 time=1 name=r1 act=drop\nseq=42 time=2 name=r1 act=drop\n");
	cli_is(0, "glass0  rules 3  over 1  fired 42\n", "status");
	cli_file("glass0/inject/stats", "rules: 5\nwaiting: 2\n");
	cli_is(0, "glass0  rules 5  waiting 2\n", "status", "glass0");
	cli_has(0, "\"waiting\":2", "status", "--json");
}

/* What is given to the driver, byte by byte */
static void test_ibinject_add(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_is(0, "mine\nibinject: on glass0\n", "add", "name=mine", "op=write", "act=drop");
	assert_string_equal(cli_text("glass0/inject/rules"), "add name=mine op=write act=drop");
	/* the name is the one of the last rule */
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_file("glass0/inject/last_added", "r10\n");
	cli_is(0, "r10\n", "qp", "glass0:0x11", "fatal");
	assert_memory_equal(cli_text("glass0/inject/rules"), "add qpn=0x11 act=qp_fatal", 25);
	cli_is(3, "ibinject: glass1: no such device; did you mean glass0?\n", "add", "glass1",
	       "act=drop");
}

/* The object tells which device is meant, and only then. */
static void test_ibinject_which_device(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_is(0, "a\nibinject: on glass0\n", "qp", "0x11", "fatal", "--name", "a");
	cli_is(0, "b\nibinject: on glass1\n", "qp", "0x13", "fatal", "--name", "b");
	assert_string_equal(cli_text("glass1/inject/rules"), "add qpn=0x13 act=qp_fatal name=b");
	cli_is(0, "c\nibinject: on glass1\n", "cq", "4", "overrun", "--name", "c");
	cli_is(2, "ibinject: several devices have qp qpn=0x12: glass0 glass1; write DEV:NUMBER\n",
	       "qp", "0x12", "fatal");
	cli_is(3, "ibinject: no device has qp qpn=0x99\n", "qp", "0x99", "fatal");
	cli_is(2, "ibinject: no device is given; there are: glass0 glass1\n", "drop", "op==write");
	/* that of the one QP or CQ that a filter selects */
	cli_is(0, "d\nibinject: on glass0\n", "drop", "qpn==0x11 && op==write", "--nth", "3", "--name", "d");
	cli_is(0, "e\nibinject: on glass1\n", "wc", "qpn==0x13", "--status", "rem_access_err", "--name", "e");
	cli_is(0, "f\nibinject: on glass1\n", "cqe_lose", "cqn==4", "--name", "f");
	cli_is(2, "ibinject: several devices have qp qpn=0x12: glass0 glass1; write DEV:NUMBER\n",
	       "drop", "qpn==0x12");
	cli_is(3, "ibinject: no device has qp qpn=0x99\n", "drop", "qpn==0x99");
	cli_is(2, "ibinject: no device is given; there are: glass0 glass1\n", "drop", "qpn>=0x11");
}

/* Where there is one device, a rule may be there before the QP is. */
static void test_ibinject_rule_before_qp(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_is(0, "a\nibinject: on glass0\n", "drop", "qpn==0x99", "--name", "a");
}

/* Names are of one device; what is not clear changes nothing. */
static void test_ibinject_del_of_several(void **state)
{
	(void)state;
	cli_file("glass1/inject/rules", "add name=r1 act=dup hit=0 eligible=0\nadd name=b act=dup hit=0 eligible=0\n");
	cli_is(2, "ibinject: several devices have a rule r1: glass0 glass1; write: del DEV r1\n", "del", "r1");
	cli_is(2, "ibinject: several devices have a rule r1: glass0 glass1; write: del DEV r1\n", "del", "b", "r1");
	cli_is(1, "ibinject: glass7: no rule of this name\n", "del", "glass7", "b");
	cli_has(2, "no rule is given", "del", "glass0");
	assert_string_equal(cli_text("glass0/inject/rules"), TWO_RULES);
	assert_memory_equal(cli_text("glass1/inject/rules"), "add name=r1", 11);
	cli_is(0, "", "del", "glass1", "r1");
	assert_memory_equal(cli_text("glass1/inject/rules"), "del name=r1", 11);
	assert_string_equal(cli_text("glass0/inject/rules"), TWO_RULES);
}

/* The device with the packets, or the rule, need not be said. */
static void test_ibinject_step_which_device(void **state)
{
	(void)state;
	cli_file("glass0/inject/held", "# glass 1 held: num rule qpn\n");
	cli_file("glass1/inject/held", "# glass 1 held: num rule qpn\n");
	cli_is(1, "ibinject: no packet waits\n", "step");
	cli_is(0, "ibinject: no packet waits\n", "release");
	cli_is(0, "", "held");
	cli_file("glass1/inject/held", "# glass 1 held: num rule qpn\n1 h 0x11\n2 - 0x11\n3 i 0x12\n");
	cli_is(0, "dev=glass1 num=1 rule=h qpn=0x11\ndev=glass1 num=2 qpn=0x11\ndev=glass1 num=3 rule=i qpn=0x12\n",
	       "held");
	cli_is(0, "num=3 rule=i qpn=0x12\n", "held", "glass1", "i");
	cli_is(0, "dev=glass1 num=1 rule=h qpn=0x11\n", "held", "h");
	cli_has(0, "ibinject: on glass1\n", "step", "-n", "2");
	assert_string_equal(cli_text("glass1/inject/rules"), "step n=2");
	cli_file("glass1/inject/rules", "add name=h act=hold hit=0 eligible=0\n");
	cli_has(0, "ibinject: on glass1\n", "release", "h");
	cli_is(1, "ibinject: nosuch: neither a device nor a rule; there are: glass0 glass1\n", "step", "nosuch");
	cli_file("glass0/inject/held", "# glass 1 held: num rule qpn\n1 k 0x11\n");
	cli_is(2, "ibinject: several devices hold packets: glass0 glass1; name one\n", "release");
	cli_file("glass1/inject/rules", "add name=r1 act=hold hit=0 eligible=0\n");
	cli_is(2, "ibinject: several devices have a rule r1: glass0 glass1; write: DEV r1\n", "step", "r1");
}

/* Where results cannot be written, nothing runs. */
static void test_ibinject_files_first(void **state)
{
	char file[300];

	(void)state;
	cli_is(121, "ibinject: /no/such/file: No such file or directory\n", "record", "/no/such/file", "--", "echo",
	       "ran");
	cli_is(121, "ibinject: /no/such/file: No such file or directory\n", "run", "-j", "/no/such/file", "-r",
	       "act=drop", "--", "echo", "ran");
	snprintf(file, sizeof(file), "%s/record", cli_root);
	cli_file("record", "# ibinject record 1\n");
	cli_is(1, "ibinject: /no/such/file: No such file or directory\n", "shrink", "-o", "/no/such/file", file,
	       "--", "true");
}

/* What a fault broke for good is told when the rules end. */
static void test_ibinject_broken(void **state)
{
	(void)state;
	cli_file("glass0/qp", "# glass 1 qp: qpn state pid comm first_cause\n0x11 err 7 a%20b injected\n"
			      "0x12 err 8 x retry_exc\n0x13 rts 9 y none\n");
	cli_file("glass0/cq", "# glass 1 cq: cqn state pid comm\n4 err 7 a%20b\n5 ok 7 a%20b\n");
	cli_is(0,
	       "ibinject: glass0: qp 0x11 of a%20b (pid 7) stays broken\n"
	       "ibinject: glass0: cq 4 of a%20b (pid 7) stays broken\n",
	       "clear");
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_has(0, "ibinject: glass0: qp 0x11 of a%20b (pid 7) stays broken\n", "del", "r1");
	cli_has(0, "qp 0x11 of a%20b (pid 7) stays broken", "run", "-r", "act=drop", "--", "true");
}

/* What is lost on the way out is told. */
static void test_ibinject_full(void **state)
{
	(void)state;
	cli_is(0, "", "clear");
	cli_full = true;
	cli_is(1, "ibinject: standard output: No space left on device\n", "list");
	cli_is(1, "ibinject: standard output: No space left on device\n", "help", "keys");
	cli_full = false;
}

/* Words that end something are words, too; what is shown as an example can happen. */
static void test_ibinject_object_words(void **state)
{
	(void)state;
	cli_is(2, "ibinject: plgu: not what can happen to a device; did you mean plug?\n", "device", "glass0", "plgu");
	cli_has(2, "that is: up, down, flap, ", "port", "glass0:1", "sideways");
	cli_has(2, "such as: ibinject port glass0:1 down\n", "port", "glass0:1");
	cli_has(2, "such as: ibinject qp glass0:0x11 fatal\n", "qp", "glass0:1");
	/* "DEV: RULE", as run and scenarios take it */
	cli_file("glass1/inject/rules", "");
	cli_is(0, "b\n", "add", "glass1: name=b op=write act=drop");
	assert_string_equal(cli_text("glass1/inject/rules"), "add name=b op=write act=drop");
	cli_file("glass1/inject/rules", "");
	cli_is(0, "c\n", "add", "glass1:", "name=c", "act=dup");
	assert_string_equal(cli_text("glass1/inject/rules"), "add name=c act=dup");
	/* a QP without its device, as in "qp 0x11 fatal" */
	cli_file("glass0/inject/rules", "");
	cli_is(0, "a\nibinject: on glass0\n", "hold", "0x11", "--name", "a");
	assert_string_equal(cli_text("glass0/inject/rules"), "add qpn=0x11 act=hold name=a");
	cli_has(2, "`err` is a name such as ENOMEM, or a number from 1 to 4095\n", "fail", "--verb", "reg_mr",
		"--err", "0");
	assert_int_equal(cli("help", "sweep", NULL), 0);
	assert_non_null(strstr(cli_said, "Runs a command once without a fault"));
	assert_int_equal(cli("help", "wc", NULL), 0);
	assert_non_null(strstr(cli_said, "For completions that FILTER selects"));
}

/* A name is text, though it be of digits. */
static void test_ibinject_name_of_digits(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "add name=007 comm=12 nth=3 act=drop hit=1 eligible=10\n");
	cli_has(0, "\"name\":\"007\"", "list", "--json");
	assert_non_null(strstr(cli_said, "\"comm\":\"12\""));
	assert_non_null(strstr(cli_said, "\"nth\":3"));
}

static void test_ibinject_del_and_clear(void **state)
{
	(void)state;
	cli_is(0, "", "del", "r1");
	assert_memory_equal(cli_text("glass0/inject/rules"), "del name=r1", 11);
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_is(1, "ibinject: r2: no rule of this name; did you mean r1?\n", "del", "glass0", "r2");
	cli_is(2, "ibinject: a b: not a name of a rule\n", "del", "a b");
	cli_has(2, "no rule is given", "del");
	cli_is(0, "", "port", "glass0:1", "up");
	assert_memory_equal(cli_text("glass0/inject/rules"), "del name=down", 13);
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_is(1, "ibinject: glass0:2: no rule keeps this port down; \"ibinject list\" prints the rules\n",
	       "port", "glass0:2", "up");
	cli_is(1, "ibinject: glass0: no rule keeps this device away; \"ibinject list\" prints the rules\n",
	       "device", "glass0", "plug");
	cli_is(0, "", "clear");
	assert_memory_equal(cli_text("glass0/inject/rules"), "clear", 5);
}

/* A directory in place of the file: writing fails as it does in a driver that refuses. */
static void test_ibinject_no_driver(void **state)
{
	(void)state;
	cli_end(NULL);
	cli_has(3, "no Glass in this kernel, or debugfs is not mounted", "list");
	cli_has(3, "no Glass in this kernel", "add", "act=drop");
	cli_has(123, "no Glass in this kernel", "run", "-r", "act=drop", "--", "true");
	mkdir(cli_root, 0755);
	cli_has(3, "there is no adapter", "status");
}

/* As the driver has it: a program's own status goes through, ibinject's own are apart from it. */
static void test_ibinject_run(void **state)
{
	char rules[400];

	(void)state;
	snprintf(rules, sizeof(rules), "%s/glass0/inject/rules", cli_root);
	/* the rule is there while the command runs; afterwards it is ended */
	cli_has(0, "add name=run.1 op=write act=drop tie=fd", "run", "-r", "op=write act=drop", "--",
		"cat", rules);
	assert_non_null(strstr(cli_text("glass0/inject/rules"), "del name=run.1"));
	cli_has(0, "ibinject: glass0 run.1 fired 0 of 0 times: op=write act=drop\n", "run", "-r",
		"glass0: op=write act=drop", "--", "true");
	/* what acts at once is not tied */
	one_device(NULL);
	cli_has(0, "add name=run.1 qpn=0x11 act=qp_fatal", "run", "-r", "qpn=0x11 act=qp_fatal", "--",
		"cat", rules);
	assert_null(strstr(cli_said, "tie=fd"));
	assert_int_equal(cli("run", "-q", "-r", "act=drop", "--", "sh", "-c", "exit 7", NULL), 7);
	assert_int_equal(cli("run", "-q", "-r", "act=drop", "--", "sh", "-c", "kill -TERM $$", NULL),
			 128 + 15);
	cli_has(127, "no/such/program", "run", "-q", "-r", "act=drop", "--", "no/such/program");
	cli_has(126, "Permission denied", "run", "-q", "-r", "act=drop", "--", "/dev/null");
	cli_has(122, "  glass0: op=wrte act=drop\n             ^^^^\n", "run", "-r",
		"glass0: op=wrte act=drop", "--", "true");
	cli_has(122, "no rule is given", "run", "--", "true");
	cli_has(122, "no command is given", "run", "-r", "act=drop");
	cli_has(122, "unrecognized option", "run", "--nonsense", "--", "true");
	cli_has(123, "did you mean glass0?", "run", "-r", "glass3: act=drop", "--", "true");
}

static void test_ibinject_run_file(void **state)
{
	char file[400], command[500];

	(void)state;
	snprintf(file, sizeof(file), "%s/file", cli_root);
	cli_file("file", "# a comment\n\nglass0: op=write act=drop\n   op=read act=dup\n");
	cli_has(0, "run.2 fired 0 of 0 times: op=read act=dup", "run", "-f", file, "--", "true");
	cli_file("file", "op=write act=drop\n\n  op=wrte act=drop\n");
	assert_int_equal(cli("run", "-f", file, "--", "true", NULL), 122);
	assert_non_null(strstr(cli_said, "/file:3:6: `op` has no word `wrte`"));
	cli_has(122, "No such file", "run", "-f", "no/such/file", "--", "true");
	cli_has(122, "Is a directory", "run", "-f", cli_root, "--", "true");
	snprintf(command, sizeof(command), "printf 'act=drop\\n\\0\\1' >%s", file);
	assert_int_equal(system(command), 0);
	cli_has(122, "/file:2: not a line of text", "run", "-f", file, "--", "true");
}

static void test_ibinject_run_json(void **state)
{
	(void)state;
	cli_has(3, "\"status\":3", "run", "-q", "-j", "-", "-r", "act=drop name=x", "--", "sh", "-c",
		"exit 3");
	assert_non_null(strstr(cli_said, "\"name\":\"x\""));
}

static void test_ibinject_watch(void **state)
{
	(void)state;
	cli_file("glass0/inject/journal",
		 "seq=1 time=1500000000 name=r1 act=drop port=1 dir=tx\n"
		 "seq=4 time=2000001000 name=r1 act=dup port=1 dir=rx\n");
	cli_is(0,
	       "    1.500000 glass0 r1 drop port=1 dir=tx\n"
	       "(glass0: 2 that the driver does not remember)\n"
	       "    2.000001 glass0 r1 dup port=1 dir=rx\n",
	       "watch", "--all", "--count", "2");
	cli_is(0,
	       "{\"seq\":1,\"time\":1500000000,\"name\":\"r1\",\"act\":\"drop\",\"port\":1,\"dir\":\"tx\",\"dev\":\"glass0\"}\n",
	       "watch", "--all", "--json", "--count", "1");
}

static void test_ibinject_step(void **state)
{
	(void)state;
	cli_file("glass0/inject/held", "# glass 1 held: num qpn op\n1 0x11 send\n2 - write\n");
	cli_is(0, "num=1 qpn=0x11 op=send\nnum=2 op=write\nibinject: on glass0\n", "held");
	cli_is(0, "ibinject: glass0: no packet waits\n", "step", "glass0", "h", "-n", "2");
	assert_memory_equal(cli_text("glass0/inject/rules"), "step name=h n=2", 15);
	cli_is(0, "ibinject: glass0: no packet waits\n", "release", "glass0");
	assert_memory_equal(cli_text("glass0/inject/rules"), "release", 7);
	cli_has(2, "not a number from 1 on", "step", "-n", "0");
}

/*
 * What a command does with a fault, told by letters. The driver of these tests is a file: its rules say
 * how often each fired.
 */
static void test_ibinject_sweep(void **state)
{
	char file[300], run[900], command[400];

	(void)state;
	/* the rule of this name has fired, whatever is written over it */
	cli_file("glass0/inject/rules", "");
	snprintf(file, sizeof(file), "%s/results", cli_root);
	snprintf(run, sizeof(run),
		 "echo run >>%s/runs; rule=$(cat %s/glass0/inject/rules);"
		 "printf '%%-200s\nadd name=sweep.1 hit=1 eligible=1\n' '' >%s/glass0/inject/rules;"
		 "case $rule in *act=dup*nth=2*) exit 9;; *act=dup*) exit 5;; *act=delay*) kill -SEGV $$;;"
		 "*act=reorder*) exec tail -f /dev/null;; esac",
		 cli_root, cli_root, cli_root);
	/* each run begins with a file that has its rule alone */
	assert_int_equal(cli("sweep", "-a", "drop,dup,delay,reorder", "-n", "2", "-t", "1", "-w", "9",
			     "-o", file, "--", "sh", "-c", run, NULL),
			 4);
	assert_non_null(strstr(cli_said, "drop                                 ..\n"));
	assert_non_null(strstr(cli_said, "dup                                  eW\n"));
	assert_non_null(strstr(cli_said, "delay                                CC\n"));
	assert_non_null(strstr(cli_said, "reorder                              HH\n"));
	/* all is known: nothing runs again */
	cli_file("runs", "");
	assert_int_equal(cli("sweep", "-a", "drop,dup,delay,reorder", "-n", "2", "-t", "1", "-w", "9",
			     "-o", file, "--", "sh", "-c", run, NULL),
			 4);
	assert_non_null(strstr(cli_said, "eW\n"));
	assert_string_equal(cli_text("runs"), "");
	/* but a line that was cut off in the middle is as if it had never been */
	snprintf(command, sizeof(command), "truncate -s -9 %s", file);
	assert_int_equal(system(command), 0);
	assert_int_equal(cli("sweep", "-a", "drop,dup,delay,reorder", "-n", "2", "-t", "1", "-w", "9",
			     "-o", file, "--", "sh", "-c", run, NULL),
			 4);
	assert_non_null(strstr(cli_said, "reorder                              HH\n"));
	assert_string_equal(cli_text("runs"), "run\nrun\n");
	cli_has(2, "results of another command: sh -c ", "sweep", "-o", file, "--", "true");
	cli_file("other", "{\"command\":\"true\",\"dev\":\"glass7\"}\n");
	snprintf(file, sizeof(file), "%s/other", cli_root);
	cli_has(2, "results of -d glass7, not of glass0; -o must name another file", "sweep", "-o",
		file, "--", "true");
	cli_file("other", "{\"command\":\"true\",\"dev\":\"glass0\"}\nnonsense\n");
	cli_has(2, "other:2: this is no result of a sweep", "sweep", "-o", file, "--", "true");
}

/* What is kept is judged by the options of today, and run again where that does not do. */
static void test_ibinject_sweep_other_options(void **state)
{
	char file[300], run[900];
	size_t i;
	const struct {
		const char *limit, *wrong, *dup, *runs, *said;
	} cases[] = {
		/* nothing is known */
		{ "1", "9", "eW", "run\nrun\nrun\nrun\nrun\n", NULL },
		{ "1", "5", "We", "", NULL },
		{ "1", "7", "ee", "", NULL },
		/* what hung at one second may end within two */
		{ "2", "9", "eW", "run\nrun\nrun\n", "2 results of another --limit are run again" },
		{ "2", "9", "eW", "", NULL },
		{ "1", "9", "eW", "", NULL },
	};

	(void)state;
	cli_file("glass0/inject/rules", "");
	snprintf(file, sizeof(file), "%s/kept", cli_root);
	snprintf(run, sizeof(run),
		 "echo run >>%s/runs; rule=$(cat %s/glass0/inject/rules);"
		 "printf '%%-200s\nadd name=sweep.1 hit=1 eligible=1\n' '' >%s/glass0/inject/rules;"
		 "case $rule in *act=dup*nth=2*) exit 9;; *act=dup*) exit 5;;"
		 "*act=reorder*) exec tail -f /dev/null;; esac",
		 cli_root, cli_root, cli_root);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char dup[60];

		cli_file("runs", "");
		assert_int_equal(cli("sweep", "-a", "dup,reorder", "-n", "2", "-t", cases[i].limit,
				     "-w", cases[i].wrong, "-o", file, "--", "sh", "-c", run, NULL),
				 4);
		snprintf(dup, sizeof(dup), "dup                                  %s\n",
			 cases[i].dup);
		assert_non_null(strstr(cli_said, dup));
		assert_non_null(strstr(cli_said, "reorder                              HH\n"));
		assert_string_equal(cli_text("runs"), cases[i].runs);
		assert_int_equal(!!strstr(cli_said, "another --limit"), !!cases[i].said);
		if (cases[i].said)
			assert_non_null(strstr(cli_said, cases[i].said));
	}
}

static void test_ibinject_sweep_refuses(void **state)
{
	(void)state;
	/* what is written here is never read back as a rule that fired */
	cli_file("glass0/inject/rules", "");
	cli_has(1, "does not succeed without faults: error, status 3", "sweep", "-a", "drop", "--",
		"sh", "-c", "exit 3");
	cli_has(0, "drop                                 ---\n", "sweep", "-a", "drop", "--", "true");
	cli_has(0, "cqe_error status=loc_len_err         -\n", "sweep", "-n", "1", "-a", "cqe_error",
		"--", "true");
	assert_null(strstr(cli_said, "success"));
	cli_has(0, "\"verdict\":\"unhit\"", "sweep", "--json", "-n", "1", "-a", "drop", "--", "true");
	cli_has(2, "port_down is not an action on packets", "sweep", "-a", "drop,port_down", "--",
		"true");
	cli_has(0, "qp_fatal                             ---\n", "sweep", "-a", "qp_fatal", "--", "true");
	cli_has(0, "event event=cq_err                   -\nevent event=qp_fatal ", "sweep", "-n", "1",
		"-a", "event", "--", "true");
	assert_non_null(strstr(cli_said, "event event=gid_change               -\n"));
	cli_has(2, "the filter makes 2 rules", "sweep", "-a", "drop", "-f", "op==send || len==1", "--",
		"true");
	cli_has(2, "      ^^^^", "sweep", "-a", "drop", "-f", "op==wrte", "--", "true");
	cli_has(2, "no fault is named", "sweep", "-a", "", "--", "true");
	cli_has(2, "no command is given", "sweep");
	cli_has(127, "no/such", "sweep", "-a", "drop", "--", "no/such");
}

/* Actions that a filter cannot apply to are left out, unless -a names them. */
static void test_ibinject_sweep_leaves_out(void **state)
{
	static const char *const kernel = "pid==0 && qptype==rc";

	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_has(0, "so they are left out: cqe_lose, cqe_dup, fail\n", "sweep", "-n", "1", "-f", kernel, "--",
		"true");
	assert_non_null(strstr(cli_said, "drop                                 -\n"));
	assert_non_null(strstr(cli_said, "cqe_error status=wr_flush_err        -\n"));
	assert_non_null(strstr(cli_said, "qp_fatal                             -\n"));
	assert_null(strstr(cli_said, "fail verb"));
	cli_has(2, "a rule on verbs", "sweep", "-a", "drop,fail", "-f", kernel, "--", "true");
	cli_has(2, "of the kernel", "sweep", "-a", "cqe_lose", "-f", kernel, "--", "true");
	cli_has(2, "      ^^^^", "sweep", "-f", "op==wrte", "--", "true");
}

/* What happens to objects happens to those of the QP whose packet is held. */
static void test_ibinject_sweep_strikes(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_file("glass0/inject/held", "# glass 1 held: num rule hit qpn\n1 other yes 0x12\n2 sweep.1 yes 0x11\n");
	cli_file("glass0/qp", "# glass 1 qp: qpn scqn srqn port\n0x12 4 1 2\n0x11 3 - 1\n");
	cli_has(0, "event event=cq_err                   .\nevent event=qp_fatal                 .\n",
		"sweep", "-n", "1", "-a", "event,srq_fatal,qp_fatal", "-f", "comm==true", "--", "true");
	assert_non_null(strstr(cli_said, "event event=port_err                 .\n"));
	assert_non_null(strstr(cli_said, "event event=device_fatal             .\n"));
	assert_non_null(strstr(cli_said, "event event=srq_err                  -\n"));
	assert_non_null(strstr(cli_said, "srq_fatal                            -\n"));
	assert_non_null(strstr(cli_said, "qp_fatal                             .\n"));
	cli_has(0, "\"rule\":\"act=cq_overrun at comm=true act=hold\"", "sweep", "--json", "-n", "1", "-a",
		"cq_overrun", "-f", "comm==true", "--", "true");
	assert_non_null(strstr(cli_text("glass0/inject/rules"), "act=cq_overrun cqn=3"));
	cli_file("glass0/inject/held", "");
}

/* Without a word on whose, it is programs' packets that are hit, not those of who manages the fabric. */
static void test_ibinject_sweep_spares_the_kernel(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "");
	cli_has(0, "\"rule\":\"pid=1..2147483647 act=drop\"", "sweep", "--json", "-n", "1", "-a", "drop", "--",
		"true");
	cli_has(0, "\"rule\":\"pid=1..2147483647 op=send act=drop\"", "sweep", "--json", "-n", "1", "-a", "drop",
		"-f", "op==send", "--", "true");
	cli_has(0, "\"rule\":\"qptype=gsi act=drop\"", "sweep", "--json", "-n", "1", "-a", "drop", "-f",
		"qptype==gsi", "--", "true");
}

/*
 * Which of eight faults make it fail? Two of them together. The program takes its rules from the file
 * that is the driver of these tests, and empties it.
 */
static void test_ibinject_shrink(void **state)
{
	char file[300], few[300], run[400], record[2000] = "# ibinject record 1\n"
							   "rule glass0 add name=r op=send act=drop\n";
	int i;

	(void)state;
	cli_file("glass0/inject/rules", "");
	for (i = 1; i <= 8; i++)
		sprintf(record + strlen(record),
			"fired glass0 seq=%d time=%d name=r act=drop port=1 dir=tx qpn=0x11 nqp=1 role=req "
			"op=send psn=%d rpsn=%d round=1 len=0 n=%d pid=1 comm=x\n",
			i, i, i, i, i);
	sprintf(record + strlen(record),
		"fired glass0 seq=9 time=9 name=k act=qp_fatal qpn=0x11 pid=1 comm=x\n");
	cli_file("record", record);
	snprintf(file, sizeof(file), "%s/record", cli_root);
	snprintf(few, sizeof(few), "%s/few", cli_root);
	snprintf(run, sizeof(run),
		 "r=$(cat %s/glass0/inject/rules); : >%s/glass0/inject/rules;"
		 "case $r in *'rpsn=3 '*'rpsn=6 '*) exit 7;; esac",
		 cli_root, cli_root);
	assert_int_equal(cli("shrink", "-o", few, file, "--", "sh", "-c", run, NULL), 0);
	assert_non_null(strstr(cli_said, "glass0: act=drop nqp=1 dir=tx op=send rpsn=3 round=1\n"
					 "glass0: act=drop nqp=1 dir=tx op=send rpsn=6 round=1\n"));
	assert_non_null(strstr(cli_said, "2 of 8 faults are enough"));
	assert_non_null(strstr(cli_said, "left out: the fault happens when its rule is added"));
	assert_non_null(strstr(cli_text("few"), " rpsn=6 "));
	assert_null(strstr(cli_text("few"), " rpsn=4 "));
	cli_has(1, "the command fails without any fault", "shrink", file, "--", "false");
	cli_has(1, "does not fail with the faults", "shrink", file, "--", "true");
	cli_has(2, "no command is given", "shrink", file);
	cli_has(2, "Not a directory", "shrink", "/dev/null/x", "--", "true");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibinject_list, one_device),
		cmocka_unit_test_setup(test_ibinject_status, one_device),
		cmocka_unit_test_setup(test_ibinject_add, one_device),
		cmocka_unit_test_setup(test_ibinject_which_device, two_devices),
		cmocka_unit_test_setup(test_ibinject_rule_before_qp, one_device),
		cmocka_unit_test_setup(test_ibinject_del_of_several, two_devices),
		cmocka_unit_test_setup(test_ibinject_step_which_device, two_devices),
		cmocka_unit_test_setup(test_ibinject_files_first, one_device),
		cmocka_unit_test_setup(test_ibinject_name_of_digits, one_device),
		cmocka_unit_test_setup(test_ibinject_broken, one_device),
		cmocka_unit_test_setup(test_ibinject_full, one_device),
		cmocka_unit_test_setup(test_ibinject_object_words, one_device),
		cmocka_unit_test_setup(test_ibinject_del_and_clear, one_device),
		cmocka_unit_test(test_ibinject_no_driver),
		cmocka_unit_test_setup(test_ibinject_run, one_device),
		cmocka_unit_test_setup(test_ibinject_run_file, one_device),
		cmocka_unit_test_setup(test_ibinject_run_json, one_device),
		cmocka_unit_test_setup(test_ibinject_watch, one_device),
		cmocka_unit_test_setup(test_ibinject_step, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_other_options, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_refuses, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_strikes, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_leaves_out, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_spares_the_kernel, one_device),
		cmocka_unit_test_setup(test_ibinject_shrink, one_device),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
