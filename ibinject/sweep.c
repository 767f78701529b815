// SPDX-License-Identifier: GPL-2.0-only
/* sweep: runs a command once per fault and place. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "list.h"
#include "lib/pairs.h"
#include "program_args.h"
#include "run.h"
#include "short.h"
#include "strike.h"
#include "sweep.h"

#define VERDICT_LETTER(n, w, c) c,
static const char letters[] = { VERDICTS(VERDICT_LETTER) };

/* Sites of the swept actions: packets, completions, verbs, objects */
#define SITES "PCVO"

/* ---- selection of faults */

static bool wanted(const struct options *o, int act)
{
	const char *word = glass_rule_action_word(act), *at = o->actions;
	size_t len = strlen(word);

	if (!at)
		return strchr(SITES, acts[act].site);
	for (; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && !memcmp(at, word, len))
			return true;
	return false;
}

static struct fault *add_fault(struct sweep *s, const char *act, const char *more, const char *text)
{
	struct fault *f = realloc(s->fault, (s->faults + 1) * sizeof(*f));
	uint64_t i;

	if (!f)
		cli_die(CLI_FAILED, "out of memory");
	s->fault = f;
	f += s->faults++;
	f->label = format_text("%s%s", act, more);
	f->text = format_text("%s%s", text, more);
	f->strike = NULL;
	f->cell = calloc(s->o->places, sizeof(*f->cell));
	if (!f->cell)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < s->o->places; i++)
		f->cell[i].verdict = V_COUNT;
	return f;
}

/* Adds an action on objects. It happens while the rule `hold` holds a packet. */
static void add_strike(struct sweep *s, const char *act, const char *more, const char *hold)
{
	char *action = format_text("act=%s%s", act, more);
	struct fault *f;

	if (!strike_key(action)) {
		free(action);
		return;
	}
	f = add_fault(s, act, "", hold);
	free(f->label);
	f->label = format_text("%s%s", act, more);
	f->strike = action;
}

/* Returns the key of a word that the action requires, or -1. */
static int must_word(int act)
{
	bool must = false;
	int k;

	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (is_param(&acts[act], keys[k].word, &must) && must &&
		    key_word(k, acts[act].site, 0))
			return k;
	return -1;
}

/* Adds one fault, or one for each required word that the driver's parser accepts. */
static void add_action(struct sweep *s, int act, const char *text)
{
	const char *word = glass_rule_action_word(act), *w;
	struct glass_filter_error error;
	bool object = acts[act].site == 'O';
	int key = must_word(act);
	size_t i;

	if (key < 0) {
		if (object)
			add_strike(s, word, "", text);
		else if (s->o->actions || rule_check(text, NULL, &error))
			add_fault(s, word, "", text);
		return;
	}
	for (i = 0; (w = key_word(key, acts[act].site, i)); i++) {
		/* every verb can fail with ENOMEM */
		char *more = format_text(" %s=%s%s", keys[key].word, w,
					 act == GLASS_ACT_FAIL ? " err=ENOMEM" : "");
		char *whole = format_text("%s%s", text, more);

		if (object)
			add_strike(s, word, more, text);
		else if (rule_check(whole, NULL, &error))
			add_fault(s, word, more, text);
		free(whole);
		free(more);
	}
}

/*
 * Does the filter select QPs? If not, only QPs of programs are hit: the kernel's fabric management
 * is spared.
 */
static bool says_whose(const char *rule)
{
	static const char *const who[] = { "comm", "pid", "qptype", "qpn", "nqp", "pqp" };
	char value[GLASS_RULE_LINE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(who); i++)
		if (find_value(rule, who[i], value, sizeof(value)))
			return true;
	return false;
}

/*
 * Adds the faults of one action. Returns false if the filter cannot select what the action hits, or
 * makes several rules; then error says why.
 */
static bool find_action(struct sweep *s, int act, struct glass_filter_error *error)
{
	static const struct given_keys given;
	/* an action on objects needs a held packet */
	enum glass_action site = acts[act].site == 'O' ? GLASS_ACT_HOLD : (enum glass_action)act;
	struct texts rules;
	bool own;
	char *text;

	if (!action_rules(site, s->o->filter, &given, &rules, error))
		return false;
	if (rules.count > 1) {
		error->at = 0;
		error->len = strlen(s->o->filter);
		snprintf(error->text, sizeof(error->text),
			 "the filter makes %zu rules; it must make one", rules.count);
		texts_free(&rules);
		return false;
	}
	own = !says_whose(rules.text[0]);
	text = format_text("%s%s", own ? "pid=1..2147483647 " : "", rules.text[0]);
	texts_free(&rules);
	add_action(s, act, text);
	free(text);
	return true;
}

