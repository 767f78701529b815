/* SPDX-License-Identifier: GPL-2.0-only */
/* Codes and behaviours of driver/uapi/glass-lint.h, and parsers for lists of them. */
#ifndef IBLINT_CODE_H
#define IBLINT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/glass-lint-set.h"

struct code {
	const char *word, *title, *advice; /* NULL word: the code does not exist */
	enum glass_lint_severity severity;
	bool costly;
};

/* Indexed by number: codes[1] is GL001 */
extern const struct code codes[GLASS_LINT_COUNT + 1];

extern const char *const severities[GLASS_LINT_SEVERITY_COUNT];

struct behavior {
	const char *word, *clause, *meaning;
	bool lenient; /* not part of strict mode: it lets programs continue */
};

extern const struct behavior behaviors[GLASS_BEHAVIOR_COUNT];

/* Returns the number of a code given as GL021, 21 or stale_key; 0 if it is unknown. */
unsigned int code_find(const char *word);

/* Returns the severity of that name, or -1. */
int severity_find(const char *word);

/*
 * Returns the rank of a severity. 0 is the worst: error, security, leak, warning, portability,
 * speed. An unknown severity ranks as an error.
 */
unsigned int severity_rank(int severity);

/*
 * Parse comma-separated lists. On error, return false after a message on standard error that names
 * `where` ("--codes") and the nearest known word.
 *
 * codes_parse: codes, "all", or "default" (the codes that are not costly).
 * behaviors_parse: behaviours of strict mode or lenient ones, or "all" of that kind.
 */
bool codes_parse(const char *list, const char *where, struct glass_lint_set *to);
bool behaviors_parse(const char *list, const char *where, bool lenient,
		     bool to[GLASS_BEHAVIOR_COUNT]);

/*
 * Return "GL001,GL021", which the caller frees. codes_scope() abbreviates to "all" or "default"
 * where possible, as codes= of a scope accepts it.
 */
char *codes_text(const struct glass_lint_set *set);
char *codes_scope(const struct glass_lint_set *set);

/*
 * The findings that make a run fail: codes, and severities including all worse ones; "any" or
 * "never". fail_on_parse() returns false after an error message.
 */
struct fail_on {
	struct glass_lint_set codes;
	int rank; /* this rank and worse (lower) ones; -1: none */
};

bool fail_on_parse(const char *list, const char *where, struct fail_on *to);

#endif
