// SPDX-License-Identifier: GPL-2.0-only
/*
 * shrink: finds a minimal set of recorded firings that still makes a command fail. Uses delta
 * debugging (Zeller and Hildebrandt's ddmin): tries subsets, then complements, then finer pieces,
 * until no single firing can be omitted.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "list.h"
#include "record.h"
#include "program_args.h"
#include "run.h"

struct options {
	const char *file, *to;
	struct tries tries;
};

/* A firing that can be replayed, and the rule for it */
struct one {
	const struct recorded_line *fired;
	char *rule;
};

struct shrink {
	const struct options *o;
	char **program;
	struct recorded record;
	struct one *one;
	size_t count;
	unsigned int runs;
};

static void find_firings(struct shrink *s)
{
	size_t i;

	s->one = calloc(s->record.count + 1, sizeof(*s->one));
	if (!s->one)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < s->record.count; i++) {
		const struct recorded_line *f = &s->record.fired[i];
		const char *why;
		char *rule = replay_rule(f->text, recorded_rule(&s->record, f), &why);

		if (rule)
			s->one[s->count++] = (struct one){ f, rule };
		else
			cli_error("left out: %s: %s", why, f->text);
	}
}

static void progress(struct shrink *s, size_t faults)
{
	s->runs++;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rrun %u: %zu of %zu faults\033[K", s->runs, faults, s->count);
}

/* Runs the command with these firings. Returns 0 with *fails set, or the status to exit with. */
static int try(struct shrink *s, const size_t *set, size_t n, bool *fails)
{
	struct glass_filter_error error;
	enum status status = ST_OK;
	struct session session;
	struct attempt a = { .hung = false };
	size_t i, d;
	int result;

	progress(s, n);
	session_begin(&session, "shrink");
	for (i = 0; i < n && !status; i++) {
		const struct one *one = &s->one[set[i]];

		status = session_device(&session, one->fired->dev, &d);
		if (!status) {
			status = session_add(&session, d, one->rule, NULL, &error);
			if (status)
				rule_explain(NULL, one->rule, &error);
		}
	}
	result = status ? (int)status : attempt(&a, s->program, s->o->tries.limit_ms);
	session_end(&session);
	*fails = attempt_failed(&a);
	return result;
}

/* Copies the set without the piece from..end, or that piece alone. */
static size_t part(size_t *to, const size_t *set, size_t n, size_t from, size_t end, bool alone)
{
	size_t i, m = 0;

	for (i = 0; i < n; i++)
		if ((i >= from && i < end) == alone)
			to[m++] = set[i];
	return m;
}

/* Finds a smaller failing set: among the pieces (alone), or among their complements. */
static int find_smaller(struct shrink *s, size_t *set, size_t *n, size_t pieces, bool alone,
			bool *found)
{
	size_t *smaller = malloc(*n * sizeof(*smaller)), i, m;
	int result = 0;

	if (!smaller)
		cli_die(CLI_FAILED, "out of memory");
	*found = false;
	for (i = 0; i < pieces && !result && !*found; i++) {
		m = part(smaller, set, *n, *n * i / pieces, *n * (i + 1) / pieces, alone);
		if (m == *n || !m)
			continue;
		result = try(s, smaller, m, found);
		if (!result && *found) {
			memcpy(set, smaller, m * sizeof(*set));
			*n = m;
		}
	}
	free(smaller);
	return result;
}

static int minimise(struct shrink *s, size_t *set, size_t *n)
{
	size_t pieces = 2;
	bool found;
	int result;

	while (*n > 1) {
		result = find_smaller(s, set, n, pieces, true, &found);
		if (result)
			return result;
		if (found) {
			pieces = 2;
			continue;
		}
		/* the complement of one of two pieces is the other piece */
		if (pieces > 2) {
			result = find_smaller(s, set, n, pieces, false, &found);
			if (result)
				return result;
			if (found) {
				pieces = pieces - 1 < *n ? pieces - 1 : *n;
				continue;
			}
		}
		if (pieces >= *n)
			break;
		pieces = 2 * pieces < *n ? 2 * pieces : *n;
	}
	return 0;
}

static enum status write_record(const struct shrink *s, const size_t *set, size_t n)
{
	FILE *to = fopen(s->o->to, "we");
	size_t i;
	bool ok = to;

	if (to) {
		fprintf(to, RECORD_HEAD "\n");
		for (i = 0; i < s->record.rules; i++)
			fprintf(to, "rule %s %s\n", s->record.rule[i].dev, s->record.rule[i].text);
		for (i = 0; i < n; i++)
			fprintf(to, "fired %s %s\n", s->one[set[i]].fired->dev,
				s->one[set[i]].fired->text);
		ok = !ferror(to) && !fclose(to);
	}
	if (ok)
		return ST_OK;
	cli_error("%s: %s", s->o->to, strerror(errno));
	return ST_FAILED;
}

static int tell(const struct shrink *s, const size_t *set, size_t n)
{
	json_object *all = s->o->tries.json ? json_object_new_array() : NULL;
	enum status status = s->o->to ? write_record(s, set, n) : ST_OK;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct one *one = &s->one[set[i]];
		json_object *j;

		if (!all) {
			printf("%s: %s\n", one->fired->dev, one->rule);
			continue;
		}
		j = json_object_new_object();
		json_object_object_add(j, "dev", json_object_new_string(one->fired->dev));
		json_object_object_add(j, "rule", json_object_new_string(one->rule));
		json_object_object_add(j, "fired", json_of_pairs(one->fired->text));
		json_object_array_add(all, j);
	}
	cli_error("%zu of %zu faults are enough (%u runs)", n, s->count, s->runs);
	if (all)
		return print_json(all) ?: (int)status;
	return fflush(stdout) ? ST_FAILED : status;
}

