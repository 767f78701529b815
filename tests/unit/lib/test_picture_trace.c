// SPDX-License-Identifier: GPL-2.0-only
/* Traces for Perfetto: exact counts, a checker for the format, hostile names, a million messages in bounded memory. */
#define _GNU_SOURCE
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/picture/trace.h"
#include "picture_world.h"

#define CHECK "../guest/observe/check-trace"
#define SEND (GLASS_TR_RC | GLASS_BOP_SEND_ONLY)
#define ACK (GLASS_TR_RC | GLASS_BOP_ACK)

static char file[] = "/tmp/picture-trace-XXXXXX";

static FILE *open_file(void)
{
	int fd;

	memcpy(file + sizeof(file) - 7, "XXXXXX", 6);
	fd = mkstemp(file);
	assert_true(fd >= 0);
	return fdopen(fd, "w");
}

/* Runs the checker on the file with these options. Returns its status. */
static int check(const char *options)
{
	char command[300];

	snprintf(command, sizeof(command), CHECK " %s %s >%s.out 2>&1", file, options, file);
	return system(command);
}

static void is_right(const char *options, const char *found)
{
	char text[400] = "", out[100];
	int status = check(options);
	FILE *from;

	snprintf(out, sizeof(out), "%s.out", file);
	from = fopen(out, "r");
	assert_non_null(from);
	text[fread(text, 1, sizeof(text) - 1, from)] = 0;
	fclose(from);
	unlink(out);
	unlink(file);
	if (status || !strstr(text, found))
		fail_msg("status %d: %s", status, text);
}

static void both(struct picture_trace *t, struct picture_sight s)
{
	picture_trace_packet(t, &s);
	s = world_arrival(s, 3 * US);
	picture_trace_packet(t, &s);
}

static void exchange(struct picture_trace *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		both(t, world_packet(i * 10 * US, false, SEND, i & 0xffffff, FLOW(i)));
		both(t, world_packet(i * 10 * US + 5 * US, true, ACK, i & 0xffffff, FLOW(i)));
	}
}

/* A reception of no length and a longer one may begin at the same time. They must not share a lane. */
static void test_one_instant(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);

	(void)state;
	both(t, world_packet(10 * US, false, SEND, 1, FLOW(1)));
	both(t, world_packet(13 * US, true, ACK, 1, FLOW(1)));
	both(t, world_packet(10 * US, false, SEND, 2, FLOW(2)));
	both(t, world_packet(18 * US, true, ACK, 2, FLOW(2)));
	picture_trace_end(t, 0);
	fclose(to);
	is_right("--messages 2 --finished", "receptions=2");
}

static void test_one_by_one(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);

	(void)state;
	exchange(t, 101);
	picture_trace_end(t, 0);
	fclose(to);
	is_right("--messages 101 --op send --finished",
		 "messages=101 receptions=101 stages=202 arrows=202 trouble=0 unfinished=0 lost=0");
}

/* 16 at a time, and one acknowledgement for all of them */
static void test_many_in_flight(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);

	(void)state;
	for (unsigned int i = 0; i < 16 * 7; i++) {
		both(t, world_packet(i * 10 * US, false, SEND, i, FLOW(i)));
		if (i % 16 == 15)
			both(t, world_packet(i * 10 * US + 5 * US, true, ACK, i, FLOW(i)));
	}
	picture_trace_end(t, 0);
	fclose(to);
	is_right("--messages 112 --finished", "messages=112 receptions=112");
}

static void test_drop_and_retransmission(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);
	struct picture_sight lost = world_packet(0, false, SEND, 0, FLOW(0));

	(void)state;
	lost.reason = GLASS_DROP_INJECTED;
	lost.rule = "lossy";
	picture_trace_packet(t, &lost);
	both(t, world_packet(100 * MS, false, SEND, 0, FLOW(0)));
	both(t, world_packet(100 * MS + 5 * US, true, ACK, 0, FLOW(0)));
	picture_trace_end(t, 7);
	fclose(to);
	is_right("--messages 1 --finished", "arrows=2 trouble=2 unfinished=0 lost=7");
}

