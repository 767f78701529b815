/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver's fabric: commands through configfs, state through debugfs. */
#ifndef IBFABRIC_DRIVER_H
#define IBFABRIC_DRIVER_H

#include "ibfabric.h"
#include "ibfabric/model/command.h"
#include "ibfabric/parse/parse.h"

/* /sys/kernel/config/glass and /sys/module/glass. Tests use others. */
extern const char *configfs_root;
extern const char *module_root;

/*
 * Reads the fabric, which must be empty (zeroed), from debugfs. Returns ST_NO_FABRIC after
 * cli_error().
 */
enum status driver_read(struct topo *to);

/*
 * Carries the commands out, in as few writes as possible. On an error, prints the reason with its
 * place in a file of `from` (NULL: none) and returns ST_FAILED; *done is the number of lines that
 * are in force.
 */
enum status driver_run(const struct topo_commands *commands, const struct parse *from,
		       uint32_t *done);

/* Carries one line out, without a newline at its end. */
enum status driver_run_line(const char *line);

/* Opens the file of commands and closes it. Returns ST_NO_FABRIC after cli_error() if it cannot. */
enum status driver_ready(void);

/*
 * Replaces the fabric by another one, or builds it if there is none. Without `replace`, a fabric
 * that is there is an error. Prints what it built to standard error, unless quiet.
 */
enum status driver_build(const struct topo *t, const struct parse *from, bool replace, bool quiet);

#endif
