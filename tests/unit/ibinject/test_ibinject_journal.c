// SPDX-License-Identifier: GPL-2.0-only
/* ibinject: journals compared stream by stream, and rules that hit what a journal tells. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include "ibinject/record.h"
#include "ibinject/rule.h"

#define DROP                                                                                       \
	"seq=7 time=81234567890 name=r1 act=drop port=1 dir=tx qpn=0x11 nqp=1 role=req op=write psn=12 " \
	"rpsn=3 round=1 msg=2 len=1024 n=4 pid=812 comm=ib_write_bw set_pid=800 set_by=ibinject " \
	"set_uid=0\n"
#define DELAY                                                                                      \
	"seq=8 time=81234999999 name=d act=delay port=1 dir=rx qpn=0x12 nqp=- role=resp op=ack psn=12 "  \
	"rpsn=3 round=1 msg=2 len=0 n=9 pid=812 comm=ib_write_bw time_ns=2000000 " \
	"set_pid=800 set_by=ibinject set_uid=0\n"

static char a[200], b[200];

static int files(void **state)
{
	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/inject/rules", "");
	cli_file("glass0/inject/journal", "");
	cli_file("glass0/inject/last_error", "");
	snprintf(a, sizeof(a), "%s/a", cli_root);
	snprintf(b, sizeof(b), "%s/b", cli_root);
	return 0;
}

static int diff(const char *one, const char *two)
{
	cli_file("a", one);
	cli_file("b", two);
	return cli("journal-diff", a, b, NULL);
}

/* What is another in each run does not count: times, processes, numbers, the order among streams. */
static void test_ibinject_diff_same(void **state)
{
	(void)state;
	assert_int_equal(diff("", ""), 0);
	assert_int_equal(diff(DROP DELAY, DELAY DROP), 0);
	assert_int_equal(diff(DROP, "seq=1 time=5 name=x act=drop port=1 dir=tx qpn=0x99 nqp=1 role=req "
				    "op=write psn=700 rpsn=3 round=1 msg=2 len=1024 n=1 pid=5 comm=y "
				    "set_pid=9 set_by=sh set_uid=1000\n"),
			 0);
	/* CQs have other numbers in each run, too */
	assert_int_equal(diff("seq=1 act=cqe_dup cqn=105 qpn=0x75 nqp=1 op=recv msg=- wr_id=0x1 len=64 n=2\n",
			      "seq=1 act=cqe_dup cqn=106 qpn=0x79 nqp=1 op=recv msg=- wr_id=0x1 len=64 n=2\n"),
			 0);
	/* but are the stream where there is no number of creation */
	assert_int_equal(diff("seq=1 act=cqe_dup cqn=105 nqp=- op=recv n=2\n",
			      "seq=1 act=cqe_dup cqn=106 nqp=- op=recv n=2\n"),
			 4);
	/* a record and a journal with the same of one device */
	assert_int_equal(diff("# ibinject record 1\nrule glass0 add name=r1 act=drop\nfired glass0 " DROP,
			      "fired glass0 " DROP),
			 0);
	assert_string_equal(cli_said, "");
}

static void test_ibinject_diff_differs(void **state)
{
	(void)state;
	assert_int_equal(diff(DROP DELAY, DROP), 4);
	assert_string_equal(cli_said,
			    "dir=rx qpn=0x12 role=resp: 1 and 0\n"
			    "- act=delay port=1 op=ack rpsn=3 round=1 msg=2 len=0 time_ns=2000000\n");
	assert_int_equal(diff("seq=1 act=drop dir=tx nqp=1 role=req op=write rpsn=3 round=1\n",
			      "seq=1 act=drop dir=tx nqp=1 role=req op=write rpsn=3 round=2\n"),
			 4);
	assert_string_equal(cli_said, "dir=tx nqp=1 role=req: 1 and 1\n"
				      "- act=drop op=write rpsn=3 round=1\n"
				      "+ act=drop op=write rpsn=3 round=2\n");
	assert_int_equal(diff("seq=1 act=drop dir=tx nqp=1 op=read rpsn=1\n"
			      "seq=2 act=drop dir=tx nqp=1 op=read rpsn=2\n",
			      "seq=1 act=drop dir=tx nqp=1 op=read rpsn=2\n"
			      "seq=2 act=drop dir=tx nqp=1 op=read rpsn=1\n"),
			 4);
	assert_string_equal(cli_said, "dir=tx nqp=1: 2 and 2\n  the same in another order\n");
	/* twice is not once */
	assert_int_equal(diff(DROP DROP, DROP), 4);
	/* n tells the place where there is no PSN to go by */
	assert_int_equal(diff("seq=1 act=drop dir=rx nqp=1 op=send rpsn=- n=3\n",
			      "seq=1 act=drop dir=rx nqp=1 op=send rpsn=- n=4\n"),
			 4);
	/* other devices are other streams */
	assert_int_equal(diff("fired glass0 " DROP, "fired glass1 " DROP), 4);
}

