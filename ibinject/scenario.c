// SPDX-License-Identifier: GPL-2.0-only
/* scenario: plays steps, with or without a program. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/json.h"
#include "lib/printable.h"
#include "program_args.h"
#include "run.h"
#include "scenario.h"

#define LOOK_MS 20 /* polling interval for firings */

struct options {
	const char *file;
	const char *json;
	bool dry_run, verbose;
};

struct play {
	const struct scenario *s;
	struct session session;
	struct child child;
	uint64_t start;
	bool verbose;
	unsigned int unmet;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

__attribute__((format(printf, 3, 4))) static void tell(const struct play *p, const struct step *s,
						       const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		cli_die(CLI_FAILED, "out of memory");
	va_end(args);
	cli_error("%s:%lu:%lu: %s (at %.3f s)", s->place.file, s->place.line, s->place.column, text,
		  (now_ns() - p->start) / 1e9);
	free(text);
}

static bool over_limit(const struct play *p)
{
	return p->s->limit && now_ns() - p->start >= p->s->limit;
}

/* Returns how often a rule has fired. */
static uint64_t hits(struct play *p, const char *name)
{
	const struct session_rule *r;

	session_look(&p->session);
	r = session_find(&p->session, name);
	return r ? r->hit : 0;
}

/* Waits for the step's time and condition. Returns false if they cannot occur any more. */
static bool wait_turn(struct play *p, const struct step *s)
{
	for (;;) {
		uint64_t now = now_ns() - p->start;
		bool time = !s->timed || now >= s->at;

		if (time && (!s->after || hits(p, s->after) >= s->after_times))
			return true;
		if (p->child.ended || p->child.stopped || over_limit(p))
			return false;
		if (!time && s->at - now < LOOK_MS * 1000000ULL)
			child_wait(&p->child, (s->at - now) / 1000000 + 1);
		else
			child_wait(&p->child, LOOK_MS);
	}
}

static enum status expect(struct play *p, const struct step *s)
{
	uint64_t end = now_ns() + s->within, n;

	for (;;) {
		bool last = p->child.ended || p->child.stopped || now_ns() >= end || over_limit(p);

		n = hits(p, s->text);
		/* an upper limit can be confirmed only at the end of the time */
		if (n > s->high || last || (n >= s->low && s->high == UINT64_MAX))
			break;
		child_wait(&p->child, LOOK_MS);
	}
	if (n >= s->low && n <= s->high)
		return ST_OK;
	if (s->low == s->high)
		tell(p, s, "rule %s fired %" PRIu64 " times, not %" PRIu64, s->text, n, s->low);
	else if (s->high == UINT64_MAX)
		tell(p, s, "rule %s fired %" PRIu64 " times, not %" PRIu64 " or more", s->text, n,
		     s->low);
	else
		tell(p, s, "rule %s fired %" PRIu64 " times, not %" PRIu64 " to %" PRIu64, s->text,
		     n, s->low, s->high);
	p->unmet++;
	return ST_OK;
}

static enum status bookmark(const struct step *s, const char *dev)
{
	int fd = debugfs_open(&injection, dev, "bookmark", O_WRONLY);
	size_t len = strlen(s->text);
	enum status status = ST_OK;

	if (fd < 0)
		return ST_NO_DEVICE;
	if (write(fd, s->text, len) != (ssize_t)len) {
		cli_error("%s: bookmark: %s", dev, strerror(errno));
		status = ST_FAILED;
	}
	close(fd);
	return status;
}

static enum status command(struct play *p, const struct step *s, const char *dev, const char *text)
{
	struct refusal told;
	enum status status;
	size_t d;

	status = session_device(&p->session, dev, &d);
	if (status)
		return status;
	status = device_command(p->session.device[d].name, p->session.device[d].fd, text, &told);
	if (status)
		tell(p, s, "%s", told.text);
	free(told.text);
	return status;
}

static enum status add(struct play *p, const struct step *s, const char *dev)
{
	struct glass_filter_error error;
	enum status status;
	size_t d;

	status = session_device(&p->session, dev, &d);
	if (status)
		return status;
	status = session_add(&p->session, d, s->text, NULL, &error);
	if (status)
		rule_explain(&s->place, s->text, &error);
	return status;
}

/* Ends all rules of a device, and marks them so that they are not ended again. */
static enum status clear(struct play *p, const struct step *s, const char *dev)
{
	enum status status;
	size_t d, i;

	status = session_device(&p->session, dev, &d);
	if (status)
		return status;
	session_look(&p->session);
	status = command(p, s, dev, "clear");
	for (i = 0; i < p->session.rules; i++)
		if (p->session.rule[i].device == d)
			p->session.rule[i].ended = true;
	return status;
}

static enum status act(struct play *p, const struct step *s)
{
	const char *dev = s->dev ? s->dev : p->s->dev;
	struct session_rule *r;
	enum status status;
	char *text;
	size_t d;

