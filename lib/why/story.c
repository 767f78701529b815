// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/pairs.h"
#include "lib/printable.h"
#include "lib/why/story.h"

enum form { FORM_KEYS, FORM_ROWS };

static const struct {
	const char *word;
	enum form form;
} blocks[] = {
#define BLOCK(n, w, f) [WHY_##n] = { #w, FORM_##f },
	WHY_BLOCKS(BLOCK)
};

#define HEAD "# glass 1 "

/* ---- memory */

/* Makes room for one more element. Exits if out of memory. */
static void *grow(void *array, size_t used, size_t *room, size_t size)
{
	if (used < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	array = realloc(array, *room * size);
	if (!array)
		cli_die(CLI_FAILED, "out of memory");
	return array;
}

/* Returns NULL if the story is full. */
static struct why_row *add_row(struct why_story *s, enum why_block block, const char *section,
			       const char *name)
{
	bool table = block > WHY_REMOTE;

	if (s->rows >= WHY_ROWS_MAX || (table && s->table_rows >= WHY_TABLE_ROWS))
		return NULL;
	s->table_rows += table;
	s->row = grow(s->row, s->rows, &s->row_room, sizeof(*s->row));
	s->row[s->rows] = (struct why_row){ block, section, name, s->cells, 0 };
	return &s->row[s->rows++];
}

static bool add_cell(struct why_story *s, struct why_row *row, const char *key, const char *value)
{
	if (s->cells >= WHY_CELLS_MAX)
		return false;
	s->cell = grow(s->cell, s->cells, &s->cell_room, sizeof(*s->cell));
	s->cell[s->cells++] = (struct why_cell){ key, value };
	row->count++;
	return true;
}

void why_story_free(struct why_story *s)
{
	while (s->owns)
		free(s->own[--s->owns]);
	free(s->own);
	free(s->row);
	free(s->cell);
	memset(s, 0, sizeof(*s));
}

/* ---- lines */

/* Does the text begin with key=? */
static bool is_pairs(const char *text)
{
	size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return key && text[key] == '=';
}

/* Stores each key=value of a line, whose words are ended in place. */
static bool add_pairs(struct why_story *s, struct why_row *row, char *line)
{
	char *word;

	while ((word = strsep(&line, " \t"))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = 0;
		if (!add_cell(s, row, word, value))
			return false;
	}
	return true;
}

/* Where the parser is in a block */
struct place {
	enum why_block block;
	const char *section;
	struct debugfs_columns columns; /* of a table; count 0: it has none */
};

/* A line of a block of form KEYS. Returns false with the reason if it is bad. */
static bool take_key(struct why_story *s, struct place *at, char *line, const char **why)
{
	bool inside = line[0] == ' ';
	struct why_row *row;
	char *key = line + strspn(line, " "), *value = strchr(key, ':');

	*why = "neither \"key: value\" nor \"section:\"";
	if (!value || value == key)
		return false;
	*value++ = 0;
	if (!*value) {
		at->section = key;
		return true;
	}
	if (*value++ != ' ')
		return false;
	*why = "the story has too many lines";
	row = add_row(s, at->block, inside ? at->section : "", key);
	if (!row)
		return false;
	return is_pairs(value) ? add_pairs(s, row, value) : add_cell(s, row, key, value);
}

static bool take_row(struct why_story *s, struct place *at, char *line, size_t len,
		     char why[DEBUGFS_WHY])
{
	struct debugfs_word word[DEBUGFS_COLUMNS];
	struct why_row *row;
	unsigned int i;

	strcpy(why, "the story has too many rows");
	if (is_pairs(line)) {
		row = add_row(s, at->block, "", "");
		return row && add_pairs(s, row, line);
	}
	if (!at->columns.count) {
		strcpy(why, "a row of a table without columns");
		return false;
	}
	if (!debugfs_row(&at->columns, line, len, word, why))
		return false;
	row = add_row(s, at->block, "", "");
	for (i = 0; row && i < at->columns.count; i++) {
		/* the blank or the NUL behind the word */
		line[word[i].at - line + word[i].len] = 0;
		if (!add_cell(s, row, at->columns.name[i].at, word[i].at))
			row = NULL;
	}
	return row;
}

/* Finds the block of a header line, whose rest begins at *rest. */
static enum why_block block_of(char *line, char **rest)
{
	char *name = line + strlen(HEAD);
	size_t len = strcspn(name, ":");
	int i;

	*rest = name + len + (name[len] == ':') + (name[len] == ':' && name[len + 1] == ' ');
	for (i = 0; i < WHY_BLOCK_COUNT; i++)
		if (strlen(blocks[i].word) == len && !memcmp(blocks[i].word, name, len))
			break;
	return i;
}

static void take_header(struct debugfs_file *f, struct why_story *s, struct place *at, char *line,
			size_t len)
{
	char why[DEBUGFS_WHY], *rest;
	unsigned int i;

	*at = (struct place){ .section = "" };
	at->block = block_of(line, &rest);
	if (at->block == WHY_BLOCK_COUNT)
		return;
	s->title[at->block] = rest;
	/* a table of key=value lines needs no columns */
	if (blocks[at->block].form == FORM_KEYS || !*rest)
		return;
	if (!debugfs_header(&at->columns, blocks[at->block].word, line, len, why)) {
		at->columns.count = 0;
		debugfs_bad(f, "%s", why);
		return;
	}
	for (i = 0; i < at->columns.count; i++)
		line[at->columns.name[i].at - line + at->columns.name[i].len] = 0;
}

static void take_line(struct debugfs_file *f, struct why_story *s, struct place *at, char *line,
		      size_t len)
{
	char why[DEBUGFS_WHY];
	const char *reason = why;
	bool ok;

	/* a block of a newer driver, or a note */
	if (at->block == WHY_BLOCK_COUNT || *line == '#' || !*line)
		return;
	if (blocks[at->block].form == FORM_KEYS)
		ok = take_key(s, at, line, &reason);
	else
		ok = take_row(s, at, line, len, why);
	if (!ok)
		debugfs_bad(f, "%s", reason);
}

static bool begins_story(char *line)
{
	char *rest;

	return !strncmp(line, HEAD, strlen(HEAD)) && block_of(line, &rest) == WHY_FAILURE;
}

bool why_story_read(struct why_reader *r, struct why_story *s)
{
	struct place at = { .block = WHY_BLOCK_COUNT, .section = "" };
	char *line = r->pending;
	size_t len = r->pending_len;

	memset(s, 0, sizeof(*s));
	r->pending = NULL;
	for (; line || (line = debugfs_line(r->file)); line = NULL, len = 0) {
		if (!len)
			len = r->file->line_len;
		if (begins_story(line) && s->title[WHY_FAILURE]) {
			r->pending = line;
			r->pending_len = len;
			why_story_pair(s);
			why_story_lint_once(s);
			return true;
		}
		if (!strncmp(line, HEAD, strlen(HEAD)))
			take_header(r->file, s, &at, line, len);
		else if (s->title[WHY_FAILURE])
			take_line(r->file, s, &at, line, len);
	}
	why_story_pair(s);
	why_story_lint_once(s);
	return s->title[WHY_FAILURE];
}

char *why_story_read_object(struct debugfs_file *f, struct why_story *s, const char *title)
{
	struct place at = { .block = WHY_LOCAL, .section = "" };
	char *line;

	memset(s, 0, sizeof(*s));
	s->title[WHY_LOCAL] = title;
	while ((line = debugfs_line(f)) && strncmp(line, "# ", 2))
		take_line(f, s, &at, line, f->line_len);
	return line;
}

void why_story_append(struct why_story *to, enum why_block to_block, const struct why_story *from,
		      enum why_block from_block)
{
	const struct why_row *row = NULL;
	size_t i;

	if (from->title[from_block] && !to->title[to_block])
		to->title[to_block] = from->title[from_block];
	while ((row = why_next(from, from_block, row))) {
		struct why_row *copy = add_row(to, to_block, row->section, row->name);

		for (i = 0; copy && i < row->count; i++)
			if (!add_cell(to, copy, from->cell[row->first + i].key,
				      from->cell[row->first + i].value))
				return;
	}
}

const char *why_story_keep(struct why_story *s, char *text)
{
	s->own = grow(s->own, s->owns, &s->own_room, sizeof(*s->own));
	s->own[s->owns++] = text;
	return text;
}

bool why_story_add(struct why_story *s, enum why_block block, const char *const *keys,
		   const char *const *values, size_t n)
{
	struct why_row *row;
	size_t i;

	if (s->cells + n > WHY_CELLS_MAX)
		return false;
	row = add_row(s, block, "", "");
	for (i = 0; row && i < n; i++)
		add_cell(s, row, keys[i], values[i] ? why_story_keep(s, format_text("%s", values[i])) : "-");
	if (row && !s->title[block])
		s->title[block] = "";
	return row;
}

void why_story_set_text(struct why_story *s, const struct why_row *row, const char *key, const char *text)
{
	char *encoded = malloc(DEBUGFS_ENCODED(strlen(text)));
	size_t i;

	if (!encoded)
		cli_die(CLI_FAILED, "out of memory");
	debugfs_encode(text, "", encoded);
	why_story_keep(s, encoded);
	for (i = 0; i < row->count; i++)
		if (!strcmp(s->cell[row->first + i].key, key))
			s->cell[row->first + i].value = encoded;
}

/* Do the rows have the same keys? */
static bool keys_are_equal(const struct why_story *s, const struct why_row *a,
			   const struct why_row *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (strcmp(s->cell[a->first + i].key, s->cell[b->first + i].key))
			return false;
	return true;
}

void why_story_write(FILE *to, const struct why_story *s, enum why_block block)
{
	const struct why_row *row = NULL, *before = NULL;
	size_t i;

	for (; (row = why_next(s, block, row)); before = row) {
		/* findings of the story and those that were added have other columns */
		if (!before || !keys_are_equal(s, before, row)) {
			fprintf(to, HEAD "%s:", blocks[block].word);
			for (i = 0; i < row->count; i++)
				fprintf(to, " %s", s->cell[row->first + i].key);
			putc('\n', to);
		}
		for (i = 0; i < row->count; i++)
			fprintf(to, "%s%s", i ? " " : "", s->cell[row->first + i].value);
		putc('\n', to);
	}
}

/* A row of the block LINT; dev and id are NULL if it lacks the column. */
struct finding {
	size_t row;
	const char *dev, *id;
};

static bool is_same_finding(const struct finding *a, const struct finding *b)
{
	return a->id && b->id && a->dev && b->dev && !strcmp(a->id, b->id) &&
	       !strcmp(a->dev, b->dev);
}

void why_story_lint_once(struct why_story *s)
{
	struct finding *found = calloc(s->rows + 1, sizeof(*found));
	size_t i, k, at = 0, n = 0, findings = 0;

	if (!found)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < s->rows; i++)
		if (s->row[i].block == WHY_LINT)
			found[findings++] = (struct finding){
				i, why_cell(s, &s->row[i], "dev"), why_cell(s, &s->row[i], "id")
			};
	for (i = 0; i < s->rows; i++) {
		k = findings;
		if (at < findings && found[at].row == i) {
			for (k = at + 1; k < findings && !is_same_finding(&found[at], &found[k]); k++)
				;
			at++;
		}
		if (k == findings)
			s->row[n++] = s->row[i];
	}
	free(found);
	s->table_rows -= s->rows - n;
	s->rows = n;
}

