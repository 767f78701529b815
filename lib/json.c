// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "lib/json.h"

enum cli_status json_write(json_object *what, const char *file)
{
	FILE *to = strcmp(file, "-") ? fopen(file, "we") : stdout;
	bool ok = to;

	if (to) {
		ok = fprintf(to, "%s\n",
			     json_object_to_json_string_ext(
				     what, JSON_C_TO_STRING_PRETTY |
						   JSON_C_TO_STRING_NOSLASHESCAPE)) >= 0;
		ok &= !(to == stdout ? fflush(to) : fclose(to));
	}
	json_object_put(what);
	if (ok)
		return CLI_OK;
	cli_error("%s: %s", file, strerror(errno));
	return CLI_FAILED;
}
