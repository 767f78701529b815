// SPDX-License-Identifier: GPL-2.0-only
/* Findings as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define CYAN  "\033[36m"
#define PLAIN "\033[0m"

static const char *color_of(int severity)
{
	static const char *const color[GLASS_LINT_SEVERITY_COUNT] = {
		[GLASS_LINT_ERROR] = "\033[1;31m",   [GLASS_LINT_SECURITY] = "\033[1;31m",
		[GLASS_LINT_LEAK] = "\033[1;35m",    [GLASS_LINT_WARNING] = "\033[1;35m",
		[GLASS_LINT_PORTABILITY] = "\033[1;36m", [GLASS_LINT_SPEED] = "\033[1;36m",
	};

	return severity >= 0 ? color[severity] : BOLD;
}

/* Returns the colour, or "" if colours are off. */
static const char *in(const struct report *r, const char *color)
{
	return r->color ? color : "";
}

static void who(FILE *to, const char *comm, uint64_t pid)
{
	fprintf(to, "%s", *comm ? comm : "?");
	if (pid)
		fprintf(to, " (pid %" PRIu64 ")", pid);
}

/* Prints a number as given, but above 32 bits in hexadecimal: it is probably an address. */
static void value(FILE *to, const char *text)
{
	uint64_t n = strtoull(text, NULL, 0);

	if (n > UINT32_MAX)
		fprintf(to, "0x%" PRIx64, n);
	else
		fprintf(to, "%s", text);
}

/* Prints the place in a program that a call stack names, if it is known. */
static void place(struct report *r, const char *title, const struct where_stack *stack)
{
	char *text = stack ? where_stack_text(stack) : NULL;

	if (text)
		fprintf(r->to, "    %s%s:%s %s\n", in(r, DIM), title, in(r, PLAIN), text);
	free(text);
}

static void put_finding(struct report *r, const struct finding *f)
{
	const struct code *code = finding_code(f);
	char *object = finding_object(f);

	fprintf(r->to, "%s%s:%s %s%s:%s %s %s[GL%03u%s%s]%s\n", in(r, BOLD), object, in(r, PLAIN),
		in(r, color_of(f->severity)), finding_severity(f), in(r, PLAIN), f->text,
		in(r, DIM), f->code, *code->word ? " " : "", code->word, in(r, PLAIN));
	free(object);
	if (r->brief)
		return;
	fprintf(r->to, "    %sin:%s ", in(r, DIM), in(r, PLAIN));
	who(r->to, f->comm, f->pid);
	if (*f->peer) {
		fprintf(r->to, "; peer %s", f->peer);
		if (*f->peer_comm || f->peer_pid) {
			fprintf(r->to, " of ");
			who(r->to, f->peer_comm, f->peer_pid);
		}
	}
	fputc('\n', r->to);
	place(r, "at", f->where);
	place(r, "peer at", f->peer_where);
	if (*f->seen) {
		fprintf(r->to, "    %sseen:%s ", in(r, DIM), in(r, PLAIN));
		value(r->to, f->seen);
		if (*f->expected) {
			fprintf(r->to, ", expected: ");
			value(r->to, f->expected);
		}
		fputc('\n', r->to);
	}
	if (*code->advice && !r->advised[f->code]) {
		fprintf(r->to, "    %sdo:%s %s\n", in(r, CYAN), in(r, PLAIN), code->advice);
		r->advised[f->code] = true;
	}
}

void report_finding(struct report *r, const struct finding *f)
{
	FILE *to = r->to;
	char *text = NULL;
	size_t len = 0;

	/* one write: the program under lint prints, too, and its words may not come between these */
	r->to = open_memstream(&text, &len);
	if (r->to) {
		put_finding(r, f);
		fclose(r->to);
		r->to = to;
		fwrite(text, 1, len, to);
		free(text);
	} else {
		r->to = to;
		put_finding(r, f);
	}
	fflush(to);
}

/* ---- totals */

struct sum {
	struct totals *totals;
	const struct fail_on *fail;
};

