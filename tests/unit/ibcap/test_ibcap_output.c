// SPDX-License-Identifier: GPL-2.0-only
/* Which files ibcap makes, and for whom. */
#define _GNU_SOURCE
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_numbered),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
