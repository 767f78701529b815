// SPDX-License-Identifier: GPL-2.0-only
/* ibinject: what shorthands make, and how what is wrong is shown. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include <errno.h>

#include "ibinject/rule.h"
#include "ibinject/short.h"

#define MAX64 "18446744073709551615"

/* Shorthands and the rules that they are. */
static void test_ibinject_shorthands(void **state)
{
	(void)state;
	cli_is(0, "add qpn=0x11 op=write act=drop nth=3\n", "drop", "-n", "qpn==0x11 && op==write",
	       "--nth", "3");
	cli_is(0, "add comm=perf* op=write,read len=64.." MAX64 " act=dup nth=2 copies=3\n", "dup",
	       "-n", "op in {write,read} && !(len<64) && comm~\"perf*\"", "--nth=2", "--copies", "3");
	cli_is(0, "add act=delay dir=rx prob=10% seed=7 time=2ms jitter=500us dist=normal\n", "delay",
	       "-n", "--time", "2ms", "--jitter", "500us", "--dist", "normal", "--prob", "10%",
	       "--seed", "7", "--dir", "rx");
	cli_is(0, "add dir=rx act=reorder gap=3\n", "reorder", "-n", "dir==rx", "--gap", "3");
	cli_is(0, "add op=read_resp act=corrupt what=icrc\n", "corrupt", "-n", "op==read_resp",
	       "--what", "icrc");
	cli_is(0, "glass1: add act=truncate keep=0\n", "truncate", "-n", "glass1", "--keep", "0");
	cli_is(0, "add op=write act=nak code=rem_access\n", "nak", "-n", "op==write", "--code",
	       "rem_access");
	cli_is(0, "add op=send act=rnr timer=12\n", "rnr", "-n", "op==send", "--timer", "12");
	cli_is(0, "glass0: add qpn=0x11 act=hold\n", "hold", "-n", "glass0:0x11");
	cli_is(0, "glass0: add qpn=0x11 op=send act=hold\n", "hold", "-n", "glass0:0x11", "op==send");
	cli_is(0, "add qpn=0x11 act=cqe_error nth=3 status=rem_access_err\n", "wc", "-n",
	       "qpn==0x11", "--nth", "3", "--status", "rem_access_err");
	cli_is(0, "add op=recv act=cqe_lose\n", "cqe_lose", "-n", "op==recv");
	cli_is(0, "add comm=x act=fail verb=reg_mr count=1 err=ENOMEM\n", "fail", "-n", "comm==x",
	       "--verb", "reg_mr", "--err", "ENOMEM", "--count", "1");
	cli_is(0, "glass0: add qpn=0x11 act=qp_fatal\n", "qp", "-n", "glass0:0x11", "fatal");
	cli_is(0, "glass0: add qpn=0x11 act=event event=comm_est\n", "qp", "-n", "glass0:0x11",
	       "comm_est");
	cli_is(0, "glass0: add qpn=1 act=qp_fatal port=2\n", "qp", "-n", "glass0:1", "fatal",
	       "--port", "2");
	cli_is(0, "glass0: add cqn=4 act=cq_overrun\n", "cq", "-n", "glass0:4", "overrun");
	cli_is(0, "add cqn=4 act=event event=cq_err\n", "cq", "-n", "4", "err");
	cli_is(0, "glass0: add srqn=2 act=srq_limit\n", "srq", "-n", "glass0:2", "limit");
	cli_is(0, "glass0: add port=1 act=port_flap time=5ms flaps=3\n", "port", "-n", "glass0:1",
	       "flap", "--flaps", "3", "--time", "5ms");
	cli_is(0, "glass0: add port=1 act=lid_change lid=9\n", "port", "-n", "glass0:1", "lid",
	       "--lid", "9");
	cli_is(0, "glass0: add port=1 act=event event=port_active\n", "port", "-n", "glass0:1",
	       "active");
	cli_is(0, "glass0: add act=unplug time=2s\n", "device", "-n", "glass0", "unplug", "--time",
	       "2s");
	cli_is(0, "add act=device_fatal\n", "device", "-n", "fatal");
}

