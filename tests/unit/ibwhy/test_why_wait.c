// SPDX-License-Identifier: GPL-2.0-only
/* A program that hangs: the end of the chain. */
#include "waits.h"

#include "uapi/glass-inspect.h"

#define A(wait, used)	     QP_TEXT("0x11", "glass1", "0x22", "811", "client", "rts", wait, used)
#define B(state, wait, used) QP_TEXT("0x22", "glass0", "0x11", "812", "server", state, wait, used)

static const char *const devs[] = { "glass0", "glass1", "glass0" };

static const struct {
	const char *text[WAIT_QPS];
	enum why_end end;
	uint64_t stopped;
	const char *says;
} waits[] = {
	{ { A("recv", "0") }, WHY_END_NO_RECV, 0, "glass0:0x11 of client (pid 811) waits for recv." },
	{ { A("recv", "0") }, WHY_END_STOPPED, 811, "client (pid 811) is stopped." },
	{ { A("poll", "0") }, WHY_END_NOT_POLLED, 0, NULL },
	{ { A("cq_full", "0") }, WHY_END_NOT_POLLED, 0, NULL },
	{ { A("cq_full", "0") }, WHY_END_STOPPED, 811, NULL },
	{ { A("no_signaled", "0") }, WHY_END_NO_SIGNALED, 0, NULL },
	{ { A("state", "0") }, WHY_END_MODIFY, 0, NULL },
	{ { A("port", "0") }, WHY_END_PORT, 0, NULL },
	{ { A("engine", "0") }, WHY_END_BUSY, 0, NULL },
	{ { A("page", "0") }, WHY_END_BUSY, 0, NULL },
	{ { A("rnr", "0"), B("rts", "nothing", "0") }, WHY_END_NO_RECV, 0, "glass1:0x22 of server (pid 812) has no receive posted." },
	{ { A("credits", "0"), B("rts", "nothing", "0") }, WHY_END_STOPPED, 812, "server (pid 812) is stopped." },
	{ { A("ack", "0") }, WHY_END_PEER_GONE, 0, "Its peer on glass1 does not exist." },
	{ { A("response", "0"), B("init", "nothing", "0") }, WHY_END_PEER_STATE, 0, "is in the state init." },
	{ { A("window", "0"), B("rts", "nothing", "0") }, WHY_END_UNKNOWN, 0, "could answer" },
	{ { A("reads", "0"), B("rts", "engine", "0") }, WHY_END_BUSY, 0, NULL },
	{ { A("fence", "0"), B("rts", "ack", "0") }, WHY_END_CYCLE, 0, "where this chain has been" },
	{ { A("message", "0"), B("rts", "port", "0") }, WHY_END_PORT, 0, NULL },
	{ { A("nothing", "1"), B("rts", "nothing", "1") }, WHY_END_CYCLE, 0, "has receives posted, too, and sends nothing" },
	{ { A("nothing", "1"), B("rts", "nothing", "0") }, WHY_END_IDLE, 0, NULL },
	{ { A("nothing", "0"), B("rts", "nothing", "1") }, WHY_END_IDLE, 0, NULL },
	{ { A("nothing", "1"), B("rts", "nothing", "1") }, WHY_END_STOPPED, 812, NULL },
	{ { A("nothing", "1"), B("rts", "nothing", "1"),
	    QP_TEXT("0x33", "glass1", "0x44", "812", "server", "rts", "poll", "0") }, WHY_END_NOT_POLLED, 0, "glass0:0x33 of server (pid 812) waits for poll." },
	{ { A("a_new_word", "0") }, WHY_END_PEER_GONE, 0, NULL },
	{ { QP_TEXT("0x11", "-", "-", "0", "-", "rts", "ack", "0") }, WHY_END_OTHER_HOST, 0, "the kernel waits for ack" },
};

static bool says(const struct why_verdict *v, const char *piece)
{
	unsigned int i;

	for (i = 0; i < v->steps; i++)
		if (strstr(v->step[i].text, piece))
			return true;
	return false;
}

static void test_why_wait_ends(void **state)
{
	struct wait_world world;
	struct why_verdict v;
	bool seen[WHY_END_COUNT] = { false };
	enum why_end end;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		struct why_process_state stopped = { waits[i].stopped, true };

		wait_world(&world, waits[i].text, devs);
		world.w.process = &stopped;
		world.w.processes = waits[i].stopped != 0;
		end = why_wait(&world.w, &world.qp[0], &v);
		if (end != waits[i].end || (waits[i].says && !says(&v, waits[i].says))) {
			for (k = 0; k < v.steps; k++)
				print_error("  %s\n", v.step[k].text);
			fail_msg("case %zu: %s instead of %s", i, why_end_word(end),
				 why_end_word(waits[i].end));
		}
		assert_ptr_equal(v.step[v.steps - 1].advice, why_end_advice(end));
		seen[end] = true;
		wait_world_free(&world);
	}
	for (i = 0; i < WHY_END_COUNT; i++)
		if (!seen[i] && i != WHY_END_HELD && i != WHY_END_LOST)
			fail_msg("no case of %s", why_end_word(i));
}

