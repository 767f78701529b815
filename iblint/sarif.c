// SPDX-License-Identifier: GPL-2.0-only
/* Findings as SARIF 2.1.0 (OASIS), the format of code scanning services. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "uapi/glass-version.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

static void put(json_object *to, const char *key, json_object *what)
{
	json_object_object_add(to, key, what);
}

static void put_text(json_object *to, const char *key, const char *text)
{
	put(to, key, json_object_new_string(text));
}

/* Returns {"text": ...}, the form of messages and descriptions. */
static json_object *message(const char *text)
{
	json_object *to = json_object_new_object();

	put_text(to, "text", text);
	return to;
}

/* Maps a severity to SARIF's error, warning or note. */
static const char *level(int severity)
{
	switch (severity) {
	case GLASS_LINT_WARNING:
	case GLASS_LINT_LEAK:
		return "warning";
	case GLASS_LINT_PORTABILITY:
	case GLASS_LINT_SPEED:
		return "note";
	default:
		return "error";
	}
}

/* Converts stale_key to StaleKey, the style of rule names. */
static char *camel(const char *word)
{
	char *name = format_text("%s", word), *to = name;
	bool up = true;

	for (; *word; word++) {
		if (*word == '_') {
			up = true;
			continue;
		}
		*to++ = up && *word >= 'a' && *word <= 'z' ? *word - 'a' + 'A' : *word;
		up = false;
	}
	*to = 0;
	return name;
}

struct state {
	json_object *results, *rules;
	int index[GLASS_LINT_COUNT + 1]; /* position in rules, from 1; 0: not added yet */
	char *uri;			 /* of the program; NULL: unknown */
};

static json_object *rule(unsigned int number)
{
	json_object *to = json_object_new_object(), *config = json_object_new_object(),
		    *more = json_object_new_object(), *tags = json_object_new_array();
	const struct code *code = &codes[number];
	char *id = format_text("GL%03u", number), *name = camel(code->word);

	put_text(to, "id", id);
	put_text(to, "name", name);
	put(to, "shortDescription", message(code->title));
	put(to, "help", message(code->advice));
	put_text(config, "level", level(code->severity));
	put(to, "defaultConfiguration", config);
	json_object_array_add(tags, json_object_new_string("rdma"));
	json_object_array_add(tags, json_object_new_string(severities[code->severity]));
	put(more, "tags", tags);
	put(to, "properties", more);
	free(name);
	free(id);
	return to;
}