	switch (s->deed) {
	case DEED_ADD:
		return add(p, s, dev);
	case DEED_DEL:
		r = session_find(&p->session, s->text);
		if (r)
			return session_del(&p->session, r);
		tell(p, s, "rule %s was never added", s->text);
		p->unmet++;
		return ST_OK;
	case DEED_CLEAR:
		return clear(p, s, dev);
	case DEED_STEP:
		text = format_text("step n=%" PRIu64, s->low);
		status = command(p, s, dev, text);
		free(text);
		/* reported: no packet is held; continue with the next step */
		if (status == ST_FAILED)
			p->unmet++;
		return status == ST_FAILED ? ST_OK : status;
	case DEED_RELEASE:
		return command(p, s, dev, "release");
	case DEED_BOOKMARK:
		status = session_device(&p->session, dev, &d);
		return status ? status : bookmark(s, p->session.device[d].name);
	default:
		return expect(p, s);
	}
}

static const char *const words[] = {
#define SCENARIO_WORD(n, w) #w,
	SCENARIO_DEEDS(SCENARIO_WORD)
};

static enum status steps(struct play *p)
{
	enum status status = ST_OK;
	size_t i;

	for (i = 0; i < p->s->steps && !status; i++) {
		const struct step *s = &p->s->step[i];

		if (!wait_turn(p, s)) {
			tell(p, s, "this step was not reached: %s",
			     p->child.ended	? "the command has ended"
			     : p->child.stopped ? "a signal came"
						: "the time limit came first");
			p->unmet++;
			continue;
		}
		if (p->verbose)
			tell(p, s, "%s%s%s", words[s->deed], s->text ? " " : "",
			     s->text ? s->text : "");
		status = act(p, s);
	}
	return status;
}

static void print_time(const char *word, uint64_t ns)
{
	printf("%s=%" PRIu64, word, ns / 1000000000);
	if (ns % 1000000000)
		printf(".%09" PRIu64, ns % 1000000000);
	fputs("s ", stdout);
}

/* Prints text from the file, made printable. */
static void print_word(const char *text)
{
	char *copy = format_text(" %s", text);

	printable(copy);
	fputs(copy, stdout);
	free(copy);
}

/* Prints the steps, one per line, without playing them. */
static int print_steps(const struct scenario *p)
{
	const struct step *s;

	for (s = p->step; s < p->step + p->steps; s++) {
		const char *dev = s->dev ? s->dev : p->dev;

		printf("%s:%lu: ", p->file, s->place.line);
		if (s->timed)
			print_time("at", s->at);
		if (s->after)
			printf("after=%s:%" PRIu64 " ", s->after, s->after_times);
		fputs(words[s->deed], stdout);
		if (dev && s->deed != DEED_EXPECT)
			print_word(dev);
		if (s->text)
			print_word(s->text);
		if (s->deed == DEED_STEP)
			printf(" n=%" PRIu64, s->low);
		if (s->deed == DEED_EXPECT && s->high == UINT64_MAX)
			printf(" fired=%" PRIu64 "..", s->low);
		else if (s->deed == DEED_EXPECT)
			printf(" fired=%" PRIu64 "..%" PRIu64, s->low, s->high);
		putchar('\n');
	}
	return fflush(stdout) ? ST_FAILED : ST_OK;
}

static int play(const struct scenario *s, const struct options *o, char **program)
{
	struct play p = { .s = s, .verbose = o->verbose };
	enum status status;
	int result;

	session_begin(&p.session, "scenario");
	child_prepare();
	p.start = now_ns();
	result = child_start(&p.child, program);
	if (!result) {
		status = steps(&p);
		/* after a failure, do not leave the program running */
		if (status || p.child.stopped || over_limit(&p))
			child_end(&p.child);
		while (program && !child_wait(&p.child, 200)) {
			session_look(&p.session);
			if (over_limit(&p)) {
				cli_error("%s: the time limit has passed; ibinject ends the command",
					  s->file);
				child_end(&p.child);
				p.unmet++;
			}
		}
		session_summary(&p.session, stderr);
		result = own_status(status ? status : p.unmet ? ST_UNMET : ST_OK, program);
		if (!result)
			result = p.child.status;
		if (o->json) {
			json_object *json = session_json(&p.session);

			json_object_object_add(json, "status", json_object_new_int(result));
			json_object_object_add(json, "unmet", json_object_new_int(p.unmet));
			status = json_write(json, o->json) ? ST_FAILED : ST_OK;
			result = result ? result : own_status(status, program);
		}
	}
	session_end(&p.session);
	return result;
}

static const struct argp_option options[] = {
	{ "verbose", 'v', NULL, 0, "print each step", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case 'v':
		o->verbose = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->file;
		state->child_inputs[1] = &o->dry_run;
		state->child_inputs[2] = &o->json;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_scenario(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &file_argp }, { .argp = &dry_run_argp }, { .argp = &json_file_argp }, { 0 }
	};
	static const struct argp argp = {
		options,
		parse,
		"FILE [-- COMMAND [ARGUMENT]...]",
		"Runs the steps of a YAML file, which add and remove rules at given times and "
		"check their effects. The rules end with the scenario.\v"
		"Exit status: that of the command when there is one and all went well (without "
		"one: 0); with a command 120 more than without: 1 the driver refused something, 2 "
		"the file is wrong, 3 no such device, not root, or the kernel is locked down, 4 an expectation was not met or "
		"a step was not reached.",
		children,
		NULL,
		NULL
	};
	struct options o = { .file = NULL };
	char **program = split_program(&argc, argv);
	struct scenario s;
	int status;

	argp_err_exit_status = own_status(ST_USAGE, program);
	parse_options(&argp, argc, argv, &o);
	if (!scenario_read(&s, o.file, stderr))
		status = own_status(ST_USAGE, program);
	else if (o.dry_run)
		status = own_status(print_steps(&s), program);
	else if (o.json && !can_write(o.json))
		status = own_status(ST_FAILED, program);
	else
		status = play(&s, &o, program);
	scenario_free(&s);
	return status;
}
