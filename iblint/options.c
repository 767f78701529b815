// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "uapi/glass-version.h"

const char *argp_program_version = "iblint (Glass) " GLASS_VERSION;

enum key {
	KEY_COMM = 256,
	KEY_STRICT,
	KEY_SEED,
	KEY_ERROR,
	KEY_MUTE,
	KEY_RCFILE,
	KEY_NO_RCFILE,
	KEY_LENIENT,
	KEY_FAIL_ON,
	KEY_LOG,
	KEY_FOR,
	KEY_JSON,
	KEY_JSON_LINES,
	KEY_SARIF,
	KEY_WHERE,
	KEY_NO_WHERE,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Which programs, instead of a COMMAND:", 1 },
	{ "pid", 'p', "PID", 0, "observe a process and its descendants, until it ends or SIGINT "
	  "arrives", 1 },
	{ "comm", KEY_COMM, "GLOB", 0, "observe programs whose name matches (* and ?)", 1 },
	{ "all", 'a', NULL, 0, "observe all programs", 1 },
	{ "device", 'D', "DEV", 0, "observe only on this adapter; can be repeated", 1 },
	{ "for", KEY_FOR, "SECONDS", 0, "end after this time (not with a COMMAND)", 1 },
	{ "where", KEY_WHERE, NULL, 0,
	  "let running programs record from where they call verbs, and name "
	  "function, file and line (default with a COMMAND)",
	  1 },
	{ "no-where", KEY_NO_WHERE, NULL, 0, "let the COMMAND not record that", 1 },
	{ NULL, 0, NULL, 0, "Which findings:", 2 },
	{ "codes", 'c', "CODES", 0,
	  "look only for these: GL001,stale_key,...; default: all that are not costly; all: every "
	  "code", 2 },
	{ "mute", KEY_MUTE, "RULE", 0,
	  "suppress: 'CODES [comm=GLOB] [dev=DEV] [kind=KIND [num=NUMBER]] [# why]'", 2 },
	{ "rcfile", KEY_RCFILE, "FILE", 0,
	  "read suppressions from this file, not from the nearest .iblintrc", 2 },
	{ "no-rcfile", KEY_NO_RCFILE, NULL, 0, "read no file of suppressions", 2 },
	{ NULL, 0, NULL, 0, "Reactions:", 3 },
	{ "error", KEY_ERROR, "CODES", 0,
	  "let the driver fail the operation that makes such a finding (docs/lint-abi.md lists the "
	  "codes)", 3 },
	{ "strict", KEY_STRICT, "KNOBS", OPTION_ARG_OPTIONAL,
	  "vary the behaviour that the specification leaves open, or only these knobs, while "
	  "iblint runs", 3 },
	{ "lenient", KEY_LENIENT, "KNOBS", 0,
	  "accept misuse that other adapters accept, while iblint runs: equal_keys", 3 },
	{ "seed", KEY_SEED, "N", 0, "seed of the random choices in strict mode (default: iblint "
	  "draws one, and prints it)",
	  3 },
	{ "fail-on", KEY_FAIL_ON, "WHAT", 0,
	  "end with 120 when there are findings of this severity or a worse one (error, security, "
	  "leak, warning, portability, speed; any), or of these codes",
	  3 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "output", 'o', "FILE", 0, "write the text to FILE, not to standard error", 4 },
	{ "brief", 'b', NULL, 0, "print one line per finding", 4 },
	{ "quiet", 'q', NULL, 0, "print no text", 4 },
	{ "json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
	  "write a JSON document at the end, to FILE (default: standard output)", 4 },
	{ "json-lines", KEY_JSON_LINES, "FILE", OPTION_ARG_OPTIONAL,
	  "write a line of JSON for each finding, at once", 4 },
	{ "sarif", KEY_SARIF, "FILE", OPTION_ARG_OPTIONAL, "write a SARIF 2.1.0 document at the end", 4 },
	{ "log", KEY_LOG, NULL, 0, "let the driver also write findings to the kernel log", 4 },
	{ NULL, 0, NULL, 0, "Explanations:", 5 },
	{ "explain", 'x', "CODES", 0, "explain these codes, with a bad and a good program, and end", 5 },
	{ "list", 'l', "WHAT", OPTION_ARG_OPTIONAL,
	  "list the codes, or with =knobs the knobs of --strict and --lenient, and end; with "
	  "--json as JSON", 5 },
	{ NULL, 0, NULL, 0, NULL, -1 },
	{ 0 },
};

