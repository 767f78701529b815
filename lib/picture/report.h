/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of a failure: one HTML file without network and without scripts of others. It has the chain
 * of causes, the diagram, its rows as a table, lint findings, the objects of both ends and all records.
 */
#ifndef GLASS_LIB_PICTURE_REPORT_H
#define GLASS_LIB_PICTURE_REPORT_H

#include <stdio.h>

#include "lib/picture/picture.h"
#include "lib/why/verdict.h"

struct picture_report {
	const struct why_story *story;
	const struct why_verdict *verdict;
	const struct picture *picture; /* NULL: there is nothing to draw */
	const char *tool; /* name and version of the program */
	const char *command; /* how it was called, or NULL */
	const char *choice; /* a sentence about the picture, or about why there is none */
};

/* The stream's error indicator tells of failures. */
void picture_write_report(FILE *to, const struct picture_report *r);

#endif
