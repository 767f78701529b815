/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of findings, for people and for programs. */
#ifndef IBLINT_REPORT_H
#define IBLINT_REPORT_H

#include <json-c/json.h>
#include <time.h>

#include "session.h"

/* Text output: findings as they occur, then a summary */
struct report {
	FILE *to;
	bool color;
	bool brief; /* one line per finding */
	bool advised[GLASS_LINT_COUNT + 1]; /* its advice was printed already */
};

void report_finding(struct report *r, const struct finding *f);

/* Totals of the findings of a session */
struct totals {
	uint64_t by_severity[GLASS_LINT_SEVERITY_COUNT]; /* distinct findings */
	uint64_t unknown;				 /* findings of an unknown severity */
	uint64_t muted, lost;
	bool fail; /* one of them matches --fail-on */
};

struct totals totals_of(struct session *s, const struct fail_on *fail);

void report_summary(struct report *r, struct session *s, const struct totals *totals);

/* Facts about the run, for the documents */
struct run {
	char **command; /* NULL: none; running programs are observed */
	char *program;	/* executable file of the command; NULL: unknown */
	int status;	/* of the command, as in a shell's $? */
	struct timespec begin, end; /* CLOCK_REALTIME */
	const bool *knobs;	    /* by enum glass_behavior */
	bool strict, lenient;	    /* was any behaviour of that kind requested? */
	uint64_t seed;
};

/* Returns a finding as JSON, as in the document. */
json_object *json_of_finding(const struct finding *f);

/* Return the documents, which the caller frees: iblint's own, and SARIF 2.1.0. */
json_object *json_of_session(struct session *s, const struct totals *totals, const struct run *run);
json_object *sarif_of_session(struct session *s, const struct run *run);

#endif
