// SPDX-License-Identifier: GPL-2.0-only
/* What BPF programs match of a filter is what the filter means. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tool.h"
#include "harness.h"
#include "lib/filter.h"
#include "uapi/glass-enums.h"

static struct bpf_filter filter;

#include "common/match.h"

struct tool_options tool_options;

static const enum filter_key keys[] = { KEY_DEV, KEY_PID, KEY_COMM, KEY_QPN, KEY_OP, KEY_LEN, KEY_RET, KEY_COUNT };
static const struct tool tool = { .name = "tool", .keys = keys };

/* An event; what is negative (pid) or NULL it does not have. */
struct sample {
	const char *dev, *comm;
	int pid;
	uint32_t qpn, op, len;
	int64_t ret;
};

static bool fits(const struct sample *s)
{
	struct facts f = { .have = 0 };
	union dev_name dev = { "" };
	union comm_name comm = { "" };

	if (!filter.active)
		return true;
	if (s->dev) {
		strncpy(dev.text, s->dev, sizeof(dev.text) - 1);
		FACT_TEXT(&f, DEV, dev);
	}
	if (s->comm) {
		strncpy(comm.text, s->comm, sizeof(comm.text) - 1);
		FACT_TEXT(&f, COMM, comm);
	}
	if (s->pid >= 0)
		FACT(&f, PID, s->pid);
	FACT(&f, QPN, s->qpn);
	FACT(&f, OP, s->op);
	FACT(&f, LEN, s->len);
	FACT(&f, RET, (uint64_t)s->ret ^ SIGN_BIAS);
	return filter_fits(&f);
}

static bool get(const void *object, int field, struct glass_value *value)
{
	static const char *const ops[] = GLASS_WORDS(GLASS_WR_OPS);
	const struct sample *s = object;

	switch (field) {
	case GLASS_FIELD_dev:
		value->text = s->dev;
		return s->dev;
	case GLASS_FIELD_comm:
		value->text = s->comm;
		return s->comm;
	case GLASS_FIELD_pid:
		value->num = s->pid;
		return s->pid >= 0;
	case GLASS_FIELD_qpn:
		value->num = s->qpn;
		return true;
	case GLASS_FIELD_op:
		value->text = ops[s->op];
		return true;
	case GLASS_FIELD_len:
		value->num = s->len;
		return true;
	case GLASS_FIELD_ret:
		value->num = (uint64_t)s->ret;
		return true;
	default:
		return false;
	}
}

static void lower(const char *text)
{
	memset(&tool_options, 0, sizeof(tool_options));
	tool_options.filter = text;
	lower_filter(&tool, &filter);
}

/* The whole small world, against the evaluator of the library */
static void same_as_the_library(const char *text)
{
	static const char *const devs[] = { NULL, "glass0", "glass1", "a_name_of_exactly_23_ch" };
	static const char *const comms[] = { NULL, "traffic", "ib_write_bw" };
	static const int pids[] = { -1, 0, 7, 4711 };
	static const uint32_t qpns[] = { 0, 1, 0x11, 0xffffff }, lens[] = { 0, 63, 64, 65, 4096 };
	static const int64_t rets[] = { -12, -1, 0, 3 };
	struct glass_filter_error error;
	struct glass_filter *f = glass_filter_parse(text, NULL, &error);
	unsigned int d, c, p, q, o, l, r, matched = 0, all = 0;

	assert_non_null(f);
	lower(text);
	for (d = 0; d < 4; d++)
	for (c = 0; c < 3; c++)
	for (p = 0; p < 4; p++)
	for (q = 0; q < 4; q++)
	for (o = 0; o < GLASS_OP_COUNT; o++)
	for (l = 0; l < 5; l++)
	for (r = 0; r < 4; r++) {
		struct sample s = { devs[d], comms[c], pids[p], qpns[q], o, lens[l], rets[r] };
		bool want = glass_filter_match(f, get, &s);

		assert_int_equal(fits(&s), want);
		matched += want;
		all++;
	}
	/* a filter that takes all or nothing would show nothing */
	assert_true(matched && matched < all);
	glass_filter_free(f);
}

