/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories that are files: tests/unit/ibwhy/stories. */
#ifndef GLASS_TESTS_UNIT_IBWHY_STORIES_H
#define GLASS_TESTS_UNIT_IBWHY_STORIES_H

#include "harness.h"
#include "lib/why/verdict.h"

#define STORIES "ibwhy/stories" /* from tests/unit, where make runs the tests */

/* The text of a story; the caller frees it. */
static inline char *read_story(const char *name)
{
	char path[100], *text = NULL;
	size_t size = 0;
	FILE *from;

	snprintf(path, sizeof(path), STORIES "/%s.story", name);
	from = fopen(path, "r");
	if (!from || getdelim(&text, &size, 0, from) < 0)
		fail_msg("%s cannot be read", path);
	fclose(from);
	return text;
}

#define EDITS 6

/* Each occurrence of `from` becomes `to`; there must be one. */
struct edit {
	const char *from, *to;
};

struct told {
	const char *name, *story;
	enum why_cause cause;
	struct edit edit[EDITS];
};

/* Replaces each occurrence; there must be one. Frees the text. */
static inline char *apply(char *text, const struct edit *e, const char *name)
{
	size_t from = strlen(e->from), to = strlen(e->to), n = 0;
	char *at, *next, *out, *end;

	for (at = text; (at = strstr(at, e->from)); at += from)
		n++;
	if (!n)
		fail_msg("%s: the story has no \"%s\"", name, e->from);
	out = end = malloc(strlen(text) + n * to + 1);
	for (at = text; (next = strstr(at, e->from)); at = next + from)
		end += sprintf(end, "%.*s%s", (int)(next - at), at, e->to);
	strcpy(end, at);
	free(text);
	return out;
}

static inline char *story_of(const struct told *t)
{
	char *text = read_story(t->story);
	int i;

	for (i = 0; i < EDITS && t->edit[i].from; i++)
		text = apply(text, &t->edit[i], t->name);
	return text;
}

#endif
