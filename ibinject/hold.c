// SPDX-License-Identifier: GPL-2.0-only
/* step, release and held: packets that wait. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "lib/pairs.h"
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

static bool has_rule(const char *dev, const char *name)
{
	char line[2 * GLASS_RULE_LINE], other[GLASS_RULE_NAME];
	char *text = device_read(dev, "inject/rules");
	const char *at = text;
	bool has = false;

	while (at && !has && next_line(&at, line, sizeof(line)))
		has = find_value(line, "name", other, sizeof(other)) && !strcmp(other, name);
	free(text);
	return has;
}

static bool has_held(const char *dev)
{
	char *text = device_read(dev, "inject/held");
	const char *names = text ? strchr(text, '\n') : NULL;
	bool has = names && names[1];

	free(text);
	return has;
}

/*
 * The only device with a rule of that name (NULL: with packets that wait); of one device, that. dev is
 * empty when nothing waits on any of several.
 */
static enum status device_that_holds(const struct devices *all, const char *name,
				     char dev[DEVICE_NAME])
{
	struct devices with = { .count = 0 };
	char *list;
	size_t i;

	if (all->count == 1)
		return device_choose(NULL, dev);
	for (i = 0; i < all->count; i++)
		if (name ? has_rule(all->name[i], name) : has_held(all->name[i]))
			strcpy(with.name[with.count++], all->name[i]);
	if (with.count == 1) {
		strcpy(dev, with.name[0]);
		cli_error("on %s", dev);
		return ST_OK;
	}
	dev[0] = 0;
	if (!with.count && !name)
		return ST_OK;
	list = devices_names(with.count ? &with : all);
	if (!with.count)
		cli_error("%s: neither a device nor a rule; there are: %s", name, list);
	else if (name)
		cli_error("several devices have a rule %s: %s; say which: DEV %s", name, list, name);
	else
		cli_error("packets wait on several devices: %s; say which", list);
	free(list);
	return with.count ? ST_USAGE : ST_FAILED;
}

/* [DEV] [NAME]: a word that is a device is one. dev is empty when it is not said. */
static enum status split(const struct options *o, const struct devices *all, char dev[DEVICE_NAME],
			 const char **name)
{
	enum status status = ST_OK;
	bool is_dev = false;
	size_t i;

	for (i = 0; o->args && i < all->count; i++)
		is_dev |= !strcmp(o->arg[0], all->name[i]);
	is_dev |= o->args == 2;
	*name = o->args > is_dev ? o->arg[is_dev] : NULL;
	dev[0] = 0;
	if (is_dev)
		status = device_choose(o->arg[0], dev);
	if (!status && *name && !rule_name_ok(*name)) {
		cli_error("%s: not a name of a rule", *name);
		return ST_USAGE;
	}
	return status;
}

static int let_go(const char *verb, const struct options *o)
{
	char dev[DEVICE_NAME], *before, *after, *command;
	struct devices all;
	enum status status = devices_find(&all);
	const char *name;

	if (!status)
		status = split(o, &all, dev, &name);
	if (!status && !*dev)
		status = device_that_holds(&all, name, dev);
	if (status)
		return status;
	if (!*dev) {
		/* as the driver has it */
		cli_error("no packet waits");
		return strcmp(verb, "step") ? ST_OK : ST_FAILED;
	}
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

/* What waits on a device, of one rule or (NULL) of all; named: each line says on which */
static enum status print_held(const char *dev, const char *name, bool named)
{
	char *text = device_read(dev, "inject/held"), rule[GLASS_RULE_NAME];
	const char *line;

	if (!text) {
		/* a device that is unplugged has none; of several, others have */
		if (named)
			return ST_OK;
		cli_error("%s: no packets can wait (inject/held is not there)", dev);
		return ST_FAILED;
	}
	for (line = strchr(text, '\n'); line && line[1]; line = strchr(line, '\n')) {
		line++;
		if (name && !(table_value(text, line, "rule", rule, sizeof(rule)) &&
			      !strcmp(rule, name)))
			continue;
		if (named)
			printf("dev=%s ", dev);
		table_print(stdout, text, line);
	}
	free(text);
	return fflush(stdout) ? ST_FAILED : ST_OK;
}

int cmd_held(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"[DEV] [RULE]",
		"Prints the packets that wait, of one rule or of all, on one device or on all.",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .args = 0 };
	char dev[DEVICE_NAME];
	struct devices all;
	enum status status;
	const char *name;
	size_t i;

	parse_options(&argp, argc, argv, &o);
	status = devices_find(&all);
	if (!status)
		status = split(&o, &all, dev, &name);
	if (status || *dev)
		return status ? status : print_held(dev, name, false);
	if (all.count == 1)
		cli_error("on %s", all.name[0]);
	for (i = 0; i < all.count; i++)
		status = print_held(all.name[i], name, all.count > 1) ?: status;
	return status;
}
