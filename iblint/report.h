/* SPDX-License-Identifier: GPL-2.0-only */
/* What was found, for people and for programs. */
#ifndef IBLINT_REPORT_H
#define IBLINT_REPORT_H

#include <json-c/json.h>
#include <time.h>

#include "session.h"

/* Text: findings as they come, and a summary */
struct report {
	FILE *to;
	bool color;
	bool brief; /* one line a finding */
	bool advised[GLASS_LINT_COUNT + 1]; /* its advice was told already */
};

void report_finding(struct report *r, const struct finding *f);

/* What the findings of a session amount to */
struct totals {
	uint64_t by_severity[GLASS_LINT_SEVERITY_COUNT]; /* distinct ones */
	uint64_t unknown;				 /* of a severity that is none of these */
	uint64_t muted, lost;
	bool fail; /* one of them is what --fail-on names */
};

struct totals totals_of(struct session *s, const struct fail_on *fail);

void report_summary(struct report *r, struct session *s, const struct totals *totals);

/* How the session went, for the documents */
struct run {
	char **command; /* NULL: none, it was attached */
	char *program;	/* the file of the command; NULL: not known */
	int status;	/* of the command, as a shell has it */
	struct timespec begin, end; /* CLOCK_REALTIME */
	const bool *knobs;	    /* by enum glass_behavior */
	bool strict, lenient;	    /* were any of that kind asked for? */
	uint64_t seed;
};

/* One finding, as it is in the document, too */
json_object *json_of_finding(const struct finding *f);

/* The documents, for the caller to free: iblint's own, and SARIF 2.1.0 */
json_object *json_of_session(struct session *s, const struct totals *totals, const struct run *run);
json_object *sarif_of_session(struct session *s, const struct run *run);

#endif
