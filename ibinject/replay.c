// SPDX-License-Identifier: GPL-2.0-only
/* replay and journal-diff. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "lib/pairs.h"
#include "program_args.h"
#include "record.h"
#include "run.h"

/* Keys that identify a packet within its connection */
static const char *const packet_keys[] = { "dir", "op", "rpsn", "round", NULL };

static bool known(const char *fired, const char *key, char *value, size_t size)
{
	return find_value(fired, key, value, size) && strcmp(value, "-");
}

/* Writes the action's parameters, with random ones replaced by their recorded values. */
static void put_params(FILE *to, const char *fired, const char *rule)
{
	uint64_t ns, bit;
	bool delayed = find_number(fired, "time_ns", &ns), flipped = find_number(fired, "at", &bit);
	struct pair p;

	while (next_pair(&rule, &p)) {
		int key = p.value ? find_key(p.key, p.key_len) : -1;

		if (key < 0 || (keys[key].group != IN_PARAM && key != GLASS_RK_FORCE))
			continue;
		if ((delayed &&
		     (key == GLASS_RK_TIME || key == GLASS_RK_JITTER || key == GLASS_RK_DIST)) ||
		    (flipped && key == GLASS_RK_AT))
			continue;
		fprintf(to, " %.*s=%.*s", (int)p.key_len, p.key, (int)p.value_len, p.value);
	}
	if (delayed)
		fprintf(to, " time=%" PRIu64 "ns", ns);
	if (flipped)
		fprintf(to, " at=%" PRIu64, bit / 8);
}

/* Selects by the rule's selectors and the number within the stream, for firings without a PSN. */
static void put_numbered(FILE *to, const char *fired, const char *rule, const char *n)
{
	char comm[64], verb[64];
	struct pair p;
	bool has_comm = false;

	/* a rule for several verbs: the one that failed */
	if (known(fired, "verb", verb, sizeof(verb)))
		fprintf(to, " verb=%s", verb);

	while (next_pair(&rule, &p)) {
		int key = p.value ? find_key(p.key, p.key_len) : -1;

		if (key < 0 || keys[key].group != IN_SELECT || key == GLASS_RK_NQP ||
		    key == GLASS_RK_QPN || key == GLASS_RK_CQN || key == GLASS_RK_PQP ||
		    key == GLASS_RK_PID || key == GLASS_RK_VERB)
			continue;
		has_comm |= key == GLASS_RK_COMM;
		fprintf(to, " %.*s=%.*s", (int)p.key_len, p.key, (int)p.value_len, p.value);
	}
	if (!has_comm && known(fired, "comm", comm, sizeof(comm)))
		fprintf(to, " comm=%s", comm);
	fprintf(to, " nth=%s", n);
}

char *replay_rule(const char *fired, const char *rule, const char **why)
{
	char act[32], value[64], n[32], *text = NULL;
	char site;
	size_t size, i;
	FILE *to;
	int a;

	*why = NULL;
	a = find_value(fired, "act", act, sizeof(act)) ? find_act(act, strlen(act)) : -1;
	if (a < 0)
		*why = "this ibinject does not know the action";
	else if (strchr("OND", acts[a].site))
		*why = "the fault happens when its rule is added, so it has no place in a stream";
	else if (!known(fired, "n", n, sizeof(n)) && !known(fired, "rpsn", n, sizeof(n)))
		*why = "the record has no place in a stream";
	if (*why)
		return NULL;
	site = acts[a].site;
	to = open_memstream(&text, &size);
	if (!to)
		cli_die(CLI_FAILED, "out of memory");
	fprintf(to, "act=%s", act);
	if (site != 'V' && known(fired, "nqp", value, sizeof(value)))
		fprintf(to, " nqp=%s", value);
	else if (site != 'V' && known(fired, "qpn", value, sizeof(value)))
		fprintf(to, " qpn=%s", value);
	if (site == 'P' && known(fired, "rpsn", value, sizeof(value)))
		for (i = 0; packet_keys[i]; i++) {
			if (known(fired, packet_keys[i], value, sizeof(value)))
				fprintf(to, " %s=%s", packet_keys[i], value);
		}
	else
		put_numbered(to, fired, rule, n);
	put_params(to, fired, rule);
	fclose(to);
	return text;
}

struct options {
	const char *file;
	bool dry_run;
};

/* Checks the number of faults per device against the limit of rules, before any is added. */
static enum status too_many(const struct recorded *r)
{
	size_t i, k, n;

