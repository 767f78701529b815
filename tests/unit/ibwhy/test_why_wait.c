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
	{ { A("ack", "0") }, WHY_END_PEER_GONE, 0, "Its peer glass1:0x22 does not exist: its program destroyed it, or ended." },
	{ { A("response", "0"), B("init", "nothing", "0") }, WHY_END_PEER_STATE, 0, "is in the state init." },
	{ { A("window", "0"), B("rts", "nothing", "0") }, WHY_END_UNKNOWN, 0, "could answer" },
	{ { A("reads", "0"), B("rts", "engine", "0") }, WHY_END_BUSY, 0, NULL },
	{ { A("fence", "0"), B("rts", "ack", "0") }, WHY_END_CYCLE, 0, "where this chain has been" },
	{ { A("message", "0"), B("rts", "port", "0") }, WHY_END_PORT, 0, NULL },
	{ { A("nothing", "1"), B("rts", "nothing", "1") }, WHY_END_CYCLE, 0, "has receives posted, too, and sends nothing" },
	{ { A("nothing", "1"), B("rts", "nothing", "0") }, WHY_END_IDLE, 0, "glass1:0x22 of server (pid 812) is idle, too." },
	{ { A("nothing", "0"), B("rts", "nothing", "1") }, WHY_END_IDLE, 0, NULL },
	/* a program that waits for a WRITE of its peer has no receives */
	{ { A("nothing", "0"), B("rts", "nothing", "0") }, WHY_END_STOPPED, 812, "server (pid 812) is stopped." },
	{ { A("nothing", "0"), B("rts", "recv", "0") }, WHY_END_NO_RECV, 0, NULL },
	{ { A("nothing", "0") }, WHY_END_ABANDONED, 0, "Its peer glass1:0x22 does not exist: its program destroyed it, or ended." },
	{ { A("nothing", "1") }, WHY_END_ABANDONED, 0, NULL },
	{ { A("message", "1") }, WHY_END_ABANDONED, 0, NULL },
	{ { A("nothing", "1"), QP_TEXT("0x22", "glass0", "0x55", "813", "other", "rts", "nothing", "1") },
	  WHY_END_ABANDONED, 0, "the QP of that number there is connected to another one." },
	{ { QP_TEXT("0x11", "-", "-", "811", "client", "init", "nothing", "1") }, WHY_END_MODIFY, 0, NULL },
	/* in error */
	{ { QP_TEXT("0x11", "glass1", "0x22", "811", "client", "err", "nothing", "0") }, WHY_END_FAILED, 0,
	  "glass0:0x11 of client (pid 811) is in the state err: its requests complete with a flush error, and nothing else comes." },
	{ { QP_TEXT("0x11", "glass1", "0x22", "811", "client", "sqe", "poll", "0") }, WHY_END_FAILED, 0, "is in the state sqe" },
	{ { QP_TEXT("0x11", "glass1", "0x22", "811", "client", "err", "nothing", "0") }, WHY_END_STOPPED, 811, "is in the state err" },
	{ { A("nothing", "1"), B("err", "nothing", "0") }, WHY_END_FAILED, 0, "Its peer glass1:0x22 of server (pid 812) is in the state err" },
	{ { A("ack", "1"), B("err", "poll", "0") }, WHY_END_FAILED, 812, "Its peer glass1:0x22 of server (pid 812) is in the state err" },
	{ { A("nothing", "1"), B("rts", "nothing", "1") }, WHY_END_STOPPED, 812, NULL },
	{ { A("nothing", "1"), B("rts", "nothing", "1"),
	    QP_TEXT("0x33", "glass1", "0x44", "812", "server", "rts", "poll", "0") }, WHY_END_NOT_POLLED, 0, "glass0:0x33 of server (pid 812) waits for poll." },
	{ { A("a_new_word", "0") }, WHY_END_PEER_GONE, 0, NULL },
	{ { QP_TEXT("0x11", "-", "-", "0", "-", "rts", "ack", "0") }, WHY_END_OTHER_HOST, 0, "the kernel waits for ack" },
};

/* Ends that need more of a snapshot than its QPs */
static bool has_own_test(enum why_end end)
{
	return end == WHY_END_HELD || end == WHY_END_CQ_FAILED || end == WHY_END_DATAGRAM ||
	       (end >= WHY_END_LOST && end <= WHY_END_DROPPED);
}

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
		if (!seen[i] && !has_own_test(i))
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

