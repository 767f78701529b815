// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function, file and line of addresses, in programs that are compiled for this test next to it
 * (where_subject.c). The expected lines are those with a marker in the sources.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/where/message.h"
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

/* The debugging information is found by its name, and only if it is that of the program. */
static void test_debugging_information_beside_the_program(void **state)
{
	char link[4200], away[4300];

	(void)state;
	look_up_lines("where_subject_split");
	snprintf(link, sizeof(link), "%s/where_subject_split.debug", build_dir());
	snprintf(away, sizeof(away), "%s.away", link);
	assert_int_equal(rename(link, away), 0);
	assert_only("where_subject_split", "");
	/* that of another program */
	assert_int_equal(symlink("where_subject_fixed", link), 0);
	assert_only("where_subject_split", "");
	unlink(link);
	/* a name that would block */
	assert_int_equal(mkfifo(link, 0600), 0);
	assert_only("where_subject_split", "");
	unlink(link);
	assert_int_equal(rename(away, link), 0);
}

/* ---- a parser that is an enemy */

enum evil { GOOD, CRASHES, HANGS, EATS, BABBLES, FLOODS, WANTS_FILES, ENDS, BREAKS_OUT };

static enum evil evil;
static pid_t parent;
static bool has_nobody; /* the user nobody exists in this user name space */

Dwarf *__real_dwfl_module_getdwarf(Dwfl_Module *m, Dwarf_Addr *bias);
Dwarf *__wrap_dwfl_module_getdwarf(Dwfl_Module *m, Dwarf_Addr *bias);

static void eat_memory(void)
{
	volatile char *p;

	while ((p = malloc(1 << 20)))
		memset((void *)p, 1, 1 << 20);
	abort();
}

static void send_messages(const struct message *m, int n)
{
	while (n--)
		send(3, m, sizeof(*m), MSG_NOSIGNAL);
}

/* Everything here must fail. What works hangs, so that the test fails, too. */
static void break_out(void)
{
	bool out =
		open("/etc/passwd", O_RDONLY) >= 0 || open("/proc/self/maps", O_RDONLY) >= 0 ||
		socket(AF_INET, SOCK_STREAM, 0) >= 0 || !kill(parent, 0) || fork() >= 0 ||
		!setuid(0) || !ptrace(PTRACE_ATTACH, parent, NULL, NULL) ||
		!access("/etc/passwd", F_OK) || unlink("/tmp/nothing") == 0 || errno != EACCES ||
		(has_nobody && (geteuid() != 65534 || getuid() != 65534 || getegid() != 65534)) ||
		read(5, &out, 1) >= 0;

	while (out)
		;
}

Dwarf *__wrap_dwfl_module_getdwarf(Dwfl_Module *m, Dwarf_Addr *bias)
{
	static struct message said;

	switch (evil) {
	case CRASHES:
		abort();
	case HANGS:
		for (;;)
			;
	case EATS:
		eat_memory();
		break;
	case BABBLES:
		send(3, "hello", 5, MSG_NOSIGNAL);
		break;
	case FLOODS:
		said.kind = MESSAGE_PLACE;
		memset(said.function, 'x', sizeof(said.function));
		memset(said.file, 'y', sizeof(said.file));
		memset(said.path, 'z', sizeof(said.path));
		send_messages(&said, 100000);
		break;
	case WANTS_FILES:
		said.kind = MESSAGE_WANT_LINK;
		send_messages(&said, 1000);
		break;
	case ENDS:
		_exit(0);
	case BREAKS_OUT:
		break_out();
		break;
	case GOOD:
		break;
	}
	return __real_dwfl_module_getdwarf(m, bias);
}

static void find_nobody(void)
{
	unsigned long first = 0, outside, count = 0;
	FILE *from = fopen("/proc/self/uid_map", "r");

	assert_non_null(from);
	if (fscanf(from, "%lu %lu %lu", &first, &outside, &count) != 3)
		count = 0;
	fclose(from);
	has_nobody = !geteuid() && !first && count > 65534;
}

/* Module and offset remain of a module whose parser fails, with a note. Others are not affected. */
static void test_parser_that_fails(void **state)
{
	static const struct {
		enum evil evil;
		const char *note;
	} all[] = {
		{ CRASHES, "the parser was ended by signal 6" },
		{ HANGS, "the parser did not answer in 1 s" },
		{ EATS, "the parser " },
		{ BABBLES, "the parser broke its protocol" },
		{ FLOODS, "the parser broke its protocol" },
		{ WANTS_FILES, "the parser broke its protocol" },
		{ ENDS, "the parser ended" },
	};
	struct where_place place[WHERE_PLACES];
	struct run *r = run("where_subject"), *other = run("where_subject_fixed");
	const struct record *now = of(r, "inlined"), *good = of(other, "plain");
	char expected[128], *text;
	size_t i, n, again;

	(void)state;
	where_answer_ms = 1000;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct where *w = where_new();

		evil = all[i].evil;
		/* a second time it is not tried */
		for (again = 0; again < 2; again++) {
			n = where_resolve(w, &now->module, now->offset, place, 4);
			assert_int_equal(n, 1);
			assert_null(place[0].function);
			assert_non_null(place[0].note);
			if (strncmp(place[0].note, all[i].note, strlen(all[i].note)))
				fail_msg("%d: %s, not %s", (int)all[i].evil, place[0].note,
					 all[i].note);
			text = where_text(&place[0]);
			snprintf(expected, sizeof(expected), "where_subject+0x%llx (%s)",
				 (unsigned long long)now->offset, place[0].note);
			assert_string_equal(text, expected);
			free(text);
			where_places_free(place, n);
			evil = GOOD;
		}
		n = where_resolve(w, &good->module, good->offset, place, 4);
		assert_int_equal(n, 1);
		assert_place(&place[0], "where_subject.c", "plain", "plain");
		where_places_free(place, n);
		where_free(w);
	}
	where_answer_ms = 10000;
	free(other);
	free(r);
}

