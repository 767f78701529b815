/* SPDX-License-Identifier: GPL-2.0-only */
/* Findings, read from lint/findings of a device (docs/lint-abi.md). */
#ifndef IBLINT_FINDING_H
#define IBLINT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"
#include "device.h"
#include "lib/debugfs/table.h"

#define COMM_LEN   64
#define KIND_LEN   16
#define NUMBER_LEN 24

struct mute;

struct finding {
	const char *dev;
	uint64_t id;
	unsigned int code; /* the number, one that this iblint may not know */
	int severity;	   /* enum glass_lint_severity, or -1: one that it does not know */
	char kind[KIND_LEN];
	char num[NUMBER_LEN];	/* as the driver writes it; "": no object in particular */
	uint64_t pid;		/* 0: none */
	char comm[COMM_LEN];	/* "": not known */
	char peer[DEVICE_NAME]; /* DEV:QPN; "": none */
	uint64_t peer_pid;
	char peer_comm[COMM_LEN];
	uint64_t count; /* in this session */
	uint64_t first, last; /* ns, CLOCK_MONOTONIC */
	char seen[NUMBER_LEN], expected[NUMBER_LEN]; /* "": not told */
	char *text;
	char scopes[96]; /* ids joined by ':'; "": not told */

	/* of the session */
	uint64_t before;	  /* how often it was seen before */
	bool ours;		  /* of a program that the session looks at */
	bool told;		  /* printed */
	const struct mute *muted; /* NULL: it counts */
};

/* Where in a line the columns are; -1: not there. */
#define FINDING_COLUMN(name, unit, meaning) FINDING_##name,
enum finding_column { GLASS_COLUMNS_LINT(FINDING_COLUMN) FINDING_COLUMNS };

struct finding_layout {
	int at[FINDING_COLUMNS];
};

/*
 * Begins a table, and finds its columns. False: not a table of findings that this iblint can read;
 * debugfs_error() says why.
 */
bool finding_layout(struct debugfs_table *t, struct debugfs_file *f, struct finding_layout *to);

/*
 * Reads the row of the table, without its dev. All text becomes printable ASCII. False: no finding,
 * which counts as a bad line. The text is the caller's to free (finding_free()).
 */
bool finding_parse(struct debugfs_table *t, const struct finding_layout *layout, struct finding *to);
void finding_free(struct finding *f);

/* What is known of the finding's code; fields that are not are "" */
const struct code *finding_code(const struct finding *f);
const char *finding_severity(const struct finding *f);

/* "glass0/qp:0x11", or "glass0" where there is no object in particular; for the caller to free */
char *finding_object(const struct finding *f);

#endif
