// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function, file and line of addresses, in programs that are compiled for this test next to it
 * (where_subject.c). The expected lines are those with a marker in the sources.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/where/where.h"

#define RECORDS 8

struct record {
	char name[32], path[4096];
	struct where_module module;
	uint64_t offset;
};

struct run {
	struct record record[RECORDS];
	size_t n;
};

static char *build_dir(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = 0;
	return dirname(path);
}

static void hex(const char *text, struct where_module *m)
{
	unsigned int byte;

	m->build_id_bytes = 0;
	while (sscanf(text + 2 * m->build_id_bytes, "%2x", &byte) == 1)
		m->build_id[m->build_id_bytes++] = byte;
}

/* Runs a program beside this one, and reads what it recorded. */
static struct run *run(const char *program)
{
	struct run *r = calloc(1, sizeof(*r));
	char command[4200], id[128];
	unsigned long offset;
	FILE *from;

	assert_non_null(r);
	snprintf(command, sizeof(command), "%s/%s", build_dir(), program);
	from = popen(command, "r");
	assert_non_null(from);
	while (r->n < RECORDS) {
		struct record *now = &r->record[r->n];

		if (fscanf(from, "%31s %4095s 0x%lx %127s", now->name, now->path, &offset, id) != 4)
			break;
		now->offset = offset;
		now->module.path = now->path;
		hex(id, &now->module);
		r->n++;
	}
	assert_int_equal(pclose(from), 0);
	assert_int_equal(r->n, 4);
	return r;
}

static const struct record *of(const struct run *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!strcmp(r->record[i].name, name))
			return &r->record[i];
	fail_msg("nothing was recorded as %s", name);
	return NULL;
}

/* The line of a source that has the marker. Fails unless it is exactly one. */
static unsigned int marked(const char *file, const char *mark)
{
	char path[64], line[512], comment[64];
	unsigned int n = 0, found = 0;
	FILE *from;

	snprintf(path, sizeof(path), "where/%s", file);
	snprintf(comment, sizeof(comment), "/* MARK:%s */", mark);
	from = fopen(path, "r");
	assert_non_null(from);
	while (fgets(line, sizeof(line), from)) {
		n++;
		if (!strstr(line, comment))
			continue;
		assert_int_equal(found, 0);
		found = n;
	}
	fclose(from);
	assert_int_not_equal(found, 0);
	return found;
}

static void assert_place(const struct where_place *p, const char *file, const char *mark,
			 const char *function)
{
	char expected[128], *text = where_text(p);

	snprintf(expected, sizeof(expected), "where/%s:%u (%s)", file, marked(file, mark),
		 function);
	assert_string_equal(text, expected);
	assert_int_equal(*p->path, '/');
	assert_int_equal(access(p->path, R_OK), 0);
	assert_false(p->verbs);
	free(text);
}

static void look_up_lines(const char *program)
{
	struct where_place place[WHERE_PLACES];
	struct run *r = run(program);
	struct where *w = where_new();
	const struct record *now;
	size_t n;

	now = of(r, "plain");
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_int_equal(n, 1);
	assert_place(&place[0], "where_subject.c", "plain", "plain");
	assert_false(place[0].inlined);
	where_places_free(place, n);

	now = of(r, "inlined");
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_int_equal(n, 3);
	assert_place(&place[0], "where_subject.c", "inlined", "innermost");
	assert_place(&place[1], "where_subject.c", "middle", "middle");
	assert_place(&place[2], "where_subject.c", "outer", "outer");
	assert_true(place[0].inlined && place[1].inlined && !place[2].inlined);
	where_places_free(place, n);
	/* the innermost places come first, and no more than asked for */
	n = where_resolve(w, &now->module, now->offset, place, 2);
	assert_int_equal(n, 2);
	assert_place(&place[1], "where_subject.c", "middle", "middle");
	where_places_free(place, n);

	now = of(r, "long");
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_int_equal(n, 1);
	assert_place(&place[0], "where_subject.c", "long", "main");
	where_places_free(place, n);

	now = of(r, "library");
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_int_equal(n, 1);
	assert_place(&place[0], "where_library.c", "library", "in_library");
	assert_string_equal(place[0].module, "libwhere_library.so");
	where_places_free(place, n);
	where_free(w);
	free(r);
}

