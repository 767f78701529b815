// SPDX-License-Identifier: GPL-2.0-only
/* The results of a sweep, which a file stores. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "sweep.h"

#define VERDICT_WORD(n, w, c) #w,
const char *const sweep_verdicts[] = { VERDICTS(VERDICT_WORD) };

enum verdict sweep_verdict(const struct sweep *s, int status, int64_t left, uint64_t hit)
{
	if (status == s->o->wrong)
		return V_WRONG;
	if (left > 0)
		return V_LEAK;
	if (status)
		return V_ERROR;
	return hit ? V_SURVIVED : V_UNHIT;
}

/* Returns the rule of a fault as in results. It is unique. */
static char *fault_rule(const struct fault *f)
{
	return f->strike ? format_text("%s at %s", f->strike, f->text) : format_text("%s", f->text);
}

json_object *sweep_json(const struct fault *f, uint64_t place)
{
	const struct cell *c = &f->cell[place];
	json_object *to = json_object_new_object();
	char *rule = fault_rule(f);

	json_object_object_add(to, "fault", json_object_new_string(f->label));
	json_object_object_add(to, "rule", json_object_new_string(rule));
	free(rule);
	json_object_object_add(to, "nth", json_object_new_int64(place + 1));
	json_object_object_add(to, "verdict", json_object_new_string(sweep_verdicts[c->verdict]));
	json_object_object_add(to, "status", json_object_new_int(c->status));
	json_object_object_add(to, "hit", json_object_new_int64(c->hit));
	json_object_object_add(to, "ms", json_object_new_int64(c->ms));
	json_object_object_add(to, "left", json_object_new_int64(c->left));
	return to;
}

