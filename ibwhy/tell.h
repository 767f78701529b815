/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts as text and as JSON. */
#ifndef IBWHY_TELL_H
#define IBWHY_TELL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/why/verdict.h"
#include "lib/why/wait.h"

struct style {
	FILE *to;
	bool color, brief;
};

/* Prints the chain of causes of one failure. */
void tell_story(const struct style *style, const struct why_story *s, const struct why_verdict *v);

/* Prints the header of the list of failures, and a line of it. */
void tell_list_header(const struct style *style);
void tell_list_line(const struct style *style, const struct why_story *s,
		    const struct why_verdict *v);

/* Prints the chain of a QP that waits. */
void tell_wait(const struct style *style, const struct why_verdict *v, enum why_end end);

/* The same as JSON. The caller frees them by json_object_put(). */
json_object *json_of_story(const struct why_story *s, const struct why_verdict *v);
json_object *json_of_wait(const struct why_qp *q, const struct why_verdict *v, enum why_end end);

#endif
