// SPDX-License-Identifier: GPL-2.0-only
/* step, release and held: packets that wait. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "rule.h"
#include "table_text.h"

struct options {
	char *arg[2];
	int args;
	const char *number;
};

static const struct argp_option options[] = {
	{ "number", 'n', "N", 0, "so many packets (1)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	u64 n;

	switch (key) {
	case 'n':
		if (!glass_word_number(arg, strlen(arg), &n) || !n)
			argp_error(state, "--number: '%s' is not a number from 1 on", arg);
		o->number = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->args == 2)
			argp_error(state, "too many arguments: %s", arg);
		o->arg[o->args++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The lines of a table whose first column, which tells a line, is not in another one. Returns how
 * many. */
static int print_gone(const char *before, const char *after)
{
	const char *at = before, *end;
	int n = 0;

	for (; *at; at = *end ? end + 1 : end) {
		char *line;

		end = at + strcspn(at, "\n");
		if (*at == '#' || end == at)
			continue;
		line = format_text("\n%.*s ", (int)strcspn(at, " \n"), at);
		if (!strstr(after, line)) {
			table_print(stdout, before, at);
			n++;
		}
		free(line);
	}
	return n;
}

/* [DEV] [NAME]: a word that is a device is one. */
static enum status which(const struct options *o, char dev[DEVICE_NAME], const char **name)
{
	struct devices all;
	enum status status = devices_find(&all);
	bool is_dev = false;
	size_t i;

	*name = NULL;
	if (status)
		return status;
	for (i = 0; o->args && i < all.count; i++)
		is_dev |= !strcmp(o->arg[0], all.name[i]);
	if (o->args == 2 || is_dev) {
		status = device_choose(o->arg[0], dev);
		*name = o->args == 2 ? o->arg[1] : NULL;
	} else {
		status = device_choose(NULL, dev);
		*name = o->args ? o->arg[0] : NULL;
	}
	if (!status && *name && !rule_name_ok(*name)) {
		cli_error("%s: not a name of a rule", *name);
		return ST_USAGE;
	}
	return status;
}

static int let_go(const char *verb, const struct options *o)
{
	char dev[DEVICE_NAME], *before, *after, *command;
	const char *name;
	enum status status = which(o, dev, &name);

	if (status)
		return status;
	before = device_read(dev, "inject/held");
	command = format_text("%s%s%s%s%s", verb, name ? " name=" : "", name ? name : "",
			      o->number ? " n=" : "", o->number ? o->number : "");
	status = device_do(dev, command);
	free(command);
	if (!status && before) {
		after = device_read(dev, "inject/held");
		if (!print_gone(before, after ? after : ""))
			cli_error("%s: no packet waits", dev);
		free(after);
	}
	free(before);
	return status;
}

int cmd_hold_step(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"[DEV] [RULE]",
		"Lets the next packets go that wait for a step, of one rule or "
		"of all, and prints each.\v"
		"Packets wait when a rule holds them: ibinject hold glass0:0x11",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .args = 0 };

	parse_options(&argp, argc, argv, &o);
	return let_go("step", &o);
}

int cmd_release(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"[DEV] [RULE]",
		"Lets all packets go that wait, of one rule or of all, and "
		"prints each. The rule goes on to hold what comes then.",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .args = 0 };

	parse_options(&argp, argc, argv, &o);
	return let_go("release", &o);
}

int cmd_held(int argc, char **argv)
{
	static const struct argp argp = { NULL, parse, "[DEV]", "Prints the packets that wait.",
					  NULL, NULL,  NULL };
	struct options o = { .args = 0 };
	char dev[DEVICE_NAME], *text;
	enum status status;

	parse_options(&argp, argc, argv, &o);
	status = device_choose(o.args ? o.arg[0] : NULL, dev);
	if (status)
		return status;
	text = device_read(dev, "inject/held");
	if (!text) {
		cli_error("%s: this driver holds no packets (inject/held is not there)", dev);
		return ST_FAILED;
	}
	print_gone(text, "");
	free(text);
	return ST_OK;
}
