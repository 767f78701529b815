// SPDX-License-Identifier: GPL-2.0-only
/* Whether the kernel is locked down, and what tools say about files that it refuses then. */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <unistd.h>

#include "lib/debugfs/device.h"
#include "lib/lockdown.h"

#define CONTROL "/sys/kernel/debug/glass/glass0/inject/rules"

static char path[] = "/tmp/lockdown-XXXXXX";

static int begin(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	lockdown_path = path;
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

static void test_levels(void **state)
{
	static const struct {
		const char *text;
		enum lockdown level;
	} cases[] = {
		{ "[none] integrity confidentiality\n", LOCKDOWN_NONE },
		{ "none [integrity] confidentiality\n", LOCKDOWN_INTEGRITY },
		{ "none integrity [confidentiality]\n", LOCKDOWN_CONFIDENTIALITY },
		{ "none integrity [confidentiality]", LOCKDOWN_CONFIDENTIALITY },
		{ "[integrity]\n", LOCKDOWN_INTEGRITY },
		{ "none integrity confidentiality\n", LOCKDOWN_UNKNOWN },
		{ "none [integrity confidentiality\n", LOCKDOWN_UNKNOWN },
		{ "none ]integrity[ confidentiality\n", LOCKDOWN_UNKNOWN },
		{ "none [unknown]\n", LOCKDOWN_UNKNOWN },
		{ "none []\n", LOCKDOWN_UNKNOWN },
		{ "none [integrity ]\n", LOCKDOWN_UNKNOWN },
		{ "\n", LOCKDOWN_UNKNOWN },
		{ "", LOCKDOWN_UNKNOWN },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put(cases[i].text);
		assert_int_equal(lockdown_level(), cases[i].level);
	}
	lockdown_path = "/no/such/file";
	assert_int_equal(lockdown_level(), LOCKDOWN_UNKNOWN);
	lockdown_path = "/tmp";
	assert_int_equal(lockdown_level(), LOCKDOWN_UNKNOWN);
	lockdown_path = path;
	assert_string_equal(lockdown_word(LOCKDOWN_INTEGRITY), "integrity");
	assert_string_equal(lockdown_word(LOCKDOWN_UNKNOWN), "unknown");
}

static void is_refusal(int err, const char *wanted)
{
	char *text = lockdown_refusal(CONTROL, err), expected[600];

	if (!wanted) {
		assert_null(text);
		return;
	}
	snprintf(expected, sizeof(expected), wanted, CONTROL, lockdown_path);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_refusals(void **state)
{
	static const char locked[] =
		"%s: the kernel refuses to open it, because it is locked down (%s: integrity); use the "
		"guest of vm/vm, or boot with Secure Boot off and without lockdown= (docs/lockdown.md)";
	static const char unsure[] =
		"%s: the kernel refuses to open it, as a kernel does that is locked down; to find out: "
		"mount -t securityfs securityfs /sys/kernel/security; cat %s (docs/lockdown.md)";

	(void)state;
	put("none [integrity] confidentiality\n");
	is_refusal(EPERM, locked);
	/* other errors have other reasons, also in a kernel that is locked down */
	is_refusal(EACCES, NULL);
	is_refusal(ENOENT, NULL);
	is_refusal(0, NULL);
	put("[none] integrity confidentiality\n");
	is_refusal(EPERM, NULL);
	lockdown_path = "/no/such/file";
	is_refusal(EPERM, unsure);
	is_refusal(EACCES, NULL);
	lockdown_path = path;
}

/* The error of a write: lockdown's sentence, or the file and the error. */
static void test_write_errors(void **state)
{
	char *text, expected[600];

	(void)state;
	put("none integrity [confidentiality]\n");
	text = debugfs_write_error("glass0", "behavior/seed", EPERM);
	snprintf(expected, sizeof(expected),
		 "%s/glass0/behavior/seed: the kernel refuses to open it, because it is locked down (%s: "
		 "confidentiality); ",
		 debugfs_root, path);
	assert_memory_equal(text, expected, strlen(expected));
	free(text);
	text = debugfs_write_error("glass0", "behavior/seed", EINVAL);
	assert_string_equal(text, "glass0: behavior/seed: Invalid argument");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_write_errors),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