/* Comparisons become ranges that the key can have. */
static void test_ibinject_lowering(void **state)
{
	(void)state;
	cli_is(0, "add psn=101..16777215 act=drop\n", "drop", "-n", "psn>100");
	cli_is(0, "add port=1 act=drop\n", "drop", "-n", "port<2");
	cli_is(0, "add port=2..254 act=drop\n", "drop", "-n", "port!=1 && port!=0");
	cli_is(0, "add pid=0..7 act=drop\n", "drop", "-n", "pid<8");
	cli_is(0, "add sl=8..15 act=drop\n", "drop", "-n", "!(sl<8)");
	cli_is(0, "add dir=rx act=drop\n", "drop", "-n", "!(dir==tx)");
	cli_is(0, "add verb=reg_mr,create_qp act=fail err=EIO\n", "fail", "-n",
	       "verb in {reg_mr,create_qp}", "--err", "EIO");
	/* words of work requests and completions are none of packets */
	cli_is(0,
	       "add op=send,send_imm,send_inv,write_imm,read,read_resp,ack,atomic_ack,cmp_swap,fetch_add,"
	       "flush,atomic_write act=drop\n",
	       "drop", "-n", "op!=write");
	cli_is(0, "add op=write act=drop\nadd qpn=0x11 act=drop\n", "drop", "-n",
	       "op==write || qpn==0x11");
	cli_is(0, "add comm=a%20b act=drop\n", "drop", "-n", "comm==\"a b\"");
}

static void test_ibinject_lowering_refused(void **state)
{
	(void)state;
	cli_is(2,
	       "ibinject: this filter makes 2 rules, and each would have its own nth\n"
	       "  op==write || len>5\n  ^^^^^^^^^^^^^^^^^^\n",
	       "drop", "-n", "op==write || len>5", "--nth", "2");
	cli_is(2,
	       "ibinject: this filter makes 2 rules, which cannot share one name\n"
	       "  op==write || len>5\n  ^^^^^^^^^^^^^^^^^^\n",
	       "drop", "-n", "op==write || len>5", "--name", "x");
	cli_is(2,
	       "ibinject: a rule can match one `comm`, but cannot exclude one\n"
	       "  op==send && comm!=x\n              ^^^^^^^\n",
	       "drop", "-n", "op==send && comm!=x");
	cli_is(2, "ibinject: this filter never matches packets\n  op==recv\n  ^^^^^^^^\n", "drop", "-n",
	       "op==recv");
	cli_is(2, "ibinject: a rule on packets has no `status`\n  status==success\n  ^^^^^^\n", "drop",
	       "-n", "status==success");
	cli_has(2, "did you mean `write`?\n  op==wrte\n      ^^^^\n", "drop", "-n", "op==wrte");
	cli_has(2, "this filter never matches packets", "drop", "-n", "psn>16777215");
}

