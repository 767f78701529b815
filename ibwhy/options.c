// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "lib/debugfs/text.h"
#include "options.h"
#include "uapi/glass-version.h"

const char *argp_program_version = "ibwhy (Glass) " GLASS_VERSION;

enum key {
	KEY_LAST = 256,
	KEY_SAVE,
	KEY_FILE,
	KEY_PEER,
	KEY_JSON,
	KEY_CAUSES,
	KEY_WHERE,
	KEY_NO_WHERE,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Which failure:", 1 },
	{ "last", KEY_LAST, NULL, 0, "tell the last failure", 1 },
	{ "file", KEY_FILE, "FILE", 0,
	  "read stories from FILE, which ibwhy --save wrote, not from "
	  "the driver",
	  1 },
	{ "peer", KEY_PEER, "FILE", 0,
	  "add the view of the other host: FILE is what ibwhy --save wrote there", 1 },
	{ NULL, 0, NULL, 0, "Programs:", 2 },
	{ "pid", 'p', "PID", 0, "tell what each QP of a process that hangs waits for", 2 },
	{ "always", 'a', NULL, 0, "with a COMMAND: tell failures also if it ends well", 2 },
	{ "where", KEY_WHERE, NULL, 0,
	  "name function, file and line of who made the QPs, posted the request, registered and ended "
	  "the keys; let a COMMAND record that (the default)",
	  2 },
	{ "no-where", KEY_NO_WHERE, NULL, 0, "name no places, and let a COMMAND record none", 2 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "brief", 'b', NULL, 0, "print no evidence", 3 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 3 },
	{ "save", KEY_SAVE, "FILE", 0,
	  "write all stories and all QPs to FILE (-: standard output), "
	  "and end",
	  3 },
	{ "causes", KEY_CAUSES, NULL, 0, "list the first causes that ibwhy tells apart, and end",
	  3 },
	{ NULL, 0, NULL, 0, "Pictures of one failure (docs/pictures.md):", 4 },
	PICTURE_OPTIONS(4),
	{ NULL, 0, NULL, 0, NULL, -1 },
	{ 0 },
};

static uint64_t read_number(const char *text, const char *what, struct argp_state *state)
{
	uint64_t number;

	if (!debugfs_number(text, strlen(text), &number) || !number)
		argp_error(state, "%s: '%s' is no number; expected 1 or more", what, text);
	return number;
}

/* The words that are no options: a failure, or a command. */
static void take_word(struct options *o, char *arg, struct argp_state *state)
{
	/* "--" was just before it, or it is no failure */
	if (state->next >= 2 && !strcmp(state->argv[state->next - 2], "--")) {
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		o->deed = DEED_RUN;
		return;
	}
	if (o->id || o->object)
		argp_error(state, "one failure at a time; put -- before a COMMAND");
	if (strchr(arg, ':'))
		o->object = arg;
	else if (*arg >= '0' && *arg <= '9')
		o->id = read_number(arg, "failure", state);
	else
		argp_error(state,
			   "'%s' is no failure: expected an id (3) or an object (glass0:0x14); "
			   "put -- before a COMMAND",
			   arg);
	o->deed = DEED_TELL;
}

static void check(struct options *o, struct argp_state *state)
{
	int deeds = (o->id || o->object || o->last) + (o->command != NULL) + (o->pid != 0) +
		    (o->save != NULL);

	if (deeds > 1)
		argp_error(state, "a failure, a COMMAND, --pid and --save exclude each other");
	if (o->last && (o->id || o->object))
		argp_error(state, "--last: leave out the id or object of a failure");
	if (o->last)
		o->deed = DEED_TELL;
	if (o->where && o->no_where)
		argp_error(state, "--where and --no-where exclude each other");
	if (o->always && !o->command)
		argp_error(state, "--always needs a COMMAND");
	if (o->file && (o->command || o->pid || o->save))
		argp_error(state,
			   "--file: only a list of failures or one failure comes from a file");
	if (picture_outputs_any(&o->pictures) && (o->pid || o->save || o->deed == DEED_CAUSES))
		argp_error(state, "pictures are those of a failure: name one, or a COMMAND");
	/* standard output is the command's, as with --json */
	picture_outputs_check(&o->pictures, state, o->command || o->json);
	o->pictures.quiet = o->brief;
	if (o->peer && (o->pid || o->save))
		argp_error(state, "--peer: only failures have a peer's view");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_LAST:
		o->last = true;
		return 0;
	case KEY_FILE:
		o->file = arg;
		return 0;
	case KEY_PEER:
		o->peer = arg;
		return 0;
	case 'p':
		o->pid = read_number(arg, "--pid", state);
		o->deed = DEED_HANG;
		return 0;
	case 'a':
		o->always = true;
		return 0;
	case 'b':
		o->brief = true;
		return 0;
	case KEY_WHERE:
		o->where = true;
		return 0;
	case KEY_NO_WHERE:
		o->no_where = true;
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	case KEY_SAVE:
		o->save = arg;
		o->deed = DEED_SAVE;
		return 0;
	case KEY_CAUSES:
		o->deed = DEED_CAUSES;
		return 0;
	case ARGP_KEY_ARG:
		take_word(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return picture_outputs_parse(&o->pictures, key, arg, state);
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"[ID | DEVICE:NUMBER | --last]\n-- COMMAND [ARGUMENT]...\n--pid PID\n--save FILE",
		"Tells why a QP, CQ or SRQ of a Glass adapter failed: a chain of causes, effect first, "
		"first cause last. Without arguments, lists the failures that the driver keeps.\v"
		"Exit status: that of the command (128 + N when signal N ended it; without a command "
		"0); 120 there is no such failure or process; 121 reading or writing failed; 122 the "
		"command line is wrong; 123 there is no Glass, the user is not root, or the kernel is "
		"locked down; 126 the command cannot be run; 127 there is no such command.\n\n"
		"Examples:\n"
		"  ibwhy\n"
		"  ibwhy 3\n"
		"  ibwhy glass0:0x14\n"
		"  ibwhy --last --json\n"
		"  ibwhy -- ./my_test --its-option\n"
		"  ibwhy -p 4711\n"
		"  ibwhy --last --peer other-host.stories\n"
		"  ibwhy --last --diagram --html report.html",
		NULL,
		NULL,
		NULL
	};

	*o = (struct options){ .pictures = PICTURE_OUTPUTS_INIT };
	argp_err_exit_status = ST_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
}