/* One case: a snapshot, its end, and what a step says; NULL: nothing in particular */
static void check_end(const struct why_snapshot *w, enum why_end end, const char *sentence)
{
	struct why_verdict v;
	enum why_end got = why_wait(w, &w->qp[0], &v);
	unsigned int i;

	if (got != end || (sentence && !says(&v, sentence))) {
		for (i = 0; i < v.steps; i++)
			print_error("  %s\n", v.step[i].text);
		fail_msg("%s instead of %s, or no: %s", why_end_word(got), why_end_word(end),
			 sentence ? sentence : "");
	}
	assert_ptr_equal(v.step[v.steps - 1].advice, why_end_advice(end));
	for (i = 0; i + 1 < v.steps; i++)
		assert_null(v.step[i].advice);
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
		{ { A("nothing", "0"), B("rts", "nothing", "0") }, 0x22, WHY_END_LOST },
		{ { A("ack", "0"), B("init", "nothing", "0") }, 0x11, WHY_END_PEER_STATE },
	};
	struct wait_world world;
	struct why_verdict v;
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_process_state stopped = { 811, true };
		struct why_fault lost = { .rule = "r1", .qpn = cases[i].qpn, .act = WHY_FAULT_CQE_LOSE,
					  .count = 1 + i % 2, .seq = 7, .wr_id = "0x5" };

		strcpy(lost.dev, cases[i].qpn == 0x22 ? "glass1" : "glass0");
		wait_world(&world, cases[i].text, devs);
		world.w.fault = &lost;
		world.w.faults = 1;
		snprintf(text, sizeof(text), "Injection rule r1 lost %s of %s:0x%x: %s of a send with wr_id 0x5.",
			 i % 2 ? "2 completions" : "1 completion", lost.dev, (unsigned int)lost.qpn,
			 i % 2 ? "the last one" : "that");
		check_end(&world.w, cases[i].end, cases[i].end == WHY_END_LOST ? text : NULL);
		why_wait(&world.w, &world.qp[0], &v);
		assert_true(says(&v, "lost") == (cases[i].end == WHY_END_LOST));
		assert_false(says(&v, "none is signaled"));
		world.w.process = &stopped;
		world.w.processes = 1;
		if (cases[i].qpn == 0x11 && cases[i].end == WHY_END_LOST)
			assert_int_equal(why_wait(&world.w, &world.qp[0], &v), WHY_END_STOPPED);
		wait_world_free(&world);
	}
}

#define COUNTED(wait, told, in_message, used, consumer)                                            \
	QP_MORE("0x11", "811", "client", "rts", wait, "created: 1000\n",                               \
		"peer:\n  dev: glass1\n  qpn: 0x22\nrequester:\n  told: " told                         \
		"\nresponder:\n  in_message: " in_message "\nrq:\n  used: " used "\n  consumer: " consumer "\n")

/* The program has gone past the lost completion, or the QP had its number later. */
static void test_why_wait_lost_earlier(void **state)
{
	static const struct {
		const char *text[WAIT_QPS];
		uint64_t time, request;
		bool receive;
		enum why_end end;
		const char *says;
	} cases[] = {
		/* no later one came; later ones came; another end explains it; the QP is a later one */
		{ { COUNTED("nothing", "29", "no", "1", "9"), B("rts", "nothing", "1") }, 2000, 30, false, WHY_END_LOST, "nor a later one of that queue" },
		{ { COUNTED("nothing", "31", "no", "1", "9"), B("rts", "nothing", "1") }, 2000, 30, false, WHY_END_LOST_EARLIER, "Later ones of that queue have come." },
		{ { COUNTED("recv", "31", "no", "0", "9"), B("rts", "nothing", "1") }, 2000, 30, false, WHY_END_NO_RECV, NULL },
		{ { COUNTED("poll", "31", "no", "0", "9"), B("rts", "nothing", "1") }, 2000, 30, false, WHY_END_NOT_POLLED, NULL },
		{ { COUNTED("nothing", "31", "no", "1", "9"), B("rts", "poll", "1") }, 2000, 30, false, WHY_END_NOT_POLLED, NULL },
		{ { COUNTED("nothing", "29", "no", "1", "9"), B("rts", "nothing", "1") }, 999, 30, false, WHY_END_CYCLE, NULL },
		{ { COUNTED("nothing", "31", "no", "1", "9") }, 2000, 30, false, WHY_END_ABANDONED, NULL },
		/* the same of receives, of which one may be in use */
		{ { COUNTED("nothing", "0", "no", "1", "9"), B("rts", "nothing", "1") }, 2000, 9, true, WHY_END_LOST, "that of a receive" },
		{ { COUNTED("nothing", "0", "no", "1", "10"), B("rts", "nothing", "1") }, 2000, 9, true, WHY_END_LOST_EARLIER, "that of a receive" },
		{ { COUNTED("nothing", "0", "yes", "1", "10"), B("rts", "nothing", "1") }, 2000, 9, true, WHY_END_LOST, NULL },
	};
	struct wait_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_fault lost = { .dev = "glass0", .rule = "r1", .qpn = 0x11, .act = WHY_FAULT_CQE_LOSE, .count = 1,
					  .time = cases[i].time, .request = cases[i].request, .receive = cases[i].receive };

		wait_world(&world, cases[i].text, devs);
		world.w.fault = &lost;
		world.w.faults = 1;
		check_end(&world.w, cases[i].end, cases[i].says);
		wait_world_free(&world);
	}
}

