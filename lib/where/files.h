/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the files that the parser reads. Their names come from programs, or from the parser. */
#ifndef GLASS_LIB_WHERE_FILES_H
#define GLASS_LIB_WHERE_FILES_H

#include "lib/where/where.h"

/* All return a descriptor of a regular file that is open for reading, or -1. */
int files_open_module(const struct where_module *m);
/*
 * Debugging information by build-id: in /usr/lib/debug or, if the user has set DEBUGINFOD_URLS,
 * from a server, which may take long.
 */
int files_open_debug(const struct where_module *m);
/* Debugging information by the name that the module has for it: next to it, or in /usr/lib/debug.
 */
int files_open_link(const struct where_module *m, const char *name);
/* The part that several modules share (dwz): a path with the directory .dwz, in /usr/lib/debug. */
int files_open_shared(const char *path);

#endif
