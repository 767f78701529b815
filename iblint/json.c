// SPDX-License-Identifier: GPL-2.0-only
/* Findings as JSON, in iblint's own format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static void put_text(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, *text ? json_object_new_string(text) : NULL);
}

static void put_number(json_object *to, const char *key, uint64_t n)
{
	json_object_object_add(to, key, json_object_new_uint64(n));
}

/* Adds a number from the driver's text; null if the text is empty. */
static void put_value(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key,
			       *text ? json_object_new_uint64(strtoull(text, NULL, 0)) : NULL);
}

static void put_or_null(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, text ? json_object_new_string(text) : NULL);
}

static json_object *json_of_place(const struct where_place *p)
{
	json_object *to = json_object_new_object();

	put_or_null(to, "function", p->function);
	put_or_null(to, "file", p->file);
	put_or_null(to, "path", p->path);
	json_object_object_add(to, "line", p->line ? json_object_new_int(p->line) : NULL);
	put_or_null(to, "module", p->module);
	put_number(to, "offset", p->offset);
	json_object_object_add(to, "inlined", json_object_new_boolean(p->inlined));
	if (p->note)
		json_object_object_add(to, "note", json_object_new_string(p->note));
	return to;
}

/* Adds the places of a call stack in the program, innermost first; null if none is known. */
static void put_stack(json_object *to, const char *key, const struct where_stack *stack)
{
	json_object *list = NULL;
	size_t i;

	for (i = stack ? stack->first : 0; stack && i < stack->n; i++) {
		if (stack->place[i].verbs)
			continue;
		if (!list)
			list = json_object_new_array();
		json_object_array_add(list, json_of_place(&stack->place[i]));
	}
	json_object_object_add(to, key, list);
}

json_object *json_of_finding(const struct finding *f)
{
	json_object *to = json_object_new_object();
	const struct code *code = finding_code(f);
	char *name = format_text("GL%03u", f->code);

	put_text(to, "code", name);
	put_text(to, "word", code->word);
	put_text(to, "severity", finding_severity(f));
	put_text(to, "dev", f->dev);
	put_number(to, "id", f->id);
	put_text(to, "kind", f->kind);
	put_value(to, "num", f->num);
	put_number(to, "pid", f->pid);
	put_text(to, "comm", f->comm);
	put_text(to, "peer", f->peer);
	json_object_object_add(to, "peer_pid",
			       f->peer_pid ? json_object_new_uint64(f->peer_pid) : NULL);
	put_text(to, "peer_comm", f->peer_comm);
	put_number(to, "count", f->count);
	put_number(to, "first", f->first);
	put_number(to, "last", f->last);
	put_value(to, "seen", f->seen);
	put_value(to, "expected", f->expected);
	put_text(to, "text", f->text);
	put_stack(to, "where", f->where);
	put_stack(to, "peer_where", f->peer_where);
	put_text(to, "title", code->title);
	put_text(to, "advice", code->advice);
	if (f->muted) {
		json_object *mute = json_object_new_object();

		put_text(mute, "where", f->muted->where);
		put_text(mute, "why", f->muted->why ? f->muted->why : "");
		json_object_object_add(to, "suppressed", mute);
	}
	free(name);
	return to;
}

static void append(const struct finding *f, void *arg)
{
	json_object_array_add(arg, json_of_finding(f));
}

static json_object *words_of(char **command)
{
	json_object *words = json_object_new_array();

	for (; *command; command++)
		json_object_array_add(words, json_object_new_string(*command));
	return words;
}

static json_object *knobs_of(const bool *set, bool lenient)
{
	json_object *knobs = json_object_new_array();
	int i;

	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++)
		if (set[i] && behaviors[i].lenient == lenient)
			json_object_array_add(knobs, json_object_new_string(behaviors[i].word));
	return knobs;
}

json_object *json_of_session(struct session *s, const struct totals *totals, const struct run *run)
{
	json_object *to = json_object_new_object(), *findings = json_object_new_array(),
		    *sums = json_object_new_object(), *devices = json_object_new_array();
	size_t i;

	put_number(to, "version", 1);
	if (run->command) {
		json_object_object_add(to, "command", words_of(run->command));
		json_object_object_add(to, "status", json_object_new_int(run->status));
	}
	for (i = 0; i < s->devices; i++)
		json_object_array_add(devices, json_object_new_string(s->device[i].name));
	json_object_object_add(to, "devices", devices);
	if (run->strict) {
		json_object *strict = json_object_new_object();

		json_object_object_add(strict, "knobs", knobs_of(run->knobs, false));
		put_number(strict, "seed", run->seed);
		json_object_object_add(to, "strict", strict);
	}
	if (run->lenient)
		json_object_object_add(to, "lenient", knobs_of(run->knobs, true));
	session_each(s, append, findings);
	json_object_object_add(to, "findings", findings);
	for (i = 0; i < GLASS_LINT_SEVERITY_COUNT; i++)
		put_number(sums, severities[i], totals->by_severity[i]);
	put_number(sums, "suppressed", totals->muted);
	put_number(sums, "lost", totals->lost);
	json_object_object_add(to, "summary", sums);
	return to;
}
