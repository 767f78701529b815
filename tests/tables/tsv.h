/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the tables of this folder: columns between tabs, the first line that is no comment names them. */
#ifndef TABLES_TSV_H
#define TABLES_TSV_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TSV_ROWS 400
#define TSV_COLS 16

struct tsv {
	const char *file;
	int ncols, nrows;
	const char *cols[TSV_COLS];
	const char *cell[TSV_ROWS][TSV_COLS];
	int line[TSV_ROWS];
};

static void tsv_die(const struct tsv *t, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", t->file, line, what);
	exit(2);
}

static int tsv_split(const struct tsv *t, char *s, const char **to, int line)
{
	int n = 0;
	char *p;

	while ((p = strsep(&s, "\t"))) {
		if (n == TSV_COLS)
			tsv_die(t, line, "too many columns");
		if (!*p)
			tsv_die(t, line, "an empty column; write -");
		to[n++] = p;
	}
	return n;
}

/* Ends the program when the file is not there or not whole. The texts live as long as the program. */
static void tsv_read(struct tsv *t, const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;
	int line = 0;
	ssize_t len;

	memset(t, 0, sizeof(*t));
	t->file = file;
	if (!f)
		tsv_die(t, 0, "cannot be read");
	while ((len = getline(&text, &room, f)) > 0) {
		line++;
		if (text[len - 1] == '\n')
			text[--len] = 0;
		if (!len || text[0] == '#')
			continue;
		if (!t->ncols) {
			t->ncols = tsv_split(t, text, t->cols, line);
		} else {
			if (t->nrows == TSV_ROWS)
				tsv_die(t, line, "too many rows");
			t->line[t->nrows] = line;
			if (tsv_split(t, text, t->cell[t->nrows], line) != t->ncols)
				tsv_die(t, line, "not as many columns as the head has");
			t->nrows++;
		}
		/* the cells point into it */
		text = NULL;
		room = 0;
	}
	free(text);
	fclose(f);
	if (!t->nrows)
		tsv_die(t, line, "no rows");
}

static const char *tsv_get(const struct tsv *t, int row, const char *col)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		if (!strcmp(t->cols[i], col))
			return t->cell[row][i];
	tsv_die(t, 0, col);
	return NULL;
}

/*
 * Is what happened, "word,word,", what the cell says? There 3xWORD is three of them,
 * *WORD any number, - none.
 */
static inline bool tsv_fits(const char *cell, const char *is)
{
	char pattern[1024] = "^";
	size_t n = 1;
	regex_t re;
	bool ok;

	while (strcmp(cell, "-") && *cell) {
		int len = strcspn(cell, ","), times = 1, skip = 0;

		if (*cell == '*') {
			n += snprintf(pattern + n, sizeof(pattern) - n, "(%.*s,)*", len - 1, cell + 1);
		} else {
			if (sscanf(cell, "%dx%n", &times, &skip) < 1 || !skip)
				times = 1, skip = 0;
			n += snprintf(pattern + n, sizeof(pattern) - n, "(%.*s,){%d}", len - skip,
				      cell + skip, times);
		}
		cell += len + (cell[len] == ',');
	}
	snprintf(pattern + n, sizeof(pattern) - n, "$");
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "not a pattern: %s\n", pattern);
		exit(2);
	}
	ok = !regexec(&re, is, 0, NULL, 0);
	regfree(&re);
	return ok;
}

#endif