#define SENT(qpn, peer_dev, peer, pid, wait, psns)                                                 \
	QP_MORE(qpn, pid, "client", "rts", wait, psns, "peer:\n  dev: " peer_dev "\n  qpn: " peer "\nrq:\n  used: 1\n")

/* Other faults, each with proof that it still matters */
static void test_why_wait_faults(void **state)
{
	static const struct {
		const char *text[WAIT_QPS];
		struct why_fault fault;
		enum why_end end;
		const char *says;
	} cases[] = {
		{ { A("nothing", "1"), B("rts", "nothing", "1") }, { .dev = "glass1", .qpn = 0x22, .act = WHY_FAULT_CQE_DUP, .receive = true },
		  WHY_END_DOUBLED, "Injection rule r1 doubled 1 completion of glass1:0x22: that of a receive." },
		{ { A("poll", "1") }, { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_CQE_DUP }, WHY_END_DOUBLED, NULL },
		{ { A("recv", "1") }, { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_CQE_DUP }, WHY_END_NO_RECV, NULL },
		/* the peer, which got one twice, has ended */
		{ { A("nothing", "1") }, { .dev = "glass1", .qpn = 0x22, .act = WHY_FAULT_CQE_DUP }, WHY_END_DOUBLED, NULL },
		/* the receiver still waits for the request, whose sender may be gone; or it has got it */
		{ { SENT("0x11", "glass1", "0x22", "811", "nothing", ""), SENT("0x22", "glass0", "0x11", "812", "message", "epsn: 77\n") },
		  { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_ACK, .psn = 77 }, WHY_END_FORGED, "Injection rule r1 forged the ACK of PSN 77 of glass0:0x11." },
		{ { SENT("0x11", "glass1", "0x22", "811", "message", "epsn: 77\n") },
		  { .dev = "glass1", .qpn = 0x22, .act = WHY_FAULT_ACK, .psn = 77 }, WHY_END_FORGED, "The peer never got that request." },
		{ { SENT("0x11", "glass1", "0x22", "811", "message", "epsn: 77\n") },
		  { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_ACK, .psn = 77, .arrived = true }, WHY_END_FORGED, NULL },
		{ { SENT("0x11", "glass1", "0x22", "811", "message", "epsn: 78\n") },
		  { .dev = "glass1", .qpn = 0x22, .act = WHY_FAULT_ACK, .psn = 77 }, WHY_END_ABANDONED, NULL },
		/* RC sends again, unless its timeout is 0 */
		{ { SENT("0x11", "glass1", "0x22", "811", "ack", "timeout: 0\nsq_psn: 78\nuna_psn: 77\n"), SENT("0x22", "glass0", "0x11", "812", "nothing", "") },
		  { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_DROP, .psn = 77 }, WHY_END_DROPPED, "Injection rule r1 lost PSN 77 of glass0:0x11." },
		{ { SENT("0x11", "glass1", "0x22", "811", "ack", "timeout: 14\nsq_psn: 78\nuna_psn: 77\n"), SENT("0x22", "glass0", "0x11", "812", "nothing", "") },
		  { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_DROP, .psn = 77 }, WHY_END_UNKNOWN, NULL },
		{ { SENT("0x11", "glass1", "0x22", "811", "ack", "timeout: 0\nsq_psn: 79\nuna_psn: 78\n"), SENT("0x22", "glass0", "0x11", "812", "nothing", "") },
		  { .dev = "glass0", .qpn = 0x11, .act = WHY_FAULT_DROP, .psn = 77 }, WHY_END_UNKNOWN, "Its own timeout is 0, never" },
	};
	struct wait_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_fault fault = cases[i].fault;

		strcpy(fault.rule, "r1");
		fault.count = 1;
		wait_world(&world, cases[i].text, devs);
		world.w.fault = &fault;
		world.w.faults = 1;
		check_end(&world.w, cases[i].end, cases[i].says);
		wait_world_free(&world);
	}
}

