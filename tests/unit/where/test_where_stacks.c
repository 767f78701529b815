// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks as the driver's tables have them: good ones, and whatever a program may have written.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/debugfs/file.h"
#include "lib/debugfs/text.h"
#include "lib/where/stacks.h"
#include "uapi/glass-columns.h"

#define COLUMN(name, unit, meaning) " " #name
#define STACKS			    "# glass 1 stacks:" GLASS_COLUMNS_STACKLIST(COLUMN) "\n"
#define MODULES			    "# glass 1 modules:" GLASS_COLUMNS_MODULES(COLUMN) "\n"

static char root[] = "/tmp/where-stacks-XXXXXX";

static int begin(void **state)
{
	char dir[64];

	if (!mkdtemp(root))
		return -1;
	snprintf(dir, sizeof(dir), "%s/glass0", root);
	debugfs_root = root;
	return mkdir(dir, 0755) || rnd_group(state);
}

static int end(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/glass0/stacks", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/glass0/modules", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/glass0", root);
	rmdir(path);
	return rmdir(root);
}

static void put(const char *file, const char *text)
{
	char path[64];
	FILE *to;

	snprintf(path, sizeof(path), "%s/glass0/%s", root, file);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

/* What where_subject recorded under this name, as the row of a stack and of a module. */
static void put_subject(const char *name)
{
	char command[4200], self[4096], found[32], path[4096], id[128], row[16000];
	char encoded[DEBUGFS_ENCODED(sizeof(path))];
	unsigned long offset;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *from;
	bool done = false;

	assert_true(n > 0);
	self[n] = 0;
	snprintf(command, sizeof(command), "%s/where_subject", dirname(self));
	from = popen(command, "r");
	assert_non_null(from);
	while (fscanf(from, "%31s %4095s 0x%lx %127s", found, path, &offset, id) == 4) {
		if (strcmp(found, name))
			continue;
		debugfs_encode(path, "", encoded);
		snprintf(row, sizeof(row),
			 STACKS "3073 3 17 a 1:0x10\n3074 3 17 a 2:0x%lx/9:0x20\n", offset);
		put("stacks", row);
		snprintf(row, sizeof(row),
			 MODULES "2 2 17 - /wrong\n3 1 17 - libibverbs.so.1\n3 2 17 %s %s\n", id,
			 encoded);
		put("modules", row);
		done = true;
	}
	pclose(from);
	assert_true(done);
}

static void test_place_and_callers(void **state)
{
	struct where *w = where_new();
	struct where_stack *s;
	char *text;

	(void)state;
	put_subject("inlined");
	s = where_stack_read(w, "glass0", 3074);
	assert_non_null(s);
	/* three places of one address, and a module that the table does not have */
	assert_int_equal(s->n, 4);
	assert_int_equal(s->first, 0);
	text = where_stack_text(s);
	assert_non_null(strstr(text, " (innermost), from where/where_subject.c:"));
	assert_non_null(strstr(text, " (outer), from unknown+0x20"));
	free(text);
	where_stack_free(s);
	where_free(w);
}

static void test_code_of_verbs_is_no_place(void **state)
{
	struct where *w = where_new();
	struct where_stack *s;

	(void)state;
	put_subject("plain");
	s = where_stack_read(w, "glass0", 3073);
	assert_non_null(s);
	assert_int_equal(s->n, 1);
	assert_true(s->place[0].verbs);
	assert_int_equal(s->first, 1);
	assert_null(where_stack_text(s));
	where_stack_free(s);
	where_free(w);
}

static void test_main_ends_the_text(void **state)
{
	struct where *w = where_new();
	struct where_stack *s;
	char *text;

	(void)state;
	put_subject("long");
	s = where_stack_read(w, "glass0", 3074);
	assert_non_null(s);
	text = where_stack_text(s);
	assert_non_null(strstr(text, " (main)"));
	assert_null(strstr(text, "from"));
	free(text);
	where_stack_free(s);
	where_free(w);
}

static void test_what_is_not_there(void **state)
{
	struct where *w = where_new();

	(void)state;
	put_subject("plain");
	assert_null(where_stack_read(w, "glass0", 1));
	assert_null(where_stack_read(w, "glass1", 3074));
	put("modules", "# glass 1 modules: recorder module\n");
	assert_null(where_stack_read(w, "glass0", 3074));
	put("modules", MODULES);
	put("stacks", "# glass 2 stacks: stack\n");
	assert_null(where_stack_read(w, "glass0", 3074));
	put("stacks", STACKS "3074 3 17 a -\n");
	assert_null(where_stack_read(w, "glass0", 3074));
	where_free(w);
}

/* Frames and modules are whatever a program wrote. */
static void test_hostile_frames(void **state)
{
	static const char *const frames[] = {
		"65535:0xffffffffffff",
		"0:0x0",
		"1:0x",
		"x",
		"1",
		"1:0x1/",
		"99999999999:0x1",
		"1:0x1/2",
		"4294967295:0x1/1:0x2",
		"-1:0x1",
		"%2F",
		"127:0x1/128:0x1",
	};
	struct where *w = where_new();
	char row[512];
	size_t i;

	(void)state;
	put("modules",
	    MODULES "3 1 17 zz /dev/zero\n3 127 17 00112233445566778899aabbccddeeff0011223344 /etc/"
		    "passwd\n3 128 17 - /x\n3 99999999999 17 - /x\n");
	for (i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		struct where_stack *s;

		snprintf(row, sizeof(row), STACKS "3074 3 17 a %s\n", frames[i]);
		put("stacks", row);
		s = where_stack_read(w, "glass0", 3074);
		assert_non_null(s);
		assert_in_range(s->n, 0, 2);
		free(where_stack_text(s));
		where_stack_free(s);
	}
	where_free(w);
}

/* A program without debugging information has no main(): its stacks end before the C library's start. */
static void test_c_library_is_no_place(void **state)
{
	void *start = dlsym(RTLD_DEFAULT, "__libc_start_main");
	struct where *w = where_new();
	char row[4096], encoded[2048];
	struct where_stack *s;
	Dl_info info;
	char *text;

	(void)state;
	assert_non_null(start);
	assert_true(dladdr(start, &info));
	debugfs_encode(info.dli_fname, "", encoded);
	snprintf(row, sizeof(row), STACKS "3073 3 17 a 1:0x10/2:0x%lx/1:0x20\n",
		 (unsigned long)((char *)start - (char *)info.dli_fbase) + 8);
	put("stacks", row);
	snprintf(row, sizeof(row), MODULES "3 1 17 - /nowhere/program\n3 2 17 - %s\n", encoded);
	put("modules", row);
	s = where_stack_read(w, "glass0", 3073);
	assert_non_null(s);
	text = where_stack_text(s);
	assert_string_equal(text, "program+0x10");
	free(text);
	where_stack_free(s);
	where_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place_and_callers),
		cmocka_unit_test(test_code_of_verbs_is_no_place),
		cmocka_unit_test(test_main_ends_the_text),
		cmocka_unit_test(test_what_is_not_there),
		cmocka_unit_test(test_c_library_is_no_place),
		cmocka_unit_test(test_hostile_frames),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