/* A packet of the QP, or of its peer, is held. */
static void test_why_wait_held(void **state)
{
	static const char *const text[WAIT_QPS] = { A("ack", "0"), B("rts", "nothing", "0"), NULL };
	struct why_held held[] = { { "glass0", "other", 0x12 }, { "glass1", "r1", 0x22 } };
	struct wait_world world;
	struct why_verdict v;

	(void)state;
	wait_world(&world, text, devs);
	world.w.held = held;
	world.w.helds = 1;
	assert_int_equal(why_wait(&world.w, &world.qp[0], &v), WHY_END_UNKNOWN);
	world.w.helds = 2;
	assert_int_equal(why_wait(&world.w, &world.qp[0], &v), WHY_END_HELD);
	assert_true(says(&v, "Injection rule r1 holds a packet of glass1:0x22."));
	wait_world_free(&world);
}

/* A completion of the QP that waits, or of its peer, was lost. */
static void test_why_wait_lost(void **state)
{
	static const struct {
		const char *text[WAIT_QPS];
		uint64_t qpn;
		enum why_end end;
	} cases[] = {
		{ { A("no_signaled", "0") }, 0x11, WHY_END_LOST },
		{ { A("no_signaled", "0") }, 0x12, WHY_END_NO_SIGNALED },
		{ { A("recv", "0") }, 0x11, WHY_END_LOST },
		{ { A("poll", "0") }, 0x11, WHY_END_NOT_POLLED },
		{ { A("nothing", "0") }, 0x11, WHY_END_LOST },
		{ { A("rnr", "0"), B("rts", "nothing", "0") }, 0x22, WHY_END_LOST },
		{ { A("nothing", "1"), B("rts", "nothing", "1") }, 0x22, WHY_END_LOST },
		{ { A("ack", "0"), B("init", "nothing", "0") }, 0x11, WHY_END_PEER_STATE },
	};
	struct wait_world world;
	struct why_verdict v;
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_process_state stopped = { 811, true };
		struct why_lost lost = { .rule = "r1", .qpn = cases[i].qpn, .count = 1 + i % 2, .seq = 7 };

		strcpy(lost.dev, cases[i].qpn == 0x22 ? "glass1" : "glass0");
		wait_world(&world, cases[i].text, devs);
		world.w.lost = &lost;
		world.w.losts = 1;
		assert_int_equal(why_wait(&world.w, &world.qp[0], &v), cases[i].end);
		snprintf(text, sizeof(text), "Injection rule r1 lost %s of %s:0x%x.",
			 i % 2 ? "2 completions" : "1 completion", lost.dev, (unsigned int)lost.qpn);
		assert_true(says(&v, text) == (cases[i].end == WHY_END_LOST));
		world.w.process = &stopped;
		world.w.processes = 1;
		if (cases[i].qpn == 0x11 && cases[i].end == WHY_END_LOST)
			assert_int_equal(why_wait(&world.w, &world.qp[0], &v), WHY_END_STOPPED);
		wait_world_free(&world);
	}
}

/* Each word that the driver has leads to an end. */
static void test_why_wait_words(void **state)
{
	static const char *const words[] = {
#define WAIT(n, w, v, meaning) #w,
		GLASS_WAITS(WAIT)
	};
	char text[1000];
	const char *const texts[WAIT_QPS] = { text };
	struct wait_world world;
	struct why_verdict v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		snprintf(text, sizeof(text), "qpn: 0x1\nwaits_for: %s\n", words[i]);
		wait_world(&world, texts, devs);
		assert_true(why_wait(&world.w, &world.qp[0], &v) < WHY_END_COUNT);
		assert_true(v.steps);
		wait_world_free(&world);
	}
	snprintf(text, sizeof(text), "qpn: 0x1\n");
	wait_world(&world, texts, devs);
	assert_int_equal(why_wait(&world.w, &world.qp[0], &v), WHY_END_UNKNOWN);
	wait_world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_why_wait_ends),
		cmocka_unit_test(test_why_wait_held),
		cmocka_unit_test(test_why_wait_lost),
		cmocka_unit_test(test_why_wait_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
