// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broken.h"
#include "dry_run.h"
#include "edit.h"
#include "lib/nearest.h"
#include "lib/debugfs/node.h"
#include "lib/pairs.h"

/* Selectors of an object, and the table that lists such objects */
static const struct {
	enum glass_selector key;
	const char *table, *column;
} objects_selected[] = {
	{ GLASS_SEL_QPN, "qp", "qpn" },
	{ GLASS_SEL_CQN, "cq", "cqn" },
};

/*
 * Finds the device of a rule without one: that of the rule's only object, the fabric for a rule that
 * selects a node, or the only device.
 */
static enum status rule_where(const struct glass_rule *r, char dev[DEVICE_NAME])
{
	const char *kind = r->kind == GLASS_KIND_QP    ? "qp"
			   : r->kind == GLASS_KIND_CQ  ? "cq"
			   : r->kind == GLASS_KIND_SRQ ? "srq"
						       : NULL;
	const struct glass_cond *is;
	enum status status;
	struct devices all;
	size_t i;

	if (glass_select_get(&r->select, GLASS_SEL_NODE)) {
		strcpy(dev, FABRIC_DIR);
		return ST_OK;
	}
	if (r->site == 'O' && kind && !r->port)
		return device_of_object(kind, glass_rule_selector(r->kind), r->num, dev);
	status = devices_find(&all);
	if (status)
		return status;
	devices_without_fabric(&all);
	/* with a single device, the rule may precede its object */
	for (i = 0; i < ARRAY_SIZE(objects_selected) && all.count > 1 && strchr("PC", r->site); i++) {
		is = glass_select_get(&r->select, objects_selected[i].key);
		if (is && is->low == is->high)
			return device_of_object(objects_selected[i].table,
						objects_selected[i].column, is->low, dev);
	}
	return device_choose(NULL, dev);
}

/* Prints the name of the newest rule: its own, or the one that the driver chose. */
static void print_name(const char *dev, const struct glass_rule *r)
{
	char *text = r->name[0] ? NULL : debugfs_first_line(dev, "inject/last_added");

	puts(text ? text : r->name);
	free(text);
}

static enum status give(const char *dev, const char *text)
{
	int fd = debugfs_open(&injection, dev, "inject/rules", O_WRONLY);
	struct refusal told;
	enum status status;
	char *command;

	if (fd < 0)
		return ST_NO_DEVICE;
	command = format_text("add %s", text);
	status = device_command(dev, fd, command, &told);
	if (status) {
		struct glass_filter_error error;

		rule_locate(text, strlen("add "), &told, &error);
		rule_explain(NULL, text, &error);
	}
	free(told.text);
	free(command);
	close(fd);
	return status;
}

enum status add_rule(const char *dev, const char *text, const struct dry *dry)
{
	struct glass_filter_error error;
	struct glass_rule rule;
	char found[DEVICE_NAME];
	enum status status;

	if (!rule_check(text, &rule, &error)) {
		rule_explain(NULL, text, &error);
		return ST_USAGE;
	}
	if (dry->capture)
		return dry_run_capture(dry->capture, dev, text, &rule);
	if (dry->on) {
		printf("%s%sadd %s\n", dev ? dev : "", dev ? ": " : "", text);
		return ST_OK;
	}
	if (rule.tie_fd) {
		cli_error(
			"tie=fd: the rule would end at once, with this command; use \"ibinject "
			"run\"");
		return ST_USAGE;
	}
	status = dev ? device_choose(dev, found) : rule_where(&rule, found);
	if (!status)
		status = give(found, text);
	if (!status)
		print_name(found, &rule);
	return status;
}

/* ---- add */

#define WORDS_MAX 256

struct words {
	char *word[WORDS_MAX];
	int count;
	struct dry dry;
};

static const struct argp_option add_options[] = {
	{ "dry-run", 'n', "CAPTURE", OPTION_ARG_OPTIONAL,
	  "only check the rule and print it, or print the packets of a pcapng file that it would "
	  "have hit",
	  0 },
	{ 0 },
};