static void test_ibinject_diff_refuses(void **state)
{
	(void)state;
	assert_int_equal(diff(DROP "nonsense\n", ""), 2);
	assert_non_null(strstr(cli_said, "/a:2: neither a journal nor a record"));
	cli_file("a", DROP);
	cli_has(2, "No such file", "journal-diff", a, "no/such/file");
	cli_has(2, "expected two files", "journal-diff", a);
}

static void replays(const char *fired, const char *rule, const char *wanted)
{
	struct glass_filter_error error;
	const char *why;
	char *got = replay_rule(fired, rule, &why);

	assert_non_null(got);
	assert_string_equal(got, wanted);
	if (!rule_check(got, NULL, &error))
		fail_msg("%s: %s", got, error.text);
	free(got);
}

static void test_ibinject_replay_rule(void **state)
{
	const char *why;

	(void)state;
	replays(DROP, "add name=r1 prob=10% act=drop seed=7 hit=3 eligible=4",
		"act=drop nqp=1 dir=tx op=write rpsn=3 round=1");
	/* what was random is what it was */
	replays(DELAY, "add name=d dir=rx act=delay time=1ms jitter=500us dist=normal seed=1",
		"act=delay qpn=0x12 dir=rx op=ack rpsn=3 round=1 time=2000000ns");
	replays("seq=1 act=corrupt dir=tx nqp=2 role=req op=send rpsn=0 round=1 n=1 at=83",
		"add name=c act=corrupt what=header bits=2 crc=good seed=4",
		"act=corrupt nqp=2 dir=tx op=send rpsn=0 round=1 what=header bits=2 crc=good at=10");
	/* datagrams: the number in the stream among what the selectors let through */
	replays("seq=1 act=drop dir=rx nqp=3 role=resp op=send rpsn=- round=- n=5 comm=x",
		"add name=c qptype=ud len=1..9 nqp=1..7 prob=1% dir=rx act=drop seed=4",
		"act=drop nqp=3 qptype=ud len=1..9 dir=rx comm=x nth=5");
	replays("seq=1 act=fail verb=reg_mr n=2 pid=7 comm=prog",
		"add name=f verb=reg_mr nth=2 act=fail err=ENOMEM",
		"act=fail verb=reg_mr comm=prog nth=2 err=ENOMEM");
	assert_null(replay_rule("seq=9 time=1 name=k act=qp_fatal qpn=0x11", "", &why));
	assert_string_equal(why, "the fault happens when its rule is added, so it has no place in a stream");
	assert_null(replay_rule("seq=9 act=nothing qpn=0x11", "", &why));
	assert_null(replay_rule("seq=9 act=drop qpn=0x11", "", &why));
}

