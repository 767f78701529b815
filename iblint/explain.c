// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain.h"
#include "iblint.h"
#include "lib/json.h"

#ifndef IBLINT_LESSONS
#define IBLINT_LESSONS "/usr/local/share/glass/pitfalls"
#endif

const char *lessons_root = IBLINT_LESSONS;

#define BOLD  "\033[1m"
#define CODE  "\033[36m"
#define PLAIN "\033[0m"

static const char *default_word(const struct code *c)
{
	return c->costly ? "costly" : "on";
}

/* Prints prose for people: links become their text, and ` is dropped. */
static void print_prose(const char *line)
{
	for (; *line; line++) {
		const char *middle, *end;

		if (*line == '`')
			continue;
		middle = *line == '[' ? strstr(line, "](") : NULL;
		end = middle ? strchr(middle, ')') : NULL;
		if (!end) {
			putchar(*line);
			continue;
		}
		printf("%.*s", (int)(middle - line - 1), line + 1);
		line = end;
	}
}

/* Prints the row "| a | b |" of a table as "a: b". */
static void print_row(char *row)
{
	char *end = row + strlen(row), *bar;

	while (end > row && strchr(" |", end[-1]))
		*--end = 0;
	row += strspn(row, "| ");
	bar = strstr(row, " | ");
	if (!bar) {
		print_prose(row);
		putchar('\n');
		return;
	}
	printf("  " BOLD "%.*s" PLAIN ": ", (int)(bar - row), row);
	print_prose(bar + strlen(" | "));
	putchar('\n');
}

/* Prints a line of a lesson on a terminal; `next` is the following line. */
static void print_line(char *line, const char *next, bool *in_code)
{
	if (!strncmp(line, "```", 3)) {
		*in_code = !*in_code;
	} else if (*in_code) {
		printf(CODE "    %s" PLAIN "\n", line);
	} else if (!strncmp(line, "| ---", 5) || (*line == '|' && !strncmp(next, "| ---", 5))) {
		/* skip the header of a table: it adds nothing to the rows */
	} else if (*line == '|') {
		print_row(line);
	} else if (*line == '#') {
		line += strspn(line, "# ");
		printf(BOLD);
		print_prose(line);
		puts(PLAIN);
	} else {
		print_prose(!strncmp(line, "> ", 2) ? line + 2 : line);
		putchar('\n');
	}
}

/*
 * Reads a line without its newline. Skips <!-- -->, which are marks for the checks of the lessons.
 */
static bool read_line(FILE *from, char **line, size_t *size)
{
	while (getline(line, size, from) > 0) {
		(*line)[strcspn(*line, "\n")] = 0;
		if (strncmp(*line, "<!--", 4))
			return true;
	}
	return false;
}

/* Prints a lesson, which is Markdown: formatted on a terminal, else unchanged. */
static void print_lesson(FILE *from, bool color)
{
	char *line = NULL, *next = NULL, *swap;
	size_t size = 0, next_size = 0, swap_size;
	bool in_code = false, more = read_line(from, &line, &size);

	while (more) {
		more = read_line(from, &next, &next_size);
		if (color)
			print_line(line, more ? next : "", &in_code);
		else
			puts(line);
		swap = line;
		line = next;
		next = swap;
		swap_size = size;
		size = next_size;
		next_size = swap_size;
	}
	free(line);
	free(next);
}

/*
 * Prints the facts from the table: the start of each lesson, and all there is if a lesson is
 * missing.
 */
static void print_facts(unsigned int number)
{
	const struct code *c = &codes[number];

	printf("GL%03u: %s\n\n%s, %s; %s\n\n%s\n", number, c->title, c->word, severities[c->severity],
	       c->costly ? "costly: checked with --codes only" : "checked by default",
	       c->advice);
}

static bool explain_one(unsigned int number, bool color)
{
	char *path = format_text("%s/GL%03u.md", lessons_root, number);
	FILE *lesson = fopen(path, "re");
	int err = errno;

	if (lesson) {
		print_lesson(lesson, color);
		fclose(lesson);
	} else {
		print_facts(number);
		cli_error("GL%03u: its lesson cannot be read: %s: %s", number, path, strerror(err));
	}
	free(path);
	return lesson;
}

