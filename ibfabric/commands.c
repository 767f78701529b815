// SPDX-License-Identifier: GPL-2.0-only
/* The commands by name, and helpers that they share. */
#include <stdlib.h>
#include <string.h>

#include "ibfabric.h"
#include "lib/debugfs/text.h"
#include "lib/nearest.h"
#include "uapi/glass-version.h"

const char *argp_program_version = "ibfabric (Glass) " GLASS_VERSION;

struct command {
	const char *name;
	const char *args; /* for the list of commands */
	const char *meaning;
	int (*run)(int argc, char **argv);
};

/* Terminated by an entry without a name */
static const struct command commands[] = {
	{ "load", "FILE",
	  "build the fabric of an ibnetdiscover dump, an ibsim net file or a saved one", cmd_load },
	{ "make", "TOPOLOGY", "build a star, fat-tree, torus or dual-rail fabric", cmd_make },
	{ "show", "[NAME]...", "print the fabric as a tree, JSON, SVG or Graphviz", cmd_show },
	{ "save", "[FILE]", "write the fabric as commands that load takes back", cmd_save },
	{ "cut", "A:P | A B", "pull the cable at a port, or the cables between two nodes",
	  cmd_cable },
	{ "plug", "A:P | A B", "plug pulled cables again", cmd_cable },
	{ "add", "COMMAND", "give one command to the driver: add switch sw3 ports=8", cmd_add },
	{ "remove", "NAME | A:P ...", "remove nodes with their cables, or the cables at ports", cmd_remove },
	{ "clear", "", "remove all nodes and cables", cmd_clear },
	{ "trace", "A[:P] B[:P]|LID", "print the way of a packet through the switches", cmd_trace },
	{ "help", "[COMMAND]", "explain a command", cmd_help },
	{ 0 },
};

static const char statuses[] =
	"Exit status: 0 done; 1 the driver or a limit refused, a file is wrong, or (trace) the packet\n"
	"does not arrive; 2 the command line is wrong; 3 there is no module with a fabric, no configfs\n"
	"or debugfs, the user is not root, or the kernel is locked down.";

static const struct command *find_command(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int unknown_command(const char *name)
{
	struct glass_nearest near = glass_nearest_to(name);
	const struct command *c;

	for (c = commands; c->name; c++)
		glass_nearest_consider(&near, c->name);
	if (near.found)
		cli_error("there is no command %s; did you mean %s?", name, near.found);
	else
		cli_error("there is no command %s; \"ibfabric --help\" lists them", name);
	return ST_USAGE;
}

int cmd_help(int argc, char **argv)
{
	char *help[] = { argv[1], (char *)"--help", NULL };
	const struct command *c;

	if (argc > 1 && argv[1][0] != '-') {
		c = find_command(argv[1]);
		if (!c)
			return unknown_command(argv[1]);
		if (c->run != cmd_help)
			return c->run(2, help);
	}
	puts("Usage: ibfabric COMMAND [ARGUMENT]...\n"
	     "Builds, shows and changes the fabric of the Glass module: HCAs, switches and cables.\n");
	for (c = commands; c->name; c++)
		printf("  %-7s %-16s %s\n", c->name, c->args, c->meaning);
	puts("\n\"ibfabric COMMAND --help\" lists the options. See also ibfabric(8) and docs/ibfabric.md.\n");
	puts(statuses);
	return ST_OK;
}

int ibfabric_main(int argc, char **argv)
{
	static char *help[] = { (char *)"help", NULL };
	const struct command *c;

	argp_err_exit_status = ST_USAGE;
	if (argc < 2) {
		cli_error("no command is given; \"ibfabric --help\" lists the commands");
		return ST_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?"))
		return cli_flush(cmd_help(1, help));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(argp_program_version);
		return cli_flush(ST_OK);
	}
	c = find_command(argv[1]);
	return cli_flush(c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]));
}

void parse_options(const struct argp *argp, int argc, char **argv, void *input)
{
	cli_parse_command(argp, 0, argc, argv, input);
}

unsigned int option_number(const char *arg, const char *option, unsigned int least,
			   unsigned int most, struct argp_state *state)
{
	uint64_t n = 0;

	if (!debugfs_number(arg, strlen(arg), &n))
		argp_error(state, "%s: '%s' is not a number", option, arg);
	if (n < least || n > most)
		argp_error(state, "%s: %s: expected %u to %u", option, arg, least, most);
	return n;
}
