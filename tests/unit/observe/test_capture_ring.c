// SPDX-License-Identifier: GPL-2.0-only
/* The ring of a capture: what its reader gets, and how long it keeps others from running. */
#include "harness.h"

#include "observe/capture_ring.c"

#define RECORDS 10000
#define DATA 64

static struct glass_cap_ring ring;
static struct glass_cap_record *record[RECORDS];
static u64 rested_at[RECORDS]; /* ring.head when the reader has let others run */
static u32 rests;

void cond_resched(void)
{
	assert_true(rests < RECORDS);
	rested_at[rests++] = ring.head;
}

static int setup_ring(void **state)
{
	u32 i;

	memset(&ring, 0, sizeof(ring));
	rests = 0;
	glass_cap_ring_init(&ring);
	assert_int_equal(glass_cap_ring_alloc(&ring, 4 << 20), 0);
	for (i = 0; i < RECORDS; i++) {
		record[i] = glass_cap_ring_reserve(&ring, DATA);
		assert_non_null(record[i]);
	}
	return rnd_restart(state);
}

static int free_ring(void **state)
{
	(void)state;
	glass_cap_ring_free(&ring);
	return 0;
}

/* what one record takes */
static u32 bytes_of_one(void)
{
	return sizeof(struct glass_cap_record) + DATA;
}

static void commit(u32 i)
{
	glass_cap_ring_commit(&ring, record[i], GLASS_CAP_PACKET);
}

/* Takes what lies together, at most `room` bytes. Returns the number of records. */
static u32 take(u32 room, const void **from)
{
	u64 end;
	u32 n = glass_cap_ring_gather(&ring, room, from, &end);

	assert_int_equal(n % bytes_of_one(), 0);
	glass_cap_ring_passed(&ring, end);
	return n / bytes_of_one();
}

static void test_records_lie_together(void **state)
{
	const void *from;

	(void)state;
	/* the oldest is being written */
	commit(1);
	commit(2);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 0);
	commit(0);
	assert_int_equal(take(2 * bytes_of_one(), &from), 2);
	assert_ptr_equal(from, record[0]);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 1);
	assert_ptr_equal(from, record[2]);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 0);
}

static void test_skipped_ones(void **state)
{
	const void *from;

	(void)state;
	commit(0);
	glass_cap_ring_discard(&ring, record[1]);
	commit(2);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 1);
	assert_ptr_equal(from, record[0]);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 1);
	assert_ptr_equal(from, record[2]);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 0);
	assert_int_equal(ring.head, 3 * bytes_of_one());
}

/* Many skipped records before a whole one: the reader lets others run, and gives the room back, each time it has passed some. */
static void test_many_skipped_ones(void **state)
{
	const void *from;
	u64 last = 0;
	u32 i;

	(void)state;
	commit(RECORDS - 1);
	for (i = 0; i < RECORDS - 1; i++)
		glass_cap_ring_discard(&ring, record[i]);
	assert_int_equal(take(GLASS_CAP_BATCH, &from), 1);
	assert_ptr_equal(from, record[RECORDS - 1]);
	assert_int_equal(rests, (RECORDS - 1) / GLASS_CAP_SKIPS);
	for (i = 0; i < rests; i++) {
		assert_int_equal(rested_at[i] - last, GLASS_CAP_SKIPS * bytes_of_one());
		last = rested_at[i];
	}
	assert_int_equal(ring.head, ring.tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records_lie_together, setup_ring, free_ring),
		cmocka_unit_test_setup_teardown(test_skipped_ones, setup_ring, free_ring),
		cmocka_unit_test_setup_teardown(test_many_skipped_ones, setup_ring, free_ring),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