/* ---- values */

const struct why_row *why_next(const struct why_story *s, enum why_block block,
			       const struct why_row *after)
{
	size_t i = after ? (size_t)(after - s->row) + 1 : 0;

	for (; i < s->rows; i++)
		if (s->row[i].block == block)
			return &s->row[i];
	return NULL;
}

size_t why_count(const struct why_story *s, enum why_block block)
{
	const struct why_row *row = NULL;
	size_t n = 0;

	while ((row = why_next(s, block, row)))
		n++;
	return n;
}

const char *why_cell(const struct why_story *s, const struct why_row *row, const char *key)
{
	size_t i;

	for (i = 0; row && i < row->count; i++) {
		const struct why_cell *c = &s->cell[row->first + i];

		if (!strcmp(c->key, key))
			return strcmp(c->value, "-") ? c->value : NULL;
	}
	return NULL;
}

bool why_cell_is(const struct why_story *s, const struct why_row *row, const char *key,
		 const char *word)
{
	const char *value = why_cell(s, row, key);

	return value && !strcmp(value, word);
}

static bool number(const char *value, uint64_t *to)
{
	return value && debugfs_number(value, strlen(value), to);
}

bool why_cell_number(const struct why_story *s, const struct why_row *row, const char *key,
		     uint64_t *to)
{
	return number(why_cell(s, row, key), to);
}

