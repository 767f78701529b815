// SPDX-License-Identifier: GPL-2.0-only
/* The model of pictures: joins both ends, finds drops and retransmissions, stays bounded. */
#include "picture_world.h"

#define SEND (GLASS_TR_RC | GLASS_BOP_SEND_ONLY)
#define ACK (GLASS_TR_RC | GLASS_BOP_ACK)

static char why[400];

static void test_both_ends_are_one_packet(void **state)
{
	struct picture_book *book = world_book(PICTURE_ITEMS);
	struct picture *p = world_choose(book, why);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->packets, 7);
	assert_int_equal(p->count, 9);
	assert_int_equal(p->dropped, 2);
	assert_int_equal(p->again, 1);
	assert_int_equal(p->naks, 1);
	assert_int_equal(p->ends[0].sent, 4);
	assert_int_equal(p->ends[0].arrived, 3);
	assert_int_equal(p->ends[1].arrived, 3);
	assert_int_equal(p->ends[1].sent, 3);
	assert_string_equal(p->ends[0].comm, "client");
	assert_string_equal(p->ends[1].dev, "glass1");
	assert_int_equal(p->items[0].arrived_ns - p->items[0].ns, 3 * US);
	/* lost on the way: it did not arrive; refused: it did */
	assert_int_equal(p->items[2].reason, GLASS_DROP_INJECTED);
	assert_int_equal(p->items[2].arrived_ns, 0);
	assert_int_equal(p->items[6].reason, GLASS_DROP_ACCESS);
	assert_int_not_equal(p->items[6].arrived_ns, 0);
	assert_true(p->items[4].again);
	picture_book_free(book);
}

static void test_says_why_this_pair(void **state)
{
	struct picture_book *book = world_book(PICTURE_ITEMS);

	(void)state;
	world_choose(book, why);
	assert_string_equal(why, "picture of glass0:0x11 and glass1:0x22 (it has an error): "
				 "7 packets, 2 dropped, 1 sent again, 1 NAK");
	picture_book_free(book);
}

/* n packets between QPs q and q + 1 */
static void busy(struct picture_book *book, uint32_t q, unsigned int n, uint32_t psn)
{
	for (unsigned int i = 0; i < n; i++) {
		struct picture_sight s = world_packet(i * US, false, SEND, psn + i, FLOW(i));

		s.from.qpn = q;
		s.to.qpn = q + 1;
		assert_int_equal(picture_book_packet(book, &s), 0);
	}
}

static void test_choice(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_wish wish;
	struct picture *p;

	(void)state;
	busy(book, 1, 50, 0); /* management */
	busy(book, 20, 5, 0);
	busy(book, 30, 9, 0);
	assert_true(picture_wish_parse(&wish, "glass0:0x14"));
	p = picture_book_choose(book, &wish, why, sizeof(why));
	assert_int_equal(p->ends[0].at.qpn, 20);
	assert_non_null(strstr(why, "asked for"));
	p = world_choose(book, why);
	assert_int_equal(p->ends[0].at.qpn, 30);
	assert_non_null(strstr(why, "the busiest; --pair chooses another"));
	picture_book_free(book);

	/* a repeated packet weighs more than many */
	book = picture_book_new(PICTURE_ITEMS);
	busy(book, 20, 2, 7);
	busy(book, 20, 1, 7);
	busy(book, 30, 9, 0);
	p = world_choose(book, why);
	assert_int_equal(p->ends[0].at.qpn, 20);
	assert_int_equal(p->again, 1);
	picture_book_free(book);
}

/* What failed last is what its user looks for, although the recorder still has a busier failure from before. */
static void test_the_latest_error(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_moment m = { .kind = PICTURE_COMPLETED, .at.lid = 1, .bad = true, .what = "rem_access_err" };
	struct picture *p;

	(void)state;
	busy(book, 20, 9, 0);
	busy(book, 30, 2, 0);
	busy(book, 40, 5, 0);
	for (uint32_t q = 20; q <= 40; q += 10) {
		m.at.qpn = q;
		m.ns = WORLD_START + (q == 30 ? 95 : 90) * US;
		assert_int_equal(picture_book_moment(book, &m), 0);
	}
	p = world_choose(book, why);
	assert_int_equal(p->ends[0].at.qpn, 30);
	picture_book_free(book);
}

static void test_nothing_to_choose(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_wish wish;

	(void)state;
	assert_null(world_choose(book, why));
	assert_string_equal(why, "no packet was seen: there is nothing to draw");
	assert_true(picture_wish_parse(&wish, "glass0:17"));
	assert_null(picture_book_choose(book, &wish, why, sizeof(why)));
	assert_string_equal(why, "glass0:0x11: no packet of this QP was seen");
	picture_book_free(book);
}

