// SPDX-License-Identifier: GPL-2.0-only
/* Observes a command, or running programs, and reports findings. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "explain.h"
#include "lib/child.h"
#include "lib/json.h"
#include "options.h"
#include "report.h"
#include "strict.h"

/* maximum delay of a finding's report, in ms */
#define LOOK_EVERY 100

struct teller {
	struct report *report; /* NULL: no text output */
	FILE *lines;	       /* for JSON lines; NULL: none */
};

static void tell(const struct finding *f, void *arg)
{
	struct teller *t = arg;

	if (t->report)
		report_finding(t->report, f);
	if (t->lines) {
		json_object *json = json_of_finding(f);

		fprintf(t->lines, "%s\n",
			json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
								     JSON_C_TO_STRING_NOSLASHESCAPE));
		fflush(t->lines);
		json_object_put(json);
	}
}

/* Opens a file for writing; "-" is standard output. Returns NULL after an error message. */
static FILE *open_file(const char *name)
{
	FILE *to = strcmp(name, "-") ? fopen(name, "we") : stdout;

	if (!to)
		cli_error("%s: %s", name, strerror(errno));
	return to;
}

/* Returns false after an error message if a write failed. */
static bool close_file(FILE *to, const char *name)
{
	bool ok = !ferror(to);

	ok &= !(to == stdout ? fflush(to) : fclose(to));
	if (!ok)
		cli_error("%s: %s", name, strerror(errno));
	return ok;
}

/*
 * Returns the absolute path of the command's file, which the caller frees; NULL if it is unknown.
 */
static char *program_file(const char *name)
{
	const char *path = getenv("PATH"), *at, *end;
	char *file, *whole = NULL;

	if (strchr(name, '/'))
		return realpath(name, NULL);
	for (at = path ? path : ""; *at && !whole; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		file = format_text("%.*s/%s", (int)(end - at), at, name);
		if (!access(file, X_OK))
			whole = realpath(file, NULL);
		free(file);
	}
	return whole;
}

/* pidfds of the observed processes: another process may reuse a pid */
static int pidfd[TARGETS_MAX];

static enum status open_pids(const struct targets *t)
{
	size_t i;

	for (i = 0; i < t->pids; i++) {
		pidfd[i] = pidfd_open(t->pid[i], 0);
		if (pidfd[i] >= 0)
			continue;
		if (errno == ESRCH || errno == EINVAL)
			cli_error("there is no process %d", (int)t->pid[i]);
		else
			cli_error("process %d: %s", (int)t->pid[i], strerror(errno));
		return ST_NO_DEVICE;
	}
	return ST_OK;
}

/* Does any observed process still run? */
static bool any_alive(const struct targets *t)
{
	size_t i;

	for (i = 0; i < t->pids; i++) {
		struct pollfd p = { .fd = pidfd[i], .events = POLLIN };

		if (!poll(&p, 1, 0))
			return true;
	}
	return false;
}

static double seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec + (now.tv_nsec - begin->tv_nsec) / 1e9;
}

/*
 * Observes until the command or the observed processes end, or until the time limit. Returns false
 * after an error message if findings cannot be read.
 */
static bool look(struct session *s, struct child *child, const struct options *o,
		 struct teller *teller)
{
	const struct targets *t = &o->setup.targets;
	struct timespec begin;
	bool ok = true, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		end = child_wait(child, LOOK_EVERY);
		if (!o->command)
			end |= (o->limit > 0 && seconds_since(&begin) >= o->limit) ||
			       (t->pids && !t->comms && !any_alive(t));
		/* once more after the end, for the last findings */
		ok &= session_look(s, end, tell, teller);
	} while (!end);
	return ok;
}

/* Sets up the driver, then observes. Returns the exit status. */
static int watch(const struct options *o, const struct devices *devices, struct teller *teller,
		 struct session *s, struct strict *strict, struct run *run)
{
	enum status status;
	struct child child;
	bool ok;
	int result;

