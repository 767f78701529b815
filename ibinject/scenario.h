/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario: steps on a time line, in YAML. */
#ifndef IBINJECT_SCENARIO_H
#define IBINJECT_SCENARIO_H

#include <stdint.h>

#include "rule.h"

/* Kinds of steps; each word is a key of the step's mapping. */
#define SCENARIO_DEEDS(X)     \
	X(ADD, add)           \
	X(DEL, del)           \
	X(CLEAR, clear)       \
	X(STEP, step)         \
	X(RELEASE, release)   \
	X(BOOKMARK, bookmark) \
	X(EXPECT, expect)

#define SCENARIO_ENUM(n, w) DEED_##n,
enum deed { SCENARIO_DEEDS(SCENARIO_ENUM) DEED_COUNT };

struct step {
	struct place place; /* of the step's text in the file */
	enum deed deed;
	char *dev;  /* NULL: the scenario's device */
	char *text; /* rule, name of a rule, or text of the bookmark */
	bool timed;
	uint64_t at; /* ns since the start */
	char *after; /* a rule that must have fired */
	uint64_t after_times;
	uint64_t low, high; /* expect: range of firings; step: low packets */
	uint64_t within;    /* ns to wait for this */
};

struct scenario {
	const char *file;
	char *dev;	/* NULL: the only device */
	uint64_t limit; /* ns; 0: no limit */
	struct step *step;
	size_t steps;
};

/* Reads a scenario. Returns false after printing all errors on `to` as FILE:LINE:COLUMN: ... */
bool scenario_read(struct scenario *s, const char *file, FILE *to);
void scenario_free(struct scenario *s);

#endif
