// SPDX-License-Identifier: GPL-2.0-only
/* The commands by name, and helpers that they share. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "ibinject.h"
#include "lib/nearest.h"
#include "short.h"
#include "table.h"
#include "uapi/glass-version.h"

const char *argp_program_version = "ibinject (Glass) " GLASS_VERSION;

const struct command commands[] = {
	{ "add", "[DEV] KEY=VALUE...", "add a rule", cmd_add },
	{ "list", "[DEV]", "list the rules, and how often each fired", cmd_list },
	{ "del", "[DEV] NAME...", "remove rules, and undo their effects", cmd_del },
	{ "clear", "[DEV]...", "remove all rules", cmd_clear },
	{ "watch", "[DEV]...", "print each fault when it happens", cmd_watch },
	{ "status", "[DEV]...", "print the totals of each device", cmd_status },
	{ "qp", "[DEV:]QPN fatal|EVENT", "inject a fault into a queue pair", cmd_object },
	{ "cq", "[DEV:]CQN overrun|EVENT", "into a completion queue", cmd_object },
	{ "srq", "[DEV:]SRQN fatal|limit|EVENT", "into a shared receive queue", cmd_object },
	{ "port", "[DEV:]PORT down|up|flap|EVENT...", "into a port", cmd_object },
	{ "device", "[DEV] fatal|unplug|plug", "into a device", cmd_object },
	{ "wc", "[DEV] [FILTER] --status STATUS", "report an error in a completion (cqe_error)",
	  cmd_action },
	{ "ACTION", "[DEV] [FILTER] [--KEY VALUE]...",
	  "act on packets, completions, verbs: drop, delay, corrupt, fail ...",
	  cmd_action },
	{ "step", "[DEV] [NAME] [-n N]", "release held packets one by one, and print them",
	  cmd_hold_step },
	{ "release", "[DEV] [NAME]", "release all held packets", cmd_release },
	{ "held", "[DEV] [NAME]", "list the held packets", cmd_held },
	{ "run", "-r RULE... -- COMMAND", "run a command with rules that end with it", cmd_run },
	{ "scenario", "FILE [-- COMMAND]", "run the steps of a YAML file, with expectations",
	  cmd_scenario },
	{ "record", "FILE [-- COMMAND]", "write rules and faults to a file", cmd_record },
	{ "replay", "FILE [-- COMMAND]", "inject the faults of a record again", cmd_replay },
	{ "journal-diff", "A B", "compare the faults of two records, stream by stream", cmd_journal_diff },
	{ "sweep", "-- COMMAND", "run a command once for each fault", cmd_sweep },
	{ "shrink", "FILE -- COMMAND", "find the fewest recorded faults that make a command fail",
	  cmd_shrink },
	{ "help", "[TOPIC]", "explain keys, actions, values, examples, status, or one key or action",
	  cmd_help },
	{ 0 },
};

static const struct command *find_command(const char *name)
{
	static const struct command action = { .name = "action", .run = cmd_action };
	const struct command *c;
	int act = find_act(name, strlen(name));

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name) && strcmp(name, "ACTION"))
			return c;
	return act >= 0 && strchr("PCV", acts[act].site) ? &action : NULL;
}

static int unknown_command(const char *name)
{
	struct glass_nearest near = glass_nearest_to(name);
	int act = find_act(name, strlen(name)), i;
	const struct command *c;
	enum object object;
	char word[64];

	if (act >= 0 && object_of_act(act, &object, word, sizeof(word))) {
		cli_error("%s is a fault of a %s: run \"ibinject %s DEV%s %s\", or see \"ibinject "
			  "help %s\"", name,
			  objects[object].word, objects[object].word,
			  objects[object].key ? ":NUMBER" : "", word, name);
		return ST_USAGE;
	}
	if (act >= 0) {
		cli_error(
			"%s is an action on %s: ibinject add act=%s ..., or see \"ibinject help %s\"",
			name, site_name(acts[act].site), name, name);
		return ST_USAGE;
	}
	for (c = commands; c->name; c++)
		if (strcmp(c->name, "ACTION"))
			glass_nearest_consider(&near, c->name);
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		if (strchr("PCV", acts[i].site))
			glass_nearest_consider(&near, glass_rule_action_word(i));
	if (near.found)
		cli_error("there is no command %s; did you mean %s?", name, near.found);
	else
		cli_error("there is no command %s; \"ibinject --help\" lists them", name);
	return ST_USAGE;
}

int help_of_command(const char *name)
{
	char *argv[] = { (char *)name, (char *)"--help", NULL };
	const struct command *c = find_command(name);

	return c ? c->run(2, argv) : -1;
}

int ibinject_main(int argc, char **argv)
{
	static char *help[] = { "help", NULL };
	const struct command *c;

	argp_err_exit_status = ST_USAGE;
	if (argc < 2) {
		cli_error("no command is given; \"ibinject --help\" lists the commands");
		return ST_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?"))
		return cmd_help(1, help);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(argp_program_version);
		return ST_OK;
	}
	c = find_command(argv[1]);
	return cli_flush(c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]));
}

void parse_options(const struct argp *argp, int argc, char **argv, void *input)
{
	cli_parse_command(argp, ARGP_IN_ORDER, argc, argv, input);
}

char *join_words(char *const *words, int n)
{
	size_t size = 1;
	char *text, *at;
	int i;

	for (i = 0; i < n; i++)
		size += strlen(words[i]) + 1;
	text = at = malloc(size);
	if (!text)
		cli_die(CLI_FAILED, "out of memory");
	*at = 0;
	for (i = 0; i < n; i++)
		at += sprintf(at, "%s%s", i ? " " : "", words[i]);
	return text;
}