const struct why_row *why_entry(const struct why_story *s, enum why_block block,
				const char *section, const char *name, const struct why_row *after)
{
	while ((after = why_next(s, block, after)))
		if (!strcmp(after->section, section) && !strcmp(after->name, name))
			return after;
	return NULL;
}

const char *why_value(const struct why_story *s, enum why_block block, const char *section,
		      const char *key)
{
	return why_cell(s, why_entry(s, block, section, key, NULL), key);
}

bool why_value_is(const struct why_story *s, enum why_block block, const char *section,
		  const char *key, const char *word)
{
	const char *value = why_value(s, block, section, key);

	return value && !strcmp(value, word);
}

bool why_value_number(const struct why_story *s, enum why_block block, const char *section,
		      const char *key, uint64_t *to)
{
	return number(why_value(s, block, section, key), to);
}

char *why_text(const char *value, char *to, size_t size)
{
	/* a byte may be encoded as three */
	char bytes[4096];
	size_t len = value ? strlen(value) : 0;

	if (len >= sizeof(bytes)) {
		len = sizeof(bytes) - 1;
		while (len > sizeof(bytes) - 4 && value[len - 1] != '%')
			len--;
		len -= value[len - 1] == '%';
	}
	if (!len || debugfs_decode(value, len, bytes) < 0)
		strcpy(bytes, "?");
	printable_ascii(bytes);
	snprintf(to, size, "%.*s", (int)size - 1, bytes);
	return to;
}

bool why_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list && *list) {
		size_t n = strcspn(list, ",|");

		if (n == len && !memcmp(list, word, n))
			return true;
		list += n + !!list[n];
	}
	return false;
}
