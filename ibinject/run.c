// SPDX-License-Identifier: GPL-2.0-only
/* run: keeps rules for the duration of a command. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "program_args.h"
#include "run.h"

struct input {
	char *text;	    /* as given by the user: DEV: RULE */
	struct place place; /* file NULL: from an option */
};

struct options {
	struct input *rule;
	size_t rules;
	const char *json;
	bool quiet;
};

static const struct argp_option options[] = {
	{ "rule", 'r', "[DEV:]RULE", 0, "a rule; can be repeated", 0 },
	{ "file", 'f', "FILE", 0, "read rules from FILE, one per line; # begins a comment", 0 },
	{ "quiet", 'q', NULL, 0, "do not print which rules fired", 0 },
	{ 0 },
};

static void add_input(struct options *o, const char *text, const char *file, unsigned long line)
{
	struct input *more = realloc(o->rule, (o->rules + 1) * sizeof(*more));

	if (!more)
		cli_die(CLI_FAILED, "out of memory");
	o->rule = more;
	o->rule[o->rules++] = (struct input){ format_text("%s", text), { file, line, 1 } };
}

/* Reads rules from a file. Skips blank lines and comments. */
static void read_file(struct options *o, const char *file, struct argp_state *state)
{
	FILE *from = fopen(file, "re");
	unsigned long number = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (!from)
		argp_failure(state, ST_PROGRAM + ST_USAGE, errno, "%s", file);
	errno = 0;
	while ((len = getline(&line, &size, from)) > 0) {
		number++;
		if (memchr(line, 0, len))
			argp_failure(state, ST_PROGRAM + ST_USAGE, 0, "%s:%lu: not a line of text", file,
				     number);
		line[strcspn(line, "\n")] = 0;
		if (!strchr("#", line[strspn(line, " \t")]))
			add_input(o, line, file, number);
	}
	if (ferror(from))
		argp_failure(state, ST_PROGRAM + ST_USAGE, errno, "%s", file);
	free(line);
	fclose(from);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'r':
		add_input(o, arg, NULL, 0);
		return 0;
	case 'f':
		read_file(o, arg, state);
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &o->json;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

char **split_program(int *argc, char **argv)
{
	int i;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		argv[i] = NULL;
		*argc = i;
		return argv[i + 1] ? argv + i + 1 : NULL;
	}
	return NULL;
}

/* Adds a rule as given by the user. Errors quote it. */
static enum status add_input_rule(struct session *s, const struct input *in)
{
	struct glass_filter_error error;
	char dev[DEVICE_NAME];
	const char *rule = rule_device(in->text, dev, sizeof(dev));
	enum status status;
	size_t device;

	/* check the rule first: this needs no device */
	if (!rule_check(rule, NULL, &error)) {
		status = ST_USAGE;
	} else {
		status = session_device(s, *dev ? dev : NULL, &device);
		if (status)
			return status;
		status = session_add(s, device, rule, NULL, &error);
	}
	if (!status)
		return ST_OK;
	if (error.len)
		error.at += rule - in->text;
	rule_explain(in->place.file ? &in->place : NULL, in->text, &error);
	return status;
}

static int run(const struct options *o, char **program)
{
	enum status status = ST_OK;
	struct session s;
	struct child c;
	size_t i;
	int result;

	if (o->json && !can_write(o->json))
		return own_status(ST_FAILED, true);
	session_begin(&s, "run");
	for (i = 0; i < o->rules && !status; i++)
		status = add_input_rule(&s, &o->rule[i]);
	result = own_status(status, true);
	if (!result) {
		child_prepare();
		result = child_start(&c, program);
		if (!result) {
			/* read the journal regularly, before the driver drops firings */
			while (!child_wait(&c, 200))
				session_look(&s);
			result = c.status;
		}
		if (!o->quiet)
			session_summary(&s, stderr);
		if (o->json) {
			json_object *json = session_json(&s);

			json_object_object_add(json, "status", json_object_new_int(result));
			status = json_write(json, o->json) ? ST_FAILED : ST_OK;
			result = result ? result : own_status(status, true);
		}
	}
	session_end(&s);
	return result;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &no_file_argp }, { .argp = &json_file_argp }, { 0 }
	};
	static const struct argp argp = {
		options,
		parse,
		"-- COMMAND [ARGUMENT]...",
		"Runs a command with rules that end with it, and prints at the end which rules "
		"fired.\v"
		"Exit status: that of the command (128 + N when signal N ended it); 121 the driver "
		"refused a rule; 122 a rule or option is wrong; 123 there is no such device, or "
		"the user is not root, or the kernel is locked down; 126 the command cannot be run; 127 there is no such "
		"command.\n\n"
		"Example: ibinject run -r 'glass0: op=write nth=3 act=drop' -- my_program",
		children,
		NULL,
		NULL
	};
	struct options o = { .rules = 0 };
	char **program = split_program(&argc, argv);
	int status;
	size_t i;

	argp_err_exit_status = ST_PROGRAM + ST_USAGE;
	parse_options(&argp, argc, argv, &o);
	if (program && o.rules) {
		status = run(&o, program);
	} else {
		cli_error(program ? "run: no rule is given"
				  : "run: no command is given; write it after --");
		status = ST_PROGRAM + ST_USAGE;
	}
	for (i = 0; i < o.rules; i++)
		free(o.rule[i].text);
	free(o.rule);
	return status;
}
