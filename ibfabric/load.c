// SPDX-License-Identifier: GPL-2.0-only
/* load: builds the fabric that a file describes. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "ibfabric/model/choose.h"
#include "source.h"

#define CHOICES_MAX 64

struct options {
	const char *file;
	const char *hca[CHOICES_MAX];
	unsigned int hcas; /* number of --hca */
	int count;	   /* of --hcas; -1: not given */
	bool dry_run, replace, quiet;
};

enum key { KEY_HCA = 256, KEY_HCAS, KEY_REPLACE };

static const struct argp_option table[] = {
	{ "hca", KEY_HCA, "NAME|GUID|GLOB", 0,
	  "let this channel adapter be an HCA, with an InfiniBand device; the others are passive; can be "
	  "repeated; a glob (* and ?) is compared with names and descriptions",
	  1 },
	{ "hcas", KEY_HCAS, "N", 0, "let N channel adapters be HCAs, spread over the switches", 1 },
	{ "dry-run", 'n', NULL, 0, "print the commands for the driver, and build nothing", 2 },
	{ "replace", KEY_REPLACE, NULL, 0, "remove the fabric that is there first", 2 },
	{ "quiet", 'q', NULL, 0, "do not print what was built", 2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_HCA:
		if (o->hcas == CHOICES_MAX)
			argp_error(state, "more than %d --hca", CHOICES_MAX);
		o->hca[o->hcas++] = arg;
		return 0;
	case KEY_HCAS:
		o->count = option_number(arg, "--hcas", 0, TOPO_REAL_MAX, state);
		return 0;
	case 'n':
		o->dry_run = true;
		return 0;
	case KEY_REPLACE:
		o->replace = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "more than one FILE: %s and %s", o->file, arg);
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "expected a FILE, or - for standard input");
		if (o->hcas && o->count >= 0)
			argp_error(state, "--hca and --hcas exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Chooses the HCAs. Returns ST_FAILED after an error. */
static enum status choose(struct topo *t, const struct parse *p, const struct options *o)
{
	const struct topo_node *where;
	unsigned int i, found;
	char *text;

	if (o->hcas || o->count >= 0)
		topo_choose_none(t);
	for (i = 0; i < o->hcas; i++) {
		text = topo_choose_named(t, o->hca[i]);
		if (text) {
			cli_error("--hca %s", text);
			free(text);
			return ST_FAILED;
		}
	}
	if (o->count >= 0) {
		found = topo_choose_spread(t, o->count);
		if (found < (unsigned int)o->count) {
			cli_error(
				"--hcas %d: only %u channel adapters can be HCAs (hosts with at most %d "
				"ports)",
				o->count, found, TOPO_REAL_PORTS);
			return ST_FAILED;
		}
	} else if (!o->hcas && !p->commands) {
		text = topo_choose_default(t);
		if (text)
			cli_error("%s: %s", o->file, text);
		free(text);
	}
	text = topo_check_real(t, &where);
	if (!text)
		return ST_OK;
	if (where->place.line)
		cli_error("%s:%u: %s", p->file[where->place.file], where->place.line, text);
	else
		cli_error("%s", text);
	free(text);
	return ST_FAILED;
}

static enum status print_commands(const struct topo *t)
{
	struct topo_commands commands;

	topo_commands(t, &commands);
	fputs(commands.text, stdout);
	topo_commands_free(&commands);
	return ST_OK;
}

int cmd_load(int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"FILE",
		"Builds the fabric that FILE describes: the output of ibnetdiscover, a net file of ibsim, or "
		"what \"ibfabric save\" writes. FILE - is standard input.\v"
		"Without --hca and --hcas, all hosts are HCAs if that is possible: at most 32, with at most 2 "
		"ports each. Otherwise two hosts are, and the others are passive: they have agents that a "
		"subnet manager finds, but no device. A file of commands says itself which are HCAs.\n\n"
		"Examples:\n"
		"  ibnetdiscover >cluster.net               on a node of the cluster\n"
		"  ibfabric load cluster.net --hcas 4\n"
		"  ibfabric load cluster.net --hca 'node01*' --replace",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .count = -1 };
	struct topo t = { 0 };
	enum status status;
	struct parse p;

	parse_options(&argp, argc, argv, &o);
	status = source_read(o.file, &t, &p);
	if (!status)
		status = choose(&t, &p, &o);
	if (!status)
		status = o.dry_run ? print_commands(&t) : driver_build(&t, &p, o.replace, o.quiet);
	parse_free(&p);
	topo_free(&t);
	return status;
}
