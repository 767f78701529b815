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
	cli_file("glass0/inject/rules", "add name=r9 qpn=0x11 act=qp_fatal hit=1 eligible=1\n"
					"add name=r10 qpn=0x11 act=qp_fatal hit=1 eligible=1\n");
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
	cli_is(2, "ibinject: several devices have qp qpn=0x12: glass0 glass1; say which: DEV:NUMBER\n",
	       "qp", "0x12", "fatal");
	cli_is(3, "ibinject: no device has qp qpn=0x99\n", "qp", "0x99", "fatal");
	cli_is(2, "ibinject: on which device? There are: glass0 glass1\n", "drop", "op==write");
}

static void test_ibinject_del_and_clear(void **state)
{
	(void)state;
	cli_is(0, "", "del", "r1");
	assert_memory_equal(cli_text("glass0/inject/rules"), "del name=r1", 11);
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_is(1, "ibinject: r2: no rule of this name; did you mean r1?\n", "del", "glass0", "r2");
	cli_is(2, "ibinject: a b: not a name of a rule\n", "del", "a b");
	cli_has(2, "which rule?", "del");
	cli_is(0, "", "port", "glass0:1", "up");
	assert_memory_equal(cli_text("glass0/inject/rules"), "del name=down", 13);
	cli_file("glass0/inject/rules", TWO_RULES);
	cli_is(1, "ibinject: glass0:2: no rule of the sort\n", "port", "glass0:2", "up");
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
	cli_has(122, "which command?", "run", "-r", "act=drop");
	cli_has(122, "unrecognized option", "run", "--nonsense", "--", "true");
	cli_has(123, "did you mean glass0?", "run", "-r", "glass3: act=drop", "--", "true");
}

static void test_ibinject_run_file(void **state)
{
	char file[400];

	(void)state;
	snprintf(file, sizeof(file), "%s/file", cli_root);
	cli_file("file", "# a comment\n\nglass0: op=write act=drop\n   op=read act=dup\n");
	cli_has(0, "run.2 fired 0 of 0 times: op=read act=dup", "run", "-f", file, "--", "true");
	cli_file("file", "op=write act=drop\n\n  op=wrte act=drop\n");
	assert_int_equal(cli("run", "-f", file, "--", "true", NULL), 122);
	assert_non_null(strstr(cli_said, "/file:3:6: `op` has no word `wrte`"));
	cli_has(122, "No such file", "run", "-f", "no/such/file", "--", "true");
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
	char file[300], run[900];

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
	cli_has(2, "not results of this command on glass0", "sweep", "-o", file, "--", "true");
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
	cli_has(2, "qp_fatal is not an action on packets", "sweep", "-a", "drop,qp_fatal", "--",
		"true");
	cli_has(2, "the filter makes 2 rules", "sweep", "-a", "drop", "-f", "op==send || len==1", "--",
		"true");
	cli_has(2, "      ^^^^", "sweep", "-a", "drop", "-f", "op==wrte", "--", "true");
	cli_has(2, "which command?", "sweep");
	cli_has(127, "no/such", "sweep", "-a", "drop", "--", "no/such");
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
	assert_non_null(strstr(cli_said, "left out: happens when its rule is added"));
	assert_non_null(strstr(cli_text("few"), " rpsn=6 "));
	assert_null(strstr(cli_text("few"), " rpsn=4 "));
	cli_has(1, "the command fails without any fault", "shrink", file, "--", "false");
	cli_has(1, "does not fail with the faults", "shrink", file, "--", "true");
	cli_has(2, "which command?", "shrink", file);
	cli_has(2, "Not a directory", "shrink", "/dev/null/x", "--", "true");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibinject_list, one_device),
		cmocka_unit_test_setup(test_ibinject_status, one_device),
		cmocka_unit_test_setup(test_ibinject_add, one_device),
		cmocka_unit_test_setup(test_ibinject_which_device, two_devices),
		cmocka_unit_test_setup(test_ibinject_del_and_clear, one_device),
		cmocka_unit_test(test_ibinject_no_driver),
		cmocka_unit_test_setup(test_ibinject_run, one_device),
		cmocka_unit_test_setup(test_ibinject_run_file, one_device),
		cmocka_unit_test_setup(test_ibinject_run_json, one_device),
		cmocka_unit_test_setup(test_ibinject_watch, one_device),
		cmocka_unit_test_setup(test_ibinject_step, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep, one_device),
		cmocka_unit_test_setup(test_ibinject_sweep_refuses, one_device),
		cmocka_unit_test_setup(test_ibinject_shrink, one_device),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