#define WITH_CQ(state, wait)                                                                       \
	QP_MORE("0x11", "811", "client", state, wait, "scqn: 7\nrcqn: 8\ncreated: 100\n",              \
		"peer:\n  dev: glass1\n  qpn: 0x22\nhistory:\n"                                        \
		"  change: when=150 age=900 from=reset to=init cause=verb\n"                           \
		"  change: when=500 age=4000000 from=rts to=err cause=rnr_exc\nrq:\n  used: 0\n")

/* CQs: failed, with completions in them, armed or not; and the failures that the driver keeps */
static void test_why_wait_cq(void **state)
{
	struct why_cq cq[] = { { .dev = "glass0", .comm = "client", .notify = "no", .cqn = 7, .pid = 811 },
			       { .dev = "glass0", .comm = "client", .notify = "no", .cqn = 8, .pid = 811 } };
	struct why_failure failure[] = {
		{ .dev = "glass0", .object = "qp", .num = 0x11, .id = 3, .when = 500, .cause = WHY_CAUSE_NO_RECV, .last = "The peer is slow." },
		{ .dev = "glass0", .object = "cq", .num = 8, .id = 4, .when = 600, .age = 2000000, .cause = WHY_CAUSE_INJECTED },
	};
	static const char *const err[WAIT_QPS] = { WITH_CQ("err", "nothing"), NULL };
	static const char *const full[WAIT_QPS] = { WITH_CQ("rts", "no_signaled"), NULL };
	static const char *const poll[WAIT_QPS] = { WITH_CQ("rts", "poll"), NULL };
	struct why_process_state stopped = { 811, true };
	struct why_fault twice = { .dev = "glass0", .rule = "r1", .qpn = 0x11, .act = WHY_FAULT_CQE_DUP, .count = 1, .time = 150 };
	struct wait_world world;

	(void)state;
	wait_world(&world, err, devs);
	world.w.cq = cq;
	world.w.cqs = 2;
	world.w.failure = failure;
	world.w.failures = 2;
	check_end(&world.w, WHY_END_FAILED, "is in the state err since 4.0 ms: ");
	check_end(&world.w, WHY_END_FAILED, "No completion lies in its CQs 7 and 8: all were polled.");
	check_end(&world.w, WHY_END_FAILED, "Failure 3 has the first cause no_recv: the peer posted too few receives, and the RNR budget is spent. The peer is slow.");
	cq[0].used = 1;
	check_end(&world.w, WHY_END_FAILED, "1 completion lies in its CQs 7 and 8, not polled.");
	/* of a time before the QP left RESET */
	failure[0].when = 149;
	assert_false(why_failure_counts(&world.w, &failure[0]));
	failure[0].when = 150;
	assert_true(why_failure_counts(&world.w, &failure[0]));
	assert_false(why_failure_counts(&world.w, &failure[1]));
	cq[1].failed = true;
	assert_true(why_failure_counts(&world.w, &failure[1]));
	check_end(&world.w, WHY_END_CQ_FAILED, "CQ 8 of glass0, which client (pid 811) made, is in error since 2.0 ms: no completion comes to it any more, and only the asynchronous event IBV_EVENT_CQ_ERR tells that.");
	check_end(&world.w, WHY_END_CQ_FAILED, "Failure 4 has the first cause injected: an injection rule made it.");
	failure[1].cause = WHY_CAUSE_UNDETERMINED;
	strcpy(failure[1].last, "It overran.");
	check_end(&world.w, WHY_END_CQ_FAILED, "Failure 4: It overran. Its first cause is undetermined.");
	world.w.failures = 0;
	world.w.fault = &twice;
	world.w.faults = 1;
	check_end(&world.w, WHY_END_CQ_FAILED, "Injection rule r1 doubled 1 completion of glass0:0x11: that of a send.");
	twice.time = 149;
	check_end(&world.w, WHY_END_CQ_FAILED, "CQ 8 of glass0, which client (pid 811) made, is in error: no completion");
	wait_world_free(&world);

	/* the QP goes to ERR a little later than its CQ */
	wait_world(&world, full, devs);
	world.w.cq = cq;
	world.w.cqs = 2;
	check_end(&world.w, WHY_END_CQ_FAILED, NULL);
	world.w.process = &stopped;
	world.w.processes = 1;
	check_end(&world.w, WHY_END_CQ_FAILED, "CQ 8 of glass0, which client (pid 811) made, is in error: no completion");
	world.w.processes = 0;
	cq[1].failed = false;
	check_end(&world.w, WHY_END_NO_SIGNALED, NULL);
	wait_world_free(&world);

	wait_world(&world, poll, devs);
	world.w.cq = cq;
	world.w.cqs = 2;
	check_end(&world.w, WHY_END_NOT_POLLED, "CQ 7 of glass0 has 1 completion that nobody polled: it was never armed, so no event tells of them.");
	cq[0].armed = 2;
	check_end(&world.w, WHY_END_NOT_POLLED, "the event that it was armed for last was raised, and it is not armed again.");
	strcpy(cq[0].notify, "next");
	check_end(&world.w, WHY_END_NOT_POLLED, "it is armed for the next completion, and those that lie in it raise no event.");
	strcpy(cq[0].notify, "solicited");
	check_end(&world.w, WHY_END_NOT_POLLED, "it is armed for solicited completions alone.");
	wait_world_free(&world);
}