static error_t parse_words(int key, char *arg, struct argp_state *state)
{
	struct words *w = state->input;

	switch (key) {
	case 'n':
		w->dry = (struct dry){ true, arg };
		return 0;
	case ARGP_KEY_ARG:
		if (w->count == WORDS_MAX)
			argp_error(state, "too many words");
		w->word[w->count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_add(int argc, char **argv)
{
	static const struct argp argp = {
		add_options,
		parse_words,
		"[DEV] KEY=VALUE...",
		"Adds a rule and prints its name. \"ibinject help keys\" and \"ibinject help "
		"actions\" list the keys and actions of a rule.\v"
		"DEV may be omitted when there is one device, or one device that has the "
		"object.\n\n"
		"Example: ibinject add glass0 qpn=0x11 op=write nth=3 act=drop",
		NULL,
		NULL,
		NULL
	};
	struct words w = { .count = 0 };
	const char *dev = NULL, *rule;
	char of_rule[DEVICE_NAME] = "";
	enum status status;
	char *text;

	parse_options(&argp, argc, argv, &w);
	/* "DEV: RULE", as "ibinject run -r" and scenarios take it, is left to rule_device() */
	if (w.count && looks_like_device(w.word[0]) && w.word[0][strlen(w.word[0]) - 1] != ':')
		dev = w.word[0];
	if (w.count == !!dev) {
		cli_error("add: no rule is given. Example: ibinject add glass0 op=write nth=3 "
			  "act=drop");
		return ST_USAGE;
	}
	text = join_words(w.word + !!dev, w.count - !!dev);
	rule = dev ? text : rule_device(text, of_rule, sizeof(of_rule));
	status = add_rule(*of_rule ? of_rule : dev, rule, &w.dry);
	free(text);
	return status;
}

/* ---- del */

/* Does the device have that rule? Other names become candidates for a suggestion. */
static bool has_rule(const char *dev, const char *name, struct glass_nearest *near, char *nearest)
{
	struct debugfs_file f = { 0 };
	char other[GLASS_RULE_NAME];
	const char *line;
	bool has = false;

	if (debugfs_read(&f, dev, "inject/rules"))
		return false;
	while (!has && (line = debugfs_line(&f))) {
		if (!find_value(line, "name", other, sizeof(other)))
			continue;
		has = !strcmp(other, name);
		glass_nearest_consider(near, other);
		if (near->found == other) {
			strcpy(nearest, other);
			near->found = nearest;
		}
	}
	device_done_looking(&f);
	return has;
}

/* Finds the only device that has a rule of that name. */
static enum status find_rule(const struct devices *all, const char *name, char dev[DEVICE_NAME])
{
	struct glass_nearest near = glass_nearest_to(name);
	struct devices with = { .count = 0 };
	char nearest[GLASS_RULE_NAME];
	size_t i;

	if (!rule_name_ok(name)) {
		cli_error("%s: not a name of a rule", name);
		return ST_USAGE;
	}
	for (i = 0; i < all->count; i++)
		if (has_rule(all->name[i], name, &near, nearest))
			strcpy(with.name[with.count++], all->name[i]);
	if (with.count > 1) {
		char *list = devices_names(&with);

		cli_error("several devices have a rule %s: %s; write: del DEV %s", name, list,
			  name);
		free(list);
		return ST_USAGE;
	}
	if (!with.count) {
		cli_error("%s: no rule of this name%s%s%s", name,
			  near.found ? "; did you mean " : "", near.found ? near.found : "",
			  near.found ? "?" : "");
		return ST_FAILED;
	}
	strcpy(dev, with.name[0]);
	return ST_OK;
}

int cmd_del(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, parse_words, "[DEV] NAME...", "Removes rules, and undoes their effects.", NULL,
		NULL, NULL
	};
	char dev[WORDS_MAX][DEVICE_NAME];
	struct words w = { .count = 0 };
	enum status status = ST_OK;
	struct devices all;
	int i, from = 0;
	size_t d;

	parse_options(&argp, argc, argv, &w);
	if (devices_find(&all))
		return ST_NO_DEVICE;
	for (d = 0; w.count && d < all.count; d++)
		if (!strcmp(all.name[d], w.word[0])) {
			memmove(all.name[0], all.name[d], sizeof(all.name[0]));
			all.count = from = 1;
		}
	if (w.count == from) {
		cli_error("del: no rule is given; \"ibinject list\" prints the names");
		return ST_USAGE;
	}
	/* find all rules before ending the first */
	for (i = from; i < w.count && status != ST_USAGE; i++)
		status = find_rule(&all, w.word[i], dev[i]) ?: status;
	for (i = from; i < w.count && !status; i++) {
		char *command = format_text("del name=%s", w.word[i]);

		status = device_do(dev[i], command);
		free(command);
	}
	for (i = from; i < w.count && !status; i++)
		if (i == from || strcmp(dev[i], dev[i - 1]))
			broken_tell(dev[i]);
	return status;
}

static enum status clear_one(const char *dev)
{
	enum status status = device_do(dev, "clear");

	if (!status)
		broken_tell(dev);
	return status;
}

int cmd_clear(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse_words,
		"[DEV]...",
		"Removes all rules of these devices, or of all devices, and undoes their effects.",
		NULL,
		NULL,
		NULL
	};
	struct words w = { .count = 0 };
	enum status status = ST_OK;
	char dev[DEVICE_NAME];
	struct devices all;
	size_t d;
	int i;

	parse_options(&argp, argc, argv, &w);
	if (!w.count && devices_find(&all))
		return ST_NO_DEVICE;
	for (d = 0; !w.count && d < all.count; d++)
		status = clear_one(all.name[d]) ?: status;
	for (i = 0; i < w.count; i++)
		status = (device_choose(w.word[i], dev) ?: clear_one(dev)) ?: status;
	return status;
}