/* Converts a path to file:///..., with %XX for characters that a URI may not contain. */
static char *uri_of(const char *path)
{
	char *uri = malloc(3 * strlen(path) + sizeof("file://")), *to = uri;

	if (!uri)
		cli_die(CLI_FAILED, "out of memory");
	to += sprintf(to, "file://");
	for (; *path; path++) {
		unsigned char c = *path;

		if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			*to++ = c;
		else if ((c >= '0' && c <= '9') || strchr("/._-~", c))
			*to++ = c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	*to = 0;
	return uri;
}

/* Returns {"physicalLocation": ...} of a file; line 0: unknown. */
static json_object *file_location(const char *uri, unsigned int line)
{
	json_object *to = json_object_new_object(), *physical = json_object_new_object(),
		    *artifact = json_object_new_object(), *region;

	put_text(artifact, "uri", uri);
	put(physical, "artifactLocation", artifact);
	if (line) {
		region = json_object_new_object();
		put(region, "startLine", json_object_new_int(line));
		put(physical, "region", region);
	}
	put(to, "physicalLocation", physical);
	return to;
}

static json_object *function_name(const char *name)
{
	json_object *to = json_object_new_object();

	put_text(to, "name", name);
	put_text(to, "kind", "function");
	return to;
}

/* Returns the location of a place in a source; NULL: its line is unknown. */
static json_object *place_location(const struct where_place *p)
{
	json_object *to, *list = json_object_new_array();
	char *uri;

	if (p->function)
		json_object_array_add(list, function_name(p->function));
	if (!p->path || !p->line) {
		json_object_put(list);
		return NULL;
	}
	uri = uri_of(p->path);
	to = file_location(uri, p->line);
	free(uri);
	put(to, "logicalLocations", list);
	return to;
}

/* Returns the location of the innermost place of the program; NULL: it is unknown. */
static json_object *stack_location(const struct where_stack *stack)
{
	return stack && stack->first < stack->n ? place_location(&stack->place[stack->first])
						: NULL;
}

/* Returns the object of the program as location, with the line of the source if it is known. */
static json_object *location(const struct finding *f, const struct state *s)
{
	json_object *to = stack_location(f->where), *logical = json_object_new_object(),
		    *list = json_object_new_array();
	char *object = finding_object(f);

	put_text(logical, "fullyQualifiedName", object);
	put_text(logical, "kind", "resource");
	json_object_array_add(list, logical);
	if (to && f->where->place[f->where->first].function)
		json_object_array_add(list,
				      function_name(f->where->place[f->where->first].function));
	if (!to)
		to = s->uri ? file_location(s->uri, 0) : json_object_new_object();
	/* replaces those of the place */
	put(to, "logicalLocations", list);
	free(object);
	return to;
}

/* Returns the places of a call stack in the program that are lines of sources. */
static json_object *stack_of(const char *text, const struct where_stack *stack)
{
	json_object *to = json_object_new_object(), *frames = json_object_new_array();
	size_t i;

	put(to, "message", message(text));
	for (i = stack->first; i < stack->n; i++) {
		json_object *place =
				    stack->place[i].verbs ? NULL : place_location(&stack->place[i]),
			    *frame;

		if (!place)
			continue;
		frame = json_object_new_object();
		put(frame, "location", place);
		json_object_array_add(frames, frame);
	}
	put(to, "frames", frames);
	return to;
}

/* Adds the call stacks of a finding, and the peer's place as related location. */
static void add_stacks(json_object *to, const struct finding *f)
{
	json_object *peer = stack_location(f->peer_where), *stacks = json_object_new_array(), *list;

	if (f->where)
		json_object_array_add(stacks, stack_of("the finding", f->where));
	if (f->peer_where)
		json_object_array_add(stacks, stack_of("the peer", f->peer_where));
	put(to, "stacks", stacks);
	if (!peer)
		return;
	list = json_object_new_array();
	put(peer, "id", json_object_new_int(1));
	put(peer, "message", message("the peer's post"));
	json_object_array_add(list, peer);
	put(to, "relatedLocations", list);
}

static void add_result(const struct finding *f, void *arg)
{
	json_object *to = json_object_new_object(), *locations = json_object_new_array(),
		    *marks = json_object_new_object();
	char *id = format_text("GL%03u", f->code),
	     *mark = format_text("%s/%s/%s", id, f->comm, f->kind), *text, *peer;
	struct state *s = arg;
	bool known = *finding_code(f)->word;

	if (known && !s->index[f->code]) {
		json_object_array_add(s->rules, rule(f->code));
		s->index[f->code] = json_object_array_length(s->rules);
	}
	put_text(to, "ruleId", id);
	if (known)
		put(to, "ruleIndex", json_object_new_int(s->index[f->code] - 1));
	put_text(to, "level", level(f->severity));
	peer = *f->peer ? format_text("; peer %s", f->peer) : format_text("%s", "");
	text = format_text("%s (%s, pid %" PRIu64 "%s). %s", f->text, f->comm, f->pid, peer,
			   finding_code(f)->advice);
	put(to, "message", message(text));
	json_object_array_add(locations, location(f, s));
	put(to, "locations", locations);
	if (f->where || f->peer_where)
		add_stacks(to, f);
	put(to, "occurrenceCount", json_object_new_uint64(f->count ? f->count : 1));
	/* identifies the finding across runs */
	put_text(marks, "iblint/v1", mark);
	put(to, "partialFingerprints", marks);
	if (f->muted) {
		json_object *one = json_object_new_object(), *list = json_object_new_array();

		put_text(one, "kind", "external");
		put_text(one, "justification", f->muted->why ? f->muted->why : f->muted->where);
		json_object_array_add(list, one);
		put(to, "suppressions", list);
	}
	put(to, "properties", json_of_finding(f));
	json_object_array_add(s->results, to);
	free(peer);
	free(text);
	free(mark);
	free(id);
}

static void put_time(json_object *to, const char *key, const struct timespec *time)
{
	char text[64], *whole;
	struct tm tm;

	gmtime_r(&time->tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	whole = format_text("%s.%03ldZ", text, time->tv_nsec / 1000000);
	put_text(to, key, whole);
	free(whole);
}

static json_object *invocation(const struct run *run)
{
	json_object *to = json_object_new_object(), *more = json_object_new_object(),
		    *words = json_object_new_array();
	char **word;

	put_time(to, "startTimeUtc", &run->begin);
	put_time(to, "endTimeUtc", &run->end);
	/* iblint itself; the command's status is in the properties */
	put(to, "executionSuccessful", json_object_new_boolean(true));
	for (word = run->command; word && *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	if (run->command) {
		put(more, "command", words);
		put(more, "status", json_object_new_int(run->status));
		put(to, "properties", more);
	} else {
		json_object_put(words);
		json_object_put(more);
	}
	return to;
}

json_object *sarif_of_session(struct session *s, const struct run *run)
{
	json_object *to = json_object_new_object(), *runs = json_object_new_array(),
		    *one = json_object_new_object(), *tool = json_object_new_object(),
		    *driver = json_object_new_object(), *invocations = json_object_new_array();
	struct state state = { .results = json_object_new_array(),
			       .rules = json_object_new_array(),
			       .uri = run->program ? uri_of(run->program) : NULL };

	session_each(s, add_result, &state);
	put_text(to, "$schema", SCHEMA);
	put_text(to, "version", "2.1.0");
	put_text(driver, "name", "iblint");
	put_text(driver, "fullName", "iblint (Glass)");
	put_text(driver, "version", GLASS_VERSION);
	put(driver, "rules", state.rules);
	put(tool, "driver", driver);
	put(one, "tool", tool);
	json_object_array_add(invocations, invocation(run));
	put(one, "invocations", invocations);
	put(one, "results", state.results);
	json_object_array_add(runs, one);
	put(to, "runs", runs);
	free(state.uri);
	return to;
}
