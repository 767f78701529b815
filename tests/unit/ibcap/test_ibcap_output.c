// SPDX-License-Identifier: GPL-2.0-only
/* Which files ibcap makes, and for whom. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "ibcap/output.h"

static char dir[] = "/tmp/ibcap-XXXXXX";

static int begin(void **state)
{
	(void)state;
	umask(022);
	return !mkdtemp(dir) || chdir(dir);
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

static void capture(const char *path, uint64_t max_bytes, unsigned int number)
{
	struct output o = { .path = path, .max_bytes = max_bytes, .number = number };

	assert_int_equal(output_open(&o), 0);
	assert_int_equal(output_close(&o), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

/* What others' programs send is not for all who can look into the directory. */
static void test_private(void **state)
{
	(void)state;
	capture("new.pcapng", 0, 0);
	assert_int_equal(mode_of("new.pcapng"), S_IFREG | 0600);
	/* what is there is its owner's affair */
	assert_int_equal(chmod("new.pcapng", 0640), 0);
	capture("new.pcapng", 0, 0);
	assert_int_equal(mode_of("new.pcapng"), S_IFREG | 0640);
}

/* Nobody named the files that take turns: what lies there is not written through. */
static void test_numbered(void **state)
{
	struct stat st;
	FILE *victim = fopen("victim", "w");

	(void)state;
	assert_non_null(victim);
	fputs("precious", victim);
	fclose(victim);
	assert_int_equal(symlink("victim", "turn-00003.pcapng"), 0);
	capture("turn.pcapng", 1000000, 2);
	assert_int_equal(mode_of("turn-00003.pcapng"), S_IFREG | 0600);
	assert_int_equal(stat("victim", &st), 0);
	assert_int_equal(st.st_size, strlen("precious"));
	/* one that another run left, and all may read */
	assert_int_equal(chmod("turn-00003.pcapng", 0666), 0);
	capture("turn.pcapng", 1000000, 2);
	assert_int_equal(mode_of("turn-00003.pcapng"), S_IFREG | 0600);
}

/* Lengths of frames: few bytes, many, and one more each time. */
static uint32_t len_of(uint32_t n)
{
	return n % 7 ? 1 + n : 4200 + n;
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* A frame of `len` bytes that all have the value `n`. */
static const struct glass_cap_record *frame(uint32_t n, uint32_t len)
{
	static struct {
		struct glass_cap_record record;
		uint8_t bytes[5000];
	} r;

	r.record = (struct glass_cap_record){ .header = sizeof(r.record), .orig_len = len,
					      .cap_len = len, .time_ns = n };
	memset(r.bytes, n, len);
	return &r.record;
}

/*
 * Reads a file from its first block on: each packet is frame(n, len(n)), and comes before the mark
 * if n is below `marked`. Returns the number of packets.
 */
static uint32_t read_frames(const char *path, uint32_t first, uint32_t marked)
{
	FILE *file = fopen(path, "rb");
	uint32_t n = first, head[7];
	static uint8_t bytes[20000];

	assert_non_null(file);
	while (fread(head, 8, 1, file) == 1) {
		assert_in_range(head[1], 12, sizeof(bytes));
		assert_int_equal(fread(bytes, head[1] - 8, 1, file), 1);
		assert_int_equal(memcmp(bytes + head[1] - 12, &head[1], 4), 0);
		if (head[0] == 9)
			assert_int_equal(n, marked);
		if (head[0] != 6)
			continue;
		memcpy(head + 2, bytes, 20);
		assert_int_equal(head[4], n);
		assert_int_equal(head[6], 16 + len_of(n));
		assert_int_equal(bytes[20 + 16], n & 0xff);
		assert_int_equal(bytes[20 + head[5] - 1], n & 0xff);
		n++;
	}
	fclose(file);
	return n - first;
}

/* Packets, and what stands between them, come in their order, and all of them at a flush. */
static void test_order(void **state)
{
	static struct output_interface f = { .name = "glass0:1" };
	static struct output o = { .path = "order.pcapng", .interfaces = &f, .num_interfaces = 1 };
	uint32_t n;

	(void)state;
	assert_int_equal(output_open(&o), 0);
	for (n = 0; n < 500; n++) {
		if (n == 321)
			assert_int_equal(output_mark(&o, n, "glass0", "here"), 0);
		assert_int_equal(output_packet(&o, 0, frame(n, len_of(n))), 0);
		if (n % 100 == 7) {
			assert_int_equal(output_flush(&o), 0);
			assert_int_equal(read_frames("order.pcapng", 0, 321), n + 1);
		}
	}
	assert_int_equal(output_close(&o), 0);
	assert_int_equal(read_frames("order.pcapng", 0, 321), 500);
	assert_int_equal(o.written, size_of("order.pcapng"));
}

/* A file ends with the packet that fills it. */
static void test_full_files(void **state)
{
	static struct output_interface f = { .name = "glass0:1" };
	static struct output o = { .path = "full.pcapng", .interfaces = &f, .num_interfaces = 1,
				   .max_bytes = 40000 };
	uint32_t n, first = 0;
	char path[40];

	(void)state;
	assert_int_equal(output_open(&o), 0);
	for (n = 0; n < 200; n++)
		assert_int_equal(output_packet(&o, 0, frame(n, len_of(n))), 0);
	assert_int_equal(output_close(&o), 0);
	assert_true(o.number > 3);
	for (n = 1; n <= o.number; n++) {
		snprintf(path, sizeof(path), "full-%05u.pcapng", n);
		first += read_frames(path, first, 0);
		if (n < o.number)
			assert_in_range(size_of(path), 40000, 46000);
	}
	assert_int_equal(first, 200);
}

/* What the device has no room for is an error: of a packet if it shows there, else of the flush. */
static void test_no_room(void **state)
{
	static struct output_interface f = { .name = "glass0:1" };
	static struct output o = { .path = "/dev/full", .interfaces = &f, .num_interfaces = 1 };
	int err = 0;
	uint32_t n;

	(void)state;
	assert_int_equal(output_open(&o), 0);
	assert_int_equal(output_packet(&o, 0, frame(0, 10)), 0);
	assert_int_equal(output_flush(&o), -ENOSPC);
	for (n = 0; n < 100 && !err; n++)
		err = output_packet(&o, 0, frame(n, 4000));
	assert_int_equal(err, -ENOSPC);
	output_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_full_files),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_numbered),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
