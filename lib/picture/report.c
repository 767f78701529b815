// SPDX-License-Identifier: GPL-2.0-only
/* The report of a failure. */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "lib/picture/page.h"
#include "lib/picture/report.h"
#include "lib/picture/write.h"
#include "lib/why/places.h"
#include "lib/why/reason.h"

/* A table has at most this many columns; further ones are left out. */
#define COLUMNS 48

/* The tables of a story: X(BLOCK, heading) */
#define TABLES(X)                                                  \
	X(PACKETS, "Packets, with all headers")                    \
	X(DROPS, "Dropped packets")                                \
	X(KEYS, "Keys")                                            \
	X(JOURNAL, "Firings of injection rules")                   \
	X(RULES, "Injection rules")                                \
	X(GONE_QPS, "QPs that were destroyed")                     \
	X(CONNECTED, "QPs connected to the peer or to the failed QP") \
	X(PORTS, "Ports")                                          \
	X(PROCESSES, "Processes")                                  \

static void put_word(FILE *to, const char *value)
{
	char text[1024];

	picture_put_xml(to, value ? why_text(value, text, sizeof(text)) : "-");
}

static const char *value_of(const struct why_story *s, const char *key)
{
	return why_value(s, WHY_FAILURE, "", key);
}

/* ---- what failed */

static void put_owner(FILE *to, const struct why_story *s, const char *dev, const char *num, const char *comm,
		      const char *pid)
{
	if (!value_of(s, num))
		return;
	put_word(to, value_of(s, dev));
	fputc(':', to);
	put_word(to, value_of(s, num));
	if (!value_of(s, pid))
		return;
	fputs(" of ", to);
	put_word(to, value_of(s, comm));
	fputs(" (pid ", to);
	put_word(to, value_of(s, pid));
	fputc(')', to);
}

