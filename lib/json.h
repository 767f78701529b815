/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON output of tools. A tool that uses this file links json-c. */
#ifndef GLASS_LIB_JSON_H
#define GLASS_LIB_JSON_H

#include <json-c/json.h>

#include "lib/cli.h"

/* Writes it to a file ("-": standard output) and frees it. Returns CLI_FAILED after cli_error(). */
enum cli_status json_write(json_object *what, const char *file);

#endif
