// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ibinject.h"
#include "program_args.h"
#include "rules/word.h"

#define DAY 86400

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*file)
			argp_error(state, "%s: only one file is possible; write the command after "
				   "--", arg);
		*file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*file)
			argp_error(state, "which file?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp file_argp = { .parser = parse_file };

static error_t parse_no_file(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "%s: write the command after --", arg);
	return 0;
}

const struct argp no_file_argp = { .parser = parse_no_file };

static const struct argp_option dry_run_options[] = {
	{ "dry-run", 'n', NULL, 0, "only check the file, and print the actions", 0 },
	{ 0 },
};

static error_t parse_dry_run(int key, char *arg, struct argp_state *state)
{
	bool *dry_run = state->input;

	(void)arg;
	if (key != 'n')
		return ARGP_ERR_UNKNOWN;
	*dry_run = true;
	return 0;
}

const struct argp dry_run_argp = { .options = dry_run_options, .parser = parse_dry_run };

static const struct argp_option json_file_options[] = {
	{ "json", 'j', "FILE", 0, "write the rules that fired to FILE as JSON (-: standard output)", 0 },
	{ 0 },
};

static error_t parse_json_file(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*file = arg;
	return 0;
}

const struct argp json_file_argp = { .options = json_file_options, .parser = parse_json_file };

bool can_write(const char *file)
{
	FILE *to = strcmp(file, "-") ? fopen(file, "ae") : stdout;

	if (!to)
		cli_error("%s: %s", file, strerror(errno));
	else if (to != stdout)
		fclose(to);
	return to;
}

uint64_t option_number(struct argp_state *state, const char *arg, uint64_t most)
{
	size_t len = strlen(arg);
	u64 n;

	if (len > 1 && arg[len - 1] == 's')
		len--;
	if (!glass_word_number(arg, len, &n) || !n || n > most)
		argp_error(state, "'%s' is not a number from 1 to %" PRIu64, arg, most);
	return n;
}

static const struct argp_option tries_options[] = {
	{ "limit", 't', "SECONDS", 0, "end a run after this time; it then counts as failed (60)", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static error_t parse_tries(int key, char *arg, struct argp_state *state)
{
	struct tries *t = state->input;

	switch (key) {
	case 't':
		t->limit_ms = option_number(state, arg, DAY) * 1000;
		return 0;
	case 'j':
		t->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp tries_argp = { .options = tries_options, .parser = parse_tries };
