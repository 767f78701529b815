/* SPDX-License-Identifier: GPL-2.0-only */
/* What tools print as JSON. A tool that uses it links json-c. */
#ifndef GLASS_LIB_JSON_H
#define GLASS_LIB_JSON_H

#include <json-c/json.h>

#include "lib/cli.h"

/* Writes it to a file ("-": standard output) and frees it. CLI_FAILED: told. */
enum cli_status json_write(json_object *what, const char *file);

#endif
