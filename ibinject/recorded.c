// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pairs.h"
#include "record.h"
#include "rules/parse.h"

static void keep(struct recorded_line **to, size_t *n, const char *dev, const char *text)
{
	struct recorded_line *more = *to;

	/* grow at 64, 128, 256 ... */
	if (!(*n & (*n - 1)) && (!*n || *n >= 64)) {
		more = realloc(*to, (*n ? 2 * *n : 64) * sizeof(*more));
		if (!more)
			cli_die(CLI_FAILED, "out of memory");
		*to = more;
	}
	snprintf(more[*n].dev, sizeof(more[*n].dev), "%s", dev);
	more[(*n)++].text = format_text("%s", text);
}

bool recorded_read(struct recorded *r, const char *file)
{
	FILE *from = fopen(file, "re");
	unsigned long number = 0;
	char *line = NULL, dev[DEVICE_NAME];
	size_t size = 0;
	bool ok = from;

	if (!from)
		cli_error("%s: %s", file, strerror(errno));
	while (ok && getline(&line, &size, from) > 0) {
		const char *text = line;

		line[strcspn(line, "\n")] = 0;
		if (!number++)
			ok = !strcmp(line, RECORD_HEAD);
		switch (record_parse(&text, dev, sizeof(dev))) {
		case RECORD_RULE:
			keep(&r->rule, &r->rules, dev, text);
			break;
		case RECORD_FIRED:
			keep(&r->fired, &r->count, dev, text);
			break;
		case RECORD_COMMENT:
			break;
		default:
			ok = false;
		}
		if (!ok)
			cli_error("%s:%lu: not a record of ibinject", file, number);
	}
	if (ok && !number) {
		cli_error("%s: %s", file, ferror(from) ? strerror(errno) : "empty");
		ok = false;
	}
	free(line);
	if (from)
		fclose(from);
	return ok;
}

const char *recorded_rule(const struct recorded *r, const struct recorded_line *fired)
{
	static const char *const same[] = { "name", "act" };
	char value[64], other[64];
	size_t i, k;

	for (i = 0; i < r->rules; i++) {
		if (strcmp(r->rule[i].dev, fired->dev))
			continue;
		for (k = 0; k < sizeof(same) / sizeof(same[0]); k++)
			if (!find_value(fired->text, same[k], value, sizeof(value)) ||
			    !find_value(r->rule[i].text, same[k], other, sizeof(other)) ||
			    strcmp(value, other))
				break;
		if (k == sizeof(same) / sizeof(same[0]))
			return r->rule[i].text;
	}
	return "";
}

static void free_lines(struct recorded_line *l, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(l[i].text);
	free(l);
}

void recorded_free(struct recorded *r)
{
	free_lines(r->rule, r->rules);
	free_lines(r->fired, r->count);
}
