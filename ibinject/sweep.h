/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep: its faults, what came of them, and the file that keeps it. */
#ifndef IBINJECT_SWEEP_H
#define IBINJECT_SWEEP_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device.h"
#include "program_args.h"
#include "run.h"

#define VERDICTS(X)                \
	X(SURVIVED, survived, '.') \
	X(ERROR, error, 'e')       \
	X(CRASH, crash, 'C')       \
	X(HANG, hang, 'H')         \
	X(WRONG, wrong, 'W')       \
	X(LEAK, leak, 'L')         \
	X(UNHIT, unhit, '-')       \
	X(REFUSED, refused, 'r')

#define VERDICT_ENUM(n, w, c) V_##n,
enum verdict { VERDICTS(VERDICT_ENUM) V_COUNT };

extern const char *const sweep_verdicts[];

struct cell {
	enum verdict verdict; /* V_COUNT: not run yet */
	int status;
	uint64_t hit, ms;
	int64_t left; /* objects that it did not destroy, more than without a fault */
	bool again; /* the file has a result of another limit: run it again */
};

struct fault {
	char *label;  /* "cqe_error status=loc_prot_err" */
	char *text;   /* its rule, but for nth= */
	char *strike; /* what happens to an object then; NULL: the rule is the fault */
	struct cell *cell;
};

struct options {
	const char *dev, *filter, *file;
	char *actions; /* joined by commas; NULL: all of SITES */
	uint64_t places;
	struct tries tries;
	int wrong; /* -1: none */
};

struct sweep {
	const struct options *o;
	char dev[DEVICE_NAME];
	struct fault *fault;
	size_t faults;
	FILE *to;
	size_t done;
	int64_t left; /* objects that it leaves without a fault */
};

/* What an ended run means whose fault was hit so often. left: objects that it left, more than without a fault. */
enum verdict sweep_verdict(const struct sweep *s, int status, int64_t left, uint64_t hit);

/* One result, for people and for the file. */
json_object *sweep_json(const struct fault *f, uint64_t place);

/*
 * Takes what the file of -o has (none: nothing), and opens it for more. A result is taken as the options of this sweep
 * make it: --wrong applies to the status that is kept, and what --limit might change is left to be run again.
 */
enum status sweep_open(struct sweep *s, const char *command);

/* Writes one result to that file. */
void sweep_keep(struct sweep *s, const struct fault *f, uint64_t place);

#endif