	status = session_begin(s, &o->setup, &o->mutes, devices);
	if (status)
		return status;
	if (o->strict || o->lenient) {
		status = strict_begin(strict, devices, o->knob, o->seed);
		if (status)
			return status;
	}
	/* processes that the command leaves behind are observed, too */
	if (o->command)
		child_adopt(strict->guard);
	child_prepare();
	clock_gettime(CLOCK_REALTIME, &run->begin);
	result = child_start(&child, o->command);
	if (result)
		return result;
	ok = look(s, &child, o, teller);
	clock_gettime(CLOCK_REALTIME, &run->end);
	run->status = child.status;
	/* the command's failure takes precedence over iblint's own */
	return child.status || ok ? child.status : ST_FAILED;
}

static bool write_documents(struct session *s, const struct options *o,
			    const struct totals *totals, const struct run *run)
{
	bool ok = true;

	if (o->json)
		ok &= !json_write(json_of_session(s, totals, run), o->json);
	if (o->sarif)
		ok &= !json_write(sarif_of_session(s, run), o->sarif);
	return ok;
}

/* Runs a session, with the output files open. Returns the exit status. */
static int look_and_tell(struct options *o, struct teller *teller)
{
	struct run run = { .command = o->command, .knobs = o->knob, .strict = o->strict,
			   .lenient = o->lenient };
	struct strict strict = { .guard = 0 };
	struct devices devices;
	struct totals totals;
	/* too large for the stack */
	struct session *s = calloc(1, sizeof(*s));
	int result;
	bool ok;

	if (!s)
		cli_die(CLI_FAILED, "out of memory");
	result = devices_find(&o->devices, &devices);
	if (!result)
		result = open_pids(&o->setup.targets);
	if (result) {
		free(s);
		return result;
	}
	if (o->strict && !o->seeded &&
	    getrandom(&o->seed, sizeof(uint32_t), 0) != sizeof(uint32_t))
		o->seed = time(NULL);
	run.seed = o->seed;
	if (o->strict && !o->seeded)
		cli_error("--seed %llu draws the same again", (unsigned long long)o->seed);
	if (o->command) {
		/* observe iblint's descendants: the command, and processes that it leaves behind */
		o->setup.targets.pid[0] = getpid();
		o->setup.targets.pids = 1;
		run.program = program_file(o->command[0]);
	}
	result = watch(o, &devices, teller, s, &strict, &run);
	ok = strict_end(&strict);
	if (run.end.tv_sec) {
		totals = totals_of(s, &o->fail);
		if (teller->report)
			report_summary(teller->report, s, &totals);
		ok &= write_documents(s, o, &totals, &run);
		if (totals.fail) {
			if (result && teller->report)
				cli_error("the command ended with %d", result);
			result = ST_FOUND;
		}
	}
	session_end(s);
	free(s);
	free(run.program);
	return result || ok ? result : ST_FAILED;
}

static enum status read_rcfile(struct options *o)
{
	bool ok = true;

	if (o->rcfile)
		ok = mutes_read(&o->mutes, o->rcfile);
	else if (!o->no_rcfile)
		ok = mutes_find_file(&o->mutes);
	return ok ? ST_OK : ST_USAGE;
}

static int run(struct options *o)
{
	struct report report = { .to = stderr, .brief = o->brief };
	struct teller teller = { .report = o->quiet ? NULL : &report };
	int result = read_rcfile(o);
	bool ok = true;

	if (!result && o->output)
		report.to = open_file(o->output);
	if (!result && o->json_lines)
		teller.lines = open_file(o->json_lines);
	if (!report.to || (o->json_lines && !teller.lines && !result))
		result = ST_FAILED;
	if (!result) {
		report.color = cli_color(report.to);
		result = look_and_tell(o, &teller);
	}
	if (o->output && report.to && report.to != stderr)
		ok &= close_file(report.to, o->output);
	if (teller.lines)
		ok &= close_file(teller.lines, o->json_lines);
	return result || ok ? result : ST_FAILED;
}

int iblint_main(int argc, char **argv)
{
	struct options o;
	int result;

	options_read(&o, argc, argv);
	switch (o.deed) {
	case DEED_EXPLAIN:
		result = explain(&o.explain);
		break;
	case DEED_LIST_CODES:
		result = list_codes(o.json);
		break;
	case DEED_LIST_KNOBS:
		result = list_behaviors(o.json);
		break;
	default:
		result = run(&o);
	}
	options_free(&o);
	return result;
}
