/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes from a process all that a parser of hostile files does not need. */
#ifndef GLASS_LIB_WHERE_JAIL_H
#define GLASS_LIB_WHERE_JAIL_H

#include <stdbool.h>

#define JAIL_MEMORY  (1ul << 30) /* bytes of address space that the process may add */
#define JAIL_SECONDS 20		 /* of CPU time */

/*
 * Gives up all rights of the calling process, for ever: user and group become nobody (if the caller
 * is root), no capability is left, and no program that it starts gains one. Memory, CPU time and
 * descriptors are limited. From then on only system calls work that allocate memory, read open
 * files, and use sockets that are connected already; others fail with EACCES. The process gets
 * SIGKILL when its parent ends. Open files stay open.
 *
 * Call it in a child of one thread. Returns false if a part failed: the caller must then parse
 * nothing.
 */
bool jail_enter(void);

#endif