static int shrink(struct shrink *s)
{
	size_t n = s->count, i, *set;
	bool fails;
	int result;

	set = malloc((n + 1) * sizeof(*set));
	if (!set)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < n; i++)
		set[i] = i;
	child_prepare();
	result = try(s, set, 0, &fails);
	if (!result && fails) {
		cli_error("shrink: the command fails without any fault");
		result = ST_FAILED;
	}
	if (!result)
		result = try(s, set, n, &fails);
	if (!result && !fails) {
		cli_error("shrink: the command does not fail with the faults of %s", s->o->file);
		result = ST_FAILED;
	}
	if (!result)
		result = minimise(s, set, &n);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (!result)
		result = tell(s, set, n);
	else if (result == 130)
		cli_error("shrink: stopped");
	free(set);
	return result;
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write the record of the smallest set to FILE", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->to = arg;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->file;
		state->child_inputs[1] = &o->tries;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_shrink(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &file_argp }, { .argp = &tries_argp }, { 0 }
	};
	static const struct argp argp = {
		options,
		parse,
		"FILE -- COMMAND [ARGUMENT]...",
		"Finds the smallest set of the faults of a record with which a command still "
		"fails, and prints their rules.\v"
		"The command is run again and again, without input and output. It fails when its "
		"status is not 0, a signal ends it, or it takes too long. Exit status: 0 found; 1 "
		"it fails without faults, or does not with all of them; 2, 3, 126, 127 as always; "
		"130 a signal stopped it.",
		children,
		NULL,
		NULL
	};
	struct options o = { .tries = TRIES_DEFAULT };
	char **program = split_program(&argc, argv);
	struct shrink s = { .o = &o, .program = program };
	int status = ST_USAGE;
	size_t i;

	parse_options(&argp, argc, argv, &o);
	if (!program) {
		cli_error("shrink: no command is given; write it after --");
		return ST_USAGE;
	}
	if (o.to && !can_write(o.to)) {
		status = ST_FAILED;
	} else if (recorded_read(&s.record, o.file)) {
		find_firings(&s);
		status = shrink(&s);
	}
	for (i = 0; i < s.count; i++)
		free(s.one[i].rule);
	free(s.one);
	recorded_free(&s.record);
	return status;
}
