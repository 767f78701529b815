/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts as JSON. The caller frees the objects by json_object_put(). */
#ifndef IBWHY_JSON_H
#define IBWHY_JSON_H

#include <json-c/json.h>

#include "lib/why/verdict.h"
#include "lib/why/wait.h"

json_object *json_of_story(const struct why_story *s, const struct why_verdict *v);
json_object *json_of_wait(const struct why_qp *q, const struct why_verdict *v, enum why_end end);

#endif
