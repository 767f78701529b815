/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules and firings as text and JSON. */
#ifndef IBINJECT_LIST_H
#define IBINJECT_LIST_H

#include <json-c/json.h>
#include <stdio.h>

/* Returns the pairs of a journal's line. */
json_object *json_of_pairs(const char *line);

/* Prints it on standard output and frees it. Returns an exit status. */
int print_json(json_object *what);

#endif