/*
 * Starts PAGER or less if output is a terminal, because lessons are longer than a screen. Returns
 * its process, or NULL if there is none.
 */
static FILE *begin_pager(void)
{
	const char *pager = getenv("PAGER");
	FILE *to;

	if (!isatty(STDOUT_FILENO) || (pager && !*pager))
		return NULL;
	/* less: quit if the text fits on the screen, pass colours, keep the screen */
	setenv("LESS", "FRX", 0);
	if (!pager)
		pager = "! command -v less >/dev/null && exec cat; exec less";
	to = popen(pager, "we");
	if (to)
		dup2(fileno(to), STDOUT_FILENO);
	return to;
}

static void end_pager(FILE *pager)
{
	if (!pager)
		return;
	/* the pager ends when nothing holds its pipe open */
	fclose(stdout);
	pclose(pager);
}

int explain(const struct glass_lint_set *set)
{
	bool color = cli_color(stdout), ok = true, first = true;
	FILE *pager;
	unsigned int i;

	fflush(stdout);
	signal(SIGPIPE, SIG_IGN);
	pager = begin_pager();
	for (i = 1; i <= GLASS_LINT_COUNT; i++) {
		if (!glass_lint_set_has(set, i))
			continue;
		if (!first)
			putchar('\n');
		ok &= explain_one(i, color);
		first = false;
	}
	/* EPIPE is no error: the user quit the pager */
	if (fflush(stdout) && !(pager && errno == EPIPE)) {
		cli_error("standard output: %s", strerror(errno));
		ok = false;
	}
	end_pager(pager);
	return ok ? ST_OK : ST_FAILED;
}

static void put_text(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static int print_json(json_object *list)
{
	return json_write(list, "-") ? ST_FAILED : ST_OK;
}

int list_codes(bool json)
{
	json_object *list = json ? json_object_new_array() : NULL;
	unsigned int i;

	if (!json)
		printf("CODE   SEVERITY    DEFAULT WORD                  WHAT THE PROGRAM DID\n");
	for (i = 1; i <= GLASS_LINT_COUNT; i++) {
		const struct code *c = &codes[i];
		json_object *one;
		char *name;

		if (!c->word)
			continue;
		name = format_text("GL%03u", i);
		if (json) {
			one = json_object_new_object();
			put_text(one, "code", name);
			put_text(one, "word", c->word);
			put_text(one, "severity", severities[c->severity]);
			put_text(one, "default", default_word(c));
			put_text(one, "title", c->title);
			put_text(one, "advice", c->advice);
			json_object_array_add(list, one);
		} else {
			printf("%s  %-11s %-7s %-21s %s\n", name, severities[c->severity],
			       default_word(c), c->word, c->title);
		}
		free(name);
	}
	return json ? print_json(list) : cli_flush(ST_OK) ? ST_FAILED : ST_OK;
}

int list_behaviors(bool json)
{
	json_object *list = json ? json_object_new_array() : NULL;
	int i;

	if (!json)
		printf("KNOB                  WHAT IT DOES (WHERE IT IS LEFT OPEN)\n");
	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
		json_object *one;

		if (!json) {
			printf("%-21s %s%s (%s)\n", behaviors[i].word,
			       behaviors[i].lenient ? "lenient: " : "", behaviors[i].meaning,
			       behaviors[i].clause);
			continue;
		}
		one = json_object_new_object();
		put_text(one, "knob", behaviors[i].word);
		put_text(one, "meaning", behaviors[i].meaning);
		put_text(one, "clause", behaviors[i].clause);
		put_text(one, "kind", behaviors[i].lenient ? "lenient" : "strict");
		json_object_array_add(list, one);
	}
	return json ? print_json(list) : cli_flush(ST_OK) ? ST_FAILED : ST_OK;
}