	for (i = 0; i < r->count; i++) {
		/* once per device */
		for (k = 0; k < i && strcmp(r->fired[k].dev, r->fired[i].dev); k++)
			;
		if (k < i)
			continue;
		for (n = 0; k < r->count; k++)
			n += !strcmp(r->fired[k].dev, r->fired[i].dev);
		if (n > GLASS_INJECT_RULES) {
			cli_error("%zu faults on %s: it can have %d rules, and each fault is one", n,
				  r->fired[i].dev, GLASS_INJECT_RULES);
			return ST_FAILED;
		}
	}
	return ST_OK;
}

/* Adds the rules, or prints them if dry_run is set. */
static enum status add_rules(struct session *s, const struct recorded *r, bool dry_run,
			     struct firings *wanted)
{
	struct glass_filter_error error;
	enum status status = ST_OK;
	size_t i, d;

	for (i = 0; i < r->count && !status; i++) {
		const struct recorded_line *f = &r->fired[i];
		const char *why;
		char *rule = replay_rule(f->text, recorded_rule(r, f), &why);

		if (!rule) {
			cli_error("left out: %s: %s", why, f->text);
			continue;
		}
		firings_add(wanted, f->dev, f->text, true);
		if (dry_run) {
			printf("%s: %s\n", f->dev, rule);
		} else {
			status = session_device(s, f->dev, &d);
			if (!status) {
				status = session_add(s, d, rule, NULL, &error);
				if (status)
					rule_explain(NULL, rule, &error);
			}
		}
		free(rule);
	}
	return status;
}

/* Compares the firings with the record. Returns true if they are equal. */
static bool compare(struct session *s, struct firings *wanted)
{
	struct firings got = { .count = 0 };
	size_t d, i, differ;

	session_look(s);
	for (d = 0; d < s->devices; d++)
		for (i = 0; i < json_object_array_length(s->device[d].fired); i++)
			firings_add(&got, s->device[d].name,
				    json_object_get_string(
					    json_object_array_get_idx(s->device[d].fired, i)),
				    true);
	differ = firings_compare(wanted, &got, stderr);
	if (!differ)
		cli_error("%zu faults as recorded", wanted->count);
	else
		cli_error("%zu streams differ from the record (-)", differ);
	firings_free(&got);
	return !differ;
}

static int replay(const struct recorded *r, const struct options *o, char **program)
{
	struct firings wanted = { .count = 0 };
	enum status status;
	struct session s;
	struct child c;
	int result;

	session_begin(&s, "replay");
	status = o->dry_run ? ST_OK : too_many(r);
	if (!status)
		status = add_rules(&s, r, o->dry_run, &wanted);
	result = own_status(status, program);
	if (!result && !o->dry_run) {
		child_prepare();
		result = child_start(&c, program);
		if (!result) {
			if (!program)
				cli_error("%zu rules; SIGINT ends them", s.rules);
			while (!child_wait(&c, 100))
				session_look(&s);
			result = c.status;
			if (!compare(&s, &wanted) && !result)
				result = own_status(ST_UNMET, program);
		}
	}
	session_end(&s);
	firings_free(&wanted);
	return result;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &o->file;
	state->child_inputs[1] = &o->dry_run;
	return 0;
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &file_argp }, { .argp = &dry_run_argp }, { 0 }
	};
	static const struct argp argp = {
		NULL,
		parse,
		"FILE [-- COMMAND [ARGUMENT]...]",
		"Makes rules that inject the faults of a record again, at the same place of the "
		"same stream, and compares at the end.\v"
		"The order of creation identifies a QP. replay omits faults that happen when their "
		"rule is added, and says so.",
		children,
		NULL,
		NULL
	};
	struct options o = { .file = NULL };
	char **program = split_program(&argc, argv);
	struct recorded r = { .rules = 0 };
	int status;

	argp_err_exit_status = own_status(ST_USAGE, program);
	parse_options(&argp, argc, argv, &o);
	status = recorded_read(&r, o.file) ? replay(&r, &o, program) : own_status(ST_USAGE, program);
	recorded_free(&r);
	return status;
}

/* ---- journal-diff */

static error_t parse_two(int key, char *arg, struct argp_state *state)
{
	char **file = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num == 2)
			argp_error(state, "too many files: expected two");
		file[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "expected two files");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_journal_diff(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse_two,
		"A B",
		"Compares two journals, or records, stream by stream. It ignores time stamps, and "
		"numbers that differ from run to run. Lines with - are only in A, with + only in "
		"B.\v"
		"Exit status: 0 the same, 4 they differ.",
		NULL,
		NULL,
		NULL
	};
	struct firings a = { .count = 0 }, b = { .count = 0 };
	char *file[2] = { NULL, NULL };
	int status = ST_USAGE;

	parse_options(&argp, argc, argv, file);
	if (firings_read(&a, file[0]) && firings_read(&b, file[1]))
		status = firings_compare(&a, &b, stdout) ? ST_UNMET : ST_OK;
	firings_free(&a);
	firings_free(&b);
	return status;
}
