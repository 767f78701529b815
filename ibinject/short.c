// SPDX-License-Identifier: GPL-2.0-only
/* Shorthand commands, whose options come from the table of keys. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "lib/debugfs/node.h"
#include "lib/nearest.h"
#include "lib/pairs.h"
#include "short.h"

#define KEY_OPTION 0x1000 /* plus the number of the key */

struct options {
	struct given_keys given;
	char *arg[4];
	int args;
	struct dry dry;
	char node[DEVICE_NAME]; /* text of the key node=, if take_node() set that key */
};

/* Returns the placeholder of a value in --help: "N" for a number, "TIME" for a time. */
static const char *value_name(const struct key *k)
{
	static const char *const names[][2] = {
		{ "name", "NAME" },	{ "num", "N" },
		{ "range", "N[..M]" },	{ "words", "WORD,..." },
		{ "word", "WORD" },	{ "text", "NAME" },
		{ "time", "TIME" },	{ "times", "TIME..TIME" },
		{ "prob", "P" },	{ "probs", "P,..." },
		{ "rule", "RULE[:N]" }, { "tie", "PID" },
		{ "yesno", "yes|no" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], k->value))
			return names[i][1];
	return "VALUE";
}

/* Makes options from the keys that wanted() accepts, behind --dry-run. */
static struct argp_option *make_options(bool (*wanted)(int key, int what), int what)
{
	struct argp_option *o = calloc(GLASS_RK_KEYS + 2, sizeof(*o));
	int k, n = 0;