/* The peer is gone, and the driver keeps its failure. */
static void test_why_wait_failed_and_gone(void **state)
{
	static const char *const text[WAIT_QPS] = { A("nothing", "1"), NULL };
	struct why_failure failure = { .dev = "glass1", .object = "qp", .num = 0x22, .id = 5, .peer_dev = "glass0", .peer_qpn = 0x11,
				       .cause = WHY_CAUSE_PEER_STOPPED };
	struct wait_world world;

	(void)state;
	wait_world(&world, text, devs);
	assert_true(why_failure_counts(&world.w, &failure));
	world.w.failure = &failure;
	world.w.failures = 1;
	check_end(&world.w, WHY_END_ABANDONED, "Failure 5 has the first cause peer_stopped: the peer process was stopped.");
	failure.peer_qpn = 0x12;
	assert_false(why_failure_counts(&world.w, &failure));
	wait_world_free(&world);
}

#define UD(qpn, pid, wait, lines, to, used)                                                        \
	QP_MORE(qpn, pid, "ud", "rts", wait, "qptype: ud\n" lines, to "rq:\n  used: " used "\n")
#define TO(dev, qpn) "sent_to:\n  qpn: " qpn "\n  dlid: 3\n  dev: " dev "\n"

/* UD: the chain goes on with the QP to which the last datagram went. */
static void test_why_wait_datagrams(void **state)
{
	static const struct {
		const char *text[WAIT_QPS];
		uint64_t stopped, psn;
		enum why_end end;
		const char *says;
	} cases[] = {
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "", TO("glass0", "0x11"), "1") },
		  0, 0, WHY_END_DATAGRAM, "glass1:0x22 of ud (pid 812) has receives posted, too, and sends nothing." },
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "drops: 3\n", TO("glass0", "0x11"), "1") },
		  0, 0, WHY_END_DATAGRAM, "It has dropped 3 packets that came to it." },
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "drops: 3\n", TO("glass0", "0x11"), "0") },
		  0, 0, WHY_END_NO_RECV, "glass1:0x22 of ud (pid 812) has no receive posted." },
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1"), UD("0x22", "812", "poll", "", TO("glass0", "0x11"), "1") },
		  0, 0, WHY_END_NOT_POLLED, "glass1:0x22 of ud (pid 812) waits for poll." },
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "", "", "1") },
		  812, 0, WHY_END_STOPPED, "ud (pid 812) is stopped." },
		/* it only receives: the sender is found */
		{ { UD("0x11", "811", "nothing", "", "", "1"), UD("0x22", "812", "nothing", "", TO("glass0", "0x11"), "1") }, 812, 0, WHY_END_STOPPED, NULL },
		{ { UD("0x11", "811", "nothing", "", "", "1"), UD("0x22", "812", "nothing", "", TO("glass0", "0x12"), "1") },
		  0, 0, WHY_END_IDLE, "It has sent no datagram, and no QP of this host sent its last one to it." },
		{ { UD("0x11", "811", "nothing", "", TO("glass1", "0x22"), "1") }, 0, 0, WHY_END_ABANDONED,
		  "glass1:0x22, to which its last datagram went, does not exist: its program destroyed it, or ended." },
		{ { UD("0x11", "811", "nothing", "", "sent_to:\n  qpn: 0x22\n  dlid: 9\n", "1") }, 0, 0, WHY_END_OTHER_HOST,
		  "Its last datagram went to QP 0x22 at LID 9, which no Glass adapter of this host has." },
		{ { UD("0x11", "811", "nothing", "", "sent_to:\n  qpn: 0x22\n  dlid: 0\n  dgid: fe80::1\n", "1") }, 0, 0, WHY_END_OTHER_HOST,
		  "Its last datagram went to QP 0x22 at GID fe80::1." },
		{ { UD("0x11", "811", "nothing", "", "sent_to:\n  qpn: 0xffffff\n  dlid: 49152\n", "1") }, 0, 0, WHY_END_IDLE, "multicast" },
		/* a rule dropped the last datagram, or an earlier one; an answer may lie in the CQ */
		{ { UD("0x11", "811", "poll", "sq_psn: 78\n", TO("glass1", "0x22"), "1") }, 0, 77, WHY_END_NOT_POLLED, NULL },
		{ { UD("0x11", "811", "nothing", "sq_psn: 78\n", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "", TO("glass0", "0x11"), "1") },
		  0, 77, WHY_END_DROPPED, "Injection rule r1 lost PSN 77 of glass0:0x11." },
		{ { UD("0x11", "811", "nothing", "sq_psn: 79\n", TO("glass1", "0x22"), "1"), UD("0x22", "812", "nothing", "", TO("glass0", "0x11"), "1") },
		  0, 77, WHY_END_DATAGRAM, NULL },
	};
	struct wait_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_fault drop = { .dev = "glass0", .rule = "r1", .qpn = 0x11, .act = WHY_FAULT_DROP, .psn = cases[i].psn };
		struct why_process_state stopped = { cases[i].stopped, true };

		wait_world(&world, cases[i].text, devs);
		world.w.process = &stopped;
		world.w.processes = cases[i].stopped != 0;
		world.w.fault = &drop;
		world.w.faults = cases[i].psn != 0;
		check_end(&world.w, cases[i].end, cases[i].says);
		wait_world_free(&world);
	}
}