void sweep_keep(struct sweep *s, const struct fault *f, uint64_t place)
{
	json_object *line;

	if (!s->to)
		return;
	line = sweep_json(f, place);
	fprintf(s->to, "%s\n",
		json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	fflush(s->to);
	json_object_put(line);
}

static const char *get_text(json_object *from, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(from, key, &v) ? json_object_get_string(v) : "";
}

static int64_t get_int(json_object *from, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(from, key, &v) ? json_object_get_int64(v) : 0;
}

static enum verdict verdict_named(const char *word)
{
	int v;

	for (v = 0; v < V_COUNT; v++)
		if (!strcmp(sweep_verdicts[v], word))
			break;
	return v;
}

/*
 * Returns the verdict of a stored result under the options of this sweep; V_COUNT if it must run
 * again.
 */
static enum verdict verdict_now(const struct sweep *s, const struct cell *c)
{
	bool late = c->ms > s->o->tries.limit_ms;

	switch (c->verdict) {
	case V_HANG:
		/* a shorter limit ended it */
		return c->ms < s->o->tries.limit_ms ? V_COUNT : V_HANG;
	case V_REFUSED:
	case V_COUNT:
		return c->verdict;
	case V_CRASH:
		return late ? V_COUNT : V_CRASH;
	default:
		return late ? V_COUNT : sweep_verdict(s, c->status, c->left, c->hit);
	}
}

static void take_result(struct sweep *s, json_object *line)
{
	uint64_t nth = get_int(line, "nth");
	struct cell told = {
		.verdict = verdict_named(get_text(line, "verdict")),
		.status = get_int(line, "status"),
		.hit = get_int(line, "hit"),
		.ms = get_int(line, "ms"),
		.left = get_int(line, "left"),
	};
	size_t i;

	if (!nth || nth > s->o->places)
		return;
	for (i = 0; i < s->faults; i++) {
		char *rule = fault_rule(&s->fault[i]);
		bool same = !strcmp(rule, get_text(line, "rule"));
		struct cell *c = &s->fault[i].cell[nth - 1];

		free(rule);
		if (!same)
			continue;
		s->done -= c->verdict != V_COUNT;
		*c = told;
		c->verdict = verdict_now(s, &told);
		s->done += c->verdict != V_COUNT;
		/* a later line may be a result for this limit */
		c->again = told.verdict != V_COUNT && c->verdict == V_COUNT;
	}
}

/* Reports which part of the first line belongs to another sweep. */
static enum status refuse(const struct sweep *s, json_object *theirs, const char *command)
{
	const char *of = get_text(theirs, "command"), *dev = get_text(theirs, "dev");

	if (strcmp(of, command))
		cli_error("%s: results of another command: %s; -o must name another file",
			  s->o->file, of);
	else
		cli_error("%s: results of -d %s, not of %s; -o must name another file", s->o->file,
			  dev, s->dev);
	return ST_USAGE;
}

static enum status not_results(const struct sweep *s, size_t number)
{
	cli_error("%s:%zu: this is no result of a sweep", s->o->file, number);
	return ST_USAGE;
}

/* Reads a line. The first one has the command and the device. */
static enum status take_line(struct sweep *s, const char *text, size_t number, const char *command)
{
	json_object *one = json_tokener_parse(text);
	enum status status = ST_OK;

	if (!one || !json_object_is_type(one, json_type_object) ||
	    (number == 1 && !json_object_object_get_ex(one, "command", NULL)))
		status = not_results(s, number);
	else if (number > 1)
		take_result(s, one);
	else if (strcmp(get_text(one, "command"), command) || strcmp(get_text(one, "dev"), s->dev))
		status = refuse(s, one, command);
	json_object_put(one);
	return status;
}

static void begin_file(struct sweep *s, const char *command)
{
	json_object *first = json_object_new_object();

	json_object_object_add(first, "command", json_object_new_string(command));
	json_object_object_add(first, "dev", json_object_new_string(s->dev));
	fprintf(s->to, "%s\n", json_object_to_json_string_ext(first, JSON_C_TO_STRING_PLAIN));
	json_object_put(first);
}

static void tell_again(const struct sweep *s)
{
	size_t again = 0, i;
	uint64_t place;

	for (i = 0; i < s->faults; i++)
		for (place = 0; place < s->o->places; place++)
			again += s->fault[i].cell[place].again;
	if (again)
		fprintf(stderr,
			"ibinject: sweep: %zu result%s of another --limit %s run again\n", again,
			again == 1 ? "" : "s", again == 1 ? "is" : "are");
}

/* Reads the results that the file has. *number: how many lines these are, 0 if there is no file. */
static enum status take_file(struct sweep *s, const char *command, size_t *number)
{
	enum status status = ST_OK;
	size_t size = 0;
	char *line = NULL;
	off_t whole = 0; /* bytes of complete lines */
	ssize_t len;
	FILE *from = fopen(s->o->file, "re");

	*number = 0;
	if (!from && errno == ENOENT)
		return ST_OK;
	if (!from) {
		cli_error("%s: %s", s->o->file, strerror(errno));
		return ST_FAILED;
	}
	while (!status && (len = getline(&line, &size, from)) > 0) {
		if (line[len - 1] != '\n') {
			/* truncated, as by a crash while writing: drop this line */
			if (truncate(s->o->file, whole)) {
				cli_error("%s: %s", s->o->file, strerror(errno));
				status = ST_FAILED;
			}
			break;
		}
		whole += len;
		status = take_line(s, line, ++*number, command);
	}
	free(line);
	fclose(from);
	return status;
}

/*
 * The file is opened once to read and once to append: in a directory that a guest shares by 9p,
 * Linux writes a file that is open for both from the beginning of a page, to its end.
 */
enum status sweep_open(struct sweep *s, const char *command)
{
	enum status status;
	size_t number;

	if (!s->o->file)
		return ST_OK;
	status = take_file(s, command, &number);
	if (status)
		return status;
	s->to = fopen(s->o->file, "ae");
	if (!s->to) {
		cli_error("%s: %s", s->o->file, strerror(errno));
		return ST_FAILED;
	}
	if (!number)
		begin_file(s, command);
	tell_again(s);
	return ST_OK;
}