static void test_lines_through_inlining(void **state)
{
	(void)state;
	look_up_lines("where_subject");
}

/* A program that is not loaded at a random address: the offset is the address. */
static void test_program_of_a_fixed_address(void **state)
{
	(void)state;
	look_up_lines("where_subject_fixed");
}

static void assert_only(const char *program, const char *expected)
{
	struct where_place place[WHERE_PLACES];
	struct run *r = run(program);
	const struct record *now = of(r, "plain");
	struct where *w = where_new();
	size_t n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	char *text = where_text(&place[0]), whole[128];

	snprintf(whole, sizeof(whole), "%s%s+0x%llx%s", expected, program,
		 (unsigned long long)now->offset, *expected ? ")" : "");
	assert_int_equal(n, 1);
	assert_string_equal(text, whole);
	assert_null(place[0].file);
	free(text);
	where_places_free(place, n);
	where_free(w);
	free(r);
}

static void test_without_debugging_information(void **state)
{
	(void)state;
	assert_only("where_subject_bare", "plain (");
}

static void test_stripped(void **state)
{
	(void)state;
	assert_only("where_subject_stripped", "");
}

/* Nothing is said of a file that is not the one that the process had loaded. */
static void test_files_that_are_not_the_module(void **state)
{
	static const char *const paths[] = { "/dev/zero",	"/tmp", "/nonexistent",
					     "linux-vdso.so.1", "",	"where/test_where.c" };
	char fifo[] = "/tmp/where-XXXXXX", empty[] = "/tmp/where-XXXXXX";
	struct where_place place[WHERE_PLACES];
	struct run *r = run("where_subject");
	struct record *now = &r->record[0];
	struct where *w = where_new();
	size_t i, n;

	(void)state;
	now->module.build_id[3] ^= 1;
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_int_equal(n, 1);
	assert_null(place[0].function);
	where_places_free(place, n);
	/* the right one is still found after the wrong one was looked for */
	now->module.build_id[3] ^= 1;
	n = where_resolve(w, &now->module, now->offset, place, WHERE_PLACES);
	assert_non_null(place[0].function);
	where_places_free(place, n);

	close(mkstemp(empty));
	close(mkstemp(fifo));
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	for (i = 0; i < sizeof(paths) / sizeof(*paths) + 2; i++) {
		struct where_module m = { .path = i < sizeof(paths) / sizeof(*paths)	? paths[i]
						  : i == sizeof(paths) / sizeof(*paths) ? fifo
											: empty };

		n = where_resolve(w, &m, 0x1000, place, WHERE_PLACES);
		assert_int_equal(n, 1);
		assert_null(place[0].function);
		assert_null(place[0].file);
		where_places_free(place, n);
	}
	unlink(fifo);
	unlink(empty);
	where_free(w);
	free(r);
}

/* Offsets come from programs: any number may be one. */
static void test_offsets_that_are_nowhere(void **state)
{
	static const uint64_t offsets[] = { 0, 1, 0xffffffff, 1ULL << 47, UINT64_MAX };
	struct where_place place[WHERE_PLACES];
	struct run *r = run("where_subject");
	struct where *w = where_new();
	size_t i, n;

	(void)state;
	for (i = 0; i < 2000; i++) {
		uint64_t offset = i < 5 ? offsets[i] : rnd_below(0x8000);

		n = where_resolve(w, &r->record[0].module, offset, place, WHERE_PLACES);
		assert_in_range(n, 1, WHERE_PLACES);
		assert_int_equal(place[0].offset, offset);
		where_places_free(place, n);
	}
	where_free(w);
	free(r);
}

static void test_text_is_printable(void **state)
{
	struct where_place p = { .function = (char *)"f\033[31m",
				 .module = (char *)"lib\n.so",
				 .offset = 16 };
	char *text = where_text(&p);

	(void)state;
	assert_string_equal(text, "f?[31m (lib?.so+0x10)");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_through_inlining),
		cmocka_unit_test(test_program_of_a_fixed_address),
		cmocka_unit_test(test_without_debugging_information),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_files_that_are_not_the_module),
		cmocka_unit_test(test_offsets_that_are_nowhere),
		cmocka_unit_test(test_text_is_printable),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