static void test_unfinished(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);

	(void)state;
	exchange(t, 3);
	both(t, world_packet(MS, false, SEND, 3, FLOW(3)));
	picture_trace_end(t, 0);
	fclose(to);
	assert_int_not_equal(check("--finished"), 0);
	is_right("--messages 4", "messages=4 receptions=4 stages=7 arrows=7 trouble=0 unfinished=1");
}

/* Datagrams to a node that is not watched, as to a switch: nothing is seen of them but that they were sent. */
static void test_unreliable_alone(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", false);
	struct picture_sight s;

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		s = world_packet(i * US, false, GLASS_TR_UD | GLASS_BOP_SEND_ONLY, i, FLOW(i));
		picture_trace_packet(t, &s);
	}
	picture_trace_end(t, 0);
	fclose(to);
	is_right("--messages 5 --finished", "messages=5 receptions=0 stages=0 arrows=0 trouble=0 unfinished=0");
}

static void moment(struct picture_trace *t, enum picture_kind kind, uint64_t ns, bool far, uint64_t flow)
{
	picture_trace_moment(t, &(struct picture_moment){
		.kind = kind, .ns = WORLD_START + ns, .flow = flow, .at = { 1, WORLD_A }, .far = far,
		.dev = far ? "glass1" : "glass0", .op = far ? "recv" : "send", .len = 1024,
		.comm = kind == PICTURE_POSTED || kind == PICTURE_POLLED ? "client" : NULL, .pid = 811 });
}

/* All stages, as ibflow sees them; every third message has no completion. */
static void with_moments(struct picture_trace *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t at = i * 40 * US, flow = FLOW(i);
		bool signaled = i % 3 || i + 1 == n;

		moment(t, PICTURE_POSTED, at, false, flow);
		moment(t, PICTURE_TAKEN, at + 2 * US, false, flow);
		both(t, world_packet(at + 5 * US, false, SEND, i & 0xffffff, flow));
		moment(t, PICTURE_COMPLETED, at + 9 * US, true, flow);
		both(t, world_packet(at + 10 * US, true, ACK, i & 0xffffff, flow));
		moment(t, PICTURE_DONE, at + 15 * US, false, flow);
		moment(t, PICTURE_POLLED, at + 17 * US, true, flow);
		if (!signaled)
			continue;
		moment(t, PICTURE_COMPLETED, at + 16 * US, false, flow);
		moment(t, PICTURE_POLLED, at + 30 * US, false, flow);
	}
}

static void test_stages(void **state)
{
	FILE *to = open_file();
	struct picture_trace *t = picture_trace_new(to, "test", true);

	(void)state;
	with_moments(t, 31);
	picture_trace_end(t, 0);
	fclose(to);
	/* post, queue, wire, ack, and cqe and poll of the 21 with a completion; and the receiver's poll */
	is_right("--messages 31 --op send --finished", "receptions=31 stages=197 arrows=62");
}

static void test_hostile_names(void **state)
{
	static const char *const names[] = { "\"},{\"ph\":\"X\"", "\\", "\xff\x80", "a\nb\x01", "\xe2\x80\xae" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		FILE *to = open_file();
		struct picture_trace *t = picture_trace_new(to, names[i], false);
		struct picture_sight s = world_packet(0, false, SEND, 0, FLOW(0));

		s.comm = s.dev = s.rule = names[i];
		s.reason = GLASS_DROP_INJECTED;
		picture_trace_packet(t, &s);
		picture_trace_end(t, 0);
		fclose(to);
		is_right("--messages 1", "messages=1 ");
	}
}

/* Whatever comes, the trace keeps to the format. */
static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < 12; round++) {
		FILE *to = open_file();
		bool by_moments = round % 2;
		struct picture_trace *t = picture_trace_new(to, "test", by_moments);

		for (unsigned int i = 0; i < 3000; i++) {
			uint64_t ns = i * US - rnd_below(900), flow = FLOW(rnd_below(40));
			struct picture_sight s = world_packet(ns, rnd_below(4) == 0, rnd_below(256), rnd_below(64), flow);

			s.reason = rnd_below(9) ? 0 : rnd_below(256);
			s.syndrome = rnd_below(256);
			s.dma_len = rnd_below(2) ? rnd_below(100000) : 0;
			if (rnd_below(2))
				s = world_arrival(s, 0);
			picture_trace_packet(t, &s);
			moment(t, PICTURE_POSTED + rnd_below(9), ns, rnd_below(2), FLOW(rnd_below(40)));
		}
		picture_trace_end(t, 0);
		fclose(to);
		is_right("", "messages=");
	}
}