	if (!o)
		cli_die(CLI_FAILED, "out of memory");
	o[n++] = (struct argp_option){
		"dry-run", 'n', "CAPTURE", OPTION_ARG_OPTIONAL,
		"only print the rules, or the packets of a pcapng file that they would have hit", 0
	};
	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (k != GLASS_RK_ACT && keys[k].group != IN_TOLD && wanted(k, what))
			o[n++] = (struct argp_option){
				.name = keys[k].word,
				.key = KEY_OPTION + k,
				.arg = value_name(&keys[k]),
				.flags = strcmp(keys[k].value, "yesno") ? 0 : OPTION_ARG_OPTIONAL,
				.doc = keys[k].meaning,
				.group = keys[k].group + 1,
			};
	return o;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key >= KEY_OPTION && key < KEY_OPTION + GLASS_RK_KEYS) {
		if (o->given.value[key - KEY_OPTION])
			argp_error(state, "--%s is given twice", keys[key - KEY_OPTION].word);
		if (arg && (!*arg || strpbrk(arg, " \t\n")))
			argp_error(state, "--%s: '%s' is not one word", keys[key - KEY_OPTION].word,
				   arg);
		o->given.value[key - KEY_OPTION] = arg ? arg : "yes";
		return 0;
	}
	switch (key) {
	case 'n':
		o->dry = (struct dry){ true, arg };
		return 0;
	case ARGP_KEY_ARG:
		if (o->args == sizeof(o->arg) / sizeof(o->arg[0]))
			argp_error(state, "too many arguments: %s", arg);
		o->arg[o->args++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Splits "DEV:NUMBER" or "NUMBER". Returns false for other text. dev is empty without DEV. */
static bool split_object(const char *arg, char dev[DEVICE_NAME], const char **number)
{
	const char *colon = strrchr(arg, ':');
	u64 v;

	*number = colon ? colon + 1 : arg;
	dev[0] = 0;
	if (!glass_word_number(*number, strlen(*number), &v))
		return false;
	if (!colon)
		return true;
	if (colon == arg || colon - arg >= DEVICE_NAME)
		return false;
	memcpy(dev, arg, colon - arg);
	dev[colon - arg] = 0;
	return looks_like_device(dev);
}

/* ---- actions on packets, completions and verbs */

static bool of_action(int key, int act)
{
	return takes(&acts[act], key);
}

/*
 * If a word is NODE or NODE:PORT, with a switch or passive adapter of the fabric: sets dev, and the
 * keys node= and port=. Returns ST_USAGE after an error message if these are given by options, too,
 * or if the node has no such port.
 */
static enum status take_node(const char *word, struct options *o, char dev[DEVICE_NAME],
			     bool *taken)
{
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : strlen(word);
	unsigned int ports;
	u64 port = 0;

	*taken = false;
	if (len >= sizeof(o->node))
		return ST_OK;
	memcpy(o->node, word, len);
	o->node[len] = 0;
	/* a number is a QP, even if a switch has that name: --node names the switch */
	if (!looks_like_device(o->node) || (!colon && glass_word_is_digits(o->node, len)) ||
	    !fabric_has_node(o->node, &ports))
		return ST_OK;
	if (colon && (!glass_word_number(colon + 1, strlen(colon + 1), &port) || !port || port > ports)) {
		cli_error("%s: %s has the ports 1 to %u", word, o->node, ports);
		return ST_USAGE;
	}
	if (o->given.value[GLASS_RK_NODE] || (colon && o->given.value[GLASS_RK_PORT])) {
		cli_error("%s names a port already: leave --node and --port out", word);
		return ST_USAGE;
	}
	o->given.value[GLASS_RK_NODE] = o->node;
	if (colon)
		o->given.value[GLASS_RK_PORT] = colon + 1;
	strcpy(dev, FABRIC_DIR);
	*taken = true;
	return ST_OK;
}

static int run_action(enum glass_action act, struct options *o)
{
	struct glass_filter_error error;
	char dev[DEVICE_NAME] = "", *qp = NULL;
	const char *filter = NULL, *number;
	enum status status = ST_OK;
	struct texts rules;
	bool node = false;
	size_t i;
	int a = 0;

	if (o->args && takes(&acts[act], GLASS_RK_NODE))
		status = take_node(o->arg[0], o, dev, &node);
	if (status)
		return status;
	if (node) {
		a++;
	} else if (o->args && split_object(o->arg[0], dev, &number)) {
		qp = format_text("qpn==%s", number);
		a++;
	} else if (o->args && looks_like_device(o->arg[0]) && strlen(o->arg[0]) < DEVICE_NAME) {
		strcpy(dev, o->arg[0]);
		a++;
	}
	if (a < o->args)
		filter = o->arg[a++];
	if (a < o->args) {
		cli_error("%s: more than one filter; put it into quotes", o->arg[a]);
		return ST_USAGE;
	}
	if (qp && filter) {
		char *both = format_text("%s && (%s)", qp, filter);

		free(qp);
		qp = both;
	}
	if (qp)
		filter = qp;
	if (!action_rules(act, filter, &o->given, &rules, &error)) {
		rule_explain(NULL, filter ? filter : "", &error);
		free(qp);
		return ST_USAGE;
	}
	for (i = 0; i < rules.count && !status; i++)
		status = add_rule(*dev ? dev : NULL, rules.text[i], &o->dry);
	texts_free(&rules);
	free(qp);
	return status;
}

int cmd_action(int argc, char **argv)
{
	bool wc = !strcmp(argv[0], "wc");
	int act = wc ? GLASS_ACT_CQE_ERROR : find_act(argv[0], strlen(argv[0]));
	struct options o = { .args = 0 };
	struct argp argp = { .parser = parse, .args_doc = "[DEV|[DEV:]QPN|SWITCH[:PORT]] [FILTER]" };
	char *doc;
	int status;

	if (act < 0) {
		cli_error("ACTION stands for an action: \"ibinject help actions\" lists them");
		return ST_USAGE;
	}
	argp.options = make_options(of_action, act);
	doc = format_text(
		"For %s that FILTER selects (the filter language; all when there is none): %s.\v"
		"The rule that is made is printed by --dry-run.",
		site_name(acts[act].site), acts[act].meaning);
	argp.doc = doc;
	parse_options(&argp, argc, argv, &o);
	status = run_action(act, &o);
	free(doc);
	free((void *)argp.options);
	return status;
}

/* ---- objects */

static bool of_objects(int key, int what)
{
	int i;

	(void)what;
	if (keys[key].group == IN_SELECT && key != GLASS_RK_PORT)
		return false;
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		if (strchr("OND", acts[i].site) && takes(&acts[i], key) && key != GLASS_RK_EVENT)
			return true;
	return false;
}

/* Returns the word that reverses rules against this kind of object; NULL if there is none. */
static const char *undo_word(enum object object)
{
	return object == OBJECT_PORT ? "up" : object == OBJECT_DEVICE ? "plug" : NULL;
}

static int unknown_word(enum object object, const char *word)
{
	struct glass_nearest near = glass_nearest_to(word);
	char found[64], *list = format_text("%s", ""), *more;
	const char *w;
	size_t i;

	for (i = 0; (w = i ? object_word(object, i - 1) : undo_word(object)) || !i; i++) {
		char copy[64];

		if (!w)
			continue;

		snprintf(copy, sizeof(copy), "%s", w);
		glass_nearest_consider(&near, copy);
		if (near.found == copy)
			near.found = strcpy(found, copy);
		more = format_text("%s%s%s", list, *list ? ", " : "", w);
		free(list);
		list = more;
	}
	if (near.found)
		cli_error("%s: not what can happen to a %s; did you mean %s?", word,
			  objects[object].word, near.found);
	else
		cli_error("%s: not what can happen to a %s; that is: %s", word,
			  objects[object].word, list);
	free(list);
	return ST_USAGE;
}

/* Implements "up" and "plug": ends the rules that keep a port down or a device away. */
static int undo(const char *dev, const char *number, const char *const *which, bool dry_run)
{
	struct debugfs_file f = { 0 };
	char act[32], name[GLASS_RULE_NAME];
	const char *line;
	enum status status = ST_OK;
	unsigned int n = 0;
	uint64_t a;
	u64 b;
	int i;

	debugfs_read(&f, dev, "inject/rules");
	while ((line = debugfs_line(&f))) {
		char *command;

		if (!find_value(line, "act", act, sizeof(act)) ||
		    !find_value(line, "name", name, sizeof(name)))
			continue;
		for (i = 0; which[i] && strcmp(which[i], act); i++)
			;
		if (!which[i])
			continue;
		if (number && !(find_number(line, "port", &a) &&
				glass_word_number(number, strlen(number), &b) && a == b))
			continue;
		command = format_text("del name=%s", name);
		if (dry_run)
			printf("%s: %s\n", dev, command);
		else
			status = device_do(dev, command) ?: status;
		free(command);
		n++;
	}
	device_done_looking(&f);
	if (n)
		return status;
	cli_error("%s%s%s: no rule keeps this %s; \"ibinject list\" prints the rules", dev,
		  number ? ":" : "", number ? number : "", number ? "port down" : "device away");
	return ST_FAILED;
}

/* Returns the number of an object as it follows the device in an example, or "". */
static const char *example_number(enum object object)
{
	if (!objects[object].key)
		return "";
	/* the QPs 0 and 1 are those of the kernel */
	return object == OBJECT_QP ? ":0x11" : ":1";
}

int cmd_object(int argc, char **argv)
{
	static const char *const down[] = { "port_down", "port_flap", NULL };
	static const char *const away[] = { "unplug", NULL };
	struct argp argp = { .parser = parse };
	struct options o = { .args = 0 };
	char dev[DEVICE_NAME] = "", *text, *args;
	const char *number = NULL, *word;
	int object, status;

	for (object = 0; strcmp(objects[object].word, argv[0]); object++)
		;
	argp.options = make_options(of_objects, 0);
	args = objects[object].key ? format_text("[DEV:]NUMBER WORD") : format_text("[DEV] WORD");
	argp.args_doc = args;
	argp.doc =
		"What happens to one object, at once, or (ports, devices) while the rule lives.\v"
		"WORD is an action or an event of such an object. For a port, \"up\" ends the rules "
		"that keep it down; for a device, \"plug\" those that keep it away.";
	parse_options(&argp, argc, argv, &o);
	free(args);
	free((void *)argp.options);
	if (objects[object].key ? o.args != 2 : o.args < 1 || o.args > 2) {
		cli_error("%s: needs an object and a word, such as: ibinject %s glass0%s %s", argv[0],
			  argv[0], example_number(object), object_word(object, 0));
		return ST_USAGE;
	}
	word = o.arg[o.args - 1];
	if (objects[object].key && !split_object(o.arg[0], dev, &number)) {
		cli_error("%s: expected [DEV:]NUMBER, such as glass0%s", o.arg[0],
			  example_number(object));
		return ST_USAGE;
	}
	if (!objects[object].key && o.args == 2)
		snprintf(dev, sizeof(dev), "%s", o.arg[0]);
	if (undo_word(object) && !strcmp(word, undo_word(object))) {
		char found[DEVICE_NAME];

		status = device_choose(*dev ? dev : NULL, found);
		return status ? status
			      : undo(found, number, object == OBJECT_PORT ? down : away, o.dry.on);
	}
	text = object_rule(object, number, word, &o.given);
	if (!text)
		return unknown_word(object, word);
	status = add_rule(*dev ? dev : NULL, text, &o.dry);
	free(text);
	return status;
}