/* The parser has no rights, and works. */
static void test_parser_has_no_rights(void **state)
{
	(void)state;
	find_nobody();
	parent = getpid();
	where_answer_ms = 3000;
	evil = BREAKS_OUT;
	look_up_lines("where_subject");
	evil = GOOD;
	where_answer_ms = 10000;
}

/* More modules than processes may run: each is still answered, again and again. */
static void test_many_modules(void **state)
{
	struct where_place place[WHERE_PLACES];
	struct run *r = run("where_subject");
	const struct record *now = of(r, "plain");
	struct where *w = where_new();
	char names[20][32];
	size_t i, n;

	(void)state;
	for (i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/where-many-%zu", i);
		unlink(names[i]);
		assert_int_equal(symlink(now->path, names[i]), 0);
	}
	for (i = 0; i < 40; i++) {
		struct where_module m = now->module;

		m.path = names[i % 20];
		n = where_resolve(w, &m, now->offset, place, WHERE_PLACES);
		assert_int_equal(n, 1);
		assert_place(&place[0], "where_subject.c", "plain", "plain");
		where_places_free(place, n);
	}
	where_free(w);
	for (i = 0; i < 20; i++)
		unlink(names[i]);
	free(r);
}

/* ---- damaged files */

struct image {
	unsigned char *at;
	size_t bytes;
};

static struct image load(const char *path)
{
	FILE *from = fopen(path, "r");
	struct image image;

	assert_non_null(from);
	fseek(from, 0, SEEK_END);
	image.bytes = ftell(from);
	rewind(from);
	image.at = malloc(image.bytes);
	assert_non_null(image.at);
	assert_int_equal(fread(image.at, 1, image.bytes, from), image.bytes);
	fclose(from);
	return image;
}

static Elf64_Shdr *section(const struct image *image, const char *name)
{
	const Elf64_Ehdr *head = (const void *)image->at;
	Elf64_Shdr *all = (Elf64_Shdr *)(image->at + head->e_shoff);
	const char *names = (const char *)image->at + all[head->e_shstrndx].sh_offset;
	int i;

	for (i = 0; i < head->e_shnum; i++)
		if (!strcmp(names + all[i].sh_name, name))
			return &all[i];
	fail_msg("no section %s", name);
	return NULL;
}

static void scribble(unsigned char *at, size_t bytes, size_t times)
{
	while (times--)
		at[rnd_below(bytes)] = rnd_below(256);
}

static uint64_t huge(void)
{
	static const uint64_t sizes[] = { UINT64_MAX, 1ULL << 63, 1ULL << 40, 1ULL << 32,
					  0x7fffffff };

	return sizes[rnd_below(5)] - rnd_below(3);
}

/* Returns how many bytes of the image are left. */
static size_t damage(struct image *image)
{
	static const char *const names[] = { ".debug_line", ".debug_info", ".debug_abbrev",
					     ".debug_str",  ".symtab",	   ".debug_aranges" };
	Elf64_Shdr *s = section(image, names[rnd_below(6)]);
	Elf64_Ehdr *head = (Elf64_Ehdr *)image->at;

	switch (rnd_below(7)) {
	case 0:
		return rnd_below(image->bytes);
	case 1:
		scribble(image->at + s->sh_offset, s->sh_size, s->sh_size);
		break;
	case 2:
		scribble(image->at + s->sh_offset, s->sh_size, 1 + rnd_below(20));
		break;
	case 3:
		*(rnd_below(2) ? &s->sh_size : &s->sh_offset) = huge();
		break;
	case 4:
		s->sh_flags |= SHF_COMPRESSED;
		break;
	case 5:
		scribble((unsigned char *)head, sizeof(*head), 1 + rnd_below(4));
		break;
	default:
		scribble(image->at, image->bytes, 1 + rnd_below(2000));
		break;
	}
	return image->bytes;
}

static void test_damaged_files(void **state)
{
	char path[] = "/tmp/where-XXXXXX";
	struct where_place place[WHERE_PLACES];
	struct run *r = run("where_subject");
	const struct record *now = of(r, "inlined");
	struct where_module m = now->module;
	struct image whole = load(now->path);
	size_t i, n, bytes;
	int fd;

	(void)state;
	fd = mkstemp(path);
	close(fd);
	m.path = path;
	for (i = 0; i < 250; i++) {
		struct image image = { malloc(whole.bytes), whole.bytes };
		struct where *w = where_new();
		FILE *to = fopen(path, "w");

		assert_non_null(image.at);
		assert_non_null(to);
		memcpy(image.at, whole.at, whole.bytes);
		bytes = damage(&image);
		assert_int_equal(fwrite(image.at, 1, bytes, to), bytes);
		fclose(to);
		m.build_id_bytes = rnd_below(2) ? now->module.build_id_bytes : 0;
		n = where_resolve(w, &m, now->offset, place, WHERE_PLACES);
		assert_in_range(n, 1, WHERE_PLACES);
		assert_int_equal(place[0].offset, now->offset);
		where_places_free(place, n);
		where_free(w);
		free(image.at);
	}
	unlink(path);
	free(whole.at);
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
		cmocka_unit_test(test_debugging_information_beside_the_program),
		cmocka_unit_test(test_parser_that_fails),
		cmocka_unit_test(test_parser_has_no_rights),
		cmocka_unit_test(test_many_modules),
		cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_text_is_printable),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
