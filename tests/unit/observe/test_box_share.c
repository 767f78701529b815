// SPDX-License-Identifier: GPL-2.0-only
/* Whose failures the black box keeps. */
#include "harness.h"
#include "observe/box_share.h"

static struct glass_box_shares box;
static uint32_t last_id;

static int begin(void **state)
{
	(void)state;
	memset(&box, 0, sizeof(box));
	last_id = 0;
	return 0;
}

/* n failures of a user, of which the last pushes out the failure that is returned (0: none) */
static uint32_t fail_times(uint32_t uid, uint32_t n)
{
	uint32_t evicted = 0;

	while (n--)
		glass_box_enter(&box, ++last_id, uid, &evicted);
	return evicted;
}

/* how many failures of a user are kept */
static uint32_t kept(uint32_t uid)
{
	uint32_t i, n = 0;

	for (i = 0; i < GLASS_FAILURES_MAX; i++)
		n += box.place[i].id && box.place[i].uid == uid;
	return n;
}

static void test_one_user_pushes_out_his_oldest(void **state)
{
	(void)state;
	assert_int_equal(fail_times(7, GLASS_FAILURES_MAX), 0);
	assert_int_equal(fail_times(7, 1), 1);
	assert_int_equal(fail_times(7, 1), 2);
	assert_int_equal(kept(7), GLASS_FAILURES_MAX);
}

static void test_who_has_most_loses(void **state)
{
	(void)state;
	fail_times(0, 10);
	fail_times(1000, GLASS_FAILURES_MAX - 10);
	/* ids 1 to 10 are older, but user 1000 has more */
	assert_int_equal(fail_times(0, 1), 11);
	assert_int_equal(fail_times(1000, 1), 12);
	assert_int_equal(kept(0), 11);
	fail_times(1000, 10000);
	assert_int_equal(kept(0), 11);
	/* 0 has nothing left to gain once both have the same */
	fail_times(0, 10000);
	assert_int_equal(kept(0), GLASS_FAILURES_MAX / 2);
	fail_times(1000, 10000);
	assert_int_equal(kept(1000), GLASS_FAILURES_MAX / 2);
}

static void test_own_on_a_tie(void **state)
{
	(void)state;
	fail_times(1, GLASS_FAILURES_MAX / 2);
	fail_times(2, GLASS_FAILURES_MAX / 2);
	assert_int_equal(fail_times(2, 1), GLASS_FAILURES_MAX / 2 + 1);
	assert_int_equal(fail_times(1, 1), 1);
}

static void test_more_users_than_places(void **state)
{
	uint32_t uid;

	(void)state;
	for (uid = 0; uid < 3 * GLASS_FAILURES_MAX; uid++)
		fail_times(uid, 1);
	assert_int_equal(box.taken, GLASS_FAILURES_MAX);
	/* the newest is there */
	assert_int_equal(kept(uid - 1), 1);
}

static void test_leaving(void **state)
{
	uint32_t i;

	(void)state;
	fail_times(5, GLASS_FAILURES_MAX);
	for (i = 0; i < GLASS_FAILURES_MAX; i += 2)
		glass_box_leave(&box, i);
	assert_int_equal(box.taken, GLASS_FAILURES_MAX / 2);
	assert_int_equal(fail_times(6, GLASS_FAILURES_MAX / 2), 0);
	assert_int_equal(kept(5), kept(6));
}

/* Whatever comes: counts are right, the new failure is kept, and nobody below his share loses any. */
static void test_any_order(void **state)
{
	uint32_t before[8], i, uid, who, evicted, most;

	(void)state;
	for (i = 0; i < 20000; i++) {
		uid = rnd_below(rnd_below(8) + 1);
		for (who = 0; who < 8; who++)
			before[who] = kept(who);
		if (box.taken && !rnd_below(50)) {
			for (who = rnd_below(GLASS_FAILURES_MAX); !box.place[who].id;)
				who = rnd_below(GLASS_FAILURES_MAX);
			glass_box_leave(&box, who);
			continue;
		}
		evicted = fail_times(uid, 1);
		for (most = who = 0; who < 8; who++)
			most = before[who] > most ? before[who] : most;
		for (who = 0; who < 8; who++)
			if (kept(who) < before[who])
				assert_true(evicted && before[who] == most);
		assert_int_equal(kept(uid), before[uid] + !(evicted && before[uid] == most));
	}
}

static void test_waiting(void **state)
{
	uint32_t mine = 0, other = 0;

	(void)state;
	while (glass_box_may_wait(mine, GLASS_FAILURES_WAITING - mine))
		mine++;
	assert_int_equal(mine, GLASS_FAILURES_WAITING / 2);
	while (glass_box_may_wait(other, GLASS_FAILURES_WAITING - mine - other))
		other++;
	assert_int_equal(other, GLASS_FAILURES_WAITING / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_user_pushes_out_his_oldest, begin),
		cmocka_unit_test_setup(test_who_has_most_loses, begin),
		cmocka_unit_test_setup(test_own_on_a_tie, begin),
		cmocka_unit_test_setup(test_more_users_than_places, begin),
		cmocka_unit_test_setup(test_leaving, begin),
		cmocka_unit_test_setup(test_any_order, begin),
		cmocka_unit_test_setup(test_waiting, begin),
	};

	return cmocka_run_group_tests_name("box_share", tests, rnd_group, NULL);
}