/* The word that is wrong, and the nearest that there is. */
static void test_ibinject_carets(void **state)
{
	(void)state;
	cli_is(2,
	       "ibinject: `op` has no word `wirte`; did you mean `write`?\n"
	       "  qpn=0x11 op=send,wirte,read act=drop\n"
	       "                   ^^^^^\n",
	       "add", "qpn=0x11", "op=send,wirte,read", "act=drop");
	cli_is(2,
	       "ibinject: there is no action `dorp`; did you mean `drop`?\n  act=dorp\n      ^^^^\n",
	       "add", "glass0", "act=dorp");
	cli_is(2, "ibinject: there is no key `qpm`; did you mean `qpn`?\n  qpm=1 act=drop\n  ^^^\n",
	       "add", "qpm=1", "act=drop");
	cli_is(2, "ibinject: act= is missing\n  op=write\n          ^\n", "add", "op=write");
	cli_is(2, "ibinject: act=nak: needs code=\n  act=nak\n  ^^^^^^^\n", "add", "act=nak");
	cli_is(2, "ibinject: qpn=0xffffffff: out of range (0x0 to 0xfffffe)\n  act=qp_fatal qpn=0xffffffff\n"
		  "               ^^^^^^^^^^^^^^\n",
	       "add", "act=qp_fatal", "qpn=0xffffffff");
	cli_is(2,
	       "ibinject: cqn=4: does not go with this action\n  cqn=4 act=qp_fatal qpn=3\n  ^^^^^\n",
	       "add", "cqn=4", "act=qp_fatal", "qpn=3");
	cli_is(2, "ibinject: qpn=2: given twice\n  qpn=1 qpn=2 act=drop\n        ^^^^^\n", "add",
	       "qpn=1", "qpn=2", "act=drop");
	cli_has(2, "did you mean `rem_access_err`?\n  act=cqe_error status=rem_acess_err\n", "wc",
		"--status", "rem_acess_err");
	cli_has(2, "did you mean `ENOMEM`?", "fail", "--verb", "reg_mr", "--err", "ENOMEN");
	/* no near word: none is made up */
	cli_is(2, "ibinject: there is no action `xyzzyxyzzy`; \"ibinject help actions\" lists them\n"
		  "  act=xyzzyxyzzy\n      ^^^^^^^^^^\n",
	       "add", "act=xyzzyxyzzy");
	cli_is(2, "ibinject: `code` has no word `xyzzyxyzzy`; \"ibinject help code\" lists them\n"
		  "  act=nak code=xyzzyxyzzy\n               ^^^^^^^^^^\n",
	       "nak", "--code", "xyzzyxyzzy");
	cli_is(2,
	       "ibinject: tie=fd: the rule would end at once, with this command; use \"ibinject run\"\n",
	       "add", "act=drop", "tie=fd");
}

static void test_ibinject_unknown_words(void **state)
{
	(void)state;
	cli_is(2, "ibinject: there is no command drp; did you mean drop?\n", "drp");
	cli_is(2, "ibinject: there is no command lits; did you mean list?\n", "lits");
	/* where it happens to something, the words that do it */
	cli_has(2, "port_down is a fault of a port: run \"ibinject port DEV:NUMBER down\", or see", "port_down");
	cli_has(2, "qp_fatal is a fault of a qp: run \"ibinject qp DEV:NUMBER fatal\", or", "qp_fatal");
	cli_has(2, "lid_change is a fault of a port: run \"ibinject port DEV:NUMBER lid\", or", "lid_change");
	cli_has(2, "unplug is a fault of a device: run \"ibinject device DEV unplug\", or", "unplug", "glass0");
	cli_has(2, "event is an action on objects: ibinject add act=event", "event");
	cli_is(2, "ibinject: fatl: not what can happen to a qp; did you mean fatal?\n", "qp",
	       "glass0:1", "fatl");
	cli_has(2, "that is: overrun, err\n", "cq", "glass0:1", "nothing");
	cli_is(2, "ibinject: glass0:x: expected [DEV:]NUMBER, such as glass0:0x11\n", "qp", "glass0:x",
	       "fatal");
	cli_is(2, "ibinject: glass0: expected [DEV:]NUMBER, such as glass0:1\n", "port", "glass0",
	       "down");
	cli_has(2, "such as: ibinject qp glass0:0x11 fatal\n", "qp");
	cli_has(2, "such as: ibinject device glass0 fatal\n", "device");
	cli_has(2, "did you mean keys?", "help", "kyes");
	cli_has(2, "more than one filter", "drop", "glass0", "op==write", "op==read");
	cli_has(2, "--nth is given twice", "drop", "--nth", "1", "--nth", "2");
	cli_has(2, "is not one word", "drop", "--nth", "1 act=dup");
}

