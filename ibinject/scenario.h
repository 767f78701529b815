/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario: steps on a time line, read from YAML. */
#ifndef IBINJECT_SCENARIO_H
#define IBINJECT_SCENARIO_H

#include <stdint.h>

#include "rule.h"

/* What a step does; the words are the keys of its mapping. */
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
	struct place place; /* of the step's text */
	enum deed deed;
	char *dev;  /* NULL: that of the scenario */
	char *text; /* rule, name of a rule, or text of the bookmark */
	bool timed;
	uint64_t at; /* ns from the beginning */
	char *after; /* a rule, which must have fired */
	uint64_t after_times;
	uint64_t low, high; /* expect: so often; step: low packets */
	uint64_t within;    /* ns to wait for it */
};

struct scenario {
	const char *file;
	char *dev;	/* NULL: the only one */
	uint64_t limit; /* ns; 0: none */
	struct step *step;
	size_t steps;
};

/*
 * Reads one. False: what is wrong is told on `to` as FILE:LINE:COLUMN: ..., as many errors as
 * there are.
 */
bool scenario_read(struct scenario *s, const char *file, FILE *to);
void scenario_free(struct scenario *s);

#endif
