// SPDX-License-Identifier: GPL-2.0-only
/* step, release and held: packets that a rule holds. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "lib/pairs.h"

struct options {
	char *arg[2];
	int args;
	const char *number;
};

static const struct argp_option options[] = {
	{ "number", 'n', "N", 0, "release N packets (1)", 0 },
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

/* Prints a row of a table as "COLUMN=VALUE ...", without columns whose value is "-". */
static void print_row(const struct debugfs_table *t)
{
	bool first = true;
	unsigned int i;

	for (i = 0; i < t->columns.count; i++) {
		if (!debugfs_has(t, i))
			continue;
		printf("%s%s=%s", first ? "" : " ", t->columns.name[i].at, debugfs_value(t, i));
		first = false;
	}
	putchar('\n');
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The held packets, identified by their first column */
struct held {
	struct debugfs_file file;
	const char **number;
	size_t count;
};

static void read_held(struct held *h, const char *dev)
{
	struct debugfs_table t;
	size_t room = 0;

	h->number = NULL;
	h->count = 0;
	if (!device_table(&t, &h->file, dev, "inject/held", "held"))
		return;
	while (debugfs_table_next(&t)) {
		if (h->count == room) {
			room = room ? 2 * room : 64;
			h->number = realloc(h->number, room * sizeof(*h->number));
			if (!h->number)
				cli_die(CLI_FAILED, "out of memory");
		}
		h->number[h->count++] = debugfs_value(&t, 0);
	}
	if (h->count)
		qsort(h->number, h->count, sizeof(*h->number), by_text);
}

static void free_held(struct held *h)
{
	free(h->number);
	device_done(&h->file);
}

/* Prints the packets that were held before, but are not any more. Returns their number. */
static int print_gone(struct debugfs_table *before, const char *dev)
{
	struct held after;
	int n = 0;

	read_held(&after, dev);
	while (debugfs_table_next(before)) {
		const char *number = debugfs_value(before, 0);

		if (after.count &&
		    bsearch(&number, after.number, after.count, sizeof(*after.number), by_text))
			continue;
		print_row(before);
		n++;
	}
	free_held(&after);
	return n;
}

static bool has_rule(const char *dev, const char *name)
{
	struct debugfs_file f = { 0 };
	char other[GLASS_RULE_NAME];
	const char *line;
	bool has = false;

	if (!debugfs_read(&f, dev, "inject/rules"))
		while (!has && (line = debugfs_line(&f)))
			has = find_value(line, "name", other, sizeof(other)) &&
			      !strcmp(other, name);
	device_done_looking(&f);
	return has;
}

static bool has_held(const char *dev)
{
	struct debugfs_table t;
	struct debugfs_file f;
	bool has = device_table(&t, &f, dev, "inject/held", "held") && debugfs_table_next(&t);

	device_done(&f);
	return has;
}

/*
 * Finds the only device with a rule of that name (NULL: with held packets). A single device is
 * always the result. dev is empty if there are several devices and none holds packets.
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
		cli_error("several devices have a rule %s: %s; write: DEV %s", name, list, name);
	else
		cli_error("several devices hold packets: %s; name one", list);
	free(list);
	return with.count ? ST_USAGE : ST_FAILED;
}

/* Parses [DEV] [NAME]. A word that names a device is DEV. dev is empty if DEV is missing. */
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
	char dev[DEVICE_NAME], *command;
	struct debugfs_table before;
	struct debugfs_file file;
	struct devices all;
	enum status status = devices_find(&all);
	const char *name;
	bool known;

	/* switches hold no packets */
	devices_without_fabric(&all);
	if (!status)
		status = split(o, &all, dev, &name);
	if (!status && !*dev)
		status = device_that_holds(&all, name, dev);
	if (status)
		return status;
	if (!*dev) {
		/* the same result as the driver's */
		cli_error("no packet waits");
		return strcmp(verb, "step") ? ST_OK : ST_FAILED;
	}
	known = device_table(&before, &file, dev, "inject/held", "held");
	command = format_text("%s%s%s%s%s", verb, name ? " name=" : "", name ? name : "",
			      o->number ? " n=" : "", o->number ? o->number : "");
	status = device_do(dev, command);
	free(command);
	if (!status && known && !print_gone(&before, dev))
		cli_error("%s: no packet waits", dev);
	device_done(&file);
	return status;
}

int cmd_hold_step(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"[DEV] [RULE]",
		"Releases the next held packets, of one rule or of all, and prints each.\v"
		"A rule with the action hold holds packets: ibinject hold glass0:0x11",
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
		"Releases all held packets, of one rule or of all, and prints each. The rule "
		"continues to hold later packets.",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .args = 0 };

	parse_options(&argp, argc, argv, &o);
	return let_go("release", &o);
}

/*
 * Prints the packets held on a device by one rule, or (NULL) by all. named: start lines with the
 * device.
 */
static enum status print_held(const char *dev, const char *name, bool named)
{
	struct debugfs_file f = { 0 };
	struct debugfs_table t;
	int rule;

	if (debugfs_read(&f, dev, "inject/held")) {
		debugfs_free(&f);
		/* an unplugged device has no such file: with several devices, go on */
		if (named)
			return ST_OK;
		cli_error("%s: this driver cannot hold packets: it has no file inject/held", dev);
		return ST_FAILED;
	}
	if (debugfs_table_begin(&t, &f, "held")) {
		rule = debugfs_column(&t, "rule");
		while (debugfs_table_next(&t)) {
			if (name && strcmp(debugfs_value(&t, rule), name))
				continue;
			if (named)
				printf("dev=%s ", dev);
			print_row(&t);
		}
	}
	device_done(&f);
	return fflush(stdout) ? ST_FAILED : ST_OK;
}

int cmd_held(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"[DEV] [RULE]",
		"Prints the held packets, of one rule or of all, on one device or on all.",
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
	devices_without_fabric(&all);
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
