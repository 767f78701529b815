/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a fabric from a file. */
#ifndef IBFABRIC_SOURCE_H
#define IBFABRIC_SOURCE_H

#include "ibfabric/parse/parse.h"
#include "ibfabric.h"

/*
 * Reads a file ("-": standard input) into t, which must be empty. Prints notes and errors by
 * cli_error(). *p has the names of the files; free it with parse_free().
 */
enum status source_read(const char *file, struct topo *t, struct parse *p);

#endif