static void test_wishes(void **state)
{
	static const char *const wrong[] = { "", ":", "glass0", "glass0:", ":0x11", "glass0:x", "glass0:-1",
					     "glass0:0x1000000", "glass0:17x", "glass0: 17" };
	struct picture_wish wish;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(picture_wish_parse(&wish, wrong[i]));
	assert_true(picture_wish_parse(&wish, "glass0:0xffffff"));
	assert_int_equal(wish.qpn, 0xffffff);
	assert_string_equal(wish.dev, "glass0");
}

/* PSNs of 24 bits: the one behind the last is 0. */
static void test_psn_wraps(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture *p;

	(void)state;
	for (int i = 0; i < 4; i++)
		world_both(book, world_packet(i * 10 * US, false, SEND, (0xfffffe + i) & 0xffffff, FLOW(i)));
	world_both(book, world_packet(99 * US, false, SEND, 0xffffff, FLOW(1)));
	p = world_choose(book, why);
	assert_int_equal(p->again, 1);
	assert_true(p->items[4].again);
	picture_book_free(book);
}

/* A READ begins again in the middle of its PSNs; its flow tells that. */
static void test_read_again(void **state)
{
	const uint8_t read = GLASS_TR_RC | GLASS_BOP_READ_REQ;
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture *p;

	(void)state;
	world_both(book, world_packet(0, false, read, 100, FLOW(0)));
	world_both(book, world_packet(10 * US, false, read, 103, FLOW(0)));
	world_both(book, world_packet(20 * US, false, read, 108, FLOW(1)));
	p = world_choose(book, why);
	assert_int_equal(p->again, 1);
	assert_true(p->items[1].again);
	picture_book_free(book);
}

/* An injected second copy is no retransmission: the sender sent one. */
static void test_copy(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(0, false, SEND, 5, FLOW(0)), there = world_arrival(s, US);
	struct picture *p;

	(void)state;
	picture_book_packet(book, &s);
	picture_book_packet(book, &there);
	there.ns += US;
	picture_book_packet(book, &there);
	p = world_choose(book, why);
	assert_int_equal(p->packets, 2);
	assert_int_equal(p->again, 0);
	assert_true(p->items[1].copy);
	picture_book_free(book);
}

/* Only one port is captured: the other end is not blamed for what nobody saw. */
static void test_one_end_alone(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(0, false, SEND, 5, FLOW(0)), back;
	char fate[PICTURE_LABEL], name[PICTURE_LABEL];
	struct picture *p;

	(void)state;
	picture_book_packet(book, &s);
	back = world_arrival(world_packet(5 * US, true, ACK, 5, FLOW(0)), US);
	picture_book_packet(book, &back);
	p = world_choose(book, why);
	assert_int_equal(p->packets, 2);
	picture_fate(p, &p->items[0], fate);
	assert_string_equal(fate, "");
	picture_end_name(&p->ends[1], name);
	assert_string_equal(name, "LID 2, QP 0x22");
	picture_book_free(book);
}

/* Ethernet ports: both ends may have the same QP number, and one that was not watched has its address. */
static void test_one_end_of_ethernet(void **state)
{
	const struct picture_address a = { 1u << 31, 0x11 }, b = { 1u << 31 | 2, 0x11 };
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(0, false, SEND, 5, FLOW(0)), back = s;
	char name[PICTURE_LABEL];
	struct picture *p;

	(void)state;
	s.from = a;
	s.to = b;
	s.from_ip = back.to_ip = "10.9.0.2";
	s.to_ip = back.from_ip = "fd00:9::1";
	picture_book_packet(book, &s);
	back.ns += 5 * US;
	back.opcode = ACK;
	back.sent = false;
	back.from = (struct picture_address){ b.lid, PICTURE_UNKNOWN };
	back.to = a;
	picture_book_packet(book, &back);
	p = world_choose(book, why);
	assert_int_equal(p->count, 2);
	assert_int_equal(p->items[0].end, 0);
	assert_int_equal(p->items[1].end, 1);
	picture_end_name(&p->ends[0], name);
	assert_string_equal(name, "glass0:0x11");
	picture_end_name(&p->ends[1], name);
	assert_string_equal(name, "fd00:9::1, QP 0x11");
	picture_book_free(book);
}

/* The record of the sender is the later one, as in a flight recorder. */
static void test_sent_after_it_arrived(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(50 * US, false, SEND, 6, FLOW(1)), there = world_arrival(s, 0);
	struct picture *p;

	(void)state;
	there.ns -= 7 * US;
	picture_book_packet(book, &there);
	picture_book_packet(book, &s);
	p = world_choose(book, why);
	assert_int_equal(p->packets, 1);
	assert_int_equal(p->again, 0);
	assert_int_equal(p->items[0].ns, p->items[0].arrived_ns);
	picture_book_free(book);
}