static void test_ibinject_record(void **state)
{
	(void)state;
	cli_file("glass0/inject/rules", "add name=r1 op=write prob=10% act=drop seed=7 hit=1 eligible=9\n");
	cli_file("glass0/inject/journal", DROP);
	cli_has(0, ": 1 rules, 1 firings\n", "record", "--all", a, "--", "true");
	assert_string_equal(cli_text("a"),
			    "# ibinject record 1\n"
			    "rule glass0 add name=r1 op=write prob=10% act=drop seed=7 hit=1 eligible=9\n"
			    "fired glass0 " DROP);
	/* what was there before is not of this run */
	cli_has(0, ": 1 rules, 0 firings\n", "record", b, "--", "true");
	assert_int_equal(cli("record", b, "--", "sh", "-c", "exit 5", NULL), 5);
	cli_is(0, "glass0: act=drop nqp=1 dir=tx op=write rpsn=3 round=1\n", "replay", "-n", a);
	/* the fault does not come again: the journal stays empty */
	cli_has(124, "\n- act=drop port=1 op=write rpsn=3 round=1 msg=2 len=1024\n", "replay", a, "--",
		"true");
	assert_non_null(strstr(cli_text("glass0/inject/rules"), "del name=replay.1"));
	cli_file("a", "something\n");
	cli_has(2, "/a:1: not a record of ibinject", "replay", a);
	cli_file("a", "");
	cli_has(2, "/a: empty", "replay", a);
}

/* Firings of many streams, one here and one there, in many lines: compared in the time that sorting takes. */
static void test_ibinject_diff_large(void **state)
{
	char path[400];
	FILE *to;
	int i, f;

	(void)state;
	for (f = 0; f < 2; f++) {
		snprintf(path, sizeof(path), "%s", f ? b : a);
		to = fopen(path, "w");
		assert_non_null(to);
		for (i = 0; i < 60000; i++)
			fprintf(to, "seq=%d act=drop dir=%s nqp=1 role=req op=%s rpsn=%d round=1\n", i,
				i % 2 ? "tx" : "rx", f && i % 2 ? "write" : "send", i);
		fclose(to);
	}
	assert_int_equal(cli("journal-diff", a, b, NULL), 4);
	assert_memory_equal(cli_said, "dir=tx nqp=1 role=req: 30000 and 30000\n- act=drop op=send rpsn=1 round=1\n", 70);
}

/* A name that two rules had, one after the other: each fault has the parameters of its own. */
static void test_ibinject_replay_same_name(void **state)
{
	(void)state;
	cli_file("a", "# ibinject record 1\n"
		      "rule glass0 add name=r act=dup copies=3 seed=1 hit=1 eligible=1\n"
		      "rule glass0 add name=r act=truncate keep=100 seed=1 hit=1 eligible=1\n"
		      "fired glass0 seq=1 name=r act=truncate dir=tx nqp=1 role=req op=send rpsn=1 round=1\n"
		      "fired glass0 seq=2 name=r act=dup dir=tx nqp=1 role=req op=send rpsn=2 round=1\n");
	cli_is(0,
	       "glass0: act=truncate nqp=1 dir=tx op=send rpsn=1 round=1 keep=100\n"
	       "glass0: act=dup nqp=1 dir=tx op=send rpsn=2 round=1 copies=3\n",
	       "replay", "-n", a);
}

/* More faults than there can be rules: that is told, and not one rule is added. */
static void test_ibinject_replay_too_many(void **state)
{
	FILE *to;
	int i;

	(void)state;
	cli_file("a", "# ibinject record 1\n");
	to = fopen(a, "a");
	assert_non_null(to);
	for (i = 0; i < 4097; i++)
		fprintf(to, "fired glass0 seq=%d act=drop dir=tx nqp=1 role=req op=send rpsn=%d round=1\n", i, i);
	fclose(to);
	cli_is(121, "ibinject: 4097 faults on glass0: it can have 4096 rules, and each fault is one\n", "replay", a,
	       "--", "true");
	assert_string_equal(cli_text("glass0/inject/rules"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibinject_diff_same, files),
		cmocka_unit_test_setup(test_ibinject_diff_differs, files),
		cmocka_unit_test_setup(test_ibinject_diff_refuses, files),
		cmocka_unit_test_setup(test_ibinject_diff_large, files),
		cmocka_unit_test_setup(test_ibinject_replay_same_name, files),
		cmocka_unit_test_setup(test_ibinject_replay_too_many, files),
		cmocka_unit_test(test_ibinject_replay_rule),
		cmocka_unit_test_setup(test_ibinject_record, files),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