static uint64_t read_number(const char *arg, const char *option, struct argp_state *state)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(arg, &end, 0);
	if (errno || *end || *arg < '0' || *arg > '9')
		argp_error(state, "%s: '%s' is not a number", option, arg);
	return n;
}

static void add_pid(struct options *o, const char *arg, struct argp_state *state)
{
	struct targets *t = &o->setup.targets;
	uint64_t pid = read_number(arg, "--pid", state);

	if (!pid || pid > 1 << 22)
		argp_error(state, "--pid: %s is not a process", arg);
	if (t->pids == TARGETS_MAX)
		argp_error(state, "more than %d processes", TARGETS_MAX);
	t->pid[t->pids++] = pid;
}

static void add_comm(struct options *o, const char *arg, struct argp_state *state)
{
	struct targets *t = &o->setup.targets;

	if (!*arg)
		argp_error(state, "--comm: which name?");
	if (strlen(arg) > 15)
		argp_error(state, "--comm: %s: the kernel keeps 15 characters of a name: %.15s", arg,
			   arg);
	if (t->comms == TARGETS_MAX)
		argp_error(state, "more than %d names", TARGETS_MAX);
	t->comm[t->comms++] = arg;
}

static void add_device(struct options *o, const char *arg, struct argp_state *state)
{
	if (!*arg || strlen(arg) >= DEVICE_NAME || strchr(arg, '/'))
		argp_error(state, "--device: '%s' is not an adapter's name", arg);
	if (o->devices.count == DEVICES_MAX)
		argp_error(state, "more than %d adapters", DEVICES_MAX);
	strcpy(o->devices.name[o->devices.count++], arg);
}

static void set_limit(struct options *o, const char *arg, struct argp_state *state)
{
	char *end;

	o->limit = strtod(arg, &end);
	if (end == arg || *end || !isfinite(o->limit) || o->limit <= 0 || o->limit > 1e9)
		argp_error(state, "--for: '%s' is not a number of seconds", arg);
}

static void set_list(struct options *o, const char *arg, struct argp_state *state)
{
	if (!arg || !strcmp(arg, "codes"))
		o->deed = DEED_LIST_CODES;
	else if (!strcmp(arg, "knobs"))
		o->deed = DEED_LIST_KNOBS;
	else
		argp_error(state, "--list: '%s' is unknown; expected codes or knobs", arg);
}

/*
 * Checks the options. The command is everything after -- or from the first word that is no option.
 */
static void check(struct options *o, struct argp_state *state)
{
	struct targets *t = &o->setup.targets;
	bool attached = t->all || t->pids || t->comms;

	if (o->deed != DEED_LOOK) {
		if (o->command || attached)
			argp_error(state, "--%s observes no program; leave out COMMAND, --pid, "
				   "--comm and --all",
				   o->deed == DEED_EXPLAIN ? "explain" : "list");
		return;
	}
	if (!o->command && !attached)
		argp_error(state,
			   "no program is given; expected a COMMAND, --pid PID, --comm GLOB or "
			   "--all");
	if (o->command && attached)
		argp_error(state, "a COMMAND excludes --pid, --comm and --all");
	if (t->all && (t->pids || t->comms))
		argp_error(state, "--all includes --pid and --comm; leave them out");
	if (o->command && o->limit > 0)
		argp_error(state,
			   "--for: iblint observes a COMMAND until it ends; timeout(1) can end it "
			   "earlier");
	if (o->seeded && !o->strict)
		argp_error(state, "--seed: only strict mode makes random choices; add --strict");
	o->setup.stacks = o->where || (o->command && !o->no_where);
	if (o->where && o->no_where)
		argp_error(state, "--where and --no-where exclude each other");
	if (o->rcfile && o->no_rcfile)
		argp_error(state, "--rcfile and --no-rcfile exclude each other");
}

