// SPDX-License-Identifier: GPL-2.0-only
/* list and status: the rules, and their effects. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "list.h"
#include "journal.h"
#include "lib/pairs.h"

struct options {
	struct devices devices;
	bool json;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->devices.count == DEVICES_MAX)
			argp_error(state, "too many devices");
		if (device_choose(arg, o->devices.name[o->devices.count]))
			exit(ST_NO_DEVICE);
		o->devices.count++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Names are text, even if they consist of digits. */
static bool is_text(const struct pair *p)
{
	return pair_is(p, "name") || pair_is(p, "comm") || pair_is(p, "after");
}

/* Returns a number as a JSON number, and other text as a string. */
static json_object *json_value(const char *text, size_t len)
{
	u64 n;

	if (len && len < 19 && strspn(text, "0123456789") >= len &&
	    glass_word_number(text, len, &n))
		return json_object_new_int64(n);
	return json_object_new_string_len(text, len);
}

json_object *json_of_pairs(const char *line)
{
	json_object *to = json_object_new_object();
	struct pair p;
	char key[64];

	while (next_pair(&line, &p)) {
		if (!p.value)
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)p.key_len, p.key);
		json_object_object_add(to, key,
				       is_text(&p) ? json_object_new_string_len(p.value, p.value_len)
						   : json_value(p.value, p.value_len));
	}
	return to;
}

/*
 * Prints the definition in a line of inject/rules: without "add", the name, and keys that are only
 * output.
 */
static void rule_text(const char *line, FILE *to)
{
	bool first = true;
	struct pair p;

	while (next_pair(&line, &p)) {
		int key = p.value ? find_key(p.key, p.key_len) : -1;

		if (!p.value || pair_is(&p, "name") || (key >= 0 && keys[key].group == IN_TOLD))
			continue;
		fprintf(to, "%s%.*s=%.*s", first ? "" : " ", (int)p.key_len, p.key,
			(int)p.value_len, p.value);
		first = false;
	}
}

static json_object *json_rule(const char *dev, const char *line)
{
	json_object *to = json_object_new_object(), *in = json_of_pairs(line), *rule, *v;
	static const char *const told[] = { "name", "act", "hit", "eligible", "over" };
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	json_object_object_add(to, "dev", json_object_new_string(dev));
	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (json_object_object_get_ex(in, told[i], &v))
			json_object_object_add(to, told[i], json_object_get(v));
	if (f) {
		rule_text(line, f);
		fclose(f);
	}
	json_object_object_add(to, "rule", json_object_new_string(text ? text : ""));
	free(text);
	rule = json_object_new_object();
	json_object_object_foreach(in, key, value)
	{
		int k = find_key(key, strlen(key));

		if (strcmp(key, "name") && strcmp(key, "act") &&
		    !(k >= 0 && keys[k].group == IN_TOLD))
			json_object_object_add(rule, key, json_object_get(value));
	}
	json_object_object_add(to, "keys", rule);
	json_object_put(in);
	return to;
}

int print_json(json_object *what)
{
	int err = puts(json_object_to_json_string_ext(
		what, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));

	json_object_put(what);
	return err < 0 || fflush(stdout) ? ST_FAILED : ST_OK;
}

static void print_rule(const char *dev, const char *line)
{
	char name[64] = "", over[16] = "";
	uint64_t hit = 0, eligible = 0;

	find_value(line, "name", name, sizeof(name));
	find_value(line, "over", over, sizeof(over));
	find_number(line, "hit", &hit);
	find_number(line, "eligible", &eligible);
	printf("%-8s %-12s %8" PRIu64 " %10" PRIu64 " %-6s ", dev, name, hit, eligible,
	       *over ? over : "-");
	rule_text(line, stdout);
	putchar('\n');
}

/*
 * Processes the rules of the devices. Returns false after an error message if a device cannot be
 * read.
 */