/*
 * Finds the faults of the actions of -a, or else of all actions to which the filter applies: one
 * that selects the kernel's queue pairs leaves out the failures of verbs.
 */
static enum status find_faults(struct sweep *s)
{
	struct glass_filter_error error = { .text = "" };
	char *at, *left = NULL, *more;
	size_t before;
	bool ok;
	int i;

	for (at = s->o->actions; at && *at; at += strcspn(at, ","), at += *at == ',') {
		i = find_act(at, strcspn(at, ","));
		if (i < 0 || !strchr(SITES, acts[i].site)) {
			cli_error("sweep: %.*s is not an action on packets, completions, verbs or objects",
				  (int)strcspn(at, ","), at);
			return ST_USAGE;
		}
	}
	for (i = 0; i < GLASS_ACT_COUNT; i++) {
		if (!wanted(s->o, i))
			continue;
		before = s->faults;
		ok = find_action(s, i, &error);
		if (!ok && s->o->actions) {
			rule_explain(NULL, s->o->filter, &error);
			return ST_USAGE;
		}
		if (s->faults > before)
			continue;
		more = format_text("%s%s%s", left ? left : "", left ? ", " : "",
				   glass_rule_action_word(i));
		free(left);
		left = more;
	}
	if (!s->faults && *error.text)
		rule_explain(NULL, s->o->filter, &error);
	else if (!s->faults)
		cli_error("sweep: no fault is named");
	else if (left && !s->o->actions)
		cli_error("sweep: the filter cannot select what these actions hit, so they are left out: %s", left);
	free(left);
	return s->faults ? ST_OK : ST_USAGE;
}

/* ---- running */

static enum verdict verdict_of(const struct sweep *s, const struct attempt *a, uint64_t hit)
{
	if (a->hung)
		return V_HANG;
	if (a->crashed)
		return V_CRASH;
	return sweep_verdict(s, a->status, a->left - s->left, hit);
}

