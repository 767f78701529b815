/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads findings from lint/findings of a device (docs/lint-abi.md). */
#ifndef IBLINT_FINDING_H
#define IBLINT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"
#include "device.h"
#include "lib/debugfs/table.h"
#include "lib/where/stacks.h"

#define COMM_LEN   64
#define KIND_LEN   16
#define NUMBER_LEN 24

struct mute;

struct finding {
	const char *dev;
	uint64_t id;
	unsigned int code; /* may be unknown to this iblint */
	int severity;	   /* enum glass_lint_severity, or -1 if it is unknown */
	char kind[KIND_LEN];
	char num[NUMBER_LEN];	/* as the driver writes it; "": not about one object */
	uint64_t pid;		/* 0: none */
	char comm[COMM_LEN];	/* "": unknown */
	char peer[DEVICE_NAME]; /* DEV:QPN; "": none */
	uint64_t peer_pid;
	char peer_comm[COMM_LEN];
	uint64_t count; /* in this session */
	uint64_t first, last; /* ns, CLOCK_MONOTONIC */
	char seen[NUMBER_LEN], expected[NUMBER_LEN]; /* "": not given */
	char *text;
	char scopes[96];	    /* ids joined by ':'; "": not given */
	uint64_t stack, peer_stack; /* numbers of call stacks; 0: unknown */

	/* state in the session */
	uint64_t before;	  /* count before the session */
	bool ours;		  /* counted for a program that the session observes */
	bool told;		  /* printed */
	const struct mute *muted; /* NULL: not suppressed */
	struct where_stack *where, *peer_where; /* these call stacks; NULL: unknown */
};

/* Positions of the columns in a line; -1: missing */
#define FINDING_COLUMN(name, unit, meaning) FINDING_##name,
enum finding_column { GLASS_COLUMNS_LINT(FINDING_COLUMN) FINDING_COLUMNS };

struct finding_layout {
	int at[FINDING_COLUMNS];
};

/*
 * Begins a table and finds its columns. Returns false if this iblint cannot read it as a table of
 * findings; debugfs_error() tells why.
 */
bool finding_layout(struct debugfs_table *t, struct debugfs_file *f, struct finding_layout *to);

/*
 * Reads the current row, except dev. All text becomes printable ASCII. Returns false if it is no
 * finding, and counts it as a bad line. Release the result with finding_free().
 */
bool finding_parse(struct debugfs_table *t, const struct finding_layout *layout, struct finding *to);
void finding_free(struct finding *f);

/* Looks up the call stacks of a finding, once. w NULL: call stacks are not wanted. */
void finding_find_stacks(struct finding *f, struct where *w);

/* Returns the facts about the finding's code; unknown ones are "". */
const struct code *finding_code(const struct finding *f);
const char *finding_severity(const struct finding *f);

/*
 * Returns "glass0/qp:0x11", or "glass0" if the finding is not about one object. The caller frees
 * it.
 */
char *finding_object(const struct finding *f);

#endif