/* Every word that can happen to an object makes a rule that the driver's parser takes. */
static void test_ibinject_object_words(void **state)
{
	static const struct given_keys given = { { NULL } };
	struct given_keys more = given;
	struct glass_filter_error error;
	size_t i, n = 0;
	int object;

	(void)state;
	more.value[GLASS_RK_LID] = "5";
	for (object = 0; object < OBJECT_COUNT; object++) {
		const char *word;

		for (i = 0; (word = object_word(object, i)); i++) {
			char copy[64], *rule;
			bool lid;

			snprintf(copy, sizeof(copy), "%s", word);
			lid = !strcmp(copy, "lid") || !strcmp(copy, "sm");
			rule = object_rule(object, "1", copy, lid ? &more : &given);
			assert_non_null(rule);
			/* these two need a value */
			if (strcmp(copy, "pkey") && strcmp(copy, "gid") &&
			    !rule_check(rule, NULL, &error))
				fail_msg("%s: %s", rule, error.text);
			free(rule);
			n++;
		}
	}
	assert_true(n >= 20);
}

/* help has each key and each action, and each of them by its name. */
static void test_ibinject_help(void **state)
{
	int i;

	(void)state;
	cli_has(0, "journal-diff", "--help");
	for (i = 0; i < GLASS_RK_KEYS; i++) {
		cli_has(0, keys[i].meaning, "help", "keys");
		cli_has(0, keys[i].meaning, "help", keys[i].word);
	}
	for (i = 0; i < GLASS_ACT_COUNT; i++) {
		cli_has(0, glass_rule_action_word(i), "help", "actions");
		cli_has(0, acts[i].meaning, "help", glass_rule_action_word(i));
	}
	cli_has(0, "atomic_ack", "help", "op");
	cli_has(0, "recv_write_imm", "help", "op");
	cli_has(0, "ENOMEM", "help", "err");
	cli_has(0, "rem_access_err", "help", "status");
	cli_has(0, "126", "help", "status");
	cli_has(0, "ibinject run", "help", "examples");
	cli_has(0, "--gemodel", "drop", "--help");
}

/* An action on packets takes as options what the driver takes for it, and the driver takes all of them. */
static void test_ibinject_takes(void **state)
{
	int a, k;

	(void)state;
	for (a = 0; a < GLASS_ACT_COUNT; a++)
		for (k = 0; k < GLASS_RK_KEYS; k++) {
			struct glass_rule_error error;
			struct glass_rule rule;
			char text[100];

			if (k == GLASS_RK_ACT || keys[k].group == IN_TOLD)
				continue;
			snprintf(text, sizeof(text), "add act=%s %s=1", glass_rule_action_word(a),
				 keys[k].word);
			glass_rule_parse(text, strlen(text), &rule, &error);
			assert_int_equal(error.kind == GLASS_RE_WRONG_ACTION, !takes(&acts[a], k));
		}
}

/* The fields of an error as the driver writes them */
static void test_ibinject_error_fields(void **state)
{
	static const char *const bad[] = {
		"",
		"psn=0x1000000: out of range",
		"kind=",
		"kind=- at=1 len=1 key=qpn other=- low=0 high=1",
		"kind=of_tomorrow at=1 len=1 key=qpn other=- low=0 high=1",
		"kind=out_of_range at=x len=1 key=qpn other=- low=0 high=1",
		"kind=out_of_range at=4294967296 len=1 key=qpn other=- low=0 high=1",
		"kind=out_of_range at=1 len=1 key=qpn other=- low=0",
	};
	struct glass_rule_error e;
	size_t i;

	(void)state;
	assert_true(error_fields("kind=out_of_range at=13 len=13 key=psn other=- low=0 high=16777215 new=1",
				 &e));
	assert_int_equal(e.kind, GLASS_RE_OUT_OF_RANGE);
	assert_int_equal(e.at, 13);
	assert_int_equal(e.len, 13);
	assert_int_equal(e.key, GLASS_RK_PSN);
	assert_int_equal(e.other, GLASS_RK_KEYS);
	assert_true(e.bounded);
	assert_int_equal(e.high, 0xffffff);
	assert_true(error_fields("kind=no_packet at=- len=- key=- other=code low=- high=-", &e));
	assert_int_equal(e.kind, GLASS_RE_NO_PACKET);
	assert_int_equal(e.key, GLASS_RK_KEYS);
	assert_int_equal(e.other, GLASS_RK_CODE);
	assert_int_equal(e.len, 0);
	assert_false(e.bounded);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(error_fields(bad[i], &e));
		assert_int_equal(e.kind, GLASS_RE_NONE);
	}
}