static void progress(const struct sweep *s, const char *label, uint64_t nth)
{
	size_t total = s->faults * s->o->places, width = 30, i;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r[", stderr);
	for (i = 0; i < width; i++)
		fputc(i < s->done * width / total ? '#' : ' ', stderr);
	fprintf(stderr, "] %zu/%zu %.40s nth=%" PRIu64 "\033[K", s->done, total, label, nth);
}

/* Runs the command with one fault at one place. Returns a status only if the sweep cannot go on. */
static int run_cell(struct sweep *s, struct fault *f, uint64_t place, char **program)
{
	char *text = format_text("%s nth=%" PRIu64 " count=1", f->text, place + 1);
	struct cell *c = &f->cell[place], got = { .verdict = V_COUNT };
	struct glass_filter_error error;
	struct session session;
	struct attempt a;
	enum status status;
	int fatal = 0;
	size_t d;

	session_begin(&session, "sweep");
	status = session_device(&session, s->dev, &d);
	if (!status)
		status = session_add(&session, d, text, NULL, &error);
	if (status == ST_FAILED && session.refused == EOPNOTSUPP) {
		got.verdict = V_REFUSED;
		status = ST_OK;
	} else if (status == ST_FAILED || status == ST_USAGE) {
		rule_explain(NULL, text, &error);
	} else if (!status) {
		struct strike strike = { .session = &session, .device = d, .action = f->strike };

		fatal = attempt_watched(&a, program, s->o->tries.limit_ms, f->strike ? strike_look : NULL,
					&strike);
		session_look(&session);
		status = strike.status;
		got.status = a.status;
		got.hit = f->strike ? strike.struck : session.rule[0].hit;
		got.ms = a.ms;
		got.left = a.left - s->left;
		got.verdict = verdict_of(s, &a, got.hit);
	}
	session_end(&session);
	free(text);
	if (status || fatal)
		return fatal ? fatal : (int)status;
	*c = got;
	s->done++;
	sweep_keep(s, f, place);
	return 0;
}

static int run_all(struct sweep *s, char **program)
{
	struct attempt plain;
	int status = 0;
	uint64_t place;
	size_t i;

	if (s->done < s->faults * s->o->places) {
		status = attempt(&plain, program, s->o->tries.limit_ms);
		if (status)
			return status;
		s->left = plain.left;
		if (attempt_failed(&plain)) {
			cli_error(
				"sweep: the command does not succeed without faults: %s, status %d",
				sweep_verdicts[verdict_of(s, &plain, 1)], plain.status);
			return ST_FAILED;
		}
	}
	for (i = 0; i < s->faults && !status; i++)
		for (place = 0; place < s->o->places && !status; place++) {
			if (s->fault[i].cell[place].verdict != V_COUNT)
				continue;
			progress(s, s->fault[i].label, place + 1);
			status = run_cell(s, &s->fault[i], place, program);
		}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (status == 130)
		cli_error("sweep: stopped%s", s->to ? "; run the same command to continue" : "");
	return status;
}

/* ---- output */

static int print_matrix(const struct sweep *s)
{
	uint64_t place;
	size_t i;
	int v;

	for (i = 0; i < s->faults; i++) {
		printf("%-36s ", s->fault[i].label);
		for (place = 0; place < s->o->places; place++)
			putchar(letters[s->fault[i].cell[place].verdict]);
		putchar('\n');
	}
	for (v = 0; v < V_COUNT; v++)
		printf("%s%c %s", v ? "  " : "", letters[v], sweep_verdicts[v]);
	putchar('\n');
	return fflush(stdout) ? ST_FAILED : ST_OK;
}

static int tell(const struct sweep *s)
{
	json_object *all = s->o->tries.json ? json_object_new_array() : NULL;
	bool bad = false;
	uint64_t place;
	size_t i;
	int status;

	for (i = 0; i < s->faults; i++)
		for (place = 0; place < s->o->places; place++) {
			enum verdict v = s->fault[i].cell[place].verdict;

			bad |= v == V_CRASH || v == V_HANG || v == V_WRONG || v == V_LEAK;
			if (all)
				json_object_array_add(all, sweep_json(&s->fault[i], place));
		}
	status = all ? print_json(all) : print_matrix(s);
	return status ? status : bad ? ST_UNMET : ST_OK;
}

static const struct argp_option options[] = {
	{ "device", 'd', "DEV", 0, "inject into this device", 0 },
	{ "actions", 'a', "ACTION,...", 0,
	  "inject only these actions (all on packets, completions, verbs and objects)", 0 },
	{ "filter", 'f', "FILTER", 0, "hit only what FILTER selects", 0 },
	{ "number", 'n', "N", 0, "inject at the first N places of each stream (3)", 0 },
	{ "wrong", 'w', "STATUS", 0, "exit status by which the command reports wrong data", 0 },
	{ "output", 'o', "FILE", 0, "keep results in FILE, and do not repeat the runs in it", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
		o->dev = arg;
		return 0;
	case 'a':
		o->actions = arg;
		return 0;
	case 'f':
		o->filter = arg;
		return 0;
	case 'n':
		o->places = option_number(state, arg, 1000);
		return 0;
	case 'w':
		o->wrong = option_number(state, arg, 255);
		return 0;
	case 'o':
		o->file = arg;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &o->tries;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int sweep(struct sweep *s, char **program)
{
	char *command;
	int status, n;

	for (n = 0; program[n];)
		n++;
	status = find_faults(s);
	if (!status)
		status = device_choose(s->o->dev, s->dev);
	if (!status) {
		command = join_words(program, n);
		status = sweep_open(s, command);
		free(command);
	}
	if (!status) {
		child_prepare();
		status = run_all(s, program);
	}
	return status ? status : tell(s);
}

int cmd_sweep(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &no_file_argp }, { .argp = &tries_argp }, { 0 }
	};
	static const struct argp argp = {
		options,
		parse,
		"-- COMMAND [ARGUMENT]...",
		"Runs a command once without a fault, and then once for each fault and place, and "
		"prints the result of each run.\v"
		"Exit status: 0 no run crashed, hung, leaked or had wrong data; 4 one did; 1 the "
		"command does not succeed without a fault, or the driver refused a rule; 2, 3 as "
		"always; 126, 127 the command cannot be run or is not there; 130 a signal stopped "
		"the sweep.",
		children,
		NULL,
		NULL
	};
	struct options o = { .places = 3, .tries = TRIES_DEFAULT, .wrong = -1 };
	char **program = split_program(&argc, argv);
	struct sweep s = { .o = &o };
	int status;
	size_t i;

	parse_options(&argp, argc, argv, &o);
	if (!program) {
		cli_error("sweep: no command is given; write it after --");
		return ST_USAGE;
	}
	status = sweep(&s, program);
	for (i = 0; i < s.faults; i++) {
		free(s.fault[i].label);
		free(s.fault[i].text);
		free(s.fault[i].strike);
		free(s.fault[i].cell);
	}
	free(s.fault);
	if (s.to)
		fclose(s.to);
	return status;
}