static bool each_rule(const struct options *o, json_object *json)
{
	size_t i;

	for (i = 0; i < o->devices.count; i++) {
		const char *dev = o->devices.name[i], *line;
		struct debugfs_file f = { 0 };
		int err = debugfs_read(&f, dev, "inject/rules");

		if (err) {
			cli_error("%s: %s", dev, strerror(err));
			debugfs_free(&f);
			return false;
		}
		while ((line = debugfs_line(&f))) {
			if (json)
				json_object_array_add(json, json_rule(dev, line));
			else
				print_rule(dev, line);
		}
		device_done(&f);
	}
	return true;
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"[DEV]...",
		"Lists the rules: how often each fired, how often its selectors matched, and why "
		"it is over.",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .json = false };
	json_object *json = NULL;

	parse_options(&argp, argc, argv, &o);
	if (!o.devices.count && devices_find(&o.devices))
		return ST_NO_DEVICE;
	if (o.json)
		json = json_object_new_array();
	else
		printf("%-8s %-12s %8s %10s %-6s %s\n", "DEV", "NAME", "HIT", "ELIGIBLE", "OVER",
		       "RULE");
	if (!each_rule(&o, json)) {
		json_object_put(json);
		return ST_FAILED;
	}
	return json ? print_json(json) : ST_OK;
}

/* ---- status */

static void add_int(json_object *to, const char *key, int64_t n)
{
	json_object_object_add(to, key, json_object_new_int64(n));
}

/* Adds the "key: value" lines of inject/stats. */
static void add_stats(json_object *to, struct debugfs_file *f)
{
	char *line;

	while ((line = debugfs_line(f))) {
		char *colon = strstr(line, ": ");

		if (!colon)
			continue;
		*colon = 0;
		json_object_object_add(to, line, json_value(colon + 2, strlen(colon + 2)));
	}
}

/* For drivers without stats: adds the sums that follow from the rules and the journal. */
static void add_counted(json_object *to, const char *dev)
{
	int64_t rules = 0, ended = 0;
	struct debugfs_file f = { 0 };
	const char *line;
	struct journal j;
	char over[16];

	if (!debugfs_read(&f, dev, "inject/rules"))
		while ((line = debugfs_line(&f))) {
			rules++;
			ended += find_value(line, "over", over, sizeof(over));
		}
	device_done(&f);
	add_int(to, "rules", rules);
	add_int(to, "over", ended);
	if (journal_open(&j, dev, true)) {
		add_int(to, "fired", j.last);
		journal_close(&j);
	}
}

static json_object *device_status(const char *dev)
{
	json_object *to = json_object_new_object();
	struct debugfs_file stats = { 0 };

	json_object_object_add(to, "dev", json_object_new_string(dev));
	if (!debugfs_read(&stats, dev, "inject/stats"))
		add_stats(to, &stats);
	else
		add_counted(to, dev);
	device_done(&stats);
	return to;
}

int cmd_status(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[DEV]...", "Prints the totals of rules and faults, for each "
					    "device.",
		NULL,	 NULL,	NULL
	};
	struct options o = { .json = false };
	json_object *json;
	size_t i;

	parse_options(&argp, argc, argv, &o);
	if (!o.devices.count && devices_find(&o.devices))
		return ST_NO_DEVICE;
	json = json_object_new_array();
	for (i = 0; i < o.devices.count; i++) {
		json_object *one = device_status(o.devices.name[i]);

		json_object_array_add(json, one);
		if (o.json)
			continue;
		json_object_object_foreach(one, key, value)
		{
			/* JSON also has the counters that are 0 */
			if (!strncmp(key, "fired_", strlen("fired_")) && !json_object_get_int64(value))
				continue;
			if (strcmp(key, "dev"))
				printf("  %s ", key);
			fputs(json_object_get_string(value), stdout);
		}
		putchar('\n');
	}
	if (o.json)
		return print_json(json);
	json_object_put(json);
	return ST_OK;
}