/* A refusal of the driver is shown in the text that the user gave, wherever that is in the command. */
static void test_ibinject_locate(void **state)
{
	static const char text[] = "act=qp_fatal qpn=0x99";
	static char line[] = "qpn=0x99: no such QP on glass0";
	struct refusal told = {
		.err = EINVAL,
		.why = { GLASS_RE_NO_OBJECT, GLASS_RK_QPN, GLASS_RK_KEYS, false, 17, 8, 0, 0 },
		.sentence = "no such QP on glass0",
		.text = line,
	};
	struct glass_filter_error e;

	(void)state;
	rule_locate(text, 4, &told, &e);
	assert_int_equal(e.at, 13);
	assert_int_equal(e.len, 8);
	assert_string_equal(e.text, line);
	/* "add name=run.1 ...": the text begins later */
	told.why.at += 11;
	rule_locate(text, 15, &told, &e);
	assert_int_equal(e.at, 13);
	/* in what ibinject added itself, before and behind the text */
	told.why.at = 4;
	rule_locate(text, 15, &told, &e);
	assert_int_equal(e.len, 0);
	assert_string_equal(e.text, line);
	told.why.at = 15 + strlen(text);
	rule_locate(text, 15, &told, &e);
	assert_int_equal(e.len, 0);
	told.why.at = 15 + strlen(text) - 4;
	rule_locate(text, 15, &told, &e);
	assert_int_equal(e.len, 0);
	/* the command's own word */
	told.why.at = 0;
	rule_locate(text, 4, &told, &e);
	assert_int_equal(e.at, strlen(text));
	assert_int_equal(e.len, 1);
	assert_string_equal(e.text, told.sentence);
	/* a driver that writes no fields, or a kind that is not known */
	told.why.kind = GLASS_RE_NONE;
	rule_locate(text, 4, &told, &e);
	assert_int_equal(e.len, 0);
	assert_string_equal(e.text, line);
}

/* A number out of range is shown with the bounds that hold for the action. */
static void test_ibinject_bounds(void **state)
{
	(void)state;
	cli_is(2,
	       "ibinject: copies=9: out of range (1 to 8)\n  act=dup copies=9\n          ^^^^^^^^\n", "add",
	       "act=dup", "copies=9");
	cli_is(2, "ibinject: time=2h: out of range (0 to 1h)\n  act=delay time=2h\n            ^^^^^^^\n",
	       "add", "act=delay", "time=2h");
	cli_is(2,
	       "ibinject: op=send,: a word is missing in the list\n  op=send, act=drop\n         ^\n",
	       "add", "op=send,", "act=drop");
	/* of the kernel's completions some may be late, and none may be lost */
	cli_is(0, "add pid=0 act=cqe_delay\n", "cqe_delay", "-n", "pid==0");
	cli_has(2, "not allowed for completions of the kernel", "cqe_lose", "-n", "pid==0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibinject_shorthands),    cmocka_unit_test(test_ibinject_lowering),
		cmocka_unit_test(test_ibinject_lowering_refused), cmocka_unit_test(test_ibinject_carets),
		cmocka_unit_test(test_ibinject_unknown_words), cmocka_unit_test(test_ibinject_object_words),
		cmocka_unit_test(test_ibinject_help),	      cmocka_unit_test(test_ibinject_takes),
		cmocka_unit_test(test_ibinject_error_fields), cmocka_unit_test(test_ibinject_locate),
		cmocka_unit_test(test_ibinject_bounds),
	};

	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
