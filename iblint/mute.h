/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suppressions: what is found and need not be told. A line of .iblintrc, or what --mute gets
 * without the word mute:
 *
 *   mute CODES [KEY=VALUE]... [# why]
 *
 * CODES: codes divided by commas, or all. Keys: comm=GLOB, dev=NAME, kind=KIND, num=NUMBER; all
 * that are given must hold. GLOB is the driver's: * and ?, and %XX for a byte.
 */
#ifndef IBLINT_MUTE_H
#define IBLINT_MUTE_H

#include "finding.h"
#include "rules/word.h"

struct mute {
	struct code_set codes;
	char *dev, *kind; /* NULL: any */
	bool has_comm, has_num;
	struct glass_name comm;
	uint64_t num;
	char *why;   /* NULL: not told */
	char *where; /* ".iblintrc:3", or "--mute" */
};

struct mutes {
	struct mute **mute; /* findings point to them: each stays where it is */
	size_t count;
};

/* Adds what --mute gets. False: told. */
bool mutes_add(struct mutes *m, const char *text, const char *where);

/* Adds the lines of a file. False: told, each wrong line with its number. */
bool mutes_read(struct mutes *m, const char *file);

/*
 * Adds the lines of the .iblintrc that holds here: that of the working directory or of the nearest
 * above it that has one, else that of HOME. One that another user may have put there is passed over,
 * told: it belongs neither to root nor to who runs this (of sudo: who called it), or all may write to it.
 * False: a line is wrong, told; true also when there is none.
 */
bool mutes_find_file(struct mutes *m);

/* The first that holds for a finding, or NULL */
const struct mute *mutes_find(const struct mutes *m, const struct finding *f);

void mutes_free(struct mutes *m);

#endif
