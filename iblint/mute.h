/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suppressions: findings that are not reported. The syntax of a line of .iblintrc; --mute takes the
 * same without the word mute:
 *
 *   mute CODES [KEY=VALUE]... [# why]
 *
 * CODES: codes separated by commas, or all. Keys: comm=GLOB, dev=NAME, kind=KIND, num=NUMBER; all
 * given ones must match. GLOB is the driver's: * and ?, and %XX for a byte.
 */
#ifndef IBLINT_MUTE_H
#define IBLINT_MUTE_H

#include "finding.h"
#include "rules/word.h"

struct mute {
	struct glass_lint_set codes;
	char *dev, *kind; /* NULL: any */
	bool has_comm, has_num;
	struct glass_name comm;
	uint64_t num;
	char *why;   /* NULL: not given */
	char *where; /* ".iblintrc:3", or "--mute" */
};

struct mutes {
	struct mute **mute; /* each allocated on its own: findings point to them */
	size_t count;
};

/* Adds the argument of --mute. Returns false after an error message. */
bool mutes_add(struct mutes *m, const char *text, const char *where);

/* Adds the lines of a file. Returns false after an error message for each wrong line. */
bool mutes_read(struct mutes *m, const char *file);

/*
 * Adds the lines of the nearest .iblintrc: in the working directory, else in the closest parent
 * directory, else in HOME. Skips, with a message, a file that other users may have written: the
 * owner must be root, the user who runs iblint, or the caller of sudo, and the file must not be
 * world-writable. Returns false after an error message for a wrong line. A missing file is no
 * error.
 */
bool mutes_find_file(struct mutes *m);

/* Returns the first suppression that matches the finding, or NULL. */
const struct mute *mutes_find(const struct mutes *m, const struct finding *f);

void mutes_free(struct mutes *m);

#endif
