// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/printable.h"
#include "lib/why/places.h"
#include "lib/why/reason.h"

static const struct {
	const char *word, *title, *advice;
} causes[] = {
#define CAUSE(n, w, title, advice) [WHY_CAUSE_##n] = { #w, title, advice },
	WHY_CAUSES(CAUSE)
};

const char *why_cause_word(enum why_cause cause)
{
	return causes[cause].word;
}

const char *why_cause_title(enum why_cause cause)
{
	return causes[cause].title;
}

const char *why_cause_advice(enum why_cause cause)
{
	return causes[cause].advice;
}

enum why_cause why_cause_find(const char *word)
{
	int i;

	for (i = 0; i < WHY_CAUSE_COUNT; i++)
		if (!strcmp(causes[i].word, word))
			break;
	return i;
}

char *why_time(uint64_t ns, char to[WHY_TIME])
{
	static const struct {
		double size;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (ns < units[i].size)
			continue;
		snprintf(to, WHY_TIME, ns < 10 * units[i].size ? "%.1f %s" : "%.0f %s",
			 ns / units[i].size, units[i].unit);
		return to;
	}
	snprintf(to, WHY_TIME, "%u ns", (unsigned int)ns);
	return to;
}

struct why_step *why_step(struct why_case *c, const uint64_t *when, const char *format, ...)
{
	static struct why_step lost;
	struct why_verdict *v = c->v;
	struct why_step *step = v->steps < WHY_STEPS ? &v->step[v->steps++] : &lost;
	va_list args;

	*step = (struct why_step){ .timed = when && c->has_when };
	if (step->timed)
		step->when = (int64_t)(*when - c->when);
	va_start(args, format);
	vsnprintf(step->text, sizeof(step->text), format, args);
	va_end(args);
	printable_ascii(step->text);
	return step;
}

void why_evidence(struct why_step *step, const char *format, ...)
{
	size_t len = strlen(step->evidence);
	va_list args;

	if (len)
		len += snprintf(step->evidence + len, sizeof(step->evidence) - len, "; ");
	if (len >= sizeof(step->evidence))
		return;
	va_start(args, format);
	vsnprintf(step->evidence + len, sizeof(step->evidence) - len, format, args);
	va_end(args);
	printable_ascii(step->evidence);
}

void why_missing(struct why_case *c, const char *format, ...)
{
	struct why_verdict *v = c->v;
	char *to = v->miss[v->missing];
	va_list args;
	unsigned int i;

	if (v->missing == WHY_MISSING)
		return;
	va_start(args, format);
	vsnprintf(to, WHY_EVIDENCE, format, args);
	va_end(args);
	printable_ascii(to);
	for (i = 0; i < v->missing; i++)
		if (!strcmp(v->miss[i], to))
			return;
	v->missing++;
}

void why_decide(struct why_case *c, enum why_cause cause)
{
	struct why_verdict *v = c->v;

	v->cause = cause;
	if (v->steps)
		v->step[v->steps - 1].advice = causes[cause].advice;
}

void why_candidates(struct why_case *c, ...)
{
	va_list args;
	int cause;

	c->v->cause = WHY_CAUSE_UNDETERMINED;
	va_start(args, c);
	while ((cause = va_arg(args, int)) >= 0)
		c->v->candidate[cause] = true;
	va_end(args);
}

char *why_word(const char *value, char to[WHY_NAME])
{
	return why_text(value, to, WHY_NAME);
}

char *why_process(const struct why_story *s, const struct why_row *row, const char *comm,
		  const char *pid, char to[WHY_NAME])
{
	const char *number = why_cell(s, row, pid);
	char name[WHY_NAME], place[WHY_PLACE_SHORT] = "";

	if (row && row->block == WHY_KEYS)
		why_place_of_key(s, row, !strncmp(pid, "gone_", 5), place);
	if (row && row->block == WHY_GONE_QPS)
		why_place_of_gone_qp(s, row, place);
	if (number && !strcmp(number, "0"))
		snprintf(to, WHY_NAME, "the kernel");
	else if (why_cell(s, row, comm) && *place)
		snprintf(to, WHY_NAME, "%.16s (pid %.10s, %.60s)", why_word(why_cell(s, row, comm), name),
			 number ? number : "?", place);
	else if (why_cell(s, row, comm))
		snprintf(to, WHY_NAME, "%.40s (pid %.20s)", why_word(why_cell(s, row, comm), name),
			 number ? number : "?");
	else if (number)
		snprintf(to, WHY_NAME, "process %.20s", number);
	else
		snprintf(to, WHY_NAME, "its program");
	return to;
}

int why_stopped(const struct why_case *c, const char *role)
{
	const struct why_row *row = NULL;

	while ((row = why_next(c->s, WHY_PROCESSES, row)))
		if (why_cell_is(c->s, row, "role", role) && why_cell(c->s, row, "state"))
			return why_cell_is(c->s, row, "state", "stopped");
	return -1;
}