static void add(const struct finding *f, void *arg)
{
	struct sum *sum = arg;
	struct totals *t = sum->totals;

	if (f->muted) {
		t->muted++;
		return;
	}
	if (f->severity >= 0)
		t->by_severity[f->severity]++;
	else
		t->unknown++;
	if ((int)severity_rank(f->severity) <= sum->fail->rank ||
	    glass_lint_set_has(&sum->fail->codes, f->code))
		t->fail = true;
}

struct totals totals_of(struct session *s, const struct fail_on *fail)
{
	struct totals totals = { .lost = session_lost(s) };
	struct sum sum = { &totals, fail };

	session_each(s, add, &sum);
	return totals;
}

/* The findings of one code, which are adjacent */
struct group {
	struct report *r;
	unsigned int code;
	int severity;
	uint64_t times, places;
	const struct code *known;
};

static void end_group(struct group *g)
{
	struct report *r = g->r;

	if (g->places)
		fprintf(r->to, "  GL%03u %s%-11s%s %6" PRIu64 " %s %s", g->code,
			in(r, color_of(g->severity)),
			g->severity >= 0 ? severities[g->severity] : "finding", in(r, PLAIN),
			g->times, g->times == 1 ? "time " : "times", g->known->title);
	if (g->places > 1)
		fprintf(r->to, " (in %" PRIu64 " places)", g->places);
	if (g->places)
		fputc('\n', r->to);
	g->times = g->places = 0;
}

static void in_group(const struct finding *f, void *arg)
{
	struct group *g = arg;

	if (f->muted)
		return;
	if (f->code != g->code)
		end_group(g);
	g->code = f->code;
	g->severity = f->severity;
	g->known = finding_code(f);
	g->times += f->count;
	g->places++;
}

static const char *plural(int severity, uint64_t n)
{
	static const char *const many[GLASS_LINT_SEVERITY_COUNT] = {
		[GLASS_LINT_ERROR] = "errors",
		[GLASS_LINT_WARNING] = "warnings",
		[GLASS_LINT_PORTABILITY] = "of portability",
		[GLASS_LINT_SPEED] = "of speed",
		[GLASS_LINT_LEAK] = "leaks",
		[GLASS_LINT_SECURITY] = "of security",
	};
	static const char *const one[GLASS_LINT_SEVERITY_COUNT] = {
		[GLASS_LINT_ERROR] = "error",
		[GLASS_LINT_WARNING] = "warning",
		[GLASS_LINT_PORTABILITY] = "of portability",
		[GLASS_LINT_SPEED] = "of speed",
		[GLASS_LINT_LEAK] = "leak",
		[GLASS_LINT_SECURITY] = "of security",
	};

	return n == 1 ? one[severity] : many[severity];
}

void report_summary(struct report *r, struct session *s, const struct totals *totals)
{
	struct group g = { .r = r };
	uint64_t all = totals->unknown;
	unsigned int rank;
	bool first = true;
	int i;

	for (i = 0; i < GLASS_LINT_SEVERITY_COUNT; i++)
		all += totals->by_severity[i];
	fprintf(r->to, "%siblint:%s ", in(r, BOLD), in(r, PLAIN));
	if (!all)
		fprintf(r->to, "no findings");
	else
		fprintf(r->to, "%" PRIu64 " %s: ", all, all == 1 ? "finding" : "findings");
	for (rank = 0; rank < GLASS_LINT_SEVERITY_COUNT; rank++) {
		for (i = 0; i < GLASS_LINT_SEVERITY_COUNT; i++) {
			uint64_t n = totals->by_severity[i];

			if (severity_rank(i) != rank || !n)
				continue;
			fprintf(r->to, "%s%" PRIu64 " %s", first ? "" : ", ", n, plural(i, n));
			first = false;
		}
	}
	if (totals->unknown)
		fprintf(r->to, "%s%" PRIu64 " of a kind newer than this iblint", first ? "" : ", ",
			totals->unknown);
	if (totals->muted)
		fprintf(r->to, "; %" PRIu64 " suppressed", totals->muted);
	if (totals->lost)
		fprintf(r->to, "; the driver had no room for %" PRIu64 " more", totals->lost);
	fputc('\n', r->to);
	session_each(s, in_group, &g);
	end_group(&g);
	if (all)
		fprintf(r->to, "  what a code means, with a program that does it: iblint --explain CODE\n");
	fflush(r->to);
}
