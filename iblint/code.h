/* SPDX-License-Identifier: GPL-2.0-only */
/* The codes and the behaviours of driver/uapi/glass-lint.h, and lists of them as they are typed. */
#ifndef IBLINT_CODE_H
#define IBLINT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/glass-lint.h"

struct code {
	const char *word, *title, *advice; /* NULL word: there is no such code */
	enum glass_lint_severity severity;
	bool costly;
};

/* Indexed by number: 1 is GL001 */
extern const struct code codes[GLASS_LINT_COUNT + 1];

extern const char *const severities[GLASS_LINT_SEVERITY_COUNT];

struct behavior {
	const char *word, *clause, *meaning;
	bool lenient; /* not of strict mode: it lets programs go on */
};

extern const struct behavior behaviors[GLASS_BEHAVIOR_COUNT];

/* A set of codes */
struct code_set {
	bool has[GLASS_LINT_COUNT + 1];
};

/* The number of a code that is given as GL021, 21 or stale_key; 0: there is none */
unsigned int code_find(const char *word);

/* The severity of that name, or -1 */
int severity_find(const char *word);

/*
 * How bad a severity is, 0 is the worst: error, security, leak, warning, portability, speed. One
 * that is none is as bad as an error.
 */
unsigned int severity_rank(int severity);

/*
 * Lists, divided by commas; what is wrong is told after `where` ("--codes") on standard error,
 * with what was probably meant. codes_parse: codes, "all", or "default": those that are not
 * costly. behaviors_parse: knobs of strict mode or lenient
 * ones, or "all" of that kind.
 */
bool codes_parse(const char *list, const char *where, struct code_set *to);
bool behaviors_parse(const char *list, const char *where, bool lenient,
		     bool to[GLASS_BEHAVIOR_COUNT]);

/*
 * "GL001,GL021", for the caller to free; codes_scope: with "all" and "default" for what they stand
 * for, as codes= of a scope takes it.
 */
char *codes_text(const struct code_set *set);
char *codes_scope(const struct code_set *set);

/*
 * What makes a run fail: codes, and severities with all that are worse; "any" and "never". False:
 * told.
 */
struct fail_on {
	struct code_set codes;
	int rank; /* that and worse (lower) ones; -1: none */
};

bool fail_on_parse(const char *list, const char *where, struct fail_on *to);

#endif
