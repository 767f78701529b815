/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parser of ELF and DWARF (elfutils' libdw): the part of lib/where that reads files which users
 * wrote. It runs in a child of the tool without rights (jail.h), one for each module. It may crash,
 * hang, or say anything.
 */
#ifndef GLASS_LIB_WHERE_PARSE_H
#define GLASS_LIB_WHERE_PARSE_H

#include "lib/where/where.h"

/*
 * Answers questions about the module until the socket is closed (message.h). file: its descriptor.
 * Call it in the child, after jail_enter().
 */
__attribute__((noreturn)) void parse_serve(int socket, int file, const struct where_module *m);
/* Answers the first question with this note alone, and ends the process. */
__attribute__((noreturn)) void parse_refuse(int socket, const char *note);

#endif
