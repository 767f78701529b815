/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every command of Glass does alike: how it ends, how it tells an error,
 * when it uses colours.
 */
#ifndef GLASS_LIB_CLI_H
#define GLASS_LIB_CLI_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses. Programs with argp set argp_err_exit_status to CLI_USAGE. */
enum cli_status {
	CLI_OK = 0,
	CLI_FAILED = 1, /* it could not be done, or what was looked for is not there */
	CLI_USAGE = 2,	/* the command line is wrong */
	/* as a shell has them, of tools that run a program */
	CLI_NOT_RUN = 126,   /* it cannot be run */
	CLI_NOT_FOUND = 127, /* there is no such program */
};

/*
 * Writes "PROGRAM: MESSAGE" and a newline to standard error, after what waits for standard output.
 * Of the message only newlines and what is printable(): it may repeat what a file has.
 */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and ends the program with that status. */
void cli_die(enum cli_status status, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/*
 * May this stream get colours? Only a terminal that is not dumb may, and not when
 * NO_COLOR is in the environment and not empty (no-color.org).
 */
bool cli_color(FILE *to);

/* printf into memory, for the caller to free. Ends the program when memory is short. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
