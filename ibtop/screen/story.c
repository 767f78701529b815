// SPDX-License-Identifier: GPL-2.0-only
/* Panes with the story of a queue pair: why it failed or what it waits for, and its packets as a diagram. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"

/* The role of an escape sequence "\033[NUMBERm", which ends at *end; ROLE_TEXT for those that end a colour */
static enum role role_of(const char *code, const char **end)
{
	static const struct {
		int number;
		enum role role;
	} roles[] = { { 1, ROLE_TITLE }, { 2, ROLE_DIM }, { 31, ROLE_BAD }, { 33, ROLE_WARN } };
	char *after;
	long number = strtol(code + 2, &after, 10);
	size_t i;

	*end = after + (*after == 'm');
	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (roles[i].number == number)
			return roles[i].role;
	return ROLE_TEXT;
}

/* How much a role says; a line has two at most: plain text, and the one that says most */
static int weight(enum role role)
{
	return role == ROLE_BAD ? 4 : role == ROLE_WARN ? 3 : role == ROLE_TITLE ? 2 : role == ROLE_DIM;
}

/*
 * Takes the sequences out of a line. *now: the role in which it begins, then that in which it ends. *role: the
 * one that says most, which begins at the byte *at.
 */
static void take_codes(char *line, enum role *now, enum role *role, size_t *at)
{
	const char *from = line;
	char *to = line;

	*role = *now;
	*at = 0;
	while (*from) {
		if (from[0] == '\033' && from[1] == '[') {
			*now = role_of(from, &from);
			if (weight(*now) > weight(*role)) {
				*role = *now;
				*at = to - line;
			}
			continue;
		}
		*to++ = *from++;
	}
	*to = '\0';
}

/* Adds a text with escape sequences, line by line. */
static void add_text(struct text_lines *t, char *text, bool ascii)
{
	enum role now = ROLE_TEXT, role;
	char *line, *rest;
	size_t at;

	while ((line = strsep(&text, "\n")) && (*line || text)) {
		char first[600];

		take_codes(line, &now, &role, &at);
		rest = line + at;
		if (at >= sizeof(first))
			at = 0;
		snprintf(first, sizeof(first), "%.*s", (int)at, line);
		text_lines_put(t, at ? first : NULL, at ? text_columns(first, ascii) : 0, role, at ? rest : line);
	}
}

void story_make(struct screen *s, struct text_lines *t, unsigned int width)
{
	const struct pager *p = &s->pager;
	bool ascii = screen_ascii(s);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	if (p->kind == PAGER_DIAGRAM)
		told_diagram(p->told, to, width, !ascii);
	else
		told_text(p->told, to, width);
	if (!fclose(to) && text)
		add_text(t, text, ascii);
	free(text);
}

/* Opens a pane with a story, which it then owns. */
static void open_pane(struct screen *s, enum pager_kind kind, const struct row *row, struct told *told)
{
	pager_open(s, kind, row);
	s->pager.told = told;
	pager_title(s, row, kind == PAGER_DIAGRAM ? "the packets before its failure" :
			    told_is_failure(told) ? "why it failed" : "what it waits for");
}

bool story_open(struct screen *s, const struct row *row)
{
	enum trouble trouble = model_trouble(s->model, row);
	char error[200] = "";
	struct told *told;

	if (trouble == TROUBLE_NONE)
		return false;
	told = model_story(s->model, row, trouble == TROUBLE_STUCK, error, sizeof(error));
	if (told)
		open_pane(s, PAGER_STORY, row, told);
	else
		screen_notice(s, SEVERITY_NOTE, "no story: %s", error);
	return told;
}

void story_diagram(struct screen *s)
{
	const struct row *row = object_row(s);
	char error[200] = "";
	struct told *told;

	if (!row) {
		screen_notice(s, SEVERITY_NOTE, "no object is chosen");
		return;
	}
	told = model_story(s->model, row, false, error, sizeof(error));
	if (told && told_has_diagram(told)) {
		open_pane(s, PAGER_DIAGRAM, row, told);
		return;
	}
	screen_notice(s, SEVERITY_NOTE, "no diagram: %s", told ? "the story of its failure has no packets" : error);
	told_free(told);
}
