// SPDX-License-Identifier: GPL-2.0-only
/* record: writes rules and their firings to a file. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "journal.h"
#include "lib/pairs.h"
#include "program_args.h"
#include "record.h"
#include "run.h"

enum record_line record_parse(const char **line, char *dev, size_t size)
{
	const char *at = *line;
	enum record_line kind;
	size_t len;

	if (*at == '#' || *at == '\n' || !*at)
		return RECORD_COMMENT;
	if (!strncmp(at, "rule ", 5))
		kind = RECORD_RULE;
	else if (!strncmp(at, "fired ", 6))
		kind = RECORD_FIRED;
	else
		return RECORD_NONE;
	at += strcspn(at, " ") + 1;
	len = strcspn(at, " \n");
	if (at[len] != ' ' || !len || len >= size)
		return RECORD_NONE;
	memcpy(dev, at, len);
	dev[len] = 0;
	*line = at + len + 1;
	return kind;
}

struct known {
	char *dev, *name, *act, *line;
};

struct recording {
	struct devices devices;
	struct journal *journal;
	size_t open;
	struct known *rule;
	size_t rules;
	FILE *fired; /* collects firings in memory, because rules come first in the file */
	char *text;
	size_t size;
	uint64_t count;
};

static void keep_rule(struct recording *r, const char *dev, const char *line)
{
	char name[GLASS_RULE_NAME], act[32];
	struct known *more;
	size_t i;

	if (!find_value(line, "name", name, sizeof(name)) || !find_value(line, "act", act, sizeof(act)))
		return;
	/* a freed name may be reused by another rule */
	for (i = 0; i < r->rules; i++)
		if (!strcmp(r->rule[i].dev, dev) && !strcmp(r->rule[i].name, name) &&
		    !strcmp(r->rule[i].act, act))
			break;
	if (i == r->rules) {
		more = realloc(r->rule, (r->rules + 1) * sizeof(*more));
		if (!more)
			cli_die(CLI_FAILED, "out of memory");
		r->rule = more;
		r->rule[r->rules++] =
			(struct known){ format_text("%s", dev), format_text("%s", name),
					format_text("%s", act), NULL };
	}
	free(r->rule[i].line);
	r->rule[i].line = format_text("%s", line);
}

static void look(struct recording *r)
{
	const char *line, *fired;
	size_t d;

	for (d = 0; d < r->open; d++) {
		const char *dev = r->devices.name[d];
		struct debugfs_file f = { 0 };

		if (!debugfs_read(&f, dev, "inject/rules"))
			while ((line = debugfs_line(&f)))
				keep_rule(r, dev, line);
		device_done_looking(&f);
		while ((fired = journal_next(&r->journal[d]))) {
			fprintf(r->fired, "fired %s %s\n", dev, fired);
			r->count++;
		}
	}
}

static enum status write_record(struct recording *r, const char *file)
{
	FILE *to = strcmp(file, "-") ? fopen(file, "we") : stdout;
	uint64_t missed = 0;
	bool ok = to;
	size_t i;

	fclose(r->fired);
	r->fired = NULL;
	for (i = 0; i < r->open; i++)
		missed += r->journal[i].missed;
	if (to) {
		fprintf(to, RECORD_HEAD "\n");
		if (missed)
			fprintf(to, "# %" PRIu64 " firings are missing\n", missed);
		for (i = 0; i < r->rules; i++)
			fprintf(to, "rule %s %s\n", r->rule[i].dev, r->rule[i].line);
		fputs(r->text, to);
		ok = !ferror(to) && !(to == stdout ? fflush(to) : fclose(to));
	}
	if (!ok) {
		cli_error("%s: %s", file, strerror(errno));
		return ST_FAILED;
	}
	cli_error("%s: %zu rules, %" PRIu64 " firings", file, r->rules, r->count);
	if (missed)
		cli_error("%" PRIu64 " firings came too fast to be read", missed);
	return ST_OK;
}

static void forget(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->open; i++)
		journal_close(&r->journal[i]);
	for (i = 0; i < r->rules; i++) {
		free(r->rule[i].dev);
		free(r->rule[i].name);
		free(r->rule[i].act);
		free(r->rule[i].line);
	}
	if (r->fired)
		fclose(r->fired);
	free(r->text);
	free(r->rule);
	free(r->journal);
}

struct options {
	const char *file;
	struct devices devices;
	bool all, program;
};

static const struct argp_option options[] = {
	{ "device", 'd', "DEV", 0, "only this device; can be repeated (all devices)", 0 },
	{ "all", 'a', NULL, 0, "also the earlier faults that the driver remembers", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
		if (o->devices.count == DEVICES_MAX)
			argp_error(state, "too many devices");
		if (device_choose(arg, o->devices.name[o->devices.count]))
			exit(own_status(ST_NO_DEVICE, o->program));
		o->devices.count++;
		return 0;
	case 'a':
		o->all = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->file;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int record(struct recording *r, const struct options *o, char **program)
{
	enum status status;
	struct child c;
	int result;

	if (!can_write(o->file))
		return own_status(ST_FAILED, o->program);
	child_prepare();
	for (; r->open < r->devices.count; r->open++)
		if (!journal_open(&r->journal[r->open], r->devices.name[r->open], !o->all))
			return own_status(ST_NO_DEVICE, o->program);
	result = child_start(&c, program);
	if (result)
		return result;
	if (!program)
		cli_error("recording; SIGINT ends it");
	/* poll often: a rule's definition is visible only while it is listed */
	while (!child_wait(&c, 20))
		look(r);
	look(r);
	status = write_record(r, o->file);
	return c.status ? c.status : own_status(status, o->program);
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &file_argp }, { 0 } };
	static const struct argp argp = {
		options,
		parse,
		"FILE [-- COMMAND [ARGUMENT]...]",
		"Writes the rules with their seeds, and each fault, to a file, until the command "
		"or SIGINT ends it. \"ibinject replay\" injects the same faults again, \"ibinject "
		"journal-diff\" compares two records.",
		children,
		NULL,
		NULL
	};
	struct options o = { .file = NULL };
	char **program = split_program(&argc, argv);
	struct recording r = { .open = 0 };
	int status;

	o.program = program;
	argp_err_exit_status = own_status(ST_USAGE, program);
	parse_options(&argp, argc, argv, &o);
	if (!o.devices.count && devices_find(&o.devices))
		return own_status(ST_NO_DEVICE, program);
	r.devices = o.devices;
	r.journal = calloc(o.devices.count, sizeof(*r.journal));
	r.fired = open_memstream(&r.text, &r.size);
	if (!r.journal || !r.fired)
		cli_die(CLI_FAILED, "out of memory");
	status = record(&r, &o, program);
	forget(&r);
	return status;
}
