// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "lib/why/places.h"
#include "lib/why/reason.h"
#include "lib/why/tell.h"

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define DIM    "\033[2m"
#define PLAIN  "\033[0m"

static const char *color(const struct why_style *style, const char *code)
{
	return style->color ? code : "";
}

static const char *text_of(const struct why_story *s, const char *key, char to[WHY_NAME])
{
	const char *value = why_value(s, WHY_FAILURE, "", key);

	return value ? why_word(value, to) : "-";
}

static size_t width_of(const struct why_style *style)
{
	return style->width ? style->width : WHY_WIDTH;
}

/* Prints a text in lines as wide as wanted, each behind the indent. */
static void wrap(const struct why_style *style, const char *first, const char *indent, const char *text)
{
	size_t width = width_of(style), len;
	size_t room = width > strlen(indent) + 20 ? width - strlen(indent) : 20;
	FILE *to = style->to;

	fputs(first, to);
	while ((len = strlen(text)) > room) {
		size_t cut = room;

		while (cut && text[cut] != ' ')
			cut--;
		if (!cut)
			cut = strcspn(text, " ");
		fprintf(to, "%.*s\n%s", (int)cut, text, text[cut] ? indent : "");
		text += cut + (text[cut] == ' ');
		if (!*text)
			return;
	}
	fprintf(to, "%s\n", text);
}

/* "-536 ms", "+40 us"; blanks if the step has no time */
static void put_time(const struct why_style *style, const struct why_step *step)
{
	char time[WHY_TIME], text[WHY_TIME + 2] = "";
	uint64_t ns = step->when < 0 ? -(uint64_t)step->when : (uint64_t)step->when;

	if (step->timed && !step->when)
		snprintf(text, sizeof(text), "0");
	else if (step->timed)
		snprintf(text, sizeof(text), "%c%s", step->when < 0 ? '-' : '+',
			 why_time(ns, time));
	fprintf(style->to, "  %s%10s%s  ", color(style, DIM), text, color(style, PLAIN));
}

static void put_steps(const struct why_style *style, const struct why_verdict *v)
{
	unsigned int i;

	for (i = 0; i < v->steps; i++) {
		put_time(style, &v->step[i]);
		wrap(style, "", "              ", v->step[i].text);
		if (style->brief || !*v->step[i].evidence)
			continue;
		fputs(color(style, DIM), style->to);
		wrap(style, "              seen: ", "                    ",
		     v->step[i].evidence);
		fputs(color(style, PLAIN), style->to);
	}
}

static void put_candidates(const struct why_style *style, const struct why_verdict *v)
{
	const char *before = "  it may be: ";
	int i;

	for (i = 0; i < WHY_CAUSE_COUNT; i++) {
		if (!v->candidate[i])
			continue;
		fprintf(style->to, "%s%s", before, why_cause_word(i));
		before = ", ";
	}
	if (*before == ',')
		putc('\n', style->to);
}

static void put_end(const struct why_style *style, const char *what, const char *word,
		    const char *title, const char *advice, bool known)
{
	bool fits = strlen(what) + strlen(word) + strlen(title) + 4 <= width_of(style);

	fprintf(style->to, "%s%s: %s%s%s:%s", what, color(style, BOLD),
		color(style, known ? RED : YELLOW), word, color(style, PLAIN), fits ? " " : "\n");
	wrap(style, fits ? "" : "      ", "      ", title);
	wrap(style, "  do: ", "      ", advice);
}

void why_tell_story(const struct why_style *style, const struct why_story *s, const struct why_verdict *v)
{
	char id[WHY_NAME], dev[WHY_NAME], num[WHY_NAME], object[WHY_NAME], time[WHY_TIME];
	const struct why_row *row = NULL;
	char place[WHY_PLACE_TEXT];
	uint64_t age;
	unsigned int i;

	fprintf(style->to, "%sfailure %s: %s %s:%s%s", color(style, BOLD), text_of(s, "id", id),
		text_of(s, "object", object), text_of(s, "dev", dev), text_of(s, "num", num),
		color(style, PLAIN));
	if (why_value_number(s, WHY_FAILURE, "", "age", &age))
		fprintf(style->to, ", %s ago", why_time(age, time));
	putc('\n', style->to);
	put_steps(style, v);
	put_end(style, "first cause", why_cause_word(v->cause), why_cause_title(v->cause),
		why_cause_advice(v->cause), v->cause);
	if (!v->cause) {
		put_candidates(style, v);
		for (i = 0; i < v->missing; i++)
			wrap(style, "  missing: ", "           ", v->miss[i]);
	}
	while ((row = why_next(s, WHY_PLACES, row)))
		wrap(style, "  where: ", "         ", why_place_text(s, row, place));
}

void why_tell_list_header(const struct why_style *style)
{
	fprintf(style->to, "%s%5s %8s %-16s %-18s %-22s %-16s %s%s\n", color(style, BOLD), "id",
		"age", "object", "what", "process", "peer", "first cause", color(style, PLAIN));
}

void why_tell_list_line(const struct why_style *style, const struct why_story *s,
		    const struct why_verdict *v)
{
	char a[WHY_NAME], b[WHY_NAME], time[WHY_TIME] = "-", object[2 * WHY_NAME],
				       peer[2 * WHY_NAME], process[2 * WHY_NAME];
	const char *what = why_value(s, WHY_FAILURE, "", "status");
	uint64_t age;

	if (why_value_number(s, WHY_FAILURE, "", "age", &age))
		why_time(age, time);
	if (!what)
		what = why_value(s, WHY_FAILURE, "", "event");
	if (!what)
		what = why_value(s, WHY_FAILURE, "", "kind");
	snprintf(object, sizeof(object), "%s:%s", text_of(s, "dev", a), text_of(s, "num", b));
	snprintf(process, sizeof(process), "%s (%s)", text_of(s, "comm", a), text_of(s, "pid", b));
	snprintf(peer, sizeof(peer), "%s", "-");
	if (why_value(s, WHY_FAILURE, "", "peer_qpn"))
		snprintf(peer, sizeof(peer), "%s:%s", text_of(s, "peer_dev", a),
			 text_of(s, "peer_qpn", b));
	fprintf(style->to, "%5s %8s %-16s %-18s %-22s %-16s %s%s%s\n", text_of(s, "id", a), time,
		object, why_word(what, b), process, peer, color(style, v->cause ? RED : YELLOW),
		why_cause_word(v->cause), color(style, PLAIN));
}

void why_tell_wait(const struct why_style *style, const struct why_verdict *v, enum why_end end)
{
	put_steps(style, v);
	put_end(style, "  end of the chain", why_end_word(end), why_end_title(end),
		why_end_advice(end), end != WHY_END_UNKNOWN);
}
