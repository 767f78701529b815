// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/debugfs/table.h"
#include "lib/where/stacks.h"
#include "uapi/glass-where.h"

#define TEXT_PLACES 4

/* The modules of one memory of stacks, by number; path NULL: unknown */
struct modules {
	struct where_module module[GLASS_WHERE_MODULES];
	char path[GLASS_WHERE_MODULES][GLASS_WHERE_PATH];
};

static void read_build_id(const char *hex, struct where_module *m)
{
	unsigned int byte;

	m->build_id_bytes = 0;
	while (m->build_id_bytes < WHERE_BUILD_ID &&
	       sscanf(hex + 2 * m->build_id_bytes, "%2x", &byte) == 1)
		m->build_id[m->build_id_bytes++] = byte;
}

static bool read_modules(struct modules *to, const char *dev, uint64_t recorder)
{
	static const char *const names[] = { "recorder", "module", "build_id", "path" };
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	char hex[2 * WHERE_BUILD_ID + 1];
	uint64_t of, number;
	int at[4];
	bool ok;

	ok = !debugfs_read(&f, dev, "modules") && debugfs_table_begin(&t, &f, "modules") &&
	     debugfs_columns_find(&t, names, 4, at);
	while (ok && debugfs_table_next(&t)) {
		if (!debugfs_value_number(&t, at[0], &of) ||
		    !debugfs_value_number(&t, at[1], &number) || of != recorder ||
		    number >= GLASS_WHERE_MODULES)
			continue;
		debugfs_value_text(&t, at[2], hex, sizeof(hex));
		read_build_id(hex, &to->module[number]);
		debugfs_value_text(&t, at[3], to->path[number], sizeof(to->path[number]));
		to->module[number].path = to->path[number];
	}
	debugfs_free(&f);
	return ok;
}

/* Resolves the frames "MODULE:OFFSET/MODULE:OFFSET..." of a stack. */
static void resolve(struct where *w, const struct modules *m, const char *frames,
		    struct where_stack *to)
{
	static const struct where_module unknown = { .path = "unknown" };
	unsigned int number;
	uint64_t offset;
	int length;
	size_t i;

	while (to->n < WHERE_PLACES &&
	       sscanf(frames, "%u:0x%" SCNx64 "%n", &number, &offset, &length) == 2) {
		const struct where_module *module = &unknown;

		if (number < GLASS_WHERE_MODULES && m->module[number].path)
			module = &m->module[number];
		to->n += where_resolve(w, module, offset, &to->place[to->n], WHERE_PLACES - to->n);
		frames += length;
		if (*frames++ != '/')
			break;
	}
	/* code of the C library called main(), whose name a program may lack */
	for (i = 0; i < to->n; i++) {
		const char *function = to->place[i].function;
		size_t end = !function			       ? to->n :
			     !strcmp(function, "main")	       ? i + 1 :
			     !strncmp(function, "__libc_start_", 13) ? i : to->n;

		where_places_free(&to->place[end], to->n - end);
		to->n = end;
	}
	while (to->first < to->n && to->place[to->first].verbs)
		to->first++;
}

static void copy_value(const struct debugfs_table *t, int column, char *to, size_t size)
{
	snprintf(to, size, "%s", debugfs_has(t, column) ? debugfs_value(t, column) : "");
}

/*
 * Finds a stack, and fills its process. Returns its frames as text, which the caller frees; NULL: there
 * is no such stack.
 */
static char *find_frames(const char *dev, uint64_t number, uint64_t *recorder, struct where_stack *to)
{
	static const char *const names[] = { "stack", "recorder", "frames", "pid", "comm" };
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	char *frames = NULL;
	uint64_t stack;
	int at[5];
	bool ok;

	ok = !debugfs_read(&f, dev, "stacks") && debugfs_table_begin(&t, &f, "stacks") &&
	     debugfs_columns_find(&t, names, 5, at);
	while (ok && !frames && debugfs_table_next(&t)) {
		if (!debugfs_value_number(&t, at[0], &stack) || stack != number ||
		    !debugfs_value_number(&t, at[1], recorder) || !debugfs_has(&t, at[2]))
			continue;
		frames = format_text("%s", debugfs_value(&t, at[2]));
		copy_value(&t, at[3], to->pid, sizeof(to->pid));
		copy_value(&t, at[4], to->comm, sizeof(to->comm));
	}
	debugfs_free(&f);
	return frames;
}

struct where_stack *where_stack_read(struct where *w, const char *dev, uint64_t number)
{
	struct modules *modules = calloc(1, sizeof(*modules));
	struct where_stack *s = calloc(1, sizeof(*s));
	uint64_t recorder;
	char *frames;

	if (!modules || !s)
		cli_die(CLI_FAILED, "out of memory");
	frames = find_frames(dev, number, &recorder, s);
	if (frames && read_modules(modules, dev, recorder)) {
		resolve(w, modules, frames, s);
	} else {
		free(s);
		s = NULL;
	}
	free(modules);
	free(frames);
	return s;
}

void where_stack_free(struct where_stack *s)
{
	if (s)
		where_places_free(s->place, s->n);
	free(s);
}

char *where_stack_text(const struct where_stack *s)
{
	char *text = NULL, *place, *more;
	size_t i, count = 0;

	for (i = s->first; i < s->n && count < TEXT_PLACES; i++) {
		const struct where_place *p = &s->place[i];

		if (p->verbs)
			continue;
		place = where_text(p);
		more = text ? format_text("%s, from %s", text, place) : format_text("%s", place);
		free(place);
		free(text);
		text = more;
		count++;
	}
	return text;
}
