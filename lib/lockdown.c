// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/lockdown.h"

const char *lockdown_path = "/sys/kernel/security/lockdown";

static const char *const words[] = {
	[LOCKDOWN_NONE] = "none",
	[LOCKDOWN_INTEGRITY] = "integrity",
	[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
	[LOCKDOWN_UNKNOWN] = "unknown",
};

/* The file lists all levels, and has the current one in brackets: "none [integrity] ...". */
enum lockdown lockdown_level(void)
{
	char line[128] = "", *open, *close;
	FILE *f = fopen(lockdown_path, "re");
	int i;

	if (!f)
		return LOCKDOWN_UNKNOWN;
	if (!fgets(line, sizeof(line), f))
		*line = 0;
	fclose(f);
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return LOCKDOWN_UNKNOWN;
	*close = 0;
	for (i = LOCKDOWN_NONE; i < LOCKDOWN_UNKNOWN; i++)
		if (!strcmp(open + 1, words[i]))
			return i;
	return LOCKDOWN_UNKNOWN;
}

const char *lockdown_word(enum lockdown level)
{
	return words[level];
}

char *lockdown_refusal(const char *path, int err)
{
	enum lockdown level;

	if (err != EPERM)
		return NULL;
	level = lockdown_level();
	if (level == LOCKDOWN_NONE)
		return NULL;
	if (level == LOCKDOWN_UNKNOWN)
		return format_text(
			"%s: the kernel refuses to open it, as a kernel does that is locked down; to find out: mount -t securityfs securityfs /sys/kernel/security; cat %s (docs/lockdown.md)",
			path, lockdown_path);
	return format_text(
		"%s: the kernel refuses to open it, because it is locked down (%s: %s); %s",
		path, lockdown_path, lockdown_word(level), LOCKDOWN_ADVICE);
}