static void test_means_the_same(void **state)
{
	(void)state;
	same_as_the_library("qpn==0x11");
	same_as_the_library("dev==glass0 && op in {write,read}");
	same_as_the_library("!(op==send)");
	same_as_the_library("len>=64 && len<4096 || pid==7");
	same_as_the_library("!(len<64)");
	same_as_the_library("ret<0");
	same_as_the_library("ret!=0 && ret>-5");
	same_as_the_library("dev==a_name_of_exactly_23_ch");
	same_as_the_library("comm==\"ib_write_bw\" || dev in {glass1,glass0} && pid!=0");
	same_as_the_library("!(pid==7 || op==read && len>64)");
	same_as_the_library("qpn in {1,0x11,0xffffff} && (len==0 || len==65 || len==4096)");
}

static void test_options_are_part_of_it(void **state)
{
	struct sample s = { "glass0", "traffic", 7, 0x11, GLASS_OP_WRITE, 100, 0 };

	(void)state;
	memset(&tool_options, 0, sizeof(tool_options));
	lower_filter(&tool, &filter);
	assert_false(filter.active);
	assert_true(fits(&s));
	tool_options = (struct tool_options){ .dev = "glass0", .pid = 7, .has_pid = true, .qpn = 0x11, .has_qpn = true,
					      .filter = "len>64 || len<4" };
	lower_filter(&tool, &filter);
	assert_true(fits(&s));
	s.len = 64;
	assert_false(fits(&s));
	s.len = 100;
	s.pid = 8;
	assert_false(fits(&s));
	s.pid = 7;
	s.dev = "glass1";
	assert_false(fits(&s));
}

/* While only some is known: what may yet fit is not thrown away, what cannot is. */
static void test_may_fit(void **state)
{
	struct facts f = { .have = 0 };

	(void)state;
	lower("qpn==0x11 && len>64 || op==read && pid==7");
	assert_true(filter_may_fit(&f));
	assert_false(filter_fits(&f));
	FACT(&f, QPN, 0x11);
	assert_true(filter_may_fit(&f));
	FACT(&f, LEN, 64);
	/* there is the other term */
	assert_true(filter_may_fit(&f));
	FACT(&f, OP, GLASS_OP_WRITE);
	assert_false(filter_may_fit(&f));
	FACT(&f, LEN, 65);
	assert_true(filter_may_fit(&f));
	/* all is known that the term asks for: it does fit */
	assert_true(filter_fits(&f));
	lower("op==ack");
	assert_false(filter_may_fit(&f));
}

/* A word that such events never have: nothing fits, which is not the same as no filter. */
static void test_a_word_of_others_fits_nothing(void **state)
{
	struct sample s = { "glass0", "traffic", 7, 0x11, GLASS_OP_WRITE, 100, 0 };

	(void)state;
	lower("op==ack");
	assert_true(filter.active);
	assert_int_equal(filter.num_terms, 0);
	assert_false(fits(&s));
}

/* Ends the program with CLI_USAGE, and says something. */
static void refused(const char *text)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(9);
		lower(text);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), CLI_USAGE);
}

static void test_refuses_what_it_cannot_match(void **state)
{
	(void)state;
	refused("comm~\"ib_*\"");
	refused("port==1");
	refused("op==nothing");
	refused("pid==1 || pid==3 || pid==5 || pid==7 || pid==9 || qpn==1 || qpn==3 || qpn==5 || qpn==7 || qpn==9 || "
		"len==1 || len==3 || len==5 || len==7 || len==9 || len==11 || len==13 || len==15 || len==17 || "
		"ret==1 || ret==3 || ret==5 || ret==7 || ret==9 || ret==11 || ret==13 || ret==15 || ret==17");
	refused("pid==1 && (");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_means_the_same),
		cmocka_unit_test(test_options_are_part_of_it),
		cmocka_unit_test(test_may_fit),
		cmocka_unit_test(test_a_word_of_others_fits_nothing),
		cmocka_unit_test(test_refuses_what_it_cannot_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
