/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line. */
#ifndef IBLINT_OPTIONS_H
#define IBLINT_OPTIONS_H

#include "session.h"

enum deed { DEED_LOOK, DEED_EXPLAIN, DEED_LIST_CODES, DEED_LIST_KNOBS };

struct options {
	enum deed deed;
	char **command; /* NULL: none */
	struct session_setup setup;
	struct devices devices; /* count 0: all */
	struct glass_lint_set explain;
	bool strict, lenient, seeded;
	bool knob[GLASS_BEHAVIOR_COUNT];
	uint64_t seed;
	struct mutes mutes;
	struct fail_on fail;
	const char *rcfile; /* NULL: search for it */
	bool no_rcfile;
	bool where, no_where; /* both false: call stacks if there is a command */
	bool brief, quiet;
	const char *output; /* file for text; NULL: standard error */
	const char *json, *json_lines, *sarif; /* files; NULL: not requested */
	double limit; /* seconds; 0: no limit */
};

/*
 * Parses the command line. On error, prints a message and exits with ST_USAGE. --help exits with 0.
 */
void options_read(struct options *o, int argc, char **argv);
void options_free(struct options *o);

#endif