#define WITH_SRQ                                                                                   \
	QP_MORE("0x22", "812", "server", "rts", "nothing", "", "peer:\n  dev: glass0\n  qpn: 0x11\nrq:\n  srqn: 3\n")

/* An SRQ has the receives of a QP. */
static void test_why_wait_srq(void **state)
{
	static const char *const rnr[WAIT_QPS] = { A("rnr", "0"), WITH_SRQ, NULL };
	static const char *const nothing[WAIT_QPS] = { A("nothing", "1"), WITH_SRQ, NULL };
	struct why_srq srq = { .dev = "glass1", .srqn = 3 };
	struct wait_world world;

	(void)state;
	wait_world(&world, rnr, devs);
	check_end(&world.w, WHY_END_NO_RECV, "SRQ 3 of glass1, from which glass1:0x22 of server (pid 812) receives, has no receive posted.");
	wait_world_free(&world);
	wait_world(&world, nothing, devs);
	world.w.srq = &srq;
	world.w.srqs = 1;
	check_end(&world.w, WHY_END_IDLE, NULL);
	srq.used = 1;
	check_end(&world.w, WHY_END_CYCLE, NULL);
	wait_world_free(&world);
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
		cmocka_unit_test(test_why_wait_lost_earlier),
		cmocka_unit_test(test_why_wait_faults),
		cmocka_unit_test(test_why_wait_cq),
		cmocka_unit_test(test_why_wait_failed_and_gone),
		cmocka_unit_test(test_why_wait_datagrams),
		cmocka_unit_test(test_why_wait_srq),
		cmocka_unit_test(test_why_wait_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