/* The time of day, which the recorder of a story knows; nothing for a time that no clock has */
static void put_date(FILE *to, const struct why_story *s)
{
	char text[64];
	uint64_t real;
	struct tm tm;
	time_t when;

	if (!why_value_number(s, WHY_FAILURE, "", "real", &real))
		return;
	when = real / 1000000000;
	if (!gmtime_r(&when, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	fprintf(to, "; %s.%03u UTC", text, (unsigned int)(real % 1000000000 / 1000000));
}

static void header(FILE *to, const struct why_story *s, const char *title)
{
	fputs("<header>\n<h1>", to);
	picture_put_xml(to, title);
	fputs("</h1>\n<p class=\"dim\">", to);
	put_owner(to, s, "dev", "num", "comm", "pid");
	if (value_of(s, "peer_qpn")) {
		fputs("; peer ", to);
		put_owner(to, s, "peer_dev", "peer_qpn", "peer_comm", "peer_pid");
	}
	put_date(to, s);
	fputs("</p>\n</header>\n<main>\n", to);
}

static void verdict(FILE *to, const struct why_verdict *v)
{
	fprintf(to, "<section class=\"verdict%s\" aria-label=\"Verdict\">\n<p class=\"cause\"><span class=\"dim\">First cause</span> "
		"<code>%s</code>: ", v->cause ? "" : " unknown", why_cause_word(v->cause));
	picture_put_xml(to, why_cause_title(v->cause));
	fputs("</p>\n<p><b>What to do:</b> ", to);
	picture_put_xml(to, why_cause_advice(v->cause));
	fputs("</p>\n</section>\n", to);
}

/* ---- the chain of causes */

static void step(FILE *to, const struct why_step *step)
{
	uint64_t ns = step->when < 0 ? -(uint64_t)step->when : (uint64_t)step->when;
	char time[WHY_TIME];

	fputs("<li><span class=\"when\">", to);
	if (step->timed && !step->when)
		fputs("0", to);
	else if (step->timed)
		fprintf(to, "%s%s", step->when < 0 ? "&#8722;" : "+", why_time(ns, time));
	fputs("</span><div><p>", to);
	picture_put_xml(to, step->text);
	fputs("</p>", to);
	if (*step->evidence) {
		fputs("<p class=\"dim\">seen: ", to);
		picture_put_xml(to, step->evidence);
		fputs("</p>", to);
	}
	fputs("</div></li>\n", to);
}

static void chain(FILE *to, const struct why_verdict *v)
{
	bool any = false;

	fputs("<h2>Chain of causes</h2>\n<p class=\"dim\">The effect first, the first cause last; times are relative to "
	      "the failure.</p>\n<ol class=\"chain\">\n", to);
	for (unsigned int i = 0; i < v->steps; i++)
		step(to, &v->step[i]);
	fputs("</ol>\n", to);
	for (int i = 0; i < WHY_CAUSE_COUNT; i++) {
		if (!v->candidate[i])
			continue;
		fprintf(to, "%s<li><code>%s</code>: ", any ? "" : "<h3>It may be</h3>\n<ul>\n", why_cause_word(i));
		picture_put_xml(to, why_cause_title(i));
		fputs("</li>\n", to);
		any = true;
	}
	fputs(any ? "</ul>\n" : "", to);
	for (unsigned int i = 0; i < v->missing; i++) {
		fputs(i ? "<li>" : "<h3>Evidence that is missing</h3>\n<ul>\n<li>", to);
		picture_put_xml(to, v->miss[i]);
		fputs("</li>\n", to);
	}
	fputs(v->missing ? "</ul>\n" : "", to);
}

/* ---- objects */

static void put_entry(FILE *to, const struct why_story *s, const struct why_row *row)
{
	fputs("<dt>", to);
	put_word(to, row->name);
	fputs("</dt><dd>", to);
	for (size_t i = 0; i < row->count; i++) {
		const struct why_cell *c = &s->cell[row->first + i];

		if (row->count > 1 || strcmp(c->key, row->name)) {
			fputs(i ? " " : "", to);
			put_word(to, c->key);
			fputs("=", to);
		}
		put_word(to, c->value);
	}
	fputs("</dd>\n", to);
}

#define SHORT 24 /* lines of a list of columns that is shown at once */

/* Sections that most failures are about are open, and columns if they are few; the rest opens on demand. */
static bool is_open(const struct why_story *s, enum why_block block, const char *section)
{
	const struct why_row *row = NULL;
	int n = 0;

	if (*section)
		return !strcmp(section, "why") || !strcmp(section, "first_error");
	while ((row = why_next(s, block, row)))
		n += !*row->section;
	return n <= SHORT;
}

static void object(FILE *to, const struct why_story *s, enum why_block block, const char *what)
{
	const struct why_row *row = NULL;
	const char *section = NULL;
	char word[WHY_NAME];

	if (!s->title[block])
		return;
	fprintf(to, "<section><h3>%s: ", what);
	picture_put_xml(to, why_word(s->title[block], word));
	fputs("</h3>\n", to);
	while ((row = why_next(s, block, row))) {
		if (!section || strcmp(section, row->section)) {
			fputs(section ? "</dl></details>\n" : "", to);
			section = row->section;
			fprintf(to, "<details%s><summary>", is_open(s, block, section) ? " open" : "");
			picture_put_xml(to, *section ? why_word(section, word) : "columns");
			fputs("</summary><dl class=\"keys\">\n", to);
		}
		put_entry(to, s, row);
	}
	fputs(section ? "</dl></details>\n</section>\n" : "</section>\n", to);
}

/* ---- tables */

/* Collects the columns that have a value in some row. Returns their number. */
static size_t columns_of(const struct why_story *s, enum why_block block, const char *column[COLUMNS])
{
	const struct why_row *row = NULL;
	size_t n = 0, k;

	while ((row = why_next(s, block, row)))
		for (size_t i = 0; i < row->count && n < COLUMNS; i++) {
			const struct why_cell *c = &s->cell[row->first + i];

			if (!strcmp(c->value, "-"))
				continue;
			for (k = 0; k < n && strcmp(column[k], c->key); k++)
				;
			if (k == n)
				column[n++] = c->key;
		}
	return n;
}

static void table_of(FILE *to, const struct why_story *s, enum why_block block, const char *name)
{
	const char *column[COLUMNS];
	const struct why_row *row = NULL;
	size_t n = columns_of(s, block, column);

	fprintf(to, "<div class=\"scroll records\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table><thead><tr>", name);
	for (size_t i = 0; i < n; i++) {
		fputs("<th>", to);
		put_word(to, column[i]);
		fputs("</th>", to);
	}
	fputs("</tr></thead><tbody>\n", to);
	while ((row = why_next(s, block, row))) {
		fputs("<tr>", to);
		for (size_t i = 0; i < n; i++) {
			fputs("<td>", to);
			put_word(to, why_cell(s, row, column[i]));
			fputs("</td>", to);
		}
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

static void records(FILE *to, const struct why_story *s)
{
	static const struct {
		enum why_block block;
		const char *name;
	} tables[] = {
#define TABLE(block, heading) { WHY_##block, heading },
		TABLES(TABLE)
	};

	fputs("<h2>Records</h2>\n", to);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		size_t rows = why_count(s, tables[i].block);

		if (!rows)
			continue;
		fprintf(to, "<details><summary>%s (%zu)</summary>\n", tables[i].name, rows);
		table_of(to, s, tables[i].block, tables[i].name);
		fputs("</details>\n", to);
	}
}

static void places(FILE *to, const struct why_story *s)
{
	const struct why_row *row = NULL;
	char text[WHY_PLACE_TEXT];

	if (!why_count(s, WHY_PLACES))
		return;
	fputs("<h2>Where in the programs</h2>\n<ul class=\"lint\">\n", to);
	while ((row = why_next(s, WHY_PLACES, row))) {
		fputs("<li>", to);
		picture_put_xml(to, why_place_text(s, row, text));
		fputs("</li>\n", to);
	}
	fputs("</ul>\n", to);
}

static void lint(FILE *to, const struct why_story *s)
{
	const struct why_row *row = NULL;

	if (!why_count(s, WHY_LINT))
		return;
	fputs("<h2>Lint findings</h2>\n<ul class=\"lint\">\n", to);
	while ((row = why_next(s, WHY_LINT, row))) {
		bool error = why_cell_is(s, row, "severity", "error");

		fprintf(to, "<li%s><p><code>", error ? " class=\"bad\"" : "");
		put_word(to, why_cell(s, row, "code"));
		fputs("</code> ", to);
		put_word(to, why_cell(s, row, "text"));
		fputs("</p>", to);
		for (int peer = 0; peer < 2; peer++) {
			const char *place = why_cell(s, row, peer ? "peer_where" : "where");

			if (!place)
				continue;
			fputs(peer ? "<p class=\"dim\">peer: <code>" : "<p class=\"dim\">at <code>", to);
			put_word(to, place);
			fputs("</code></p>", to);
		}
		fputs("</li>\n", to);
	}
	fputs("</ul>\n", to);
}

void picture_write_report(FILE *to, const struct picture_report *r)
{
	const struct why_story *s = r->story;
	char id[WHY_NAME], object_word[WHY_NAME], dev[WHY_NAME], num[WHY_NAME], title[4 * WHY_NAME + 16];

	snprintf(title, sizeof(title), "Failure %s: %s %s:%s", why_word(value_of(s, "id"), id),
		 why_word(value_of(s, "object"), object_word), why_word(value_of(s, "dev"), dev),
		 why_word(value_of(s, "num"), num));
	page_head(to, title);
	header(to, s, title);
	verdict(to, r->verdict);
	chain(to, r->verdict);
	places(to, s);
	lint(to, s);
	if (r->picture) {
		page_diagram(to, r->picture);
		page_table(to, r->picture);
	}
	fputs("<h2>Objects at the failure</h2>\n<div class=\"ends\">\n", to);
	object(to, s, WHY_LOCAL, "Local");
	object(to, s, WHY_REMOTE, "Peer");
	fputs("</div>\n", to);
	records(to, s);
	page_foot(to, r->choice, r->tool, r->command);
}