static void test_not_seen_to_arrive(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(50 * US, false, SEND, 6, FLOW(1));
	char fate[PICTURE_LABEL];
	struct picture *p;

	(void)state;
	world_both(book, world_packet(0, false, SEND, 5, FLOW(0)));
	picture_book_packet(book, &s);
	p = world_choose(book, why);
	picture_fate(p, &p->items[1], fate);
	assert_string_equal(fate, "not seen to arrive");
	picture_book_free(book);
}

/* A switch reports the drop of a packet that it did not send. */
static void test_dropped_at_a_switch(void **state)
{
	struct picture_book *book = picture_book_new(PICTURE_ITEMS);
	struct picture_sight s = world_packet(0, false, SEND, 5, FLOW(0)), hop = s;
	char fate[PICTURE_LABEL];
	struct picture *p;

	(void)state;
	picture_book_packet(book, &s);
	hop.sent = false;
	hop.node = "leaf0";
	hop.ns += US;
	picture_book_packet(book, &hop); /* it passes one port */
	hop.reason = GLASS_DROP_NO_ROUTE;
	picture_book_packet(book, &hop);
	p = world_choose(book, why);
	assert_int_equal(p->packets, 1);
	assert_int_equal(p->dropped, 1);
	picture_fate(p, &p->items[0], fate);
	assert_string_equal(fate, "dropped: no_route at leaf0");
	picture_book_free(book);
}

static uint64_t all_left_out(const struct picture *p)
{
	uint64_t n = p->left_packets;

	for (size_t i = 0; i < p->count; i++)
		n += p->items[i].left_packets;
	return n;
}

/* A long exchange with one drop in the middle: bounded, nothing uncounted, and the drop is kept. */
static void test_long_exchange(void **state)
{
	struct picture_book *book = picture_book_new(50);
	bool kept = false;
	struct picture *p;

	(void)state;
	for (unsigned int i = 0; i < 10007; i++) {
		struct picture_sight s = world_packet(i * 10 * US, false, SEND, i, FLOW(i));

		if (i != 5000) {
			world_both(book, s);
			continue;
		}
		s.reason = GLASS_DROP_INJECTED;
		picture_book_packet(book, &s);
	}
	p = world_choose(book, why);
	assert_int_equal(p->packets, 10007);
	assert_int_equal(p->count, 50);
	assert_int_equal(p->count + all_left_out(p), 10007);
	for (size_t i = 0; i < p->count; i++)
		kept |= p->items[i].psn == 5000 && p->items[i].reason;
	assert_true(kept);
	assert_int_equal(p->items[0].psn, 0);
	assert_int_equal(p->items[p->count - 1].psn, 10006);
	picture_book_free(book);
}

/* Whatever happens, each item is kept or counted, and the limit holds. */
static void test_random_exchanges(void **state)
{
	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t limit = PICTURE_ITEMS_MIN + rnd_below(60);
		struct picture_book *book = picture_book_new(limit);
		unsigned int n = 1 + rnd_below(1500);
		struct picture *p;

		for (unsigned int i = 0; i < n; i++) {
			struct picture_sight s = world_packet(i * US, rnd_below(4) == 0,
							      rnd_below(3) ? SEND : ACK, rnd_below(1 << 24),
							      rnd_below(3) ? FLOW(i) : 0);

			s.reason = rnd_below(20) ? 0 : rnd_below(256);
			if (!s.reason && rnd_below(2))
				s = world_arrival(s, rnd_below(1000));
			assert_int_equal(picture_book_packet(book, &s), 0);
		}
		p = world_choose(book, why);
		assert_non_null(p);
		assert_true(p->count <= limit);
		assert_int_equal(p->count + all_left_out(p), p->packets);
		for (size_t i = 1; i < p->count; i++)
			assert_true(p->items[i - 1].ns <= p->items[i].ns);
		picture_book_free(book);
	}
}

/* Thousands of pairs: the book has the one with trouble, and forgets others. */
static void test_many_pairs(void **state)
{
	struct picture_book *book = world_book(PICTURE_ITEMS);
	struct picture *p;

	(void)state;
	for (uint32_t q = 100; q < 6000; q += 2)
		busy(book, q, 3, 0);
	p = world_choose(book, why);
	assert_int_equal(p->ends[0].at.qpn, WORLD_A);
	picture_book_free(book);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ends_are_one_packet),
		cmocka_unit_test(test_says_why_this_pair),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_the_latest_error),
		cmocka_unit_test(test_nothing_to_choose),
		cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_psn_wraps),
		cmocka_unit_test(test_read_again),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_one_end_alone),
		cmocka_unit_test(test_one_end_of_ethernet),
		cmocka_unit_test(test_sent_after_it_arrived),
		cmocka_unit_test(test_not_seen_to_arrive),
		cmocka_unit_test(test_dropped_at_a_switch),
		cmocka_unit_test(test_long_exchange),
		cmocka_unit_test_setup(test_random_exchanges, rnd_restart),
		cmocka_unit_test(test_many_pairs),
	};

	return cmocka_run_group_tests_name("picture_book", tests, rnd_group, NULL);
}