/* For parsers that print their own error message. */
static void need(bool ok)
{
	if (!ok)
		exit(ST_USAGE);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'p':
		add_pid(o, arg, state);
		return 0;
	case KEY_COMM:
		add_comm(o, arg, state);
		return 0;
	case 'a':
		o->setup.targets.all = true;
		return 0;
	case 'D':
		add_device(o, arg, state);
		return 0;
	case KEY_FOR:
		set_limit(o, arg, state);
		return 0;
	case 'c':
		need(codes_parse(arg, "--codes", &o->setup.codes));
		o->setup.choose = true;
		return 0;
	case KEY_MUTE:
		need(mutes_add(&o->mutes, arg, "--mute"));
		return 0;
	case KEY_RCFILE:
		o->rcfile = arg;
		return 0;
	case KEY_NO_RCFILE:
		o->no_rcfile = true;
		return 0;
	case KEY_ERROR:
		need(codes_parse(arg, "--error", &o->setup.errors));
		return 0;
	case KEY_STRICT:
		need(behaviors_parse(arg ? arg : "all", "--strict", false, o->knob));
		o->strict = true;
		return 0;
	case KEY_LENIENT:
		need(behaviors_parse(arg, "--lenient", true, o->knob));
		o->lenient = true;
		return 0;
	case KEY_SEED:
		o->seed = read_number(arg, "--seed", state);
		o->seeded = true;
		return 0;
	case KEY_FAIL_ON:
		need(fail_on_parse(arg, "--fail-on", &o->fail));
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'b':
		o->brief = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case KEY_JSON:
		o->json = arg ? arg : "-";
		return 0;
	case KEY_JSON_LINES:
		o->json_lines = arg ? arg : "-";
		return 0;
	case KEY_SARIF:
		o->sarif = arg ? arg : "-";
		return 0;
	case KEY_WHERE:
		o->where = true;
		return 0;
	case KEY_NO_WHERE:
		o->no_where = true;
		return 0;
	case KEY_LOG:
		o->setup.log = true;
		return 0;
	case 'x':
		need(codes_parse(arg, "--explain", &o->explain));
		o->deed = DEED_EXPLAIN;
		return 0;
	case 'l':
		set_list(o, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		/* more codes for --explain, or the command with all its arguments */
		if (o->deed == DEED_EXPLAIN) {
			need(codes_parse(arg, "--explain", &o->explain));
			return 0;
		}
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"COMMAND [ARGUMENT]...\n--pid PID | --comm GLOB | --all\n--explain CODES\n--list",
		"Runs a command, or observes running programs, and reports their misuse of verbs "
		"on Glass adapters: errors that happen to work here, and code that would fail on "
		"other adapters.\v"
		"Exit status: that of the command (128 + N when signal N ended it; without a "
		"command 0); 120 findings that --fail-on names; 121 the driver refused a request, "
		"or reading or writing failed; 122 the command line or a .iblintrc is wrong; 123 "
		"there is no such adapter or process, the user is not root, or the kernel is locked down; 126 the command "
		"cannot be run; 127 there is no such command.\n\nExamples:\n"
		"  iblint ./my_program --its-option\n"
		"  iblint --fail-on warning --sarif=out.sarif -- ./my_test\n"
		"  iblint --strict=srq_shuffle --seed 7 ./my_test\n"
		"  iblint -p 4711\n"
		"  iblint --explain GL021",
		NULL,
		NULL,
		NULL
	};

	memset(o, 0, sizeof(*o));
	o->fail.rank = -1;
	argp_err_exit_status = ST_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
}

void options_free(struct options *o)
{
	mutes_free(&o->mutes);
}
