/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts as text for people. Output is pure ASCII, in lines of at most 100 columns, or as many as asked for. */
#ifndef GLASS_LIB_WHY_TELL_H
#define GLASS_LIB_WHY_TELL_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/why/verdict.h"
#include "lib/why/wait.h"

struct why_style {
	FILE *to;
	bool color, brief; /* brief: without evidence */
	unsigned int width; /* columns of a line; 0: WHY_WIDTH */
};

#define WHY_WIDTH 100

/* Prints the chain of causes of one failure. */
void why_tell_story(const struct why_style *style, const struct why_story *s,
		    const struct why_verdict *v);

/* Prints the header of the list of failures, and a line of it. */
void why_tell_list_header(const struct why_style *style);
void why_tell_list_line(const struct why_style *style, const struct why_story *s,
			const struct why_verdict *v);

/* Prints the chain of a QP that waits. */
void why_tell_wait(const struct why_style *style, const struct why_verdict *v, enum why_end end);

#endif
