/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep: its faults, their results, and the file of results. */
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
	enum verdict verdict; /* V_COUNT: no result yet */
	int status;
	uint64_t hit, ms;
	int64_t left; /* leaked objects, minus those of a run without faults */
	bool again; /* the file has a result for another limit, so this cell runs again */
};

struct fault {
	char *label;  /* "cqe_error status=loc_prot_err" */
	char *text;   /* its rule, without nth= */
	char *strike; /* action on an object of the held packet; NULL: the rule is the fault */
	struct cell *cell;
};

struct options {
	const char *dev, *filter, *file;
	char *actions; /* separated by commas; NULL: all of SITES */
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
	int64_t left; /* objects that a run without faults leaks */
};

/*
 * Returns the verdict of an ended run. hit: how often the fault hit. left: leaked objects, minus
 * those of a run without faults.
 */
enum verdict sweep_verdict(const struct sweep *s, int status, int64_t left, uint64_t hit);

/* Returns one result, for output and for the file. */
json_object *sweep_json(const struct fault *f, uint64_t place);

/*
 * Reads the results of the file of -o, if any, and opens it for appending. Verdicts follow the
 * options of this sweep: --wrong applies to the stored status, and a result that another --limit
 * may change runs again.
 */
enum status sweep_open(struct sweep *s, const char *command);

/* Appends one result to that file. */
void sweep_keep(struct sweep *s, const struct fault *f, uint64_t place);

#endif