/* The checker sees what is wrong: each of these changes one thing of a right trace. */
static void test_the_checker_sees(void **state)
{
	static const char *const changes[] = {
		"s/\"dur\":8.000/\"dur\":99.000/", "0,/\"ph\":\"X\"/s//\"ph\":\"Q\"/", "0,/\"ph\":\"s\"/s//\"ph\":\"f\"/",
		"/process_name/d", "/\"ph\":\"f\"/d", "s/\"bp\":\"e\"/\"bp\":\"x\"/", "0,/\"cat\":\"message\"/s//\"cat\":\"stage\"/",
		"s/\"ts\":/\"ts\":-/", "$s/}//", "s/\"messages\":1}/\"messages\":-1}/",
	};
	char command[300];

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		FILE *to = open_file();
		struct picture_trace *t = picture_trace_new(to, "test", false);

		exchange(t, 3);
		picture_trace_end(t, 0);
		fclose(to);
		assert_int_equal(check("--finished"), 0);
		snprintf(command, sizeof(command), "sed -i '%s' %s", changes[i], file);
		assert_int_equal(system(command), 0);
		if (!check("--finished"))
			fail_msg("not seen: %s", changes[i]);
		unlink(file);
	}
	snprintf(command, sizeof(command), "rm -f %s.out", file);
	assert_int_equal(system(command), 0);
}

/* ---- a million messages */

#define MILLION 1000003 /* a prime */

static uint64_t slices;

/* Counts the slices of messages in a stream that nobody keeps. */
static ssize_t count_slices(void *cookie, const char *buf, size_t size)
{
	static const char want[] = "\"cat\":\"message\"";
	static size_t at;

	(void)cookie;
	for (size_t i = 0; i < size; i++) {
		at = buf[i] == want[at] ? at + 1 : buf[i] == want[0];
		if (at == sizeof(want) - 1) {
			slices++;
			at = 0;
		}
	}
	return size;
}

static void test_a_million(void **state)
{
	cookie_io_functions_t io = { .write = count_slices };

	(void)state;
	for (int by_moments = 0; by_moments < 2; by_moments++) {
		FILE *to = fopencookie(NULL, "w", io);
		struct picture_trace *t = picture_trace_new(to, "test", by_moments);
		struct rusage before, after;

		slices = 0;
		(by_moments ? with_moments : exchange)(t, 20000);
		getrusage(RUSAGE_SELF, &before);
		picture_trace_end(t, 0);
		t = picture_trace_new(to, "test", by_moments);
		fflush(to);
		assert_int_equal(slices, 20000);
		slices = 0;
		(by_moments ? with_moments : exchange)(t, MILLION);
		getrusage(RUSAGE_SELF, &after);
		picture_trace_end(t, 0);
		fclose(to);
		assert_int_equal(slices, MILLION);
		/* kilobytes: what 20,000 messages took is what a million takes, but for the allocator's */
		assert_true(after.ru_maxrss - before.ru_maxrss < 16384);
	}
}

/* More unfinished messages than it keeps, of more QPs than it draws */
static void test_bounds(void **state)
{
	cookie_io_functions_t io = { .write = count_slices };
	FILE *to = fopencookie(NULL, "w", io);
	struct picture_trace *t = picture_trace_new(to, "test", false);

	(void)state;
	slices = 0;
	for (uint32_t i = 0; i < 3 * TRACE_MESSAGES; i++) {
		struct picture_sight s = world_packet(i * US, false, SEND, 0, FLOW(i));

		s.from.qpn = i % (TRACE_TRACKS + 1000);
		picture_trace_packet(t, &s);
	}
	picture_trace_end(t, 0);
	fclose(to);
	assert_true(slices > 2 * TRACE_MESSAGES && slices < 3 * TRACE_MESSAGES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_instant),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_many_in_flight),
		cmocka_unit_test(test_drop_and_retransmission),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_unreliable_alone),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test_setup(test_random, rnd_restart),
		cmocka_unit_test(test_the_checker_sees),
		cmocka_unit_test(test_a_million),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests_name("picture_trace", tests, rnd_group, NULL);
}
