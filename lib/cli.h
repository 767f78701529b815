/* SPDX-License-Identifier: GPL-2.0-only */
/* Common to all commands of Glass: exit statuses, error messages, and when to use colours. */
#ifndef GLASS_LIB_CLI_H
#define GLASS_LIB_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. Programs with argp set argp_err_exit_status to CLI_USAGE. */
enum cli_status {
	CLI_OK = 0,
	CLI_FAILED = 1, /* the operation failed, or the object was not found */
	CLI_USAGE = 2,	/* the command line is wrong */
	/* for tools that run a program: the same statuses as a shell's */
	CLI_NOT_RUN = 126,   /* the program cannot be executed */
	CLI_NOT_FOUND = 127, /* the program does not exist */
};

/*
 * Flushes standard output, then writes "PROGRAM: MESSAGE" and a newline to standard error.
 * Newlines in the message stay; other bytes that are not printable() become '?'.
 */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As cli_error(), then exits with that status. */
void cli_die(enum cli_status status, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/*
 * May the tool write colours to this stream? Yes if it is a terminal that is not dumb, and NO_COLOR
 * is not in the environment or is empty (no-color.org).
 */
bool cli_color(FILE *to);

/* The columns of a stream's terminal; 0 if it is no terminal, or does not say. */
unsigned int cli_columns(FILE *to);

/*
 * For the end of main(): flushes standard output. Returns `status`; or, after cli_error(), CLI_FAILED
 * in place of CLI_OK if output could not be written.
 */
int cli_flush(int status);

struct argp;

/*
 * argp_parse() for one command of a tool: argv[0] is the command, and messages begin with "PROGRAM
 * COMMAND". flags: ARGP_*.
 */
void cli_parse_command(const struct argp *argp, unsigned int flags, int argc, char **argv,
		       void *input);

/*
 * Reads the name that a process has now, cut to size; its bytes may be any. Returns false if there is no
 * such process.
 */
bool process_name(uint64_t pid, char *to, size_t size);

/* printf into memory that the caller frees. Exits if out of memory. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
