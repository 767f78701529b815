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
	struct code_set explain;
	bool strict, lenient, seeded;
	bool knob[GLASS_BEHAVIOR_COUNT];
	uint64_t seed;
	struct mutes mutes;
	struct fail_on fail;
	const char *rcfile; /* NULL: the one that is found */
	bool no_rcfile;
	bool brief, quiet;
	const char *output; /* of the text; NULL: standard error */
	const char *json, *json_lines, *sarif; /* NULL: not wanted */
	double limit; /* seconds; 0: none */
};

/*
 * Reads the command line. What is wrong ends the program with ST_USAGE, told; so does --help, with
 * 0.
 */
void options_read(struct options *o, int argc, char **argv);
void options_free(struct options *o);

#endif
